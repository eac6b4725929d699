//! The client against a real server on loopback.

mod decoder;
mod failures;
mod info;
mod request;
mod server;

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;

use super::{Anthropic, AnthropicOptions};
use crate::model::error::ModelError;
use crate::model::{Auth, Block, Message, ModelEvent, Request, StopReason, Usage};
use crate::secret::Secret;
use server::{Reply, Server};

const KEY: &str = "sk-ant-\"quoted\"-0123456789";

const ANSWER: &str = "event: message_start\n\
data: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"model\":\"claude\",\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":100,\"output_tokens\":1}}}\n\
\n\
: keep-alive\n\
event: ping\n\
data: {\"type\":\"ping\"}\n\
\n\
event: content_block_start\n\
data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\
\n\
event: content_block_delta\n\
data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"你好👩‍🔬\"}}\n\
\n\
event: content_block_stop\r\n\
data: {\"type\":\"content_block_stop\",\"index\":0}\r\n\
\r\n\
event: message_delta\n\
data: {\"type\":\"message_delta\",\n\
data: \"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\
\n\
event: message_stop\n\
data: {\"type\":\"message_stop\"}\n\
\n";

fn answer_events() -> Vec<ModelEvent> {
    let usage = |output| {
        ModelEvent::Usage(Usage {
            input: 5,
            cache_read: 100,
            cache_creation: 0,
            output,
        })
    };
    vec![
        ModelEvent::Started {
            message_id: "m1".into(),
            model: "claude".into(),
        },
        usage(1),
        ModelEvent::TextDelta("你好👩‍🔬".into()),
        ModelEvent::Block(Block::text("你好👩‍🔬")),
        usage(7),
        ModelEvent::Stopped(StopReason::EndTurn),
    ]
}

fn options(url: &str) -> AnthropicOptions {
    AnthropicOptions {
        base_url: url.to_owned(),
        auth: Auth::ApiKey(Secret::new(KEY).unwrap()),
        idle_timeout: Duration::from_secs(20),
        connect_timeout: Duration::from_secs(20),
        use_proxy: true,
        overflow_patterns: Vec::new(),
    }
}

async fn ask(client: &Anthropic) -> (Vec<ModelEvent>, Option<ModelError>) {
    let request = Request {
        model: "claude-opus-5",
        system: "",
        tools: &[],
        messages: &[Message::user("hi")],
        max_output_tokens: 100,
        thinking_budget_tokens: None,
    };
    let mut stream = client.stream(&request);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none(), "something after an error");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

#[tokio::test]
async fn an_answer_and_its_request() {
    let mut server =
        Server::start([Reply::sse(ANSWER), Reply::sse(ANSWER), Reply::sse(ANSWER)]).await;
    let client = Anthropic::new(options(&server.url)).unwrap();
    assert_eq!(ask(&client).await, (answer_events(), None));
    let seen = server.seen.recv().await.unwrap();
    let mut head: Vec<&str> = seen.head.lines().filter(|line| !line.is_empty()).collect();
    head.sort_unstable();
    let host = format!("host: {}", server.url.trim_start_matches("http://"));
    let agent = format!("user-agent: flower/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        head,
        [
            "POST /v1/messages HTTP/1.1",
            "accept-encoding: identity",
            "accept: text/event-stream",
            "anthropic-version: 2023-06-01",
            "content-length: 162",
            "content-type: application/json",
            &host,
            &agent,
            &format!("x-api-key: {KEY}"),
        ]
    );
    let cache = json!({"type": "ephemeral"});
    let text = json!({"type": "text", "text": "hi", "cache_control": cache});
    assert_eq!(
        seen.body,
        json!({"model": "claude-opus-5", "max_tokens": 100, "stream": true,
               "messages": [{"role": "user", "content": [text]}]})
    );

    let mut bearer = options(&format!("{}/v1/", server.url));
    bearer.auth = Auth::Bearer(Secret::new("tok\n").unwrap());
    assert_eq!(ask(&Anthropic::new(bearer).unwrap()).await.1, None);
    let head = server.seen.recv().await.unwrap().head;
    assert!(head.contains("\r\nauthorization: bearer tok\r\n"), "{head}");
    assert!(!head.contains("x-api-key"), "{head}");

    let mut open = options(&format!("{}/gate/v1/messages?tenant=7", server.url));
    open.auth = Auth::None;
    assert_eq!(ask(&Anthropic::new(open).unwrap()).await.1, None);
    let head = server.seen.recv().await.unwrap().head;
    assert!(
        head.starts_with("POST /gate/v1/messages?tenant=7 HTTP/1.1"),
        "{head}"
    );
    assert!(
        !head.contains("authorization") && !head.contains("x-api-key"),
        "{head}"
    );
}

#[tokio::test]
async fn odd_bytes_around_an_answer() {
    let bom = '\u{feff}';
    let bodies = [
        format!("{bom}{bom}\n{bom}{ANSWER}"),
        format!("\r\n\n{ANSWER}trailing words that are no event"),
        ANSWER.replace("\r\n", "\n").replace('\n', "\r"),
        format!("retry: 5\nid: 7\n{ANSWER}"),
        format!(
            ": {}\n{}{ANSWER}",
            "x".repeat(3_000_000),
            "\n".repeat(300_000)
        ),
    ];
    for body in bodies {
        // With `\r` alone the last line break is whole only when something follows it.
        let reply = Reply::sse(&format!("{body}\n"));
        let server = Server::start([reply]).await;
        let client = Anthropic::new(options(&server.url)).unwrap();
        let head: String = body.chars().take(20).collect();
        assert_eq!(ask(&client).await, (answer_events(), None), "{head:?}");
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let mut server = Server::start([Reply::sse(&ANSWER[..400]).held()]).await;
    let client = Anthropic::new(options(&server.url)).unwrap();
    let messages = [Message::user("hi")];
    let mut stream = client.stream(&Request {
        model: "m",
        system: "",
        tools: &[],
        messages: &messages,
        max_output_tokens: 100,
        thinking_budget_tokens: None,
    });
    assert_eq!(stream.next().await, Some(Ok(answer_events().remove(0))));
    drop(stream);
    server.closed.recv().await.unwrap();
}

/// Runs one test of this binary in a process of its own, with variables set.
async fn in_a_process(test: &str, variables: &[(&str, &str)]) -> bool {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--include-ignored", "--test-threads=1"])
        .env_remove("REQUEST_METHOD")
        .envs(variables.iter().copied());
    let output = command.output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("running 1 test"), "{text}");
    output.status.success()
}

#[tokio::test]
async fn no_proxy_for_this_machine() {
    let dead = "http://127.0.0.1:9";
    let proxies = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, dead));
    let test = "model::anthropic::tests::an_answer_and_its_request";
    assert!(in_a_process(test, &proxies).await);
}

#[tokio::test]
async fn a_proxy_for_other_machines() {
    let mut proxy = Server::start([Reply::sse(ANSWER)]).await;
    let test = "model::anthropic::tests::ask_a_far_model";
    let variables = [
        ("http_proxy", ""),
        ("HTTP_PROXY", proxy.url.as_str()),
        ("NO_PROXY", ""),
    ];
    assert!(in_a_process(test, &variables).await);
    let head = proxy.seen.recv().await.unwrap().head;
    assert!(
        head.starts_with("POST http://model.invalid/v1/messages HTTP/1.1"),
        "{head}"
    );
    let variables = [
        ("HTTP_PROXY", proxy.url.as_str()),
        ("NO_PROXY", "model.invalid"),
    ];
    assert!(
        !in_a_process(test, &variables).await,
        "NO_PROXY was not honoured"
    );
}

#[tokio::test]
#[ignore = "run by a_proxy_for_other_machines, with a proxy in its environment"]
async fn ask_a_far_model() {
    let client = Anthropic::new(options("http://model.invalid")).unwrap();
    assert_eq!(ask(&client).await, (answer_events(), None));
}
