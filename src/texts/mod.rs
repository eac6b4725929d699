//! The words of the interface, in the person's language. They live in `assets/text/`; both files
//! must hold every text.

mod app;
mod archive;
mod editor;
mod gauge;
mod help;
mod log;
mod now;
mod run;

use std::path::Path;

use serde::Deserialize;

use crate::config::{self, ConfigError, Lang};

pub use app::AppTexts;
pub use archive::ArchiveTexts;
pub use editor::EditorTexts;
pub use gauge::{GaugeTexts, MarkTexts, ZoneTexts};
pub use help::HelpTexts;
pub use log::{KindTexts, LogTexts};
pub use now::{CauseTexts, NowState, NowTexts, RetryTexts, SectionTexts};
pub use run::RunTexts;

/// Every text of the interface; `{name}` stands for a value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// The lines of `flower run` without `--json`.
    pub run: RunTexts,
    /// Where a window comes from.
    pub window_from: WindowTexts,
    /// The context gauge.
    pub gauge: GaugeTexts,
    /// The now line.
    pub now: NowTexts,
    /// The handoff editor.
    pub editor: EditorTexts,
    /// The event log of the screen.
    pub log: LogTexts,
    /// The archive of the screen.
    pub archive: ArchiveTexts,
    /// The help of the screen.
    pub help: HelpTexts,
    /// The rest of the screen.
    pub app: AppTexts,
}

/// Where a window comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowTexts {
    /// `--window`.
    pub flag: String,
    /// `FLOWER_WINDOW`.
    pub env: String,
    /// A config file.
    pub config: String,
    /// The server.
    pub server: String,
    /// An overflow error.
    pub learned: String,
    /// The model's name.
    pub name: String,
    /// Nothing.
    pub default: String,
}

impl WindowTexts {
    /// The words for a source, by its stable word.
    pub fn by_word(&self, word: &str) -> &str {
        match word {
            "flag" => &self.flag,
            "env" => &self.env,
            "config" => &self.config,
            "server" => &self.server,
            "learned" => &self.learned,
            "name" => &self.name,
            _ => &self.default,
        }
    }
}

impl Texts {
    /// The texts of a language.
    ///
    /// # Errors
    /// When the built-in file lacks a text or has one too many; a test rules that out.
    pub fn load(lang: Lang) -> Result<Self, ConfigError> {
        let (text, path) = match lang {
            Lang::Zh => (
                include_str!("../../assets/text/zh.yaml"),
                "assets/text/zh.yaml",
            ),
            Lang::En => (
                include_str!("../../assets/text/en.yaml"),
                "assets/text/en.yaml",
            ),
        };
        config::yaml::parse(text, Path::new(path))
    }
}

/// Puts values into a text: each `{name}` by its value. Values are never looked into.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        let tail = &rest[open..];
        let value = tail.find('}').and_then(|close| {
            let name = &tail[1..close];
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, close + 1))
        });
        match value {
            Some((value, end)) => {
                filled.push_str(value);
                rest = &tail[end..];
            }
            None => {
                filled.push('{');
                rest = &tail[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_every_text() {
        Texts::load(Lang::Zh).unwrap();
        Texts::load(Lang::En).unwrap();
    }

    #[test]
    fn values_are_put_in_once() {
        let values = [("a", "{b}"), ("b", "2")];
        assert_eq!(fill("{a} 和 {b}, {c} {", &values), "{b} 和 2, {c} {");
    }
}
