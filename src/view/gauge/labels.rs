//! The row of numbers under the bar and, where there is no fourth row, the window's source between
//! them.

use ratatui::layout::Rect;

use crate::app::gauge::Gauge;
use crate::cells;
use crate::texts::GaugeTexts;
use crate::tokens;
use crate::view::marks::{Label, PlacedLabel, layouts};

use super::{Mark, Pen, Role, Ruler};

pub(super) fn draw(
    gauge: &Gauge,
    texts: &GaugeTexts,
    marks: &[(Mark, u64)],
    ruler: Ruler,
    source: Option<[String; 2]>,
    row: Rect,
    pen: &mut Pen<'_>,
) {
    let width = usize::from(row.width);
    let labels = labels(gauge, texts, marks, ruler);
    let muted = pen.style(Role::Muted);
    let over = pen.style(Role::Over);
    let mut rows = layouts(width, &labels);
    let placed = match &source {
        None => rows.next().unwrap_or_default(),
        Some(source) => {
            // The source is never left out; labels give way to it.
            let found = rows.find_map(|row| Some((between(width, &row, source)?, row)));
            let ((x, text), row_labels) = found.unwrap_or(((0, &source[1]), Vec::new()));
            pen.write(row, x, text, muted);
            row_labels
        }
    };
    for label in placed {
        let style = if label.beyond { over } else { muted };
        pen.write(row, label.x, &label.text, style);
    }
}

/// The labels in the order of their marks.
fn labels(gauge: &Gauge, texts: &GaugeTexts, marks: &[(Mark, u64)], ruler: Ruler) -> Vec<Label> {
    let mut sorted = marks.to_vec();
    sorted.sort_by_key(|(mark, value)| (*value, *mark));
    let zero = Label {
        mark: None,
        number: "0".to_owned(),
        word: String::new(),
        cell: Some(0),
    };
    let marked = sorted.into_iter().map(|(mark, value)| {
        let cell = ruler.cell(value);
        let (number, word) = match mark {
            Mark::Floor => (tokens::size(value), &texts.marks.floor),
            Mark::Warn => (tokens::size(value), &texts.marks.warn),
            Mark::At => (tokens::size(value), &texts.marks.at),
            Mark::Limit => (gauge.window_text(), &texts.marks.limit),
        };
        Label {
            mark: Some(mark),
            // Beside a limit of 9.9K, 10K would look like the same.
            number: if cell.is_none() {
                tokens::level(value)
            } else {
                number
            },
            word: word.clone(),
            cell,
        }
    });
    std::iter::once(zero).chain(marked).collect()
}

/// Where the first of `texts` that fits stands in the middle of the widest gap.
fn between<'a>(
    width: usize,
    labels: &[PlacedLabel],
    texts: &'a [String; 2],
) -> Option<(usize, &'a String)> {
    let starts = labels.iter().map(|label| label.x).chain([width]);
    let ends = std::iter::once(0).chain(labels.iter().map(PlacedLabel::end));
    let (start, gap) = ends
        .zip(starts)
        .map(|(end, start)| (end, start - end))
        // The first of equal gaps, so that a label that comes or goes moves nothing.
        .reduce(|widest, next| if next.1 > widest.1 { next } else { widest })?;
    texts.iter().find_map(|text| {
        let wide = cells::width(text);
        (wide + 2 <= gap).then(|| (start + (gap - wide) / 2, text))
    })
}
