//! The handoff document: what a session that is nearly full leaves for its successor. In go the
//! words of a model or of a person, out come five sections, a Markdown file and its archive.

mod degraded;
mod heading;
mod line;
mod names;
mod parse;
mod print;
mod section;
mod stamp;
pub mod store;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use degraded::{DEGRADED, degraded};
pub use section::{DocumentLang, Section};
pub use stamp::Stamp;
pub use store::{Loaded, StoreError};

/// Holds the five sections of one handoff and what its file says beside them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handoff {
    /// What is being done; required.
    pub doing: String,
    /// What is settled, each with its why.
    pub decided: String,
    /// What was tried and does not work.
    pub deadends: String,
    /// What to do next; required.
    pub next: String,
    /// Where things are: paths and branches, not contents.
    pub scene: String,
    /// Text of the document that is in no section: it stays in the file and out of the prompt.
    pub preamble: String,
    /// The language of the headings.
    pub lang: DocumentLang,
    /// Which session wrote the document, and when; empty fields where nobody said.
    pub stamp: Stamp,
}

impl Handoff {
    /// Reads a document or a model's reply; takes any bytes, and time linear in their number.
    pub fn parse(text: impl AsRef<[u8]>) -> Self {
        parse::parse(&String::from_utf8_lossy(text.as_ref()))
    }

    /// Lists the sections that have a heading in a text, with a body or not, in the order of the
    /// document; tells how far a reply got that was cut.
    pub fn sections_in(text: &str) -> Vec<Section> {
        parse::sections_in(text)
    }

    /// Gives the text of one section.
    pub fn section(&self, section: Section) -> &str {
        match section {
            Section::Doing => &self.doing,
            Section::Decided => &self.decided,
            Section::Deadends => &self.deadends,
            Section::Next => &self.next,
            Section::Scene => &self.scene,
        }
    }

    /// Gives the text of one section, to change it.
    pub fn section_mut(&mut self, section: Section) -> &mut String {
        match section {
            Section::Doing => &mut self.doing,
            Section::Decided => &mut self.decided,
            Section::Deadends => &mut self.deadends,
            Section::Next => &mut self.next,
            Section::Scene => &mut self.scene,
        }
    }

    /// Names the required fields that are empty: `doing`, `next`, both or none.
    pub fn missing(&self) -> Vec<&'static str> {
        [Section::Doing, Section::Next]
            .into_iter()
            .filter(|section| line::is_empty_body(self.section(*section)))
            .map(Section::field)
            .collect()
    }

    /// Says whether no required field is missing.
    pub fn complete(&self) -> bool {
        self.missing().is_empty()
    }

    /// Says whether the document was put together by the program because the model wrote none.
    pub fn degraded(&self) -> bool {
        self.doing.starts_with(DEGRADED)
    }

    /// Returns the same document under another stamp, whose `degraded` follows the document.
    #[must_use]
    pub fn stamped(mut self, stamp: &Stamp) -> Self {
        self.stamp = Stamp {
            degraded: self.degraded(),
            ..stamp.clone()
        };
        self
    }

    /// Returns what is left of the document after a round trip through its file: no carriage
    /// return at a line's end, no blank line around a body, no body that only says "empty".
    #[must_use]
    pub fn normalized(&self) -> Self {
        let mut same = self.clone();
        for section in Section::ALL {
            let body = line::normal_body(self.section(section));
            *same.section_mut(section) = body;
        }
        same.preamble = line::normal_text(&self.preamble);
        same
    }

    /// Prints the document's file: title, note, five headings in order, stamp.
    ///
    /// [`Handoff::parse`] gives back what [`Handoff::normalized`] gives. A line of a body that would
    /// be read as a heading, a stamp or the start of an endless code block gets a backslash in
    /// front, as Markdown has it, which parsing takes off.
    pub fn to_markdown(&self) -> String {
        print::document(self)
    }

    /// Prints the non-empty sections under their `##` headings, bodies to the letter.
    pub fn prompt_block(&self) -> String {
        print::prompt_block(self)
    }

    /// Writes the document to `path` in one step and returns the SHA-256 of its bytes.
    ///
    /// # Errors
    /// [`StoreError::Io`]; the former file is then untouched.
    pub fn write(&self, path: &Path) -> Result<String, StoreError> {
        store::write_document(path, self.to_markdown().as_bytes())
    }

    /// Reads the document at `path`.
    ///
    /// # Errors
    /// [`StoreError::Io`], also when `path` is no ordinary file.
    pub fn load(path: &Path) -> Result<Loaded, StoreError> {
        store::load_document(path)
    }
}
