//! One conversation that can run turns. Model events and tool results come in, [`AgentEvent`]s and
//! the end of each turn go out; nothing here knows of thresholds or generations.

mod clean;
pub mod meter;
pub mod native;
pub mod scripted;
pub mod transcript;

use serde_json::Value;

use crate::model::Usage;

/// What a conversation reports while a turn runs.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// A piece of an answer that is still arriving.
    TextDelta(String),
    /// Usage of the answer so far; a later one with the same id replaces it.
    Usage {
        /// The server's id of the answer.
        message_id: String,
        /// Its tokens.
        usage: Usage,
    },
    /// The answer arrived whole; what it holds follows.
    Answered {
        /// Tokens estimated for the prompt, for servers that report no usage.
        estimated_context: u64,
    },
    /// Reasoning of a whole answer.
    Thinking(String),
    /// Text of a whole answer.
    Text(String),
    /// A tool is about to run.
    ToolCall {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        /// Its arguments.
        input: Value,
    },
    /// A tool is done.
    ToolResult {
        /// The call's id.
        id: String,
        /// What the model reads.
        text: String,
        /// Whether it failed or was refused.
        is_error: bool,
    },
    /// Something did not work, but the turn goes on.
    Trouble(String),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// The conversation goes on with another turn.
    Boundary,
    /// The model said all it wanted.
    Finished {
        /// Its last words; may be empty.
        text: String,
    },
}
