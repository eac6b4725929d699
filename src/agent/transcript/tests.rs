use super::*;
use serde_json::json;

fn head() -> SessionHead {
    SessionHead {
        session: "s-1".to_owned(),
        run: "r".to_owned(),
        step: "干活".to_owned(),
        generation: 1,
        model: "m".to_owned(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
    }
}

fn calls(ids: &[&str]) -> Message {
    Message {
        role: Role::Assistant,
        content: ids
            .iter()
            .map(|id| Block::ToolUse {
                id: (*id).to_owned(),
                name: "bash".to_owned(),
                input: json!({"command": "true"}),
                malformed: None,
            })
            .collect(),
    }
}

fn result(id: &str, text: &str, is_error: bool) -> Block {
    Block::ToolResult {
        id: id.to_owned(),
        text: text.to_owned(),
        is_error,
    }
}

fn user(content: Vec<Block>) -> Message {
    Message {
        role: Role::User,
        content,
    }
}

const LOST: &str = "the run ended before this tool's result was kept; it may have had effects";

#[test]
fn what_was_pushed_is_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut transcript = Transcript::new(head(), Some(folder.path()));
    let messages = vec![
        Message::user("修好测试"),
        calls(&["a"]),
        user(vec![result("a", "好了", false)]),
    ];
    for message in &messages {
        transcript.push(message.clone()).unwrap();
    }
    let (loaded, damaged) = Transcript::load(folder.path(), "s-1").unwrap();
    assert_eq!((loaded.messages(), damaged), (messages.as_slice(), 0));
    assert_eq!(loaded.head, head());
}

#[test]
fn a_torn_tail_is_dropped_and_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut transcript = Transcript::new(head(), Some(folder.path()));
    transcript.push(Message::user("one")).unwrap();
    let path = folder.path().join("s-1.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"type\":\"message\",\"ro");
    std::fs::write(&path, bytes).unwrap();
    let (mut loaded, damaged) = Transcript::load(folder.path(), "s-1").unwrap();
    assert_eq!(damaged, 1);
    loaded.push(Message::user("two")).unwrap();
    let (again, damaged) = Transcript::load(folder.path(), "s-1").unwrap();
    assert_eq!(damaged, 0);
    assert_eq!(
        again.messages(),
        [Message::user("one"), Message::user("two")]
    );
}

#[test]
fn damage_in_the_middle_leaves_a_conversation_a_server_accepts() {
    let rows = [
        (
            "a lost answer takes its results along",
            vec![Message::user("go"), user(vec![result("a", "x", false)])],
            vec![Message::user("go")],
        ),
        (
            "lost results are answered",
            vec![Message::user("go"), calls(&["a", "b"]), calls(&["c"])],
            vec![
                Message::user("go"),
                calls(&["a", "b"]),
                user(vec![
                    result("a", "this result was lost", true),
                    result("b", "this result was lost", true),
                ]),
                calls(&["c"]),
                user(vec![result("c", LOST, true)]),
            ],
        ),
        (
            "results come first",
            vec![
                calls(&["a", "b"]),
                user(vec![result("b", "y", false), Block::text("and")]),
            ],
            vec![
                calls(&["a", "b"]),
                user(vec![
                    result("a", "this result was lost", true),
                    result("b", "y", false),
                    Block::text("and"),
                ]),
            ],
        ),
        (
            "a result that came twice counts once",
            vec![
                calls(&["a"]),
                user(vec![result("a", "y", false), result("a", "z", false)]),
            ],
            vec![calls(&["a"]), user(vec![result("a", "y", false)])],
        ),
    ];
    for (name, written, expected) in rows {
        let folder = tempfile::tempdir().unwrap();
        let mut transcript = Transcript::new(head(), Some(folder.path()));
        for message in written {
            transcript.push(message).unwrap();
        }
        let (loaded, _) = Transcript::load(folder.path(), "s-1").unwrap();
        assert_eq!(loaded.messages(), expected, "{name}");
    }
}

#[test]
fn open_calls_get_their_results_or_the_reason() {
    let mut transcript = Transcript::new(head(), None);
    transcript.push(Message::user("go")).unwrap();
    transcript.push(calls(&["a", "b"])).unwrap();
    assert_eq!(transcript.open_calls(), ["a", "b"]);
    transcript
        .close_open_calls(vec![result("a", "done", false)], "interrupted")
        .unwrap();
    assert_eq!(
        transcript.messages().last(),
        Some(&user(vec![
            result("a", "done", false),
            result("b", "interrupted", true)
        ]))
    );
    let before = transcript.messages().len();
    transcript.close_open_calls(vec![], "interrupted").unwrap();
    assert_eq!(transcript.messages().len(), before);
}

#[test]
fn a_disk_that_fails_for_a_while_leaves_no_gap() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    std::fs::write(&sessions, "a file in the way").unwrap();
    let mut transcript = Transcript::new(head(), Some(&sessions));
    assert!(transcript.push(Message::user("one")).is_err());
    std::fs::remove_file(&sessions).unwrap();
    transcript.push(Message::user("two")).unwrap();
    let (loaded, damaged) = Transcript::load(&sessions, "s-1").unwrap();
    assert_eq!(damaged, 0);
    assert_eq!(
        loaded.messages(),
        [Message::user("one"), Message::user("two")]
    );
}

#[test]
fn an_id_never_leaves_the_folder() {
    let folder = Path::new("/x");
    assert_eq!(
        path_of(folder, "../../etc/passwd"),
        Path::new("/x/______etc_passwd.jsonl")
    );
}

#[test]
fn no_transcript_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        Transcript::load(folder.path(), "gone"),
        Err(TranscriptError::Io { .. })
    ));
    std::fs::write(folder.path().join("bad.jsonl"), "{}\n").unwrap();
    assert!(matches!(
        Transcript::load(folder.path(), "bad"),
        Err(TranscriptError::NoHead(_))
    ));
}
