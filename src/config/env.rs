//! A snapshot of the environment variables that flower reads, taken once at the start.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Lang;
use crate::secret::Secret;
use crate::tokens::parse_size;

/// The environment; an empty variable is unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    /// `ANTHROPIC_API_KEY`, sent as `x-api-key`.
    pub anthropic_api_key: Option<Secret>,
    /// `ANTHROPIC_AUTH_TOKEN`, sent as a bearer token.
    pub anthropic_auth_token: Option<Secret>,
    /// `ANTHROPIC_BASE_URL`.
    pub anthropic_base_url: Option<String>,
    /// `ANTHROPIC_MODEL`.
    pub anthropic_model: Option<String>,
    /// `ANTHROPIC_DEFAULT_OPUS_MODEL`.
    pub anthropic_default_opus_model: Option<String>,
    /// `OPENAI_API_KEY`.
    pub openai_api_key: Option<Secret>,
    /// `OPENAI_BASE_URL`.
    pub openai_base_url: Option<String>,
    /// `FLOWER_WINDOW` as written; [`Env::window`] reads it.
    pub flower_window: Option<String>,
    /// `FLOWER_LANG` as written.
    pub flower_lang: Option<String>,
    /// `FLOWER_CONFIG`.
    pub flower_config: Option<PathBuf>,
    /// Whether `NO_COLOR` is set.
    pub no_color: bool,
    /// `XDG_CONFIG_HOME` when absolute, as its specification demands.
    pub xdg_config_home: Option<PathBuf>,
    /// `XDG_STATE_HOME` when absolute.
    pub xdg_state_home: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// The locale of messages: `LC_ALL`, else `LC_MESSAGES`, else `LANG`.
    pub locale: Option<String>,
}

impl Env {
    /// Reads the environment of this process.
    pub fn from_process() -> Self {
        Self::from_lookup(|name| std::env::var_os(name))
    }

    /// Reads the variables through a function.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let raw = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let text = |name: &str| {
            let value = raw(name)?;
            let value = value.to_string_lossy();
            let value = value.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let secret = |name: &str| Secret::new(&text(name)?);
        let path = |name: &str| raw(name).map(PathBuf::from);
        let absolute = |name: &str| path(name).filter(|path| path.is_absolute());
        Self {
            anthropic_api_key: secret("ANTHROPIC_API_KEY"),
            anthropic_auth_token: secret("ANTHROPIC_AUTH_TOKEN"),
            anthropic_base_url: text("ANTHROPIC_BASE_URL"),
            anthropic_model: text("ANTHROPIC_MODEL"),
            anthropic_default_opus_model: text("ANTHROPIC_DEFAULT_OPUS_MODEL"),
            openai_api_key: secret("OPENAI_API_KEY"),
            openai_base_url: text("OPENAI_BASE_URL"),
            flower_window: text("FLOWER_WINDOW"),
            flower_lang: text("FLOWER_LANG"),
            flower_config: path("FLOWER_CONFIG"),
            no_color: raw("NO_COLOR").is_some(),
            xdg_config_home: absolute("XDG_CONFIG_HOME"),
            xdg_state_home: absolute("XDG_STATE_HOME"),
            home: path("HOME"),
            locale: text("LC_ALL")
                .or_else(|| text("LC_MESSAGES"))
                .or_else(|| text("LANG")),
        }
    }

    /// The window of `FLOWER_WINDOW` in tokens; one that is no positive number is ignored.
    pub fn window(&self) -> Option<u64> {
        parse_size(self.flower_window.as_deref()?)
            .ok()
            .filter(|size| *size > 0)
    }

    /// The model the environment names: `ANTHROPIC_MODEL`, else `ANTHROPIC_DEFAULT_OPUS_MODEL`.
    pub fn model(&self) -> Option<&str> {
        self.anthropic_model
            .as_deref()
            .or(self.anthropic_default_opus_model.as_deref())
    }

    /// Every key and token of the environment, for [`crate::secret::scrub`].
    pub fn secrets(&self) -> Vec<Secret> {
        [
            &self.anthropic_api_key,
            &self.anthropic_auth_token,
            &self.openai_api_key,
        ]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
    }
}

/// The language of the interface: the flag, else `FLOWER_LANG`, else the configuration, else the locale, where
/// `zh*` is Chinese and anything else English.
///
/// A `FLOWER_LANG` in the form of a locale (`zh_CN.UTF-8`) counts by its language; any other word is ignored.
pub fn interface_lang(flag: Option<Lang>, env: &Env, config: Option<Lang>) -> Lang {
    let named = |text: &str| {
        let language = text.split(['_', '-', '.', '@']).next().unwrap_or("");
        language.parse().ok()
    };
    flag.or_else(|| env.flower_lang.as_deref().and_then(named))
        .or(config)
        .unwrap_or_else(|| match env.locale.as_deref() {
            Some(locale) if locale.to_lowercase().starts_with("zh") => Lang::Zh,
            Some(_) | None => Lang::En,
        })
}
