//! Keys in, text and caret out. In texts `|` is the caret.

mod document;
mod wrapped;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use proptest::prelude::*;

use super::*;

/// Reads `ctrl-w`, `shift-left`, `é` and the like.
fn key(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = name;
    loop {
        let (word, flag) = match rest {
            r if r.starts_with("ctrl-") => (5, KeyModifiers::CONTROL),
            r if r.starts_with("shift-") => (6, KeyModifiers::SHIFT),
            r if r.starts_with("alt-") => (4, KeyModifiers::ALT),
            _ => break,
        };
        modifiers |= flag;
        rest = &rest[word..];
    }
    let code = match rest {
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "enter" => KeyCode::Enter,
        "back" => KeyCode::Backspace,
        "del" => KeyCode::Delete,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "esc" => KeyCode::Esc,
        "f1" => KeyCode::F(1),
        letter => KeyCode::Char(letter.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

/// An editor whose dead ends hold a text with the caret at `|`.
fn at(marked: &str) -> Editor {
    let before = marked.split('|').next().unwrap();
    let mut editor = Editor::new(DocumentLang::Zh);
    let document = Handoff {
        deadends: marked.replacen('|', "", 1),
        ..Handoff::default()
    };
    editor.load(&document, "sha");
    let line = before.matches('\n').count();
    let byte = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    editor.place(Section::Deadends, Pos { line, byte });
    editor
}

fn marked(editor: &Editor) -> String {
    let caret = editor.caret(Section::Deadends);
    let mut lines = editor.lines(Section::Deadends).to_vec();
    lines[caret.line].insert(caret.byte, '|');
    lines.join("\n")
}

fn press(editor: &mut Editor, keys: &str) -> Vec<EditorOutcome> {
    keys.split(' ').map(|name| editor.key(key(name))).collect()
}

/// Text and caret before, keys, text and caret after.
const ROWS: &[(&str, &str, &str)] = &[
    // ASCII.
    ("a|c", "b", "ab|c"),
    ("ab|", "B shift-B", "abBB|"),
    ("ab|cd", "left", "a|bcd"),
    ("ab|cd", "right", "abc|d"),
    ("ab|cd", "back", "a|cd"),
    ("ab|cd", "del", "ab|d"),
    ("ab|cd", "enter", "ab\n|cd"),
    ("ab\n|cd", "back", "ab|cd"),
    ("ab|\ncd", "del", "ab|cd"),
    ("|ab", "back", "|ab"),
    ("ab|", "del", "ab|"),
    ("|ab", "left", "|ab"),
    ("ab|", "right", "ab|"),
    ("ab\n|cd", "left", "ab|\ncd"),
    ("ab|\ncd", "right", "ab\n|cd"),
    ("abc|def", "home", "|abcdef"),
    ("abc|def", "end", "abcdef|"),
    ("x\na|b\ny", "ctrl-home", "|x\nab\ny"),
    ("x\na|b\ny", "ctrl-end", "x\nab\ny|"),
    ("foo bar| baz", "ctrl-left", "foo |bar baz"),
    ("foo |bar baz", "ctrl-left", "|foo bar baz"),
    ("foo| bar", "ctrl-right", "foo |bar"),
    ("fo|o.bar", "ctrl-right", "foo|.bar"),
    ("foo|\nbar", "ctrl-right", "foo\n|bar"),
    ("foo\n|bar", "ctrl-left", "foo|\nbar"),
    ("foo bar|", "ctrl-w", "foo |"),
    ("foo bar  |", "ctrl-w", "foo |"),
    ("foo\n|bar", "ctrl-w", "foo|bar"),
    ("foo bar|", "ctrl-back", "foo |"),
    ("foo bar|", "ctrl-h", "foo |"),
    ("|foo bar", "ctrl-del", "|bar"),
    ("a_b-c|", "ctrl-w", "a_b-|"),
    ("abcdef\nab|c", "up", "ab|cdef\nabc"),
    ("abcdef|\nab\nabcdef", "down", "abcdef\nab|\nabcdef"),
    ("abcdef|\nab\nabcdef", "down down", "abcdef\nab\nabcdef|"),
    // Chinese and full-width punctuation.
    ("你好，|世界abc", "back", "你好|世界abc"),
    ("你好|，世界abc", "del", "你好|世界abc"),
    ("你好，世|界abc", "left", "你好，|世界abc"),
    ("你好，世|界abc", "right", "你好，世界|abc"),
    ("|你好，世界", "ctrl-right", "你好|，世界"),
    ("你好，世界|", "ctrl-left", "你好，|世界"),
    ("你好，世界|", "ctrl-w", "你好，|"),
    ("你好，|", "ctrl-w", "你好|"),
    ("用 make 编译|", "ctrl-left", "用 make |编译"),
    ("编译make|", "ctrl-w", "编译|"),
    ("编|译", "，", "编，|译"),
    ("「|」", "字", "「字|」"),
    ("上下文\nab|c", "up", "上|下文\nabc"),
    ("上下文\nabc|", "up", "上|下文\nabc"),
    ("abc|\n上下文", "down", "abc\n上|下文"),
    ("\u{3000}|字", "back", "|字"),
    // Emoji of several characters are one.
    ("a👩\u{200d}🔬|b", "back", "a|b"),
    ("a|👩\u{200d}🔬b", "del", "a|b"),
    ("a|👩\u{200d}🔬b", "right", "a👩\u{200d}🔬|b"),
    ("a👩\u{200d}🔬|b", "left", "a|👩\u{200d}🔬b"),
    ("♻\u{fe0f}|", "back", "|"),
    ("|⚠\u{fe0f}x", "right", "⚠\u{fe0f}|x"),
    ("🇩🇪🇫🇷|", "back", "🇩🇪|"),
    ("|🇩🇪🇫🇷", "right", "🇩🇪|🇫🇷"),
    ("👍🏽|", "back", "|"),
    (
        "👨\u{200d}👩\u{200d}👧\u{200d}👦|!",
        "left",
        "|👨\u{200d}👩\u{200d}👧\u{200d}👦!",
    ),
    ("1\u{fe0f}\u{20e3}|", "back", "|"),
    // A key that makes one cluster of two leaves the caret behind it.
    ("👩|🔬", "\u{200d}", "👩\u{200d}🔬|"),
    ("🇩|🇪", "left", "|🇩🇪"),
    // Combining marks, Hangul.
    ("e\u{301}|x", "back", "|x"),
    ("|e\u{301}x", "right", "e\u{301}|x"),
    ("e|", "\u{301}", "e\u{301}|"),
    ("a\n|\u{301}x", "back", "a\u{301}|x"),
    ("한국|어", "back", "한|어"),
    ("\u{1112}\u{1161}\u{11ab}|", "back", "|"),
    (
        "|\u{1112}\u{1161}\u{11ab}국",
        "right",
        "\u{1112}\u{1161}\u{11ab}|국",
    ),
    ("한국어 문서|", "ctrl-w", "한국어 |"),
    ("שלום| עולם", "left", "שלו|ם עולם"),
    ("นี้|", "back", "|"),
    // Selecting, cutting, pasting.
    ("ab|cd", "shift-left x", "ax|cd"),
    ("ab|cd", "shift-right shift-right back", "ab|"),
    ("ab|cd", "shift-right left", "ab|cd"),
    ("ab|cd", "shift-right right", "abc|d"),
    ("a|b\nc", "shift-down del", "a|"),
    ("ab|cd", "ctrl-a ctrl-x", "|"),
    ("ab|cd", "ctrl-a ctrl-x ctrl-v ctrl-v", "abcdabcd|"),
    ("|ab\ncd", "shift-down ctrl-x end ctrl-v", "cdab\n|"),
    ("ab|cd", "ctrl-x", "ab|cd"),
    ("ab|cd", "ctrl-v", "ab|cd"),
    ("你|好吗", "shift-right ctrl-x end ctrl-v", "你吗好|"),
    ("foo |bar", "ctrl-shift-right x", "foo x|"),
    ("a|b", "shift-up x", "x|b"),
    ("a|b", "shift-pgdn x", "ax|"),
    // Undo and redo.
    ("|", "a b c ctrl-z", "|"),
    ("|x", "a b ctrl-z ctrl-y", "ab|x"),
    ("|", "a 空 ， b c ctrl-z", "a空，|"),
    ("ab|", "c left d ctrl-z", "ab|c"),
    ("a|b", "shift-right x ctrl-z", "ab|"),
    ("foo bar|", "back back back ctrl-z", "foo bar|"),
    ("|foo", "del del ctrl-z", "|foo"),
    ("a👩\u{200d}🔬|", "back ctrl-z", "a👩\u{200d}🔬|"),
    ("a|", "ctrl-z ctrl-z ctrl-y", "a|"),
    ("a|", "b ctrl-z c ctrl-y", "ac|"),
    ("ab|", "enter ctrl-z", "ab|"),
];

#[test]
fn keys_move_and_change_by_cluster() {
    assert!(ROWS.len() >= 60);
    for (before, keys, after) in ROWS {
        let mut editor = at(before);
        press(&mut editor, keys);
        assert_eq!(marked(&editor), *after, "{before:?} {keys}");
    }
}

#[test]
fn outcomes_say_what_happened() {
    use EditorOutcome::{Changed, Ignored, Moved};
    for (keys, expected) in [
        ("tab backtab esc f1", vec![Ignored; 4]),
        (
            "ctrl-c ctrl-s ctrl-g ctrl-p ctrl-q ctrl-o",
            vec![Ignored; 6],
        ),
        ("alt-3 alt-x alt-left", vec![Ignored; 3]),
        ("left up pgdn ctrl-a home", vec![Moved; 5]),
        ("ctrl-z ctrl-y ctrl-v ctrl-x", vec![Moved; 4]),
        ("x enter ctrl-w ctrl-z", vec![Changed; 4]),
        ("\t \u{1b}", vec![Ignored; 2]),
    ] {
        assert_eq!(press(&mut at("ab|cd"), keys), expected, "{keys}");
    }
    let mut release = key("x");
    release.kind = KeyEventKind::Release;
    assert_eq!(at("|").key(release), Ignored);
}

#[test]
fn arrows_never_change_a_text() {
    let mut editor = at("one\ntwo 中文|\nthree");
    let before = editor.document();
    for name in ["up", "down", "left", "right", "pgup", "pgdn", "home", "end"] {
        for _ in 0..50 {
            for modifier in ["", "shift-", "ctrl-", "ctrl-shift-"] {
                let outcome = editor.key(key(&format!("{modifier}{name}")));
                assert_ne!(outcome, EditorOutcome::Changed, "{modifier}{name}");
            }
        }
    }
    assert_eq!(editor.document(), before);
    assert!(!editor.dirty());
}

#[test]
fn up_and_down_go_on_in_the_neighbouring_section() {
    let mut editor = at("first\nla|st");
    press(&mut editor, "down");
    assert_eq!(editor.focus(), Section::Next);
    press(&mut editor, "up");
    assert_eq!(editor.focus(), Section::Deadends);
    assert_eq!(marked(&editor), "first\nla|st");
    press(&mut editor, "up up");
    assert_eq!(editor.focus(), Section::Decided);
    press(&mut editor, "up up up up");
    assert_eq!(editor.focus(), Section::Doing);
    press(&mut editor, "pgdn pgdn pgdn pgdn pgdn pgdn pgdn");
    assert_eq!(editor.focus(), Section::Scene);
    editor.focus_section(Section::Doing);
    editor.previous_section();
    assert_eq!(editor.focus(), Section::Doing);
    editor.next_section();
    assert_eq!(editor.focus(), Section::Decided);
}

#[test]
fn up_and_down_go_by_rows_of_the_screen() {
    let mut editor = at("|");
    editor.resize(14, 30, false);
    editor.paste("一二三四五六七八九十");
    // Ten cells a row; the second one is set in by two.
    press(&mut editor, "home right right right down");
    assert_eq!(marked(&editor), "一二三四五六七|八九十");
    press(&mut editor, "down");
    assert_eq!(marked(&editor), "一二三四五六七八九十|");
    press(&mut editor, "up up");
    assert_eq!(marked(&editor), "一二三|四五六七八九十");
}

#[test]
fn a_paste_is_one_step_and_harmless() {
    for (pasted, text) in [
        ("a\r\nb", "a\nb|"),
        ("a\rb", "a\nb|"),
        ("\tx", "\tx|"),
        ("\u{1b}]52;c;QQ==\u{7}", "^[]52;c;QQ==^G|"),
        ("50%\u{0}\u{9b}31m", "50%^@<9b>31m|"),
        ("", "|"),
    ] {
        let mut editor = at("|");
        editor.paste(pasted);
        assert_eq!(marked(&editor), text, "{pasted:?}");
        press(&mut editor, "ctrl-z");
        assert_eq!(marked(&editor), "|", "{pasted:?}");
    }
    let mut editor = at("a|b");
    press(&mut editor, "shift-right");
    editor.paste("中\n文");
    assert_eq!(marked(&editor), "a中\n文|");
    press(&mut editor, "ctrl-z");
    assert_eq!(marked(&editor), "ab|");
}

#[test]
fn undo_of_a_large_paste_gives_every_byte_back() {
    let start = "- -D_ANSI_SOURCE：会把别的宏一起关掉。\n- brew 的 gcc";
    let large: String = (0..5_000)
        .map(|n| format!("第 {n} 行 👩\u{200d}🔬\n"))
        .collect();
    let mut editor = at(&format!("{start}|"));
    editor.paste(&large);
    let pasted = editor.document();
    assert_eq!(pasted.deadends, format!("{start}{large}").trim_end());
    press(&mut editor, "ctrl-z");
    assert_eq!(editor.document().deadends, start);
    press(&mut editor, "ctrl-y");
    assert_eq!(editor.document(), pasted);
    press(&mut editor, "back ctrl-z ctrl-z");
    assert_eq!(editor.document().deadends, start);
}

#[test]
fn a_megabyte_in_one_line_or_in_many_can_be_edited_anywhere() {
    for text in ["中文 word ".repeat(100_000), "x\n".repeat(500_000)] {
        let mut editor = at("|");
        editor.paste(&text);
        press(&mut editor, "pgup up left z ctrl-a");
        assert_eq!(
            editor.selection(Section::Deadends).unwrap().0,
            Pos::default()
        );
        press(&mut editor, "ctrl-x");
        assert_eq!(marked(&editor), "|");
        press(&mut editor, "ctrl-z ctrl-z ctrl-z");
        assert_eq!(marked(&editor), "|");
    }
}

const NAMES: &[&str] = &[
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "pgup",
    "pgdn",
    "enter",
    "back",
    "del",
    "a",
    "中",
    "，",
    "\u{301}",
    "\u{200d}",
    "🔬",
    "🇩",
    "shift-left",
    "shift-up",
    "shift-end",
    "ctrl-w",
    "ctrl-x",
    "ctrl-v",
    "ctrl-a",
    "ctrl-left",
    "ctrl-right",
    "ctrl-del",
    "ctrl-home",
];

proptest! {
    #[test]
    fn undo_leads_all_the_way_back_and_redo_forth(
        text in "[a中，e\u{301}👩\u{200d}🔬🇩🇪 \n-]{0,40}",
        keys in proptest::collection::vec(0..NAMES.len(), 0..60),
        width in 0u16..40,
    ) {
        let mut editor = at(&format!("{text}|"));
        editor.resize(width, 12, width < 10);
        let bodies = |editor: &Editor| Section::ALL.map(|s| editor.lines(s).to_vec());
        let start = bodies(&editor);
        for index in keys {
            editor.key(key(NAMES[index]));
            for section in Section::ALL {
                let caret = editor.caret(section);
                let line = &editor.lines(section)[caret.line];
                prop_assert_eq!(motion::snap(line, caret.byte), caret.byte);
            }
        }
        let end = bodies(&editor);
        let all = |editor: &mut Editor, name: &str| {
            for section in Section::ALL {
                editor.focus_section(section);
                while editor.key(key(name)) == EditorOutcome::Changed {}
            }
        };
        all(&mut editor, "ctrl-z");
        prop_assert_eq!(bodies(&editor), start);
        all(&mut editor, "ctrl-y");
        prop_assert_eq!(bodies(&editor), end);
    }
}
