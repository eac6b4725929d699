//! The whole screen: composes the panes and says where the caret is.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::chrome::Chrome;
use super::editor::{EditorChrome, EditorTitle};
use super::theme::{Role, Theme};
use super::{boxes, editor, gauge, log, nowline};
use crate::app::layout::{Layout, layout};
use crate::app::situation;
use crate::app::state::{Pane, Run, State};
use crate::cells;

/// Stands for a line break where there is one row only.
const LINE_BREAK: &str = " / ";

/// Draws everything; returns the cell of the caret when there is one.
pub fn draw(
    state: &State,
    theme: &Theme,
    chrome: Chrome,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<Position> {
    let layout = layout(area, state.pane);
    if !layout.too_small.is_empty() {
        nowline::draw_too_small(&state.texts, theme, layout.too_small, buffer);
    }
    gauge::draw(
        &state.gauge,
        &state.texts,
        theme,
        chrome,
        layout.gauge,
        buffer,
    );
    let line = situation::now_line(state);
    nowline::draw(&line, &state.texts, theme, layout.now, buffer);
    let caret = panes(state, theme, chrome, &layout, buffer);
    keys(state, theme, layout.keys, buffer);
    match &state.overlay {
        None => caret,
        Some(overlay) => {
            boxes::draw(state, overlay, theme, area, buffer);
            None
        }
    }
}

fn panes(
    state: &State,
    theme: &Theme,
    chrome: Chrome,
    layout: &Layout,
    buffer: &mut Buffer,
) -> Option<Position> {
    let texts = &state.texts;
    rule(layout.rule, chrome, theme, buffer);
    titles(state, theme, chrome, layout, buffer);
    log::draw(
        &state.log,
        state.pane == Pane::Log,
        texts,
        theme,
        layout.log,
        buffer,
    );
    divide(layout, chrome, theme, buffer);
    let corner = gauge::source_text(&state.gauge, texts);
    let editor_chrome = EditorChrome {
        title: editor_title(state),
        focused: state.pane == Pane::Editor && state.overlay.is_none(),
        single: layout.is_single(),
        corner,
        hints: &[],
        lints: &[],
    };
    let area = layout.editor_with_title();
    let in_editor = editor::draw(&state.editor, &editor_chrome, texts, theme, area, buffer);
    let in_message = message(state, theme, layout.message, buffer);
    in_message.or(in_editor.map(Position::from))
}

/// The line between log and editor, joined to the rows above and below.
fn divide(layout: &Layout, chrome: Chrome, theme: &Theme, buffer: &mut Buffer) {
    let divider = layout.divider;
    for y in divider.top()..divider.bottom() {
        put(buffer, divider.x, y, chrome.limit(), 1, theme, Role::Rule);
    }
    if !divider.is_empty() {
        let [above, below] = chrome.joints();
        put(
            buffer,
            divider.x,
            layout.titles.y,
            above,
            1,
            theme,
            Role::Rule,
        );
        if !layout.rule.is_empty() {
            put(
                buffer,
                divider.x,
                layout.rule.y,
                below,
                1,
                theme,
                Role::Rule,
            );
        }
    }
}

/// Title of the log; the editor draws its own.
fn titles(state: &State, theme: &Theme, chrome: Chrome, layout: &Layout, buffer: &mut Buffer) {
    if layout.is_single() {
        tabs(state, theme, chrome, layout, buffer);
        return;
    }
    let row = layout.title_of(Pane::Log);
    if row.is_empty() {
        return;
    }
    rule(row, chrome, theme, buffer);
    let role = if state.pane == Pane::Log {
        Role::Focus
    } else {
        Role::Text
    };
    let title = format!(" {} ", log::title(&state.log, &state.texts));
    let room = usize::from(row.width.saturating_sub(1));
    put(
        buffer,
        row.x + 1,
        row.y,
        cells::cut(&title, room),
        room,
        theme,
        role,
    );
}

/// The names of all panes, where only one is shown; the editor draws its own title.
fn tabs(state: &State, theme: &Theme, chrome: Chrome, layout: &Layout, buffer: &mut Buffer) {
    let row = layout.title_of(state.pane);
    if row.is_empty() || state.pane == Pane::Editor {
        return;
    }
    rule(row, chrome, theme, buffer);
    let texts = &state.texts;
    let names = [
        (Pane::Log, log::title(&state.log, texts)),
        (Pane::Editor, texts.editor.title.clone()),
        (Pane::Message, texts.app.message_title.clone()),
    ];
    let mut x = row.x + 1;
    for (pane, name) in names {
        let role = if pane == state.pane {
            Role::Focus
        } else {
            Role::Text
        };
        let name = format!(" {name} ");
        let room = usize::from(row.right().saturating_sub(x));
        let name = cells::cut(&name, room);
        put(buffer, x, row.y, name, room, theme, role);
        let width = u16::try_from(cells::width(name)).unwrap_or(u16::MAX);
        x = x.saturating_add(width).saturating_add(1);
    }
    let corner = format!(" {} ", gauge::source_text(&state.gauge, texts));
    let width = u16::try_from(cells::width(&corner)).unwrap_or(u16::MAX);
    if x.saturating_add(width) < row.right() {
        let at = row.right() - 1 - width;
        put(
            buffer,
            at,
            row.y,
            &corner,
            usize::from(width),
            theme,
            Role::Text,
        );
    }
}

fn editor_title(state: &State) -> EditorTitle {
    let next = state.gauge.generation + 1;
    if state.review.is_some() {
        EditorTitle::For(next)
    } else if state.editor.delivered_sha().is_some() {
        EditorTitle::ReadBy(state.gauge.generation)
    } else {
        EditorTitle::Draft
    }
}

/// The message line; returns the caret's cell when the keys go here.
fn message(state: &State, theme: &Theme, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let y = area.bottom() - 1;
    let room = usize::from(area.width.saturating_sub(3));
    let focused = state.pane == Pane::Message;
    let role = if focused { Role::Focus } else { Role::Text };
    put(buffer, area.x, y, " >", 2, theme, role);
    let text = state.message.text();
    if text.is_empty() && !focused {
        let hint = match state.run {
            Run::On => &state.texts.app.message_hint,
            Run::Idle | Run::Ended { .. } => &state.texts.app.task_hint,
        };
        let hint = cells::fit(hint, room);
        put(buffer, area.x + 3, y, &hint, room, theme, Role::Muted);
        return None;
    }
    let before = state.message.before_caret().replace('\n', LINE_BREAK);
    let shown = text.replace('\n', LINE_BREAK);
    let skip = skipped(&before, room.saturating_sub(1));
    let visible = cells::cut(&shown[skip..], room);
    put(buffer, area.x + 3, y, visible, room, theme, Role::Text);
    let caret = cells::width(&before[skip..]);
    let x = area.x + 3 + u16::try_from(caret).unwrap_or(u16::MAX);
    (focused && state.overlay.is_none() && x < area.right()).then_some(Position { x, y })
}

/// Bytes to leave out at the left so that the caret stays in sight.
fn skipped(before: &str, room: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    let mut over = cells::width(before).saturating_sub(room);
    for (at, cluster) in before.grapheme_indices(true) {
        if over == 0 {
            return at;
        }
        over = over.saturating_sub(cells::width(cluster));
    }
    before.len() * usize::from(over > 0)
}

fn keys(state: &State, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let texts = &state.texts.app;
    let words = match (&state.review, state.pane) {
        (Some(_), _) => &texts.keys_review,
        (None, Pane::Log) => &texts.keys_log,
        (None, Pane::Editor | Pane::Message) => &texts.keys_text,
    };
    let room = usize::from(area.width.saturating_sub(1));
    let fitted = fit_keys(words, room);
    put(
        buffer,
        area.x + 1,
        area.y,
        &fitted,
        room,
        theme,
        Role::Muted,
    );
}

/// As many keys as fit, whole ones; the last one (the help) stays.
fn fit_keys(words: &str, room: usize) -> String {
    let mut parts: Vec<&str> = words.split("  ").collect();
    while parts.len() > 1 && cells::width(&parts.join("  ")) > room {
        parts.remove(parts.len() - 2);
    }
    cells::cut(&parts.join("  "), room).to_owned()
}

fn rule(area: Rect, chrome: Chrome, theme: &Theme, buffer: &mut Buffer) {
    for x in area.left()..area.right() {
        put(buffer, x, area.y, chrome.line(), 1, theme, Role::Rule);
    }
}

pub(super) fn put(
    buffer: &mut Buffer,
    x: u16,
    y: u16,
    text: &str,
    room: usize,
    theme: &Theme,
    role: Role,
) {
    if buffer.area.contains(Position { x, y }) {
        buffer.set_stringn(x, y, text, room, theme.style(role));
    }
}
