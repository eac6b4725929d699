//! The way of an event: numbered, written to the journal, then offered to a front end. A slow front
//! end never stalls a run: what does not fit into its queue is read back from the journal.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::{self, Receiver, Sender};

use super::clock;
use super::event::{Event, EventKind};
use super::journal::{self, Journal};

/// Events a front end may be behind before it has to read the journal.
const QUEUE_EVENTS: usize = 1_024;

/// An event and the line it is on disk.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The event.
    pub event: Arc<Event>,
    /// Its JSON line.
    pub line: Arc<str>,
}

/// Pieces of unfinished answers a front end may be behind; more are skipped, since the finished
/// message comes as an event.
const QUEUE_DELTAS: usize = 256;

/// What a front end takes from the bus.
#[derive(Debug, Clone)]
pub enum Received {
    /// An event in order.
    Event(Sent),
    /// Events that can neither be delivered nor read back.
    Lost {
        /// How many.
        events: u64,
        /// Why the journal could not be read.
        why: String,
    },
}

/// A piece of an answer that is arriving. It comes on a way of its own, so it says which event it
/// follows: beside a later one it is old news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// Number of the latest event when it was sent.
    pub after: u64,
    /// The piece.
    pub text: String,
}

/// Numbers events and sends them on.
#[derive(Debug)]
pub(super) struct Bus {
    seq: u64,
    journal: Option<Journal>,
    journal_failed: bool,
    front_end: Option<Sender<Sent>>,
    deltas: Sender<Delta>,
}

/// The front end's end of the bus.
#[derive(Debug)]
pub struct Events {
    queue: Receiver<Sent>,
    journal: Option<PathBuf>,
    next: u64,
    held: std::collections::VecDeque<Received>,
}

impl Bus {
    /// Makes a bus and its front end's ends: events in order, and pieces of unfinished answers.
    pub(super) fn new(journal: Option<Journal>) -> (Self, Events, Receiver<Delta>) {
        let (sender, queue) = mpsc::channel(QUEUE_EVENTS);
        let (delta_sender, deltas) = mpsc::channel(QUEUE_DELTAS);
        let events = Events {
            queue,
            journal: journal.as_ref().map(|j| j.path().to_owned()),
            next: 1,
            held: std::collections::VecDeque::new(),
        };
        let bus = Self {
            seq: 0,
            journal,
            journal_failed: false,
            front_end: Some(sender),
            deltas: delta_sender,
        };
        (bus, events, deltas)
    }

    /// Numbers an event, writes it down and offers it to the front end. Returns the first failure
    /// to write the journal, once.
    pub(super) async fn emit(&mut self, kind: EventKind) -> Result<(), String> {
        self.seq += 1;
        let durable = matches!(kind, EventKind::Handoff(_) | EventKind::Result(_));
        let event = Event {
            seq: self.seq,
            time: clock::now_text(),
            kind,
        };
        let line = journal::line_of(&event).map_err(|e| e.to_string())?;
        let written = self.write(&line, durable);
        let sent = Sent {
            event: Arc::new(event),
            line: line.into(),
        };
        self.deliver(sent).await;
        written
    }

    fn write(&mut self, line: &str, durable: bool) -> Result<(), String> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        if self.journal_failed {
            return Ok(());
        }
        let written = journal
            .append(line)
            .and_then(|()| if durable { journal.sync() } else { Ok(()) });
        written.map_err(|error| {
            self.journal_failed = true;
            format!(
                "the journal {} cannot be written any more ({error}); the run goes on without it",
                journal.path().display()
            )
        })
    }

    /// With a journal the front end can catch up by itself; without one it is waited for.
    async fn deliver(&mut self, sent: Sent) {
        let Some(front_end) = &self.front_end else {
            return;
        };
        let gone = if self.journal.is_some() && !self.journal_failed {
            matches!(
                front_end.try_send(sent),
                Err(mpsc::error::TrySendError::Closed(_))
            )
        } else {
            front_end.send(sent).await.is_err()
        };
        if gone {
            self.front_end = None;
        }
    }

    /// Offers a piece of an unfinished answer; never waits.
    pub(super) fn delta(&self, text: &str) {
        let _ = self.deltas.try_send(Delta {
            after: self.seq,
            text: text.to_owned(),
        });
    }

    /// The number of the latest event.
    pub(super) fn last_seq(&self) -> u64 {
        self.seq
    }
}

impl Events {
    /// The next event in order; `None` when the run is over and everything was delivered. Safe to
    /// drop at any await.
    pub async fn next(&mut self) -> Option<Received> {
        loop {
            if let Some(held) = self.held.pop_front() {
                return Some(held);
            }
            let sent = self.queue.recv().await?;
            let seq = sent.event.seq;
            if seq > self.next {
                self.catch_up(seq);
            }
            self.held.push_back(Received::Event(sent));
            self.next = seq + 1;
        }
    }

    /// After the run: what was dropped behind the last delivered event, up to `last`.
    pub fn rest(mut self, last: u64) -> Vec<Received> {
        while let Ok(sent) = self.queue.try_recv() {
            let seq = sent.event.seq;
            if seq > self.next {
                self.catch_up(seq);
            }
            self.next = seq + 1;
            self.held.push_back(Received::Event(sent));
        }
        if last >= self.next {
            self.catch_up(last + 1);
        }
        self.held.into()
    }

    /// Reads the events before number `to` back.
    fn catch_up(&mut self, to: u64) {
        let lines = match &self.journal {
            Some(path) => journal::lines_between(path, self.next, to).map_err(|e| e.to_string()),
            None => Err("there is no journal".to_owned()),
        };
        match lines {
            Ok(lines) => self.held.extend(lines.into_iter().map(read_back)),
            Err(why) => self.held.push_back(Received::Lost {
                events: to - self.next,
                why,
            }),
        }
        self.next = to;
    }
}

/// The event of a journal's line.
fn read_back(line: String) -> Received {
    match serde_json::from_str::<Event>(&line) {
        Ok(event) => Received::Event(Sent {
            event: Arc::new(event),
            line: line.into(),
        }),
        Err(error) => Received::Lost {
            events: 1,
            why: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(n: usize) -> EventKind {
        EventKind::Text {
            text: format!("第 {n} 条"),
            partial: false,
            from_person: false,
        }
    }

    fn numbers(received: &[Received]) -> Vec<u64> {
        received
            .iter()
            .map(|r| match r {
                Received::Event(sent) => sent.event.seq,
                Received::Lost { .. } => 0,
            })
            .collect()
    }

    #[tokio::test]
    async fn a_front_end_that_never_reads_stalls_nothing_and_misses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::create(folder.path(), "r").unwrap();
        let (mut bus, mut events, _) = Bus::new(Some(journal));
        let total = QUEUE_EVENTS + 500;
        for n in 0..total {
            bus.emit(text(n)).await.unwrap();
        }
        let last = bus.last_seq();
        drop(bus);
        let mut received = Vec::new();
        while let Some(event) = events.next().await {
            received.push(event);
        }
        received.extend(events.rest(last));
        let expected: Vec<u64> = (1..=total as u64).collect();
        assert_eq!(numbers(&received), expected);
    }

    #[tokio::test]
    async fn a_gap_in_the_middle_is_filled_from_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::create(folder.path(), "r").unwrap();
        let (mut bus, mut events, _) = Bus::new(Some(journal));
        let mut received = Vec::new();
        for n in 0..QUEUE_EVENTS + 10 {
            bus.emit(text(n)).await.unwrap();
        }
        for _ in 0..100 {
            received.extend(events.next().await);
        }
        for n in 0..50 {
            bus.emit(text(n)).await.unwrap();
        }
        drop(bus);
        while let Some(event) = events.next().await {
            received.push(event);
        }
        let expected: Vec<u64> = (1..=(QUEUE_EVENTS + 60) as u64).collect();
        assert_eq!(numbers(&received), expected);
    }

    #[tokio::test]
    async fn without_a_front_end_the_journal_still_gets_everything() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::create(folder.path(), "r").unwrap();
        let path = journal.path().to_owned();
        let (mut bus, events, _) = Bus::new(Some(journal));
        drop(events);
        for n in 0..10 {
            bus.emit(text(n)).await.unwrap();
        }
        assert_eq!(journal::lines_between(&path, 1, 11).unwrap().len(), 10);
        assert!(journal::lines_between(&path, 1, 12).is_err());
    }
}
