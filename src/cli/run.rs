//! `flower run`: a task without a screen.

use std::io::Write;
use std::path::Path;

use super::args::{RunArgs, RunOptions};
use super::doctor::token;
use super::session::{self, Format};
use super::settings::{self, Settings};
use super::{CliError, read_input};
use crate::model::window::Window;
use crate::model::{Auth, shown_base_url};
use crate::runtime::spec::{AgentSpec, Start, StepSpec};
use crate::sanitize::sanitize;
use crate::texts::Texts;
use crate::tokens;

pub(super) fn run(args: RunArgs) -> Result<u8, CliError> {
    let options = &args.options;
    let settings = Settings::load(options.workspace.as_deref(), options.config.as_deref())?;
    settings::refuse_later(options, settings.layers.config())?;
    let task = task(&args)?;
    let agent = settings.agent(options);
    if matches!(agent.auth, Auth::None) {
        return Err(CliError::NoCredentials(shown_base_url(&agent.base_url)));
    }
    let step = step_spec(&settings, options, task, start(&args), &agent)?;
    let texts = settings.texts(options.lang)?;
    session::block_on(async {
        let window = ask_window(&settings, options, &agent).await?;
        go(&settings, options, agent, step, window, args.json, &texts).await
    })?
}

/// Runs a step with everything known.
pub(super) async fn go(
    settings: &Settings,
    options: &RunOptions,
    agent: AgentSpec,
    step: StepSpec,
    window: Window,
    json: bool,
    texts: &Texts,
) -> Result<u8, CliError> {
    if options.verbose {
        tell(&agent, &window, texts);
    }
    if !options.no_workbench {
        settings.refuse_outside(options)?;
    }
    let runtime = settings.runtime(options, window).build()?;
    let (handle, events) = runtime.start(agent, step)?;
    let format = if json {
        Format::Json
    } else {
        Format::Lines(Box::new(texts.clone()))
    };
    session::follow(handle, events, format, texts).await
}

/// What a step is asked to do, within its limits.
pub(super) fn step_spec(
    settings: &Settings,
    options: &RunOptions,
    task: Option<String>,
    start: Start,
    agent: &AgentSpec,
) -> Result<StepSpec, CliError> {
    let config = settings.layers.config();
    let max_budget_usd = options.max_budget_usd.or(config.max_budget_usd);
    if max_budget_usd.is_some() && agent.prices.is_none() {
        return Err(CliError::Usage(format!(
            "a budget needs prices, and none are known for {}: add a line to `prices:` in the config, or leave --max-budget-usd out",
            agent.model
        )));
    }
    Ok(StepSpec {
        name: settings.step(options),
        task,
        start,
        max_turns: options.max_turns.or(config.max_turns),
        max_budget_usd,
    })
}

/// The window in force: only when nobody said so is the server asked. A server that does not tell
/// has no effect on the run.
pub(super) async fn ask_window(
    settings: &Settings,
    options: &RunOptions,
    agent: &AgentSpec,
) -> Result<Window, CliError> {
    let model = options.model.as_deref();
    let window = settings.window(options.window, model, None);
    if !window.source.is_guess() {
        return Ok(window);
    }
    let told = settings::client(agent)?.model_info(&agent.model).await;
    let server = told.ok().flatten().and_then(|model| model.window_tokens);
    Ok(settings.window(options.window, model, server))
}

fn task(args: &RunArgs) -> Result<Option<String>, CliError> {
    let Some(task) = &args.task else {
        return Ok(None);
    };
    let task = if task == "-" {
        String::from_utf8_lossy(&read_input(Path::new("-"))?).into_owned()
    } else {
        task.clone()
    };
    if task.trim().is_empty() {
        return Err(CliError::Usage(
            "the task is empty; say what to do, or use --continue".to_owned(),
        ));
    }
    Ok(Some(task))
}

fn start(args: &RunArgs) -> Start {
    match &args.resume {
        Some(run) => Start::Resume(run.clone()),
        None if args.options.new => Start::New,
        None => Start::Continue,
    }
}

fn tell(agent: &AgentSpec, window: &Window, texts: &Texts) {
    let guess = if window.source.is_guess() { "?" } else { "" };
    let text = format!(
        "endpoint {}\nmodel    {}\ntoken    {}\nwindow   {}{guess} {}\n",
        shown_base_url(&agent.base_url),
        agent.model,
        token(&agent.auth),
        tokens::size(window.tokens),
        texts.window_from.by_word(window.source.word()),
    );
    // With stderr gone there is nobody left to tell.
    let _ = std::io::stderr().write_all(sanitize(&text).as_bytes());
}
