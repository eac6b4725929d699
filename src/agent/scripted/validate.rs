//! What the API refuses in a request: a body comes in, nothing or the 400 with the text the real API
//! gives goes out.

use std::collections::HashSet;

use serde_json::Value;

use super::messages::{blocks, pairing, role, thinking_kept};
use super::reply::ApiError;

/// Cache marks in one request, as documented for prompt caching.
const MOST_CACHE_MARKS: usize = 4;
/// Smallest thinking budget in tokens, as documented for extended thinking.
const LEAST_THINKING_TOKENS: u64 = 1_024;

/// Fields of a request, as documented; the API refuses every other one.
const REQUEST_KEYS: [&str; 19] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "stream",
    "tools",
    "tool_choice",
    "thinking",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "service_tier",
    "cache_control",
    "container",
    "context_management",
    "output_config",
    "inference_geo",
];

pub(super) type Checked = Result<(), ApiError>;

/// Checks a request; `with_thinking` tells the seal a tool call was sent with, if any.
pub(super) fn check(body: &Value, with_thinking: impl Fn(&str) -> Option<String>) -> Checked {
    if !body.is_object() {
        return refuse("The request body is not a JSON object".to_owned());
    }
    known("", body, &REQUEST_KEYS)?;
    model(body)?;
    limits(body)?;
    tools(&body["tools"])?;
    let messages = match &body["messages"] {
        Value::Null => return refuse("messages: Field required".to_owned()),
        Value::Array(list) => list,
        _ => return refuse("messages: Input should be a valid list".to_owned()),
    };
    let Some(last) = messages.last() else {
        return refuse("messages: at least one message is required".to_owned());
    };
    for (index, message) in messages.iter().enumerate() {
        role(index, message)?;
        blocks(index, message)?;
    }
    pairing(messages)?;
    if last["role"] != "user" {
        return refuse("This model does not support assistant message prefill. The conversation must end with a user message.".to_owned());
    }
    thinking_kept(messages, with_thinking)?;
    let marks = marks(&body["tools"])
        + marks(&body["system"])
        + marks(&body["messages"])
        + usize::from(marked(body));
    if marks > MOST_CACHE_MARKS {
        return refuse(format!(
            "A maximum of {MOST_CACHE_MARKS} blocks with cache_control may be provided. Found {marks}."
        ));
    }
    Ok(())
}

pub(super) fn refuse(message: String) -> Checked {
    Err(ApiError::invalid(message))
}

/// Refuses fields that are not documented; `place` is the path of the value with a dot, or empty.
pub(super) fn known(place: &str, value: &Value, keys: &[&str]) -> Checked {
    let mut names = value.as_object().into_iter().flat_map(|map| map.keys());
    match names.find(|name| !keys.contains(&name.as_str())) {
        Some(name) => refuse(format!("{place}{name}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

fn model(body: &Value) -> Checked {
    match &body["model"] {
        Value::Null => refuse("model: Field required".to_owned()),
        Value::String(name) if name.is_empty() => {
            refuse("model: String should have at least 1 character".to_owned())
        }
        // The suffix is a convention of clients; no server knows it.
        Value::String(name) if name.to_ascii_lowercase().contains("[1m]") => {
            refuse(format!("model: {name} is not a valid model ID"))
        }
        Value::String(_) => Ok(()),
        _ => refuse("model: Input should be a valid string".to_owned()),
    }
}

fn limits(body: &Value) -> Checked {
    let most = match &body["max_tokens"] {
        Value::Null => return refuse("max_tokens: Field required".to_owned()),
        value => match value.as_u64() {
            Some(0) => {
                return refuse("max_tokens: Input should be greater than or equal to 1".to_owned());
            }
            Some(most) => most,
            None => return refuse("max_tokens: Input should be a valid integer".to_owned()),
        },
    };
    match &body["system"] {
        Value::Null | Value::String(_) => {}
        Value::Array(list) => {
            for (index, block) in list.iter().enumerate() {
                if !block["text"].is_string() {
                    return refuse(format!("system.{index}.text: Field required"));
                }
            }
        }
        _ => return refuse("system: Input should be a valid list".to_owned()),
    }
    if body["thinking"]["type"] == "enabled" {
        match body["thinking"]["budget_tokens"].as_u64() {
            None => return refuse("thinking.enabled.budget_tokens: Field required".to_owned()),
            Some(budget) if budget < LEAST_THINKING_TOKENS => {
                return refuse(format!(
                    "thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_THINKING_TOKENS}"
                ));
            }
            Some(budget) if budget >= most => {
                return refuse("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size".to_owned());
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn tools(tools: &Value) -> Checked {
    let list = match tools {
        Value::Null => return Ok(()),
        Value::Array(list) => list,
        _ => return refuse("tools: Input should be a valid list".to_owned()),
    };
    let mut names = HashSet::new();
    for (index, tool) in list.iter().enumerate() {
        let Some(name) = tool["name"].as_str() else {
            return refuse(format!("tools.{index}.custom.name: Field required"));
        };
        if !is_name(name) || name.len() > 128 {
            return refuse(format!(
                "tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            ));
        }
        if !names.insert(name) {
            return refuse("tools: Tool names must be unique.".to_owned());
        }
        if tool["input_schema"]["type"] != "object" {
            return refuse(format!(
                "tools.{index}.custom.input_schema.type: Input should be 'object'"
            ));
        }
    }
    Ok(())
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn marked(value: &Value) -> bool {
    value
        .get("cache_control")
        .is_some_and(|mark| !mark.is_null())
}

/// Cache marks on blocks, however deep; a tool's schema and a call's input are not blocks.
fn marks(value: &Value) -> usize {
    match value {
        Value::Array(list) => list
            .iter()
            .map(|one| usize::from(marked(one)) + marks(&one["content"]))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => 0,
    }
}
