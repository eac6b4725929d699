//! The last line of a document: which session wrote it, when, and how full it was. In goes a line
//! that anybody may have edited, out comes a [`Stamp`] or nothing.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Says where a document comes from; written by the program, never by the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The step the document belongs to.
    pub step: String,
    /// The generation that wrote it, from 1; 0 when unknown.
    pub generation: u32,
    /// The id of the session that wrote it; empty when unknown.
    pub session: String,
    /// Tokens in the context when it was written; 0 when unknown.
    pub context: u64,
    /// Tokens the window holds; 0 when unknown.
    pub window: u64,
    /// When it was written.
    pub written: Option<Timestamp>,
    /// Whether the program put the document together because the model wrote none.
    pub degraded: bool,
}

const OPEN: &str = "<!-- flower";
const CLOSE: &str = "-->";

impl Stamp {
    /// Prints the line, without a line break.
    pub fn to_line(&self) -> String {
        let json = json!({
            "step": self.step,
            "generation": self.generation,
            "session": self.session,
            "context": self.context,
            "window": self.window,
            "written": self.written.map(|time| time.to_string()),
            "degraded": self.degraded,
        });
        // In JSON `>` occurs in strings only; escaped there, no value can end the comment.
        let json = json.to_string().replace('>', "\\u003e");
        format!("{OPEN}: {json} {CLOSE}")
    }

    /// Reads the line; `None` when it is no object that names a step. Other fields of a wrong kind
    /// count as unknown.
    pub fn from_line(line: &str) -> Option<Self> {
        let line = line.trim();
        if !is_stamp(line) {
            return None;
        }
        let inside = line.strip_prefix(OPEN)?.strip_suffix(CLOSE)?.trim();
        let fields: Map<String, Value> =
            serde_json::from_str(inside.strip_prefix(':')?.trim_start()).ok()?;
        let text = |name: &str| Some(fields.get(name)?.as_str()?.to_owned());
        let number = |name: &str| fields.get(name).and_then(Value::as_u64).unwrap_or(0);
        Some(Self {
            step: text("step")?,
            generation: number("generation").try_into().unwrap_or(0),
            session: text("session").unwrap_or_default(),
            context: number("context"),
            window: number("window"),
            written: text("written").and_then(|time| time.parse().ok()),
            degraded: fields.get("degraded").and_then(Value::as_bool) == Some(true),
        })
    }

    /// Reads the stamp from the last line of a document that is not blank.
    pub fn of_document(text: &str) -> Option<Self> {
        Self::from_line(last_line(text).1)
    }
}

/// Says whether a line, its indent taken off, is a stamp, readable or not.
pub(super) fn is_stamp(line: &str) -> bool {
    line.strip_prefix(OPEN)
        .filter(|rest| rest.starts_with([':', ' ', '\t']))
        .is_some_and(|rest| rest.trim_end().ends_with(CLOSE))
}

/// Splits a text before its last line that is not blank.
pub(super) fn last_line(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    text.split_at(text.rfind('\n').map_or(0, |at| at + 1))
}
