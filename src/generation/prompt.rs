//! Texts of the handoff.
