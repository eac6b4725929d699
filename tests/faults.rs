//! What people, disks, servers and other runs do to a run: the real program against the scripted model.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

mod support;

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Ended, Model, PATIENCE, Place, Running, first_message, run_to_end};

const HEAD: &str = "
model: claude-test
window: 200000
usage: { floor_tokens: 0, chars_per_token: 4 }
task: { zh: 干, en: work }
rules:
";

const HANDOFF: &str = r"
  - name: handoff
    said: 请现在就写交接书
    usage: { input_tokens: 158000 }
    answer: |
      ## 现在在做什么
      修测试，做到一半。
      ## 走不通的路
      - 调大超时：没用，不是慢。
      ## 下一步
      把 parse 里的下标改对。
      ## 现场
      src/parse.sh
";

const OVERFLOW: &str = "error: { status: 400, type: invalid_request_error, message: 'prompt is too long: 205123 tokens > 200000 maximum' }";

/// A session that crosses the mark on its first answer, hands over, and a successor that ends.
fn crossing() -> String {
    format!(
        "{HEAD}{HANDOFF}
  - name: successor
    first: 现在在做什么
    usage: {{ input_tokens: 9000 }}
    answer: 接着干完了。
  - name: cross
    usage: {{ input_tokens: 152000 }}
    answer: 看看。
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
"
    )
}

/// A session that answers once, with the given text.
fn ending(answer: &str) -> String {
    format!("{HEAD}\n  - name: end\n    answer: {answer}\n")
}

fn full<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["--permission", "full"], args].concat()
}

fn done(ended: &Ended) -> &Value {
    ended
        .kind("handoff")
        .into_iter()
        .find(|e| e["phase"] == "done")
        .unwrap()
}

fn warnings(ended: &Ended) -> Vec<String> {
    ended
        .kind("error")
        .iter()
        .filter(|e| e["class"] == "warning")
        .map(|e| e["message"].as_str().unwrap().to_owned())
        .collect()
}

fn assert_warned(ended: &Ended, words: &[&str]) {
    let all = warnings(ended);
    let fits = |warning: &String| words.iter().all(|word| warning.contains(word));
    assert!(all.iter().any(fits), "{words:?} in none of {all:#?}");
}

/// The files of the archive, by their text.
fn archived(place: &Place) -> Vec<String> {
    let folder = place.work().join(".flower/notes/archive/交接");
    let mut texts: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    texts.sort();
    texts
}

/// A run in a review, and its document.
fn in_review(place: &Place, model: &Model) -> (Running, PathBuf) {
    let mut running = Running::start(place.run(model, full(&["修好测试", "--review", "wait"])));
    let review = running.wait_for(|e| e["phase"] == "review");
    (running, PathBuf::from(review["path"].as_str().unwrap()))
}

/// Ends a review by an interrupt, which completes the swap.
fn swap(running: Running) -> Ended {
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.stderr);
    ended
}

#[test]
fn an_edit_that_names_another_step_is_read_and_never_written_over() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let (running, path) = in_review(&place, &model);
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text
        .replace("\"step\":\"干活\"", "\"step\":\"别的\"")
        .replace("没用，不是慢", "人改过的一句");
    assert_ne!(text, edited);
    std::fs::write(&path, &edited).unwrap();
    let ended = swap(running);
    assert_eq!(
        done(&ended)["sections"]["deadends"],
        "- 调大超时：人改过的一句。"
    );
    assert_eq!(done(&ended)["edited"], true);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
}

#[test]
fn a_broken_edit_that_cannot_be_archived_is_not_written_over() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let (running, path) = in_review(&place, &model);
    let archive = place.work().join(".flower/notes/archive");
    std::fs::remove_dir_all(&archive).unwrap();
    std::fs::write(&archive, "no folder").unwrap();
    let broken = "## 现在在做什么\n\n人写的，还没写完\n";
    std::fs::write(&path, broken).unwrap();
    let ended = swap(running);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
    assert_eq!(done(&ended)["path"], Value::Null);
    assert_eq!(done(&ended)["sections"]["next"], "把 parse 里的下标改对。");
    assert_warned(
        &ended,
        &["lacks a required section (next)", "left as it is"],
    );
}

#[test]
fn a_document_that_is_gone_or_unreadable_is_told_as_such() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let (running, path) = in_review(&place, &model);
    std::fs::remove_file(&path).unwrap();
    let ended = swap(running);
    assert_warned(&ended, &["is gone"]);
    assert_eq!(done(&ended)["path"], path.to_str().unwrap());
    assert!(std::fs::read_to_string(&path).unwrap().contains("下标改对"));

    let (place, model) = (Place::new(), Model::start(&crossing()));
    let (running, path) = in_review(&place, &model);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("inside"), "kept").unwrap();
    let ended = swap(running);
    assert_warned(&ended, &["cannot be read", "not an ordinary file"]);
    assert_eq!(done(&ended)["path"], Value::Null);
    assert_eq!(
        std::fs::read_to_string(path.join("inside")).unwrap(),
        "kept"
    );
}

/// A program whose output nobody reads yet.
fn unread(mut command: Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.unwrap().success());
}

/// Waits until the manifest says that the step ended.
fn wait_for_row(place: &Place) {
    let path = place.work().join(".flower/runs/manifest.json");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let rows: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if rows[0]["ok"].is_boolean() {
            return;
        }
        assert!(Instant::now() < deadline, "the run did not end: {rows}");
        std::thread::yield_now();
    }
}

fn wait(child: &mut Child) -> i32 {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        if Instant::now() >= deadline {
            let _ = child.kill();
            panic!("the program did not end");
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_slow_reader_gets_everything() {
    let (place, model) = (Place::new(), Model::start(&ending(&"长".repeat(70_000))));
    let mut child = unread(place.run(&model, ["干"]));
    wait_for_row(&place);
    // Longer than any grace period of the program: what is tested is that it has none.
    std::thread::sleep(Duration::from_millis(2_500));
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(wait(&mut child), 0);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["kind"], "result");
}

#[test]
fn signals_end_a_run_that_nobody_reads() {
    for (signals, code) in [
        (&["TERM"][..], 143),
        (&["INT", "INT"], 130),
        (&["HUP"], 143),
    ] {
        let (place, model) = (Place::new(), Model::start(&ending(&"长".repeat(70_000))));
        let mut child = unread(place.run(&model, ["干"]));
        wait_for_row(&place);
        for (number, name) in signals.iter().enumerate() {
            if number > 0 {
                // Two signals at once may be taken as one.
                std::thread::sleep(Duration::from_millis(200));
            }
            signal(&child, name);
        }
        assert_eq!(wait(&mut child), code, "{signals:?}");
    }
}

#[test]
fn a_run_without_files_and_without_a_reader_can_be_terminated() {
    let model = Model::start(&format!(
        "{HEAD}\n  - name: loop\n    answer: {}\n    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]\n",
        "长".repeat(60_000)
    ));
    let place = Place::new();
    let mut child = unread(place.run(&model, full(&["干", "--no-workbench", "--no-handoff"])));
    let deadline = Instant::now() + PATIENCE;
    while model.requests().len() < 3 {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    signal(&child, "TERM");
    assert_eq!(wait(&mut child), 143);
}

#[test]
fn the_end_of_a_run_counts_more_than_a_reader_that_leaves_after_it() {
    let (place, model) = (Place::new(), Model::start(&ending(&"长".repeat(70_000))));
    let mut child = unread(place.run(&model, ["干"]));
    wait_for_row(&place);
    drop(child.stdout.take());
    assert_eq!(wait(&mut child), 0);
}

#[test]
fn readable_lines_stay_readable_when_the_reader_is_slow() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: end
    last_call: n1200
    answer: 完了。
  - name: many
    tools:
{}",
        (1..=1_200)
            .map(|n| format!("      - name: read\n        input:\n          path: n{n}\n"))
            .collect::<String>()
    ));
    let place = Place::new();
    let mut command = place.flower(["run", "干", "--lang", "zh"]);
    command
        .env("ANTHROPIC_BASE_URL", model.base_url())
        .env("ANTHROPIC_API_KEY", "k");
    let mut child = unread(command);
    wait_for_row(&place);
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(wait(&mut child), 0);
    assert!(!text.contains("\"kind\""), "raw JSON in {text}");
    assert!(text.contains("> read n1200\n"), "{text}");
    assert!(text.contains("完了。"));
}

/// A model whose first session stays in its answer.
fn silent() -> String {
    format!(
        "{HEAD}
  - name: silent
    first: 第一件
    once: true
    hang: true
  - name: end
    answer: 做完了。
"
    )
}

#[test]
fn a_second_run_of_a_step_takes_another_name_for_itself() {
    let (place, model) = (Place::new(), Model::start(&silent()));
    let mut first = Running::start(place.run(&model, ["第一件"]));
    first.wait_for(|e| e["kind"] == "session");
    let second = run_to_end(place.run(&model, ["第二件"]));
    assert_eq!(second.code(), 0, "{}", second.stderr);
    assert_eq!(second.kind("step")[0]["step"], "干活-2");
    assert_eq!(second.kind("session")[0]["resumed"], false);
    assert_warned(&second, &["干活", "another run", "干活-2"]);
    assert_eq!(first_message(model.requests().last().unwrap()), "第二件");

    let refused = run_to_end(place.run(&model, ["--continue"]));
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains("another run"), "{}", refused.stderr);
    assert!(refused.events.is_empty());

    first.signal("TERM");
    first.end();
    let third = run_to_end(place.run(&model, ["--continue"]));
    assert_eq!(
        third.kind("step")[0]["step"],
        "干活",
        "the name is free again"
    );
}

#[test]
fn a_run_killed_in_its_review_goes_on_from_the_document_as_it_is_now() {
    for name in ["KILL", "TERM"] {
        let (place, model) = (Place::new(), Model::start(&crossing()));
        let (running, path) = in_review(&place, &model);
        let text = std::fs::read_to_string(&path).unwrap();
        let edited = text.replace("没用，不是慢", "人改过的一句");
        std::fs::write(&path, &edited).unwrap();
        running.signal(name);
        let killed = running.end();
        let session = killed.kind("session")[0]["session_id"].clone();
        let again = run_to_end(place.run(&model, full(&["--continue"])));
        assert_eq!(again.code(), 0, "{name}: {}", again.stderr);
        assert_eq!(again.phases(), Vec::<String>::new(), "{name}");
        let begun = again.kind("session")[0].clone();
        assert_ne!(begun["session_id"], session);
        assert_eq!(begun["resumed"], true);
        assert_eq!(begun["generation"], 2);
        let first = first_message(model.requests().last().unwrap());
        assert!(first.contains("人改过的一句"), "{first}");
        assert_warned(&again, &["handed over"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), edited);
        assert_eq!(archived(&place), Vec::<String>::new());
        assert_eq!(place.manifest()[1]["resumed"], true);
    }
}

#[test]
fn a_degraded_document_keeps_the_first_task_and_the_latest_words() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: successor
    first: '降级:交接没写成'
    answer: 好。
  - name: full
    said: 第三件
    {OVERFLOW}
  - name: end
    answer: 做完了。
"
    ));
    let place = Place::new();
    for words in ["第一件要做的事", "第二件"] {
        run_to_end(place.run(&model, [words]));
    }
    let ended = run_to_end(place.run(&model, ["第三件要改的"]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let scene = done(&ended)["sections"]["scene"].as_str().unwrap();
    assert!(scene.starts_with("第一件要做的事"), "{scene}");
    assert!(
        scene.contains("最后的话") && scene.contains("第三件要改的"),
        "{scene}"
    );
}

#[test]
fn a_lost_session_without_a_handoff_begins_its_task_anew() {
    let (place, model) = (Place::new(), Model::start(&ending("做完了。")));
    let first = run_to_end(place.run(&model, ["第一件要做的事"]));
    let session = first.result()["session_id"].as_str().unwrap();
    let path = format!(".flower/runs/sessions/{session}.jsonl");
    std::fs::remove_file(place.work().join(path)).unwrap();
    let again = run_to_end(place.run(&model, ["接着干"]));
    assert_eq!(again.code(), 0, "{}", again.stderr);
    assert_warned(&again, &["begun anew"]);
    assert!(
        warnings(&again)
            .iter()
            .all(|w| !w.contains("its last handoff is used"))
    );
    let message = first_message(model.requests().last().unwrap());
    assert!(
        message.contains("第一件要做的事") && message.contains("接着干"),
        "{message}"
    );
}
