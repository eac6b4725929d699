//! Settings from files and the environment: texts and variables go in, typed and checked values come out.
//!
//! `flower.yaml` in the workspace lies over the user's own file; both lie below the environment and the flags,
//! which the command line adds. Every mistake in a file is an error that names file, line and key. A workspace
//! may come from a stranger, so some keys are not read from it: see [`Layers::load`].

mod env;
mod error;
mod file;
mod layers;
mod table;
#[cfg(test)]
mod tests;
mod value;
pub mod yaml;

pub use env::{Env, interface_lang};
pub use error::ConfigError;
pub use file::FileConfig;
pub use layers::Layers;
pub use table::{Price, Size, Table};
pub use value::{Backend, Lang, Pattern, Permission, Review};
