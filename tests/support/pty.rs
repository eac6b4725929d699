//! A program in a real terminal: keys go in, what the terminal shows comes out.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program takes in the whole file and uses its own part"
)]
#![allow(
    clippy::unwrap_used,
    reason = "a helper of tests fails the test, but the lint knows only the test functions themselves"
)]

use std::ffi::OsStr;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::num::NonZero;
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use filedescriptor::{FileDescriptor, POLLIN, poll, pollfd};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// Longest any single wait of a test may take; only a broken program reaches it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What the terminal has received so far.
struct Received {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// No process holds the terminal any more, or it was hung up.
    closed: bool,
    exit: Option<ExitStatus>,
}

struct Shared {
    received: Mutex<Received>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Received> {
        self.received
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Received)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

/// A program under way in a terminal of its own. Killed when dropped.
pub struct Pty {
    shared: Arc<Shared>,
    /// The terminal's other side; none once hung up.
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<FileDescriptor>,
    stop_reading: Option<PipeWriter>,
    reader: Option<JoinHandle<()>>,
    pid: Pid,
    /// The line discipline before the program ran.
    line_before: String,
}

/// A program with an environment that holds nothing but the terminal.
pub fn command(program: impl AsRef<OsStr>, home: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", home);
    command.env("LANG", "C.UTF-8");
    command.env("TERM", "xterm-256color");
    command.cwd(home);
    command
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Input, output, control and local modes and the special characters.
fn line_discipline(master: &dyn MasterPty) -> String {
    let modes = master.get_termios().unwrap();
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        modes.input_flags,
        modes.output_flags,
        modes.control_flags,
        modes.local_flags,
        modes.control_chars
    )
}

fn read_all(shared: &Shared, mut source: FileDescriptor, stop: &PipeReader) {
    let mut buffer = [0; 65536];
    loop {
        let mut ready = [source.as_raw_fd(), stop.as_raw_fd()].map(|fd: RawFd| pollfd {
            fd,
            events: POLLIN,
            revents: 0,
        });
        poll(&mut ready, None).unwrap();
        if ready[1].revents != 0 {
            break;
        }
        // Linux tells the end of all programs by an error.
        let count = source.read(&mut buffer).unwrap_or(0);
        if count == 0 {
            break;
        }
        shared.change(|received| {
            received.parser.process(&buffer[..count]);
            received.raw.extend_from_slice(&buffer[..count]);
        });
    }
    shared.change(|received| received.closed = true);
}

impl Pty {
    /// Starts a program in a terminal of this size.
    pub fn start(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        Self::start_typed(command, columns, rows, b"")
    }

    /// Starts a program in a terminal where something has been typed already: keys of an impatient
    /// person, or a terminal's answers.
    pub fn start_typed(command: CommandBuilder, columns: u16, rows: u16, typed: &[u8]) -> Self {
        let pair = native_pty_system()
            .openpty(pty_size(columns, rows))
            .unwrap();
        let fd = pair.master.as_raw_fd().unwrap();
        // Not the crate's own writer: that one types a line end and Ctrl-D when it is dropped.
        let mut keys = FileDescriptor::dup(&fd).unwrap();
        let output = FileDescriptor::dup(&fd).unwrap();
        keys.write_all(typed).unwrap();
        let line_before = line_discipline(&*pair.master);
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let pid = Pid::from_raw(i32::try_from(child.process_id().unwrap()).unwrap());
        let shared = Arc::new(Shared {
            received: Mutex::new(Received {
                parser: vt100::Parser::new(cells(rows), cells(columns), 1000),
                raw: Vec::new(),
                closed: false,
                exit: None,
            }),
            changed: Condvar::new(),
        });
        let (stop, stop_reading) = std::io::pipe().unwrap();
        let reader = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || read_all(&shared, output, &stop))
        };
        {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                let exit = child.wait().unwrap();
                shared.change(|received| received.exit = Some(exit));
            });
        }
        Self {
            shared,
            master: Some(pair.master),
            keys: Some(keys),
            stop_reading: Some(stop_reading),
            reader: Some(reader),
            pid,
            line_before,
        }
    }

    /// Waits until the terminal has received what `wanted` looks for and returns its answer.
    fn wait<T>(
        &self,
        what: &str,
        deadline: Instant,
        mut wanted: impl FnMut(&Received) -> Option<T>,
    ) -> T {
        let mut received = self.shared.lock();
        loop {
            if let Some(found) = wanted(&received) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let ended = received.closed && received.exit.is_some();
            assert!(
                !left.is_zero() && !ended,
                "waited for {what} in vain; exit {:?}; the screen:\n{}\nthe last bytes: {}",
                received.exit,
                received.parser.screen().contents(),
                received.raw[received.raw.len().saturating_sub(2000)..].escape_ascii()
            );
            received = self
                .shared
                .changed
                .wait_timeout(received, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }

    /// Waits until the screen is as wanted.
    pub fn wait_until(
        &self,
        what: &str,
        deadline: Instant,
        mut wanted: impl FnMut(&vt100::Screen) -> bool,
    ) {
        self.wait(what, deadline, |received| {
            wanted(received.parser.screen()).then_some(())
        });
    }

    /// Waits until the screen shows a text.
    pub fn wait_for_text(&self, text: &str, deadline: Instant) {
        self.wait_until(&format!("{text:?}"), deadline, |screen| {
            screen.contents().contains(text)
        });
    }

    /// Waits until the bytes received, escape sequences and all, are as wanted.
    pub fn wait_for_bytes(
        &self,
        what: &str,
        deadline: Instant,
        mut wanted: impl FnMut(&[u8]) -> bool,
    ) {
        self.wait(what, deadline, |received| {
            wanted(&received.raw).then_some(())
        });
    }

    /// Waits for the end of the program and of its output.
    pub fn wait_for_exit(&self, deadline: Instant) -> ExitStatus {
        self.wait("the exit", deadline, |received| {
            received.exit.clone().filter(|_| received.closed)
        })
    }

    /// Types.
    pub fn send(&mut self, keys: impl AsRef<[u8]>) {
        let terminal = self.keys.as_mut().unwrap();
        terminal.write_all(keys.as_ref()).unwrap();
    }

    /// Changes the terminal's size; the program is told.
    pub fn resize(&self, columns: u16, rows: u16) {
        // First here: the program may answer before the next line.
        self.shared.change(|received| {
            let screen = received.parser.screen_mut();
            screen.set_size(cells(rows), cells(columns));
        });
        let master = self.master.as_ref().unwrap();
        master.resize(pty_size(columns, rows)).unwrap();
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid, signal).unwrap();
    }

    /// The program's process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Ends the program at once.
    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    /// Closes the terminal's window.
    pub fn hang_up(&mut self) {
        self.stop_reading = None;
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.keys = None;
        self.master = None;
    }

    /// What the terminal shows, one line a row.
    pub fn screen_text(&self) -> String {
        self.shared.lock().parser.screen().contents()
    }

    /// Row and column of the cursor from 0, and whether it is shown.
    pub fn cursor(&self) -> (u16, u16, bool) {
        let received = self.shared.lock();
        let screen = received.parser.screen();
        let (row, column) = screen.cursor_position();
        (row, column, !screen.hide_cursor())
    }

    /// Every byte received so far.
    pub fn raw_output(&self) -> Vec<u8> {
        self.shared.lock().raw.clone()
    }

    /// Whether the line discipline is what it was before the program ran.
    pub fn line_is_as_before(&self) -> bool {
        line_discipline(&**self.master.as_ref().unwrap()) == self.line_before
    }

    /// Fails unless the terminal is as the program found it: every mode turned on in the output is
    /// off again, the cursor is shown, the line discipline is the old one.
    pub fn assert_restored(&self) {
        let raw = self.raw_output();
        let left = modes_left(&raw);
        assert!(
            left.is_empty(),
            "still on: {left:?} in {}",
            raw.escape_ascii()
        );
        assert!(self.line_is_as_before(), "the line discipline differs");
        let received = self.shared.lock();
        let screen = received.parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor());
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let running = self.shared.lock().exit.is_none();
        if running {
            // It may have ended just now.
            let _ = kill(self.pid, Signal::SIGKILL);
        }
        self.hang_up();
    }
}

/// The modes that some output leaves on: private modes by number, keyboard flags, saved titles. The
/// cursor (25) counts as on while it is hidden.
pub fn modes_left(output: &[u8]) -> Vec<String> {
    let mut on = std::collections::BTreeSet::new();
    // Keyboard flags belong to the screen, normal or alternate, they were set on.
    let (mut keyboards, mut alternate, mut titles) = ([0, 0], 0, 0);
    let sequences = regex::bytes::Regex::new(r"\x1b\[([<>?]?)([0-9;]*)([a-z])").unwrap();
    for sequence in sequences.captures_iter(output) {
        let text = |index: usize| String::from_utf8(sequence[index].to_vec()).unwrap();
        let parameters = text(2);
        match (text(1).as_str(), text(3).as_str()) {
            ("?", "h" | "l") => {
                for mode in parameters.split(';') {
                    if mode == "1049" {
                        alternate = usize::from(text(3) == "h");
                    }
                    let set = (text(3) == "h") != (mode == "25");
                    if set {
                        on.insert(format!("mode {mode}"));
                    } else {
                        on.remove(&format!("mode {mode}"));
                    }
                }
            }
            (">", "u") => keyboards[alternate] += 1,
            ("<", "u") => keyboards[alternate] -= 1,
            ("", "t") if parameters.starts_with("22") => titles += 1,
            ("", "t") if parameters.starts_with("23") => titles -= 1,
            _ => {}
        }
    }
    let mut left: Vec<String> = on.into_iter().collect();
    for flags in keyboards.into_iter().filter(|flags| *flags != 0) {
        left.push(format!("{flags} keyboard flags"));
    }
    if titles != 0 {
        left.push(format!("{titles} titles"));
    }
    left
}
