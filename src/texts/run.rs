//! The words of `flower run` without a screen.

use serde::Deserialize;

/// The lines of `flower run` without `--json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTexts {
    /// A run began.
    pub run: String,
    /// A session began.
    pub session: String,
    /// A session is taken up again.
    pub resumed: String,
    /// The warn mark is passed.
    pub near: String,
    /// The handoff is being written.
    pub writing: String,
    /// An overflow came before any usage.
    pub overflowed: String,
    /// A person may change the document.
    pub review: String,
    /// The successor has the document.
    pub done: String,
    /// Somebody changed the document.
    pub edited: String,
    /// The document is the mechanical one.
    pub degraded: String,
    /// The document is only in the prompt.
    pub not_on_disk: String,
    /// A turn is tried again.
    pub retry: String,
    /// Something went wrong.
    pub error: String,
    /// Something did not work but the run goes on.
    pub warning: String,
    /// A tool failed.
    pub failed: String,
    /// Lines of a tool's result that are not shown.
    pub more_lines: String,
    /// The answer was cut here.
    pub cut: String,
    /// The step is done.
    pub finished: String,
    /// The step is not done.
    pub stopped: String,
    /// No price is known.
    pub cost_unknown: String,
    /// An interrupt was taken.
    pub interrupting: String,
}
