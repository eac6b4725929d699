//! The scripted model against a client that reads raw bytes, so that every byte is seen.

mod player;
mod raw;
mod refusals;
mod scenarios;
mod server;
mod steps;
mod story;

use std::path::Path;

use super::{Scenario, ScriptedServer};

/// A scenario with these rules.
fn scenario(rules: &str) -> Scenario {
    let text = format!(
        "model: claude-demo\nwindow: 20000\nusage: {{floor_tokens: 100, chars_per_token: 2}}\ntask: {{zh: 修, en: fix}}\nrules:\n{rules}"
    );
    Scenario::load(&text, Path::new("test.yaml")).unwrap()
}

async fn serve(rules: &str) -> ScriptedServer {
    ScriptedServer::start(scenario(rules), 0.0).await.unwrap()
}
