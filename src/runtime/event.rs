//! Everything a front end ever learns of a run: numbered, serialisable facts. The same line goes to
//! the journal, to `--json` and to library users.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::handoff::Handoff;

/// One fact of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Number within the run, from 1 without gaps.
    pub seq: u64,
    /// When it happened (RFC 3339, UTC).
    pub time: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// A run began.
    Run {
        /// Its id.
        run: String,
        /// The folder it works in.
        workspace: PathBuf,
        /// The model asked for.
        model: String,
        /// Version of this program.
        version: Cow<'static, str>,
    },
    /// A step began.
    Step {
        /// Its name.
        step: String,
        /// What it was asked to do; `None` when it goes on without new words.
        task: Option<String>,
    },
    /// A session began or is taken up again.
    Session {
        /// Its id.
        session_id: String,
        /// Its number within the step, from 1.
        generation: u32,
        /// Whether an earlier run began it.
        resumed: bool,
        /// Context window in tokens.
        window: u64,
        /// Where the window comes from, as one word.
        window_source: Cow<'static, str>,
        /// Hand-over mark in tokens; `None` when handoffs are off.
        at: Option<u64>,
        /// Warn mark in tokens; `None` when handoffs are off.
        warn_at: Option<u64>,
    },
    /// Words of the model, or of the person during the run.
    Text {
        /// The message.
        text: String,
        /// Whether the answer was cut in the middle of it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
        /// Whether the person said it and not the model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        from_person: bool,
    },
    /// Reasoning of the model.
    Thinking {
        /// The reasoning.
        text: String,
    },
    /// A tool is about to run.
    ToolCall {
        /// The call's id.
        id: String,
        /// The tool.
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
    /// Tokens of one answer.
    Usage(UsageEvent),
    /// A step of a swap.
    Handoff(HandoffEvent),
    /// A turn is tried again.
    Retry {
        /// Which attempt comes next, from 2.
        attempt: u32,
        /// Attempts allowed in a row.
        max_attempts: u32,
        /// Milliseconds until then.
        delay_ms: u64,
        /// What went wrong.
        message: String,
        /// Its class.
        class: Cow<'static, str>,
    },
    /// Something went wrong; class `warning` when the run goes on as if it had not.
    Error {
        /// What, where, why, and what to do.
        message: String,
        /// `overflow`, `fatal`, `transient`, `unknown` or `warning`.
        class: Cow<'static, str>,
    },
    /// The step ended; always the last event.
    Result(ResultEvent),
}

/// Tokens of one answer beside the level they give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UsageEvent {
    /// Context in tokens; `None` while unknown.
    pub context: Option<u64>,
    /// Highest context of this generation, in tokens.
    pub peak: u64,
    /// Context window in tokens.
    pub window: u64,
    /// Hand-over mark in tokens; `None` when handoffs are off.
    pub at: Option<u64>,
    /// Warn mark in tokens; `None` when handoffs are off.
    pub warn_at: Option<u64>,
    /// `main`, or the id of a sub-conversation.
    pub thread: String,
    /// Prompt tokens outside the cache.
    pub input: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    pub cache_creation: u64,
    /// Tokens written.
    pub output: u64,
    /// Cost of the step so far in USD, all generations; `None` when no price is known.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Whether the context was estimated because the server told nothing.
    pub estimated: bool,
    /// Whether the answer was cut; its tokens count as spent all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// A step of a swap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum HandoffEvent {
    /// The warn mark is passed.
    Near {
        /// Context in tokens.
        context: u64,
        /// Window in tokens.
        window: u64,
        /// Hand-over mark in tokens.
        at: u64,
    },
    /// The handoff is being written.
    Writing {
        /// Context in tokens; `None` when an overflow came before any usage.
        context: Option<u64>,
        /// Window in tokens.
        window: u64,
    },
    /// A person may change the document.
    Review {
        /// The document.
        path: Option<PathBuf>,
        /// Seconds until the swap.
        deadline_s: u64,
    },
    /// The successor has the document.
    Done(Box<DoneEvent>),
}

/// A finished swap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoneEvent {
    /// Context in tokens; `None` when an overflow came before any usage.
    pub context: Option<u64>,
    /// Window in tokens.
    pub window: u64,
    /// Whether the document is the mechanical one.
    pub degraded: bool,
    /// Why; `None` unless degraded.
    pub why: Option<String>,
    /// The document; `None` when it could not be put on disk.
    pub path: Option<PathBuf>,
    /// SHA-256 of the bytes the successor got, in hex.
    pub sha256: String,
    /// Whether somebody changed it since it was written.
    pub edited: bool,
    /// The five sections.
    pub sections: Sections,
    /// The successor's number, from 2.
    pub generation: u32,
    /// The session that ended.
    pub from_session: String,
    /// The session that begins.
    pub to_session: String,
}

/// The five sections as the successor reads them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sections {
    /// 现在在做什么.
    pub doing: String,
    /// 已经定下的.
    pub decided: String,
    /// 走不通的路.
    pub deadends: String,
    /// 下一步.
    pub next: String,
    /// 现场.
    pub scene: String,
}

impl From<&Handoff> for Sections {
    fn from(handoff: &Handoff) -> Self {
        Self {
            doing: handoff.doing.clone(),
            decided: handoff.decided.clone(),
            deadends: handoff.deadends.clone(),
            next: handoff.next.clone(),
            scene: handoff.scene.clone(),
        }
    }
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultEvent {
    /// Whether it is done.
    pub ok: bool,
    /// Why not; `None` when done.
    pub error: Option<String>,
    /// The last session.
    pub session_id: Option<String>,
    /// Attempts, 1 without a retry.
    pub attempts: u32,
    /// Sessions that handed over, in order.
    pub retired: Vec<String>,
    /// Last known context in tokens.
    pub context: Option<u64>,
    /// Cost of all generations in USD; `None` when no price is known.
    pub cost_usd: Option<f64>,
    /// Answers that arrived whole, over all generations.
    pub num_turns: u64,
    /// Every generation of the step, in order.
    pub generations: Vec<GenerationRow>,
}

/// One generation as the manifest keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    /// Its session.
    pub session_id: String,
    /// Last known context in tokens.
    pub context: Option<u64>,
    /// Highest context in tokens.
    pub peak: u64,
    /// Cost in USD; `None` when no price is known.
    pub cost_usd: Option<f64>,
    /// Answers that arrived whole.
    pub num_turns: u64,
    /// Whether its handoff was the mechanical one.
    pub degraded: bool,
    /// Why; `None` unless degraded.
    pub why: Option<String>,
    /// The handoff it left; `None` while it has left none.
    pub document: Option<PathBuf>,
    /// SHA-256 of what its successor read, in hex.
    pub sha256: Option<String>,
    /// Whether somebody changed that handoff.
    pub edited: bool,
}
