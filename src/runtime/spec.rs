//! What a run is asked to do, and what came of it.

use std::time::Duration;

use regex::Regex;

use super::event::GenerationRow;
use crate::config::Permission;
use crate::generation::why::Failure;
use crate::model::{Auth, Usage};

/// Who shrinks a conversation that grows too large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CompactPolicy {
    /// Off while handoffs are on, the backend's own otherwise.
    #[default]
    Auto,
    /// Never.
    Off,
    /// The backend's own, beside handoffs. Our own agent has none.
    Backend,
}

/// Prices of a model in USD for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Prompt tokens outside the cache.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Prompt tokens read from the cache.
    pub cache_read: f64,
    /// Prompt tokens written to the cache.
    pub cache_write: f64,
}

impl Prices {
    /// Cost of some usage in USD.
    pub fn cost_usd(&self, usage: Usage) -> f64 {
        let part = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        part(usage.input, self.input)
            + part(usage.output, self.output)
            + part(usage.cache_read, self.cache_read)
            + part(usage.cache_creation, self.cache_write)
    }
}

/// The agent that does a step.
#[derive(Debug, Clone)]
pub struct AgentSpec {
    /// Model name as the person gave it.
    pub model: String,
    /// Where the server is, without `/v1`.
    pub base_url: String,
    /// How the server is told who asks.
    pub auth: Auth,
    /// Largest answer asked for in tokens; `None` takes a share of the window.
    pub max_output_tokens: Option<u64>,
    /// Budget for visible reasoning in tokens; `None` leaves it off.
    pub thinking_budget_tokens: Option<u64>,
    /// What tools may do.
    pub permission: Permission,
    /// Command prefixes that are allowed without asking.
    pub allow: Vec<String>,
    /// How long one command may take.
    pub bash_timeout: Duration,
    /// How long a server may be silent within an answer.
    pub idle_timeout: Duration,
    /// How long reaching the server may take.
    pub connect_timeout: Duration,
    /// Whether proxy variables of the environment count; they never do for this machine.
    pub use_proxy: bool,
    /// More wordings of "it does not fit".
    pub overflow_patterns: Vec<Regex>,
    /// What a token costs; `None` when nobody said.
    pub prices: Option<Prices>,
    /// Who compacts.
    pub compact: CompactPolicy,
}

impl AgentSpec {
    /// The default share: a quarter of the window, from 1,024 to 32,000 tokens. Small local windows
    /// must hold prompt and answer; 32,000 is what the oldest models still served accept.
    pub fn output_cap(&self, window_tokens: u64) -> u64 {
        self.max_output_tokens
            .unwrap_or_else(|| (window_tokens / 4).clamp(1_024, 32_000))
    }
}

/// Which session a step begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// The last session of this step in this folder; a fresh one when there is none.
    Continue,
    /// A fresh one.
    New,
    /// The last session of that run.
    Resume(String),
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSpec {
    /// Its name; part of the handoff's file name.
    pub name: String,
    /// What to do; `None` goes on without new words.
    pub task: Option<String>,
    /// Which session it begins with.
    pub start: Start,
    /// Answers allowed; `None` sets no limit.
    pub max_turns: Option<u64>,
    /// Money allowed in USD; `None` sets no limit.
    pub max_budget_usd: Option<f64>,
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// The run's id.
    pub run: String,
    /// Why it is not done; `None` when it is.
    pub failure: Option<Failure>,
    /// The last session.
    pub session_id: String,
    /// Attempts, 1 without a retry.
    pub attempts: u32,
    /// Sessions that handed over, in order.
    pub retired: Vec<String>,
    /// Every generation, in order.
    pub generations: Vec<GenerationRow>,
    /// Last known context in tokens.
    pub context: Option<u64>,
    /// Cost of all generations in USD; `None` when no price is known.
    pub cost_usd: Option<f64>,
    /// Answers that arrived whole.
    pub num_turns: u64,
    /// The model's last words.
    pub text: String,
    /// Number of the last event.
    pub last_seq: u64,
}

impl StepResult {
    /// Whether the step is done.
    pub fn ok(&self) -> bool {
        self.failure.is_none()
    }
}
