//! One rule of a scenario as written in its file: its conditions, and what is answered when they
//! hold. Contradictions are refused here, so that nothing later has to guess.

use serde::Deserialize;
use serde_json::Value;

use super::pattern::{Names, Patterns};
use super::template::{Text, check_input};
use super::usage::UsageOverride;

/// One rule: all conditions that are given must hold.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) when: When,
    pub(super) then: Outcome,
    pub(super) pace: Pace,
}

/// The conditions of a rule.
#[derive(Debug, Clone)]
pub(super) struct When {
    pub(super) last: Option<Patterns>,
    pub(super) said: Option<Patterns>,
    pub(super) result: Option<Patterns>,
    pub(super) last_tool: Option<Names>,
    pub(super) last_call: Option<Patterns>,
    pub(super) is_error: Option<bool>,
    pub(super) any: Option<Patterns>,
    pub(super) not_any: Option<Patterns>,
    pub(super) system: Option<Patterns>,
    pub(super) first: Option<Patterns>,
    pub(super) not_first: Option<Patterns>,
    pub(super) at_turn: Option<u64>,
    pub(super) after: Option<String>,
    /// How often the rule may answer while the server lives; `once` is 1.
    pub(super) times: Option<u64>,
}

/// What happens when a rule matches.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// An answer, whole or broken off.
    Answer(Answer),
    /// Words said before the answer of the next rule that matches.
    Aside(Text),
    /// An HTTP error.
    Error(HttpError),
    /// The connection is closed without an answer.
    Refuse,
    /// Nothing comes until the client leaves.
    Hang,
}

/// An answer as a scenario describes it.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) thinking: Option<Text>,
    pub(super) text: Option<Text>,
    pub(super) tools: Vec<Tool>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Option<UsageOverride>,
    pub(super) end: End,
}

/// How an answer's stream ends.
#[derive(Debug, Clone)]
pub(super) enum End {
    /// As it should.
    Whole,
    /// With an error event after the content.
    Error(StreamError),
    /// The connection drops after so many bytes of the body.
    CutBytes(usize),
    /// The connection drops after so many events.
    CutEvents(usize),
    /// Silence after so many events, or after the content, until the client leaves.
    Hang(Option<usize>),
}

/// How fast an answer comes, each from 0 to an hour.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pace {
    /// Milliseconds before the first byte.
    pub(super) delay_ms: Option<u32>,
    /// Milliseconds between two deltas.
    pub(super) chunk_ms: Option<u32>,
}

/// One call of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) input: Value,
}

/// An HTTP error.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpError {
    pub(super) status: u16,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) message: String,
    /// Sent as `retry-after`: seconds or an HTTP date.
    pub(super) retry_after: Option<Value>,
}

/// An error inside a stream.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamError {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) message: String,
}

/// A rule as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    name: String,
    last: Option<Patterns>,
    said: Option<Patterns>,
    result: Option<Patterns>,
    last_tool: Option<Names>,
    last_call: Option<Patterns>,
    is_error: Option<bool>,
    any: Option<Patterns>,
    not_any: Option<Patterns>,
    system: Option<Patterns>,
    first: Option<Patterns>,
    not_first: Option<Patterns>,
    at_turn: Option<u64>,
    after: Option<String>,
    #[serde(default)]
    once: bool,
    times: Option<u64>,
    thinking: Option<Text>,
    answer: Option<Text>,
    #[serde(default)]
    tools: Vec<Tool>,
    stop_reason: Option<String>,
    usage: Option<UsageOverride>,
    error: Option<HttpError>,
    stream_error: Option<StreamError>,
    delay_ms: Option<u32>,
    chunk_ms: Option<u32>,
    cut_after_bytes: Option<usize>,
    cut_after_events: Option<usize>,
    #[serde(default)]
    refuse: bool,
    #[serde(default)]
    hang: bool,
    #[serde(default)]
    go_on: bool,
}

/// Longest wait a scenario may ask for, in milliseconds: an hour.
const LONGEST_WAIT_MS: u32 = 3_600_000;

impl TryFrom<Written> for Rule {
    type Error = String;

    fn try_from(rule: Written) -> Result<Self, String> {
        let name = rule.name.clone();
        if name.trim().is_empty() {
            return Err("a rule needs a name".to_owned());
        }
        let fail = |why: String| format!("rule `{name}`: {why}");
        for tool in &rule.tools {
            if !tool.input.is_object() {
                return Err(fail(format!("the input of `{}` must be a map", tool.name)));
            }
            check_input(&tool.input).map_err(&fail)?;
        }
        let pace = Pace {
            delay_ms: rule.delay_ms,
            chunk_ms: rule.chunk_ms,
        };
        check_pace(pace).map_err(&fail)?;
        let times = match (rule.once, rule.times) {
            (true, Some(_)) => return Err(fail("`once` and `times` exclude each other".into())),
            (true, None) => Some(1),
            (false, Some(0)) => return Err(fail("`times` counts from 1".into())),
            (false, times) => times,
        };
        if rule.at_turn == Some(0) {
            return Err(fail("`at_turn` counts from 1".into()));
        }
        let (when, written) = split(rule, times);
        Ok(Self {
            then: outcome(written).map_err(&fail)?,
            name: name.clone(),
            when,
            pace,
        })
    }
}

pub(super) fn check_pace(pace: Pace) -> Result<(), String> {
    let longest = pace.delay_ms.max(pace.chunk_ms).unwrap_or_default();
    if longest > LONGEST_WAIT_MS {
        return Err(format!("a wait of {longest} ms is above {LONGEST_WAIT_MS}"));
    }
    Ok(())
}

fn split(mut rule: Written, times: Option<u64>) -> (When, Written) {
    let when = When {
        last: rule.last.take(),
        said: rule.said.take(),
        result: rule.result.take(),
        last_tool: rule.last_tool.take(),
        last_call: rule.last_call.take(),
        is_error: rule.is_error,
        any: rule.any.take(),
        not_any: rule.not_any.take(),
        system: rule.system.take(),
        first: rule.first.take(),
        not_first: rule.not_first.take(),
        at_turn: rule.at_turn,
        after: rule.after.take(),
        times,
    };
    (when, rule)
}

fn outcome(rule: Written) -> Result<Outcome, String> {
    let speaks = rule.thinking.is_some() || rule.answer.is_some() || !rule.tools.is_empty();
    let shaped = rule.stop_reason.is_some()
        || rule.usage.is_some()
        || rule.stream_error.is_some()
        || rule.cut_after_bytes.is_some()
        || rule.cut_after_events.is_some();
    let alone = !speaks && !shaped && !rule.go_on;
    match (rule.error, rule.refuse, rule.hang) {
        (Some(error), false, false) if alone => {
            if !(400..=599).contains(&error.status) {
                return Err(format!(
                    "an error's status is 400 to 599, not {}",
                    error.status
                ));
            }
            return Ok(Outcome::Error(error));
        }
        (None, true, false) if alone => return Ok(Outcome::Refuse),
        (None, false, true) if alone => return Ok(Outcome::Hang),
        (Some(_), ..) | (None, true, _) => {
            return Err("`error` and `refuse` stand alone".to_owned());
        }
        (None, false, _) => {}
    }
    if rule.go_on {
        return match rule.answer {
            Some(text)
                if !shaped && !rule.hang && rule.thinking.is_none() && rule.tools.is_empty() =>
            {
                Ok(Outcome::Aside(text))
            }
            _ => Err("`go_on` takes an `answer` and nothing else".to_owned()),
        };
    }
    if !speaks {
        return Err(
            "nothing to answer: give `answer`, `thinking`, `tools`, `error`, `refuse` or `hang`"
                .to_owned(),
        );
    }
    let end = match (rule.stream_error, rule.cut_after_bytes, rule.cut_after_events, rule.hang) {
        (None, None, None, false) => End::Whole,
        (Some(error), None, None, false) => End::Error(error),
        (None, Some(bytes), None, false) => End::CutBytes(bytes),
        (None, None, Some(events), false) => End::CutEvents(events),
        (None, None, events, true) => End::Hang(events),
        _ => return Err("`stream_error`, `cut_after_bytes`, `cut_after_events` and `hang` exclude each other (only `hang` goes with `cut_after_events`)".to_owned()),
    };
    Ok(Outcome::Answer(Answer {
        thinking: rule.thinking,
        text: rule.answer,
        tools: rule.tools,
        stop_reason: rule.stop_reason,
        usage: rule.usage,
        end,
    }))
}
