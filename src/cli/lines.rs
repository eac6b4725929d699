//! `flower run` without `--json`: events in, readable lines out. Everything is sanitised here.

use std::path::Path;

use crate::runtime::bus::Received;
use crate::runtime::event::{DoneEvent, Event, EventKind, HandoffEvent, ResultEvent};
use crate::sanitize::{sanitize, sanitize_line};
use crate::texts::{Texts, fill};
use crate::tokens;

/// Lines of a tool's result that are shown.
const RESULT_LINES: usize = 3;
/// Characters of a tool's arguments that are shown.
const CALL_CHARS: usize = 200;
/// Characters of a SHA-256 that are shown.
const SHA_CHARS: usize = 8;

/// The lines for what came from the bus; empty for what is not worth one.
pub(super) fn lines(received: &Received, texts: &Texts) -> String {
    match received {
        Received::Event(sent) => of_event(&sent.event, texts),
        Received::Lost { events, why } => {
            let message = format!("{events} events could not be read back: {why}");
            one_line(&texts.run.warning, &[("message", &message)])
        }
    }
}

fn of_event(event: &Event, texts: &Texts) -> String {
    let run = &texts.run;
    match &event.kind {
        EventKind::Run {
            run: id, workspace, ..
        } => one_line(&run.run, &[("run", id), ("workspace", &shown(workspace))]),
        EventKind::Step { .. } | EventKind::Thinking { .. } | EventKind::Usage(_) => String::new(),
        EventKind::Session {
            session_id,
            generation,
            resumed,
            window,
            window_source,
            ..
        } => one_line(
            if *resumed { &run.resumed } else { &run.session },
            &[
                ("generation", &generation.to_string()),
                ("session", session_id.get(..8).unwrap_or(session_id)),
                ("window", &tokens::size(*window)),
                ("source", texts.window_from.by_word(window_source)),
            ],
        ),
        EventKind::Text {
            text,
            partial,
            from_person,
        } => {
            let said = if *from_person { "< " } else { "" };
            let cut = if *partial { run.cut.as_str() } else { "" };
            format!("{said}{}{cut}\n", sanitize(text.trim_end()))
        }
        EventKind::ToolCall { name, input, .. } => {
            let arguments = call_text(input);
            format!("> {} {}\n", sanitize_line(name), sanitize_line(&arguments))
        }
        EventKind::ToolResult { text, is_error, .. } => result_lines(text, *is_error, texts),
        EventKind::Handoff(handoff) => of_handoff(handoff, texts),
        EventKind::Retry {
            attempt,
            max_attempts,
            delay_ms,
            message,
            ..
        } => one_line(
            &run.retry,
            &[
                ("attempt", &attempt.to_string()),
                ("max", &max_attempts.to_string()),
                ("delay", &format!("{:.1}", *delay_ms as f64 / 1000.0)),
                ("message", message),
            ],
        ),
        EventKind::Error { message, class } => {
            let text = if class == "warning" {
                &run.warning
            } else {
                &run.error
            };
            one_line(text, &[("message", message)])
        }
        EventKind::Result(result) => of_result(result, texts),
    }
}

fn of_handoff(handoff: &HandoffEvent, texts: &Texts) -> String {
    let run = &texts.run;
    match handoff {
        HandoffEvent::Near {
            context,
            window,
            at,
        } if context < at => one_line(
            &run.near,
            &[
                ("context", &tokens::level(*context)),
                ("window", &tokens::size(*window)),
                ("left", &tokens::size(at.saturating_sub(*context))),
            ],
        ),
        // What comes next says that the mark is reached.
        HandoffEvent::Near { .. } => String::new(),
        HandoffEvent::Writing {
            context: Some(context),
            window,
        } => one_line(
            &run.writing,
            &[
                ("context", &tokens::level(*context)),
                ("window", &tokens::size(*window)),
            ],
        ),
        HandoffEvent::Writing {
            context: None,
            window,
        } => one_line(&run.overflowed, &[("window", &tokens::size(*window))]),
        HandoffEvent::Review { path, deadline_s } => one_line(
            &run.review,
            &[
                ("seconds", &deadline_s.to_string()),
                ("path", &path_text(path.as_deref(), texts)),
            ],
        ),
        HandoffEvent::Done(done) => of_done(done, texts),
    }
}

fn of_done(done: &DoneEvent, texts: &Texts) -> String {
    let run = &texts.run;
    let mut notes = String::new();
    if done.edited {
        notes.push_str(&run.edited);
    }
    if let Some(why) = &done.why {
        notes.push_str(&fill(&run.degraded, &[("why", why)]));
    }
    one_line(
        &run.done,
        &[
            ("generation", &done.generation.to_string()),
            ("path", &path_text(done.path.as_deref(), texts)),
            ("sha", done.sha256.get(..SHA_CHARS).unwrap_or_default()),
            ("notes", &notes),
        ],
    )
}

fn of_result(result: &ResultEvent, texts: &Texts) -> String {
    let run = &texts.run;
    let text = if result.ok {
        &run.finished
    } else {
        &run.stopped
    };
    let cost = match result.cost_usd {
        Some(cost) => format!("${cost:.2}"),
        None => run.cost_unknown.clone(),
    };
    one_line(
        text,
        &[
            ("turns", &result.num_turns.to_string()),
            ("generations", &result.generations.len().to_string()),
            (
                "context",
                &result.context.map_or("?".to_owned(), tokens::level),
            ),
            ("cost", &cost),
            ("error", result.error.as_deref().unwrap_or_default()),
        ],
    )
}

fn one_line(text: &str, values: &[(&str, &str)]) -> String {
    format!("{}\n", sanitize_line(&fill(text, values)))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn path_text(path: Option<&Path>, texts: &Texts) -> String {
    path.map_or_else(|| texts.run.not_on_disk.clone(), shown)
}

/// A call's arguments on one line: the one string that says it all, or the JSON.
fn call_text(input: &serde_json::Value) -> String {
    let telling = ["command", "path", "file_path", "pattern"]
        .iter()
        .find_map(|key| input.get(key)?.as_str().map(str::to_owned));
    let text = telling.unwrap_or_else(|| input.to_string());
    let short: String = text.chars().take(CALL_CHARS).collect();
    if short.len() < text.len() {
        format!("{short} …")
    } else {
        short
    }
}

fn result_lines(text: &str, is_error: bool, texts: &Texts) -> String {
    let all: Vec<&str> = text.trim_end().lines().collect();
    let mut shown = String::new();
    if is_error {
        shown.push_str(&format!("  [{}]\n", texts.run.failed));
    }
    for line in all.iter().take(RESULT_LINES) {
        let short: String = line.chars().take(CALL_CHARS).collect();
        shown.push_str(&format!("  {}\n", sanitize_line(&short)));
    }
    if all.len() > RESULT_LINES {
        let lines = (all.len() - RESULT_LINES).to_string();
        shown.push_str(&format!(
            "  {}\n",
            fill(&texts.run.more_lines, &[("lines", &lines)])
        ));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Lang;

    fn line(kind: EventKind, lang: Lang) -> String {
        let event = Event {
            seq: 1,
            time: String::new(),
            kind,
        };
        of_event(&event, &Texts::load(lang).unwrap())
    }

    #[test]
    fn the_near_line_says_how_full_and_how_far() {
        let near = EventKind::Handoff(HandoffEvent::Near {
            context: 130_000,
            window: 200_000,
            at: 150_000,
        });
        assert_eq!(
            line(near.clone(), Lang::Zh),
            "# 上下文 130.0K/200K · 还有约 20K 到换代\n"
        );
        assert_eq!(
            line(near, Lang::En),
            "# context 130.0K/200K · about 20K to the handoff\n"
        );
    }

    #[test]
    fn past_the_mark_nothing_is_said_of_the_way_to_it() {
        for context in [150_000, 190_000] {
            let near = EventKind::Handoff(HandoffEvent::Near {
                context,
                window: 200_000,
                at: 150_000,
            });
            assert_eq!(line(near, Lang::En), "");
        }
    }

    #[test]
    fn hostile_text_never_drives_the_terminal() {
        let hostile = "\u{1b}]0;x\u{7}\u{1b}[2Jok";
        let call = EventKind::ToolCall {
            id: "1".to_owned(),
            name: hostile.to_owned(),
            input: serde_json::json!({"command": hostile}),
        };
        let result = EventKind::ToolResult {
            id: "1".to_owned(),
            text: hostile.to_owned(),
            is_error: true,
        };
        let text = EventKind::Text {
            text: hostile.to_owned(),
            partial: true,
            from_person: false,
        };
        let error = EventKind::Error {
            message: hostile.to_owned(),
            class: "fatal".into(),
        };
        for kind in [call, result, text, error] {
            let line = line(kind, Lang::Zh);
            assert!(
                line.chars().all(|c| c == '\n' || !c.is_control()),
                "{line:?}"
            );
            assert!(line.contains("ok"), "{line:?}");
        }
    }

    #[test]
    fn long_results_are_cut_and_say_so() {
        let result = EventKind::ToolResult {
            id: "1".to_owned(),
            text: "1\n2\n3\n4\n5\n".to_owned(),
            is_error: false,
        };
        assert_eq!(line(result, Lang::En), "  1\n  2\n  3\n  … 2 more lines\n");
    }
}
