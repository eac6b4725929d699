//! The former documents. In goes what is replaced or broken, out comes a list in the order of the
//! generations and, on request, an old document in the newest one's place.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use jiff::ZonedDateTime;

use super::{
    Frozen, Loaded, Store, StoreError, file_names, load_document, read_if_there, stamp_of,
};
use crate::disk;
use crate::handoff::{Stamp, names};

/// Describes one document of the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Its file name.
    pub name: String,
    /// The step it belongs to: by its last line, else by its name.
    pub step: String,
    /// The generation that wrote it, from 1; 0 when its last line does not say.
    pub generation: u32,
    /// When it was archived, local time, `YYYYmmdd-HHMMSS`.
    pub clock: String,
    /// 1 for the first one of that second, then 2, 3 …
    pub copy: u32,
    /// Its last line, when that can be read.
    pub stamp: Option<Stamp>,
}

impl Store {
    /// Lists the archive, of one step or of all, by generation, then by clock.
    ///
    /// # Errors
    /// [`StoreError::Io`] when the folder cannot be read; no folder is an empty archive. A document
    /// that cannot be read is listed by its name.
    pub fn list_archive(&self, step: Option<&str>) -> Result<Vec<Entry>, StoreError> {
        let folder = self.archive_folder();
        let names = file_names(&folder).map_err(|source| StoreError::read(&folder, source))?;
        let part = step.map(names::step_part);
        let mut entries: Vec<Entry> = names
            .into_iter()
            .filter_map(|name| {
                let parsed = names::ArchivedName::parse(&name)?;
                if part.as_deref().is_some_and(|part| part != parsed.step) {
                    return None;
                }
                let stamp = stamp_of(&folder.join(&name)).ok().flatten();
                let named = stamp.as_ref().map(|stamp| stamp.step.as_str());
                let named = named.filter(|step| !step.is_empty());
                if step.is_some_and(|step| named.is_some_and(|named| named != step)) {
                    return None;
                }
                Some(Entry {
                    path: folder.join(&name),
                    step: named.unwrap_or(parsed.step).to_owned(),
                    generation: stamp.as_ref().map_or(0, |stamp| stamp.generation),
                    clock: parsed.clock.to_owned(),
                    copy: parsed.copy,
                    stamp,
                    name,
                })
            })
            .collect();
        entries.sort_by(|a, b| {
            (a.generation, &a.clock, a.copy, &a.name).cmp(&(
                b.generation,
                &b.clock,
                b.copy,
                &b.name,
            ))
        });
        Ok(entries)
    }

    /// Reads one document of the archive by its file name.
    ///
    /// # Errors
    /// [`StoreError::NotArchived`] for a name that is not in the archive, [`StoreError::Io`].
    pub fn read_archived(&self, name: &str) -> Result<Loaded, StoreError> {
        let folder = self.archive_folder();
        let path = folder.join(name);
        let plain = names::ArchivedName::parse(name).is_some() && !name.contains(['/', '\\']);
        if !plain || !path.exists() {
            return Err(StoreError::NotArchived {
                name: name.to_owned(),
                folder: folder.display().to_string(),
            });
        }
        load_document(&path)
    }

    /// Keeps a text beside the archive's documents, such as an edit that lost a heading, and says
    /// where. The same bytes are kept once.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn archive_bytes(
        &self,
        step: &str,
        bytes: &[u8],
        now: &ZonedDateTime,
    ) -> Result<PathBuf, StoreError> {
        let _alone = self.lock()?;
        self.keep(step, bytes, now)
    }

    /// Puts an archived document, by its file name, in its step's place, byte for byte; the newest
    /// one goes to the archive.
    ///
    /// # Errors
    /// [`StoreError::NotArchived`] for a name that is not in the archive, [`StoreError::Io`].
    pub fn restore(&self, name: &str, now: &ZonedDateTime) -> Result<Frozen, StoreError> {
        let archived = self.read_archived(name)?;
        let step = match archived.handoff.stamp.step {
            step if !step.is_empty() => step,
            _ => names::ArchivedName::parse(name)
                .map(|parsed| parsed.step.to_owned())
                .unwrap_or_default(),
        };
        self.put(&step, archived.bytes, now)
    }

    /// Gives the document at `path` a second name in the archive, of the same bytes.
    pub(super) fn move_to_archive(
        &self,
        step: &str,
        path: &Path,
        former: &[u8],
        now: &ZonedDateTime,
    ) -> Result<PathBuf, StoreError> {
        if let Some(same) = self.identical(step, former)? {
            return Ok(same);
        }
        // A second name is the file itself: what another program still writes into it in place
        // is not lost. A link to elsewhere and a file system without links need a copy.
        let linkable = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
        if linkable {
            let folder = self.archive_folder();
            for archived in disk::numbered_names(&folder, &archive_stem(step, now), "md") {
                match link(path, &archived) {
                    Ok(()) => return Ok(archived),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(_) => break,
                }
            }
        }
        self.keep(step, former, now)
    }

    fn keep(&self, step: &str, bytes: &[u8], now: &ZonedDateTime) -> Result<PathBuf, StoreError> {
        if let Some(same) = self.identical(step, bytes)? {
            return Ok(same);
        }
        let folder = self.archive_folder();
        disk::create_new_with_suffix(&folder, &archive_stem(step, now), "md", bytes)
            .map_err(|source| StoreError::write(&folder, source))
    }

    /// Finds an archived document of the step with these bytes: a crash after archiving must not
    /// archive a second time.
    fn identical(&self, step: &str, bytes: &[u8]) -> Result<Option<PathBuf>, StoreError> {
        let folder = self.archive_folder();
        let part = names::step_part(step);
        let names = file_names(&folder).map_err(|source| StoreError::read(&folder, source))?;
        for name in names {
            if names::ArchivedName::parse(&name).is_none_or(|parsed| parsed.step != part) {
                continue;
            }
            let path = folder.join(name);
            let length = fs::metadata(&path).map_or(0, |file| file.len());
            if length == bytes.len() as u64 && read_if_there(&path)?.as_deref() == Some(bytes) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

fn archive_stem(step: &str, now: &ZonedDateTime) -> String {
    format!("{}-{}", names::step_part(step), names::clock_part(now))
}

fn link(path: &Path, archived: &Path) -> io::Result<()> {
    fs::hard_link(path, archived)?;
    // Another editor may not have synced its last write.
    File::open(archived)?.sync_all()?;
    archived.parent().map_or(Ok(()), disk::sync_folder)
}
