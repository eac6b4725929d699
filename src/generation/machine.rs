//! The generation machine: one pure function decides when a session warns, writes its handoff, is
//! reviewed and is replaced. What happened comes in as [`Input`]; what to do goes out as [`Effect`]s,
//! in order.

use std::time::Duration;

use super::level::Level;
use super::policy::HandoffPolicy;
use super::why::{DegradedWhy, Failure, Overflow};

/// What a person gets to see of a handoff before the successor starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewMode {
    /// The swap goes straight on.
    Off,
    /// The swap waits this long, then goes on by itself.
    After(Duration),
    /// The swap waits until someone says go, or until the hold time-out.
    Wait,
}

/// Names one timer; an answer with an older id is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerId(pub u64);

/// Where a step stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// The session works on its task.
    Working {
        /// Whether the warning of this generation was given.
        warned: bool,
    },
    /// The session writes its handoff, or a degraded one is made; exempt from the threshold.
    Writing,
    /// The document is on disk and a person may change it.
    Reviewing {
        /// The countdown that is running.
        timer: TimerId,
        /// Whether a person holds it.
        held: bool,
    },
    /// The document is read back and the successor is made.
    Switching,
    /// The step is done.
    Finished,
    /// The step ended without success.
    Failed,
}

/// Everything that can happen to a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The first session of this run is there and its id is known.
    Started,
    /// Usage of the main conversation's latest turn.
    Reading {
        /// Context in tokens; 0 is ignored.
        context: u64,
        /// Whether it was estimated.
        estimated: bool,
    },
    /// An answer arrived whole and its tools have run.
    TurnEnded {
        /// Whether that answer ended the step.
        finished: bool,
    },
    /// A turn did not fit into the window.
    Overflowed(Overflow),
    /// The step cannot go on.
    Broken(Failure),
    /// The window in force changed, in tokens.
    WindowChanged(u64),
    /// A person or a signal wants the step to stop.
    Interrupt,
    /// The session wrote a complete handoff.
    Written,
    /// The writing turn gave no usable handoff.
    NotWritten(DegradedWhy),
    /// The document is on disk, or is known to be only in memory.
    Frozen,
    /// A timer ran out.
    Elapsed(TimerId),
    /// A person touched the document or asked for time.
    Hold,
    /// A person lets a held review count down again.
    Recount,
    /// A person wants the swap now.
    Go,
    /// The document was read back.
    ReadBack {
        /// Whether every required section is there.
        complete: bool,
    },
    /// The successor has its id and its first message.
    SuccessorReady,
}

/// What the driver has to do, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Run the session's next turn.
    RunTurn,
    /// Tell that the warn mark is passed.
    Near,
    /// Tell that a handoff begins.
    AnnounceWriting,
    /// Ask the session for its handoff.
    AskForHandoff,
    /// Make the mechanical document.
    UseDegraded(DegradedWhy),
    /// Put the document on disk.
    Freeze,
    /// Tell that a person may change the document now, and for how long.
    AnnounceReview(Duration),
    /// Report [`Input::Elapsed`] with this id after this long.
    StartTimer(TimerId, Duration),
    /// Read the document from disk again.
    ReadBack,
    /// Take the last complete version, and warn.
    KeepLastComplete,
    /// Make the successor from the document.
    StartSuccessor,
    /// End the step as done.
    Finish,
    /// End the step without success.
    Fail(Failure),
}

/// The state of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Where the step stands.
    pub phase: Phase,
    /// The session's number, from 1.
    pub generation: u32,
    /// Swaps made so far.
    pub swaps: u32,
    /// Context and marks.
    pub level: Level,
    /// The latest overflow, until an answer arrives whole.
    pub overflow: Option<Overflow>,
    review: ReviewMode,
    hold_timeout: Duration,
    interrupt_pending: bool,
    last_timer: u64,
}

impl State {
    /// A step about to start its first session.
    pub fn new(policy: HandoffPolicy, review: ReviewMode, hold_timeout: Duration) -> Self {
        Self {
            phase: Phase::Working { warned: false },
            generation: 1,
            swaps: 0,
            level: Level {
                context: None,
                estimated: false,
                policy,
            },
            overflow: None,
            review,
            hold_timeout,
            interrupt_pending: false,
            last_timer: 0,
        }
    }

    fn next_timer(&mut self) -> TimerId {
        self.last_timer += 1;
        TimerId(self.last_timer)
    }

    fn fail(&mut self, failure: Failure) -> Vec<Effect> {
        self.phase = Phase::Failed;
        vec![Effect::Fail(failure)]
    }

    /// Begins a swap if one is still allowed.
    fn hand_over(&mut self, how: Effect) -> Vec<Effect> {
        let policy = self.level.policy;
        if self.swaps >= policy.max_generations {
            let context = self.level.context.unwrap_or(0);
            return self.fail(Failure::TooManyGenerations { policy, context });
        }
        self.phase = Phase::Writing;
        vec![Effect::AnnounceWriting, how]
    }

    fn warn_if_near(&mut self) -> Vec<Effect> {
        if !self.level.is_near() {
            return Vec::new();
        }
        self.phase = Phase::Working { warned: true };
        vec![Effect::Near]
    }

    fn review(&mut self) -> Vec<Effect> {
        let (length, held) = match self.review {
            ReviewMode::Off => return self.read_back(),
            ReviewMode::After(length) => (length, false),
            ReviewMode::Wait => (self.hold_timeout, true),
        };
        let timer = self.next_timer();
        self.phase = Phase::Reviewing { timer, held };
        vec![
            Effect::AnnounceReview(length),
            Effect::StartTimer(timer, length),
        ]
    }

    fn read_back(&mut self) -> Vec<Effect> {
        self.phase = Phase::Switching;
        vec![Effect::ReadBack]
    }

    fn overflowed(&mut self, overflow: Overflow) -> Vec<Effect> {
        if !self.level.policy.enabled {
            return self.fail(Failure::OverflowWithoutHandoff(overflow));
        }
        if let Some(first) = self.overflow {
            let second = Overflow {
                limit: overflow.limit.or(first.limit),
                used: overflow.used.or(first.used),
            };
            let window = self.level.policy.window;
            return self.fail(Failure::OverflowTwice { second, window });
        }
        self.overflow = Some(overflow);
        self.hand_over(Effect::UseDegraded(DegradedWhy::Overflow(overflow)))
    }
}

/// Takes one input and says what to do next. Inputs that mean nothing in a phase change nothing:
/// they are late answers to something that is over.
pub fn step(state: &mut State, input: Input) -> Vec<Effect> {
    if let Input::WindowChanged(window) = input {
        state.level.policy.window = window;
    }
    match state.phase.clone() {
        Phase::Working { warned } => working(state, warned, input),
        Phase::Writing => writing(state, input),
        Phase::Reviewing { timer, .. } => reviewing(state, timer, input),
        Phase::Switching => switching(state, input),
        Phase::Finished | Phase::Failed => Vec::new(),
    }
}

fn working(state: &mut State, warned: bool, input: Input) -> Vec<Effect> {
    match input {
        Input::Started => vec![Effect::RunTurn],
        Input::Reading { context: 0, .. } => Vec::new(),
        Input::Reading { context, estimated } => {
            state.level.context = Some(context);
            state.level.estimated = estimated;
            if warned {
                Vec::new()
            } else {
                state.warn_if_near()
            }
        }
        Input::WindowChanged(_) if !warned => state.warn_if_near(),
        Input::TurnEnded { finished } => {
            state.overflow = None;
            if finished {
                state.phase = Phase::Finished;
                vec![Effect::Finish]
            } else if state.level.is_due() {
                state.hand_over(Effect::AskForHandoff)
            } else {
                vec![Effect::RunTurn]
            }
        }
        Input::Overflowed(overflow) => state.overflowed(overflow),
        Input::Broken(failure) => state.fail(failure),
        Input::Interrupt => state.fail(Failure::Interrupted),
        Input::WindowChanged(_)
        | Input::Written
        | Input::NotWritten(_)
        | Input::Frozen
        | Input::Elapsed(_)
        | Input::Hold
        | Input::Recount
        | Input::Go
        | Input::ReadBack { .. }
        | Input::SuccessorReady => Vec::new(),
    }
}

fn writing(state: &mut State, input: Input) -> Vec<Effect> {
    match input {
        Input::Written => vec![Effect::Freeze],
        Input::NotWritten(why) => {
            state.overflow = why.overflow().or(state.overflow);
            vec![Effect::UseDegraded(why)]
        }
        Input::Frozen => state.review(),
        Input::Interrupt => {
            state.interrupt_pending = true;
            Vec::new()
        }
        Input::Broken(failure) => state.fail(failure),
        Input::Started
        | Input::Reading { .. }
        | Input::TurnEnded { .. }
        | Input::Overflowed(_)
        | Input::WindowChanged(_)
        | Input::Elapsed(_)
        | Input::Hold
        | Input::Recount
        | Input::Go
        | Input::ReadBack { .. }
        | Input::SuccessorReady => Vec::new(),
    }
}

fn reviewing(state: &mut State, timer: TimerId, input: Input) -> Vec<Effect> {
    match input {
        Input::Elapsed(elapsed) if elapsed == timer => state.read_back(),
        Input::Go => state.read_back(),
        Input::Interrupt => {
            state.interrupt_pending = true;
            state.read_back()
        }
        Input::Hold => {
            let timer = state.next_timer();
            state.phase = Phase::Reviewing { timer, held: true };
            vec![Effect::StartTimer(timer, state.hold_timeout)]
        }
        Input::Recount => match state.review {
            ReviewMode::After(length) => {
                let timer = state.next_timer();
                state.phase = Phase::Reviewing { timer, held: false };
                vec![Effect::StartTimer(timer, length)]
            }
            ReviewMode::Off | ReviewMode::Wait => Vec::new(),
        },
        Input::Broken(failure) => state.fail(failure),
        Input::Elapsed(_)
        | Input::Started
        | Input::Reading { .. }
        | Input::TurnEnded { .. }
        | Input::Overflowed(_)
        | Input::WindowChanged(_)
        | Input::Written
        | Input::NotWritten(_)
        | Input::Frozen
        | Input::ReadBack { .. }
        | Input::SuccessorReady => Vec::new(),
    }
}

fn switching(state: &mut State, input: Input) -> Vec<Effect> {
    match input {
        Input::ReadBack { complete: true } => vec![Effect::StartSuccessor],
        Input::ReadBack { complete: false } => {
            vec![Effect::KeepLastComplete, Effect::StartSuccessor]
        }
        Input::SuccessorReady => {
            state.generation += 1;
            state.swaps += 1;
            state.level.context = None;
            state.level.estimated = false;
            state.phase = Phase::Working { warned: false };
            if std::mem::take(&mut state.interrupt_pending) {
                state.fail(Failure::Interrupted)
            } else {
                vec![Effect::RunTurn]
            }
        }
        Input::Interrupt => {
            state.interrupt_pending = true;
            Vec::new()
        }
        Input::Broken(failure) => state.fail(failure),
        Input::Started
        | Input::Reading { .. }
        | Input::TurnEnded { .. }
        | Input::Overflowed(_)
        | Input::WindowChanged(_)
        | Input::Written
        | Input::NotWritten(_)
        | Input::Frozen
        | Input::Elapsed(_)
        | Input::Hold
        | Input::Recount
        | Input::Go => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
