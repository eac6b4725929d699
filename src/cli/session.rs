//! A run without a screen: its events go to stdout, signals go to it, its end becomes an exit code.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};

use super::lines;
use super::{
    CliError, EXIT_CREDENTIALS, EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_TERMINATED,
};
use crate::generation::why::Failure;
use crate::runtime::bus::{Events, Received};
use crate::runtime::spec::StepResult;
use crate::runtime::{Command, RunHandle};
use crate::texts::Texts;

/// A second Ctrl-C within this time quits at once.
const TWICE: Duration = Duration::from_secs(2);
/// How long a reader of stdout that does not read is waited for once the person wants an end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How events are written.
#[derive(Debug)]
pub(super) enum Format {
    /// JSON lines.
    Json,
    /// Lines for people.
    Lines(Box<Texts>),
}

/// The signals a run listens to.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` when hang-ups were ignored from the start, as under `nohup`.
    hangup: Option<Signal>,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: match ignores_hangup() {
                true => None,
                false => Some(signal(SignalKind::hangup())?),
            },
        })
    }
}

/// Whether whoever started the program wants it to outlive a hang-up. Listening would end that.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = SignalKind::hangup().as_raw_value() - 1;
    mask.is_some_and(|mask| mask & (1 << bit) != 0)
}

/// Runs asynchronous work to its end. What still blocks then (a stdout nobody reads) is left behind.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| CliError::System {
            what: "cannot start the program's own threads",
            source,
        })?;
    let result = runtime.block_on(async {
        // A file that may not grow further is then an error of that write, like a full disk, and
        // not the end of the program.
        let too_large = SignalKind::from_raw(nix::sys::signal::Signal::SIGXFSZ as i32);
        let _listening = signal(too_large);
        work.await
    });
    runtime.shutdown_background();
    Ok(result)
}

/// Follows a run to its end, and its output to the end of that: however slow the reader is, it gets
/// everything, unless a signal says otherwise.
pub(super) async fn follow(
    mut handle: RunHandle,
    events: Events,
    format: Format,
    texts: &Texts,
) -> Result<u8, CliError> {
    let mut signals = Signals::new().map_err(|source| CliError::System {
        what: "cannot listen for signals",
        source,
    })?;
    let (last_seq, last) = oneshot::channel();
    let mut last_seq = Some(last_seq);
    let mut forward = tokio::spawn(forward(events, last, format));
    let mut result: Option<StepResult> = None;
    let mut written: Option<io::Result<()>> = None;
    let mut nobody_reads = false;
    let mut last_interrupt: Option<Instant> = None;
    let mut quit: Option<Quit> = None;
    while result.is_none() || written.is_none() {
        let give_up = async {
            match quit {
                Some(Quit { deadline, .. }) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = handle.wait(), if result.is_none() => {
                let ended = ended.map_err(|error| CliError::System {
                    what: "the run broke off",
                    source: io::Error::other(error),
                })?;
                if let Some(last_seq) = last_seq.take() {
                    // The receiver is gone when nobody reads.
                    let _ = last_seq.send(ended.last_seq);
                }
                result = Some(ended);
                continue;
            }
            done = &mut forward, if written.is_none() => {
                let done = done.unwrap_or_else(|error| Err(io::Error::other(error)));
                if done.is_err() && result.is_none() {
                    // Nobody reads any more: the run is stopped rather than left to spend unseen.
                    nobody_reads = true;
                    handle.stop();
                }
                written = Some(done);
                continue;
            }
            () = give_up => {
                // Without its events a run that waits for their reader goes on to its end.
                forward.abort();
                written.get_or_insert(Ok(()));
                quit = quit.map(|quit| Quit { deadline: far_away(), ..quit });
                continue;
            }
            _ = signals.interrupt.recv() => {
                let again = last_interrupt.is_some_and(|at| at.elapsed() < TWICE);
                last_interrupt = Some(Instant::now());
                again.then_some(EXIT_INTERRUPTED)
            }
            _ = signals.terminate.recv() => Some(EXIT_TERMINATED),
            () = hung_up(&mut signals.hangup) => Some(EXIT_TERMINATED),
        };
        match ended {
            Some(code) => {
                handle.stop();
                let deadline = tokio::time::Instant::now() + LAST_WORDS;
                quit.get_or_insert(Quit { code, deadline });
            }
            None => {
                tell(&texts.run.interrupting);
                if handle.commands().try_send(Command::Interrupt).is_err() {
                    handle.stop();
                }
            }
        }
    }
    let failure = result.and_then(|result| result.failure);
    if nobody_reads
        && quit.is_none()
        && failure == Some(Failure::Interrupted)
        && let Some(Err(error)) = written
    {
        return Err(CliError::Output(error));
    }
    Ok(match quit {
        Some(quit) => quit.code,
        None => exit_code(failure.as_ref()),
    })
}

/// The person wants an end at once.
#[derive(Debug, Clone, Copy)]
struct Quit {
    code: u8,
    /// When output that nobody reads is given up.
    deadline: tokio::time::Instant,
}

fn far_away() -> tokio::time::Instant {
    tokio::time::Instant::now() + Duration::from_secs(u32::MAX.into())
}

/// Waits for a hang-up; for ever where they are ignored.
async fn hung_up(hangup: &mut Option<Signal>) {
    match hangup {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Hands events on to stdout until the run is over and everything is out.
async fn forward(
    mut events: Events,
    last_seq: oneshot::Receiver<u64>,
    format: Format,
) -> io::Result<()> {
    let (texts, waiting) = mpsc::channel(1);
    // A thread of its own: a pipe that is not read must hold up neither signals nor the run.
    let writer = tokio::task::spawn_blocking(move || write_all(waiting));
    let mut sent = Ok(());
    while let Some(received) = events.next().await {
        sent = send(&received, &format, &texts).await;
        if sent.is_err() {
            break;
        }
    }
    if sent.is_ok()
        && let Ok(last) = last_seq.await
    {
        for received in events.rest(last) {
            sent = send(&received, &format, &texts).await;
            if sent.is_err() {
                break;
            }
        }
    }
    drop(texts);
    // What the writer says is the cause, that nothing could be sent to it the effect.
    writer.await.map_err(io::Error::other)?.and(sent)
}

async fn send(
    received: &Received,
    format: &Format,
    texts: &mpsc::Sender<String>,
) -> io::Result<()> {
    let text = match format {
        Format::Json => json_line(received)?,
        Format::Lines(texts) => lines::lines(received, texts),
    };
    let sent = texts.send(text).await;
    sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
}

fn write_all(mut texts: mpsc::Receiver<String>) -> io::Result<()> {
    while let Some(text) = texts.blocking_recv() {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

fn json_line(received: &Received) -> io::Result<String> {
    match received {
        Received::Event(sent) => Ok(format!("{}\n", sent.line)),
        Received::Lost { events, why } => Err(io::Error::other(format!(
            "{events} events could not be read back from the journal: {why}"
        ))),
    }
}

fn tell(text: &str) {
    // With stderr gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The exit code that a step's failure leads to; none is done.
pub(super) fn exit_code(failure: Option<&Failure>) -> u8 {
    match failure {
        None => EXIT_DONE,
        Some(Failure::Interrupted) => EXIT_INTERRUPTED,
        Some(Failure::Model {
            credentials: true, ..
        }) => EXIT_CREDENTIALS,
        Some(
            Failure::Model { .. }
            | Failure::OverflowTwice { .. }
            | Failure::OverflowWithoutHandoff(_)
            | Failure::TooManyGenerations { .. }
            | Failure::TurnLimit(_)
            | Failure::Budget { .. },
        ) => EXIT_FAILED,
    }
}
