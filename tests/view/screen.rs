//! The whole screen in every situation, reached by real actions, at three sizes.
#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first surprise, in its helpers too"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use flower::app::action::{Action, Effect, Question};
use flower::app::gauge::Gauge;
use flower::app::state::State;
use flower::app::update::update;
use flower::config::Lang;
use flower::generation::policy::HandoffPolicy;
use flower::generation::why::Failure;
use flower::handoff::store::{Entry, Loaded};
use flower::handoff::{self, DocumentLang, Handoff};
use flower::model::window::WindowSource;
use flower::runtime::event::{
    DoneEvent, Event, EventKind, HandoffEvent, ResultEvent, Sections, UsageEvent,
};
use flower::runtime::spec::StepResult;
use flower::texts::Texts;
use flower::view::chrome::Chrome;
use flower::view::screen::draw;
use flower::view::theme::Theme;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};

use crate::snap;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 10)];
const SHA: &str = "81d07b44a0";
const PATH: &str = "/w/.flower/notes/交接-干活.md";

/// A screen with a clock that only the test moves.
struct Bench {
    lang: Lang,
    state: State,
    start: Instant,
    elapsed: Duration,
    seq: u64,
    /// The call that was begun last.
    call: String,
}

impl Bench {
    fn new(lang: Lang, (columns, rows): (u16, u16)) -> Self {
        let policy = HandoffPolicy {
            window: 200_000,
            ..HandoffPolicy::default()
        };
        let start = Instant::now();
        let document = match lang {
            Lang::Zh => DocumentLang::Zh,
            Lang::En => DocumentLang::En,
        };
        let state = State::new(
            Texts::load(lang).unwrap(),
            Gauge::new(policy, WindowSource::Flag, "干活"),
            document,
            Duration::from_secs(600),
            start,
        );
        let mut bench = Self {
            lang,
            state,
            start,
            elapsed: Duration::ZERO,
            seq: 0,
            call: String::new(),
        };
        bench.act(Action::Resize(columns, rows));
        bench
    }

    fn clock(&self) -> (jiff::Timestamp, String) {
        let noon: jiff::Timestamp = "2026-12-01T14:00:00Z".parse().unwrap();
        let now = noon + jiff::SignedDuration::try_from(self.elapsed).unwrap();
        (now, now.strftime("%H:%M:%S").to_string())
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let (now, clock) = self.clock();
        self.state.log.tick(now);
        update(&mut self.state, action, self.start + self.elapsed, &clock)
    }

    fn wait(&mut self, milliseconds: u64) {
        self.elapsed += Duration::from_millis(milliseconds);
        self.act(Action::Second);
    }

    fn event(&mut self, kind: EventKind) -> Vec<Effect> {
        self.seq += 1;
        let (now, _) = self.clock();
        let event = Event {
            seq: self.seq,
            time: now.to_string(),
            kind,
        };
        self.act(Action::Event(Arc::new(event)))
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
        self.act(Action::Key(KeyEvent::new(code, modifiers)))
    }

    fn letter(&mut self, letter: char) {
        self.key(KeyCode::Char(letter), KeyModifiers::NONE);
    }

    fn alt(&mut self, letter: char) {
        self.key(KeyCode::Char(letter), KeyModifiers::ALT);
    }

    fn says(&self, zh: &str, en: &str) -> String {
        match self.lang {
            Lang::Zh => zh.to_owned(),
            Lang::En => en.to_owned(),
        }
    }

    fn text(&mut self, text: String) {
        self.event(EventKind::Text {
            text,
            partial: false,
            from_person: false,
        });
    }

    fn tool(&mut self, name: &str, input: Value, result: Option<(&str, bool)>) {
        let id = format!("call{}", self.seq);
        self.call.clone_from(&id);
        self.event(EventKind::ToolCall {
            id: id.clone(),
            name: name.to_owned(),
            input,
        });
        self.wait(1_000);
        if let Some((text, is_error)) = result {
            self.event(EventKind::ToolResult {
                id,
                text: text.to_owned(),
                is_error,
            });
        }
    }

    fn usage(&mut self, context: u64) {
        self.event(EventKind::Usage(UsageEvent {
            context: Some(context),
            peak: context,
            window: 200_000,
            at: Some(150_000),
            warn_at: Some(130_000),
            thread: "main".to_owned(),
            input: 2_000,
            cache_read: context - 2_000,
            cache_creation: 0,
            output: 300,
            cost_usd: None,
            estimated: false,
            partial: false,
        }));
    }

    fn session(&mut self, generation: u32) {
        self.event(EventKind::Session {
            session_id: format!("9b27-{generation}"),
            generation,
            resumed: false,
            window: 200_000,
            window_source: "flag".into(),
            at: Some(150_000),
            warn_at: Some(130_000),
        });
    }

    fn document(&self) -> Handoff {
        match self.lang {
            Lang::Zh => Handoff {
                doing: "在给 Makefile 加 macOS 垫片头，让 sigemptyset 宏不再展开成语法错误。".to_owned(),
                decided: "- 不改业务源码：用户说过边界，所以由 Makefile 生成 shim。\n- 只在 Darwin 下启用：Linux 上没有这个问题。".to_owned(),
                deadends: "- -D_ANSI_SOURCE：会把别的宏一起关掉。\n- 改 include 顺序：无效，宏在 signal.h 里已经定义好了。".to_owned(),
                next: "在干净 clone 上跑一次 make，验证 shim 成立；再跑 make test。".to_owned(),
                scene: "Makefile:12-30  build/shim/signal.h  分支 fix/macos-shim\n日志 .flower/artifacts/make-1402.txt".to_owned(),
                ..Handoff::default()
            },
            Lang::En => Handoff {
                doing: "Adding a macOS shim header to the Makefile so that sigemptyset compiles.".to_owned(),
                decided: "- src/ stays as it is: the user said so.".to_owned(),
                deadends: "- -D_ANSI_SOURCE: turns other macros off\n- include order: no effect".to_owned(),
                next: "make on a clean clone, then make test".to_owned(),
                scene: "Makefile:12-30  build/shim/signal.h".to_owned(),
                lang: DocumentLang::En,
                ..Handoff::default()
            },
        }
    }

    fn loaded(&mut self, document: Handoff, sha256: &str) {
        self.act(Action::Loaded(Ok(Box::new(Loaded {
            path: PathBuf::from(PATH),
            bytes: document.to_markdown().into_bytes(),
            handoff: document,
            sha256: sha256.to_owned(),
        }))));
    }

    fn work(&mut self) {
        self.event(EventKind::Run {
            run: "r1".to_owned(),
            workspace: "/w".into(),
            model: "claude-test".to_owned(),
            version: "0.1.0".into(),
        });
        let task = self.says("让 make 在 macOS 上通过", "make it build on macOS");
        self.event(EventKind::Step {
            step: "干活".to_owned(),
            task: Some(task),
        });
        self.session(1);
        self.wait(3_000);
        self.usage(34_000);
        self.tool(
            "bash",
            json!({"command": "make"}),
            Some((
                "sig.c:41: error: expected identifier or '('\nmake: *** [sig.o] Error 1\n2 errors",
                true,
            )),
        );
        self.usage(61_000);
        let said = self.says(
            "这是 macOS 的 signal.h 把它定义成了宏。",
            "signal.h of macOS makes it a macro.",
        );
        self.text(said);
        self.tool(
            "edit",
            json!({"path": "Makefile", "old": "all: sig.o", "new": "all: shim sig.o"}),
            Some(("Makefile: 1 replacement", false)),
        );
        self.usage(89_000);
        self.tool("bash", json!({"command": "make clean && make test"}), None);
        self.wait(13_000);
    }

    fn near(&mut self) {
        self.work();
        self.usage(133_400);
        self.event(EventKind::Handoff(HandoffEvent::Near {
            context: 133_400,
            window: 200_000,
            at: 150_000,
        }));
    }

    fn writing(&mut self) {
        self.near();
        let id = self.call.clone();
        self.event(EventKind::ToolResult {
            id,
            text: "test_sig ... ok".to_owned(),
            is_error: false,
        });
        self.usage(152_000);
        self.event(EventKind::Handoff(HandoffEvent::Writing {
            context: Some(152_000),
            window: 200_000,
        }));
        self.wait(12_000);
    }

    fn review(&mut self) {
        self.review_of(self.document());
    }

    fn review_of(&mut self, document: Handoff) {
        self.writing();
        let effects = self.event(EventKind::Handoff(HandoffEvent::Review {
            path: Some(PATH.into()),
            deadline_s: 30,
        }));
        assert_eq!(effects, [Effect::Load(PATH.into())]);
        self.loaded(document, SHA);
        self.wait(6_000);
    }

    fn held(&mut self) {
        self.review();
        self.key(KeyCode::End, KeyModifiers::CONTROL);
        self.key(KeyCode::Enter, KeyModifiers::NONE);
        let line = self.says(
            "- brew 的 gcc：CI 上没有，不算数。",
            "- brew gcc: builds, but CI has none",
        );
        for letter in line.chars() {
            self.letter(letter);
        }
        self.wait(19_000);
    }

    fn incomplete(&mut self) {
        self.review();
        self.alt('4');
        self.key(KeyCode::Char('a'), KeyModifiers::CONTROL);
        self.key(KeyCode::Backspace, KeyModifiers::NONE);
        self.wait(19_000);
    }

    fn done(&mut self, document: &Handoff, why: Option<&str>) {
        self.event(EventKind::Handoff(HandoffEvent::Done(Box::new(
            DoneEvent {
                context: Some(152_000),
                window: 200_000,
                degraded: why.is_some(),
                why: why.map(str::to_owned),
                path: Some(PATH.into()),
                sha256: "3f9a1c2e77".to_owned(),
                edited: false,
                sections: Sections::from(document),
                generation: 2,
                from_session: "9b27-1".to_owned(),
                to_session: "9b27-2".to_owned(),
            },
        ))));
        self.session(2);
    }

    fn swapped(&mut self) {
        self.review();
        let document = self.document();
        self.done(&document, None);
        self.wait(2_000);
    }

    fn late(&mut self) {
        self.swapped();
        self.usage(9_000);
        self.alt('3');
        self.key(KeyCode::End, KeyModifiers::CONTROL);
        let line = self.says(
            "\n- 只写 #undef：丢了返回值",
            "\n- #undef alone: loses the return value",
        );
        self.act(Action::Paste(line));
    }

    fn asked(&mut self) {
        self.work();
        self.act(Action::Ask(Box::new(Question {
            name: "edit".to_owned(),
            input: json!({
                "path": "src/sig.c",
                "old": "    sigset_t s;\n    sigemptyset(&s);",
                "new": "    sigset_t s;\n    (sigemptyset)(&s); /* 宏挡住了，所以加括号 */",
            }),
            why: "mode ask: files outside the task; always = src/sig.c".to_owned(),
        })));
        self.wait(8_000);
    }

    fn ended(&mut self, failure: Option<Failure>) {
        let error = failure.as_ref().map(ToString::to_string);
        self.swapped();
        let said = self.says("做完了：make test 全过。", "Done: make test passes.");
        self.text(said);
        self.usage(21_000);
        self.event(EventKind::Result(ResultEvent {
            ok: failure.is_none(),
            error,
            session_id: Some("9b27-2".to_owned()),
            attempts: 1,
            retired: vec!["9b27-1".to_owned()],
            context: Some(21_000),
            cost_usd: Some(1.42),
            num_turns: 18,
            generations: Vec::new(),
        }));
        self.act(Action::RunEnded(Box::new(StepResult {
            run: "r1".to_owned(),
            failure,
            session_id: "9b27-2".to_owned(),
            attempts: 1,
            retired: Vec::new(),
            generations: Vec::new(),
            context: Some(21_000),
            cost_usd: Some(1.42),
            num_turns: 18,
            text: String::new(),
            last_seq: self.seq,
        })));
    }

    fn drawn(&self) -> Buffer {
        let area = Rect::new(0, 0, self.state.size.0, self.state.size.1);
        let mut buffer = Buffer::empty(area);
        let caret = draw(
            &self.state,
            &Theme::Terminal,
            Chrome::Box,
            area,
            &mut buffer,
        );
        if let Some(caret) = caret {
            assert!(area.contains(caret), "{caret:?}");
        }
        buffer
    }
}

/// Snapshots of a situation in both languages at every size.
fn situation(name: &str, make: fn(&mut Bench)) {
    for (word, lang) in [("zh", Lang::Zh), ("en", Lang::En)] {
        for size in SIZES {
            let mut bench = Bench::new(lang, size);
            make(&mut bench);
            let (columns, rows) = size;
            let buffer = bench.drawn();
            for y in 0..rows {
                let text = snap::row_text(&buffer, y);
                let width = flower::cells::width(&text);
                assert_eq!(width, usize::from(columns), "{name} {size:?}: {text:?}");
                for x in 1..columns {
                    let wide = flower::cells::width(buffer[(x - 1, y)].symbol()) > 1;
                    let second = buffer[(x, y)].symbol().trim();
                    assert!(
                        !wide || second.is_empty(),
                        "{name} {size:?}: cut in {text:?}"
                    );
                }
            }
            snap::check(&format!("screen_{name}_{word}_{columns}x{rows}"), &buffer);
        }
    }
}

#[test]
fn no_task_yet() {
    situation("idle", |_| {});
}

#[test]
fn working() {
    situation("working", Bench::work);
}

#[test]
fn near() {
    situation("near", Bench::near);
}

#[test]
fn writing() {
    situation("writing", Bench::writing);
}

#[test]
fn review() {
    situation("review", Bench::review);
}

#[test]
fn review_while_typing_a_message() {
    situation("review_elsewhere", |bench| {
        bench.work();
        bench.letter('m');
        let text = bench.says("别忘了 Linux", "mind Linux");
        for letter in text.chars() {
            bench.letter(letter);
        }
        bench.event(EventKind::Handoff(HandoffEvent::Review {
            path: Some(PATH.into()),
            deadline_s: 30,
        }));
        bench.loaded(bench.document(), SHA);
    });
}

#[test]
fn held() {
    situation("held", Bench::held);
}

#[test]
fn incomplete() {
    situation("incomplete", Bench::incomplete);
}

#[test]
fn swapped() {
    situation("swapped", Bench::swapped);
}

#[test]
fn late() {
    situation("late", Bench::late);
}

#[test]
fn permission() {
    situation("permission", Bench::asked);
}

#[test]
fn permission_waits() {
    situation("permission_waits", |bench| {
        bench.asked();
        bench.key(KeyCode::Esc, KeyModifiers::NONE);
        bench.wait(1_000);
    });
}

#[test]
fn permission_for_more_than_fits() {
    situation("permission_long", |bench| {
        bench.work();
        let lines: Vec<String> = (1..60)
            .map(|n| format!("第 {n} 行，line {n} of a long new file with 中文"))
            .collect();
        bench.act(Action::Ask(Box::new(Question {
            name: "write".to_owned(),
            input: json!({"path": "docs/说明.md", "content": lines.join("\n")}),
            why: "mode ask".to_owned(),
        })));
        bench.wait(1_000);
    });
}

#[test]
fn quit() {
    situation("quit", |bench| {
        bench.work();
        bench.letter('q');
    });
}

#[test]
fn help() {
    situation("help", |bench| {
        bench.work();
        bench.letter('?');
    });
}

#[test]
fn archive() {
    situation("archive", |bench| {
        bench.swapped();
        bench.key(KeyCode::Esc, KeyModifiers::NONE);
        bench.letter('a');
        let document = bench.document();
        let entry = Entry {
            name: "干活-20261201-140927.md".to_owned(),
            step: "干活".to_owned(),
            path: "/w/.flower/notes/archive/交接/干活-20261201-140927.md".into(),
            generation: 1,
            clock: "20261201-140927".to_owned(),
            copy: 1,
            stamp: Some(document.stamp.clone()),
        };
        let effects = bench.act(Action::Archive(Ok(vec![entry]), "20261201".to_owned()));
        let [Effect::ReadArchive(load)] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        let preview = flower::app::archive::Preview::new(document.to_markdown().as_bytes(), SHA);
        bench.act(Action::Preview(load.request, Ok(preview)));
    });
}

fn degraded_document(bench: &Bench) -> Handoff {
    let (lang, task) = match bench.lang {
        Lang::Zh => (DocumentLang::Zh, "让 make 在 macOS 上通过"),
        Lang::En => (DocumentLang::En, "make it build on macOS"),
    };
    handoff::degraded("干活", "the reply was cut off", task, lang, None)
}

#[test]
fn degraded_review() {
    situation("degraded_review", |bench| {
        let document = degraded_document(bench);
        bench.review_of(document);
    });
}

#[test]
fn degraded() {
    situation("degraded", |bench| {
        bench.writing();
        let document = degraded_document(bench);
        bench.done(&document, Some("the reply was cut off"));
    });
}

#[test]
fn retry() {
    situation("retry", |bench| {
        bench.work();
        bench.event(EventKind::Retry {
            attempt: 2,
            max_attempts: 5,
            delay_ms: 8_000,
            message: "503 overloaded".to_owned(),
            class: "transient".into(),
        });
    });
}

#[test]
fn timed_out() {
    situation("timed_out", |bench| {
        bench.incomplete();
        bench.wait(581_000);
        let document = bench.document();
        bench.done(&document, None);
    });
}

#[test]
fn a_disk_that_is_full() {
    situation("disk_full", |bench| {
        bench.held();
        let effects = bench.key(KeyCode::Char('s'), KeyModifiers::CONTROL);
        let saved = effects.into_iter().find_map(|effect| match effect {
            Effect::Save(document, _) => Some(document),
            _ => None,
        });
        let why = "cannot write 交接-干活.md: No space left on device; nothing was changed";
        bench.act(Action::Saved(saved.unwrap(), Err(why.to_owned())));
    });
}

#[test]
fn ended_done() {
    situation("done", |bench| bench.ended(None));
}

#[test]
fn ended_failed() {
    situation("failed", |bench| {
        bench.ended(Some(Failure::TurnLimit(18)));
    });
}

/// The situations a person may be in, by number.
const SITUATIONS: [fn(&mut Bench); 9] = [
    |_| {},
    Bench::work,
    Bench::writing,
    Bench::review,
    Bench::held,
    Bench::incomplete,
    Bench::late,
    Bench::asked,
    |bench| bench.ended(None),
];

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(96)
    })]

    /// Any keys in any situation at any sizes: drawn without a panic, the caret inside, nothing wide
    /// cut in half.
    #[test]
    fn every_screen_can_be_drawn(
        lang in prop::sample::select(vec![Lang::Zh, Lang::En]),
        situation in 0..SITUATIONS.len(),
        steps in prop::collection::vec(
            (0_u16..140, 0_u16..50, prop::sample::select(vec![
                (KeyCode::Tab, KeyModifiers::NONE),
                (KeyCode::Esc, KeyModifiers::NONE),
                (KeyCode::Enter, KeyModifiers::NONE),
                (KeyCode::Up, KeyModifiers::NONE),
                (KeyCode::PageDown, KeyModifiers::NONE),
                (KeyCode::F(1), KeyModifiers::NONE),
                (KeyCode::Char('q'), KeyModifiers::NONE),
                (KeyCode::Char('中'), KeyModifiers::NONE),
                (KeyCode::Char('\u{200d}'), KeyModifiers::NONE),
                (KeyCode::Char('o'), KeyModifiers::ALT),
                (KeyCode::Char('a'), KeyModifiers::ALT),
                (KeyCode::Char('m'), KeyModifiers::ALT),
                (KeyCode::Char('4'), KeyModifiers::ALT),
                (KeyCode::Char('g'), KeyModifiers::CONTROL),
            ])),
            1..8,
        ),
    ) {
        let mut bench = Bench::new(lang, (120, 40));
        SITUATIONS[situation](&mut bench);
        for (columns, rows, (code, modifiers)) in steps {
            bench.act(Action::Resize(columns, rows));
            bench.key(code, modifiers);
            bench.wait(500);
            let buffer = bench.drawn();
            for y in 0..rows {
                for x in 1..columns {
                    let wide = flower::cells::width(buffer[(x - 1, y)].symbol()) > 1;
                    let second = buffer[(x, y)].symbol().trim();
                    prop_assert!(!wide || second.is_empty(), "{columns}x{rows}: {x},{y} is cut");
                }
            }
        }
    }
}
