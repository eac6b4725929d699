//! Files a person names in a task. In go the task and the workspace; out comes the task with the
//! text of every `@path` that is a file of the workspace, and the project's own rules.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::place::{Place, Places, Target};
use super::{clip, files};

/// A task with the files it mentions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The task, then each file's text under its name.
    pub text: String,
    /// The files included, relative to the workspace, in the order of the task.
    pub files: Vec<PathBuf>,
    /// What was not included or not in full, and why; for the person.
    pub notes: Vec<String>,
}

/// Bytes included of one file.
const MOST_OF_FILE: usize = 32 * 1024;

/// Bytes included of all files together.
const MOST_OF_ALL: usize = 128 * 1024;

/// Mentions that are looked at; a text with more is no list of files.
const MOST_MENTIONS: usize = 100;

/// The longest path looked at, in bytes; longer ones exist on no common system (PATH_MAX).
const LONGEST_PATH: usize = 4096;

/// Places where a mention that runs into other text may end; more are not tried.
const MOST_CUTS: usize = 64;

/// Bytes included of one rules file.
const MOST_OF_RULES: usize = 32 * 1024;

/// Files that hold a project's rules for agents.
const RULES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// Adds the text of the files that `@path`, `@"path with spaces"` or `@“path”` name.
///
/// Only files of the workspace are included, symlinks resolved. A name that is no file stays
/// what it is: text. So does an `@` in the middle of a word, as in an address.
pub fn expand_mentions(task: &str, workspace: &Path) -> Mentions {
    let places = Places::new(workspace, &[]);
    let mut out = Mentions {
        text: task.to_owned(),
        ..Mentions::default()
    };
    let mut seen = Vec::new();
    let mut room = MOST_OF_ALL;
    for (tried, (at, _)) in starts(task).enumerate() {
        if tried == MOST_MENTIONS {
            out.notes.push(format!(
                "only the first {MOST_MENTIONS} mentions were looked at"
            ));
            break;
        }
        let Some(target) = named(&task[at + 1..], &places) else {
            continue;
        };
        if seen.contains(&target.real) {
            continue;
        }
        seen.push(target.real.clone());
        match included(&target, room) {
            Err(why) => out
                .notes
                .push(format!("@{} is not included: {why}", target.shown)),
            Ok(Part { text, whole }) => {
                room -= text.len();
                if text.len() < whole {
                    out.notes.push(format!(
                        "@{} is included up to byte {} of {whole}",
                        target.shown,
                        text.len()
                    ));
                }
                out.text.push_str(&section(&target.shown, &text, whole));
                out.files.push(PathBuf::from(target.shown));
            }
        }
    }
    out
}

/// Positions of each `@` that may begin a mention.
fn starts(task: &str) -> impl Iterator<Item = (usize, &str)> {
    task.match_indices('@').filter(|(at, _)| {
        !task[..*at]
            .chars()
            .next_back()
            .is_some_and(|c| c.is_ascii_alphanumeric() || "._%+-@/\\".contains(c))
    })
}

/// What a mention leads to, if to anything.
fn named(rest: &str, places: &Places) -> Option<Target> {
    let exists = |path: &str| {
        (!path.is_empty() && path.len() <= LONGEST_PATH)
            .then(|| places.target(path).ok())
            .flatten()
            .filter(|target| target.real.symlink_metadata().is_ok())
    };
    for (open, close) in [('"', '"'), ('“', '”')] {
        if let Some(inner) = rest.strip_prefix(open) {
            let end = inner.find([close, '\n'])?;
            return inner[end..]
                .starts_with(close)
                .then(|| exists(&inner[..end]))
                .flatten();
        }
    }
    let end = rest
        .char_indices()
        .find(|(at, c)| *at > LONGEST_PATH || ends_path(*c))
        .map_or(rest.len(), |(at, _)| at);
    let run = &rest[..end];
    if run.len() > LONGEST_PATH {
        return None;
    }
    cuts(run)
        .take(MOST_CUTS)
        .find_map(|cut| exists(&run[..cut]))
}

/// Where a path may end in a run without spaces, the longest first: at the end, before closing
/// punctuation, and before text that is written without a space (`@src/main.rs里的函数`). Never
/// inside a name of letters and digits.
fn cuts(run: &str) -> impl Iterator<Item = usize> {
    let closing = |c: char| ".,;:!?)]}'\"`>*_~".contains(c);
    let mut only_closing = true;
    std::iter::once(run.len()).chain(run.char_indices().rev().filter_map(move |(at, c)| {
        only_closing &= closing(c);
        (at > 0 && (only_closing || !c.is_ascii())).then_some(at)
    }))
}

fn ends_path(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || "，。、；：？！（）【】《》〈〉「」『』“”‘’…—｜@<>|".contains(c)
}

struct Part {
    text: String,
    /// Size of the file in bytes.
    whole: usize,
}

fn included(target: &Target, room: usize) -> Result<Part, String> {
    match target.place {
        Place::Inside | Place::Guarded | Place::Protected => {}
        Place::Outside => return Err("it is outside the workspace".to_owned()),
    }
    if target.real.is_dir() {
        return Err("it is a directory".to_owned());
    }
    let most = MOST_OF_FILE.min(room);
    if most == 0 {
        return Err(format!("{MOST_OF_ALL} bytes are included already"));
    }
    begin(&target.real, most)
}

/// The first `most` bytes of a text file, whole lines of them where possible.
fn begin(path: &Path, most: usize) -> Result<Part, String> {
    let file = files::open(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    let mut bytes = Vec::new();
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let longer = bytes.len() > most;
    let sound = match std::str::from_utf8(&bytes) {
        Ok(text) => Some(text),
        Err(error) if longer && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    let text = sound
        .filter(|text| !text.contains('\0'))
        .ok_or("it is not UTF-8 text")?;
    if !longer {
        return Ok(Part {
            whole: text.len(),
            text: text.to_owned(),
        });
    }
    let cut = clip::beginning(text, most);
    let cut = cut.rfind('\n').map_or(cut, |at| &cut[..=at]);
    Ok(Part {
        text: cut.to_owned(),
        whole: usize::try_from(size).unwrap_or(usize::MAX).max(most + 1),
    })
}

/// A file's text in a fence longer than any in it.
fn section(name: &str, text: &str, whole: usize) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let cut = if text.len() < whole {
        format!("[cut: {} of {whole} bytes are shown]\n", text.len())
    } else {
        String::new()
    };
    format!("\n\n{name}:\n{fence}\n{text}{end}{fence}\n{cut}")
}

/// Reads the project's rules for agents, AGENTS.md and CLAUDE.md, each under its name; a text
/// that both hold comes once. A symlink that leads out of the workspace is not followed.
pub fn rules(workspace: &Path) -> Option<String> {
    let places = Places::new(workspace, &[]);
    let mut found: Vec<(String, Part)> = Vec::new();
    for name in RULES {
        let Ok(target) = places.target(name) else {
            continue;
        };
        if target.place == Place::Outside {
            continue;
        }
        let Ok(part) = begin(&target.real, MOST_OF_RULES) else {
            continue;
        };
        let text = part.text.trim();
        if text.is_empty() {
            continue;
        }
        match found.iter_mut().find(|(_, old)| old.text.trim() == text) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => found.push((name.to_owned(), part)),
        }
    }
    let sections: Vec<String> = found
        .into_iter()
        .map(|(names, part)| {
            let text = part.text.trim_start_matches('\u{FEFF}').trim();
            if part.text.len() < part.whole {
                format!(
                    "{names}:\n{text}\n[cut: {} of {} bytes are shown]",
                    part.text.len(),
                    part.whole
                )
            } else {
                format!("{names}:\n{text}")
            }
        })
        .collect();
    (!sections.is_empty()).then(|| sections.join("\n\n"))
}

#[cfg(test)]
mod tests;
