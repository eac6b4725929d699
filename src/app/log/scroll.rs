//! Which part of the log is seen. In go sizes, keys and what changed; out comes the first row that is
//! shown, as an entry and a row in it, so that neither new entries nor evicted ones move what is read.

use super::Log;
use super::entry::Entry;
use super::rows::{self, Columns, Row};

/// A row of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The entry.
    pub(super) id: u64,
    /// The row in it, from 0.
    pub(super) row: usize,
}

/// What the pane holds on to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// The end, whatever comes.
    End,
    /// This row at the top.
    Top(Anchor),
}

impl Log {
    /// Sets the size of the pane below its title, in cells.
    pub fn set_size(&mut self, width: u16, height: u16) {
        if self.columns.width == width && self.height == height {
            return;
        }
        if let Hold::Top(anchor) = self.hold {
            let row = self.rows_of(anchor.id).get(anchor.row).copied();
            let here = row.map(|row| (anchor.id, row.key()));
            self.reading = self.reading.filter(|(id, _)| *id == anchor.id).or(here);
        }
        self.columns = Columns::new(width, &self.texts.log.kinds);
        self.height = height;
        if let (Hold::Top(_), Some((id, key))) = (self.hold, self.reading) {
            let rows = self.rows_of(id);
            let row = rows.partition_point(|row| row.key() <= key);
            let row = row.saturating_sub(1);
            self.hold = Hold::Top(Anchor { id, row });
        }
        self.settle();
    }

    /// Moves by rows; negative goes up. Reaching the end follows it again.
    pub fn scroll(&mut self, rows: i64) {
        let distance = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        let target = if rows < 0 {
            self.above(self.top, distance)
        } else {
            self.below(self.top, distance)
        };
        self.hold_at(target);
    }

    /// Moves by pages less one row; negative goes up.
    pub fn page(&mut self, pages: i32) {
        let step = i64::from(self.height.saturating_sub(1).max(1));
        self.scroll(step * i64::from(pages));
    }

    /// Goes to the oldest entry.
    pub fn home(&mut self) {
        self.hold_at(Anchor {
            id: self.first_id(),
            row: 0,
        });
    }

    /// Goes to the end and follows it.
    pub fn end(&mut self) {
        self.hold = Hold::End;
        self.selected = None;
        self.settle();
    }

    /// Whether the end is shown and followed.
    pub fn is_following(&self) -> bool {
        self.hold == Hold::End
    }

    /// Entries that came since the end was left and have not been in sight.
    pub fn unseen(&self) -> u64 {
        self.next_id.saturating_sub(self.seen_to)
    }

    /// The entry the keys act on.
    pub fn selected(&self) -> Option<u64> {
        self.selected
    }

    /// Selects the entry so many further down, negative up, and brings it into sight.
    pub fn select(&mut self, step: i64) {
        if self.entries.is_empty() {
            return;
        }
        let from = self.selected.filter(|id| *id >= self.first_id());
        let id = match from {
            Some(id) => id.saturating_add_signed(step),
            None if step < 0 => self.last_visible().unwrap_or(self.top.id),
            None => self.top.id,
        };
        let id = id.clamp(self.first_id(), self.last_id());
        self.selected = Some(id);
        let rows = self.rows_of(id).len();
        let page = usize::from(self.height);
        // The rows from the top of the pane to the end of the entry, as far as they fit.
        let needed = if (id, 0) < (self.top.id, self.top.row) {
            None
        } else {
            self.rows_between(self.top, Anchor { id, row: 0 }, page)
                .map(|before| before + rows)
        };
        match needed {
            Some(needed) if needed <= page => {}
            Some(_) | None if rows >= page || id <= self.top.id => {
                self.hold_at(Anchor { id, row: 0 });
            }
            Some(_) | None => {
                let top = self.above(Anchor { id, row: 0 }, page - rows);
                self.hold_at(top);
            }
        }
    }

    /// Selects the entry that is drawn in a row of the pane, from 0; returns whether there is one.
    pub fn select_row(&mut self, row: u16) -> bool {
        let found = self.visible().nth(usize::from(row));
        let id = found.map(|(entry, _)| entry.id());
        self.selected = id.or(self.selected);
        id.is_some()
    }

    /// Shows everything of the selected entry, or folds it again; without a selection, of the last
    /// entry in sight that has more to show.
    pub fn toggle_expand(&mut self) {
        let selected = self.selected.filter(|id| *id >= self.first_id());
        let Some(id) = selected.or_else(|| self.last_folded_in_sight()) else {
            return;
        };
        let top = self.top;
        if let Some(entry) = self.entry_mut(id) {
            entry.expanded = !entry.expanded;
            entry.layout = None;
        }
        // What is read stays where it is, unless it was just folded away.
        let row = if top.id == id {
            top.row.min(self.rows_of(id).len().saturating_sub(1))
        } else {
            top.row
        };
        self.hold_at(Anchor { id: top.id, row });
    }

    /// The rows in sight, from the top of the pane down.
    pub fn visible(&self) -> impl Iterator<Item = (&Entry, Row)> {
        let top = self.top;
        let from = self.index_of(top.id).unwrap_or(0);
        self.entries
            .iter()
            .skip(from)
            .flat_map(move |entry| {
                let skipped = if entry.id == top.id { top.row } else { 0 };
                let rows = entry.layout.as_ref().map_or(&[][..], |(_, rows)| rows);
                rows.iter().skip(skipped).map(move |row| (entry, *row))
            })
            .take(usize::from(self.height))
    }

    /// Brings the first row in sight in line with what is held on to. Called after every change.
    pub(super) fn settle(&mut self) {
        let page = usize::from(self.height);
        if self.entries.is_empty() {
            self.top = Anchor {
                id: self.first_id(),
                row: 0,
            };
            self.seen_to = self.next_id;
            return;
        }
        if let Hold::Top(anchor) = self.hold {
            let anchor = self.clamped(anchor);
            self.hold = Hold::Top(anchor);
            self.top = anchor;
            // As soon as the end is in sight there is nothing to hold.
            if self.rows_from(anchor, page + 1) <= page {
                self.hold = Hold::End;
            }
        }
        if self.hold == Hold::End {
            let last = self.last_id();
            let rows = self.rows_of(last).len();
            self.top = self.above(
                Anchor {
                    id: last,
                    row: rows,
                },
                page,
            );
            self.seen_to = self.next_id;
        } else if let Some(last) = self.last_visible() {
            self.seen_to = self.seen_to.max(last + 1);
        }
    }

    fn hold_at(&mut self, anchor: Anchor) {
        self.hold = Hold::Top(anchor);
        self.reading = None;
        self.settle();
    }

    fn clamped(&mut self, anchor: Anchor) -> Anchor {
        if anchor.id < self.first_id() {
            return Anchor {
                id: self.first_id(),
                row: 0,
            };
        }
        let id = anchor.id.min(self.last_id());
        let last_row = self.rows_of(id).len().saturating_sub(1);
        Anchor {
            id,
            row: anchor.row.min(last_row),
        }
    }

    /// The row so many rows above another, or the first one.
    fn above(&mut self, from: Anchor, rows: usize) -> Anchor {
        let mut id = from.id;
        let mut row = from.row;
        let mut left = rows;
        while left > row {
            if id <= self.first_id() {
                return Anchor { id, row: 0 };
            }
            left -= row;
            id -= 1;
            row = self.rows_of(id).len();
        }
        Anchor {
            id,
            row: row - left,
        }
    }

    /// The row so many rows below another, or the last one.
    fn below(&mut self, from: Anchor, rows: usize) -> Anchor {
        let mut id = from.id;
        let mut row = from.row.saturating_add(rows);
        loop {
            let here = self.rows_of(id).len();
            if row < here {
                return Anchor { id, row };
            }
            if id >= self.last_id() {
                return Anchor {
                    id,
                    row: here.saturating_sub(1),
                };
            }
            row -= here;
            id += 1;
        }
    }

    /// Rows from an anchor to the end, counted up to a limit.
    fn rows_from(&mut self, anchor: Anchor, limit: usize) -> usize {
        let end = Anchor {
            id: self.next_id,
            row: 0,
        };
        self.rows_between(anchor, end, limit).unwrap_or(limit)
    }

    /// Rows from one anchor to a later one; `None` when they are more than the limit.
    fn rows_between(&mut self, from: Anchor, to: Anchor, limit: usize) -> Option<usize> {
        let mut id = from.id;
        let mut count = 0;
        while id < to.id {
            count += self.rows_of(id).len();
            if count > limit.saturating_add(from.row) {
                return None;
            }
            id += 1;
        }
        let count = (count + to.row).saturating_sub(from.row);
        (count <= limit).then_some(count)
    }

    fn last_visible(&self) -> Option<u64> {
        self.visible().last().map(|(entry, _)| entry.id)
    }

    fn last_folded_in_sight(&self) -> Option<u64> {
        let has_more = |entry: &&Entry| entry.expanded || self.hides_something(entry);
        let seen: Vec<&Entry> = self.visible().map(|(entry, _)| entry).collect();
        seen.into_iter().rev().find(has_more).map(Entry::id)
    }

    fn hides_something(&self, entry: &Entry) -> bool {
        let rows = entry.layout.as_ref().map_or(&[][..], |(_, rows)| rows);
        let more = rows.iter().any(|row| matches!(row, Row::More { .. }));
        let body = rows.iter().any(|row| matches!(row, Row::Body { .. }));
        more || !entry.body.is_empty() && !body
    }

    /// The rows of an entry at the present width, broken anew only when something changed.
    pub(super) fn rows_of(&mut self, id: u64) -> &[Row] {
        let columns = self.columns;
        let Some(index) = self.index_of(id) else {
            return &[];
        };
        let words = &self.texts.log.kinds;
        let Some(entry) = self.entries.get_mut(index) else {
            return &[];
        };
        let rows = match entry.layout.take() {
            Some((width, rows)) if width == columns.width => rows,
            Some(_) | None => rows::of(entry, columns, words),
        };
        &entry.layout.insert((columns.width, rows)).1
    }
}
