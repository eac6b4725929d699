//! The command line: one file for each subcommand, each thin over the library.

pub mod args;
mod demo;
mod doctor;
mod explain;
mod handoff;
mod lines;
mod policy;
mod run;
mod screen;
mod session;
mod settings;

use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::CommandFactory;

use self::args::{Cli, Command};
use crate::agent::scripted::ScenarioError;
use crate::config::ConfigError;
use crate::model::error::ModelError;
use crate::runtime::RuntimeError;

/// Exit code: done.
pub const EXIT_DONE: u8 = 0;
/// Exit code: the step failed.
pub const EXIT_FAILED: u8 = 1;
/// Exit code: bad usage or config.
pub const EXIT_USAGE: u8 = 2;
/// Exit code: no or refused credentials, or no backend.
pub const EXIT_CREDENTIALS: u8 = 3;
/// Exit code: interrupted (128 + SIGINT).
pub const EXIT_INTERRUPTED: u8 = 130;
/// Exit code: terminated (128 + SIGTERM).
pub const EXIT_TERMINATED: u8 = 143;

/// Why a command ends without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Something that is planned but not there.
    #[error("{what} is not there yet; {instead}")]
    NotYet {
        /// What was asked for.
        what: &'static str,
        /// What to do for now.
        instead: &'static str,
    },
    /// What was typed does not make sense.
    #[error("{0}")]
    Usage(String),
    /// No key.
    #[error(
        "there is no key for {0}: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a gateway), or try `flower demo --json`, which needs none"
    )]
    NoCredentials(String),
    /// A config file.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A scenario file.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The run could not begin.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The server.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file named on the command line.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Output that goes nowhere.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// Something of this machine.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl CliError {
    /// The exit code it leads to.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotYet { .. }
            | Self::Usage(_)
            | Self::Config(_)
            | Self::Scenario(_)
            | Self::Read { .. } => EXIT_USAGE,
            Self::NoCredentials(_) => EXIT_CREDENTIALS,
            // Nothing was asked yet: it is the address or the key as the person gave it.
            Self::Model(error) | Self::Runtime(RuntimeError::Model(error)) if error.credentials => {
                EXIT_CREDENTIALS
            }
            Self::Model(_) | Self::Runtime(_) => EXIT_USAGE,
            Self::Output(_) | Self::System { .. } => EXIT_FAILED,
        }
    }
}

/// Does what was asked for and returns the exit code.
///
/// # Errors
/// [`CliError`], whose message is for people and whose code is the exit code.
pub fn dispatch(cli: Cli) -> Result<u8, CliError> {
    match cli.command {
        None => screen::screen(cli.task, &cli.options),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Demo(args)) => demo::demo(args),
        Some(Command::Policy(args)) => policy::policy(&args),
        Some(Command::Handoff(args)) => handoff::handoff(&args.action),
        Some(Command::Explain(args)) => explain::explain(&args),
        Some(Command::Doctor(args)) => doctor::doctor(&args),
        Some(Command::Archive(_)) => Err(CliError::NotYet {
            what: "the archive browser",
            instead: "look into .flower/notes/archive/交接/ for now",
        }),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "flower", &mut script);
            print(&script)
        }
        Some(Command::Man) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut page)
                .map_err(CliError::Output)?;
            print(&page)
        }
    }
}

/// Writes to stdout. A reader that has seen enough is no error.
fn print(bytes: &[u8]) -> Result<u8, CliError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        Ok(()) | Err(_) => Ok(EXIT_DONE),
    }
}

/// Writes a value as one line of JSON.
fn print_json(value: &impl serde::Serialize) -> Result<u8, CliError> {
    let mut bytes = serde_json::to_vec(value).map_err(|e| CliError::Output(e.into()))?;
    bytes.push(b'\n');
    print(&bytes)
}

/// Reads a file, or stdin for `-`.
fn read_input(path: &std::path::Path) -> Result<Vec<u8>, CliError> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|source| CliError::Read {
        path: path.to_owned(),
        source,
    })
}
