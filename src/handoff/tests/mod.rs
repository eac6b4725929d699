//! Documents in, whole values out.

mod documents;
mod law;

use super::*;

/// A document without a stamp, from `field: body` pairs; `preamble` and `en` are fields here.
fn handoff(fields: &[(&str, &str)]) -> Handoff {
    let mut handoff = Handoff::default();
    for (field, body) in fields {
        let body = (*body).to_owned();
        match *field {
            "doing" => handoff.doing = body,
            "decided" => handoff.decided = body,
            "deadends" => handoff.deadends = body,
            "next" => handoff.next = body,
            "scene" => handoff.scene = body,
            "preamble" => handoff.preamble = body,
            "en" => handoff.lang = DocumentLang::En,
            "step" => handoff.stamp.step = body,
            other => panic!("no field {other}"),
        }
    }
    handoff
}

fn stamp() -> Stamp {
    Stamp {
        step: "干活".to_owned(),
        generation: 2,
        session: "3f9a".to_owned(),
        context: 152_000,
        window: 200_000,
        written: Some("2026-12-01T14:09:27Z".parse().unwrap()),
        degraded: false,
    }
}

#[test]
fn the_file_is_printed_as_documented() {
    let document = handoff(&[
        ("doing", "修构建"),
        ("next", "跑 make\n\n然后提交"),
        ("preamble", "先看这里"),
    ])
    .stamped(&stamp());
    assert_eq!(
        document.to_markdown(),
        "# 交接书(干活)\n\n\
         > 这份文档可以改。接班的会话读的就是这个文件，换代那一刻从盘上重新读。\n\n\
         先看这里\n\n\
         ## 现在在做什么\n\n修构建\n\n\
         ## 已经定下的\n\n(空)\n\n\
         ## 走不通的路\n\n(空)\n\n\
         ## 下一步\n\n跑 make\n\n然后提交\n\n\
         ## 现场\n\n(空)\n\n\
         <!-- flower: {\"step\":\"干活\",\"generation\":2,\"session\":\"3f9a\",\"context\":152000,\
         \"window\":200000,\"written\":\"2026-12-01T14:09:27Z\",\"degraded\":false} -->\n"
    );
    assert_eq!(Handoff::parse(document.to_markdown()), document);

    let english = handoff(&[("en", ""), ("next", "run make")]).stamped(&stamp());
    let text = english.to_markdown();
    assert!(text.starts_with("# Handoff(干活)\n\n> You may edit this document."));
    assert!(text.contains("## Doing\n\n(empty)\n\n## Decided\n\n(empty)\n\n## Dead ends\n\n"));
    assert_eq!(Handoff::parse(text), english);
}

#[test]
fn missing_names_only_the_required_fields() {
    for (fields, missing) in [
        (vec![], vec!["doing", "next"]),
        (vec![("doing", "a")], vec!["next"]),
        (vec![("next", "a")], vec!["doing"]),
        (vec![("doing", "a"), ("next", " \n\t")], vec!["next"]),
        (
            vec![("doing", "（空）"), ("next", "(None)")],
            vec!["doing", "next"],
        ),
        (vec![("doing", "a"), ("next", "b")], vec![]),
    ] {
        let handoff = handoff(&fields);
        assert_eq!(handoff.missing(), missing, "{fields:?}");
        assert_eq!(handoff.complete(), missing.is_empty());
    }
}

#[test]
fn the_prompt_block_has_the_non_empty_sections_to_the_letter() {
    let document = handoff(&[
        ("doing", "  a  \n\n\\## 下一步"),
        ("decided", " "),
        ("deadends", "(空)"),
        ("next", "```\n## 现场"),
    ]);
    assert_eq!(
        document.prompt_block(),
        "## 现在在做什么\n\n  a  \n\n\\## 下一步\n\n## 下一步\n\n```\n## 现场\n"
    );
    assert_eq!(handoff(&[]).prompt_block(), "");
}

#[test]
fn a_degraded_document_is_complete_and_says_what_it_is() {
    for lang in [DocumentLang::Zh, DocumentLang::En] {
        let task = "字".repeat(1_300);
        let document = degraded(
            "步\n骤",
            "断网了\u{1b}[2J\n第二行",
            &task,
            lang,
            Some("- edit src/a.rs"),
        );
        assert!(document.degraded() && document.complete());
        assert!(document.doing.starts_with("[降级:交接没写成]"));
        assert!(document.doing.contains("步 骤") && document.doing.contains("断网了 [2J 第二行"));
        assert!(document.next.contains(".flower/notes/") && document.next.contains("git status"));
        let start = "字".repeat(1_200);
        let rest = document.scene.strip_prefix(&start).unwrap();
        assert!(!rest.contains('字') || lang == DocumentLang::Zh);
        assert!(rest.starts_with("\n\n") && rest.ends_with("- edit src/a.rs"));
        assert_eq!(Handoff::parse(document.to_markdown()), document);
        assert_eq!(document.stamp.step, "步\n骤");
    }
    let mut edited = degraded("a", "b", "c", DocumentLang::Zh, None);
    assert_eq!(edited.scene, "c");
    edited.doing = format!("人改过。{}", edited.doing);
    assert!(!edited.degraded());
}

#[test]
fn the_task_is_cut_between_visible_signs() {
    let cut = |task: &str| degraded("a", "b", task, DocumentLang::Zh, None).scene;
    let family = "👩‍👩‍👧‍👦";
    let task = format!("{}{family}后面", "x".repeat(1_199));
    assert!(cut(&task).starts_with(&format!("{}{family}\n\n（", "x".repeat(1_199))));
    let accents = format!("{}e{}", "x".repeat(1_199), "\u{301}".repeat(500));
    assert!(cut(&accents).starts_with(&format!("{}e\n\n（", "x".repeat(1_199))));
    assert_eq!(cut(&"x".repeat(1_200)), "x".repeat(1_200));
}

#[test]
fn stamps_hold_any_value() {
    let hostile = Stamp {
        step: "--> <!-- flower: {\"step\":\"x\"} -->\n\r\u{0}\"\\".to_owned(),
        session: "-->".to_owned(),
        generation: u32::MAX,
        context: u64::MAX,
        ..stamp()
    };
    let line = hostile.to_line();
    assert_eq!(line.matches("-->").count(), 1);
    assert_eq!(line.lines().count(), 1);
    assert_eq!(Stamp::from_line(&line), Some(hostile));
}

#[test]
fn stamps_of_strangers_are_read_with_care() {
    let named = |step: &str| {
        Some(Stamp {
            step: step.to_owned(),
            ..Stamp::default()
        })
    };
    let deep = format!(
        "<!-- flower: {}1{} -->",
        "[".repeat(9_999),
        "]".repeat(9_999)
    );
    for (line, stamp) in [
        ("<!-- flower: {\"step\":\"a\"} -->", named("a")),
        ("  <!-- flower: {\"step\":\"a\"} -->  ", named("a")),
        ("<!-- flower:{\"step\":\"\"}-->", named("")),
        (
            "<!-- flower: {\"step\":\"a\",\"generation\":-1,\"session\":7,\"context\":1e99,\"window\":\"x\",\"written\":\"soon\",\"degraded\":\"yes\"} -->",
            named("a"),
        ),
        (
            "<!-- flower: {\"step\":\"a\",\"generation\":4294967296} -->",
            named("a"),
        ),
        ("<!-- flower: {\"step\":1} -->", None),
        ("<!-- flower: {} -->", None),
        ("<!-- flower: [] -->", None),
        ("<!-- flower: null -->", None),
        ("<!-- flower: {\"step\":\"a\" -->", None),
        ("<!-- flower -->", None),
        ("<!-- flower: -->", None),
        ("<!-- flowers: {\"step\":\"a\"} -->", None),
        ("<!-- flower: {\"step\":\"a\"}", None),
        (deep.as_str(), None),
        ("", None),
    ] {
        assert_eq!(Stamp::from_line(line), stamp, "{line:.80}");
    }
}
