//! The words of the event log on the screen.

use serde::Deserialize;

/// The event log of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogTexts {
    /// The pane's title.
    pub title: String,
    /// The end is shown and followed.
    pub following: String,
    /// Scrolled up, nothing new.
    pub held: String,
    /// Scrolled up, and there are new entries.
    pub new: String,
    /// There are no entries.
    pub empty: String,
    /// Lines that are not shown until expanded.
    pub more: String,
    /// Lines in the middle that are not kept.
    pub gap: String,
    /// A tool that runs.
    pub running: String,
    /// A tool that worked.
    pub ok: String,
    /// A tool that failed.
    pub failed: String,
    /// A tool that was refused.
    pub refused: String,
    /// A tool that gave no result.
    pub no_result: String,
    /// One line read or written.
    pub one_line: String,
    /// Several lines read or written.
    pub lines: String,
    /// How often a search found something.
    pub found: String,
    /// The same behind what it looked for.
    pub found_behind: String,
    /// What a search looked for, and where.
    pub found_in: String,
    /// A plan by its counts.
    pub plan: String,
    /// The answer was cut here.
    pub cut: String,
    /// A session began.
    pub session: String,
    /// A session is taken up again.
    pub resumed: String,
    /// The window became another one.
    pub window: String,
    /// The warn mark is passed.
    pub near: String,
    /// The handoff is being written.
    pub due: String,
    /// The handoff is being written, and no mark is known.
    pub due_unmarked: String,
    /// An overflow came before any usage.
    pub overflowed: String,
    /// A person may change the document.
    pub review: String,
    /// The document is frozen: its lines and hash.
    pub file: String,
    /// A successor has the document.
    pub swap: String,
    /// A successor has a document that is not on disk.
    pub swap_unsaved: String,
    /// Lines of the document a successor got.
    pub document_lines: String,
    /// The person changed the document.
    pub edited: String,
    /// The session that ended and the one that began.
    pub sessions: String,
    /// The document is the mechanical one.
    pub degraded: String,
    /// A turn is tried again.
    pub retry: String,
    /// A sub-conversation's context.
    pub sub: String,
    /// What the step took.
    pub done: String,
    /// No price is known.
    pub cost_unknown: String,
    /// The first word of an entry.
    pub kinds: KindTexts,
}

/// The first word of an entry. Tools are called by their own names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindTexts {
    /// The model says something.
    pub says: String,
    /// The model thinks.
    pub thinks: String,
    /// A session began.
    pub start: String,
    /// The warn mark is passed.
    pub near: String,
    /// The hand-over mark is passed.
    pub due: String,
    /// A successor took over.
    pub swap: String,
    /// A document was written.
    pub file: String,
    /// A person may change the document.
    pub review: String,
    /// A turn is tried again.
    pub retry: String,
    /// Something went wrong.
    pub error: String,
    /// Something the person should know.
    pub notice: String,
    /// The person said something.
    pub you: String,
    /// The person pinned something.
    pub pin: String,
    /// A sub-conversation.
    pub sub: String,
    /// The step is done.
    pub done: String,
    /// The step ended without being done.
    pub stopped: String,
}
