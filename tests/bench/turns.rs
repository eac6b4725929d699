//! What flower adds to a model's own time: the built-in story without a screen, by the times of its events.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::distribution;

/// Runs of the story; each has about twenty turns and one swap.
const RUNS: usize = 10;

/// A turn: from the last result of a tool to the usage of the next answer, which the scripted model
/// gives at once. A swap: from the request for the handoff to the successor that has read it, and on
/// to the first usage of the successor.
pub(super) fn overhead() {
    let (mut turns, mut swaps, mut resumed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (mut result, mut writing, mut done) = (None, None, None);
        for event in story() {
            let at = time_ms(&event);
            match (event["kind"].as_str().unwrap(), event["phase"].as_str()) {
                ("tool_result", _) => result = Some(at),
                ("usage", _) => {
                    turns.extend(result.take().map(|began| at - began));
                    resumed.extend(done.take().map(|began| at - began));
                }
                ("handoff", Some("writing")) => {
                    result = None;
                    writing = Some(at);
                }
                ("handoff", Some("done")) => {
                    swaps.extend(writing.take().map(|began| at - began));
                    done = Some(at);
                }
                _ => {}
            }
        }
    }
    distribution("turn_overhead", turns, "ms");
    distribution("swap_overhead", swaps, "ms");
    distribution("successor_overhead", resumed, "ms");
}

fn story() -> Vec<Value> {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_flower"))
        .args(["demo", "--json", "--speed", "0", "--review", "off", "-w"])
        .arg(home.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The time of an event in milliseconds since 1970.
fn time_ms(event: &Value) -> f64 {
    let time: jiff::Timestamp = event["time"].as_str().unwrap().parse().unwrap();
    time.as_millisecond() as f64
}
