//! Where tokens come from: one model behind HTTP. In goes a [`Request`], out comes a stream of
//! [`ModelEvent`]s; nothing here knows of sessions, generations or tools that run.
//!
//! The types in this file are neutral: the wire formats live in one file each and are the only
//! places that know a provider's field names.

pub mod anthropic;
pub mod error;
mod http;
pub mod overflow;
pub mod window;

use std::pin::Pin;

use futures_util::Stream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use http::{Auth, shown_base_url};

/// Token usage of one model answer, all figures in tokens.
///
/// The four parts never overlap. Servers that count cached tokens inside the prompt are
/// converted when their answer is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to the prompt cache.
    pub input: u64,
    /// Prompt tokens read from the prompt cache.
    pub cache_read: u64,
    /// Prompt tokens written to the prompt cache.
    pub cache_creation: u64,
    /// Tokens of the answer, thinking included.
    pub output: u64,
}

impl Usage {
    /// Tokens the model saw: the size of the prompt, however it was cached. Output is not added.
    pub fn context(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_creation)
    }

    /// Adds another answer's tokens; for what a run spent, never for how full a context is.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_creation = self.cache_creation.saturating_add(other.cache_creation);
        self.output = self.output.saturating_add(other.output);
    }
}

/// Who speaks in a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, or the program on their behalf (tool results).
    User,
    /// The model.
    Assistant,
}

/// One finished piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// The model's visible reasoning; must go back unchanged with its signature.
    Thinking {
        /// The reasoning text, possibly empty.
        thinking: String,
        /// The server's seal over it.
        signature: String,
    },
    /// Reasoning the server keeps to itself; must go back unchanged.
    RedactedThinking {
        /// Opaque data.
        data: String,
    },
    /// The model asks for a tool.
    ToolUse {
        /// Id that the result must carry.
        id: String,
        /// Name of the tool.
        name: String,
        /// Arguments; always an object.
        input: Value,
        /// The raw arguments when they were no valid JSON object; such a call is never run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        malformed: Option<String>,
    },
    /// What a tool answered.
    ToolResult {
        /// Id of the call it answers.
        id: String,
        /// What the model reads.
        text: String,
        /// Whether the tool failed or was refused.
        is_error: bool,
    },
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Block>,
}

impl Message {
    /// A message of the person, made of one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: vec![Block::text(text)],
        }
    }
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name the model calls it by.
    pub name: &'static str,
    /// One or two sentences for the model.
    pub description: String,
    /// JSON schema of the arguments; an object schema.
    pub input_schema: Value,
}

/// One request for an answer.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Model name as the person typed it; a `[1m]` suffix never goes over the wire.
    pub model: &'a str,
    /// System text.
    pub system: &'a str,
    /// Tools offered, in a stable order (prompt caching needs it).
    pub tools: &'a [ToolSpec],
    /// The conversation so far; the last message is the person's.
    pub messages: &'a [Message],
    /// Largest answer asked for, in tokens.
    pub max_output_tokens: u64,
    /// Budget for visible reasoning in tokens; `None` leaves thinking off.
    pub thinking_budget_tokens: Option<u64>,
}

/// What a model stream yields, in order. The stream ends well only after [`ModelEvent::Stopped`].
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// The answer began.
    Started {
        /// The server's id of this answer.
        message_id: String,
        /// The model that answers, as the server names it.
        model: String,
    },
    /// The usage of this answer as known now; a later one replaces an earlier one.
    Usage(Usage),
    /// A piece of answer text.
    TextDelta(String),
    /// A piece of visible reasoning.
    ThinkingDelta(String),
    /// A block is complete.
    Block(Block),
    /// The answer is complete.
    Stopped(StopReason),
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model said all it wanted (`end_turn`, `stop_sequence`).
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output cap was reached; the text is cut and a tool call may be incomplete.
    MaxTokens,
    /// A server-side loop paused: the conversation goes back unchanged.
    PauseTurn,
    /// The model declined.
    Refusal,
    /// The answer filled the context window: an overflow inside a successful answer.
    ContextWindowExceeded,
    /// A reason this program does not know; taken as a normal end.
    Other(String),
}

/// The events of one answer. Dropping it cancels the request; after an error nothing follows.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, error::ModelError>> + Send>>;

/// What a server tells about one of its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerModel {
    /// The model's id as the server writes it.
    pub id: String,
    /// Largest prompt the server takes, in tokens.
    pub window_tokens: Option<u64>,
    /// Largest answer the server gives, in tokens.
    pub max_output_tokens: Option<u64>,
}
