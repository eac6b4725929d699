//! The clock at the right end of the now line.

use crate::app::now::{Countdown, Now, NowLine};
use crate::cells;
use crate::texts::{NowTexts, fill};

/// Seconds whose short form takes as many cells as any below ten minutes.
const WIDEST_SHORT_S: u64 = 59;

/// Seconds whose form takes as many cells as any below an hour.
const WIDEST_S: u64 = 3_599;

/// The clock, bare and in words; a running countdown comes before any other. Both are padded to
/// the cells they will need later on, so that a number which grows or shrinks moves nothing.
pub(super) fn clock(line: &NowLine, texts: &NowTexts) -> Option<(String, String)> {
    let short = |seconds| {
        (
            short_time(seconds, texts),
            short_time(WIDEST_SHORT_S, texts),
        )
    };
    let long = |seconds| (time(seconds), time(WIDEST_S));
    let ((bare, widest), text) = match (line.countdown, &line.now) {
        (Some(Countdown::Review { left_s }), _) => (short(left_s), texts.left.as_str()),
        (Some(Countdown::Hold { left_s }), _) => (long(left_s), texts.left.as_str()),
        (None, Now::Working { seconds, .. } | Now::Writing { seconds }) => {
            (short(*seconds), "{time}")
        }
        (None, Now::YourCall { waits_s, .. }) => (long(*waits_s), texts.waits.as_str()),
        (None, Now::Retry { left_s, .. }) => (short(*left_s), texts.retry_in.as_str()),
        (
            None,
            Now::Idle
            | Now::Starting
            | Now::Near
            | Now::LimitFirst { .. }
            | Now::Review { .. }
            | Now::Held { .. }
            | Now::Incomplete { .. }
            | Now::Conflict { .. }
            | Now::Swapped { .. }
            | Now::NotDelivered { .. }
            | Now::Degraded { .. }
            | Now::Told { .. }
            | Now::Done
            | Now::Failed { .. }
            | Now::TimedOut { .. },
        ) => return None,
    };
    let in_words = |time: &str| fill(text, &[("time", time)]);
    Some((
        padded(&bare, cells::width(&widest)),
        padded(&in_words(&bare), cells::width(&in_words(&widest))),
    ))
}

fn padded(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(cells::width(text));
    format!("{}{text}", " ".repeat(blanks))
}

/// `14 s`, from a minute on `1:14`.
pub(super) fn short_time(seconds: u64, texts: &NowTexts) -> String {
    if seconds < 60 {
        fill(&texts.seconds, &[("seconds", &seconds.to_string())])
    } else {
        time(seconds)
    }
}

/// `0:08`, from an hour on `1:00:08`.
pub(super) fn time(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}
