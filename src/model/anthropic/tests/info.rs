use std::time::Duration;

use super::server::{Reply, Server};
use super::{Anthropic, options};
use crate::model::ServerModel;
use crate::model::error::ErrorClass;

fn told(
    id: &str,
    window_tokens: Option<u64>,
    max_output_tokens: Option<u64>,
) -> Option<ServerModel> {
    Some(ServerModel {
        id: id.into(),
        window_tokens,
        max_output_tokens,
    })
}

#[tokio::test]
async fn what_servers_tell_of_a_model() {
    let none = || Reply::json("404 Not Found", "{}");
    let ok = |body: &str| Reply::json("200 OK", body);
    let table = [
        (
            vec![ok(
                r#"{"id":"claude-opus-5","max_input_tokens":1000000,"max_tokens":128000}"#,
            )],
            told("claude-opus-5", Some(1_000_000), Some(128_000)),
            vec!["/v1/models/claude-opus-5"],
        ),
        (
            vec![ok(r#"{"id":"m","max_input_tokens":null}"#), none(), none()],
            told("m", None, None),
            vec!["/v1/models/claude-opus-5", "/props", "/v1/models"],
        ),
        (
            vec![
                none(),
                ok(r#"{"default_generation_settings":{"n_ctx":8192},"total_slots":4}"#),
            ],
            told("claude-opus-5", Some(8_192), None),
            vec!["/v1/models/claude-opus-5", "/props"],
        ),
        (
            vec![
                none(),
                none(),
                ok(r#"{"data":[{"id":"x.gguf","meta":{"n_ctx":4096,"n_ctx_train":131072}}]}"#),
            ],
            told("claude-opus-5", Some(4_096), None),
            vec!["/v1/models/claude-opus-5", "/props", "/v1/models"],
        ),
        (
            vec![
                Reply::http("200 OK", "", "<html>"),
                Reply::http("200 OK", "", "<html>"),
                ok(
                    r#"{"data":[{"id":"a","max_model_len":1000},{"id":"claude-opus-5","max_model_len":2000}]}"#,
                ),
            ],
            told("claude-opus-5", Some(2_000), None),
            vec!["/v1/models/claude-opus-5", "/props", "/v1/models"],
        ),
        (
            vec![
                none(),
                none(),
                ok(r#"{"data":[{"id":"a","max_model_len":1},{"id":"b","max_model_len":2}]}"#),
            ],
            None,
            vec!["/v1/models/claude-opus-5", "/props", "/v1/models"],
        ),
    ];
    for (replies, expected, paths) in table {
        let mut server = Server::start(replies).await;
        let client = Anthropic::new(options(&server.url)).unwrap();
        let found = client.model_info("claude-opus-5[1m]").await;
        assert_eq!(found, Ok(expected), "{paths:?}");
        for path in paths {
            let head = server.seen.recv().await.unwrap().head;
            assert!(head.starts_with(&format!("GET {path} HTTP/1.1")), "{head}");
            assert!(
                head.contains("\r\nanthropic-version: 2023-06-01\r\n"),
                "{head}"
            );
        }
    }
}

#[tokio::test]
async fn a_name_with_a_slash_stays_one_segment() {
    let mut server = Server::start([Reply::json("200 OK", r#"{"context_length":9}"#)]).await;
    let client = Anthropic::new(options(&format!("{}/api/v1", server.url))).unwrap();
    let found = client.model_info("anthropic/模?").await;
    assert_eq!(found, Ok(told("anthropic/模?", Some(9), None)));
    let head = server.seen.recv().await.unwrap().head;
    assert!(
        head.starts_with("GET /api/v1/models/anthropic%2F%E6%A8%A1%3F HTTP"),
        "{head}"
    );
}

#[tokio::test]
async fn what_cannot_be_asked_is_an_error() {
    let server = Server::start([Reply::json("401 Unauthorized", "{}")]).await;
    let refused = Anthropic::new(options(&server.url))
        .unwrap()
        .model_info("m")
        .await;
    assert!(refused.unwrap_err().credentials);

    let server = Server::start([Reply::raw("").held()]).await;
    let mut options = options(&server.url);
    options.idle_timeout = Duration::from_millis(50);
    let silent = Anthropic::new(options).unwrap().model_info("m").await;
    let silent = silent.unwrap_err();
    assert_eq!((silent.status, silent.class), (None, ErrorClass::Transient));
}
