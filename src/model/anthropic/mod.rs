//! The Anthropic Messages API. In goes a neutral [`Request`], out come neutral [`ModelEvent`]s;
//! this folder is the only place that knows the format's field names. Local servers speak it too,
//! so nothing here assumes that the other end is Anthropic's.

mod decoder;
mod info;
mod request;
#[cfg(test)]
mod tests;
mod usage;

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use regex::Regex;
use reqwest::{Method, Url};

use super::error::ModelError;
use super::http::{self, Auth, Http, HttpOptions};
use super::{ModelEvent, ModelStream, Request};
use decoder::{Decoder, Fault};

/// The version of the API that the wire format here is written for, documented by Anthropic.
const VERSION: &str = "2023-06-01";

/// What a client needs to know.
#[derive(Debug, Clone)]
pub struct AnthropicOptions {
    /// Address of the server, with or without `/v1` and a slash at its end.
    pub base_url: String,
    /// How to prove who asks.
    pub auth: Auth,
    /// Longest silence of the server, before and within an answer; a ping ends it.
    pub idle_timeout: Duration,
    /// Longest time to reach the server.
    pub connect_timeout: Duration,
    /// Whether `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` count; they never do for this machine.
    pub use_proxy: bool,
    /// Texts that the person knows to mean an overflow; they win over every other judgement.
    pub overflow_patterns: Vec<Regex>,
}

/// A client of one server that speaks the Anthropic Messages API. Clones share connections.
#[derive(Debug, Clone)]
pub struct Anthropic {
    http: Http,
    /// Without the `/v1` of the API.
    root: Url,
}

impl Anthropic {
    /// Prepares a client; nothing is sent yet.
    ///
    /// # Errors
    /// A base URL or key that cannot be used, or no root certificates for HTTPS.
    pub fn new(options: AnthropicOptions) -> Result<Self, ModelError> {
        let root = root(http::base_url(&options.base_url)?);
        let http = Http::new(HttpOptions {
            base: &root,
            auth: options.auth,
            idle_timeout: options.idle_timeout,
            connect_timeout: options.connect_timeout,
            use_proxy: options.use_proxy,
            overflow_patterns: options.overflow_patterns,
        })?;
        Ok(Self { http, root })
    }

    /// Asks for an answer. The request is sent when the stream is first polled and is cancelled by
    /// dropping it. The stream yields [`ModelEvent::Stopped`] last, or ends with an error: a
    /// connection that closes early is an error too.
    pub fn stream(&self, request: &Request<'_>) -> ModelStream {
        let url = http::join(&self.root, &["v1", "messages"]);
        let (asked, mut post) = self.http.request(Method::POST, url);
        post = post
            .header("anthropic-version", VERSION)
            .header("accept", "text/event-stream")
            .json(&request::body(request));
        if let Some(beta) = request::beta(request.model) {
            post = post.header("anthropic-beta", beta);
        }
        let answer = async move {
            let events = http::open_events(asked.clone(), post).await?;
            let answer = Answer {
                asked,
                events,
                decoder: Decoder::default(),
                ready: VecDeque::new(),
            };
            Ok(stream::try_unfold(answer, Answer::next))
        };
        Box::pin(stream::once(answer).try_flatten())
    }
}

/// Takes off what people append to the base although the client does so itself.
fn root(mut url: Url) -> Url {
    for tail in ["messages", "v1"] {
        let last = url.path_segments().and_then(|mut path| path.next_back());
        if last == Some(tail)
            && let Ok(mut path) = url.path_segments_mut()
        {
            path.pop().pop_if_empty();
        }
    }
    url
}

/// An answer that is being read.
struct Answer {
    asked: http::Asked,
    events: http::Events,
    decoder: Decoder,
    ready: VecDeque<ModelEvent>,
}

impl Answer {
    async fn next(mut self) -> Result<Option<(ModelEvent, Self)>, ModelError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some((event, self)));
            }
            if self.decoder.is_finished() {
                return Ok(None);
            }
            let Some(event) = self.events.next().await.transpose()? else {
                return Err(self.asked.cut("the connection was closed"));
            };
            match self.decoder.feed(&event.event, &event.data) {
                Ok(events) => self.ready.extend(events),
                Err(Fault::Broken(what)) => return Err(self.asked.cut(&what)),
                Err(Fault::Server(data)) => return Err(self.asked.failed_midway(&data)),
            }
        }
    }
}
