//! The bar: fill, marks over it, and what lies beyond the limit.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::app::gauge::Gauge;

use super::{Chrome, Mark, Pen, Role, Ruler, Spot, zone_role};

pub(super) fn draw(
    gauge: &Gauge,
    ruler: Ruler,
    spots: &[(Mark, Spot)],
    chrome: Chrome,
    row: Rect,
    pen: &mut Pen<'_>,
) {
    let rule = pen.style(Role::Rule);
    // A reversed block would be a hole in the bar.
    let fill = pen
        .style(zone_role(gauge.level.zone()))
        .remove_modifier(Modifier::REVERSED);
    let eighths = gauge
        .level
        .context
        .map_or(0, |context| ruler.eighths(context));
    let full = eighths / 8;
    let limit = ruler
        .cell(gauge.level.policy.window)
        .map_or(usize::MAX, usize::from);
    let part = chrome.part(eighths % 8).filter(|_| !gauge.level.estimated);
    let whole = if gauge.level.estimated {
        chrome.estimate()
    } else {
        chrome.fill()
    };
    for x in 0..usize::from(row.width) {
        let (symbol, style) = if x > limit {
            (chrome.over(), fill)
        } else if x < full {
            (whole, fill)
        } else if let Some(part) = part.filter(|_| x == full) {
            (part, fill)
        } else {
            (chrome.line(), rule)
        };
        pen.write(row, x, symbol, style);
    }
    for (mark, spot) in spots {
        match spot {
            Spot::Drawn(cell) => {
                let cell = usize::from(*cell);
                let blocks = chrome == Chrome::Box && cell < full;
                let style = if blocks {
                    on_fill(fill)
                } else {
                    pen.style(mark_role(*mark))
                };
                pen.write(row, cell, symbol(*mark, chrome), style);
            }
            Spot::Taken(_) | Spot::Beyond => {}
        }
    }
}

/// A mark over the fill: on its colour, in the colour of the page, which is the only one that can
/// be told from every fill.
fn on_fill(fill: Style) -> Style {
    fill.add_modifier(Modifier::REVERSED)
}

fn symbol(mark: Mark, chrome: Chrome) -> &'static str {
    match mark {
        Mark::Floor => chrome.floor(),
        Mark::Warn => chrome.warn(),
        Mark::At => chrome.at(),
        Mark::Limit => chrome.limit(),
    }
}

fn mark_role(mark: Mark) -> Role {
    match mark {
        Mark::Floor => Role::Muted,
        Mark::Warn => Role::Near,
        Mark::At => Role::Due,
        Mark::Limit => Role::Text,
    }
}
