//! A server on loopback that answers each connection with the next reply, byte for byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) struct Reply {
    bytes: Vec<u8>,
    hold: bool,
}

impl Reply {
    /// Sent whole, then the connection is closed.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { bytes, hold: false }
    }

    pub(crate) fn http(status: &str, headers: &str, body: &str) -> Self {
        Self::raw(format!(
            "HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n{body}"
        ))
    }

    pub(crate) fn sse(body: &str) -> Self {
        Self::http("200 OK", "content-type: text/event-stream\r\n", body)
    }

    pub(crate) fn json(status: &str, body: &str) -> Self {
        Self::http(status, "content-type: application/json\r\n", body)
    }

    /// Sent, then nothing more until the client goes away.
    pub(crate) fn held(mut self) -> Self {
        self.hold = true;
        self
    }
}

#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    /// Request line and headers, in lower case but for the first line.
    pub(crate) head: String,
    pub(crate) body: serde_json::Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) seen: UnboundedReceiver<Seen>,
    /// One message for each held connection that the client closed.
    pub(crate) closed: UnboundedReceiver<()>,
}

impl Server {
    /// Serves the replies in order, one a connection.
    pub(crate) async fn start(
        replies: impl IntoIterator<Item = Reply, IntoIter: Send + 'static>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen_in, seen) = unbounded_channel();
        let (closed_in, closed) = unbounded_channel();
        let replies = replies.into_iter();
        tokio::spawn(async move {
            for reply in replies {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(answer(socket, reply, seen_in.clone(), closed_in.clone()));
            }
        });
        Self { url, seen, closed }
    }
}

async fn answer(
    mut socket: TcpStream,
    reply: Reply,
    seen: UnboundedSender<Seen>,
    closed: UnboundedSender<()>,
) {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        assert_ne!(socket.read_buf(&mut bytes).await.unwrap(), 0, "request cut");
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let (first, headers) = head.split_once("\r\n").unwrap();
    let head = format!("{first}\r\n{}", headers.to_lowercase());
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head_end + length {
        assert_ne!(socket.read_buf(&mut bytes).await.unwrap(), 0, "request cut");
    }
    let body = serde_json::from_slice(&bytes[head_end..]).unwrap_or_default();
    let _ = seen.send(Seen { head, body });
    socket.write_all(&reply.bytes).await.unwrap();
    if reply.hold {
        let mut rest = Vec::new();
        // Any end will do: a client that goes away may reset the connection.
        let _ = socket.read_to_end(&mut rest).await;
        let _ = closed.send(());
    }
}
