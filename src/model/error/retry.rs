//! What the headers of an error answer say about trying again.

use std::time::{Duration, SystemTime};

use super::ErrorClass;

/// Longest wait that a server can impose, one hour: a subscription may ask for more, but a run that looks again
/// each hour notices when it is let in earlier, and no header can park it for years.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(60 * 60);

/// What the server said about trying again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetryHint {
    /// How long to wait, at most [`MAX_RETRY_AFTER`]; `None` leaves it to the usual back-off.
    pub after: Option<Duration>,
    /// Whether the server advises to try again at all (`x-should-retry`).
    pub should_retry: Option<bool>,
}

impl RetryHint {
    /// Reads `x-should-retry`, `retry-after-ms` and `retry-after` (seconds, fractions, or an HTTP date set
    /// against `now`), in the order of precedence of the vendors' SDKs.
    ///
    /// `header` looks a header up by its lower-case name. Zero, negative, past and unreadable values are no
    /// wait, so that the usual back-off applies and no server can make the run spin.
    pub fn read<'h>(header: impl Fn(&str) -> Option<&'h str>, now: SystemTime) -> Self {
        let should_retry = match header("x-should-retry").map(str::trim) {
            Some(word) if word.eq_ignore_ascii_case("true") => Some(true),
            Some(word) if word.eq_ignore_ascii_case("false") => Some(false),
            Some(_) | None => None,
        };
        let milliseconds = header("retry-after-ms")
            .and_then(number)
            .and_then(|number| wait(number / 1_000.0));
        let after = milliseconds.or_else(|| {
            let text = header("retry-after")?.trim();
            match number(text) {
                Some(seconds) => wait(seconds),
                None => {
                    let date = httpdate::parse_http_date(text).ok()?;
                    wait(date.duration_since(now).ok()?.as_secs_f64())
                }
            }
        });
        Self {
            after,
            should_retry,
        }
    }

    /// Applies `x-should-retry` to a class.
    ///
    /// It settles what is unknown and ends what would be waited for in vain, unless a wait is named beside it
    /// (a used-up hour). An overflow stays one, and a refused request stays refused: sent again unchanged it
    /// costs time and money and cannot pass.
    pub fn apply(&self, class: ErrorClass) -> ErrorClass {
        match (class, self.should_retry) {
            (ErrorClass::Unknown, Some(true)) => ErrorClass::Transient,
            (ErrorClass::Transient | ErrorClass::Unknown, Some(false)) if self.after.is_none() => {
                ErrorClass::Fatal
            }
            (
                ErrorClass::Overflow
                | ErrorClass::Fatal
                | ErrorClass::Transient
                | ErrorClass::Unknown,
                _,
            ) => class,
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &f64| !number.is_nan())
}

fn wait(seconds: f64) -> Option<Duration> {
    let capped = seconds.min(MAX_RETRY_AFTER.as_secs_f64());
    (capped > 0.0).then(|| Duration::from_secs_f64(capped))
}
