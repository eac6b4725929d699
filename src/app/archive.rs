//! The archive of the screen: former documents by step and generation, one of them selected, and the
//! text of that one. In go the documents' entries and previews, out come requests for previews.

mod item;
#[cfg(test)]
mod tests;

use super::highlight::{self, Line, Look};
use crate::cells;
use crate::handoff::store::Entry;
use crate::runtime::event::GenerationRow;

pub use item::{Item, When};

/// Width from which list and preview stand side by side, in cells.
const SPLIT: u16 = 64;
/// Cells of the list between its lines, with a blank at each side.
const LIST_CELLS: u16 = 32;
/// Bytes of a document that are shown; a handoff has a few thousand.
const PREVIEW_BYTES: usize = 1024 * 1024;

/// A document to be read and highlighted, off the loop; its preview goes to [`Archive::loaded`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// Number of the request; an answer to an older one is ignored.
    pub request: u64,
    /// Its file name in the archive.
    pub name: String,
}

/// A document's text, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Preview {
    /// Makes the preview of a document. Takes its time: to be called in an effect.
    pub fn new(bytes: &[u8], sha256: &str) -> Self {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(PREVIEW_BYTES)]);
        let mut lines = highlight::markdown(&text);
        if bytes.len() > PREVIEW_BYTES {
            let missing = format!("... {} B", bytes.len() - PREVIEW_BYTES);
            lines.push(Line::new(missing, Look::Comment));
        }
        Self {
            sha256: sha256.to_owned(),
            lines,
        }
    }
}

/// The text beside the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Nothing is selected.
    Nothing,
    /// It is being read.
    Loading,
    /// It is here.
    Preview(Preview),
    /// It could not be read, for this reason.
    Failed(String),
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A step, above its documents.
    Step {
        /// Its name, safe to draw.
        name: String,
        /// Its documents.
        documents: usize,
        /// How many of them are mechanical ones.
        degraded: usize,
    },
    /// The document with this index.
    Document(usize),
}

/// How the box is divided, in cells without its border.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Panes {
    /// Width of the list with a blank at each side; 0 when it is not shown.
    pub list: u16,
    /// Width of the preview with a blank at each side; 0 when it is not shown.
    pub preview: u16,
    /// Rows of both; the row of the keys is below them.
    pub rows: u16,
}

/// The archive.
#[derive(Debug, Clone)]
pub struct Archive {
    items: Vec<Item>,
    rows: Vec<Row>,
    selected: usize,
    request: u64,
    shown: Shown,
    size: (u16, u16),
    /// Whether a narrow box shows the preview instead of the list.
    is_reading: bool,
    list_top: usize,
    /// Rows of the preview as line and range, at the present width.
    wrapped: Vec<(usize, usize, usize)>,
    preview_top: usize,
}

impl Archive {
    /// Opens the archive on its newest document. What `generations` know of the sessions that wrote
    /// the documents is shown beside them; `today` is the local date, `YYYYmmdd`.
    pub fn open(
        entries: Vec<Entry>,
        generations: &[GenerationRow],
        today: &str,
    ) -> (Self, Option<Load>) {
        let items = item::sorted(entries, generations, today);
        let mut archive = Self {
            rows: rows(&items),
            items,
            selected: 0,
            request: 0,
            shown: Shown::Nothing,
            size: (0, 0),
            is_reading: false,
            list_top: 0,
            wrapped: Vec::new(),
            preview_top: 0,
        };
        let load = archive.load();
        (archive, load)
    }

    /// Sets the size of the whole box, in cells.
    pub fn set_size(&mut self, width: u16, height: u16) {
        if self.size != (width, height) {
            self.size = (width, height);
            self.settle();
        }
    }

    /// How the box is divided.
    pub fn panes(&self) -> Panes {
        let (width, height) = self.size;
        let inner = width.saturating_sub(2);
        let rows = height.saturating_sub(3);
        if width >= SPLIT {
            Panes {
                list: LIST_CELLS,
                preview: inner - LIST_CELLS - 1,
                rows,
            }
        } else if self.is_reading {
            Panes {
                list: 0,
                preview: inner,
                rows,
            }
        } else {
            Panes {
                list: inner,
                preview: 0,
                rows,
            }
        }
    }

    /// The documents, by step and falling generation.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The selected document.
    pub fn selected(&self) -> Option<&Item> {
        self.items.get(self.selected)
    }

    /// Whether the document with this index is the selected one.
    pub fn is_selected(&self, index: usize) -> bool {
        self.selected == index
    }

    /// The text beside the list.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Selects the document so many further down, negative up.
    pub fn select(&mut self, step: i64) -> Option<Load> {
        let last = self.items.len().saturating_sub(1);
        let step = isize::try_from(step).unwrap_or(isize::MAX);
        let selected = self.selected.saturating_add_signed(step).min(last);
        if selected == self.selected {
            return None;
        }
        self.selected = selected;
        self.load()
    }

    /// Takes the preview of a request, or why there is none.
    pub fn loaded(&mut self, request: u64, preview: Result<Preview, String>) {
        if request != self.request {
            return;
        }
        self.shown = match preview {
            Ok(preview) => Shown::Preview(preview),
            Err(why) => Shown::Failed(crate::sanitize::sanitize_line(&why)),
        };
        self.preview_top = 0;
        self.settle();
    }

    /// Moves the preview by rows; negative goes up.
    pub fn scroll(&mut self, rows: i64) {
        let rows = isize::try_from(rows).unwrap_or(isize::MAX);
        self.preview_top = self.preview_top.saturating_add_signed(rows);
        self.clamp();
    }

    /// Changes between list and preview where there is room for one of them only.
    pub fn toggle_reading(&mut self) {
        self.is_reading = !self.is_reading;
        self.settle();
    }

    /// The rows of the list in sight.
    pub fn list(&self) -> impl Iterator<Item = &Row> {
        let count = usize::from(self.panes().rows);
        self.rows.iter().skip(self.list_top).take(count)
    }

    /// The rows of the preview in sight, below its head: a line and a range of it.
    pub fn text(&self) -> impl Iterator<Item = (&Line, usize, usize)> {
        let lines = match &self.shown {
            Shown::Preview(preview) => &preview.lines[..],
            Shown::Nothing | Shown::Loading | Shown::Failed(_) => &[],
        };
        let rows = self.wrapped.iter().skip(self.preview_top);
        rows.take(self.text_rows())
            .filter_map(|(line, start, end)| Some((lines.get(*line)?, *start, *end)))
    }

    fn text_rows(&self) -> usize {
        usize::from(self.panes().rows).saturating_sub(1)
    }

    fn load(&mut self) -> Option<Load> {
        self.request += 1;
        self.preview_top = 0;
        let name = self.items.get(self.selected)?.entry.name.clone();
        self.shown = Shown::Loading;
        self.settle();
        Some(Load {
            request: self.request,
            name,
        })
    }

    /// Breaks the preview anew and brings the selected row into sight.
    fn settle(&mut self) {
        self.wrapped.clear();
        let room = usize::from(self.panes().preview).saturating_sub(2);
        if let (Shown::Preview(preview), true) = (&self.shown, room > 0) {
            for (number, line) in preview.lines.iter().enumerate() {
                let ranges = cells::wrap_ranges(&line.text, room);
                self.wrapped
                    .extend(ranges.map(|(start, end)| (number, start, end)));
            }
        }
        let row = self
            .rows
            .iter()
            .position(|row| *row == Row::Document(self.selected));
        let row = row.unwrap_or(0);
        let page = usize::from(self.panes().rows).max(1);
        // The step's name above its first document stays in sight with it.
        let first = match row.checked_sub(1).and_then(|above| self.rows.get(above)) {
            Some(Row::Step { .. }) if page > 1 => row - 1,
            Some(Row::Step { .. } | Row::Document(_)) | None => row,
        };
        let most = self.rows.len().saturating_sub(page);
        let least = (row + 1).saturating_sub(page);
        self.list_top = self.list_top.min(most).clamp(least, first);
        self.clamp();
    }

    fn clamp(&mut self) {
        let most = self.wrapped.len().saturating_sub(self.text_rows());
        self.preview_top = self.preview_top.min(most);
    }
}

fn rows(items: &[Item]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut from = 0;
    for group in items.chunk_by(|a, b| a.entry.step == b.entry.step) {
        rows.push(Row::Step {
            name: crate::sanitize::sanitize_line(&group[0].entry.step),
            documents: group.len(),
            degraded: group.iter().filter(|item| item.is_degraded).count(),
        });
        rows.extend((from..from + group.len()).map(Row::Document));
        from += group.len();
    }
    rows
}
