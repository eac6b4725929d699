//! What is true right now, for the now line: state in, all that a person could be told out.

use std::time::{Duration, Instant};

use super::action::Question;
use super::now::{Cause, Now, NowLine, RetryCause};
use super::state::{Notice, Run, State};
use super::update::call_text;
use crate::handoff::DEGRADED;
use crate::sanitize::sanitize_line;
use crate::texts::fill;

/// The line to show.
pub fn now_line(state: &State) -> NowLine {
    NowLine::pick(states(state)).unwrap_or_else(|| NowLine::from(Now::Starting))
}

fn states(state: &State) -> Vec<Now> {
    let mut all = Vec::new();
    review(state, &mut all);
    if let Some((question, since)) = &state.question {
        all.push(Now::YourCall {
            what: wants(state, question),
            waits_s: seconds(*since, state.now),
        });
    }
    if let Some(since) = state.writing_since {
        all.push(Now::Writing {
            seconds: seconds(since, state.now),
        });
    }
    let late = state.editor.undelivered_lines();
    let waits = state.run == Run::On && state.review.is_none();
    if late > 0 && state.editor.delivered_sha().is_some() && waits {
        all.push(Now::NotDelivered { lines: late as u64 });
    }
    notice(state, &mut all);
    match &state.run {
        Run::Idle => all.push(Now::Idle),
        Run::On => working(state, &mut all),
        Run::Ended { error: None } => all.push(Now::Done),
        Run::Ended { error: Some(why) } => all.push(Now::Failed {
            why: sanitize_line(why),
        }),
    }
    all
}

/// What a tool call wants, as a phrase.
fn wants(state: &State, question: &Question) -> String {
    let texts = &state.texts.app;
    let what = sanitize_line(&call_text(&question.name, &question.input));
    let path = question
        .input
        .get("path")
        .and_then(serde_json::Value::as_str);
    match (question.name.as_str(), path) {
        ("bash", _) => fill(&texts.wants_run, &[("what", &what)]),
        ("write" | "edit", Some(path)) => {
            fill(&texts.wants_change, &[("what", &sanitize_line(path))])
        }
        _ => fill(&texts.wants_other, &[("what", &what)]),
    }
}

fn review(state: &State, all: &mut Vec<Now>) {
    let Some(review) = &state.review else {
        return;
    };
    let left_s = left(review.until, state.now);
    // Until the document of this review is shown, the text is that of the one before.
    let missing = state.missing().filter(|_| !review.fresh);
    if let Some(section) = missing {
        all.push(Now::Incomplete { section, left_s });
    }
    if !state.clashes.is_empty() {
        all.push(Now::Conflict {
            sections: state.clashes.iter().map(|clash| clash.section).collect(),
            left_s,
        });
    }
    if let Some(why) = degraded(state).filter(|_| !review.fresh) {
        all.push(Now::Degraded {
            why: Cause::Other(why),
        });
    }
    // What keeps a review from its end stands for it; both would be counted as two.
    if missing.is_none() && state.clashes.is_empty() {
        all.push(if review.held {
            Now::Held { left_s }
        } else {
            Now::Review { left_s }
        });
    }
}

/// Why the document is the mechanical one, as its first line says; `None` when it is not.
fn degraded(state: &State) -> Option<String> {
    let doing = &state.editor.document().doing;
    let first = doing.strip_prefix(DEGRADED)?.lines().next()?;
    let why = ["原因：", "Why: "]
        .iter()
        .find_map(|before| Some(first.split_once(before)?.1));
    let why = why.unwrap_or(first).trim().trim_end_matches(['。', '.']);
    Some(sanitize_line(why))
}

fn notice(state: &State, all: &mut Vec<Now>) {
    match &state.notice {
        Some(Notice::Swapped {
            generation,
            lines,
            sha256,
            ..
        }) => all.push(Now::Swapped {
            generation: *generation,
            lines: *lines as u64,
            sha: sha256.clone(),
            on_disk: state.document.is_some(),
        }),
        Some(Notice::Retry { attempt, max, at }) => all.push(Now::Retry {
            cause: RetryCause::Server,
            attempt: *attempt,
            max: *max,
            left_s: left(*at, state.now),
        }),
        Some(Notice::TimedOut { missing }) => all.push(Now::TimedOut {
            minutes: state.hold_timeout.as_secs() / 60,
            missing: *missing,
        }),
        Some(Notice::Degraded(why)) => all.push(Now::Degraded {
            why: Cause::Other(sanitize_line(why)),
        }),
        Some(Notice::Told(words)) => all.push(Now::Told {
            words: sanitize_line(words),
        }),
        None => {}
    }
}

fn working(state: &State, all: &mut Vec<Now>) {
    let policy = state.gauge.level.policy;
    if policy.unreachable() {
        all.push(Now::LimitFirst {
            at: policy.at(),
            window: policy.window,
        });
    }
    if state.near {
        all.push(Now::Near);
    }
    let (what, since) = match &state.doing {
        Some((what, since)) => (what.clone(), *since),
        None => (String::new(), state.now),
    };
    all.push(Now::Working {
        what,
        seconds: seconds(since, state.now),
    });
}

fn seconds(since: Instant, now: Instant) -> u64 {
    now.saturating_duration_since(since).as_secs()
}

/// Whole seconds left, rounded up, so that a countdown ends at 0 and not before.
fn left(until: Instant, now: Instant) -> u64 {
    let left = until.saturating_duration_since(now);
    left.as_secs() + u64::from(left.subsec_nanos() > Duration::ZERO.subsec_nanos())
}
