//! One conversation.
pub mod scripted;
