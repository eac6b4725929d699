//! When one session hands over to the next.
pub mod prompt;
