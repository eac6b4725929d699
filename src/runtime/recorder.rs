//! Turns what the agent reports into events, meter readings and the rows of the manifest. Holds the
//! machine's state, so that a reading is judged the moment it arrives.

use std::path::Path;
use std::time::Instant;

use super::bus::Bus;
use super::clock;
use super::event::{EventKind, GenerationRow, HandoffEvent, ResultEvent, UsageEvent};
use super::manifest::{ManifestRow, RunDir};
use super::spec::{AgentSpec, Prices};
use crate::agent::AgentEvent;
use crate::agent::meter::{ContextMeter, Thread};
use crate::generation::machine::{self, Effect, Input, State};
use crate::generation::why::Failure;
use crate::model::window::{Window, WindowSource};
use crate::model::{Auth, Usage};
use crate::tokens;

/// Whose turn is being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The session's own work.
    Work,
    /// The writing turn: its tokens are spent, but it is invisible otherwise.
    Writing,
}

/// Keeps the books of one step.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) bus: Bus,
    pub(super) state: State,
    pub(super) window: Window,
    pub(super) row: ManifestRow,
    run_dir: Option<RunDir>,
    meter: ContextMeter,
    prices: Option<Prices>,
    auth: Auth,
    /// The window before an overflow taught another one.
    former_window: Option<Window>,
    started: Instant,
    /// Usage of the answer that is arriving.
    open_usage: Option<(String, Usage)>,
    /// Text of the answer that is arriving.
    open_text: String,
}

impl Recorder {
    pub(super) fn new(
        bus: Bus,
        state: State,
        window: Window,
        row: ManifestRow,
        run_dir: Option<RunDir>,
        agent: &AgentSpec,
    ) -> Self {
        Self {
            bus,
            state,
            window,
            row,
            run_dir,
            meter: ContextMeter::default(),
            prices: agent.prices,
            auth: agent.auth.clone(),
            former_window: None,
            started: Instant::now(),
            open_usage: None,
            open_text: String::new(),
        }
    }

    /// Sends an event; a journal that cannot be written is told once, as an event of its own.
    pub(super) async fn emit(&mut self, kind: EventKind) {
        if let Err(message) = self.bus.emit(kind).await {
            self.row.errors.push(message.clone());
            let class = "warning".into();
            // The journal is given up by now, so this cannot fail again.
            let _ = self.bus.emit(EventKind::Error { message, class }).await;
        }
    }

    /// Tells of something that does not stop the run.
    pub(super) async fn warn(&mut self, message: String) {
        self.trouble(message, "warning").await;
    }

    /// Tells of an error and keeps it.
    pub(super) async fn trouble(&mut self, message: String, class: &'static str) {
        self.row.errors.push(message.clone());
        self.emit(EventKind::Error {
            message,
            class: class.into(),
        })
        .await;
    }

    /// Takes one report of the agent.
    pub(super) async fn take(&mut self, event: AgentEvent, turn: Turn) {
        match event {
            AgentEvent::TextDelta(text) => {
                if turn == Turn::Work {
                    self.bus.delta(&text);
                }
                self.open_text.push_str(&text);
            }
            AgentEvent::Usage { message_id, usage } => self.open_usage = Some((message_id, usage)),
            AgentEvent::Answered { estimated_context } => {
                self.open_text.clear();
                self.answered(turn, estimated_context).await;
            }
            AgentEvent::Thinking(text) => self.visible(turn, EventKind::Thinking { text }).await,
            AgentEvent::Text(text) => {
                if turn == Turn::Work {
                    self.row.text.clone_from(&text);
                }
                self.visible(turn, words(text, false)).await;
            }
            AgentEvent::ToolCall { id, name, input } => {
                self.visible(turn, EventKind::ToolCall { id, name, input })
                    .await;
            }
            AgentEvent::ToolResult { id, text, is_error } => {
                self.visible(turn, EventKind::ToolResult { id, text, is_error })
                    .await;
            }
            AgentEvent::Trouble(message) => self.warn(message).await,
        }
    }

    async fn visible(&mut self, turn: Turn, kind: EventKind) {
        if turn == Turn::Work {
            self.emit(kind).await;
        }
    }

    async fn answered(&mut self, turn: Turn, estimated_context: u64) {
        self.row.num_turns += 1;
        if let Some(generation) = self.row.generations.last_mut() {
            generation.num_turns += 1;
        }
        self.settle_usage(turn, false, Some(estimated_context))
            .await;
    }

    /// Settles an answer that was cut: its tokens count as spent, its text is kept as partial.
    pub(super) async fn cut(&mut self, turn: Turn) {
        let text = std::mem::take(&mut self.open_text);
        let text = self.auth.scrub(&text);
        if !text.trim().is_empty() {
            self.visible(turn, words(text, true)).await;
        }
        if self.open_usage.is_some() {
            self.settle_usage(turn, true, None).await;
        }
    }

    async fn settle_usage(&mut self, turn: Turn, partial: bool, estimated_context: Option<u64>) {
        let (id, usage) = self.open_usage.take().unwrap_or_default();
        self.spend(usage);
        match turn {
            Turn::Writing => self.meter.spend(usage),
            Turn::Work => {
                self.meter.record(Thread::Main, &id, usage);
                if let Some(tokens) = estimated_context {
                    self.meter.estimate(tokens);
                }
                if !partial {
                    self.doubt_window(usage.context()).await;
                }
                self.read_meter(usage, partial).await;
            }
        }
    }

    fn spend(&mut self, usage: Usage) {
        let Some(prices) = self.prices else {
            return;
        };
        let cost = prices.cost_usd(usage);
        let add = |sum: &mut Option<f64>| *sum = Some(sum.unwrap_or(0.0) + cost);
        add(&mut self.row.cost_usd);
        if let Some(generation) = self.row.generations.last_mut() {
            add(&mut generation.cost_usd);
        }
    }

    /// Takes the window that an overflow named, until an answer proves it wrong.
    pub(super) fn learn_window(&mut self, window: Window) {
        let former = std::mem::replace(&mut self.window, window);
        self.former_window.get_or_insert(former);
    }

    /// A whole answer to more than the learned window holds: what was learned is wrong, and the
    /// window from before is in force again.
    async fn doubt_window(&mut self, context: u64) {
        if self.window.source != WindowSource::Learned || context <= self.window.tokens {
            return;
        }
        let Some(former) = self.former_window.take() else {
            return;
        };
        let message = format!(
            "the server took {} tokens, more than the {} that an error had named: the window of {} is used again",
            tokens::level(context),
            tokens::size(self.window.tokens),
            tokens::size(former.tokens)
        );
        let effects = machine::step(&mut self.state, Input::WindowChanged(former.tokens));
        self.window = former;
        self.warn(message).await;
        if effects.contains(&Effect::Near) {
            self.near().await;
        }
    }

    /// Shows the machine what the meter says now, and tells of it.
    async fn read_meter(&mut self, usage: Usage, partial: bool) {
        let mut effects = Vec::new();
        if let Some(reading) = self.meter.context() {
            effects = machine::step(
                &mut self.state,
                Input::Reading {
                    context: reading.tokens,
                    estimated: reading.estimated,
                },
            );
        }
        let level = self.state.level;
        self.row.context = level.context.or(self.row.context);
        let peak = self.meter.peak();
        if let Some(generation) = self.row.generations.last_mut() {
            generation.context = level.context;
            generation.peak = peak;
        }
        let (at, warn_at) = self.marks();
        let event = UsageEvent {
            context: level.context,
            peak,
            window: level.policy.window,
            at,
            warn_at,
            thread: "main".to_owned(),
            input: usage.input,
            cache_read: usage.cache_read,
            cache_creation: usage.cache_creation,
            output: usage.output,
            cost_usd: self.row.cost_usd,
            estimated: level.estimated,
            partial,
        };
        self.emit(EventKind::Usage(event)).await;
        if effects.contains(&Effect::Near) {
            self.near().await;
        }
    }

    /// The marks in force; none while handoffs are off.
    pub(super) fn marks(&self) -> (Option<u64>, Option<u64>) {
        let policy = self.state.level.policy;
        let on = policy.enabled;
        (on.then(|| policy.at()), on.then(|| policy.warn_at()))
    }

    /// Tells that the warn mark is passed.
    pub(super) async fn near(&mut self) {
        let level = self.state.level;
        let Some(context) = level.context else {
            return;
        };
        self.emit(EventKind::Handoff(HandoffEvent::Near {
            context,
            window: level.policy.window,
            at: level.policy.at(),
        }))
        .await;
    }

    /// Begins the books of a generation.
    pub(super) async fn session(&mut self, session_id: &str, generation: u32, resumed: bool) {
        self.meter.start_generation();
        self.row.session_id = Some(session_id.to_owned());
        self.row.generations.push(GenerationRow {
            session_id: session_id.to_owned(),
            context: None,
            peak: 0,
            cost_usd: self.prices.map(|_| 0.0),
            num_turns: 0,
            degraded: false,
            why: None,
            document: None,
            sha256: None,
            edited: false,
        });
        let (at, warn_at) = self.marks();
        self.emit(EventKind::Session {
            session_id: session_id.to_owned(),
            generation,
            resumed,
            window: self.state.level.policy.window,
            window_source: self.window.source.word().into(),
            at,
            warn_at,
        })
        .await;
        self.save().await;
    }

    /// Ends the books of the current generation with the handoff it left.
    pub(super) fn retire(&mut self, why: Option<String>, left: Left) {
        if let Some(why) = &why {
            self.row.errors.push(format!("交接降级({why})"));
        }
        if let Some(generation) = self.row.generations.last_mut() {
            generation.degraded = why.is_some();
            generation.why = why;
            generation.document = left.path;
            generation.sha256 = Some(left.sha256);
            generation.edited = left.edited;
            self.row.retired.push(generation.session_id.clone());
        }
    }

    /// Writes the row; a failure is told, once for each kind of failure.
    pub(super) async fn save(&mut self) {
        let Some(run_dir) = &self.run_dir else {
            return;
        };
        self.row.duration_s = self.started.elapsed().as_secs_f64();
        let message = match run_dir.record(&self.row) {
            Ok(None) => return,
            Ok(Some(aside)) => set_aside(&aside),
            Err(error) => format!(
                "the manifest could not be written ({error}); the run goes on, free some space"
            ),
        };
        if !self.row.errors.contains(&message) {
            self.warn(message).await;
        }
    }

    /// Closes the books: the last event, then the final row.
    pub(super) async fn finish(&mut self, failure: Option<&Failure>) {
        let error = failure.map(ToString::to_string);
        self.row.ok = Some(failure.is_none());
        self.row.error.clone_from(&error);
        self.row.ended_at = Some(clock::now_text());
        self.save().await;
        self.emit(EventKind::Result(ResultEvent {
            ok: failure.is_none(),
            error,
            session_id: self.row.session_id.clone(),
            attempts: self.row.attempts,
            retired: self.row.retired.clone(),
            context: self.row.context,
            cost_usd: self.row.cost_usd,
            num_turns: self.row.num_turns,
            generations: self.row.generations.clone(),
        }))
        .await;
    }
}

/// Tells where something went that nobody could read.
pub(super) fn set_aside(aside: &Path) -> String {
    format!(
        "a record of earlier runs could not be read; it was set aside as {} and a new one begun",
        aside.display()
    )
}

fn words(text: String, partial: bool) -> EventKind {
    EventKind::Text {
        text,
        partial,
        from_person: false,
    }
}

/// The handoff a generation left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    /// The document; `None` when it is only in the prompt.
    pub(super) path: Option<std::path::PathBuf>,
    /// SHA-256 of what the successor read, in hex.
    pub(super) sha256: String,
    /// Whether somebody changed it.
    pub(super) edited: bool,
}
