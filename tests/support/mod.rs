//! What the tests share: the real program as a child, the scripted model as its server.
#![allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "each test program takes in the whole file and uses its own part"
)]

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use flower::agent::scripted::{Scenario, ScriptedServer};
use serde_json::Value;

/// Longest any single wait of a test may take; only a broken program reaches it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How every scenario of these tests begins; its rules follow.
pub const HEAD: &str = "
model: claude-test
window: 200000
usage: { floor_tokens: 0, chars_per_token: 4 }
task: { zh: 干, en: work }
rules:
";

/// What a rule answers when the prompt does not fit.
pub const OVERFLOW: &str = "error: { status: 400, type: invalid_request_error, message: 'prompt is too long: 205123 tokens > 200000 maximum' }";

/// The first finished swap of a run.
pub fn done(ended: &Ended) -> &Value {
    ended
        .kind("handoff")
        .into_iter()
        .find(|e| e["phase"] == "done")
        .unwrap()
}

/// A scripted model on loopback, alive as long as this is.
pub struct Model {
    runtime: tokio::runtime::Runtime,
    server: ScriptedServer,
}

impl Model {
    /// Starts a scenario given as text.
    pub fn start(scenario: &str) -> Self {
        let scenario = Scenario::load(scenario, Path::new("test.yaml")).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime
            .block_on(ScriptedServer::start(scenario, 0.0))
            .unwrap();
        Self { runtime, server }
    }

    pub fn base_url(&self) -> String {
        self.server.base_url()
    }

    /// Bodies of the message requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.server.requests()
    }
}

/// All text of one message, blocks joined.
pub fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|b| b["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

/// The text of a request's first message.
pub fn first_message(request: &Value) -> String {
    text_of(&request["messages"][0])
}

/// A folder to work in and a home without any settings.
pub struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("work")).unwrap();
        std::fs::create_dir_all(root.path().join("home")).unwrap();
        Self { root }
    }

    pub fn work(&self) -> PathBuf {
        self.root.path().join("work").canonicalize().unwrap()
    }

    /// The program with a clean environment.
    pub fn flower<I, S>(&self, args: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flower"));
        let home = self.root.path().join("home");
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", &home)
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// `flower run --json ARGS` against a scripted model.
    pub fn run<I, S>(&self, model: &Model, args: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.flower(["run", "--json"]);
        command
            .args(args)
            .env("ANTHROPIC_BASE_URL", model.base_url())
            .env("ANTHROPIC_API_KEY", "sk-test-0123456789");
        command
    }

    /// The rows of the manifest.
    pub fn manifest(&self) -> Vec<Value> {
        let path = self.work().join(".flower/runs/manifest.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    /// The messages of a session's transcript.
    pub fn transcript(&self, session: &str) -> Vec<Value> {
        let path = self
            .work()
            .join(format!(".flower/runs/sessions/{session}.jsonl"));
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["type"] == "message")
            .collect()
    }

    /// The current handoff of the default step.
    pub fn handoff(&self) -> PathBuf {
        self.work().join(".flower/notes/交接-干活.md")
    }
}

/// A program under way whose events are read as they come.
pub struct Running {
    pub child: Child,
    lines: Receiver<String>,
    pub events: Vec<Value>,
}

/// What is left of a program that ended.
pub struct Ended {
    pub status: ExitStatus,
    pub events: Vec<Value>,
    pub stderr: String,
}

impl Ended {
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// The events of one kind.
    pub fn kind(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|e| e["kind"] == kind).collect()
    }

    /// The phases of all handoff events, in order.
    pub fn phases(&self) -> Vec<String> {
        self.kind("handoff")
            .iter()
            .map(|e| e["phase"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The last event, which must be the result.
    pub fn result(&self) -> &Value {
        let last = self
            .events
            .last()
            .unwrap_or_else(|| panic!("no events; stderr: {}", self.stderr));
        assert_eq!(last["kind"], "result", "stderr: {}", self.stderr);
        last
    }

    /// Checks what every run's events must fulfil.
    pub fn check_events(&self) {
        let numbers: Vec<u64> = self
            .events
            .iter()
            .map(|e| e["seq"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, (1..=self.events.len() as u64).collect::<Vec<_>>());
        assert_eq!(self.kind("result").len(), 1);
        self.result();
    }
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            lines,
            events: Vec::new(),
        }
    }

    /// Waits for the first event that `wanted` accepts.
    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(error) => {
                    let _ = self.child.kill();
                    let mut stderr = String::new();
                    let _ = self
                        .child
                        .stderr
                        .take()
                        .unwrap()
                        .read_to_string(&mut stderr);
                    panic!("{error}; events: {:#?}; stderr: {stderr}", self.events);
                }
            };
            let event: Value = serde_json::from_str(&line).unwrap();
            self.events.push(event.clone());
            if wanted(&event) {
                return event;
            }
        }
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits for the end.
    pub fn end(mut self) -> Ended {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.events
                .push(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}")));
        }
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        let status = self.child.wait().unwrap();
        Ended {
            status,
            events: self.events,
            stderr,
        }
    }
}

/// Runs a program to its end.
pub fn run_to_end(command: Command) -> Ended {
    Running::start(command).end()
}
