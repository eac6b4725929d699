//! `flower handoff`: documents in, sections or the canonical document out. Never uses the network.

use std::path::Path;

use serde::Serialize;

use super::args::HandoffAction;
use super::{CliError, EXIT_DONE, EXIT_FAILED, print, print_json, read_input};
use crate::handoff::Handoff;
use crate::sanitize::sanitize;

#[derive(Serialize)]
struct Parsed<'a> {
    doing: &'a str,
    decided: &'a str,
    deadends: &'a str,
    next: &'a str,
    scene: &'a str,
    missing: Vec<&'static str>,
    complete: bool,
    degraded: bool,
}

impl<'a> Parsed<'a> {
    fn of(handoff: &'a Handoff) -> Self {
        Self {
            doing: &handoff.doing,
            decided: &handoff.decided,
            deadends: &handoff.deadends,
            next: &handoff.next,
            scene: &handoff.scene,
            missing: handoff.missing(),
            complete: handoff.complete(),
            degraded: handoff.degraded(),
        }
    }
}

pub(super) fn handoff(action: &HandoffAction) -> Result<u8, CliError> {
    match action {
        HandoffAction::Parse { file, json } => {
            let handoff = load(file)?;
            if *json {
                return print_json(&Parsed::of(&handoff));
            }
            print(sanitize(&describe(&handoff)).as_bytes())
        }
        HandoffAction::Check { file } => {
            let handoff = load(file)?;
            let verdict = match (handoff.missing(), handoff.degraded()) {
                (missing, _) if !missing.is_empty() => {
                    format!("incomplete: missing {}\n", missing.join(", "))
                }
                (_, true) => "complete, degraded\n".to_owned(),
                (_, false) => "complete\n".to_owned(),
            };
            print(verdict.as_bytes())?;
            Ok(if handoff.complete() {
                EXIT_DONE
            } else {
                EXIT_FAILED
            })
        }
        HandoffAction::Render { file } => print(load(file)?.to_markdown().as_bytes()),
    }
}

fn load(file: &Path) -> Result<Handoff, CliError> {
    Ok(Handoff::parse(read_input(file)?))
}

fn describe(handoff: &Handoff) -> String {
    let missing = handoff.missing();
    let state = if missing.is_empty() {
        "complete".to_owned()
    } else {
        format!("missing: {}", missing.join(", "))
    };
    let degraded = if handoff.degraded() { ", degraded" } else { "" };
    format!("{}\n\n({state}{degraded})\n", handoff.prompt_block())
}
