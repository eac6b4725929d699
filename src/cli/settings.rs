//! Flags, environment and config files in; what a run needs out. Flags > environment > workspace
//! file > user file > defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::CliError;
use super::args::RunOptions;
use crate::config::{self, Backend, Env, Layers, Permission, Review};
use crate::disk;
use crate::generation::machine::ReviewMode;
use crate::generation::policy::{DEFAULT_HEADROOM_TOKENS, DEFAULT_MAX_GENERATIONS, HandoffPolicy};
use crate::handoff::DocumentLang;
use crate::model::window::{self, ConfigWindow, Window, WindowInputs};
use crate::model::{Auth, anthropic::Anthropic, anthropic::AnthropicOptions};
use crate::runtime::spec::{AgentSpec, CompactPolicy, Prices};
use crate::runtime::{DEFAULT_HOLD_TIMEOUT, Runtime, RuntimeBuilder, RuntimeError};
use crate::texts::Texts;

/// Where the API lives when nobody says otherwise (documented by Anthropic).
const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";
/// The model when nobody says otherwise: the largest current one (vendor's model page).
const DEFAULT_MODEL: &str = "claude-opus-5-5";
/// Name of the step when nobody says otherwise.
pub(super) const DEFAULT_STEP: &str = "干活";
/// How long a command may take when nobody says otherwise, in seconds.
const DEFAULT_BASH_TIMEOUT_S: u64 = 120;
/// How long a server may be silent, in seconds; local models are slow before their first word.
const DEFAULT_IDLE_TIMEOUT_S: u64 = 300;
/// How long reaching a server may take, in seconds.
const DEFAULT_CONNECT_TIMEOUT_S: u64 = 20;

/// Everything that was set outside the flags.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) env: Env,
    pub(super) layers: Layers,
    pub(super) workspace: PathBuf,
}

impl Settings {
    /// Reads the environment and the config files.
    pub(super) fn load(workspace: Option<&Path>, config: Option<&Path>) -> Result<Self, CliError> {
        let env = Env::from_process();
        let workspace = workspace.unwrap_or(Path::new(".")).to_owned();
        if !workspace.is_dir() {
            return Err(CliError::Usage(format!(
                "the workspace {} is no folder; name one with -w",
                workspace.display()
            )));
        }
        let layers = Layers::load(&workspace, config, &env)?;
        Ok(Self {
            env,
            layers,
            workspace,
        })
    }

    /// Settings that know nothing of the person: for the demo.
    pub(super) fn none(workspace: PathBuf) -> Self {
        let locale = Env::from_process();
        let env = Env {
            flower_lang: locale.flower_lang,
            locale: locale.locale,
            no_color: locale.no_color,
            ..Env::default()
        };
        Self {
            env,
            layers: Layers::default(),
            workspace,
        }
    }

    pub(super) fn texts(&self, flag: Option<config::Lang>) -> Result<Texts, CliError> {
        let lang = config::interface_lang(flag, &self.env, self.layers.config().lang);
        Ok(Texts::load(lang)?)
    }

    /// The model by name, if anybody named one.
    pub(super) fn named_model<'a>(&'a self, flag: Option<&'a str>) -> Option<&'a str> {
        flag.filter(|name| !name.trim().is_empty())
            .or(self.env.model())
            .or(self.layers.config().model.as_deref())
    }

    /// The model that is asked.
    pub(super) fn model(&self, flag: Option<&str>) -> String {
        self.named_model(flag).unwrap_or(DEFAULT_MODEL).to_owned()
    }

    /// The server that is asked.
    pub(super) fn base_url(&self, flag: Option<&str>) -> String {
        flag.or(self.env.anthropic_base_url.as_deref())
            .or(self.layers.config().base_url.as_deref())
            .unwrap_or(DEFAULT_BASE_URL)
            .to_owned()
    }

    /// The credentials; gateways take the token, so it goes first when both are set.
    pub(super) fn auth(&self) -> Auth {
        match (&self.env.anthropic_auth_token, &self.env.anthropic_api_key) {
            (Some(token), _) => Auth::Bearer(token.clone()),
            (None, Some(key)) => Auth::ApiKey(key.clone()),
            (None, None) => Auth::None,
        }
    }

    /// The window without or with what the server says.
    pub(super) fn window(
        &self,
        flag: Option<u64>,
        model: Option<&str>,
        server: Option<u64>,
    ) -> Window {
        let named = self.named_model(model);
        let config = self
            .layers
            .window(named)
            .map(|(tokens, path)| ConfigWindow { tokens, path });
        window::resolve(&WindowInputs {
            flag,
            environment: self.env.flower_window.as_deref(),
            config,
            config_pattern: None,
            server,
            learned: None,
            model: named,
            anthropic_model: None,
            anthropic_default_opus_model: None,
        })
    }

    /// The policy of a window.
    pub(super) fn policy(
        &self,
        window_tokens: u64,
        headroom: Option<u64>,
        max_generations: Option<u32>,
        off: bool,
    ) -> HandoffPolicy {
        let config = self.layers.config();
        let configured = config
            .max_generations
            .and_then(|count| u32::try_from(count).ok());
        HandoffPolicy {
            enabled: !off && config.handoff.unwrap_or(true),
            window: window_tokens,
            headroom: headroom
                .or(config.headroom)
                .unwrap_or(DEFAULT_HEADROOM_TOKENS),
            max_generations: max_generations
                .or(configured)
                .unwrap_or(DEFAULT_MAX_GENERATIONS),
        }
    }

    /// The agent that flags and settings describe.
    pub(super) fn agent(&self, options: &RunOptions) -> AgentSpec {
        let agent = self.agent_for(options.model.as_deref(), options.base_url.as_deref());
        AgentSpec {
            permission: options.permission.unwrap_or(agent.permission),
            ..agent
        }
    }

    /// The agent of a model and server.
    pub(super) fn agent_for(&self, model: Option<&str>, base_url: Option<&str>) -> AgentSpec {
        let config = self.layers.config();
        let model = self.model(model);
        let seconds = |set: Option<u64>, default| Duration::from_secs(set.unwrap_or(default));
        AgentSpec {
            base_url: self.base_url(base_url),
            auth: self.auth(),
            max_output_tokens: config.max_output_tokens,
            thinking_budget_tokens: config.thinking_budget_tokens,
            permission: config.permission.unwrap_or(Permission::Edit),
            allow: config.allow.clone(),
            bash_timeout: seconds(config.bash_timeout_s, DEFAULT_BASH_TIMEOUT_S),
            idle_timeout: seconds(config.idle_timeout_s, DEFAULT_IDLE_TIMEOUT_S),
            connect_timeout: seconds(config.connect_timeout_s, DEFAULT_CONNECT_TIMEOUT_S),
            use_proxy: true,
            overflow_patterns: config
                .overflow_patterns
                .iter()
                .map(|pattern| pattern.regex().clone())
                .collect(),
            prices: config.prices.get(&model).map(|price| Prices {
                input: price.input,
                output: price.output,
                cache_read: price.cache_read.unwrap_or(price.input),
                cache_write: price.cache_write.unwrap_or(price.input),
            }),
            compact: CompactPolicy::Auto,
            model,
        }
    }

    /// The runtime that flags and settings describe.
    pub(super) fn runtime(&self, options: &RunOptions, window: Window) -> RuntimeBuilder {
        let config = self.layers.config();
        let policy = self.policy(
            window.tokens,
            options.headroom,
            options.max_generations,
            options.no_handoff,
        );
        let mut builder = Runtime::builder()
            .workspace(&self.workspace)
            .workbench(!options.no_workbench)
            .handoff(policy)
            .window_source(window.source)
            .review(review(options.review.or(config.review)))
            .hold_timeout(self.hold_timeout())
            .document_lang(document_lang(config.document_lang));
        if let Some(run_dir) = &options.run_dir {
            builder = builder.run_dir(run_dir);
        } else if let Some(run_dir) = &config.run_dir {
            builder = builder.run_dir(self.workspace.join(run_dir));
        }
        builder
    }

    /// Refuses a run folder that a workspace's own file names and that a link leads out of the
    /// workspace; a folder that the person names is their word.
    pub(super) fn refuse_outside(&self, options: &RunOptions) -> Result<(), CliError> {
        let named = self.layers.run_dir_of_workspace(&self.workspace);
        let (None, Some(folder)) = (&options.run_dir, named) else {
            return Ok(());
        };
        let root = self.workspace.canonicalize().unwrap_or_default();
        let folder = root.join(folder);
        let parts = ["", "sessions", "events", ".lock"];
        match parts
            .map(|part| folder.join(part))
            .into_iter()
            .find(|path| disk::leads_outside(&root, path))
        {
            Some(path) => Err(RuntimeError::Outside { path }.into()),
            None => Ok(()),
        }
    }

    /// How long a held review lasts untouched.
    pub(super) fn hold_timeout(&self) -> Duration {
        self.layers
            .config()
            .hold_timeout_s
            .map_or(DEFAULT_HOLD_TIMEOUT, Duration::from_secs)
    }

    /// The step's name.
    pub(super) fn step(&self, options: &RunOptions) -> String {
        options
            .step
            .clone()
            .or_else(|| self.layers.config().step.clone())
            .unwrap_or_else(|| DEFAULT_STEP.to_owned())
    }
}

/// A client for questions beside a run.
pub(super) fn client(agent: &AgentSpec) -> Result<Anthropic, CliError> {
    Ok(Anthropic::new(AnthropicOptions {
        base_url: agent.base_url.clone(),
        auth: agent.auth.clone(),
        idle_timeout: agent.idle_timeout,
        connect_timeout: agent.connect_timeout,
        use_proxy: agent.use_proxy,
        overflow_patterns: agent.overflow_patterns.clone(),
    })?)
}

/// Refuses what is planned but not there, rather than ignoring it.
pub(super) fn refuse_later(
    options: &RunOptions,
    config: &config::FileConfig,
) -> Result<(), CliError> {
    let backend = options.backend.or(config.backend);
    let later = |what, instead| Err(CliError::NotYet { what, instead });
    match backend {
        None | Some(Backend::Anthropic) => {}
        Some(Backend::Demo) => return later("--backend demo", "use `flower demo`"),
        Some(Backend::OpenAi) => {
            return later(
                "--backend openai",
                "use a server that speaks the Anthropic Messages API, such as llama.cpp",
            );
        }
        Some(Backend::ClaudeCode) => {
            return later("--backend claude-code", "use --backend anthropic");
        }
        Some(Backend::Acp) => return later("--backend acp", "use --backend anthropic"),
    }
    if options.agent_command.is_some() || config.agent_command.is_some() {
        return later("--agent-command", "use --backend anthropic without it");
    }
    if options.max_degraded.is_some() || config.max_degraded.is_some() {
        return later(
            "--max-degraded",
            "leave it out; every degraded handoff is told in the events",
        );
    }
    Ok(())
}

fn review(set: Option<Review>) -> ReviewMode {
    match set {
        None | Some(Review::Off) => ReviewMode::Off,
        Some(Review::Seconds(seconds)) => ReviewMode::After(Duration::from_secs(seconds)),
        Some(Review::Wait) => ReviewMode::Wait,
    }
}

pub(super) fn document_lang(set: Option<config::Lang>) -> DocumentLang {
    match set {
        None | Some(config::Lang::Zh) => DocumentLang::Zh,
        Some(config::Lang::En) => DocumentLang::En,
    }
}
