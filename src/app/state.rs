//! What the screen knows.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ratatui::layout::{Position, Rect};

use super::action::Question;
use super::archive::Archive;
use super::editor::{Clash, Editor};
use super::gauge::Gauge;
use super::log::Log;
use super::message::Message;
use crate::app::layout::{Layout, layout};
use crate::handoff::{DocumentLang, Section};
use crate::runtime::event::GenerationRow;
use crate::texts::Texts;

/// The panes that can have the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The event log.
    Log,
    /// The editor of the five sections.
    Editor,
    /// The message to the agent.
    Message,
}

/// What lies over the panes and gets the keys first.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    /// The keys and what they do, scrolled by rows.
    Help(usize),
    /// The archive.
    Archive,
    /// Whether to end during a run.
    Quit,
    /// A tool that needs permission; keys before this time are nobody's answer.
    Permission(Instant),
    /// The first of the sections that were changed here and on disk.
    Conflict,
}

/// Whether a run is on.
#[derive(Debug, Clone, PartialEq)]
pub enum Run {
    /// There is no task yet.
    Idle,
    /// It works.
    On,
    /// It is over.
    Ended {
        /// Why it is not done; `None` when it is.
        error: Option<String>,
    },
}

/// The time in which a person may change the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// The document on disk.
    pub path: Option<PathBuf>,
    /// When it goes on by itself.
    pub until: Instant,
    /// Length of the countdown.
    pub length: Duration,
    /// Whether the person holds it.
    pub held: bool,
    /// Whether the person was told that something required is missing.
    pub told_incomplete: bool,
    /// Whether the swap follows as soon as the document is saved.
    pub swap_when_saved: bool,
    /// Whether its document has not been shown yet.
    pub fresh: bool,
}

/// Reads and writes of the document that are under way. They overtake each other, so what is read
/// while something is written says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Disk {
    /// Reads.
    pub loads: u32,
    /// Writes.
    pub saves: u32,
    /// Whether the document has to be read once all of them are done.
    pub stale: bool,
    /// Whether the person wants what came since to be written too.
    pub again: bool,
    /// Whether the person's own editor opens once everything is written.
    pub edit: bool,
    /// Whether the program stayed because the text could not be written.
    pub refused: bool,
}

/// Something the now line says until something else happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The successor reads the document.
    Swapped {
        /// Its generation.
        generation: u32,
        /// Lines of the document.
        lines: usize,
        /// SHA-256 of the document, in hex.
        sha256: String,
        /// When.
        at: Instant,
    },
    /// The successor reads the mechanical document, for this reason.
    Degraded(String),
    /// A turn is tried again.
    Retry {
        /// Which attempt comes next.
        attempt: u32,
        /// Attempts allowed.
        max: u32,
        /// When.
        at: Instant,
    },
    /// The review went on without a person.
    TimedOut {
        /// The section that was empty, so that the last complete version was used.
        missing: Option<Section>,
    },
    /// Words for the person.
    Told(String),
}

/// Everything the screen shows.
#[derive(Debug)]
pub struct State {
    /// The words of the interface.
    pub texts: Texts,
    /// Size of the terminal in cells.
    pub size: (u16, u16),
    /// Who has the keys.
    pub pane: Pane,
    /// What lies over the panes.
    pub overlay: Option<Overlay>,
    /// Whether a run is on.
    pub run: Run,
    /// The context gauge.
    pub gauge: Gauge,
    /// The event log.
    pub log: Log,
    /// The handoff.
    pub editor: Editor,
    /// The archive, while it is open.
    pub archive: Option<Archive>,
    /// What the manifest row of this run knows of its generations.
    pub generations: Vec<GenerationRow>,
    /// The message that is being written.
    pub message: Message,
    /// The review, while there is one.
    pub review: Option<Review>,
    /// Since when the handoff is being written.
    pub writing_since: Option<Instant>,
    /// What the agent does right now, and since when.
    pub doing: Option<(String, Instant)>,
    /// Sections changed here and on disk, to be settled.
    pub clashes: Vec<Clash>,
    /// Whether the warn mark was passed in this generation.
    pub near: bool,
    /// What the now line says meanwhile.
    pub notice: Option<Notice>,
    /// The tool call that waits for an answer, and since when.
    pub question: Option<(Question, Instant)>,
    /// The document on disk, once there is one.
    pub document: Option<PathBuf>,
    /// What is being read and written of it.
    pub disk: Disk,
    /// How long a held review lasts untouched.
    pub hold_timeout: Duration,
    /// Number of the run's latest event.
    pub last_seq: u64,
    /// When the last key came.
    pub last_key: Option<Instant>,
    /// When Ctrl-C came last.
    pub last_interrupt: Option<Instant>,
    /// The present, as the last action told it.
    pub now: Instant,
    /// Whether the program is ending.
    pub leaving: bool,
    /// Whether it ends because somebody outside wants it, so that nobody can be asked.
    pub stopped: bool,
}

impl State {
    /// A screen that has just opened.
    pub fn new(
        texts: Texts,
        gauge: Gauge,
        lang: DocumentLang,
        hold_timeout: Duration,
        now: Instant,
    ) -> Self {
        Self {
            log: Log::new(&texts),
            texts,
            size: (0, 0),
            pane: Pane::Log,
            overlay: None,
            run: Run::Idle,
            gauge,
            editor: Editor::new(lang),
            archive: None,
            generations: Vec::new(),
            message: Message::default(),
            review: None,
            writing_since: None,
            doing: None,
            clashes: Vec::new(),
            near: false,
            notice: None,
            question: None,
            document: None,
            disk: Disk::default(),
            hold_timeout,
            last_seq: 0,
            last_key: None,
            last_interrupt: None,
            now,
            leaving: false,
            stopped: false,
        }
    }

    /// Where everything is at the present size.
    pub fn layout(&self) -> Layout {
        layout(Rect::new(0, 0, self.size.0, self.size.1), self.pane)
    }

    /// The pane under a cell.
    pub fn pane_at(&self, column: u16, row: u16) -> Option<Pane> {
        let layout = self.layout();
        let cell = Position { x: column, y: row };
        [
            (layout.log, Pane::Log),
            (layout.editor_with_title(), Pane::Editor),
            (layout.message, Pane::Message),
        ]
        .into_iter()
        .find(|(area, _)| area.contains(cell))
        .map(|(_, pane)| pane)
    }

    /// Tells the panes their size; called after everything that may change it.
    pub fn fit(&mut self) {
        let layout = self.layout();
        self.log.set_size(layout.log.width, layout.log.height);
        let editor = layout.editor_with_title();
        self.editor
            .resize(editor.width, editor.height, layout.is_single());
        if let Some(archive) = &mut self.archive {
            archive.set_size(self.size.0, self.size.1);
        }
    }

    /// The first required section that is empty.
    pub fn missing(&self) -> Option<Section> {
        let document = self.editor.document();
        [Section::Doing, Section::Next]
            .into_iter()
            .find(|section| document.missing().contains(&section.field()))
    }

    /// Whether something moves by the clock, so that the screen has to be drawn each second.
    pub fn ticks(&self) -> bool {
        let waits = matches!(
            self.notice,
            Some(Notice::Retry { .. } | Notice::Swapped { .. })
        );
        self.review.is_some()
            || self.writing_since.is_some()
            || self.question.is_some()
            || waits
            || (self.run == Run::On && self.doing.is_some())
    }
}
