//! What people, disks, servers and other runs do to a run: the real program against the scripted model.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

mod support;

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{
    Ended, HEAD, Model, OVERFLOW, PATIENCE, Place, Running, done, first_message, run_to_end,
};

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

#[test]
fn every_line_of_a_journal_is_an_event_again() {
    let model = Model::start(&crossing());
    let place = Place::new();
    let (running, _) = in_review(&place, &model);
    let ended = swap(running);
    let run = ended.events[0]["run"].as_str().unwrap();
    let path = format!(".flower/runs/events/{run}.jsonl");
    let journal = std::fs::read_to_string(place.work().join(path)).unwrap();
    for line in journal.lines() {
        let event: flower::Event = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
    }
    assert_eq!(journal.lines().count(), ended.events.len());
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
            .map(|n| format!(
                "      - name: read\n        input:\n          path: n{n}-{}\n",
                "x".repeat(100)
            ))
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
    assert!(text.contains("> read n1200-"), "{text}");
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

const KEY: &str = "sk-test-0123456789";

/// Whether any file below a folder holds a word.
fn holds(folder: &std::path::Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holds(&path, word)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(word)
        }
    })
}

#[test]
fn the_own_key_is_in_no_event_and_no_file() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: env
    at_turn: 1
    answer: 钥匙是 {KEY}
    tools: [{{ name: bash, input: {{ command: 'printf %s \"$ANTHROPIC_API_KEY\" | tee /dev/stderr; : {KEY}' }} }}]
  - name: cut
    once: true
    answer: 又是 {KEY} 再说几句话
    cut_after_events: 6
  - name: end
    answer: '结果 {{{{last_result}}}}'
"
    ));
    let place = Place::new();
    let task = format!("用 {KEY} 干");
    let ended = run_to_end(place.run(&model, full(&[&task])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let all = format!("{:?} {}", ended.events, ended.stderr);
    assert!(!all.contains(KEY), "{all}");
    assert!(all.contains("sk-t…"), "{all}");
    assert!(!holds(&place.work().join(".flower"), KEY));
    let sent: Vec<String> = model.requests().iter().map(Value::to_string).collect();
    assert!(sent.iter().all(|request| !request.contains(KEY)));
}

#[test]
fn a_bad_address_or_key_is_told_at_the_start_without_its_password() {
    let place = Place::new();
    let url = "http://me:pass0word@127.0.0.1:9/";
    for window in [&[][..], &["--window", "200k"]] {
        for (url, key, code) in [
            (url, KEY, 2),
            ("nonsense", KEY, 2),
            ("http://127.0.0.1:9", "a\nb-secret", 3),
        ] {
            let mut command = place.flower(["run", "干", "-v", "--base-url", url]);
            command.args(window).env("ANTHROPIC_API_KEY", key);
            let ended = run_to_end(command);
            assert_eq!(ended.code(), code, "{url} {window:?}: {}", ended.stderr);
            assert!(!ended.stderr.contains("pass0word") && !ended.stderr.contains("me:"));
        }
    }
    for (url, key, code) in [
        (url, Some(KEY), 2),
        ("http://127.0.0.1:9", Some("a\nb-secret"), 3),
    ] {
        let mut command = place.flower(["doctor", "--base-url", url]);
        command.envs(key.map(|key| ("ANTHROPIC_API_KEY", key)));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(code), "doctor {url}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("pass0word"));
    }
    let keyless = place
        .flower(["run", "干", "--base-url", url])
        .output()
        .unwrap();
    assert_eq!(keyless.status.code(), Some(3));
    let told = String::from_utf8(keyless.stderr).unwrap();
    assert!(
        told.contains("127.0.0.1:9") && !told.contains("pass0word"),
        "{told}"
    );
}

/// A session at the mark whose writing turn is cut with the given text.
fn cut_writing(text: &str) -> String {
    format!(
        "{HEAD}
  - name: w
    said: 请现在就写交接书
    stop_reason: max_tokens
    usage: {{ input_tokens: 153000, output_tokens: 32000 }}
    answer: \"{text}\"
  - name: successor
    first: 现在在做什么
    answer: 做完了。
  - name: cross
    usage: {{ input_tokens: 152000 }}
    answer: 看看。
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
"
    )
}

#[test]
fn a_handoff_cut_before_its_last_section_is_no_handoff() {
    let four = "## 现在在做什么\\n修\\n## 已经定下的\\n- 留着\\n## 走不通的路\\n- 也留着\\n## 下一步\\n把 par";
    let (place, model) = (Place::new(), Model::start(&cut_writing(four)));
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let done = done(&ended);
    assert_eq!(done["degraded"], true);
    assert!(done["why"].as_str().unwrap().contains("cut off"));
    assert_eq!(done["sections"]["decided"], "- 留着");
    assert_eq!(done["sections"]["deadends"], "- 也留着");
    assert_eq!(
        model.requests().len(),
        5,
        "the writing turn is tried three times"
    );
}

#[test]
fn a_handoff_cut_in_its_last_section_is_used_with_a_warning() {
    let five = "## 现在在做什么\\n修\\n## 已经定下的\\n(空)\\n## 走不通的路\\n(空)\\n## 下一步\\n改\\n## 现场\\nsrc/pa";
    let (place, model) = (Place::new(), Model::start(&cut_writing(five)));
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(done(&ended)["degraded"], false);
    assert_eq!(done(&ended)["sections"]["scene"], "src/pa");
    assert_warned(&ended, &["output limit cut the handoff"]);
}

#[test]
fn an_answer_above_a_learned_window_brings_the_former_one_back() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: more
    first: '降级:交接没写成'
    at_turn: 1
    usage: {{ input_tokens: 140000 }}
    answer: 看看。
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
  - name: end
    first: '降级:交接没写成'
    usage: {{ input_tokens: 141000 }}
    answer: 做完了。
  - name: full
    error: {{ status: 400, type: invalid_request_error, message: 'prompt is too long: 130000 tokens > 128000 maximum' }}
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, full(&["干"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let usage: Vec<(&Value, &Value)> = ended
        .kind("usage")
        .iter()
        .map(|e| (&e["window"], &e["at"]))
        .collect();
    let (window, at) = (Value::from(200_000), Value::from(150_000));
    assert_eq!(usage, [(&window, &at), (&window, &at)]);
    let swaps = ended.phases().iter().filter(|p| *p == "done").count();
    assert_eq!(swaps, 1, "140,000 is not due in 200,000");
    assert_warned(&ended, &["140.0K", "128K", "200K"]);
}

#[test]
fn a_document_that_takes_much_of_the_window_is_told_of() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let (running, path) = in_review(&place, &model);
    let text = std::fs::read_to_string(&path).unwrap();
    let long = text.replace("- 调大超时", &format!("- {}", "长".repeat(60_000)));
    std::fs::write(&path, long).unwrap();
    let ended = swap(running);
    assert_warned(&ended, &["the handoff takes about", "200K"]);
}

#[test]
fn folders_and_pipes_in_place_of_records_are_set_aside() {
    for kind in ["folder", "pipe"] {
        let (place, model) = (Place::new(), Model::start(&ending("做完了。")));
        let runs = place.work().join(".flower/runs");
        std::fs::create_dir_all(&runs).unwrap();
        for name in ["manifest.json", "lineage.json"] {
            put(kind, &runs.join(name));
        }
        let ended = run_to_end(place.run(&model, ["干"]));
        assert_eq!(ended.code(), 0, "{kind}: {}", ended.stderr);
        for name in ["manifest.json.bad", "lineage.json.bad"] {
            assert_warned(&ended, &[name]);
            assert!(runs.join(name).exists());
        }
        assert_eq!(place.manifest().len(), 1);

        let session = ended.result()["session_id"].as_str().unwrap();
        let transcript = runs.join(format!("sessions/{session}.jsonl"));
        std::fs::remove_file(&transcript).unwrap();
        put(kind, &transcript);
        let again = run_to_end(place.run(&model, ["再干"]));
        assert_eq!(again.code(), 0, "{kind}: {}", again.stderr);

        put(kind, &place.work().join("flower.yaml"));
        let refused = run_to_end(place.run(&model, ["再干"]));
        assert_eq!(refused.code(), 2, "{kind}");
        assert!(refused.stderr.contains("flower.yaml"), "{}", refused.stderr);
    }
}

fn put(kind: &str, path: &std::path::Path) {
    if kind == "folder" {
        std::fs::create_dir(path).unwrap();
    } else {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
}

#[test]
fn links_out_of_the_workspace_are_refused() {
    for part in [
        "",
        "notes",
        "notes/archive",
        "runs",
        "runs/sessions",
        "runs/events",
        "runs/.lock",
        "spill",
    ] {
        let (place, model) = (Place::new(), Model::start(&ending("做完了。")));
        let outside = tempfile::tempdir().unwrap();
        let link = place.work().join(".flower").join(part);
        let link = PathBuf::from(link.to_str().unwrap().trim_end_matches('/'));
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        let ended = run_to_end(place.run(&model, ["干"]));
        assert_eq!(ended.code(), 2, "{part:?}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("leads out of the workspace"),
            "{}",
            ended.stderr
        );
        assert_eq!(
            std::fs::read_dir(outside.path()).unwrap().count(),
            0,
            "{part:?}"
        );
        if part == "runs" {
            let named = outside.path().to_str().unwrap();
            let ended = run_to_end(place.run(&model, ["干", "-r", named]));
            assert_eq!(ended.code(), 0, "the person's own word: {}", ended.stderr);
            std::fs::remove_file(&link).unwrap();
            std::os::unix::fs::symlink(outside.path(), place.work().join("there")).unwrap();
            std::fs::write(place.work().join("flower.yaml"), "run_dir: there\n").unwrap();
            let ended = run_to_end(place.run(&model, ["干"]));
            assert_eq!(ended.code(), 2, "the workspace's word: {}", ended.stderr);
        }
    }
}

#[test]
fn the_demo_writes_through_no_link() {
    let place = Place::new();
    let outside = tempfile::tempdir().unwrap();
    for name in ["src", "tests"] {
        std::os::unix::fs::symlink(outside.path(), place.work().join(name)).unwrap();
    }
    let output = place
        .flower(["demo", "--json", "--speed", "0", "-w", "."])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_hang_up_that_was_ignored_stays_ignored() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: slow
    at_turn: 1
    tools: [{{ name: bash, input: {{ command: 'until [ -e go ]; do sleep 0.05; done' }} }}]
  - name: end
    answer: 做完了。
"
    ));
    let place = Place::new();
    let mut command = Command::new("nohup");
    command
        .arg(env!("CARGO_BIN_EXE_flower"))
        .args(["run", "--json", "干", "--permission", "full"])
        .current_dir(place.work())
        .env("ANTHROPIC_BASE_URL", model.base_url())
        .env("ANTHROPIC_API_KEY", "k")
        .env("HOME", place.work());
    let mut running = Running::start(command);
    running.wait_for(|e| e["kind"] == "tool_call");
    running.signal("HUP");
    std::fs::write(place.work().join("go"), "").unwrap();
    let ended = running.end();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
}

#[test]
fn a_limit_on_the_size_of_files_is_like_a_full_disk() {
    let (place, model) = (Place::new(), Model::start(&ending(&"长".repeat(4_000))));
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!(
            "ulimit -f 8; exec '{}' run --json 干",
            env!("CARGO_BIN_EXE_flower")
        ))
        .current_dir(place.work())
        .env("ANTHROPIC_BASE_URL", model.base_url())
        .env("ANTHROPIC_API_KEY", "k")
        .env("HOME", place.work());
    let ended = run_to_end(command);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_warned(&ended, &["could not be written"]);
}

#[test]
fn without_a_workbench_nothing_is_written_wherever_runs_would_go() {
    let (place, model) = (Place::new(), Model::start(&ending("做完了。")));
    let ended = run_to_end(place.run(&model, ["干", "--no-workbench", "-r", "runs-here"]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(std::fs::read_dir(place.work()).unwrap().count(), 0);
}

#[test]
fn a_refused_continuation_makes_no_folders() {
    let (place, model) = (Place::new(), Model::start(&ending("做完了。")));
    for args in [&["--continue"][..], &["--resume", "no-such-run"]] {
        let ended = run_to_end(place.run(&model, args));
        assert_eq!(ended.code(), 2, "{args:?}");
        assert_eq!(std::fs::read_dir(place.work()).unwrap().count(), 0);
    }
}

#[test]
fn calls_with_ids_that_are_taken_or_names_that_are_none_are_answered() {
    let model = Model::start(&ending("做完了。"));
    let target = model.base_url();
    let place = Place::new();
    let (server, url) = twice_the_same_call(target);
    let mut command = place.run(&model, full(&["干"]));
    command.env("ANTHROPIC_BASE_URL", url);
    let ended = run_to_end(command);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    drop(server);
    let calls: Vec<&Value> = ended.kind("tool_call").iter().map(|e| &e["id"]).collect();
    let results: Vec<&Value> = ended.kind("tool_result").iter().map(|e| &e["id"]).collect();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls, results);
    let unique: std::collections::BTreeSet<String> =
        calls.iter().map(|id| id.to_string()).collect();
    assert_eq!(unique.len(), 3);
    // The scripted model refuses what the real API would refuse.
    assert_eq!(model.requests().len(), 1);
}

/// A server that answers first with three calls under one id, one of them without a name, and then
/// passes everything on to another one.
fn twice_the_same_call(target: String) -> (std::thread::JoinHandle<()>, String) {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let target = target.trim_start_matches("http://").to_owned();
    let event = |data: Value| {
        format!(
            "event: {}\ndata: {data}\n\n",
            data["type"].as_str().unwrap()
        )
    };
    let mut body = event(
        serde_json::json!({"type": "message_start", "message": {"id": "m", "type": "message",
        "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}}),
    );
    for (index, name) in ["bash", "bash", ""].into_iter().enumerate() {
        body.push_str(&event(
            serde_json::json!({"type": "content_block_start", "index": index,
            "content_block": {"type": "tool_use", "id": "same", "name": name, "input": {}}}),
        ));
        body.push_str(&event(
            serde_json::json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "input_json_delta", "partial_json": "{\"command\":\"echo x\"}"}}),
        ));
        body.push_str(&event(
            serde_json::json!({"type": "content_block_stop", "index": index}),
        ));
    }
    body.push_str(&event(
        serde_json::json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 9}}),
    ));
    body.push_str(&event(serde_json::json!({"type": "message_stop"})));
    let server = std::thread::spawn(move || {
        let mut first = true;
        for connection in listener.incoming() {
            let mut client = connection.unwrap();
            let mut head = Vec::new();
            let mut buffer = [0; 65_536];
            while !head.windows(4).any(|w| w == b"\r\n\r\n") {
                let read = client.read(&mut buffer).unwrap_or(0);
                if read == 0 {
                    break;
                }
                head.extend_from_slice(&buffer[..read]);
            }
            if first && head.starts_with(b"POST") {
                first = false;
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                client.write_all(answer.as_bytes()).unwrap();
                // The rest of the request is read, or closing would reset the answer.
                let _ = client.shutdown(std::net::Shutdown::Write);
                while client.read(&mut buffer).unwrap_or(0) > 0 {}
                continue;
            }
            let mut server = TcpStream::connect(&target).unwrap();
            server.write_all(&head).unwrap();
            let (mut a, mut b) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut a, &mut b));
            std::thread::spawn(move || std::io::copy(&mut server, &mut client));
        }
    });
    (server, url)
}
