//! What a person does. In come the bytes of stdin and the signal of a changed size, out goes a
//! stream of [`Input`]s that ends when the terminal is gone.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent};
use futures_util::Stream;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::decode::Decoder;

/// Inputs read ahead of the screen; more wait in the kernel.
const AHEAD: usize = 256;

/// Bytes of one read.
const READ: usize = 8192;

/// One thing that happened at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key went down or repeats.
    Key(KeyEvent),
    /// Text was pasted, at most 1 MiB of it; lines end in `\n`, other control characters are kept.
    Paste(String),
    /// A mouse button, a drag or the wheel.
    Mouse(MouseEvent),
    /// The terminal has this many columns and rows now.
    Resize(u16, u16),
    /// The terminal's window got the keyboard.
    FocusGained,
    /// The terminal's window lost the keyboard.
    FocusLost,
    /// The terminal is gone; the last input.
    Closed,
}

/// Inputs as they come, the terminal's size first.
///
/// Dropping it, or [`close`](Self::close), ends all reading before it returns.
#[derive(Debug)]
pub struct InputStream {
    inputs: Receiver<Input>,
    resized: Signal,
    size_due: bool,
    /// Its end tells the thread to stop.
    stop: Option<PipeWriter>,
    reader: Option<JoinHandle<Decoder>>,
}

impl InputStream {
    /// Starts reading stdin, first what the decoder still holds. Needs a tokio runtime with signals.
    ///
    /// # Errors
    /// The system gives no pipe, no thread or no signal.
    pub fn new(decoder: Decoder) -> io::Result<Self> {
        let resized = signal(SignalKind::window_change())?;
        let (stopped, stop) = io::pipe()?;
        let (sender, inputs) = channel(AHEAD);
        let reader = std::thread::Builder::new()
            .name("flower-input".to_owned())
            .spawn(move || read(decoder, &sender, &stopped))?;
        Ok(Self {
            inputs,
            resized,
            // The size may have changed while nobody listened.
            size_due: true,
            stop: Some(stop),
            reader: Some(reader),
        })
    }

    /// Takes an input that is there already, to handle all of them before the next frame.
    pub fn ready(&mut self) -> Option<Input> {
        let mut context = Context::from_waker(std::task::Waker::noop());
        match self.poll_input(&mut context) {
            Poll::Ready(input) => input,
            Poll::Pending => None,
        }
    }

    /// Stops reading and returns what nobody has taken, for the next stream.
    #[must_use]
    pub fn close(mut self) -> Decoder {
        self.end()
    }

    fn end(&mut self) -> Decoder {
        self.inputs.close();
        self.stop = None;
        let mut decoder = self
            .reader
            .take()
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        let mut untaken = Vec::new();
        while let Ok(input) = self.inputs.try_recv() {
            untaken.push(input);
        }
        decoder.put_back(untaken.into_iter());
        decoder
    }

    fn poll_input(&mut self, context: &mut Context<'_>) -> Poll<Option<Input>> {
        // Without its runtime the signal ends, which must not be taken for a change for ever.
        while let Poll::Ready(Some(())) = self.resized.poll_recv(context) {
            self.size_due = true;
        }
        if self.size_due {
            self.size_due = false;
            let (columns, rows) = super::size();
            return Poll::Ready(Some(Input::Resize(columns, rows)));
        }
        self.inputs.poll_recv(context)
    }
}

impl Stream for InputStream {
    type Item = Input;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Input>> {
        self.poll_input(context)
    }
}

impl Drop for InputStream {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the reading thread waits for.
enum Next {
    Bytes(usize),
    Quiet,
    Gone,
    Stopped,
}

/// Reads until the terminal is gone or the stream is dropped; returns what was not delivered.
fn read(mut decoder: Decoder, inputs: &Sender<Input>, stopped: &PipeReader) -> Decoder {
    let mut buffer = [0; READ];
    loop {
        while let Some(input) = decoder.pop() {
            if let Err(undelivered) = inputs.blocking_send(input) {
                decoder.put_back(std::iter::once(undelivered.0));
                return decoder;
            }
        }
        match wait(&decoder, stopped, &mut buffer) {
            Next::Bytes(count) => decoder.push(&buffer[..count]),
            Next::Quiet => decoder.settle(),
            Next::Gone => {
                // Nobody listens any more when this fails.
                let _ = inputs.blocking_send(Input::Closed);
                return decoder;
            }
            Next::Stopped => return decoder,
        }
    }
}

fn wait(decoder: &Decoder, stopped: &PipeReader, buffer: &mut [u8]) -> Next {
    let stdin = io::stdin();
    let deadline = decoder.wait().map(|wait| Instant::now() + wait);
    loop {
        let limit = deadline.map_or(PollTimeout::NONE, |at| {
            let left = at.saturating_duration_since(Instant::now());
            PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
        });
        let mut ready = [
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(stopped.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut ready, limit) {
            Ok(0) => return Next::Quiet,
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(_) => return Next::Gone,
        }
        if happened(&ready[1]) {
            return Next::Stopped;
        }
        if !happened(&ready[0]) {
            continue;
        }
        // A terminal that hung up is readable for ever: its read, not the poll, tells the end.
        match nix::unistd::read(stdin.as_fd(), buffer) {
            Ok(0) => return Next::Gone,
            Ok(count) => return Next::Bytes(count),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => return Next::Gone,
        }
    }
}

fn happened(descriptor: &PollFd<'_>) -> bool {
    descriptor
        .revents()
        .is_some_and(|events| !events.is_empty())
}
