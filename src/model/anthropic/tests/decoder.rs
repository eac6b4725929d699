use proptest::prelude::*;
use serde_json::json;

use crate::model::anthropic::decoder::{Decoder, Fault};
use crate::model::{Block, ModelEvent, StopReason, Usage};

/// Feeds `event data` lines to a fresh decoder.
fn decode(lines: &[&str]) -> Result<Vec<ModelEvent>, Fault> {
    let mut decoder = Decoder::default();
    let mut events = Vec::new();
    for line in lines {
        let (name, data) = line.split_once(' ').unwrap_or((line, ""));
        events.extend(decoder.feed(name, data)?);
    }
    assert_eq!(
        decoder.is_finished(),
        matches!(events.last(), Some(ModelEvent::Stopped(_)))
    );
    Ok(events)
}

const START: &str =
    r#"message_start {"type":"message_start","message":{"id":"m1","model":"claude"}}"#;
const END: &str = r#"message_delta {"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
const STOP: &str = r#"message_stop {"type":"message_stop"}"#;

fn started() -> ModelEvent {
    ModelEvent::Started {
        message_id: "m1".into(),
        model: "claude".into(),
    }
}

/// Decodes lines between a start and a stop, and gives what came between.
fn between(lines: &[&str]) -> Vec<ModelEvent> {
    let all: Vec<&str> = [&[START, END], lines, &[STOP]].concat();
    let mut events = decode(&all).unwrap();
    assert_eq!(events.remove(0), started());
    events.pop();
    events
}

fn call(input: serde_json::Value, malformed: Option<&str>) -> ModelEvent {
    ModelEvent::Block(Block::ToolUse {
        id: "t1".into(),
        name: "bash".into(),
        input,
        malformed: malformed.map(str::to_owned),
    })
}

#[test]
fn blocks() {
    let text = |text: &str| ModelEvent::TextDelta(text.into());
    let thought = |text: &str| ModelEvent::ThinkingDelta(text.into());
    let block = ModelEvent::Block;
    let table: Vec<(&str, Vec<&str>, Vec<ModelEvent>)> = vec![
        (
            "text in pieces, with an initial one",
            vec![
                r#"content_block_start {"index":0,"content_block":{"type":"text","text":"你"}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"text_delta","text":"好，"}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"text_delta","text":""}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"text_delta","text":"世界👩‍🔬"}}"#,
                r#"content_block_stop {"index":0}"#,
            ],
            vec![
                text("你"),
                text("好，"),
                text("世界👩‍🔬"),
                block(Block::text("你好，世界👩‍🔬")),
            ],
        ),
        (
            "thinking with its signature",
            vec![
                r#"content_block_start {"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"signature_delta","signature":"sig="}}"#,
                r#"content_block_stop {"index":0}"#,
            ],
            vec![
                thought("hm"),
                block(Block::Thinking {
                    thinking: "hm".into(),
                    signature: "sig=".into(),
                }),
            ],
        ),
        (
            "redacted thinking",
            vec![
                r#"content_block_start {"index":0,"content_block":{"type":"redacted_thinking","data":"xyz"}}"#,
                r#"content_block_stop {"index":0}"#,
            ],
            vec![block(Block::RedactedThinking { data: "xyz".into() })],
        ),
        (
            "blocks by index, not by turn",
            vec![
                r#"content_block_start {"index":0,"content_block":{"type":"text","text":""}}"#,
                r#"content_block_start {"index":1,"content_block":{"type":"tool_use","id":"t1","name":"bash","input":{}}}"#,
                r#"content_block_delta {"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"text_delta","text":"x"}}"#,
                r#"content_block_delta {"index":1,"delta":{"type":"input_json_delta","partial_json":"\"中\"}"}}"#,
                r#"content_block_stop {"index":0}"#,
                r#"content_block_stop {"index":1}"#,
            ],
            vec![
                text("x"),
                block(Block::text("x")),
                call(json!({"a": "中"}), None),
            ],
        ),
        (
            "nothing is lost when a start or a stop is missing",
            vec![
                r#"content_block_delta {"index":0,"delta":{"type":"text_delta","text":"a"}}"#,
                r#"content_block_start {"index":0,"content_block":{"type":"text","text":"b"}}"#,
            ],
            vec![
                text("a"),
                block(Block::text("a")),
                text("b"),
                block(Block::text("b")),
            ],
        ),
        (
            "unknown events, blocks and deltas; empty blocks",
            vec![
                r#"ping {"type":"ping"}"#,
                "ping",
                "novelty not json",
                r#"novelty {"type":"novelty","index":"x"}"#,
                "message [DONE]",
                r#"content_block_start {"index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web"}}"#,
                r#"content_block_delta {"index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}"#,
                r#"content_block_stop {"index":0}"#,
                r#"content_block_start {"index":1,"content_block":{"type":"text","text":""}}"#,
                r#"content_block_delta {"index":1,"delta":{"type":"citations_delta","citation":{}}}"#,
                r#"content_block_stop {"index":1}"#,
                r#"content_block_stop {"index":9}"#,
            ],
            vec![],
        ),
    ];
    for (name, lines, expected) in table {
        assert_eq!(between(&lines), expected, "{name}");
    }
}

#[test]
fn tool_arguments() {
    let start = r#"content_block_start {"index":0,"content_block":{"type":"tool_use","id":"t1","name":"bash","input":{}}}"#;
    let stop = r#"content_block_stop {"index":0}"#;
    let table: &[(&[&str], _)] = &[
        (&[], call(json!({}), None)),
        (
            &["", "{\"cmd\":", "\"ls\"}"],
            call(json!({"cmd": "ls"}), None),
        ),
        (&["{\"cmd\":\"l"], call(json!({}), Some("{\"cmd\":\"l"))),
        (&["[1]"], call(json!({}), Some("[1]"))),
        (&["{}{}"], call(json!({}), Some("{}{}"))),
        (&["\"text\""], call(json!({}), Some("\"text\""))),
    ];
    for (pieces, expected) in table {
        let deltas: Vec<String> = pieces
            .iter()
            .map(|piece| {
                let delta = json!({"type": "input_json_delta", "partial_json": piece});
                format!(
                    "content_block_delta {}",
                    json!({"index": 0, "delta": delta})
                )
            })
            .collect();
        let deltas = deltas.iter().map(String::as_str);
        let lines: Vec<&str> = [start].into_iter().chain(deltas).chain([stop]).collect();
        assert_eq!(
            between(&lines),
            std::slice::from_ref(expected),
            "{pieces:?}"
        );
        // Without its end a call is never taken for whole.
        let open = &lines[..lines.len() - 1];
        let raw = pieces.concat();
        assert_eq!(between(open), [call(json!({}), Some(&raw))], "{pieces:?}");
    }
    let whole = r#"content_block_start {"index":0,"content_block":{"type":"tool_use","id":"t1","name":"bash","input":{"a":1}}}"#;
    assert_eq!(between(&[whole, stop]), [call(json!({"a": 1}), None)]);
    let anonymous = r#"content_block_start {"index":0,"content_block":{"type":"tool_use","name":"bash","input":{}}}"#;
    let [
        ModelEvent::Block(Block::ToolUse {
            id,
            malformed: None,
            ..
        }),
    ] = &between(&[anonymous, stop])[..]
    else {
        panic!("one call");
    };
    assert!(id.starts_with("toolu_") && id.len() > 20, "{id}");
}

#[test]
fn usage_is_the_last_word_and_zero_is_no_word() {
    let usage = |input, cache_read, cache_creation, output| Usage {
        input,
        cache_read,
        cache_creation,
        output,
    };
    let table: Vec<(&[&str], Vec<Usage>)> = vec![
        (
            &[
                r#"{"input_tokens":2000,"cache_read_input_tokens":150000,"cache_creation_input_tokens":0,"output_tokens":1}"#,
                r#"{"output_tokens":1}"#,
                r#"{"output_tokens":9}"#,
                r#"{"output_tokens":159,"input_tokens":null}"#,
            ],
            vec![
                usage(2000, 150_000, 0, 1),
                usage(2000, 150_000, 0, 9),
                usage(2000, 150_000, 0, 159),
            ],
        ),
        (
            &[
                r#"{"input_tokens":0,"output_tokens":0}"#,
                r#"{"input_tokens":500,"cache_read_input_tokens":7,"output_tokens":3}"#,
                r#"{"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}"#,
            ],
            vec![usage(500, 7, 0, 3)],
        ),
        (&["null", "{}"], vec![]),
        (
            &[
                r#"{"input_tokens":300000,"cache_read_input_tokens":9,"output_tokens":70,"iterations":[
                {"input_tokens":100000,"output_tokens":30},
                {"input_tokens":4,"cache_creation_input_tokens":5,"cache_read_input_tokens":200000,"output_tokens":40}]}"#,
            ],
            vec![usage(4, 200_000, 5, 70)],
        ),
        // Impossible: no figure is used, the earlier ones stay.
        (
            &[
                r#"{"input_tokens":10,"output_tokens":1}"#,
                r#"{"input_tokens":-1,"output_tokens":2}"#,
                r#"{"input_tokens":18446744073709551615,"output_tokens":3}"#,
                r#"{"input_tokens":9000000,"cache_read_input_tokens":9000000}"#,
                r#"{"input_tokens":"many"}"#,
            ],
            vec![usage(10, 0, 0, 1)],
        ),
        (
            &[r#"{"input_tokens":0,"output_tokens":0,"total_tokens":475000}"#],
            vec![],
        ),
    ];
    for (records, expected) in table {
        let lines: Vec<String> = records
            .iter()
            .map(|record| format!(r#"message_delta {{"delta":{{}},"usage":{record}}}"#))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let expected: Vec<ModelEvent> = expected.into_iter().map(ModelEvent::Usage).collect();
        assert_eq!(between(&lines), expected, "{records:?}");
    }
    let first = r#"message_start {"message":{"id":"m1","model":"claude","usage":{"input_tokens":3,"output_tokens":1}}}"#;
    assert_eq!(
        decode(&[first, END, STOP]).unwrap(),
        [
            started(),
            ModelEvent::Usage(usage(3, 0, 0, 1)),
            ModelEvent::Stopped(StopReason::EndTurn)
        ]
    );
}

/// llama.cpp at times begins with the first block.
#[test]
fn an_answer_may_lack_its_beginning_but_not_its_stop_reason() {
    let block = r#"content_block_start {"index":0,"content_block":{"type":"text","text":"hi"}}"#;
    let close = r#"content_block_stop {"index":0}"#;
    let text = Block::text("hi");
    assert_eq!(
        decode(&[block, close, END, STOP]).unwrap(),
        [
            ModelEvent::TextDelta("hi".into()),
            ModelEvent::Block(text),
            ModelEvent::Stopped(StopReason::EndTurn)
        ]
    );
    let broken = Fault::Broken("it ended without a stop reason".to_owned());
    assert_eq!(decode(&[START, block, close, STOP]), Err(broken));
}

#[test]
fn stop_reasons() {
    let table = [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("tool_use", StopReason::ToolUse),
        ("max_tokens", StopReason::MaxTokens),
        ("pause_turn", StopReason::PauseTurn),
        ("refusal", StopReason::Refusal),
        (
            "model_context_window_exceeded",
            StopReason::ContextWindowExceeded,
        ),
        ("新", StopReason::Other("新".into())),
    ];
    for (word, reason) in table {
        let delta = format!(r#"message_delta {{"delta":{{"stop_reason":"{word}"}}}}"#);
        let later = r#"message_delta {"delta":{"stop_reason":null},"usage":{}}"#;
        let events = decode(&[START, &delta, later, STOP]).unwrap();
        assert_eq!(events, [started(), ModelEvent::Stopped(reason)]);
    }
}

#[test]
fn faults() {
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let bare = r#"{"error":{"message":"context size exceeded"}}"#;
    assert_eq!(
        decode(&[START, &format!("error {overloaded}")]),
        Err(Fault::Server(overloaded.into()))
    );
    assert_eq!(
        decode(&[START, &format!("message {bare}")]),
        Err(Fault::Server(bare.into()))
    );
    for broken in [
        r#"content_block_delta {"index":0,"del"#,
        "message_start <html>",
        "message garbage",
        "message_stop {}",
        r#"content_block_delta {"index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
    ] {
        assert!(
            matches!(decode(&[broken]), Err(Fault::Broken(_))),
            "{broken}"
        );
    }
    let deep = format!("message_delta {}", "[".repeat(100_000));
    assert!(matches!(decode(&[START, &deep]), Err(Fault::Broken(_))));
}

/// Events as a hostile or broken server may send them, in any order.
fn any_event() -> impl Strategy<Value = (String, String)> {
    let index = 0..3u64;
    let piece = "[a中👩\"{}\\\\]{0,3}";
    prop_oneof![
        (index.clone(), "text|thinking|tool_use|odd", piece).prop_map(|(index, kind, text)| {
            let block = json!({"type": kind, "text": text, "id": text, "name": text});
            (
                "content_block_start",
                json!({"index": index, "content_block": block}),
            )
        }),
        (index.clone(), piece).prop_map(|(index, text)| {
            let delta = json!({"type": "text_delta", "text": text});
            (
                "content_block_delta",
                json!({"index": index, "delta": delta}),
            )
        }),
        (index.clone(), piece).prop_map(|(index, text)| {
            let delta = json!({"type": "thinking_delta", "thinking": text});
            (
                "content_block_delta",
                json!({"index": index, "delta": delta}),
            )
        }),
        index.prop_map(|index| ("content_block_stop", json!({"index": index}))),
        any::<i64>().prop_map(|n| ("message_delta", json!({"usage": {"input_tokens": n}}))),
    ]
    .prop_map(|(name, data)| (name.to_owned(), data.to_string()))
}

proptest! {
    #[test]
    fn every_piece_of_text_ends_in_a_block(events in prop::collection::vec(any_event(), 0..20)) {
        let mut decoder = Decoder::default();
        let mut seen = decoder.feed("message_start", "{}").unwrap();
        for (name, data) in events {
            seen.extend(decoder.feed(&name, &data).unwrap());
        }
        let end = r#"{"delta":{"stop_reason":"end_turn"}}"#;
        seen.extend(decoder.feed("message_delta", end).unwrap());
        seen.extend(decoder.feed("message_stop", "{}").unwrap());
        let (mut pieces, mut blocks) = ([0, 0], [0, 0]);
        for event in &seen {
            match event {
                ModelEvent::TextDelta(text) => pieces[0] += text.len(),
                ModelEvent::ThinkingDelta(text) => pieces[1] += text.len(),
                ModelEvent::Block(Block::Text { text }) => blocks[0] += text.len(),
                ModelEvent::Block(Block::Thinking { thinking, .. }) => blocks[1] += thinking.len(),
                _ => {}
            }
        }
        prop_assert_eq!(pieces, blocks);
    }

    #[test]
    fn no_data_makes_it_panic(name in "[a-z_]{0,12}|message_start|message_delta", data in any::<String>()) {
        let _ = Decoder::default().feed(&name, &data);
    }
}
