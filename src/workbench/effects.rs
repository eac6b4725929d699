//! Carries out what the screen asks for. Files are read and written off the loop; results come back
//! as actions.

use std::io;
use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::Sender;

use super::{Setup, Workbench};
use crate::app::action::{Action, Effect};
use crate::app::archive::Preview;
use crate::disk;
use crate::handoff::store::{Store, StoreError};
use crate::handoff::{Handoff, Section};
use crate::terminal::{InputStream, TerminalGuard};

/// What effects need beside the state.
pub(super) struct Effects {
    results: Sender<Action>,
    store: Option<Store>,
    pub(super) step: String,
    /// The file to open in the person's editor, once the loop can lend the terminal.
    edit: Option<PathBuf>,
    /// Kept alive; tells of changes in the folder of the notes.
    _watcher: Option<RecommendedWatcher>,
}

impl Effects {
    pub(super) fn new(results: Sender<Action>, setup: &Setup) -> Self {
        let notes = setup.runtime.notes_dir();
        let root = setup.runtime.workspace_dir();
        let root = root.canonicalize().unwrap_or_default();
        let inside = notes
            .as_deref()
            .filter(|notes| !disk::leads_outside(&root, notes));
        let watcher = inside.and_then(|notes| watch(notes, results.clone()));
        Self {
            store: notes.map(Store::new),
            step: setup.step.name.clone(),
            results,
            edit: None,
            _watcher: watcher,
        }
    }

    /// Where notes wait that no handoff has taken: beside the step's document.
    fn draft(&self) -> Option<PathBuf> {
        let document = self.store.as_ref()?.path(&self.step);
        let name = document.file_name()?.to_str()?;
        Some(document.with_file_name(name.replacen("交接", "草稿", 1)))
    }

    /// Does file work where it may block; its result comes back as an action.
    fn off_the_loop(&self, work: impl FnOnce() -> Action + Send + 'static) {
        let results = self.results.clone();
        tokio::task::spawn_blocking(move || {
            // When the loop is gone, so is whoever wanted to know.
            let _ = results.blocking_send(work());
        });
    }
}

/// Tells of every change in a folder. Without a watcher (a system without one, too many watches) changes
/// by others are still found when the document is saved or swapped.
fn watch(folder: &Path, results: Sender<Action>) -> Option<RecommendedWatcher> {
    std::fs::create_dir_all(folder).ok()?;
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let writes = event.is_ok_and(|event| !event.kind.is_access());
        if writes {
            // A full queue already holds news enough.
            let _ = results.try_send(Action::FileChanged);
        }
    })
    .ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}

impl Workbench {
    pub(super) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Start(task) => self.begin(task),
            Effect::Tell(command) => self.runs.tell(command),
            Effect::StopRun => self.runs.stop(),
            Effect::Load(path) => self.effects.off_the_loop(move || {
                let loaded = Handoff::load(&path).map(Box::new);
                Action::Loaded(loaded.map_err(|error| error.to_string()))
            }),
            Effect::Save(document, base) => self.save(document, base),
            Effect::KeepDraft(lines) => self.keep_draft(lines),
            Effect::Edit(path) => self.effects.edit = Some(path),
            Effect::ListArchive => self.list_archive(),
            Effect::ReadArchive(load) => self.read_archive(load),
            Effect::Answer(answer) => self.runs.answer(answer),
            Effect::Repaint => self.screen.repaint(),
            Effect::Quit => self.left = true,
        }
    }

    pub(super) fn begin(&mut self, task: Option<String>) {
        if let Err(why) = self.runs.begin(task) {
            self.take(Action::RunFailed(why));
        }
    }

    fn save(&self, document: Box<Handoff>, base: Option<String>) {
        let Some(store) = self.effects.store.clone() else {
            return;
        };
        let step = self.effects.step.clone();
        self.effects.off_the_loop(move || {
            let mut saved = store.save(&step, &document, base.as_deref());
            if let Err(StoreError::Changed { found: None, .. }) = saved {
                // The file is gone: what stands on screen is all there is of it.
                saved = store.save(&step, &document, None);
            }
            let saved = match saved {
                Ok(sha256) => Ok(Some(sha256)),
                Err(StoreError::Changed { .. }) => Ok(None),
                Err(error) => Err(error.to_string()),
            };
            Action::Saved(document, saved)
        });
    }

    /// Written at once and not off the loop: the program may be about to end.
    fn keep_draft(&mut self, lines: Vec<(Section, Vec<String>)>) {
        let Some(path) = self.effects.draft() else {
            return;
        };
        let mut draft = Handoff::default();
        for (section, lines) in lines {
            *draft.section_mut(section) = lines.join("\n");
        }
        if let Err(error) = draft.write(&path) {
            self.take(Action::Told(error.to_string()));
        }
    }

    /// Takes up what was kept the last time.
    pub(super) fn take_up_draft(&mut self) {
        let Some(path) = self.effects.draft() else {
            return;
        };
        if let Ok(draft) = Handoff::load(&path) {
            self.take(Action::Draft(Box::new(draft.handoff)));
            // It is in the editor now and is kept again when it is still there at the end.
            let _ = std::fs::remove_file(&path);
        }
    }

    fn list_archive(&self) {
        let Some(store) = self.effects.store.clone() else {
            return;
        };
        self.effects.off_the_loop(move || {
            let today = jiff::ZonedDateTime::now().strftime("%Y%m%d").to_string();
            let entries = store.list_archive(None).map_err(|error| error.to_string());
            Action::Archive(entries, today)
        });
    }

    fn read_archive(&self, load: crate::app::archive::Load) {
        let Some(store) = self.effects.store.clone() else {
            return;
        };
        self.effects.off_the_loop(move || {
            let preview = store
                .read_archived(&load.name)
                .map(|loaded| Preview::new(&loaded.bytes, &loaded.sha256))
                .map_err(|error| error.to_string());
            Action::Preview(load.request, preview)
        });
    }

    /// Lends the terminal to the person's editor; the run goes on meanwhile, and its events wait in their
    /// queue or in the journal.
    pub(super) async fn lend(&mut self, guard: &mut TerminalGuard) -> io::Result<()> {
        let Some(path) = self.effects.edit.take() else {
            return Ok(());
        };
        let decoder = self
            .input
            .take()
            .map(InputStream::close)
            .unwrap_or_default();
        guard.suspend()?;
        let edited = tokio::task::spawn_blocking(move || edit(&path)).await;
        guard.resume()?;
        self.input = Some(InputStream::new(decoder)?);
        let problem = match edited {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        self.take(Action::EditorClosed(problem));
        Ok(())
    }
}

/// Runs `$VISUAL` or `$EDITOR` on a file. The variable may hold arguments, so a shell reads it; the
/// file's name is no part of what the shell reads.
fn edit(path: &Path) -> io::Result<()> {
    let variable = |name| {
        std::env::var(name)
            .ok()
            .filter(|value: &String| !value.trim().is_empty())
    };
    let editor = variable("VISUAL")
        .or_else(|| variable("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned());
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(path)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "the editor {editor:?} ended with {status}; set EDITOR"
        )))
    }
}
