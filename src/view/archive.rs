//! The archive: a box with the list of former documents and the text of one. State in, cells out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Clear, Widget};

use super::theme::{Role, Theme};
use crate::app::archive::{Archive, Item, Row, Shown, When};
use crate::app::highlight::Look;
use crate::cells;
use crate::sanitize::sanitize_line;
use crate::texts::{ArchiveTexts, Texts, fill};
use crate::tokens;

/// Characters of a hash that are shown.
const SHA_CHARS: usize = 8;

/// Draws the box over the whole area.
pub fn draw(archive: &Archive, texts: &Texts, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    let words = &texts.archive;
    Clear.render(area, buffer);
    let count = match archive.items().len() {
        1 => words.one_document.clone(),
        count => fill(&words.documents, &[("count", &count.to_string())]),
    };
    let block = Block::bordered()
        .border_style(theme.style(Role::Rule))
        .title(format!(" {}  {count} ", words.title))
        .title_style(theme.style(Role::Focus));
    let inside = block.inner(area);
    block.render(area, buffer);
    if inside.is_empty() {
        return;
    }
    let keys = Rect::new(inside.x, inside.bottom() - 1, inside.width, 1);
    let room = usize::from(inside.width.saturating_sub(2));
    put(
        buffer,
        keys,
        1,
        &fitting_keys(&words.keys, room),
        theme.style(Role::Muted),
    );
    let panes = archive.panes();
    let rows = panes.rows.min(inside.height - 1);
    let body = Rect::new(inside.x, inside.y, inside.width, rows);
    let list = Rect {
        width: panes.list.min(body.width),
        ..body
    };
    draw_list(archive, words, theme, list, buffer);
    let from = match panes.list {
        0 => 0,
        _ if panes.preview == 0 => return,
        list => {
            let rule = list.min(body.width);
            for y in body.top()..body.bottom() {
                let row = Rect::new(body.x, y, body.width, 1);
                put(buffer, row, usize::from(rule), "│", theme.style(Role::Rule));
            }
            rule + 1
        }
    };
    let from = from.min(body.width);
    let preview = Rect::new(body.x + from, body.y, body.width - from, rows);
    draw_preview(archive, words, theme, preview, buffer);
}

fn draw_list(
    archive: &Archive,
    words: &ArchiveTexts,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let room = usize::from(area.width.saturating_sub(2));
    let mut lines = area.rows();
    if archive.items().is_empty() {
        if let Some(line) = lines.next() {
            put(buffer, line, 1, &words.empty, theme.style(Role::Muted));
        }
        return;
    }
    for (row, line) in archive.list().zip(lines) {
        match row {
            Row::Step {
                name,
                documents,
                degraded,
            } => {
                let mut about = fill(&words.generations, &[("count", &documents.to_string())]);
                if *degraded > 0 {
                    let count = degraded.to_string();
                    about.push_str(&fill(&words.of_them_degraded, &[("count", &count)]));
                }
                let left = room.saturating_sub(cells::width(&about) + 2);
                let text = if left < 4 {
                    name.clone()
                } else {
                    format!("{}  {about}", cells::shorten(name, left))
                };
                put(
                    buffer,
                    line,
                    1,
                    &cells::shorten(&text, room),
                    theme.style(Role::Text),
                );
            }
            Row::Document(index) => {
                let Some(item) = archive.items().get(*index) else {
                    continue;
                };
                let is_selected = archive.is_selected(*index);
                let mark = if is_selected { ">" } else { " " };
                let role = match (is_selected, item.is_degraded) {
                    (true, _) => Role::Focus,
                    (false, true) => Role::Near,
                    (false, false) => Role::Text,
                };
                let text = cells::shorten(&format!("{mark}{}", about(item, words)), room);
                put(buffer, line, 1, &text, theme.style(role));
            }
        }
    }
}

/// A document in one row: generation, time, context, turns, cost, and what is special about it.
fn about(item: &Item, words: &ArchiveTexts) -> String {
    let generation = match item.entry.generation {
        0 => "?".to_owned(),
        generation => generation.to_string(),
    };
    let when = match &item.when {
        When::Today(clock) => clock,
        When::Yesterday => &words.yesterday,
        When::Earlier(day) => day,
        When::Unknown => "?",
    };
    let context = item.context.map_or("?".to_owned(), tokens::level);
    let mut text = format!("{generation:<3}{} {context:>6}", cells::fit(when, 5));
    if let Some(turns) = item.turns {
        text.push(' ');
        text.push_str(&fill(&words.turns, &[("count", &turns.to_string())]));
    }
    if let Some(cost) = item.cost_usd {
        text.push_str(&format!(" ${cost:.2}"));
    }
    for (is_so, word) in [
        (item.is_edited, &words.edited),
        (item.is_degraded, &words.degraded),
    ] {
        if is_so {
            text.push(' ');
            text.push_str(word);
        }
    }
    text
}

fn draw_preview(
    archive: &Archive,
    words: &ArchiveTexts,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut lines = area.rows();
    let (Some(item), Some(head)) = (archive.selected(), lines.next()) else {
        return;
    };
    let mut title = fill(
        &words.preview,
        &[
            ("step", &sanitize_line(&item.entry.step)),
            ("generation", &item.entry.generation.to_string()),
        ],
    );
    let mut note = None;
    match archive.shown() {
        Shown::Nothing => {}
        Shown::Loading => note = Some(words.loading.clone()),
        Shown::Failed(why) => note = Some(fill(&words.failed, &[("why", why)])),
        Shown::Preview(preview) => {
            let sha: String = preview.sha256.chars().take(SHA_CHARS).collect();
            title.push_str("  ");
            title.push_str(&fill(&words.sha, &[("sha", &sha)]));
        }
    }
    let room = usize::from(area.width.saturating_sub(2));
    put(
        buffer,
        head,
        1,
        &cells::shorten(&title, room),
        theme.style(Role::Muted),
    );
    if let Some(note) = note {
        for (piece, line) in cells::wrap(&note, room).into_iter().zip(lines) {
            put(buffer, line, 1, piece, theme.style(Role::Near));
        }
        return;
    }
    for ((text, start, end), line) in archive.text().zip(lines) {
        let mut at = 1;
        for (piece, look) in text.pieces(start, end) {
            put(buffer, line, at, piece, style(look, theme));
            at += cells::width(piece);
        }
    }
}

fn style(look: Look, theme: &Theme) -> Style {
    let plain = theme.style(Role::Text);
    match look {
        Look::Plain => plain,
        Look::Heading => theme.style(Role::Focus),
        Look::Strong => plain.add_modifier(Modifier::BOLD),
        Look::Stressed => plain.add_modifier(Modifier::ITALIC),
        Look::Code => theme.style(Role::Ok),
        Look::Bullet => theme.style(Role::Near),
        Look::Quote | Look::Comment => theme.style(Role::Muted),
        Look::Link => plain.add_modifier(Modifier::UNDERLINED),
    }
}

/// The keys that fit, two blanks between them; the last one, which leads out, always among them.
fn fitting_keys(keys: &str, room: usize) -> String {
    let mut all: Vec<&str> = keys.split("  ").collect();
    let last = all.pop().unwrap_or_default();
    let mut text = String::new();
    for key in all {
        if cells::width(&text) + cells::width(key) + cells::width(last) + 4 > room {
            break;
        }
        text.push_str(key);
        text.push_str("  ");
    }
    text.push_str(last);
    text
}

/// Writes into one row from a column on.
fn put(buffer: &mut Buffer, row: Rect, at: usize, text: &str, style: Style) {
    let room = usize::from(row.width).saturating_sub(at);
    if let Some(at) = u16::try_from(at)
        .ok()
        .filter(|_| room > 0 && row.height > 0)
    {
        buffer.set_stringn(row.x + at, row.y, text, room, style);
    }
}
