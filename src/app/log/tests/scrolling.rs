//! What stays in sight when something comes, goes or changes its size.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn filled(count: usize) -> Log {
    let mut log = log(Lang::En);
    for number in 0..count {
        push(&mut log, text(&format!("entry {number}")));
    }
    log
}

#[test]
fn the_end_is_followed_until_it_is_left() {
    let mut log = filled(30);
    assert!(log.is_following());
    assert_eq!(sight(&log).first().unwrap(), "20: entry 20");
    push(&mut log, text("new"));
    assert_eq!(sight(&log).last().unwrap(), "30: new");
    log.scroll(-3);
    assert!(!log.is_following());
    let before = sight(&log);
    assert_eq!(before.first().unwrap(), "18: entry 18");
    for _ in 0..3 {
        push(&mut log, text("newer"));
    }
    log.delta("streaming\nin rows", "12:00:00");
    assert_eq!((sight(&log), log.unseen()), (before, 4));
    log.scroll(100);
    assert!(log.is_following());
    assert_eq!(log.unseen(), 0);
    assert_eq!(sight(&log).last().unwrap(), "34: in rows");
}

#[test]
fn entries_that_come_into_sight_are_not_new_any_more() {
    let mut log = filled(30);
    log.scroll(-5);
    for _ in 0..6 {
        push(&mut log, text("new"));
    }
    assert_eq!(log.unseen(), 6);
    log.scroll(7);
    assert_eq!(log.unseen(), 4);
    log.scroll(-20);
    assert_eq!(log.unseen(), 4);
    log.end();
    assert_eq!((log.unseen(), log.is_following()), (0, true));
}

#[test]
fn pages_and_both_ends_are_reached() {
    let mut log = filled(30);
    log.page(-1);
    assert_eq!(sight(&log).first().unwrap(), "11: entry 11");
    log.page(-5);
    assert_eq!(sight(&log).first().unwrap(), "0: entry 0");
    log.page(1);
    assert_eq!(sight(&log).first().unwrap(), "9: entry 9");
    log.home();
    assert_eq!(sight(&log).first().unwrap(), "0: entry 0");
    log.page(9);
    assert!(log.is_following());
    // Where everything fits there is nothing to leave.
    let mut short = filled(3);
    short.scroll(-1);
    short.home();
    assert!(short.is_following());
}

#[test]
fn eviction_does_not_move_what_is_read_until_it_is_gone_itself() {
    let mut log = filled(MAX_ENTRIES);
    log.scroll(-100);
    let before = sight(&log);
    for _ in 0..5_000 {
        push(&mut log, text("new"));
    }
    assert_eq!(sight(&log), before);
    assert_eq!(log.unseen(), 5_000);
    log.select(0);
    for _ in 0..6_000 {
        push(&mut log, text("newer"));
    }
    assert_eq!(sight(&log).first().unwrap(), "11000: new");
    assert!(!log.is_following());
    log.toggle_expand();
    log.select(1);
    assert_eq!(log.selected(), Some(11_000));
}

#[test]
fn a_new_width_keeps_the_first_word_in_sight() {
    let mut log = filled(5);
    let long: String = (0..80).map(|n| format!("word{n:02} ")).collect();
    push(&mut log, text(&long));
    for _ in 0..20 {
        push(&mut log, text("after"));
    }
    log.home();
    log.scroll(8);
    assert_eq!(
        sight(&log)[0],
        "5: word19 word20 word21 word22 word23 word24 word25"
    );
    log.set_size(30, 10);
    assert!(sight(&log)[0].contains("word19"), "{:?}", sight(&log)[0]);
    log.set_size(59, 4);
    assert!(sight(&log)[0].contains("word19"), "{:?}", sight(&log)[0]);
    // Nor does it drift when the size goes to and fro.
    for width in [41, 0, 33, 28, 55, 59] {
        log.set_size(width, 10);
    }
    assert!(
        sight(&log)[0].starts_with("5: word19"),
        "{:?}",
        sight(&log)[0]
    );
    assert!(!log.is_following());
}

#[test]
fn folding_and_expanding_keep_the_top() {
    let mut log = filled(8);
    push(&mut log, call("bash", json!({"command": "seq 9"})));
    push(&mut log, result("1\n2\n3\n4\n5\n6\n7\n8\n9\n", false));
    let folded = ["8: seq 9", "8: | 1", "8: | 2", "8: +7"];
    assert_eq!(sight(&log)[6..], folded);
    let before = sight(&log)[..7].to_vec();
    // Without a selection the last entry that has more is meant.
    log.toggle_expand();
    assert!(!log.is_following());
    assert_eq!(sight(&log)[..7], before);
    assert_eq!(sight(&log)[7..], ["8: | 1", "8: | 2", "8: | 3"]);
    log.scroll(4);
    assert_eq!(sight(&log)[9], "8: | 7");
    log.scroll(2);
    assert!(log.is_following());
    log.select(-1);
    log.toggle_expand();
    assert_eq!(sight(&log)[6..], folded);
    assert!(log.is_following());
}

#[test]
fn reasoning_and_long_tasks_are_folded_to_rows() {
    let mut log = log(Lang::Zh);
    let words = "想一想这一步该怎么走才不会绕回去".repeat(8);
    push(
        &mut log,
        EventKind::Thinking {
            text: words.clone(),
        },
    );
    let folded = sight(&log);
    assert_eq!((folded.len(), folded[2].as_str()), (3, "0: +4"));
    log.toggle_expand();
    let expanded: String = sight(&log).iter().map(|row| &row[3..]).collect();
    assert_eq!(expanded, words);
    log.toggle_expand();
    assert_eq!(sight(&log), folded);
    // A single row more is shown instead of a row that says so.
    let mut short = filled(0);
    push(
        &mut short,
        EventKind::Thinking {
            text: "1\n2\n3".to_owned(),
        },
    );
    assert_eq!(sight(&short), ["0: 1", "0: 2", "0: 3"]);
}

#[test]
fn a_result_below_a_call_does_not_move_what_is_read() {
    let mut log = filled(20);
    push(&mut log, call("bash", json!({"command": "x"})));
    for _ in 0..20 {
        push(&mut log, text("after"));
    }
    log.scroll(-2);
    let before = sight(&log);
    push(&mut log, result("1\n2\n3\n", false));
    assert_eq!(sight(&log), before);
}

#[test]
fn the_selected_entry_is_brought_into_sight() {
    let mut log = filled(30);
    log.select(-1);
    assert_eq!(log.selected(), Some(29));
    log.select(-12);
    assert_eq!(
        (log.selected(), sight(&log).first().unwrap().as_str()),
        (Some(17), "17: entry 17")
    );
    log.select(11);
    assert_eq!(
        (log.selected(), sight(&log).last().unwrap().as_str()),
        (Some(28), "28: entry 28")
    );
    log.select(-100);
    assert_eq!(log.selected(), Some(0));
    log.select(100);
    assert_eq!((log.selected(), log.is_following()), (Some(29), true));
    assert!(log.select_row(3));
    assert_eq!(log.selected(), Some(23));
    assert!(!log.select_row(10));
    assert_eq!(log.selected(), Some(23));
}

#[derive(Debug, Clone)]
enum Do {
    Say(usize),
    Call,
    Answer(usize),
    Stream,
    Scroll(i64),
    Select(i64),
    Toggle,
    Size(u16, u16),
    Home,
    End,
}

fn any_deed() -> impl Strategy<Value = Do> {
    prop_oneof![
        (0usize..40).prop_map(Do::Say),
        Just(Do::Call),
        (0usize..9).prop_map(Do::Answer),
        Just(Do::Stream),
        (-15i64..15).prop_map(Do::Scroll),
        (-5i64..5).prop_map(Do::Select),
        Just(Do::Toggle),
        (0u16..70, 0u16..15).prop_map(|(width, height)| Do::Size(width, height)),
        Just(Do::Home),
        Just(Do::End),
    ]
}

proptest! {
    #[test]
    fn the_pane_is_full_or_shows_everything(deeds in prop::collection::vec(any_deed(), 0..60)) {
        let mut log = log(Lang::Zh);
        for deed in deeds {
            match deed {
                Do::Say(words) => push(&mut log, text(&"词 word".repeat(words))),
                Do::Call => push(&mut log, call("bash", json!({"command": "make 测试"}))),
                Do::Answer(lines) => push(&mut log, result(&"一行\n".repeat(lines), false)),
                Do::Stream => log.delta("说到一半 and on", "12:00:00"),
                Do::Scroll(rows) => log.scroll(rows),
                Do::Select(step) => log.select(step),
                Do::Toggle => log.toggle_expand(),
                Do::Size(width, height) => log.set_size(width, height),
                Do::Home => log.home(),
                Do::End => log.end(),
            }
            let ids: Vec<u64> = log.entries.iter().map(Entry::id).collect();
            let all: usize = ids.iter().map(|id| log.rows_of(*id).len()).sum();
            let page = usize::from(log.height);
            prop_assert_eq!(log.visible().count(), all.min(page));
            if log.is_following() && page > 0 {
                let last = log.visible().last().map(|(entry, _)| entry.id());
                prop_assert_eq!(last, ids.last().copied());
                prop_assert_eq!(log.unseen(), 0);
            }
        }
    }
}
