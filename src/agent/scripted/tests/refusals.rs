//! What the API refuses, word for word.

use serde_json::{Value, json};

use super::raw::{call, post, request, say};
use super::serve;

const ANY: &str = "- {name: any, answer: hello}";

fn call_of(id: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "bash", "input": {}}]})
}

fn result_of(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
}

fn user(content: &Value) -> Value {
    json!({"role": "user", "content": content})
}

#[tokio::test]
async fn bad_requests_are_refused_like_the_real_ones() {
    let server = serve(ANY).await;
    let with = |key: &str, value: Value| {
        let mut body = say("hi");
        body[key] = value;
        body
    };
    let talk = |messages: &[Value]| request(&json!(messages));
    let hi = user(&json!("hi"));
    let mark = json!({"type": "ephemeral"});
    let marked = json!({"type": "text", "text": "t", "cache_control": mark});
    let cases = [
        (
            with("max_output_tokens", json!(1)),
            "max_output_tokens: Extra inputs are not permitted",
        ),
        (
            talk(&[json!({"role": "user", "content": "x", "id": "m1"})]),
            "messages.0.id: Extra inputs are not permitted",
        ),
        (
            talk(&[
                hi.clone(),
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}, "malformed": null}]}),
                user(&json!([result_of("a")])),
            ]),
            "messages.1.content.0.tool_use.malformed: Extra inputs are not permitted",
        ),
        (
            with("model", json!("claude-opus-5[1m]")),
            "model: claude-opus-5[1m] is not a valid model ID",
        ),
        (with("model", Value::Null), "model: Field required"),
        (
            with("max_tokens", json!(0)),
            "max_tokens: Input should be greater than or equal to 1",
        ),
        (
            with("max_tokens", json!("x")),
            "max_tokens: Input should be a valid integer",
        ),
        (
            with("thinking", json!({"type": "enabled", "budget_tokens": 3})),
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        ),
        (
            with(
                "thinking",
                json!({"type": "enabled", "budget_tokens": 4096}),
            ),
            "`max_tokens` must be greater than `thinking.budget_tokens`",
        ),
        (
            with(
                "tools",
                json!([{"name": "a b", "input_schema": {"type": "object"}}]),
            ),
            "tools.0.custom.name: String should match pattern",
        ),
        (
            with("tools", json!([{"name": "a"}])),
            "tools.0.custom.input_schema.type",
        ),
        (
            with("messages", json!([])),
            "messages: at least one message is required",
        ),
        (
            with("messages", json!("x")),
            "messages: Input should be a valid list",
        ),
        (
            with("system", json!([marked, marked, marked, marked, marked])),
            "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        ),
        (
            talk(&[json!({"role": "system", "content": "x"})]),
            "messages: Unexpected role \"system\"",
        ),
        (
            talk(&[call_of("toolu_1")]),
            "messages: first message must use the \"user\" role",
        ),
        (
            talk(&[hi.clone(), json!({"role": "assistant", "content": "x"})]),
            "does not support assistant message prefill",
        ),
        (
            talk(&[user(&json!([]))]),
            "messages.0: all messages must have non-empty content",
        ),
        (
            talk(&[user(&json!(""))]),
            "messages.0: all messages must have non-empty content",
        ),
        (
            talk(&[user(&json!([{"type": "text", "text": ""}]))]),
            "text content blocks must be non-empty",
        ),
        (
            talk(&[user(&json!(" \n"))]),
            "text content blocks must contain non-whitespace text",
        ),
        (
            talk(&[hi.clone(), call_of("a"), hi.clone()]),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.",
        ),
        (
            talk(&[
                hi.clone(),
                call_of("a"),
                user(&json!([{"type": "text", "text": "t"}, result_of("a")])),
            ]),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.",
        ),
        (
            talk(&[
                hi.clone(),
                call_of("a"),
                user(&json!([result_of("a")])),
                hi.clone(),
                call_of("a"),
                user(&json!([result_of("a")])),
            ]),
            "messages.4: `tool_use` ids must be unique",
        ),
        (
            talk(&[
                hi.clone(),
                call_of("a"),
                user(&json!([result_of("a"), result_of("a")])),
            ]),
            "Found multiple `tool_result` blocks with id: a",
        ),
        (
            talk(&[user(&json!([result_of("b")]))]),
            "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: b.",
        ),
        (
            talk(&[hi.clone(), call_of("a.b"), user(&json!([result_of("a.b")]))]),
            "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
        (
            talk(&[
                hi.clone(),
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": "{}"}]}),
                user(&json!([result_of("a")])),
            ]),
            "tool_use.input: Input should be a valid dictionary",
        ),
        (
            talk(&[
                hi.clone(),
                json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "x"}]}),
                hi.clone(),
            ]),
            "messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
    ];
    for (body, why) in cases {
        let (status, kind, message) = post(&server, &body).await.error();
        assert_eq!((status, kind.as_str()), (400, "invalid_request_error"));
        assert!(message.contains(why), "{message}\nwanted {why}");
    }
    let fine = [
        hi.clone(),
        call_of("a"),
        user(&json!([result_of("a"), marked])),
    ];
    assert_eq!(post(&server, &talk(&fine)).await.status, 200);
}

#[tokio::test]
async fn paths_keys_and_bodies_are_refused_with_their_status() {
    let server = serve(ANY).await;
    let version = "POST /v1/messages HTTP/1.1\r\nanthropic-version: 2023-06-01";
    let cases = [
        ("GET / HTTP/1.1", "", 404, "not_found_error"),
        (
            "GET /v1/models/x%5B1m%5D HTTP/1.1",
            "",
            404,
            "not_found_error",
        ),
        (
            "POST /v1/chat/completions HTTP/1.1",
            "{}",
            404,
            "not_found_error",
        ),
        (
            "POST /v1/v1/messages HTTP/1.1",
            "{}",
            404,
            "not_found_error",
        ),
        (
            "GET /v1/messages HTTP/1.1",
            "",
            405,
            "invalid_request_error",
        ),
        (
            "PUT /v1/messages HTTP/1.1",
            "",
            405,
            "invalid_request_error",
        ),
        (
            "POST /v1/messages HTTP/1.1",
            "{}",
            400,
            "invalid_request_error",
        ),
        (version, "{", 400, "invalid_request_error"),
        (version, "[]", 400, "invalid_request_error"),
    ];
    for (head, body, status, kind) in cases {
        let got = call(&server, head, body.as_bytes()).await.error();
        assert_eq!((got.0, got.1.as_str()), (status, kind), "{head}");
    }
    assert_eq!(call(&server, "HEAD / HTTP/1.1", b"").await.status, 200);
    let large = vec![b' '; (32 << 20) + 1];
    assert_eq!(
        call(&server, version, &large).await.error().1,
        "request_too_large"
    );
}

#[tokio::test]
async fn a_key_is_wanted_only_when_the_scenario_says_so() {
    let text = "model: m\nwindow: 20000\nrequire_key: true\nusage: {floor_tokens: 1, chars_per_token: 2}\ntask: {zh: 修, en: fix}\nrules: [{name: a, answer: x}]\n";
    let scenario = crate::agent::scripted::Scenario::load(text, std::path::Path::new("s")).unwrap();
    let server = crate::agent::scripted::ScriptedServer::start(scenario, 0.0)
        .await
        .unwrap();
    let head = "POST /v1/messages HTTP/1.1\r\nanthropic-version: 2023-06-01";
    let body = say("hi").to_string();
    let got = call(&server, head, body.as_bytes()).await.error();
    assert_eq!(
        got,
        (
            401,
            "authentication_error".into(),
            "x-api-key header is required".into()
        )
    );
    for key in ["x-api-key: sk-1", "authorization: Bearer t"] {
        let got = call(&server, &format!("{head}\r\n{key}"), body.as_bytes()).await;
        assert_eq!(got.status, 200);
    }
    let headers = &server.exchanges()[1].headers;
    assert!(headers.contains(&("x-api-key".to_owned(), "present".to_owned())));
}

#[tokio::test]
async fn thinking_must_come_back_unchanged() {
    let server = serve("- {name: a, last: hi, thinking: 想一想, answer: x, tools: [{name: t, input: {}}]}\n- {name: b, answer: done}").await;
    let mut body = say("hi");
    assert_eq!(
        post(&server, &body).await.blocks().len(),
        2,
        "none without asking"
    );
    body["thinking"] = json!({"type": "enabled", "budget_tokens": 1024});
    let blocks = post(&server, &body).await.blocks();
    let id = blocks[2]["id"].clone();
    let back = |content: &[Value]| {
        let results = user(&json!([result_of(id.as_str().unwrap())]));
        request(&json!([user(&json!("hi")), {"role": "assistant", "content": content}, results]))
    };
    assert_eq!(post(&server, &back(&blocks)).await.text(), "done");
    let lost = post(&server, &back(&blocks[1..])).await.error();
    assert!(lost.2.contains("cannot be modified"), "{}", lost.2);
    let mut changed = blocks.clone();
    changed[0]["thinking"] = json!("想");
    let changed = post(&server, &back(&changed)).await.error();
    assert!(changed.2.contains("Invalid `signature`"), "{}", changed.2);
}

#[tokio::test]
async fn a_prompt_above_the_window_is_an_overflow() {
    let server = serve(ANY).await;
    let fits = post(&server, &say(&"x".repeat(39_800))).await;
    assert_eq!(fits.usage()["input_tokens"], 20_000);
    let over = post(&server, &say(&"x".repeat(39_801))).await.error();
    assert_eq!(
        over,
        (
            400,
            "invalid_request_error".into(),
            "prompt is too long: 20001 tokens > 20000 maximum".into()
        )
    );
}
