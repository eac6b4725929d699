//! What the gauge shows, as one value: readings, swaps and windows come in; numbers, distance and
//! forecast go out, so that number, bar, colour and word can never disagree.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::generation::level::{Level, Zone};
use crate::generation::policy::HandoffPolicy;
use crate::model::window::WindowSource;
use crate::sanitize::sanitize_line;
use crate::texts::{GaugeTexts, fill};
use crate::tokens;

/// Turns whose growth is kept and drawn as a trend.
pub const TREND_TURNS: usize = 7;

/// Turns the median growth is taken over: few enough to follow a change of work, enough that one
/// large tool result does not decide.
const MEDIAN_TURNS: usize = 5;

/// Growths that must be known before a forecast is made.
const FORECAST_FROM: usize = 3;

/// Generations whose peaks are kept; the default policy allows 9.
const PEAKS_KEPT: usize = 64;

/// What the session is doing, as far as the gauge has words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Ordinary turns.
    Working,
    /// The turn that writes the handoff.
    Writing,
    /// A written handoff, swapped when the countdown ends.
    Reviewing,
    /// A written handoff whose countdown a person holds.
    Held,
}

/// How far the context is from the mark that matters next, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// No reading yet.
    Unknown,
    /// Below the hand-over mark.
    ToHandoff {
        /// Tokens left to it.
        left: u64,
    },
    /// Below a limit that comes before the hand-over mark.
    LimitFirst {
        /// Tokens left to the limit.
        left: u64,
    },
    /// From the hand-over mark on.
    PastLine {
        /// Tokens past the mark.
        past: u64,
        /// Tokens left to the limit.
        left: u64,
    },
    /// Above the limit.
    Over {
        /// Tokens above it.
        over: u64,
        /// Whether a swap follows at once.
        swaps: bool,
    },
    /// Handoffs are off.
    Off {
        /// Tokens left to the limit.
        left: u64,
    },
}

/// Everything the gauge shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    /// The reading beside its window and marks.
    pub level: Level,
    /// First reading of this generation in tokens; `None` until there is one.
    pub floor: Option<u64>,
    /// Who says how large the window is.
    pub window_source: WindowSource,
    /// Name of the step, one safe line.
    pub step: String,
    /// Number of the generation within the step, from 1.
    pub generation: u32,
    /// Swaps made in this step.
    pub swaps: u32,
    /// What the session is doing.
    pub activity: Activity,
    /// Growth of the last turns of this generation in tokens, oldest first, at most
    /// [`TREND_TURNS`]; a turn that shrank counts 0.
    pub growth: VecDeque<u64>,
    /// Highest reading of each generation in tokens, oldest first; 0 while unknown.
    pub peaks: VecDeque<u64>,
    /// Cost of the step so far in USD; `None` when no price is known.
    pub spent_usd: Option<f64>,
    /// Tokens of all requests of the step so far, in and out.
    pub spent_tokens: u64,
    /// Sub-conversations that are running.
    pub subagents: u32,
}

impl Gauge {
    /// Makes the gauge of a step's first generation, nothing read yet.
    pub fn new(policy: HandoffPolicy, window_source: WindowSource, step: &str) -> Self {
        Self {
            level: Level {
                context: None,
                estimated: false,
                policy,
            },
            floor: None,
            window_source,
            step: sanitize_line(step),
            generation: 1,
            swaps: 0,
            activity: Activity::Working,
            growth: VecDeque::new(),
            peaks: VecDeque::from([0]),
            spent_usd: None,
            spent_tokens: 0,
            subagents: 0,
        }
    }

    /// Takes the context of the main conversation's latest turn, in tokens; 0 is no reading.
    ///
    /// The first reported figure replaces all that was estimated before: a floor or a growth
    /// between an estimate and a fact would be neither.
    pub fn take_reading(&mut self, context: u64, estimated: bool) {
        if context == 0 {
            return;
        }
        let like_before = self.level.estimated == estimated;
        match self.level.context.filter(|_| like_before) {
            Some(before) => {
                if self.growth.len() == TREND_TURNS {
                    self.growth.pop_front();
                }
                self.growth.push_back(context.saturating_sub(before));
                if let Some(peak) = self.peaks.back_mut() {
                    *peak = context.max(*peak);
                }
            }
            None => {
                self.growth.clear();
                self.floor = Some(context);
                if let Some(peak) = self.peaks.back_mut() {
                    *peak = context;
                }
            }
        }
        self.level.context = Some(context);
        self.level.estimated = estimated;
    }

    /// Starts a successor: its context is unknown until its own first reading, whatever the writing
    /// turn used. `generation` counts from 1, `swaps` are those made so far.
    pub fn start_generation(&mut self, generation: u32, swaps: u32) {
        self.level.context = None;
        self.level.estimated = false;
        self.floor = None;
        self.growth.clear();
        self.generation = generation;
        self.swaps = swaps;
        self.activity = Activity::Working;
        if self.peaks.len() == PEAKS_KEPT {
            self.peaks.pop_front();
        }
        self.peaks.push_back(0);
    }

    /// Takes another window or other marks; the reading stays and is measured against them at once.
    pub fn set_window(&mut self, policy: HandoffPolicy, source: WindowSource) {
        self.level.policy = policy;
        self.window_source = source;
    }

    /// Median growth of the last turns in tokens; `None` before the second reading.
    pub fn median_growth(&self) -> Option<u64> {
        let mut last: Vec<u64> = self
            .growth
            .iter()
            .rev()
            .take(MEDIAN_TURNS)
            .copied()
            .collect();
        last.sort_unstable();
        let upper = *last.get(last.len() / 2)?;
        if last.len() % 2 == 1 {
            return Some(upper);
        }
        let lower = last[last.len() / 2 - 1];
        Some(lower + (upper - lower).div_ceil(2))
    }

    /// Turns left to the hand-over mark at the median growth, rounded half up; `None` before three
    /// growths are known, when nothing grows, when off, past the mark, or when the limit comes first.
    pub fn forecast_turns(&self) -> Option<u64> {
        let Distance::ToHandoff { left } = self.distance() else {
            return None;
        };
        if self.growth.len() < FORECAST_FROM {
            return None;
        }
        let growth = self.median_growth().filter(|growth| *growth > 0)?;
        Some(left / growth + u64::from(left % growth >= growth.div_ceil(2)))
    }

    /// Distance to the mark that matters next.
    pub fn distance(&self) -> Distance {
        let policy = self.level.policy;
        let Some(context) = self.level.context else {
            return Distance::Unknown;
        };
        let left = policy.window.saturating_sub(context);
        match self.level.zone() {
            Zone::Unknown => Distance::Unknown,
            Zone::Off => Distance::Off { left },
            Zone::Over => Distance::Over {
                over: context - policy.window,
                swaps: policy.enabled && self.activity == Activity::Working,
            },
            Zone::Due => Distance::PastLine {
                past: context - policy.at(),
                left,
            },
            Zone::Ok | Zone::Near if policy.unreachable() => Distance::LimitFirst { left },
            Zone::Ok | Zone::Near => Distance::ToHandoff {
                left: policy.at().saturating_sub(context),
            },
        }
    }

    /// The word for where the context stands and what happens to it.
    pub fn zone_word(&self, texts: &GaugeTexts) -> String {
        let zone = match self.level.zone() {
            Zone::Unknown => &texts.zones.unknown,
            Zone::Off => &texts.zones.off,
            Zone::Ok => &texts.zones.ok,
            Zone::Near => &texts.zones.near,
            Zone::Due => &texts.zones.due,
            Zone::Over => &texts.zones.over,
        };
        match self.activity {
            Activity::Writing if self.level.zone() != Zone::Over => texts.zones.writing.clone(),
            Activity::Working | Activity::Writing => zone.clone(),
            Activity::Reviewing | Activity::Held => fill(&texts.in_review, &[("zone", zone)]),
        }
    }

    /// The window's size, as `200K`; with `?` behind it when it is only a guess.
    pub fn window_text(&self) -> String {
        let guess = if self.window_source.is_guess() {
            "?"
        } else {
            ""
        };
        format!("{}{guess}", tokens::size(self.level.policy.window))
    }
}
