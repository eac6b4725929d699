//! The words of the archive on the screen.

use serde::Deserialize;

/// The archive of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchiveTexts {
    /// The box's title.
    pub title: String,
    /// One document, beside the title.
    pub one_document: String,
    /// Several documents, beside the title.
    pub documents: String,
    /// No generation has ended.
    pub empty: String,
    /// Documents of a step.
    pub generations: String,
    /// How many of them are mechanical ones.
    pub of_them_degraded: String,
    /// The day before today.
    pub yesterday: String,
    /// Turns of a generation.
    pub turns: String,
    /// The person changed the document.
    pub edited: String,
    /// The document is the mechanical one.
    pub degraded: String,
    /// Head of the preview.
    pub preview: String,
    /// The preview's hash.
    pub sha: String,
    /// The document is being read.
    pub loading: String,
    /// The document cannot be read.
    pub failed: String,
    /// The keys, in the last row.
    pub keys: String,
}
