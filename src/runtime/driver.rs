//! Carries out what the generation machine decides. The only owner of the live agent.

use std::collections::VecDeque;
use std::fs::File;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

use super::desk::Desk;
use super::recorder::Recorder;
use super::spec::AgentSpec;
use super::swap::Broken;
use crate::agent::native::NativeAgent;
use crate::generation::machine::{self, Effect, Input, TimerId};
use crate::generation::why::{DegradedWhy, Failure};
use crate::handoff::store::Frozen;
use crate::handoff::{Handoff, Section};

/// What a person or a front end may ask of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Stop at the next safe point: a swap under way is completed first.
    Interrupt,
    /// Swap now instead of waiting for the review to end.
    Go,
    /// Hold the review: the person is at it.
    Hold,
    /// Let a held review count down again.
    Recount,
    /// Words for the agent, delivered at the next message boundary.
    Say(String),
    /// What the person wants in the next handoff, section by section; replaces what was said before.
    Notes(Vec<(Section, String)>),
}

/// Takes a command in: what is for the machine comes back, the rest waits on the desk.
pub(super) fn hear(command: Command, desk: &mut Desk) -> Option<Input> {
    match command {
        Command::Interrupt => Some(Input::Interrupt),
        Command::Go => Some(Input::Go),
        Command::Hold => Some(Input::Hold),
        Command::Recount => Some(Input::Recount),
        Command::Say(text) => {
            desk.inbox.push(text);
            None
        }
        Command::Notes(notes) => {
            desk.notes = notes;
            None
        }
    }
}

/// What a step may use up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    pub(super) turns: Option<u64>,
    pub(super) budget_usd: Option<f64>,
}

/// The swap that is under way.
#[derive(Debug, Default)]
pub(super) struct Swap {
    /// The document as it stands: written, then as read back.
    pub(super) document: Handoff,
    /// What a writing turn gave that was not enough.
    pub(super) partial: Option<Handoff>,
    pub(super) why: Option<DegradedWhy>,
    pub(super) frozen: Option<Frozen>,
    /// What was found on disk instead of a complete document.
    pub(super) broken: Option<Broken>,
    /// SHA-256 of what the successor reads.
    pub(super) sha256: String,
    pub(super) edited: bool,
}

/// Runs one step to its end.
pub(super) struct Driver {
    pub(super) agent: NativeAgent,
    pub(super) recorder: Recorder,
    pub(super) commands: Receiver<Command>,
    pub(super) desk: Desk,
    pub(super) spec: AgentSpec,
    pub(super) limits: Limits,
    pub(super) swap: Swap,
    /// The document the present session began with.
    pub(super) handed: Option<Handoff>,
    pub(super) timer: Option<(TimerId, Instant)>,
    /// Keeps other runs off the step for as long as this one lives.
    pub(super) _alone: Option<File>,
}

impl Driver {
    /// Feeds the machine until the step is over.
    pub(super) async fn run(&mut self) -> Result<(), Failure> {
        let mut inputs = VecDeque::from([Input::Started]);
        loop {
            let input = match inputs.pop_front() {
                Some(input) => input,
                None => self.wait().await,
            };
            for effect in machine::step(&mut self.recorder.state, input) {
                match effect {
                    Effect::RunTurn => {
                        let ended = self.work().await;
                        inputs.extend(ended);
                    }
                    Effect::Near => self.recorder.near().await,
                    Effect::AnnounceWriting => self.announce_writing().await,
                    Effect::AskForHandoff => inputs.push_back(self.ask_for_handoff().await),
                    Effect::UseDegraded(why) => {
                        self.degrade(why);
                        inputs.push_back(self.freeze().await);
                    }
                    Effect::Freeze => inputs.push_back(self.freeze().await),
                    Effect::AnnounceReview(length) => self.announce_review(length).await,
                    Effect::StartTimer(id, length) => {
                        self.timer = Some((id, Instant::now() + length));
                    }
                    Effect::ReadBack => inputs.push_back(self.read_back().await),
                    Effect::KeepLastComplete => self.keep_last_complete().await,
                    Effect::StartSuccessor => inputs.push_back(self.start_successor().await),
                    Effect::Finish => return Ok(()),
                    Effect::Fail(failure) => return Err(failure),
                }
            }
        }
    }

    /// Waits for the review's timer or a command, whichever comes first.
    async fn wait(&mut self) -> Input {
        loop {
            let timer = self.timer;
            let elapsed = async {
                match timer {
                    Some((id, deadline)) => {
                        tokio::time::sleep_until(deadline).await;
                        id
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                command = self.commands.recv() => {
                    // Without anybody who could say more, waiting would have no end.
                    let command = command.unwrap_or(Command::Interrupt);
                    if let Some(input) = hear(command, &mut self.desk) {
                        return input;
                    }
                }
                id = elapsed => {
                    self.timer = None;
                    return Input::Elapsed(id);
                }
            }
        }
    }

    /// Settles what is open and ends what runs. Called once, whatever ended the step.
    pub(super) async fn finish(&mut self, failure: Option<&Failure>) {
        self.recorder.cut(super::recorder::Turn::Work).await;
        let settled = self.agent.interrupted(INTERRUPTED);
        self.keep_going("transcript", settled).await;
        self.agent.toolbox().shutdown();
        if let Some(failure) = failure {
            let class = match failure {
                Failure::Interrupted => None,
                Failure::OverflowTwice { .. } | Failure::OverflowWithoutHandoff(_) => {
                    Some("overflow")
                }
                Failure::Model { .. }
                | Failure::TooManyGenerations { .. }
                | Failure::TurnLimit(_)
                | Failure::Budget { .. } => Some("fatal"),
            };
            if let Some(class) = class {
                self.recorder.trouble(failure.to_string(), class).await;
            }
        }
        self.recorder.finish(failure).await;
    }
}

/// What a tool call gets that an interrupt cut short.
pub(super) const INTERRUPTED: &str =
    "interrupted by the person before it was done; it may have had effects";

/// How long to wait before attempt number `next` (from 2): doubling from half a second, at most a
/// minute. `spread` in 0..1 moves it by a quarter either way, so that runs do not knock in step.
pub(super) fn backoff(next: u32, spread: f64) -> Duration {
    let doubled = 0.5 * 2f64.powi(next.saturating_sub(2).min(16) as i32);
    Duration::from_secs_f64(doubled.min(60.0) * (0.75 + spread.clamp(0.0, 1.0) / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let rows = [
            (2, 0.5, 0.5),
            (3, 0.5, 1.0),
            (6, 0.5, 8.0),
            (40, 0.5, 60.0),
            (2, 0.0, 0.375),
            (2, 1.0, 0.625),
            (u32::MAX, 7.0, 75.0),
        ];
        for (next, spread, seconds) in rows {
            assert_eq!(backoff(next, spread), Duration::from_secs_f64(seconds));
        }
    }
}
