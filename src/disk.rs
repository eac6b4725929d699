//! Files that survive a crash and a full disk. In go a path and bytes, out comes a file that is
//! either the old one or the new one, never half of each.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

/// Replaces the file at `path` by `bytes` in one step and keeps the mode of the former one.
///
/// A symbolic link at `path` is replaced, not followed: a workspace may come from a stranger, and
/// a link in it must not make flower write outside.
///
/// # Errors
/// Any I/O error of creating, writing or syncing; the former file is then untouched.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let staged = stage(folder_of(path), bytes)?;
    replace(staged, path)
}

/// Writes `bytes` to a new, synced temporary file in `folder`, ready for [`replace`].
///
/// # Errors
/// Any I/O error; nothing is left behind.
pub(crate) fn stage(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".flower-").suffix(".tmp");
    // Temporary files are private by default; the finished document is an ordinary file, subject
    // to the umask like any other.
    let ordinary = ordinary_mode();
    if let Some(mode) = ordinary {
        builder.permissions(mode);
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Renames a staged file to `path` and makes the rename durable.
///
/// # Errors
/// Any I/O error; before the rename the former file is untouched.
pub(crate) fn replace(staged: NamedTempFile, path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(former) if former.is_file() => staged.as_file().set_permissions(former.permissions())?,
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    staged.persist(path).map_err(|error| error.error)?;
    sync_folder(folder_of(path))
}

/// Creates `<stem>.<extension>` in `folder` with `bytes`, or `<stem>-2.<extension>`, `-3` … when
/// the name is taken, and says which; an existing file is never touched.
///
/// # Errors
/// Any I/O error but a taken name; nothing is left behind.
pub fn create_new_with_suffix(
    folder: &Path,
    stem: &str,
    extension: &str,
    bytes: &[u8],
) -> io::Result<PathBuf> {
    let mut staged = stage(folder, bytes)?;
    for path in numbered_names(folder, stem, extension) {
        match staged.persist_noclobber(&path) {
            Ok(_) => {
                sync_folder(folder)?;
                return Ok(path);
            }
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                staged = failed.file;
            }
            Err(failed) => return Err(failed.error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Reads an ordinary file, or what a link to one leads to.
///
/// # Errors
/// Any I/O error. A folder, and a pipe or device that would make flower wait for ever, are errors
/// too.
pub fn read_ordinary(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        fs::read(path)
    } else {
        Err(io::Error::other("it is not an ordinary file"))
    }
}

/// Opens a file that is only there to be locked, and makes it when missing.
///
/// # Errors
/// Any I/O error. A link, a pipe or anything else that is no ordinary file is an error too.
pub fn open_lock(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => {
            let what = format!("the lock {} is not an ordinary file", path.display());
            return Err(io::Error::other(what));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
}

/// Tells whether `path`, which lies in `root` by its name, leads somewhere else: through a link to
/// outside, or through one that leads nowhere. `root` has no links in it.
pub fn leads_outside(root: &Path, path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => !path
            .canonicalize()
            .is_ok_and(|found| found.starts_with(root)),
        // What is missing is made below the nearest folder that is there.
        Err(_) => match path.parent() {
            Some(parent) if parent != root && parent.starts_with(root) => {
                leads_outside(root, parent)
            }
            Some(_) | None => false,
        },
    }
}

/// Lists `<stem>.<extension>`, `<stem>-2.<extension>`, `<stem>-3.<extension>` and so on.
pub(crate) fn numbered_names(
    folder: &Path,
    stem: &str,
    extension: &str,
) -> impl Iterator<Item = PathBuf> {
    (1..u32::MAX).map(move |number| match number {
        1 => folder.join(format!("{stem}.{extension}")),
        more => folder.join(format!("{stem}-{more}.{extension}")),
    })
}

/// Makes the names in `folder` durable, where the system can.
///
/// # Errors
/// Any I/O error of opening or syncing the folder.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Returns the SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn ordinary_mode() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn ordinary_mode() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_write_replaces_everything_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        atomic_write(&path, b"long former content").unwrap();
        atomic_write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.md"]);
    }

    #[test]
    fn a_failed_write_leaves_the_target_and_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("is-a-folder");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "kept").unwrap();
        assert!(atomic_write(&path, b"x").is_err());
        assert_eq!(names(folder.path()), ["is-a-folder"]);
        assert_eq!(fs::read(path.join("inside")).unwrap(), b"kept");
        assert!(atomic_write(&folder.path().join("no/such/folder.md"), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_of_the_former_file_stays_and_a_link_is_not_followed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        atomic_write(&path, b"y").unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );

        let outside = folder.path().join("outside");
        fs::write(&outside, "kept").unwrap();
        let link = folder.path().join("link.md");
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        atomic_write(&link, b"new").unwrap();
        assert_eq!(fs::read(&outside).unwrap(), b"kept");
        assert_eq!(fs::read(&link).unwrap(), b"new");
    }

    #[test]
    fn taken_names_get_a_number_and_keep_their_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["1", "2", "3"] {
            create_new_with_suffix(folder.path(), "档", "md", text.as_bytes()).unwrap();
        }
        assert_eq!(names(folder.path()), ["档-2.md", "档-3.md", "档.md"]);
        assert_eq!(fs::read(folder.path().join("档.md")).unwrap(), b"1");
        assert_eq!(fs::read(folder.path().join("档-3.md")).unwrap(), b"3");
    }

    #[test]
    fn parallel_writers_never_mix_their_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shared");
        std::thread::scope(|scope| {
            for writer in 0..8u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..5 {
                        atomic_write(path, &vec![b'a' + writer; 40_000]).unwrap();
                    }
                });
            }
        });
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes, vec![bytes[0]; 40_000]);
        assert_eq!(names(folder.path()), ["shared"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_ordinary_files_are_read_or_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "x").unwrap();
        fs::create_dir(path("folder")).unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        std::os::unix::fs::symlink(path("nowhere"), path("dangling")).unwrap();
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let rows = [
            ("file", true, true),
            ("folder", false, false),
            ("link", true, false),
            ("dangling", false, false),
            ("pipe", false, false),
            ("missing", false, true),
        ];
        for (name, read, locked) in rows {
            let found = (
                read_ordinary(&path(name)).is_ok(),
                open_lock(&path(name)).is_ok(),
            );
            assert_eq!(found, (read, locked), "{name}");
        }
        assert!(!path("nowhere").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_a_folder_are_seen_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("inside/deep")).unwrap();
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, root.join(name)).unwrap();
        };
        link(outside.path(), "out");
        link(&root.join("inside"), "in");
        link(&outside.path().join("nowhere"), "dangling");
        link(Path::new("loop"), "loop");
        let rows = [
            ("", false),
            ("inside/deep", false),
            ("inside/new/er", false),
            ("in/deep", false),
            ("in/new", false),
            ("new", false),
            ("out", true),
            ("out/new/er", true),
            ("dangling", true),
            ("dangling/new", true),
            ("loop", true),
        ];
        for (name, outside) in rows {
            assert_eq!(leads_outside(&root, &root.join(name)), outside, "{name}");
        }
    }

    #[test]
    fn sha256_is_the_published_test_vector() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
