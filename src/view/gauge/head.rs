//! The first row: tokens, limit, percent and zone word, then as much as there is room for of the
//! distance, the forecast, the swaps, the generation and the step.

use ratatui::layout::Rect;

use crate::app::gauge::{Activity, Distance, Gauge};
use crate::cells;
use crate::generation::level::Zone;
use crate::texts::{GaugeTexts, fill};
use crate::tokens;

use super::{NARROW_COLUMNS, Pen, Role, WIDE_COLUMNS, zone_role};

/// Cells of the step's name at most.
const STEP_CELLS: usize = 24;

/// Columns below which there is only room for the percentage.
const PERCENT_ONLY_COLUMNS: u16 = 20;

/// Blanks that must stay on both sides of a distance.
const CLOSE: usize = 3;

/// Blanks that must stay below [`WIDE_COLUMNS`] for the forecast to be shown: there the distance is
/// to be found at once, not read.
const ROOMY: usize = 11;

/// Blanks kept right of the swaps where the row is narrow, so that they stand in one place.
const NARROW_MARGIN: usize = 3;

pub(super) fn draw(gauge: &Gauge, texts: &GaugeTexts, row: Rect, pen: &mut Pen<'_>) {
    if row.width < PERCENT_ONLY_COLUMNS {
        let style = pen.style(zone_role(gauge.level.zone()));
        pen.write(row, 0, &gauge.level.percent_text(), style);
    } else if row.width < NARROW_COLUMNS {
        narrow(gauge, texts, row, pen);
    } else {
        spread(gauge, texts, row, pen);
    }
}

/// One way to fill the row behind the zone word: the middle, the right end, and the blanks that
/// must stay beside the middle.
struct Way {
    middle: String,
    right: String,
    blanks: usize,
}

/// A row of 60 columns or more.
fn spread(gauge: &Gauge, texts: &GaugeTexts, row: Rect, pen: &mut Pen<'_>) {
    let wide = row.width >= WIDE_COLUMNS;
    let level = &gauge.level;
    let gap = if wide { "   " } else { "  " };
    let numbers = format!("{} / {}", level.context_text(), gauge.window_text());
    let percent = level.percent_text();
    let start = if wide {
        format!("{} {numbers}{gap}{percent}{gap}", texts.context)
    } else {
        format!("{numbers}{gap}{percent}{gap}")
    };
    let zone = gauge.zone_word(texts);
    let used = cells::width(&start) + cells::width(&zone);
    let width = usize::from(row.width);
    let found = ways(gauge, texts, wide).into_iter().find(|way| {
        let (middle, right) = (cells::width(&way.middle), cells::width(&way.right));
        used + middle + right + 2 * way.blanks <= width
    });
    put_start(gauge, &start, &zone, row, pen);
    let Some(way) = found else {
        return;
    };
    let right = width - cells::width(&way.right);
    let middle = used + (right - used - cells::width(&way.middle)) / 2;
    let (text, muted) = (pen.style(Role::Text), pen.style(Role::Muted));
    pen.write(row, middle, &way.middle, text);
    pen.write(row, right, &way.right, muted);
}

/// The ways to fill the row, from the fullest on: the step goes first, then the word "generation",
/// the turns, the distance, and the swaps at last.
fn ways(gauge: &Gauge, texts: &GaugeTexts, wide: bool) -> Vec<Way> {
    let long = distance(gauge, texts, true);
    let short = distance(gauge, texts, false);
    let turns = turns(gauge, texts);
    let generation = generation(gauge, texts, false);
    let swaps = swaps(gauge);
    let way = |middle: String, right: &str, blanks| Way {
        middle,
        right: right.to_owned(),
        blanks,
    };
    let mut ways = Vec::new();
    if wide {
        let full = self::generation(gauge, texts, true);
        let step = cells::cut(&gauge.step, STEP_CELLS);
        if !step.is_empty() {
            ways.push(way(
                format!("{long}{turns}"),
                &format!("{step}   {full}"),
                CLOSE,
            ));
        }
        ways.push(way(format!("{long}{turns}"), &full, CLOSE));
        ways.push(way(format!("{long}{turns}"), &generation, CLOSE));
        ways.push(way(long, &generation, CLOSE));
    }
    ways.push(way(format!("{short}{turns}"), &generation, ROOMY));
    ways.push(way(short.clone(), &generation, CLOSE));
    ways.push(way(short, &swaps, CLOSE));
    ways.push(way(String::new(), &swaps, 1));
    ways
}

/// A row of 20 to 59 columns: no blanks to spare, the swaps in a fixed place.
fn narrow(gauge: &Gauge, texts: &GaugeTexts, row: Rect, pen: &mut Pen<'_>) {
    let level = &gauge.level;
    let width = usize::from(row.width);
    let percent = level.percent_text();
    let numbers = format!("{}/{}", level.context_text(), gauge.window_text());
    let start = format!("{numbers} {percent} ");
    let zone = narrow_zone(gauge, texts);
    let used = cells::width(&start) + cells::width(&zone);
    if used > width {
        // Half a word would be a riddle, and half a number a lie.
        let both = format!("{numbers} {percent}");
        let shown = if cells::width(&both) <= width {
            &both
        } else {
            &percent
        };
        put_start(gauge, "", shown, row, pen);
        return;
    }
    put_start(gauge, &start, &zone, row, pen);
    let swaps = swaps(gauge);
    let end = width.saturating_sub(NARROW_MARGIN + cells::width(&swaps));
    if used < end {
        let muted = pen.style(Role::Muted);
        pen.write(row, end, &swaps, muted);
    }
    let distance = narrow_distances(gauge, texts)
        .into_iter()
        .find(|text| used + cells::width(text) < end);
    if let Some(distance) = distance {
        let text = pen.style(Role::Text);
        pen.write(row, used, &distance, text);
    }
}

fn put_start(gauge: &Gauge, start: &str, zone: &str, row: Rect, pen: &mut Pen<'_>) {
    let (text, colour) = (
        pen.style(Role::Text),
        pen.style(zone_role(gauge.level.zone())),
    );
    pen.write(row, 0, start, text);
    pen.write(row, cells::width(start), zone, colour);
}

fn narrow_zone(gauge: &Gauge, texts: &GaugeTexts) -> String {
    match (gauge.distance(), gauge.activity) {
        (Distance::Over { swaps: true, .. }, _) => texts.over_narrow.clone(),
        (Distance::Over { .. }, Activity::Reviewing | Activity::Held) => fill(
            &texts.in_review_narrow,
            &[("zone", &texts.zones.over_short)],
        ),
        (_, Activity::Reviewing | Activity::Held) => {
            let zone = match gauge.level.zone() {
                Zone::Unknown => &texts.zones.unknown,
                Zone::Off => &texts.zones.off,
                Zone::Ok => &texts.zones.ok,
                Zone::Near => &texts.zones.near,
                Zone::Due => &texts.zones.due,
                Zone::Over => &texts.zones.over_short,
            };
            fill(&texts.in_review_narrow, &[("zone", zone)])
        }
        (_, Activity::Working | Activity::Writing) => gauge.zone_word(texts),
    }
}

/// The distance to the hand-over mark right behind the zone word, exact or, shorter, rounded.
fn narrow_distances(gauge: &Gauge, texts: &GaugeTexts) -> Vec<String> {
    match gauge.distance() {
        Distance::ToHandoff { left } => [tokens::level(left), tokens::size(left)]
            .iter()
            .map(|left| fill(&texts.to_handoff_narrow, &[("left", left)]))
            .collect(),
        Distance::Unknown
        | Distance::LimitFirst { .. }
        | Distance::PastLine { .. }
        | Distance::Over { .. }
        | Distance::Off { .. } => Vec::new(),
    }
}

fn distance(gauge: &Gauge, texts: &GaugeTexts, long: bool) -> String {
    let choose = |whole: &str, short: &str| if long { whole } else { short }.to_owned();
    let known = match gauge.distance() {
        Distance::Unknown => return choose(&texts.unknown, &texts.unknown_short),
        Distance::ToHandoff { left } => fill(
            &choose(&texts.to_handoff, &texts.to_handoff_short),
            &[("left", &tokens::level(left))],
        ),
        Distance::LimitFirst { left } => fill(
            &choose(&texts.limit_first, &texts.limit_first_short),
            &[("left", &tokens::level(left))],
        ),
        Distance::PastLine { past, left } => fill(
            &choose(&texts.past, &texts.past_short),
            &[
                ("past", &tokens::level(past)),
                ("left", &tokens::level(left)),
            ],
        ),
        Distance::Over { over, swaps } => fill(
            if long && swaps {
                &texts.over_swaps
            } else {
                &texts.over
            },
            &[("over", &tokens::level(over))],
        ),
        Distance::Off { left } => {
            let text = choose(&texts.off, &texts.off_short);
            return fill(&text, &[("left", &tokens::level(left))]);
        }
    };
    if gauge.level.estimated {
        fill(&texts.about, &[("distance", &known)])
    } else {
        known
    }
}

fn turns(gauge: &Gauge, texts: &GaugeTexts) -> String {
    match gauge.forecast_turns() {
        None => String::new(),
        Some(1) => texts.turn.clone(),
        Some(turns) => fill(&texts.turns, &[("turns", &turns.to_string())]),
    }
}

/// Swaps made of swaps allowed; empty when handoffs are off.
fn swaps(gauge: &Gauge) -> String {
    let policy = gauge.level.policy;
    if policy.enabled {
        format!("{}/{}", gauge.swaps, policy.max_generations)
    } else {
        String::new()
    }
}

fn generation(gauge: &Gauge, texts: &GaugeTexts, long: bool) -> String {
    let text = match (gauge.level.policy.enabled, long) {
        (true, true) => &texts.generation,
        (true, false) => &texts.generation_short,
        (false, true) => &texts.generation_off,
        (false, false) => &texts.generation_off_short,
    };
    let generation = gauge.generation.to_string();
    fill(
        text,
        &[("generation", &generation), ("swaps", &swaps(gauge))],
    )
}
