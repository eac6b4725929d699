//! Single values as people write them, in a file or as a flag: each has a name, a range and an error that says so.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use serde::Deserializer;
use serde::de::{Error, Visitor};

use crate::tokens::{parse_size, parse_size_or_zero};

/// A language of the interface or of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// Who runs the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The Anthropic Messages API.
    Anthropic,
    /// OpenAI-compatible chat completions.
    OpenAi,
    /// Claude Code as a child process.
    ClaudeCode,
    /// An agent that speaks the Agent Client Protocol, as a child process.
    Acp,
    /// The built-in scripted model.
    Demo,
}

/// What the agent may do without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Ask before every change.
    Ask,
    /// Edit files in the workspace; ask before commands.
    Edit,
    /// Everything.
    Full,
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ask => "ask",
            Self::Edit => "edit",
            Self::Full => "full",
        })
    }
}

/// How long a frozen handoff waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// Not at all.
    Off,
    /// This many seconds, from 1.
    Seconds(u64),
    /// Until somebody says go.
    Wait,
}

/// A regular expression of the person for overflow texts; case does not matter.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// The compiled expression.
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let regex = RegexBuilder::new(text)
            .case_insensitive(true)
            .build()
            .map_err(|error| {
                let error = error.to_string();
                let last = error.lines().next_back().unwrap_or("").trim();
                format!(
                    "`{text}` is no regular expression: {}",
                    last.trim_start_matches("error: ")
                )
            })?;
        if regex.is_match("") {
            return Err(format!(
                "`{text}` matches the empty text, so every error would be an overflow"
            ));
        }
        Ok(Self(regex))
    }
}

/// Finds a value by its name, in any case.
fn by_name<T: Copy>(text: &str, what: &str, names: &[(&str, T)]) -> Result<T, String> {
    let wanted = text.trim();
    names
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .map(|(_, value)| *value)
        .ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is no {what}; it is one of {}", known.join(", "))
        })
}

impl FromStr for Lang {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        by_name(text, "language", &[("zh", Self::Zh), ("en", Self::En)])
    }
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        by_name(
            text,
            "backend",
            &[
                ("anthropic", Self::Anthropic),
                ("openai", Self::OpenAi),
                ("claude-code", Self::ClaudeCode),
                ("acp", Self::Acp),
                ("demo", Self::Demo),
            ],
        )
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::ClaudeCode => "claude-code",
            Self::Acp => "acp",
            Self::Demo => "demo",
        })
    }
}

impl FromStr for Permission {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        by_name(
            text,
            "permission",
            &[
                ("ask", Self::Ask),
                ("edit", Self::Edit),
                ("full", Self::Full),
            ],
        )
    }
}

impl FromStr for Review {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().to_lowercase().as_str() {
            // YAML writers say `false` for off.
            "off" | "false" | "no" | "0" => Ok(Self::Off),
            "wait" => Ok(Self::Wait),
            seconds => whole::<1, MAX_SECONDS>(seconds)
                .map(Self::Seconds)
                .map_err(|_| format!("`{text}` is no review time; write seconds, off or wait")),
        }
    }
}

/// Longest time that a setting accepts, in seconds: a week.
pub(super) const MAX_SECONDS: u64 = 7 * 24 * 60 * 60;

/// Reads a whole number within bounds.
pub(super) fn whole<const MIN: u64, const MAX: u64>(text: &str) -> Result<u64, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|number| (MIN..=MAX).contains(number))
        .ok_or_else(|| format!("`{text}` is no whole number from {MIN} to {MAX}"))
}

/// Reads a size in tokens of at least one.
pub(super) fn size(text: &str) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

/// Reads a size in tokens or zero.
pub(super) fn size_or_zero(text: &str) -> Result<u64, String> {
    parse_size_or_zero(text).map_err(|error| error.to_string())
}

/// Reads an amount of money above zero.
pub(super) fn amount(text: &str) -> Result<f64, String> {
    price(text)
        .ok()
        .filter(|amount| *amount > 0.0)
        .ok_or_else(|| format!("`{text}` is no amount in USD above zero"))
}

/// Reads a price, zero included.
pub(super) fn price(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|price: &f64| price.is_finite() && *price >= 0.0)
        .ok_or_else(|| format!("`{text}` is no price in USD per million tokens"))
}

/// Reads a switch.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_lowercase().as_str() {
        "true" | "on" | "yes" => Ok(true),
        "false" | "off" | "no" => Ok(false),
        _ => Err(format!("`{text}` is no switch; write true or false")),
    }
}

/// Reads a text that says something.
pub(super) fn words(text: &str) -> Result<String, String> {
    let words = text.trim();
    if words.is_empty() {
        return Err("the text is empty".to_owned());
    }
    Ok(words.to_owned())
}

/// Reads the address of a server.
pub(super) fn address(text: &str) -> Result<String, String> {
    let bad = || format!("`{text}` is no address; write http:// or https:// and a host");
    let url = reqwest::Url::parse(text.trim()).map_err(|_| bad())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad());
    }
    if !url.username().is_empty() || url.password().is_some() {
        // The text is not repeated: it holds a password.
        return Err(
            "the address holds a user name or password; keys belong into the environment"
                .to_owned(),
        );
    }
    Ok(text.trim().to_owned())
}

/// Deserializes one scalar, whatever YAML takes it for, by reading its text; an empty value is `None`.
///
/// The reader runs inside the visitor because only there the parser knows the place of the value.
pub(super) fn scalar<'de, D, T>(
    deserializer: D,
    read: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Scalar {
        read,
        result: PhantomData,
    })
}

struct Scalar<T> {
    read: fn(&str) -> Result<T, String>,
    result: PhantomData<T>,
}

impl<T> Visitor<'_> for Scalar<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one plain value")
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Option<T>, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<T>, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<T>, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<T>, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        (self.read)(text).map(Some).map_err(E::custom)
    }
}
