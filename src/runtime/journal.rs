//! Events on disk as JSON lines, before any front end sees them.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::event::Event;

/// The journal of one run. Appends only.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins a journal; the run's id is new, so the file must not exist.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn create(folder: &Path, run: &str) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(format!("{run}.jsonl"));
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)?;
        Ok(Self { path, file })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event as one line, in one write.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn append(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes())
    }

    /// Waits until everything appended is on the disk.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Serialises an event to the one line that every consumer gets.
///
/// # Errors
/// When a value cannot be written as JSON.
pub(super) fn line_of(event: &Event) -> io::Result<String> {
    serde_json::to_string(event).map_err(io::Error::from)
}

/// Reads the lines with the numbers `from..to` of a journal.
///
/// # Errors
/// What the system said, or that the journal ends before them.
pub(super) fn lines_between(path: &Path, from: u64, to: u64) -> io::Result<Vec<String>> {
    let reader = BufReader::new(File::open(path)?);
    let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
    let wanted = usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX);
    let lines: Vec<String> = reader
        .lines()
        .skip(skip)
        .take(wanted)
        .collect::<io::Result<_>>()?;
    if lines.len() < wanted {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the journal {} ends before event {to}", path.display()),
        ));
    }
    Ok(lines)
}
