//! How full the context is, as one value: the gauge, the log, `--json` and the manifest all read it
//! from here, so a number and its percentage can never disagree.

use super::policy::HandoffPolicy;
use crate::tokens;

/// Where the context stands between empty and over the limit. Decided by numbers, never by drawn cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// No usage is known for this session yet.
    Unknown,
    /// Handoffs are off: there are no marks.
    Off,
    /// Below the warn mark.
    Ok,
    /// From the warn mark on.
    Near,
    /// From the hand-over mark on.
    Due,
    /// Above the window.
    Over,
}

/// A context reading beside the marks it is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Tokens of the main conversation's last turn; `None` while unknown.
    pub context: Option<u64>,
    /// Whether the reading was estimated from the text and not reported by the server.
    pub estimated: bool,
    /// Window and marks.
    pub policy: HandoffPolicy,
}

impl Level {
    /// The zone of this reading.
    pub fn zone(&self) -> Zone {
        match self.context {
            None => Zone::Unknown,
            Some(context) if context > self.policy.window => Zone::Over,
            Some(_) if !self.policy.enabled => Zone::Off,
            Some(context) if context >= self.policy.at() => Zone::Due,
            Some(context) if context >= self.policy.warn_at() => Zone::Near,
            Some(_) => Zone::Ok,
        }
    }

    /// Context in tenths of a percent of the window, rounded half up and never clamped; `None`
    /// while the context or the window is unknown.
    pub fn permille(&self) -> Option<u64> {
        let context = u128::from(self.context?);
        let window = u128::from(self.policy.window);
        (window > 0)
            .then(|| u64::try_from((context * 2_000 + window) / (2 * window)).unwrap_or(u64::MAX))
    }

    /// The percentage with one decimal, as `76.0%`; `?%` while unknown, `~` before an estimate.
    pub fn percent_text(&self) -> String {
        match self.permille() {
            None => "?%".to_owned(),
            Some(p) => format!("{}{}.{}%", self.mark(), p / 10, p % 10),
        }
    }

    /// The tokens, as `152.0K`; `?` while unknown, `~` before an estimate.
    pub fn context_text(&self) -> String {
        match self.context {
            None => "?".to_owned(),
            Some(context) => format!("{}{}", self.mark(), tokens::level(context)),
        }
    }

    /// Tokens left to the hand-over mark; `None` while unknown, when off, or when past it.
    pub fn to_handoff(&self) -> Option<u64> {
        if !self.policy.enabled {
            return None;
        }
        self.policy.at().checked_sub(self.context?)
    }

    /// The one test for "hand over now", for every path that may ask.
    pub fn is_due(&self) -> bool {
        self.policy.enabled && self.context.is_some_and(|c| c >= self.policy.at())
    }

    /// The one test for "the warn mark is passed".
    pub fn is_near(&self) -> bool {
        self.policy.enabled && self.context.is_some_and(|c| c >= self.policy.warn_at())
    }

    fn mark(&self) -> &'static str {
        if self.estimated { "~" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(context: Option<u64>, window: u64, enabled: bool) -> Level {
        Level {
            context,
            estimated: false,
            policy: HandoffPolicy {
                enabled,
                window,
                ..HandoffPolicy::default()
            },
        }
    }

    #[test]
    fn zone_percent_and_due_agree_at_every_edge() {
        use Zone::*;
        let rows = [
            (None, 200_000, true, Unknown, "?%", false),
            (Some(0), 200_000, true, Ok, "0.0%", false),
            (Some(12_000), 200_000, true, Ok, "6.0%", false),
            (Some(129_999), 200_000, true, Ok, "65.0%", false),
            (Some(130_000), 200_000, true, Near, "65.0%", false),
            (Some(149_999), 200_000, true, Near, "75.0%", false),
            (Some(150_000), 200_000, true, Due, "75.0%", true),
            (Some(152_000), 200_000, true, Due, "76.0%", true),
            (Some(200_000), 200_000, true, Due, "100.0%", true),
            (Some(200_001), 200_000, true, Over, "100.0%", true),
            (Some(240_000), 200_000, true, Over, "120.0%", true),
            (Some(300_000), 200_000, true, Over, "150.0%", true),
            (Some(127_000), 200_000, false, Off, "63.5%", false),
            (Some(199_000), 200_000, false, Off, "99.5%", false),
            (Some(240_000), 200_000, false, Over, "120.0%", false),
            (Some(5), 0, true, Over, "?%", false),
        ];
        for (context, window, enabled, zone, percent, due) in rows {
            let level = level(context, window, enabled);
            assert_eq!(
                (level.zone(), level.percent_text().as_str(), level.is_due()),
                (zone, percent, due),
                "{context:?} of {window}, handoff {enabled}"
            );
        }
    }

    #[test]
    fn an_estimate_is_marked() {
        let estimate = Level {
            estimated: true,
            ..level(Some(100_000), 200_000, true)
        };
        assert_eq!(estimate.percent_text(), "~50.0%");
        assert_eq!(estimate.context_text(), "~100.0K");
    }

    #[test]
    fn distance_is_known_only_before_the_mark() {
        for (context, enabled, expected) in [
            (None, true, None),
            (Some(61_000), true, Some(89_000)),
            (Some(150_000), true, Some(0)),
            (Some(150_001), true, None),
            (Some(61_000), false, None),
        ] {
            assert_eq!(level(context, 200_000, enabled).to_handoff(), expected);
        }
    }
}
