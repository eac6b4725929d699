//! When one session hands over to the next. Readings and results of finished work come in, effects
//! go out; no file, no clock, no async. The runtime's driver does what is decided here.

pub mod level;
pub mod machine;
pub mod policy;
pub mod prompt;
pub mod why;
