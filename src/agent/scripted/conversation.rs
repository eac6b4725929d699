//! What a request says, as the rules look at it: a checked request body comes in, plain texts go out.

use serde_json::Value;

/// The texts of one request.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// System text.
    pub(super) system: String,
    /// Text of the first user message.
    pub(super) first: String,
    /// Text blocks of the last user message.
    pub(super) said: String,
    /// Tool results of the last user message; `None` when it has none.
    pub(super) result: Option<String>,
    /// Whether one of those results is an error.
    pub(super) is_error: bool,
    /// Tools those results answer.
    pub(super) last_tools: Vec<String>,
    /// Inputs of those calls.
    pub(super) last_calls: String,
    /// Everything said, called and answered, the last message too.
    pub(super) all: String,
    /// Tool results of the whole conversation.
    pub(super) results: String,
    /// Number of the answer now asked for, from 1.
    pub(super) turn: u64,
}

impl Conversation {
    pub(super) fn read(body: &Value) -> Self {
        let mut seen = Self {
            system: text_of(&body["system"]),
            turn: 1,
            ..Self::default()
        };
        let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let mut first = None;
        for (index, message) in messages.iter().enumerate() {
            let last = index + 1 == messages.len();
            if message["role"] == "assistant" {
                seen.turn += 1;
                seen.last_tools.clear();
                seen.last_calls.clear();
            } else if first.is_none() {
                first = Some(text_of(&message["content"]));
            }
            match &message["content"] {
                Value::String(text) => seen.text(text, last),
                Value::Array(blocks) => blocks.iter().for_each(|block| seen.block(block, last)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
            }
        }
        seen.first = first.unwrap_or_default();
        seen
    }

    /// Texts and results of the last message together.
    pub(super) fn last(&self) -> String {
        let mut both = self.result.clone().unwrap_or_default();
        line(&mut both, &self.said);
        both
    }

    fn text(&mut self, text: &str, last: bool) {
        line(&mut self.all, text);
        if last {
            line(&mut self.said, text);
        }
    }

    fn block(&mut self, block: &Value, last: bool) {
        match block["type"].as_str() {
            Some("tool_use") => {
                let mut input = String::new();
                leaves(&block["input"], &mut input);
                line(&mut self.all, &input);
                line(&mut self.last_calls, &input);
                self.last_tools
                    .extend(block["name"].as_str().map(str::to_owned));
            }
            Some("tool_result") => {
                let text = text_of(&block["content"]);
                line(&mut self.all, &text);
                line(&mut self.results, &text);
                if last {
                    line(self.result.get_or_insert_default(), &text);
                    self.is_error |= block["is_error"] == true;
                }
            }
            _ => {
                if let Some(text) = block["text"].as_str() {
                    self.text(text, last);
                }
            }
        }
    }
}

/// The text of a content: a string, or the text blocks of a list.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let mut all = String::new();
            for text in blocks.iter().filter_map(|block| block["text"].as_str()) {
                line(&mut all, text);
            }
            all
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// Every string inside a tool's input, as written there and not as JSON spells it.
fn leaves(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => line(out, text),
        Value::Array(list) => list.iter().for_each(|one| leaves(one, out)),
        Value::Object(map) => map.values().for_each(|one| leaves(one, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn line(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push('\n');
    }
    out.push_str(text);
}
