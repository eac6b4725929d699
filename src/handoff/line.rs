//! What one line of a document is, apart from headings: fence, stamp, protected line; and what
//! of a text is body at all. Parsing and printing share it, so that they agree.

use super::heading::{self, Heading};
use super::stamp;

/// Bodies that say "empty", with ASCII brackets and in lower case.
const EMPTY: [&str; 4] = ["(空)", "(empty)", "(暂无)", "(none)"];

/// Says whether a body is blank or only says that it is empty.
pub(super) fn is_empty_body(body: &str) -> bool {
    let text = body.trim();
    // The longest of the marks, with full-width brackets, has 12 bytes.
    if text.len() > 16 {
        return text.is_empty();
    }
    let plain = text.replace('（', "(").replace('）', ")").to_lowercase();
    plain.is_empty() || EMPTY.contains(&plain.as_str())
}

/// Gives a section's body as a file keeps it.
pub(super) fn normal_body(body: &str) -> String {
    if is_empty_body(body) {
        return String::new();
    }
    normal_text(body)
}

/// Gives text as a file keeps it: no carriage return at a line's end, no blank line around.
pub(super) fn normal_text(text: &str) -> String {
    let text = without_returns(text);
    without_blank_ends(&text).to_owned()
}

/// Takes the carriage returns off the line ends.
pub(super) fn without_returns(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('\r') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            plain.push('\n');
        }
        plain.push_str(line.trim_end_matches('\r'));
    }
    plain.into()
}

/// Takes blank lines off both ends and leaves the spaces of the lines that stay.
pub(super) fn without_blank_ends(text: &str) -> &str {
    let Some(first) = text.find(|letter: char| !letter.is_whitespace()) else {
        return "";
    };
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let last = text.trim_end().len();
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
    &text[start..end]
}

/// Takes an indent of up to three columns off; `None` for a deeper one, which makes a line body.
pub(super) fn unindent(line: &str) -> Option<(&str, &str)> {
    // 0xE3 starts an ideographic space.
    if !matches!(line.as_bytes().first(), Some(b' ' | 0xE3)) {
        return Some(("", line));
    }
    let rest = line.trim_start_matches([' ', '\u{3000}']);
    let indent = &line[..line.len() - rest.len()];
    (indent.chars().count() <= 3).then_some((indent, rest))
}

/// The start of a fenced code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    pub(super) mark: char,
    pub(super) length: usize,
    /// Columns in front of the fence, where a list marker counts.
    column: usize,
    /// The words behind the marks, such as a language.
    pub(super) info: &'a str,
}

impl<'a> Fence<'a> {
    /// Recognises a line that opens a fenced code block, also behind list markers: otherwise the
    /// line that closes such a block would open another one.
    pub(super) fn open(line: &'a str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let mut column = line.len() - rest.len();
        if column > 3 {
            return None;
        }
        let mut rest = rest;
        loop {
            match rest.as_bytes().first()? {
                b'`' | b'~' => break,
                b'-' | b'*' | b'+' | b'0'..=b'9' => {}
                _ => return None,
            }
            let after = list_marker(rest)?;
            column += rest.len() - after.len();
            rest = after;
        }
        let (mark, length, info) = run_of_marks(rest)?;
        // A backtick behind the marks makes it a piece of code within a line.
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self {
            mark,
            length,
            column,
            info: info.trim(),
        })
    }

    /// Says whether `line` closes the block.
    pub(super) fn closed_by(&self, line: &str) -> bool {
        Closer::of(line).is_some_and(|closer| self.closed_with(&closer))
    }

    pub(super) fn closed_with(&self, closer: &Closer) -> bool {
        closer.mark == self.mark
            && closer.length >= self.length
            // A block in a list is indented with the list.
            && closer.column <= self.column + 3
    }
}

/// A line that can close a fenced code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closer {
    pub(super) mark: char,
    pub(super) length: usize,
    pub(super) column: usize,
}

impl Closer {
    pub(super) fn of(line: &str) -> Option<Self> {
        let mut column = 0;
        let mut start = 0;
        for byte in line.bytes() {
            match byte {
                b' ' => column += 1,
                b'\t' => column += 4 - column % 4,
                b'`' | b'~' => break,
                _ => return None,
            }
            start += 1;
        }
        let (mark, length, after) = run_of_marks(&line[start..])?;
        (length >= 3 && after.trim().is_empty()).then_some(Self {
            mark,
            length,
            column,
        })
    }
}

fn run_of_marks(text: &str) -> Option<(char, usize, &str)> {
    let mark = text.chars().next().filter(|mark| "`~".contains(*mark))?;
    let after = text.trim_start_matches(mark);
    Some((mark, text.len() - after.len(), after))
}

/// Takes a list marker and its one to four spaces off.
fn list_marker(text: &str) -> Option<&str> {
    let after = match text.strip_prefix(['-', '*', '+']) {
        Some(after) => after,
        None => {
            let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
            if digits == 0 || digits > 9 {
                return None;
            }
            text[digits..].strip_prefix(['.', ')'])?
        }
    };
    let rest = after.trim_start_matches(' ');
    (1..=4)
        .contains(&(after.len() - rest.len()))
        .then_some(rest)
}

/// Where a line stands: before the first heading any level of heading starts a section; after it
/// only one that is not deeper than the `##` this program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Before the first heading.
    Preamble,
    /// In the body of a section.
    Body,
}

/// What a line means to the parser when it stands outside code blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// The heading of a section, of any level.
    Heading(Heading<'a>),
    /// A stamp, readable or not.
    Stamp,
    /// The start of a code block.
    Fence(Fence<'a>),
}

/// A line that means something, or would without the backslashes in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Special<'a> {
    /// Bytes of indent.
    pub(super) indent: usize,
    /// Backslashes between the indent and what would mean something.
    pub(super) slashes: usize,
    pub(super) meaning: Meaning<'a>,
}

impl Special<'_> {
    /// Says whether backslashes protect such a line at this place.
    ///
    /// Printing adds one and parsing takes one off by this same rule, so both are exact inverses
    /// whatever the number of backslashes in a text.
    pub(super) fn protectable(&self, place: Place) -> bool {
        match (&self.meaning, place) {
            (Meaning::Heading(heading), Place::Body) => {
                heading.level.is_none_or(|level| level <= 2)
            }
            (Meaning::Heading(_), Place::Preamble) | (Meaning::Stamp | Meaning::Fence(_), _) => {
                true
            }
        }
    }
}

/// Recognises a line that means something, protected or not.
pub(super) fn special(line: &str) -> Option<Special<'_>> {
    let (indent, rest) = unindent(line)?;
    let text = match rest.as_bytes().first()? {
        b'\\' => rest.trim_start_matches('\\'),
        _ => rest,
    };
    let slashes = rest.len() - text.len();
    let fence = || Fence::open(if slashes == 0 { line } else { text }).map(Meaning::Fence);
    // Each first byte leads to one or two meanings: a document of millions of lines is read at
    // about the speed of finding their ends.
    let meaning = match text.as_bytes().first()? {
        b'<' => stamp::is_stamp(text).then_some(Meaning::Stamp),
        b'`' | b'~' | b'-' | b'+' => fence(),
        b'*' | b'0'..=b'9' => heading::recognise(text)
            .map(Meaning::Heading)
            .or_else(fence),
        _ => heading::recognise(text).map(Meaning::Heading),
    }?;
    Some(Special {
        indent: indent.len(),
        slashes,
        meaning,
    })
}
