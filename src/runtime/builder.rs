//! Puts a [`Runtime`] together: settings in, checked folders out, or why they cannot be used.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc;

use super::{OpenError, Runtime, folders};
use crate::generation::machine::ReviewMode;
use crate::generation::policy::HandoffPolicy;
use crate::handoff::DocumentLang;
use crate::model::error::ModelError;
use crate::model::window::WindowSource;
use crate::tool::PermissionRequest;

/// Default time after which a held review goes on by itself.
pub const DEFAULT_HOLD_TIMEOUT: Duration = Duration::from_secs(600);

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The workspace is no folder.
    #[error("the workspace {path} cannot be used: {why}; name a folder with -w")]
    Workspace {
        /// The folder asked for.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Files cannot be made where they belong.
    #[error(
        "cannot write to {path} ({source}); name another folder with -w or -r, or leave files out with --no-workbench"
    )]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A link in the workspace leads out of it.
    #[error(
        "{path} leads out of the workspace, and nothing is written there; remove the link, name another folder for the runs with -r, or leave files out with --no-workbench"
    )]
    Outside {
        /// The link, or what it makes unreachable.
        path: PathBuf,
    },
    /// There is nothing to begin with.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The server's address cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Puts a [`Runtime`] together.
#[derive(Debug, Clone)]
pub struct RuntimeBuilder {
    workspace: PathBuf,
    run_dir: Option<PathBuf>,
    workbench: bool,
    pub(super) policy: HandoffPolicy,
    pub(super) window_source: WindowSource,
    pub(super) review: ReviewMode,
    pub(super) hold_timeout: Duration,
    pub(super) document_lang: DocumentLang,
    pub(super) asker: Option<mpsc::Sender<PermissionRequest>>,
}

impl Default for RuntimeBuilder {
    fn default() -> Self {
        Self {
            workspace: PathBuf::from("."),
            run_dir: None,
            workbench: true,
            policy: HandoffPolicy::default(),
            window_source: WindowSource::Flag,
            review: ReviewMode::Off,
            hold_timeout: DEFAULT_HOLD_TIMEOUT,
            document_lang: DocumentLang::Zh,
            asker: None,
        }
    }
}

impl RuntimeBuilder {
    /// The folder the agent will work in.
    pub fn workspace_dir(&self) -> &Path {
        &self.workspace
    }

    /// Where handoffs will be; `None` without a workbench.
    pub fn notes_dir(&self) -> Option<PathBuf> {
        self.workbench
            .then(|| self.workspace.join(".flower").join("notes"))
    }

    /// Sets who is asked for permission; without anybody, what would be asked is refused.
    #[must_use]
    pub fn asker(mut self, asker: mpsc::Sender<PermissionRequest>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Sets the folder the agent works in; the current one by default.
    #[must_use]
    pub fn workspace(mut self, path: impl AsRef<Path>) -> Self {
        self.workspace = path.as_ref().to_owned();
        self
    }

    /// Sets where runs are recorded; `.flower/runs` in the workspace by default.
    #[must_use]
    pub fn run_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.run_dir = Some(path.as_ref().to_owned());
        self
    }

    /// Sets whether files are kept at all; without a workbench a handoff goes through the prompt.
    #[must_use]
    pub fn workbench(mut self, on: bool) -> Self {
        self.workbench = on;
        self
    }

    /// Sets window, headroom and the number of swaps; the window counts as the person's own.
    #[must_use]
    pub fn handoff(mut self, policy: HandoffPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets where the window comes from, which decides whether an overflow may correct it.
    #[must_use]
    pub fn window_source(mut self, source: WindowSource) -> Self {
        self.window_source = source;
        self
    }

    /// Sets what a person gets to see before a swap; nothing by default.
    #[must_use]
    pub fn review(mut self, mode: ReviewMode) -> Self {
        self.review = mode;
        self
    }

    /// Sets after how long a held review goes on by itself.
    #[must_use]
    pub fn hold_timeout(mut self, length: Duration) -> Self {
        self.hold_timeout = length;
        self
    }

    /// Sets the language of the handoff's headings; Chinese by default.
    #[must_use]
    pub fn document_lang(mut self, lang: DocumentLang) -> Self {
        self.document_lang = lang;
        self
    }

    /// Checks the folders; they are made when a step begins.
    ///
    /// # Errors
    /// [`RuntimeError::Workspace`] when the workspace is no folder, [`RuntimeError::Outside`] when
    /// something in it leads elsewhere.
    pub fn build(self) -> Result<Runtime, RuntimeError> {
        let workspace = self
            .workspace
            .canonicalize()
            .map_err(|error| error.to_string())
            .and_then(|path| {
                if path.is_dir() {
                    Ok(path)
                } else {
                    Err("it is not a folder".to_owned())
                }
            })
            .map_err(|why| RuntimeError::Workspace {
                path: self.workspace.clone(),
                why,
            })?;
        let bench = workspace.join(".flower");
        let run_dir = self
            .workbench
            .then(|| self.run_dir.clone().unwrap_or_else(|| bench.join("runs")));
        let notes = self.workbench.then(|| bench.join("notes"));
        if self.workbench {
            folders::refuse_links(&workspace, &bench, self.run_dir.is_none())?;
        }
        Ok(Runtime {
            workspace,
            notes,
            run_dir,
            parts: self,
        })
    }
}
