//! What a user types and sees: every command of this version, and every error with its exit code.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

mod support;

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use support::{Place, run_to_end};

fn output(place: &Place, args: &[&str]) -> Output {
    place.flower(args).output().unwrap()
}

fn with_stdin(place: &Place, args: &[&str], text: &[u8]) -> Output {
    let mut child = place
        .flower(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json_of(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn policy_says_where_the_marks_are_and_why() {
    let place = Place::new();
    let rows: &[(&[&str], Value)] = &[
        (
            &["--window", "200k"],
            json!([200_000, "flag", 50_000, 150_000, 130_000]),
        ),
        (
            &["--window", "200_000", "--headroom", "0"],
            json!([200_000, "flag", 0, 200_000, 180_000]),
        ),
        (
            &["--window", "1m"],
            json!([1_000_000, "flag", 50_000, 950_000, 930_000]),
        ),
        (
            &["--window", "40000"],
            json!([40_000, "flag", 50_000, 10_000, 1_000]),
        ),
        (
            &["--model", "claude-haiku-4-5"],
            json!([200_000, "name", 50_000, 150_000, 130_000]),
        ),
        (
            &["--model", "claude-haiku[1m]"],
            json!([1_000_000, "name", 50_000, 950_000, 930_000]),
        ),
        (&[], json!([1_000_000, "default", 50_000, 950_000, 930_000])),
    ];
    for (args, expected) in rows {
        let args = [&["policy", "--json"], *args].concat();
        let report = json_of(&output(&place, &args));
        let found = ["window", "source", "headroom", "at", "warn_at"].map(|key| &report[key]);
        assert_eq!(json!(found), *expected, "{args:?}");
        assert_eq!(report["max_generations"], 8);
    }
}

#[test]
fn the_window_follows_flags_environment_files_and_names_in_that_order() {
    let place = Place::new();
    std::fs::write(place.work().join("flower.yaml"), "window: 300k\n").unwrap();
    let ask = |env: &[(&str, &str)], args: &[&str]| {
        let mut command = place.flower(["policy", "--json"]);
        command.args(args).envs(env.iter().copied());
        let report = json_of(&command.output().unwrap());
        (report["window"].clone(), report["source"].clone())
    };
    assert_eq!(
        ask(&[("FLOWER_WINDOW", "400k")], &["--window", "500k"]),
        (json!(500_000), json!("flag"))
    );
    assert_eq!(
        ask(&[("FLOWER_WINDOW", "400k")], &[]),
        (json!(400_000), json!("env"))
    );
    for ignored in ["0", "-1", "lots", ""] {
        assert_eq!(
            ask(&[("FLOWER_WINDOW", ignored)], &[]),
            (json!(300_000), json!("config"))
        );
    }
    std::fs::write(
        place.work().join("flower.yaml"),
        "windows: { 'claude-*': 222k }\n",
    )
    .unwrap();
    assert_eq!(
        ask(&[("ANTHROPIC_MODEL", "claude-x")], &[]),
        (json!(222_000), json!("config"))
    );
    assert_eq!(
        ask(&[("ANTHROPIC_MODEL", "some-haiku")], &[]),
        (json!(200_000), json!("name"))
    );
    assert_eq!(
        ask(
            &[
                ("ANTHROPIC_MODEL", ""),
                ("ANTHROPIC_DEFAULT_OPUS_MODEL", "haiku")
            ],
            &[]
        ),
        (json!(200_000), json!("name"))
    );
}

#[test]
fn handoff_documents_are_parsed_checked_and_printed() {
    let place = Place::new();
    let whole = "## Doing\nfix it\n## Next\nrun the tests\n## Dead ends\n- no\n";
    std::fs::write(place.work().join("whole.md"), whole).unwrap();
    std::fs::write(place.work().join("half.md"), "## Doing\nfix it\n").unwrap();
    let parsed = json_of(&output(&place, &["handoff", "parse", "--json", "whole.md"]));
    assert_eq!(
        parsed,
        json!({
            "doing": "fix it", "decided": "", "deadends": "- no", "next": "run the tests", "scene": "",
            "missing": [], "complete": true, "degraded": false,
        })
    );
    let parsed = json_of(&with_stdin(
        &place,
        &["handoff", "parse", "--json", "-"],
        b"\xff\xfe nothing",
    ));
    assert_eq!(parsed["missing"], json!(["doing", "next"]));
    assert_eq!(parsed["complete"], false);
    let codes: Vec<Option<i32>> = ["whole.md", "half.md"]
        .iter()
        .map(|file| output(&place, &["handoff", "check", file]).status.code())
        .collect();
    assert_eq!(codes, [Some(0), Some(1)]);
    let printed = text(&output(&place, &["handoff", "render", "whole.md"]).stdout);
    let again = with_stdin(&place, &["handoff", "render", "-"], printed.as_bytes());
    assert_eq!(text(&again.stdout), printed);
}

#[test]
fn explain_names_the_class_the_numbers_and_the_knob() {
    let place = Place::new();
    let rows = [
        (
            "prompt is too long: 205123 tokens > 200000 maximum",
            json!(["overflow", true, 200_000, 205_123]),
        ),
        (
            "HTTP 401 authentication_error: invalid x-api-key",
            json!(["fatal", false, null, null]),
        ),
        ("Overloaded (529)", json!(["transient", false, null, null])),
        (
            "the cat sat on the mat",
            json!(["unknown", false, null, null]),
        ),
    ];
    for (error, expected) in rows {
        let told = json_of(&output(&place, &["explain", "--json", error]));
        let found = ["class", "overflow", "limit", "used"].map(|key| &told[key]);
        assert_eq!(json!(found), expected, "{error}");
        assert!(!told["advice"].as_str().unwrap().is_empty());
    }
    let told = json_of(&with_stdin(
        &place,
        &["explain", "--json", "-"],
        "上下文过长".as_bytes(),
    ));
    assert_eq!(told["class"], "overflow");
}

#[test]
fn help_completions_and_the_manual_are_there() {
    let place = Place::new();
    let help = text(&output(&place, &["--help"]).stdout);
    for word in [
        "run",
        "demo",
        "policy",
        "handoff",
        "explain",
        "doctor",
        "Examples",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word} is not in the help");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = output(&place, &["completions", shell]);
        assert!(script.status.success() && script.stdout.len() > 1_000);
    }
    let page = output(&place, &["man"]);
    assert!(text(&page.stdout).contains(".TH flower 1"));
}

/// Each error: what is typed, the exit code, and words its one sentence must hold.
#[test]
fn errors_say_what_where_why_and_what_to_do() {
    let place = Place::new();
    std::fs::write(place.work().join("bad.yaml"), "window: 200k\nwindwo: 1\n").unwrap();
    std::fs::write(
        place.work().join("size.yaml"),
        "headroom: 5k\nwindow: lots\n",
    )
    .unwrap();
    std::fs::write(place.work().join("a-file"), "").unwrap();
    let rows: &[(&[&str], i32, &[&str])] = &[
        (&["run", "x"], 3, &["ANTHROPIC_API_KEY", "flower demo"]),
        (&["run"], 2, &["TASK"]),
        (&["run", ""], 2, &["empty"]),
        (
            &["policy", "--config", "bad.yaml"],
            2,
            &["bad.yaml:2", "windwo", "window"],
        ),
        (
            &["policy", "--config", "size.yaml"],
            2,
            &["size.yaml:2", "window"],
        ),
        (&["policy", "--config", "none.yaml"], 2, &["none.yaml"]),
        (&["policy", "--window", "0"], 2, &["--window"]),
        (&["policy", "--window", "-5"], 2, &["--window"]),
        (&["policy", "--window", ""], 2, &["--window"]),
        (&["policy", "--window", "many"], 2, &["--window", "200k"]),
        (&["policy", "--headroom", "-1"], 2, &["--headroom"]),
        (&["policy", "--colour"], 2, &["--colour"]),
        (&["run", "x", "--review", "soon"], 2, &["--review"]),
        (&["run", "x", "--permission", "yolo"], 2, &["--permission"]),
        (&["run", "x", "--max-turns", "0"], 2, &["--max-turns"]),
        (
            &["run", "x", "--max-budget-usd", "0"],
            2,
            &["--max-budget-usd"],
        ),
        (
            &["run", "x", "--backend", "openai"],
            2,
            &["--backend openai", "not there yet"],
        ),
        (&["run", "x", "--backend", "acp"], 2, &["not there yet"]),
        (
            &["run", "x", "--max-degraded", "2"],
            2,
            &["--max-degraded", "not there yet"],
        ),
        (
            &["run", "x", "--agent-command", "y"],
            2,
            &["--agent-command", "not there yet"],
        ),
        (&["do it"], 3, &["ANTHROPIC_API_KEY", "flower demo"]),
        (&["archive", "list"], 2, &["archive", "not there yet"]),
        (&["handoff", "parse", "none.md"], 2, &["none.md"]),
        (&["explain", " "], 2, &["no text"]),
        (&["demo", "--scenario", "none.yaml"], 2, &["none.yaml"]),
        (&["demo", "--speed", "-1"], 2, &["--speed"]),
    ];
    for (args, code, words) in rows {
        let output = output(&place, args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{args:?}: {message}");
        assert!(output.stdout.is_empty(), "{args:?} wrote to stdout");
        for word in *words {
            assert!(message.contains(word), "{args:?}: no {word:?} in {message}");
        }
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn a_workspace_that_cannot_be_used_is_refused_before_anything_is_sent() {
    let place = Place::new();
    std::fs::write(place.work().join("a-file"), "").unwrap();
    for (args, word) in [
        (["run", "x", "-w", "none"], "none"),
        (["run", "x", "-w", "a-file"], "a-file"),
        (["run", "x", "-w", "/proc"], "/proc"),
    ] {
        let mut command = place.flower(args);
        command
            .env("ANTHROPIC_API_KEY", "k")
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
            .env("FLOWER_WINDOW", "200k");
        let output = command.output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains(word) && message.contains("-w"),
            "{message}"
        );
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
}

#[test]
fn a_server_that_is_down_is_named_with_what_to_do() {
    let place = Place::new();
    let output = place
        .flower(["doctor"])
        .env("ANTHROPIC_API_KEY", "sk-ant-0123456789")
        .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        .output()
        .unwrap();
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert!(report.contains("http://127.0.0.1:9"), "{report}");
    assert!(report.contains("sk-a…"), "{report}");
    assert!(!report.contains("0123456789"), "{report}");
}

#[test]
fn a_budget_without_prices_is_refused() {
    let place = Place::new();
    let output = place
        .flower(["run", "x", "--max-budget-usd", "1"])
        .env("ANTHROPIC_API_KEY", "k")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("prices"));
}

fn demo(place: &Place, args: &[&str]) -> support::Ended {
    let mut command = place.flower(["demo", "--json", "--speed", "0", "-w", "sample"]);
    // Nothing of the person's settings counts.
    command
        .args(args)
        .env("ANTHROPIC_API_KEY", "real-key-never-used")
        .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("FLOWER_WINDOW", "12345");
    std::fs::write(place.work().join("flower.yaml"), "window: 50k\n").unwrap();
    run_to_end(command)
}

#[test]
fn the_demo_goes_through_a_whole_swap_and_ends_with_passing_tests() {
    for lang in ["zh", "en"] {
        let place = Place::new();
        let ended = demo(&place, &["--lang", lang]);
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        ended.check_events();
        assert_eq!(ended.phases(), ["near", "writing", "done"]);
        let sample = place.work().join("sample");
        let tests = std::process::Command::new("sh")
            .arg("tests/run.sh")
            .current_dir(&sample)
            .output()
            .unwrap();
        assert!(tests.status.success(), "{}", text(&tests.stdout));
        let swap = *ended.kind("handoff").last().unwrap();
        assert_eq!(swap["window"], 200_000);
        let dead_ends = swap["sections"]["deadends"].as_str().unwrap();
        assert!(!dead_ends.trim().is_empty());
        // The successor quotes what it was handed.
        let done_at = swap["seq"].as_u64().unwrap();
        let first = dead_ends.lines().next().unwrap();
        let quoted = ended.kind("text").iter().any(|e| {
            e["seq"].as_u64().unwrap() > done_at && e["text"].as_str().unwrap().contains(first)
        });
        assert!(quoted, "nobody quotes {first:?}");
        assert!(sample.join(".flower/runs/manifest.json").exists());
        assert!(sample.join(".flower/notes/交接-干活.md").exists());
        assert!(ended.result()["cost_usd"].as_f64().unwrap() > 0.0);
        assert_eq!(ended.result()["generations"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_hand_made_edit_reaches_the_demos_successor() {
    let place = Place::new();
    let mut command = place.flower([
        "demo", "--json", "--speed", "0", "-w", "sample", "--review", "3",
    ]);
    command.env("FLOWER_LANG", "zh");
    let mut running = support::Running::start(command);
    let review = running.wait_for(|e| e["phase"] == "review");
    let path = review["path"].as_str().unwrap();
    let document = std::fs::read_to_string(path).unwrap();
    let mark = "- 手写的一条：别碰 Makefile，上周试过";
    let edited = document.replace("## 走不通的路\n\n", &format!("## 走不通的路\n\n{mark}\n"));
    assert_ne!(document, edited);
    std::fs::write(path, edited).unwrap();
    let ended = running.end();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let quoted = ended
        .kind("text")
        .iter()
        .any(|e| e["text"].as_str().unwrap().contains("手写的一条"));
    assert!(quoted, "the successor does not quote the edit");
}

#[test]
fn the_demo_never_writes_into_a_used_folder() {
    let place = Place::new();
    assert_eq!(demo(&place, &[]).code(), 0);
    let again = demo(&place, &[]);
    assert_eq!(again.code(), 2);
    assert!(again.stderr.contains("sample"), "{}", again.stderr);
}

#[test]
fn the_demo_still_ends_well_without_handoffs_and_with_other_marks() {
    for args in [
        &["--no-handoff"][..],
        &["--headroom", "70k"],
        &["--window", "120k", "--headroom", "40k"],
        &["--window", "1m"],
    ] {
        let place = Place::new();
        let ended = demo(&place, args);
        assert_eq!(ended.code(), 0, "{args:?}: {:?}", ended.events.last());
    }
}
