//! The five sections of a handoff as a person edits them. Documents, keys and pasted text go in;
//! out come the document as it stands, what of it is not on disk, and what no successor has got.
//!
//! The text areas are written here and not taken from a widget: a caret that is addressed by line
//! and byte reaches every place of a text of any size in one move, a replaced selection is one step
//! of undo, and a document can be loaded under the caret without losing the history.

mod area;
mod conflict;
mod diff;
mod keys;
mod motion;
mod part;
mod shares;
#[cfg(test)]
mod tests;
mod wrap;

use crate::handoff::{DocumentLang, Handoff, Section};
use crate::sanitize::sanitize;

pub use area::Pos;
pub use conflict::{Choice, Clash, Conflict, TakenOver};
pub use keys::EditorOutcome;
pub use part::Facts;
pub use shares::{shares, window};
pub use wrap::{Row, byte_at, cell_of, cluster_cells, row_of, wrap_rows};

use area::Step;
use part::Part;

/// Cells left of the text and right of it: the mark's column, its blank, the indent; and one cell
/// for a caret behind a full row.
pub const SIDE_CELLS: u16 = 4;

/// The same where one section has the whole pane.
pub const SIDE_CELLS_SINGLE: u16 = 2;

/// Width of the pane in cells until the app has told the real one.
const FIRST_WIDTH: u16 = 60;
/// Height of the pane in rows until then.
const FIRST_HEIGHT: u16 = 32;

/// The handoff as it is being edited.
#[derive(Debug, Clone)]
pub struct Editor {
    parts: [Part; 5],
    /// What the document has beside its sections.
    frame: Handoff,
    focus: Section,
    base_sha: Option<String>,
    delivered_sha: Option<String>,
    /// What was cut last, for all sections.
    buffer: String,
    /// Cell the caret wants to stand in while it moves up and down.
    goal: Option<usize>,
    width: u16,
    height: u16,
    single: bool,
}

impl Editor {
    /// Starts empty, before the first handoff of a document in `lang`.
    pub fn new(lang: DocumentLang) -> Self {
        let width = usize::from(FIRST_WIDTH - SIDE_CELLS);
        Self {
            parts: Section::ALL.map(|section| Part::new(section, width)),
            frame: Handoff {
                lang,
                ..Handoff::default()
            },
            focus: Section::Deadends,
            base_sha: None,
            delivered_sha: None,
            buffer: String::new(),
            goal: None,
            width: FIRST_WIDTH,
            height: FIRST_HEIGHT,
            single: false,
        }
    }

    /// Takes the size of the pane in cells, its title row included, and whether it shows one
    /// section only. The caret moves by the rows that this gives.
    pub fn resize(&mut self, width: u16, height: u16, single: bool) {
        let rewrap = (self.width, self.single) != (width, single);
        (self.width, self.height, self.single) = (width, height, single);
        if rewrap {
            for section in Section::ALL {
                self.refresh(section);
            }
        }
        self.goal = None;
        self.follow();
    }

    /// Width of the text in cells, at least 1.
    pub fn text_width(&self) -> usize {
        text_width(self.width, self.single)
    }

    /// Takes a document that was just written. What the person has written since stays, behind the
    /// text of its section; caret and undo stay too.
    pub fn load(&mut self, document: &Handoff, sha256: &str) {
        self.frame = frame_of(document);
        for section in Section::ALL {
            self.part_mut(section).load(document.section(section));
            self.refresh(section);
        }
        self.base_sha = Some(sha256.to_owned());
        self.delivered_sha = None;
        self.goal = None;
        self.follow();
    }

    /// The document as it stands; sections that nobody changed are byte for byte what was loaded.
    pub fn document(&self) -> Handoff {
        let mut document = self.frame.clone();
        for section in Section::ALL {
            *document.section_mut(section) = self.part(section).body();
        }
        document
    }

    /// Whether anything is not on disk.
    pub fn dirty(&self) -> bool {
        self.unsaved_places() > 0
    }

    /// The sections that are not on disk as they stand here.
    pub fn dirty_sections(&self) -> Vec<Section> {
        let dirty = |section: &Section| self.part(*section).facts().unsaved > 0;
        Section::ALL.into_iter().filter(dirty).collect()
    }

    /// Number of places changed since the document was last on disk.
    pub fn unsaved_places(&self) -> usize {
        self.parts.iter().map(|part| part.facts().unsaved).sum()
    }

    /// SHA-256 of the file that the text goes back to; `None` before the first document.
    pub fn base_sha(&self) -> Option<&str> {
        self.base_sha.as_deref()
    }

    /// SHA-256 of what the successor has got; `None` until a swap and after the next document.
    pub fn delivered_sha(&self) -> Option<&str> {
        self.delivered_sha.as_deref()
    }

    /// Notes that `document`, taken from here a moment ago, is on disk. Keys that came between are
    /// still not saved.
    pub fn saved(&mut self, document: &Handoff, sha256: &str) {
        for section in Section::ALL {
            self.part_mut(section).on_disk(document.section(section));
            self.refresh(section);
        }
        self.base_sha = Some(sha256.to_owned());
    }

    /// Notes that a successor has got `document`, which is what the disk holds. Text, caret and undo
    /// stay; what differs from it is not delivered.
    pub fn delivered(&mut self, document: &Handoff, sha256: &str) {
        for section in Section::ALL {
            let part = self.part_mut(section);
            part.on_disk(document.section(section));
            part.delivered(document.section(section));
            self.refresh(section);
        }
        self.base_sha = Some(sha256.to_owned());
        self.delivered_sha = Some(sha256.to_owned());
    }

    /// The person's lines that no successor has got, by section; none without such lines.
    pub fn undelivered(&self) -> Vec<(Section, Vec<String>)> {
        let notes = |section: Section| (section, self.part(section).notes());
        let some = |(_, lines): &(Section, Vec<String>)| !lines.is_empty();
        Section::ALL.into_iter().map(notes).filter(some).collect()
    }

    /// Number of lines that no successor has got, blank ones aside.
    pub fn undelivered_lines(&self) -> usize {
        self.parts.iter().map(|part| part.facts().own_lines).sum()
    }

    /// Notes that the running session was told everything that stands here.
    pub fn sent(&mut self) {
        for section in Section::ALL {
            self.part_mut(section).sent();
            self.refresh(section);
        }
    }

    /// Puts the lines that no successor has got into a new document, to the letter and behind the
    /// model's text of their section. A second call adds nothing that the document already has.
    pub fn merge_into(&mut self, document: &mut Handoff) {
        for section in Section::ALL {
            let notes = self.part_mut(section).take_notes();
            if notes.is_empty() {
                continue;
            }
            let body = document.section_mut(section);
            let lines = area::split(body);
            let has = lines.windows(notes.len()).any(|some| some == notes);
            if has {
                continue;
            }
            let model = part::trimmed(&lines).join("\n");
            *body = match model.as_str() {
                "" => notes.join("\n"),
                model => format!("{model}\n{}", notes.join("\n")),
            };
        }
    }

    /// Puts a line of the person's behind a section's text, as a pin does. One step of undo.
    pub fn add_line(&mut self, section: Section, line: &str) {
        let clean = clean(line);
        let area = &mut self.part_mut(section).area;
        let (caret, end) = (area.caret(), area.end());
        let text = match end.byte {
            0 => clean,
            _ => format!("\n{clean}"),
        };
        area.replace(end, end, &text, Step::Whole);
        // Who types at the end goes on there, not in the new line.
        area.go(caret, false);
        self.changed(section);
    }

    /// Puts the caret behind the last word of the section it is in.
    pub fn to_end(&mut self) {
        let section = self.focus;
        let area = &mut self.part_mut(section).area;
        let end = area.end();
        area.go(end, false);
        self.goal = None;
        self.follow();
    }

    /// The section that has the caret.
    pub fn focus(&self) -> Section {
        self.focus
    }

    /// Gives the caret to a section; it stands where it last stood there.
    pub fn focus_section(&mut self, section: Section) {
        self.focus = section;
        self.goal = None;
        self.follow();
    }

    /// Goes to the section below; from the last one nowhere.
    pub fn next_section(&mut self) {
        let next = self.focus as usize + 1;
        self.focus_section(Section::ALL.get(next).copied().unwrap_or(self.focus));
    }

    /// Goes to the section above; from the first one nowhere.
    pub fn previous_section(&mut self) {
        let before = (self.focus as usize).saturating_sub(1);
        self.focus_section(Section::ALL[before]);
    }

    /// Puts the caret at a place of a section, as a click does.
    pub fn place(&mut self, section: Section, at: Pos) {
        self.part_mut(section).area.go(at, false);
        self.focus_section(section);
    }

    /// Takes pasted text in place of the selection, as one step of undo. Line ends become line
    /// feeds, what a terminal would obey becomes a visible mark.
    pub fn paste(&mut self, text: &str) -> EditorOutcome {
        let text = clean(text);
        let section = self.focus;
        if self.part_mut(section).area.insert(&text, Step::Whole) {
            self.changed(section);
            EditorOutcome::Changed
        } else {
            EditorOutcome::Moved
        }
    }

    /// What is known about a section's text.
    pub fn facts(&self, section: Section) -> &Facts {
        self.part(section).facts()
    }

    /// The lines of a section.
    pub fn lines(&self, section: Section) -> &[String] {
        self.part(section).area.lines()
    }

    /// The rows of a section at [`Editor::text_width`].
    pub fn rows(&self, section: Section) -> &[Row] {
        self.part(section).rows()
    }

    /// The caret's place in a section.
    pub fn caret(&self, section: Section) -> Pos {
        self.part(section).area.caret()
    }

    /// Start and end of what is selected in a section.
    pub fn selection(&self, section: Section) -> Option<(Pos, Pos)> {
        self.part(section).area.selection()
    }

    /// The first row of a section that is seen when its text does not fit.
    pub fn top(&self, section: Section) -> usize {
        self.part(section).top
    }

    /// The language of the document's headings.
    pub fn lang(&self) -> DocumentLang {
        self.frame.lang
    }

    fn part(&self, section: Section) -> &Part {
        &self.parts[section as usize]
    }

    fn part_mut(&mut self, section: Section) -> &mut Part {
        &mut self.parts[section as usize]
    }

    fn refresh(&mut self, section: Section) {
        let width = self.text_width();
        self.part_mut(section).refresh(width);
    }

    fn changed(&mut self, section: Section) {
        self.refresh(section);
        self.goal = None;
        self.follow();
    }

    /// Rows the body of the section with the caret has on screen.
    fn body_rows(&self) -> usize {
        let rows = usize::from(self.height).saturating_sub(1);
        let needs = Section::ALL.map(|section| self.rows(section).len());
        match shares(needs, self.focus, rows) {
            Some(given) if !self.single => given[self.focus as usize],
            Some(_) | None => rows,
        }
    }

    /// Scrolls so that the caret is seen.
    fn follow(&mut self) {
        let rows = self.body_rows();
        let part = &mut self.parts[self.focus as usize];
        let caret = row_of(part.rows(), part.area.caret());
        part.top = window(part.top, Some(caret), part.rows().len(), rows).0;
    }
}

/// Width of the text in a pane, in cells, at least 1.
pub fn text_width(pane: u16, single: bool) -> usize {
    let side = if single {
        SIDE_CELLS_SINGLE
    } else {
        SIDE_CELLS
    };
    usize::from(pane.saturating_sub(side).max(1))
}

/// Typed or pasted text as it may enter the state.
fn clean(text: &str) -> String {
    // Terminals send a carriage return for a line end inside a bracketed paste.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    sanitize(&text).into_owned()
}

/// What a document has beside its sections.
fn frame_of(document: &Handoff) -> Handoff {
    let mut frame = document.clone();
    for section in Section::ALL {
        frame.section_mut(section).clear();
    }
    frame
}
