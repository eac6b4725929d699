//! The gauge at the top of the screen: one [`Gauge`] comes in, up to four rows of cells go out.
//!
//! Four rows from 100 columns on (numbers, bar, labels, facts), else three, two or one, as many as
//! the rectangle has. Tokens and percent are there at every width.

mod bar;
mod facts;
mod head;
mod labels;
#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::gauge::Gauge;
use crate::generation::level::Zone;
use crate::texts::Texts;

use super::chrome::Chrome;
use super::marks::{self, Mark, Ruler, Spot};
use super::theme::{Role, Theme};

/// Columns from which the fourth row and the long words are drawn.
pub const WIDE_COLUMNS: u16 = 100;

/// Columns below which the words are cut to the least.
pub const NARROW_COLUMNS: u16 = 60;

/// Draws the gauge into the rows of `area`.
pub fn draw(
    gauge: &Gauge,
    texts: &Texts,
    theme: &Theme,
    chrome: Chrome,
    area: Rect,
    buffer: &mut Buffer,
) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let row = |index: u16| Rect {
        y: area.y + index,
        height: 1,
        ..area
    };
    let pen = &mut Pen { theme, buffer };
    head::draw(gauge, &texts.gauge, row(0), pen);
    if area.height < 2 || area.width < 2 {
        return;
    }
    let marks = marks_of(gauge);
    let ruler = Ruler::new(area.width, gauge.level.policy.window, gauge.level.context);
    let spots = marks::place(ruler, &marks);
    bar::draw(gauge, ruler, &spots, chrome, row(1), pen);
    if area.height < 3 {
        return;
    }
    let facts = area.height > 3 && area.width >= WIDE_COLUMNS;
    let source = (!facts).then(|| sources(gauge, texts));
    labels::draw(gauge, &texts.gauge, &marks, ruler, source, row(2), pen);
    if facts {
        facts::draw(gauge, texts, chrome, row(3), pen);
    }
}

/// Who says how large the window is, in few words: for the right end of the title row where the
/// gauge has only two rows.
pub fn source_text<'a>(gauge: &Gauge, texts: &'a Texts) -> &'a str {
    texts.gauge.source_short.by_word(gauge.window_source.word())
}

/// The source of the window, in words and in fewer.
fn sources(gauge: &Gauge, texts: &Texts) -> [String; 2] {
    let long = texts.window_from.by_word(gauge.window_source.word());
    [
        crate::texts::fill(&texts.gauge.source, &[("source", long)]),
        source_text(gauge, texts).to_owned(),
    ]
}

/// The marks there are, in tokens.
fn marks_of(gauge: &Gauge) -> Vec<(Mark, u64)> {
    let policy = gauge.level.policy;
    let mut marks = Vec::with_capacity(4);
    marks.extend(gauge.floor.map(|floor| (Mark::Floor, floor)));
    if policy.enabled {
        marks.push((Mark::Warn, policy.warn_at()));
        marks.push((Mark::At, policy.at()));
    }
    marks.push((Mark::Limit, policy.window));
    marks
}

/// The role that colours the fill and the zone word.
fn zone_role(zone: Zone) -> Role {
    match zone {
        Zone::Unknown | Zone::Off => Role::Muted,
        Zone::Ok => Role::Ok,
        Zone::Near => Role::Near,
        Zone::Due => Role::Due,
        Zone::Over => Role::Over,
    }
}

/// Writes into the buffer in the theme's styles.
struct Pen<'a> {
    theme: &'a Theme,
    buffer: &'a mut Buffer,
}

impl Pen<'_> {
    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Writes a text from cell `x` of a row on, never past the row's end.
    fn write(&mut self, row: Rect, x: usize, text: &str, style: Style) {
        let Some(x) = u16::try_from(x).ok().filter(|x| *x < row.width) else {
            return;
        };
        let room = usize::from(row.width - x);
        self.buffer.set_stringn(row.x + x, row.y, text, room, style);
    }
}
