//! The event log of the screen. In come events of a run, pieces of an answer that is still arriving
//! and notes of the screen itself; out come the rows that are in sight. It is bounded, and whatever
//! comes or goes, what a person reads stays where it is.

mod bound;
mod call;
mod entry;
mod facts;
mod make;
mod rows;
mod scroll;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;

use crate::texts::Texts;
use call::Expected;
pub use facts::Document;
use facts::Facts;
use scroll::{Anchor, Hold};

pub use entry::{BodyLine, End, Entry, Kind, Mark, Outcome, duration, whole_seconds};
pub use rows::{Columns, Row};

/// Entries kept at most; older ones are in the journal.
pub const MAX_ENTRIES: usize = 10_000;
/// Memory the entries may take, in bytes, their rows aside.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of an answer that is still arriving; its beginning is left out until it is whole.
const MAX_STREAM_BYTES: usize = 48 * 1024;

/// The event log.
#[derive(Debug)]
pub struct Log {
    texts: Arc<Texts>,
    /// Ids rise by one from the front to the back.
    entries: VecDeque<Entry>,
    next_id: u64,
    bytes: usize,
    now: Option<Timestamp>,
    /// The answer that is still arriving.
    stream: Option<u64>,
    /// Whether the last piece of it ended in a carriage return, whose meaning the next one decides.
    held_return: bool,
    /// Calls without a result, by the id the result will name.
    calls: HashMap<String, (u64, Expected)>,
    /// The entry of each sub-conversation that is still in the log.
    subs: HashMap<String, u64>,
    facts: Facts,
    columns: Columns,
    height: u16,
    hold: Hold,
    /// The place in the held entry that is read, while only the size changes: rows that begin
    /// elsewhere at another width must not add up to a drift.
    reading: Option<(u64, (usize, usize))>,
    /// The first row in sight.
    top: Anchor,
    /// Entries from this id on have not been in sight.
    seen_to: u64,
    selected: Option<u64>,
}

impl Log {
    /// Makes an empty log that speaks the language of these texts. It has no size yet.
    pub fn new(texts: &Texts) -> Self {
        Self {
            columns: Columns::new(0, &texts.log.kinds),
            texts: Arc::new(texts.clone()),
            entries: VecDeque::new(),
            next_id: 0,
            bytes: 0,
            now: None,
            stream: None,
            held_return: false,
            calls: HashMap::new(),
            subs: HashMap::new(),
            facts: Facts::default(),
            height: 0,
            hold: Hold::End,
            reading: None,
            top: Anchor { id: 0, row: 0 },
            seen_to: 0,
            selected: None,
        }
    }

    /// Sets the time that running tools are measured by.
    pub fn tick(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// The time that was last set.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// Appends a piece of the answer that is arriving; the event with the whole text replaces it.
    /// `local_time` is `HH:MM:SS`.
    pub fn delta(&mut self, piece: &str, local_time: &str) {
        if piece.is_empty() {
            return;
        }
        let joined = if std::mem::take(&mut self.held_return) {
            format!("\r{piece}")
        } else {
            piece.to_owned()
        };
        self.held_return = joined.ends_with('\r');
        let safe = bound::streamed(joined.strip_suffix('\r').unwrap_or(&joined));
        let id = match self.stream {
            Some(id) if id >= self.first_id() => id,
            Some(_) | None => {
                // Blank lines before the first word are dropped, as they are from the whole text.
                if safe.trim().is_empty() {
                    return;
                }
                let entry = Entry::new(local_time, Kind::Says, String::new());
                let id = self.append(entry);
                self.stream = Some(id);
                id
            }
        };
        self.grow(id, &safe);
        self.settle();
    }

    /// Adds a note of the screen itself. `local_time` is `HH:MM:SS`.
    pub fn note(&mut self, kind: Kind, text: &str, local_time: &str) {
        let text = bound::text(text, &self.texts.log.gap);
        self.append(Entry::new(local_time, kind, text));
        self.settle();
    }

    /// Number of entries in the log.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Memory the entries take, in bytes, their rows aside.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a tool runs, so that its seconds are to be drawn anew.
    pub fn is_anything_running(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The columns at the present width.
    pub fn columns(&self) -> Columns {
        self.columns
    }

    fn first_id(&self) -> u64 {
        self.next_id - self.entries.len() as u64
    }

    fn last_id(&self) -> u64 {
        self.next_id.saturating_sub(1)
    }

    fn index_of(&self, id: u64) -> Option<usize> {
        let index = usize::try_from(id.checked_sub(self.first_id())?).ok()?;
        (index < self.entries.len()).then_some(index)
    }

    fn entry_mut(&mut self, id: u64) -> Option<&mut Entry> {
        let index = self.index_of(id)?;
        self.entries.get_mut(index)
    }

    /// Adds an entry and returns its id. The caller settles.
    fn append(&mut self, mut entry: Entry) -> u64 {
        let id = self.next_id;
        entry.id = id;
        entry.weight = entry.weigh();
        self.bytes += entry.weight;
        self.next_id += 1;
        self.entries.push_back(entry);
        self.evict();
        id
    }

    /// Changes an entry that may be gone already. The caller settles.
    fn change(&mut self, id: u64, change: impl FnOnce(&mut Entry)) {
        let Some(entry) = self.entry_mut(id) else {
            return;
        };
        change(entry);
        let before = entry.weight;
        let after = entry.weigh();
        entry.weight = after;
        self.bytes = self.bytes - before + after;
        self.evict();
    }

    /// Appends to an entry's words; only its last rows are broken anew.
    fn grow(&mut self, id: u64, piece: &str) {
        let Some(index) = self.index_of(id) else {
            return;
        };
        let (columns, words) = (self.columns, &self.texts.log.kinds);
        let Some(entry) = self.entries.get_mut(index) else {
            return;
        };
        let is_first = entry.text.is_empty();
        entry
            .text
            .push_str(if is_first { piece.trim_start() } else { piece });
        let layout = entry.layout.take();
        if entry.text.len() > MAX_STREAM_BYTES {
            entry.text = bound::ending(&entry.text, MAX_STREAM_BYTES / 2).to_owned();
        } else if let Some((width, mut rows)) = layout.filter(|(width, _)| *width == columns.width)
        {
            rows::grown(entry, columns, words, &mut rows);
            entry.layout = Some((width, rows));
        }
        self.change(id, |_| {});
    }

    /// Drops the oldest entries until the rest fits; the newest one stays whatever its size, which
    /// is bounded too.
    fn evict(&mut self) {
        while self.entries.len() > MAX_ENTRIES || self.bytes > MAX_BYTES && self.entries.len() > 1 {
            let Some(gone) = self.entries.pop_front() else {
                return;
            };
            self.bytes -= gone.weight;
            if let Some(call) = gone.open_call {
                self.calls.remove(&call);
            }
            if gone.kind == Kind::Sub {
                self.subs.retain(|_, id| *id != gone.id);
            }
        }
    }
}
