//! Writes one request. In goes a neutral [`Request`], out comes the JSON body. The same
//! conversation always gives the same bytes, or prompt caching would not work.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::model::{Block, Message, Request, Role};

/// Smallest thinking budget that the API takes, in tokens (documented).
const MIN_THINKING_TOKENS: u64 = 1_024;

/// Opens the 1M window of Sonnet 4 and 4.5 (documented); later generations have it by nature.
const LONG_CONTEXT_BETA: &str = "context-1m-2025-08-07";

/// Builds the body.
pub(super) fn body(request: &Request<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model_name(request.model).into());
    body.insert("max_tokens".into(), request.max_output_tokens.into());
    body.insert("stream".into(), true.into());
    if let Some(budget) = thinking(request) {
        let thinking = json!({"type": "enabled", "budget_tokens": budget});
        body.insert("thinking".into(), thinking);
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": tool.input_schema,
                })
            })
            .collect();
        if let Some(last) = tools.last_mut() {
            mark(last);
        }
        body.insert("tools".into(), tools.into());
    }
    if !request.system.trim().is_empty() {
        let mut system = json!({"type": "text", "text": request.system});
        mark(&mut system);
        body.insert("system".into(), json!([system]));
    }
    body.insert("messages".into(), messages(request.messages));
    Value::Object(body)
}

/// The model's name without `[1m]`, which is a convention of clients and unknown to servers.
pub(super) fn model_name(typed: &str) -> &str {
    let name = typed.trim();
    match name
        .len()
        .checked_sub(4)
        .and_then(|at| name.split_at_checked(at))
    {
        Some((bare, suffix)) if suffix.eq_ignore_ascii_case("[1m]") => bare.trim_end(),
        Some(_) | None => name,
    }
}

/// The beta that a name with `[1m]` needs, if it does.
pub(super) fn beta(typed: &str) -> Option<&'static str> {
    let name = model_name(typed);
    let asks = name.len() < typed.trim().len();
    let (_, version) = name.split_once("sonnet-4")?;
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let early = match version.strip_prefix(['-', '.']) {
        None => !digit(version),
        Some(minor) => {
            // `sonnet-4-20250514`, `sonnet-4-0`, `sonnet-4-5`, `sonnet-4.5`
            let single = |n| minor.strip_prefix(n).is_some_and(|rest| !digit(rest));
            minor.starts_with("20") || single("0") || single("5") || !digit(minor)
        }
    };
    (asks && early).then_some(LONG_CONTEXT_BETA)
}

/// The thinking budget that fits under the answer's limit, or none when nothing does.
fn thinking(request: &Request<'_>) -> Option<u64> {
    let limit = request.max_output_tokens;
    let asked = request.thinking_budget_tokens?.max(MIN_THINKING_TOKENS);
    // A budget that takes all would leave no room for the answer itself.
    let budget = if asked < limit { asked } else { limit / 2 };
    (budget >= MIN_THINKING_TOKENS).then_some(budget)
}

/// Writes the conversation with breakpoints on the two newest user messages: the newest is
/// written to the cache, the one before is where the last request wrote.
fn messages(messages: &[Message]) -> Value {
    let mut turns: Vec<(Role, Vec<Value>)> = Vec::new();
    for message in messages {
        let blocks = message.content.iter().filter_map(block);
        match turns.last_mut() {
            Some((role, content)) if *role == message.role => content.extend(blocks),
            Some(_) | None => {
                let content: Vec<Value> = blocks.collect();
                if !content.is_empty() {
                    turns.push((message.role, content));
                }
            }
        }
    }
    let mut breakpoints = 2;
    for (role, content) in turns.iter_mut().rev() {
        if *role == Role::User {
            // The API wants the answers to tool calls before any words.
            content.sort_by_key(|block| block["type"] != "tool_result");
            let last = content.iter_mut().rev().find(|block| cacheable(block));
            if let Some(last) = last.filter(|_| breakpoints > 0) {
                mark(last);
                breakpoints -= 1;
            }
        }
    }
    turns
        .into_iter()
        .map(|(role, content)| {
            let role = match role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            json!({"role": role, "content": content})
        })
        .collect()
}

/// Writes one block; `None` for what the API would refuse: text without a visible character, and
/// thinking without the seal of the server that made it.
fn block(block: &Block) -> Option<Value> {
    Some(match block {
        Block::Text { text } if text.trim().is_empty() => return None,
        Block::Text { text } => json!({"type": "text", "text": text}),
        Block::Thinking { signature, .. } if signature.is_empty() => return None,
        Block::Thinking {
            thinking,
            signature,
        } => {
            json!({"type": "thinking", "thinking": thinking, "signature": signature})
        }
        Block::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Block::ToolUse {
            id,
            name,
            input,
            malformed,
        } => {
            let input = match input {
                Value::Object(fields) if malformed.is_none() => fields.clone(),
                _ => Map::new(),
            };
            json!({"type": "tool_use", "id": wire_id(id), "name": name, "input": input})
        }
        Block::ToolResult { id, text, is_error } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": wire_id(id)});
            if !text.trim().is_empty() {
                result["content"] = text.as_str().into();
            }
            if *is_error {
                result["is_error"] = true.into();
            }
            result
        }
    })
}

fn cacheable(block: &Value) -> bool {
    block["type"] == "text" || !block["content"].is_null()
}

fn mark(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

/// An id the API takes (`[a-zA-Z0-9_-]+`). Others, from another provider, are written byte by
/// byte, so that two different ids stay different and a call and its result stay together.
fn wire_id(id: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !id.is_empty() && id.bytes().all(plain) {
        return Cow::Borrowed(id);
    }
    let mut written = String::from("id_");
    for byte in id.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b == b'-' => written.push(char::from(b)),
            b => written.push_str(&format!("_{b:02x}")),
        }
    }
    Cow::Owned(written)
}
