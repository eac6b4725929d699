//! The help box: keys and what they do go in, cells come out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

use super::theme::{Role, Theme};
use crate::cells;
use crate::sanitize::sanitize_line;
use crate::texts::Texts;

/// Width from which there are two columns, in cells within the border.
const TWO_COLUMNS: usize = 64;
/// Cells of the keys at most.
const KEY_CELLS: usize = 18;

/// A row of the box: keys or nothing, and a piece of text.
struct Row {
    keys: String,
    text: String,
    is_title: bool,
}

/// Draws the box over the whole area. A pair without a text is a title above those that follow;
/// `offset` is the first row that is shown, the last page at most.
pub fn draw(
    pairs: &[(String, String)],
    offset: usize,
    texts: &Texts,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let area = area.intersection(buffer.area);
    let words = &texts.help;
    Clear.render(area, buffer);
    let block = Block::bordered()
        .border_style(theme.style(Role::Rule))
        .title(format!(" {} ", words.title))
        .title_style(theme.style(Role::Focus));
    let inside = block.inner(area);
    block.render(area, buffer);
    if inside.is_empty() {
        return;
    }
    let columns = columns(pairs, usize::from(inside.width));
    let page = usize::from(inside.height - 1);
    let total = row_count(&columns);
    let top = offset.min(total.saturating_sub(page));
    let column_cells = usize::from(inside.width) / columns.len().max(1);
    for (number, (keys, rows)) in columns.iter().enumerate() {
        let left = number * column_cells + 1;
        for (y, row) in rows.iter().skip(top).take(page).enumerate() {
            let y = inside.y + u16::try_from(y).unwrap_or(u16::MAX);
            let mut put = |at: usize, text: &str, most: usize, role: Role| {
                let room = usize::from(inside.width).saturating_sub(at).min(most);
                if let Some(at) = u16::try_from(at).ok().filter(|_| room > 0) {
                    buffer.set_stringn(inside.x + at, y, text, room, theme.style(role));
                }
            };
            if row.is_title {
                put(left, &row.text, column_cells, Role::Focus);
            } else {
                put(left, &row.keys, *keys, Role::Due);
                put(left + keys + 2, &row.text, column_cells, Role::Text);
            }
        }
    }
    let last = if total > page {
        &words.more
    } else {
        &words.close
    };
    let room = usize::from(inside.width.saturating_sub(1));
    let style = theme.style(Role::Muted);
    if room > 0 {
        buffer.set_stringn(inside.x + 1, inside.bottom() - 1, last, room, style);
    }
}

/// Rows the pairs take in a box of this width, border included; the offset goes up to this less a
/// page.
pub fn rows(pairs: &[(String, String)], width: u16) -> usize {
    row_count(&columns(pairs, usize::from(width.saturating_sub(2))))
}

fn row_count(columns: &[(usize, Vec<Row>)]) -> usize {
    let rows = columns.iter().map(|(_, rows)| rows.len());
    rows.max().unwrap_or(0)
}

/// One or two columns: the width of their keys, and their rows.
fn columns(pairs: &[(String, String)], width: usize) -> Vec<(usize, Vec<Row>)> {
    let count = if width >= TWO_COLUMNS { 2 } else { 1 };
    let cells = (width / count).saturating_sub(1);
    let keys = pairs
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(keys, _)| cells::width(keys))
        .max()
        .unwrap_or(0)
        .min(KEY_CELLS)
        .min(cells / 2);
    let blocks: Vec<Vec<Row>> = pairs
        .iter()
        .map(|(name, text)| block(name, text, keys, cells))
        .collect();
    let total: usize = blocks.iter().map(Vec::len).sum();
    let mut columns: Vec<(usize, Vec<Row>)> = vec![(keys, Vec::new())];
    for block in blocks {
        let full = columns.len() < count
            && columns
                .last()
                .is_some_and(|(_, rows)| rows.len() >= total.div_ceil(count));
        if full {
            columns.push((keys, Vec::new()));
        }
        if let Some((_, rows)) = columns.last_mut() {
            rows.extend(block);
        }
    }
    // A title belongs to what follows it.
    let title = match &mut columns[..] {
        [(_, left), _] if left.last().is_some_and(|row| row.is_title) => left.pop(),
        _ => None,
    };
    if let (Some(title), Some((_, right))) = (title, columns.get_mut(1)) {
        right.insert(0, title);
    }
    if columns.len() < count {
        columns.push((keys, Vec::new()));
    }
    columns
}

fn block(name: &str, text: &str, keys: usize, cells: usize) -> Vec<Row> {
    let name = sanitize_line(name);
    if text.is_empty() {
        return vec![Row {
            keys: String::new(),
            text: name,
            is_title: true,
        }];
    }
    let text = sanitize_line(text);
    let names = cells::wrap(&name, keys);
    let texts = cells::wrap(&text, cells.saturating_sub(keys + 3));
    (0..names.len().max(texts.len()))
        .map(|row| Row {
            keys: names.get(row).copied().unwrap_or_default().to_owned(),
            text: texts.get(row).copied().unwrap_or_default().to_owned(),
            is_title: false,
        })
        .collect()
}
