//! The imperative shell of the headless library: [`Runtime`] runs a step to its end. Specs and words
//! of the person come in; numbered events and files go out.

mod builder;
pub mod bus;
mod clock;
mod desk;
mod driver;
pub mod event;
mod folders;
mod journal;
pub mod manifest;
mod recorder;
pub mod spec;
mod swap;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinHandle};

pub use self::builder::{DEFAULT_HOLD_TIMEOUT, RuntimeBuilder, RuntimeError};
use self::bus::{Bus, Delta, Events};
use self::desk::Desk;
pub use self::desk::OpenError;
pub use self::driver::Command;
use self::driver::{Driver, Limits, Swap};
use self::event::EventKind;
use self::journal::Journal;
use self::manifest::{ManifestRow, RunDir};
use self::recorder::Recorder;
use self::spec::{AgentSpec, StepResult, StepSpec};
use crate::agent::native::{NativeAgent, Settings};
use crate::generation::machine::State;
use crate::generation::why::Failure;
use crate::handoff::store::Store;
use crate::model::anthropic::{Anthropic, AnthropicOptions};
use crate::model::window::Window;
use crate::tool::{ToolContext, Toolbox};

const SYSTEM: &str = include_str!("../../assets/prompts/system.md");

/// Commands a front end may send before the run takes them; it takes them at every wait.
const COMMAND_QUEUE: usize = 256;

/// Runs steps in one folder.
#[derive(Debug, Clone)]
pub struct Runtime {
    workspace: PathBuf,
    notes: Option<PathBuf>,
    run_dir: Option<PathBuf>,
    parts: RuntimeBuilder,
}

/// A step under way.
#[derive(Debug)]
pub struct RunHandle {
    commands: mpsc::Sender<Command>,
    stop: Arc<Notify>,
    deltas: Option<mpsc::Receiver<Delta>>,
    task: JoinHandle<StepResult>,
}

impl RunHandle {
    /// A way to send commands from elsewhere.
    pub fn commands(&self) -> mpsc::Sender<Command> {
        self.commands.clone()
    }

    /// The pieces of the answer that is arriving, for whoever asks first.
    pub fn take_deltas(&mut self) -> Option<mpsc::Receiver<Delta>> {
        self.deltas.take()
    }

    /// Stops the step at once, whatever it does; what is open is settled first.
    pub fn stop(&self) {
        self.stop.notify_one();
    }

    /// Waits for the end. Safe to drop and call again.
    ///
    /// # Errors
    /// When the step's task panicked.
    pub async fn wait(&mut self) -> Result<StepResult, JoinError> {
        (&mut self.task).await
    }
}

impl Runtime {
    /// A runtime with the defaults, to be changed.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// The folder the agent works in.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Begins a step. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`RuntimeError::Open`] when there is nothing to begin with, [`RuntimeError::Model`] when the
    /// server's address cannot be used, [`RuntimeError::Unwritable`] when the journal cannot be made.
    pub fn start(
        &self,
        agent: AgentSpec,
        step: StepSpec,
    ) -> Result<(RunHandle, Events), RuntimeError> {
        let run = new_run_id();
        let run_dir = self.run_dir.clone().map(RunDir::new);
        let words = step.task.as_deref().map(|task| agent.auth.scrub(task));
        let mut step = StepSpec {
            task: words.clone(),
            ..step
        };
        let mut desk = Desk {
            run: run.clone(),
            step: step.name.clone(),
            workspace: self.workspace.clone(),
            task: words.clone().unwrap_or_default(),
            last_words: words.unwrap_or_default(),
            lang: self.parts.document_lang,
            rules: crate::tool::rules(&self.workspace),
            store: self.notes.as_deref().map(Store::new),
            run_dir: run_dir.clone(),
            inbox: Vec::new(),
            notes: Vec::new(),
        };
        desk.check(&step)?;
        folders::make([&self.notes, &self.run_dir])?;
        let (alone, busy) = folders::take_step(&self.run_dir, &mut step)?;
        desk.step.clone_from(&step.name);
        let mut opening = desk.open(&step, &agent.model)?;
        opening.notes.extend(busy);
        let journal = run_dir
            .as_ref()
            .map(|dir| Journal::create(&dir.events(), &run))
            .transpose()
            .map_err(|source| RuntimeError::Unwritable {
                path: self.run_dir.clone().unwrap_or_default(),
                source,
            })?;
        let (bus, events, deltas) = Bus::new(journal);
        let mut state = State::new(
            self.parts.policy,
            self.parts.review,
            self.parts.hold_timeout,
        );
        state.generation = opening.transcript.generation();
        let row = first_row(&desk, opening.resumed, agent.prices.is_some());
        let window = Window {
            tokens: self.parts.policy.window,
            source: self.parts.window_source.clone(),
        };
        let recorder = Recorder::new(bus, state, window, row, run_dir, &agent);
        let native = self.native(&agent, opening.transcript)?;
        let (commands, receiver) = mpsc::channel(COMMAND_QUEUE);
        let driver = Driver {
            agent: native,
            recorder,
            commands: receiver,
            desk,
            spec: agent,
            limits: Limits {
                turns: step.max_turns,
                budget_usd: step.max_budget_usd,
            },
            swap: Swap::default(),
            handed: None,
            timer: None,
            _alone: alone,
        };
        let stop = Arc::new(Notify::new());
        let first = First {
            task: step.task,
            texts: opening.texts,
            notes: opening.notes,
            resumed: opening.resumed,
        };
        let task = tokio::spawn(drive(driver, first, stop.clone()));
        let handle = RunHandle {
            commands,
            stop,
            deltas: Some(deltas),
            task,
        };
        Ok((handle, events))
    }

    fn native(
        &self,
        agent: &AgentSpec,
        transcript: crate::agent::transcript::Transcript,
    ) -> Result<NativeAgent, RuntimeError> {
        let window = self.parts.policy.window;
        let model = Anthropic::new(AnthropicOptions {
            base_url: agent.base_url.clone(),
            auth: agent.auth.clone(),
            idle_timeout: agent.idle_timeout,
            connect_timeout: agent.connect_timeout,
            use_proxy: agent.use_proxy,
            overflow_patterns: agent.overflow_patterns.clone(),
        })?;
        let mut toolbox = Toolbox::new(ToolContext {
            workspace: self.workspace.clone(),
            permission: agent.permission,
            allow: agent.allow.clone(),
            bash_timeout: agent.bash_timeout,
            spill_dir: self
                .notes
                .as_ref()
                .map(|_| self.workspace.join(".flower/spill")),
            protected: self.run_dir.clone().into_iter().collect(),
        })
        .with_output_cap(output_cap_bytes(window));
        if let Some(asker) = &self.parts.asker {
            toolbox = toolbox.with_asker(asker.clone());
        }
        let settings = Settings {
            model: agent.model.clone(),
            system: SYSTEM
                .trim()
                .replace("{workspace}", &self.workspace.to_string_lossy()),
            max_output_tokens: agent.output_cap(window),
            thinking_budget_tokens: agent.thinking_budget_tokens,
            auth: agent.auth.clone(),
        };
        Ok(NativeAgent::new(
            model, toolbox, settings, transcript, window,
        ))
    }
}

/// A tool result may take about an eighth of the window (four bytes a token), and never more than
/// 30,000 bytes: what a person would still scroll through.
fn output_cap_bytes(window_tokens: u64) -> usize {
    usize::try_from(window_tokens / 2)
        .unwrap_or(usize::MAX)
        .clamp(1_000, 30_000)
}

/// What a step begins with.
struct First {
    task: Option<String>,
    texts: Vec<String>,
    notes: Vec<String>,
    resumed: bool,
}

/// Runs a driver to its end, or until it is told to stop at once.
async fn drive(mut driver: Driver, first: First, stop: Arc<Notify>) -> StepResult {
    let outcome = tokio::select! {
        biased;
        () = stop.notified() => Err(Failure::Interrupted),
        outcome = async {
            open(&mut driver, first).await;
            driver.run().await
        } => outcome,
    };
    let failure = outcome.err();
    driver.finish(failure.as_ref()).await;
    let row = &driver.recorder.row;
    StepResult {
        run: row.run.clone(),
        failure,
        session_id: driver.agent.transcript().id().to_owned(),
        attempts: row.attempts,
        retired: row.retired.clone(),
        generations: row.generations.clone(),
        context: row.context,
        cost_usd: row.cost_usd,
        num_turns: row.num_turns,
        text: row.text.clone(),
        last_seq: driver.recorder.bus.last_seq(),
    }
}

/// Tells of the beginning and gives the first session its words.
async fn open(driver: &mut Driver, first: First) {
    let Driver {
        agent,
        recorder,
        desk,
        spec,
        ..
    } = driver;
    recorder
        .emit(EventKind::Run {
            run: desk.run.clone(),
            workspace: desk.workspace.clone(),
            model: spec.model.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
        })
        .await;
    recorder
        .emit(EventKind::Step {
            step: desk.step.clone(),
            task: first.task,
        })
        .await;
    let session = agent.transcript().id().to_owned();
    let noted = desk.note_session(&session);
    let generation = recorder.state.generation;
    recorder.session(&session, generation, first.resumed).await;
    let said = if first.texts.is_empty() {
        Ok(())
    } else {
        agent.say(first.texts)
    };
    let unwritten = |what, error| format!("the {what} could not be written: {error}");
    let troubles = [
        match noted {
            Ok(aside) => aside.as_deref().map(recorder::set_aside),
            Err(error) => Some(unwritten("lineage", error)),
        },
        said.err().map(|error| unwritten("transcript", error)),
    ];
    for trouble in troubles.into_iter().flatten() {
        recorder.warn(trouble).await;
    }
    for note in first.notes {
        recorder.warn(note).await;
    }
    let policy = recorder.state.level.policy;
    if policy.unreachable() {
        recorder
            .warn(format!(
                "the hand-over mark {} is not below the window {}: the window overflows first and the handoff can only \
                 be the mechanical one; raise --window or lower --headroom",
                policy.at(),
                policy.window
            ))
            .await;
    }
}

fn first_row(desk: &Desk, resumed: bool, priced: bool) -> ManifestRow {
    ManifestRow {
        run: desk.run.clone(),
        step: desk.step.clone(),
        task: desk.task.clone(),
        last_words: desk.last_words.clone(),
        session_id: None,
        ok: None,
        error: None,
        errors: Vec::new(),
        attempts: 1,
        resumed,
        retired: Vec::new(),
        generations: Vec::new(),
        context: None,
        cost_usd: priced.then_some(0.0),
        num_turns: 0,
        text: String::new(),
        started_at: clock::now_text(),
        ended_at: None,
        duration_s: 0.0,
    }
}

/// An id that sorts by time and is unique on every machine.
fn new_run_id() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!(
        "{}-{}",
        clock::now_zoned().strftime("%Y%m%d-%H%M%S"),
        &random[..6]
    )
}
