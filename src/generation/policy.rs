//! The thresholds of a generation: a window in, two marks out. Pure arithmetic.

use serde::{Deserialize, Serialize};

/// Smallest hand-over mark in tokens, whatever the window: below it a session cannot even read its handoff.
pub const MIN_AT_TOKENS: u64 = 10_000;
/// Smallest warn mark in tokens.
pub const MIN_WARN_TOKENS: u64 = 1_000;
/// How far before the hand-over mark the warning comes, in tokens.
pub const WARN_LEAD_TOKENS: u64 = 20_000;
/// Default headroom in tokens: what is left for the writing turn and the message that crosses the mark.
pub const DEFAULT_HEADROOM_TOKENS: u64 = 50_000;
/// Default number of swaps one step may make.
pub const DEFAULT_MAX_GENERATIONS: u32 = 8;

/// When a session hands over to a fresh one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffPolicy {
    /// Whether sessions hand over at all.
    pub enabled: bool,
    /// Context window of the model in tokens.
    pub window: u64,
    /// Tokens kept free below the window; 0 is allowed.
    pub headroom: u64,
    /// Swaps allowed for one step; the next one fails the step.
    pub max_generations: u32,
}

impl Default for HandoffPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            window: crate::model::window::default_window(None),
            headroom: DEFAULT_HEADROOM_TOKENS,
            max_generations: DEFAULT_MAX_GENERATIONS,
        }
    }
}

impl HandoffPolicy {
    /// Context in tokens from which a session hands over; never below [`MIN_AT_TOKENS`].
    pub fn at(&self) -> u64 {
        self.window.saturating_sub(self.headroom).max(MIN_AT_TOKENS)
    }

    /// Context in tokens from which the warning is given; never below [`MIN_WARN_TOKENS`].
    pub fn warn_at(&self) -> u64 {
        self.at()
            .saturating_sub(WARN_LEAD_TOKENS)
            .max(MIN_WARN_TOKENS)
    }

    /// Whether the hand-over mark lies at or past the window, so that an overflow comes first.
    pub fn unreachable(&self) -> bool {
        self.enabled && self.at() >= self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(window: u64, headroom: u64) -> (u64, u64) {
        let policy = HandoffPolicy {
            window,
            headroom,
            ..HandoffPolicy::default()
        };
        (policy.at(), policy.warn_at())
    }

    #[test]
    fn marks_follow_the_window_and_never_fall_below_their_floor() {
        let rows = [
            ((200_000, 50_000), (150_000, 130_000)),
            ((1_000_000, 50_000), (950_000, 930_000)),
            ((200_000, 0), (200_000, 180_000)),
            ((60_000, 50_000), (10_000, 1_000)),
            ((40_000, 50_000), (10_000, 1_000)),
            ((0, 50_000), (10_000, 1_000)),
            ((0, 0), (10_000, 1_000)),
            ((80_500, 50_000), (30_500, 10_500)),
            ((70_500, 50_000), (20_500, 1_000)),
            ((u64::MAX, 1), (u64::MAX - 1, u64::MAX - 20_001)),
            ((1, u64::MAX), (10_000, 1_000)),
        ];
        for ((window, headroom), expected) in rows {
            assert_eq!(marks(window, headroom), expected, "{window} - {headroom}");
        }
    }

    #[test]
    fn a_mark_at_or_past_the_window_is_reported() {
        for (window, headroom, enabled, expected) in [
            (40_000, 50_000, true, false),
            (10_000, 50_000, true, true),
            (8_192, 0, true, true),
            (8_192, 0, false, false),
            (200_000, 0, true, true),
            (200_000, 50_000, true, false),
        ] {
            let policy = HandoffPolicy {
                enabled,
                window,
                headroom,
                max_generations: 8,
            };
            assert_eq!(policy.unreachable(), expected, "{window} - {headroom}");
        }
    }
}
