//! The run behind the screen: begins it, passes commands to it, and turns what it tells into actions.

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::app::action::{Action, Question};
use crate::runtime::bus::{Delta, Events, Received};
use crate::runtime::spec::{AgentSpec, Start, StepResult, StepSpec};
use crate::runtime::{Command, RunHandle, RuntimeBuilder};
use crate::tool::{PermissionAnswer, PermissionRequest};

/// Questions that may wait: tools run one after the other, so there is one.
const QUESTIONS: usize = 4;

/// A run under way.
struct Live {
    handle: RunHandle,
    events: Option<Events>,
    deltas: Option<Receiver<Delta>>,
}

/// Runs of one workbench, one after the other.
pub(super) struct Runs {
    runtime: RuntimeBuilder,
    agent: AgentSpec,
    step: StepSpec,
    live: Option<Live>,
    asked: Receiver<PermissionRequest>,
    question: Option<PermissionRequest>,
    last: Option<StepResult>,
}

impl Runs {
    pub(super) fn new(runtime: RuntimeBuilder, agent: AgentSpec, step: StepSpec) -> Self {
        let (asker, asked): (Sender<PermissionRequest>, _) = mpsc::channel(QUESTIONS);
        Self {
            runtime: runtime.asker(asker),
            agent,
            step,
            live: None,
            asked,
            question: None,
            last: None,
        }
    }

    /// Begins a run; the first one as asked for, later ones go on in the same session.
    ///
    /// # Errors
    /// Why it cannot begin, for people.
    pub(super) fn begin(&mut self, task: Option<String>) -> Result<(), String> {
        let mut step = self.step.clone();
        if task.is_some() {
            step.task = task;
        }
        let begun = self
            .runtime
            .clone()
            .build()
            .and_then(|runtime| runtime.start(self.agent.clone(), step));
        let (mut handle, events) = begun.map_err(|error| error.to_string())?;
        self.live = Some(Live {
            deltas: handle.take_deltas(),
            handle,
            events: Some(events),
        });
        self.step.start = Start::Continue;
        self.step.task = None;
        Ok(())
    }

    /// Passes a command on; a run that is over needs none.
    pub(super) fn tell(&mut self, command: Command) {
        if let Some(live) = &self.live {
            let commands = live.handle.commands();
            match commands.try_send(command) {
                // The next key says it again.
                Ok(()) | Err(TrySendError::Full(Command::Hold) | TrySendError::Closed(_)) => {}
                Err(TrySendError::Full(command)) => {
                    tokio::spawn(async move {
                        // A run that ended meanwhile needs it no more.
                        let _ = commands.send(command).await;
                    });
                }
            }
        }
    }

    pub(super) fn stop(&self) {
        if let Some(live) = &self.live {
            live.handle.stop();
        }
    }

    pub(super) fn answer(&mut self, answer: PermissionAnswer) {
        if let Some(question) = self.question.take() {
            // A run that ended meanwhile needs no answer.
            let _ = question.reply.send(answer);
        }
    }

    /// What happens next in the run. Safe to drop at any await; never ready without a run.
    pub(super) async fn next(&mut self) -> Action {
        let Some(live) = &mut self.live else {
            return std::future::pending().await;
        };
        if live.events.is_none() {
            let result = live.handle.wait().await;
            self.live = None;
            self.question = None;
            return match result {
                Ok(result) => {
                    self.last = Some(result.clone());
                    Action::RunEnded(Box::new(result))
                }
                Err(error) => Action::RunFailed(format!("the run broke off: {error}")),
            };
        }
        tokio::select! {
            biased;
            Some(request) = self.asked.recv() => {
                let question = Question {
                    name: request.name.clone(),
                    input: request.input.clone(),
                    why: request.why.clone(),
                };
                self.question = Some(request);
                Action::Ask(Box::new(question))
            }
            received = next_event(&mut live.events) => received,
            Some(delta) = next_delta(&mut live.deltas) => Action::Delta(delta),
        }
    }

    /// Waits for a run that was told to stop.
    pub(super) async fn finish(mut self) -> Option<StepResult> {
        if let Some(mut live) = self.live.take() {
            live.handle.stop();
            if let Ok(result) = live.handle.wait().await {
                return Some(result);
            }
        }
        self.last
    }
}

async fn next_event(events: &mut Option<Events>) -> Action {
    let Some(open) = events else {
        return std::future::pending().await;
    };
    match open.next().await {
        Some(Received::Event(sent)) => Action::Event(sent.event),
        Some(Received::Lost { events, why }) => {
            Action::Told(format!("{events} events could not be read back: {why}"))
        }
        None => {
            *events = None;
            Action::EventsEnded
        }
    }
}

async fn next_delta(deltas: &mut Option<Receiver<Delta>>) -> Option<Delta> {
    match deltas {
        Some(open) => match open.recv().await {
            Some(delta) => Some(delta),
            None => {
                *deltas = None;
                std::future::pending().await
            }
        },
        None => std::future::pending().await,
    }
}
