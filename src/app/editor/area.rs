//! One text with a caret, a selection and its undo history. Edits go in as "this range becomes that
//! text"; everything is addressed by line and byte, always on the edge of a grapheme cluster.
//!
//! Every edit costs what it touches, whatever the length of the text or of its lines, and a
//! replaced selection is one step of undo.

use std::collections::VecDeque;

use super::motion;

/// A place in a text: before the byte `byte` of line `line`, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Pos {
    /// Line, from 0.
    pub line: usize,
    /// Byte in the line; always the edge of a grapheme cluster.
    pub byte: usize,
}

impl Pos {
    pub(super) fn new(line: usize, byte: usize) -> Self {
        Self { line, byte }
    }

    /// Where a text that starts here ends.
    fn after(self, text: &str) -> Self {
        match text.rfind('\n') {
            None => Self::new(self.line, self.byte + text.len()),
            Some(at) => {
                let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
                Self::new(self.line + breaks, text.len() - at - 1)
            }
        }
    }
}

/// How an edit joins the one before it in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Characters typed one after the other: undone word by word.
    Typing,
    /// Characters removed one after the other.
    Erasing,
    /// Undone by itself.
    Whole,
}

#[derive(Debug, Clone)]
struct Edit {
    at: Pos,
    removed: String,
    inserted: String,
    caret_before: Pos,
    step: Step,
}

impl Edit {
    fn bytes(&self) -> usize {
        self.removed.len() + self.inserted.len() + std::mem::size_of::<Self>()
    }

    /// Takes in an edit that goes on where this one stopped; gives it back when it does not.
    fn join(&mut self, next: Edit) -> Option<Edit> {
        let same = self.step == next.step && self.bytes() < RUN_BYTES;
        match next.step {
            Step::Typing
                if same
                    && next.removed.is_empty()
                    && self.at.after(&self.inserted) == next.at
                    && !starts_word(&self.inserted, &next.inserted) =>
            {
                self.inserted.push_str(&next.inserted);
                None
            }
            Step::Erasing if same && next.at.after(&next.removed) == self.at => {
                self.removed.insert_str(0, &next.removed);
                self.at = next.at;
                None
            }
            Step::Erasing if same && next.at == self.at => {
                self.removed.push_str(&next.removed);
                None
            }
            Step::Typing | Step::Erasing | Step::Whole => Some(next),
        }
    }
}

/// Whether `next` begins a word that `before` did not.
fn starts_word(before: &str, next: &str) -> bool {
    let last = before.chars().next_back().is_none_or(char::is_alphanumeric);
    !last && next.chars().next().is_some_and(char::is_alphanumeric)
}

/// The longest run of single keys that is one step, in bytes: undo should not take a page at once.
const RUN_BYTES: usize = 1024;

/// What one section's history may hold, in bytes; the oldest steps go first. A hundred pastes of
/// half a megabyte.
const HISTORY_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
struct History {
    done: VecDeque<Edit>,
    undone: Vec<Edit>,
    bytes: usize,
    /// Whether the next key may join the last step.
    open: bool,
}

impl History {
    fn push(&mut self, edit: Edit) {
        self.undone.clear();
        let open = std::mem::replace(&mut self.open, true);
        let left = match self.done.back_mut() {
            Some(last) if open => {
                self.bytes = self.bytes.saturating_sub(last.bytes());
                let left = last.join(edit);
                self.bytes += last.bytes();
                left
            }
            Some(_) | None => Some(edit),
        };
        if let Some(edit) = left {
            self.bytes += edit.bytes();
            self.done.push_back(edit);
        }
        while self.bytes > HISTORY_BYTES && self.done.len() > 1 {
            if let Some(oldest) = self.done.pop_front() {
                self.bytes = self.bytes.saturating_sub(oldest.bytes());
            }
        }
    }
}

/// A text with a caret.
#[derive(Debug, Clone)]
pub(super) struct Area {
    /// Never empty: an empty text is one empty line.
    lines: Vec<String>,
    caret: Pos,
    anchor: Option<Pos>,
    history: History,
}

impl Area {
    pub(super) fn new(text: &str) -> Self {
        Self {
            lines: split(text),
            caret: Pos::default(),
            anchor: None,
            history: History::default(),
        }
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub(super) fn caret(&self) -> Pos {
        self.caret
    }

    pub(super) fn end(&self) -> Pos {
        let line = self.lines.len() - 1;
        Pos::new(line, self.lines[line].len())
    }

    /// Start and end of what is selected; `None` when nothing is.
    pub(super) fn selection(&self) -> Option<(Pos, Pos)> {
        let anchor = self.anchor.filter(|anchor| *anchor != self.caret)?;
        Some((anchor.min(self.caret), anchor.max(self.caret)))
    }

    pub(super) fn selected(&self) -> Option<String> {
        let (from, to) = self.selection()?;
        if from.line == to.line {
            return Some(self.lines[from.line][from.byte..to.byte].to_owned());
        }
        let mut text = self.lines[from.line][from.byte..].to_owned();
        for line in &self.lines[from.line + 1..to.line] {
            text.push('\n');
            text.push_str(line);
        }
        text.push('\n');
        text.push_str(&self.lines[to.line][..to.byte]);
        Some(text)
    }

    pub(super) fn select_all(&mut self) {
        self.history.open = false;
        self.anchor = Some(Pos::default());
        self.caret = self.end();
    }

    /// Moves the caret; `select` keeps or starts a selection.
    pub(super) fn go(&mut self, to: Pos, select: bool) {
        self.history.open = false;
        self.anchor = match (select, self.anchor) {
            (true, None) => Some(self.caret),
            (true, anchor) => anchor,
            (false, _) => None,
        };
        self.caret = self.snap(to);
    }

    /// The place itself, or the next edge of a cluster inside the text.
    fn snap(&self, to: Pos) -> Pos {
        let line = to.line.min(self.lines.len() - 1);
        Pos::new(line, motion::snap(&self.lines[line], to.byte))
    }

    /// Puts a text at the caret, in place of the selection. Says whether anything changed.
    pub(super) fn insert(&mut self, text: &str, step: Step) -> bool {
        let (from, to) = self.selection().unwrap_or((self.caret, self.caret));
        self.replace(from, to, text, step)
    }

    /// Puts a text between two places. Says whether anything changed.
    pub(super) fn replace(&mut self, from: Pos, to: Pos, text: &str, step: Step) -> bool {
        self.anchor = None;
        if from == to && text.is_empty() {
            return false;
        }
        let caret_before = self.caret;
        let removed = self.splice(from, to, text);
        self.caret = self.snap(from.after(text));
        self.history.push(Edit {
            at: from,
            removed,
            inserted: text.to_owned(),
            caret_before,
            step,
        });
        true
    }

    pub(super) fn undo(&mut self) -> bool {
        let Some(edit) = self.history.done.pop_back() else {
            return false;
        };
        self.history.open = false;
        self.history.bytes = self.history.bytes.saturating_sub(edit.bytes());
        self.anchor = None;
        self.splice(edit.at, edit.at.after(&edit.inserted), &edit.removed);
        self.caret = self.snap(edit.caret_before);
        self.history.undone.push(edit);
        true
    }

    pub(super) fn redo(&mut self) -> bool {
        let Some(edit) = self.history.undone.pop() else {
            return false;
        };
        self.history.open = false;
        self.history.bytes += edit.bytes();
        self.anchor = None;
        self.splice(edit.at, edit.at.after(&edit.removed), &edit.inserted);
        self.caret = self.snap(edit.at.after(&edit.inserted));
        self.history.done.push_back(edit);
        true
    }

    /// Whether no step of undo or redo is kept.
    pub(super) fn untouched(&self) -> bool {
        self.history.done.is_empty() && self.history.undone.is_empty()
    }

    /// Puts whole lines in front without a step of undo: caret, selection and history move along.
    pub(super) fn put_before(&mut self, lines: Vec<String>) {
        let down = lines.len();
        self.lines.splice(0..0, lines);
        self.caret.line += down;
        if let Some(anchor) = &mut self.anchor {
            anchor.line += down;
        }
        let steps = self.history.done.iter_mut();
        for edit in steps.chain(&mut self.history.undone) {
            edit.at.line += down;
            edit.caret_before.line += down;
        }
    }

    /// Puts whole lines behind without a step of undo.
    pub(super) fn put_after(&mut self, lines: Vec<String>) {
        self.lines.extend(lines);
    }

    fn splice(&mut self, from: Pos, to: Pos, text: &str) -> String {
        let tail = self.lines[to.line].split_off(to.byte);
        let mut removed = self.lines[from.line].split_off(from.byte);
        for line in self.lines.drain(from.line + 1..to.line + 1) {
            removed.push('\n');
            removed.push_str(&line);
        }
        let mut pieces = text.split('\n');
        let first = pieces.next().unwrap_or_default();
        self.lines[from.line].push_str(first);
        let mut last = from.line;
        let more: Vec<String> = pieces.map(str::to_owned).collect();
        last += more.len();
        self.lines.splice(from.line + 1..from.line + 1, more);
        self.lines[last].push_str(&tail);
        removed
    }
}

pub(super) fn split(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_owned).collect()
}
