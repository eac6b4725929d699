//! `flower demo`: the built-in story. A scripted model is served on loopback; client, agent, tools and
//! files are the real ones. Nothing of the person's settings counts, and nothing of theirs is touched.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::CliError;
use super::args::DemoArgs;
use super::run;
use super::screen;
use super::session;
use super::settings::{self, Settings};
use crate::agent::scripted::{Scenario, ScriptedServer};
use crate::config::Permission;
use crate::model::Auth;
use crate::model::window::{Window, WindowSource};
use crate::runtime::spec::{Prices, Start};
use crate::secret::Secret;

/// Prices of the story in USD for a million tokens: round figures near those of large models.
const STORY_PRICES: Prices = Prices {
    input: 5.0,
    output: 25.0,
    cache_read: 0.5,
    cache_write: 6.25,
};

pub(super) fn demo(args: DemoArgs) -> Result<u8, CliError> {
    let mut options = args.options;
    let scenario = match &args.scenario {
        Some(path) => load(path)?,
        None => Scenario::default_story(),
    };
    let workspace = match &options.workspace {
        Some(path) => path.clone(),
        None => new_folder()?,
    };
    let settings = Settings::none(workspace.clone());
    settings::refuse_later(&options, settings.layers.config())?;
    scenario
        .write_workspace(&workspace)
        .map_err(|error| CliError::Usage(error.to_string()))?;
    // With stderr gone there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "flower demo: {}", workspace.display());
    options.permission.get_or_insert(Permission::Full);
    let lang = crate::config::interface_lang(options.lang, &settings.env, None);
    let texts = settings.texts(options.lang)?;
    let window = Window {
        tokens: options.window.unwrap_or(scenario.window_tokens()),
        source: match options.window {
            Some(_) => WindowSource::Flag,
            None => WindowSource::Server,
        },
    };
    let task = scenario
        .task_text(lang == crate::config::Lang::En)
        .to_owned();
    session::block_on(async {
        let model = scenario.model().to_owned();
        let server = ScriptedServer::start(scenario, args.speed)
            .await
            .map_err(|source| CliError::System {
                what: "cannot serve the scripted model on loopback",
                source,
            })?;
        let mut agent = settings.agent(&options);
        agent.model = options.model.clone().unwrap_or(model);
        agent.base_url = server.base_url();
        agent.auth = Secret::new("demo-key").map_or(Auth::None, Auth::ApiKey);
        agent.use_proxy = false;
        agent.prices = Some(STORY_PRICES);
        let step = run::step_spec(&settings, &options, Some(task), Start::Continue, &agent)?;
        if args.json || !std::io::stdout().is_terminal() {
            run::go(&settings, &options, agent, step, window, args.json, &texts).await
        } else {
            screen::show(&settings, &options, agent, step, window, true).await
        }
    })?
}

fn load(path: &Path) -> Result<Scenario, CliError> {
    let text = std::fs::read_to_string(path).map_err(|source| CliError::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(Scenario::load(&text, path)?)
}

/// A folder of its own, kept for the person to look at.
fn new_folder() -> Result<PathBuf, CliError> {
    tempfile::Builder::new()
        .prefix("flower-demo-")
        .tempdir()
        .map(tempfile::TempDir::keep)
        .map_err(|source| CliError::System {
            what: "cannot make a folder for the demo; name one with -w",
            source,
        })
}
