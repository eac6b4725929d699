//! What can go wrong with one request to a model, and what to do about it.

use std::time::Duration;

/// What an error means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The request does not fit into the context window.
    Overflow,
    /// Repeating it cannot help.
    Fatal,
    /// It may pass; wait and try again.
    Transient,
    /// Nothing known; retried like a transient one.
    Unknown,
}

/// An error of one request, with everything the run needs to decide.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What went wrong, for people: what was asked of which host, the status, the server's own text.
    /// Never contains a key.
    pub message: String,
    /// HTTP status, when there was an answer.
    pub status: Option<u16>,
    /// What it means.
    pub class: ErrorClass,
    /// How long the server asked to wait.
    pub retry_after: Option<Duration>,
    /// True when the server refused the credentials (401, 403, authentication words).
    pub credentials: bool,
}
