//! The step's words and folders, and the session it begins with.

use std::io;
use std::path::PathBuf;

use super::clock;
use super::manifest::RunDir;
use super::spec::{Start, StepSpec};
use crate::agent::transcript::{SessionHead, Transcript};
use crate::generation::prompt;
use crate::handoff::store::{Loaded, Store};
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
    /// What the person asked for when the work began, in whichever run.
    pub(super) task: String,
    /// What the person said last.
    pub(super) last_words: String,
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
    /// Another run is at it.
    #[error(
        "another run works on step {0:?} in this folder: wait for its end or stop it, or give a task, which then gets a step of its own"
    )]
    Busy(String),
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
    pub(super) fn note_session(&self, session: &str) -> io::Result<Option<PathBuf>> {
        match &self.run_dir {
            Some(run_dir) => run_dir.note_session(&self.step, session),
            None => Ok(None),
        }
    }

    /// Says whether there is anything to begin with, before anything is made on disk.
    pub(super) fn check(&self, spec: &StepSpec) -> Result<(), OpenError> {
        match self.last_session(&spec.start)? {
            None if spec.task.is_none() => Err(OpenError::NothingToContinue(self.step.clone())),
            None | Some(_) => Ok(()),
        }
    }

    /// Finds the session to begin with, or makes one.
    pub(super) fn open(&mut self, spec: &StepSpec, model: &str) -> Result<Opening, OpenError> {
        let mut notes = Vec::new();
        let task = spec
            .task
            .as_deref()
            .map(|task| self.include_files(task, &mut notes));
        let Some(last) = self.last_session(&spec.start)? else {
            return self.begin(task, model, notes);
        };
        self.remember(&last, spec.task.is_some());
        let newest = self
            .store
            .as_ref()
            .and_then(|store| store.read(&self.step).ok())
            .filter(|loaded| loaded.handoff.complete());
        if let Some(newest) = &newest
            && newest.handoff.stamp.session == last
        {
            notes.push(format!(
                "session {last} has handed over already: its successor begins from {} as it is now",
                newest.path.display()
            ));
            return Ok(self.begin_from_handoff(newest, task, model, notes));
        }
        let folder = self
            .run_dir
            .as_ref()
            .map(RunDir::sessions)
            .unwrap_or_default();
        let error = match Transcript::load(&folder, &last) {
            Ok((transcript, damaged)) => {
                if damaged > 0 {
                    notes.push(format!(
                        "{damaged} damaged lines of session {last} were left out"
                    ));
                }
                return Ok(continued(transcript, task, notes));
            }
            Err(error) => error,
        };
        let lost = format!("session {last} cannot be taken up again ({error})");
        match newest {
            Some(newest) => {
                notes.push(format!("{lost}; its last handoff is used"));
                Ok(self.begin_from_handoff(&newest, task, model, notes))
            }
            None => {
                notes.push(format!(
                    "{lost} and there is no handoff: the task is begun anew"
                ));
                let earlier = Some(self.task.clone()).filter(|known| {
                    !known.trim().is_empty() && Some(known.as_str()) != spec.task.as_deref()
                });
                let words: Vec<String> = earlier.into_iter().chain(task).collect();
                let words = (!words.is_empty()).then(|| words.join("\n\n"));
                self.begin(words, model, notes)
            }
        }
    }

    fn last_session(&self, start: &Start) -> Result<Option<String>, OpenError> {
        let Some(run_dir) = &self.run_dir else {
            return Ok(None);
        };
        match start {
            Start::New => Ok(None),
            Start::Continue => Ok(run_dir.last_session(&self.step)),
            Start::Resume(run) => run_dir
                .rows()
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

    /// Learns from the rows of earlier runs what the work that `session` goes on with began with,
    /// and, unless the person says something new, what they said last.
    fn remember(&mut self, session: &str, new_words: bool) {
        let rows = self.run_dir.as_ref().map(RunDir::rows).unwrap_or_default();
        let mut rows = rows
            .iter()
            .filter(|row| row.step == self.step && row.knows(session));
        // A row tells the first task of its whole chain, so the oldest that knows the session does.
        if let Some(first) = rows.clone().find(|row| !row.task.is_empty()) {
            self.task.clone_from(&first.task);
        }
        if !new_words && let Some(latest) = rows.rfind(|row| !row.last_words.is_empty()) {
            self.last_words.clone_from(&latest.last_words);
        }
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

    /// A successor of a session that is gone or has handed over.
    fn begin_from_handoff(
        &self,
        loaded: &Loaded,
        task: Option<String>,
        model: &str,
        notes: Vec<String>,
    ) -> Opening {
        let mut texts: Vec<String> = self.rules.clone().into_iter().collect();
        texts.push(prompt::successor_prompt(self.lang, &loaded.handoff));
        texts.extend(task);
        let generation = loaded.handoff.stamp.generation.saturating_add(1);
        Opening {
            transcript: self.fresh_transcript(generation, model),
            resumed: true,
            texts,
            notes,
        }
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
