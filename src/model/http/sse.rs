//! Server-sent events. In goes a request, out come its events, one at a time; bytes are counted,
//! lines are found and checked here, the event format itself is the library's.

use std::pin::Pin;

use eventsource_stream::{Event, EventStream, EventStreamError};
use futures_util::{Stream, StreamExt, stream};
use reqwest::{RequestBuilder, Response};

use super::{Asked, ModelError, accept, read_some};

/// Most that one answer may hold, in bytes. The largest answers of today (300,000 tokens, an
/// event for each, some 150 bytes an event) stay below a fifth of it.
const ANSWER_BYTES: usize = 256 * 1024 * 1024;

/// What the first line of an event stream begins with.
const FIRST: [&[u8]; 5] = [b":", b"event:", b"data:", b"id:", b"retry:"];

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The events of one answer.
pub(in crate::model) type Events = Pin<Box<dyn Stream<Item = Result<Event, ModelError>> + Send>>;

/// Sends a request and opens the event stream that answers it.
///
/// # Errors
/// No answer, a status that is no success, or a body that is no event stream.
pub(in crate::model) async fn open_events(
    asked: Asked,
    request: RequestBuilder,
) -> Result<Events, ModelError> {
    let response = request
        .send()
        .await
        .map_err(|error| asked.transport(error))?;
    let mut lines = Lines {
        response: accept(&asked, response).await?,
        asked,
        buffer: Vec::new(),
        start: 0,
        scanned: 0,
        total: 0,
    };
    while !lines.starts_like_events() {
        if lines.cannot_be_events() {
            let headers = lines.response.headers().clone();
            let body = read_some(lines.response, lines.buffer).await;
            return Err(lines.asked.not_a_stream(&headers, &body));
        }
        if !lines.read_more().await? {
            break;
        }
    }
    let asked = lines.asked.clone();
    let events = EventStream::new(stream::try_unfold(lines, Lines::next));
    Ok(Box::pin(events.map(move |event| {
        event.map_err(|error| match error {
            EventStreamError::Transport(error) => error,
            EventStreamError::Utf8(_) | EventStreamError::Parser(_) => {
                asked.cut("a line of it is no event")
            }
        })
    })))
}

/// Hands out whole lines: the library rescans an unfinished one with every piece that arrives,
/// which is quadratic, and it cannot bear a second byte order mark or bytes that are no UTF-8.
struct Lines {
    response: Response,
    asked: Asked,
    buffer: Vec<u8>,
    /// Where the next line begins in `buffer`.
    start: usize,
    /// Up to where `buffer` is known to hold no line break after `start`.
    scanned: usize,
    total: usize,
}

impl Lines {
    async fn next(mut self) -> Result<Option<(String, Self)>, ModelError> {
        loop {
            let fresh = &self.buffer[self.scanned..];
            if let Some(at) = fresh.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                let end = self.scanned + at + 1;
                let line = std::str::from_utf8(&self.buffer[self.start..end])
                    .map(str::to_owned)
                    .map_err(|_| self.asked.cut("a line of it is no UTF-8"))?;
                (self.start, self.scanned) = (end, end);
                return Ok(Some((line, self)));
            }
            self.scanned = self.buffer.len();
            if !self.read_more().await? {
                return Ok(None);
            }
        }
    }

    /// Reads what has arrived; false at the end.
    async fn read_more(&mut self) -> Result<bool, ModelError> {
        let read = self.response.chunk().await;
        let Some(chunk) = read.map_err(|error| self.asked.transport(error))? else {
            return Ok(false);
        };
        self.total += chunk.len();
        if self.total > ANSWER_BYTES {
            let limit = ANSWER_BYTES / (1024 * 1024);
            return Err(self.asked.cut(&format!("it is larger than {limit} MiB")));
        }
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(&chunk);
        Ok(true)
    }

    /// Drops what may stand before the first line, then looks whether that is an event's.
    fn starts_like_events(&mut self) -> bool {
        loop {
            let rest = &self.buffer[self.start..];
            match rest {
                [b'\n' | b'\r', ..] => self.start += 1,
                _ if rest.starts_with(BOM) => self.start += BOM.len(),
                _ => break,
            }
        }
        self.scanned = self.start;
        let rest = &self.buffer[self.start..];
        FIRST.iter().any(|first| rest.starts_with(first))
    }

    fn cannot_be_events(&self) -> bool {
        let rest = &self.buffer[self.start..];
        let undecided = FIRST
            .iter()
            .chain([&BOM])
            .any(|first| first.starts_with(rest));
        !undecided
    }
}
