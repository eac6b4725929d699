//! The wire format of an answer: what is said comes in, server-sent events go out, in the order
//! and with the fields the Messages API documents.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;
use uuid::Uuid;

use super::usage::WireUsage;

/// Display cells of one text delta, so that Chinese and English come equally fast; real deltas
/// carry a few words.
const TEXT_CELLS: usize = 20;
/// Display cells of one piece of a tool's input.
const JSON_CELLS: usize = 48;
/// What `message_start` says of the output, whatever comes: a small placeholder.
const OUTPUT_AT_START: u64 = 1;

/// One content block of an answer.
#[derive(Debug, Clone)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    Tool {
        id: String,
        name: String,
        input: Value,
    },
}

/// A complete answer.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: String,
    pub(super) usage: WireUsage,
}

/// One event, and whether it is a delta the pace applies to.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) text: String,
    pub(super) paced: bool,
}

impl Event {
    pub(super) fn new(data: &Value) -> Self {
        let kind = data["type"].as_str().unwrap_or_default();
        Self {
            text: format!("event: {kind}\ndata: {data}\n\n"),
            paced: kind == "content_block_delta",
        }
    }
}

/// An id such as the API makes: a prefix and 24 letters or digits.
pub(super) fn new_id(prefix: &str) -> String {
    let random = Uuid::new_v4().simple().to_string();
    format!("{prefix}_01{}", &random[..22])
}

/// The seal over a thinking block. It depends on the text alone, so a server started later still
/// tells an unchanged block from a changed one.
pub(super) fn seal(thinking: &str) -> String {
    let mut sha = Sha256::new();
    sha.update(b"scripted thinking\n");
    sha.update(thinking.as_bytes());
    let hex: String = sha
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("ErUB{hex}")
}

impl Message {
    /// The events up to the end of the content.
    pub(super) fn content(&self) -> Vec<Event> {
        let mut usage = self.usage_json();
        usage["output_tokens"] = json!(OUTPUT_AT_START.min(self.usage.output_tokens));
        let mut out = vec![Event::new(&json!({
            "type": "message_start",
            "message": self.json(Vec::new(), &Value::Null, &usage),
        }))];
        for (index, block) in self.blocks.iter().enumerate() {
            out.push(Event::new(&json!({
                "type": "content_block_start",
                "index": index,
                "content_block": block.opening(),
            })));
            // The API sends its first sign of life here.
            if index == 0 {
                out.push(Event::new(&json!({"type": "ping"})));
            }
            out.extend(block.deltas().into_iter().map(|delta| {
                Event::new(&json!({
                    "type": "content_block_delta",
                    "index": index,
                    "delta": delta,
                }))
            }));
            out.push(Event::new(
                &json!({"type": "content_block_stop", "index": index}),
            ));
        }
        out
    }

    /// The events after the content.
    pub(super) fn end(&self) -> [Event; 2] {
        let WireUsage {
            input_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
            output_tokens,
        } = self.usage;
        [
            Event::new(&json!({
                "type": "message_delta",
                "delta": {"stop_reason": self.stop_reason, "stop_sequence": null},
                "usage": {
                    "input_tokens": input_tokens,
                    "cache_creation_input_tokens": cache_creation_input_tokens,
                    "cache_read_input_tokens": cache_read_input_tokens,
                    "output_tokens": output_tokens,
                },
            })),
            Event::new(&json!({"type": "message_stop"})),
        ]
    }

    /// The answer to a request that did not ask for a stream.
    pub(super) fn whole(&self) -> Value {
        let blocks = self.blocks.iter().map(Block::whole).collect();
        self.json(blocks, &json!(self.stop_reason), &self.usage_json())
    }

    fn json(&self, content: Vec<Value>, stop_reason: &Value, usage: &Value) -> Value {
        json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": null,
            "usage": usage,
        })
    }

    fn usage_json(&self) -> Value {
        let usage = self.usage;
        json!({
            "input_tokens": usage.input_tokens,
            "cache_creation_input_tokens": usage.cache_creation_input_tokens,
            "cache_read_input_tokens": usage.cache_read_input_tokens,
            "cache_creation": {
                "ephemeral_5m_input_tokens": usage.cache_creation_input_tokens,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": usage.output_tokens,
            "service_tier": "standard",
        })
    }
}

impl Block {
    fn opening(&self) -> Value {
        match self {
            Self::Thinking(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
            Self::Text(_) => json!({"type": "text", "text": ""}),
            Self::Tool { id, name, .. } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": {}})
            }
        }
    }

    fn deltas(&self) -> Vec<Value> {
        match self {
            Self::Thinking(text) => {
                let seal = json!({"type": "signature_delta", "signature": seal(text)});
                let words = chunks(text, TEXT_CELLS);
                words
                    .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
                    .chain([seal])
                    .collect()
            }
            Self::Text(text) => chunks(text, TEXT_CELLS)
                .map(|piece| json!({"type": "text_delta", "text": piece}))
                .collect(),
            // The first piece is always empty.
            Self::Tool { input, .. } => std::iter::once(String::new())
                .chain(chunks(&input.to_string(), JSON_CELLS))
                .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
                .collect(),
        }
    }

    fn whole(&self) -> Value {
        match self {
            Self::Thinking(text) => {
                json!({"type": "thinking", "thinking": text, "signature": seal(text)})
            }
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Tool { id, name, input } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
        }
    }

    /// What of it counts as output.
    pub(super) fn said(&self) -> String {
        match self {
            Self::Thinking(text) | Self::Text(text) => text.clone(),
            Self::Tool { name, input, .. } => format!("{name}{input}"),
        }
    }
}

/// Cuts a text into pieces of so many cells, never inside a character as people see it.
fn chunks(text: &str, cells: usize) -> impl Iterator<Item = String> {
    let mut rest = text.graphemes(true).peekable();
    std::iter::from_fn(move || {
        rest.peek()?;
        let (mut piece, mut width) = (String::new(), 0);
        while width < cells
            && let Some(character) = rest.next()
        {
            piece.push_str(character);
            // A line break or a mark has no width, yet a piece must come to an end.
            width += character.width().max(1);
        }
        Some(piece)
    })
}
