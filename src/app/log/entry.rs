//! One entry of the log as it is kept: what it is, its words, what belongs below them, how it ended.

use jiff::Timestamp;

use super::rows::Row;
use crate::texts::KindTexts;

/// What an entry is; decides its first word and its colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The model says something.
    Says,
    /// The model thinks.
    Thinks,
    /// The model uses the tool of this name.
    Tool(String),
    /// A session began.
    Start,
    /// The warn mark is passed.
    Near,
    /// The hand-over mark is passed, or it did not fit.
    Due,
    /// A successor took over.
    Swap,
    /// A document was written.
    File,
    /// A person may change the document.
    Review,
    /// A turn is tried again.
    Retry,
    /// Something went wrong.
    Error,
    /// Something the person should know.
    Notice,
    /// The person said something.
    You,
    /// The person pinned something.
    Pin,
    /// A sub-conversation.
    Sub,
    /// The step is done.
    Done,
    /// The step ended without being done.
    Stopped,
}

impl Kind {
    /// The entry's first word.
    pub fn word<'a>(&'a self, words: &'a KindTexts) -> &'a str {
        match self {
            Self::Says => &words.says,
            Self::Thinks => &words.thinks,
            Self::Tool(name) => name,
            Self::Start => &words.start,
            Self::Near => &words.near,
            Self::Due => &words.due,
            Self::Swap => &words.swap,
            Self::File => &words.file,
            Self::Review => &words.review,
            Self::Retry => &words.retry,
            Self::Error => &words.error,
            Self::Notice => &words.notice,
            Self::You => &words.you,
            Self::Pin => &words.pin,
            Self::Sub => &words.sub,
            Self::Done => &words.done,
            Self::Stopped => &words.stopped,
        }
    }
}

/// What stands at the right end of an entry's first row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing.
    None,
    /// It runs since then; `None` when its start is not known.
    Running(Option<Timestamp>),
    /// It ended after so many milliseconds, if that is known.
    Ended(Option<u64>, End),
}

/// How a tool's call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It worked.
    Ok,
    /// It failed.
    Failed,
    /// It was not permitted.
    Refused,
    /// There is no result: the run ended first, or it was not run.
    NoResult,
    /// So many lines were read or written.
    Lines(usize),
    /// So many lines were added and removed.
    Changed {
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
    },
    /// So many places were found.
    Found(usize),
}

/// How a line below an entry is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Not at all.
    None,
    /// As added.
    Added,
    /// As removed.
    Removed,
}

/// A line below an entry's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyLine {
    /// Its mark.
    pub mark: Mark,
    /// Its number in the file, from 1, when known.
    pub number: Option<u64>,
    /// Its text, safe to draw.
    pub text: String,
}

impl BodyLine {
    pub(super) fn plain(text: String) -> Self {
        Self {
            mark: Mark::None,
            number: None,
            text,
        }
    }
}

/// How an entry is laid out while it is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Its words in at most so many rows.
    Rows(usize),
    /// Its words in one row, and so many lines of its body.
    Lines(usize),
}

/// One entry of the log.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) id: u64,
    pub(super) time: String,
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Where the part of `text` begins that is shown when there is little room.
    pub(super) short_from: usize,
    pub(super) body: Vec<BodyLine>,
    pub(super) fold: Fold,
    pub(super) expanded: bool,
    pub(super) outcome: Outcome,
    /// The id a tool's result will name; `None` once it is there.
    pub(super) open_call: Option<String>,
    /// Rows at a width, while they hold.
    pub(super) layout: Option<(u16, Vec<Row>)>,
    /// Bytes it counts for in the log.
    pub(super) weight: usize,
}

impl Entry {
    pub(super) fn new(time: &str, kind: Kind, text: String) -> Self {
        Self {
            id: 0,
            time: time.to_owned(),
            kind,
            text,
            short_from: 0,
            body: Vec::new(),
            fold: Fold::Rows(usize::MAX),
            expanded: false,
            outcome: Outcome::None,
            open_call: None,
            layout: None,
            weight: 0,
        }
    }

    /// Its number: rising, never used twice.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its local time, `HH:MM:SS`.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// What it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Its words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its words where there is little room: of a path the file's name.
    pub fn short_text(&self) -> &str {
        self.text.get(self.short_from..).unwrap_or(&self.text)
    }

    /// The lines below.
    pub fn body(&self) -> &[BodyLine] {
        &self.body
    }

    /// Whether everything of it is shown.
    pub fn is_expanded(&self) -> bool {
        self.expanded
    }

    /// Whether it is shown in one row with the rest cut off, as calls are.
    pub fn is_cut(&self) -> bool {
        !self.expanded && matches!(self.fold, Fold::Lines(_))
    }

    /// What stands at the right end.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The memory it takes, in bytes, rows aside.
    pub(super) fn weigh(&self) -> usize {
        let body: usize = self
            .body
            .iter()
            .map(|line| size_of::<BodyLine>() + line.text.len())
            .sum();
        let call = self.open_call.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.time.len() + self.text.len() + call + body
    }
}

/// Shows how long something took: two decimals below a tenth of a second, one below ten, `m:ss`
/// from a minute on.
pub fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..95 => format!("{:.2} s", milliseconds as f64 / 1000.0),
        95..9_950 => format!("{:.1} s", milliseconds as f64 / 1000.0),
        _ => whole_seconds(milliseconds.saturating_add(500) / 1000),
    }
}

/// Shows a number of seconds: `14 s`, `2:05`, `1:02:05`.
pub fn whole_seconds(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!(
            "{}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        ),
    }
}
