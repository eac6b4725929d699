//! Keys and clicks: the top thing first, then commands that work everywhere, then the pane.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;

use super::{Effect, focus_section, leave, noted, review};
use crate::app::archive::Load;
use crate::app::editor::{Choice, EditorOutcome};
use crate::app::keymap::{self, Command, Scroll};
use crate::app::state::{Notice, Overlay, Pane, Run, State};
use crate::handoff::Section;
use crate::runtime::Command as RunCommand;
use crate::tool::PermissionAnswer;

/// Keys in the first moment of a question were meant for something else.
pub(super) const NOBODYS: Duration = Duration::from_millis(400);
/// A second Ctrl-C within this time saves and quits.
const TWICE: Duration = Duration::from_secs(2);

pub(super) fn key(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    state.last_key = Some(state.now);
    read(state);
    if !is_interrupt(key) {
        state.last_interrupt = None;
    }
    let before = state.pane;
    if let Some(overlay) = state.overlay.clone() {
        let mut effects = over(state, key, overlay.clone());
        if matches!(
            overlay,
            Overlay::Help(_) | Overlay::Archive | Overlay::Conflict
        ) && !is_interrupt(key)
        {
            effects.extend(review::touched(state));
        }
        return effects;
    }
    let command = keymap::command(key, before);
    let mut effects = match command {
        Some(command) => obey(state, command),
        None => to_pane(state, key),
    };
    if holds(command, before, state.pane) {
        effects.extend(review::touched(state));
    }
    effects
}

/// What the now line said until a key came was read.
fn read(state: &mut State) {
    match state.notice {
        Some(Notice::Told(_) | Notice::TimedOut { .. } | Notice::Degraded(_)) => {
            state.notice = None;
        }
        Some(Notice::Swapped { .. } | Notice::Retry { .. }) | None => {}
    }
}

/// Whether a key shows that somebody is at the review: every one in log and editor does, but for
/// those that say themselves what becomes of it.
fn holds(command: Option<Command>, before: Pane, after: Pane) -> bool {
    let says = matches!(
        command,
        Some(Command::Swap | Command::HoldOrCount | Command::Interrupt | Command::Repaint)
    );
    !says && (before != Pane::Message || after != Pane::Message)
}

fn is_interrupt(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL
}

fn obey(state: &mut State, command: Command) -> Vec<Effect> {
    match command {
        Command::NextPane => {
            state.pane = match state.pane {
                Pane::Log => Pane::Editor,
                Pane::Editor => Pane::Message,
                Pane::Message => Pane::Log,
            };
            Vec::new()
        }
        Command::PreviousPane => {
            state.pane = match state.pane {
                Pane::Log => Pane::Message,
                Pane::Editor => Pane::Log,
                Pane::Message => Pane::Editor,
            };
            Vec::new()
        }
        Command::Section(section) => {
            focus_section(state, section);
            Vec::new()
        }
        Command::Save => review::save(state),
        Command::Swap => review::swap(state),
        Command::HoldOrCount => review::hold_or_count(state),
        Command::SendCorrection => send_correction(state),
        Command::Interrupt => interrupt(state),
        Command::Message => {
            state.pane = Pane::Message;
            Vec::new()
        }
        Command::ExternalEditor => review::external(state),
        Command::OpenTop => {
            open_top(state);
            Vec::new()
        }
        Command::Archive => {
            state.overlay = Some(Overlay::Archive);
            vec![Effect::ListArchive]
        }
        Command::Help => {
            state.overlay = Some(Overlay::Help(0));
            Vec::new()
        }
        Command::Quit => quit(state),
        Command::Repaint => vec![Effect::Repaint],
        Command::Leave => {
            if state.pane == Pane::Log {
                state.log.end();
            }
            state.pane = Pane::Log;
            Vec::new()
        }
        Command::Scroll(scroll) => {
            match scroll {
                Scroll::Up => state.log.select(-1),
                Scroll::Down => state.log.select(1),
                Scroll::PageUp => state.log.page(-1),
                Scroll::PageDown => state.log.page(1),
                Scroll::Home => state.log.home(),
                Scroll::End => state.log.end(),
            }
            Vec::new()
        }
        Command::Expand => {
            state.log.toggle_expand();
            Vec::new()
        }
    }
}

/// Keys that are no command: text for the pane.
fn to_pane(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    match state.pane {
        Pane::Log => Vec::new(),
        Pane::Editor => match state.editor.key(key) {
            EditorOutcome::Changed => noted(state),
            EditorOutcome::Moved | EditorOutcome::Ignored => Vec::new(),
        },
        Pane::Message if goes_on(state, key) => {
            state.run = Run::On;
            vec![Effect::Start(None)]
        }
        Pane::Message => match state.message.key(key) {
            Some(text) => say(state, text),
            None => Vec::new(),
        },
    }
}

/// Enter without words, before a run: the last session goes on.
fn goes_on(state: &State, key: KeyEvent) -> bool {
    key.code == KeyCode::Enter && state.run != Run::On && state.message.text().trim().is_empty()
}

/// A message: to the running session, or as the next task.
fn say(state: &mut State, text: String) -> Vec<Effect> {
    match state.run {
        Run::On => {
            let waits = state.texts.app.message_waits.clone();
            state.notice = Some(Notice::Told(waits));
            vec![Effect::Tell(RunCommand::Say(text))]
        }
        Run::Idle | Run::Ended { .. } => {
            state.run = Run::On;
            vec![Effect::Start(Some(text))]
        }
    }
}

/// What was written after the swap goes to the running session as words of the person.
fn send_correction(state: &mut State) -> Vec<Effect> {
    let written = state.editor.undelivered();
    if written.is_empty() || state.run != Run::On || state.review.is_some() {
        return Vec::new();
    }
    let lang = state.editor.lang();
    let mut text = state.texts.app.correction.clone();
    for (section, lines) in &written {
        text.push_str(&format!(
            "\n\n## {}\n{}",
            section.heading(lang),
            lines.join("\n")
        ));
    }
    state.editor.sent();
    vec![
        Effect::Tell(RunCommand::Say(text)),
        Effect::Tell(RunCommand::Notes(Vec::new())),
    ]
}

/// Ctrl-C: interrupts the turn; twice within two seconds saves all and quits.
fn interrupt(state: &mut State) -> Vec<Effect> {
    let twice = state
        .last_interrupt
        .is_some_and(|at| state.now.saturating_duration_since(at) < TWICE);
    state.last_interrupt = Some(state.now);
    if twice {
        return leave(state);
    }
    match state.run {
        Run::On => {
            state.notice = Some(Notice::Told(state.texts.app.interrupting.clone()));
            // An interrupted review goes on to its swap; what stands here shall be in it.
            let mut effects = review::save(state);
            effects.push(Effect::Tell(RunCommand::Interrupt));
            effects
        }
        Run::Idle | Run::Ended { .. } => {
            state.notice = Some(Notice::Told(state.texts.app.again_to_quit.clone()));
            Vec::new()
        }
    }
}

/// Opens what the now line speaks of.
fn open_top(state: &mut State) {
    let missing = state.missing().filter(|_| state.review.is_some());
    if state.question.is_some() {
        state.overlay = Some(Overlay::Permission(state.now + NOBODYS));
    } else if !state.clashes.is_empty() {
        state.overlay = Some(Overlay::Conflict);
    } else if let Some(section) = missing {
        focus_section(state, section);
    } else if state.editor.document().degraded() {
        focus_section(state, Section::Deadends);
    }
}

fn quit(state: &mut State) -> Vec<Effect> {
    match state.run {
        Run::On => {
            state.overlay = Some(Overlay::Quit);
            Vec::new()
        }
        Run::Idle | Run::Ended { .. } => leave(state),
    }
}

/// Keys while something lies over the panes.
fn over(state: &mut State, key: KeyEvent, overlay: Overlay) -> Vec<Effect> {
    if is_interrupt(key) {
        return interrupt(state);
    }
    match overlay {
        Overlay::Help(offset) => {
            state.overlay = match key.code {
                KeyCode::Down => Some(Overlay::Help(offset.saturating_add(1))),
                KeyCode::Up => Some(Overlay::Help(offset.saturating_sub(1))),
                _ => None,
            };
            Vec::new()
        }
        Overlay::Archive => in_archive(state, key)
            .map(Effect::ReadArchive)
            .into_iter()
            .collect(),
        Overlay::Conflict => settle_clash(state, key),
        Overlay::Quit => match key.code {
            KeyCode::Char('y' | 'q') => {
                state.overlay = None;
                leave(state)
            }
            KeyCode::Char('n') | KeyCode::Esc => {
                state.overlay = None;
                Vec::new()
            }
            _ => Vec::new(),
        },
        Overlay::Permission(from) => {
            let answer = match key.code {
                // Closing the box answers nothing, so it is never too early.
                KeyCode::Esc => {
                    state.overlay = None;
                    return Vec::new();
                }
                _ if state.now < from => return Vec::new(),
                KeyCode::Char('y') => PermissionAnswer::Once,
                KeyCode::Char('a') => PermissionAnswer::AlwaysPrefix,
                KeyCode::Char('n') => PermissionAnswer::No,
                _ => return Vec::new(),
            };
            state.overlay = None;
            state.question = None;
            vec![Effect::Answer(answer)]
        }
    }
}

/// Keys in the conflict box: one section after the other, and Esc for later.
fn settle_clash(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let choice = match key.code {
        KeyCode::Enter => Choice::Result,
        KeyCode::Char('m') => Choice::Mine,
        KeyCode::Char('t') => Choice::Theirs,
        KeyCode::Char('b') => Choice::Both,
        KeyCode::Esc => {
            state.overlay = None;
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    if !state.clashes.is_empty() {
        let clash = state.clashes.remove(0);
        state.editor.resolve(&clash, choice);
    }
    if state.clashes.is_empty() {
        state.overlay = None;
    }
    noted(state)
}

/// Keys in the archive; a newly selected document has to be read.
fn in_archive(state: &mut State, key: KeyEvent) -> Option<Load> {
    let page = i64::from(state.size.1 / 2);
    let closes = matches!(key.code, KeyCode::Esc | KeyCode::Char('q' | 'a'));
    if closes {
        state.overlay = None;
        state.archive = None;
    }
    let archive = state.archive.as_mut()?;
    match key.code {
        KeyCode::Down => return archive.select(1),
        KeyCode::Up => return archive.select(-1),
        KeyCode::PageDown => archive.scroll(page),
        KeyCode::PageUp => archive.scroll(-page),
        KeyCode::Enter => archive.toggle_reading(),
        _ => {}
    }
    None
}

/// A click gives the keys to what is under it.
pub(super) fn click(state: &mut State, column: u16, row: u16) -> Vec<Effect> {
    if state.overlay.is_some() {
        return Vec::new();
    }
    match state.pane_at(column, row) {
        Some(pane) => {
            state.pane = pane;
            if pane == Pane::Message {
                return Vec::new();
            }
            review::touched(state)
        }
        None => Vec::new(),
    }
}

/// A tool call on one line: what tells most, or all of it.
pub fn call_text(name: &str, input: &Value) -> String {
    let telling = ["command", "path", "file_path", "pattern"]
        .iter()
        .find_map(|key| input.get(key)?.as_str());
    match telling {
        Some(text) if name == "bash" => text.to_owned(),
        Some(text) => format!("{name} {text}"),
        None => name.to_owned(),
    }
}
