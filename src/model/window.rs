//! How large the model's context window is, and who says so. In go the person's settings, what
//! the server reported, what an overflow taught and the model's name; out comes one [`Window`].
//! Nothing here asks the network or the environment.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tokens::parse_size;

/// Window of the current large models, in tokens; also the guess for an unknown name.
/// Documented on the vendor's model pages for the generations from 4.6 on.
const LARGE_TOKENS: u64 = 1_000_000;

/// Window of the small Claude models (`haiku`), in tokens. Documented for the generations up to
/// 4.5; a later one that has more says so through its models endpoint.
const SMALL_TOKENS: u64 = 200_000;

/// Largest window taken from a server, in tokens: the largest any vendor claims (Llama 4 Scout).
pub(crate) const LARGEST_TOKENS: u64 = 10_000_000;

/// Guesses the window in tokens from a model's name: `1m` as a whole word is 1,000,000, then
/// `haiku` is 200,000; anything else, an empty name or none is 1,000,000.
pub fn default_window(model: Option<&str>) -> u64 {
    let name = model.unwrap_or_default().to_lowercase();
    if !has_word(&name, "1m") && name.contains("haiku") {
        SMALL_TOKENS
    } else {
        LARGE_TOKENS
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(in_word) && !after.is_some_and(in_word)
    })
}

/// A context window and where its size comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Size in tokens, above 0.
    pub tokens: u64,
    /// Who says so.
    pub source: WindowSource,
}

impl Window {
    /// The window that an overflow's stated limit leads to; `None` when the person's own size stands
    /// or nothing would change. What a server says shrinks only; a guess gives way to any figure.
    pub fn learned(&self, limit: u64) -> Option<Self> {
        let changes = match self.source {
            WindowSource::Flag | WindowSource::Environment | WindowSource::Config { .. } => false,
            WindowSource::Server | WindowSource::Learned => limit < self.tokens,
            WindowSource::Name { .. } | WindowSource::Default => limit != self.tokens,
        };
        changes.then_some(Self {
            tokens: limit,
            source: WindowSource::Learned,
        })
    }
}

/// Who says how large a window is, from the strongest to the weakest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowSource {
    /// `--window`.
    Flag,
    /// `FLOWER_WINDOW`.
    Environment,
    /// `window:` or a matching line of `windows:` in a config file.
    Config {
        /// That file.
        path: PathBuf,
    },
    /// The server itself.
    Server,
    /// An overflow error of this server and model.
    Learned,
    /// The model's name.
    Name {
        /// That name.
        model: String,
    },
    /// Nothing is known, not even a name.
    Default,
}

impl WindowSource {
    /// Tells whether the size is a guess, to be drawn as one.
    pub fn is_guess(&self) -> bool {
        match self {
            Self::Name { .. } | Self::Default => true,
            Self::Flag | Self::Environment | Self::Config { .. } | Self::Server | Self::Learned => {
                false
            }
        }
    }

    /// A stable word for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "env",
            Self::Config { .. } => "config",
            Self::Server => "server",
            Self::Learned => "learned",
            Self::Name { .. } => "name",
            Self::Default => "default",
        }
    }
}

/// A window that a config file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigWindow<'a> {
    /// Size in tokens, above 0.
    pub tokens: u64,
    /// The file that states it.
    pub path: &'a Path,
}

/// Everything that may tell a window's size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowInputs<'a> {
    /// `--window` in tokens, above 0.
    pub flag: Option<u64>,
    /// `FLOWER_WINDOW` as it is set; ignored when it is no positive number.
    pub environment: Option<&'a str>,
    /// `window:` of the config that won.
    pub config: Option<ConfigWindow<'a>>,
    /// The line of `windows:` whose pattern matches the model.
    pub config_pattern: Option<ConfigWindow<'a>>,
    /// What the server reports, in tokens; 0 means that it does not know.
    pub server: Option<u64>,
    /// What an earlier overflow taught for this base URL and model, in tokens.
    pub learned: Option<u64>,
    /// `--model`.
    pub model: Option<&'a str>,
    /// `ANTHROPIC_MODEL`.
    pub anthropic_model: Option<&'a str>,
    /// `ANTHROPIC_DEFAULT_OPUS_MODEL`.
    pub anthropic_default_opus_model: Option<&'a str>,
}

/// Decides on the window: the first source that is known wins, but of the server's word and what
/// was learned the smaller one does.
pub fn resolve(inputs: &WindowInputs<'_>) -> Window {
    let environment = inputs.environment.and_then(|text| parse_size(text).ok());
    let found = inputs
        .flag
        .map(|tokens| (tokens, WindowSource::Flag))
        .or_else(|| environment.map(|tokens| (tokens, WindowSource::Environment)))
        .or_else(|| {
            let ConfigWindow { tokens, path } = inputs.config.or(inputs.config_pattern)?;
            let path = path.to_owned();
            Some((tokens, WindowSource::Config { path }))
        })
        .or_else(|| measured(inputs.server, inputs.learned));
    let (tokens, source) = found.unwrap_or_else(|| {
        let names = [
            inputs.model,
            inputs.anthropic_model,
            inputs.anthropic_default_opus_model,
        ];
        let name = names
            .into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty());
        let source = name.map_or(WindowSource::Default, |name| WindowSource::Name {
            model: name.to_owned(),
        });
        (default_window(name), source)
    });
    Window { tokens, source }
}

fn measured(server: Option<u64>, learned: Option<u64>) -> Option<(u64, WindowSource)> {
    let server = server.filter(|&tokens| tokens > 0);
    let learned = learned.filter(|&tokens| tokens > 0);
    match (server, learned) {
        (Some(server), Some(learned)) if learned < server => Some((learned, WindowSource::Learned)),
        (Some(server), _) => Some((server, WindowSource::Server)),
        (None, Some(learned)) => Some((learned, WindowSource::Learned)),
        (None, None) => None,
    }
}

/// Finds the window in one entry of a models endpoint, in tokens.
///
/// Anthropic says `max_input_tokens`, vLLM and SGLang `max_model_len`, OpenRouter and Kimi
/// `context_length`, llama.cpp `meta.n_ctx` (what one slot holds; never the training size).
pub(crate) fn window_in_model(entry: &Value) -> Option<u64> {
    [
        &entry["max_input_tokens"],
        &entry["max_model_len"],
        &entry["context_length"],
        &entry["meta"]["n_ctx"],
    ]
    .into_iter()
    .find_map(size)
}

/// Finds the window in llama.cpp's `/props`, in tokens: what one slot holds, so it is never
/// multiplied by the number of slots. 0 means that no model is loaded.
pub(crate) fn window_in_props(props: &Value) -> Option<u64> {
    size(&props["default_generation_settings"]["n_ctx"])
}

fn size(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .filter(|tokens| (1..=LARGEST_TOKENS).contains(tokens))
}
