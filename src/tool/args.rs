//! The arguments of a call, as models really send them. In goes the JSON; out come typed values,
//! under the names in the schema or the names other agents taught the models.

use std::time::Duration;

use serde_json::{Map, Value};

use super::ToolError;

pub(super) struct Args<'a> {
    tool: &'static str,
    map: Option<&'a Map<String, Value>>,
}

impl<'a> Args<'a> {
    pub(super) fn new(tool: &'static str, input: &'a Value) -> Result<Self, ToolError> {
        match input {
            Value::Object(map) => Ok(Self {
                tool,
                map: Some(map),
            }),
            Value::Null => Ok(Self { tool, map: None }),
            other => Err(ToolError::new(format!(
                "{tool}: the arguments must be a JSON object, got {}",
                kind(other)
            ))),
        }
    }

    /// The value under the first of the names that is there; null counts as absent.
    pub(super) fn value(&self, names: &[&str]) -> Option<&'a Value> {
        let map = self.map?;
        names
            .iter()
            .filter_map(|name| map.get(*name))
            .find(|value| !value.is_null())
    }

    pub(super) fn text(&self, names: &[&str]) -> Result<&'a str, ToolError> {
        self.text_if(names)?.ok_or_else(|| self.missing(names))
    }

    pub(super) fn text_if(&self, names: &[&str]) -> Result<Option<&'a str>, ToolError> {
        match self.value(names) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(names, "a string", other)),
        }
    }

    /// A whole number from 0; digits in a string count as well.
    pub(super) fn count_if(&self, names: &[&str]) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.value(names) else {
            return Ok(None);
        };
        let number = match value {
            Value::Number(number) => number.as_u64().or_else(|| {
                // Some models write 10.0 for 10.
                number
                    .as_f64()
                    .filter(|n| n.fract() == 0.0 && (0.0..1e15).contains(n))
                    .map(|n| n as u64)
            }),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number
            .map(Some)
            .ok_or_else(|| self.wrong(names, "a whole number, 0 or more", value))
    }

    /// A time of more than 0 s, fractions included; digits in a string count as well.
    pub(super) fn seconds_if(&self, names: &[&str]) -> Result<Option<Duration>, ToolError> {
        let Some(value) = self.value(names) else {
            return Ok(None);
        };
        let seconds = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        seconds
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .map(Some)
            .ok_or_else(|| self.wrong(names, "a number of seconds, more than 0", value))
    }

    pub(super) fn flag(&self, names: &[&str]) -> Result<bool, ToolError> {
        match self.value(names) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => Ok(false),
            Some(other) => Err(self.wrong(names, "true or false", other)),
        }
    }

    pub(super) fn list(&self, names: &[&str]) -> Result<&'a [Value], ToolError> {
        match self.value(names) {
            None => Err(self.missing(names)),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.wrong(names, "a list", other)),
        }
    }

    fn missing(&self, names: &[&str]) -> ToolError {
        let name = names.first().unwrap_or(&"");
        let given: Vec<&str> = self
            .map
            .into_iter()
            .flat_map(|map| map.keys().map(String::as_str))
            .collect();
        let given = if given.is_empty() {
            "no arguments".to_owned()
        } else {
            given.join(", ")
        };
        ToolError::new(format!("{}: `{name}` is missing (got {given})", self.tool))
    }

    fn wrong(&self, names: &[&str], wanted: &str, got: &Value) -> ToolError {
        let name = names.first().unwrap_or(&"");
        ToolError::new(format!(
            "{}: `{name}` must be {wanted}, got {}",
            self.tool,
            kind(got)
        ))
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests;
