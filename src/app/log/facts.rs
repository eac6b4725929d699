//! What the log remembers of a run to word the next entry: the window, the marks, the document of the
//! latest swap.

/// Facts of the run so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Context window in tokens.
    pub(super) window: Option<u64>,
    /// Hand-over mark in tokens.
    pub(super) at: Option<u64>,
    /// The latest swap's entry.
    pub(super) swap: Option<Swap>,
    /// The entry of the latest frozen document that nobody has described yet, and its file's name.
    pub(super) file: Option<(u64, String)>,
}

/// The latest swap, as its entry words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Swap {
    pub(super) id: u64,
    pub(super) generation: u32,
    /// Name of the document's file; `None` when it is not on disk.
    pub(super) file: Option<String>,
    pub(super) sha256: String,
    pub(super) is_edited: bool,
    pub(super) why: Option<String>,
    pub(super) from_session: String,
    pub(super) to_session: String,
    pub(super) document: Option<Document>,
}

/// What the screen learned of a document by reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Its lines.
    pub lines: usize,
    /// Lines the person added and removed, when they are known.
    pub changed: Option<(usize, usize)>,
}
