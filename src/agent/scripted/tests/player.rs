//! A small agent that plays the built-in story: real requests, real files, a real shell.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::raw::{Got, post};
use crate::agent::scripted::{Scenario, ScriptedServer};

pub(super) const ZH_REQUEST: &str =
    "上下文快满了。请写一份交接:现在在做什么、已经定下的、走不通的路、下一步、现场。";
const EN_REQUEST: &str =
    "Write a handoff document now, with the sections Doing, Decided, Dead ends, Next and Scene.";

/// Who plays, and how.
pub(super) struct Player {
    pub(super) english: bool,
    /// Hand over from this context on.
    pub(super) at: u64,
    /// Changes the document before the successor reads it.
    pub(super) edit: fn(String) -> String,
    /// Said by a person beside the results of the nth answer of the run.
    pub(super) aside: Option<(usize, &'static str)>,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            english: false,
            at: 150_000,
            edit: |document| document,
            aside: None,
        }
    }
}

/// What was seen.
pub(super) struct Played {
    /// Readings of each generation, without those of writing turns.
    pub(super) readings: Vec<Vec<u64>>,
    pub(super) documents: Vec<String>,
    pub(super) texts: Vec<String>,
    pub(super) rules: Vec<String>,
    pub(super) wait_ms: u64,
    folder: tempfile::TempDir,
}

fn run_tests(folder: &Path) -> (bool, String) {
    let out = Command::new("sh")
        .arg("tests/run.sh")
        .current_dir(folder)
        .output()
        .unwrap();
    (out.status.success(), String::from_utf8(out.stdout).unwrap())
}

/// Runs one call; the text and whether it failed.
fn tool(folder: &Path, name: &str, input: &Value) -> (String, bool) {
    let field = |key: &str| input[key].as_str().unwrap();
    let place = || -> PathBuf { folder.join(field("path")) };
    match name {
        "bash" => {
            let out = Command::new("sh")
                .args(["-c", field("command")])
                .current_dir(folder)
                .output()
                .unwrap();
            let text = [out.stdout, out.stderr].concat();
            (String::from_utf8(text).unwrap(), !out.status.success())
        }
        "read" => match fs::read_to_string(place()) {
            Ok(text) => (text, false),
            Err(error) => (error.to_string(), true),
        },
        "write" => {
            fs::create_dir_all(place().parent().unwrap()).unwrap();
            fs::write(place(), field("content")).unwrap();
            ("written".to_owned(), false)
        }
        "edit" => {
            let text = fs::read_to_string(place()).unwrap();
            if text.matches(field("old")).count() != 1 {
                return ("`old` must occur exactly once".to_owned(), true);
            }
            fs::write(place(), text.replace(field("old"), field("new"))).unwrap();
            ("edited".to_owned(), false)
        }
        "plan" => {
            for item in input["items"].as_array().unwrap() {
                assert!(item["text"].is_string());
                assert!(["todo", "doing", "done"].contains(&item["status"].as_str().unwrap()));
            }
            ("noted".to_owned(), false)
        }
        other => panic!("the story calls {other}"),
    }
}

pub(super) fn request(messages: &[Value]) -> Value {
    let tools: Vec<Value> = ["bash", "read", "write", "edit", "search", "plan"]
        .map(|name| json!({"name": name, "description": "d".repeat(120), "input_schema": {"type": "object"}}))
        .into();
    json!({
        "model": "claude-demo", "max_tokens": 32_000, "stream": true, "messages": messages,
        "system": [{"type": "text", "text": "s".repeat(400), "cache_control": {"type": "ephemeral"}}],
        "tools": tools,
    })
}

fn context(got: &Got) -> u64 {
    let usage = got.usage();
    [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ]
    .map(|key| usage[key].as_u64().unwrap())
    .iter()
    .sum()
}

/// The successor's first message: the sections that say something, in a frame.
pub(super) fn opening(document: &str) -> String {
    let mut sections = String::new();
    for section in document.split("\n## ") {
        let section = section.trim_start_matches("## ");
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        if !body.trim().is_empty() {
            sections.push_str(&format!("## {heading}\n\n{}\n\n", body.trim()));
        }
    }
    format!(
        "你接手一件没做完的活,除了下面这份交接和磁盘,什么都不记得。\n\n{sections}从“下一步”接着做,不要从头来。"
    )
}

pub(super) async fn play(player: Player) -> Played {
    let scenario = Scenario::default_story();
    let folder = tempfile::tempdir().unwrap();
    scenario.write_workspace(folder.path()).unwrap();
    let (ok, before) = run_tests(folder.path());
    assert!(
        !ok && before.ends_with("tests: 2 passed, 4 failed\n"),
        "{before}"
    );
    let task = scenario.task_text(player.english).to_owned();
    let asking = if player.english {
        EN_REQUEST
    } else {
        ZH_REQUEST
    };
    let server = ScriptedServer::start(scenario, 0.0).await.unwrap();
    let mut played = Played {
        readings: vec![Vec::new()],
        documents: Vec::new(),
        texts: Vec::new(),
        rules: Vec::new(),
        wait_ms: 0,
        folder,
    };
    let mut messages = vec![json!({"role": "user", "content": task})];
    for answers in 1.. {
        assert!(answers < 80, "the story never ends");
        let got = post(&server, &request(&messages)).await;
        assert_eq!(got.status, 200, "{}", String::from_utf8_lossy(&got.body));
        let reading = context(&got);
        played.readings.last_mut().unwrap().push(reading);
        played.texts.push(got.text());
        let blocks = got.blocks();
        messages.push(json!({"role": "assistant", "content": blocks}));
        let calls: Vec<&Value> = blocks.iter().filter(|b| b["type"] == "tool_use").collect();
        if calls.is_empty() {
            break;
        }
        let due = reading >= player.at;
        let mut content: Vec<Value> = calls
            .iter()
            .map(|call| {
                let (text, failed) = match due {
                    true => ("not run: the session hands over".to_owned(), true),
                    false => tool(played.folder.path(), call["name"].as_str().unwrap(), &call["input"]),
                };
                json!({"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": failed})
            })
            .collect();
        if let Some((_, words)) = player.aside.filter(|(nth, _)| *nth == answers) {
            content.push(json!({"type": "text", "text": words}));
        }
        if due {
            content.push(json!({"type": "text", "text": asking}));
        }
        messages.push(json!({"role": "user", "content": content}));
        if due {
            let document = post(&server, &request(&messages)).await.text();
            let document = (player.edit)(document);
            messages = vec![json!({"role": "user", "content": opening(&document)})];
            played.documents.push(document);
            played.readings.push(Vec::new());
        }
    }
    for exchange in server.exchanges() {
        assert!(exchange.complete);
        played.wait_ms += exchange.wait_ms;
        played.rules.push(exchange.rule.unwrap());
    }
    let (ok, after) = run_tests(played.folder.path());
    assert!(
        ok && after.ends_with("tests: 6 passed, 0 failed\n"),
        "{after}\n{:#?}",
        played.rules
    );
    played
}
