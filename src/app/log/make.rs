//! Events in, entries out: which events are worth one, and in which words.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::entry::{End, Entry, Fold, Kind, Outcome};
use super::facts::{Document, Swap};
use super::{Log, bound, call};
use crate::runtime::event::{DoneEvent, Event, EventKind, HandoffEvent, ResultEvent, UsageEvent};
use crate::texts::fill;
use crate::tokens;

/// Characters of ids and hashes that are shown.
const SHORT: usize = 8;
/// Rows of reasoning, of the person's words and of errors that are shown while folded.
const THINKING_ROWS: usize = 2;
const PERSON_ROWS: usize = 4;
const ERROR_ROWS: usize = 6;

impl Log {
    /// Takes an event of the run. `local_time` is its time for people, `HH:MM:SS`.
    pub fn push(&mut self, event: &Event, local_time: &str) {
        let time = local_time;
        match &event.kind {
            EventKind::Run { .. } => {}
            EventKind::Step { task, .. } => {
                if let Some(task) = task {
                    self.add(time, Kind::You, task, Fold::Rows(PERSON_ROWS));
                }
            }
            EventKind::Session { .. } => self.session(&event.kind, time),
            EventKind::Text {
                text,
                from_person: true,
                ..
            } => self.add(time, Kind::You, text, Fold::Rows(PERSON_ROWS)),
            EventKind::Text { text, partial, .. } => self.text(text, *partial, time),
            EventKind::Thinking { text } => {
                self.add(time, Kind::Thinks, text, Fold::Rows(THINKING_ROWS));
            }
            EventKind::ToolCall { id, name, input } => {
                self.cut_stream();
                let (mut entry, expected) = call::begun(time, name, input, &self.texts.log);
                entry.outcome = Outcome::Running(instant(event));
                entry.open_call = Some(id.clone());
                let entry_id = self.append(entry);
                let former = self.calls.insert(id.clone(), (entry_id, expected));
                if let Some((former, _)) = former {
                    self.close_call(former);
                }
            }
            EventKind::ToolResult { id, text, is_error } => {
                self.result(id, text, *is_error, event, time);
            }
            EventKind::Usage(usage) => self.usage(usage, time),
            EventKind::Handoff(handoff) => self.handoff(handoff, time),
            EventKind::Retry {
                attempt,
                max_attempts,
                delay_ms,
                message,
                ..
            } => {
                self.cut_stream();
                let text = fill(
                    &self.texts.log.retry,
                    &[
                        ("attempt", &attempt.to_string()),
                        ("max", &max_attempts.to_string()),
                        ("delay", &seconds(*delay_ms)),
                        ("message", message),
                    ],
                );
                self.add(time, Kind::Retry, &text, Fold::Rows(ERROR_ROWS));
            }
            EventKind::Error { message, class } => {
                let kind = match class.as_ref() {
                    "warning" => Kind::Notice,
                    _ => Kind::Error,
                };
                self.add(time, kind, message, Fold::Rows(ERROR_ROWS));
            }
            EventKind::Result(result) => self.finished(result, time),
        }
        self.settle();
    }

    /// Adds what the screen learned of a document by reading it to the entries that speak of it: the
    /// latest frozen one, and the latest swap when the successor got these bytes.
    pub fn describe(&mut self, sha256: &str, document: Document) {
        if let Some((id, name)) = self.facts.file.take() {
            let described = fill(
                &self.texts.log.file,
                &[
                    ("lines", &document.lines.to_string()),
                    ("sha", short(sha256)),
                ],
            );
            let text = bound::line(&format!("{name}  {described}"));
            self.reword(id, text);
        }
        let swap = self.facts.swap.as_mut();
        if let Some(swap) = swap.filter(|swap| swap.sha256 == sha256) {
            swap.document = Some(document);
            let (id, text) = (swap.id, self.swap_text());
            self.reword(id, text);
        }
        self.settle();
    }

    fn add(&mut self, time: &str, kind: Kind, text: &str, fold: Fold) {
        let text = bound::text(text, &self.texts.log.gap);
        if text.is_empty() {
            return;
        }
        let mut entry = Entry::new(time, kind, text);
        entry.fold = fold;
        self.append(entry);
    }

    fn say(&mut self, time: &str, kind: Kind, template: &str, values: &[(&str, &str)]) {
        let text = fill(template, values);
        self.add(time, kind, &text, Fold::Rows(usize::MAX));
    }

    fn reword(&mut self, id: u64, text: String) {
        self.change(id, |entry| {
            entry.text = text;
            entry.layout = None;
        });
    }

    fn text(&mut self, text: &str, partial: bool, time: &str) {
        let mut whole = bound::text(text, &self.texts.log.gap);
        self.held_return = false;
        let stream = self.stream.take();
        if whole.is_empty() {
            return;
        }
        if partial {
            whole = format!("{whole} {}", self.texts.log.cut);
        }
        match stream.filter(|id| *id >= self.first_id()) {
            Some(id) => self.reword(id, whole),
            None => {
                self.append(Entry::new(time, Kind::Says, whole));
            }
        }
    }

    /// Marks an answer that stopped arriving as cut.
    fn cut_stream(&mut self) {
        self.held_return = false;
        let Some(id) = self.stream.take() else { return };
        let texts = Arc::clone(&self.texts);
        self.change(id, |entry| {
            entry.text = format!("{} {}", entry.text.trim_end(), texts.log.cut);
            entry.layout = None;
        });
    }

    fn session(&mut self, event: &EventKind, time: &str) {
        let EventKind::Session {
            session_id,
            generation,
            resumed,
            window,
            window_source,
            at,
            ..
        } = event
        else {
            return;
        };
        self.close_all();
        let source = self.texts.window_from.by_word(window_source).to_owned();
        let before = self.facts.window;
        self.moved_to(*window, *at, Some(&source), time);
        // The successor's session is in the entry of its swap.
        if *generation > 1 && !resumed && before.is_some() {
            return;
        }
        let texts = Arc::clone(&self.texts);
        let template = if *resumed {
            &texts.log.resumed
        } else {
            &texts.log.session
        };
        let values = [
            ("generation", generation.to_string()),
            ("session", short(session_id).to_owned()),
            ("window", tokens::size(*window)),
            ("source", source),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(n, v)| (*n, v.as_str())).collect();
        self.say(time, Kind::Start, template, &values);
    }

    /// Remembers the window and its mark, and says when the window became another one.
    fn moved_to(&mut self, window: u64, at: Option<u64>, source: Option<&str>, time: &str) {
        self.facts.at = at;
        let Some(before) = self.facts.window.replace(window) else {
            return;
        };
        if before == window {
            return;
        }
        let text = fill(
            &self.texts.log.window,
            &[
                ("from", &tokens::size(before)),
                ("to", &tokens::size(window)),
                ("source", source.unwrap_or_default()),
            ],
        );
        let text = text.trim_end_matches([',', '，', ' ']).to_owned();
        self.add(time, Kind::Notice, &text, Fold::Rows(usize::MAX));
    }

    fn result(&mut self, id: &str, text: &str, is_error: bool, event: &Event, time: &str) {
        let texts = Arc::clone(&self.texts);
        let words = &texts.log;
        let known = self.calls.remove(id);
        let (entry_id, expected) = known.unwrap_or_else(|| {
            // The call is not in the log any more: its result still is worth an entry.
            let (entry, expected) = call::begun(time, "?", &serde_json::json!({}), words);
            (self.append(entry), expected)
        });
        let ended = instant(event);
        self.change(entry_id, |entry| {
            let began = match entry.outcome {
                Outcome::Running(began) => began,
                Outcome::None | Outcome::Ended(..) => None,
            };
            let took = began.zip(ended).map(|(began, ended)| {
                let milliseconds = ended.as_millisecond() - began.as_millisecond();
                u64::try_from(milliseconds).unwrap_or(0)
            });
            call::ended(entry, expected, text, is_error, took, words);
            entry.open_call = None;
            entry.layout = None;
        });
    }

    fn close_call(&mut self, id: u64) {
        self.change(id, |entry| {
            if let Outcome::Running(_) = entry.outcome {
                entry.outcome = Outcome::Ended(None, End::NoResult);
            }
            entry.open_call = None;
            entry.layout = None;
        });
    }

    /// Ends what can go on no more: a new session or the step's end leaves nothing running.
    fn close_all(&mut self) {
        self.cut_stream();
        let open: Vec<u64> = self.calls.drain().map(|(_, (id, _))| id).collect();
        for id in open {
            self.close_call(id);
        }
    }

    fn usage(&mut self, usage: &UsageEvent, time: &str) {
        if usage.thread == "main" {
            self.moved_to(usage.window, usage.at, None, time);
            return;
        }
        let Some(context) = usage.context else { return };
        let text = fill(
            &self.texts.log.sub,
            &[
                ("thread", &usage.thread),
                ("context", &tokens::level(context)),
                ("window", &tokens::size(usage.window)),
                ("percent", &percent(context, usage.window)),
            ],
        );
        let text = bound::line(&text);
        match self.subs.get(&usage.thread) {
            Some(id) => self.reword(*id, text),
            None => {
                let id = self.append(Entry::new(time, Kind::Sub, text));
                self.subs.insert(usage.thread.clone(), id);
            }
        }
    }

    fn handoff(&mut self, handoff: &HandoffEvent, time: &str) {
        let texts = Arc::clone(&self.texts);
        let words = &texts.log;
        match handoff {
            HandoffEvent::Near {
                context,
                window,
                at,
            } => {
                self.facts.window = Some(*window);
                self.facts.at = Some(*at);
                let left = tokens::level(at.saturating_sub(*context));
                let values = [("context", &*tokens::level(*context)), ("left", &left)];
                self.say(time, Kind::Near, &words.near, &values);
            }
            HandoffEvent::Writing { context, window } => {
                self.cut_stream();
                let context = context.map(tokens::level);
                match (context, self.facts.at.map(tokens::size)) {
                    (Some(context), Some(at)) => {
                        let values = [("context", &*context), ("at", &*at)];
                        self.say(time, Kind::Due, &words.due, &values);
                    }
                    (Some(context), None) => {
                        let values = [("context", &*context)];
                        self.say(time, Kind::Due, &words.due_unmarked, &values);
                    }
                    (None, _) => {
                        let values = [("window", &*tokens::size(*window))];
                        self.say(time, Kind::Due, &words.overflowed, &values);
                    }
                }
            }
            HandoffEvent::Review { path, deadline_s } => {
                if let Some(path) = path {
                    let name = bound::line(&file_name(path));
                    let id = self.append(Entry::new(time, Kind::File, name.clone()));
                    self.facts.file = Some((id, name));
                }
                let seconds = deadline_s.to_string();
                self.say(time, Kind::Review, &words.review, &[("seconds", &seconds)]);
            }
            HandoffEvent::Done(done) => self.swapped(done, time),
        }
    }

    fn swapped(&mut self, done: &DoneEvent, time: &str) {
        self.close_all();
        self.facts.file = None;
        let id = self.append(Entry::new(time, Kind::Swap, String::new()));
        self.facts.swap = Some(Swap {
            id,
            generation: done.generation,
            file: done.path.as_deref().map(file_name),
            sha256: done.sha256.clone(),
            is_edited: done.edited,
            why: done.why.clone(),
            from_session: done.from_session.clone(),
            to_session: done.to_session.clone(),
            document: None,
        });
        let text = self.swap_text();
        self.reword(id, text);
    }

    fn swap_text(&self) -> String {
        let words = &self.texts.log;
        let Some(swap) = &self.facts.swap else {
            return String::new();
        };
        let generation = swap.generation.to_string();
        let mut lines = vec![match &swap.file {
            Some(file) => fill(&words.swap, &[("generation", &generation), ("file", file)]),
            None => fill(&words.swap_unsaved, &[("generation", &generation)]),
        }];
        let mut document = String::new();
        if let Some(known) = swap.document {
            let count = known.lines.to_string();
            document = fill(&words.document_lines, &[("lines", &count)]);
        }
        document.push_str(&format!("sha {}", short(&swap.sha256)));
        if swap.is_edited {
            document.push_str(&words.edited);
            if let Some((added, removed)) = swap.document.and_then(|known| known.changed) {
                document.push_str(&format!(" (+{added} -{removed})"));
            }
        }
        lines.push(document);
        if let Some(why) = &swap.why {
            lines.push(fill(&words.degraded, &[("why", why)]));
        }
        lines.push(fill(
            &words.sessions,
            &[
                ("from", short(&swap.from_session)),
                ("to", short(&swap.to_session)),
            ],
        ));
        let lines: Vec<String> = lines.iter().map(|line| bound::line(line)).collect();
        lines.join("\n")
    }

    fn finished(&mut self, result: &ResultEvent, time: &str) {
        self.close_all();
        let words = &self.texts.log;
        let cost = match result.cost_usd {
            Some(cost) => format!("${cost:.2}"),
            None => words.cost_unknown.clone(),
        };
        let mut text = fill(
            &words.done,
            &[
                ("turns", &result.num_turns.to_string()),
                ("generations", &result.generations.len().to_string()),
                (
                    "context",
                    &result.context.map_or("?".to_owned(), tokens::level),
                ),
                ("cost", &cost),
            ],
        );
        if let Some(error) = &result.error {
            text = format!("{error}\n{text}");
        }
        let kind = if result.ok { Kind::Done } else { Kind::Stopped };
        self.add(time, kind, &text, Fold::Rows(ERROR_ROWS));
    }
}

fn instant(event: &Event) -> Option<Timestamp> {
    event.time.parse().ok()
}

/// Seconds with one decimal, none when it would be zero.
fn seconds(milliseconds: u64) -> String {
    let tenths = milliseconds.saturating_add(50) / 100;
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        tenth => format!("{}.{tenth}", tenths / 10),
    }
}

fn short(id: &str) -> &str {
    id.char_indices().nth(SHORT).map_or(id, |(at, _)| &id[..at])
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A share with one decimal, half up; `?` of a window of zero.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "?%".to_owned();
    }
    let tenths = (u128::from(part) * 2_000 + u128::from(whole)) / (u128::from(whole) * 2);
    format!("{}.{}%", tenths / 10, tenths % 10)
}
