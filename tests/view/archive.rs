//! The archive and the help box.
#![allow(
    clippy::unwrap_used,
    reason = "what builds a state for a test may unwrap, as the test itself"
)]

use std::sync::LazyLock;

use flower::app::archive::{Archive, Preview};
use flower::config::Lang;
use flower::handoff::Stamp;
use flower::handoff::store::Entry;
use flower::runtime::event::GenerationRow;
use flower::texts::Texts;
use flower::view::theme::Theme;
use flower::view::{archive, help};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::snap;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 10)];

const DOCUMENT: &str = "# 交接书(干活)\n\n> 可以改；接班的会话读的就是这个文件。\n\n\
## 现在在做什么\n\n把垫片头改成 **inline 函数**。\n\n\
## 走不通的路\n\n- `-D_ANSI_SOURCE`：会把别的宏一起关掉。\n- 改 include 顺序：无效，宏在 signal.h 里已经定义好了，换到哪里都一样。\n\
- brew 的 gcc：CI 上没有，不算数。\n\n## 下一步\n\n```sh\nmake clean && make test\n```\n\n\
<!-- flower: {\"step\":\"干活\",\"generation\":2} -->\n";

/// Highlighted once: without optimisation that takes a while.
static PREVIEW: LazyLock<Preview> =
    LazyLock::new(|| Preview::new(DOCUMENT.as_bytes(), "3f9a1c2effff"));

fn entry(step: &str, generation: u32, clock: &str, degraded: bool) -> Entry {
    Entry {
        path: format!("/notes/{step}-{clock}.md").into(),
        name: format!("{step}-{clock}.md"),
        step: step.to_owned(),
        generation,
        clock: clock.to_owned(),
        copy: 1,
        stamp: Some(Stamp {
            step: step.to_owned(),
            generation,
            session: format!("{step}{generation}"),
            context: 152_000 - u64::from(generation) * 400,
            degraded,
            ..Stamp::default()
        }),
    }
}

fn row(session: &str, num_turns: u64, cost_usd: f64, edited: bool) -> GenerationRow {
    GenerationRow {
        session_id: session.to_owned(),
        context: None,
        peak: 0,
        cost_usd: Some(cost_usd),
        num_turns,
        degraded: false,
        why: None,
        document: None,
        sha256: None,
        edited,
    }
}

fn filled() -> Archive {
    let entries = vec![
        entry("查日志", 1, "20261130-230000", true),
        entry("干活", 1, "20261201-140900", false),
        entry("干活", 2, "20261201-143100", false),
        entry("干活", 3, "20261201-151200", true),
    ];
    let rows = [row("干活1", 31, 1.42, true), row("干活2", 18, 0.61, true)];
    let (mut archive, _) = Archive::open(entries, &rows, "20261201");
    let load = archive.select(1).unwrap();
    archive.loaded(load.request, Ok(PREVIEW.clone()));
    archive
}

fn both(situation: &str, make: impl Fn() -> Archive) {
    for (lang, name) in [(Lang::Zh, "zh"), (Lang::En, "en")] {
        for (width, height) in SIZES {
            let mut state = make();
            state.set_size(width, height);
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            let texts = Texts::load(lang).unwrap();
            archive::draw(&state, &texts, &Theme::Terminal, area, &mut buffer);
            snap::check(
                &format!("archive_{situation}_{name}_{width}x{height}"),
                &buffer,
            );
        }
    }
}

#[test]
fn list_and_preview() {
    both("preview", filled);
}

#[test]
fn reading_where_there_is_little_room() {
    both("reading", || {
        let mut archive = filled();
        archive.toggle_reading();
        archive
    });
}

#[test]
fn nothing_archived_yet() {
    both("empty", || Archive::open(Vec::new(), &[], "20261201").0);
}

#[test]
fn a_document_that_cannot_be_read() {
    both("failed", || {
        let mut archive = filled();
        let load = archive.select(1).unwrap();
        let why = "cannot read /notes/x.md: permission denied \u{1b}]0;x\u{7}";
        archive.loaded(load.request, Err(why.to_owned()));
        archive.toggle_reading();
        archive
    });
}

fn keys(lang: Lang) -> Vec<(String, String)> {
    let pairs = match lang {
        Lang::Zh => vec![
            ("到处都能用", ""),
            ("Tab Shift-Tab", "下一栏，上一栏"),
            ("Alt-1 .. Alt-5", "到第几段"),
            ("Ctrl-S", "存盘"),
            ("Ctrl-G", "现在换代；不在复核时先问一次"),
            ("Ctrl-C", "到消息边界停下，再按一次安全退出"),
            ("Esc", "关掉最上面的，从不丢字"),
            ("在事件里", ""),
            ("Enter", "展开"),
            ("g G", "开头，末尾"),
            ("q", "退出"),
        ],
        Lang::En => vec![
            ("Anywhere", ""),
            ("Tab Shift-Tab", "next, previous pane"),
            ("Alt-1 .. Alt-5", "section"),
            ("Ctrl-S", "save"),
            ("Ctrl-G", "swap now; outside a review it asks once"),
            (
                "Ctrl-C",
                "interrupt at the message boundary, twice: quit safely",
            ),
            ("Esc", "close the top thing, never discards"),
            ("In the log", ""),
            ("Enter", "expand"),
            ("g G", "top, end"),
            ("q", "quit"),
        ],
    };
    let owned = |(keys, text): (&str, &str)| (keys.to_owned(), text.to_owned());
    pairs.into_iter().map(owned).collect()
}

#[test]
fn help_lists_the_keys() {
    for (lang, name) in [(Lang::Zh, "zh"), (Lang::En, "en")] {
        for (width, height) in SIZES {
            for (offset, situation) in [(0, "top"), (1_000, "end")] {
                let area = Rect::new(0, 0, width, height);
                let mut buffer = Buffer::empty(area);
                let texts = Texts::load(lang).unwrap();
                let pairs = keys(lang);
                help::draw(&pairs, offset, &texts, &Theme::Terminal, area, &mut buffer);
                snap::check(
                    &format!("help_{situation}_{name}_{width}x{height}"),
                    &buffer,
                );
            }
        }
    }
    assert!(help::rows(&keys(Lang::En), 40) > help::rows(&keys(Lang::En), 120));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn boxes_stay_inside_at_any_size(
        width in 0u16..=130,
        height in 0u16..=45,
        set_width in 0u16..=130,
        reading in any::<bool>(),
        offset in 0usize..30,
    ) {
        let mut state = filled();
        state.set_size(set_width, height);
        if reading {
            state.toggle_reading();
        }
        state.scroll(3);
        let whole = Rect::new(0, 0, 140, 50);
        let area = Rect::new(4, 2, width, height);
        let texts = Texts::load(Lang::Zh).unwrap();
        let mut first = Buffer::filled(whole, ratatui::buffer::Cell::new("#"));
        let mut second = first.clone();
        archive::draw(&state, &texts, &Theme::Plain, area, &mut first);
        help::draw(&keys(Lang::Zh), offset, &texts, &Theme::Plain, area, &mut second);
        for y in 0..50 {
            for x in 0..140 {
                let inside = area.contains((x, y).into());
                let untouched = first[(x, y)].symbol() == "#" && second[(x, y)].symbol() == "#";
                prop_assert!(inside || untouched, "{x},{y}");
            }
        }
        let mut small = Buffer::empty(Rect::new(0, 0, 9, 3));
        archive::draw(&state, &texts, &Theme::Plain, Rect::new(2, 1, 60, 30), &mut small);
        help::draw(&keys(Lang::En), offset, &texts, &Theme::Plain, Rect::new(2, 1, 60, 30), &mut small);
    }
}
