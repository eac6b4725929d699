mod bounds;
mod entries;
mod scrolling;

use serde_json::Value;

use super::*;
use crate::config::Lang;
use crate::runtime::event::{Event, EventKind};

fn log(lang: Lang) -> Log {
    let mut log = Log::new(&Texts::load(lang).unwrap());
    log.set_size(59, 10);
    log
}

/// Pushes an event `milliseconds` after noon.
fn push_at(log: &mut Log, milliseconds: i64, kind: EventKind) {
    let noon: Timestamp = "2026-12-01T12:00:00Z".parse().unwrap();
    let time = Timestamp::from_millisecond(noon.as_millisecond() + milliseconds).unwrap();
    let event = Event {
        seq: 1,
        time: format!("{time:.3}"),
        kind,
    };
    log.push(&event, "12:00:00");
}

fn push(log: &mut Log, kind: EventKind) {
    push_at(log, 0, kind);
}

fn text(text: &str) -> EventKind {
    EventKind::Text {
        text: text.to_owned(),
        partial: false,
        from_person: false,
    }
}

fn call(name: &str, input: Value) -> EventKind {
    EventKind::ToolCall {
        id: "1".to_owned(),
        name: name.to_owned(),
        input,
    }
}

fn result(text: &str, is_error: bool) -> EventKind {
    EventKind::ToolResult {
        id: "1".to_owned(),
        text: text.to_owned(),
        is_error,
    }
}

/// The rows in sight as `id: piece`.
fn sight(log: &Log) -> Vec<String> {
    log.visible()
        .map(|(entry, row)| match row {
            Row::Head { start, end } | Row::Text { start, end } => {
                format!("{}: {}", entry.id(), &entry.text()[start..end])
            }
            Row::Body { line, start, end } => {
                format!("{}: | {}", entry.id(), &entry.body()[line].text[start..end])
            }
            Row::More { lines } => format!("{}: +{lines}", entry.id()),
        })
        .collect()
}
