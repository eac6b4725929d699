//! Anthropic wire format.
