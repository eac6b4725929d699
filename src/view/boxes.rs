//! What lies over the panes: help, archive, and the boxes that ask a person something.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

use super::screen::put;
use super::theme::{Role, Theme};
use super::{archive, help};
use crate::app::editor::{Choice, Clash};
use crate::app::keymap::{self, Command, Scroll};
use crate::app::state::{Overlay, State};
use crate::cells;
use crate::sanitize::{sanitize, sanitize_line};
use crate::texts::{Texts, fill};

/// Lines of a question's arguments that are shown.
const QUESTION_LINES: usize = 40;

pub(super) fn draw(
    state: &State,
    overlay: &Overlay,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let texts = &state.texts;
    match overlay {
        Overlay::Help(offset) => {
            let pairs = help_pairs(state);
            let place = inset(area);
            help::draw(&pairs, *offset, texts, theme, place, buffer);
            mend(place, buffer);
        }
        Overlay::Archive => {
            if let Some(open) = &state.archive {
                archive::draw(open, texts, theme, area, buffer);
            }
        }
        Overlay::Conflict => {
            if let Some(clash) = state.clashes.first() {
                let (title, body, hidden) = clash_text(state, clash);
                let content = Content {
                    title: &title,
                    body: &body,
                    hidden,
                    end: "",
                    keys: &texts.app.conflict_keys,
                };
                boxed(&content, texts, theme, area, buffer);
            }
        }
        Overlay::Quit => boxed(
            &Content {
                title: "",
                body: "",
                hidden: 0,
                end: &texts.app.quit,
                keys: "",
            },
            texts,
            theme,
            area,
            buffer,
        ),
        Overlay::Permission(_) => {
            let Some((question, _)) = &state.question else {
                return;
            };
            let title = fill(
                &texts.app.permission,
                &[("tool", &sanitize_line(&question.name))],
            );
            let (body, hidden) = question_body(&question.input);
            let content = Content {
                title: &title,
                body: &body,
                hidden,
                end: &sanitize(&question.why),
                keys: &texts.app.permission_keys,
            };
            boxed(&content, texts, theme, area, buffer);
        }
    }
}

/// Both versions of a section, and how many lines of them are left out.
fn clash_text(state: &State, clash: &Clash) -> (String, String, usize) {
    let words = &state.texts.app;
    let heading = clash.section.heading(state.editor.lang());
    let title = fill(&words.conflict, &[("section", heading)]);
    let mut body = String::new();
    let mut hidden = 0;
    let result = clash.text(Choice::Result);
    let parts = [
        (&words.conflict_mine, Some(clash.mine.as_str())),
        (&words.conflict_theirs, Some(clash.theirs.as_str())),
        (&words.conflict_result, Some(result.as_str())),
    ];
    for (name, text) in parts {
        let Some(text) = text else { continue };
        body.push_str(&format!("[{name}]\n"));
        for line in text.lines().take(QUESTION_LINES / 2) {
            body.push_str(&format!("{line}\n"));
        }
        hidden += text.lines().count().saturating_sub(QUESTION_LINES / 2);
    }
    (title, body, hidden)
}

/// A call's arguments as a person judges them: the command, or the edit as removed and added lines;
/// and how many lines were left out.
fn question_body(input: &serde_json::Value) -> (String, usize) {
    let text = |key: &str| input.get(key).and_then(serde_json::Value::as_str);
    let mut body = String::new();
    let mut hidden = 0;
    for key in ["command", "path", "file_path"] {
        if let Some(value) = text(key) {
            body.push_str(&format!("{}\n", sanitize(value)));
        }
    }
    let changes = [
        ("-", "old"),
        ("-", "old_string"),
        ("+", "new"),
        ("+", "new_string"),
        ("+", "content"),
    ];
    for (mark, key) in changes {
        let Some(value) = text(key) else { continue };
        for line in value.lines().take(QUESTION_LINES) {
            body.push_str(&format!("{mark} {}\n", sanitize_line(line)));
        }
        hidden += value.lines().skip(QUESTION_LINES).count();
    }
    if body.is_empty() {
        body = format!("{}\n", sanitize_line(&input.to_string()));
    }
    (body, hidden)
}

/// What a box in the middle says.
struct Content<'a> {
    title: &'a str,
    /// Cut when it is too long for the screen.
    body: &'a str,
    /// Lines of the body that were left out already.
    hidden: usize,
    /// What is asked: always shown.
    end: &'a str,
    /// How it is answered, four blanks apart: always shown.
    keys: &'a str,
}

/// A box in the middle.
fn boxed(content: &Content<'_>, texts: &Texts, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let width = area.width.saturating_sub(4).min(90);
    let inner = usize::from(width.saturating_sub(4)).max(1);
    let wrapped = |text: &str| -> Vec<String> {
        text.lines()
            .flat_map(|line| cells::wrap(line, inner))
            .map(str::to_owned)
            .collect()
    };
    let mut rows = wrapped(content.body);
    let (end, keys) = (wrapped(content.end), key_rows(content.keys, inner));
    let height = usize::from(area.height).saturating_sub(2);
    // Where rows are scarce, none is left blank.
    let gap = usize::from(rows.len() + end.len() + keys.len() + 2 <= height);
    let room = height.saturating_sub(end.len() + keys.len() + 2 * gap);
    if rows.len() > room || content.hidden > 0 {
        let shown = room.saturating_sub(1).min(rows.len());
        let left = (rows.len() - shown + content.hidden).to_string();
        rows.truncate(shown);
        rows.push(fill(&texts.editor.more, &[("n", &left)]));
    }
    for part in [end, keys] {
        if !rows.is_empty() && !part.is_empty() {
            rows.extend(std::iter::repeat_n(String::new(), gap));
        }
        rows.extend(part);
    }
    let height = u16::try_from(rows.len() + 2)
        .unwrap_or(u16::MAX)
        .min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(place, buffer);
    let mut block = Block::bordered().border_style(theme.style(Role::Due));
    if !content.title.is_empty() {
        let room = usize::from(width.saturating_sub(4));
        block = block.title(format!(" {} ", cells::cut(content.title, room)));
    }
    let inside = block.inner(place);
    block.render(place, buffer);
    let room = usize::from(inside.width.saturating_sub(2));
    for (y, row) in (inside.top()..inside.bottom()).zip(&rows) {
        put(buffer, inside.x + 1, y, row, room, theme, Role::Text);
    }
    mend(place, buffer);
}

/// Keys that belong together stay together: rows break where four blanks are.
fn key_rows(keys: &str, cells: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for key in keys.split("    ").filter(|key| !key.is_empty()) {
        match rows.last_mut() {
            Some(row) if cells::width(row) + 4 + cells::width(key) <= cells => {
                row.push_str("    ");
                row.push_str(key);
            }
            Some(_) | None => rows.push(key.to_owned()),
        }
    }
    rows
}

/// Takes away what a box has cut in half: a wide character whose second cell is the box's edge.
fn mend(place: Rect, buffer: &mut Buffer) {
    let Some(left) = place.x.checked_sub(1) else {
        return;
    };
    for y in place.top()..place.bottom() {
        if let Some(cell) = buffer.cell_mut((left, y))
            && cells::width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }
}

fn inset(area: Rect) -> Rect {
    let margin = u16::from(area.width > 60 && area.height > 16);
    Rect {
        x: area.x + 2 * margin,
        y: area.y + margin,
        width: area.width - 4 * margin,
        height: area.height - 2 * margin,
    }
}

/// Keys and what they do, from the keymap.
fn help_pairs(state: &State) -> Vec<(String, String)> {
    keymap::keys_by_command()
        .into_iter()
        .map(|(keys, command)| (keys, describe(state, command)))
        .collect()
}

fn describe(state: &State, command: Command) -> String {
    let words = &state.texts.app.commands;
    let text = match command {
        Command::Section(section) => {
            let heading = section.heading(state.editor.lang());
            return fill(&words.section, &[("section", heading)]);
        }
        Command::NextPane => &words.next_pane,
        Command::PreviousPane => &words.previous_pane,
        Command::Save => &words.save,
        Command::Swap => &words.swap,
        Command::HoldOrCount => &words.hold_or_count,
        Command::SendCorrection => &words.send_correction,
        Command::Interrupt => &words.interrupt,
        Command::Message => &words.message,
        Command::ExternalEditor => &words.external_editor,
        Command::OpenTop => &words.open_top,
        Command::Archive => &words.archive,
        Command::Help => &words.help,
        Command::Quit => &words.quit,
        Command::Repaint => &words.repaint,
        Command::Leave => &words.leave,
        Command::Scroll(Scroll::Up) => &words.scroll_up,
        Command::Scroll(Scroll::Down) => &words.scroll_down,
        Command::Scroll(Scroll::PageUp) => &words.scroll_page_up,
        Command::Scroll(Scroll::PageDown) => &words.scroll_page_down,
        Command::Scroll(Scroll::Home) => &words.scroll_home,
        Command::Scroll(Scroll::End) => &words.scroll_end,
        Command::Expand => &words.expand,
    };
    text.clone()
}
