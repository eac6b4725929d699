//! Reads one answer. In go server-sent events by name and data, out come [`ModelEvent`]s. No IO:
//! every way in which an answer can be broken is testable with strings.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::usage::UsageMeter;
use crate::model::{Block, ModelEvent, StopReason};

/// The events that carry an answer; all others are skipped, as the API's documentation asks.
const KNOWN: [&str; 7] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
];

/// Most of an unreadable event that is quoted, in characters.
const QUOTED_CHARS: usize = 200;

/// Why an answer cannot go on.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// The stream makes no sense from here on; says where.
    Broken(String),
    /// The server reports an error; its data, to the letter.
    Server(String),
}

/// The state of one answer.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    started: bool,
    finished: bool,
    open: BTreeMap<u64, Open>,
    usage: UsageMeter,
    stop: Option<StopReason>,
}

/// A block that is still growing.
#[derive(Debug)]
enum Open {
    Text(String),
    Thinking {
        thinking: String,
        signature: String,
    },
    Redacted(String),
    Tool {
        id: String,
        name: String,
        input: Map<String, Value>,
        raw: String,
    },
    /// A kind this program does not know.
    Skipped,
}

impl Decoder {
    /// Tells whether the answer is complete; what follows is not part of it.
    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Takes in one event.
    ///
    /// # Errors
    /// An event that cannot be read, or one that reports an error.
    pub(super) fn feed(&mut self, name: &str, data: &str) -> Result<Vec<ModelEvent>, Fault> {
        let value: Value = match serde_json::from_str(data) {
            Ok(value) => value,
            // A nameless event (`message`) may be any of the known ones.
            Err(_) if !KNOWN.contains(&name) && name != "message" => return Ok(Vec::new()),
            Err(_) if data.trim() == "[DONE]" => return Ok(Vec::new()),
            Err(error) => {
                let start: String = data.chars().take(QUOTED_CHARS).collect();
                return Err(Fault::Broken(format!(
                    "unreadable event {start:?} ({error})"
                )));
            }
        };
        let mut events = Vec::new();
        match value["type"].as_str().unwrap_or(name) {
            "message_start" => self.start(&value["message"], &mut events),
            "content_block_start" => {
                self.close(index(&value), false, &mut events);
                self.open_block(&value, &mut events);
            }
            "content_block_delta" => self.grow(&value, &mut events)?,
            "content_block_stop" => self.close(index(&value), true, &mut events),
            "message_delta" => {
                if let Some(reason) = value["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop_reason(reason));
                }
                events.extend(self.usage.read(&value["usage"]).map(ModelEvent::Usage));
            }
            "message_stop" => self.stop(&mut events)?,
            "error" => return Err(Fault::Server(data.to_owned())),
            // Some servers put a bare error record between the events.
            _ if !value["error"].is_null() => return Err(Fault::Server(data.to_owned())),
            _ => {}
        }
        Ok(events)
    }

    fn start(&mut self, message: &Value, events: &mut Vec<ModelEvent>) {
        if !self.started {
            self.started = true;
            events.push(ModelEvent::Started {
                message_id: text(&message["id"]),
                model: text(&message["model"]),
            });
        }
        events.extend(self.usage.read(&message["usage"]).map(ModelEvent::Usage));
    }

    fn stop(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), Fault> {
        // Not the beginning but the stop reason tells a whole answer: llama.cpp at times leaves the
        // beginning out.
        let Some(stop) = self.stop.take() else {
            return Err(Fault::Broken("it ended without a stop reason".to_owned()));
        };
        while let Some((&index, _)) = self.open.first_key_value() {
            self.close(index, false, events);
        }
        self.finished = true;
        events.push(ModelEvent::Stopped(stop));
        Ok(())
    }

    fn open_block(&mut self, value: &Value, events: &mut Vec<ModelEvent>) {
        let block = &value["content_block"];
        let open = match block["type"].as_str() {
            Some("text") => {
                let text = text(&block["text"]);
                events.extend(some(&text).map(ModelEvent::TextDelta));
                Open::Text(text)
            }
            Some("thinking") => {
                let thinking = text(&block["thinking"]);
                events.extend(some(&thinking).map(ModelEvent::ThinkingDelta));
                let signature = text(&block["signature"]);
                Open::Thinking {
                    thinking,
                    signature,
                }
            }
            Some("redacted_thinking") => Open::Redacted(text(&block["data"])),
            Some("tool_use") => Open::Tool {
                id: text(&block["id"]),
                name: text(&block["name"]),
                input: block["input"].as_object().cloned().unwrap_or_default(),
                raw: String::new(),
            },
            Some(_) | None => Open::Skipped,
        };
        self.open.insert(index(value), open);
    }

    fn grow(&mut self, value: &Value, events: &mut Vec<ModelEvent>) -> Result<(), Fault> {
        let delta = &value["delta"];
        let kind = delta["type"].as_str().unwrap_or_default();
        if kind == "input_json_delta" && !self.open.contains_key(&index(value)) {
            let what = "arguments for a tool call that never began";
            return Err(Fault::Broken(what.to_owned()));
        }
        // A gateway may leave out the start of a block of text.
        let block = self.open.entry(index(value)).or_insert_with(|| match kind {
            "text_delta" => Open::Text(String::new()),
            "thinking_delta" => Open::Thinking {
                thinking: String::new(),
                signature: String::new(),
            },
            _ => Open::Skipped,
        });
        match (block, kind) {
            (Open::Text(text), "text_delta") => {
                let piece = delta["text"].as_str().unwrap_or_default();
                text.push_str(piece);
                events.extend(some(piece).map(ModelEvent::TextDelta));
            }
            (Open::Thinking { thinking, .. }, "thinking_delta") => {
                let piece = delta["thinking"].as_str().unwrap_or_default();
                thinking.push_str(piece);
                events.extend(some(piece).map(ModelEvent::ThinkingDelta));
            }
            (Open::Thinking { signature, .. }, "signature_delta") => {
                signature.push_str(delta["signature"].as_str().unwrap_or_default());
            }
            (Open::Tool { raw, .. }, "input_json_delta") => {
                raw.push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            // Citations and kinds of tomorrow.
            (_, _) => {}
        }
        Ok(())
    }

    /// Completes a block. One that the server never closed (`whole` is false) may lack its end, so
    /// a tool call in it is malformed even if what came looks right.
    fn close(&mut self, index: u64, whole: bool, events: &mut Vec<ModelEvent>) {
        let block = match self.open.remove(&index) {
            Some(Open::Text(text)) if !text.is_empty() => Block::Text { text },
            Some(Open::Thinking {
                thinking,
                signature,
            }) if !(thinking.is_empty() && signature.is_empty()) => Block::Thinking {
                thinking,
                signature,
            },
            Some(Open::Redacted(data)) => Block::RedactedThinking { data },
            Some(Open::Tool {
                id,
                name,
                input,
                raw,
            }) => tool_use(id, name, input, raw, whole),
            Some(Open::Text(_) | Open::Thinking { .. } | Open::Skipped) | None => return,
        };
        events.push(ModelEvent::Block(block));
    }
}

fn tool_use(
    id: String,
    name: String,
    initial: Map<String, Value>,
    raw: String,
    whole: bool,
) -> Block {
    // Local servers may leave the id out; the result needs one to point to.
    let id = match id.is_empty() {
        true => format!("toolu_{}", Uuid::new_v4().simple()),
        false => id,
    };
    let input = match raw.trim() {
        "" => Some(initial),
        piece => serde_json::from_str(piece).ok(),
    };
    let (input, malformed) = match input {
        Some(input) if whole && !name.is_empty() => (input, None),
        Some(_) | None => (Map::new(), Some(raw)),
    };
    Block::ToolUse {
        id,
        name,
        input: Value::Object(input),
        malformed,
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextWindowExceeded,
        other => StopReason::Other(other.to_owned()),
    }
}

fn index(value: &Value) -> u64 {
    value["index"].as_u64().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
