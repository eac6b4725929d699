//! flower: long agent runs that hand over to a fresh session instead of compacting.

pub mod agent;
pub mod config;
pub mod disk;
pub mod generation;
pub mod handoff;
pub mod model;
pub mod sanitize;
pub mod secret;
pub mod tokens;
pub mod tool;
