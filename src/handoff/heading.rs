//! Is this line the heading of a section? In goes one line without its indent, out comes the
//! section with what follows the heading on the same line.

use std::sync::LazyLock;

use regex::Regex;

use super::section::{DocumentLang, NAMES, Section};

/// A recognised heading line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    pub(super) section: Section,
    pub(super) lang: DocumentLang,
    /// The number of `#`s, 1 to 6; bold, numbered and bare headings have none.
    pub(super) level: Option<u8>,
    /// What stands after the colon: an opening bold mark that is closed further on, then text.
    pub(super) rest: (&'static str, &'a str),
}

/// No real heading has more signs than this before or behind its name; the limit keeps a line of
/// ten million of them cheap.
const MOST_SIGNS: usize = 16;

/// Bytes of one run of emoji that are looked at: four families of four with skin tones.
const EMOJI_BYTES: usize = 180;

/// The Chinese letters that a heading can start with: those of the names, and numbers.
pub(super) const FIRST_LETTERS: &str = "现当进已决走试排下文一二三四五六七八九十";

/// Recognises a heading in `line`, which starts after the indent and holds no line break.
pub(super) fn recognise(line: &str) -> Option<Heading<'_>> {
    if !may_start_heading(line) {
        return None;
    }
    let (level, after_marks) = hashes(line)?;
    if after_marks.is_empty() {
        return None;
    }
    let lead = lead(after_marks)?;
    let (section, lang, tail) = name(lead.rest)?;
    let mut open = lead.open;
    let mut rest = tail;
    for _ in 0..MOST_SIGNS {
        rest = rest.trim_start();
        if rest.is_empty() || (level.is_some() && only_hashes(rest)) {
            let marked = level.is_some() || lead.numbered || lead.bold;
            return (open.is_empty() && marked).then_some(Heading {
                section,
                lang,
                level,
                rest: ("", ""),
            });
        }
        if let Some(after) = open.last().and_then(|mark| rest.strip_prefix(mark)) {
            open.pop();
            rest = after;
        } else if let Some(after) = colon(rest) {
            let rest = after_colon(open.pop(), after.trim_start(), level.is_some());
            return Some(Heading {
                section,
                lang,
                level,
                rest,
            });
        } else {
            rest = emoji(rest)?;
        }
    }
    None
}

/// A quick look at the first letter: most lines of most documents end here.
fn may_start_heading(line: &str) -> bool {
    match line.as_bytes().first() {
        None => false,
        Some(b'#' | b'*' | b'_' | b'(' | b':' | b'0'..=b'9') => true,
        Some(0x80..) => line.chars().next().is_some_and(|letter| {
            !matches!(letter, '\u{3400}'..='\u{9fff}') || FIRST_LETTERS.contains(letter)
        }),
        Some(letter) => matches!(
            letter.to_ascii_lowercase(),
            b'd' | b'n' | b's' | b'f' | b'w'
        ),
    }
}

fn is_hash(letter: char) -> bool {
    matches!(letter, '#' | '＃')
}

fn only_hashes(text: &str) -> bool {
    text.trim_end().chars().all(is_hash)
}

/// Takes 1 to 6 `#`s off; a seventh makes it no heading.
fn hashes(line: &str) -> Option<(Option<u8>, &str)> {
    let mut level = 0;
    let mut rest = line;
    while let Some(after) = rest.strip_prefix(is_hash) {
        level += 1;
        rest = after;
        if level > 6 {
            return None;
        }
    }
    match level {
        0 => Some((None, line)),
        level => Some((Some(level), rest.trim_start())),
    }
}

/// The signs between the `#`s and the name.
struct Lead<'a> {
    numbered: bool,
    bold: bool,
    /// Bold marks that wait for their closing one, the outermost first.
    open: Vec<&'static str>,
    rest: &'a str,
}

fn lead(text: &str) -> Option<Lead<'_>> {
    let mut lead = Lead {
        numbered: false,
        bold: false,
        open: Vec::new(),
        rest: text,
    };
    for _ in 0..MOST_SIGNS {
        let rest = lead.rest;
        if !matches!(
            rest.as_bytes().first(),
            Some(b'*' | b'_' | b':' | b'(' | b'0'..=b'9' | 0x80..)
        ) {
            return Some(lead);
        }
        if let Some((mark, after)) = bold_mark(rest) {
            // The mark may already close again: **1.** name
            if lead.open.last() == Some(&mark) {
                lead.open.pop();
            } else {
                lead.open.push(mark);
            }
            lead.bold = true;
            lead.rest = after.trim_start();
        } else if let Some(after) = emoji(rest).or_else(|| colon(rest)) {
            lead.rest = after.trim_start();
        } else if let Some(after) = number(rest).filter(|_| !lead.numbered) {
            lead.numbered = true;
            lead.rest = after.trim_start();
        } else {
            return Some(lead);
        }
    }
    None
}

fn bold_mark(text: &str) -> Option<(&'static str, &str)> {
    ["***", "**", "__"]
        .into_iter()
        .find_map(|mark| text.strip_prefix(mark).map(|after| (mark, after)))
}

fn colon(text: &str) -> Option<&str> {
    text.strip_prefix([':', '：'])
}

/// Takes `1.` `2、` `3)` `一、` `(4)` off, in either width.
fn number(text: &str) -> Option<&str> {
    let (bracket, digits) = match text.strip_prefix(['(', '（']) {
        Some(after) => (true, after),
        None => (false, text),
    };
    let is_digit = |letter: char| matches!(letter, '0'..='9' | '０'..='９');
    let is_chinese = |letter: char| "一二三四五六七八九十".contains(letter);
    let after = take_some(digits, is_digit).or_else(|| take_some(digits, is_chinese))?;
    if bracket {
        after.strip_prefix([')', '）'])
    } else {
        after.strip_prefix(['.', '．', '、', ')', '）'])
    }
}

/// Takes one to three letters of a kind off; `None` when there are none or more.
fn take_some(text: &str, kind: impl Fn(char) -> bool) -> Option<&str> {
    let mut letters = text.char_indices();
    for taken in 0..=3 {
        let next = letters.next();
        if !next.is_some_and(|(_, letter)| kind(letter)) {
            let end = next.map_or(text.len(), |(at, _)| at);
            return (taken > 0).then(|| &text[end..]);
        }
    }
    None
}

/// Takes a run of emoji off; keycaps (`1️⃣`) count, plain digits do not.
fn emoji(text: &str) -> Option<&str> {
    #[expect(
        clippy::expect_used,
        reason = "the pattern is a constant that a test compiles"
    )]
    static RUN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\x{200D}\x{20E3}\x{FE0E}\x{FE0F}\x{E0020}-\x{E007F}]|[0-9#*]\x{FE0F}?\x{20E3})+",
        )
        .expect("a valid constant pattern")
    });
    // Chinese and ASCII are by far the most common: the former never starts one, the latter only
    // a keycap.
    let first = text.chars().next()?;
    let keycap = || text[first.len_utf8()..].starts_with(['\u{fe0f}', '\u{20e3}']);
    if matches!(first, '\u{3400}'..='\u{9fff}') || (first.is_ascii() && !keycap()) {
        return None;
    }
    let start = &text[..text.floor_char_boundary(EMOJI_BYTES)];
    RUN.find(start).map(|run| &text[run.end()..])
}

/// Finds the name at the start of `text`, the longest one that fits.
fn name(text: &str) -> Option<(Section, DocumentLang, &str)> {
    let first = text.as_bytes().first()?.to_ascii_lowercase();
    NAMES
        .iter()
        .filter(|(name, _, _)| name.as_bytes().first() == Some(&first))
        .filter_map(|(name, section, lang)| {
            strip_name(text, name).map(|rest| (*section, *lang, rest))
        })
        .min_by_key(|(_, _, rest)| rest.len())
}

fn strip_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text;
    for wanted in name.chars() {
        rest = match wanted {
            ' ' => {
                let after = rest.trim_start();
                (after.len() < rest.len()).then_some(after)?
            }
            '\'' => rest.strip_prefix(['\'', '’'])?,
            '(' => rest.strip_prefix(['(', '（'])?,
            ')' => rest.strip_prefix([')', '）'])?,
            _ => rest.strip_prefix(|letter: char| letter.eq_ignore_ascii_case(&wanted))?,
        };
    }
    Some(rest)
}

/// What of `text` behind the colon is body, when the bold mark `open` is not closed yet.
fn after_colon<'a>(
    open: Option<&'static str>,
    text: &'a str,
    has_hashes: bool,
) -> (&'static str, &'a str) {
    if text.is_empty() || (has_hashes && only_hashes(text)) {
        return ("", "");
    }
    let Some(mark) = open else {
        return ("", text);
    };
    if let Some(after) = text.strip_prefix(mark) {
        return ("", after.trim_start());
    }
    match text.trim_end().strip_suffix(mark) {
        // The whole line is bold: the mark belongs to the line, not to the text.
        Some(inside) if !inside.contains(mark) => ("", inside),
        // The mark closes somewhere in the text: without its start the text would change.
        Some(_) => (mark, text),
        None if text.contains(mark) => (mark, text),
        None => ("", text),
    }
}
