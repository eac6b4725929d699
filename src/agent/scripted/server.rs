//! The server: HTTP requests come in on loopback, the scenario's answers go out as the API sends
//! them. Dropping the server drops every connection.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::scenario::Scenario;
use super::usage::{Cache, WireUsage};

/// Body of an answer; an error in it drops the connection.
pub(super) type Out = UnsyncBoxBody<Bytes, io::Error>;

/// Exchanges remembered; older ones are forgotten first.
const MOST_EXCHANGES: usize = 1_000;
/// Bytes of request bodies remembered; older ones are forgotten first.
const MOST_RECORDED_BYTES: usize = 64 << 20;
/// Tool calls sent with thinking that are remembered.
const MOST_SEALED_CALLS: usize = 1_000;

/// One request and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Number of the request, from 1.
    pub number: u64,
    /// HTTP method.
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Headers in order, names in lower case; the values of keys are replaced by `present`.
    pub headers: Vec<(String, String)>,
    /// The request body; null when it has none or is no JSON.
    pub body: Value,
    /// Status of the answer; 0 while there is none and when the connection was closed instead.
    pub status: u16,
    /// Name of the rule that answered.
    pub rule: Option<String>,
    /// Usage that was reported.
    pub usage: Option<WireUsage>,
    /// Milliseconds the answer waits in all at speed 1.
    pub wait_ms: u64,
    /// Whether the whole answer went out.
    pub complete: bool,
}

/// Everything that changes while the server lives.
#[derive(Default)]
pub(super) struct State {
    pub(super) uses: Vec<u64>,
    pub(super) cache: Cache,
    /// Tool call id and the seal of the thinking it was sent with.
    pub(super) sealed: VecDeque<(String, String)>,
    exchanges: VecDeque<(usize, Exchange)>,
    recorded_bytes: usize,
    count: u64,
    in_flight: usize,
}

/// What the connections share.
pub(super) struct Shared {
    pub(super) scenario: Scenario,
    speed: f64,
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the record of an exchange, if it is still remembered.
    pub(super) fn note(&self, number: u64, change: impl FnOnce(&mut Exchange)) {
        let mut state = self.state();
        let found = state.exchanges.iter_mut().rev();
        if let Some((_, exchange)) = found.into_iter().find(|(_, one)| one.number == number) {
            change(exchange);
        }
        drop(state);
        self.changed.send_replace(());
    }

    /// Waits so many milliseconds, the speed taken into account.
    pub(super) async fn pause(&self, ms: u64) {
        if self.speed > 0.0 && ms > 0 {
            let wait = Duration::try_from_secs_f64(ms as f64 / 1_000.0 / self.speed);
            tokio::time::sleep(wait.unwrap_or(Duration::MAX)).await;
        }
    }

    /// Records a request; it is in flight until the ticket is dropped.
    pub(super) fn admit(self: &Arc<Self>, mut exchange: Exchange, bytes: usize) -> Ticket {
        let mut state = self.state();
        state.count += 1;
        exchange.number = state.count;
        let number = exchange.number;
        state.in_flight += 1;
        state.recorded_bytes += bytes;
        state.exchanges.push_back((bytes, exchange));
        while state.exchanges.len() > MOST_EXCHANGES || state.recorded_bytes > MOST_RECORDED_BYTES {
            let Some((bytes, _)) = state.exchanges.pop_front() else {
                break;
            };
            state.recorded_bytes -= bytes;
        }
        drop(state);
        self.changed.send_replace(());
        Ticket {
            shared: Arc::clone(self),
            number,
        }
    }
}

impl State {
    /// Remembers that tool calls went out with thinking.
    pub(super) fn seal_calls(&mut self, calls: impl Iterator<Item = (String, String)>) {
        self.sealed.extend(calls);
        let over = self.sealed.len().saturating_sub(MOST_SEALED_CALLS);
        self.sealed.drain(..over);
    }
}

/// A request in flight.
pub(super) struct Ticket {
    pub(super) shared: Arc<Shared>,
    pub(super) number: u64,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.shared.state().in_flight -= 1;
        self.shared.changed.send_replace(());
    }
}

/// A running scripted model.
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

impl ScriptedServer {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// `speed` divides all waits: 1 is as written, 2 twice as fast, 0 does not wait at all.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a speed that is negative or no number, and whatever binding the port says.
    pub async fn start(scenario: Scenario, speed: f64) -> io::Result<Self> {
        if !(speed.is_finite() && speed >= 0.0) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("cannot start the scripted model: speed {speed} must be 0 or more"),
            ));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = State {
            uses: vec![0; scenario.rules.len()],
            ..State::default()
        };
        let shared = Arc::new(Shared {
            scenario,
            speed,
            state: Mutex::new(state),
            changed: watch::Sender::new(()),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Ok(Self {
            address,
            shared,
            task,
        })
    }

    /// The base URL for clients, without `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Bodies of the message requests, oldest first; at most 1,000 and 64 MiB are kept.
    pub fn requests(&self) -> Vec<Value> {
        let state = self.shared.state();
        let messages = state.exchanges.iter().map(|(_, exchange)| exchange);
        messages
            .filter(|one| {
                one.method == "POST" && one.path.split('?').next() == Some("/v1/messages")
            })
            .map(|one| one.body.clone())
            .collect()
    }

    /// All requests and what became of them, oldest first; at most 1,000 and 64 MiB are kept.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let state = self.shared.state();
        state.exchanges.iter().map(|(_, one)| one.clone()).collect()
    }

    /// Requests that are being answered now.
    pub fn in_flight(&self) -> usize {
        self.shared.state().in_flight
    }

    /// Waits until a condition on the server holds; it is looked at after every change.
    pub async fn wait_until(&self, mut holds: impl FnMut(&Self) -> bool) {
        let mut changed = self.shared.changed.subscribe();
        loop {
            changed.mark_unchanged();
            if holds(self) || changed.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        // The task owns the listener and every connection.
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors: others must close before this can go on.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let nodelay = stream.set_nodelay(true);
            let service = service_fn(|request| super::answer::answer(Arc::clone(&shared), request));
            let served = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
            tracing::debug!(
                ?nodelay,
                ?served,
                "a connection to the scripted model ended"
            );
        });
    }
}
