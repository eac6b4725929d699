//! Reads the usage records of one answer. In go the records as they arrive, out comes the usage
//! as known now. Records are cumulative: a later figure replaces an earlier one, never adds to it.

use serde_json::Value;

use crate::model::Usage;
use crate::model::window::LARGEST_TOKENS;

/// Most of an impossible record that is logged, in characters.
const QUOTED_CHARS: usize = 200;

/// The usage of one answer so far.
#[derive(Debug, Default)]
pub(super) struct UsageMeter {
    usage: Usage,
}

impl UsageMeter {
    /// Takes in a record; gives the usage when the record told something new.
    ///
    /// A figure that is missing or 0 leaves the earlier one: some gateways send zeros first, others
    /// last. A record with an impossible figure is not used at all.
    pub(super) fn read(&mut self, record: &Value) -> Option<Usage> {
        let Some(next) = self.merged(record) else {
            let record: String = record.to_string().chars().take(QUOTED_CHARS).collect();
            tracing::warn!(record, "an impossible usage record is not used");
            return None;
        };
        let news = next != self.usage;
        self.usage = next;
        news.then_some(next)
    }

    fn merged(&self, record: &Value) -> Option<Usage> {
        let total = Figures::read(record)?;
        let mut next = self.usage;
        for (field, figure) in [
            (&mut next.input, total.input),
            (&mut next.cache_read, total.cache_read),
            (&mut next.cache_creation, total.cache_creation),
            (&mut next.output, total.output),
        ] {
            if figure > 0 {
                *field = figure;
            }
        }
        // With server-side tools the totals count the prompt once a pass; the last pass is the
        // true size of the context, so its prompt figures stand together.
        if let Some(last) = record["iterations"]
            .as_array()
            .and_then(|passes| passes.last())
        {
            let last = Figures::read(last)?;
            if last.input + last.cache_read + last.cache_creation > 0 {
                next.input = last.input;
                next.cache_read = last.cache_read;
                next.cache_creation = last.cache_creation;
            }
        }
        (next.context() <= LARGEST_TOKENS).then_some(next)
    }
}

/// The figures of one record, 0 where it has none.
struct Figures {
    input: u64,
    cache_read: u64,
    cache_creation: u64,
    output: u64,
}

impl Figures {
    /// `None` when a figure cannot be true.
    fn read(record: &Value) -> Option<Self> {
        Some(Self {
            input: figure(&record["input_tokens"])?,
            cache_read: figure(&record["cache_read_input_tokens"])?,
            cache_creation: figure(&record["cache_creation_input_tokens"])?,
            output: figure(&record["output_tokens"])?,
        })
    }
}

fn figure(value: &Value) -> Option<u64> {
    if value.is_null() {
        return Some(0);
    }
    value.as_u64().filter(|&tokens| tokens <= LARGEST_TOKENS)
}
