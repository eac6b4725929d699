use proptest::prelude::*;

use super::*;

#[test]
fn marks_and_fill_stand_where_the_formula_says() {
    // width, limit, context, tokens, cell, eighths of the context
    let rows = [
        (120, 200_000, Some(61_000), 34_000, Some(20), 290),
        (120, 200_000, Some(61_000), 130_000, Some(77), 290),
        (120, 200_000, Some(61_000), 150_000, Some(89), 290),
        (120, 200_000, Some(61_000), 200_000, Some(119), 290),
        (80, 200_000, Some(152_000), 34_000, Some(13), 480),
        (80, 200_000, Some(152_000), 130_000, Some(51), 480),
        (40, 200_000, Some(133_400), 150_000, Some(29), 208),
        (120, 200_000, Some(240_000), 200_000, Some(99), 952),
        (120, 200_000, Some(240_000), 150_000, Some(74), 952),
        (120, 8_192, Some(3_000), 10_000, None, 349),
        (120, 8_192, Some(12_000), 10_000, Some(99), 952),
        (120, 1_000_000, Some(612_400), 930_000, Some(111), 583),
        (2, 10, Some(5), 5, Some(1), 4),
        (2, 10, Some(4), 4, Some(0), 3),
        (1, 10, Some(5), 10, Some(0), 0),
        (0, 10, Some(5), 5, None, 0),
        (40, 0, None, 0, Some(39), 0),
        (40, 0, Some(7), 0, Some(0), 312),
        (40, u64::MAX, Some(u64::MAX), u64::MAX - 1, Some(39), 312),
    ];
    for (width, limit, context, tokens, cell, eighths) in rows {
        let ruler = Ruler::new(width, limit, context);
        assert_eq!(ruler.cell(tokens), cell, "{tokens} in {width} x {limit}");
        assert_eq!(ruler.eighths(context.unwrap_or(0)), eighths, "{context:?}");
    }
}

#[test]
fn of_two_marks_in_one_cell_the_greater_stays() {
    use Mark::*;
    use Spot::*;
    let ruler = Ruler::new(11, 100, None);
    let rows: &[(&[(Mark, u64)], &[(Mark, Spot)])] = &[
        (
            &[(Floor, 20), (Warn, 70), (At, 80), (Limit, 100)],
            &[
                (Limit, Drawn(10)),
                (At, Drawn(8)),
                (Warn, Drawn(7)),
                (Floor, Drawn(2)),
            ],
        ),
        (
            &[(At, 100), (Limit, 100)],
            &[(Limit, Drawn(10)), (At, Drawn(9))],
        ),
        (
            &[(Floor, 99), (Warn, 98), (At, 97), (Limit, 100)],
            &[
                (Limit, Drawn(10)),
                (At, Drawn(9)),
                (Warn, Taken(10)),
                (Floor, Taken(10)),
            ],
        ),
        (
            &[(Floor, 70), (Warn, 71), (At, 80), (Limit, 100)],
            &[
                (Limit, Drawn(10)),
                (At, Drawn(8)),
                (Warn, Drawn(7)),
                (Floor, Drawn(6)),
            ],
        ),
        // A mark that gave way takes its new cell from a lesser one.
        (
            &[(Floor, 70), (Warn, 79), (At, 80), (Limit, 100)],
            &[
                (Limit, Drawn(10)),
                (At, Drawn(8)),
                (Warn, Drawn(7)),
                (Floor, Drawn(6)),
            ],
        ),
        (
            &[(Floor, 1), (Warn, 2), (At, 300), (Limit, 100)],
            &[
                (Limit, Drawn(10)),
                (At, Beyond),
                (Warn, Drawn(0)),
                (Floor, Taken(0)),
            ],
        ),
    ];
    for (marks, expected) in rows {
        assert_eq!(place(ruler, marks), *expected, "{marks:?}");
    }
}

fn label(mark: Mark, number: &str, word: &str, cell: Option<u16>) -> Label {
    Label {
        mark: Some(mark),
        number: number.to_owned(),
        word: word.to_owned(),
        cell,
    }
}

fn zero() -> Label {
    Label {
        mark: None,
        number: "0".to_owned(),
        word: String::new(),
        cell: Some(0),
    }
}

/// The fullest row, as it is read.
fn row(width: usize, labels: &[Label]) -> String {
    let placed = layouts(width, labels).next().unwrap();
    let mut row = String::new();
    for label in placed {
        let blanks = label.x - cells::width(&row);
        row.extend(std::iter::repeat_n(' ', blanks));
        row.push_str(&label.text);
    }
    row
}

#[test]
fn labels_stand_under_their_marks_and_give_up_words_when_crowded() {
    use Mark::*;
    let en = |floor, warn, at, limit| {
        [
            zero(),
            label(Floor, "34K", "floor", Some(floor)),
            label(Warn, "130K", "warn", Some(warn)),
            label(At, "150K", "hand over", Some(at)),
            label(Limit, "200K", "limit", Some(limit)),
        ]
    };
    assert_eq!(
        row(120, &en(20, 77, 89, 119)),
        "0               34K floor                                               130K warn 150K hand over              200K limit"
    );
    assert_eq!(
        row(80, &en(13, 51, 59, 79)),
        "0        34K floor                        130K warn 150K hand over    200K limit"
    );
    assert_eq!(
        row(60, &en(10, 38, 44, 59)),
        "0     34K floor          130K warn 150K hand over 200K limit"
    );
    assert_eq!(
        row(40, &en(7, 25, 29, 39)),
        "0     34K  130K warn 150K hand over 200K"
    );
    assert_eq!(
        row(30, &en(5, 19, 22, 29)),
        "0   34K        130K 150K  200K"
    );
    assert_eq!(row(14, &en(2, 8, 10, 13)), "130K 150K 200K");
    assert_eq!(row(9, &en(1, 5, 6, 8)), "130K 150K");
    assert_eq!(row(4, &en(1, 2, 3, 3)), "150K");
    assert_eq!(layouts(3, &en(0, 1, 2, 2)).next(), None);
}

#[test]
fn a_mark_beyond_the_bar_is_told_at_the_right_end() {
    use Mark::*;
    let labels = [
        zero(),
        label(Warn, "1K", "warn", Some(10)),
        label(Limit, "8.2K", "limit", Some(79)),
        label(At, "10.0K", "hand over", None),
    ];
    assert_eq!(
        row(80, &labels),
        "0      1K warn                                      8.2K limit 10.0K hand over >"
    );
    assert_eq!(row(10, &labels), "1K 10.0K >");
}

fn numbers() -> impl Strategy<Value = (u64, u64, u64, u64)> {
    (
        1_000u64..2_000_000,
        0u64..3_000_000,
        0u64..400_000,
        0u64..120_000,
    )
}

proptest! {
    #[test]
    fn marks_and_labels_obey_at_every_width(
        width in 40u16..=400,
        (window, context, floor, headroom) in numbers(),
        chinese in any::<bool>(),
    ) {
        use Mark::*;
        let context = (context > 0).then_some(context);
        let at = window.saturating_sub(headroom).max(10_000);
        let warn = at.saturating_sub(20_000).max(1_000);
        let ruler = Ruler::new(width, window, context);
        let last = width - 1;
        let marks = [(Floor, floor), (Warn, warn), (At, at), (Limit, window)];
        let placed = place(ruler, &marks);

        let limit = ruler.cell(window).unwrap();
        prop_assert_eq!(placed[0], (Limit, Spot::Drawn(limit)));
        if context.is_none_or(|context| context <= window) {
            prop_assert_eq!(limit, last);
        }
        let scale = u128::from(window.max(context.unwrap_or(0)));
        let mut taken = std::collections::BTreeSet::new();
        for (mark, spot) in &placed {
            let tokens = u128::from(marks.iter().find(|(m, _)| m == mark).unwrap().1);
            let formula = (2 * u128::from(last) * tokens + scale) / (2 * scale);
            match spot {
                Spot::Drawn(cell) => {
                    prop_assert!(*cell <= last && taken.insert(*cell));
                    let cell = u128::from(*cell);
                    prop_assert!(cell == formula || cell + 1 == formula);
                }
                Spot::Taken(cell) => prop_assert_eq!(u128::from(*cell), formula),
                Spot::Beyond => prop_assert!(tokens > scale),
            }
        }

        let words = if chinese { ["起点", "提醒", "换代", "硬上限"] } else { ["floor", "warn", "hand over", "limit"] };
        let mut labels = vec![zero()];
        let mut sorted = marks;
        sorted.sort_by_key(|(mark, tokens)| (*tokens, *mark));
        for (mark, tokens) in sorted {
            let word = match mark { Floor => words[0], Warn => words[1], At => words[2], Limit => words[3] };
            labels.push(label(mark, &crate::tokens::size(tokens), word, ruler.cell(tokens)));
        }
        let all: Vec<_> = layouts(usize::from(width), &labels).collect();
        prop_assert!(!all.is_empty());
        for row in &all {
            let mut end = 0;
            let mut order = Vec::new();
            for (index, placed) in row.iter().enumerate() {
                prop_assert!(index == 0 || placed.x > end, "{:?}", row);
                end = placed.end();
                prop_assert!(end <= usize::from(width), "{:?}", row);
                order.push(labels.iter().position(|l| l.mark == placed.mark).unwrap());
            }
            prop_assert!(order.is_sorted());
            prop_assert!(row.iter().any(|l| l.mark == Some(At)));
            if row.iter().all(|l| !l.beyond) {
                for placed in row {
                    let cell = labels.iter().find(|l| l.mark == placed.mark).unwrap().cell.unwrap();
                    prop_assert!(distance(usize::from(cell), placed.x, cells::width(&placed.text)) <= FAR_CELLS);
                }
            }
        }
    }
}
