//! How an entry is broken into rows at a width. In go an entry and the shape of the pane, out come
//! rows as ranges of the entry's texts; nothing is copied.

use super::entry::{Entry, Fold, Outcome};
use crate::cells;
use crate::texts::KindTexts;

/// Width from which kinds and bodies stand in wide columns, in cells.
const WIDE: u16 = 50;
/// Width from which the time is shown, in cells.
const TIMED: u16 = 28;
/// Cells of a time and the blank behind it.
const TIME_CELLS: usize = 9;
/// Cells kept free for what stands at the right end of an expanded call.
const RIGHT_CELLS: usize = 18;

/// One row of an entry. Ranges are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The first row: time, kind, a piece of the words.
    Head {
        /// Where the piece begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// A further row of the words.
    Text {
        /// Where the piece begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// A row of the body.
    Body {
        /// Which line of the body.
        line: usize,
        /// Where the piece begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// So many lines are not shown.
    More {
        /// How many.
        lines: usize,
    },
}

impl Row {
    /// A place in the entry that keeps its meaning when the width changes.
    pub(super) fn key(self) -> (usize, usize) {
        match self {
            Self::Head { start, .. } | Self::Text { start, .. } => (0, start),
            Self::Body { line, start, .. } => (line.saturating_add(1), start),
            Self::More { .. } => (usize::MAX, 0),
        }
    }
}

/// The columns of the log at a width, all in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// Width of the pane.
    pub width: u16,
    /// Whether there is room for the time.
    pub has_time: bool,
    /// Width of the kind with the blanks behind it, when the word is not longer.
    pub kind_cells: usize,
    /// Where further rows begin.
    pub indent: usize,
    /// Whether there is room for line numbers beside the body.
    pub is_wide: bool,
}

impl Columns {
    /// The columns for a width. In a narrow pane the kinds stand closer in Chinese, whose words are
    /// shorter.
    pub fn new(width: u16, words: &KindTexts) -> Self {
        let is_wide = width >= WIDE;
        let usual = cells::width(&words.retry).min(5);
        Self {
            width,
            has_time: width >= TIMED,
            kind_cells: if is_wide { 8 } else { usual + 1 },
            indent: if is_wide { 10 } else { 3 },
            is_wide,
        }
    }

    /// Where the words begin behind a kind.
    pub fn text_from(self, kind: &str) -> usize {
        let time = if self.has_time { TIME_CELLS } else { 0 };
        1 + time + self.kind_cells.max(cells::width(kind) + 1)
    }

    /// Cells from a column to the right margin.
    pub fn room(self, from: usize) -> usize {
        usize::from(self.width).saturating_sub(from + 1)
    }
}

/// The rows of an entry.
pub(super) fn of(entry: &Entry, columns: Columns, words: &KindTexts) -> Vec<Row> {
    let mut rows = Vec::new();
    match entry.fold {
        Fold::Lines(_) if entry.expanded => {
            flow(entry, columns, words, 0, &mut rows);
            for (line, body) in entry.body.iter().enumerate() {
                let ranges = cells::wrap_ranges(&body.text, columns.room(columns.indent));
                rows.extend(ranges.map(|(start, end)| Row::Body { line, start, end }));
            }
        }
        Fold::Lines(most) => {
            rows.push(Row::Head {
                start: 0,
                end: entry.text.len(),
            });
            let shown = match entry.body.len() {
                _ if most == 0 => return rows,
                count if count <= most + 1 => count,
                _ => most,
            };
            let body = entry.body.iter().take(shown).enumerate();
            rows.extend(body.map(|(line, body)| Row::Body {
                line,
                start: 0,
                end: body.text.len(),
            }));
            let lines = entry.body.len() - shown;
            rows.extend((lines > 0).then_some(Row::More { lines }));
        }
        Fold::Rows(most) => {
            flow(entry, columns, words, 0, &mut rows);
            if !entry.expanded && rows.len() > most.saturating_add(1) {
                let lines = rows.len() - most;
                rows.truncate(most);
                rows.push(Row::More { lines });
            }
        }
    }
    rows
}

/// Rows of an entry whose words grew at their end: only the last rows can have changed.
pub(super) fn grown(entry: &Entry, columns: Columns, words: &KindTexts, rows: &mut Vec<Row>) {
    // A character that joins the last one can change where the row before it breaks.
    rows.truncate(rows.len().saturating_sub(2));
    let from = match rows.last() {
        Some(Row::Head { start, .. } | Row::Text { start, .. }) => *start,
        Some(Row::Body { .. } | Row::More { .. }) | None => 0,
    };
    rows.pop();
    flow(entry, columns, words, from, rows);
}

/// Appends the rows of an entry's words from a byte on at which a row begins.
fn flow(entry: &Entry, columns: Columns, words: &KindTexts, from: usize, rows: &mut Vec<Row>) {
    let text = &entry.text;
    let text_from = columns.text_from(entry.kind.word(words));
    let room = columns.room(text_from);
    let first_room = match entry.outcome {
        Outcome::None => room,
        Outcome::Running(_) | Outcome::Ended(..) => room - RIGHT_CELLS.min(room / 2),
    };
    let mut from = from;
    if rows.is_empty() {
        let line = text[from..].split('\n').next().unwrap_or_default();
        let end = from + first_row(line, first_room).len();
        rows.push(Row::Head { start: from, end });
        let rest = text[end..].trim_start_matches(' ');
        from = text.len() - rest.len();
        if rest.is_empty() {
            return;
        }
        // The break at the end of the line is the one between the two rows.
        from += usize::from(rest.starts_with('\n'));
    }
    for line in text[from..].split('\n') {
        let ranges = cells::wrap_ranges(line, columns.room(columns.indent));
        rows.extend(ranges.map(|(start, end)| Row::Text {
            start: from + start,
            end: from + end,
        }));
        from += line.len() + 1;
    }
}

/// The first row of a line. Only as much of the line is looked at as can matter.
fn first_row(line: &str, room: usize) -> &str {
    let near = cells::cut(line, room.max(2) + 2);
    cells::wrap(near, room).first().copied().unwrap_or_default()
}
