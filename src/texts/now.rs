//! The words of the now line.

use serde::Deserialize;

/// The words of the now line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NowTexts {
    /// There is no task yet.
    pub idle: NowState,
    /// A session is being opened.
    pub starting: NowState,
    /// A tool runs.
    pub working: NowState,
    /// The model thinks.
    pub thinking: NowState,
    /// Past the warn mark.
    pub near: NowState,
    /// The hand-over mark lies beyond the window.
    pub limit_first: NowState,
    /// The handoff is being written.
    pub writing: NowState,
    /// The handoff can be changed.
    pub review: NowState,
    /// The countdown is held.
    pub held: NowState,
    /// A required section is empty.
    pub incomplete: NowState,
    /// Another program changed one section too.
    pub conflict: NowState,
    /// Another program changed several sections too.
    pub conflicts: NowState,
    /// A successor has taken over.
    pub swapped: NowState,
    /// The same, from the prompt alone.
    pub swapped_in_prompt: NowState,
    /// Lines changed after the swap.
    pub not_delivered: NowState,
    /// The agent waits for permission.
    pub your_call: NowState,
    /// A turn is tried again.
    pub retry: NowState,
    /// The handoff is the mechanical one.
    pub degraded: NowState,
    /// An answer to what the person just did.
    pub told: NowState,
    /// The step is done.
    pub done: NowState,
    /// The step is not done.
    pub failed: NowState,
    /// Nobody touched a held review.
    pub timed_out: NowState,
    /// Nobody touched a held review with an empty section.
    pub timed_out_incomplete: NowState,
    /// Reasons for a mechanical handoff.
    pub causes: CauseTexts,
    /// Reasons for a retry.
    pub retry_causes: RetryTexts,
    /// Names of the sections.
    pub sections: SectionTexts,
    /// One line of text.
    pub line: String,
    /// Lines of text.
    pub lines: String,
    /// What stands between numbers of sections.
    pub and: String,
    /// Seconds below a minute.
    pub seconds: String,
    /// A countdown.
    pub left: String,
    /// A wait for the person.
    pub waits: String,
    /// A wait for the next attempt.
    pub retry_in: String,
}

/// One state: its word and, from wide to narrow, what it says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NowState {
    /// The word it is known by.
    pub word: String,
    /// At 120 columns.
    pub wide: String,
    /// At 80 columns.
    pub medium: String,
    /// At 40 columns.
    pub narrow: String,
}

/// Reasons for a mechanical handoff.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CauseTexts {
    /// The connection was lost.
    pub network: String,
    /// The document was cut.
    pub cut_off: String,
    /// A required section is missing.
    pub missing: String,
    /// The context was too full.
    pub too_full: String,
    /// The document could not be saved.
    pub disk: String,
}

/// Reasons for a retry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryTexts {
    /// The server cannot be reached.
    pub network: String,
    /// The server did not let the model answer.
    pub server: String,
}

/// Names of the sections.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionTexts {
    /// What is being done.
    pub doing: String,
    /// What is settled.
    pub decided: String,
    /// What does not work.
    pub deadends: String,
    /// What to do next.
    pub next: String,
    /// Where things are.
    pub scene: String,
}
