//! The folders of a run and who may use them. Settings come in; made folders, locks and refusals go out.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::manifest::RunDir;
use super::spec::{Start, StepSpec};
use super::{OpenError, RuntimeError};
use crate::disk;

/// Refuses a workspace whose links would make the program write somewhere else: it may come from a
/// stranger. The run folder counts only where nobody named another one.
pub(super) fn refuse_links(
    workspace: &Path,
    bench: &Path,
    own_runs: bool,
) -> Result<(), RuntimeError> {
    const BENCH: [&str; 4] = ["", "notes", "notes/archive/交接", "spill"];
    const RUNS: [&str; 4] = ["runs", "runs/sessions", "runs/events", "runs/.lock"];
    let runs = RUNS.into_iter().filter(|_| own_runs);
    match BENCH
        .into_iter()
        .chain(runs)
        .map(|part| bench.join(part))
        .find(|path| disk::leads_outside(workspace, path))
    {
        Some(path) => Err(RuntimeError::Outside { path }),
        None => Ok(()),
    }
}

/// Makes the folders, so that a run never begins where it cannot keep its files.
pub(super) fn make(wanted: [&Option<PathBuf>; 2]) -> Result<(), RuntimeError> {
    for folder in wanted.into_iter().flatten() {
        probe(folder).map_err(|source| RuntimeError::Unwritable {
            path: folder.clone(),
            source,
        })?;
    }
    Ok(())
}

/// Makes a folder and tries to write in it, so that a run never begins where it cannot keep its files.
fn probe(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// Takes the step for this run alone. Where another run has it, a task gets the first free
/// name and a session of its own, and the person is told.
pub(super) fn take_step(
    root: &Option<PathBuf>,
    step: &mut StepSpec,
) -> Result<(Option<File>, Option<String>), RuntimeError> {
    let Some(root) = root else {
        return Ok((None, None));
    };
    let run_dir = RunDir::new(root.clone());
    let lock = |name: &str| {
        run_dir
            .lock_step(name)
            .map_err(|source| RuntimeError::Unwritable {
                path: root.clone(),
                source,
            })
    };
    if let Some(alone) = lock(&step.name)? {
        return Ok((Some(alone), None));
    }
    if step.task.is_none() {
        return Err(OpenError::Busy(step.name.clone()).into());
    }
    let mut number = 2_u32;
    loop {
        let name = format!("{}-{number}", step.name);
        if let Some(alone) = lock(&name)? {
            let note = format!(
                "another run works on step {:?} in this folder, so this one is step {name:?} with a fresh session",
                step.name
            );
            step.name = name;
            step.start = Start::New;
            return Ok((Some(alone), Some(note)));
        }
        number = number.saturating_add(1);
    }
}
