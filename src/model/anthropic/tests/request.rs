use serde_json::{Value, json};

use crate::model::anthropic::request::{beta, body, model_name};
use crate::model::{Block, Message, Request, Role, ToolSpec};

fn request<'a>(messages: &'a [Message], tools: &'a [ToolSpec]) -> Request<'a> {
    Request {
        model: "claude-opus-5[1m]",
        system: "be brief",
        tools,
        messages,
        max_output_tokens: 8_000,
        thinking_budget_tokens: None,
    }
}

fn tool(name: &'static str) -> ToolSpec {
    ToolSpec {
        name,
        description: format!("runs {name}"),
        input_schema: json!({"type": "object"}),
    }
}

fn assistant(content: Vec<Block>) -> Message {
    let role = Role::Assistant;
    Message { role, content }
}

fn user(content: Vec<Block>) -> Message {
    let role = Role::User;
    Message { role, content }
}

fn result(id: &str, text: &str, is_error: bool) -> Block {
    Block::ToolResult {
        id: id.into(),
        text: text.into(),
        is_error,
    }
}

fn call(id: &str, input: Value, malformed: Option<&str>) -> Block {
    Block::ToolUse {
        id: id.into(),
        name: "bash".into(),
        input,
        malformed: malformed.map(str::to_owned),
    }
}

#[test]
fn a_whole_body() {
    let messages = [
        Message::user("任务"),
        assistant(vec![
            Block::Thinking {
                thinking: "hm".into(),
                signature: "sig".into(),
            },
            Block::Thinking {
                thinking: "no seal".into(),
                signature: String::new(),
            },
            Block::RedactedThinking { data: "xyz".into() },
            Block::text(" \n"),
            Block::text("I look."),
            call("toolu_1", json!({"b": 1, "a": 2}), None),
            call("call:1", json!({"x": 1}), Some("{\"x\":1")),
            call("call_1", json!([1]), None),
        ]),
        user(vec![
            Block::text(""),
            Block::text("and then"),
            result("toolu_1", "out", false),
            result("call:1", "not run", true),
            result("call_1", "", false),
        ]),
        user(vec![Block::text("one more thing"), Block::text("  ")]),
    ];
    let tools = [tool("bash"), tool("read")];
    let cache = json!({"type": "ephemeral"});
    assert_eq!(
        body(&request(&messages, &tools)),
        json!({
            "model": "claude-opus-5",
            "max_tokens": 8000,
            "stream": true,
            "tools": [
                {"name": "bash", "description": "runs bash", "input_schema": {"type": "object"}},
                {"name": "read", "description": "runs read", "input_schema": {"type": "object"},
                 "cache_control": cache},
            ],
            "system": [{"type": "text", "text": "be brief", "cache_control": cache}],
            "messages": [
                {"role": "user", "content": [
                    {"type": "text", "text": "任务", "cache_control": cache},
                ]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "sig"},
                    {"type": "redacted_thinking", "data": "xyz"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"b": 1, "a": 2}},
                    {"type": "tool_use", "id": "id_call_3a1", "name": "bash", "input": {}},
                    {"type": "tool_use", "id": "call_1", "name": "bash", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "out"},
                    {"type": "tool_result", "tool_use_id": "id_call_3a1", "content": "not run",
                     "is_error": true},
                    {"type": "tool_result", "tool_use_id": "call_1"},
                    {"type": "text", "text": "and then"},
                    {"type": "text", "text": "one more thing", "cache_control": cache},
                ]},
            ],
        })
    );
}

#[test]
fn at_most_four_breakpoints_on_the_newest_user_messages() {
    let mut messages = Vec::new();
    for turn in 0..40 {
        messages.push(Message::user(format!("u{turn}")));
        messages.push(assistant(vec![Block::text("ok")]));
    }
    messages.push(user(vec![result("t", "", false), Block::text(" ")]));
    let body = body(&request(&messages, &[tool("bash")]));
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    let marked: Vec<String> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message.to_string().contains("cache_control"))
        .map(|message| message["content"][0]["text"].to_string())
        .collect();
    assert_eq!(marked, ["\"u38\"", "\"u39\""]);
}

#[test]
fn empty_things_are_left_out() {
    let messages = [
        user(vec![Block::text("")]),
        Message::user("a"),
        assistant(vec![Block::text("\n")]),
        Message::user("b"),
    ];
    let mut request = request(&messages, &[]);
    request.system = "  ";
    let cache = json!({"type": "ephemeral"});
    assert_eq!(
        body(&request),
        json!({
            "model": "claude-opus-5",
            "max_tokens": 8000,
            "stream": true,
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b", "cache_control": cache},
            ]}],
        })
    );
}

#[test]
fn the_thinking_budget_stays_between_its_bounds() {
    let table = [
        (None, 8_000, None),
        (Some(4_000), 8_000, Some(4_000)),
        (Some(0), 8_000, Some(1_024)),
        (Some(8_000), 8_000, Some(4_000)),
        (Some(u64::MAX), 2_048, Some(1_024)),
        (Some(4_000), 2_047, None),
        (Some(1_024), 0, None),
    ];
    for (asked, limit, expected) in table {
        let mut request = request(&[], &[]);
        request.max_output_tokens = limit;
        request.thinking_budget_tokens = asked;
        let thinking = expected.map_or(
            Value::Null,
            |budget: u64| json!({"type": "enabled", "budget_tokens": budget}),
        );
        assert_eq!(body(&request)["thinking"], thinking, "{asked:?} of {limit}");
    }
}

#[test]
fn names_and_betas() {
    let long = Some("context-1m-2025-08-07");
    let table = [
        ("claude-opus-5[1M]", "claude-opus-5", None),
        (" claude-opus-5 ", "claude-opus-5", None),
        ("[1m]", "", None),
        (
            "anthropic/claude-opus-4.6:1m",
            "anthropic/claude-opus-4.6:1m",
            None,
        ),
        ("模型[1m]", "模型", None),
        ("模", "模", None),
        ("claude-sonnet-4[1m]", "claude-sonnet-4", long),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5", long),
        ("claude-sonnet-4.5[1m]", "claude-sonnet-4.5", long),
        (
            "claude-sonnet-4-20250514[1m]",
            "claude-sonnet-4-20250514",
            long,
        ),
        (
            "claude-sonnet-4-5-20250929[1m]",
            "claude-sonnet-4-5-20250929",
            long,
        ),
        ("claude-sonnet-4-5", "claude-sonnet-4-5", None),
        ("claude-sonnet-4-6[1m]", "claude-sonnet-4-6", None),
        ("claude-sonnet-45[1m]", "claude-sonnet-45", None),
    ];
    for (typed, name, header) in table {
        assert_eq!((model_name(typed), beta(typed)), (name, header), "{typed}");
    }
}
