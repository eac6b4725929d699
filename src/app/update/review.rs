//! The review: countdown, hold, saving, swapping, and the file on disk, which is the truth.

use std::time::Duration;

use super::{Effect, focus_section, quiet};
use crate::app::editor::{Choice, TakenOver};
use crate::app::log::{Document, Kind};
use crate::app::state::{Notice, Pane, Review, Run, State};
use crate::handoff::store::Loaded;
use crate::handoff::{Handoff, Section};
use crate::runtime::Command;

/// Before a held review goes on by itself, what is unsaved is saved.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// The review begins: the document is on disk.
pub(super) fn begin(
    state: &mut State,
    path: Option<std::path::PathBuf>,
    deadline_s: u64,
    clock: &str,
) -> Vec<Effect> {
    let length = Duration::from_secs(deadline_s);
    state.writing_since = None;
    state.document.clone_from(&path);
    state.review = Some(Review {
        path,
        until: state.now + length,
        length,
        held: length >= state.hold_timeout,
        told_incomplete: false,
        swap_when_saved: false,
        fresh: true,
    });
    state.clashes.clear();
    state.notice = None;
    state.gauge.activity = crate::app::gauge::Activity::Reviewing;
    match state.pane {
        Pane::Log if quiet(state) => focus_section(state, Section::Deadends),
        Pane::Editor => {}
        // Whoever is busy elsewhere is not pulled away, but told the way.
        Pane::Log | Pane::Message => {
            state
                .log
                .note(Kind::Notice, &state.texts.app.review_elsewhere, clock);
        }
    }
    reload(state)
}

/// The document was read.
pub(super) fn loaded(
    state: &mut State,
    loaded: Result<Box<Loaded>, String>,
    clock: &str,
) -> Vec<Effect> {
    state.disk.loads = state.disk.loads.saturating_sub(1);
    if state.disk.saves > 0 || state.disk.stale {
        state.disk.stale = true;
        return go_on(state);
    }
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(why) => {
            state.log.note(Kind::Error, &why, clock);
            // Asking again at once would ask for ever.
            state.disk.refused = state.leaving;
            state.disk.again = false;
            if let Some(review) = &mut state.review {
                review.swap_when_saved = false;
            }
            return go_on(state);
        }
    };
    let document = Document {
        lines: loaded.bytes.iter().filter(|byte| **byte == b'\n').count(),
        changed: None,
    };
    state.log.describe(&loaded.sha256, document);
    let fresh = state
        .review
        .as_mut()
        .is_some_and(|review| std::mem::take(&mut review.fresh));
    if fresh || state.editor.base_sha().is_none() {
        take_in(state, &loaded.handoff, &loaded.sha256);
        // Whoever typed lately went to the editor and was not brought there.
        if quiet(state) {
            state.editor.to_end();
        }
    } else if state.editor.base_sha() != Some(loaded.sha256.as_str()) {
        match state.editor.take_over(&loaded.handoff, &loaded.sha256) {
            TakenOver::Replaced(_) | TakenOver::Merged(_) => state.clashes.clear(),
            TakenOver::Conflict(conflict) => state.clashes = conflict.clashes,
        }
    }
    go_on(state)
}

/// What waits for the disk goes on once nothing is being written: all text is saved first.
pub(super) fn go_on(state: &mut State) -> Vec<Effect> {
    let reading = state.disk.loads > 0;
    if state.disk.saves > 0 || reading && is_fresh(state) {
        return Vec::new();
    }
    if state.disk.stale && !reading {
        state.disk.stale = false;
        return reload(state);
    }
    let swaps = state
        .review
        .as_ref()
        .is_some_and(|review| review.swap_when_saved);
    let disk = state.disk;
    let leaves = state.leaving && !disk.refused;
    let wanted = disk.again || disk.edit || swaps || leaves;
    if wanted && state.clashes.is_empty() && can_save(state) {
        return write(state);
    }
    state.disk.again = false;
    let mut effects = Vec::new();
    if std::mem::take(&mut state.disk.edit)
        && let Some(path) = &state.document
    {
        effects.push(Effect::Edit(path.clone()));
    }
    if let Some(review) = &mut state.review
        && std::mem::take(&mut review.swap_when_saved)
        && state.clashes.is_empty()
    {
        effects.push(Effect::Tell(Command::Go));
    }
    if state.leaving && state.run != Run::On {
        effects.push(Effect::Quit);
    }
    effects
}

/// Shows a new document. What the person wrote meanwhile is in it, or stands behind it, unsaved.
pub(super) fn take_in(state: &mut State, document: &Handoff, sha256: &str) {
    state.editor.merge_into(&mut document.clone());
    state.editor.load(document, sha256);
}

/// A key, a paste, a click or the wheel came: during a review that holds the countdown.
pub(super) fn touched(state: &mut State) -> Vec<Effect> {
    let Some(review) = &mut state.review else {
        return Vec::new();
    };
    review.held = true;
    review.until = state.now + state.hold_timeout;
    review.told_incomplete = false;
    state.gauge.activity = crate::app::gauge::Activity::Held;
    vec![Effect::Tell(Command::Hold)]
}

/// Hold, or count down again.
pub(super) fn hold_or_count(state: &mut State) -> Vec<Effect> {
    match &mut state.review {
        Some(review) if review.held && review.length < state.hold_timeout => {
            review.held = false;
            review.until = state.now + review.length;
            state.gauge.activity = crate::app::gauge::Activity::Reviewing;
            vec![Effect::Tell(Command::Recount)]
        }
        Some(_) => touched(state),
        None => Vec::new(),
    }
}

/// Whether the document of the review that has begun is still to be shown.
fn is_fresh(state: &State) -> bool {
    state.review.as_ref().is_some_and(|review| review.fresh)
}

/// Whether there is something to write, and a file for it.
fn can_save(state: &State) -> bool {
    let file = state.document.is_some() && state.editor.base_sha().is_some();
    file && !is_fresh(state) && state.editor.dirty()
}

/// Ctrl-S.
pub(super) fn save(state: &mut State) -> Vec<Effect> {
    if state.disk.saves > 0 || is_fresh(state) {
        // What the disk will hold is not known yet; what is new is written after it.
        state.disk.again = true;
        return Vec::new();
    }
    if can_save(state) {
        write(state)
    } else {
        Vec::new()
    }
}

/// Writes the document. Where both sides changed a section and nobody has chosen, the file keeps
/// what it holds.
fn write(state: &mut State) -> Vec<Effect> {
    let mut document = state.editor.document();
    for clash in &state.clashes {
        document
            .section_mut(clash.section)
            .clone_from(&clash.theirs);
    }
    state.disk.again = false;
    state.disk.saves += 1;
    state.disk.stale |= state.disk.loads > 0;
    let base = state.editor.base_sha().map(str::to_owned);
    vec![Effect::Save(Box::new(document), base)]
}

/// Ctrl-G: at once, but never over an empty required section or an unsettled conflict unasked.
pub(super) fn swap(state: &mut State) -> Vec<Effect> {
    let missing = state.missing().filter(|_| !is_fresh(state));
    let unsettled = !state.clashes.is_empty();
    let Some(review) = &state.review else {
        return Vec::new();
    };
    if (missing.is_some() || unsettled) && !review.told_incomplete {
        let effects = touched(state);
        if let Some(review) = &mut state.review {
            review.told_incomplete = true;
        }
        return effects;
    }
    for clash in std::mem::take(&mut state.clashes) {
        state.editor.resolve(&clash, Choice::Result);
    }
    if let Some(review) = &mut state.review {
        review.swap_when_saved = true;
    }
    go_on(state)
}

/// The document was written, or was not.
pub(super) fn saved(
    state: &mut State,
    document: &Handoff,
    saved: Result<Option<String>, String>,
    clock: &str,
) -> Vec<Effect> {
    state.disk.saves = state.disk.saves.saturating_sub(1);
    match saved {
        Ok(Some(sha256)) => {
            state.editor.saved(document, &sha256);
            state.disk.refused = false;
        }
        // Somebody else wrote meanwhile: their text is read and put beside ours.
        Ok(None) => state.disk.stale = true,
        Err(why) => {
            state.log.note(Kind::Error, &why, clock);
            state.notice = Some(Notice::Told(why));
            state.disk.again = false;
            state.disk.edit = false;
            if let Some(review) = &mut state.review {
                review.swap_when_saved = false;
            }
            // Nobody leaves text behind unasked; a second wish to leave does.
            state.disk.refused = state.leaving;
            state.leaving &= state.stopped;
        }
    }
    go_on(state)
}

/// The file changed on disk; whether by somebody else is told by its hash.
pub(super) fn file_changed(state: &mut State) -> Vec<Effect> {
    if state.review.is_some() {
        reload(state)
    } else {
        Vec::new()
    }
}

/// The person's own editor is closed.
pub(super) fn editor_closed(
    state: &mut State,
    problem: Option<String>,
    clock: &str,
) -> Vec<Effect> {
    if let Some(why) = problem {
        state.log.note(Kind::Error, &why, clock);
        state.notice = Some(Notice::Told(why));
    }
    let mut effects = touched(state);
    effects.extend(reload(state));
    effects.push(Effect::Repaint);
    effects
}

/// F4: the person's own editor on the file, once what is unsaved is in it; holds the review.
pub(super) fn external(state: &mut State) -> Vec<Effect> {
    if state.document.is_none() {
        state.notice = Some(Notice::Told(state.texts.app.no_document.clone()));
        return Vec::new();
    }
    state.disk.edit = true;
    go_on(state)
}

fn reload(state: &mut State) -> Vec<Effect> {
    let Some(path) = state.document.clone() else {
        return Vec::new();
    };
    if state.disk.saves > 0 || state.disk.loads > 0 {
        state.disk.stale = true;
        return Vec::new();
    }
    state.disk.loads += 1;
    vec![Effect::Load(path)]
}

/// A second has passed.
pub(super) fn second(state: &mut State) -> Vec<Effect> {
    let Some(review) = &state.review else {
        return Vec::new();
    };
    let left = review.until.saturating_duration_since(state.now);
    if left <= LAST_MOMENT && state.run == Run::On && can_save(state) {
        return save(state);
    }
    Vec::new()
}
