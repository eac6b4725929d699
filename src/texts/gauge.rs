//! The words of the gauge.

use serde::Deserialize;

use super::WindowTexts;

/// The words of the gauge.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaugeTexts {
    /// What the first number is.
    pub context: String,
    /// Words for where the context stands.
    pub zones: ZoneTexts,
    /// A zone while a person may change the handoff.
    pub in_review: String,
    /// The same in few cells.
    pub in_review_narrow: String,
    /// Nothing is known before the first turn.
    pub unknown: String,
    /// The same in few cells.
    pub unknown_short: String,
    /// Tokens left to the hand-over mark.
    pub to_handoff: String,
    /// The same in few cells.
    pub to_handoff_short: String,
    /// The same right behind the zone word.
    pub to_handoff_narrow: String,
    /// A distance that rests on an estimate.
    pub about: String,
    /// One turn left, behind the distance.
    pub turn: String,
    /// Turns left, behind the distance.
    pub turns: String,
    /// Past the hand-over mark.
    pub past: String,
    /// The same in few cells.
    pub past_short: String,
    /// Over the limit, a swap follows.
    pub over_swaps: String,
    /// Over the limit.
    pub over: String,
    /// The zone word over the limit with what follows, in few cells.
    pub over_narrow: String,
    /// Handoffs are off.
    pub off: String,
    /// The same in few cells.
    pub off_short: String,
    /// The limit comes before the hand-over mark.
    pub limit_first: String,
    /// The same in few cells.
    pub limit_first_short: String,
    /// Number of the generation and swaps made of those allowed.
    pub generation: String,
    /// The same in few cells.
    pub generation_short: String,
    /// Number of the generation when handoffs are off.
    pub generation_off: String,
    /// The same in few cells.
    pub generation_off_short: String,
    /// Names of the marks.
    pub marks: MarkTexts,
    /// Growth of a turn and its trend.
    pub growth: String,
    /// Peaks of the generations.
    pub peaks: String,
    /// Money and tokens spent.
    pub spent: String,
    /// Tokens spent when no price is known.
    pub spent_tokens: String,
    /// The window and who says so.
    pub window: String,
    /// Headroom below the window.
    pub headroom: String,
    /// Sub-conversations running.
    pub subagents: String,
    /// Who says how large the window is.
    pub source: String,
    /// The same without a word around it.
    pub source_short: WindowTexts,
    /// The terminal has too few cells.
    pub too_small: String,
}

/// Words for where the context stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneTexts {
    /// Nothing known yet.
    pub unknown: String,
    /// Below the warn mark.
    pub ok: String,
    /// From the warn mark on.
    pub near: String,
    /// From the hand-over mark on.
    pub due: String,
    /// While the handoff is written.
    pub writing: String,
    /// Over the limit.
    pub over: String,
    /// Over the limit, in few cells.
    pub over_short: String,
    /// Handoffs are off.
    pub off: String,
}

/// Names of the marks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkTexts {
    /// First reading of the generation.
    pub floor: String,
    /// Warn mark.
    pub warn: String,
    /// Hand-over mark.
    pub at: String,
    /// The window.
    pub limit: String,
}
