use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::app::action::Question;
use crate::app::gauge::Gauge;
use crate::app::now::Now;
use crate::app::situation::now_line;
use crate::config::Lang;
use crate::generation::policy::HandoffPolicy;
use crate::generation::why::Failure;
use crate::handoff::store::Loaded;
use crate::handoff::{DocumentLang, Handoff};
use crate::model::window::WindowSource;
use crate::runtime::Command;
use crate::runtime::event::{DoneEvent, Event, EventKind, HandoffEvent, Sections, UsageEvent};
use crate::texts::Texts;
use crate::tool::PermissionAnswer;

const PATH: &str = "/w/交接-干活.md";

struct Bench {
    state: State,
    start: Instant,
    elapsed: Duration,
}

fn document() -> Handoff {
    Handoff {
        doing: "修测试".to_owned(),
        decided: "- 不改接口".to_owned(),
        deadends: "- 甲\n- 乙".to_owned(),
        next: "跑 make test".to_owned(),
        scene: "Makefile:12".to_owned(),
        ..Handoff::default()
    }
}

fn with_deadends(deadends: &str) -> Handoff {
    Handoff {
        deadends: deadends.to_owned(),
        ..document()
    }
}

fn tell(command: Command) -> Effect {
    Effect::Tell(command)
}

fn hold() -> Effect {
    tell(Command::Hold)
}

fn load() -> Effect {
    Effect::Load(PATH.into())
}

fn save(document: Handoff, base: &str) -> Effect {
    Effect::Save(Box::new(document), Some(base.to_owned()))
}

impl Bench {
    fn new() -> Self {
        let policy = HandoffPolicy {
            window: 200_000,
            ..HandoffPolicy::default()
        };
        let start = Instant::now();
        let state = State::new(
            Texts::load(Lang::Zh).unwrap(),
            Gauge::new(policy, WindowSource::Flag, "干活"),
            DocumentLang::Zh,
            Duration::from_secs(600),
            start,
        );
        let mut bench = Self {
            state,
            start,
            elapsed: Duration::ZERO,
        };
        bench.act(Action::Resize(120, 40));
        bench
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        update(
            &mut self.state,
            action,
            self.start + self.elapsed,
            "14:00:00",
        )
    }

    fn wait(&mut self, milliseconds: u64) -> Vec<Effect> {
        self.elapsed += Duration::from_millis(milliseconds);
        self.act(Action::Second)
    }

    fn event(&mut self, kind: EventKind) -> Vec<Effect> {
        self.act(happens(kind))
    }

    /// Presses keys as `ctrl-s alt-3 tab x`.
    fn press(&mut self, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for name in keys.split(' ') {
            effects = self.act(Action::Key(key(name)));
        }
        effects
    }

    fn run(&mut self) -> Vec<Effect> {
        self.event(EventKind::Run {
            run: "r".to_owned(),
            workspace: "/w".into(),
            model: "m".to_owned(),
            version: "1".into(),
        })
    }

    fn loaded(&mut self, document: Handoff, sha256: &str) -> Vec<Effect> {
        self.act(Action::Loaded(Ok(Box::new(Loaded {
            path: PathBuf::from(PATH),
            bytes: document.to_markdown().into_bytes(),
            handoff: document,
            sha256: sha256.to_owned(),
        }))))
    }

    fn saved(&mut self, document: Handoff, sha256: &str) -> Vec<Effect> {
        let saved = Ok(Some(sha256.to_owned()));
        self.act(Action::Saved(Box::new(document), saved))
    }

    fn begin(&mut self, seconds: u64) -> Vec<Effect> {
        self.event(EventKind::Handoff(HandoffEvent::Review {
            path: Some(PATH.into()),
            deadline_s: seconds,
        }))
    }

    /// A running review of the document, nobody typing for long.
    fn review() -> Self {
        let mut bench = Self::new();
        bench.run();
        bench.wait(10_000);
        assert_eq!(bench.begin(30), [load()]);
        assert_eq!(bench.loaded(document(), "one"), []);
        bench
    }

    fn done(&mut self, document: &Handoff, sha256: &str, generation: u32) -> Vec<Effect> {
        self.event(EventKind::Handoff(HandoffEvent::Done(Box::new(
            DoneEvent {
                context: Some(152_000),
                window: 200_000,
                degraded: false,
                why: None,
                path: Some(PATH.into()),
                sha256: sha256.to_owned(),
                edited: false,
                sections: Sections::from(document),
                generation,
                from_session: "a".to_owned(),
                to_session: "b".to_owned(),
            },
        ))))
    }

    fn ask(&mut self) {
        self.act(Action::Ask(Box::new(Question {
            name: "bash".to_owned(),
            input: json!({"command": "make"}),
            why: "ask".to_owned(),
        })));
    }

    fn ended(&mut self, failure: Option<Failure>) -> Vec<Effect> {
        self.act(Action::RunEnded(Box::new(result(failure))))
    }

    fn deadends(&self) -> String {
        self.state.editor.document().deadends
    }

    fn now(&self) -> Now {
        now_line(&self.state).now
    }

    fn held(&self) -> Option<bool> {
        self.state.review.as_ref().map(|review| review.held)
    }
}

fn result(failure: Option<Failure>) -> StepResult {
    StepResult {
        run: "r".to_owned(),
        failure,
        session_id: "b".to_owned(),
        attempts: 1,
        retired: Vec::new(),
        generations: Vec::new(),
        context: None,
        cost_usd: None,
        num_turns: 1,
        text: String::new(),
        last_seq: 1,
    }
}

fn key(name: &str) -> KeyEvent {
    let (modifiers, rest) = match name.split_once('-') {
        Some(("ctrl", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("alt", rest)) => (KeyModifiers::ALT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match rest {
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "back" => KeyCode::Backspace,
        "end" => KeyCode::End,
        "up" => KeyCode::Up,
        "f1" => KeyCode::F(1),
        "f4" => KeyCode::F(4),
        letter => KeyCode::Char(letter.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

#[test]
fn tab_goes_round_and_back() {
    let mut bench = Bench::new();
    let mut seen = Vec::new();
    for keys in ["tab", "tab", "tab", "backtab", "backtab", "backtab"] {
        assert_eq!(bench.press(keys), []);
        seen.push(bench.state.pane);
    }
    let (log, editor, message) = (Pane::Log, Pane::Editor, Pane::Message);
    assert_eq!(seen, [editor, message, log, message, editor, log]);
}

#[test]
fn letters_are_text_in_text_fields_and_esc_keeps_it() {
    let mut bench = Bench::new();
    bench.press("alt-3 q a h ? m o c esc");
    assert_eq!(
        (bench.deadends(), bench.state.pane),
        ("qah?moc".to_owned(), Pane::Log)
    );
    assert_eq!(bench.state.overlay, None);
    bench.press("m q a h ? esc");
    assert_eq!(bench.state.message.text(), "qah?");
    assert_eq!((bench.state.pane, &bench.state.overlay), (Pane::Log, &None));
}

#[test]
fn keys_ask_for_things() {
    let cases: [(&str, Vec<Effect>); 7] = [
        ("q", vec![Effect::Quit]),
        ("ctrl-q", vec![Effect::Quit]),
        ("a", vec![Effect::ListArchive]),
        ("ctrl-l", vec![Effect::Repaint]),
        ("f4", vec![]),
        ("ctrl-s", vec![]),
        ("ctrl-g", vec![]),
    ];
    for (keys, effects) in cases {
        assert_eq!(Bench::new().press(keys), effects, "{keys}");
    }
}

#[test]
fn every_key_in_log_and_editor_holds_and_does_its_work_too() {
    for (pane, keys, holds) in [
        (Pane::Log, "up", true),
        (Pane::Log, "z", true),
        (Pane::Log, "tab", true),
        (Pane::Log, "?", true),
        (Pane::Log, "a", true),
        (Pane::Editor, "x", true),
        (Pane::Editor, "up", true),
        (Pane::Editor, "ctrl-s", true),
        (Pane::Editor, "esc", true),
        (Pane::Editor, "ctrl-l", false),
        (Pane::Editor, "ctrl-g", false),
        (Pane::Message, "x", false),
        (Pane::Message, "alt-3", true),
    ] {
        let mut bench = Bench::review();
        bench.state.pane = pane;
        bench.wait(3_000);
        let effects = bench.press(keys);
        assert_eq!(bench.held(), Some(holds), "{pane:?} {keys}");
        assert_eq!(effects.contains(&hold()), holds, "{pane:?} {keys}");
    }
    let mut bench = Bench::review();
    bench.press("x");
    assert_eq!(bench.deadends(), "- 甲\n- 乙x");
}

#[test]
fn pastes_wheel_and_clicks_hold_and_nothing_else_does() {
    for (name, action, holds) in [
        ("paste", Action::Paste("丙".to_owned()), true),
        ("wheel", Action::Wheel(-3), true),
        ("click", Action::Click(5, 10), true),
        ("resize", Action::Resize(80, 24), false),
        ("file", Action::FileChanged, false),
        ("second", Action::Second, false),
    ] {
        let mut bench = Bench::review();
        bench.act(action);
        assert_eq!(bench.held(), Some(holds), "{name}");
    }
}

#[test]
fn a_review_counts_is_held_counts_again_and_swaps() {
    let mut bench = Bench::review();
    assert_eq!(
        (bench.state.pane, bench.state.editor.focus()),
        (Pane::Editor, Section::Deadends)
    );
    bench.wait(6_000);
    assert_eq!(bench.now(), Now::Review { left_s: 24 });
    assert_eq!(bench.press("up"), [hold()]);
    bench.wait(19_000);
    assert_eq!(bench.now(), Now::Held { left_s: 581 });
    assert_eq!(bench.press("alt-h"), [tell(Command::Recount)]);
    assert_eq!(bench.now(), Now::Review { left_s: 30 });
    assert_eq!(bench.press("alt-h"), [hold()]);
    // Nothing is unsaved, so the swap needs no write.
    assert_eq!(bench.press("ctrl-g"), [tell(Command::Go)]);
    assert_eq!(bench.done(&document(), "one", 2), []);
    assert_eq!(
        bench.now(),
        Now::Swapped {
            generation: 2,
            lines: document().to_markdown().lines().count() as u64,
            sha: "one".to_owned(),
            on_disk: true
        }
    );
    bench.wait(10_000);
    assert_eq!(
        bench.now(),
        Now::Working {
            what: String::new(),
            seconds: 0
        }
    );
}

#[test]
fn the_focus_goes_to_the_dead_ends_only_when_nobody_is_busy() {
    for (pane, since_key, expected, noticed) in [
        (Pane::Log, 2_000, Pane::Editor, false),
        (Pane::Log, 1_999, Pane::Log, true),
        (Pane::Message, 60_000, Pane::Message, true),
        (Pane::Editor, 0, Pane::Editor, false),
    ] {
        let mut bench = Bench::new();
        bench.run();
        bench.press("up");
        bench.state.pane = pane;
        bench.wait(since_key);
        let before = bench.state.log.len();
        bench.begin(30);
        assert_eq!(bench.state.pane, expected, "{pane:?} {since_key}");
        // The document's line, the review's, and the way there.
        let added = bench.state.log.len() - before;
        assert_eq!(added, 2 + usize::from(noticed), "{pane:?} {since_key}");
    }
}

#[test]
fn an_unsaved_text_is_written_before_the_swap() {
    let mut bench = Bench::review();
    bench.press("ctrl-end enter 丙");
    let mine = with_deadends("- 甲\n- 乙\n丙");
    assert_eq!(bench.press("ctrl-g"), [save(mine.clone(), "one")]);
    assert_eq!(bench.saved(mine.clone(), "two"), [tell(Command::Go)]);
    bench.done(&mine, "two", 2);
    assert_eq!(bench.state.editor.undelivered(), []);
}

#[test]
fn keys_during_a_write_are_written_too_before_the_swap() {
    let mut bench = Bench::review();
    bench.press("ctrl-end x");
    let first = with_deadends("- 甲\n- 乙x");
    assert_eq!(bench.press("ctrl-s"), [save(first.clone(), "one"), hold()]);
    bench.press("y");
    // The file as it will be is not known yet: neither a write nor the swap may come now.
    assert_eq!(bench.press("ctrl-g"), []);
    let second = with_deadends("- 甲\n- 乙xy");
    assert_eq!(
        bench.saved(first, "two"),
        [save(second.clone(), "two")],
        "the swap waits for the second write"
    );
    assert_eq!(bench.saved(second, "three"), [tell(Command::Go)]);
}

#[test]
fn a_write_that_fails_keeps_the_text_and_does_not_swap() {
    let mut bench = Bench::review();
    bench.press("ctrl-end x");
    let mine = with_deadends("- 甲\n- 乙x");
    bench.press("ctrl-g");
    let full = Err("the disk is full".to_owned());
    assert_eq!(bench.act(Action::Saved(Box::new(mine.clone()), full)), []);
    assert_eq!(bench.deadends(), "- 甲\n- 乙x");
    assert_eq!(
        bench.now(),
        Now::Told {
            words: "the disk is full".to_owned()
        }
    );
    assert_eq!(bench.press("ctrl-g"), [save(mine, "one")]);
}

#[test]
fn a_file_somebody_else_wrote_meanwhile_is_put_together_and_then_swapped() {
    let mut bench = Bench::review();
    bench.press("ctrl-end x");
    let mine = with_deadends("- 甲\n- 乙x");
    bench.press("ctrl-g");
    assert_eq!(
        bench.act(Action::Saved(Box::new(mine.clone()), Ok(None))),
        [load()]
    );
    let theirs = Handoff {
        scene: "README.md".to_owned(),
        ..document()
    };
    let both = Handoff {
        scene: "README.md".to_owned(),
        ..mine
    };
    assert_eq!(
        bench.loaded(theirs, "theirs"),
        [save(both.clone(), "theirs")]
    );
    assert_eq!(bench.saved(both, "two"), [tell(Command::Go)]);
}

#[test]
fn what_is_read_during_a_write_is_read_again_after_it() {
    let mut bench = Bench::review();
    bench.press("ctrl-end x");
    assert_eq!(bench.act(Action::FileChanged), [load()]);
    let mine = with_deadends("- 甲\n- 乙x");
    assert_eq!(bench.press("ctrl-s"), [save(mine.clone(), "one"), hold()]);
    bench.press("y");
    // Read before the write or after it: neither is somebody else's change.
    assert_eq!(bench.loaded(mine.clone(), "two"), []);
    assert_eq!(bench.deadends(), "- 甲\n- 乙xy");
    assert_eq!(bench.saved(mine.clone(), "two"), [load()]);
    assert_eq!(bench.loaded(mine, "two"), []);
    assert!(bench.state.clashes.is_empty());
    assert_eq!(bench.deadends(), "- 甲\n- 乙xy");
}

#[test]
fn a_changed_file_is_read_during_a_review_only() {
    let mut bench = Bench::new();
    assert_eq!(bench.act(Action::FileChanged), []);
    let mut bench = Bench::review();
    assert_eq!(bench.act(Action::FileChanged), [load()]);
    bench.loaded(with_deadends("- 新"), "two");
    assert_eq!(bench.deadends(), "- 新");
    bench.done(&with_deadends("- 新"), "two", 2);
    assert_eq!(bench.act(Action::FileChanged), []);
}

#[test]
fn in_a_conflict_no_text_is_lost_whatever_comes() {
    let conflict = || {
        let mut bench = Bench::review();
        bench.press("ctrl-end x alt-5 ctrl-end 1");
        bench.act(Action::FileChanged);
        bench.loaded(with_deadends("- 它"), "theirs");
        assert_eq!(bench.state.clashes.len(), 1);
        assert_eq!(bench.deadends(), "- 甲\n- 乙x");
        bench
    };
    let beside = |deadends: &str| Handoff {
        scene: "Makefile:121".to_owned(),
        ..with_deadends(deadends)
    };
    // A save writes what is settled and leaves theirs.
    let mut bench = conflict();
    assert_eq!(
        bench.press("ctrl-s"),
        [save(beside("- 它"), "theirs"), hold()]
    );
    // The time-out too; mine is left to be sent.
    let mut bench = conflict();
    let effects = bench.wait(598_000);
    assert_eq!(effects, [save(beside("- 它"), "theirs")]);
    bench.saved(beside("- 它"), "two");
    bench.wait(2_000);
    bench.done(&beside("- 它"), "two", 2);
    let mine = vec!["- 甲".to_owned(), "- 乙x".to_owned()];
    assert_eq!(
        bench.state.editor.undelivered(),
        [(Section::Deadends, mine)]
    );
    // Leaving keeps both.
    let mut bench = conflict();
    let effects = bench.press("esc q y");
    assert_eq!(
        effects,
        [save(beside("- 甲\n- 乙x\n- 它"), "theirs"), Effect::StopRun]
    );
}

#[test]
fn an_empty_required_section_is_told_once() {
    let mut bench = Bench::review();
    bench.press("alt-4 ctrl-a back");
    assert_eq!(
        bench.now(),
        Now::Incomplete {
            section: Section::Next,
            left_s: 600
        }
    );
    assert_eq!(bench.press("ctrl-g"), [hold()]);
    let empty = Handoff {
        next: String::new(),
        ..document()
    };
    assert_eq!(bench.press("ctrl-g"), [save(empty.clone(), "one")]);
    assert_eq!(bench.saved(empty, "two"), [tell(Command::Go)]);
    // The last complete version is what the successor reads, so it is what stands here.
    bench.done(&document(), "one", 2);
    assert_eq!(bench.state.editor.document().next, "跑 make test");
    assert_eq!(bench.state.editor.undelivered(), []);
}

#[test]
fn silence_saves_at_the_last_moment_and_says_so() {
    let mut bench = Bench::review();
    bench.press("ctrl-end x");
    let mine = with_deadends("- 甲\n- 乙x");
    assert_eq!(bench.wait(597_999), []);
    assert_eq!(bench.wait(1), [save(mine.clone(), "one")]);
    bench.saved(mine.clone(), "two");
    assert_eq!(bench.wait(1_990), []);
    bench.done(&mine, "two", 2);
    let timed_out = Now::TimedOut {
        minutes: 10,
        missing: None,
    };
    assert_eq!(bench.now(), timed_out);
    bench.wait(60_000);
    assert_eq!(bench.now(), timed_out);
    bench.press("up");
    assert_ne!(bench.now(), timed_out);
}

#[test]
fn notes_go_with_every_change_and_stand_once_in_every_later_document() {
    let mut bench = Bench::new();
    bench.run();
    bench.press("alt-3");
    let note = |text: &str| tell(Command::Notes(vec![(Section::Deadends, text.to_owned())]));
    assert_eq!(bench.press("-"), [note("-")]);
    assert_eq!(bench.press("x"), [note("-x")]);
    bench.begin(30);
    bench.loaded(with_deadends("- 甲\n-x"), "one");
    assert_eq!(bench.deadends(), "- 甲\n-x");
    bench.press("ctrl-g");
    bench.done(&with_deadends("- 甲\n-x"), "one", 2);
    // A line after the swap goes into the next document; the rest of that is the model's.
    bench.press("ctrl-end enter");
    assert_eq!(bench.press("晚"), [note("晚")]);
    bench.begin(30);
    bench.loaded(with_deadends("- 新的\n晚"), "two");
    assert_eq!(bench.deadends(), "- 新的\n晚");
    assert!(bench.state.clashes.is_empty());
    assert!(!bench.state.editor.dirty());
    assert_eq!(
        bench.state.editor.undelivered(),
        [(Section::Deadends, vec!["晚".to_owned()])]
    );
    // A review that is over before its document was read shows it all the same.
    bench.done(&with_deadends("- 新的\n晚"), "two", 3);
    bench.begin(0);
    bench.done(&with_deadends("- 三"), "three", 4);
    assert_eq!(bench.deadends(), "- 三");
    assert_eq!(bench.loaded(with_deadends("- 三"), "three"), []);
    assert_eq!(bench.deadends(), "- 三");
}

#[test]
fn a_line_typed_while_the_document_was_put_on_disk_follows_it_once() {
    let mut bench = Bench::new();
    bench.run();
    bench.press("alt-3 早");
    bench.begin(30);
    bench.press("enter 晚");
    bench.loaded(with_deadends("- 甲\n早"), "one");
    assert_eq!(bench.deadends(), "- 甲\n早\n晚");
    let mine = with_deadends("- 甲\n早\n晚");
    assert_eq!(bench.press("ctrl-g"), [save(mine, "one")]);
}

#[test]
fn a_late_edit_is_sent_on_request() {
    let mut bench = Bench::review();
    bench.done(&document(), "one", 2);
    assert_eq!(bench.press("alt-c"), []);
    bench.press("ctrl-end enter 丙");
    assert_eq!(bench.now(), Now::NotDelivered { lines: 1 });
    let words = format!("{}\n\n## 走不通的路\n丙", bench.state.texts.app.correction);
    assert_eq!(
        bench.press("alt-c"),
        [tell(Command::Say(words)), tell(Command::Notes(Vec::new()))]
    );
    assert_eq!(bench.state.editor.undelivered(), []);
    // Without a run there is nobody to send it to.
    bench.press("x");
    bench.ended(None);
    assert_eq!(bench.now(), Now::Done);
    assert_eq!(bench.press("alt-c"), []);
}

#[test]
fn permission_opens_by_itself_only_when_nobody_is_busy() {
    for (pane, since_key, opens) in [
        (Pane::Log, 2_000, true),
        (Pane::Log, 1_999, false),
        (Pane::Editor, 60_000, false),
        (Pane::Message, 60_000, false),
    ] {
        let mut bench = Bench::new();
        bench.run();
        bench.press("up");
        bench.state.pane = pane;
        bench.wait(since_key);
        bench.ask();
        assert_eq!(bench.state.overlay.is_some(), opens, "{pane:?} {since_key}");
        assert!(matches!(bench.now(), Now::YourCall { .. }));
    }
}

#[test]
fn permission_is_answered_after_the_first_moment() {
    for (keys, answer) in [
        ("y", Some(PermissionAnswer::Once)),
        ("a", Some(PermissionAnswer::AlwaysPrefix)),
        ("n", Some(PermissionAnswer::No)),
        ("esc", None),
    ] {
        let mut bench = Bench::new();
        bench.run();
        bench.wait(2_000);
        bench.ask();
        let from = bench.state.overlay.clone();
        bench.wait(399);
        if answer.is_some() {
            assert_eq!(bench.press(keys), []);
            assert_eq!(bench.state.overlay, from, "{keys} came too early");
        }
        bench.wait(1);
        assert_eq!(bench.press("x"), []);
        let effects: Vec<Effect> = answer.map(Effect::Answer).into_iter().collect();
        assert_eq!(bench.press(keys), effects);
        assert_eq!(bench.state.overlay, None);
        assert_eq!(bench.state.question.is_some(), answer.is_none());
        if answer.is_none() {
            bench.press("o");
            assert!(matches!(bench.state.overlay, Some(Overlay::Permission(_))));
        }
    }
}

#[test]
fn quitting_is_asked_during_a_run_only() {
    for (keys, effects, asks) in [
        ("q", vec![], true),
        ("q y", vec![Effect::StopRun], false),
        ("q q", vec![Effect::StopRun], false),
        ("q n", vec![], false),
        ("q esc", vec![], false),
        ("q x", vec![], true),
    ] {
        let mut bench = Bench::new();
        bench.run();
        assert_eq!(bench.press(keys), effects, "{keys}");
        assert_eq!(bench.state.overlay == Some(Overlay::Quit), asks, "{keys}");
    }
    let mut bench = Bench::new();
    bench.run();
    bench.press("q y");
    assert_eq!(bench.ended(Some(Failure::Interrupted)), [Effect::Quit]);
}

#[test]
fn leaving_waits_for_the_disk() {
    let mut bench = Bench::review();
    bench.press("ctrl-end x");
    let mine = with_deadends("- 甲\n- 乙x");
    bench.press("esc q");
    assert_eq!(
        bench.press("y"),
        [save(mine.clone(), "one"), Effect::StopRun]
    );
    assert_eq!(bench.ended(Some(Failure::Interrupted)), []);
    assert_eq!(bench.saved(mine.clone(), "two"), [Effect::Quit]);
    // A disk that refuses keeps the person here once; a signal does not ask.
    for (signal, first) in [(false, vec![]), (true, vec![Effect::Quit])] {
        let mut bench = Bench::review();
        bench.press("ctrl-end x esc");
        bench.ended(None);
        if signal {
            bench.act(Action::Stop);
        } else {
            bench.press("q");
        }
        let full = Err("full".to_owned());
        assert_eq!(
            bench.act(Action::Saved(Box::new(mine.clone()), full)),
            first
        );
        // What no handoff has taken is kept beside it.
        let kept = vec![(Section::Deadends, vec!["- 乙x".to_owned()])];
        assert_eq!(
            bench.press("q"),
            [Effect::KeepDraft(kept), Effect::Quit],
            "signal {signal}"
        );
    }
}

#[test]
fn the_persons_editor_opens_when_the_file_has_all_text() {
    let mut bench = Bench::review();
    assert_eq!(bench.press("f4"), [Effect::Edit(PATH.into()), hold()]);
    assert_eq!(
        bench.act(Action::EditorClosed(None)),
        [hold(), load(), Effect::Repaint]
    );
    bench.loaded(document(), "one");
    bench.press("ctrl-end x");
    let mine = with_deadends("- 甲\n- 乙x");
    assert_eq!(bench.press("f4"), [save(mine.clone(), "one"), hold()]);
    assert_eq!(bench.saved(mine, "two"), [Effect::Edit(PATH.into())]);
}

#[test]
fn ctrl_c_interrupts_and_twice_within_two_seconds_leaves() {
    for (wait, between, effects) in [
        (1_999, None, vec![Effect::StopRun]),
        (2_000, None, vec![tell(Command::Interrupt)]),
        (0, Some("x"), vec![tell(Command::Interrupt)]),
    ] {
        let mut bench = Bench::new();
        bench.run();
        bench.press("m");
        assert_eq!(bench.press("ctrl-c"), [tell(Command::Interrupt)]);
        if let Some(keys) = between {
            bench.press(keys);
        }
        bench.wait(wait);
        assert_eq!(bench.press("ctrl-c"), effects, "{wait} {between:?}");
    }
    let mut bench = Bench::new();
    assert_eq!(bench.press("ctrl-c"), []);
    assert_eq!(bench.press("ctrl-c"), [Effect::Quit]);
}

#[test]
fn a_message_is_said_or_begins_a_run() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.press("m 好 enter"),
        [Effect::Start(Some("好".to_owned()))]
    );
    assert_eq!(
        bench.press("再 enter"),
        [tell(Command::Say("再".to_owned()))]
    );
    bench.ended(None);
    assert_eq!(
        bench.press("又 enter"),
        [Effect::Start(Some("又".to_owned()))]
    );
}

#[test]
fn other_conversations_and_estimates_never_move_the_gauge() {
    let mut bench = Bench::new();
    bench.run();
    let usage = |thread: &str, context, window| {
        EventKind::Usage(UsageEvent {
            context: Some(context),
            peak: context,
            window,
            at: None,
            warn_at: None,
            thread: thread.to_owned(),
            input: context,
            cache_read: 0,
            cache_creation: 0,
            output: 0,
            cost_usd: None,
            estimated: false,
            partial: false,
        })
    };
    bench.event(usage("main", 60_000, 200_000));
    bench.event(usage("t1", 180_000, 100_000));
    let gauge = &bench.state.gauge;
    assert_eq!(gauge.level.context, Some(60_000));
    assert_eq!(gauge.level.policy.window, 200_000);
    assert_eq!(
        (gauge.spent_tokens, &gauge.window_source),
        (240_000, &WindowSource::Flag)
    );
    bench.event(usage("main", 61_000, 128_000));
    let gauge = &bench.state.gauge;
    assert_eq!(gauge.level.policy.window, 128_000);
    assert_eq!(gauge.window_source, WindowSource::Learned);
}

#[test]
fn a_run_that_ends_leaves_nothing_going() {
    for failed in [false, true] {
        let mut bench = Bench::review();
        bench.press("ctrl-end x");
        bench.ask();
        if failed {
            bench.act(Action::RunFailed("broke off".to_owned()));
        } else {
            bench.ended(None);
        }
        assert_eq!(bench.state.review, None);
        assert_eq!(bench.state.question, None);
        assert!(!bench.state.ticks());
        assert_eq!(bench.deadends(), "- 甲\n- 乙x");
    }
}

#[test]
fn late_news_does_no_harm() {
    let mut bench = Bench::new();
    // Closed before it was listed.
    bench.press("a esc f1");
    let help = bench.state.overlay.clone();
    bench.act(Action::Archive(Err("no".to_owned()), "20261201".to_owned()));
    bench.act(Action::Archive(Ok(Vec::new()), "20261201".to_owned()));
    bench.act(Action::Preview(7, Err("no".to_owned())));
    assert_eq!(
        (&bench.state.overlay, bench.state.archive.is_none()),
        (&help, true)
    );
    bench.saved(document(), "x");
    bench.act(Action::EditorClosed(Some("no".to_owned())));
    bench.ended(None);
    bench.press("esc");
    assert_eq!(bench.now(), Now::Done);
}

fn happens(kind: EventKind) -> Action {
    Action::Event(Arc::new(Event {
        seq: 1,
        time: "2026-12-01T14:00:00Z".to_owned(),
        kind,
    }))
}

/// A document that somebody may have written: with other dead ends, or another decision.
fn theirs(text: &str) -> Handoff {
    match text {
        "定" => Handoff {
            decided: "- 它定的".to_owned(),
            ..document()
        },
        text => with_deadends(text),
    }
}

/// Anything that may happen.
fn anything() -> impl Strategy<Value = Action> {
    let keys = prop::sample::select(vec![
        "tab", "backtab", "enter", "esc", "back", "up", "end", "f1", "f4", "ctrl-s", "ctrl-g",
        "ctrl-c", "ctrl-q", "ctrl-l", "ctrl-z", "ctrl-a", "alt-1", "alt-3", "alt-4", "alt-h",
        "alt-c", "alt-o", "alt-a", "alt-m", "a", "y", "n", "q", "h", "中", "?",
    ]);
    let files = prop::sample::select(vec!["- 甲", "- 甲\n- 乙", "", "- 新\n- 乙", "定"]);
    prop_oneof![
        12 => keys.prop_map(|name| Action::Key(key(name))),
        2 => "\\PC{0,12}".prop_map(Action::Paste),
        1 => (-9_i64..9).prop_map(Action::Wheel),
        1 => (0_u16..130, 0_u16..50).prop_map(|(x, y)| Action::Click(x, y)),
        2 => (0_u16..130, 0_u16..50).prop_map(|(x, y)| Action::Resize(x, y)),
        1 => Just(()).prop_map(|()| Action::FileChanged),
        2 => Just(()).prop_map(|()| Action::Second),
        1 => Just(()).prop_map(|()| Action::RunEnded(Box::new(result(None)))),
        1 => Just(()).prop_map(|()| Action::RunFailed("broke".to_owned())),
        1 => Just(()).prop_map(|()| Action::EditorClosed(None)),
        1 => Just(()).prop_map(|()| Action::Archive(Ok(Vec::new()), "20261201".to_owned())),
        1 => Just(()).prop_map(|()| Action::Ask(Box::new(Question {
            name: "edit".to_owned(),
            input: json!({"path": "甲.c", "old": "a", "new": "中"}),
            why: "ask".to_owned(),
        }))),
        1 => Just(()).prop_map(|()| happens(EventKind::Run {
            run: "r".to_owned(), workspace: "/w".into(), model: "m".to_owned(), version: "1".into(),
        })),
        1 => Just(()).prop_map(|()| happens(EventKind::Handoff(HandoffEvent::Writing { context: None, window: 9 }))),
        2 => Just(()).prop_map(|()| happens(EventKind::Handoff(HandoffEvent::Review { path: Some(PATH.into()), deadline_s: 30 }))),
        2 => files.clone().prop_map(move |text| {
            let document = theirs(text);
            happens(EventKind::Handoff(HandoffEvent::Done(Box::new(DoneEvent {
                context: None,
                window: 9,
                degraded: text.is_empty(),
                why: text.is_empty().then(|| "cut".to_owned()),
                path: Some(PATH.into()),
                sha256: text.to_owned(),
                edited: false,
                sections: Sections::from(&document),
                generation: 2,
                from_session: "a".to_owned(),
                to_session: "b".to_owned(),
            }))))
        }),
        3 => files.clone().prop_map(|text| Action::Loaded(Ok(Box::new(Loaded {
            path: PathBuf::from(PATH),
            bytes: Vec::new(),
            handoff: theirs(text),
            sha256: text.to_owned(),
        })))),
        1 => Just(()).prop_map(|()| Action::Loaded(Err("gone".to_owned()))),
        1 => Just(()).prop_map(|()| Action::Saved(Box::new(document()), Ok(None))),
        1 => Just(()).prop_map(|()| Action::Saved(Box::new(document()), Err("full".to_owned()))),
        1 => files.prop_map(|text| {
            Action::Saved(Box::new(theirs(text)), Ok(Some(text.to_owned())))
        }),
    ]
}

fn said(effects: &[Effect], line: &str) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Tell(Command::Say(text)) if text.contains(line)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(128)
    })]

    /// Whatever happens, in whatever order: what a person has typed stays, in the text, in what was
    /// written or in what was said.
    #[test]
    fn nothing_that_was_typed_is_ever_lost(
        before in prop::collection::vec(anything(), 0..12),
        after in prop::collection::vec(anything(), 0..24),
    ) {
        let mut bench = Bench::new();
        bench.run();
        for action in before {
            bench.elapsed += Duration::from_millis(700);
            bench.act(action);
        }
        bench.state.overlay = None;
        bench.press("alt-2 ctrl-end enter");
        bench.act(Action::Paste("我写的一行".to_owned()));
        bench.state.message.insert("话");
        bench.press("alt-3");
        for action in after {
            // What the person takes away is not lost.
            let erases = match &action {
                Action::Key(key) => matches!(
                    (key.code, key.modifiers),
                    (KeyCode::Backspace, _) | (KeyCode::Char('z' | '2'), _) | (KeyCode::Enter, _)
                ),
                _ => false,
            };
            if erases {
                continue;
            }
            bench.elapsed += Duration::from_millis(700);
            // The cursor keys may lead into that section, where keys would type over a selection.
            if bench.state.editor.focus() == Section::Decided {
                bench.state.editor.focus_section(Section::Deadends);
            }
            let told = bench.act(action);
            if said(&told, "我写的一行") {
                return Ok(());
            }
            let decided = bench.state.editor.document().decided;
            prop_assert!(decided.contains("我写的一行"), "{decided:?}");
            prop_assert!(bench.state.message.text().contains('话'));
        }
    }
}
