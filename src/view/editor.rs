//! Draws the handoff editor. In go the texts, what the app knows about the document and a
//! rectangle; cells come out, and the cell of the caret for the terminal's cursor.

mod body;
mod paint;
mod title;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::editor::{self, Editor, Pos, Row};
use crate::cells;
use crate::handoff::Section;
use crate::texts::Texts;
use crate::view::theme::{Role, Theme};

use paint::Paint;

/// What the document on screen is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorTitle {
    /// No handoff was written yet.
    Draft,
    /// Generation `n` will read it: a review is on.
    For(u32),
    /// Generation `n` has read it.
    ReadBy(u32),
}

/// A remark behind a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// The section of the line.
    pub section: Section,
    /// The whole line; the remark goes when the line changes.
    pub line: String,
    /// What is to be said, without brackets.
    pub words: String,
}

/// What the app knows beside the texts.
#[derive(Debug, Clone, Copy)]
pub struct EditorChrome<'a> {
    /// What the document is for.
    pub title: EditorTitle,
    /// Whether the keys go here.
    pub focused: bool,
    /// Whether only the section with the caret is shown, in the layout for small windows.
    pub single: bool,
    /// Words for the right end of the title row in that layout, such as the window's source.
    pub corner: &'a str,
    /// Lines under the text, as far as there is room.
    pub hints: &'a [String],
    /// Remarks behind lines.
    pub lints: &'a [Lint],
}

/// One section as it is laid out.
struct Block<'a> {
    section: Section,
    rows: &'a [Row],
    /// Row of the title on screen; `None` where the pane's title is the section's.
    title: Option<u16>,
    /// First row of the body on screen.
    y: u16,
    /// Rows of the body.
    height: usize,
    /// First row of the text that is seen, and how many are.
    window: (usize, usize),
}

/// Draws the pane and returns the caret's cell; `None` when the keys are elsewhere or there is no
/// room.
pub fn draw(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<(u16, u16)> {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return None;
    }
    let mut paint = Paint::new(theme, area, buffer);
    let wrapped = wrapped(editor, area, chrome.single);
    let (blocks, hint_rows) = blocks(editor, chrome, texts, area, &wrapped);
    title::pane(editor, chrome, texts, &mut paint);
    let mut caret = None;
    for block in &blocks {
        title::section(editor, chrome, texts, block, &mut paint);
        caret = body::draw(editor, chrome, texts, block, &mut paint).or(caret);
    }
    let top = area.bottom() - hint_rows.len() as u16;
    for (y, row) in (top..).zip(&hint_rows) {
        paint.text(1, y, row, Role::Muted);
    }
    caret.filter(|_| chrome.focused)
}

/// What is under a cell of the pane: a section and the place in its text, for a click.
pub fn hit(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    area: Rect,
    (x, y): (u16, u16),
) -> Option<(Section, Pos)> {
    if !area.contains((x, y).into()) {
        return None;
    }
    let wrapped = wrapped(editor, area, chrome.single);
    let (blocks, _) = blocks(editor, chrome, texts, area, &wrapped);
    for block in blocks {
        if block.title == Some(y) {
            return Some((block.section, editor.caret(block.section)));
        }
        let below = usize::from(y.checked_sub(block.y).unwrap_or(u16::MAX));
        if below < block.height {
            let (first, shown) = block.window;
            let row = block.rows.get(first + below.min(shown.saturating_sub(1)))?;
            let cell = x.saturating_sub(area.x + left_cells(chrome.single));
            let line = &editor.lines(block.section)[row.line];
            let byte = editor::byte_at(row, line, usize::from(cell));
            return Some((
                block.section,
                Pos {
                    line: row.line,
                    byte,
                },
            ));
        }
    }
    None
}

/// Cells left of the text.
fn left_cells(single: bool) -> u16 {
    if single { 1 } else { 3 }
}

/// The rows of all sections when the pane has not the width that the state knows.
fn wrapped(editor: &Editor, area: Rect, single: bool) -> Option<[Vec<Row>; 5]> {
    let width = editor::text_width(area.width, single);
    (width != editor.text_width())
        .then(|| Section::ALL.map(|section| editor::wrap_rows(editor.lines(section), width)))
}

/// Lays the sections out; the hints get what is left below them.
fn blocks<'a>(
    editor: &'a Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    area: Rect,
    wrapped: &'a Option<[Vec<Row>; 5]>,
) -> (Vec<Block<'a>>, Vec<String>) {
    let rows_of = |section: Section| match wrapped {
        Some(rows) => rows[section as usize].as_slice(),
        None => editor.rows(section),
    };
    let focus = editor.focus();
    let rows = usize::from(area.height - 1);
    let needs = Section::ALL.map(|section| rows_of(section).len());
    let given = editor::shares(needs, focus, rows).filter(|_| !chrome.single);
    let block = |section: Section, title: Option<u16>, y: u16, height: usize| {
        let rows = rows_of(section);
        let at_caret = editor::row_of(rows, editor.caret(section));
        let caret = (section == focus).then_some(at_caret);
        let top = if section == focus {
            editor.top(section)
        } else {
            0
        };
        Block {
            section,
            rows,
            title,
            y,
            height,
            window: editor::window(top, caret, rows.len(), height),
        }
    };
    let Some(given) = given else {
        let single = block(focus, None, area.y + 1, rows);
        return (vec![single], Vec::new());
    };
    let mut blocks = Vec::with_capacity(given.len());
    let mut y = area.y + 1;
    for (section, height) in Section::ALL.into_iter().zip(given) {
        blocks.push(block(section, Some(y), y + 1, height));
        y += 1 + height as u16;
    }
    // One row stays free between the text and the hints.
    let free = usize::from((area.bottom() - y).saturating_sub(1));
    (blocks, hints(editor, chrome, texts, area, free))
}

/// The rows of the hints that fit into `free` rows; the first ones matter most.
fn hints(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    area: Rect,
    free: usize,
) -> Vec<String> {
    let words = &texts.editor;
    let mut hints = Vec::new();
    match chrome.title {
        EditorTitle::Draft => hints.push(words.hint_draft.clone()),
        EditorTitle::For(_) => {}
        EditorTitle::ReadBy(_) => {
            let lines = editor.undelivered_lines();
            if lines > 0 {
                let one = &words.hint_undelivered_one;
                hints.push(title::count(lines, one, &words.hint_undelivered_many));
                hints.push(words.hint_send.clone());
            }
        }
    }
    hints.extend_from_slice(chrome.hints);
    let width = usize::from(area.width.saturating_sub(2));
    let mut rows: Vec<String> = Vec::new();
    for hint in hints {
        let lines = cells::wrap(&hint, width);
        if rows.len() + lines.len() > free {
            break;
        }
        rows.extend(lines.into_iter().map(str::to_owned));
    }
    rows
}
