use proptest::prelude::*;

use super::*;

fn rect(x: u16, y: u16, width: u16, height: u16) -> Rect {
    Rect {
        x,
        y,
        width,
        height,
    }
}

#[test]
fn the_three_sizes_are_divided_as_drawn() {
    assert_eq!(
        layout(rect(0, 0, 120, 40), Pane::Log),
        Layout {
            gauge: rect(0, 0, 120, 4),
            now: rect(0, 4, 120, 1),
            titles: rect(0, 5, 120, 1),
            log: rect(0, 6, 59, 31),
            divider: rect(59, 6, 1, 31),
            editor: rect(60, 6, 60, 31),
            rule: rect(0, 37, 120, 1),
            message: rect(0, 38, 120, 1),
            keys: rect(0, 39, 120, 1),
            too_small: Rect::default(),
        }
    );
    assert_eq!(
        layout(rect(0, 0, 80, 24), Pane::Message),
        Layout {
            gauge: rect(0, 0, 80, 3),
            now: rect(0, 3, 80, 1),
            titles: rect(0, 4, 80, 1),
            log: rect(0, 5, 34, 17),
            divider: rect(34, 5, 1, 17),
            editor: rect(35, 5, 45, 17),
            message: rect(0, 22, 80, 1),
            keys: rect(0, 23, 80, 1),
            ..Layout::default()
        }
    );
    let small = Layout {
        gauge: rect(0, 0, 40, 2),
        now: rect(0, 2, 40, 1),
        titles: rect(0, 3, 40, 1),
        keys: rect(0, 9, 40, 1),
        ..Layout::default()
    };
    let body = rect(0, 4, 40, 5);
    let area = rect(0, 0, 40, 10);
    assert_eq!(layout(area, Pane::Log), Layout { log: body, ..small });
    assert_eq!(
        layout(area, Pane::Editor),
        Layout {
            editor: body,
            ..small
        }
    );
    assert_eq!(
        layout(area, Pane::Message),
        Layout {
            message: body,
            ..small
        }
    );
}

#[test]
fn below_the_least_size_the_window_is_asked_to_grow() {
    assert_eq!(
        layout(rect(0, 0, 39, 10), Pane::Log),
        Layout {
            gauge: rect(0, 0, 39, 1),
            now: rect(0, 1, 39, 1),
            too_small: rect(0, 2, 39, 1),
            ..Layout::default()
        }
    );
    for (width, height) in [(19, 10), (80, 2)] {
        let only = Layout {
            gauge: rect(0, 0, width, 1),
            ..Layout::default()
        };
        assert_eq!(layout(rect(0, 0, width, height), Pane::Log), only);
    }
}

#[test]
fn breakpoints_stand_where_the_rules_say() {
    for (width, height, gauge, panes, rule) in [
        (59, 16, 2, 1, false),
        (60, 15, 2, 1, false),
        (60, 16, 3, 2, false),
        (99, 30, 3, 2, false),
        (100, 29, 3, 2, false),
        (100, 30, 4, 2, true),
    ] {
        let layout = layout(rect(0, 0, width, height), Pane::Log);
        let shown = [layout.log, layout.editor]
            .iter()
            .filter(|pane| !pane.is_empty())
            .count();
        assert_eq!(
            (layout.gauge.height, shown, !layout.rule.is_empty()),
            (gauge, panes, rule),
            "{width}x{height}"
        );
    }
    for (width, log) in [
        (100, 49),
        (160, 78),
        (224, 110),
        (400, 110),
        (u16::MAX, 110),
    ] {
        assert_eq!(
            layout(rect(0, 0, width, 60), Pane::Log).log.width,
            log,
            "{width}"
        );
    }
}

#[test]
fn titles_stand_over_their_panes() {
    let wide = layout(rect(0, 0, 120, 40), Pane::Log);
    assert_eq!(wide.title_of(Pane::Log), rect(0, 5, 59, 1));
    assert_eq!(wide.title_of(Pane::Editor), rect(60, 5, 60, 1));
    assert_eq!(wide.title_of(Pane::Message), Rect::default());
    let small = layout(rect(0, 0, 40, 10), Pane::Message);
    assert_eq!(small.title_of(Pane::Message), rect(0, 3, 40, 1));
    assert_eq!(small.title_of(Pane::Log), Rect::default());
}

fn check(area: Rect, focus: Pane) -> Result<(), TestCaseError> {
    let layout = layout(area, focus);
    let all = [
        layout.gauge,
        layout.now,
        layout.titles,
        layout.log,
        layout.divider,
        layout.editor,
        layout.rule,
        layout.message,
        layout.keys,
        layout.too_small,
    ];
    for (index, one) in all.iter().enumerate() {
        if one.is_empty() {
            continue;
        }
        prop_assert_eq!(one.intersection(area), *one, "outside {:?}", area);
        for other in all[index + 1..].iter().filter(|other| !other.is_empty()) {
            prop_assert!(!one.intersects(*other), "{:?} meets {:?}", one, other);
        }
    }
    if area.width >= LEAST.0 && area.height >= LEAST.1 {
        let cells: u32 = all.iter().map(|rect| rect.area()).sum();
        prop_assert_eq!(cells, area.area(), "cells of {:?} are left over", area);
        let body = match focus {
            Pane::Log => layout.log,
            Pane::Editor => layout.editor,
            Pane::Message => layout.message,
        };
        prop_assert!(!body.is_empty());
    }
    Ok(())
}

#[test]
fn every_small_size_is_divided_without_overlap() {
    for width in 0..=60 {
        for height in 0..=30 {
            for focus in [Pane::Log, Pane::Editor, Pane::Message] {
                check(rect(0, 0, width, height), focus).unwrap();
            }
        }
    }
    check(rect(0, 0, 1_000, 300), Pane::Log).unwrap();
}

proptest! {
    #[test]
    fn any_size_anywhere_is_divided_without_overlap(
        x in 0u16..500, y in 0u16..500, width in 0u16..1_000, height in 0u16..1_000,
    ) {
        check(rect(x, y, width, height), Pane::Editor)?;
    }
}
