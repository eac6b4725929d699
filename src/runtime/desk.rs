//! The step's words and folders, and the session it begins with.

use std::io;
use std::path::PathBuf;

use super::clock;
use super::manifest::RunDir;
use super::spec::{Start, StepSpec};
use crate::agent::transcript::{SessionHead, Transcript};
use crate::generation::prompt;
use crate::handoff::store::Store;
use crate::handoff::{DocumentLang, Section};
use crate::model::Role;
use crate::tool::expand_mentions;

const RESUME: &str = include_str!("../../assets/prompts/resume.md");

/// What every session of a step shares.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) run: String,
    pub(super) step: String,
    pub(super) workspace: PathBuf,
    /// What the person asked for last.
    pub(super) task: String,
    pub(super) lang: DocumentLang,
    /// Project rules, given to every session anew.
    pub(super) rules: Option<String>,
    /// `None` without a workbench.
    pub(super) store: Option<Store>,
    /// `None` without a workbench.
    pub(super) run_dir: Option<RunDir>,
    /// What the person said and the agent has not heard yet.
    pub(super) inbox: Vec<String>,
    /// What the person wants in the next handoff.
    pub(super) notes: Vec<(Section, String)>,
}

/// The session a step begins with.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) transcript: Transcript,
    pub(super) resumed: bool,
    /// What the session is told first.
    pub(super) texts: Vec<String>,
    /// What the person should know about how it was found.
    pub(super) notes: Vec<String>,
}

/// Why a step has nothing to begin with.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is neither a task nor a session.
    #[error(
        "there is nothing to go on with: no earlier run of step {0:?} is recorded here; give a task"
    )]
    NothingToContinue(String),
    /// The run asked for is not in the manifest.
    #[error(
        "no run {run:?} with step {step:?} is in the manifest; `--continue` takes the last one"
    )]
    NoSuchRun {
        /// The run asked for.
        run: String,
        /// The step asked for.
        step: String,
    },
    /// A record cannot be read.
    #[error("cannot read what earlier runs left: {0}")]
    Io(#[from] io::Error),
}

impl Desk {
    /// A session that has just got its id.
    pub(super) fn fresh_transcript(&self, generation: u32, model: &str) -> Transcript {
        let head = SessionHead {
            session: uuid::Uuid::new_v4().to_string(),
            run: self.run.clone(),
            step: self.step.clone(),
            generation,
            model: model.to_owned(),
            started_at: clock::now_text(),
        };
        let folder = self.run_dir.as_ref().map(RunDir::sessions);
        Transcript::new(head, folder.as_deref())
    }

    /// Notes the session as the step's last, the moment its id is known.
    pub(super) fn note_session(&self, session: &str) -> io::Result<()> {
        match &self.run_dir {
            Some(run_dir) => run_dir.note_session(&self.step, session),
            None => Ok(()),
        }
    }

    /// Finds the session to begin with, or makes one.
    pub(super) fn open(&mut self, spec: &StepSpec, model: &str) -> Result<Opening, OpenError> {
        let mut notes = Vec::new();
        let task = spec
            .task
            .as_deref()
            .map(|task| self.include_files(task, &mut notes));
        let last = match self.last_session(&spec.start)? {
            Some(last) => last,
            None => return self.begin(task, model, notes),
        };
        if spec.task.is_none() {
            self.task = self.earlier_task(&last)?;
        }
        let folder = self
            .run_dir
            .as_ref()
            .map(RunDir::sessions)
            .unwrap_or_default();
        match Transcript::load(&folder, &last) {
            Ok((transcript, damaged)) => {
                if damaged > 0 {
                    notes.push(format!(
                        "{damaged} damaged lines of session {last} were left out"
                    ));
                }
                Ok(continued(transcript, task, notes))
            }
            Err(error) => {
                notes.push(format!(
                    "session {last} cannot be taken up again ({error}); its last handoff is used"
                ));
                self.begin_from_handoff(task, model, notes)
            }
        }
    }

    fn last_session(&self, start: &Start) -> Result<Option<String>, OpenError> {
        let Some(run_dir) = &self.run_dir else {
            return Ok(None);
        };
        match start {
            Start::New => Ok(None),
            Start::Continue => Ok(run_dir.last_session(&self.step)?),
            Start::Resume(run) => run_dir
                .rows()?
                .into_iter()
                .find(|row| row.run == *run && row.step == self.step)
                .and_then(|row| row.session_id)
                .map(Some)
                .ok_or_else(|| OpenError::NoSuchRun {
                    run: run.clone(),
                    step: self.step.clone(),
                }),
        }
    }

    /// The latest task that led to a session, from whichever run.
    fn earlier_task(&self, session: &str) -> Result<String, OpenError> {
        let Some(run_dir) = &self.run_dir else {
            return Ok(String::new());
        };
        let rows = run_dir.rows()?;
        let task = rows
            .iter()
            .rev()
            .filter(|row| row.step == self.step && row.knows(session))
            .map(|row| &row.task)
            .find(|task| !task.is_empty());
        Ok(task.cloned().unwrap_or_default())
    }

    fn include_files(&self, task: &str, notes: &mut Vec<String>) -> String {
        let mentions = expand_mentions(task, &self.workspace);
        notes.extend(mentions.notes);
        mentions.text
    }

    fn begin(
        &self,
        task: Option<String>,
        model: &str,
        notes: Vec<String>,
    ) -> Result<Opening, OpenError> {
        let task = task.ok_or_else(|| OpenError::NothingToContinue(self.step.clone()))?;
        let mut texts: Vec<String> = self.rules.clone().into_iter().collect();
        texts.push(task);
        Ok(Opening {
            transcript: self.fresh_transcript(1, model),
            resumed: false,
            texts,
            notes,
        })
    }

    /// A session that cannot be taken up again starts from the step's last handoff.
    fn begin_from_handoff(
        &self,
        task: Option<String>,
        model: &str,
        notes: Vec<String>,
    ) -> Result<Opening, OpenError> {
        let loaded = self
            .store
            .as_ref()
            .and_then(|store| store.read(&self.step).ok())
            .filter(|loaded| loaded.handoff.complete());
        let Some(loaded) = loaded else {
            return self.begin(task, model, notes);
        };
        let mut texts: Vec<String> = self.rules.clone().into_iter().collect();
        texts.push(prompt::successor_prompt(self.lang, &loaded.handoff));
        texts.extend(task);
        Ok(Opening {
            transcript: self.fresh_transcript(1, model),
            resumed: true,
            texts,
            notes,
        })
    }
}

/// An earlier session with the new words, or with a request to go on when it waits for some.
fn continued(transcript: Transcript, task: Option<String>, notes: Vec<String>) -> Opening {
    let waits = transcript
        .messages()
        .last()
        .is_none_or(|last| last.role == Role::Assistant);
    let texts = match task {
        Some(task) => vec![task],
        None if waits => vec![RESUME.trim().to_owned()],
        None => Vec::new(),
    };
    Opening {
        transcript,
        resumed: true,
        texts,
        notes,
    }
}
