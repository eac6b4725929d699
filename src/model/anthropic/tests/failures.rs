//! Everything a server and a network can do wrong.

use std::time::Duration;

use serde_json::json;

use super::server::{Reply, Server};
use super::{ANSWER, KEY, answer_events, ask, options};
use crate::model::ModelEvent;
use crate::model::anthropic::Anthropic;
use crate::model::error::{ErrorClass, ModelError};

/// The error of one reply, with no event before it.
async fn error_of(reply: Reply) -> ModelError {
    let server = Server::start([reply]).await;
    let (events, error) = ask(&Anthropic::new(options(&server.url)).unwrap()).await;
    assert_eq!(events, []);
    let mut error = error.unwrap();
    assert!(!error.message.contains("0123456789"), "{}", error.message);
    error.message = error.message.replace(&server.url, "URL");
    error
}

#[tokio::test]
async fn a_cut_at_any_byte_is_an_error_and_never_an_answer() {
    let whole = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{ANSWER}"
    );
    let bytes = whole.into_bytes();
    let cuts = bytes.clone();
    let server = Server::start((1..cuts.len()).map(move |end| Reply::raw(&cuts[..end]))).await;
    let client = Anthropic::new(options(&server.url)).unwrap();
    for end in 1..bytes.len() {
        let (events, error) = ask(&client).await;
        let error = error.unwrap_or_else(|| panic!("cut at {end} of {}: {events:?}", bytes.len()));
        assert_eq!(error.class, ErrorClass::Transient, "cut at {end}: {error}");
        assert!(
            !events
                .iter()
                .any(|event| matches!(event, ModelEvent::Stopped(_)))
        );
        assert!(
            answer_events().starts_with(&events),
            "cut at {end}: {events:?}"
        );
    }
}

#[tokio::test]
async fn a_cut_chunked_body_and_a_short_one_are_errors() {
    for head in [
        "transfer-encoding: chunked\r\n\r\n5\r\nevent",
        "content-length: 999\r\n\r\nevent: x\n",
    ] {
        let error = error_of(Reply::raw(format!("HTTP/1.1 200 OK\r\n{head}"))).await;
        assert_eq!(error.class, ErrorClass::Transient);
        assert!(
            error
                .message
                .starts_with("POST URL/v1/messages: the connection broke"),
            "{error}"
        );
    }
}

fn failure(message: &str, status: u16, class: ErrorClass) -> ModelError {
    ModelError {
        message: format!("POST URL/v1/messages: {message}"),
        status: Some(status),
        class,
        retry_after: None,
        credentials: false,
    }
}

#[tokio::test]
async fn refusals() {
    let usual = |kind: &str, message: &str| {
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_b"})
            .to_string()
    };
    let quoted = json!(KEY).to_string();
    let table = [
        (
            Reply::http(
                "401 Unauthorized",
                "request-id: req_h\r\n",
                &usual("authentication_error", &format!("bad key {KEY}")),
            ),
            ModelError {
                credentials: true,
                ..failure(
                    "HTTP 401 Unauthorized; check the key and that it belongs to this server: type \
                     authentication_error: bad key sk-a… (request id req_h)",
                    401,
                    ErrorClass::Fatal,
                )
            },
        ),
        (
            Reply::http(
                "429 Too Many Requests",
                "retry-after: 7\r\n",
                &usual("rate_limit_error", "slow\u{1b}[2J down"),
            ),
            ModelError {
                retry_after: Some(Duration::from_secs(7)),
                ..failure(
                    "HTTP 429 Too Many Requests: type rate_limit_error: slow\\u{1b}[2J down (request id req_b)",
                    429,
                    ErrorClass::Transient,
                )
            },
        ),
        (
            Reply::json("529 Overloaded", &usual("overloaded_error", "Overloaded")),
            failure(
                "HTTP 529 <unknown status code>: type overloaded_error: Overloaded (request id req_b)",
                529,
                ErrorClass::Transient,
            ),
        ),
        (
            Reply::json(
                "400 Bad Request",
                &usual(
                    "invalid_request_error",
                    "prompt is too long: 200001 tokens > 200000 maximum",
                ),
            ),
            failure(
                "HTTP 400 Bad Request: type invalid_request_error: prompt is too long: 200001 \
                 tokens > 200000 maximum (request id req_b)",
                400,
                ErrorClass::Overflow,
            ),
        ),
        (
            Reply::http("500 Internal Server Error", "", ""),
            failure("HTTP 500 Internal Server Error", 500, ErrorClass::Transient),
        ),
        (
            Reply::http(
                "502 Bad Gateway",
                "content-type: text/html\r\n",
                "<html>\n<h1>502</h1>",
            ),
            failure(
                "HTTP 502 Bad Gateway: <html>\\n<h1>502</h1>",
                502,
                ErrorClass::Transient,
            ),
        ),
        // What a usual reader would throw away stays, and so does the key's other spelling.
        (
            Reply::json(
                "404 Not Found",
                &format!(
                    r#"{{"error":{{"code":"gone","metadata":{{"raw":"upstream"}},"key":{quoted}}}}}"#
                ),
            ),
            failure(
                "HTTP 404 Not Found; check the model name and the base URL: type gone: \
                 {\"error\":{\"code\":\"gone\",\"metadata\":{\"raw\":\"upstream\"},\"key\":\"sk-a…\"}}",
                404,
                ErrorClass::Fatal,
            ),
        ),
        (
            Reply::http(
                "307 Temporary Redirect",
                "location: http://elsewhere/x?token=1\r\n",
                "",
            ),
            failure(
                "HTTP 307 Temporary Redirect: the server points to http://elsewhere/x; redirects \
                 are not followed, put the final address into the base URL",
                307,
                ErrorClass::Fatal,
            ),
        ),
    ];
    for (reply, expected) in table {
        assert_eq!(error_of(reply).await, expected);
    }
}

#[tokio::test]
async fn a_long_body_is_read_and_shown_in_part() {
    let error = error_of(Reply::http(
        "500 Internal Server Error",
        "",
        &"长".repeat(200_000),
    ))
    .await;
    let shown = "长".repeat(2_000);
    let message = format!("HTTP 500 Internal Server Error: {shown}…");
    assert_eq!(error, failure(&message, 500, ErrorClass::Transient));
}

#[tokio::test]
async fn a_success_that_is_no_answer() {
    let table = [
        (
            Reply::http(
                "200 OK",
                "content-type: text/html\r\n",
                "<html>Sign in</html>",
            ),
            "HTTP 200, but no event stream (text/html); is the base URL that of a model API?: \
             <html>Sign in</html>",
            ErrorClass::Unknown,
        ),
        (
            Reply::sse(r#" {"error":{"type":"overloaded_error","message":"busy"}}"#),
            "HTTP 200, but no event stream (text/event-stream); is the base URL that of a model \
             API?: type overloaded_error: busy",
            ErrorClass::Transient,
        ),
        (
            Reply::http("200 OK", "", "upstream says no"),
            "HTTP 200, but no event stream (no content type); is the base URL that of a model \
             API?: upstream says no",
            ErrorClass::Unknown,
        ),
        (
            Reply::sse(""),
            "the answer was cut before its end: the connection was closed; its tool calls are not run",
            ErrorClass::Transient,
        ),
        (
            Reply::sse("event: message_stop\ndata: {}\n\n"),
            "the answer was cut before its end: it ended without a stop reason; its tool calls are not run",
            ErrorClass::Transient,
        ),
        (
            Reply::http("200 OK", "content-encoding: gzip\r\n", "\u{1f}"),
            "the answer came compressed (\"gzip\"), which was not asked for",
            ErrorClass::Fatal,
        ),
    ];
    for (reply, message, class) in table {
        assert_eq!(error_of(reply).await, failure(message, 200, class));
    }
}

#[tokio::test]
async fn an_error_inside_the_answer() {
    let half = ANSWER.split("event: message_delta").next().unwrap();
    let event = |data: &str| Reply::sse(&format!("{half}event: error\ndata: {data}\n\n{ANSWER}"));
    let table = [
        (
            event(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            "an error inside the answer: type overloaded_error: Overloaded",
            ErrorClass::Transient,
        ),
        (
            event(
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}"#,
            ),
            "an error inside the answer: type invalid_request_error: prompt is too long",
            ErrorClass::Overflow,
        ),
    ];
    for (reply, message, class) in table {
        let server = Server::start([reply]).await;
        let (events, error) = ask(&Anthropic::new(options(&server.url)).unwrap()).await;
        assert_eq!(events, answer_events()[..4]);
        let mut error = error.unwrap();
        error.message = error.message.replace(&server.url, "URL");
        assert_eq!(error, failure(message, 200, class));
    }
}

#[tokio::test]
async fn the_persons_own_overflow_patterns_win() {
    let body =
        r#"{"error":{"type":"kiro_api_error","message":"CONTENT_LENGTH_EXCEEDS_THRESHOLD"}}"#;
    let server = Server::start([Reply::json("500 Internal Server Error", body)]).await;
    let mut options = options(&server.url);
    options.overflow_patterns = vec![regex::Regex::new("EXCEEDS_THRESHOLD").unwrap()];
    let (_, error) = ask(&Anthropic::new(options).unwrap()).await;
    assert_eq!(error.unwrap().class, ErrorClass::Overflow);
}

#[tokio::test]
async fn silence_before_and_within_an_answer() {
    for reply in [Reply::raw("").held(), Reply::sse(&ANSWER[..400]).held()] {
        let mut server = Server::start([reply]).await;
        let mut options = options(&server.url);
        options.idle_timeout = Duration::from_millis(50);
        let (_, error) = ask(&Anthropic::new(options).unwrap()).await;
        let error = error.unwrap();
        assert_eq!(error.class, ErrorClass::Transient);
        let message = error.message.replace(&server.url, "URL");
        assert_eq!(
            message,
            "POST URL/v1/messages: the server was silent: not one byte for 50ms"
        );
        server.closed.recv().await.unwrap();
    }
}

#[tokio::test]
async fn a_refused_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (_, error) = ask(&Anthropic::new(options(&url)).unwrap()).await;
    let error = error.unwrap();
    assert_eq!((error.status, error.class), (None, ErrorClass::Transient));
    assert!(
        error.message.contains("could not connect") && error.message.contains("refused"),
        "{error}"
    );
}

#[tokio::test]
async fn bytes_that_are_no_text() {
    let mut reply = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: \xff\xfe\n\n".to_vec();
    reply.extend_from_slice(ANSWER.as_bytes());
    let error = error_of(Reply::raw(reply)).await;
    assert_eq!(
        error.message,
        "POST URL/v1/messages: the answer was cut before its end: a line of it is no UTF-8; its \
         tool calls are not run"
    );
}
