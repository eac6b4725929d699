//! Why a handoff was degraded and why a step ended badly: values the runtime can act on, each with
//! its sentence.

use super::policy::HandoffPolicy;

/// An overflow as the server told it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overflow {
    /// The window the server named, in tokens.
    pub limit: Option<u64>,
    /// The size it was given, in tokens.
    pub used: Option<u64>,
}

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.used, self.limit) {
            (Some(used), Some(limit)) => write!(f, "{used} tokens given, {limit} allowed"),
            (Some(used), None) => write!(f, "{used} tokens given"),
            (None, Some(limit)) => write!(f, "{limit} tokens allowed"),
            (None, None) => write!(f, "the server named no numbers"),
        }
    }
}

/// Why a degraded document stands in for a written one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DegradedWhy {
    /// A turn did not fit, so no writing turn was possible.
    #[error("the context window overflowed: {0}")]
    Overflow(Overflow),
    /// The writing turn itself did not fit.
    #[error("too full to write: {0}")]
    WritingOverflow(Overflow),
    /// The writing turn took longer than it may.
    #[error("the writing turn took longer than {0} s")]
    TimedOut(u64),
    /// The reply was cut before its end.
    #[error("the reply was cut off")]
    CutOff,
    /// The reply lacks required sections.
    #[error("missing: {}", .0.join(", "))]
    Incomplete(Vec<&'static str>),
    /// The model could not be asked.
    #[error("{0}")]
    Model(String),
}

impl DegradedWhy {
    /// The overflow behind it, if it was one.
    pub fn overflow(&self) -> Option<Overflow> {
        match self {
            Self::Overflow(overflow) | Self::WritingOverflow(overflow) => Some(*overflow),
            Self::TimedOut(_) | Self::CutOff | Self::Incomplete(_) | Self::Model(_) => None,
        }
    }
}

/// Why a step ended without success.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The person or a signal stopped it.
    #[error("interrupted; `flower run --continue` goes on from here")]
    Interrupted,
    /// The model cannot be used any more.
    #[error("{message}")]
    Model {
        /// What happened and what to do.
        message: String,
        /// Whether the server refused the credentials.
        credentials: bool,
    },
    /// Two overflows without one whole answer between them.
    #[error(
        "the context window overflowed twice in a row, stopped: {second}; this run counts on a window of {window} \
         tokens. Use --window with what the server allows, or a server with a larger context"
    )]
    OverflowTwice {
        /// The later overflow, numbers of the earlier one filled in where it named none.
        second: Overflow,
        /// Window in force, in tokens.
        window: u64,
    },
    /// An overflow while handoffs are off.
    #[error(
        "the context window overflowed ({0}) and handoffs are off; run again without --no-handoff, or start over with --new"
    )]
    OverflowWithoutHandoff(Overflow),
    /// Every allowed swap is used up.
    #[error(
        "all {} swaps are used up and the context reached {context} of {} tokens again: the threshold {} is probably \
         below this role's start-up floor; raise the window or use --no-handoff", .policy.max_generations, .policy.window, .policy.at()
    )]
    TooManyGenerations {
        /// Marks in force.
        policy: HandoffPolicy,
        /// Context that asked for the next swap, in tokens.
        context: u64,
    },
    /// The number of turns allowed is used up.
    #[error("the limit of {0} turns is reached (--max-turns); `flower run --continue` goes on")]
    TurnLimit(u64),
    /// The money allowed is used up.
    #[error(
        "the budget is spent: {spent} of {limit} USD (--max-budget-usd); raise it and use `flower run --continue`"
    )]
    Budget {
        /// Spent so far, in USD with four decimals.
        spent: String,
        /// Allowed, in USD.
        limit: String,
    },
}
