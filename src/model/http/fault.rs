//! Turns everything that can go wrong with a request into a [`ModelError`]. In goes what the
//! network or the server said, out comes one text for people and the class the run acts on. The
//! key is removed here and nowhere else, so nothing else may build an error from foreign text.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use regex::Regex;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use crate::model::error::{ErrorClass, ModelError, RetryHint, classify, credentials};
use crate::secret::{self, Secret};

/// Most of a foreign text that is shown, in characters.
const SHOWN_CHARS: usize = 2_000;

/// What all requests of one client need to explain their errors.
#[derive(Debug, Clone)]
pub(super) struct Judge {
    pub(super) secret: Option<Secret>,
    pub(super) overflow_patterns: Arc<[Regex]>,
    pub(super) idle_timeout: Duration,
    pub(super) connect_timeout: Duration,
}

/// One request, as its errors name it.
#[derive(Debug, Clone)]
pub(in crate::model) struct Asked {
    target: String,
    judge: Judge,
}

impl Asked {
    pub(super) fn new(target: String, judge: Judge) -> Self {
        Self { target, judge }
    }

    /// The request or its answer broke on the way.
    pub(in crate::model) fn transport(&self, error: reqwest::Error) -> ModelError {
        let (timeout, connect) = (error.is_timeout(), error.is_connect());
        let cause = self.scrub(&chain(&error.without_url()));
        let certificate = cause.contains("certificate");
        let what = match (connect, timeout) {
            (true, true) => format!(
                "could not connect within {:?}; check the base URL, the proxy and the network",
                self.judge.connect_timeout
            ),
            (true, false) if certificate => format!(
                "could not connect safely: {cause}; if the server's certificate is your own, set \
                 SSL_CERT_FILE to its PEM file"
            ),
            (true, false) => {
                format!("could not connect: {cause}; check the base URL and that the server runs")
            }
            (false, true) => format!(
                "the server was silent: not one byte for {:?}",
                self.judge.idle_timeout
            ),
            (false, false) => format!("the connection broke: {cause}"),
        };
        let class = match certificate {
            true => ErrorClass::Unknown,
            false => ErrorClass::Transient,
        };
        self.plain(None, class, &what)
    }

    /// The stream ended or broke in the middle of an answer.
    pub(in crate::model) fn cut(&self, how: &str) -> ModelError {
        let what = format!(
            "the answer was cut before its end: {}; its tool calls are not run",
            self.scrub(how)
        );
        self.plain(Some(200), ErrorClass::Transient, &what)
    }

    /// The server took too long for the whole of a small question.
    pub(in crate::model) fn too_slow(&self, limit: Duration) -> ModelError {
        let what = format!("no complete answer within {limit:?}");
        self.plain(None, ErrorClass::Transient, &what)
    }

    /// The server answered with an error inside a successful stream.
    pub(in crate::model) fn failed_midway(&self, data: &str) -> ModelError {
        self.said(
            StatusCode::OK,
            &HeaderMap::new(),
            "an error inside the answer",
            data,
        )
    }

    /// The server answered with a success that is no event stream.
    pub(super) fn not_a_stream(&self, headers: &HeaderMap, body: &[u8]) -> ModelError {
        let kind = headers
            .get("content-type")
            .and_then(|value| value.to_str().ok());
        let what = format!(
            "HTTP 200, but no event stream ({}); is the base URL that of a model API?",
            visible(kind.unwrap_or("no content type"))
        );
        self.said(
            StatusCode::OK,
            headers,
            &what,
            &String::from_utf8_lossy(body),
        )
    }

    /// The server answered with a status that is no success.
    pub(super) fn refused(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> ModelError {
        let advice = match status.as_u16() {
            401 | 403 => "; check the key and that it belongs to this server",
            404 => "; check the model name and the base URL",
            _ => "",
        };
        let what = format!("HTTP {status}{advice}");
        self.said(status, headers, &what, &String::from_utf8_lossy(body))
    }

    /// The server points elsewhere.
    pub(super) fn redirected(&self, status: StatusCode, headers: &HeaderMap) -> ModelError {
        let target = headers
            .get("location")
            .map(HeaderValue::as_bytes)
            .unwrap_or_default();
        // What follows `?` may hold a token.
        let target = String::from_utf8_lossy(target);
        let target = target.split(['?', '#']).next().unwrap_or_default();
        let what = format!(
            "HTTP {status}: the server points to {}; redirects are not followed, put the final \
             address into the base URL",
            visible(&self.scrub(target))
        );
        self.plain(Some(status.as_u16()), ErrorClass::Fatal, &what)
    }

    /// The body is compressed although that was not asked for.
    pub(super) fn encoded(&self, encoding: &HeaderValue) -> ModelError {
        let what = format!(
            "the answer came compressed ({}), which was not asked for",
            visible(&format!("{encoding:?}"))
        );
        self.plain(Some(200), ErrorClass::Fatal, &what)
    }

    /// Judges a server's own words. The only place that classifies text.
    fn said(&self, status: StatusCode, headers: &HeaderMap, what: &str, body: &str) -> ModelError {
        let words = Words::read(&self.scrub(body));
        let header = |name| {
            headers
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let request_id = header("request-id")
            .or_else(|| header("x-request-id"))
            .map(|id| self.scrub(id))
            .or(words.request_id);
        let kind = words.kind.as_deref();
        // A success says nothing about the error inside it.
        let judged = Some(status.as_u16()).filter(|&code| code != 200);
        let texts: Vec<&str> = kind.into_iter().chain([words.text.as_str()]).collect();
        let hint = RetryHint::read(
            |name| headers.get(name).and_then(|value| value.to_str().ok()),
            SystemTime::now(),
        );
        let class = hint.apply(classify(judged, &texts, &self.judge.overflow_patterns));
        let mut message = what.to_owned();
        for (label, part) in [("type ", kind), ("", Some(words.text.trim()))] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                message = format!("{message}: {label}{}", visible(part));
            }
        }
        if let Some(id) = request_id {
            message = format!("{message} (request id {})", visible(&id));
        }
        ModelError {
            retry_after: hint.after,
            credentials: credentials(judged, &texts),
            ..self.plain(Some(status.as_u16()), class, &message)
        }
    }

    fn plain(&self, status: Option<u16>, class: ErrorClass, what: &str) -> ModelError {
        ModelError {
            message: format!("{}: {what}", self.scrub(&self.target)),
            status,
            class,
            retry_after: None,
            credentials: false,
        }
    }

    /// Removes the key, and whatever else looks like one.
    fn scrub(&self, text: &str) -> String {
        let known = self.judge.secret.as_slice();
        secret::scrub_known(&secret::scrub(text, known))
    }
}

/// What a server says in an error body.
struct Words {
    kind: Option<String>,
    text: String,
    request_id: Option<String>,
}

impl Words {
    /// Reads the usual shapes. A body that holds more than a type and a message stays whole: the
    /// true cause is often in the part that a client threw away.
    fn read(body: &str) -> Self {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        let error = &value["error"];
        let owned = |value: &Value| value.as_str().map(str::to_owned);
        let kind = owned(&error["type"]).or_else(|| owned(&error["code"]));
        let only = |value: &Value, known: &[&str]| {
            value
                .as_object()
                .is_some_and(|fields| fields.keys().all(|key| known.contains(&key.as_str())))
        };
        let usual = only(&value, &["type", "error", "request_id"]);
        let message = match only(error, &["type", "message"]) {
            true => owned(&error["message"]),
            false => owned(error),
        };
        Self {
            kind,
            text: message.filter(|_| usual).unwrap_or_else(|| body.to_owned()),
            request_id: owned(&value["request_id"]),
        }
    }
}

/// An error that happened before any request.
pub(super) fn setup(message: &str) -> ModelError {
    ModelError {
        message: message.to_owned(),
        status: None,
        class: ErrorClass::Fatal,
        retry_after: None,
        credentials: false,
    }
}

/// An error with its causes, on one line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    visible(&text)
}

/// Cuts foreign text to 2,000 characters and makes control and direction characters visible, so
/// that it can neither drive a terminal nor pose as something else.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = 0;
    for grapheme in text.graphemes(true) {
        chars += grapheme.chars().count();
        if chars > SHOWN_CHARS {
            shown.push('…');
            break;
        }
        for c in grapheme.chars() {
            match c {
                '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}' => shown.extend(c.escape_unicode()),
                c if c.is_control() => shown.extend(c.escape_default()),
                c => shown.push(c),
            }
        }
    }
    shown
}
