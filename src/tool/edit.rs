//! The `edit` tool. In go a file's text and a piece of it to replace; out comes the new text,
//! with the file's own line ends.

use std::io::Read;

use super::place::Target;
use super::{ToolError, files};

/// Largest file that is edited, in bytes; it is held in memory a few times over.
const LARGEST: u64 = 32 * 1024 * 1024;

/// Line numbers named when a piece occurs too often.
const MOST_NAMED: usize = 5;

/// Replaces `old` by `new` in the file and says where.
pub(super) fn edit(target: &Target, old: &str, new: &str, all: bool) -> Result<String, ToolError> {
    let shown = &target.shown;
    let failed =
        |error: std::io::Error| ToolError::new(format!("{shown} cannot be edited: {error}"));
    let file = files::open(&target.real).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(ToolError::new(format!(
            "{shown} is larger than {LARGEST} bytes; change it with bash (sed)"
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| ToolError::new(format!("{shown} is not UTF-8 text and cannot be edited")))?;
    let edited = replaced(&text, old, new, all)
        .map_err(|why| ToolError::new(format!("{shown} was not changed: {why}")))?;
    files::replace(target, edited.text.as_bytes())?;
    let lines: Vec<String> = edited
        .lines
        .iter()
        .take(MOST_NAMED)
        .map(u64::to_string)
        .collect();
    let more = if edited.lines.len() > MOST_NAMED {
        ", …"
    } else {
        ""
    };
    Ok(match edited.lines.len() {
        1 => format!("Edited {shown} at line {}.", lines.join("")),
        count => format!(
            "Edited {shown} in {count} places (lines {}{more}).",
            lines.join(", ")
        ),
    })
}

#[derive(Debug, PartialEq, Eq)]
struct Edited {
    text: String,
    /// First line of each place, in the old text, from 1.
    lines: Vec<u64>,
}

fn replaced(text: &str, old: &str, new: &str, all: bool) -> Result<Edited, String> {
    // Line ends are compared as `\n`: a model cannot see which ones a file has.
    let old = old.replace("\r\n", "\n");
    let new = new.replace("\r\n", "\n");
    if old.is_empty() {
        return Err("`old` is empty; use write for a whole file".to_owned());
    }
    if old == new {
        return Err("`old` and `new` are the same".to_owned());
    }
    let returns: Vec<usize> = text.match_indices("\r\n").map(|(at, _)| at).collect();
    let plain = text.replace("\r\n", "\n");
    let places: Vec<usize> = plain.match_indices(&old).map(|(at, _)| at).collect();
    let lines = line_numbers(&plain, &places);
    let Some(first) = places.first().copied() else {
        return Err(not_found(&plain, &old));
    };
    // A second place may overlap the first; `match_indices` does not see that one.
    let after = first + plain[first..].chars().next().map_or(1, char::len_utf8);
    if !all && plain[after..].contains(&old) {
        let mut named: Vec<String> = lines
            .iter()
            .take(MOST_NAMED)
            .map(|line| format!("line {line}"))
            .collect();
        if lines.len() > MOST_NAMED {
            named.push("…".to_owned());
        }
        return Err(format!(
            "`old` occurs {} times ({}); add lines around it until it is unique, or set `all`",
            lines.len().max(2),
            named.join(", ")
        ));
    }
    let bare = plain.matches('\n').count() - returns.len();
    let new = if returns.len() > bare {
        new.replace('\n', "\r\n")
    } else {
        new
    };
    // Where each `\r\n` is in the text with plain line ends.
    let returns: Vec<usize> = returns
        .iter()
        .enumerate()
        .map(|(before, at)| at - before)
        .collect();
    let original = |at: usize| at + returns.partition_point(|line_end| *line_end < at);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for place in places {
        out.push_str(&text[done..original(place)]);
        out.push_str(&new);
        done = original(place + old.len());
    }
    out.push_str(&text[done..]);
    Ok(Edited { text: out, lines })
}

fn line_numbers(text: &str, places: &[usize]) -> Vec<u64> {
    let mut line = 1;
    let mut from = 0;
    places
        .iter()
        .map(|place| {
            line += text[from..*place].matches('\n').count() as u64;
            from = *place;
            line
        })
        .collect()
}

/// Says what is close, as the usual fault is indentation.
fn not_found(text: &str, old: &str) -> String {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty());
    let close = wanted.and_then(|wanted| {
        text.lines()
            .position(|line| line.trim() == wanted)
            .map(|at| at + 1)
    });
    match close {
        Some(line) => format!(
            "`old` does not occur; its first line is like line {line}, so spaces or later lines \
             differ: read the file from there and copy exactly"
        ),
        None => "`old` does not occur; read the file and copy the text exactly".to_owned(),
    }
}

#[cfg(test)]
mod tests;
