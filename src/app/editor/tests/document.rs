//! Documents in and out: notes, saves, swaps and other people's changes.

use super::*;

fn document() -> Handoff {
    Handoff {
        doing: "在给 Makefile 加 macOS 垫片头".to_owned(),
        decided: "- 不改业务源码：用户说过边界".to_owned(),
        deadends: "- 甲\n- 乙".to_owned(),
        next: "跑 make test".to_owned(),
        scene: "Makefile:12-30".to_owned(),
        preamble: "> kept\n".to_owned(),
        ..Handoff::default()
    }
}

fn loaded() -> Editor {
    let mut editor = Editor::new(DocumentLang::Zh);
    editor.load(&document(), "one");
    editor
}

fn type_at_end(editor: &mut Editor, section: Section, text: &str) {
    editor.focus_section(section);
    press(editor, "ctrl-end");
    editor.paste(text);
}

#[test]
fn what_nobody_touched_comes_out_to_the_letter() {
    let raw = Handoff {
        doing: "lone\rreturn \u{1b}[2J and\ttab  ".to_owned(),
        decided: "\n\nblank lines\n\n".to_owned(),
        ..document()
    };
    let mut editor = Editor::new(DocumentLang::Zh);
    editor.load(&raw, "one");
    assert_eq!(editor.document(), raw);
    assert!(!editor.dirty());
    assert_eq!(
        editor.lines(Section::Doing),
        ["lone^Mreturn ^[[2J and\ttab  "]
    );
    type_at_end(&mut editor, Section::Deadends, "x");
    let changed = Handoff {
        deadends: "- 甲\n- 乙x".to_owned(),
        ..raw.clone()
    };
    assert_eq!(editor.document(), changed);
    assert_eq!(editor.dirty_sections(), [Section::Deadends]);
    press(&mut editor, "back");
    assert_eq!(editor.document(), raw);
    assert!(!editor.dirty());
}

#[test]
fn saving_notes_what_was_saved_and_not_what_came_after() {
    let mut editor = loaded();
    assert_eq!(editor.base_sha(), Some("one"));
    type_at_end(&mut editor, Section::Next, "，再看 CI");
    let written = editor.document();
    type_at_end(&mut editor, Section::Scene, " 分支 x");
    editor.saved(&written, "two");
    assert_eq!(editor.base_sha(), Some("two"));
    assert_eq!(editor.dirty_sections(), [Section::Scene]);
    assert_eq!(editor.unsaved_places(), 1);
    let written = editor.document();
    editor.saved(&written, "three");
    assert!(!editor.dirty());
    // On disk, and still the person's.
    assert_eq!(editor.undelivered_lines(), 2);
}

#[test]
fn notes_go_into_the_first_document_once() {
    let mut editor = Editor::new(DocumentLang::Zh);
    type_at_end(
        &mut editor,
        Section::Deadends,
        "- brew 的 gcc：CI 上没有\n\n  细节",
    );
    editor.add_line(Section::Decided, "- 只动 Makefile");
    let notes = vec![
        (Section::Decided, vec!["- 只动 Makefile".to_owned()]),
        (
            Section::Deadends,
            vec![
                "- brew 的 gcc：CI 上没有".to_owned(),
                String::new(),
                "  细节".to_owned(),
            ],
        ),
    ];
    assert_eq!(editor.undelivered(), notes);
    let mut first = Handoff {
        decided: String::new(),
        ..document()
    };
    editor.merge_into(&mut first);
    let expected = Handoff {
        decided: "- 只动 Makefile".to_owned(),
        deadends: "- 甲\n- 乙\n- brew 的 gcc：CI 上没有\n\n  细节".to_owned(),
        ..document()
    };
    assert_eq!(first, expected);
    editor.merge_into(&mut first);
    assert_eq!(first, expected);
    editor.load(&first, "one");
    assert!(!editor.dirty());
    assert_eq!(editor.document(), expected);
    assert_eq!(editor.undelivered(), notes);
    assert_eq!(
        editor.facts(Section::Deadends).own,
        [false, false, true, true, true]
    );
}

#[test]
fn a_load_in_the_middle_of_a_word_keeps_caret_and_undo() {
    let mut editor = Editor::new(DocumentLang::Zh);
    press(&mut editor, "- a b enter - c");
    let mut first = document();
    editor.merge_into(&mut first);
    // The file is being written; the person goes on.
    press(&mut editor, "d");
    editor.load(&first, "one");
    assert_eq!(marked(&editor), "- 甲\n- 乙\n-ab\n-cd|");
    assert_eq!(editor.dirty_sections(), [Section::Deadends]);
    assert_eq!(editor.document().deadends, "- 甲\n- 乙\n-ab\n-cd");
    press(&mut editor, "left e");
    assert_eq!(marked(&editor), "- 甲\n- 乙\n-ab\n-ce|d");
    press(&mut editor, "ctrl-z ctrl-z ctrl-z ctrl-z ctrl-z ctrl-z");
    assert_eq!(marked(&editor), "- 甲\n- 乙\n|");
    press(&mut editor, "ctrl-y ctrl-y ctrl-y ctrl-y ctrl-y ctrl-y");
    assert_eq!(marked(&editor), "- 甲\n- 乙\n-ab\n-ce|d");
}

#[test]
fn a_load_without_merging_loses_no_note() {
    let mut editor = Editor::new(DocumentLang::Zh);
    type_at_end(&mut editor, Section::Deadends, "- mine");
    editor.load(&document(), "one");
    assert_eq!(editor.document().deadends, "- 甲\n- 乙\n- mine");
    assert!(editor.dirty());
}

#[test]
fn edits_after_the_swap_are_not_delivered_until_they_are() {
    let mut editor = loaded();
    type_at_end(&mut editor, Section::Deadends, "\n- 丙");
    let handed = editor.document();
    editor.delivered(&handed, "two");
    assert_eq!(editor.delivered_sha(), Some("two"));
    assert_eq!(editor.undelivered(), []);
    assert_eq!(marked(&editor), "- 甲\n- 乙\n- 丙|");
    type_at_end(&mut editor, Section::Deadends, "\n- 丁");
    editor.focus_section(Section::Deadends);
    editor.place(Section::Deadends, Pos { line: 0, byte: 5 });
    press(&mut editor, "!");
    let lines = vec!["- 甲!".to_owned(), "- 丁".to_owned()];
    assert_eq!(editor.undelivered(), [(Section::Deadends, lines.clone())]);
    assert_eq!(editor.undelivered_lines(), 2);

    // They go into the next document, behind the model's own text.
    let mut next = Handoff {
        deadends: "- new".to_owned(),
        ..document()
    };
    editor.merge_into(&mut next);
    assert_eq!(next.deadends, "- new\n- 甲!\n- 丁");
    editor.load(&next, "three");
    assert_eq!(editor.delivered_sha(), None);
    assert!(!editor.dirty());
    assert_eq!(editor.undelivered(), [(Section::Deadends, lines)]);
    assert_eq!(editor.facts(Section::Deadends).own, [false, true, true]);
    // The text before is one step away.
    press(&mut editor, "ctrl-z");
    assert_eq!(
        editor.lines(Section::Deadends),
        ["- 甲!", "- 乙", "- 丙", "- 丁"]
    );

    let mut editor = loaded();
    editor.delivered(&document(), "two");
    type_at_end(&mut editor, Section::Next, "\n另外");
    editor.sent();
    assert_eq!(editor.undelivered(), []);
}

#[test]
fn what_the_disk_won_leaves_mine_as_not_delivered() {
    let mut editor = loaded();
    type_at_end(&mut editor, Section::Next, "\nmine");
    editor.delivered(&document(), "two");
    assert_eq!(
        editor.undelivered(),
        [(Section::Next, vec!["mine".to_owned()])]
    );
}

#[test]
fn a_clean_editor_shows_what_another_program_wrote() {
    let mut editor = loaded();
    editor.place(Section::Deadends, Pos { line: 1, byte: 5 });
    let theirs = Handoff {
        deadends: "- 新\n- 甲\n- 乙\n- 尾".to_owned(),
        ..document()
    };
    let taken = editor.take_over(&theirs, "two");
    assert_eq!(taken, TakenOver::Replaced(vec![Section::Deadends]));
    assert_eq!(marked(&editor), "- 新\n- 甲\n- 乙|\n- 尾");
    assert_eq!(editor.base_sha(), Some("two"));
    assert!(!editor.dirty());
    assert_eq!(
        editor.facts(Section::Deadends).own,
        [true, false, false, true]
    );
    assert_eq!(
        editor.take_over(&theirs, "two"),
        TakenOver::Replaced(vec![])
    );
}

#[test]
fn sections_changed_on_one_side_are_put_together() {
    let mut editor = loaded();
    type_at_end(&mut editor, Section::Next, "，再看 CI");
    let theirs = Handoff {
        scene: "README.md".to_owned(),
        ..document()
    };
    let taken = editor.take_over(&theirs, "two");
    assert_eq!(taken, TakenOver::Merged(vec![Section::Scene]));
    let both = Handoff {
        next: "跑 make test，再看 CI".to_owned(),
        ..theirs
    };
    assert_eq!(editor.document(), both);
    assert_eq!(editor.dirty_sections(), [Section::Next]);
    // The same change on both sides is none.
    assert_eq!(editor.take_over(&both, "three"), TakenOver::Merged(vec![]));
    assert!(!editor.dirty());
}

#[test]
fn a_section_changed_on_both_sides_is_asked_about() {
    for (theirs, merged, choice, text) in [
        (
            "- 甲改\n- 乙",
            Some("- 甲改\n- 乙\n- 我"),
            Choice::Result,
            "- 甲改\n- 乙\n- 我",
        ),
        (
            "- 甲改\n- 乙",
            Some("- 甲改\n- 乙\n- 我"),
            Choice::Mine,
            "- 甲\n- 乙\n- 我",
        ),
        (
            "- 甲改\n- 乙",
            Some("- 甲改\n- 乙\n- 我"),
            Choice::Theirs,
            "- 甲改\n- 乙",
        ),
        (
            "- 甲\n- 乙\n- 它",
            None,
            Choice::Result,
            "- 甲\n- 乙\n- 我\n- 它",
        ),
        (
            "- 甲\n- 乙\n- 它",
            None,
            Choice::Both,
            "- 甲\n- 乙\n- 我\n- 它",
        ),
        ("", None, Choice::Theirs, ""),
    ] {
        let mut editor = loaded();
        type_at_end(&mut editor, Section::Deadends, "\n- 我");
        let document = Handoff {
            deadends: theirs.to_owned(),
            scene: "README.md".to_owned(),
            ..document()
        };
        let taken = editor.take_over(&document, "two");
        let clash = Clash {
            section: Section::Deadends,
            base: "- 甲\n- 乙".to_owned(),
            mine: "- 甲\n- 乙\n- 我".to_owned(),
            theirs: theirs.to_owned(),
            merged: merged.map(str::to_owned),
        };
        let conflict = Conflict {
            theirs: document.clone(),
            sha256: "two".to_owned(),
            clashes: vec![clash.clone()],
        };
        assert_eq!(taken, TakenOver::Conflict(Box::new(conflict)), "{theirs}");
        // Until somebody chooses, nothing of the person's is gone and the rest is theirs.
        assert_eq!(editor.lines(Section::Deadends).join("\n"), clash.mine);
        assert_eq!(editor.document().scene, "README.md");
        editor.resolve(&clash, choice);
        assert_eq!(editor.document().deadends, text, "{theirs} {choice:?}");
        assert_eq!(editor.dirty(), text != theirs);
        editor.focus_section(Section::Deadends);
        if text != clash.mine {
            press(&mut editor, "ctrl-z");
        }
        assert_eq!(editor.lines(Section::Deadends).join("\n"), clash.mine);
    }
}

#[test]
fn items_are_counted_as_people_count_them() {
    let mut editor = Editor::new(DocumentLang::En);
    for (section, text, items) in [
        (Section::Decided, "- one\n- two\n  more of two", 2),
        (Section::Deadends, "plain\n\nlines", 2),
        (Section::Scene, "Makefile:12-30   build/shim/signal.h", 2),
        (Section::Next, "- ", 1),
    ] {
        type_at_end(&mut editor, section, text);
        assert_eq!(editor.facts(section).items, items, "{text}");
    }
}

#[test]
fn a_hostile_pair_of_texts_is_compared_in_bounded_time() {
    let left: Vec<String> = (0..200_000).map(|n| format!("l{n}")).collect();
    let right: Vec<String> = (0..200_000).map(|n| format!("r{n}")).collect();
    let changes = diff::changes(&left, &right);
    assert_eq!(changes.len(), 1);
    assert_eq!(diff::merge(&left, &right, &left), Some(right));
}

proptest! {
    #[test]
    fn changes_rebuild_the_new_text(
        old in proptest::collection::vec("[ab]", 0..12),
        new in proptest::collection::vec("[ab]", 0..12),
    ) {
        prop_assert_eq!(diff::merge(&old, &new, &old), Some(new.clone()));
        prop_assert_eq!(diff::merge(&old, &old, &new), Some(new.clone()));
        prop_assert_eq!(diff::merge(&old, &new, &new), Some(new));
    }
}

#[test]
fn two_edits_far_apart_are_two_changes() {
    let old: Vec<String> = (0..5_000).map(|n| format!("l{n}")).collect();
    let mut new = old.clone();
    new[0].push('x');
    new.push("y".to_owned());
    let changes = diff::changes(&old, &new);
    let expected = [
        diff::Change {
            old: 0..1,
            new: 0..1,
        },
        diff::Change {
            old: 5_000..5_000,
            new: 5_000..5_001,
        },
    ];
    assert_eq!(changes, expected);
    for (line, moved) in [(0, 0), (1, 1), (4_999, 4_999)] {
        assert_eq!(diff::follow(&changes, line, new.len()), moved);
    }
}

#[test]
fn a_note_that_the_model_wrote_too_is_there_once() {
    let mut editor = Editor::new(DocumentLang::Zh);
    type_at_end(&mut editor, Section::Deadends, "- 甲");
    let mut first = document();
    editor.merge_into(&mut first);
    assert_eq!(first, document());
    press(&mut editor, "!");
    editor.load(&first, "one");
    assert_eq!(marked(&editor), "- 甲!|\n- 乙");
    assert_eq!(editor.facts(Section::Deadends).own, [true, false]);
    press(&mut editor, "ctrl-z");
    assert_eq!(editor.document(), document());
}
