//! The time of day, as the files want it.

use jiff::{Timestamp, ZonedDateTime};

/// Now.
pub(super) fn now() -> Timestamp {
    Timestamp::now()
}

/// Now, as RFC 3339 in UTC with milliseconds.
pub(super) fn now_text() -> String {
    format!("{:.3}", now())
}

/// Now, in the person's time zone, for names of files.
pub(super) fn now_zoned() -> ZonedDateTime {
    ZonedDateTime::now()
}
