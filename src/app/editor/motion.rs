//! Where the caret may stand and what a word is. Places in lines go in and come out.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::area::Pos;
use crate::cells;

/// The place itself when it is the edge of a cluster, else the next edge.
pub(super) fn snap(line: &str, byte: usize) -> usize {
    let byte = byte.min(line.len());
    if !line.is_char_boundary(byte) {
        return line.ceil_char_boundary(byte);
    }
    let mut cursor = GraphemeCursor::new(byte, line.len(), true);
    match cursor.is_boundary(line, 0) {
        Ok(false) => next(line, byte).unwrap_or(line.len()),
        Ok(true) | Err(_) => byte,
    }
}

fn next(line: &str, byte: usize) -> Option<usize> {
    GraphemeCursor::new(byte, line.len(), true)
        .next_boundary(line, 0)
        .ok()?
}

fn before(line: &str, byte: usize) -> Option<usize> {
    GraphemeCursor::new(byte, line.len(), true)
        .prev_boundary(line, 0)
        .ok()?
}

/// One cluster to the left, over the start of a line to the end of the one above.
pub(super) fn left(lines: &[String], at: Pos) -> Pos {
    match before(&lines[at.line], at.byte) {
        Some(byte) => Pos::new(at.line, byte),
        None if at.line > 0 => Pos::new(at.line - 1, lines[at.line - 1].len()),
        None => at,
    }
}

/// One cluster to the right, over the end of a line to the start of the one below.
pub(super) fn right(lines: &[String], at: Pos) -> Pos {
    match next(&lines[at.line], at.byte) {
        Some(byte) => Pos::new(at.line, byte),
        None if at.line + 1 < lines.len() => Pos::new(at.line + 1, 0),
        None => at,
    }
}

/// What a run of clusters must share to be one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    /// Letters, digits and `_` of alphabets.
    Letter,
    /// Chinese, Japanese and Korean: a run up to the next punctuation or blank.
    Wide,
    Mark,
}

fn class(cluster: &str) -> Class {
    match cluster.chars().next() {
        Some(c) if c.is_whitespace() => Class::Blank,
        Some(c) if c.is_alphanumeric() && cells::cluster_width(cluster) == 2 => Class::Wide,
        Some(c) if c.is_alphanumeric() || c == '_' => Class::Letter,
        Some(_) | None => Class::Mark,
    }
}

/// The start of the word to the left; at the start of a line, the end of the one above.
pub(super) fn word_left(lines: &[String], at: Pos) -> Pos {
    if at.byte == 0 {
        return left(lines, at);
    }
    let mut start = at.byte;
    let mut word = Class::Blank;
    for (byte, cluster) in lines[at.line][..at.byte].grapheme_indices(true).rev() {
        let class = class(cluster);
        if word == Class::Blank {
            word = class;
        } else if class != word {
            break;
        }
        start = byte;
    }
    Pos::new(at.line, start)
}

/// The start of the next word; at the end of a line, the start of the one below.
pub(super) fn word_right(lines: &[String], at: Pos) -> Pos {
    let line = &lines[at.line];
    if at.byte >= line.len() {
        return right(lines, at);
    }
    let mut word = None;
    for (byte, cluster) in line[at.byte..].grapheme_indices(true) {
        let class = class(cluster);
        let within = *word.get_or_insert(class) == class;
        if class == Class::Blank {
            word = Some(Class::Blank);
        } else if !within {
            return Pos::new(at.line, at.byte + byte);
        }
    }
    Pos::new(at.line, line.len())
}
