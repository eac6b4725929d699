//! The `flower` program: reads the command line, calls the library, turns the outcome into an exit code.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use flower::cli::{self, args::Cli};
use flower::sanitize::sanitize;

fn main() -> ExitCode {
    let code = match cli::dispatch(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            let message = format!("flower: {error}\n");
            // With stderr gone there is nobody left to tell.
            let _ = std::io::stderr().write_all(sanitize(&message).as_bytes());
            error.exit_code()
        }
    };
    ExitCode::from(code)
}
