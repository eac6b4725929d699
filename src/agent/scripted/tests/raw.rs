//! A client that speaks plain HTTP over a socket and keeps what it got, cut or not.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::agent::scripted::ScriptedServer;

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Whether the body came to its proper end.
    pub(super) whole: bool,
}

impl Got {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn error(&self) -> (u16, String, String) {
        let body = self.json();
        assert_eq!(body["type"], "error");
        assert_eq!(body["request_id"], self.header("request-id").unwrap());
        let text = |key: &str| body["error"][key].as_str().unwrap().to_owned();
        (self.status, text("type"), text("message"))
    }

    /// The events' data; the event names must agree with it.
    pub(super) fn events(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.body).unwrap();
        let records = text.split_terminator("\n\n");
        records
            .map(|record| {
                let (name, data) = record.split_once('\n').unwrap();
                let data: Value =
                    serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                assert_eq!(name.strip_prefix("event: ").unwrap(), data["type"]);
                data
            })
            .collect()
    }

    /// The blocks of a streamed answer, put together as a client does.
    pub(super) fn blocks(&self) -> Vec<Value> {
        let mut blocks: Vec<Value> = Vec::new();
        let mut inputs: Vec<String> = Vec::new();
        for event in self.events() {
            match event["type"].as_str().unwrap() {
                "content_block_start" => {
                    assert_eq!(event["index"], blocks.len());
                    blocks.push(event["content_block"].clone());
                    inputs.push(String::new());
                }
                "content_block_delta" => {
                    let index = event["index"].as_u64().unwrap() as usize;
                    let delta = event["delta"].as_object().unwrap();
                    for (key, piece) in delta.iter().filter(|(key, _)| *key != "type") {
                        let piece = piece.as_str().unwrap();
                        if key == "partial_json" {
                            inputs[index].push_str(piece);
                        } else {
                            let so_far = blocks[index][key].as_str().unwrap().to_owned();
                            blocks[index][key] = json!(so_far + piece);
                        }
                    }
                }
                "content_block_stop" => {
                    let index = event["index"].as_u64().unwrap() as usize;
                    if blocks[index]["type"] == "tool_use" {
                        blocks[index]["input"] = serde_json::from_str(&inputs[index]).unwrap();
                    }
                }
                _ => {}
            }
        }
        blocks
    }

    pub(super) fn text(&self) -> String {
        let blocks = self.blocks();
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The usage of the last event that has one.
    pub(super) fn usage(&self) -> Value {
        let events = self.events();
        let last = events
            .iter()
            .rev()
            .find(|event| event["type"] == "message_delta");
        last.unwrap()["usage"].clone()
    }
}

/// Sends a request and reads until the server closes.
pub(super) async fn call(server: &ScriptedServer, head: &str, body: &[u8]) -> Got {
    let mut stream = open(server, head, body).await;
    let mut bytes = Vec::new();
    // A reset loses nothing that was read before it.
    let _ = stream.read_to_end(&mut bytes).await;
    parse(&bytes)
}

/// Sends a request and leaves the answer in the socket.
pub(super) async fn open(server: &ScriptedServer, head: &str, body: &[u8]) -> TcpStream {
    let address = server.base_url().replace("http://", "");
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let request = format!(
        "{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

pub(super) const POST: &str =
    "POST /v1/messages HTTP/1.1\r\nanthropic-version: 2023-06-01\r\nx-api-key: sk-secret";

pub(super) async fn post(server: &ScriptedServer, body: &Value) -> Got {
    call(server, POST, body.to_string().as_bytes()).await
}

/// A request with these messages.
pub(super) fn request(messages: &Value) -> Value {
    json!({"model": "claude-demo", "max_tokens": 4096, "stream": true, "messages": messages})
}

/// A request with one message.
pub(super) fn say(text: &str) -> Value {
    request(&json!([{"role": "user", "content": text}]))
}

fn parse(bytes: &[u8]) -> Got {
    let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        assert!(bytes.is_empty(), "half a head");
        return Got {
            status: 0,
            headers: Vec::new(),
            body: Vec::new(),
            whole: false,
        };
    };
    let head = std::str::from_utf8(&bytes[..at]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(key, value)| (key.to_lowercase(), value.to_owned()))
        .collect();
    let rest = &bytes[at + 4..];
    let length = headers.iter().find(|(key, _)| key == "content-length");
    let (body, whole) = match length {
        Some((_, length)) => (rest.to_vec(), length.parse() == Ok(rest.len())),
        None => unchunk(rest),
    };
    Got {
        status: status.parse().unwrap(),
        headers,
        body,
        whole,
    }
}

fn unchunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(at) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        rest = &rest[at + 2..];
        if size == 0 {
            return (body, rest == b"\r\n");
        }
        let take = size.min(rest.len());
        body.extend_from_slice(&rest[..take]);
        rest = &rest[(size + 2).min(rest.len())..];
    }
    (body, false)
}
