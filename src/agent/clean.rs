//! What a model answered, made fit to be kept: without the key that the program itself uses, and in a
//! form that a server accepts when it comes back.

use std::collections::HashSet;

use serde_json::Value;

use crate::model::{Auth, Block, Message};

/// Longest name of a tool that the API takes, in bytes (documented).
const NAME_BYTES: usize = 128;

/// Takes the program's own key out of an answer.
pub(super) fn scrub(content: &mut [Block], auth: &Auth) {
    for block in content {
        match block {
            Block::Text { text } | Block::ToolResult { text, .. } => replace(text, auth),
            Block::Thinking {
                thinking,
                signature,
            } => {
                let clean = auth.scrub(thinking);
                if clean != *thinking {
                    *thinking = clean;
                    // The seal no longer fits; without one the block is not sent back.
                    signature.clear();
                }
            }
            Block::RedactedThinking { .. } => {}
            Block::ToolUse {
                id,
                name,
                input,
                malformed,
            } => {
                replace(id, auth);
                replace(name, auth);
                scrub_value(input, auth);
                if let Some(raw) = malformed {
                    replace(raw, auth);
                }
            }
        }
    }
}

fn replace(text: &mut String, auth: &Auth) {
    *text = auth.scrub(text);
}

fn scrub_value(value: &mut Value, auth: &Auth) {
    match value {
        Value::String(text) => replace(text, auth),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_value(item, auth)),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(key, mut value)| {
                    scrub_value(&mut value, auth);
                    (auth.scrub(&key), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Gives tool calls without an id, or with one that is taken, a new one, and calls without a usable
/// name one that the API takes: it would refuse the whole conversation otherwise.
pub(super) fn make_acceptable(content: &mut [Block], before: &[Message]) {
    let mut taken: HashSet<String> = before
        .iter()
        .flat_map(|message| &message.content)
        .filter_map(id_of)
        .collect();
    for block in content {
        let Block::ToolUse { id, name, .. } = block else {
            continue;
        };
        if id.is_empty() || !taken.insert(id.clone()) {
            *id = format!("toolu_{}", uuid::Uuid::new_v4().simple());
            taken.insert(id.clone());
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || name.len() > NAME_BYTES || !name.chars().all(plain) {
            let fit: String = name
                .chars()
                .map(|c| if plain(c) { c } else { '_' })
                .take(NAME_BYTES)
                .collect();
            *name = if fit.is_empty() {
                "unnamed".to_owned()
            } else {
                fit
            };
        }
    }
}

fn id_of(block: &Block) -> Option<String> {
    match block {
        Block::ToolUse { id, .. } => Some(id.clone()),
        Block::Text { .. }
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. }
        | Block::ToolResult { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Role;
    use crate::secret::Secret;

    fn call(id: &str, name: &str) -> Block {
        Block::ToolUse {
            id: id.to_owned(),
            name: name.to_owned(),
            input: json!({}),
            malformed: None,
        }
    }

    fn parts(content: &[Block]) -> Vec<(String, String)> {
        content
            .iter()
            .filter_map(|block| match block {
                Block::ToolUse { id, name, .. } => Some((id.clone(), name.clone())),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn ids_become_unique_and_names_acceptable() {
        let before = [Message {
            role: Role::Assistant,
            content: vec![call("a", "bash")],
        }];
        let mut content = vec![
            call("b", "bash"),
            call("b", ""),
            call("a", "read file!"),
            call("", &"é".repeat(200)),
        ];
        make_acceptable(&mut content, &before);
        let parts = parts(&content);
        let ids: HashSet<&String> = parts.iter().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), 4);
        assert_eq!(parts[0].0, "b");
        assert!(ids.iter().all(|id| !id.is_empty() && *id != "a"));
        let names: Vec<&str> = parts.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(
            names,
            ["bash", "unnamed", "read_file_", "_".repeat(128).as_str()]
        );
    }

    #[test]
    fn the_own_key_is_in_no_block() {
        let key = "sk-own-0123456789";
        let auth = Auth::ApiKey(Secret::new(key).unwrap());
        let mut content = vec![
            Block::text(format!("it is {key}")),
            Block::Thinking {
                thinking: format!("{key}?"),
                signature: "sealed".to_owned(),
            },
            Block::Thinking {
                thinking: "harmless".to_owned(),
                signature: "sealed".to_owned(),
            },
            Block::ToolUse {
                id: "a".to_owned(),
                name: "bash".to_owned(),
                input: json!({ key: [{"command": format!("echo {key}")}] }),
                malformed: Some(key.to_owned()),
            },
        ];
        scrub(&mut content, &auth);
        let text = format!("{content:?}");
        assert!(!text.contains(key), "{text}");
        assert!(text.contains("sk-o…"));
        let seals: Vec<bool> = content
            .iter()
            .filter_map(|block| match block {
                Block::Thinking { signature, .. } => Some(signature.is_empty()),
                _ => None,
            })
            .collect();
        assert_eq!(seals, [true, false]);
    }
}
