//! Everything that can happen to the screen, and everything it can ask for.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use serde_json::Value;

use super::archive::{Load, Preview};
use crate::handoff::store::{Entry, Loaded};
use crate::handoff::{Handoff, Section};
use crate::runtime::Command;
use crate::runtime::bus::Delta;
use crate::runtime::event::Event;
use crate::runtime::spec::StepResult;
use crate::tool::PermissionAnswer;

/// Something that happened.
#[derive(Debug)]
pub enum Action {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted.
    Paste(String),
    /// The wheel turned over the screen; up is negative.
    Wheel(i64),
    /// A cell was clicked.
    Click(u16, u16),
    /// The terminal has another size, in cells.
    Resize(u16, u16),
    /// The run tells a fact.
    Event(Arc<Event>),
    /// A piece of the answer that is arriving.
    Delta(Delta),
    /// What the person wrote the last time and nobody has got.
    Draft(Box<Handoff>),
    /// Something about the run that is no event.
    Told(String),
    /// Every event of the run was told.
    EventsEnded,
    /// The run is over.
    RunEnded(Box<StepResult>),
    /// The run could not begin, or broke off.
    RunFailed(String),
    /// A tool needs permission.
    Ask(Box<Question>),
    /// The handoff was read from disk.
    Loaded(Result<Box<Loaded>, String>),
    /// The handoff was written, with its SHA-256; `None` when somebody else had changed the file.
    Saved(Box<Handoff>, Result<Option<String>, String>),
    /// The file of the handoff changed, perhaps by this program.
    FileChanged,
    /// The person's editor is closed again; says why it could not run.
    EditorClosed(Option<String>),
    /// The archive was listed, on this day (`YYYYmmdd`).
    Archive(Result<Vec<Entry>, String>, String),
    /// A document of the archive was read: the answer to the request with this number.
    Preview(u64, Result<Preview, String>),
    /// A second has passed.
    Second,
    /// Somebody wants the program to end: a signal, or a terminal that is gone.
    Stop,
}

/// A tool call that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Value,
    /// Why it is asked, and what "always" would permit.
    pub why: String,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Begin a run: with a task, or going on.
    Start(Option<String>),
    /// Tell the run something.
    Tell(Command),
    /// Stop the run at once.
    StopRun,
    /// Read the handoff at this path.
    Load(PathBuf),
    /// Write the handoff of the current step over the one with this SHA-256.
    Save(Box<Handoff>, Option<String>),
    /// Keep what the person wrote and nobody has got, for the next time.
    KeepDraft(Vec<(Section, Vec<String>)>),
    /// Open the person's editor on a file.
    Edit(PathBuf),
    /// List the archive.
    ListArchive,
    /// Read a document of the archive.
    ReadArchive(Load),
    /// Answer the question that waits.
    Answer(PermissionAnswer),
    /// Draw everything anew.
    Repaint,
    /// Leave.
    Quit,
}

/// What the person wrote by section, as the run takes it.
pub fn notes(undelivered: Vec<(Section, Vec<String>)>) -> Command {
    Command::Notes(
        undelivered
            .into_iter()
            .map(|(section, lines)| (section, lines.join("\n")))
            .collect(),
    )
}
