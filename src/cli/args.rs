//! What a user may type. Definitions only; each subcommand has its own file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::{Backend, Lang, Permission, Review};
use crate::tokens;

const AFTER_HELP: &str = "\
Examples:
  flower demo --json                    a built-in story: no key, no network
  flower run \"fix the failing test\"     one task, readable lines
  flower run --continue                 go on where the last run stopped
  flower policy --window 200k --json    where the marks would be

A session hands over when its context reaches window - headroom: it writes five sections into
.flower/notes/, you may edit them, and a fresh session reads that file and goes on.

Exit codes: 0 done, 1 the step failed, 2 bad usage or config, 3 no or refused credentials,
130 interrupted, 143 terminated.";

/// Long agent runs that hand over to a fresh session instead of compacting.
#[derive(Debug, Parser)]
#[command(name = "flower", version, about, after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; opens the workbench.
    pub task: Option<String>,
    /// How to do it.
    #[command(flatten)]
    pub options: RunOptions,
    /// Something other than the workbench.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Do a task without a screen.
    Run(RunArgs),
    /// Watch a built-in story: a scripted model on loopback, a sample project, no key.
    Demo(DemoArgs),
    /// Print window, headroom and marks.
    Policy(PolicyArgs),
    /// Read, check or print a handoff document.
    Handoff(HandoffArgs),
    /// Say what an error text of a model server means and what to do about it.
    Explain(ExplainArgs),
    /// Check endpoint, model, credentials and window.
    Doctor(DoctorArgs),
    /// Browse the handoffs of earlier generations.
    Archive(LaterArgs),
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff).
    Man,
}

/// Options of a run.
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    /// Folder to work in [default: the current one].
    #[arg(short, long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Folder that runs are recorded in [default: WORKSPACE/.flower/runs].
    #[arg(short, long, value_name = "DIR")]
    pub run_dir: Option<PathBuf>,
    /// Config file instead of the user's own.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Who answers: anthropic; openai, claude-code, acp and demo are not there yet.
    #[arg(long, value_name = "NAME")]
    pub backend: Option<Backend>,
    /// Command of an ACP agent.
    #[arg(long, value_name = "CMD")]
    pub agent_command: Option<String>,
    /// Model name.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Address of the server, without /v1.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Context window in tokens, as 200000, 200_000, 200k or 1m.
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub window: Option<u64>,
    /// Tokens kept free below the window [default: 50k].
    #[arg(long, value_name = "SIZE", value_parser = size_or_zero, allow_negative_numbers = true)]
    pub headroom: Option<u64>,
    /// Swaps allowed for the step [default: 8].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_generations: Option<u32>,
    /// Stop after this many degraded handoffs in a row.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_degraded: Option<u32>,
    /// Never hand over.
    #[arg(long)]
    pub no_handoff: bool,
    /// Keep no files in the workspace; a handoff goes through the prompt only.
    #[arg(long)]
    pub no_workbench: bool,
    /// Time to edit the handoff before the swap: seconds, off, or wait [default without a screen: off].
    #[arg(long, value_name = "SECONDS|off|wait", allow_negative_numbers = true)]
    pub review: Option<Review>,
    /// Name of the step [default: 干活].
    #[arg(long, value_name = "NAME")]
    pub step: Option<String>,
    /// Begin a fresh session even if an earlier run could be continued.
    #[arg(long)]
    pub new: bool,
    /// What tools may do: ask, edit or full [default without a screen: edit].
    #[arg(long, value_name = "MODE")]
    pub permission: Option<Permission>,
    /// Stop when this much is spent.
    #[arg(long, value_name = "USD", value_parser = money, allow_negative_numbers = true)]
    pub max_budget_usd: Option<f64>,
    /// Stop after this many answers.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub max_turns: Option<u64>,
    /// Language of the interface: zh or en.
    #[arg(long, value_name = "LANG")]
    pub lang: Option<Lang>,
    /// Print endpoint, model, masked token and window on stderr first.
    #[arg(short, long)]
    pub verbose: bool,
}

/// `flower run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What to do; `-` reads it from stdin, `@file` in it includes that file.
    #[arg(required_unless_present_any = ["go_on", "resume"])]
    pub task: Option<String>,
    /// Events as JSON lines on stdout.
    #[arg(long)]
    pub json: bool,
    /// Go on with the last session of this step without new words.
    #[arg(long = "continue", conflicts_with_all = ["new", "task"])]
    pub go_on: bool,
    /// Go on with that run's last session.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["new", "go_on"])]
    pub resume: Option<String>,
    /// How to do it.
    #[command(flatten)]
    pub options: RunOptions,
}

/// `flower demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Events as JSON lines on stdout.
    #[arg(long)]
    pub json: bool,
    /// How fast the story goes; 0 waits for nothing.
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed, allow_negative_numbers = true)]
    pub speed: f64,
    /// Another story.
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// How to do it.
    #[command(flatten)]
    pub options: RunOptions,
}

/// `flower policy`.
#[derive(Debug, Args)]
pub struct PolicyArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// Context window in tokens, as 200000, 200_000, 200k or 1m.
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub window: Option<u64>,
    /// Tokens kept free below the window.
    #[arg(long, value_name = "SIZE", value_parser = size_or_zero, allow_negative_numbers = true)]
    pub headroom: Option<u64>,
    /// Model name.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Where to look.
    #[command(flatten)]
    pub place: Place,
}

/// Where settings are looked for.
#[derive(Debug, Clone, Default, Args)]
pub struct Place {
    /// Folder whose flower.yaml counts [default: the current one].
    #[arg(short, long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Config file instead of the user's own.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `flower handoff`.
#[derive(Debug, Args)]
pub struct HandoffArgs {
    /// What to do with the document.
    #[command(subcommand)]
    pub action: HandoffAction,
}

/// What to do with a handoff document.
#[derive(Debug, Subcommand)]
pub enum HandoffAction {
    /// Print its sections; what is missing is said, not an error.
    Parse {
        /// The document; `-` is stdin.
        file: PathBuf,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Exit with 1 when a required section is missing.
    Check {
        /// The document; `-` is stdin.
        file: PathBuf,
    },
    /// Print the canonical document.
    Render {
        /// The document; `-` is stdin.
        file: PathBuf,
    },
}

/// `flower explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The error text; `-` is stdin.
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// `flower doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Model name.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Address of the server, without /v1.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Where to look.
    #[command(flatten)]
    pub place: Place,
}

/// A subcommand that is refused for now, whatever follows it.
#[derive(Debug, Args)]
pub struct LaterArgs {
    /// Anything.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<String>,
}

fn size(text: &str) -> Result<u64, String> {
    tokens::parse_size(text).map_err(|error| error.to_string())
}

fn size_or_zero(text: &str) -> Result<u64, String> {
    tokens::parse_size_or_zero(text).map_err(|error| error.to_string())
}

fn money(text: &str) -> Result<f64, String> {
    positive(text, "give an amount in USD above 0, as 2.50").and_then(|amount| {
        if amount > 0.0 {
            Ok(amount)
        } else {
            Err("give an amount in USD above 0, as 2.50".to_owned())
        }
    })
}

fn speed(text: &str) -> Result<f64, String> {
    positive(
        text,
        "give a factor such as 1, 2 or 0.5; 0 waits for nothing",
    )
}

fn positive(text: &str, advice: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(_) | Err(_) => Err(advice.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn values_are_read_or_refused_with_advice() {
        for bad in ["", "0", "-1", "NaN", "inf", "x"] {
            assert!(money(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "-1", "NaN", "inf", "x"] {
            assert!(speed(bad).is_err(), "{bad:?}");
        }
        assert_eq!(speed("0"), Ok(0.0));
        assert_eq!(money("2.5"), Ok(2.5));
    }
}
