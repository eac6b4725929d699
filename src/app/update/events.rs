//! What a run tells: it goes into the log, the gauge and the now line.

use std::time::Duration;

use super::Effect;
use super::review;
use crate::app::action::notes;
use crate::app::gauge::{Activity, Gauge};
use crate::app::log::Document;
use crate::app::state::{Notice, Run, State};
use crate::handoff::Handoff;
use crate::model::window::WindowSource;
use crate::runtime::event::{DoneEvent, Event, EventKind, HandoffEvent, UsageEvent};
use crate::sanitize::sanitize_line;

/// How much earlier than here the run may count a hold as over: it began to count earlier, by the
/// time an event takes.
const EARLY: Duration = Duration::from_secs(1);
/// Characters of a tool call in the now line.
const DOING_CHARS: usize = 80;

pub(super) fn event(state: &mut State, event: &Event, clock: &str) -> Vec<Effect> {
    state.log.push(event, clock);
    match &event.kind {
        EventKind::Run { .. } => {
            state.run = Run::On;
            state.notice = None;
            state.near = false;
            let gauge = &state.gauge;
            let (policy, source) = (gauge.level.policy, gauge.window_source.clone());
            state.gauge = Gauge::new(policy, source, &gauge.step);
            let written = state.editor.undelivered();
            if written.is_empty() {
                Vec::new()
            } else {
                vec![Effect::Tell(notes(written))]
            }
        }
        EventKind::Step { .. } | EventKind::Thinking { .. } | EventKind::Error { .. } => Vec::new(),
        EventKind::Session {
            generation,
            window,
            window_source,
            ..
        } => {
            // The run's first session is the generation the gauge began with.
            if state.gauge.swaps == 0 {
                state.gauge.generation = *generation;
            } else {
                let swaps = state.gauge.swaps;
                state.gauge.start_generation(*generation, swaps);
            }
            moved_to(state, *window, Some(window_source));
            state.near = false;
            Vec::new()
        }
        EventKind::Text { from_person, .. } => {
            state.doing = None;
            seen(state);
            if *from_person && matches!(state.notice, Some(Notice::Told(_))) {
                // The message that was noted has arrived.
                state.notice = None;
            }
            Vec::new()
        }
        EventKind::ToolCall { name, input, .. } => {
            let text = sanitize_line(&super::keys::call_text(name, input));
            let short: String = text.chars().take(DOING_CHARS).collect();
            state.doing = Some((short, state.now));
            seen(state);
            Vec::new()
        }
        EventKind::ToolResult { .. } => {
            state.doing = None;
            Vec::new()
        }
        EventKind::Usage(usage) => {
            take_usage(state, usage);
            Vec::new()
        }
        EventKind::Handoff(handoff) => self::handoff(state, handoff, clock),
        EventKind::Retry {
            attempt,
            max_attempts,
            delay_ms,
            ..
        } => {
            state.notice = Some(Notice::Retry {
                attempt: *attempt,
                max: *max_attempts,
                at: state.now + Duration::from_millis(*delay_ms),
            });
            Vec::new()
        }
        EventKind::Result(result) => {
            state.generations.clone_from(&result.generations);
            state.gauge.spent_usd = result.cost_usd;
            Vec::new()
        }
    }
}

/// The session goes on: what it waited for is over.
fn seen(state: &mut State) {
    match state.notice {
        Some(Notice::Retry { .. }) => state.notice = None,
        // These stay until they were read: by a key, or for a while.
        Some(
            Notice::Swapped { .. }
            | Notice::TimedOut { .. }
            | Notice::Degraded(_)
            | Notice::Told(_),
        )
        | None => {}
    }
}

/// Another window, perhaps from another source.
fn moved_to(state: &mut State, window: u64, source: Option<&str>) {
    let mut policy = state.gauge.level.policy;
    let known = &state.gauge.window_source;
    let learned = policy.window != window || source.is_some_and(|word| word != known.word());
    let source = match source {
        Some(word) if word == known.word() => known.clone(),
        Some("server") => WindowSource::Server,
        // Within a run a window only changes because an overflow told the real one.
        _ if learned => WindowSource::Learned,
        _ => known.clone(),
    };
    policy.window = window;
    state.gauge.set_window(policy, source);
}

fn take_usage(state: &mut State, usage: &UsageEvent) {
    if usage.thread == "main" {
        moved_to(state, usage.window, None);
        if let Some(context) = usage.context {
            state.gauge.take_reading(context, usage.estimated);
        }
    }
    state.gauge.spent_usd = usage.cost_usd;
    state.gauge.spent_tokens +=
        usage.input + usage.cache_read + usage.cache_creation + usage.output;
}

fn handoff(state: &mut State, handoff: &HandoffEvent, clock: &str) -> Vec<Effect> {
    match handoff {
        HandoffEvent::Near { .. } => {
            state.near = true;
            Vec::new()
        }
        HandoffEvent::Writing { .. } => {
            state.writing_since = Some(state.now);
            state.doing = None;
            state.notice = None;
            state.gauge.activity = Activity::Writing;
            Vec::new()
        }
        HandoffEvent::Review { path, deadline_s } => {
            review::begin(state, path.clone(), *deadline_s, clock)
        }
        HandoffEvent::Done(done) => swapped(state, done),
    }
}

/// The successor has the document.
fn swapped(state: &mut State, done: &DoneEvent) -> Vec<Effect> {
    let document = Handoff {
        doing: done.sections.doing.clone(),
        decided: done.sections.decided.clone(),
        deadends: done.sections.deadends.clone(),
        next: done.sections.next.clone(),
        scene: done.sections.scene.clone(),
        lang: state.editor.lang(),
        ..Handoff::default()
    };
    let ended = state.review.take();
    let missing = state.missing();
    // What is on disk is another text than what was put there from here: the last complete version,
    // or somebody else's of the last moment.
    let other = state.editor.base_sha() != Some(done.sha256.as_str());
    if other || ended.as_ref().is_none_or(|review| review.fresh) {
        review::take_in(state, &document, &done.sha256);
    }
    state.editor.delivered(&document, &done.sha256);
    let timed_out = ended.is_some_and(|review| review.held && state.now + EARLY >= review.until);
    state.clashes.clear();
    state.writing_since = None;
    state.document.clone_from(&done.path);
    state.gauge.swaps += 1;
    state.gauge.activity = Activity::Working;
    let lines = document.to_markdown().lines().count();
    state.log.describe(
        &done.sha256,
        Document {
            lines,
            changed: None,
        },
    );
    state.notice = Some(match &done.why {
        Some(why) => Notice::Degraded(why.clone()),
        None if timed_out => Notice::TimedOut { missing },
        None => Notice::Swapped {
            generation: done.generation,
            lines,
            sha256: done.sha256.clone(),
            at: state.now,
        },
    });
    Vec::new()
}
