//! flower: long agent runs that hand over to a fresh session instead of compacting.
//!
//! One direction of flow, from bytes to files and events:
//!
//! ```text
//! model stream -> session -> context meter -> generation machine -> runtime events -> front end
//! (model)         (agent)    (agent::meter)   (generation)          (runtime)         (cli)
//!                    |                            |
//!                  tools                       effects <- runtime driver: write the handoff, archive,
//!                  (tool)                                 start the successor, record the manifest
//! ```
//!
//! A module names only modules to its left (and the small ones below: `config`, `disk`, `secret`, `sanitize`,
//! `texts`, `tokens`). State changes in one pure function, [`generation::machine::step`]; effects are data.
//!
//! ```no_run
//! use flower::{HandoffPolicy, Runtime};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Runtime::builder()
//!     .workspace(".")
//!     .run_dir("runs")
//!     .workbench(true)
//!     .handoff(HandoffPolicy { window: 200_000, ..Default::default() })
//!     .build()?;
//! # Ok(())
//! # }
//! ```

pub mod agent;
pub mod app;
pub mod cells;
pub mod cli;
pub mod config;
pub mod disk;
pub mod generation;
pub mod handoff;
pub mod model;
pub mod runtime;
pub mod sanitize;
pub mod secret;
pub mod terminal;
pub mod texts;
pub mod tokens;
pub mod tool;
pub mod view;

pub use generation::policy::HandoffPolicy;
pub use generation::prompt::HANDOFF_PROMPT;
pub use handoff::{DEGRADED, Handoff, degraded};
pub use model::overflow::is_overflow;
pub use model::window::default_window;
pub use runtime::Runtime;
pub use runtime::event::Event;
pub use runtime::spec::{AgentSpec, CompactPolicy, StepResult};
