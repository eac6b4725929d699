//! The words of the handoff editor.

use serde::Deserialize;

/// The words of the handoff editor.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditorTexts {
    /// Title of the pane.
    pub title: String,
    /// Behind it before any handoff, at the right end.
    pub draft: String,
    /// Behind the title while generation `{n}` waits for the document.
    pub written_for: String,
    /// Behind the title when generation `{n}` has got it.
    pub read_by: String,
    /// The text is on disk, with the start of its hash.
    pub saved: String,
    /// The text is not on disk.
    pub unsaved: String,
    /// The same with `{n}`, the number of places, when it is one.
    pub unsaved_one: String,
    /// The same with `{n}`, the number of places.
    pub unsaved_many: String,
    /// The hash of what the successor has got.
    pub sha: String,
    /// The names of the sections in this language.
    pub headings: [String; 5],
    /// A section that must have a text, with its size.
    pub required: String,
    /// A section that must have a text and has none.
    pub required_empty: String,
    /// A section without a text.
    pub empty: String,
    /// What stands in place of the text of such a section.
    pub empty_body: String,
    /// One item of a list.
    pub items_one: String,
    /// `{n}` items of a list.
    pub items_many: String,
    /// The same in a narrow pane.
    pub items_short: String,
    /// `{n}` pointers of the scene.
    pub pointers: String,
    /// The same in a narrow pane.
    pub pointers_short: String,
    /// The size of a section, in tokens.
    pub tokens: String,
    /// One item of the person's before any handoff.
    pub yours_one: String,
    /// `{n}` items of the person's before any handoff.
    pub yours_many: String,
    /// The successor has got the section.
    pub delivered: String,
    /// The same, but for one line.
    pub delivered_but_one: String,
    /// The same, but for `{n}` lines.
    pub delivered_but_many: String,
    /// Rows that are not shown.
    pub more: String,
    /// A remark behind a line.
    pub lint: String,
    /// What becomes of lines jotted before any handoff.
    pub hint_draft: String,
    /// One line is not delivered.
    pub hint_undelivered_one: String,
    /// `{n}` lines are not delivered.
    pub hint_undelivered_many: String,
    /// How to send them at once.
    pub hint_send: String,
}
