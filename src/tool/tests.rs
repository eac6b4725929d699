use std::path::Path;

use serde_json::json;

use super::*;

fn toolbox(dir: &Path, permission: Permission, allow: &[&str]) -> Toolbox {
    Toolbox::new(ToolContext {
        workspace: dir.to_owned(),
        permission,
        allow: allow.iter().map(|p| (*p).to_owned()).collect(),
        bash_timeout: Duration::from_secs(30),
        spill_dir: None,
        protected: vec![PathBuf::from("notes/交接.md")],
    })
}

fn call(name: &str, input: Value) -> ToolCall {
    ToolCall {
        id: "t1".to_owned(),
        name: name.to_owned(),
        input,
    }
}

async fn run(tools: &Toolbox, name: &str, input: Value) -> (String, bool) {
    let outcome = tools.run(&call(name, input)).await;
    (outcome.text, outcome.is_error)
}

#[test]
fn the_tools_are_few_and_cost_few_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let specs = toolbox(dir.path(), Permission::Ask, &[]).specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["bash", "read", "write", "edit", "search", "plan"]);
    let bytes: usize = specs
        .iter()
        .map(|spec| spec.name.len() + spec.description.len() + spec.input_schema.to_string().len())
        .sum();
    // At three bytes a token, dense JSON: about 550 tokens.
    assert!(bytes < 1650, "{bytes}");
    for spec in specs {
        assert_eq!(spec.input_schema["type"], "object");
        for needed in spec.input_schema["required"].as_array().unwrap() {
            let name = needed.as_str().unwrap();
            assert!(
                spec.input_schema["properties"].get(name).is_some(),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn a_session_of_calls_works_under_every_name() {
    let dir = tempfile::tempdir().unwrap();
    let tools = toolbox(dir.path(), Permission::Full, &[]);
    let rows = [
        (
            "write",
            json!({"file_path": "src/a.rs", "content": "一\n二\n"}),
            "Wrote src/a.rs (new): 8 bytes, 2 lines.",
        ),
        (
            "Read",
            json!({"file_path": "src/a.rs", "offset": "2"}),
            "二\n",
        ),
        (
            "edit",
            json!({"file_path": "src/a.rs", "old_string": "二", "new_string": "三", "replace_all": "true"}),
            "Edited src/a.rs at line 2.",
        ),
        (
            "search",
            json!({"pattern": "三", "path": ""}),
            "src/a.rs:2: 三",
        ),
        (
            "BASH",
            json!({"cmd": "cat src/a.rs", "timeout": "5"}),
            "一\n三\n[exit status 0]",
        ),
        (
            "plan",
            json!({"items": [{"text": "a", "status": "doing"}]}),
            "Plan kept: 0 todo, 1 doing, 0 done.",
        ),
        ("read", json!({"path": "."}), "src/\n"),
    ];
    for (name, input, want) in rows {
        assert_eq!(
            run(&tools, name, input).await,
            (want.to_owned(), false),
            "{name}"
        );
    }
    assert_eq!(
        tools.plan(),
        [PlanItem {
            text: "a".to_owned(),
            status: PlanStatus::Doing
        }]
    );
    let wrong = [
        (
            "delete",
            json!({}),
            "there is no tool \"delete\"; there are bash, read, write, edit, search, plan",
        ),
        ("bash", json!({"command": " "}), "bash: `command` is empty"),
        (
            "bash",
            json!({"command": "ls", "timeout_s": -1}),
            "bash: `timeout_s` must be a number of seconds, more than 0, got the number -1",
        ),
        (
            "write",
            json!({"path": "a"}),
            "write: `content` is missing (got path)",
        ),
        (
            "write",
            json!({"path": "a", "content": {}}),
            "write: `content` must be a string, got an object",
        ),
        (
            "read",
            json!([1]),
            "read: the arguments must be a JSON object, got a list",
        ),
        (
            "edit",
            json!({"path": "src", "old": "a", "new": "b"}),
            "src cannot be edited: it is no regular file",
        ),
        (
            "plan",
            json!({"items": 1}),
            "plan: `items` must be a list, got the number 1",
        ),
    ];
    for (name, input, want) in wrong {
        assert_eq!(
            run(&tools, name, input).await,
            (want.to_owned(), true),
            "{name}"
        );
    }
    assert_eq!(tools.plan().len(), 1, "a bad plan leaves the old one");
}

#[tokio::test]
async fn edit_mode_stays_in_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let ws = dir.path().join("ws");
    std::fs::create_dir_all(ws.join(".git/hooks")).unwrap();
    std::fs::write(dir.path().join("out"), "secret").unwrap();
    std::os::unix::fs::symlink("../out", ws.join("leak")).unwrap();
    let tools = toolbox(&ws, Permission::Edit, &["echo"]);
    let rows = [
        ("write", json!({"path": "a", "content": "x"}), false),
        ("edit", json!({"path": "a", "old": "x", "new": "y"}), false),
        ("read", json!({"path": "a"}), false),
        ("search", json!({"pattern": "y"}), false),
        ("plan", json!({"items": []}), false),
        ("bash", json!({"command": "echo 'a; b'"}), false),
        ("bash", json!({"command": "echo a; ls"}), true),
        ("bash", json!({"command": "ls"}), true),
        ("read", json!({"path": "leak"}), true),
        ("read", json!({"path": "../out"}), true),
        ("search", json!({"pattern": "secret", "path": ".."}), true),
        ("write", json!({"path": "leak", "content": "x"}), true),
        (
            "edit",
            json!({"path": "/etc/passwd", "old": "root", "new": "x"}),
            true,
        ),
        (
            "write",
            json!({"path": ".git/hooks/pre-commit", "content": "x"}),
            true,
        ),
        (
            "write",
            json!({"path": "flower.yaml", "content": "x"}),
            true,
        ),
        (
            "write",
            json!({"path": ".flower/runs/manifest.json", "content": "x"}),
            true,
        ),
        (
            "write",
            json!({"path": ".flower/notes/想法.md", "content": "x"}),
            false,
        ),
        (
            "write",
            json!({"path": "notes/交接.md", "content": "x"}),
            true,
        ),
    ];
    for (name, input, refused) in rows {
        let said = input.to_string();
        let (text, is_error) = run(&tools, name, input).await;
        assert_eq!(is_error, refused, "{name} {said}: {text}");
        assert_eq!(
            text.starts_with("Refused: "),
            refused,
            "{name} {said}: {text}"
        );
    }
    assert_eq!(
        std::fs::read_to_string(dir.path().join("out")).unwrap(),
        "secret"
    );
    let full = toolbox(&ws, Permission::Full, &[]);
    let (text, is_error) = run(
        &full,
        "write",
        json!({"path": "notes/交接.md", "content": "x"}),
    )
    .await;
    assert_eq!(
        (text.as_str(), is_error),
        (
            "Refused: notes/交接.md is a file this run depends on and is never changed by tools, in any mode.",
            true
        )
    );
}

#[tokio::test]
async fn ask_mode_without_a_person_refuses_and_says_how() {
    let dir = tempfile::tempdir().unwrap();
    let tools = toolbox(dir.path(), Permission::Ask, &[]);
    let (text, is_error) = run(&tools, "write", json!({"path": "a", "content": "x"})).await;
    assert_eq!(
        (text.as_str(), is_error),
        (
            "Refused: a would be changed; \"always\" permits all files of the workspace, and mode \
             `ask` has nobody to ask here. The person can permit it with `--permission edit` \
             (files of the workspace), an `allow` prefix in the configuration (commands) or \
             `--permission full`.",
            true
        )
    );
    assert!(!dir.path().join("a").exists());
    let gone = mpsc::channel(1).0;
    let tools = toolbox(dir.path(), Permission::Ask, &[]).with_asker(gone);
    assert!(run(&tools, "bash", json!({"command": "touch a"})).await.1);
    assert!(!dir.path().join("a").exists());
}

#[tokio::test]
async fn ask_mode_asks_and_remembers() {
    use PermissionAnswer::{AlwaysPrefix, No, Once};
    let dir = tempfile::tempdir().unwrap();
    let (asker, mut asked) = mpsc::channel(1);
    let tools = toolbox(dir.path(), Permission::Ask, &["pwd"]).with_asker(asker);
    // The answer given when asked, or none when there must be no question.
    let rows = [
        ("bash", json!({"command": "pwd"}), None, false),
        ("bash", json!({"command": "test -d ."}), Some(Once), false),
        ("bash", json!({"command": "test -d ."}), Some(No), true),
        (
            "bash",
            json!({"command": "test -d ."}),
            Some(AlwaysPrefix),
            false,
        ),
        ("bash", json!({"command": "test -e /"}), None, false),
        (
            "bash",
            json!({"command": "test -e / && echo"}),
            Some(AlwaysPrefix),
            false,
        ),
        (
            "bash",
            json!({"command": "test -e / && echo"}),
            Some(Once),
            false,
        ),
        (
            "write",
            json!({"path": "a", "content": "x"}),
            Some(Once),
            false,
        ),
        (
            "edit",
            json!({"path": "a", "old": "x", "new": "y"}),
            Some(AlwaysPrefix),
            false,
        ),
        ("write", json!({"path": "b", "content": "x"}), None, false),
        (
            "write",
            json!({"path": ".git/config", "content": "x"}),
            Some(No),
            true,
        ),
        (
            "write",
            json!({"path": "notes/交接.md", "content": "x"}),
            None,
            true,
        ),
        ("read", json!({"path": "a"}), None, false),
        ("read", json!({"path": "/etc/passwd"}), None, true),
        ("search", json!({"glob": "*"}), None, false),
        ("plan", json!({"items": []}), None, false),
    ];
    for (name, input, answer, failed) in rows {
        let said = input.to_string();
        let wanted = call(name, input.clone());
        let got = {
            let run = tools.run(&wanted);
            tokio::pin!(run);
            let mut asks = 0;
            let got = loop {
                tokio::select! {
                    got = &mut run => break got,
                    Some(request) = asked.recv() => {
                        let PermissionRequest { id, name: tool, input: shown, why, reply } = request;
                        assert_eq!((id.as_str(), tool.as_str(), &shown), ("t1", name, &input));
                        assert!(why.contains("would"), "{why}");
                        asks += 1;
                        reply.send(answer.expect(&said)).unwrap();
                    }
                }
            };
            assert_eq!(asks, u8::from(answer.is_some()), "{name} {said}");
            got
        };
        assert_eq!(got.is_error, failed, "{name} {said}: {}", got.text);
    }
}

#[tokio::test]
async fn a_question_dropped_without_an_answer_is_a_no() {
    let dir = tempfile::tempdir().unwrap();
    let (asker, mut asked) = mpsc::channel(1);
    let tools = toolbox(dir.path(), Permission::Ask, &[]).with_asker(asker);
    let wanted = call("bash", json!({"command": "touch a"}));
    let (got, _) = tokio::join!(tools.run(&wanted), async { drop(asked.recv().await) });
    assert_eq!(
        (got.text.as_str(), got.is_error),
        (
            "Refused: the person said no. Do it another way, or ask them in your answer.",
            true
        )
    );
}

#[tokio::test]
async fn edits_of_one_answer_do_not_lose_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let tools = toolbox(dir.path(), Permission::Edit, &[]);
    let names: Vec<String> = (0..20).map(|n| format!("<{n}>")).collect();
    std::fs::write(dir.path().join("a"), names.concat()).unwrap();
    let calls: Vec<ToolCall> = names
        .iter()
        .map(|name| call("edit", json!({"path": "a", "old": name, "new": "x"})))
        .collect();
    let outcomes = futures_util::future::join_all(calls.iter().map(|call| tools.run(call))).await;
    assert!(outcomes.iter().all(|outcome| !outcome.is_error));
    assert_eq!(
        std::fs::read_to_string(dir.path().join("a")).unwrap(),
        "x".repeat(20)
    );
}

#[tokio::test]
async fn every_result_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("long"), "字\n".repeat(100_000)).unwrap();
    let tools = toolbox(dir.path(), Permission::Full, &[]).with_output_cap(0);
    let rows = [
        ("bash", json!({"command": "cat long; exit 1"})),
        ("read", json!({"path": "long"})),
        ("search", json!({"pattern": "字", "limit": 1_000_000})),
        ("read", json!({"path": format!("{}x", "a/".repeat(5000))})),
        ("字".repeat(100_000).as_str(), json!({})),
    ]
    .map(|(name, input)| call(name, input));
    for call in rows {
        let outcome = tools.run(&call).await;
        assert!(
            outcome.text.len() <= SMALLEST_CAP + NOTES + 100,
            "{}",
            outcome.text.len()
        );
        assert!(!outcome.text.contains('\u{FFFD}'));
    }
}
