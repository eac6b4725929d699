//! What the API refuses in the messages of a request: roles, blocks, and calls without their
//! results come in, the 400 with the real text goes out.

use std::collections::HashSet;

use serde_json::Value;

use super::validate::{Checked, is_name, known, refuse};
use super::wire::seal;

pub(super) fn role(index: usize, message: &Value) -> Checked {
    known(&format!("messages.{index}."), message, &["role", "content"])?;
    match message["role"].as_str() {
        Some("user") => Ok(()),
        Some("assistant") if index > 0 => Ok(()),
        Some("assistant") => refuse("messages: first message must use the \"user\" role".to_owned()),
        Some("system") => refuse("messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.".to_owned()),
        Some(other) => refuse(format!("messages: Unexpected role \"{other}\". Allowed roles are \"user\" or \"assistant\"")),
        None => refuse(format!("messages.{index}.role: Field required")),
    }
}

pub(super) fn blocks(index: usize, message: &Value) -> Checked {
    let empty = || {
        refuse(format!(
            "messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        ))
    };
    let list = match &message["content"] {
        Value::Null => return refuse(format!("messages.{index}.content: Field required")),
        Value::String(text) if text.is_empty() => return empty(),
        Value::String(text) => return words(text),
        Value::Array(list) if list.is_empty() => return empty(),
        Value::Array(list) => list,
        _ => {
            return refuse(format!(
                "messages.{index}.content: Input should be a valid list"
            ));
        }
    };
    let user = message["role"] == "user";
    for (at, block) in list.iter().enumerate() {
        let place = format!("messages.{index}.content.{at}");
        let Some(kind) = block["type"].as_str() else {
            return refuse(format!("{place}.type: Field required"));
        };
        fields(&place, kind, block)?;
        match (kind, user) {
            ("text", _) => match block["text"].as_str() {
                Some(text) => words(text)?,
                None => return refuse(format!("{place}.text.text: Field required")),
            },
            ("tool_use", false) => {
                let id = block["id"].as_str().unwrap_or_default();
                if !is_name(id) {
                    return refuse(format!(
                        "{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
                    ));
                }
                if !block["input"].is_object() {
                    return refuse(format!(
                        "{place}.tool_use.input: Input should be a valid dictionary"
                    ));
                }
                if !block["name"].is_string() {
                    return refuse(format!("{place}.tool_use.name: Field required"));
                }
            }
            ("tool_result", true) => {
                if !block["tool_use_id"].is_string() {
                    return refuse(format!("{place}.tool_result.tool_use_id: Field required"));
                }
            }
            ("thinking", false) => {
                let text = block["thinking"].as_str().unwrap_or_default();
                match block["signature"].as_str() {
                    None => return refuse(format!("{place}.thinking.signature: Field required")),
                    Some(signature) if signature != seal(text) => {
                        return refuse(format!("{place}: Invalid `signature` in `thinking` block"));
                    }
                    Some(_) => {}
                }
            }
            ("redacted_thinking", false) | ("image" | "document", true) => {}
            ("tool_use" | "thinking" | "redacted_thinking", true) => {
                return refuse(format!(
                    "{place}: `{kind}` blocks can only be in `assistant` messages"
                ));
            }
            ("tool_result", false) => {
                return refuse(format!(
                    "{place}: `tool_result` blocks can only be in `user` messages"
                ));
            }
            _ => {
                return refuse(format!(
                    "{place}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
                ));
            }
        }
    }
    Ok(())
}

/// Refuses fields of a block that are not documented.
fn fields(place: &str, kind: &str, block: &Value) -> Checked {
    let keys: &[&str] = match kind {
        "text" => &["type", "text", "cache_control", "citations"],
        "tool_use" => &["type", "id", "name", "input", "cache_control", "caller"],
        "tool_result" => &[
            "type",
            "tool_use_id",
            "content",
            "is_error",
            "cache_control",
        ],
        "thinking" => &["type", "thinking", "signature"],
        "redacted_thinking" => &["type", "data"],
        _ => return Ok(()),
    };
    known(&format!("{place}.{kind}."), block, keys)
}

fn words(text: &str) -> Checked {
    if text.is_empty() {
        return refuse("messages: text content blocks must be non-empty".to_owned());
    }
    if text.trim().is_empty() {
        return refuse("messages: text content blocks must contain non-whitespace text".to_owned());
    }
    Ok(())
}

/// Every call is answered in the very next message, once, before anything else is said there.
pub(super) fn pairing(messages: &[Value]) -> Checked {
    let mut open: Vec<&str> = Vec::new();
    let mut ever = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let list = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        let results: Vec<&str> = list
            .iter()
            .take_while(|block| block["type"] == "tool_result")
            .filter_map(|block| block["tool_use_id"].as_str())
            .collect();
        let missing: Vec<&str> = open
            .iter()
            .copied()
            .filter(|id| !results.contains(id))
            .collect();
        if !missing.is_empty() {
            return refuse(unanswered(index - 1, &missing));
        }
        let mut answered = HashSet::new();
        for (at, block) in list.iter().enumerate() {
            let Some(id) = block["tool_use_id"].as_str() else {
                continue;
            };
            if !open.contains(&id) {
                return refuse(format!(
                    "messages.{index}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                ));
            }
            if !answered.insert(id) {
                return refuse(format!(
                    "messages.{index}.content.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                ));
            }
        }
        open = list
            .iter()
            .filter(|block| block["type"] == "tool_use")
            .filter_map(|block| block["id"].as_str())
            .collect();
        if !open.iter().all(|id| ever.insert(*id)) {
            return refuse(format!("messages.{index}: `tool_use` ids must be unique"));
        }
    }
    match open.as_slice() {
        [] => Ok(()),
        ids => refuse(unanswered(messages.len() - 1, ids)),
    }
}

fn unanswered(index: usize, ids: &[&str]) -> String {
    format!(
        "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ids.join(", ")
    )
}

/// The latest answer's thinking must still be there when its tool calls are answered.
pub(super) fn thinking_kept(
    messages: &[Value],
    with_thinking: impl Fn(&str) -> Option<String>,
) -> Checked {
    let latest = messages.iter().enumerate().rev();
    let Some((index, message)) = latest.into_iter().find(|(_, m)| m["role"] == "assistant") else {
        return Ok(());
    };
    let list = message["content"].as_array().map_or(&[][..], Vec::as_slice);
    let seals: Vec<&str> = list
        .iter()
        .filter_map(|block| block["signature"].as_str())
        .collect();
    for id in list.iter().filter_map(|block| block["id"].as_str()) {
        if with_thinking(id).is_some_and(|seal| !seals.contains(&seal.as_str())) {
            return refuse(format!(
                "messages.{index}.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
            ));
        }
    }
    Ok(())
}
