//! How an answer leaves: a reply and its pace come in, response bytes go out one event at a time,
//! until the end or until the scenario breaks them off.

use std::collections::VecDeque;
use std::io;

use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::Response;
use hyper::body::{Bytes, Frame};
use hyper::header::{CACHE_CONTROL, HeaderValue};
use serde_json::{Value, json};

use super::reply::{head, respond_json};
use super::server::{Out, Ticket};
use super::step::{End, Pace};
use super::wire::{Event, Message};

/// What to send for a request.
pub(super) enum Reply {
    Json(Value),
    Stream(Message, End),
    Refuse,
    Hang,
}

/// Sends a reply; an error closes the connection without a response.
pub(super) async fn send(
    ticket: Ticket,
    reply: Reply,
    pace: Pace,
    id: &str,
) -> io::Result<Response<Out>> {
    let delay = u64::from(pace.delay_ms.unwrap_or_default());
    let chunk = u64::from(pace.chunk_ms.unwrap_or_default());
    let (message, end) = match reply {
        Reply::Json(body) => {
            ticket.shared.pause(delay).await;
            return Ok(send_json(ticket, 200, id, &body));
        }
        Reply::Refuse => return Err(io::Error::other("the scenario refuses this request")),
        Reply::Hang => std::future::pending().await,
        Reply::Stream(message, end) => (message, end),
    };
    let (pieces, finish) = planned(&message, end);
    let deltas = pieces.iter().filter(|piece| piece.paced).count() as u64;
    ticket.shared.note(ticket.number, |one| {
        one.status = 200;
        one.wait_ms = delay + chunk * deltas;
    });
    ticket.shared.pause(delay).await;
    let body = Sending {
        ticket,
        pieces,
        finish,
        chunk,
    };
    let frames = stream::unfold(body, Sending::next);
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    head(&mut response, 200, id, "text/event-stream; charset=utf-8");
    let no_cache = HeaderValue::from_static("no-cache");
    response.headers_mut().insert(CACHE_CONTROL, no_cache);
    Ok(response)
}

/// Sends JSON at once.
pub(super) fn send_json(ticket: Ticket, status: u16, id: &str, body: &Value) -> Response<Out> {
    ticket.shared.note(ticket.number, |one| {
        one.status = status;
        one.complete = true;
    });
    respond_json(status, id, body)
}

/// Bytes of one event, perhaps cut.
struct Piece {
    bytes: Bytes,
    paced: bool,
}

/// How the body of a stream is left.
enum Finish {
    Whole,
    Cut,
    Hang,
}

/// What to send and how to leave after it.
fn planned(message: &Message, end: End) -> (VecDeque<Piece>, Finish) {
    let mut events = message.content();
    let mut most_bytes = usize::MAX;
    let finish = match end {
        End::Whole => {
            events.extend(message.end());
            Finish::Whole
        }
        End::Error(error) => {
            events.push(Event::new(&json!({
                "type": "error",
                "error": {"type": error.kind, "message": error.message},
            })));
            Finish::Whole
        }
        End::CutBytes(bytes) => {
            events.extend(message.end());
            most_bytes = bytes;
            Finish::Cut
        }
        End::CutEvents(count) => {
            events.extend(message.end());
            events.truncate(count);
            Finish::Cut
        }
        End::Hang(count) => {
            events.truncate(count.unwrap_or(usize::MAX));
            Finish::Hang
        }
    };
    let mut pieces = VecDeque::new();
    for event in events {
        let bytes = Bytes::from(event.text);
        let bytes = bytes.slice(..bytes.len().min(most_bytes));
        if bytes.is_empty() {
            break;
        }
        most_bytes -= bytes.len();
        pieces.push_back(Piece {
            bytes,
            paced: event.paced,
        });
    }
    (pieces, finish)
}

/// A body on its way.
struct Sending {
    ticket: Ticket,
    pieces: VecDeque<Piece>,
    finish: Finish,
    /// Milliseconds before each delta.
    chunk: u64,
}

impl Sending {
    async fn next(mut self) -> Option<(io::Result<Frame<Bytes>>, Self)> {
        if let Some(piece) = self.pieces.pop_front() {
            if piece.paced {
                self.ticket.shared.pause(self.chunk).await;
            }
            return Some((Ok(Frame::data(piece.bytes)), self));
        }
        match self.finish {
            Finish::Whole => {
                let number = self.ticket.number;
                self.ticket.shared.note(number, |one| one.complete = true);
                None
            }
            Finish::Cut => {
                // Lets what was said so far reach the socket before the connection drops.
                tokio::task::yield_now().await;
                self.finish = Finish::Hang;
                Some((Err(io::Error::other("the scenario cuts this answer")), self))
            }
            Finish::Hang => std::future::pending().await,
        }
    }
}
