//! When to draw. In come changes and the present time, out goes the next moment to draw at, if any.

use std::time::{Duration, Instant};

/// Least time between two frames drawn for events: 30 frames in any second, rounded up.
pub const FRAME_INTERVAL: Duration = Duration::from_nanos(33_333_334);

/// Decides when the next frame is drawn: at once after a key, at most 30 times a second for
/// everything else, never while nothing changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameLimiter {
    event: Option<Instant>,
    key: Option<Instant>,
}

impl FrameLimiter {
    /// Notes that an event or a timer changed what is on screen.
    pub fn dirty_by_event(&mut self, now: Instant) {
        self.event.get_or_insert(now);
    }

    /// Notes that a person did something, which must be seen at once.
    pub fn dirty_by_key(&mut self, now: Instant) {
        self.key.get_or_insert(now);
    }

    /// Says when to draw next, given the time of the last frame; none when nothing changed.
    #[must_use]
    pub fn next_deadline(&self, last_draw: Option<Instant>) -> Option<Instant> {
        let spaced = self
            .event
            .map(|since| last_draw.map_or(since, |last| since.max(last + FRAME_INTERVAL)));
        match (self.key, spaced) {
            (Some(key), Some(event)) => Some(key.min(event)),
            (key, event) => key.or(event),
        }
    }

    /// Notes that everything known so far is on screen now.
    pub fn drawn(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum Change {
        Event(u64),
        Key(u64),
        Drawn,
    }

    #[test]
    fn deadlines() {
        use Change::{Drawn, Event, Key};
        // Times in milliseconds after the start; the interval is 33 ms and a third.
        let interval = FRAME_INTERVAL;
        let ms = Duration::from_millis;
        let rows: &[(&str, &[Change], Option<u64>, Option<Duration>)] = &[
            ("idle, nothing drawn yet", &[], None, None),
            ("idle after a frame", &[], Some(0), None),
            ("first event ever", &[Event(5)], None, Some(ms(5))),
            (
                "event soon after a frame",
                &[Event(5)],
                Some(0),
                Some(interval),
            ),
            (
                "event long after a frame",
                &[Event(500)],
                Some(0),
                Some(ms(500)),
            ),
            (
                "events do not push it back",
                &[Event(5), Event(30)],
                Some(0),
                Some(interval),
            ),
            ("key soon after a frame", &[Key(5)], Some(0), Some(ms(5))),
            (
                "key while an event waits",
                &[Event(5), Key(9)],
                Some(0),
                Some(ms(9)),
            ),
            (
                "event after a key",
                &[Key(9), Event(10)],
                Some(0),
                Some(ms(9)),
            ),
            (
                "overdue event before a key",
                &[Event(100), Key(110)],
                Some(0),
                Some(ms(100)),
            ),
            (
                "a frame shows everything",
                &[Event(5), Key(9), Drawn],
                Some(9),
                None,
            ),
            (
                "event after a frame for a key",
                &[Key(9), Drawn, Event(10)],
                Some(9),
                Some(ms(9) + interval),
            ),
        ];
        let start = Instant::now();
        for (name, changes, last, expected) in rows {
            let mut limiter = FrameLimiter::default();
            for change in *changes {
                match *change {
                    Event(at) => limiter.dirty_by_event(start + ms(at)),
                    Key(at) => limiter.dirty_by_key(start + ms(at)),
                    Drawn => limiter.drawn(),
                }
            }
            let deadline = limiter.next_deadline(last.map(|at| start + ms(at)));
            assert_eq!(deadline.map(|at| at - start), *expected, "{name}");
        }
    }

    #[test]
    fn a_flood_of_events_draws_thirty_times_a_second_and_then_never() {
        let start = Instant::now();
        let mut limiter = FrameLimiter::default();
        let mut frames: Vec<Instant> = Vec::new();
        for tenth_ms in 0..20_000_u64 {
            let now = start + Duration::from_micros(tenth_ms * 100);
            limiter.dirty_by_event(now);
            if limiter
                .next_deadline(frames.last().copied())
                .is_some_and(|deadline| deadline <= now)
            {
                frames.push(now);
                limiter.drawn();
            }
        }
        let most = frames
            .iter()
            .map(|first| {
                let second = *first..*first + Duration::from_secs(1);
                frames
                    .iter()
                    .filter(|frame| second.contains(*frame))
                    .count()
            })
            .max();
        assert_eq!(most, Some(30));
        assert!(frames.len() >= 59, "{}", frames.len());
        limiter.drawn();
        assert_eq!(limiter.next_deadline(frames.last().copied()), None);
    }
}
