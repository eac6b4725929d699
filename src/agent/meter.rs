//! The context meter: usage records come in, the level of the main conversation and the tokens spent
//! go out. A level is what the *last* answer saw; it is never a sum and never only climbs.

use std::collections::BTreeMap;

use crate::model::Usage;

/// Who a usage record belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thread {
    /// The conversation the run is about.
    Main,
    /// A sub-conversation, named by the id of the tool call that started it.
    Sub(String),
}

/// A context size in tokens and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Tokens; never 0.
    pub tokens: u64,
    /// Whether it was estimated from the text.
    pub estimated: bool,
}

/// What one thread was last seen with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Last {
    message_id: String,
    usage: Usage,
    reading: Option<Reading>,
}

/// Counts one step's tokens.
#[derive(Debug, Clone, Default)]
pub struct ContextMeter {
    threads: BTreeMap<Thread, Last>,
    peak: u64,
    spent: Usage,
}

impl ContextMeter {
    /// Takes one usage record. A later record with the same message id replaces the earlier one, so
    /// partial figures of a stream never add up.
    pub fn record(&mut self, thread: Thread, message_id: &str, usage: Usage) {
        let last = self.threads.entry(thread.clone()).or_default();
        if last.message_id == message_id {
            self.spent = minus(self.spent, last.usage);
        }
        self.spent.add(usage);
        last.message_id = message_id.to_owned();
        last.usage = usage;
        let tokens = usage.context();
        if tokens == 0 {
            return;
        }
        last.reading = Some(Reading {
            tokens,
            estimated: false,
        });
        if thread == Thread::Main {
            self.peak = self.peak.max(tokens);
        }
    }

    /// Takes tokens that count as spent but are nobody's level: a writing turn, or an answer whose
    /// session is gone.
    pub fn spend(&mut self, usage: Usage) {
        self.spent.add(usage);
    }

    /// Takes an estimate for a turn whose server told nothing; ignored once a real figure is known.
    pub fn estimate(&mut self, tokens: u64) {
        let last = self.threads.entry(Thread::Main).or_default();
        let known = last.reading.is_some_and(|r| !r.estimated);
        if known || tokens == 0 {
            return;
        }
        last.reading = Some(Reading {
            tokens,
            estimated: true,
        });
        self.peak = self.peak.max(tokens);
    }

    /// The level of the main conversation; `None` until its first usage.
    pub fn context(&self) -> Option<Reading> {
        self.reading(&Thread::Main)
    }

    /// The level of any thread, for a row of its own over its own window.
    pub fn reading(&self, thread: &Thread) -> Option<Reading> {
        self.threads.get(thread)?.reading
    }

    /// The highest level of the main conversation in this generation, in tokens.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// All tokens of all answers, the bill's figure.
    pub fn spent(&self) -> Usage {
        self.spent
    }

    /// Begins a generation: levels are unknown again, what was spent stays.
    pub fn start_generation(&mut self) {
        self.threads.clear();
        self.peak = 0;
    }
}

fn minus(total: Usage, part: Usage) -> Usage {
    Usage {
        input: total.input.saturating_sub(part.input),
        cache_read: total.cache_read.saturating_sub(part.cache_read),
        cache_creation: total.cache_creation.saturating_sub(part.cache_creation),
        output: total.output.saturating_sub(part.output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, cache_read: u64, cache_creation: u64, output: u64) -> Usage {
        Usage {
            input,
            cache_read,
            cache_creation,
            output,
        }
    }

    fn tokens(meter: &ContextMeter) -> Option<u64> {
        meter.context().map(|reading| reading.tokens)
    }

    #[test]
    fn the_level_is_the_last_answers_prompt() {
        let rows: Vec<(&str, Vec<Usage>, Option<u64>, u64)> = vec![
            (
                "cached tokens count",
                vec![usage(2_000, 150_000, 0, 300)],
                Some(152_000),
                300,
            ),
            (
                "cumulative caches are no running sum",
                vec![usage(5, 100_000, 0, 50); 3],
                Some(100_005),
                150,
            ),
            (
                "no sum over turns",
                vec![usage(170_000, 0, 0, 1); 40],
                Some(170_000),
                40,
            ),
            (
                "it falls again",
                vec![usage(150_000, 0, 0, 0), usage(40_000, 0, 0, 0)],
                Some(40_000),
                0,
            ),
            (
                "zero is no reading",
                vec![usage(61_000, 0, 0, 5), usage(0, 0, 0, 7)],
                Some(61_000),
                12,
            ),
            ("nothing known", vec![usage(0, 0, 0, 7)], None, 7),
            (
                "huge figures do not wrap",
                vec![usage(u64::MAX, 1, 1, u64::MAX); 2],
                Some(u64::MAX),
                u64::MAX,
            ),
            ("no records", vec![], None, 0),
        ];
        for (name, records, level, output) in rows {
            let mut meter = ContextMeter::default();
            for (turn, record) in records.into_iter().enumerate() {
                meter.record(Thread::Main, &format!("m{turn}"), record);
            }
            assert_eq!(
                (tokens(&meter), meter.spent().output),
                (level, output),
                "{name}"
            );
        }
    }

    #[test]
    fn spent_is_another_field_than_the_level() {
        let mut meter = ContextMeter::default();
        for turn in 0..40 {
            meter.record(Thread::Main, &turn.to_string(), usage(170_000, 0, 0, 1));
        }
        assert_eq!(meter.spent(), usage(6_800_000, 0, 0, 40));
        assert_eq!((tokens(&meter), meter.peak()), (Some(170_000), 170_000));
    }

    #[test]
    fn the_last_record_of_a_message_wins() {
        let mut meter = ContextMeter::default();
        for output in [1, 1, 9, 159] {
            meter.record(Thread::Main, "m1", usage(10, 20, 30, output));
        }
        assert_eq!(meter.spent(), usage(10, 20, 30, 159));
    }

    #[test]
    fn sub_conversations_never_move_the_main_level() {
        let mut meter = ContextMeter::default();
        let sub = Thread::Sub("t1".to_owned());
        meter.record(Thread::Main, "m1", usage(60_000, 0, 0, 1));
        assert_eq!(tokens(&meter), Some(60_000));
        meter.record(sub.clone(), "s1", usage(180_000, 0, 0, 1));
        assert_eq!(tokens(&meter), Some(60_000));
        meter.record(Thread::Main, "m2", usage(61_000, 0, 0, 1));
        assert_eq!(tokens(&meter), Some(61_000));
        assert_eq!(meter.peak(), 61_000);
        assert_eq!(meter.reading(&sub).map(|r| r.tokens), Some(180_000));
        assert_eq!(meter.spent().output, 3);
    }

    #[test]
    fn records_of_threads_that_interleave_keep_their_own_message() {
        let mut meter = ContextMeter::default();
        let sub = Thread::Sub("t1".to_owned());
        meter.record(Thread::Main, "m1", usage(100, 0, 0, 1));
        meter.record(sub.clone(), "s1", usage(50, 0, 0, 1));
        meter.record(Thread::Main, "m1", usage(100, 0, 0, 20));
        meter.record(sub, "s1", usage(50, 0, 0, 30));
        assert_eq!(meter.spent(), usage(150, 0, 0, 50));
    }

    #[test]
    fn the_writing_turn_is_not_the_successors_level() {
        let mut meter = ContextMeter::default();
        meter.record(Thread::Main, "m1", usage(151_000, 0, 0, 1));
        meter.spend(usage(152_000, 0, 0, 900));
        assert_eq!(tokens(&meter), Some(151_000));
        meter.start_generation();
        assert_eq!((tokens(&meter), meter.peak()), (None, 0));
        meter.record(Thread::Main, "m2", usage(9_000, 0, 0, 1));
        assert_eq!(tokens(&meter), Some(9_000));
        assert_eq!(meter.spent().input, 312_000);
    }

    #[test]
    fn an_estimate_fills_in_only_while_nothing_is_reported() {
        let mut meter = ContextMeter::default();
        meter.record(Thread::Main, "m1", usage(0, 0, 0, 0));
        meter.estimate(5_000);
        let estimate = Reading {
            tokens: 5_000,
            estimated: true,
        };
        assert_eq!(meter.context(), Some(estimate));
        meter.record(Thread::Main, "m2", usage(4_000, 0, 0, 0));
        meter.estimate(9_000);
        let reported = Reading {
            tokens: 4_000,
            estimated: false,
        };
        assert_eq!(meter.context(), Some(reported));
    }
}
