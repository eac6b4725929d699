//! The keys of a configuration file.

use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::table::{Price, Size, Table};
use super::value::{self, Backend, Lang, MAX_SECONDS, Pattern, Permission, Review, scalar};

/// What a configuration file may say; what it does not say is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "settings as `key: value` lines"
)]
pub struct FileConfig {
    /// Context window for every model, in tokens.
    #[serde(deserialize_with = "size")]
    pub window: Option<u64>,
    /// Context windows by model.
    pub windows: Table<Size>,
    /// Tokens kept free below the window; 0 is valid.
    #[serde(deserialize_with = "headroom")]
    pub headroom: Option<u64>,
    /// Handoffs allowed in one step.
    #[serde(deserialize_with = "count")]
    pub max_generations: Option<u64>,
    /// Degraded handoffs in a row before the step stops.
    #[serde(deserialize_with = "count")]
    pub max_degraded: Option<u64>,
    /// Whether sessions hand over at all.
    #[serde(deserialize_with = "switch")]
    pub handoff: Option<bool>,
    /// How long a frozen handoff waits for a person.
    #[serde(deserialize_with = "review")]
    pub review: Option<Review>,
    /// Seconds after which a review that nobody touches goes on.
    #[serde(deserialize_with = "seconds")]
    pub hold_timeout_s: Option<u64>,
    /// Language of the handoff document.
    #[serde(deserialize_with = "lang")]
    pub document_lang: Option<Lang>,
    /// Language of the interface.
    #[serde(deserialize_with = "lang")]
    pub lang: Option<Lang>,
    /// Who runs the conversation.
    #[serde(deserialize_with = "backend")]
    pub backend: Option<Backend>,
    /// Model name.
    #[serde(deserialize_with = "words")]
    pub model: Option<String>,
    /// Address of the model's server; not read from a workspace.
    #[serde(deserialize_with = "address")]
    pub base_url: Option<String>,
    /// What the agent may do unasked; a workspace may only say `ask`.
    #[serde(deserialize_with = "permission")]
    pub permission: Option<Permission>,
    /// Beginnings of commands that run unasked; not read from a workspace.
    #[serde(deserialize_with = "list")]
    pub allow: Vec<String>,
    /// Largest answer asked for, in tokens.
    #[serde(deserialize_with = "size")]
    pub max_output_tokens: Option<u64>,
    /// Budget for visible reasoning, in tokens.
    #[serde(deserialize_with = "size")]
    pub thinking_budget_tokens: Option<u64>,
    /// Seconds after which a command is stopped.
    #[serde(deserialize_with = "seconds")]
    pub bash_timeout_s: Option<u64>,
    /// Model answers allowed in one step.
    #[serde(deserialize_with = "positive")]
    pub max_turns: Option<u64>,
    /// USD that one step may cost.
    #[serde(deserialize_with = "amount")]
    pub max_budget_usd: Option<f64>,
    /// Prices by model.
    pub prices: Table<Price>,
    /// More wordings of an overflow.
    pub overflow_patterns: Vec<Pattern>,
    /// Seconds without a byte after which a stream counts as cut.
    #[serde(deserialize_with = "seconds")]
    pub idle_timeout_s: Option<u64>,
    /// Seconds that a connection may take to open.
    #[serde(deserialize_with = "seconds")]
    pub connect_timeout_s: Option<u64>,
    /// Command line of the agent for `backend: acp`; not read from a workspace.
    #[serde(deserialize_with = "words")]
    pub agent_command: Option<String>,
    /// Name of the step.
    #[serde(deserialize_with = "words")]
    pub step: Option<String>,
    /// Directory of the run's files; a relative one is taken from the workspace.
    #[serde(deserialize_with = "directory")]
    pub run_dir: Option<PathBuf>,
}

impl FileConfig {
    /// Lays these settings over weaker ones: single values replace, tables and lists put theirs in front.
    pub(super) fn over(self, weaker: Self) -> Self {
        Self {
            window: self.window.or(weaker.window),
            windows: self.windows.over(weaker.windows),
            headroom: self.headroom.or(weaker.headroom),
            max_generations: self.max_generations.or(weaker.max_generations),
            max_degraded: self.max_degraded.or(weaker.max_degraded),
            handoff: self.handoff.or(weaker.handoff),
            review: self.review.or(weaker.review),
            hold_timeout_s: self.hold_timeout_s.or(weaker.hold_timeout_s),
            document_lang: self.document_lang.or(weaker.document_lang),
            lang: self.lang.or(weaker.lang),
            backend: self.backend.or(weaker.backend),
            model: self.model.or(weaker.model),
            base_url: self.base_url.or(weaker.base_url),
            permission: self.permission.or(weaker.permission),
            allow: joined(self.allow, weaker.allow),
            max_output_tokens: self.max_output_tokens.or(weaker.max_output_tokens),
            thinking_budget_tokens: self
                .thinking_budget_tokens
                .or(weaker.thinking_budget_tokens),
            bash_timeout_s: self.bash_timeout_s.or(weaker.bash_timeout_s),
            max_turns: self.max_turns.or(weaker.max_turns),
            max_budget_usd: self.max_budget_usd.or(weaker.max_budget_usd),
            prices: self.prices.over(weaker.prices),
            overflow_patterns: joined(self.overflow_patterns, weaker.overflow_patterns),
            idle_timeout_s: self.idle_timeout_s.or(weaker.idle_timeout_s),
            connect_timeout_s: self.connect_timeout_s.or(weaker.connect_timeout_s),
            agent_command: self.agent_command.or(weaker.agent_command),
            step: self.step.or(weaker.step),
            run_dir: self.run_dir.or(weaker.run_dir),
        }
    }
}

fn joined<T>(mut front: Vec<T>, back: Vec<T>) -> Vec<T> {
    front.extend(back);
    front
}

type Field<T, E> = Result<Option<T>, E>;

fn size<'de, D: Deserializer<'de>>(from: D) -> Field<u64, D::Error> {
    scalar(from, value::size)
}

fn headroom<'de, D: Deserializer<'de>>(from: D) -> Field<u64, D::Error> {
    scalar(from, value::size_or_zero)
}

fn count<'de, D: Deserializer<'de>>(from: D) -> Field<u64, D::Error> {
    scalar(from, value::whole::<0, 1_000_000>)
}

fn positive<'de, D: Deserializer<'de>>(from: D) -> Field<u64, D::Error> {
    scalar(from, value::whole::<1, 1_000_000>)
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Field<u64, D::Error> {
    scalar(from, value::whole::<1, MAX_SECONDS>)
}

fn amount<'de, D: Deserializer<'de>>(from: D) -> Field<f64, D::Error> {
    scalar(from, value::amount)
}

fn switch<'de, D: Deserializer<'de>>(from: D) -> Field<bool, D::Error> {
    scalar(from, value::switch)
}

fn words<'de, D: Deserializer<'de>>(from: D) -> Field<String, D::Error> {
    scalar(from, value::words)
}

fn address<'de, D: Deserializer<'de>>(from: D) -> Field<String, D::Error> {
    scalar(from, value::address)
}

fn directory<'de, D: Deserializer<'de>>(from: D) -> Field<PathBuf, D::Error> {
    scalar(from, |text| value::words(text).map(PathBuf::from))
}

fn review<'de, D: Deserializer<'de>>(from: D) -> Field<Review, D::Error> {
    scalar(from, str::parse)
}

fn lang<'de, D: Deserializer<'de>>(from: D) -> Field<Lang, D::Error> {
    scalar(from, str::parse)
}

fn backend<'de, D: Deserializer<'de>>(from: D) -> Field<Backend, D::Error> {
    scalar(from, str::parse)
}

fn permission<'de, D: Deserializer<'de>>(from: D) -> Field<Permission, D::Error> {
    scalar(from, str::parse)
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        scalar(from, str::parse)?.ok_or_else(|| D::Error::custom("a pattern is missing"))
    }
}

fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    /// One entry, checked where the parser knows its place.
    struct Entry(String);
    impl<'de> Deserialize<'de> for Entry {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            scalar(from, value::words)?
                .map(Self)
                .ok_or_else(|| D::Error::custom("an entry is empty"))
        }
    }
    let entries: Option<Vec<Entry>> = Deserialize::deserialize(from)?;
    Ok(entries
        .unwrap_or_default()
        .into_iter()
        .map(|entry| entry.0)
        .collect())
}
