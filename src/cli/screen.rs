//! `flower [TASK]`: the workbench on a folder.

use std::io;

use super::args::RunOptions;
use super::run;
use super::session;
use super::settings::{self, Settings};
use super::{CliError, EXIT_TERMINATED};
use crate::config::Permission;
use crate::generation::machine::ReviewMode;
use crate::model::Auth;
use crate::model::window::Window;
use crate::runtime::spec::{AgentSpec, Start, StepSpec};
use crate::view::theme::Theme;
use crate::workbench::{self, Left, Setup};

/// How long a person gets on screen when nobody says otherwise, in seconds.
const DEFAULT_REVIEW_S: u64 = 30;

pub(super) fn screen(task: Option<String>, options: &RunOptions) -> Result<u8, CliError> {
    let settings = Settings::load(options.workspace.as_deref(), options.config.as_deref())?;
    settings::refuse_later(options, settings.layers.config())?;
    settings.refuse_outside(options)?;
    let mut agent = settings.agent(options);
    agent.permission = options
        .permission
        .or(settings.layers.config().permission)
        .unwrap_or(Permission::Ask);
    if matches!(agent.auth, Auth::None) {
        return Err(CliError::NoCredentials(agent.base_url));
    }
    let start = if options.new {
        Start::New
    } else {
        Start::Continue
    };
    let starts = task.is_some();
    let step = run::step_spec(&settings, options, task, start, &agent)?;
    session::block_on(async {
        let window = run::ask_window(&settings, options, &agent).await?;
        show(&settings, options, agent, step, window, starts).await
    })?
}

/// Opens the workbench with everything known.
pub(super) async fn show(
    settings: &Settings,
    options: &RunOptions,
    agent: AgentSpec,
    step: StepSpec,
    window: Window,
    starts: bool,
) -> Result<u8, CliError> {
    let config = settings.layers.config();
    let unsaid = options.review.is_none() && config.review.is_none();
    let mut runtime = settings.runtime(options, window.clone());
    if unsaid {
        let length = std::time::Duration::from_secs(DEFAULT_REVIEW_S);
        runtime = runtime.review(ReviewMode::After(length));
    }
    let policy = settings.policy(
        window.tokens,
        options.headroom,
        options.max_generations,
        options.no_handoff,
    );
    let theme = if settings.env.no_color {
        Theme::Plain
    } else {
        Theme::Terminal
    };
    let left = workbench::open(Setup {
        runtime,
        agent,
        step,
        starts,
        policy,
        window,
        texts: settings.texts(options.lang)?,
        document_lang: settings::document_lang(config.document_lang),
        hold_timeout: settings.hold_timeout(),
        theme,
    })
    .await
    .map_err(|source| match source.kind() {
        io::ErrorKind::NotConnected => CliError::Usage(source.to_string()),
        _ => CliError::System {
            what: "the screen cannot be used",
            source,
        },
    })?;
    Ok(exit_code(&left))
}

fn exit_code(left: &Left) -> u8 {
    if left.terminated {
        return EXIT_TERMINATED;
    }
    let result = left.result.as_ref();
    session::exit_code(result.and_then(|result| result.failure.as_ref()))
}
