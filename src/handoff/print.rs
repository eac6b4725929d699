//! From a [`Handoff`] to the text of its file and to the part of it that goes into a prompt.

use std::collections::BTreeMap;

use super::line::{Closer, Fence, Meaning, Place};
use super::section::Section;
use super::{Handoff, line};

pub(super) fn document(handoff: &Handoff) -> String {
    let normal = handoff.normalized();
    let lang = normal.lang;
    let mut out = String::new();
    out.push_str("# ");
    out.push_str(lang.title());
    let step = one_line(&normal.stamp.step);
    if !step.is_empty() {
        out.push('(');
        out.push_str(&step);
        out.push(')');
    }
    out.push_str("\n\n");
    out.push_str(lang.note());
    out.push_str("\n\n");
    if !normal.preamble.is_empty() {
        protected(&normal.preamble, Place::Preamble, &mut out);
        out.push('\n');
    }
    for section in Section::ALL {
        out.push_str("## ");
        out.push_str(section.heading(lang));
        out.push_str("\n\n");
        match normal.section(section) {
            "" => {
                out.push_str(lang.empty());
                out.push('\n');
            }
            body => protected(body, Place::Body, &mut out),
        }
        out.push('\n');
    }
    out.push_str(&normal.stamp.to_line());
    out.push('\n');
    out
}

pub(super) fn prompt_block(handoff: &Handoff) -> String {
    let mut out = String::new();
    for section in Section::ALL {
        let body = handoff.section(section);
        if line::is_empty_body(body) {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("## ");
        out.push_str(section.heading(handoff.lang));
        out.push_str("\n\n");
        out.push_str(body);
        out.push('\n');
    }
    out
}

/// A step's name as a title shows it; the exact one is in the stamp.
fn one_line(step: &str) -> String {
    let plain: String = step
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    plain.trim().to_owned()
}

/// Writes lines so that parsing gives back exactly these.
fn protected(text: &str, place: Place, out: &mut String) {
    let lines: Vec<&str> = text.split('\n').collect();
    let closed = closed_fences(&lines);
    let mut fence: Option<Fence<'_>> = None;
    for (line, closed) in lines.into_iter().zip(closed) {
        if let Some(open) = fence {
            if open.closed_by(line) {
                fence = None;
            }
        } else if let Some(special) = line::special(line) {
            let protect = match special.meaning {
                Meaning::Fence(open) if special.slashes == 0 && closed => {
                    fence = Some(open);
                    false
                }
                Meaning::Fence(_) | Meaning::Heading(_) | Meaning::Stamp => {
                    special.protectable(place)
                }
            };
            if protect {
                out.push_str(&line[..special.indent]);
                out.push('\\');
                out.push_str(&line[special.indent..]);
                out.push('\n');
                continue;
            }
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// Says for each line whether the code block it may open is closed further down.
///
/// One pass from the end: a search from each fence would take a day for a text of nothing but
/// open ones.
fn closed_fences(lines: &[&str]) -> Vec<bool> {
    // By mark, the closing lines below: length of the run to the smallest column of those at
    // least as long. Shorter runs have smaller columns; all others are of no use.
    let mut below: BTreeMap<char, BTreeMap<usize, usize>> = BTreeMap::new();
    let mut closed = vec![false; lines.len()];
    for (number, line) in lines.iter().enumerate().rev() {
        if let Some(fence) = Fence::open(line) {
            closed[number] = below
                .get(&fence.mark)
                .and_then(|runs| runs.range(fence.length..).next())
                .is_some_and(|(length, column)| {
                    fence.closed_with(&Closer {
                        mark: fence.mark,
                        length: *length,
                        column: *column,
                    })
                });
        }
        if let Some(closer) = Closer::of(line) {
            let runs = below.entry(closer.mark).or_default();
            let useless = |(_, column): (&usize, &usize)| *column <= closer.column;
            if !runs.range(closer.length..).next().is_some_and(useless) {
                while let Some((length, column)) = runs.range(..=closer.length).next_back()
                    && *column >= closer.column
                {
                    let length = *length;
                    runs.remove(&length);
                }
                runs.insert(closer.length, closer.column);
            }
        }
    }
    closed
}
