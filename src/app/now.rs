//! The now line's states: what is going on, what a person may do, and what happens by itself. All
//! that is true at once comes in, the one to show goes out.

use crate::handoff::Section;

/// Why a handoff is the mechanical one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The connection was lost.
    Network,
    /// The document was cut in the middle.
    CutOff,
    /// A required section is missing.
    Missing(Section),
    /// The context was too full to write.
    TooFull,
    /// The document could not be put on disk.
    Disk,
    /// Anything else, one safe line.
    Other(String),
}

/// Why a turn is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryCause {
    /// The server cannot be reached, or the connection broke.
    Network,
    /// The server answered, but not with an answer of the model.
    Server,
}

/// One state of the now line. Texts are one safe line each, times are whole seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// There is no task yet.
    Idle,
    /// A session is being opened.
    Starting,
    /// Ordinary work.
    Working {
        /// What runs; empty while the model thinks.
        what: String,
        /// Seconds since it began.
        seconds: u64,
    },
    /// Work past the warn mark.
    Near,
    /// The hand-over mark lies beyond the window.
    LimitFirst {
        /// The mark in tokens.
        at: u64,
        /// The window in tokens.
        window: u64,
    },
    /// The handoff is being written.
    Writing {
        /// Seconds since the turn began.
        seconds: u64,
    },
    /// The handoff can be changed until it swaps by itself.
    Review {
        /// Seconds left.
        left_s: u64,
    },
    /// A person holds the countdown.
    Held {
        /// Seconds until it is saved and swapped.
        left_s: u64,
    },
    /// A required section is empty.
    Incomplete {
        /// That section.
        section: Section,
        /// Seconds until the last complete version is used.
        left_s: u64,
    },
    /// Another program changed sections that were changed here too.
    Conflict {
        /// Those sections, in their order.
        sections: Vec<Section>,
        /// Seconds until what is on disk wins.
        left_s: u64,
    },
    /// A successor has taken over.
    Swapped {
        /// Its number.
        generation: u32,
        /// Lines of the document it read.
        lines: u64,
        /// SHA-256 of that document in hex.
        sha: String,
        /// Whether the document is on disk and not only in the prompt.
        on_disk: bool,
    },
    /// Lines changed after the swap have not reached the successor.
    NotDelivered {
        /// How many.
        lines: u64,
    },
    /// The agent waits for permission.
    YourCall {
        /// What it wants to do.
        what: String,
        /// Seconds it has waited.
        waits_s: u64,
    },
    /// A turn is about to be tried again.
    Retry {
        /// Why.
        cause: RetryCause,
        /// Which attempt comes next.
        attempt: u32,
        /// Attempts allowed.
        max: u32,
        /// Seconds until then.
        left_s: u64,
    },
    /// The handoff is the mechanical one.
    Degraded {
        /// Why.
        why: Cause,
    },
    /// An answer to what the person just did, one safe line.
    Told {
        /// The words.
        words: String,
    },
    /// The step is done.
    Done,
    /// The step is not done.
    Failed {
        /// Why.
        why: String,
    },
    /// Nobody touched a held review.
    TimedOut {
        /// Minutes it waited.
        minutes: u64,
        /// The section that was still empty, so that the last complete version was used.
        missing: Option<Section>,
    },
}

impl Now {
    /// Whether a person is asked to do something, or could only do it now.
    pub fn asks(&self) -> bool {
        match self {
            Self::Idle
            | Self::LimitFirst { .. }
            | Self::Review { .. }
            | Self::Held { .. }
            | Self::Incomplete { .. }
            | Self::Conflict { .. }
            | Self::NotDelivered { .. }
            | Self::YourCall { .. }
            | Self::Degraded { .. }
            | Self::Failed { .. } => true,
            Self::Starting
            | Self::Working { .. }
            | Self::Near
            | Self::Writing { .. }
            | Self::Swapped { .. }
            | Self::Retry { .. }
            | Self::Told { .. }
            | Self::Done
            | Self::TimedOut { .. } => false,
        }
    }

    /// The place in the order of what is shown first, 0 before all others.
    fn rank(&self) -> u8 {
        match self {
            Self::Incomplete { .. } | Self::Conflict { .. } => 0,
            Self::YourCall { .. } => 1,
            // It goes at the next key; until then nothing that lasts may hide it.
            Self::Told { .. } => 2,
            Self::Degraded { .. } => 3,
            Self::Review { .. } | Self::Held { .. } => 4,
            // A step that ended is not going on in any of the ways below.
            Self::Failed { .. } => 5,
            Self::NotDelivered { .. } => 6,
            Self::TimedOut { .. } | Self::Done => 7,
            Self::Retry { .. } => 8,
            Self::Writing { .. } => 9,
            Self::Swapped { .. } => 10,
            Self::LimitFirst { .. } => 11,
            Self::Near => 12,
            Self::Working { .. } => 13,
            Self::Starting => 14,
            Self::Idle => 15,
        }
    }

    /// The countdown to a swap that this state carries.
    fn countdown(&self) -> Option<Countdown> {
        match self {
            Self::Review { left_s } => Some(Countdown::Review { left_s: *left_s }),
            Self::Held { left_s }
            | Self::Incomplete { left_s, .. }
            | Self::Conflict { left_s, .. } => Some(Countdown::Hold { left_s: *left_s }),
            Self::Idle
            | Self::Starting
            | Self::Working { .. }
            | Self::Near
            | Self::LimitFirst { .. }
            | Self::Writing { .. }
            | Self::Swapped { .. }
            | Self::NotDelivered { .. }
            | Self::YourCall { .. }
            | Self::Retry { .. }
            | Self::Degraded { .. }
            | Self::Told { .. }
            | Self::Done
            | Self::Failed { .. }
            | Self::TimedOut { .. } => None,
        }
    }
}

/// A countdown to a swap; it keeps the right end whatever the line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Countdown {
    /// Of a review nobody touched.
    Review {
        /// Seconds left.
        left_s: u64,
    },
    /// Of a held review.
    Hold {
        /// Seconds left.
        left_s: u64,
    },
}

impl Countdown {
    /// Whether little time is left: below 10 s of a review, the last 60 s of a hold.
    pub fn is_short(self) -> bool {
        match self {
            Self::Review { left_s } => left_s < 10,
            Self::Hold { left_s } => left_s <= 60,
        }
    }
}

/// What the now line shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NowLine {
    /// The state.
    pub now: Now,
    /// Other states that ask a person and wait behind it.
    pub waiting: usize,
    /// The countdown that runs, this state's or that of one behind it.
    pub countdown: Option<Countdown>,
}

impl NowLine {
    /// Picks what is shown of all that is true now; of equal ones the first. `None` of none.
    pub fn pick(states: Vec<Now>) -> Option<Self> {
        let countdown = states.iter().find_map(Now::countdown);
        let asking = states.iter().filter(|state| state.asks()).count();
        let now = states.into_iter().min_by_key(Now::rank)?;
        Some(Self {
            waiting: asking - usize::from(now.asks()),
            countdown: now.countdown().or(countdown),
            now,
        })
    }
}

impl From<Now> for NowLine {
    fn from(now: Now) -> Self {
        Self {
            waiting: 0,
            countdown: now.countdown(),
            now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_is_shown_and_the_others_are_counted() {
        let working = Now::Working {
            what: "make".to_owned(),
            seconds: 3,
        };
        let held = Now::Held { left_s: 581 };
        let call = Now::YourCall {
            what: "edit a".to_owned(),
            waits_s: 8,
        };
        let incomplete = Now::Incomplete {
            section: Section::Next,
            left_s: 580,
        };
        let degraded = Now::Degraded {
            why: Cause::Network,
        };
        let late = Now::NotDelivered { lines: 2 };
        let retry = Now::Retry {
            cause: RetryCause::Network,
            attempt: 2,
            max: 5,
            left_s: 8,
        };
        let writing = Now::Writing { seconds: 1 };
        let hold = |left_s| Some(Countdown::Hold { left_s });
        let order = [
            incomplete,
            call,
            degraded,
            held,
            late,
            retry,
            writing,
            Now::Near,
            working,
        ];
        // Whatever else is true, a state is shown before all that come later in the order.
        for (first, waiting, countdown) in [
            (0, 4, hold(580)),
            (1, 3, hold(581)),
            (2, 2, hold(581)),
            (3, 1, hold(581)),
            (4, 0, None),
            (5, 0, None),
            (6, 0, None),
            (7, 0, None),
            (8, 0, None),
        ] {
            let mut states = order[first..].to_vec();
            states.reverse();
            let expected = NowLine {
                now: order[first].clone(),
                waiting,
                countdown,
            };
            assert_eq!(NowLine::pick(states), Some(expected), "{first}");
        }
        assert_eq!(NowLine::pick(Vec::new()), None);
    }

    #[test]
    fn little_time_is_below_ten_seconds_or_the_last_minute() {
        for (countdown, short) in [
            (Countdown::Review { left_s: 10 }, false),
            (Countdown::Review { left_s: 9 }, true),
            (Countdown::Hold { left_s: 61 }, false),
            (Countdown::Hold { left_s: 60 }, true),
        ] {
            assert_eq!(countdown.is_short(), short, "{countdown:?}");
        }
    }
}
