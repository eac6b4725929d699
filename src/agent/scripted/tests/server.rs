//! The server itself: models, usage, records, what is in flight, and the end of it all.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::raw::{POST, call, open, post, request, say};
use super::{scenario, serve};
use crate::agent::scripted::{ScriptedServer, WireUsage};

#[tokio::test]
async fn models_tell_their_window() {
    let server = serve("- {name: a, answer: x}").await;
    let got = call(&server, "GET /v1/models/claude-x HTTP/1.1", b"")
        .await
        .json();
    let fields = [
        "type",
        "id",
        "display_name",
        "max_input_tokens",
        "max_tokens",
    ]
    .map(|key| got[key].clone());
    assert_eq!(
        json!(fields),
        json!(["model", "claude-x", "claude-x", 20_000, 20_000])
    );
    let all = call(&server, "GET /v1/models HTTP/1.1", b"").await.json();
    assert_eq!(all["data"][0]["id"], "claude-demo");
    let count = "POST /v1/messages/count_tokens HTTP/1.1";
    let counted = call(&server, count, say("中文ab").to_string().as_bytes()).await;
    assert_eq!(counted.json(), json!({"input_tokens": 103}));
}

fn usage(got: &Value) -> [u64; 4] {
    [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ]
    .map(|key| got[key].as_u64().unwrap())
}

#[tokio::test]
async fn usage_is_counted_from_what_was_sent_and_split_by_the_common_prefix() {
    let server = serve("- {name: a, answer: 好的ok}").await;
    // 100 floor, 10 system, 3 tools as JSON, then the messages at two characters a token.
    let ask = |texts: &[&str], mark: bool| {
        let mut messages: Vec<Value> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let role = ["user", "assistant"][index % 2];
            let mut block = json!({"type": "text", "text": text});
            if mark && index + 1 == texts.len() {
                block["cache_control"] = json!({"type": "ephemeral"});
            }
            messages.push(json!({"role": role, "content": [block]}));
        }
        let mut body = request(&json!(messages));
        body["system"] = json!("s".repeat(20));
        body
    };
    let six = "y".repeat(12);
    let cases = [
        (ask(&["好好好好"], false), [114, 0, 0, 3]),
        (ask(&["好好好好"], true), [0, 114, 0, 3]),
        (ask(&["好好好好", "ab", &six], true), [0, 7, 114, 3]),
        (ask(&["好好好好", "ab", &six], false), [121, 0, 0, 3]),
        (ask(&["坏"], true), [0, 1, 110, 3]),
        (
            ask(&["好好好好", "ab", &six, "ab", "cd"], true),
            [0, 2, 121, 3],
        ),
    ];
    for (body, expected) in cases {
        let got = post(&server, &body).await;
        assert_eq!(usage(&got.usage()), expected);
        let start = &got.events()[0]["message"]["usage"];
        assert_eq!(usage(start)[..3], expected[..3]);
        assert_eq!(usage(start)[3], 1);
        assert_eq!(
            start["cache_creation"]["ephemeral_5m_input_tokens"],
            expected[1]
        );
    }
}

#[tokio::test]
async fn exchanges_are_recorded_without_keys() {
    let server = serve(
        "- {name: a, answer: x, once: true}\n- {name: b, error: {status: 529, message: busy}}",
    )
    .await;
    post(&server, &say("hi")).await;
    post(&server, &say("hi")).await;
    call(&server, "GET /v1/models/m HTTP/1.1", b"").await;
    assert_eq!(server.requests(), [say("hi"), say("hi")]);
    let seen: Vec<_> = server
        .exchanges()
        .into_iter()
        .map(|one| {
            (
                one.number,
                one.path,
                one.status,
                one.rule,
                one.usage,
                one.complete,
            )
        })
        .collect();
    let used = WireUsage {
        input_tokens: 101,
        output_tokens: 1,
        ..WireUsage::default()
    };
    let messages = "/v1/messages".to_owned();
    assert_eq!(
        seen,
        [
            (1, messages.clone(), 200, Some("a".into()), Some(used), true),
            (2, messages, 529, Some("b".into()), None, true),
            (3, "/v1/models/m".into(), 200, None, None, true),
        ]
    );
    assert!(!format!("{:?}", server.exchanges()).contains("sk-secret"));
}

#[tokio::test]
async fn a_hanging_request_is_in_flight_until_the_client_leaves() {
    for rule in [
        "- {name: a, hang: true}",
        "- {name: a, answer: x, hang: true}",
    ] {
        let server = serve(rule).await;
        let stream = open(&server, POST, say("hi").to_string().as_bytes()).await;
        server.wait_until(|server| server.in_flight() == 1).await;
        drop(stream);
        server.wait_until(|server| server.in_flight() == 0).await;
        assert!(!server.exchanges()[0].complete);
    }
}

#[tokio::test]
async fn dropping_the_server_kills_its_connections() {
    for rule in [
        "- {name: a, hang: true}",
        "- {name: a, answer: x, hang: true}",
    ] {
        let server = serve(rule).await;
        let address = server.base_url().replace("http://", "");
        let mut stream = open(&server, POST, say("hi").to_string().as_bytes()).await;
        server.wait_until(|server| server.in_flight() == 1).await;
        drop(server);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    }
}

#[tokio::test]
async fn waits_follow_the_speed() {
    let slow =
        "- {name: a, answer: aaaaaaaaaaaaaaaaaaaabbbb, delay_ms: 3600000, chunk_ms: 1800000}";
    // Two hours at a speed of 120,000 are 60 ms; without waiting they are none.
    for (speed, at_least) in [(0.0, 0), (120_000.0, 60)] {
        let server = ScriptedServer::start(scenario(slow), speed).await.unwrap();
        let began = Instant::now();
        assert_eq!(
            post(&server, &say("hi")).await.text(),
            "aaaaaaaaaaaaaaaaaaaabbbb"
        );
        assert!(began.elapsed() >= Duration::from_millis(at_least));
        assert_eq!(server.exchanges()[0].wait_ms, 7_200_000);
    }
    for speed in [-1.0, f64::NAN, f64::INFINITY] {
        let started = ScriptedServer::start(scenario("- {name: a, answer: x}"), speed).await;
        assert_eq!(
            started.err().unwrap().kind(),
            std::io::ErrorKind::InvalidInput
        );
    }
}
