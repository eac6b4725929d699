use std::time::{Duration, SystemTime};

use super::ErrorClass::{Fatal, Overflow, Transient, Unknown};
use super::*;

#[test]
fn classes() {
    let table: &[(Option<u16>, &str, ErrorClass)] = &[
        // Status.
        (Some(400), "whatever", Fatal),
        (Some(401), "", Fatal),
        (Some(402), "", Fatal),
        (Some(403), "", Fatal),
        (Some(404), "", Fatal),
        (Some(405), "", Fatal),
        (Some(413), "", Fatal),
        (Some(422), "", Fatal),
        (Some(408), "", Transient),
        (Some(409), "", Transient),
        (Some(425), "", Transient),
        (Some(429), "", Transient),
        (Some(500), "", Transient),
        (Some(502), "<html>Bad Gateway</html>", Transient),
        (Some(503), "", Transient),
        (Some(504), "", Transient),
        (Some(520), "", Transient),
        (Some(529), "", Transient),
        (Some(302), "", Fatal),
        (Some(200), "", Unknown),
        (None, "", Unknown),
        (None, "something odd", Unknown),
        // Authentication and refusals beside network words.
        (None, "401 Unauthorized: connection reset by peer", Fatal),
        (None, "authentication_error: connection timed out", Fatal),
        (
            None,
            "API Error: 400 upstream connect error: connection refused",
            Fatal,
        ),
        (None, "invalid x-api-key (request timed out)", Fatal),
        (
            Some(500),
            "upstream says: Incorrect API key provided: sk-abc",
            Fatal,
        ),
        (None, "403 Forbidden", Fatal),
        (None, "404 page not found", Fatal),
        (
            None,
            "API key not valid. Please pass a valid API key.",
            Fatal,
        ),
        (None, "OAuth token has expired. Please run /login", Fatal),
        (None, "身份验证失败，请检查网络", Fatal),
        (None, "无效的令牌", Fatal),
        (None, "当前 API Key 已过期", Fatal),
        // Network.
        (
            None,
            "error sending request for url (https://x): connection reset by peer (os error 104)",
            Transient,
        ),
        (
            None,
            "tcp connect error: Connection refused (os error 111)",
            Transient,
        ),
        (
            None,
            "dns error: failed to lookup address information: Name or service not known",
            Transient,
        ),
        (None, "getaddrinfo EAI_AGAIN api.anthropic.com", Transient),
        (None, "getaddrinfo ENOTFOUND api.example.com", Transient),
        (None, "operation timed out", Transient),
        (
            None,
            "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
            Transient,
        ),
        (None, "stream ended before message_stop", Transient),
        (None, "unexpected EOF during chunk size line", Transient),
        (None, "error decoding response body", Transient),
        (None, "socket hang up", Transient),
        (
            None,
            "EOF while parsing a string at line 1 column 20",
            Transient,
        ),
        (None, "网络连接中断", Transient),
        (None, "请求超时", Transient),
        (None, "invalid peer certificate: UnknownIssuer", Fatal),
        // Error events inside a stream.
        (
            Some(200),
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Transient,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}"#,
            Transient,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
            Transient,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"api_error","message":"oops"}}"#,
            Transient,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"timeout_error","message":"x"}}"#,
            Transient,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"authentication_error","message":"x"}}"#,
            Fatal,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"permission_error","message":"x"}}"#,
            Fatal,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"billing_error","message":"x"}}"#,
            Fatal,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"not_found_error","message":"x"}}"#,
            Fatal,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"x"}}"#,
            Fatal,
        ),
        (
            Some(200),
            r#"{"type":"error","error":{"type":"request_too_large","message":"x"}}"#,
            Fatal,
        ),
        (
            Some(200),
            r#"{"error":{"message":"upstream","code":502}}"#,
            Transient,
        ),
        (None, "overloaded_error", Transient),
        (None, "api_error", Transient),
        (None, "rate_limit_exceeded", Transient),
        // Money.
        (
            Some(400),
            "Your credit balance is too low to access the Anthropic API.",
            Fatal,
        ),
        (
            Some(429),
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            Fatal,
        ),
        (
            Some(429),
            "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.",
            Transient,
        ),
        (
            Some(429),
            r#"{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}"#,
            Fatal,
        ),
        (Some(402), "Insufficient Balance", Fatal),
        (
            None,
            "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 3521.",
            Fatal,
        ),
        // Rates.
        (Some(429), "Token limit exceeded", Transient),
        (
            None,
            "Too many tokens per day, please wait before trying again.",
            Transient,
        ),
        (
            None,
            "ThrottlingException: Too many tokens, please wait before trying again.",
            Transient,
        ),
        (
            None,
            "request reached organization TPD rate limit, current: 1506556, limit: 1500000",
            Transient,
        ),
        (None, "您当前使用该 API 的并发数过高,请降低并发", Transient),
        (
            Some(429),
            "Extra usage is required for long context requests.",
            Fatal,
        ),
        (
            Some(413),
            "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 14368",
            Fatal,
        ),
        // Refused.
        (
            None,
            "max_tokens: 8000 > 4096, which is the maximum allowed number of output tokens",
            Fatal,
        ),
        (
            None,
            "tool_use ids were found without tool_result blocks: invalid_request_error",
            Fatal,
        ),
        (None, "A maximum of 100 PDF pages may be provided.", Fatal),
        (None, "model `gpt-9` does not exist", Fatal),
        // Overflow first, whatever the status says.
        (
            Some(400),
            "prompt is too long: 202128 tokens > 200000 maximum",
            Overflow,
        ),
        (Some(500), "Context size has been exceeded.", Overflow),
        (
            Some(502),
            "Your input exceeds the context window of this model.",
            Overflow,
        ),
        (
            Some(429),
            "prompt is too long: 202128 tokens > 200000 maximum",
            Overflow,
        ),
        (
            None,
            "stream disconnected before completion: Your input exceeds the context window of this model.",
            Overflow,
        ),
    ];
    let wrong: Vec<_> = table
        .iter()
        .map(|(status, text, expected)| (status, text, expected, classify(*status, &[text], &[])))
        .filter(|(.., expected, got)| *expected != got)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_first_error_of_a_chain_counts() {
    let chain = [
        "prompt is too long: 202128 tokens > 200000 maximum",
        "400 thinking signature invalid",
    ];
    let got = Explained::of(Some(400), &chain, &[]);
    assert_eq!(
        (got.overflow, got.limit, got.used, got.class),
        (true, Some(200_000), Some(202_128), Overflow)
    );
    assert_eq!(
        classify(None, &["529 overloaded", "400 bad request"], &[]),
        Transient
    );
    assert_eq!(
        classify(None, &["connection reset", "invalid api key"], &[]),
        Fatal
    );
    assert_eq!(classify::<&str>(None, &[], &[]), Unknown);
}

#[test]
fn credentials_are_told_from_other_refusals() {
    for (status, text, expected) in [
        (Some(401), "", true),
        (Some(403), "", true),
        (
            Some(400),
            "model does not exist or you do not have access to it",
            false,
        ),
        (Some(200), "authentication_error", true),
        (None, "403 Forbidden", true),
        (None, "API Error: 401 {\"type\":\"error\"}", true),
        (None, "API Key 不存在", true),
        (Some(402), "", false),
        (Some(429), "rate limit", false),
        (None, "waited 401 ms", false),
    ] {
        assert_eq!(credentials(status, &[text]), expected, "{status:?} {text}");
    }
}

#[test]
fn user_patterns_make_an_overflow() {
    let patterns = [Regex::new(r"(?i)zu lang: (?P<used>\d+) von (?P<limit>[\d.]+)").unwrap()];
    let got = Explained::of(Some(400), &["Eingabe zu lang: 9000 von 8192"], &patterns);
    assert_eq!(
        (got.class, got.limit, got.used),
        (Overflow, Some(8192), Some(9000))
    );
    assert_eq!(
        classify(Some(400), &["Eingabe zu lang: 9000 von 8192"], &[]),
        Fatal
    );
}

#[test]
fn advice_names_the_knob() {
    for (text, knob) in [
        (
            "input length and `max_tokens` exceed context limit: 100000 + 120000 > 200000",
            "Lower `max_output_tokens` (the max_tokens of the request) to at most 99000",
        ),
        (
            "input length and `max_tokens` exceed context limit: 199500 + 64000 > 200000",
            "--headroom",
        ),
        (
            "prompt is too long: 202128 tokens > 200000 maximum",
            "`--window 200000`",
        ),
        ("maximum context length (512) exceeded", "larger window"),
        ("Prompt is too long", "`--no-handoff`"),
        ("401 invalid x-api-key", "ANTHROPIC_API_KEY"),
        ("Your credit balance is too low", "Add credit"),
        (
            "max_tokens: 8000 > 4096, which is the maximum allowed number of output tokens",
            "`max_output_tokens`",
        ),
        ("429 rate limit", "wait"),
        ("529 overloaded", "wait"),
        ("connection refused", "`--base-url`"),
        ("404 model: foo not found", "`--model`"),
        ("413 request_too_large", "bytes"),
        (
            "Extra usage is required for long context requests.",
            "--window 200k",
        ),
        ("invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"),
        ("odd", "`overflow_patterns`"),
    ] {
        let got = Explained::of(None, &[text], &[]);
        assert!(got.advice.contains(knob), "{text}\n{got:?}");
    }
    assert_eq!(
        serde_json::to_string(&Explained::of(
            None,
            &["prompt is too long: 12 tokens > 11 maximum"],
            &[]
        ))
        .unwrap()
        .split(",\"advice")
        .next(),
        Some(r#"{"overflow":true,"limit":11,"used":12,"class":"overflow""#)
    );
}

#[test]
fn retry_headers() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    let read = |headers: &[(&str, &'static str)]| {
        let headers: std::collections::HashMap<String, &'static str> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        RetryHint::read(|name| headers.get(name).copied(), now)
    };
    let after = |name, value| read(&[(name, value)]).after;
    for (name, value, expected) in [
        ("retry-after", "7", Some(Duration::from_secs(7))),
        ("retry-after", " 1.5 ", Some(Duration::from_millis(1_500))),
        (
            "retry-after",
            "Sun, 06 Nov 1994 08:49:47 GMT",
            Some(Duration::from_secs(10)),
        ),
        ("retry-after", "Sun, 06 Nov 1994 08:49:27 GMT", None),
        (
            "retry-after",
            "Thu, 06 Nov 2200 08:49:27 GMT",
            Some(MAX_RETRY_AFTER),
        ),
        ("retry-after", "0", None),
        ("retry-after", "-3", None),
        ("retry-after", "NaN", None),
        ("retry-after", "inf", Some(MAX_RETRY_AFTER)),
        ("retry-after", "1e300", Some(MAX_RETRY_AFTER)),
        ("retry-after", "soon", None),
        ("retry-after", "", None),
        ("retry-after-ms", "250", Some(Duration::from_millis(250))),
        ("retry-after-ms", "x", None),
    ] {
        assert_eq!(after(name, value), expected, "{name}: {value}");
    }
    assert_eq!(
        read(&[
            ("retry-after-ms", "250"),
            ("retry-after", "9"),
            ("x-should-retry", "False")
        ]),
        RetryHint {
            after: Some(Duration::from_millis(250)),
            should_retry: Some(false)
        }
    );
}

#[test]
fn the_servers_advice_changes_the_class() {
    let hint = |should_retry, after| RetryHint {
        after,
        should_retry,
    };
    let minute = Some(Duration::from_secs(60));
    for (hint, class, expected) in [
        (hint(Some(true), None), Unknown, Transient),
        (hint(Some(true), None), Fatal, Fatal),
        (hint(Some(true), None), Overflow, Overflow),
        (hint(Some(false), None), Transient, Fatal),
        (hint(Some(false), None), Unknown, Fatal),
        (hint(Some(false), minute), Transient, Transient),
        (hint(Some(false), None), Overflow, Overflow),
        (hint(None, minute), Unknown, Unknown),
    ] {
        assert_eq!(hint.apply(class), expected, "{hint:?} {class:?}");
    }
}
