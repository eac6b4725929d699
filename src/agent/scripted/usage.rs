//! Token figures: a request body comes in, the usage a server would report goes out, counted from
//! what was really sent.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::conversation::text_of;
use super::template::is_han;

/// How a scenario counts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, try_from = "WrittenRate")]
pub(super) struct Rate {
    /// Tokens every request costs before its first character.
    floor_tokens: u64,
    /// Characters a token stands for; a Chinese character, kana, hangul or full-width mark is a token.
    chars_per_token: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRate {
    floor_tokens: u64,
    chars_per_token: f64,
}

impl TryFrom<WrittenRate> for Rate {
    type Error = String;

    fn try_from(rate: WrittenRate) -> Result<Self, String> {
        if !(0.1..=100.0).contains(&rate.chars_per_token) {
            return Err("`chars_per_token` is from 0.1 to 100".to_owned());
        }
        if rate.floor_tokens > 100_000_000 {
            return Err("`floor_tokens` is at most 100000000".to_owned());
        }
        Ok(Self {
            floor_tokens: rate.floor_tokens,
            chars_per_token: rate.chars_per_token,
        })
    }
}

/// Usage figures under the names they have on the wire, all in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WireUsage {
    /// Prompt tokens neither read from nor written to the cache.
    pub input_tokens: u64,
    /// Prompt tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Prompt tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

impl WireUsage {
    /// Tokens of the whole prompt, however they were cached.
    pub fn context(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }
}

/// Usage a rule states instead of the counted one.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UsageOverride {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl UsageOverride {
    /// A stated input-side figure makes the others that are not stated 0; output stands alone.
    pub(super) fn over(&self, counted: WireUsage) -> WireUsage {
        let input = [
            self.input_tokens,
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
        ];
        let output_tokens = self.output_tokens.unwrap_or(counted.output_tokens);
        if input == [None; 3] {
            return WireUsage {
                output_tokens,
                ..counted
            };
        }
        let [input_tokens, creation, read] = input.map(Option::unwrap_or_default);
        WireUsage {
            input_tokens,
            cache_creation_input_tokens: creation,
            cache_read_input_tokens: read,
            output_tokens,
        }
    }
}

impl Rate {
    /// Tokens of a text, not rounded.
    fn weigh(&self, text: &str) -> f64 {
        let (mut wide, mut narrow) = (0_u64, 0_u64);
        for c in text.chars() {
            if is_han(c)
                || matches!(c, '\u{3000}'..='\u{33ff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}')
            {
                wide += 1;
            } else {
                narrow += 1;
            }
        }
        wide as f64 + narrow as f64 / self.chars_per_token
    }

    /// Tokens of an answer's text; an answer costs at least one.
    pub(super) fn output(&self, said: &str) -> u64 {
        (self.weigh(said).ceil() as u64).max(1)
    }
}

/// A stretch of the prompt: the system text with the tools, or one message.
struct Segment {
    hash: u64,
    /// Tokens of the prompt up to its end.
    end_tokens: u64,
    /// Whether a cache mark is on it.
    marked: bool,
}

/// Remembers earlier prompts to tell what a cache would have held.
#[derive(Default)]
pub(super) struct Cache {
    prompts: VecDeque<Vec<u64>>,
}

/// Prompts remembered: enough for a main conversation and the children that run beside it.
const PROMPTS: usize = 16;

impl Cache {
    /// Counts a request without remembering it.
    pub(super) fn count(rate: &Rate, body: &Value) -> u64 {
        segments(rate, body)
            .last()
            .map_or(rate.floor_tokens, |segment| segment.end_tokens)
    }

    /// Counts a request, splits it as a prompt cache would, and remembers it.
    pub(super) fn usage(&mut self, rate: &Rate, body: &Value) -> WireUsage {
        let segments = segments(rate, body);
        let total = segments
            .last()
            .map_or(rate.floor_tokens, |segment| segment.end_tokens);
        let automatic = body
            .get("cache_control")
            .is_some_and(|mark| !mark.is_null());
        let cached = match segments.iter().rposition(|segment| segment.marked) {
            _ if automatic => segments.len(),
            Some(last) => last + 1,
            None => 0,
        };
        let hashes: Vec<u64> = segments.iter().map(|segment| segment.hash).collect();
        let known = self
            .prompts
            .iter()
            .map(|prompt| {
                prompt
                    .iter()
                    .zip(&hashes)
                    .take_while(|(a, b)| a == b)
                    .count()
            })
            .max()
            .unwrap_or(0)
            .min(cached);
        let up_to = |count: usize| match count.checked_sub(1) {
            Some(last) => segments[last].end_tokens,
            None => 0,
        };
        // Only what was written to the cache can be read from it later.
        if cached > 0 {
            self.prompts.push_back(hashes[..cached].to_vec());
            if self.prompts.len() > PROMPTS {
                self.prompts.pop_front();
            }
        }
        WireUsage {
            input_tokens: total - up_to(cached),
            cache_creation_input_tokens: up_to(cached) - up_to(known),
            cache_read_input_tokens: up_to(known),
            output_tokens: 0,
        }
    }
}

fn segments(rate: &Rate, body: &Value) -> Vec<Segment> {
    let mut tools = body["tools"].clone();
    let mut marked = has_mark(&tools) || has_mark(&body["system"]);
    unmark(&mut tools);
    let mut start = text_of(&body["system"]);
    if !tools.is_null() {
        start.push_str(&tools.to_string());
    }
    let mut tokens = rate.weigh(&start);
    let mut out = Vec::new();
    let mut text = start;
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let mut rest = messages.iter();
    loop {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        out.push(Segment {
            hash: hasher.finish(),
            end_tokens: rate.floor_tokens + tokens.ceil() as u64,
            marked,
        });
        let Some(message) = rest.next() else {
            return out;
        };
        text = content(&message["content"]);
        tokens += rate.weigh(&text);
        marked = has_mark(&message["content"]);
    }
}

/// What of a message the model reads: words, calls and results, not the JSON around them.
fn content(content: &Value) -> String {
    let Value::Array(blocks) = content else {
        return text_of(content);
    };
    let mut all = String::new();
    for block in blocks {
        for key in ["text", "thinking", "name"] {
            all.push_str(block[key].as_str().unwrap_or_default());
        }
        if block["type"] == "tool_use" {
            all.push_str(&block["input"].to_string());
        }
        all.push_str(&text_of(&block["content"]));
    }
    all
}

fn has_mark(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(has_mark),
        Value::Object(map) => map.get("cache_control").is_some_and(|mark| !mark.is_null()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn unmark(tools: &mut Value) {
    for tool in tools.as_array_mut().into_iter().flatten() {
        if let Some(map) = tool.as_object_mut() {
            map.shift_remove("cache_control");
        }
    }
}
