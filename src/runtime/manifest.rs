//! What runs leave for the next one: `manifest.json` (a row for each step of each run) and
//! `lineage.json` (the last session of each step). Two processes at once keep both sets of rows;
//! garbage in either file is set aside, never fatal.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::GenerationRow;
use crate::disk;

/// One step of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManifestRow {
    /// The run's id.
    pub run: String,
    /// The step's name.
    pub step: String,
    /// What the person asked for when the work began, in this run or an earlier one it goes on
    /// from; empty when nothing was known.
    #[serde(default)]
    pub task: String,
    /// What the person said last; empty when nothing was known.
    #[serde(default)]
    pub last_words: String,
    /// The last session.
    pub session_id: Option<String>,
    /// Whether the step is done; `None` while it runs.
    pub ok: Option<bool>,
    /// Why it is not.
    pub error: Option<String>,
    /// Everything that went wrong on the way, in order.
    pub errors: Vec<String>,
    /// Attempts, 1 without a retry.
    pub attempts: u32,
    /// Whether the first session was an earlier run's.
    pub resumed: bool,
    /// Sessions that handed over, in order.
    pub retired: Vec<String>,
    /// Every generation, in order.
    pub generations: Vec<GenerationRow>,
    /// Last known context in tokens.
    pub context: Option<u64>,
    /// Cost of all generations in USD; `None` when no price is known.
    pub cost_usd: Option<f64>,
    /// Answers that arrived whole.
    pub num_turns: u64,
    /// The last words of the model.
    pub text: String,
    /// When it began (RFC 3339).
    pub started_at: String,
    /// When it ended; `None` while it runs.
    pub ended_at: Option<String>,
    /// How long it took, in seconds.
    pub duration_s: f64,
}

impl ManifestRow {
    /// Whether a session was one of this row's.
    pub fn knows(&self, session: &str) -> bool {
        self.session_id.as_deref() == Some(session)
            || self.retired.iter().any(|retired| retired == session)
    }
}

/// The folder that runs record themselves in.
#[derive(Debug, Clone)]
pub struct RunDir {
    root: PathBuf,
}

impl RunDir {
    /// Names the folder; nothing is made yet.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where transcripts are.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Where journals are.
    pub fn events(&self) -> PathBuf {
        self.root.join("events")
    }

    fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }

    fn lineage(&self) -> PathBuf {
        self.root.join("lineage.json")
    }

    /// Makes the folder's runs the only ones of a step for as long as the returned file is kept;
    /// `None` when another run has it. Where the file system knows no locks, nobody is kept off.
    ///
    /// # Errors
    /// What the system said when the lock cannot be made.
    pub fn lock_step(&self, step: &str) -> io::Result<Option<File>> {
        std::fs::create_dir_all(&self.root)?;
        // Two steps may look alike in a file name; their hashes differ.
        let name = &disk::sha256_hex(step.as_bytes())[..16];
        let lock = disk::open_lock(&self.root.join(format!(".step-{name}.lock")))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Some(lock))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Adds a row, or replaces the one of the same run and step. Rows it does not understand stay;
    /// a file nobody can read is set aside, and where it went is returned.
    ///
    /// # Errors
    /// What the system said when the files cannot be set aside, locked or written.
    pub fn record(&self, row: &ManifestRow) -> io::Result<Option<PathBuf>> {
        let new = serde_json::to_value(row)?;
        let same = |old: &Value| old["run"] == new["run"] && old["step"] == new["step"];
        self.update(&self.manifest(), |rows: &mut Vec<Value>| {
            match rows.iter_mut().find(|old| same(old)) {
                Some(old) => *old = new.clone(),
                None => rows.push(new.clone()),
            }
        })
    }

    /// The rows that can be read, oldest first; a file that is missing or that nobody can read has
    /// none.
    pub fn rows(&self) -> Vec<ManifestRow> {
        let rows: Vec<Value> = read(&self.manifest()).unwrap_or_default();
        rows.into_iter()
            .filter_map(|row| serde_json::from_value(row).ok())
            .collect()
    }

    /// Notes the last session of a step.
    ///
    /// # Errors
    /// As [`RunDir::record`].
    pub fn note_session(&self, step: &str, session: &str) -> io::Result<Option<PathBuf>> {
        self.update(&self.lineage(), |steps: &mut BTreeMap<String, Value>| {
            steps.insert(step.to_owned(), Value::from(session));
        })
    }

    /// The last session of a step; a file that is missing or that nobody can read knows none.
    pub fn last_session(&self, step: &str) -> Option<String> {
        let steps: BTreeMap<String, Value> = read(&self.lineage()).unwrap_or_default();
        steps.get(step).and_then(Value::as_str).map(str::to_owned)
    }

    fn update<T>(&self, path: &Path, change: impl FnOnce(&mut T)) -> io::Result<Option<PathBuf>>
    where
        T: Default + Serialize + for<'a> Deserialize<'a>,
    {
        std::fs::create_dir_all(&self.root)?;
        let lock = self.lock()?;
        let (mut value, aside): (T, _) = match read(path) {
            Some(value) => (value, None),
            None => (T::default(), set_aside(path)?),
        };
        change(&mut value);
        let mut bytes = serde_json::to_vec_pretty(&value)?;
        bytes.push(b'\n');
        disk::atomic_write(path, &bytes)?;
        lock.unlock()?;
        Ok(aside)
    }

    /// Files are replaced, never written in place, so the lock is a file of its own.
    fn lock(&self) -> io::Result<File> {
        let lock = disk::open_lock(&self.root.join(".lock"))?;
        lock.lock()?;
        Ok(lock)
    }
}

/// The value in a file; `None` when there is no such file, or none that holds it.
fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&disk::read_ordinary(path).ok()?).ok()
}

/// Renames what nobody can read to the first free `NAME.bad`, `NAME.bad-2`, … and says which.
fn set_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut aside = path.with_file_name(format!("{name}.bad"));
    let mut number = 2;
    while aside.symlink_metadata().is_ok() {
        aside = path.with_file_name(format!("{name}.bad-{number}"));
        number += 1;
    }
    std::fs::rename(path, &aside)?;
    Ok(Some(aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(run: &str, step: &str) -> ManifestRow {
        ManifestRow {
            run: run.to_owned(),
            step: step.to_owned(),
            task: String::new(),
            last_words: String::new(),
            session_id: Some("s".to_owned()),
            ok: None,
            error: None,
            errors: vec![],
            attempts: 1,
            resumed: false,
            retired: vec![],
            generations: vec![],
            context: None,
            cost_usd: None,
            num_turns: 0,
            text: String::new(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            ended_at: None,
            duration_s: 0.0,
        }
    }

    #[test]
    fn a_row_replaces_its_own_earlier_version_only() {
        let folder = tempfile::tempdir().unwrap();
        let runs = RunDir::new(folder.path().join("runs"));
        runs.record(&row("a", "一")).unwrap();
        runs.record(&row("a", "二")).unwrap();
        runs.record(&row("b", "一")).unwrap();
        let done = ManifestRow {
            ok: Some(true),
            ..row("a", "一")
        };
        runs.record(&done).unwrap();
        assert_eq!(runs.rows(), [done, row("a", "二"), row("b", "一")]);
    }

    #[test]
    fn a_step_has_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let runs = RunDir::new(folder.path().to_owned());
        let held = runs.lock_step("a/b").unwrap();
        assert!(held.is_some());
        assert!(runs.lock_step("a/b").unwrap().is_none());
        assert!(
            runs.lock_step("a:b").unwrap().is_some(),
            "another step, though its files look alike"
        );
        drop(held);
        assert!(runs.lock_step("a/b").unwrap().is_some());
    }

    #[test]
    fn writers_at_once_keep_all_rows() {
        let folder = tempfile::tempdir().unwrap();
        let runs = RunDir::new(folder.path().join("runs"));
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let runs = runs.clone();
                scope.spawn(move || {
                    for n in 0..10 {
                        runs.record(&row(&format!("{writer}-{n}"), "干活")).unwrap();
                        runs.note_session(&format!("{writer}"), &format!("{n}"))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(runs.rows().len(), 80);
        for writer in 0..8 {
            assert_eq!(runs.last_session(&writer.to_string()).as_deref(), Some("9"));
        }
    }

    #[test]
    fn garbage_is_set_aside_and_foreign_rows_stay() {
        let folder = tempfile::tempdir().unwrap();
        let runs = RunDir::new(folder.path().to_owned());
        let manifest = folder.path().join("manifest.json");
        for (n, garbage) in ["{", "{}", "\u{feff}[]"].into_iter().enumerate() {
            std::fs::write(&manifest, garbage).unwrap();
            runs.record(&row("a", "一")).unwrap();
            let name = match n {
                0 => "manifest.json.bad".to_owned(),
                n => format!("manifest.json.bad-{}", n + 1),
            };
            assert_eq!(
                std::fs::read_to_string(folder.path().join(name)).unwrap(),
                garbage
            );
            assert_eq!(runs.rows(), [row("a", "一")]);
        }
        std::fs::write(&manifest, r#"[{"run":"old","more":1}]"#).unwrap();
        runs.record(&row("b", "一")).unwrap();
        let text = std::fs::read_to_string(&manifest).unwrap();
        let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["more"], 1);
        assert_eq!(runs.rows(), [row("b", "一")]);
        std::fs::write(folder.path().join("lineage.json"), "[1]").unwrap();
        assert_eq!(runs.last_session("一"), None);
        runs.note_session("一", "s").unwrap();
        assert_eq!(runs.last_session("一").as_deref(), Some("s"));
    }
}
