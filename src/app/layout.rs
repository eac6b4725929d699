//! A terminal's size and the focused pane come in, the rectangles of the screen go out. They depend
//! on nothing else, so entering a review or a wait moves nothing.

#[cfg(test)]
mod tests;

use ratatui::layout::Rect;

use super::state::Pane;

/// The rectangles of the screen: disjoint, inside the area, empty where something is not shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// One to four rows.
    pub gauge: Rect,
    /// What is going on and what to do.
    pub now: Rect,
    /// The titles of the panes, over the whole width.
    pub titles: Rect,
    /// The event log.
    pub log: Rect,
    /// The column between log and editor.
    pub divider: Rect,
    /// The editor.
    pub editor: Rect,
    /// The line above the message.
    pub rule: Rect,
    /// The message to the agent: one row, or the whole body where only one pane is shown and this
    /// is the one.
    pub message: Rect,
    /// The keys that matter now.
    pub keys: Rect,
    /// Place to ask for a larger window; empty when it is large enough.
    pub too_small: Rect,
}

/// Columns and rows below which there are no panes at all.
const LEAST: (u16, u16) = (40, 10);

/// Columns and rows below which only the percentage is shown.
const TINY: (u16, u16) = (20, 3);

/// Columns and rows from which log and editor stand side by side.
const TWO_PANES: (u16, u16) = (60, 16);

/// Columns and rows from which the gauge has its fourth row and a rule parts off the message.
const FULL: (u16, u16) = (100, 30);

/// Columns the log takes at most; longer lines are hard to read.
const LOG_COLUMNS: u16 = 110;

impl Layout {
    /// Whether only one pane is shown at a time.
    pub fn is_single(&self) -> bool {
        self.divider.is_empty()
    }

    /// The editor's rectangle with its part of the title row, which it draws itself.
    pub fn editor_with_title(&self) -> Rect {
        let title = self.title_of(Pane::Editor);
        if title.is_empty() {
            return self.editor;
        }
        Rect {
            y: title.y,
            height: self.editor.height + title.height,
            ..self.editor
        }
    }

    /// The part of the title row over a pane; empty when the pane is not shown.
    pub fn title_of(&self, pane: Pane) -> Rect {
        let body = match pane {
            Pane::Log => self.log,
            Pane::Editor => self.editor,
            Pane::Message => self.message,
        };
        if body.is_empty() || body.y != self.titles.bottom() {
            return Rect::default();
        }
        Rect {
            x: body.x,
            width: body.width,
            ..self.titles
        }
    }
}

/// Divides `area`; where there is room for one pane only, `focus` says which.
pub fn layout(area: Rect, focus: Pane) -> Layout {
    let fits = |(columns, rows): (u16, u16)| area.width >= columns && area.height >= rows;
    let mut layout = Layout::default();
    let mut rows = Rows(area);
    if !fits(LEAST) {
        layout.gauge = rows.take(1);
        if fits(TINY) {
            layout.now = rows.take(1);
            layout.too_small = rows.take(1);
        }
        return layout;
    }
    let two = fits(TWO_PANES);
    layout.gauge = rows.take(match (fits(FULL), two) {
        (true, _) => 4,
        (false, true) => 3,
        (false, false) => 2,
    });
    layout.now = rows.take(1);
    layout.titles = rows.take(1);
    layout.keys = rows.take_last(1);
    if two {
        layout.message = rows.take_last(1);
    }
    if fits(FULL) {
        layout.rule = rows.take_last(1);
    }
    let Rows(body) = rows;
    if two {
        let log = log_columns(area.width);
        layout.log = Rect { width: log, ..body };
        layout.divider = Rect {
            x: body.x + log,
            width: 1,
            ..body
        };
        layout.editor = Rect {
            x: body.x + log + 1,
            width: body.width - log - 1,
            ..body
        };
    } else {
        match focus {
            Pane::Log => layout.log = body,
            Pane::Editor => layout.editor = body,
            Pane::Message => layout.message = body,
        }
    }
    layout
}

/// Columns of the log beside the editor: 49 %, but 42.5 % where the editor would be left with too
/// few for a sentence.
fn log_columns(width: u16) -> u16 {
    let permille = if width < FULL.0 { 425 } else { 490 };
    let columns = (u32::from(width) * permille + 500) / 1000;
    u16::try_from(columns)
        .unwrap_or(LOG_COLUMNS)
        .min(LOG_COLUMNS)
}

/// The rows that are not given away yet.
struct Rows(Rect);

impl Rows {
    fn take(&mut self, height: u16) -> Rect {
        let height = height.min(self.0.height);
        let taken = Rect { height, ..self.0 };
        self.0.y += height;
        self.0.height -= height;
        taken
    }

    fn take_last(&mut self, height: u16) -> Rect {
        let height = height.min(self.0.height);
        self.0.height -= height;
        Rect {
            y: self.0.y + self.0.height,
            height,
            ..self.0
        }
    }
}
