//! The full-screen workbench: one loop that waits for keys, events, timers and finished effects,
//! hands them to [`app::update`](crate::app::update), runs what it asks for, and draws at most 30
//! times a second, at once after a key.

mod effects;
mod run;

use std::io;
use std::time::{Duration, Instant};

use crossterm::event::{MouseButton, MouseEventKind};
use futures_util::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{self, Receiver};

use self::effects::Effects;
use self::run::Runs;
use crate::app::action::Action;
use crate::app::gauge::Gauge;
use crate::app::state::{Run, State};
use crate::app::update::update;
use crate::generation::policy::HandoffPolicy;
use crate::handoff::DocumentLang;
use crate::model::window::Window;
use crate::runtime::RuntimeBuilder;
use crate::runtime::event::EventKind;
use crate::runtime::spec::{AgentSpec, StepResult, StepSpec};
use crate::terminal::{FrameLimiter, Input, InputStream, Screen, TerminalGuard};
use crate::texts::Texts;
use crate::view::chrome::Chrome;
use crate::view::screen;
use crate::view::theme::Theme;

/// Results of effects that may wait for the loop; each comes from one effect.
const RESULTS: usize = 256;
/// Rows a turn of the wheel moves.
const WHEEL_ROWS: i64 = 3;

/// Everything a workbench begins with.
pub struct Setup {
    /// The runtime, but for who is asked for permission.
    pub runtime: RuntimeBuilder,
    /// The agent.
    pub agent: AgentSpec,
    /// The step; without a task and without `go_on` the person is asked for one.
    pub step: StepSpec,
    /// Whether the run begins by itself.
    pub starts: bool,
    /// The marks.
    pub policy: HandoffPolicy,
    /// The window and its source.
    pub window: Window,
    /// The words of the interface.
    pub texts: Texts,
    /// Language of the handoff.
    pub document_lang: DocumentLang,
    /// How long a held review lasts untouched.
    pub hold_timeout: Duration,
    /// Whether colours may be used.
    pub theme: Theme,
}

/// How a workbench ended.
#[derive(Debug)]
pub struct Left {
    /// What came of the last run, if there was one that ended.
    pub result: Option<StepResult>,
    /// Whether a signal or a closed terminal ended it.
    pub terminated: bool,
}

/// Signals that end the program.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn recv(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

/// Opens the workbench and stays until the person leaves.
///
/// # Errors
/// When there is no terminal, or it cannot be used.
pub async fn open(setup: Setup) -> io::Result<Left> {
    let mut guard = TerminalGuard::enter()?;
    let left = Workbench::new(setup, &mut guard)?.run(&mut guard).await;
    guard.restore()?;
    left
}

struct Workbench {
    state: State,
    runs: Runs,
    effects: Effects,
    results: Receiver<Action>,
    input: Option<InputStream>,
    signals: Signals,
    screen: Screen,
    limiter: FrameLimiter,
    last_draw: Option<Instant>,
    next_second: Instant,
    theme: Theme,
    chrome: Chrome,
    terminated: bool,
    left: bool,
}

/// What the loop waits for.
enum Woken {
    Input(Option<Input>),
    Action(Action),
    Signal,
    Second,
    Frame,
}

impl Workbench {
    fn new(setup: Setup, guard: &mut TerminalGuard) -> io::Result<Self> {
        let now = Instant::now();
        let gauge = Gauge::new(setup.policy, setup.window.source.clone(), &setup.step.name);
        let state = State::new(
            setup.texts.clone(),
            gauge,
            setup.document_lang,
            setup.hold_timeout,
            now,
        );
        let (sender, results) = mpsc::channel(RESULTS);
        let chrome = match guard.chrome_cells() {
            Some(cells) if cells > 2 => Chrome::Ascii,
            Some(_) | None => Chrome::Box,
        };
        let starts = setup.starts;
        let effects = Effects::new(sender, &setup);
        let mut bench = Self {
            state,
            runs: Runs::new(setup.runtime, setup.agent, setup.step),
            effects,
            results,
            input: Some(InputStream::new(guard.take_decoder())?),
            signals: Signals::new()?,
            screen: Screen::new(guard),
            limiter: FrameLimiter::default(),
            last_draw: None,
            next_second: now + Duration::from_secs(1),
            theme: setup.theme,
            chrome,
            terminated: false,
            left: false,
        };
        let area = bench.screen.area();
        bench.limiter.dirty_by_key(now);
        bench.take(Action::Resize(area.width, area.height));
        bench.take_up_draft();
        if starts {
            bench.state.run = Run::On;
            bench.begin(None);
        }
        Ok(bench)
    }

    async fn run(mut self, guard: &mut TerminalGuard) -> io::Result<Left> {
        while !self.left {
            let woken = self.wait().await;
            self.handle(woken);
            self.drain();
            self.lend(guard).await?;
            if self.frame_is_due() {
                self.draw()?;
            }
        }
        Ok(Left {
            result: self.runs.finish().await,
            terminated: self.terminated,
        })
    }

    async fn wait(&mut self) -> Woken {
        let deadline = self.limiter.next_deadline(self.last_draw);
        let ticks = self.state.ticks();
        let next_second = self.next_second;
        tokio::select! {
            biased;
            input = next_input(&mut self.input) => Woken::Input(input),
            () = self.signals.recv() => Woken::Signal,
            Some(action) = self.results.recv() => Woken::Action(action),
            action = self.runs.next() => Woken::Action(action),
            () = until(deadline) => Woken::Frame,
            () = until(ticks.then_some(next_second)) => Woken::Second,
        }
    }

    fn handle(&mut self, woken: Woken) {
        let now = Instant::now();
        match woken {
            Woken::Input(input) => self.input(input),
            Woken::Action(action) => {
                self.limiter.dirty_by_event(now);
                self.take(action);
            }
            Woken::Signal => {
                self.terminated = true;
                self.take(Action::Stop);
            }
            Woken::Second => {
                self.next_second = now + Duration::from_secs(1);
                self.limiter.dirty_by_event(now);
                self.take(Action::Second);
            }
            Woken::Frame => {}
        }
    }

    /// Handles all that is there already, so that one frame shows all of it.
    fn drain(&mut self) {
        for _ in 0..RESULTS {
            let Some(input) = self.input.as_mut().and_then(InputStream::ready) else {
                break;
            };
            self.input(Some(input));
        }
        for _ in 0..RESULTS {
            let Ok(action) = self.results.try_recv() else {
                break;
            };
            self.limiter.dirty_by_event(Instant::now());
            self.take(action);
        }
    }

    fn input(&mut self, input: Option<Input>) {
        let action = match input {
            Some(Input::Key(key)) => Action::Key(key),
            Some(Input::Paste(text)) => Action::Paste(text),
            Some(Input::Mouse(mouse)) => match mouse.kind {
                MouseEventKind::ScrollUp => Action::Wheel(-WHEEL_ROWS),
                MouseEventKind::ScrollDown => Action::Wheel(WHEEL_ROWS),
                MouseEventKind::Down(MouseButton::Left) => Action::Click(mouse.column, mouse.row),
                _ => return,
            },
            Some(Input::Resize(columns, rows)) => {
                self.screen.resize(columns, rows);
                Action::Resize(columns, rows)
            }
            Some(Input::FocusGained | Input::FocusLost) => return,
            Some(Input::Closed) | None => {
                self.input = None;
                self.terminated = true;
                Action::Stop
            }
        };
        self.limiter.dirty_by_key(Instant::now());
        self.take(action);
    }

    fn take(&mut self, action: Action) {
        if let Action::Event(event) = &action
            && let EventKind::Step { step, .. } = &event.kind
        {
            // A step that another run holds goes on under another name.
            self.effects.step.clone_from(step);
        }
        let clock = jiff::ZonedDateTime::now().strftime("%H:%M:%S").to_string();
        self.state.log.tick(jiff::Timestamp::now());
        let effects = update(&mut self.state, action, Instant::now(), &clock);
        for effect in effects {
            self.perform(effect);
        }
    }

    fn frame_is_due(&self) -> bool {
        self.limiter
            .next_deadline(self.last_draw)
            .is_some_and(|deadline| deadline <= Instant::now())
    }

    fn draw(&mut self) -> io::Result<()> {
        let (state, theme, chrome) = (&self.state, &self.theme, self.chrome);
        let drawn = self
            .screen
            .draw(|area, buffer| screen::draw(state, theme, chrome, area, buffer));
        self.last_draw = Some(Instant::now());
        self.limiter.drawn();
        match drawn {
            // A terminal that is gone cannot be drawn on, but the run is stopped in order.
            Err(_) if self.terminated => Ok(()),
            other => other,
        }
    }
}

async fn next_input(input: &mut Option<InputStream>) -> Option<Input> {
    match input {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
