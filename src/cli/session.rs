//! A run without a screen: its events go to stdout, signals go to it, its end becomes an exit code.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};

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
/// How long a reader of stdout that does not read is waited for after the end.
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
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    Ok(result)
}

/// Follows a run to its end.
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
    let mut writer = tokio::spawn(write_all(events, format));
    let mut written: Option<io::Result<(Events, Format)>> = None;
    let mut last_interrupt: Option<Instant> = None;
    let mut terminated = false;
    let result = loop {
        tokio::select! {
            result = handle.wait() => break result,
            done = &mut writer, if written.is_none() => {
                let done = done.unwrap_or_else(|error| Err(io::Error::other(error)));
                if done.is_err() {
                    // Nobody reads any more: the run is stopped rather than left to spend unseen.
                    handle.stop();
                }
                written = Some(done);
            }
            _ = signals.interrupt.recv() => {
                let again = last_interrupt.is_some_and(|at| at.elapsed() < TWICE);
                last_interrupt = Some(Instant::now());
                if again || handle.commands().try_send(Command::Interrupt).is_err() {
                    handle.stop();
                } else {
                    tell(&texts.run.interrupting);
                }
            }
            _ = signals.terminate.recv() => {
                terminated = true;
                handle.stop();
            }
            _ = signals.hangup.recv() => {
                terminated = true;
                handle.stop();
            }
        }
    };
    let result = result.map_err(|error| CliError::System {
        what: "the run broke off",
        source: io::Error::other(error),
    })?;
    let written = match written {
        Some(written) => written,
        None => match tokio::time::timeout(LAST_WORDS, writer).await {
            Ok(done) => done.unwrap_or_else(|error| Err(io::Error::other(error))),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        },
    };
    let (events, format) = written.map_err(CliError::Output)?;
    for received in events.rest(result.last_seq) {
        write(&received, &format).map_err(CliError::Output)?;
    }
    Ok(exit_code(&result, terminated))
}

/// Writes events until the run is over; gives back what may still be behind.
async fn write_all(mut events: Events, format: Format) -> io::Result<(Events, Format)> {
    while let Some(received) = events.next().await {
        // A pipe that is not read must not hold up the signals.
        tokio::task::block_in_place(|| write(&received, &format))?;
    }
    Ok((events, format))
}

fn write(received: &Received, format: &Format) -> io::Result<()> {
    let text = match format {
        Format::Json => json_line(received)?,
        Format::Lines(texts) => lines::lines(received, texts),
    };
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn json_line(received: &Received) -> io::Result<String> {
    match received {
        Received::Event(sent) => Ok(format!("{}\n", sent.line)),
        Received::Line(line) => Ok(format!("{line}\n")),
        Received::Lost { events, why } => Err(io::Error::other(format!(
            "{events} events could not be read back from the journal: {why}"
        ))),
    }
}

fn tell(text: &str) {
    // With stderr gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

fn exit_code(result: &StepResult, terminated: bool) -> u8 {
    match &result.failure {
        None => EXIT_DONE,
        Some(Failure::Interrupted) if terminated => EXIT_TERMINATED,
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
