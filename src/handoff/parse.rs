//! From a text to a [`Handoff`]: one pass over the lines, a second one only for a reply that is
//! wrapped in a fence.

use super::line::{Closer, Fence, Meaning, Place};
use super::section::{DocumentLang, Section};
use super::stamp::{self, Stamp};
use super::{Handoff, line};

pub(super) fn parse(text: &str) -> Handoff {
    let text = line::without_returns(text.trim_start_matches('\u{feff}'));
    // The last line is the stamp even below a code block that nobody closed.
    let (text, last) = match stamp::last_line(&text) {
        (before, last) if stamp::is_stamp(last.trim_start()) => (before, Stamp::from_line(last)),
        _ => (&*text, None),
    };
    let plain = scan(text);
    let scan = unwrap(text, &plain).unwrap_or(plain);
    scan.into_handoff(last)
}

/// Lists the sections that have a heading, in a reply wrapped in a fence too.
pub(super) fn sections_in(text: &str) -> Vec<Section> {
    let text = line::without_returns(text.trim_start_matches('\u{feff}'));
    let plain = scan(&text);
    let scan = unwrap(&text, &plain).unwrap_or(plain);
    let mut found: Vec<Section> = scan.bodies.iter().map(|(section, _)| *section).collect();
    found.sort();
    found.dedup();
    found
}

/// What one pass over a text finds.
#[derive(Default)]
struct Scan<'a> {
    lang: Option<DocumentLang>,
    preamble: String,
    /// Bodies in the order of the text; a section may come more than once.
    bodies: Vec<(Section, String)>,
    stamp: Option<Stamp>,
    /// The code block that starts before any heading: its line's start and end.
    first_fence: Option<(usize, usize, Fence<'a>)>,
}

impl Scan<'_> {
    /// Counts the sections that have a heading, with a body or not.
    fn sections(&self) -> usize {
        let has = |section: &Section| self.bodies.iter().any(|(found, _)| found == section);
        Section::ALL.iter().filter(|section| has(section)).count()
    }

    fn has_body(&self, section: Section) -> bool {
        self.bodies
            .iter()
            .any(|(found, body)| *found == section && !line::is_empty_body(body))
    }

    fn into_handoff(self, last: Option<Stamp>) -> Handoff {
        let mut handoff = Handoff {
            lang: self.lang.unwrap_or_default(),
            ..Handoff::default()
        };
        let (title_step, preamble) = without_title(&self.preamble);
        let mut preamble = line::normal_text(preamble);
        for (section, body) in self.bodies {
            let body = line::normal_body(&body);
            if body.is_empty() {
                continue;
            }
            let slot = handoff.section_mut(section);
            if slot.is_empty() {
                *slot = body;
            } else {
                // The first one wins; the other one is kept where nothing is lost.
                if !preamble.is_empty() {
                    preamble.push_str("\n\n");
                }
                preamble.push_str("## ");
                preamble.push_str(section.heading(handoff.lang));
                preamble.push_str("\n\n");
                preamble.push_str(&body);
            }
        }
        handoff.preamble = preamble;
        handoff.stamp = last.or(self.stamp).unwrap_or_else(|| Stamp {
            step: title_step.unwrap_or_default(),
            degraded: handoff.degraded(),
            ..Stamp::default()
        });
        handoff
    }
}

fn scan(text: &str) -> Scan<'_> {
    let mut scan = Scan::default();
    let mut body = Body::new(text);
    let mut section = None;
    let mut level = None;
    let mut fence: Option<Fence<'_>> = None;
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let end = text[start..]
            .find('\n')
            .map_or(text.len(), |length| start + length);
        at = (end + 1).min(text.len());
        let line = &text[start..end];
        if let Some(open) = fence {
            if open.closed_by(line) {
                fence = None;
            }
            body.keep(start, at);
            continue;
        }
        let Some(special) = line::special(line) else {
            body.keep(start, at);
            continue;
        };
        if special.slashes > 0 {
            let place = section.map_or(Place::Preamble, |_| Place::Body);
            if special.protectable(place) {
                let indent = special.indent;
                body.push(&[&line[..indent], &line[indent + 1..], "\n"]);
            } else {
                body.keep(start, at);
            }
            continue;
        }
        match special.meaning {
            Meaning::Heading(heading) if is_deeper(heading.level, level) => body.keep(start, at),
            Meaning::Heading(heading) => {
                scan.close(section, body.take());
                level = level.or(heading.level);
                scan.lang = scan.lang.or(Some(heading.lang));
                section = Some(heading.section);
                let (mark, rest) = heading.rest;
                if !rest.is_empty() {
                    fence = Fence::open(rest).filter(|_| mark.is_empty());
                    body.push(&[mark, rest, "\n"]);
                }
            }
            Meaning::Stamp => scan.stamp = Stamp::from_line(line).or(scan.stamp),
            Meaning::Fence(open) => {
                if section.is_none() && scan.first_fence.is_none() {
                    scan.first_fence = Some((start, at, open));
                }
                fence = Some(open);
                body.keep(start, at);
            }
        }
    }
    scan.close(section, body.take());
    scan
}

/// Says whether a heading lies below the level at which the document's sections start.
fn is_deeper(found: Option<u8>, sections: Option<u8>) -> bool {
    matches!((found, sections), (Some(found), Some(sections)) if found > sections)
}

impl Scan<'_> {
    fn close(&mut self, section: Option<Section>, body: String) {
        match section {
            Some(section) => self.bodies.push((section, body)),
            None => self.preamble = body,
        }
    }
}

/// Collects the lines of a body; lines that stay as they are get copied in one piece.
struct Body<'a> {
    text: &'a str,
    done: String,
    run: std::ops::Range<usize>,
}

impl<'a> Body<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            done: String::new(),
            run: 0..0,
        }
    }

    fn keep(&mut self, start: usize, end: usize) {
        if self.run.end != start {
            self.flush();
            self.run.start = start;
        }
        self.run.end = end;
    }

    fn push(&mut self, pieces: &[&str]) {
        self.flush();
        self.done.extend(pieces.iter().copied());
    }

    fn flush(&mut self) {
        self.done.push_str(&self.text[self.run.clone()]);
        self.run = 0..0;
    }

    fn take(&mut self) -> String {
        self.flush();
        std::mem::take(&mut self.done)
    }
}

/// Reads a reply that is wrapped in one fence, as models like to do; `None` when it is not.
///
/// Code blocks within the wrapping one make the wrapper's own end ambiguous, so both readings are
/// made and the one with more sections wins. Where words stand around the fence (`Here it is:`),
/// what is inside must be a complete handoff, not an example of one.
fn unwrap<'a>(text: &'a str, plain: &Scan<'a>) -> Option<Scan<'a>> {
    let (start, inside, fence) = plain.first_fence?;
    let (end, after) = last_closer(text, inside, &fence)?;
    let (before, after) = (&text[..start], &text[after..]);
    let mut inner = scan(&text[inside..end]);
    if inner.sections() <= plain.sections() {
        return None;
    }
    let whole = before.trim().is_empty() && after.trim().is_empty();
    let document = ["", "markdown", "md"].contains(&fence.info.to_lowercase().as_str())
        && inner.has_body(Section::Doing)
        && inner.has_body(Section::Next);
    if !whole && !document {
        return None;
    }
    inner.preamble = [before, inner.preamble.as_str(), after]
        .map(line::without_blank_ends)
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    Some(inner)
}

/// Finds the last line from `from` on that closes `fence`: its start and its end.
fn last_closer(text: &str, from: usize, fence: &Fence<'_>) -> Option<(usize, usize)> {
    let mut end = text.len();
    while end > from {
        let line_end = if text[..end].ends_with('\n') {
            end - 1
        } else {
            end
        };
        let start = text[from..line_end]
            .rfind('\n')
            .map_or(from, |at| from + at + 1);
        let closes =
            Closer::of(&text[start..line_end]).is_some_and(|closer| fence.closed_with(&closer));
        if closes {
            return Some((start, end));
        }
        end = start;
    }
    None
}

/// Takes the title and the note of a document off its preamble, and reads the step's name.
fn without_title(preamble: &str) -> (Option<String>, &str) {
    let text = preamble.trim_start();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let Some(step) = title_step(first) else {
        return (None, preamble);
    };
    let (second, after) = {
        let rest = rest.trim_start();
        rest.split_once('\n').unwrap_or((rest, ""))
    };
    let is_note = [DocumentLang::Zh, DocumentLang::En]
        .iter()
        .any(|lang| second.trim_end() == lang.note());
    (Some(step), if is_note { after } else { rest })
}

/// Reads the step from `# 交接书(STEP)`; empty when the title names none.
fn title_step(line: &str) -> Option<String> {
    let title = line.strip_prefix(['#', '＃'])?.trim();
    let rest = [DocumentLang::Zh, DocumentLang::En]
        .iter()
        .find_map(|lang| title.strip_prefix(lang.title()))?
        .trim_start();
    if rest.is_empty() {
        return Some(String::new());
    }
    let step = rest.strip_prefix(['(', '（'])?.strip_suffix([')', '）'])?;
    Some(step.to_owned())
}
