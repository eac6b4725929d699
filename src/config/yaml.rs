//! YAML in, a typed value or an error with file, line and suggestion out; the only place that names the parser.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::ConfigError;

/// Largest file that is read, in bytes: fifty times a full configuration, and too small to hurt.
pub const MAX_BYTES: usize = 256 << 10;

/// Most opening brackets in a file: the parser's time grows with the square of their depth (measured: minutes
/// for 100,000).
const MAX_BRACKETS: usize = 2_000;

/// Parses a YAML text; an empty one gives the defaults of `T`.
///
/// A byte order mark is ignored. Size and brackets are bounded here, repeated aliases by the parser.
///
/// # Errors
/// [`ConfigError::Invalid`] with the place of the first mistake; an unknown key comes with the closest known one.
pub fn parse<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, ConfigError> {
    let text = text.trim_start_matches('\u{feff}');
    let brackets = text
        .bytes()
        .filter(|byte| matches!(byte, b'[' | b'{'))
        .count();
    for (count, most, what) in [
        (text.len(), MAX_BYTES, "bytes"),
        (brackets, MAX_BRACKETS, "brackets"),
    ] {
        if count > most {
            return Err(ConfigError::Invalid {
                path: path.to_owned(),
                line: 1,
                column: 1,
                message: format!("the file has {count} {what}, at most {most} are read"),
                suggestion: None,
            });
        }
    }
    match serde_yaml::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) if is_null(text) => {
            serde_yaml::from_str("{}").map_err(|_| invalid(&error, text, path))
        }
        Err(error) => Err(invalid(&error, text, path)),
    }
}

/// Names the top-level keys that have a value.
pub(super) fn keys(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let keys: BTreeMap<String, Option<IgnoredAny>> = serde_yaml::from_str(text).unwrap_or_default();
    keys.into_iter()
        .filter_map(|(key, value)| value.map(|_| key))
        .collect()
}

/// Finds the line and column, from 1, where a key is written; `after` is the line to start at.
pub(super) fn place_of(
    text: &str,
    key: &str,
    after: usize,
    occurrence: usize,
) -> Option<(usize, usize)> {
    let mut left = occurrence;
    for (index, line) in text.lines().enumerate().skip(after.saturating_sub(1)) {
        let code = line.split(" #").next().unwrap_or("");
        if code.trim_start().starts_with('#') {
            continue;
        }
        for (at, _) in code.match_indices(key) {
            let before = code[..at].chars().next_back();
            let rest = code[at + key.len()..]
                .trim_start_matches(['"', '\''])
                .trim_start();
            let opens = before.is_none_or(|c| {
                c.is_whitespace() || matches!(c, '{' | ',' | '"' | '\'' | '\u{feff}')
            });
            if opens && rest.starts_with(':') {
                if left == 0 {
                    return Some((index + 1, code[..at].chars().count() + 1));
                }
                left -= 1;
            }
        }
    }
    None
}

fn is_null(text: &str) -> bool {
    matches!(serde_yaml::from_str(text), Ok(serde_yaml::Value::Null))
}

fn invalid(error: &serde_yaml::Error, text: &str, path: &Path) -> ConfigError {
    let (mut line, mut column) = error
        .location()
        .map_or((1, 1), |place| (place.line(), place.column()));
    let mut message = error.to_string();
    if let Some(place) = error.location() {
        message = message.replace(
            &format!(" at line {} column {}", place.line(), place.column()),
            "",
        );
    }
    let mut suggestion = None;
    let names: Vec<String> = message
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    let named = names.first().map(String::as_str);
    if let (Some(key), Some(start)) = (named, message.find("unknown field `")) {
        if let Some(place) = place_of(text, key, line, 0) {
            (line, column) = place;
        }
        suggestion = Some(closest(key, &names[1..]));
        message = format!("{}unknown key `{key}`", &message[..start]);
    } else if let (Some(key), Some(start)) = (named, message.find("duplicate field `")) {
        if let Some(place) = place_of(text, key, line, 1) {
            (line, column) = place;
        }
        message = format!("{}the key `{key}` is set twice", &message[..start]);
        suggestion = Some("remove one of them".to_owned());
    } else if message.starts_with("deserializing from YAML containing more than one document") {
        let begins = |(index, line): &(usize, &str)| *index > 0 && line.starts_with("---");
        line = text
            .lines()
            .enumerate()
            .filter(begins)
            .last()
            .map_or(1, |(index, _)| index + 1);
        message = "a second document begins (`---`)".to_owned();
        suggestion = Some("one file holds one document".to_owned());
    } else if text
        .lines()
        .nth(line - 1)
        .is_some_and(|line| line.trim_start_matches(' ').starts_with('\t'))
    {
        suggestion = Some("indent with spaces: YAML allows no tabs there".to_owned());
    }
    ConfigError::Invalid {
        path: path.to_owned(),
        line,
        column,
        message,
        suggestion,
    }
}

/// Below this Jaro-Winkler likeness (0 to 1) two keys are different words, not a slip of the finger.
const LIKENESS: f64 = 0.8;

fn closest(key: &str, known: &[String]) -> String {
    let key = key.to_lowercase().replace('-', "_");
    let best = known
        .iter()
        .map(|name| (strsim::jaro_winkler(&key, name), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => format!("known keys: {}", known.join(", ")),
    }
}
