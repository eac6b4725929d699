//! The swap: asking for the handoff, putting it on disk, reading it back, and the successor.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use unicode_segmentation::UnicodeSegmentation;

use super::clock;
use super::driver::{Driver, Swap, backoff, hear};
use super::event::{DoneEvent, EventKind, HandoffEvent, Sections};
use super::recorder::{Left, Turn, set_aside};
use super::turn::spread;
use crate::agent::native::WrittenReply;
use crate::disk;
use crate::generation::machine::{self, Input};
use crate::generation::prompt;
use crate::generation::why::DegradedWhy;
use crate::handoff::{self, DocumentLang, Handoff, Section, Stamp, StoreError};
use crate::model::error::{ErrorClass, ModelError};
use crate::tokens;
use crate::tool::PlanStatus;

/// Requests a writing turn may make: one, and two retries.
const WRITING_REQUESTS: u32 = 3;
/// Seconds a writing turn may take in all.
const WRITING_S: u64 = 120;
/// Signs of the person's latest words that a degraded document repeats; as many as of the task.
const LAST_WORDS_SIGNS: usize = 1_200;
/// A document above one part in so many of the window is told of: four such swaps would fill it.
const HEAVY_SHARE: u64 = 4;

/// What was found in a handoff's place at the swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// A document without these required sections.
    Incomplete(Vec<&'static str>),
    /// Nothing.
    Gone,
    /// Something that cannot be read, and why.
    Unreadable(String),
}

impl Driver {
    pub(super) async fn announce_writing(&mut self) {
        self.swap = Swap::default();
        let level = self.recorder.state.level;
        self.recorder
            .emit(EventKind::Handoff(HandoffEvent::Writing {
                context: level.context,
                window: level.policy.window,
            }))
            .await;
    }

    /// Asks the session for its handoff, at most three times and for two minutes in all.
    pub(super) async fn ask_for_handoff(&mut self) -> Input {
        let level = self.recorder.state.level;
        let used = level.context.unwrap_or(0);
        let request = prompt::handoff_request(self.desk.lang, used, level.policy.window);
        let deadline = Instant::now() + Duration::from_secs(WRITING_S);
        let mut why = DegradedWhy::TimedOut(WRITING_S);
        for attempt in 1..=WRITING_REQUESTS {
            if attempt > 1 {
                let wake = Instant::now() + backoff(attempt, spread());
                if wake >= deadline {
                    break;
                }
                tokio::time::sleep_until(wake).await;
            }
            why = match self.write(&request, deadline).await {
                None => DegradedWhy::TimedOut(WRITING_S),
                Some(Ok(reply)) => match self.judge(&reply).await {
                    None => return Input::Written,
                    Some(why) => why,
                },
                Some(Err(error)) => match error.class {
                    ErrorClass::Overflow => {
                        let overflow = self.told(&self.examine(&error));
                        why = DegradedWhy::WritingOverflow(overflow);
                        break;
                    }
                    ErrorClass::Fatal => {
                        why = DegradedWhy::Model(error.message);
                        break;
                    }
                    ErrorClass::Transient | ErrorClass::Unknown => {
                        DegradedWhy::Model(error.message)
                    }
                },
            };
            if Instant::now() >= deadline {
                break;
            }
        }
        Input::NotWritten(why)
    }

    /// One request; `None` when the time is up. A pending interrupt never cuts it.
    async fn write(
        &mut self,
        request: &str,
        deadline: Instant,
    ) -> Option<Result<WrittenReply, ModelError>> {
        // Drained after every poll of the turn, so it holds what one poll produces.
        let (sender, mut events) = mpsc::unbounded_channel();
        let outcome = {
            let mut turn = std::pin::pin!(tokio::time::timeout_at(
                deadline,
                self.agent.write(request, &sender)
            ));
            let mut listening = true;
            loop {
                tokio::select! {
                    biased;
                    Some(event) = events.recv() => self.recorder.take(event, Turn::Writing).await,
                    command = self.commands.recv(), if listening => match command {
                        // In this phase the machine remembers an interrupt and ignores the rest.
                        Some(command) => if let Some(input) = hear(command, &mut self.desk) {
                            machine::step(&mut self.recorder.state, input);
                        },
                        None => listening = false,
                    },
                    outcome = &mut turn => break outcome.ok(),
                }
            }
        };
        while let Ok(event) = events.try_recv() {
            self.recorder.take(event, Turn::Writing).await;
        }
        self.recorder.cut(Turn::Writing).await;
        outcome
    }

    /// Keeps a usable reply; says otherwise why it is none. A reply that was cut is usable when it
    /// got as far as the last section: what is missing then is the end of one text.
    async fn judge(&mut self, reply: &WrittenReply) -> Option<DegradedWhy> {
        let written = Handoff::parse(&reply.text);
        let missing = written.missing();
        let begun = Handoff::sections_in(&reply.text);
        if missing.is_empty() && (!reply.cut || begun == Section::ALL) {
            self.swap.document = written;
            if reply.cut {
                self.recorder
                    .warn(
                        "the output limit cut the handoff within a section; all five are there, so it is used; \
                         raise max_output_tokens in the config to get it whole"
                            .to_owned(),
                    )
                    .await;
            }
            return None;
        }
        self.swap.partial = Some(written);
        Some(if reply.cut {
            DegradedWhy::CutOff
        } else {
            DegradedWhy::Incomplete(missing)
        })
    }

    /// Makes the mechanical document; what the session did write of it is kept.
    pub(super) fn degrade(&mut self, why: DegradedWhy) {
        let facts: Vec<String> = self.last_words().into_iter().chain(self.plan()).collect();
        let facts = (!facts.is_empty()).then(|| facts.join("\n\n"));
        let mut document = handoff::degraded(
            &self.desk.step,
            &why.to_string(),
            &self.desk.task,
            self.desk.lang,
            facts.as_deref(),
        );
        // What a session did write of it, or else what it was handed itself: dead ends are the dearest.
        if let Some(known) = self.swap.partial.take().or_else(|| self.handed.take()) {
            document.decided = known.decided;
            document.deadends = known.deadends;
        }
        self.swap.document = document;
        self.swap.why = Some(why);
    }

    /// What the person said last, where that is not the task itself.
    fn last_words(&self) -> Option<String> {
        let words = self.desk.last_words.trim();
        if words.is_empty() || words == self.desk.task.trim() {
            return None;
        }
        let heading = match self.desk.lang {
            DocumentLang::Zh => "最后的话：",
            DocumentLang::En => "The person said last:",
        };
        let shown: String = words.graphemes(true).take(LAST_WORDS_SIGNS).collect();
        let cut = if shown.len() < words.len() {
            " …"
        } else {
            ""
        };
        Some(format!("{heading}\n{shown}{cut}"))
    }

    /// The plan the model kept, as it stands.
    fn plan(&self) -> Option<String> {
        let plan = self.agent.toolbox().plan();
        let lines: Vec<String> = plan
            .iter()
            .map(|item| {
                let mark = match item.status {
                    PlanStatus::Todo => " ",
                    PlanStatus::Doing => "~",
                    PlanStatus::Done => "x",
                };
                format!("- [{mark}] {}", item.text)
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Puts the document on disk. A disk that fails costs the file, never the run.
    pub(super) async fn freeze(&mut self) -> Input {
        let level = self.recorder.state.level;
        let stamp = Stamp {
            step: self.desk.step.clone(),
            generation: self.recorder.state.generation,
            session: self.agent.transcript().id().to_owned(),
            context: level.context.unwrap_or(0),
            window: level.policy.window,
            written: Some(clock::now()),
            degraded: self.swap.document.degraded(),
        };
        self.swap.document.lang = self.desk.lang;
        self.add_notes();
        // What a reply says before its first heading was meant for the conversation.
        self.swap.document.preamble.clear();
        self.swap.frozen = None;
        let mut trouble = None;
        if let Some(store) = &self.desk.store {
            match store.freeze(&self.swap.document, &stamp, &clock::now_zoned()) {
                Ok(frozen) => {
                    self.swap.sha256.clone_from(&frozen.sha256);
                    self.swap.frozen = Some(frozen);
                }
                Err(error) => trouble = Some(error.to_string()),
            }
        }
        if self.swap.frozen.is_none() {
            let text = self.swap.document.clone().stamped(&stamp).to_markdown();
            self.swap.sha256 = disk::sha256_hex(text.as_bytes());
        }
        if let Some(error) = trouble {
            self.recorder
                .warn(format!(
                    "the handoff is not on disk ({error}); it goes to the successor in the prompt"
                ))
                .await;
        }
        Input::Frozen
    }

    /// Puts what the person wrote during the run behind what the model wrote, to the letter.
    fn add_notes(&mut self) {
        for (section, note) in std::mem::take(&mut self.desk.notes) {
            let body = self.swap.document.section_mut(section);
            if !body.is_empty() {
                body.push('\n');
            }
            body.push_str(&note);
        }
    }

    pub(super) async fn announce_review(&mut self, length: Duration) {
        self.recorder
            .emit(EventKind::Handoff(HandoffEvent::Review {
                path: self.swap.frozen.as_ref().map(|f| f.path.clone()),
                deadline_s: length.as_secs(),
            }))
            .await;
    }

    /// Reads the document from disk again: whoever changed it, the file is the truth.
    pub(super) async fn read_back(&mut self) -> Input {
        let Some(frozen) = &self.swap.frozen else {
            return Input::ReadBack { complete: true };
        };
        let broken = match Handoff::load(&frozen.path) {
            Ok(loaded) if loaded.handoff.complete() => {
                self.swap.edited = loaded.sha256 != frozen.sha256;
                self.swap.sha256 = loaded.sha256;
                self.swap.document = loaded.handoff;
                return Input::ReadBack { complete: true };
            }
            Ok(loaded) => Broken::Incomplete(loaded.handoff.missing()),
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Broken::Gone
            }
            Err(StoreError::Io { source, .. }) => Broken::Unreadable(source.to_string()),
            Err(error) => Broken::Unreadable(error.to_string()),
        };
        self.swap.broken = Some(broken);
        Input::ReadBack { complete: false }
    }

    /// Archives what was found instead, and puts the last complete version back. What cannot be
    /// archived stays where it is.
    pub(super) async fn keep_last_complete(&mut self) {
        let (Some(store), Some(frozen)) = (&self.desk.store, &self.swap.frozen) else {
            return;
        };
        let path = frozen.path.display().to_string();
        let mut message = match self.swap.broken.take() {
            Some(Broken::Gone) => format!("the handoff {path} is gone"),
            Some(Broken::Unreadable(why)) => format!("the handoff {path} cannot be read ({why})"),
            Some(Broken::Incomplete(missing)) => format!(
                "the edited handoff {path} lacks a required section ({})",
                missing.join(", ")
            ),
            None => format!("the handoff {path} was not read back"),
        };
        message.push_str("; the last complete version is used");
        self.swap.sha256.clone_from(&frozen.sha256);
        match store.put_back(&self.desk.step, frozen, &clock::now_zoned()) {
            Ok(back) => match back.archived {
                Some(kept) => {
                    message.push_str(&format!(", the edit is kept in {}", kept.display()));
                }
                None => message.push_str(" and is on disk again"),
            },
            Err(error) => {
                message.push_str(&format!(
                    ". It goes to the successor in the prompt only, and what is on disk is left as it is: {error}"
                ));
                self.swap.frozen = None;
            }
        }
        self.recorder.warn(message).await;
    }

    /// Makes the successor: a fresh session that knows the document and nothing else.
    pub(super) async fn start_successor(&mut self) -> Input {
        let from_session = self.agent.transcript().id().to_owned();
        let generation = self.recorder.state.generation + 1;
        let transcript = self.desk.fresh_transcript(generation, &self.spec.model);
        let to_session = transcript.id().to_owned();
        self.agent.succeed(transcript);
        let mut texts: Vec<String> = self.desk.rules.clone().into_iter().collect();
        let prompt = prompt::successor_prompt(self.desk.lang, &self.swap.document);
        self.weigh(&prompt).await;
        texts.push(prompt);
        let said = self.agent.say(texts);
        let noted = self.desk.note_session(&to_session);
        self.keep_going("transcript", said).await;
        self.lineage(noted).await;
        self.done(generation, from_session, to_session).await;
        Input::SuccessorReady
    }

    /// Tells of a lineage that could not be read or written.
    pub(super) async fn lineage(&mut self, noted: io::Result<Option<PathBuf>>) {
        match noted {
            Ok(None) => {}
            Ok(Some(aside)) => self.recorder.warn(set_aside(&aside)).await,
            Err(error) => self.keep_going("lineage", Err(error)).await,
        }
    }

    /// Tells of a document that takes much of the successor's window before any work is done.
    async fn weigh(&mut self, prompt: &str) {
        let window = self.recorder.state.level.policy.window;
        let document = tokens::estimate(prompt);
        if document > window / HEAVY_SHARE {
            self.recorder
                .warn(format!(
                    "the handoff takes about {} of the window of {} tokens: the successor begins that full; \
                     shorten the document, or raise --window if the model has more",
                    tokens::level(document),
                    tokens::size(window)
                ))
                .await;
        }
    }

    async fn done(&mut self, generation: u32, from_session: String, to_session: String) {
        let swap = std::mem::take(&mut self.swap);
        self.handed = Some(swap.document.clone());
        let level = self.recorder.state.level;
        let why = swap.why.as_ref().map(ToString::to_string);
        let path = swap.frozen.map(|f| f.path);
        self.recorder.retire(
            why.clone(),
            Left {
                path: path.clone(),
                sha256: swap.sha256.clone(),
                edited: swap.edited,
            },
        );
        let done = DoneEvent {
            context: level.context,
            window: level.policy.window,
            degraded: why.is_some(),
            why,
            path,
            sha256: swap.sha256,
            edited: swap.edited,
            sections: Sections::from(&swap.document),
            generation,
            from_session,
            to_session: to_session.clone(),
        };
        self.recorder
            .emit(EventKind::Handoff(HandoffEvent::Done(Box::new(done))))
            .await;
        self.recorder.session(&to_session, generation, false).await;
    }
}
