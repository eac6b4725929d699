//! Where a path leads. In goes what the model wrote; out comes the file that would really be
//! touched, symlinks followed, and the [`Place`] it lies in.
//!
//! A path is judged and used in two steps. Something that swaps a directory for a symlink in
//! between could be followed; only a command that was permitted to run could do that.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::ToolError;

/// Where a file lies, as far as permission goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the workspace.
    Inside,
    /// In the workspace, but part of git or of flower: `.git`, `flower.yaml`, `.flower/runs`.
    Guarded,
    /// Named as protected by whoever started the run.
    Protected,
    /// Anywhere else.
    Outside,
}

/// A path and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Absolute, without symlinks; need not exist.
    pub(super) real: PathBuf,
    /// For people and models: relative to the workspace when inside.
    pub(super) shown: String,
    pub(super) place: Place,
}

/// The workspace's real root and the files nobody may change.
#[derive(Debug, Clone)]
pub(super) struct Places {
    root: PathBuf,
    protected: Vec<PathBuf>,
}

/// As many symlinks as Linux follows in one path (path_resolution(7)).
const MAX_LINKS: usize = 40;

impl Places {
    pub(super) fn new(workspace: &Path, protected: &[PathBuf]) -> Self {
        let absolute = std::path::absolute(workspace).unwrap_or_else(|_| workspace.to_owned());
        let root = follow(&absolute).unwrap_or(absolute);
        let protected = protected
            .iter()
            .map(|path| {
                let path = root.join(path);
                follow(&path).unwrap_or(path)
            })
            .collect();
        Self { root, protected }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Resolves a path of the model, relative to the workspace or absolute.
    pub(super) fn target(&self, given: &str) -> Result<Target, ToolError> {
        if given.is_empty() {
            return Err(ToolError::new("the path is empty: name a file"));
        }
        if given.contains('\0') {
            return Err(ToolError::new(format!(
                "{given:?} is no path: it has a NUL character"
            )));
        }
        if given == "~" || given.starts_with("~/") {
            return Err(ToolError::new(format!(
                "{given}: `~` is not expanded here; give the path relative to the workspace, or absolute"
            )));
        }
        let real = follow(&self.root.join(given))
            .map_err(|error| ToolError::new(format!("{given} cannot be resolved: {error}")))?;
        let place = self.place(&real);
        Ok(Target {
            shown: self.shown(&real),
            place,
            real,
        })
    }

    /// Names a path for people: relative to the workspace when inside.
    pub(super) fn shown(&self, real: &Path) -> String {
        match real.strip_prefix(&self.root) {
            Ok(inner) if inner.as_os_str().is_empty() => ".".to_owned(),
            Ok(inner) => inner.display().to_string(),
            Err(_) => real.display().to_string(),
        }
    }

    fn place(&self, real: &Path) -> Place {
        if self.protected.iter().any(|path| real.starts_with(path)) {
            return Place::Protected;
        }
        let Ok(inner) = real.strip_prefix(&self.root) else {
            return Place::Outside;
        };
        // Letter case is ignored because the file systems of macOS ignore it.
        let names: Vec<String> = inner
            .components()
            .map(|name| name.as_os_str().to_string_lossy().to_ascii_lowercase())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let guarded = names.contains(&".git")
            || matches!(names[..], ["flower.yaml", ..] | [".flower", "runs", ..]);
        if guarded {
            Place::Guarded
        } else {
            Place::Inside
        }
    }
}

/// Follows every symlink of an absolute path, also a dangling one at its end, and takes away
/// `.` and `..`. Names that do not exist yet stay as they are.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut left: VecDeque<OsString> = parts(path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(name) = left.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&name);
        match next.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many symlinks, perhaps a loop"));
                }
                let aim = std::fs::read_link(&next)?;
                if aim.is_absolute() {
                    real = PathBuf::from("/");
                }
                for part in parts(&aim).into_iter().rev() {
                    left.push_front(part);
                }
            }
            Ok(_) => real = next,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => real = next,
                _ => return Err(error),
            },
        }
    }
    Ok(real)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
