//! flower: long agent runs that hand over to a fresh session instead of compacting.
//!
//! One direction of flow, from bytes to cells:
//!
//! ```text
//! model stream -> session -> context meter -> generation machine -> runtime events -> app state -> view
//! (model)         (agent)    (agent::meter)   (generation)          (runtime)         (app)        (view)
//!                    |                            |                                      |
//!                  tools                       effects <- runtime driver              effects <- workbench loop
//!                  (tool)                       write the handoff, archive,            save, edit, open the archive;
//!                                               start the successor                    terminal
//! ```
//!
//! A module names only modules to its left (and the small ones below: `cells`, `config`, `disk`, `secret`,
//! `sanitize`, `texts`, `tokens`). The headless library never names `app`, `view` or `terminal`. State changes in two
//! pure functions, [`generation::machine::step`] and [`app::update::update`]; effects are data.
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
pub mod workbench;

pub use generation::policy::HandoffPolicy;
pub use generation::prompt::HANDOFF_PROMPT;
pub use handoff::{DEGRADED, Handoff, degraded};
pub use model::overflow::is_overflow;
pub use model::window::default_window;
pub use runtime::Runtime;
pub use runtime::event::Event;
pub use runtime::spec::{AgentSpec, CompactPolicy, StepResult};
