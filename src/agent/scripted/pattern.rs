//! Conditions on text: a scenario's strings, regular expressions and lists of them come in,
//! yes or no goes out.

use std::fmt;

use regex::Regex;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// One condition on a text.
#[derive(Debug, Clone)]
enum Pattern {
    Contains(String),
    Regex(Regex),
}

/// Conditions of which one is enough.
#[derive(Debug, Clone)]
pub(super) struct Patterns(Vec<Pattern>);

impl Patterns {
    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| match pattern {
            Pattern::Contains(words) => text.contains(words.as_str()),
            Pattern::Regex(regex) => regex.is_match(text),
        })
    }
}

struct PatternVisitor;

impl<'de> Visitor<'de> for PatternVisitor {
    type Value = Pattern;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a text to be contained, or `regex: EXPRESSION`")
    }

    fn visit_str<E: de::Error>(self, words: &str) -> Result<Pattern, E> {
        Ok(Pattern::Contains(words.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pattern, A::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(de::Error::missing_field("regex"));
        };
        if key != "regex" {
            return Err(de::Error::unknown_field(&key, &["regex"]));
        }
        let regex = Regex::new(&map.next_value::<String>()?).map_err(de::Error::custom)?;
        match map.next_key::<String>()? {
            None => Ok(Pattern::Regex(regex)),
            Some(key) => Err(de::Error::unknown_field(&key, &["regex"])),
        }
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(PatternVisitor)
    }
}

struct PatternsVisitor;

impl<'de> Visitor<'de> for PatternsVisitor {
    type Value = Patterns;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a text to be contained, `regex: EXPRESSION`, or a list of these")
    }

    fn visit_str<E: de::Error>(self, words: &str) -> Result<Patterns, E> {
        PatternVisitor
            .visit_str(words)
            .map(|one| Patterns(vec![one]))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Patterns, A::Error> {
        PatternVisitor.visit_map(map).map(|one| Patterns(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Patterns, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element()? {
            all.push(one);
        }
        if all.is_empty() {
            return Err(de::Error::custom("an empty list never matches"));
        }
        Ok(Patterns(all))
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(PatternsVisitor)
    }
}

/// Names of which one is enough.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Names {
    One(String),
    Many(Vec<String>),
}

impl Names {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::One(one) => one == name,
            Self::Many(many) => many.iter().any(|one| one == name),
        }
    }
}
