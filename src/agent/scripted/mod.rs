//! The scripted model: a scenario file comes in, a loopback HTTP server that speaks the streaming
//! Messages API goes out. The demo and the loopback tests run the real client, agent, tools and
//! files against it; it is a fake at the process boundary and nowhere else.
//!
//! `assets/scenarios/README.md` documents the scenario format.

mod answer;
mod conversation;
mod messages;
mod pattern;
mod reply;
mod rules;
mod scenario;
mod sending;
mod server;
mod step;
mod template;
mod usage;
mod validate;
mod wire;

pub use reply::ApiError;
pub use scenario::{Scenario, ScenarioError};
pub use server::{Exchange, ScriptedServer};
pub use usage::WireUsage;

#[cfg(test)]
mod tests;
