//! The terminal's modes. [`TerminalGuard::enter`] turns them on; dropping the guard, a panic in any
//! thread or [`TerminalGuard::suspend`] undo exactly those that are on, in reverse.

use std::io::{self, IsTerminal};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::signal::unix::{SignalKind, signal};

use super::decode::Decoder;
use super::{output, probe};

/// Nobody may draw.
const AWAY: u8 = 0;
/// The modes are on and no frame is on its way.
const LIVE: u8 = 1;
/// The modes are on and a frame is being written.
const DRAWING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(AWAY);
/// One bit for each [`Step`] that has to be undone.
static STEPS: AtomicU8 = AtomicU8::new(0);
/// Grows whenever the modes are turned on: what was on the screen before is gone then.
static EPOCH: AtomicU32 = AtomicU32::new(0);
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// How long giving the terminal back waits for a frame that is being written.
const FRAME_PATIENCE: Duration = Duration::from_millis(200);

/// How long a stop that the system refuses is waited for: it drops the signal when no shell could
/// continue the program.
const STOP_PATIENCE: Duration = Duration::from_millis(200);

/// Ends a frame that was cut (DECSET 2026) and its colours.
const END_OF_FRAME: &str = "\x1b[?2026l\x1b[0m";

/// What is turned on, one thing a step. Sequences as in xterm's `ctlseqs` and, for the keyboard,
/// in the kitty keyboard protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Raw,
    Title,
    Screen,
    Cursor,
    Paste,
    Focus,
    Mouse,
    Keyboard,
}

/// The order of entering. The keyboard comes after the screen because its flags belong to one
/// screen and have to be given back on the same.
const ORDER: [Step; 8] = [
    Step::Raw,
    Step::Title,
    Step::Screen,
    Step::Cursor,
    Step::Paste,
    Step::Focus,
    Step::Mouse,
    Step::Keyboard,
];

impl Step {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    fn on(self) -> io::Result<()> {
        // Noted first: a step that fails half way is undone as well.
        STEPS.fetch_or(self.bit(), Ordering::SeqCst);
        let sequence = match self {
            Self::Raw => return crossterm::terminal::enable_raw_mode(),
            Self::Title => "\x1b[22;0t",
            Self::Screen => "\x1b[?1049h\x1b[2J",
            Self::Cursor => "\x1b[?25l",
            Self::Paste => "\x1b[?2004h",
            Self::Focus => "\x1b[?1004h",
            // Buttons, then drags where known, in decimal coordinates. Bare motion stays off: it
            // would wake an idle program for nothing.
            Self::Mouse => "\x1b[?1000h\x1b[?1002h\x1b[?1006h",
            // 1: keys told apart, 4: what Shift makes of a key on the person's layout.
            Self::Keyboard => "\x1b[>5u",
        };
        output::write_all(sequence.as_bytes())
    }

    fn off(self) -> io::Result<()> {
        let sequence = match self {
            Self::Raw => return crossterm::terminal::disable_raw_mode(),
            Self::Title => "\x1b[23;0t",
            Self::Screen => "\x1b[?1049l",
            Self::Cursor => "\x1b[?25h",
            Self::Paste => "\x1b[?2004l",
            Self::Focus => "\x1b[?1004l",
            Self::Mouse => "\x1b[?1006l\x1b[?1002l\x1b[?1000l",
            Self::Keyboard => "\x1b[<1u",
        };
        output::write_soon(sequence.as_bytes())
    }
}

/// Undoes every step that is on, in reverse, even when one of them fails; the first error is told.
fn undo() -> io::Result<()> {
    let deadline = Instant::now() + FRAME_PATIENCE;
    while STATE
        .compare_exchange(LIVE, AWAY, Ordering::SeqCst, Ordering::SeqCst)
        .is_err_and(|state| state == DRAWING)
    {
        if Instant::now() >= deadline {
            STATE.store(AWAY, Ordering::SeqCst);
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let steps = STEPS.swap(0, Ordering::SeqCst);
    if steps == 0 {
        return Ok(());
    }
    let mut outcome = output::write_soon(END_OF_FRAME.as_bytes());
    for step in ORDER.iter().rev() {
        if steps & step.bit() != 0 {
            outcome = outcome.and(step.off());
        }
    }
    outcome
}

/// Makes every panic give the terminal back before its message is printed.
fn install_hook() {
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The message matters more than an error of the terminal.
            let _ = undo();
            previous(info);
        }));
    });
}

/// Whether the modes are on and frames may be drawn.
pub(super) fn is_live() -> bool {
    STATE.load(Ordering::SeqCst) != AWAY
}

/// A number that changes whenever the screen's contents were lost.
pub(super) fn epoch() -> u32 {
    EPOCH.load(Ordering::SeqCst)
}

/// Writes a frame unless the terminal was given back, and keeps it from being given back meanwhile.
pub(super) fn write_frame(bytes: &[u8]) -> io::Result<()> {
    STATE
        .compare_exchange(LIVE, DRAWING, Ordering::SeqCst, Ordering::SeqCst)
        .map_err(|_| {
            io::Error::new(
                io::ErrorKind::NotConnected,
                "nothing was drawn, because the terminal has been given back",
            )
        })?;
    let outcome = output::write_all(bytes);
    // Fails only when giving back has stopped waiting; then it stays given back.
    let _ = STATE.compare_exchange(DRAWING, LIVE, Ordering::SeqCst, Ordering::SeqCst);
    outcome
}

/// Holds the terminal in its full-screen state: raw mode, alternate screen, bracketed paste, focus
/// reports, mouse, and unambiguous keys where the terminal has them.
///
/// There is one at a time. [`InputStream`](super::InputStream) must not be alive while the
/// terminal is suspended or lent: an idle one still reads what is typed.
#[derive(Debug)]
pub struct TerminalGuard {
    mouse: bool,
    keyboard: bool,
    chrome_cells: Option<u16>,
    decoder: Option<Decoder>,
}

impl TerminalGuard {
    /// Turns the full-screen state on, with the mouse, and asks the terminal what it can do for at
    /// most 100 ms.
    ///
    /// # Errors
    /// `NotConnected` when stdin or stdout is no terminal, `AlreadyExists` when another guard
    /// lives, else what the terminal answered; nothing stays turned on then.
    pub fn enter() -> io::Result<Self> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(io::Error::new(
                io::ErrorKind::NotConnected,
                "flower needs a terminal on its input and output; use `flower run TASK` to work without one",
            ));
        }
        if TAKEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "cannot enter the terminal: this program holds it already",
            ));
        }
        install_hook();
        let mut guard = Self {
            mouse: true,
            keyboard: false,
            chrome_cells: None,
            decoder: None,
        };
        guard.turn_on(true)?;
        Ok(guard)
    }

    fn turn_on(&mut self, first: bool) -> io::Result<()> {
        self.try_turn_on(first).map_err(|error| {
            // The reason for the failure says more than what undoing it may add.
            let _ = undo();
            io::Error::new(
                error.kind(),
                format!(
                    "cannot set the terminal up: {error}; use `flower run TASK` to work without it"
                ),
            )
        })
    }

    fn try_turn_on(&mut self, first: bool) -> io::Result<()> {
        for step in ORDER {
            let wanted = match step {
                Step::Raw
                | Step::Title
                | Step::Screen
                | Step::Cursor
                | Step::Paste
                | Step::Focus => true,
                Step::Mouse => self.mouse,
                Step::Keyboard => self.keyboard,
            };
            if wanted {
                step.on()?;
            }
            if first && step == Step::Cursor {
                let mut decoder = Decoder::default();
                let answers = probe::ask(&mut decoder)?;
                self.keyboard = answers.keyboard;
                self.chrome_cells = answers.cursor.map(|(_, column)| column.saturating_sub(1));
                self.decoder = Some(decoder);
            }
        }
        EPOCH.fetch_add(1, Ordering::SeqCst);
        STATE.store(LIVE, Ordering::SeqCst);
        Ok(())
    }

    /// Hands out what was typed while the terminal was being asked, for the first
    /// [`InputStream`](super::InputStream); empty afterwards.
    pub fn take_decoder(&mut self) -> Decoder {
        self.decoder.take().unwrap_or_default()
    }

    /// The cells the terminal used for the two characters `┃█`, 2 where lines and blocks are narrow;
    /// none when it did not say.
    #[must_use]
    pub fn chrome_cells(&self) -> Option<u16> {
        self.chrome_cells
    }

    /// Whether the terminal is in the full-screen state and frames may be drawn; false after a
    /// panic in any thread.
    #[must_use]
    pub fn is_live(&self) -> bool {
        is_live()
    }

    /// Turns mouse reports on or off, so that the terminal's own selection works without them.
    ///
    /// # Errors
    /// What the terminal answered.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if !is_live() {
            return Ok(());
        }
        if on {
            Step::Mouse.on()
        } else if STEPS.fetch_and(!Step::Mouse.bit(), Ordering::SeqCst) & Step::Mouse.bit() != 0 {
            Step::Mouse.off()
        } else {
            Ok(())
        }
    }

    /// Undoes everything; a second call does nothing.
    ///
    /// # Errors
    /// The first step that failed; the others were tried all the same.
    pub fn restore(&mut self) -> io::Result<()> {
        undo()
    }

    /// Gives the terminal to somebody else for a while.
    ///
    /// # Errors
    /// The first step that failed; the others were tried all the same.
    pub fn suspend(&mut self) -> io::Result<()> {
        undo()
    }

    /// Takes the terminal back; the next frame paints every cell.
    ///
    /// Also right after a stop from outside, when a shell has changed the modes behind our back:
    /// [`suspend`](Self::suspend), then this.
    ///
    /// # Errors
    /// What the terminal answered; nothing stays turned on then.
    pub fn resume(&mut self) -> io::Result<()> {
        if is_live() {
            return Ok(());
        }
        self.turn_on(false)
    }

    /// Runs something that needs the terminal for itself, an editor for example. The caller waits; where
    /// other work goes on meanwhile, [`suspend`](Self::suspend) and [`resume`](Self::resume)
    /// stand around an awaited child.
    ///
    /// # Errors
    /// What the terminal answered when it was taken back.
    pub fn with_terminal_lent<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        // A mode that could not be undone is no reason to keep the person from the editor.
        let _ = self.suspend();
        let result = work();
        self.resume()?;
        Ok(result)
    }

    /// Stops the program as Ctrl-Z does in a shell, with all programs of its process group, and
    /// takes the terminal back when it is continued. Needs a tokio runtime with signals.
    ///
    /// # Errors
    /// What listening for the continuation or the terminal answered.
    pub async fn stop(&mut self) -> io::Result<()> {
        let mut continued = signal(SignalKind::from_raw(Signal::SIGCONT as i32))?;
        let _ = self.suspend();
        // To the whole group, else a wrapper such as `cargo run` would go on waiting in front of
        // the shell.
        let sent = kill(Pid::from_raw(0), Signal::SIGTSTP);
        if sent.is_ok() {
            // The signal stops each thread a little later. Its end is the continuation, or no
            // stop at all where the system dropped it.
            let _ = tokio::time::timeout(STOP_PATIENCE, continued.recv()).await;
        }
        self.resume()?;
        sent.map_err(io::Error::from)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = undo();
        TAKEN.store(false, Ordering::SeqCst);
    }
}
