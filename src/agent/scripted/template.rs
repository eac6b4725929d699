//! Placeholders: a scenario's text and the conversation come in, the text to say goes out.

use std::fmt;

use regex::Regex;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::conversation::Conversation;

/// Longest quotation of what a person said, in characters as people see them.
const QUOTED_CHARACTERS: usize = 200;

/// The language a story speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lang {
    Zh,
    En,
}

impl Lang {
    /// The language of a text. A Chinese character says about as much as four letters, so an
    /// English text in a Chinese frame is told from a Chinese one; paths and names of code count
    /// for neither.
    pub(super) fn of(text: &str) -> Self {
        let han = text.chars().filter(|c| is_han(*c)).count();
        let letters: usize = text
            .split_whitespace()
            .map(|word| word.trim_end_matches(['.', ',', ':', ';', '?', '!', ')']))
            .filter(|word| !word.contains(['/', '.', '_', '`']))
            .map(|word| word.chars().filter(char::is_ascii_alphabetic).count())
            .sum();
        if han > 0 && han * 4 >= letters {
            Self::Zh
        } else {
            Self::En
        }
    }
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A text in one language for all, or in both.
#[derive(Debug, Clone)]
pub(super) struct Text {
    zh: String,
    en: String,
}

impl Text {
    pub(super) fn render(&self, lang: Lang, seen: &Conversation) -> String {
        let text = match lang {
            Lang::Zh => &self.zh,
            Lang::En => &self.en,
        };
        render(text, seen)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a text, or `zh` and `en` with a text each")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
        pieces(text).map_err(de::Error::custom)?;
        Ok(Text {
            zh: text.to_owned(),
            en: text.to_owned(),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        let (mut zh, mut en) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            let text = map.next_value::<String>()?;
            pieces(&text).map_err(de::Error::custom)?;
            match key.as_str() {
                "zh" => zh = Some(text),
                "en" => en = Some(text),
                _ => return Err(de::Error::unknown_field(&key, &["zh", "en"])),
            }
        }
        Ok(Text {
            zh: zh.ok_or_else(|| de::Error::missing_field("zh"))?,
            en: en.ok_or_else(|| de::Error::missing_field("en"))?,
        })
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

/// A part of a text.
enum Piece<'a> {
    Plain(&'a str),
    Brace,
    Said,
    Asked(&'a str),
    Section(&'a str),
    LastResult(Option<Regex>),
    Found(Regex),
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inside, after)) = after.split_once("}}") else {
            return Err(format!("`{{{{` without `}}}}` before {after:?}"));
        };
        out.push(Piece::Plain(before));
        let (kind, argument) = match inside.split_once(':') {
            Some((kind, argument)) => (kind, Some(argument)),
            None => (inside, None),
        };
        let regex = |text: &str| Regex::new(text).map_err(|error| error.to_string());
        out.push(match (kind, argument) {
            ("brace", None) => Piece::Brace,
            ("said", None) => Piece::Said,
            ("asked", Some(names)) => Piece::Asked(names),
            ("section", Some(names)) => Piece::Section(names),
            ("last_result", None) => Piece::LastResult(None),
            ("last_result", Some(wanted)) => Piece::LastResult(Some(regex(wanted)?)),
            ("found", Some(wanted)) => Piece::Found(regex(wanted)?),
            _ => {
                return Err(format!(
                    "unknown placeholder `{{{{{inside}}}}}`; there are section:A|B, asked:A|B, \
                     last_result, last_result:REGEX, found:REGEX, said and brace"
                ));
            }
        });
        rest = after;
    }
    out.push(Piece::Plain(rest));
    Ok(out)
}

fn render(text: &str, seen: &Conversation) -> String {
    // Every text was checked when the scenario was loaded.
    let Ok(pieces) = pieces(text) else {
        return text.to_owned();
    };
    let result = seen.result.as_deref().unwrap_or_default();
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Plain(text) => out.push_str(text),
            Piece::Brace => out.push_str("{{"),
            Piece::Said => out.extend(seen.said.trim().graphemes(true).take(QUOTED_CHARACTERS)),
            Piece::Asked(names) => out.push_str(asked(names, &seen.said)),
            Piece::Section(names) => out.push_str(section(names, &seen.first)),
            Piece::LastResult(None) => out.push_str(result.trim_end()),
            Piece::LastResult(Some(regex)) => out.push_str(line_with(&regex, result, false)),
            Piece::Found(regex) => out.push_str(line_with(&regex, &seen.results, true)),
        }
    }
    out
}

/// The first of the names that occurs in what was asked, else the first name.
fn asked<'a>(names: &'a str, said: &str) -> &'a str {
    let mut all = names.split('|');
    let first = all.clone().next().unwrap_or_default();
    all.find(|name| said.contains(name)).unwrap_or(first)
}

/// The body of a `##` section; fenced lines are no headings.
fn section<'a>(names: &str, text: &'a str) -> &'a str {
    let (mut start, mut at, mut fenced) = (None, 0, false);
    for row in text.split_inclusive('\n') {
        let trimmed = row.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        }
        if let Some(heading) = row.strip_prefix("## ").filter(|_| !fenced) {
            if let Some(start) = start {
                return text[start..at].trim();
            }
            if names.split('|').any(|name| name == heading.trim()) {
                start = Some(at + row.len());
            }
        }
        at += row.len();
    }
    start.map_or("", |start| text[start..].trim())
}

/// What the expression's group caught, or the whole line it is on; the first or the last one.
fn line_with<'a>(regex: &Regex, text: &'a str, last: bool) -> &'a str {
    let mut all = regex.captures_iter(text);
    let Some(found) = (if last { all.last() } else { all.next() }) else {
        return "";
    };
    if let Some(group) = found.get(1) {
        return group.as_str();
    }
    let Some(whole) = found.get(0) else { return "" };
    let start = text[..whole.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = text[whole.end()..]
        .find('\n')
        .map_or(text.len(), |at| whole.end() + at);
    text[start..end].trim()
}

/// Fills the placeholders of a tool's input; an object of just `zh` and `en` becomes one of them.
pub(super) fn render_input(input: &Value, lang: Lang, seen: &Conversation) -> Value {
    match input {
        Value::String(text) => Value::String(render(text, seen)),
        Value::Array(list) => list
            .iter()
            .map(|one| render_input(one, lang, seen))
            .collect(),
        Value::Object(map) => match (map.get("zh"), map.get("en")) {
            (Some(zh), Some(en)) if map.len() == 2 => match lang {
                Lang::Zh => render_input(zh, lang, seen),
                Lang::En => render_input(en, lang, seen),
            },
            _ => map
                .iter()
                .map(|(key, one)| (key.clone(), render_input(one, lang, seen)))
                .collect(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => input.clone(),
    }
}

/// Checks the placeholders of a tool's input.
pub(super) fn check_input(input: &Value) -> Result<(), String> {
    match input {
        Value::String(text) => pieces(text).map(|_| ()),
        Value::Array(list) => list.iter().try_for_each(check_input),
        Value::Object(map) => map.values().try_for_each(check_input),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}
