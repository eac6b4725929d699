//! Which words an event becomes.

use serde_json::json;

use super::*;
use crate::runtime::event::{
    DoneEvent, GenerationRow, HandoffEvent, ResultEvent, Sections, UsageEvent,
};

/// The last entry as `word|text|body|…`.
fn last(log: &Log) -> String {
    let Some(entry) = log.entries.back() else {
        return String::new();
    };
    let word = entry.kind().word(&log.texts.log.kinds);
    let mut shown = format!("{word}|{}", entry.text());
    for line in entry.body() {
        let number = line.number.map_or(String::new(), |n| n.to_string());
        let sign = match line.mark {
            Mark::None => "",
            Mark::Added => "+",
            Mark::Removed => "-",
        };
        shown.push_str(&format!("|{number}{sign}{}", line.text));
    }
    shown
}

fn session(generation: u32, resumed: bool) -> EventKind {
    EventKind::Session {
        session_id: "5e1c9b27-ffff".to_owned(),
        generation,
        resumed,
        window: 200_000,
        window_source: "flag".into(),
        at: Some(150_000),
        warn_at: Some(130_000),
    }
}

fn done(why: Option<&str>, path: Option<&str>) -> EventKind {
    EventKind::Handoff(HandoffEvent::Done(Box::new(DoneEvent {
        context: Some(152_000),
        window: 200_000,
        degraded: why.is_some(),
        why: why.map(str::to_owned),
        path: path.map(Into::into),
        sha256: "3f9a1c2effff".to_owned(),
        edited: path.is_some(),
        sections: Sections::default(),
        generation: 2,
        from_session: "5e1c9b27-ffff".to_owned(),
        to_session: "9b27d0e4-ffff".to_owned(),
    })))
}

fn finished(ok: bool) -> EventKind {
    EventKind::Result(ResultEvent {
        ok,
        error: (!ok).then(|| "401: bad key".to_owned()),
        session_id: None,
        attempts: 1,
        retired: Vec::new(),
        context: Some(48_300),
        cost_usd: ok.then_some(2.476),
        num_turns: 31,
        generations: vec![GenerationRow {
            session_id: String::new(),
            context: None,
            peak: 0,
            cost_usd: None,
            num_turns: 0,
            degraded: false,
            why: None,
            document: None,
            sha256: None,
            edited: false,
        }],
    })
}

fn usage(thread: &str, window: u64) -> EventKind {
    EventKind::Usage(UsageEvent {
        context: Some(150_000),
        peak: 0,
        window,
        at: Some(100_000),
        warn_at: None,
        thread: thread.to_owned(),
        input: 0,
        cache_read: 0,
        cache_creation: 0,
        output: 0,
        cost_usd: None,
        estimated: false,
        partial: false,
    })
}

#[test]
fn every_event_has_its_words() {
    let retry = EventKind::Retry {
        attempt: 2,
        max_attempts: 6,
        delay_ms: 8_500,
        message: "reset\u{1b}[2J".to_owned(),
        class: "transient".into(),
    };
    let error = |class| EventKind::Error {
        message: "盘满了 \u{1b}]52;c;QQ==\u{7}".to_owned(),
        class,
    };
    let writing = |context| {
        EventKind::Handoff(HandoffEvent::Writing {
            context,
            window: 128_000,
        })
    };
    let step = |task: Option<&str>| EventKind::Step {
        step: "干活".to_owned(),
        task: task.map(str::to_owned),
    };
    let rows = [
        (
            step(Some("修好它\n别改源码")),
            "你|修好它\n别改源码",
            "you|修好它\n别改源码",
        ),
        (step(None), "", ""),
        (
            session(1, false),
            "会话|第 1 代，会话 5e1c9b27，窗口 200K 来自 --window",
            "start|generation 1, session 5e1c9b27, window 200K from --window",
        ),
        (
            session(2, true),
            "会话|接着第 2 代干，会话 5e1c9b27，窗口 200K 来自 --window",
            "start|going on with generation 2, session 5e1c9b27, window 200K from --window",
        ),
        (text(" \n说完了。\n\n"), "说话|说完了。", "says|说完了。"),
        (text(" \n "), "", ""),
        (
            EventKind::Text {
                text: "说到一".to_owned(),
                partial: true,
                from_person: false,
            },
            "说话|说到一 （断在这里）",
            "says|说到一 (cut here)",
        ),
        (
            EventKind::Thinking {
                text: "想".to_owned(),
            },
            "思考|想",
            "thinks|想",
        ),
        (
            EventKind::Handoff(HandoffEvent::Near {
                context: 130_200,
                window: 200_000,
                at: 150_000,
            }),
            "提醒|130.2K 过提醒线，还有 19.8K 到换代",
            "near|130.2K passed the warn line, 19.8K to handoff",
        ),
        (
            writing(Some(152_000)),
            "到线|152.0K。请会话写交接",
            "due|152.0K. The session writes its handoff",
        ),
        (
            writing(None),
            "到线|装不下了（窗口 128K），换代",
            "due|It does not fit (window 128K), handing over",
        ),
        (
            EventKind::Handoff(HandoffEvent::Review {
                path: None,
                deadline_s: 30,
            }),
            "复核|30 秒内可改。不管它也会换代",
            "review|30 s, swaps by itself if nobody is here",
        ),
        (
            done(None, Some("/w/notes/交接-干活.md")),
            "换代|第 2 代读 交接-干活.md\nsha 3f9a1c2e，你改过\n会话 5e1c9b27 -> 9b27d0e4",
            "swap|generation 2 reads 交接-干活.md\nsha 3f9a1c2e, edited by you\nsession 5e1c9b27 -> 9b27d0e4",
        ),
        (
            done(Some("cut\noff"), None),
            "换代|第 2 代从提示词里读交接，不在盘上\nsha 3f9a1c2e\n用了降级件：cut off\n会话 5e1c9b27 -> 9b27d0e4",
            "swap|generation 2 reads the handoff in its prompt, it is not on disk\nsha 3f9a1c2e\nDegraded handoff: cut off\nsession 5e1c9b27 -> 9b27d0e4",
        ),
        (
            retry,
            "重试|第 2/6 次重试，8.5 s 后。reset^[[2J",
            "retry|retry 2 of 6 in 8.5 s. reset^[[2J",
        ),
        (
            error("fatal".into()),
            "出错|盘满了 ^[]52;c;QQ==^G",
            "error|盘满了 ^[]52;c;QQ==^G",
        ),
        (
            error("warning".into()),
            "注意|盘满了 ^[]52;c;QQ==^G",
            "notice|盘满了 ^[]52;c;QQ==^G",
        ),
        (
            finished(true),
            "做完|31 轮，1 代，上下文 48.3K，花费 $2.48",
            "done|turns 31, generations 1, context 48.3K, cost $2.48",
        ),
        (
            finished(false),
            "停了|401: bad key\n31 轮，1 代，上下文 48.3K，花费 未知",
            "stopped|401: bad key\nturns 31, generations 1, context 48.3K, cost unknown",
        ),
        (usage("main", 200_000), "", ""),
        (
            usage("审查-1", 200_000),
            "支线|审查-1   150.0K / 200K  75.0%",
            "sub|审查-1   150.0K / 200K  75.0%",
        ),
    ];
    for (event, zh, en) in rows {
        for (lang, expected) in [(Lang::Zh, zh), (Lang::En, en)] {
            let mut log = log(lang);
            push(&mut log, event.clone());
            assert_eq!(last(&log), expected, "{event:?}");
        }
    }
}

#[test]
fn calls_say_what_is_done_and_results_what_came_of_it() {
    let rows = [
        (
            call("Bash", json!({"command": "make\n\ttest\u{1b}[2J"})),
            "bash|make     test^[[2J",
            result("a\r\nb\u{7}\n[exit status 0]", false),
            "bash|make     test^[[2J|a|b^G",
            End::Ok,
        ),
        (
            call("bash", json!({"command": "false"})),
            "bash|false",
            result("[exit status 1, no output]", true),
            "bash|false|[exit status 1, no output]",
            End::Failed,
        ),
        (
            call("read", json!({"path": "src/签名.c"})),
            "read|src/签名.c",
            result("一\n二\n[more lines follow; continue with offset 3]", false),
            "read|src/签名.c|一|二|[more lines follow; continue with offset 3]",
            End::Lines(2),
        ),
        (
            call("write", json!({"path": "a.md", "content": "x\ny\n"})),
            "write|a.md|+x|+y",
            result("Wrote a.md", false),
            "write|a.md|+x|+y",
            End::Lines(2),
        ),
        (
            call(
                "edit",
                json!({"path": "M", "old": "a\nb\nc\n", "new": "a\nB\nB2\nc\n"}),
            ),
            "edit|M|2-b|2+B|3+B2",
            result("Edited M at line 18.", false),
            "edit|M|19-b|19+B|20+B2",
            End::Changed {
                added: 2,
                removed: 1,
            },
        ),
        (
            call(
                "edit",
                json!({"path": "M", "old": "a", "new": "b", "all": true}),
            ),
            "edit|M|1-a|1+b",
            result("Edited M in 3 places (lines 1, 5, 9).", false),
            "edit|M|1-a|1+b",
            End::Changed {
                added: 3,
                removed: 3,
            },
        ),
        (
            call("edit", json!({"path": "src/sig.c", "old": "a", "new": "b"})),
            "edit|src/sig.c|1-a|1+b",
            result("Refused: the person said no.", true),
            "edit|src/sig.c|Refused: the person said no.|1-a|1+b",
            End::Refused,
        ),
        (
            call("search", json!({"pattern": "sig", "path": "src"})),
            "search|sig in src",
            result("src/a.c:1: sig\n[nothing more]", false),
            "search|sig in src|src/a.c:1: sig|[nothing more]",
            End::Found(1),
        ),
        (
            call("Glob", json!({"glob": "*.rs"})),
            "search|*.rs",
            result("[nothing found]", false),
            "search|*.rs|[nothing found]",
            End::Found(0),
        ),
        (
            call(
                "plan",
                json!({"items": [{"text": "一", "status": "done"}, {"text": "b", "status": "doing"}, "c"]}),
            ),
            "plan|1 todo, 1 doing, 1 done|[x] 一|[>] b|[ ] c",
            result("Plan kept", false),
            "plan|1 todo, 1 doing, 1 done|[x] 一|[>] b|[ ] c",
            End::Ok,
        ),
        (
            call("web\u{1b}]0;x", json!({"url": "http://x\u{7}"})),
            "web^[]0;x|http://x^G",
            result("not run: interrupted", true),
            "web^[]0;x|http://x^G|not run: interrupted",
            End::NoResult,
        ),
        (
            call("odd", json!({"a": 1, "b": [2]})),
            "odd|{\"a\":1,\"b\":[2]}",
            result("", false),
            "odd|{\"a\":1,\"b\":[2]}",
            End::Ok,
        ),
        (
            call("bash", json!("no object")),
            "bash|\"no object\"",
            result("x", false),
            "bash|\"no object\"|x",
            End::Ok,
        ),
    ];
    for (begun, running, ended, shown, end) in rows {
        let mut log = log(Lang::En);
        push_at(&mut log, 0, begun.clone());
        assert_eq!(last(&log), running, "{begun:?}");
        let started = "2026-12-01T12:00:00Z".parse().ok();
        assert_eq!(log.entries[0].outcome(), Outcome::Running(started));
        push_at(&mut log, 6_200, ended);
        assert_eq!(last(&log), shown, "{begun:?}");
        let Outcome::Ended(_, ending) = log.entries[0].outcome() else {
            panic!("{begun:?} still runs");
        };
        assert_eq!(ending, end, "{begun:?}");
        assert_eq!((log.len(), log.is_anything_running()), (1, false));
    }
}

#[test]
fn a_call_knows_how_long_it_took() {
    let mut log = log(Lang::En);
    push_at(&mut log, 0, call("bash", json!({"command": "make"})));
    push_at(&mut log, 6_200, result("", false));
    assert_eq!(
        log.entries[0].outcome(),
        Outcome::Ended(Some(6_200), End::Ok)
    );
    // A clock that was set back is no reason for a number from nowhere.
    push_at(&mut log, 9_000, call("bash", json!({"command": "make"})));
    push_at(&mut log, 1_000, result("", false));
    assert_eq!(log.entries[1].outcome(), Outcome::Ended(Some(0), End::Ok));
    for (milliseconds, shown) in [
        (0, "0.00 s"),
        (20, "0.02 s"),
        (94, "0.09 s"),
        (95, "0.1 s"),
        (9_949, "9.9 s"),
        (9_950, "10 s"),
        (59_499, "59 s"),
        (59_500, "1:00"),
        (3_725_000, "1:02:05"),
    ] {
        assert_eq!(duration(milliseconds), shown, "{milliseconds}");
    }
}

#[test]
fn results_find_their_calls_and_what_never_ends_is_closed() {
    let mut log = log(Lang::En);
    let named = |id: &str, text: &str| EventKind::ToolResult {
        id: id.to_owned(),
        text: text.to_owned(),
        is_error: false,
    };
    for id in ["a", "b", "c"] {
        push(
            &mut log,
            EventKind::ToolCall {
                id: id.to_owned(),
                name: "bash".to_owned(),
                input: json!({"command": id}),
            },
        );
    }
    push(&mut log, named("b", "second"));
    push(&mut log, named("a", "first"));
    push(&mut log, named("gone", "whose?"));
    push(&mut log, finished(true));
    let shown: Vec<_> = log
        .entries
        .iter()
        .map(|entry| {
            let body = entry.body().first().map_or("", |line| line.text.as_str());
            (entry.text().to_owned(), body.to_owned(), entry.outcome())
        })
        .take(4)
        .collect();
    let row = |text: &str, body: &str, outcome| (text.to_owned(), body.to_owned(), outcome);
    assert_eq!(
        shown,
        [
            row("a", "first", Outcome::Ended(Some(0), End::Ok)),
            row("b", "second", Outcome::Ended(Some(0), End::Ok)),
            row("c", "", Outcome::Ended(None, End::NoResult)),
            row("", "whose?", Outcome::Ended(None, End::Ok)),
        ]
    );
}

#[test]
fn pieces_of_an_answer_grow_one_entry_that_the_whole_replaces() {
    let mut log = log(Lang::En);
    for piece in ["\n\n", "Shim wor", "ks\u{1b}[2J", "，下一步\r", "\nnext"] {
        log.delta(piece, "12:00:00");
    }
    assert_eq!(last(&log), "says|Shim works^[[2J，下一步\nnext");
    log.note(Kind::You, "keep going", "12:00:01");
    log.delta(" one", "12:00:02");
    assert_eq!(log.entries[0].text(), "Shim works^[[2J，下一步\nnext one");
    push(&mut log, text("Shim works."));
    assert_eq!(log.entries[0].text(), "Shim works.");
    assert_eq!(log.len(), 2);
    log.delta("another", "12:00:03");
    assert_eq!(last(&log), "says|another");
    push(&mut log, call("bash", json!({"command": "x"})));
    assert_eq!(log.entries[2].text(), "another (cut here)");
}

#[test]
fn growing_rows_are_those_of_the_whole_text() {
    let words = "一段很长的话 with words，👩\u{200d}🔬 and e\u{301} more\nand a second line 中文 ";
    let whole = words.repeat(6);
    for cut in [1, 2, 3, 7] {
        let mut grown = log(Lang::Zh);
        let letters: Vec<char> = whole.chars().collect();
        for piece in letters.chunks(cut) {
            grown.delta(&piece.iter().collect::<String>(), "12:00:00");
        }
        let mut fresh = log(Lang::Zh);
        fresh.delta(&whole, "12:00:00");
        assert_eq!(grown.rows_of(0), fresh.rows_of(0), "pieces of {cut}");
    }
}

#[test]
fn what_is_learned_of_a_document_joins_its_entries() {
    let mut log = log(Lang::En);
    let review = EventKind::Handoff(HandoffEvent::Review {
        path: Some("/w/交接-干活.md".into()),
        deadline_s: 30,
    });
    push(&mut log, review);
    let document = |lines, changed| Document { lines, changed };
    assert_eq!(log.entries[0].text(), "交接-干活.md");
    log.describe("81d07b44ffff", document(39, None));
    assert_eq!(
        log.entries[0].text(),
        "交接-干活.md  39 lines  sha 81d07b44"
    );
    push(&mut log, done(None, Some("/w/交接-干活.md")));
    log.describe("00000000", document(1, None));
    log.describe("3f9a1c2effff", document(41, Some((2, 0))));
    assert_eq!(
        last(&log),
        "swap|generation 2 reads 交接-干活.md\n41 lines, sha 3f9a1c2e, edited by you (+2 -0)\n\
         session 5e1c9b27 -> 9b27d0e4"
    );
}

#[test]
fn another_window_is_said_and_the_mark_is_remembered() {
    let mut log = log(Lang::En);
    push(&mut log, session(1, false));
    push(&mut log, usage("main", 128_000));
    assert_eq!(last(&log), "notice|window 200K -> 128K");
    let writing = EventKind::Handoff(HandoffEvent::Writing {
        context: Some(110_000),
        window: 128_000,
    });
    push(&mut log, writing);
    assert_eq!(
        last(&log),
        "due|110.0K, hand-over line 100K. The session writes its handoff"
    );
    push(&mut log, session(2, false));
    assert_eq!(last(&log), "notice|window 128K -> 200K, from --window");
    push(&mut log, usage("sub", 200_000));
    push(&mut log, usage("sub", 300_000));
    assert_eq!(last(&log), "sub|sub   150.0K / 300K  50.0%");
}
