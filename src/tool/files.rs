//! The `read` and `write` tools. In goes a resolved path; out comes the text of a file, lines of
//! it or a directory's names, or a file that is either the old one or wholly the new one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use super::place::Target;
use super::{ToolError, clip};
use crate::disk;

/// Directory entries that are read at most; the rest is only counted.
const MOST_ENTRIES: usize = 10_000;

/// Opens a regular file for reading. Anything else is an error and never blocks: a FIFO nobody
/// writes to, a device, or a file of `/proc` that waits for news.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits())
        .open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file",
        ))
    }
}

/// Reads `limit` lines from line `offset` on (from 1), at most `cap` bytes of them.
pub(super) fn read(
    target: &Target,
    offset: u64,
    limit: Option<u64>,
    cap: usize,
) -> Result<String, ToolError> {
    let shown = &target.shown;
    let failed = |error: io::Error| ToolError::new(format!("{shown} cannot be read: {error}"));
    if target.real.is_dir() {
        return list(target, cap).map_err(failed);
    }
    let mut file = BufReader::with_capacity(64 * 1024, open(&target.real).map_err(failed)?);
    let first = offset.max(1);
    let mut line = Vec::new();
    for skipped in 1..first {
        if take_line(&mut file, 0, &mut line)
            .map_err(failed)?
            .is_none()
        {
            return Err(ToolError::new(format!(
                "{shown} has only {} lines; line {first} was asked for",
                skipped - 1
            )));
        }
    }
    let mut kept = Vec::new();
    let mut taken = 0_u64;
    let mut note = String::new();
    while limit.is_none_or(|limit| taken < limit) {
        line.clear();
        let room = cap.saturating_sub(kept.len());
        let Some(length) = take_line(&mut file, room, &mut line).map_err(failed)? else {
            break;
        };
        if length <= room as u64 {
            kept.extend_from_slice(&line);
            taken += 1;
        } else if taken == 0 {
            // One line longer than all there is room for: its beginning is all one can have.
            let text = whole(&line, shown)?;
            let begin = clip::beginning(text, room);
            note = format!(
                "[line {first} is cut: {} bytes left out]",
                length - begin.len() as u64
            );
            kept.extend_from_slice(begin.as_bytes());
            taken = 1;
            break;
        } else {
            note = format!(
                "[cut at {cap} bytes; continue with offset {}]",
                first + taken
            );
            break;
        }
    }
    let text = whole(&kept, shown)?;
    if note.is_empty() && !file.fill_buf().map_err(failed)?.is_empty() {
        note = format!(
            "[more lines follow; continue with offset {}]",
            first + taken
        );
    }
    Ok(present(text, first, &note, shown))
}

fn present(text: &str, first: u64, note: &str, shown: &str) -> String {
    // Shown as an editor shows it; `edit` finds it again whatever the line ends are.
    let text = if first == 1 {
        text.strip_prefix('\u{FEFF}').unwrap_or(text)
    } else {
        text
    };
    let mut text = text.replace("\r\n", "\n");
    if text.is_empty() && note.is_empty() {
        return if first == 1 {
            format!("[{shown} is empty]")
        } else {
            format!("[{shown} has no line {first}]")
        };
    }
    if !note.is_empty() {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(note);
    }
    text
}

/// The bytes as text, without a character that was cut at the end.
fn whole<'a>(bytes: &'a [u8], shown: &str) -> Result<&'a str, ToolError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    text.filter(|text| !text.contains('\0')).ok_or_else(|| {
        ToolError::new(format!(
            "{shown} is not UTF-8 text; look at it with bash (file, iconv, od)"
        ))
    })
}

/// Reads one line, of which at most `keep` bytes are kept, and returns its length with the line
/// end; `None` at the end of the file.
fn take_line(file: &mut impl BufRead, keep: usize, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    let mut length = 0_u64;
    loop {
        let chunk = match file.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok((length > 0).then_some(length));
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |at| at + 1);
        let room = keep.saturating_sub(line.len());
        line.extend_from_slice(&chunk[..used.min(room)]);
        length += used as u64;
        file.consume(used);
        if end.is_some() {
            return Ok(Some(length));
        }
    }
}

fn list(target: &Target, cap: usize) -> io::Result<String> {
    let mut names = Vec::new();
    let mut total = 0_u64;
    for entry in std::fs::read_dir(&target.real)? {
        total += 1;
        if names.len() < MOST_ENTRIES {
            let entry = entry?;
            let mark = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                "/"
            } else {
                ""
            };
            names.push(format!("{}{mark}\n", entry.file_name().to_string_lossy()));
        }
    }
    names.sort();
    let mut text = String::new();
    let mut listed = 0_u64;
    for name in names {
        if text.len() + name.len() > cap {
            break;
        }
        text.push_str(&name);
        listed += 1;
    }
    if listed < total {
        text.push_str(&format!("[{} more of {total} entries]", total - listed));
    } else if total == 0 {
        text = format!("[{} is an empty directory]", target.shown);
    }
    Ok(text)
}

/// Writes a whole file, parents included, and says what became of the old one.
pub(super) fn write(target: &Target, content: &str) -> Result<String, ToolError> {
    let old = replace(target, content.as_bytes())?;
    let lines = content.lines().count();
    let what = match old {
        Some(bytes) => format!("replaced, was {bytes} bytes"),
        None => "new".to_owned(),
    };
    Ok(format!(
        "Wrote {} ({what}): {} bytes, {lines} lines.",
        target.shown,
        content.len()
    ))
}

/// Puts `content` in the place of a file in one step: at every instant the path leads to the
/// whole old or the whole new text. Keeps the file's mode; a new one gets that of the umask.
/// Returns the old size in bytes.
pub(super) fn replace(target: &Target, content: &[u8]) -> Result<Option<u64>, ToolError> {
    let shown = &target.shown;
    let failed = |error: io::Error| ToolError::new(format!("{shown} cannot be written: {error}"));
    let old = match target.real.symlink_metadata() {
        Ok(meta) if meta.is_dir() => {
            return Err(ToolError::new(format!("{shown} is a directory")));
        }
        Ok(meta) if !meta.is_file() => {
            return Err(ToolError::new(format!(
                "{shown} is no regular file and is not written to"
            )));
        }
        // Replacing would work all the same, but somebody took the right away on purpose.
        Ok(meta) if meta.permissions().mode() & 0o222 == 0 => {
            return Err(ToolError::new(format!(
                "{shown} is read-only; it can be made writable with chmod u+w"
            )));
        }
        Ok(meta) => Some(meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let dir = target
        .real
        .parent()
        .ok_or_else(|| ToolError::new(format!("{shown} names no file")))?;
    std::fs::create_dir_all(dir).map_err(failed)?;
    disk::atomic_write(&target.real, content).map_err(failed)?;
    Ok(old.map(|meta| meta.len()))
}

#[cfg(test)]
mod tests;
