//! What can go wrong with one request to a model, and what to do about it.
//!
//! In go an HTTP status and the error texts of one attempt; out come a class for the run (hand over, stop, wait)
//! and a sentence for the person (which knob to turn). Whether it is an overflow is asked first.

mod advice;
mod kind;
mod retry;
#[cfg(test)]
mod tests;

use std::time::Duration;

use regex::Regex;

pub use advice::advice;
pub use retry::{MAX_RETRY_AFTER, RetryHint};

use super::overflow::{self, Finding};
use kind::Kind;

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

impl ErrorClass {
    /// A stable word for machines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::Fatal => "fatal",
            Self::Transient => "transient",
            Self::Unknown => "unknown",
        }
    }
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

/// An error read once, for the run and for `flower explain`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Explained {
    /// Whether the request did not fit.
    pub overflow: bool,
    /// The window the server stated, in tokens.
    pub limit: Option<u64>,
    /// What the request took, in tokens.
    pub used: Option<u64>,
    /// What it means for the run.
    pub class: ErrorClass,
    /// What a person can do about it.
    pub advice: String,
}

impl Explained {
    /// Explains the error texts of one attempt, the first error of a chain first: a fallback's error must not
    /// hide the one that caused it.
    pub fn of<S: AsRef<str>>(status: Option<u16>, texts: &[S], user_patterns: &[Regex]) -> Self {
        let finding = finding(status, texts, user_patterns);
        let class = class_of(&finding, status, texts);
        let told = texts
            .iter()
            .map(AsRef::as_ref)
            .find(|text| class_of(&Finding::default(), status, &[text]) == class);
        let text = told.or(texts.first().map(AsRef::as_ref)).unwrap_or("");
        let text = match status {
            Some(status) => format!("{status} {text}"),
            None => text.to_owned(),
        };
        Self {
            overflow: finding.overflow,
            limit: finding.limit,
            used: finding.used,
            class,
            advice: advice(&finding, class, &text),
        }
    }
}

/// Classifies an error by its HTTP status and the texts of the attempt, in the order they came.
///
/// An overflow in any text wins, then words of authentication or of money in any text, then the status, then
/// the first text that says anything. Errors inside a stream come with the status of the stream (200), which
/// says nothing: their type does (`overloaded_error`, `rate_limit_error`, `authentication_error`, …).
pub fn classify<S: AsRef<str>>(
    status: Option<u16>,
    texts: &[S],
    user_patterns: &[Regex],
) -> ErrorClass {
    class_of(&finding(status, texts, user_patterns), status, texts)
}

/// Tells whether the server refused the credentials: 401, 403 or words of authentication.
pub fn credentials<S: AsRef<str>>(status: Option<u16>, texts: &[S]) -> bool {
    matches!(status, Some(401 | 403))
        || texts
            .iter()
            .any(|text| Kind::of(None, &overflow::plain(text.as_ref())) == Kind::Credentials)
}

fn finding<S: AsRef<str>>(status: Option<u16>, texts: &[S], user_patterns: &[Regex]) -> Finding {
    let Some(status @ (402 | 429)) = status else {
        return overflow::examine(texts, user_patterns);
    };
    // Rates and money come with the vaguest words of all ("token limit exceeded"); the status settles it.
    let texts: Vec<String> = texts
        .iter()
        .map(|text| format!("{status} {}", text.as_ref()))
        .collect();
    overflow::examine(&texts, user_patterns)
}

fn class_of<S: AsRef<str>>(finding: &Finding, status: Option<u16>, texts: &[S]) -> ErrorClass {
    if finding.overflow {
        return ErrorClass::Overflow;
    }
    let plains: Vec<String> = texts
        .iter()
        .map(|text| overflow::plain(text.as_ref()))
        .collect();
    let decisive = plains
        .iter()
        .map(|plain| Kind::of(None, plain))
        .find(|kind| matches!(kind, Kind::Credentials | Kind::Money | Kind::LongContext));
    if let Some(kind) = decisive {
        return kind.class();
    }
    let by_status = Kind::of(status, plains.first().map_or("", String::as_str));
    std::iter::once(by_status)
        .chain(plains.iter().map(|plain| Kind::of(None, plain)))
        .map(Kind::class)
        .find(|class| *class != ErrorClass::Unknown)
        .unwrap_or(ErrorClass::Unknown)
}
