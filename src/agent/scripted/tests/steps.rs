//! Every condition and every step of a rule, seen from the client.

use serde_json::{Value, json};

use super::raw::{Got, post, request, say};
use super::serve;

/// A conversation of one call and its result, with words beside it.
fn after_tool(result: &str, failed: bool, words: &str) -> Value {
    let mut content = vec![
        json!({"type": "tool_result", "tool_use_id": "t1", "is_error": failed,
        "content": [{"type": "text", "text": result}]}),
    ];
    if !words.is_empty() {
        content.push(json!({"type": "text", "text": words}));
    }
    let call = json!([{"type": "text", "text": "I look"}, {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls \"x\""}}]);
    let mut body = request(&json!([
        {"role": "user", "content": "the task"},
        {"role": "assistant", "content": call},
        {"role": "user", "content": content},
    ]));
    body["system"] = json!([{"type": "text", "text": "be kind"}]);
    body
}

#[tokio::test]
async fn an_answer_is_streamed_in_the_documented_order() {
    let server = serve("- {name: a, thinking: 想, answer: 你好, tools: [{name: bash, input: {command: 'ls'}}, {name: plan, input: {}}]}").await;
    let mut body = say("hi");
    body["thinking"] = json!({"type": "adaptive"});
    let got = post(&server, &body).await;
    assert_eq!((got.status, got.whole), (200, true));
    assert_eq!(
        got.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    assert!(got.header("request-id").unwrap().starts_with("req_01"));
    let kinds: Vec<String> = got
        .events()
        .iter()
        .map(|event| match event["delta"]["type"].as_str() {
            Some(delta) => delta.to_owned(),
            None => event["type"].as_str().unwrap().to_owned(),
        })
        .collect();
    let expected = "message_start content_block_start ping thinking_delta signature_delta content_block_stop \
        content_block_start text_delta content_block_stop \
        content_block_start input_json_delta input_json_delta content_block_stop \
        content_block_start input_json_delta input_json_delta content_block_stop message_delta message_stop";
    assert_eq!(kinds.join(" "), expected);
    let blocks = got.blocks();
    assert_eq!(blocks[1], json!({"type": "text", "text": "你好"}));
    let id = blocks[2]["id"].as_str().unwrap();
    assert!(id.starts_with("toolu_01") && id.len() == 30, "{id}");
    assert_ne!(blocks[2]["id"], blocks[3]["id"]);
    assert_eq!(blocks[2]["input"], json!({"command": "ls"}));
    let start = &got.events()[0]["message"];
    assert!(start["id"].as_str().unwrap().starts_with("msg_01"));
    assert_eq!(
        (&start["content"], &start["stop_reason"], &start["model"]),
        (&json!([]), &Value::Null, &json!("claude-demo"))
    );
    assert_eq!(
        got.events()[17]["delta"],
        json!({"stop_reason": "tool_use", "stop_sequence": null})
    );
    body["stream"] = json!(false);
    let whole = post(&server, &body).await.json();
    assert_eq!(
        (&whole["stop_reason"], &whole["content"][1]),
        (&json!("tool_use"), &blocks[1])
    );
}

/// The text one rule answers with, or nothing when another one does.
async fn chosen(rule: &str, body: &Value) -> String {
    let server = serve(&format!(
        "- {{name: a, answer: yes, {rule}}}\n- {{name: b, answer: no}}"
    ))
    .await;
    post(&server, body).await.text()
}

#[tokio::test]
async fn conditions_hold_or_not() {
    let tool = after_tool("3 passed", false, "go on");
    let cases = [
        ("last: passed", true),
        ("last: 'go on'", true),
        ("last: task", false),
        ("last: {regex: '^\\d pass'}", true),
        ("last: [nothing, passed]", true),
        ("said: passed", false),
        ("said: go", true),
        ("result: passed", true),
        ("result: 'go on'", false),
        ("last_tool: bash", true),
        ("last_tool: [read, bash]", true),
        ("last_tool: read", false),
        ("last_call: 'ls \"x\"'", true),
        ("last_call: passed", false),
        ("any: I look", true),
        ("any: 'ls \"x\"'", true),
        ("any: nowhere", false),
        ("not_any: nowhere", true),
        ("not_any: the task", false),
        ("system: kind", true),
        ("system: task", false),
        ("first: the task", true),
        ("first: passed", false),
        ("not_first: the task", false),
        ("not_first: passed", true),
        ("is_error: false", true),
        ("is_error: true", false),
        ("at_turn: 2", true),
        ("at_turn: 1", false),
        ("after: b", false),
        ("last: passed, any: nowhere", false),
    ];
    for (rule, holds) in cases {
        assert_eq!(
            chosen(rule, &tool).await,
            if holds { "yes" } else { "no" },
            "{rule}"
        );
    }
    let bare = say("hi");
    for rule in [
        "result: ''",
        "is_error: false",
        "last_tool: bash",
        "last_call: ''",
    ] {
        assert_eq!(chosen(rule, &bare).await, "no", "{rule}");
    }
    assert_eq!(
        chosen("is_error: true", &after_tool("x", true, "")).await,
        "yes"
    );
}

#[tokio::test]
async fn once_times_and_after_count_uses() {
    let server = serve("- {name: a, answer: a, once: true}\n- {name: b, answer: b, times: 2}\n- {name: c, answer: c, after: b, last: c}\n- {name: d, answer: d, last: d}").await;
    let mut got = Vec::new();
    for words in ["c", "c", "c", "c", "d"] {
        got.push(post(&server, &say(words)).await.text());
    }
    assert_eq!(got, ["a", "b", "b", "c", "d"]);
    let none = post(&server, &say("who knows 什么")).await.error();
    assert_eq!((none.0, none.1.as_str()), (400, "invalid_request_error"));
    assert!(
        none.2.contains("no rule of the scenario matches answer 1")
            && none.2.contains("who knows 什么"),
        "{}",
        none.2
    );
    let none = post(&server, &after_tool("nope", false, "")).await.error();
    assert!(
        none.2.contains("results of bash") && none.2.contains("nope"),
        "{}",
        none.2
    );
}

#[tokio::test]
async fn an_aside_goes_before_the_next_answer_and_is_not_used_up_in_vain() {
    let server = serve("- {name: a, answer: '收到:{{said}}', said: {regex: '\\S'}, go_on: true, once: true}\n- {name: b, answer: next, last: hi}").await;
    assert_eq!(post(&server, &say("nobody answers")).await.status, 400);
    assert_eq!(post(&server, &say("hi")).await.text(), "收到:hi\n\nnext");
    assert_eq!(post(&server, &say("hi")).await.text(), "next");
}

#[tokio::test]
async fn placeholders_are_filled_from_the_conversation() {
    let first = "前言\n## 走不通的路\n- 甲\n```\n## 下一步\n```\n### 细节\n乙\n\n## 下一步\n丙\n";
    let body = |text: &str| {
        let mut body = after_tool("a 1\nfound: 42 items\nz", false, "请写 Dead ends");
        body["messages"][0]["content"] = json!(text);
        body
    };
    let cases = [
        (
            "{{section:走不通的路|Dead ends}}",
            "- 甲\n```\n## 下一步\n```\n### 细节\n乙",
        ),
        ("{{section:Next|下一步}}", "丙"),
        ("<{{section:现场}}>", "<>"),
        ("{{last_result}}", "a 1\nfound: 42 items\nz"),
        ("{{last_result:items}}", "found: 42 items"),
        ("{{last_result:(\\d+) items}}", "42"),
        ("<{{last_result:nothing}}>", "<>"),
        ("{{found:\\w+ \\w}}", "found: 42 items"),
        ("{{asked:走不通的路|Dead ends}}", "Dead ends"),
        ("{{asked:甲|乙}}", "甲"),
        ("{{said}}", "请写 Dead ends"),
        ("{{brace}}said}}", "{{said}}"),
    ];
    for (template, expected) in cases {
        let rule = format!(
            "- {{name: a, tools: [{{name: t, input: {{x: ['{template}'], y: {{zh: 中, en: e}}}}}}]}}"
        );
        let server = serve(&rule).await;
        let input = &post(&server, &body(first)).await.blocks()[0]["input"];
        assert_eq!(input, &json!({"x": [expected], "y": "中"}), "{template}");
    }
    let server = serve("- {name: a, answer: {zh: 中, en: e}}").await;
    for (text, expected) in [
        ("fix it", "e"),
        ("修 tests/run.sh", "中"),
        (
            "你接着做。\n## 下一步\nRun the tests and repair the first case that fails in lib/report.awk.",
            "e",
        ),
    ] {
        assert_eq!(post(&server, &body(text)).await.text(), expected, "{text}");
    }
}

#[tokio::test]
async fn errors_come_with_status_type_and_retry_after() {
    let cases = [
        (
            "{status: 529, message: Overloaded}",
            529,
            "overloaded_error",
            None,
        ),
        (
            "{status: 429, type: rate_limit_error, message: slow, retry_after: 7}",
            429,
            "rate_limit_error",
            Some("7"),
        ),
        (
            "{status: 429, message: slow, retry_after: 'Wed, 21 Oct 2026 07:28:00 GMT'}",
            429,
            "rate_limit_error",
            Some("Wed, 21 Oct 2026 07:28:00 GMT"),
        ),
        ("{status: 400, type: odd, message: m}", 400, "odd", None),
        ("{status: 503, message: m}", 503, "api_error", None),
    ];
    for (error, status, kind, after) in cases {
        let server = serve(&format!("- {{name: a, error: {error}}}")).await;
        let got = post(&server, &say("hi")).await;
        let (got_status, got_kind, _) = got.error();
        assert_eq!(
            (got_status, got_kind.as_str(), got.header("retry-after")),
            (status, kind, after)
        );
    }
}

#[tokio::test]
async fn stop_reason_usage_and_stream_error_are_as_stated() {
    let server = serve("- {name: a, last: one, answer: x, stop_reason: max_tokens, usage: {cache_read_input_tokens: 9, output_tokens: 5}}\n- {name: b, last: two, answer: x, usage: {output_tokens: 7}}\n- {name: c, answer: xyz, stream_error: {type: overloaded_error, message: Overloaded}}").await;
    let got = post(&server, &say("one")).await;
    assert_eq!(
        got.usage(),
        json!({"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 9, "output_tokens": 5})
    );
    assert_eq!(
        got.events().iter().rev().nth(1).unwrap()["delta"]["stop_reason"],
        "max_tokens"
    );
    assert_eq!(
        post(&server, &say("two")).await.usage()["input_tokens"],
        102
    );
    let got = post(&server, &say("three")).await;
    assert_eq!((got.text().as_str(), got.whole), ("xyz", true));
    assert_eq!(
        got.events().last().unwrap(),
        &json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    );
}

/// Replaces what is random, so that two answers can be compared.
fn stripped(got: &Got) -> String {
    let text = String::from_utf8_lossy(&got.body).into_owned();
    regex::Regex::new("msg_01[0-9a-f]{22}")
        .unwrap()
        .replace_all(&text, "ID")
        .into_owned()
}

#[tokio::test]
async fn an_answer_is_cut_at_every_byte() {
    let whole = post(&serve("- {name: a, answer: 好a}").await, &say("hi")).await;
    assert!(whole.whole);
    for cut in 0..=whole.body.len() + 1 {
        let server = serve(&format!(
            "- {{name: a, answer: 好a, cut_after_bytes: {cut}}}"
        ))
        .await;
        let got = post(&server, &say("hi")).await;
        assert_eq!((got.status, got.whole), (200, false), "{cut}");
        assert_eq!(got.body.len(), cut.min(whole.body.len()));
        assert!(!server.exchanges()[0].complete);
        if cut >= whole.body.len() {
            assert_eq!(stripped(&got), stripped(&whole));
        }
    }
}

#[tokio::test]
async fn an_answer_is_cut_after_every_event() {
    let whole = post(&serve("- {name: a, answer: 好a}").await, &say("hi"))
        .await
        .events();
    for cut in 0..=whole.len() {
        let server = serve(&format!(
            "- {{name: a, answer: 好a, cut_after_events: {cut}}}"
        ))
        .await;
        let got = post(&server, &say("hi")).await;
        assert_eq!((got.events().len(), got.whole), (cut, false));
    }
}

#[tokio::test]
async fn a_refused_request_gets_no_byte() {
    let server = serve("- {name: a, refuse: true, once: true}\n- {name: b, answer: x}").await;
    let got = post(&server, &say("hi")).await;
    assert_eq!((got.status, got.whole), (0, false));
    assert_eq!(post(&server, &say("hi")).await.text(), "x");
    assert_eq!(server.exchanges()[0].rule.as_deref(), Some("a"));
}
