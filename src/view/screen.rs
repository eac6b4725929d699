//! The whole screen: composes the panes and says where the caret is.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, Clear, Widget};

use super::chrome::Chrome;
use super::editor::{EditorChrome, EditorTitle};
use super::theme::{Role, Theme};
use super::{archive, editor, gauge, help, log, nowline};
use crate::app::editor::Clash;
use crate::app::keymap::{self, Command, Scroll};
use crate::app::layout::{Layout, layout};
use crate::app::situation;
use crate::app::state::{Overlay, Pane, Run, State};
use crate::cells;
use crate::sanitize::{sanitize, sanitize_line};
use crate::texts::{Texts, fill};

/// Stands for a line break where there is one row only.
const LINE_BREAK: &str = " / ";

/// Lines of a question's arguments that are shown.
const QUESTION_LINES: usize = 40;

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
            over(state, overlay, theme, area, buffer);
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

fn over(state: &State, overlay: &Overlay, theme: &Theme, area: Rect, buffer: &mut Buffer) {
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
    let merged = clash.merged.as_deref();
    let parts = [
        (&words.conflict_mine, Some(clash.mine.as_str())),
        (&words.conflict_theirs, Some(clash.theirs.as_str())),
        (&words.conflict_result, merged),
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

fn rule(area: Rect, chrome: Chrome, theme: &Theme, buffer: &mut Buffer) {
    for x in area.left()..area.right() {
        put(buffer, x, area.y, chrome.line(), 1, theme, Role::Rule);
    }
}

fn put(buffer: &mut Buffer, x: u16, y: u16, text: &str, room: usize, theme: &Theme, role: Role) {
    if buffer.area.contains(Position { x, y }) {
        buffer.set_stringn(x, y, text, room, theme.style(role));
    }
}
