//! Soft wrap, the caret's cells, and the arithmetic of rows.

use proptest::prelude::*;

use super::super::*;

fn rows(line: &str, width: usize) -> Vec<String> {
    wrap_rows(&[line.to_owned()], width)
        .into_iter()
        .map(|row| {
            format!(
                "{}{}",
                " ".repeat(row.indent),
                line[row.start..row.end].trim_end()
            )
        })
        .collect()
}

#[test]
fn lines_break_where_people_break_them() {
    for (line, width, expected) in [
        ("", 10, vec![""]),
        ("one two three", 9, vec!["one two", "  three"]),
        ("- one two three", 9, vec!["- one two", "  three"]),
        ("10. one two three", 12, vec!["10. one two", "    three"]),
        ("  - one two", 12, vec!["  - one two"]),
        ("  - one two three", 12, vec!["  - one two", "    three"]),
        ("abcdefghijkl", 6, vec!["abcdef", "  ghij", "  kl"]),
        ("上下文快满了", 6, vec!["上下文", "  快满", "  了"]),
        ("上下文快满了", 7, vec!["上下文", "  快满", "  了"]),
        // Closing punctuation does not begin a row, opening does not end one.
        (
            "上下文，快满了",
            6,
            vec!["上下", "  文，", "  快满", "  了"],
        ),
        ("上下（文）快", 8, vec!["上下", "  （文）", "  快"]),
        (
            "由 Makefile 生成 shim。",
            21,
            vec!["由 Makefile 生成", "  shim。"],
        ),
        (
            "👩\u{200d}🔬👩\u{200d}🔬👩\u{200d}🔬",
            5,
            vec!["👩\u{200d}🔬👩\u{200d}🔬", " 👩\u{200d}🔬"],
        ),
        // Blanks hang over the edge.
        ("abc     def", 5, vec!["abc", " def"]),
        (
            "e\u{301}e\u{301}e\u{301}",
            2,
            vec!["e\u{301}e\u{301}", "e\u{301}"],
        ),
        ("字", 1, vec!["字"]),
        ("字字", 1, vec!["字", "字"]),
    ] {
        assert_eq!(rows(line, width), expected, "{line:?} in {width}");
    }
}

#[test]
fn the_caret_stands_in_the_cell_of_its_byte() {
    let line = "上下文快满了ab".to_owned();
    let wrapped = wrap_rows(std::slice::from_ref(&line), 6);
    // byte, row, cell
    for (byte, row, cell) in [
        (0, 0, 0),
        (3, 0, 2),
        (6, 0, 4),
        // The edge belongs to the row it begins.
        (9, 1, 2),
        (12, 1, 4),
        (15, 2, 2),
        (18, 2, 4),
        (19, 2, 5),
        (20, 2, 6),
    ] {
        let at = row_of(&wrapped, Pos { line: 0, byte });
        assert_eq!(at, row, "row of byte {byte}");
        assert_eq!(
            cell_of(&wrapped[at], &line, byte, 6),
            cell,
            "cell of byte {byte}"
        );
        assert_eq!(
            byte_at(&wrapped[at], &line, cell),
            byte,
            "byte at cell {cell}"
        );
    }
    // The second cell of a wide character is the character's.
    assert_eq!(byte_at(&wrapped[0], &line, 1), 0);
    assert_eq!(byte_at(&wrapped[0], &line, 99), 6);
    assert_eq!(byte_at(&wrapped[2], &line, 99), 20);
}

#[test]
fn sections_share_the_rows() {
    use Section::{Deadends, Doing, Next};
    for (needs, focus, rows, expected) in [
        ([1, 1, 1, 1, 1], Doing, 10, Some([1, 1, 1, 1, 1])),
        ([1, 1, 1, 1, 1], Doing, 9, None),
        ([2, 3, 4, 2, 2], Next, 30, Some([2, 3, 4, 2, 2])),
        // Eleven are left over: six for the focus, five for the dead ends.
        ([20, 20, 20, 20, 20], Next, 21, Some([1, 1, 6, 7, 1])),
        ([20, 20, 20, 20, 20], Deadends, 21, Some([1, 1, 12, 1, 1])),
        // What one does not need the other gets, then the rest in order.
        ([20, 20, 20, 2, 20], Next, 21, Some([1, 1, 11, 2, 1])),
        ([20, 20, 2, 2, 20], Next, 21, Some([10, 1, 2, 2, 1])),
        ([20, 1, 20, 1, 1], Doing, 20, Some([6, 1, 6, 1, 1])),
    ] {
        assert_eq!(
            shares(needs, focus, rows),
            expected,
            "{needs:?} {focus:?} {rows}"
        );
    }
}

#[test]
fn the_window_keeps_the_caret_in_sight() {
    for (top, caret, total, rows, expected) in [
        (0, Some(0), 3, 5, (0, 3)),
        (0, None, 9, 5, (0, 4)),
        (0, Some(3), 9, 5, (0, 4)),
        (0, Some(4), 9, 5, (1, 4)),
        (0, Some(8), 9, 5, (4, 5)),
        (4, Some(5), 9, 5, (4, 5)),
        (4, Some(1), 9, 5, (1, 4)),
        (7, Some(8), 9, 5, (4, 5)),
        (0, Some(7), 9, 1, (7, 1)),
        (0, Some(7), 9, 0, (7, 0)),
        (0, Some(1), 2, 1, (1, 1)),
    ] {
        assert_eq!(
            window(top, caret, total, rows),
            expected,
            "{top} {caret:?} {total} {rows}"
        );
    }
}

proptest! {
    #[test]
    fn rows_hold_the_whole_line_and_fit(
        line in "[a-c \t中，。（👩\u{200d}🔬e\u{301}-]{0,60}",
        width in 1usize..24,
    ) {
        let lines = [line.clone()];
        let rows = wrap_rows(&lines, width);
        let mut at = 0;
        for row in &rows {
            prop_assert_eq!(row.start, at);
            at = row.end;
            let text = line[row.start..row.end].trim_end_matches([' ', '\t']);
            // A single cluster may be wider than a very narrow pane.
            let cells = cell_of(row, &line, row.start + text.len(), usize::MAX);
            prop_assert!(cells <= width.max(4 + row.indent), "{:?} in {}", row, width);
        }
        prop_assert_eq!(at, line.len());
        prop_assert!(rows.last().unwrap().last);
    }

    #[test]
    fn shares_never_exceed_what_is_there(
        needs in proptest::array::uniform5(1usize..30),
        focus in 0usize..5,
        rows in 0usize..80,
    ) {
        if let Some(given) = shares(needs, Section::ALL[focus], rows) {
            let sum: usize = given.iter().sum();
            prop_assert!(sum + 5 <= rows);
            prop_assert!(given.iter().zip(needs).all(|(g, n)| *g >= 1 && *g <= n));
            let all: usize = needs.iter().sum();
            prop_assert_eq!(sum, all.min(rows - 5));
        } else {
            prop_assert!(rows < 10);
        }
    }

    #[test]
    fn a_window_shows_the_caret(top in 0usize..40, caret in 0usize..40, more in 0usize..40, rows in 1usize..30) {
        let total = caret + 1 + more;
        let (first, shown) = window(top, Some(caret), total, rows);
        prop_assert!(first <= caret && caret < first + shown);
        prop_assert!(shown <= rows && first + shown <= total);
    }
}
