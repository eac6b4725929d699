//! flower: long agent runs that hand over instead of compacting.
pub mod agent;
pub mod cli;
pub mod config;
pub mod disk;
pub mod generation;
pub mod handoff;
pub mod model;
pub mod runtime;
pub mod secret;
pub mod tokens;
pub mod tool;
