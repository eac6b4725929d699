//! The documents on disk: the newest one of each step, and those before it in an archive. In go
//! documents and the time, out come files of which a readable newest one exists at every instant.

mod archive;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::ZonedDateTime;

pub use archive::Entry;

use super::{Handoff, Stamp, names, stamp};
use crate::disk;

/// Why a document could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {action} {path}: {source}; nothing was changed, {advice}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: String,
        /// What the person can do.
        advice: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The file is not the one that was loaded.
    #[error(
        "{path} was changed by another program since it was loaded; compare both before saving over it"
    )]
    Changed {
        /// The file.
        path: String,
        /// SHA-256 of what is there now; `None` when the file is gone.
        found: Option<String>,
    },
    /// The name is no archived document.
    #[error(
        "{name} is no document of the archive in {folder}; `flower archive list` shows those that are"
    )]
    NotArchived {
        /// The name that was given.
        name: String,
        /// The archive.
        folder: String,
    },
}

impl StoreError {
    fn read(path: &Path, source: io::Error) -> Self {
        Self::Io {
            action: "read",
            path: path.display().to_string(),
            advice: "check that it is an ordinary file you may read",
            source,
        }
    }

    fn write(path: &Path, source: io::Error) -> Self {
        Self::Io {
            action: "write",
            path: path.display().to_string(),
            advice: "free some space or make the folder writable, then try again",
            source,
        }
    }
}

/// Holds a document as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Where it was read.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What they say.
    pub handoff: Handoff,
    /// The SHA-256 of the bytes, in hexadecimal.
    pub sha256: String,
}

/// Says where a document was written, and where its former one went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frozen {
    /// The newest document.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The SHA-256 of the bytes, in hexadecimal.
    pub sha256: String,
    /// The former document, when there was one with other bytes.
    pub archived: Option<PathBuf>,
}

/// Keeps the documents of one workspace.
#[derive(Debug, Clone)]
pub struct Store {
    notes: PathBuf,
}

/// Whose document a file is, by its last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// There is no such file.
    Free,
    /// It names no step: somebody took the last line out, or wrote the file by hand.
    Unsaid,
    /// It names the step in question.
    Ours,
    /// It names another step, or cannot be looked into; never overwritten.
    Other,
}

impl Store {
    /// Opens the documents below a folder of notes, which need not exist yet.
    pub fn new(notes: impl Into<PathBuf>) -> Self {
        Self {
            notes: notes.into(),
        }
    }

    /// Gives the folder of the former documents.
    pub fn archive_folder(&self) -> PathBuf {
        self.notes.join("archive").join("交接")
    }

    /// Gives the path of a step's newest document, existing or not.
    ///
    /// Two steps may share a name once it is fit for a file system; a file whose last line names
    /// the other one is passed over, and `-2`, `-3` … is taken.
    pub fn path(&self, step: &str) -> PathBuf {
        let part = names::step_part(step);
        let highest = self
            .names()
            .iter()
            .filter_map(|name| names::number_of(name, &part))
            .max()
            .unwrap_or(0);
        // A name that differs in case only is not among those, but on some file systems it is the
        // same file; so each one is looked into, and the search ends at the first that is usable
        // when no later one can be ours.
        let mut usable = None;
        let mut number = 1;
        loop {
            let path = self.notes.join(names::document_name(&part, number));
            match owner(&path, step) {
                Owner::Ours => return path,
                Owner::Free | Owner::Unsaid => usable = usable.or(Some(path)),
                Owner::Other => {}
            }
            match &usable {
                Some(path) if number >= highest => return path.clone(),
                Some(_) | None => number = number.saturating_add(1),
            }
        }
    }

    /// Writes a step's newest document and moves the former one to the archive.
    ///
    /// The order is: the new file beside the old one, synced; the old one under a second name in
    /// the archive, synced; the new one over the old name, synced. A crash between any two of them
    /// leaves a whole newest document: at worst it is also in the archive already, and then it is
    /// not archived a second time.
    ///
    /// # Errors
    /// [`StoreError::Io`]; the former document is then still in its place.
    pub fn freeze(
        &self,
        handoff: &Handoff,
        stamp: &Stamp,
        now: &ZonedDateTime,
    ) -> Result<Frozen, StoreError> {
        let bytes = handoff.clone().stamped(stamp).to_markdown().into_bytes();
        self.put(&stamp.step, bytes, now)
    }

    /// Reads a step's newest document.
    ///
    /// # Errors
    /// [`StoreError::Io`], also when there is none.
    pub fn read(&self, step: &str) -> Result<Loaded, StoreError> {
        load_document(&self.path(step))
    }

    /// Writes a step's newest document over the one a person edited, unless another program
    /// changed that meanwhile; equal bytes are not written again. Returns their SHA-256.
    ///
    /// `loaded` is the SHA-256 of what was loaded, `None` when there was no file. The former text
    /// is not archived: it is the same generation's document.
    ///
    /// # Errors
    /// [`StoreError::Changed`] when the file is not the loaded one, [`StoreError::Io`].
    pub fn save(
        &self,
        step: &str,
        handoff: &Handoff,
        loaded: Option<&str>,
    ) -> Result<String, StoreError> {
        let _alone = self.lock()?;
        let path = self.path(step);
        let bytes = handoff.to_markdown().into_bytes();
        let found = read_if_there(&path)?.map(|former| disk::sha256_hex(&former));
        let sha256 = disk::sha256_hex(&bytes);
        if found.as_ref() == Some(&sha256) {
            return Ok(sha256);
        }
        if found.as_deref() != loaded {
            return Err(StoreError::Changed {
                path: path.display().to_string(),
                found,
            });
        }
        write_document(&path, &bytes)
    }

    /// Puts a document back as it was frozen. What is there instead goes to the archive first;
    /// when that fails nothing is written.
    ///
    /// # Errors
    /// [`StoreError::Io`]; what is there is then untouched.
    pub fn put_back(
        &self,
        step: &str,
        frozen: &Frozen,
        now: &ZonedDateTime,
    ) -> Result<Frozen, StoreError> {
        let _alone = self.lock()?;
        self.put_at(frozen.path.clone(), step, frozen.bytes.clone(), now)
    }

    /// Puts bytes in a document's place; what was there goes to the archive.
    fn put(&self, step: &str, bytes: Vec<u8>, now: &ZonedDateTime) -> Result<Frozen, StoreError> {
        let _alone = self.lock()?;
        self.put_at(self.path(step), step, bytes, now)
    }

    fn put_at(
        &self,
        path: PathBuf,
        step: &str,
        bytes: Vec<u8>,
        now: &ZonedDateTime,
    ) -> Result<Frozen, StoreError> {
        let refused = |source| StoreError::write(&path, source);
        let sha256 = disk::sha256_hex(&bytes);
        let former = read_if_there(&path)?;
        let mut archived = None;
        if former.as_ref() != Some(&bytes) {
            let staged = disk::stage(&self.notes, &bytes).map_err(refused)?;
            if let Some(former) = former {
                archived = Some(self.move_to_archive(step, &path, &former, now)?);
            }
            disk::replace(staged, &path).map_err(refused)?;
        }
        Ok(Frozen {
            path,
            bytes,
            sha256,
            archived,
        })
    }

    /// Waits until no other process writes documents here; the lock goes with the returned file.
    fn lock(&self) -> Result<File, StoreError> {
        let archive = self.archive_folder();
        let folder = || {
            fs::create_dir_all(&archive)?;
            let folder = File::open(&archive)?;
            match folder.lock() {
                // Some network file systems have no locks. Names are taken exclusively anyway;
                // only two runs of one step at once would then matter.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(folder),
                Err(error) => Err(error),
                Ok(()) => Ok(folder),
            }
        };
        folder().map_err(|source| StoreError::write(&archive, source))
    }

    fn names(&self) -> Vec<String> {
        file_names(&self.notes).unwrap_or_default()
    }
}

/// Writes a document in one step and returns its SHA-256.
pub(super) fn write_document(path: &Path, bytes: &[u8]) -> Result<String, StoreError> {
    disk::atomic_write(path, bytes).map_err(|source| StoreError::write(path, source))?;
    Ok(disk::sha256_hex(bytes))
}

/// Reads a document.
pub(super) fn load_document(path: &Path) -> Result<Loaded, StoreError> {
    let bytes = read_if_there(path)?
        .ok_or_else(|| StoreError::read(path, io::ErrorKind::NotFound.into()))?;
    Ok(Loaded {
        path: path.to_owned(),
        handoff: Handoff::parse(&bytes),
        sha256: disk::sha256_hex(&bytes),
        bytes,
    })
}

/// Reads an ordinary file; a pipe or a device of that name would make flower wait for ever.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match disk::read_ordinary(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::read(path, error)),
    }
}

fn owner(path: &Path, step: &str) -> Owner {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Owner::Free,
        Err(_) => return Owner::Other,
        Ok(_) => {}
    }
    match stamp_of(path) {
        Ok(Some(stamp)) if stamp.step == step => Owner::Ours,
        // A stamp without a name was printed by `render` and belongs to nobody.
        Ok(Some(stamp)) if !stamp.step.is_empty() => Owner::Other,
        Ok(_) => Owner::Unsaid,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Owner::Unsaid,
        Err(_) => Owner::Other,
    }
}

/// Reads the stamp of a file from its end, without the rest of it.
fn stamp_of(path: &Path) -> io::Result<Option<Stamp>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not an ordinary file"));
    }
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    let mut wanted = 4_096;
    loop {
        let start = length.saturating_sub(wanted);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.by_ref().take(wanted).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let (before, last) = stamp::last_line(&text);
        if start == 0 || (!before.is_empty() && !last.is_empty()) {
            return Ok(Stamp::from_line(last.trim_start_matches('\u{feff}')));
        }
        wanted = wanted.saturating_mul(4);
    }
}

/// Lists the names in a folder that are valid text; none when there is no such folder.
fn file_names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string().ok());
    }
    Ok(names)
}
