//! The `bash` tool. In goes a command line; out comes what it printed, stdout and stderr in
//! order and cut in the middle when long, and how it ended.

use std::io::PipeReader;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::place::Places;
use super::reaper::{Group, Groups, Programs};
use super::spill::Output;
use super::{Reply, ToolError};

/// What a command is run with.
pub(super) struct Bash<'a> {
    pub(super) programs: &'a Programs,
    pub(super) groups: &'a Groups,
    pub(super) places: &'a Places,
    pub(super) spill_dir: Option<&'a Path>,
    pub(super) cap: usize,
}

/// The longest time limit a model may ask for.
pub(super) const LONGEST: Duration = Duration::from_secs(3600);

/// How long output is still read after the shell is gone: enough for `> >(tee log)`, too short
/// to be felt when a background process holds the pipe.
const LINGER: Duration = Duration::from_millis(250);

/// How long a command that is told to end may take; its reaper sends KILL after two seconds.
const GRACE: Duration = Duration::from_secs(3);

enum End {
    Exited(ExitStatus),
    TimedOut,
}

impl Bash<'_> {
    pub(super) async fn run(&self, command: &str, limit: Duration) -> Result<Reply, ToolError> {
        let failed = |error: std::io::Error| {
            let hint = match error.kind() {
                std::io::ErrorKind::ArgumentListTooLong => {
                    ": the command is too long for one argument; write it to a script and run that"
                }
                _ => "",
            };
            ToolError::new(format!(
                "the command could not be started in {}: {error}{hint}",
                self.places.root().display()
            ))
        };
        let (group, mut child, pipe) = self
            .groups
            .start(self.programs, command, self.places.root())
            .map_err(failed)?;
        let mut pipe = receiver(pipe).map_err(failed)?;
        let mut output = Output::new(self.cap, self.spill_dir);
        let started = Instant::now();
        let end = until_end(&mut child, &mut pipe, &mut output, started + limit).await?;
        let ending = match end {
            End::Exited(status) => {
                drain(&mut pipe, &mut output, Instant::now() + LINGER).await;
                exited(status)
            }
            End::TimedOut => {
                stop(&group, &mut child, &mut pipe, &mut output).await;
                (
                    format!(
                        "stopped at its time limit of {} s; the output is what it printed until then",
                        limit.as_secs_f64()
                    ),
                    true,
                )
            }
        };
        let id = group.id();
        let left = group.leave();
        Ok(self.report(output, ending, left.then_some(id)).await)
    }

    async fn report(&self, output: Output, ending: (String, bool), left: Option<i32>) -> Reply {
        let (ending, failed) = ending;
        let (mut text, kept) = output.finish().await;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let silent = if text.is_empty() { ", no output" } else { "" };
        text.push_str(&format!("[{ending}{silent}]"));
        if let Some(kept) = kept {
            text.push_str(&match kept {
                Ok(file) if file.cut => format!(
                    "\n[the first {} bytes of the output are in {}]",
                    file.bytes,
                    self.places.shown(&file.path)
                ),
                Ok(file) => format!(
                    "\n[the whole output is in {}]",
                    self.places.shown(&file.path)
                ),
                Err(error) => format!("\n[the whole output could not be kept: {error}]"),
            });
        }
        if let Some(id) = left {
            text.push_str(&format!(
                "\n[processes still run in the background, in process group {id}; they end with the run]"
            ));
        }
        Reply { text, failed }
    }
}

fn receiver(pipe: PipeReader) -> std::io::Result<Receiver> {
    Receiver::from_owned_fd(pipe.into())
}

/// Reads until the shell is gone, whoever else still holds the pipe, or the time is up.
async fn until_end(
    child: &mut Child,
    pipe: &mut Receiver,
    output: &mut Output,
    deadline: Instant,
) -> Result<End, ToolError> {
    let mut buffer = vec![0; 64 * 1024];
    let mut open = true;
    loop {
        tokio::select! {
            biased;
            () = sleep_until(deadline) => return Ok(End::TimedOut),
            status = child.wait() => {
                return status.map(End::Exited).map_err(|error| {
                    ToolError::new(format!("the command's end could not be learned: {error}"))
                });
            }
            read = pipe.read(&mut buffer), if open => match read {
                Ok(0) | Err(_) => open = false,
                Ok(length) => output.push(&buffer[..length]).await,
            },
        }
    }
}

async fn drain(pipe: &mut Receiver, output: &mut Output, deadline: Instant) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(Ok(length)) = timeout_at(deadline, pipe.read(&mut buffer)).await {
        if length == 0 {
            break;
        }
        output.push(&buffer[..length]).await;
        // A read that is ready wins against a deadline that is over.
        if Instant::now() >= deadline {
            break;
        }
    }
}

/// Ends the whole group and keeps reading meanwhile, so that last words are not lost and nobody
/// hangs in a full pipe.
async fn stop(group: &Group, child: &mut Child, pipe: &mut Receiver, output: &mut Output) {
    group.stop();
    let deadline = Instant::now() + GRACE;
    // An error means that the time is up; then only KILL is left.
    let _ = until_end(child, pipe, output, deadline).await;
    while group.alive() && Instant::now() < deadline {
        drain(pipe, output, Instant::now() + Duration::from_millis(20)).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    if group.alive() {
        group.kill();
        let _ = timeout_at(Instant::now() + GRACE, child.wait()).await;
    }
    drain(pipe, output, Instant::now() + LINGER).await;
}

fn exited(status: ExitStatus) -> (String, bool) {
    let name = |number: i32| match Signal::try_from(number) {
        Ok(signal) => format!("signal {number}, {signal}"),
        Err(_) => format!("signal {number}"),
    };
    match (status.code(), status.signal()) {
        (Some(code), _) if code > 128 && Signal::try_from(code - 128).is_ok() => {
            // What a shell reports for a program that a signal ended.
            (format!("exit status {code}: {}", name(code - 128)), true)
        }
        (Some(code), _) => (format!("exit status {code}"), code != 0),
        (None, Some(number)) => (format!("killed by {}", name(number)), true),
        (None, None) => (format!("ended: {status}"), true),
    }
}

#[cfg(test)]
mod tests;
