//! The handoff editor at three sizes, in both languages, and its caret.
#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first surprise, in its helpers too"
)]

use flower::app::editor::{Editor, Pos, cluster_cells};
use flower::cells;
use flower::config::Lang;
use flower::handoff::{DocumentLang, Handoff, Section};
use flower::texts::Texts;
use flower::view::editor::{EditorChrome, EditorTitle, Lint, draw, hit};
use flower::view::theme::Theme;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::snap;

/// The pane as the layout gives it: at 120x40, at 80x24, and alone at 40x10.
const PANES: [(&str, u16, u16, bool); 3] = [
    ("120x40", 60, 32, false),
    ("80x24", 45, 18, false),
    ("40x10", 40, 6, true),
];

fn texts(lang: Lang) -> Texts {
    Texts::load(lang).unwrap()
}

fn chrome(title: EditorTitle) -> EditorChrome<'static> {
    EditorChrome {
        title,
        focused: true,
        single: false,
        corner: "--window",
        hints: &[],
        lints: &[],
    }
}

/// The document of the demo, in either language.
fn document(lang: Lang) -> Handoff {
    match lang {
        Lang::Zh => Handoff {
            doing: "在给 Makefile 加 macOS 垫片头，让 sigemptyset 宏不再展开成语法错误。"
                .to_owned(),
            decided: "- 不改业务源码：用户说过边界，所以由 Makefile 生成 shim。\n\
                      - 只在 Darwin 下启用：Linux 上没有这个问题。"
                .to_owned(),
            deadends: "- -D_ANSI_SOURCE：会把别的宏一起关掉。\n\
                       - 改 include 顺序：无效，宏在 signal.h 里已经定义好了。"
                .to_owned(),
            next: "在干净 clone 上跑一次 make，验证 shim 成立；再跑 make test。".to_owned(),
            scene: "Makefile:12-30   build/shim/signal.h   分支 fix/macos-shim\n\
                    日志 .flower/artifacts/make-1402.txt"
                .to_owned(),
            ..Handoff::default()
        },
        Lang::En => Handoff {
            doing: "Adding a macOS shim header to the Makefile so that sigemptyset compiles."
                .to_owned(),
            decided: "- src/ stays as it is: the user said so.".to_owned(),
            deadends: "- -D_ANSI_SOURCE: turns other macros off\n\
                       - include order: no effect\n\
                       - brew gcc: builds, but CI has none"
                .to_owned(),
            next: "make on a clean clone, then make test".to_owned(),
            scene: "Makefile:12-30  build/shim/signal.h".to_owned(),
            lang: DocumentLang::En,
            ..Handoff::default()
        },
    }
}

fn document_lang(lang: Lang) -> DocumentLang {
    match lang {
        Lang::Zh => DocumentLang::Zh,
        Lang::En => DocumentLang::En,
    }
}

const SHA: &str = "3f9a1c2e00112233445566778899aabb";

fn loaded(lang: Lang) -> Editor {
    let mut editor = Editor::new(document_lang(lang));
    editor.load(&document(lang), SHA);
    editor.focus_section(Section::Deadends);
    editor
}

fn type_behind(editor: &mut Editor, section: Section, text: &str) {
    let lines = editor.lines(section);
    let line = lines.len() - 1;
    let byte = lines[line].len();
    editor.place(section, Pos { line, byte });
    editor.paste(text);
}

/// What a language says for a pair of words.
fn word<'a>(lang: Lang, zh: &'a str, en: &'a str) -> &'a str {
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

fn drawn(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    lang: Lang,
    area: Rect,
) -> (Buffer, Option<(u16, u16)>) {
    let mut buffer = Buffer::empty(area);
    let caret = draw(
        editor,
        chrome,
        &texts(lang),
        &Theme::Terminal,
        area,
        &mut buffer,
    );
    (buffer, caret)
}

/// Snapshots of one situation in both languages at every size; checks the caret's cell too.
fn situation(name: &str, title: EditorTitle, hints: bool, make: fn(Lang) -> Editor) {
    for lang in [Lang::Zh, Lang::En] {
        for (size, width, height, single) in PANES {
            let mut editor = make(lang);
            editor.resize(width, height, single);
            let hint = word(
                lang,
                "全文 250 tok。接班人约从 34K 起步，占窗口 17%。",
                "250 tok in all. The successor starts at about 34K, 17% of its window.",
            );
            let lint = Lint {
                section: Section::Scene,
                line: "日志 .flower/artifacts/make-1402.txt".to_owned(),
                words: "没有这个文件".to_owned(),
            };
            let chrome = EditorChrome {
                single,
                hints: if hints { &[hint.to_owned()] } else { &[] },
                lints: &[lint],
                ..chrome(title)
            };
            let (buffer, caret) = drawn(&editor, &chrome, lang, Rect::new(0, 0, width, height));
            assert!(caret.is_some(), "{name} {size}: no caret");
            let word = word(lang, "zh", "en");
            snap::check(&format!("editor_{name}_{word}_{size}"), &buffer);
        }
    }
}

#[test]
fn draft() {
    situation("draft", EditorTitle::Draft, false, |lang| {
        Editor::new(document_lang(lang))
    });
}

#[test]
fn notes() {
    situation("notes", EditorTitle::Draft, false, |lang| {
        let mut editor = Editor::new(document_lang(lang));
        let rule = word(
            lang,
            "- 不改业务源码，只动 Makefile",
            "- never touch src/, only the Makefile",
        );
        type_behind(&mut editor, Section::Decided, rule);
        let gcc = word(
            lang,
            "- brew 的 gcc：CI 上没有，不算数",
            "- brew gcc: builds, but CI has none",
        );
        type_behind(&mut editor, Section::Deadends, gcc);
        editor
    });
}

#[test]
fn review() {
    situation("review", EditorTitle::For(2), true, loaded);
}

#[test]
fn held() {
    situation("held", EditorTitle::For(2), true, |lang| {
        let mut editor = loaded(lang);
        type_behind(
            &mut editor,
            Section::Next,
            word(lang, "先看 CI。", ", CI first"),
        );
        let gcc = word(
            lang,
            "\n- brew 的 gcc：CI 上没有，不算数。",
            "\n- gcc 14: no",
        );
        type_behind(&mut editor, Section::Deadends, gcc);
        editor
    });
}

#[test]
fn incomplete() {
    situation("incomplete", EditorTitle::For(2), true, |lang| {
        let mut editor = Editor::new(document_lang(lang));
        let next = Handoff {
            next: String::new(),
            scene: String::new(),
            ..document(lang)
        };
        editor.load(&next, SHA);
        editor.focus_section(Section::Next);
        editor
    });
}

#[test]
fn delivered() {
    situation("delivered", EditorTitle::ReadBy(2), false, |lang| {
        let mut editor = loaded(lang);
        editor.delivered(&document(lang), SHA);
        editor
    });
}

#[test]
fn undelivered() {
    situation("undelivered", EditorTitle::ReadBy(2), false, |lang| {
        let mut editor = loaded(lang);
        editor.delivered(&document(lang), SHA);
        editor.add_line(Section::Decided, "- never touch src/, only the Makefile");
        let line = "\n- #undef alone: loses the return value, test_sig fails";
        type_behind(&mut editor, Section::Deadends, line);
        editor
    });
}

#[test]
fn long() {
    situation("long", EditorTitle::For(3), true, |lang| {
        let mut editor = Editor::new(document_lang(lang));
        let many = |text: &str| {
            (1..=30)
                .map(|n| format!("- {n} {text}\n"))
                .collect::<String>()
        };
        let long = Handoff {
            decided: many(word(
                lang,
                "定下的事：因为要这样",
                "settled, because it has to be",
            )),
            deadends: many(word(lang, "走不通：试过了，不行", "tried, does not work")),
            next: many(word(lang, "接着做", "to do")),
            ..document(lang)
        };
        editor.load(&long, SHA);
        editor.place(Section::Next, Pos { line: 20, byte: 2 });
        editor
    });
}

#[test]
fn a_document_in_the_other_language_has_a_gloss() {
    let mut editor = loaded(Lang::Zh);
    editor.resize(60, 20, false);
    editor.place(Section::Deadends, Pos { line: 0, byte: 2 });
    for _ in 0..14 {
        editor.key(crossterm::event::KeyEvent::new(
            crossterm::event::KeyCode::Right,
            crossterm::event::KeyModifiers::SHIFT,
        ));
    }
    let area = Rect::new(0, 0, 60, 20);
    let (buffer, _) = drawn(&editor, &chrome(EditorTitle::For(2)), Lang::En, area);
    snap::check("editor_gloss_selection_en_60x20", &buffer);
    let mut plain = Buffer::empty(area);
    let unfocused = EditorChrome {
        focused: false,
        ..chrome(EditorTitle::For(2))
    };
    let caret = draw(
        &editor,
        &unfocused,
        &texts(Lang::En),
        &Theme::Plain,
        area,
        &mut plain,
    );
    assert_eq!(caret, None);
    snap::check("editor_gloss_selection_en_60x20_plain", &plain);
}

#[test]
fn the_caret_stands_before_its_character_at_the_edges_of_rows() {
    let mut editor = Editor::new(DocumentLang::Zh);
    // Text of 10 cells from column 3 on; the second row is set in by two.
    editor.resize(14, 20, false);
    editor.focus_section(Section::Doing);
    editor.paste("一二三四五六七八九👩\u{200d}🔬é");
    let area = Rect::new(7, 5, 14, 20);
    let at = |byte: usize| {
        let mut editor = editor.clone();
        editor.place(Section::Doing, Pos { line: 0, byte });
        let (_, caret) = drawn(&editor, &chrome(EditorTitle::Draft), Lang::Zh, area);
        let found = hit(
            &editor,
            &chrome(EditorTitle::Draft),
            &texts(Lang::Zh),
            area,
            caret.unwrap(),
        );
        assert_eq!(
            found,
            Some((Section::Doing, Pos { line: 0, byte })),
            "{byte}"
        );
        caret.map(|(x, y)| (x - area.x, y - area.y))
    };
    for (byte, cell) in [
        (0, (3, 2)),
        (3, (5, 2)),
        (12, (11, 2)),
        (15, (5, 3)),
        (18, (7, 3)),
        (24, (11, 3)),
        (27, (5, 4)),
        (38, (7, 4)),
        (40, (8, 4)),
    ] {
        assert_eq!(at(byte), Some(cell), "byte {byte}");
    }
    // Behind a full row the caret has the cell that is kept free for it.
    let mut full = Editor::new(DocumentLang::Zh);
    full.resize(14, 20, false);
    full.focus_section(Section::Doing);
    full.paste("一二三四五");
    let (_, caret) = drawn(&full, &chrome(EditorTitle::Draft), Lang::Zh, area);
    assert_eq!(caret, Some((area.x + 13, area.y + 2)));
}

#[test]
fn a_click_on_a_title_or_beside_the_text_finds_the_section() {
    let mut editor = loaded(Lang::En);
    editor.resize(60, 32, false);
    let area = Rect::new(0, 0, 60, 32);
    let chrome = chrome(EditorTitle::For(2));
    for (cell, found) in [
        ((5, 0), None),
        ((5, 1), Some((Section::Doing, Pos { line: 0, byte: 0 }))),
        ((59, 5), Some((Section::Decided, Pos { line: 0, byte: 40 }))),
        ((0, 7), Some((Section::Deadends, Pos { line: 0, byte: 0 }))),
        ((6, 8), Some((Section::Deadends, Pos { line: 1, byte: 3 }))),
        ((5, 31), None),
        ((60, 8), None),
    ] {
        assert_eq!(
            hit(&editor, &chrome, &texts(Lang::En), area, cell),
            found,
            "{cell:?}"
        );
    }
}

#[test]
fn app_and_view_measure_alike() {
    for cluster in [
        "a",
        "中",
        "，",
        "👩\u{200d}🔬",
        "♻\u{fe0f}",
        "🇩🇪",
        "e\u{301}",
        "\u{1112}\u{1161}",
    ] {
        assert_eq!(cluster_cells(cluster), cells::width(cluster), "{cluster:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn draws_at_any_size_and_never_outside(
        text in "[a中，e\u{301}👩\u{200d}🔬\u{200b}\t \n-]{0,80}",
        (width, height) in (0u16..70, 0u16..40),
        (x, y) in (0u16..4, 0u16..4),
        (known, tall) in (0u16..70, 0u16..40),
        focus in 0usize..5,
        kind in 0u32..4,
        single: bool,
    ) {
        let mut editor = Editor::new(DocumentLang::Zh);
        if kind > 0 {
            editor.load(&Handoff { decided: text.clone(), next: text.clone(), ..Handoff::default() }, SHA);
        }
        editor.resize(known, tall, single);
        editor.focus_section(Section::ALL[focus]);
        editor.paste(&text);
        let title = match kind {
            0 => EditorTitle::Draft,
            1 => EditorTitle::For(u32::MAX),
            _ => EditorTitle::ReadBy(2),
        };
        let hints = [text.replace('\n', " ")];
        let chrome = EditorChrome { single, hints: &hints, ..chrome(title) };
        let whole = Rect::new(0, 0, 80, 48);
        let mut buffer = Buffer::empty(whole);
        let blank = buffer.clone();
        let area = Rect::new(x, y, width, height);
        let caret = draw(&editor, &chrome, &texts(Lang::Zh), &Theme::Terminal, area, &mut buffer);
        for (index, cell) in buffer.content.iter().enumerate() {
            let (x, y) = buffer.pos_of(index);
            prop_assert!(area.contains((x, y).into()) || *cell == blank[(x, y)], "{},{}", x, y);
        }
        if let Some(cell) = caret {
            prop_assert!(area.contains(cell.into()));
        }
        if width > 0 && height > 2 && single {
            prop_assert!(caret.is_some());
        }
        let inside = (x + width / 2, y + height / 2);
        hit(&editor, &chrome, &texts(Lang::Zh), area, inside);
    }
}
