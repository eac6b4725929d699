//! The event log: the rows in sight go in, cells come out. Only those rows are built.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme::{Role, Theme};
use crate::app::log::{
    BodyLine, Columns, End, Entry, Kind, Log, Mark, Outcome, Row, duration, whole_seconds,
};
use crate::cells;
use crate::texts::{LogTexts, Texts, fill};

/// Where the sign of an added or removed line stands beside line numbers, in cells.
const SIGN_AT: usize = 8;
/// Cells of a line number.
const NUMBER_CELLS: usize = 5;
/// Cells of a call's words that must be left for its outcome to be shown.
const LEAST_WORDS: usize = 6;

/// The words of the pane's title row: the pane, and whether it follows.
pub fn title(log: &Log, texts: &Texts) -> String {
    let words = &texts.log;
    let state = match log.unseen() {
        _ if log.is_following() => words.following.clone(),
        0 => words.held.clone(),
        unseen => fill(&words.new, &[("count", &unseen.to_string())]),
    };
    format!("{}  {state}", words.title)
}

/// Draws the log below its title row. `focused` says whether the keys go here.
pub fn draw(
    log: &Log,
    focused: bool,
    texts: &Texts,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let area = area.intersection(buffer.area);
    let mut pen = Pen {
        log,
        words: &texts.log,
        theme: *theme,
        columns: log.columns(),
        focused,
        area,
        y: area.y,
        buffer,
    };
    if log.is_empty() && area.height > 0 {
        let style = theme.style(Role::Muted);
        pen.put(1, &texts.log.empty, usize::MAX, style);
    }
    for (entry, row) in log.visible().take(usize::from(area.height)) {
        pen.row(entry, row);
        pen.y += 1;
    }
}

struct Pen<'a> {
    log: &'a Log,
    words: &'a LogTexts,
    theme: Theme,
    columns: Columns,
    focused: bool,
    area: Rect,
    y: u16,
    buffer: &'a mut Buffer,
}

impl Pen<'_> {
    fn row(&mut self, entry: &Entry, row: Row) {
        let indent = self.columns.indent;
        match row {
            Row::Head { start, end } => self.head(entry, piece(entry.text(), start, end)),
            Row::Text { start, end } => {
                let style = self.theme.style(text_role(entry.kind()));
                self.put(indent, piece(entry.text(), start, end), usize::MAX, style);
            }
            Row::Body { line, start, end } => {
                if let Some(body) = entry.body().get(line) {
                    self.body(entry, body, start, end);
                }
            }
            Row::More { lines } => {
                let more = fill(&self.words.more, &[("lines", &lines.to_string())]);
                let more = cells::shorten(&more, self.columns.room(indent));
                self.put(indent, &more, usize::MAX, self.theme.style(Role::Muted));
            }
        }
    }

    fn head(&mut self, entry: &Entry, text: &str) {
        let word = entry.kind().word(&self.words.kinds);
        let from = self.columns.text_from(word);
        if self.focused && self.log.selected() == Some(entry.id()) {
            self.put(0, ">", 1, self.theme.style(Role::Focus));
        }
        let mut kind_at = 1;
        if self.columns.has_time {
            self.put(1, entry.time(), 8, self.theme.style(Role::Muted));
            kind_at = 10;
        }
        self.put(
            kind_at,
            word,
            usize::MAX,
            self.theme.style(kind_role(entry.kind())),
        );
        let right = self.right(entry);
        let style = self.theme.style(text_role(entry.kind()));
        let (text, right) = if entry.is_cut() {
            self.fitting(entry, right, self.columns.room(from))
        } else {
            let right = [right.clone(), right.without_time()]
                .into_iter()
                .find(|right| self.gapped(right) + cells::width(text) <= self.columns.room(from));
            (text.to_owned(), right)
        };
        self.put(from, &text, usize::MAX, style);
        if let Some(right) = right {
            self.put_right(&right);
        }
    }

    /// The words and the outcome of a call that share one row: the seconds go first, then the folder
    /// of a path, then the end of the words.
    fn fitting(&self, entry: &Entry, right: Right, room: usize) -> (String, Option<Right>) {
        if let Outcome::Ended(_, End::Found(count)) = entry.outcome() {
            let values = [("what", entry.text()), ("count", &*count.to_string())];
            let text = fill(&self.words.found_behind, &values);
            let time = Right {
                time: right.time.clone(),
                word: None,
            };
            if cells::width(&text) + self.gapped(&time) <= room {
                return (text, Some(time));
            }
        }
        let brief = right.without_time();
        let candidates = [
            (entry.text(), &right),
            (entry.text(), &brief),
            (entry.short_text(), &right),
            (entry.short_text(), &brief),
        ];
        let fits = |(text, right): &(&str, &Right)| cells::width(text) + self.gapped(right) <= room;
        if let Some((text, right)) = candidates.into_iter().find(fits) {
            return (text.to_owned(), Some(right.clone()));
        }
        let left = room.saturating_sub(self.gapped(&brief));
        if left < LEAST_WORDS {
            return (cells::shorten(entry.short_text(), room), None);
        }
        (cells::shorten(entry.short_text(), left), Some(brief))
    }

    /// Cells of an outcome with the blanks before it.
    fn gapped(&self, right: &Right) -> usize {
        match right.cells(self.gap()) {
            0 => 0,
            cells => cells + self.gap(),
        }
    }

    fn gap(&self) -> usize {
        if self.columns.is_wide { 2 } else { 1 }
    }

    fn put_right(&mut self, right: &Right) {
        let gap = self.gap();
        let mut at = usize::from(self.columns.width).saturating_sub(1 + right.cells(gap));
        if let Some(time) = &right.time {
            self.put(at, time, usize::MAX, self.theme.style(Role::Muted));
            at += cells::width(time) + gap;
        }
        if let Some((word, role)) = &right.word {
            self.put(at, word, usize::MAX, self.theme.style(*role));
        }
    }

    fn body(&mut self, entry: &Entry, body: &BodyLine, start: usize, end: usize) {
        let (sign, role) = match body.mark {
            Mark::None if is_bad(entry.outcome()) => ("", Role::Text),
            Mark::None => ("", Role::Muted),
            Mark::Added => ("+", Role::Added),
            Mark::Removed => ("-", Role::Removed),
        };
        let style = self.theme.style(role);
        if start == 0 {
            if self.columns.is_wide {
                let number = body
                    .number
                    .map_or(String::new(), |number| format!("{number:>NUMBER_CELLS$}"));
                self.put(0, &number, SIGN_AT, self.theme.style(Role::Muted));
                self.put(SIGN_AT, sign, 1, style);
            } else {
                self.put(1, sign, 1, style);
            }
        }
        let text = piece(&body.text, start, end);
        let text = cells::shorten(text, self.columns.room(self.columns.indent));
        self.put(self.columns.indent, &text, usize::MAX, style);
    }

    fn right(&self, entry: &Entry) -> Right {
        let words = self.words;
        match entry.outcome() {
            Outcome::None => Right::default(),
            Outcome::Running(since) => {
                let seconds = since.zip(self.log.now()).map(|(since, now)| {
                    u64::try_from(now.as_second() - since.as_second()).unwrap_or(0)
                });
                let time = seconds.map_or(String::new(), whole_seconds);
                let word = fill(&words.running, &[("time", &time)]);
                Right {
                    time: None,
                    word: Some((word.trim_end().to_owned(), Role::Focus)),
                }
            }
            Outcome::Ended(took, end) => {
                let time = took.map(duration);
                let (time, word) = match end {
                    End::Ok => (time, Some((words.ok.clone(), Role::Ok))),
                    End::Failed => (time, Some((words.failed.clone(), Role::Error))),
                    // How long a question or nothing took says nothing.
                    End::Refused => (None, Some((words.refused.clone(), Role::Near))),
                    End::NoResult => (None, Some((words.no_result.clone(), Role::Near))),
                    End::Lines(1) => (None, Some((words.one_line.clone(), Role::Muted))),
                    End::Lines(count) => {
                        let lines = fill(&words.lines, &[("count", &count.to_string())]);
                        (None, Some((lines, Role::Muted)))
                    }
                    End::Changed { added, removed } => {
                        (None, Some((format!("+{added} -{removed}"), Role::Ok)))
                    }
                    End::Found(count) => {
                        let found = fill(&words.found, &[("count", &count.to_string())]);
                        (time, Some((found, Role::Muted)))
                    }
                };
                Right { time, word }
            }
        }
    }

    /// Writes into the row, never outside the area. `most` is in cells.
    fn put(&mut self, at: usize, text: &str, most: usize, style: Style) {
        let room = usize::from(self.area.width).saturating_sub(at);
        let inside = self.y < self.area.bottom();
        let at = u16::try_from(at).ok().filter(|_| room > 0 && inside);
        if let Some(at) = at {
            self.buffer
                .set_stringn(self.area.x + at, self.y, text, room.min(most), style);
        }
    }
}

/// What stands at the right end of a first row.
#[derive(Debug, Clone, Default)]
struct Right {
    time: Option<String>,
    word: Option<(String, Role)>,
}

impl Right {
    fn cells(&self, gap: usize) -> usize {
        match (&self.time, &self.word) {
            (Some(time), Some((word, _))) => cells::width(time) + gap + cells::width(word),
            (Some(text), None) | (None, Some((text, _))) => cells::width(text),
            (None, None) => 0,
        }
    }

    fn without_time(&self) -> Self {
        Self {
            time: None,
            word: self.word.clone(),
        }
    }
}

fn piece(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

fn is_bad(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Ended(_, End::Failed | End::Refused | End::NoResult) => true,
        Outcome::Ended(_, End::Ok | End::Lines(_) | End::Changed { .. } | End::Found(_))
        | Outcome::None
        | Outcome::Running(_) => false,
    }
}

fn kind_role(kind: &Kind) -> Role {
    match kind {
        Kind::Says | Kind::Tool(_) => Role::Text,
        Kind::Thinks | Kind::Start | Kind::Sub => Role::Muted,
        Kind::Near | Kind::Retry | Kind::Notice => Role::Near,
        Kind::Due | Kind::Review => Role::Due,
        Kind::Swap | Kind::File | Kind::Done => Role::Ok,
        Kind::You | Kind::Pin => Role::You,
        Kind::Error | Kind::Stopped => Role::Error,
    }
}

fn text_role(kind: &Kind) -> Role {
    match kind {
        Kind::Thinks => Role::Muted,
        Kind::You | Kind::Pin => Role::You,
        Kind::Says
        | Kind::Tool(_)
        | Kind::Start
        | Kind::Sub
        | Kind::Near
        | Kind::Retry
        | Kind::Notice
        | Kind::Due
        | Kind::Review
        | Kind::Swap
        | Kind::File
        | Kind::Done
        | Kind::Error
        | Kind::Stopped => Role::Text,
    }
}
