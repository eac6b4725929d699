//! The file was changed by somebody else. Their document goes in; what could be put together is,
//! and what was changed on both sides comes out as a question.

use super::diff;
use super::{Editor, area, frame_of, part};
use crate::handoff::{Handoff, Section};
use crate::sanitize::sanitize;

/// What became of somebody else's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenOver {
    /// Nothing was unsaved here: their document is shown. Holds the sections that are new.
    Replaced(Vec<Section>),
    /// No section was changed on both sides. Holds the sections that are theirs; the rest is still
    /// not saved.
    Merged(Vec<Section>),
    /// Some sections were changed on both sides; the others are put together.
    Conflict(Box<Conflict>),
}

/// Sections that were changed on both sides. Until somebody chooses, the editor keeps the person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The document on disk.
    pub theirs: Handoff,
    /// SHA-256 of its file.
    pub sha256: String,
    /// What has to be chosen.
    pub clashes: Vec<Clash>,
}

/// One section that was changed on both sides; texts as they may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// Which one.
    pub section: Section,
    /// The text that both sides started from.
    pub base: String,
    /// The person's text.
    pub mine: String,
    /// The text on disk.
    pub theirs: String,
    /// Both sets of changes together; `None` where they overlap.
    pub merged: Option<String>,
}

/// What to do with a section that was changed on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The changes put together; both sides' lines where they overlap.
    Result,
    /// The person's text.
    Mine,
    /// The text on disk.
    Theirs,
    /// The person's text, and behind it the lines that are new on disk.
    Both,
}

impl Clash {
    /// The text that a choice gives.
    pub fn text(&self, choice: Choice) -> String {
        match choice {
            Choice::Result => self.merged.clone().unwrap_or_else(|| self.both()),
            Choice::Mine => self.mine.clone(),
            Choice::Theirs => self.theirs.clone(),
            Choice::Both => self.both(),
        }
    }

    fn both(&self) -> String {
        let mut lines = area::split(&self.mine);
        let theirs = diff::added(&area::split(&self.base), &area::split(&self.theirs));
        let new = diff::added(&lines, &theirs);
        lines.extend(new);
        lines.join("\n")
    }
}

impl Editor {
    /// Takes a document that somebody else has written to the file. Carets stay at their lines, and
    /// undo leads back to the text before.
    pub fn take_over(&mut self, document: &Handoff, sha256: &str) -> TakenOver {
        let was_dirty = self.dirty();
        let mut replaced = Vec::new();
        let mut clashes = Vec::new();
        self.frame = frame_of(document);
        for section in Section::ALL {
            let raw = document.section(section);
            let theirs = area::split(&sanitize(raw));
            let theirs = part::trimmed(&theirs);
            let part = self.part_mut(section);
            let (mine, base) = (part.lines(), part.saved_lines());
            if theirs != base && mine != theirs {
                if mine == base {
                    part.become_lines(theirs.to_vec());
                    replaced.push(section);
                } else {
                    clashes.push(Clash {
                        section,
                        merged: diff::merge(&base, &mine, theirs).map(|lines| lines.join("\n")),
                        base: base.join("\n"),
                        mine: mine.join("\n"),
                        theirs: theirs.join("\n"),
                    });
                }
            }
            part.on_disk(raw);
            self.refresh(section);
        }
        self.base_sha = Some(sha256.to_owned());
        self.goal = None;
        self.follow();
        if !clashes.is_empty() {
            TakenOver::Conflict(Box::new(Conflict {
                theirs: document.clone(),
                sha256: sha256.to_owned(),
                clashes,
            }))
        } else if was_dirty {
            TakenOver::Merged(replaced)
        } else {
            TakenOver::Replaced(replaced)
        }
    }

    /// Puts the chosen text into a section; one step of undo. What the person has typed since the
    /// question came up is part of the person's text.
    pub fn resolve(&mut self, clash: &Clash, choice: Choice) {
        let part = self.part_mut(clash.section);
        let mine = part.lines();
        let base = area::split(&clash.base);
        let theirs = area::split(&clash.theirs);
        let now = Clash {
            merged: diff::merge(&base, &mine, &theirs).map(|lines| lines.join("\n")),
            mine: mine.join("\n"),
            ..clash.clone()
        };
        let text = now.text(choice);
        if text != now.mine {
            part.become_lines(area::split(&text));
        }
        self.changed(clash.section);
    }
}
