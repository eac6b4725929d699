//! Text of any size goes in, text that is safe to draw and of bounded size comes out: head and tail
//! stay, and what is left out is counted.

use unicode_segmentation::UnicodeSegmentation;

use crate::sanitize::{sanitize, sanitize_line};
use crate::texts::fill;

/// Bytes kept of one line; more would be over a hundred rows of a pane.
pub(super) const LINE_BYTES: usize = 4 * 1024;
/// Bytes of a long line's end that stay.
const LINE_TAIL_BYTES: usize = 512;
/// Bytes and lines kept from the beginning of a long text.
const HEAD: (usize, usize) = (32 * 1024, 1_400);
/// Bytes and lines kept from its end.
const TAIL: (usize, usize) = (12 * 1024, 500);
/// Blanks for a tab.
const TAB: &str = "    ";

/// One line, safe and bounded.
pub(super) fn line(text: &str) -> String {
    sanitize_line(&shorten(text).replace('\t', TAB))
}

/// The lines of a text, safe and bounded; `gap` says how many `{lines}` and `{bytes}` are missing.
pub(super) fn lines(text: &str, gap: &str) -> Vec<String> {
    let mut rest = text.lines();
    let head = take(&mut rest, HEAD, Iterator::next);
    let mut tail = take(&mut rest, TAIL, DoubleEndedIterator::next_back);
    tail.reverse();
    let (missing, bytes) = rest.fold((0usize, 0usize), |(lines, bytes), line| {
        (lines + 1, bytes + line.len() + 1)
    });
    let mut kept = head;
    match missing {
        0 => {}
        _ => kept.push(fill(
            gap,
            &[
                ("lines", &missing.to_string()),
                ("bytes", &bytes.to_string()),
            ],
        )),
    }
    kept.append(&mut tail);
    kept
}

/// A text of several lines, safe and bounded, without blanks around it.
pub(super) fn text(text: &str, gap: &str) -> String {
    lines(text.trim(), gap).join("\n")
}

fn take<'a>(
    from: &mut std::str::Lines<'a>,
    (bytes, count): (usize, usize),
    next: impl Fn(&mut std::str::Lines<'a>) -> Option<&'a str>,
) -> Vec<String> {
    let mut taken = Vec::new();
    let mut used = 0;
    while used < bytes && taken.len() < count {
        let Some(found) = next(from) else { break };
        let safe = sanitize(&shorten(found)).replace('\t', TAB);
        used += safe.len();
        taken.push(safe);
    }
    taken
}

/// A line with its middle left out when it is long.
fn shorten(line: &str) -> std::borrow::Cow<'_, str> {
    if line.len() <= LINE_BYTES {
        return line.into();
    }
    let head = beginning(line, LINE_BYTES - LINE_TAIL_BYTES);
    let tail = ending(line, LINE_TAIL_BYTES);
    let missing = line.len() - head.len() - tail.len();
    format!("{head} ...({missing} B)... {tail}").into()
}

/// The beginning of a text, at most `bytes` long, without the cluster that may be cut at its end.
fn beginning(text: &str, bytes: usize) -> &str {
    let head = &text[..text.floor_char_boundary(bytes)];
    match head.grapheme_indices(true).next_back() {
        Some((at, _)) if at > 0 => &head[..at],
        Some(_) | None => head,
    }
}

/// The end of a text, at most `bytes` long, without the cluster that may be cut at its beginning.
pub(super) fn ending(text: &str, bytes: usize) -> &str {
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..];
    match tail.graphemes(true).next() {
        Some(cluster) if cluster.len() < tail.len() => &tail[cluster.len()..],
        Some(_) | None => tail,
    }
}

/// A piece of an answer, safe to append to what came before.
pub(super) fn streamed(piece: &str) -> String {
    sanitize(piece).replace('\t', TAB)
}
