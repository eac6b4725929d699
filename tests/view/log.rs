//! The event log in its states.
#![allow(
    clippy::unwrap_used,
    reason = "what builds a state for a test may unwrap, as the test itself"
)]

use flower::app::log::{Document, Kind, Log};
use flower::config::Lang;
use flower::runtime::event::{
    DoneEvent, Event, EventKind, HandoffEvent, ResultEvent, Sections, UsageEvent,
};
use flower::texts::Texts;
use flower::view::log;
use flower::view::theme::Theme;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};

use crate::snap;

/// The log panes of a screen of 120x40, of 80x24 and of 40x10.
const SIZES: [(u16, u16, &str); 3] = [(59, 31, "120x40"), (34, 17, "80x24"), (40, 5, "40x10")];

/// A run told by its events; the clock goes on by what each of them takes.
struct Story {
    log: Log,
    seq: u64,
    milliseconds: i64,
}

impl Story {
    fn new(lang: Lang) -> Self {
        let mut log = Log::new(&Texts::load(lang).unwrap());
        log.set_size(59, 31);
        let start: jiff::Timestamp = "2026-12-01T14:01:58Z".parse().unwrap();
        Self {
            log,
            seq: 0,
            milliseconds: start.as_millisecond(),
        }
    }

    fn after(&mut self, milliseconds: i64, kind: EventKind) -> &mut Self {
        self.milliseconds += milliseconds;
        self.seq += 1;
        let now = self.now();
        let event = Event {
            seq: self.seq,
            time: format!("{now:.3}"),
            kind,
        };
        self.log.push(&event, &self.clock());
        self
    }

    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.milliseconds).unwrap()
    }

    fn clock(&self) -> String {
        self.now().strftime("%H:%M:%S").to_string()
    }

    fn says(&mut self, text: &str) -> &mut Self {
        self.after(
            4_000,
            EventKind::Text {
                text: text.to_owned(),
                partial: false,
                from_person: false,
            },
        )
    }

    fn calls(&mut self, name: &str, input: Value) -> &mut Self {
        let id = format!("call-{}", self.seq + 1);
        self.after(
            3_000,
            EventKind::ToolCall {
                id,
                name: name.to_owned(),
                input,
            },
        )
    }

    fn gets(&mut self, milliseconds: i64, text: &str, is_error: bool) -> &mut Self {
        let id = format!("call-{}", self.seq);
        self.after(
            milliseconds,
            EventKind::ToolResult {
                id,
                text: text.to_owned(),
                is_error,
            },
        )
    }

    fn bash(&mut self, command: &str, took: i64, output: &str, failed: bool) -> &mut Self {
        self.calls("bash", json!({ "command": command }));
        let ending = if failed {
            "[exit status 1]"
        } else {
            "[exit status 0]"
        };
        self.gets(took, &format!("{output}{ending}"), failed)
    }
}

fn numbered(lines: usize) -> String {
    (1..=lines)
        .map(|line| format!("cc -c part{line}.c\n"))
        .collect()
}

fn begin(story: &mut Story) {
    story
        .after(
            0,
            EventKind::Step {
                step: "干活".to_owned(),
                task: Some("让 make 在 macOS 上过，不要改业务源码。".to_owned()),
            },
        )
        .after(
            10,
            EventKind::Session {
                session_id: "5e1c9b27-aaaa".to_owned(),
                generation: 1,
                resumed: false,
                window: 200_000,
                window_source: "flag".into(),
                at: Some(150_000),
                warn_at: Some(130_000),
            },
        );
}

fn work(story: &mut Story) {
    begin(story);
    let errors = format!(
        "sig.c:41: error: expected identifier or '('\n{}",
        numbered(17)
    );
    story
        .bash("make", 800, &errors, true)
        .says("这是 macOS 的 signal.h 把它定义成了宏。先试 -D_ANSI_SOURCE：也许不用改源码就能绕过去，如果不行就生成一个垫片头文件。")
        .calls("edit", json!({"path": "src/sig.c", "old": "sigemptyset(&s);", "new": "(sigemptyset)(&s);"}))
        .gets(5_000, "Refused: the person said no. Do it another way, or ask them in your answer.", true)
        .calls("edit", json!({
            "path": "Makefile",
            "old": "$(SHIM):\n\techo '#undef sigemptyset' > $(SHIM)\nall: $(SHIM)\n",
            "new": "$(SHIM):\n\tprintf '%s\\n' '#undef sigemptyset' \\\n\t  'static inline int sigemptyset(...)' > $(SHIM)\n\tcat $(SHIM)\nall: $(SHIM)\n",
        }))
        .gets(20, "Edited Makefile at line 17.", false)
        .bash("git clone . /tmp/clean", 300, "", false)
        .bash("cd /tmp/clean && make", 6_200, &format!("build/shim/signal.h written\n{}", numbered(38)), false)
        .calls("read", json!({"path": "build/shim/signal.h"}))
        .gets(10, &"x\n".repeat(11), false)
        .calls("search", json!({"pattern": "sigemptyset"}))
        .gets(20, "src/sig.c:41: sigemptyset\nsrc/sig.c:42: a\nb.c:1: sigemptyset\nc.c:9: x\n", false)
        .calls("plan", json!({"items": [
            {"text": "垫片头", "status": "done"},
            {"text": "make test", "status": "doing"},
            {"text": "写说明", "status": "todo"},
        ]}))
        .gets(5, "Plan kept: 1 todo, 1 doing, 1 done.", false)
        .calls("write", json!({"path": "docs/macos.md", "content": "# macOS\n\nshim\n"}))
        .gets(5, "Wrote docs/macos.md", false);
}

fn review(story: &mut Story) {
    work(story);
    story
        .after(
            2_000,
            EventKind::Handoff(HandoffEvent::Near {
                context: 130_200,
                window: 200_000,
                at: 150_000,
            }),
        )
        .bash("uname -s; cc --version", 100, "", false)
        .after(
            2_000,
            EventKind::Handoff(HandoffEvent::Writing {
                context: Some(152_000),
                window: 200_000,
            }),
        )
        .after(
            15_000,
            EventKind::Handoff(HandoffEvent::Review {
                path: Some("/w/.flower/notes/交接-干活.md".into()),
                deadline_s: 30,
            }),
        );
    let document = Document {
        lines: 39,
        changed: None,
    };
    story.log.describe("81d07b44ffff", document);
}

fn swap(story: &mut Story, why: Option<&str>) {
    review(story);
    story.after(
        30_000,
        EventKind::Handoff(HandoffEvent::Done(Box::new(DoneEvent {
            context: Some(152_000),
            window: 200_000,
            degraded: why.is_some(),
            why: why.map(str::to_owned),
            path: Some("/w/.flower/notes/交接-干活.md".into()),
            sha256: "3f9a1c2effff".to_owned(),
            edited: true,
            sections: Sections::default(),
            generation: 2,
            from_session: "5e1c9b27-aaaa".to_owned(),
            to_session: "9b27d0e4-bbbb".to_owned(),
        }))),
    );
    let document = Document {
        lines: 41,
        changed: Some((2, 0)),
    };
    story.log.describe("3f9a1c2effff", document);
}

fn running(story: &mut Story) {
    swap(story, None);
    story
        .says(
            "Taking over: the macOS shim header.\nNext: prove the shim with make on a clean clone.",
        )
        .after(
            10,
            EventKind::Usage(UsageEvent {
                context: Some(18_200),
                peak: 18_200,
                window: 200_000,
                at: None,
                warn_at: None,
                thread: "review-1".to_owned(),
                input: 18_200,
                cache_read: 0,
                cache_creation: 0,
                output: 1,
                cost_usd: None,
                estimated: false,
                partial: false,
            }),
        )
        .calls("bash", json!({"command": "make clean && make test"}));
    story.milliseconds += 14_000;
    let (now, clock) = (story.now(), story.clock());
    story.log.tick(now);
    story.log.note(
        Kind::Pin,
        "\"never touch src/, only the Makefile\"\ninto 2 Decided, by you",
        &clock,
    );
    story.log.delta("The shim must keep the return ", &clock);
    story
        .log
        .delta("value, so I make it an inline function", &clock);
}

fn failing(story: &mut Story) {
    work(story);
    for attempt in 2..=3 {
        story.after(
            1_000,
            EventKind::Retry {
                attempt,
                max_attempts: 6,
                delay_ms: 8_000,
                message: "cannot reach http://127.0.0.1:1/v1/messages: connection reset".to_owned(),
                class: "transient".into(),
            },
        );
    }
    story
        .after(
            1_000,
            EventKind::Error {
                message: "the handoff is not on disk (No space left on device); it goes to the successor in the prompt".to_owned(),
                class: "warning".into(),
            },
        )
        .after(
            1_000,
            EventKind::Error {
                message: "401 from http://127.0.0.1:1: invalid x-api-key \u{1b}]0;owned\u{7}; set ANTHROPIC_API_KEY".to_owned(),
                class: "fatal".into(),
            },
        )
        .after(
            10,
            EventKind::Result(ResultEvent {
                ok: false,
                error: Some("401: invalid x-api-key".to_owned()),
                session_id: None,
                attempts: 1,
                retired: Vec::new(),
                context: Some(61_000),
                cost_usd: Some(1.874),
                num_turns: 31,
                generations: Vec::new(),
            }),
        );
}

fn drawn(log: &Log, lang: Lang, area: Rect) -> Buffer {
    let mut buffer = Buffer::empty(area);
    let texts = Texts::load(lang).unwrap();
    log::draw(log, true, &texts, &Theme::Terminal, area, &mut buffer);
    buffer
}

/// The pane with its title row, as a screen would show it.
fn with_title(log: &Log, lang: Lang, width: u16, height: u16) -> Buffer {
    let texts = Texts::load(lang).unwrap();
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height + 1));
    buffer.set_stringn(
        0,
        0,
        format!("─ {} ", log::title(log, &texts)),
        usize::from(width),
        ratatui::style::Style::new(),
    );
    let area = Rect::new(0, 1, width, height);
    log::draw(log, true, &texts, &Theme::Terminal, area, &mut buffer);
    buffer
}

fn check(situation: &str, lang: Lang, tell: impl Fn(&mut Story)) {
    let name = match lang {
        Lang::Zh => "zh",
        Lang::En => "en",
    };
    for (width, height, screen) in SIZES {
        let mut story = Story::new(lang);
        story.log.set_size(width, height);
        tell(&mut story);
        let buffer = with_title(&story.log, lang, width, height);
        snap::check(&format!("log_{situation}_{name}_{screen}"), &buffer);
    }
}

fn both(situation: &str, tell: impl Fn(&mut Story) + Copy) {
    check(situation, Lang::Zh, tell);
    check(situation, Lang::En, tell);
}

#[test]
fn empty() {
    both("empty", |_| {});
}

#[test]
fn working() {
    both("working", work);
}

#[test]
fn scrolled_up_with_new_entries() {
    both("scrolled", |story| {
        review(story);
        story.log.scroll(-6);
        story.says("one").says("two").says("三");
        story.log.select(-1);
    });
}

#[test]
fn a_tool_is_running() {
    both("running", running);
}

#[test]
fn in_review() {
    both("review", review);
}

#[test]
fn swapped_with_a_degraded_handoff() {
    both("degraded", |story| {
        swap(story, Some("the reply was cut off"));
    });
}

#[test]
fn errors_and_retries() {
    both("error", failing);
}

#[test]
fn a_result_is_expanded() {
    both("expanded", |story| {
        begin(story);
        story.bash("make test", 9_800, &format!("{}中文输出很长很长，一行放不下的时候要折行，不能切断，也不能丢字，更不能跑到外面去。\n", numbered(4)), true);
        story.log.select(1);
        story.log.select(2);
        story.log.toggle_expand();
    });
}

fn any_kind() -> impl Strategy<Value = EventKind> {
    let text = "[a-c 中文，👩é\n\t\u{1b}\u{9b}]{0,80}";
    prop_oneof![
        (text, any::<bool>()).prop_map(|(text, partial)| EventKind::Text {
            text,
            partial,
            from_person: false
        }),
        text.prop_map(|text| EventKind::Thinking { text }),
        ("[a-c]", "bash|edit|read|x", text).prop_map(|(id, name, text)| EventKind::ToolCall {
            id,
            name,
            input: json!({"command": text, "path": text, "old": text, "new": "b\nc"}),
        }),
        ("[a-c]", text, any::<bool>()).prop_map(|(id, text, is_error)| EventKind::ToolResult {
            id,
            text,
            is_error
        }),
    ]
}

proptest! {
    #[test]
    fn drawing_stays_inside_at_any_size(
        kinds in prop::collection::vec(any_kind(), 0..12),
        width in 0u16..=60,
        height in 0u16..=30,
        drawn_width in 0u16..=60,
        scrolled in -20i64..5,
    ) {
        let mut story = Story::new(Lang::Zh);
        story.log.set_size(width, height);
        for kind in kinds {
            story.after(100, kind);
        }
        story.log.scroll(scrolled);
        story.log.select(-1);
        story.log.toggle_expand();
        let texts = Texts::load(Lang::Zh).unwrap();
        let mut buffer = Buffer::filled(Rect::new(0, 0, 70, 40), ratatui::buffer::Cell::new("#"));
        let area = Rect::new(3, 2, drawn_width, height);
        log::draw(&story.log, true, &texts, &Theme::Terminal, area, &mut buffer);
        for y in 0..40 {
            for x in 0..70 {
                let inside = area.contains((x, y).into());
                prop_assert!(inside || buffer[(x, y)].symbol() == "#", "{x},{y}");
            }
        }
        // A rect that hangs over the edge is no reason to panic.
        drawn(&story.log, Lang::En, Rect::new(0, 0, width, height));
        let mut small = Buffer::empty(Rect::new(0, 0, 5, 5));
        log::draw(&story.log, true, &texts, &Theme::Plain, Rect::new(2, 2, 60, 30), &mut small);
    }
}
