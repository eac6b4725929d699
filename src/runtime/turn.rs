//! Running the session's own turns: one answer with its tools, retries, limits and interrupts.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use tokio::sync::mpsc;

use super::driver::{Driver, INTERRUPTED, backoff, hear};
use super::event::EventKind;
use super::recorder::Turn;
use crate::agent::TurnEnd;
use crate::generation::machine::Input;
use crate::generation::why::{Failure, Overflow};
use crate::model::error::{ErrorClass, ModelError};
use crate::model::overflow::{self, Finding};
use crate::tokens;

/// Attempts in a row before a turn is given up; the count starts again after a whole answer.
const MAX_ATTEMPTS: u32 = 6;

/// How an attempt ended.
enum Attempt {
    Ended(TurnEnd),
    Failed(ModelError),
    Interrupted,
}

impl Driver {
    /// Runs turns until one ends; returns what the machine has to know, in order.
    pub(super) async fn work(&mut self) -> Vec<Input> {
        let mut first_error: Option<String> = None;
        let mut attempt = 1;
        loop {
            let error = match self.attempt().await {
                Attempt::Ended(end) => return vec![self.ended(end).await],
                Attempt::Interrupted => return vec![Input::Interrupt],
                Attempt::Failed(error) => error,
            };
            self.recorder.cut(Turn::Work).await;
            match error.class {
                ErrorClass::Overflow => return self.overflowed(&error).await,
                ErrorClass::Fatal => {
                    return vec![Input::Broken(Failure::Model {
                        credentials: error.credentials,
                        message: error.message,
                    })];
                }
                ErrorClass::Transient | ErrorClass::Unknown => {}
            }
            let first = first_error
                .get_or_insert_with(|| error.message.clone())
                .clone();
            if attempt >= MAX_ATTEMPTS {
                return vec![Input::Broken(given_up(&first, &error.message))];
            }
            attempt += 1;
            if self.wait_before(attempt, error).await {
                return vec![Input::Interrupt];
            }
        }
    }

    /// One attempt, with its events recorded as they come. Dropping the turn is what cancels it.
    async fn attempt(&mut self) -> Attempt {
        self.deliver().await;
        // Drained after every poll of the turn, so it holds what one poll produces.
        let (sender, mut events) = mpsc::unbounded_channel();
        let outcome = {
            let mut turn = std::pin::pin!(self.agent.turn(&sender));
            let mut listening = true;
            loop {
                tokio::select! {
                    biased;
                    Some(event) = events.recv() => self.recorder.take(event, Turn::Work).await,
                    command = self.commands.recv(), if listening => match command {
                        Some(command) => if hear(command, &mut self.desk) == Some(Input::Interrupt) {
                            break None;
                        },
                        None => listening = false,
                    },
                    outcome = &mut turn => break Some(outcome),
                }
            }
        };
        while let Ok(event) = events.try_recv() {
            self.recorder.take(event, Turn::Work).await;
        }
        match outcome {
            Some(Ok(end)) => Attempt::Ended(end),
            Some(Err(error)) => Attempt::Failed(error),
            None => {
                self.recorder.cut(Turn::Work).await;
                let settled = self.agent.interrupted(INTERRUPTED);
                self.keep_going("transcript", settled).await;
                Attempt::Interrupted
            }
        }
    }

    /// Gives the agent what the person said since the last message boundary.
    async fn deliver(&mut self) {
        let texts: Vec<String> = std::mem::take(&mut self.desk.inbox)
            .iter()
            .map(|text| self.spec.auth.scrub(text))
            .collect();
        if texts.is_empty() {
            return;
        }
        for text in &texts {
            self.desk.last_words.clone_from(text);
            self.recorder.row.last_words.clone_from(text);
            self.recorder
                .emit(EventKind::Text {
                    text: text.clone(),
                    partial: false,
                    from_person: true,
                })
                .await;
        }
        let said = self.agent.say(texts);
        self.keep_going("transcript", said).await;
    }

    /// Tells of a file that could not be written; the run goes on from memory.
    pub(super) async fn keep_going(&mut self, what: &str, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.recorder
                .warn(format!("the {what} could not be written: {error}"))
                .await;
        }
    }

    async fn ended(&mut self, end: TurnEnd) -> Input {
        self.recorder.save().await;
        self.agent.set_window(self.recorder.window.tokens);
        match end {
            TurnEnd::Finished { text } => {
                if text.trim().is_empty() {
                    self.recorder
                        .warn("the session ended without a word; look at what it did".to_owned())
                        .await;
                }
                self.recorder.row.text = text;
                // Words that came meanwhile still want an answer.
                let finished = self.desk.inbox.is_empty();
                Input::TurnEnded { finished }
            }
            TurnEnd::Boundary => match self.used_up() {
                Some(failure) => Input::Broken(failure),
                None => Input::TurnEnded { finished: false },
            },
        }
    }

    fn used_up(&self) -> Option<Failure> {
        let row = &self.recorder.row;
        if let Some(turns) = self.limits.turns
            && row.num_turns >= turns
        {
            return Some(Failure::TurnLimit(turns));
        }
        let (limit, spent) = (self.limits.budget_usd?, row.cost_usd?);
        (spent >= limit).then(|| Failure::Budget {
            spent: format!("{spent:.4}"),
            limit: format!("{limit}"),
        })
    }

    /// Learns from an overflow, then tells the machine of it.
    async fn overflowed(&mut self, error: &ModelError) -> Vec<Input> {
        self.recorder
            .trouble(error.message.clone(), "overflow")
            .await;
        let found = self.examine(error);
        let mut inputs = Vec::new();
        if let Some(limit) = found.learnable()
            && let Some(window) = self.recorder.window.learned(limit)
        {
            self.recorder
                .warn(format!(
                    "the server allows {} tokens, not {}: that window is used from here on",
                    tokens::size(limit),
                    tokens::size(self.recorder.window.tokens)
                ))
                .await;
            self.recorder.learn_window(window);
            self.agent.set_window(limit);
            inputs.push(Input::WindowChanged(limit));
        }
        inputs.push(Input::Overflowed(self.told(&found)));
        inputs
    }

    /// Reads the numbers in an overflow's text.
    pub(super) fn examine(&self, error: &ModelError) -> Finding {
        overflow::examine(&[&error.message], &self.spec.overflow_patterns)
    }

    /// An overflow as the machine knows it; what was given is filled in from the meter.
    pub(super) fn told(&self, found: &Finding) -> Overflow {
        Overflow {
            limit: found.limit,
            used: found.used.or(self.recorder.state.level.context),
        }
    }

    /// Announces the next attempt and waits for its time; true when the person interrupts.
    async fn wait_before(&mut self, attempt: u32, error: ModelError) -> bool {
        let delay = error
            .retry_after
            .unwrap_or_else(|| backoff(attempt, spread()));
        self.recorder.row.attempts += 1;
        self.recorder.row.errors.push(error.message.clone());
        self.recorder
            .emit(EventKind::Retry {
                attempt,
                max_attempts: MAX_ATTEMPTS,
                delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                message: error.message,
                class: error.class.word().into(),
            })
            .await;
        let wake = tokio::time::Instant::now() + delay;
        let mut listening = true;
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(wake) => return false,
                command = self.commands.recv(), if listening => match command {
                    Some(command) => if hear(command, &mut self.desk) == Some(Input::Interrupt) {
                        return true;
                    },
                    None => listening = false,
                },
            }
        }
    }
}

/// A number in 0..1 that differs from process to process.
pub(super) fn spread() -> f64 {
    (RandomState::new().hash_one(()) % 1_000) as f64 / 1_000.0
}

/// The first error of a chain is what went wrong; the last is what it came to.
fn given_up(first: &str, last: &str) -> Failure {
    let message = if first == last {
        format!(
            "gave up after {MAX_ATTEMPTS} attempts: {first}. `flower run --continue` goes on when it works again"
        )
    } else {
        format!(
            "gave up after {MAX_ATTEMPTS} attempts. It began with: {first}. At last: {last}. \
             `flower run --continue` goes on when it works again"
        )
    };
    Failure::Model {
        message,
        credentials: false,
    }
}
