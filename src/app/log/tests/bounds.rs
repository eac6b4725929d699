//! What the log may take, whatever comes.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn entries_and_bytes_are_bounded_and_ids_go_on() {
    let mut log = log(Lang::En);
    for number in 0..MAX_ENTRIES + 5_000 {
        push(&mut log, text(&format!("entry {number}")));
    }
    assert_eq!(log.len(), MAX_ENTRIES);
    let ids: Vec<u64> = log.entries.iter().map(Entry::id).collect();
    let expected: Vec<u64> = (5_000..15_000).collect();
    assert_eq!(ids, expected);
    let long = "一行不短的字\n".repeat(1_500);
    for _ in 0..400 {
        push(&mut log, text(&long));
        assert!(log.bytes() <= MAX_BYTES);
    }
    let weighed: usize = log.entries.iter().map(Entry::weigh).sum();
    assert_eq!(log.bytes(), weighed);
    assert!(log.len() < 400, "{}", log.len());
}

#[test]
fn open_calls_and_subs_go_with_their_entries() {
    let mut log = log(Lang::En);
    for number in 0..MAX_ENTRIES + 1_000 {
        push(
            &mut log,
            EventKind::ToolCall {
                id: format!("{number}"),
                name: "bash".to_owned(),
                input: json!({}),
            },
        );
    }
    assert_eq!(log.calls.len(), MAX_ENTRIES);
    for _ in 0..3 {
        push(&mut log, call("bash", json!({"command": "same id"})));
    }
    assert_eq!(log.calls.len(), MAX_ENTRIES - 3 + 1);
}

#[test]
fn a_huge_line_or_result_keeps_head_tail_and_size() {
    let mut log = log(Lang::En);
    push(&mut log, call("bash", json!({"command": "cat big"})));
    let line = format!("head{}tail", "中".repeat(17_000_000));
    push(&mut log, result(&line, false));
    let kept = &log.entries[0].body()[0].text;
    assert!(
        kept.starts_with("head中") && kept.ends_with("中tail"),
        "{kept}"
    );
    assert!(
        kept.contains("...(509") && kept.contains(" B)..."),
        "{kept}"
    );
    assert!(kept.len() < 5_000, "{}", kept.len());

    push(&mut log, call("bash", json!({"command": "seq"})));
    let many: String = (1..=2_000_000).map(|n| format!("{n}\n")).collect();
    push(&mut log, result(&many, false));
    let body = log.entries[1].body();
    assert_eq!(body.len(), 1_901);
    assert_eq!(body[0].text, "1");
    assert_eq!(
        body[1_400].text,
        "... 1998100 lines in the middle (14879003 bytes) not kept"
    );
    assert_eq!(body[1_900].text, "2000000");
}

#[test]
fn a_long_answer_in_pieces_stays_bounded_until_it_is_whole() {
    let mut log = log(Lang::Zh);
    for _ in 0..20_000 {
        log.delta("一个没有尽头的回答，", "12:00:00");
    }
    assert!(log.bytes() <= 2 * MAX_STREAM_BYTES);
    assert_eq!(log.len(), 1);
    assert!(log.entries[0].text().ends_with("没有尽头的回答，"));
}

#[test]
fn a_large_edit_is_counted_without_being_compared() {
    let mut log = log(Lang::En);
    let old = "a\n".repeat(300_000);
    let new = "b\n".repeat(300_001);
    push(
        &mut log,
        call("edit", json!({"path": "x", "old": old, "new": new})),
    );
    push(&mut log, result("Edited x at line 1.", false));
    let changed = End::Changed {
        added: 300_001,
        removed: 300_000,
    };
    assert_eq!(log.entries[0].outcome(), Outcome::Ended(Some(0), changed));
    assert!(log.bytes() < 1_000_000, "{}", log.bytes());
}

#[test]
fn only_what_is_in_sight_is_laid_out_again() {
    let laid_out = |entries: usize| {
        let mut log = log(Lang::Zh);
        for number in 0..entries {
            push(&mut log, text(&format!("第 {number} 条")));
        }
        log.set_size(30, 10);
        let built = log.visible().count();
        let columns = log.columns().width;
        let current = |entry: &&Entry| {
            entry
                .layout
                .as_ref()
                .is_some_and(|(width, _)| *width == columns)
        };
        (built, log.entries.iter().filter(current).count())
    };
    assert_eq!(laid_out(50), (10, 10));
    assert_eq!(laid_out(100_000), (10, 10));
}

proptest! {
    #[test]
    fn hostile_text_is_never_obeyed_or_lost_in_panic(
        words in "\\PC{0,20}|[\\x00-\\x9f中]{0,60}",
        width in 0u16..80,
        height in 0u16..20,
    ) {
        let mut log = log(Lang::Zh);
        log.set_size(width, height);
        push(&mut log, text(&words));
        log.delta(&words, "12:00:00");
        push(&mut log, EventKind::Thinking { text: words.clone() });
        push(&mut log, call(&words, json!({"command": words, "path": words})));
        push(&mut log, result(&words, words.len() % 2 == 0));
        log.note(Kind::Pin, &words, "12:00:00");
        log.select(-2);
        log.toggle_expand();
        for entry in &log.entries {
            let body = entry.body().iter().map(|line| line.text.as_str());
            for text in body.chain([entry.text()]) {
                prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
            }
        }
    }
}
