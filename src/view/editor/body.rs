//! The text of one section: rows, marks in the margin, selection, remarks and the caret's cell.

use unicode_segmentation::UnicodeSegmentation;

use super::{Block, EditorChrome, left_cells, paint::Paint};
use crate::app::editor::{self, Editor, Pos, Row};
use crate::cells;
use crate::texts::{Texts, fill};
use crate::view::theme::Role;

/// Draws the body and returns the caret's cell when the caret is in it.
pub(super) fn draw(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    block: &Block<'_>,
    paint: &mut Paint<'_>,
) -> Option<(u16, u16)> {
    let words = &texts.editor;
    let left = left_cells(chrome.single);
    let width = editor::text_width(paint.area.width, chrome.single);
    let lines = editor.lines(block.section);
    let (first, shown) = block.window;
    let hidden = block.rows.len() - first - shown;
    let more = fill(&words.more, &[("n", &hidden.to_string())]);
    let focused = block.section == editor.focus();
    if editor.facts(block.section).empty && lines.len() == 1 && lines[0].is_empty() {
        paint.text(left, block.y, &words.empty_body, Role::Muted);
    }
    for (y, row) in (block.y..).zip(&block.rows[first..first + shown]) {
        let line = &lines[row.line];
        mark(editor, chrome, block, row, y, paint);
        // A single row leaves its right end to the number of those that are hidden.
        let crowded = block.height == 1 && hidden > 0 && !focused;
        if crowded {
            let room = width.saturating_sub(cells::width(&more) + 2);
            let text = line[row.start..row.end].replace('\t', "    ");
            paint.text(left, y, cells::cut(&text, room), Role::Text);
            paint.text(left + (room + 2).min(width) as u16, y, &more, Role::Muted);
            continue;
        }
        let end = text(editor, block, row, line, (left, y), paint);
        if row.last {
            remark(chrome, words, block, line, (end, y), paint);
        }
    }
    if hidden > 0 && shown < block.height {
        paint.text(left, block.y + shown as u16, &more, Role::Muted);
    }
    if !focused || shown == 0 {
        return None;
    }
    let caret = editor.caret(block.section);
    let at = editor::row_of(block.rows, caret);
    let row = block.rows.get(at)?;
    let down = at.checked_sub(first).filter(|down| *down < shown)?;
    let cell = editor::cell_of(row, &lines[row.line], caret.byte, width);
    let x = (left + cell as u16).min(paint.area.width - 1);
    Some((paint.area.x + x, block.y + down as u16))
}

/// The mark of a line that is the person's and that no successor has got.
fn mark(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    block: &Block<'_>,
    row: &Row,
    y: u16,
    paint: &mut Paint<'_>,
) {
    let own = &editor.facts(block.section).own;
    let written = !editor.lines(block.section)[row.line].trim().is_empty();
    if row.start == 0 && written && own.get(row.line) == Some(&true) {
        let x = u16::from(!chrome.single);
        paint.text(x, y, "+", Role::You);
    }
}

/// Writes the text of a row and returns the cell behind it.
fn text(
    editor: &Editor,
    block: &Block<'_>,
    row: &Row,
    line: &str,
    (left, y): (u16, u16),
    paint: &mut Paint<'_>,
) -> u16 {
    let selection = editor.selection(block.section);
    let role = |byte: usize| {
        let at = Pos {
            line: row.line,
            byte,
        };
        match selection {
            Some((from, to)) if (from..to).contains(&at) => Role::Selection,
            Some(_) | None => Role::Text,
        }
    };
    let mut x = left + row.indent as u16;
    for (at, cluster) in line[row.start..row.end].grapheme_indices(true) {
        x = paint.cluster(x, y, cluster, role(row.start + at));
    }
    if row.last && role(line.len()) == Role::Selection {
        // A selected line end shows as one cell.
        x = paint.cluster(x, y, " ", Role::Selection);
    }
    x
}

/// Writes the remark on a line behind it, where there is room for all of it.
fn remark(
    chrome: &EditorChrome<'_>,
    words: &crate::texts::EditorTexts,
    block: &Block<'_>,
    line: &str,
    (x, y): (u16, u16),
    paint: &mut Paint<'_>,
) {
    let on = |lint: &&super::Lint| lint.section == block.section && lint.line == line;
    if let Some(lint) = chrome.lints.iter().find(on) {
        let said = fill(&words.lint, &[("words", &lint.words)]);
        if usize::from(x) + cells::width(&said) <= usize::from(paint.area.width) {
            paint.text(x, y, &said, Role::Muted);
        }
    }
}
