//! The fourth row: growth, peaks, spending, the window and its source, headroom, sub-conversations.

use ratatui::layout::Rect;

use crate::app::gauge::Gauge;
use crate::cells;
use crate::texts::{Texts, fill};
use crate::tokens;

use super::{Chrome, Pen, Role};

/// Peaks drawn, the latest ones.
const PEAKS_SHOWN: usize = 16;

/// Blanks between two facts.
const GAP: &str = "   ";

/// A fact, and when it is dropped in a row that is too short: the highest first, 0 never.
struct Fact {
    text: String,
    dropped: u8,
}

pub(super) fn draw(gauge: &Gauge, texts: &Texts, chrome: Chrome, row: Rect, pen: &mut Pen<'_>) {
    let mut facts = facts(gauge, texts, chrome);
    while cells::width(&joined(&facts)) > usize::from(row.width) && facts.len() > 1 {
        let least = facts.iter().map(|fact| fact.dropped).max();
        facts.retain(|fact| Some(fact.dropped) != least);
    }
    let style = pen.style(Role::Muted);
    pen.write(row, 0, &joined(&facts), style);
}

fn joined(facts: &[Fact]) -> String {
    let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
    texts.join(GAP)
}

fn facts(gauge: &Gauge, texts: &Texts, chrome: Chrome) -> Vec<Fact> {
    let words = &texts.gauge;
    let policy = gauge.level.policy;
    let mut facts = Vec::new();
    let mut add = |dropped, text| facts.push(Fact { text, dropped });
    if let Some(growth) = gauge.median_growth() {
        let turns: Vec<u64> = gauge.growth.iter().copied().collect();
        let trend = trend(&turns, turns.iter().copied().max().unwrap_or(0), chrome);
        let growth = tokens::level(growth);
        add(
            2,
            fill(&words.growth, &[("growth", &growth), ("trend", &trend)]),
        );
    }
    let peaks: Vec<u64> = gauge
        .peaks
        .iter()
        .copied()
        .filter(|peak| *peak > 0)
        .collect();
    if let Some(highest) = peaks.iter().max() {
        // Over the line that ends a generation, so that one which just began does not look full.
        let line = if policy.enabled {
            policy.at()
        } else {
            policy.window
        };
        let shown = &peaks[peaks.len().saturating_sub(PEAKS_SHOWN)..];
        let trend = trend(shown, (*highest).max(line), chrome);
        add(4, fill(&words.peaks, &[("trend", &trend)]));
    }
    let spent = tokens::level(gauge.spent_tokens);
    add(
        1,
        match gauge.spent_usd {
            Some(usd) => {
                let usd = format!("${usd:.2}");
                fill(&words.spent, &[("usd", &usd), ("tokens", &spent)])
            }
            None => fill(&words.spent_tokens, &[("tokens", &spent)]),
        },
    );
    let source = texts.window_from.by_word(gauge.window_source.word());
    let window = gauge.window_text();
    add(
        0,
        fill(&words.window, &[("window", &window), ("source", source)]),
    );
    if policy.enabled {
        let headroom = tokens::size(policy.headroom);
        add(5, fill(&words.headroom, &[("headroom", &headroom)]));
    }
    if gauge.subagents > 0 {
        let subagents = gauge.subagents.to_string();
        add(3, fill(&words.subagents, &[("subagents", &subagents)]));
    }
    facts
}

/// Values as steps of a height of `top`, half a step upwards, at least the lowest.
fn trend(values: &[u64], top: u64, chrome: Chrome) -> String {
    let steps = chrome.trend();
    let count = u128::try_from(steps.len()).unwrap_or(u128::MAX);
    let top = u128::from(top.max(1));
    values
        .iter()
        .map(|value| {
            let height = (2 * u128::from(*value) * count + top) / (2 * top);
            let index = usize::try_from(height).unwrap_or(usize::MAX).max(1) - 1;
            steps[index.min(steps.len() - 1)]
        })
        .collect()
}
