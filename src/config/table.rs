//! Tables from a pattern of model names to a value, in the order in which they are written.

use std::fmt;
use std::marker::PhantomData;

use regex::{Regex, RegexBuilder};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::value::{price, scalar, size};

/// USD per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "prices such as `{input: 3, output: 15}`"
)]
pub struct Price {
    /// Prompt tokens that were not cached.
    #[serde(deserialize_with = "dollars")]
    pub input: f64,
    /// Tokens of the answer.
    #[serde(deserialize_with = "dollars")]
    pub output: f64,
    /// Prompt tokens read from the cache; `None` when not stated.
    #[serde(default, deserialize_with = "some_dollars")]
    pub cache_read: Option<f64>,
    /// Prompt tokens written to the cache; `None` when not stated.
    #[serde(default, deserialize_with = "some_dollars")]
    pub cache_write: Option<f64>,
}

fn some_dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    scalar(deserializer, price)
}

fn dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    some_dollars(deserializer)?.ok_or_else(|| D::Error::custom("a price is missing"))
}

/// A window in a table, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar(deserializer, size)?
            .map(Self)
            .ok_or_else(|| D::Error::custom("a size is missing"))
    }
}

/// A table from model names to values. `*` stands for any text and `?` for one character; brackets stand for
/// themselves (`*[1m]`), case does not matter.
#[derive(Debug, Clone)]
pub struct Table<V> {
    rows: Vec<Row<V>>,
}

#[derive(Debug, Clone)]
struct Row<V> {
    pattern: String,
    matcher: Regex,
    value: V,
}

impl<V> Table<V> {
    /// The value for a model: a row that is the name itself wins, else the first row that matches.
    pub fn get(&self, model: &str) -> Option<&V> {
        let same = |row: &&Row<V>| row.pattern.eq_ignore_ascii_case(model);
        self.rows
            .iter()
            .find(same)
            .or_else(|| self.rows.iter().find(|row| row.matcher.is_match(model)))
            .map(|row| &row.value)
    }

    /// Puts the rows of a weaker table behind these.
    pub(super) fn over(mut self, weaker: Self) -> Self {
        self.rows.extend(weaker.rows);
        self
    }
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<V: PartialEq> PartialEq for Table<V> {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Row<V>, &Row<V>)| a.pattern == b.pattern && a.value == b.value;
        self.rows.len() == other.rows.len() && self.rows.iter().zip(&other.rows).all(same)
    }
}

impl<'de, V: DeserializeOwned> Deserialize<'de> for Table<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Rows(PhantomData))
    }
}

struct Rows<V>(PhantomData<V>);

impl<'de, V: DeserializeOwned> Visitor<'de> for Rows<V> {
    type Value = Table<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows such as `claude-*: …`")
    }

    fn visit_unit<E: Error>(self) -> Result<Table<V>, E> {
        Ok(Table::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table<V>, A::Error> {
        let mut rows: Vec<Row<V>> = Vec::new();
        while let Some(pattern) = map.next_key::<String>()? {
            if rows
                .iter()
                .any(|row| row.pattern.eq_ignore_ascii_case(&pattern))
            {
                return Err(A::Error::custom(format!(
                    "the pattern `{pattern}` is set twice"
                )));
            }
            let matcher = RegexBuilder::new(&format!(
                "^{}$",
                regex::escape(&pattern)
                    .replace(r"\*", ".*")
                    .replace(r"\?", ".")
            ))
            .case_insensitive(true)
            .build()
            .map_err(|_| A::Error::custom(format!("the pattern `{pattern}` is too long")))?;
            let value = map.next_value()?;
            rows.push(Row {
                pattern,
                matcher,
                value,
            });
        }
        Ok(Table { rows })
    }
}
