//! The now line: a [`NowLine`] comes in, one row goes out: the state's word, what happens, what a
//! person may do, and at the right end the clock.

mod clock;
mod said;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::app::now::{Countdown, NowLine};
use crate::texts::{NowTexts, Texts, fill};

use super::theme::{Role, Theme};
use crate::cells;
use clock::clock;
use said::Said;

/// Cells of an outside text below which a shorter sentence is taken, to leave it more.
const LEAST_CELLS: usize = 16;

/// Draws the now line into the first row of `area`.
pub fn draw(line: &NowLine, texts: &Texts, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let row = Rect {
        height: area.height.min(1),
        ..area
    }
    .intersection(buffer.area);
    if row.is_empty() {
        return;
    }
    let style = theme.style(if line.now.asks() {
        Role::NowAsks
    } else {
        Role::NowCalm
    });
    buffer.set_style(row, style);
    let texts = &texts.now;
    let said = Said::of(&line.now, texts);
    let width = usize::from(row.width);
    let mut put = |x: usize, text: &str, style| {
        if let Some(x) = u16::try_from(x).ok().filter(|x| *x < row.width) {
            let room = usize::from(row.width - x);
            buffer.set_stringn(row.x + x, row.y, text, room, style);
        }
    };
    let form = said.form(line, texts, width);
    put(1, &said.state.word, style.add_modifier(Modifier::BOLD));
    put(form.text_at, &form.text, style);
    let clock_style = if line.countdown.is_some_and(Countdown::is_short) {
        style.patch(theme.style(Role::Due))
    } else {
        style
    };
    put(form.right_at, &form.waiting, style);
    put(
        form.right_at + cells::width(&form.waiting),
        &form.clock,
        clock_style,
    );
}

/// Asks for a larger window in the first row of `area`.
pub fn draw_too_small(texts: &Texts, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if !area.is_empty() {
        let style = theme.style(Role::Text);
        let room = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, &texts.gauge.too_small, room, style);
    }
}

/// A row, ready to be put down.
struct Form {
    text: String,
    text_at: usize,
    waiting: String,
    clock: String,
    right_at: usize,
}

impl Said<'_> {
    /// The fullest form that fits.
    fn form(&self, line: &NowLine, texts: &NowTexts, width: usize) -> Form {
        let clock = clock(line, texts);
        let state = self.state;
        let worded = clock.as_ref().map_or("", |(_, worded)| worded);
        let bare = clock.as_ref().map_or("", |(bare, _)| bare);
        let spread = Spacing {
            behind_word: 3,
            before_clock: 2,
            margin: 1,
        };
        let tight = Spacing {
            behind_word: 2,
            before_clock: 1,
            margin: 0,
        };
        let fitting = [(&state.wide, worded), (&state.medium, worded)]
            .into_iter()
            .find_map(|(text, clock)| self.fit(text, clock, line, width, spread, LEAST_CELLS));
        fitting
            .or_else(|| self.fit(&state.narrow, bare, line, width, tight, 1))
            .unwrap_or_else(|| self.squeezed(bare, line, width))
    }

    fn fit(
        &self,
        template: &str,
        clock: &str,
        line: &NowLine,
        width: usize,
        spacing: Spacing,
        least: usize,
    ) -> Option<Form> {
        let (waiting, right) = right_end(line, clock);
        let before_clock = if right == 0 { 0 } else { spacing.before_clock };
        let text_at = 1 + cells::width(&self.state.word) + spacing.behind_word;
        let around = text_at + before_clock + right + spacing.margin;
        let room = width.checked_sub(around)?;
        let text = self.filled(template, room, least)?;
        Some(Form {
            text,
            text_at,
            waiting,
            clock: clock.to_owned(),
            right_at: width - spacing.margin - right,
        })
    }

    /// The template with its values, the long one cut to what is left of `room` but not below
    /// `least` cells.
    fn filled(&self, template: &str, room: usize, least: usize) -> Option<String> {
        let mut values: Vec<(&str, &str)> = self
            .values
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let mut cut = String::new();
        if let Some((name, value)) = self.long {
            values.push((name, ""));
            let left = room.checked_sub(cells::width(&fill(template, &values)))?;
            values.pop();
            let wide = cells::width(value);
            if left < wide.min(least) {
                return None;
            }
            cut.push_str(cells::fit(value, left.min(wide)).trim_end());
            values.push((name, &cut));
        }
        let text = fill(template, &values);
        (cells::width(&text) <= room).then_some(text)
    }

    /// A row too short for any text: the word, and the clock when both fit.
    fn squeezed(&self, clock: &str, line: &NowLine, width: usize) -> Form {
        let (waiting, right) = right_end(line, clock);
        let word = 1 + cells::width(&self.state.word);
        let fits = right > 0 && word + 1 + right <= width;
        Form {
            text: String::new(),
            text_at: word,
            waiting: if fits { waiting } else { String::new() },
            clock: if fits {
                clock.to_owned()
            } else {
                String::new()
            },
            right_at: if fits { width - right } else { word },
        }
    }
}

/// Blanks of a row.
#[derive(Clone, Copy)]
struct Spacing {
    behind_word: usize,
    before_clock: usize,
    margin: usize,
}

/// How many states wait, as it stands before the clock, and the cells of both.
fn right_end(line: &NowLine, clock: &str) -> (String, usize) {
    let waiting = match (line.waiting, clock.is_empty()) {
        (0, _) => String::new(),
        (count, true) => format!("+{count}"),
        (count, false) => format!("+{count}  "),
    };
    let right = cells::width(&waiting) + cells::width(clock);
    (waiting, right)
}
