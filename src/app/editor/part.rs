//! One section of the document: its text, what is on disk, what the session wrote, and what of it
//! comes from the person.

use super::area::{Area, Pos, Step, split};
use super::diff;
use super::wrap::{self, Row};
use crate::handoff::Section;
use crate::sanitize::sanitize;
use crate::tokens;

/// Facts about a section's text, kept up to date so that drawing costs no second look at it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Places changed since the text was last on disk.
    pub unsaved: usize,
    /// For each line, whether the person wrote it and no successor has got it.
    pub own: Vec<bool>,
    /// Number of those lines that are not blank.
    pub own_lines: usize,
    /// List items, or lines where there is no list; in the scene, pointers (two blanks divide them).
    pub items: usize,
    /// Estimated tokens.
    pub tokens: u64,
    /// Whether there is nothing but blanks.
    pub empty: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Part {
    section: Section,
    pub(super) area: Area,
    /// The text on disk to the letter.
    raw: String,
    /// The same as the editor shows it, line by line.
    saved: Vec<String>,
    /// What the session wrote or got: lines beside these are the person's.
    origin: Vec<String>,
    /// The person's lines as they went into the document that is being written.
    taken: Vec<String>,
    facts: Facts,
    rows: Vec<Row>,
    /// First row seen when the text does not fit.
    pub(super) top: usize,
}

impl Part {
    pub(super) fn new(section: Section, width: usize) -> Self {
        let mut part = Self {
            section,
            area: Area::new(""),
            raw: String::new(),
            saved: split(""),
            origin: Vec::new(),
            taken: Vec::new(),
            facts: Facts::default(),
            rows: Vec::new(),
            top: 0,
        };
        part.refresh(width);
        part
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Looks at the text again after it or the width has changed.
    pub(super) fn refresh(&mut self, width: usize) {
        let lines = self.area.lines();
        self.rows = wrap::wrap_rows(lines, width);
        let mut own = vec![false; lines.len()];
        for change in diff::changes(&self.origin, lines) {
            own[change.new].fill(true);
        }
        let written = |line: &&String| !line.trim().is_empty();
        self.facts = Facts {
            unsaved: diff::changes(trimmed(&self.saved), trimmed(lines)).len(),
            own_lines: lines
                .iter()
                .zip(&own)
                .filter(|(line, own)| **own && written(line))
                .count(),
            own,
            items: items(self.section, lines),
            tokens: tokens::estimate(&self.area.text()),
            empty: !lines.iter().any(|line| !line.trim().is_empty()),
        };
    }

    /// The text as it goes into the document: to the letter what was loaded when nobody changed it.
    pub(super) fn body(&self) -> String {
        if self.facts.unsaved == 0 {
            return self.raw.clone();
        }
        trimmed(self.area.lines()).join("\n")
    }

    /// The person's lines that no successor has got, without blank ones at both ends.
    pub(super) fn notes(&self) -> Vec<String> {
        let added = diff::added(&self.origin, self.area.lines());
        trimmed(&added).to_vec()
    }

    /// Remembers the notes as given to the document that is being written.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        self.taken = self.notes();
        self.taken.clone()
    }

    /// Takes the text of a document that was just written, and puts what the person has written
    /// since behind it.
    pub(super) fn load(&mut self, raw: &str) {
        let saved = split(&sanitize(raw));
        let written = trimmed(&saved);
        let taken = match self.taken.len() {
            0 => None,
            lines => written.windows(lines).rposition(|some| some == self.taken),
        };
        match taken {
            Some(at) => {
                let (before, after) = (&written[..at], &written[at + self.taken.len()..]);
                if self.origin.is_empty() && !self.facts.empty {
                    // Nothing but notes: they stay where the caret and the history know them.
                    self.area.put_before(before.to_vec());
                    self.area.put_after(after.to_vec());
                } else {
                    let lines = [before, self.notes().as_slice(), after].concat();
                    self.become_lines(lines);
                }
                self.origin = [before, after].concat();
            }
            None => self.load_beside_notes(written.to_vec()),
        }
        self.raw = raw.to_owned();
        self.taken.clear();
        self.saved = saved;
    }

    /// The same where the notes do not stand in the document as one piece: those it has are found
    /// line by line, the others follow its text.
    fn load_beside_notes(&mut self, written: Vec<String>) {
        let mut model = written.clone();
        let mut missing = Vec::new();
        for note in self.notes() {
            match model.iter().rposition(|line| *line == note) {
                Some(at) if !note.trim().is_empty() => {
                    model.remove(at);
                }
                Some(_) | None => missing.push(note),
            }
        }
        let missing = trimmed(&missing);
        if self.origin.is_empty() && !self.facts.empty && model.len() == written.len() {
            self.area.put_before(written);
        } else {
            self.become_lines([written.as_slice(), missing].concat());
        }
        self.origin = model;
    }

    /// Replaces the text; the caret stays at its line where that is still there. One step of undo,
    /// none when nothing was edited so far.
    pub(super) fn become_lines(&mut self, lines: Vec<String>) {
        let old = self.area.lines();
        let caret = self.area.caret();
        let changes = diff::changes(old, &lines);
        let line = diff::follow(&changes, caret.line, lines.len());
        let same = lines.get(line) == old.get(caret.line);
        let byte = if same { caret.byte } else { 0 };
        let text = lines.join("\n");
        if self.area.untouched() {
            self.area = Area::new(&text);
        } else if !changes.is_empty() {
            let end = self.area.end();
            self.area.replace(Pos::default(), end, &text, Step::Whole);
        }
        self.area.go(Pos::new(line, byte), false);
    }

    pub(super) fn lines(&self) -> Vec<String> {
        trimmed(self.area.lines()).to_vec()
    }

    pub(super) fn saved_lines(&self) -> Vec<String> {
        trimmed(&self.saved).to_vec()
    }

    /// Notes what is on disk now.
    pub(super) fn on_disk(&mut self, raw: &str) {
        raw.clone_into(&mut self.raw);
        self.saved = split(&sanitize(raw));
    }

    /// Notes what the successor has got.
    pub(super) fn delivered(&mut self, raw: &str) {
        let lines = split(&sanitize(raw));
        self.origin = trimmed(&lines).to_vec();
        self.taken.clear();
    }

    /// Notes that the successor has got everything that stands here.
    pub(super) fn sent(&mut self) {
        self.origin = self.lines();
    }
}

fn items(section: Section, lines: &[String]) -> usize {
    let listed = |line: &&String| {
        let text = line.trim();
        let marker = wrap::marker(text);
        marker > 0 && text.len() > marker
    };
    let pointers = |line: &String| {
        line.split("  ")
            .filter(|piece| !piece.trim().is_empty())
            .count()
    };
    match lines.iter().filter(listed).count() {
        0 if section == Section::Scene => lines.iter().map(pointers).sum(),
        0 => lines.iter().filter(|line| !line.trim().is_empty()).count(),
        listed => listed,
    }
}

/// Lines without the blank ones at both ends, which no document keeps.
pub(super) fn trimmed(lines: &[String]) -> &[String] {
    let blank = |line: &String| line.trim().is_empty();
    let start = lines.iter().take_while(|line| blank(line)).count();
    let end = lines.iter().rev().take_while(|line| blank(line)).count();
    lines.get(start..lines.len() - end).unwrap_or(&[])
}
