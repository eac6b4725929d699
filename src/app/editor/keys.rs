//! What each key does to the text. Keys go in, and whether they moved the caret, changed the text
//! or are somebody else's comes out.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::area::{Pos, Step};
use super::{Editor, byte_at, cell_of, clean, motion, row_of};
use crate::handoff::Section;

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorOutcome {
    /// Nothing: the key is the app's.
    Ignored,
    /// The text is as it was; caret or selection may be elsewhere.
    Moved,
    /// The text is another.
    Changed,
}

/// A move of the caret inside one section.
#[derive(Debug, Clone, Copy)]
enum Move {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Start,
    End,
}

impl Editor {
    /// Takes a key. Tab, Esc, Ctrl-C and everything with Alt are not the editor's.
    pub fn key(&mut self, key: KeyEvent) -> EditorOutcome {
        let select = key.modifiers.contains(KeyModifiers::SHIFT);
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let others = KeyModifiers::SHIFT | KeyModifiers::CONTROL;
        if key.kind == KeyEventKind::Release || !others.contains(key.modifiers) {
            return EditorOutcome::Ignored;
        }
        match (key.code, ctrl) {
            (KeyCode::Char(c), false) => self.type_char(c),
            (KeyCode::Char(c), true) => self.command(c.to_ascii_lowercase()),
            (KeyCode::Enter, _) => self.insert("\n", Step::Whole),
            (KeyCode::Backspace, false) => self.erase(Move::Left, Step::Erasing),
            (KeyCode::Backspace, true) => self.erase(Move::WordLeft, Step::Whole),
            (KeyCode::Delete, false) => self.erase(Move::Right, Step::Erasing),
            (KeyCode::Delete, true) => self.erase(Move::WordRight, Step::Whole),
            (KeyCode::Left, false) => self.go(Move::Left, select),
            (KeyCode::Right, false) => self.go(Move::Right, select),
            (KeyCode::Left, true) => self.go(Move::WordLeft, select),
            (KeyCode::Right, true) => self.go(Move::WordRight, select),
            (KeyCode::Home, false) => self.go(Move::LineStart, select),
            (KeyCode::End, false) => self.go(Move::LineEnd, select),
            (KeyCode::Home, true) => self.go(Move::Start, select),
            (KeyCode::End, true) => self.go(Move::End, select),
            (KeyCode::Up, _) => self.rows_up(1, select),
            (KeyCode::Down, _) => self.rows_down(1, select),
            (KeyCode::PageUp, _) => self.rows_up(self.page(), select),
            (KeyCode::PageDown, _) => self.rows_down(self.page(), select),
            _ => EditorOutcome::Ignored,
        }
    }

    fn command(&mut self, letter: char) -> EditorOutcome {
        match letter {
            'a' => {
                self.part_mut(self.focus).area.select_all();
                self.moved()
            }
            'x' => self.cut(),
            'v' => {
                let text = std::mem::take(&mut self.buffer);
                let outcome = self.insert(&text, Step::Whole);
                self.buffer = text;
                outcome
            }
            'w' => self.erase(Move::WordLeft, Step::Whole),
            // What a terminal sends for Ctrl-Backspace.
            'h' => self.erase(Move::WordLeft, Step::Whole),
            'z' => self.history(|area| area.undo()),
            'y' => self.history(|area| area.redo()),
            _ => EditorOutcome::Ignored,
        }
    }

    fn type_char(&mut self, c: char) -> EditorOutcome {
        match c {
            '\t' | '\u{1b}' => EditorOutcome::Ignored,
            '\n' | '\r' => self.insert("\n", Step::Whole),
            c => {
                let text = clean(c.encode_utf8(&mut [0; 4]));
                self.insert(&text, Step::Typing)
            }
        }
    }

    fn insert(&mut self, text: &str, step: Step) -> EditorOutcome {
        let section = self.focus;
        if self.part_mut(section).area.insert(text, step) {
            self.changed(section);
            EditorOutcome::Changed
        } else {
            self.moved()
        }
    }

    /// Removes the selection, or what a move would pass over.
    fn erase(&mut self, over: Move, step: Step) -> EditorOutcome {
        let section = self.focus;
        let area = &mut self.part_mut(section).area;
        let caret = area.caret();
        let (from, to, step) = match area.selection() {
            Some((from, to)) => (from, to, Step::Whole),
            None => {
                let other = target(area.lines(), caret, over);
                (caret.min(other), caret.max(other), step)
            }
        };
        if area.replace(from, to, "", step) {
            self.changed(section);
            EditorOutcome::Changed
        } else {
            self.moved()
        }
    }

    fn cut(&mut self) -> EditorOutcome {
        let Some(text) = self.part(self.focus).area.selected() else {
            return EditorOutcome::Moved;
        };
        self.buffer = text;
        self.erase(Move::Left, Step::Whole)
    }

    fn history(&mut self, step: impl Fn(&mut super::area::Area) -> bool) -> EditorOutcome {
        let section = self.focus;
        if step(&mut self.part_mut(section).area) {
            self.changed(section);
            EditorOutcome::Changed
        } else {
            self.moved()
        }
    }

    fn moved(&mut self) -> EditorOutcome {
        self.goal = None;
        self.follow();
        EditorOutcome::Moved
    }

    fn go(&mut self, to: Move, select: bool) -> EditorOutcome {
        let area = &mut self.part_mut(self.focus).area;
        let at = match (area.selection(), to) {
            (Some((from, _)), Move::Left) if !select => from,
            (Some((_, end)), Move::Right) if !select => end,
            _ => target(area.lines(), area.caret(), to),
        };
        area.go(at, select);
        self.moved()
    }

    fn page(&self) -> usize {
        self.body_rows().saturating_sub(2).max(1)
    }

    /// Moves up by rows of the screen; from the first one into the section above.
    fn rows_up(&mut self, count: usize, select: bool) -> EditorOutcome {
        let row = self.caret_row();
        match row.checked_sub(count) {
            Some(row) => self.go_to_row(row, select),
            None if row > 0 => self.go_to_row(0, select),
            None => self.cross(false, select),
        }
    }

    fn rows_down(&mut self, count: usize, select: bool) -> EditorOutcome {
        let row = self.caret_row();
        let last = self.rows(self.focus).len().saturating_sub(1);
        match (row + count).min(last) {
            down if down > row => self.go_to_row(down, select),
            _ => self.cross(true, select),
        }
    }

    fn caret_row(&self) -> usize {
        row_of(self.rows(self.focus), self.caret(self.focus))
    }

    fn goal_cell(&self) -> usize {
        let section = self.focus;
        let caret = self.caret(section);
        self.goal.unwrap_or_else(|| {
            let row = &self.rows(section)[row_of(self.rows(section), caret)];
            let line = &self.lines(section)[caret.line];
            cell_of(row, line, caret.byte, self.text_width())
        })
    }

    /// Goes to a row of the section with the caret, to the cell it comes from.
    fn go_to_row(&mut self, row: usize, select: bool) -> EditorOutcome {
        let cell = self.goal_cell();
        let section = self.focus;
        let row = self.rows(section)[row];
        let byte = byte_at(&row, &self.lines(section)[row.line], cell);
        let area = &mut self.part_mut(section).area;
        area.go(Pos::new(row.line, byte), select);
        self.goal = Some(cell);
        self.follow();
        EditorOutcome::Moved
    }

    /// Goes over the edge of a section; a selection ends there.
    fn cross(&mut self, down: bool, select: bool) -> EditorOutcome {
        let from = self.focus;
        match neighbour(from, if down { 1 } else { -1 }) {
            Some(section) if !select => {
                let cell = self.goal_cell();
                let caret = self.caret(from);
                self.part_mut(from).area.go(caret, false);
                self.focus = section;
                self.goal = Some(cell);
                let last = self.rows(section).len().saturating_sub(1);
                let row = if down { 0 } else { last };
                self.go_to_row(row, false)
            }
            Some(_) | None => {
                let area = &mut self.part_mut(from).area;
                let at = match (select, down) {
                    (false, _) => area.caret(),
                    (true, false) => Pos::default(),
                    (true, true) => area.end(),
                };
                area.go(at, select);
                self.follow();
                EditorOutcome::Moved
            }
        }
    }
}

fn neighbour(section: Section, step: isize) -> Option<Section> {
    let at = (section as usize).checked_add_signed(step)?;
    Section::ALL.get(at).copied()
}

fn target(lines: &[String], at: Pos, to: Move) -> Pos {
    let last = lines.len() - 1;
    match to {
        Move::Left => motion::left(lines, at),
        Move::Right => motion::right(lines, at),
        Move::WordLeft => motion::word_left(lines, at),
        Move::WordRight => motion::word_right(lines, at),
        Move::LineStart => Pos::new(at.line, 0),
        Move::LineEnd => Pos::new(at.line, lines[at.line].len()),
        Move::Start => Pos::default(),
        Move::End => Pos::new(last, lines[last].len()),
    }
}
