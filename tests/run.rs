//! The real program against the scripted model on loopback: real client, agent, tools, files.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{
    HEAD, Model, OVERFLOW, PATIENCE, Place, Running, done, first_message, run_to_end, text_of,
};

const HANDOFF: &str = r"
  - name: handoff
    said: 请现在就写交接书
    usage: { input_tokens: 158000 }
    answer: |
      ## 现在在做什么
      修测试，做到一半。
      ## 已经定下的
      - 不改接口：别人在用。
      ## 走不通的路
      - 调大超时：没用，不是慢。
      ## 下一步
      把 parse 里的下标改对。
      ## 现场
      src/parse.sh
";

/// A session that crosses the mark on its second answer, hands over, and a successor that ends.
fn crossing() -> String {
    format!(
        "{HEAD}
  - name: look
    at_turn: 1
    first: 修好测试
    usage: {{ input_tokens: 2000, cache_read_input_tokens: 133000 }}
    answer: 先看看。
    tools: [{{ name: bash, input: {{ command: 'echo looked' }} }}]
{HANDOFF}
  - name: cross
    first: 修好测试
    last_tool: bash
    usage: {{ input_tokens: 152000 }}
    answer: 再看看。
    tools: [{{ name: bash, input: {{ command: 'echo again' }} }}]
  - name: successor
    first: 现在在做什么
    usage: {{ input_tokens: 9000 }}
    answer: 接着干完了。
"
    )
}

fn full(args: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = ["--permission", "full"].map(str::to_owned).to_vec();
    all.extend(args.iter().map(|a| (*a).to_owned()));
    all
}

#[test]
fn the_successor_gets_the_sections_and_not_the_task() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let ended = run_to_end(place.run(&model, full(&["修好测试，秘密词 xyzzy"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    ended.check_events();
    assert_eq!(ended.phases(), ["near", "writing", "done"]);
    let requests = model.requests();
    let successor = first_message(requests.last().unwrap());
    for needed in [
        "修测试，做到一半。",
        "- 不改接口：别人在用。",
        "- 调大超时：没用，不是慢。",
        "把 parse 里的下标改对。",
        "src/parse.sh",
    ] {
        assert!(successor.contains(needed), "{needed} is not in {successor}");
    }
    assert!(!successor.contains("xyzzy"), "the task is repeated");

    let done = done(&ended);
    assert_eq!(done["degraded"], false);
    assert_eq!(done["why"], Value::Null);
    assert_eq!(done["edited"], false);
    assert_eq!(done["generation"], 2);
    assert_eq!(done["sections"]["deadends"], "- 调大超时：没用，不是慢。");
    assert_eq!(done["context"], 152_000);
    let path = place.handoff();
    assert_eq!(done["path"], path.to_str().unwrap());
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.starts_with("# 交接书(干活)\n"), "{text}");
    assert!(text.trim_end().ends_with("-->") && text.ends_with('\n'));

    let rows = place.manifest();
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!(row["ok"], true);
    assert_eq!(row["attempts"], 1);
    assert_eq!(row["retired"], serde_json::json!([done["from_session"]]));
    assert_eq!(row["session_id"], done["to_session"]);
    assert_eq!(row["generations"][0]["sha256"], done["sha256"]);
    assert_eq!(row["generations"][0]["peak"], 152_000);
    assert_eq!(row["generations"][1]["context"], 9_000);
    assert_eq!(row["num_turns"], 4);
    assert_eq!(row["text"], "接着干完了。");
    assert_eq!(ended.result()["generations"], row["generations"]);
    let lineage = std::fs::read(place.work().join(".flower/runs/lineage.json")).unwrap();
    let lineage: Value = serde_json::from_slice(&lineage).unwrap();
    assert_eq!(lineage["干活"], done["to_session"]);
}

#[test]
fn the_journal_holds_the_same_lines() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    let run = ended.events[0]["run"].as_str().unwrap();
    let path = place
        .work()
        .join(format!(".flower/runs/events/{run}.jsonl"));
    let journal: Vec<Value> = std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(journal, ended.events);
    assert!(ended.kind("text_delta").is_empty());
}

#[test]
fn the_writing_turn_is_not_cut_although_it_is_above_the_mark() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    let requests = model.requests();
    // Two turns, one writing turn (its usage, 158,000, is above the mark), one successor.
    assert_eq!(requests.len(), 4);
    let asked = text_of(requests[2]["messages"].as_array().unwrap().last().unwrap());
    assert!(
        asked.contains("152.0K") && asked.contains("200K"),
        "{asked}"
    );
    // Nobody's level, nobody's words: the writing turn shows in handoff events only.
    let contexts: Vec<&Value> = ended.kind("usage").iter().map(|e| &e["context"]).collect();
    assert_eq!(contexts, [135_000, 152_000, 9_000]);
    assert!(
        ended
            .kind("text")
            .iter()
            .all(|e| e["text"] != "## 现在在做什么")
    );
    // The tools of the crossing answer have run before the handoff was asked for.
    let results = ended.kind("tool_result");
    assert!(
        results.last().unwrap()["text"]
            .as_str()
            .unwrap()
            .starts_with("again\n")
    );
}

#[test]
fn a_finished_turn_that_crosses_is_not_handed_over() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: end
    usage: {{ input_tokens: 190000 }}
    answer: 做完了。
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干"]));
    assert_eq!(ended.code(), 0);
    assert_eq!(ended.phases(), ["near"]);
    assert_eq!(ended.result()["retired"], serde_json::json!([]));
    assert!(!place.handoff().exists());
}

#[test]
fn an_edit_during_the_review_arrives_byte_for_byte() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let mut running = Running::start(place.run(&model, full(&["修好测试", "--review", "3"])));
    let review = running.wait_for(|e| e["phase"] == "review");
    assert_eq!(review["deadline_s"], 3);
    let path = place.handoff();
    assert_eq!(review["path"], path.to_str().unwrap());
    let line = "- 改 include 顺序：  无效，\t宏已经展开了 👩\u{200d}🔬";
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text.replace("- 调大超时：没用，不是慢。", line);
    assert_ne!(text, edited);
    std::fs::write(&path, &edited).unwrap();
    let ended = running.end();
    assert_eq!(ended.phases(), ["near", "writing", "review", "done"]);
    let done = done(&ended);
    assert_eq!(done["edited"], true);
    assert_eq!(done["sections"]["deadends"], line);
    let successor = first_message(model.requests().last().unwrap());
    assert!(successor.contains(line), "{successor}");
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        edited,
        "the file is the person's"
    );
    assert_eq!(place.manifest()[0]["generations"][0]["edited"], true);
}

#[test]
fn an_edit_that_breaks_the_document_is_kept_and_the_last_complete_version_used() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let mut running = Running::start(place.run(&model, full(&["修好测试", "--review", "2"])));
    running.wait_for(|e| e["phase"] == "review");
    let broken = "# 交接书(干活)\n\n## 现在在做什么\n\n只剩这一段\n";
    std::fs::write(place.handoff(), broken).unwrap();
    let ended = running.end();
    assert_eq!(ended.code(), 0);
    let done = done(&ended);
    assert_eq!(done["sections"]["next"], "把 parse 里的下标改对。");
    assert_eq!(done["edited"], false);
    let warnings = ended.kind("error");
    assert!(
        warnings.iter().any(|e| e["class"] == "warning"
            && e["message"]
                .as_str()
                .unwrap()
                .contains("last complete version")),
        "{warnings:?}"
    );
    let archive = place.work().join(".flower/notes/archive/交接");
    let kept: Vec<String> = std::fs::read_dir(archive)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept, [broken]);
    assert!(
        std::fs::read_to_string(place.handoff())
            .unwrap()
            .contains("把 parse 里的下标改对。")
    );
}

#[test]
fn the_former_document_is_archived_with_the_same_bytes() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    std::fs::create_dir_all(place.handoff().parent().unwrap()).unwrap();
    let former = "# 交接书(干活)\n\n## 现在在做什么\n\n旧的\n\n## 下一步\n\n旧的\n";
    std::fs::write(place.handoff(), former).unwrap();
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    assert_eq!(ended.code(), 0);
    let archive = place.work().join(".flower/notes/archive/交接");
    let kept: Vec<String> = std::fs::read_dir(archive)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept, [former]);
}

/// A run of two answers whose first request fails in some way first.
fn troubled(trouble: &str) -> String {
    format!(
        "{HEAD}
  - name: trouble
    once: true
{trouble}
  - name: look
    at_turn: 1
    answer: 先看看。
    tools: [{{ name: bash, input: {{ command: 'echo looked' }} }}]
  - name: end
    answer: 做完了。
"
    )
}

#[test]
fn what_passes_is_tried_again_and_the_run_ends_done() {
    let rows = [
        (
            "529",
            "    error: { status: 529, type: overloaded_error, message: Overloaded }",
        ),
        (
            "500",
            "    error: { status: 500, type: api_error, message: Internal }",
        ),
        (
            "429",
            "    error: { status: 429, type: rate_limit_error, message: slow, retry_after: 0 }",
        ),
        ("reset", "    refuse: true"),
        (
            "error event",
            "    answer: 我先\n    stream_error: { type: overloaded_error, message: Overloaded }",
        ),
    ];
    for (name, trouble) in rows {
        let (place, model) = (Place::new(), Model::start(&troubled(trouble)));
        let ended = run_to_end(place.run(&model, full(&["干"])));
        assert_eq!(ended.code(), 0, "{name}: {}", ended.stderr);
        ended.check_events();
        assert_eq!(ended.kind("retry").len(), 1, "{name}");
        assert_eq!(ended.result()["attempts"], 2, "{name}");
        assert_eq!(
            place.manifest()[0]["errors"].as_array().unwrap().len(),
            1,
            "{name}"
        );
        // The conversation that is sent again knows nothing of the error.
        let last = model.requests().pop().unwrap();
        assert!(!last.to_string().contains("Overloaded"), "{name}");
    }
}

#[test]
fn retry_after_is_honoured() {
    let trouble =
        "    error: { status: 429, type: rate_limit_error, message: slow, retry_after: 2 }";
    let (place, model) = (Place::new(), Model::start(&troubled(trouble)));
    let began = Instant::now();
    let ended = run_to_end(place.run(&model, full(&["干"])));
    assert_eq!(ended.code(), 0);
    assert_eq!(ended.kind("retry")[0]["delay_ms"], 2_000);
    assert!(began.elapsed() >= Duration::from_secs(2));
}

#[test]
fn a_stream_cut_at_any_event_runs_no_tool_and_the_run_ends_done() {
    for events in 0..12 {
        let trouble = format!(
            "    answer: 我先建一个文件\n    tools: [{{ name: bash, input: {{ command: 'touch cut-tool-ran' }} }}]\n    \
             cut_after_events: {events}"
        );
        let (place, model) = (Place::new(), Model::start(&troubled(&trouble)));
        let ended = run_to_end(place.run(&model, full(&["干"])));
        assert_eq!(
            ended.code(),
            0,
            "cut after {events} events: {}",
            ended.stderr
        );
        ended.check_events();
        let cut = ended.kind("retry").len() == 1;
        let ran = place.work().join("cut-tool-ran").exists();
        assert_ne!(cut, ran, "after {events} events: cut {cut}, ran {ran}");
        if cut {
            assert_eq!(ended.result()["num_turns"], 2, "a cut answer is no turn");
        }
    }
}

#[test]
fn the_tokens_of_a_cut_answer_count_as_spent() {
    let trouble = "    answer: 我先看看这个很长的文件再说\n    usage: { input_tokens: 5000 }\n    cut_after_events: 4";
    let (place, model) = (Place::new(), Model::start(&troubled(trouble)));
    std::fs::write(
        place.work().join("flower.yaml"),
        "prices: { '*': { input: 1000000, output: 0, cache_read: 0, cache_write: 0 } }\n",
    )
    .unwrap();
    let ended = run_to_end(place.run(&model, full(&["干"])));
    let usage = ended.kind("usage");
    assert_eq!(usage[0]["partial"], true);
    assert_eq!(usage[0]["input"], 5_000);
    assert!(ended.result()["cost_usd"].as_f64().unwrap() >= 5_000.0);
    let texts = ended.kind("text");
    assert_eq!(texts[0]["partial"], true);
}

#[test]
fn a_refused_connection_is_tried_again() {
    let model = Model::start(&troubled("    answer: 好\n    at_turn: 9"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let place = Place::new();
    let mut command = place.run(&model, full(&["干"]));
    command.env("ANTHROPIC_BASE_URL", format!("http://{address}"));
    let mut running = Running::start(command);
    running.wait_for(|e| e["kind"] == "retry");
    let listener = TcpListener::bind(address).unwrap();
    let target = model.base_url().trim_start_matches("http://").to_owned();
    std::thread::spawn(move || forward(&listener, &target));
    let ended = running.end();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.result()["attempts"].as_u64().unwrap() >= 2);
}

/// Passes connections on to another address.
fn forward(listener: &TcpListener, target: &str) {
    for connection in listener.incoming() {
        let mut client = connection.unwrap();
        let mut server = TcpStream::connect(target).unwrap();
        let (mut from_client, mut to_server) =
            (client.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || copy(&mut from_client, &mut to_server));
        std::thread::spawn(move || copy(&mut server, &mut client));
    }
}

fn copy(from: &mut TcpStream, to: &mut TcpStream) {
    let mut buffer = [0; 8192];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
}

#[test]
fn a_server_that_stays_down_is_given_up_with_the_first_error() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: first
    once: true
    error: {{ status: 529, type: overloaded_error, message: the first reason, retry_after: 0 }}
  - name: down
    error: {{ status: 503, type: api_error, message: down, retry_after: 0 }}
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干"]));
    assert_eq!(ended.code(), 1);
    assert_eq!(model.requests().len(), 6);
    let error = ended.result()["error"].as_str().unwrap();
    assert!(
        error.contains("6 attempts") && error.contains("the first reason"),
        "{error}"
    );
}

#[test]
fn refused_credentials_stop_at_once() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: no
    error: {{ status: 401, type: authentication_error, message: 'invalid x-api-key sk-test-0123456789' }}
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干"]));
    assert_eq!(ended.code(), 3);
    assert_eq!(model.requests().len(), 1);
    let all = format!("{:?} {}", ended.events, ended.stderr);
    assert!(
        !all.contains("sk-test-0123456789"),
        "the key is shown: {all}"
    );
    let journal = place.work().join(".flower");
    assert!(!grep(&journal, "sk-test-0123456789"), "the key is on disk");
}

fn grep(folder: &std::path::Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            grep(&path, word)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(word)
        }
    })
}

#[test]
fn an_overflow_gives_a_degraded_handoff_and_a_new_session() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: successor
    first: '降级:交接没写成'
    usage: {{ input_tokens: 3000 }}
    answer: 看过了，做完了。
  - name: full
    first: 修好测试
    {OVERFLOW}
"
    ));
    let place = Place::new();
    let task = format!("修好测试 {}", "长".repeat(3_000));
    let ended = run_to_end(place.run(&model, [task.as_str()]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    ended.check_events();
    assert_eq!(ended.phases(), ["writing", "done"]);
    assert_eq!(model.requests().len(), 2, "an overflow is never sent again");
    let done = done(&ended);
    assert_eq!(done["degraded"], true);
    let why = done["why"].as_str().unwrap();
    assert!(why.contains("205123") && why.contains("200000"), "{why}");
    let start: String = task.chars().take(1_200).collect();
    assert!(
        done["sections"]["scene"]
            .as_str()
            .unwrap()
            .starts_with(&start)
    );
    assert!(
        done["sections"]["doing"]
            .as_str()
            .unwrap()
            .starts_with("[降级:交接没写成]")
    );
    let row = &place.manifest()[0];
    assert_eq!(row["attempts"], 1);
    let errors = row["errors"].to_string();
    assert!(errors.contains("交接降级("), "{errors}");
}

#[test]
fn an_overflow_teaches_the_window_to_the_next_generation() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: successor
    first: '降级:交接没写成'
    usage: {{ input_tokens: 90000 }}
    answer: 做完了。
  - name: full
    error: {{ status: 400, type: invalid_request_error, message: 'prompt is too long: 130000 tokens > 128000 maximum' }}
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干"]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let windows: Vec<(&Value, &Value)> = ended
        .kind("session")
        .iter()
        .map(|e| (&e["window"], &e["window_source"]))
        .collect();
    let (server, learned) = (Value::from("server"), Value::from("learned"));
    let (first, second) = (Value::from(200_000), Value::from(128_000));
    assert_eq!(windows, [(&first, &server), (&second, &learned)]);
    assert_eq!(ended.kind("usage")[0]["at"], 78_000);
    // What the person said is never overridden.
    let ended = run_to_end(place.run(&model, ["干", "--new", "--window", "200k"]));
    assert_eq!(ended.kind("session")[1]["window"], 200_000);
}

#[test]
fn the_first_task_is_still_known_when_a_later_run_goes_on() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: end
    at_turn: 1
    first: 第一件
    answer: 做完了。
  - name: successor
    first: '降级:交接没写成'
    answer: 好。
  - name: full
    {OVERFLOW}
"
    ));
    let place = Place::new();
    run_to_end(place.run(&model, ["第一件要做的事"]));
    let ended = run_to_end(place.run(&model, ["--continue"]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let scene = done(&ended)["sections"]["scene"].as_str().unwrap();
    assert!(scene.starts_with("第一件要做的事"), "{scene}");
}

#[test]
fn commands_run_only_where_the_config_allows_them() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: three
    at_turn: 1
    tools:
      - {{ name: bash, input: {{ command: 'echo allowed' }} }}
      - {{ name: bash, input: {{ command: 'echo a; touch broken-out' }} }}
      - {{ name: write, input: {{ path: inside.txt, content: x }} }}
      - {{ name: write, input: {{ path: ../outside.txt, content: x }} }}
  - name: end
    answer: 做完了。
"
    ));
    let place = Place::new();
    std::fs::write(place.work().join("flower.yaml"), "allow: [echo]\n").unwrap();
    let ended = run_to_end(place.run(&model, ["干"]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let failed: Vec<bool> = ended
        .kind("tool_result")
        .iter()
        .map(|e| e["is_error"].as_bool().unwrap())
        .collect();
    assert_eq!(failed, [false, true, false, true]);
    assert!(!place.work().join("broken-out").exists());
    assert!(place.work().join("inside.txt").exists());
    assert!(!place.work().join("../outside.txt").exists());
    let ended = run_to_end(place.run(&model, ["干", "--new", "--permission", "ask"]));
    let refused = ended.kind("tool_result")[2]["text"].as_str().unwrap();
    assert!(refused.contains("--permission"), "{refused}");
}

#[test]
fn verbose_tells_endpoint_model_masked_token_and_window_first() {
    let model = Model::start(&format!("{HEAD}\n  - name: end\n    answer: 好。\n"));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干", "-v", "--window", "200k"]));
    for word in [model.base_url().as_str(), "sk-t…", "200K", "--window"] {
        assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
    }
    assert!(!ended.stderr.contains("0123456789"));
}

#[test]
fn dead_ends_outlive_a_degraded_swap() {
    let model = Model::start(&format!(
        "{HEAD}
{HANDOFF}
  - name: third
    first: '降级:交接没写成'
    answer: 做完了。
  - name: begins
    first: 现在在做什么
    at_turn: 1
    usage: {{ input_tokens: 9000 }}
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
  - name: full
    first: 现在在做什么
    {OVERFLOW}
  - name: cross
    usage: {{ input_tokens: 152000 }}
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let last = *ended.kind("handoff").last().unwrap();
    assert_eq!(last["degraded"], true);
    assert_eq!(last["sections"]["deadends"], "- 调大超时：没用，不是慢。");
    assert_eq!(last["sections"]["decided"], "- 不改接口：别人在用。");
}

#[test]
fn the_second_overflow_in_a_row_stops_with_both_numbers() {
    let model = Model::start(&format!("{HEAD}\n  - name: full\n    {OVERFLOW}\n"));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干"]));
    assert_eq!(ended.code(), 1);
    assert_eq!(model.requests().len(), 2);
    let error = ended.result()["error"].as_str().unwrap();
    assert!(
        error.contains("205123") && error.contains("200000"),
        "{error}"
    );
    assert_eq!(ended.phases(), ["writing", "done"]);
    assert_eq!(ended.result()["retired"].as_array().unwrap().len(), 1);
}

#[test]
fn an_overflow_with_handoffs_off_says_so() {
    let model = Model::start(&format!("{HEAD}\n  - name: full\n    {OVERFLOW}\n"));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干", "--no-handoff"]));
    assert_eq!(ended.code(), 1);
    assert_eq!(model.requests().len(), 1);
    let error = ended.result()["error"].as_str().unwrap();
    assert!(error.contains("--no-handoff"), "{error}");
}

/// A session at the mark whose writing turn goes as given.
fn writing(rules: &str) -> String {
    format!(
        "{HEAD}
{rules}
  - name: successor
    first: 现在在做什么
    answer: 做完了。
  - name: cross
    first: 修好测试
    usage: {{ input_tokens: 152000 }}
    answer: 看看。
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
"
    )
}

#[test]
fn a_writing_turn_that_fails_is_replaced_by_a_degraded_document() {
    let half = "## 已经定下的\\n- 留着这条\\n## 走不通的路\\n- 也留着这条\\n";
    let rows = [
        (
            "overflow",
            format!("  - name: w\n    said: 请现在就写交接书\n    {OVERFLOW}"),
            1,
            "too full to write",
        ),
        (
            "bad request",
            "  - name: w\n    said: 请现在就写交接书\n    error: { status: 400, type: invalid_request_error, message: 'supported range is from 1 (inclusive) to 65537 (exclusive)' }".to_owned(),
            1,
            "65537",
        ),
        (
            "incomplete",
            format!("  - name: w\n    said: 请现在就写交接书\n    answer: \"{half}\""),
            3,
            "missing: doing, next",
        ),
        (
            "down",
            "  - name: w\n    said: 请现在就写交接书\n    error: { status: 503, type: api_error, message: gone }".to_owned(),
            3,
            "gone",
        ),
    ];
    for (name, rules, requests, why) in rows {
        let (place, model) = (Place::new(), Model::start(&writing(&rules)));
        let ended = run_to_end(place.run(&model, full(&["修好测试"])));
        assert_eq!(ended.code(), 0, "{name}: {}", ended.stderr);
        assert_eq!(ended.phases(), ["near", "writing", "done"], "{name}");
        let done = done(&ended);
        assert_eq!(done["degraded"], true, "{name}");
        let told = done["why"].as_str().unwrap();
        assert!(told.contains(why), "{name}: {told}");
        assert_eq!(model.requests().len(), 2 + requests, "{name}");
        if name == "incomplete" {
            assert_eq!(done["sections"]["decided"], "- 留着这条");
            assert_eq!(done["sections"]["deadends"], "- 也留着这条");
        }
    }
}

#[test]
fn tool_calls_of_the_writing_turn_are_not_run() {
    let rules = format!(
        "  - name: tempted
    said: 请现在就写交接书
    once: true
    tools: [{{ name: bash, input: {{ command: 'touch ran-while-writing' }} }}]
{HANDOFF}"
    );
    let (place, model) = (Place::new(), Model::start(&writing(&rules)));
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(done(&ended)["degraded"], false);
    assert!(!place.work().join("ran-while-writing").exists());
}

#[test]
fn exactly_the_allowed_swaps_happen() {
    let model = Model::start(&format!(
        "{HEAD}
{HANDOFF}
  - name: always-full
    usage: {{ input_tokens: 160000 }}
    answer: 看看。
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, full(&["干", "--max-generations", "3"])));
    assert_eq!(ended.code(), 1);
    let swaps = ended.phases().iter().filter(|p| *p == "done").count();
    assert_eq!(swaps, 3);
    assert_eq!(ended.result()["retired"].as_array().unwrap().len(), 3);
    assert_eq!(ended.result()["attempts"], 1);
    let error = ended.result()["error"].as_str().unwrap();
    assert!(
        error.contains("start-up floor") && error.contains("--no-handoff"),
        "{error}"
    );
    // Four generations of one turn each, and three writing turns.
    assert_eq!(ended.result()["num_turns"], 7);
}

#[test]
fn an_interrupt_leaves_every_tool_call_answered_and_the_run_can_go_on() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: two
    at_turn: 1
    answer: 两件事。
    tools:
      - {{ name: bash, input: {{ command: 'echo quick' }} }}
      - {{ name: bash, input: {{ command: 'sleep 300' }} }}
  - name: end
    answer: 做完了。
"
    ));
    let place = Place::new();
    let mut running = Running::start(place.run(&model, full(&["干"])));
    running.wait_for(|e| e["kind"] == "tool_call" && e["input"]["command"] == "sleep 300");
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.stderr);
    ended.check_events();
    let session = ended.result()["session_id"].as_str().unwrap().to_owned();
    let messages = place.transcript(&session);
    let last = messages.last().unwrap();
    let results = last["content"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert!(results[0]["text"].as_str().unwrap().starts_with("quick\n"));
    assert_eq!(results[1]["is_error"], true);
    assert!(results[1]["text"].as_str().unwrap().contains("interrupted"));
    assert_eq!(place.manifest()[0]["ok"], false);

    let again = run_to_end(place.run(&model, ["--continue", "--permission", "full"]));
    assert_eq!(again.code(), 0, "{}", again.stderr);
    assert_eq!(again.result()["session_id"], session.as_str());
    assert_eq!(place.manifest()[1]["resumed"], true);
}

#[test]
fn an_interrupt_during_the_review_completes_the_swap() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let mut running = Running::start(place.run(&model, full(&["修好测试", "--review", "wait"])));
    running.wait_for(|e| e["phase"] == "review");
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.stderr);
    assert_eq!(ended.phases(), ["near", "writing", "review", "done"]);
    assert_eq!(model.requests().len(), 3, "the successor has not begun");
    let again = run_to_end(place.run(&model, full(&["--continue"])));
    assert_eq!(again.code(), 0, "{}", again.stderr);
    assert_eq!(again.result()["session_id"], done(&ended)["to_session"]);
    assert!(first_message(model.requests().last().unwrap()).contains("调大超时"));
}

#[test]
fn a_termination_ends_the_run_with_its_result() {
    let model = Model::start(&format!("{HEAD}\n  - name: silent\n    hang: true\n"));
    let place = Place::new();
    let mut running = Running::start(place.run(&model, ["干"]));
    running.wait_for(|e| e["kind"] == "session");
    let began = Instant::now();
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.code(), 143, "{}", ended.stderr);
    ended.check_events();
    assert!(began.elapsed() < PATIENCE / 4);
    assert_eq!(place.manifest()[0]["ok"], false);
}

#[test]
fn a_killed_run_leaves_no_command_behind() {
    let mark = format!("3{}", std::process::id());
    let model = Model::start(&format!(
        "{HEAD}
  - name: slow
    tools: [{{ name: bash, input: {{ command: 'sleep {mark} & sleep {mark}; echo never' }} }}]
"
    ));
    let place = Place::new();
    let mut running = Running::start(place.run(&model, full(&["干"])));
    running.wait_for(|e| e["kind"] == "tool_call");
    let sleep = format!("sleep {mark}");
    wait_until(|| processes(&sleep) >= 2, "the command runs");
    running.signal("KILL");
    wait_until(|| processes(&sleep) == 0, "the command is gone");
}

/// How many processes have exactly this command line.
fn processes(command_line: &str) -> usize {
    let wanted = command_line.replace(' ', "\0");
    let is_wanted = |entry: std::fs::DirEntry| {
        let bytes = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim_end_matches('\0') == wanted
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .bytes()
                .all(|b| b.is_ascii_digit())
        })
        .filter(|_| true)
        .filter_map(|entry| is_wanted(entry).then_some(()))
        .count()
}

fn wait_until(holds: impl Fn() -> bool, what: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_used_workspace_goes_on_in_the_last_session_unless_told_otherwise() {
    let model = Model::start(&format!("{HEAD}\n  - name: end\n    answer: 做完了。\n"));
    let place = Place::new();
    let first = run_to_end(place.run(&model, ["第一件"]));
    let second = run_to_end(place.run(&model, ["第二件"]));
    let third = run_to_end(place.run(&model, ["第三件", "--new"]));
    let session = |ended: &support::Ended| ended.result()["session_id"].clone();
    assert_eq!(session(&first), session(&second));
    assert_ne!(session(&second), session(&third));
    let requests = model.requests();
    let texts: Vec<String> = requests[1]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(text_of)
        .collect();
    assert_eq!(texts, ["第一件", "做完了。", "第二件"]);
    assert_eq!(requests[2]["messages"].as_array().unwrap().len(), 1);
    let run = first.events[0]["run"].as_str().unwrap();
    let fourth = run_to_end(place.run(&model, ["--resume", run]));
    assert_eq!(session(&fourth), session(&first));
}

#[test]
fn a_lost_transcript_starts_from_the_last_handoff_and_says_so() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let ended = run_to_end(place.run(&model, full(&["修好测试"])));
    let session = ended.result()["session_id"].as_str().unwrap();
    let path = place
        .work()
        .join(format!(".flower/runs/sessions/{session}.jsonl"));
    std::fs::remove_file(path).unwrap();
    let again = run_to_end(place.run(&model, full(&["--continue"])));
    assert_eq!(again.code(), 0, "{}", again.stderr);
    assert!(first_message(model.requests().last().unwrap()).contains("调大超时"));
    assert!(
        again
            .kind("error")
            .iter()
            .any(|e| e["message"].as_str().unwrap().contains("last handoff"))
    );
}

#[test]
fn rules_and_mentioned_files_reach_the_model() {
    let model = Model::start(&format!("{HEAD}\n  - name: end\n    answer: 好。\n"));
    let place = Place::new();
    std::fs::write(place.work().join("AGENTS.md"), "只用制表符。\n").unwrap();
    std::fs::write(place.work().join("要求.txt"), "第三行要改\n").unwrap();
    let ended = run_to_end(place.run(&model, ["看 @要求.txt 再动手"]));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let first = first_message(&model.requests()[0]);
    assert!(first.contains("只用制表符。"), "{first}");
    assert!(first.contains("第三行要改"), "{first}");
}

#[test]
fn without_a_workbench_there_is_no_file_and_the_handoff_goes_through_the_prompt() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let ended = run_to_end(place.run(&model, full(&["修好测试", "--no-workbench"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    ended.check_events();
    assert_eq!(done(&ended)["path"], Value::Null);
    assert!(first_message(model.requests().last().unwrap()).contains("调大超时"));
    assert_eq!(std::fs::read_dir(place.work()).unwrap().count(), 0);
}

#[test]
fn limits_stop_the_step_and_it_can_go_on() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: once
    at_turn: 1
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
  - name: twice
    at_turn: 2
    tools: [{{ name: bash, input: {{ command: 'echo y' }} }}]
  - name: end
    answer: 做完了。
"
    ));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, full(&["干", "--max-turns", "1"])));
    assert_eq!(ended.code(), 1);
    assert!(
        ended.result()["error"]
            .as_str()
            .unwrap()
            .contains("--max-turns")
    );
    let ended = run_to_end(place.run(&model, full(&["--continue"])));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(ended.result()["num_turns"], 2);
}

#[test]
fn a_server_without_usage_is_estimated_and_says_so() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: end
    usage: {{ input_tokens: 0, output_tokens: 0 }}
    answer: 做完了。
"
    ));
    let place = Place::new();
    let task = "汉".repeat(100_000);
    std::fs::write(place.work().join("task.txt"), &task).unwrap();
    let mut command = place.run(&model, ["-"]);
    command.stdin(std::fs::File::open(place.work().join("task.txt")).unwrap());
    let ended = run_to_end(command);
    let usage = ended.kind("usage");
    assert_eq!(usage[0]["estimated"], true);
    assert!(
        usage[0]["context"].as_u64().unwrap() >= 100_000,
        "{:?}",
        usage[0]
    );
}

#[test]
fn the_window_comes_from_the_server_when_nobody_says_otherwise() {
    let model = Model::start(&format!("{HEAD}\n  - name: end\n    answer: 好。\n"));
    let place = Place::new();
    let ended = run_to_end(place.run(&model, ["干"]));
    let session = &ended.kind("session")[0];
    assert_eq!(session["window"], 200_000);
    assert_eq!(session["window_source"], "server");
    let mut command = place.run(&model, ["干", "--window", "32_768"]);
    command.env("FLOWER_WINDOW", "100k");
    let ended = run_to_end(command);
    assert_eq!(ended.kind("session")[0]["window"], 32_768);
    assert_eq!(ended.kind("session")[0]["window_source"], "flag");
}

#[test]
fn readable_lines_say_how_full_and_how_far() {
    let (place, model) = (Place::new(), Model::start(&crossing()));
    let output = place
        .flower(["run", "修好测试", "--permission", "full", "--lang", "zh"])
        .env("ANTHROPIC_BASE_URL", model.base_url())
        .env("ANTHROPIC_API_KEY", "k")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("# 上下文 135.0K/200K · 还有约 15K 到换代\n"),
        "{text}"
    );
    assert!(
        text.contains("# 上下文 152.0K/200K · 到线，会话正在写交接\n"),
        "{text}"
    );
    assert!(text.contains("# 第 2 代接手"), "{text}");
    assert!(text.contains("接着干完了。"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_stops_the_run() {
    let model = Model::start(&format!(
        "{HEAD}
  - name: loop
    tools: [{{ name: bash, input: {{ command: 'echo x' }} }}]
"
    ));
    let place = Place::new();
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!(
        "'{}' run --json 干 --permission full | head -n 5",
        env!("CARGO_BIN_EXE_flower")
    ));
    let output = command
        .current_dir(place.work())
        .env("ANTHROPIC_BASE_URL", model.base_url())
        .env("ANTHROPIC_API_KEY", "k")
        .env("HOME", place.work())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 5);
    assert_eq!(place.manifest()[0]["ok"], false);
}
