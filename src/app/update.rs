//! The only place where the screen's state changes. Actions in, effects out; delegates by subject.

mod events;
mod keys;
mod review;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

pub use keys::call_text;

use super::action::{Action, Effect, notes};
use super::archive::Archive;
use super::editor::{Choice, EditorOutcome};
use super::gauge::Activity;
use super::log::Kind;
use super::state::{Notice, Overlay, Pane, Run, State};
use crate::handoff::Section;
use crate::runtime::spec::StepResult;

/// A pane takes the keys by itself only when no key came for this long.
const QUIET: Duration = Duration::from_secs(2);

/// How long the now line tells of a swap before it tells of the successor's work.
const SWAP_TOLD: Duration = Duration::from_secs(10);

/// Takes one action at a time of day (`clock` as `HH:MM:SS`, for the log) and says what to do.
pub fn update(state: &mut State, action: Action, now: Instant, clock: &str) -> Vec<Effect> {
    state.now = now;
    let effects = act(state, action, clock);
    state.fit();
    effects
}

fn act(state: &mut State, action: Action, clock: &str) -> Vec<Effect> {
    match action {
        Action::Key(key) => keys::key(state, key),
        Action::Paste(text) => paste(state, &text),
        Action::Wheel(rows) => wheel(state, rows),
        Action::Click(column, row) => keys::click(state, column, row),
        Action::Resize(columns, rows) => {
            state.size = (columns, rows);
            Vec::new()
        }
        Action::Event(event) => {
            state.last_seq = event.seq;
            events::event(state, &event, clock)
        }
        Action::Delta(piece) => {
            if piece.after >= state.last_seq {
                state.log.delta(&piece.text, clock);
            }
            Vec::new()
        }
        Action::Draft(draft) => {
            for section in Section::ALL {
                for line in draft.section(section).lines() {
                    state.editor.add_line(section, line);
                }
            }
            noted(state)
        }
        Action::Told(words) => {
            state.log.note(Kind::Notice, &words, clock);
            Vec::new()
        }
        Action::EventsEnded => Vec::new(),
        Action::RunEnded(result) => ended(state, &result),
        Action::RunFailed(why) => {
            state.log.note(Kind::Error, &why, clock);
            state.run = Run::Ended { error: Some(why) };
            settle(state);
            review::go_on(state)
        }
        Action::Ask(question) => ask(state, *question),
        Action::Loaded(loaded) => review::loaded(state, loaded, clock),
        Action::Saved(document, saved) => review::saved(state, &document, saved, clock),
        Action::FileChanged => review::file_changed(state),
        Action::EditorClosed(problem) => review::editor_closed(state, problem, clock),
        // Whoever has closed the archive meanwhile does not want it any more.
        Action::Archive(..) if state.overlay != Some(Overlay::Archive) => Vec::new(),
        Action::Archive(Ok(entries), today) => {
            let (archive, load) = Archive::open(entries, &state.generations, &today);
            state.archive = Some(archive);
            load.map(Effect::ReadArchive).into_iter().collect()
        }
        Action::Archive(Err(why), _) => {
            state.overlay = None;
            state.notice = Some(Notice::Told(why));
            Vec::new()
        }
        Action::Preview(request, preview) => {
            if let Some(archive) = &mut state.archive {
                archive.loaded(request, preview);
            }
            Vec::new()
        }
        Action::Second => second(state),
        Action::Stop => {
            state.stopped = true;
            leave(state)
        }
    }
}

fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    if state.overlay.is_some() {
        return Vec::new();
    }
    state.last_key = Some(state.now);
    match state.pane {
        Pane::Message => {
            state.message.insert(text);
            Vec::new()
        }
        Pane::Editor => match state.editor.paste(text) {
            EditorOutcome::Changed => {
                let mut effects = noted(state);
                effects.extend(review::touched(state));
                effects
            }
            EditorOutcome::Moved | EditorOutcome::Ignored => review::touched(state),
        },
        Pane::Log => review::touched(state),
    }
}

fn wheel(state: &mut State, rows: i64) -> Vec<Effect> {
    match &mut state.overlay {
        Some(Overlay::Help(offset)) => {
            *offset = offset.saturating_add_signed(isize::try_from(rows).unwrap_or(0));
        }
        Some(Overlay::Archive) => {
            if let Some(archive) = &mut state.archive {
                archive.scroll(rows);
            }
        }
        Some(Overlay::Quit | Overlay::Permission(_) | Overlay::Conflict) => {}
        None => state.log.scroll(rows),
    }
    review::touched(state)
}

/// What follows a change of the handoff's text: outside a review it goes into the next document.
fn noted(state: &State) -> Vec<Effect> {
    if state.review.is_none() && state.run == Run::On {
        vec![Effect::Tell(notes(state.editor.undelivered()))]
    } else {
        Vec::new()
    }
}

fn ask(state: &mut State, question: super::action::Question) -> Vec<Effect> {
    state.question = Some((question, state.now));
    if state.pane == Pane::Log && state.overlay.is_none() && quiet(state) {
        state.overlay = Some(Overlay::Permission(state.now + keys::NOBODYS));
    }
    Vec::new()
}

/// Whether nobody has typed for a while.
fn quiet(state: &State) -> bool {
    state
        .last_key
        .is_none_or(|at| state.now.saturating_duration_since(at) >= QUIET)
}

fn ended(state: &mut State, result: &StepResult) -> Vec<Effect> {
    state.run = Run::Ended {
        error: result.failure.as_ref().map(ToString::to_string),
    };
    settle(state);
    review::go_on(state)
}

/// Forgets what only a running run has.
fn settle(state: &mut State) {
    state.doing = None;
    state.writing_since = None;
    state.review = None;
    state.near = false;
    state.gauge.activity = Activity::Working;
    state.question = None;
    if matches!(state.overlay, Some(Overlay::Permission(_) | Overlay::Quit)) {
        state.overlay = None;
    }
    if matches!(state.notice, Some(Notice::Retry { .. })) {
        state.notice = None;
    }
}

fn second(state: &mut State) -> Vec<Effect> {
    if let Some(Notice::Retry { at, .. }) = state.notice
        && state.now >= at
    {
        state.notice = None;
    }
    if let Some(Notice::Swapped { at, .. }) = state.notice
        && state.now.saturating_duration_since(at) >= SWAP_TOLD
    {
        state.notice = None;
    }
    review::second(state)
}

/// Ends when everything is saved and no run is on any more.
fn leave(state: &mut State) -> Vec<Effect> {
    state.leaving = true;
    // Nobody can choose any more: both texts stay.
    for clash in std::mem::take(&mut state.clashes) {
        state.editor.resolve(&clash, Choice::Both);
    }
    let mut effects = keep_draft(state);
    effects.extend(review::go_on(state));
    if state.run == Run::On {
        effects.push(Effect::StopRun);
    }
    effects
}

/// What nobody has got stays for the next time; during a review it goes into the document instead.
fn keep_draft(state: &State) -> Vec<Effect> {
    let written = state.editor.undelivered();
    if written.is_empty() || state.review.is_some() {
        return Vec::new();
    }
    vec![Effect::KeepDraft(written)]
}

/// Gives the keys to a section of the handoff.
fn focus_section(state: &mut State, section: Section) {
    state.pane = Pane::Editor;
    state.editor.focus_section(section);
}
