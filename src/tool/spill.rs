//! A command's output on its way. In go chunks of bytes; out comes a text of bounded length, and
//! a file with all of it when it was too long and there is a folder for such files.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tokio::io::AsyncWriteExt;

use super::clip::Clip;

/// Largest file kept for one command, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// As many files are kept; the oldest goes first.
const MOST_FILES: usize = 100;

const PREFIX: &str = "bash-";
const SUFFIX: &str = ".txt";

pub(super) struct Output {
    clip: Clip,
    dir: Option<PathBuf>,
    file: Option<io::Result<Open>>,
}

struct Open {
    file: tokio::fs::File,
    path: PathBuf,
    bytes: u64,
}

/// The file an output was kept in.
pub(super) struct Kept {
    pub(super) path: PathBuf,
    /// Size of the file in bytes.
    pub(super) bytes: u64,
    /// Whether the output was longer than that.
    pub(super) cut: bool,
}

impl Output {
    pub(super) fn new(cap: usize, dir: Option<&Path>) -> Self {
        Self {
            clip: Clip::new(cap),
            dir: dir.map(Path::to_owned),
            file: None,
        }
    }

    pub(super) async fn push(&mut self, bytes: &[u8]) {
        if !self.clip.fits(bytes.len()) {
            self.spill(bytes).await;
        }
        self.clip.push(bytes);
    }

    /// A full disk must not cost the command: the first error is kept and reported at the end.
    async fn spill(&mut self, bytes: &[u8]) {
        let Some(dir) = &self.dir else {
            return;
        };
        if self.file.is_none() {
            let kept = self.clip.kept();
            self.file = Some(open(dir, kept).await);
        }
        if let Some(Ok(open)) = &mut self.file
            && let Err(error) = open.write(bytes).await
        {
            self.file = Some(Err(error));
        }
    }

    pub(super) async fn finish(mut self) -> (String, Option<io::Result<Kept>>) {
        let total = self.clip.total();
        let kept = match self.file.take() {
            None => None,
            Some(Err(error)) => Some(Err(error)),
            Some(Ok(mut open)) => Some(open.file.flush().await.map(|()| Kept {
                cut: open.bytes < total,
                bytes: open.bytes,
                path: open.path,
            })),
        };
        (self.clip.finish().0, kept)
    }
}

impl Open {
    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(MOST_BYTES - self.bytes).unwrap_or(usize::MAX);
        let bytes = &bytes[..bytes.len().min(room)];
        self.file.write_all(bytes).await?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

async fn open(dir: &Path, so_far: [&[u8]; 2]) -> io::Result<Open> {
    let dir = dir.to_owned();
    let (file, path) = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&dir)?;
        make_room(&dir);
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .tempfile_in(&dir)?;
        file.keep().map_err(io::Error::from)
    })
    .await
    .map_err(io::Error::other)??;
    let mut open = Open {
        file: tokio::fs::File::from_std(file),
        path,
        bytes: 0,
    };
    for part in so_far {
        open.write(part).await?;
    }
    Ok(open)
}

/// Removes the oldest of our files until one more fits. Failing to is no reason to keep nothing.
fn make_room(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let mut ours: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(PREFIX) && name.ends_with(SUFFIX)
        })
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            (meta.is_file()).then_some((meta.modified().ok()?, entry.path()))
        })
        .collect();
    ours.sort();
    let over = (ours.len() + 1).saturating_sub(MOST_FILES);
    for (_, path) in ours.into_iter().take(over) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests;
