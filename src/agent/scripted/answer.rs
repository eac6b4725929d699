//! One request: an HTTP request comes in, the response the scenario asks for goes out.

use std::io;
use std::sync::Arc;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response};
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::reply::ApiError;
use super::rules::choose;
use super::sending::{Reply, send, send_json};
use super::server::{Exchange, Out, Shared, Ticket};
use super::step::{Answer, Outcome, Pace};
use super::template::{Lang, render_input};
use super::usage::{Cache, WireUsage};
use super::validate;
use super::wire::{Block, Message, new_id, seal};

/// Largest request body in bytes, as documented for messages.
const MOST_BODY_BYTES: usize = 32 << 20;
/// Largest answer the models endpoint names, in tokens.
const MOST_OUTPUT_TOKENS: u64 = 64_000;

/// Answers one request; an error closes the connection without a response.
pub(super) async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> io::Result<Response<Out>> {
    let id = new_id("req");
    let (parts, body) = request.into_parts();
    let path = parts.uri.to_string();
    let read = Limited::new(body, MOST_BODY_BYTES).collect().await;
    let (bytes, too_large) = match read {
        Ok(body) => (body.to_bytes(), false),
        Err(error) if error.is::<LengthLimitError>() => (Bytes::new(), true),
        Err(error) => return Err(io::Error::other(error)),
    };
    let parsed = serde_json::from_slice::<Value>(&bytes);
    let exchange = Exchange {
        number: 0,
        method: parts.method.to_string(),
        path: path.clone(),
        headers: recorded(&parts.headers),
        body: parsed.as_ref().ok().cloned().unwrap_or_default(),
        status: 0,
        rule: None,
        usage: None,
        wait_ms: 0,
        complete: false,
    };
    let ticket = shared.admit(exchange, bytes.len());
    if parts.method == Method::HEAD && path == "/" {
        return Ok(send_json(ticket, 200, &id, &Value::Null));
    }
    let checked = authorised(&shared, &parts.headers, &path).and_then(|()| {
        if too_large {
            return Err(ApiError::new(413, "Request exceeds the maximum size"));
        }
        let body = || {
            parsed.map_err(|error| {
                ApiError::invalid(format!("The request body is not valid JSON: {error}"))
            })
        };
        match (
            parts.method.as_str(),
            path.split('?').next().unwrap_or_default(),
        ) {
            ("POST", "/v1/messages") => messages(&ticket, &parts.headers, &body()?),
            (_, "/v1/messages") => Err(ApiError::new(405, "Method Not Allowed")),
            ("POST", "/v1/messages/count_tokens") => {
                let tokens = Cache::count(&shared.scenario.rate, &body()?);
                Ok((
                    Reply::Json(json!({"input_tokens": tokens})),
                    Pace::default(),
                ))
            }
            ("GET", "/v1/models") => Ok((Reply::Json(models(&shared)), Pace::default())),
            ("GET", path) => match path.strip_prefix("/v1/models/") {
                Some(name) => Ok((Reply::Json(model(&shared, name)?), Pace::default())),
                None => Err(not_found()),
            },
            _ => Err(not_found()),
        }
    });
    match checked {
        Ok((reply, pace)) => send(ticket, reply, pace, &id).await,
        Err(error) => {
            ticket.shared.note(ticket.number, |one| {
                one.status = error.status;
                one.complete = true;
            });
            Ok(error.respond(&id))
        }
    }
}

fn not_found() -> ApiError {
    ApiError::new(404, "Not Found")
}

/// Headers as they are remembered: no key ever is.
fn recorded(headers: &HeaderMap) -> Vec<(String, String)> {
    let secret = [
        "x-api-key",
        "authorization",
        "proxy-authorization",
        "cookie",
    ];
    headers
        .iter()
        .map(|(name, value)| {
            let value = match secret.contains(&name.as_str()) {
                true => "present".to_owned(),
                false => String::from_utf8_lossy(value.as_bytes()).into_owned(),
            };
            (name.to_string(), value)
        })
        .collect()
}

fn authorised(shared: &Shared, headers: &HeaderMap, path: &str) -> Result<(), ApiError> {
    let given = |name| headers.get(name).is_some_and(|value| !value.is_empty());
    let key = given("x-api-key") || given("authorization");
    if shared.scenario.require_key && path.starts_with("/v1/") && !key {
        return Err(ApiError::new(401, "x-api-key header is required"));
    }
    Ok(())
}

fn model(shared: &Shared, name: &str) -> Result<Value, ApiError> {
    // A client may escape the brackets of a `[1m]` suffix; neither spelling names a model.
    if name.is_empty() || name.contains(['[', '%', '/']) {
        return Err(ApiError::new(404, format!("model: {name}")));
    }
    Ok(json!({
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "max_input_tokens": shared.scenario.window_tokens(),
        "max_tokens": MOST_OUTPUT_TOKENS.min(shared.scenario.window_tokens()),
    }))
}

fn models(shared: &Shared) -> Value {
    let name = shared.scenario.model();
    let data: Vec<Value> = model(shared, name).into_iter().collect();
    json!({"data": data, "has_more": false, "first_id": name, "last_id": name})
}

fn messages(ticket: &Ticket, headers: &HeaderMap, body: &Value) -> Result<(Reply, Pace), ApiError> {
    if !headers.contains_key("anthropic-version") {
        return Err(ApiError::invalid("anthropic-version: header is required"));
    }
    let shared = &ticket.shared;
    let scenario = &shared.scenario;
    let mut state = shared.state();
    validate::check(body, |call| {
        let found = state.sealed.iter().find(|(id, _)| id == call);
        found.map(|(_, seal)| seal.clone())
    })?;
    let total = Cache::count(&scenario.rate, body);
    if total > scenario.window_tokens() {
        return Err(ApiError::invalid(format!(
            "prompt is too long: {total} tokens > {} maximum",
            scenario.window_tokens()
        )));
    }
    let seen = Conversation::read(body);
    let choice = choose(&scenario.rules, &mut state.uses, &seen)?;
    let rule = choice.rule;
    let mut usage = None;
    let reply = match &rule.then {
        Outcome::Answer(answer) => {
            let lang = Lang::of(&seen.first);
            let asides = choice.asides.iter().map(|text| text.render(lang, &seen));
            let blocks = blocks(answer, asides.collect(), lang, &seen, thinks(body));
            state.seal_calls(sealed(&blocks));
            let counted = WireUsage {
                output_tokens: scenario
                    .rate
                    .output(&blocks.iter().map(Block::said).collect::<String>()),
                ..state.cache.usage(&scenario.rate, body)
            };
            let message = Message {
                id: new_id("msg"),
                model: body["model"].as_str().unwrap_or_default().to_owned(),
                stop_reason: stop_reason(answer, &blocks),
                usage: answer.usage.map_or(counted, |stated| stated.over(counted)),
                blocks,
            };
            usage = Some(message.usage);
            if body["stream"] == true {
                Reply::Stream(message, answer.end.clone())
            } else {
                Reply::Json(message.whole())
            }
        }
        Outcome::Error(error) => {
            drop(state);
            shared.note(ticket.number, |one| one.rule = Some(rule.name.clone()));
            return Err(error.into());
        }
        Outcome::Refuse => Reply::Refuse,
        Outcome::Hang | Outcome::Aside(_) => Reply::Hang,
    };
    drop(state);
    shared.note(ticket.number, |one| {
        one.rule = Some(rule.name.clone());
        one.usage = usage;
    });
    let pace = Pace {
        delay_ms: rule.pace.delay_ms.or(scenario.pace.delay_ms),
        chunk_ms: rule.pace.chunk_ms.or(scenario.pace.chunk_ms),
    };
    Ok((reply, pace))
}

/// Whether the request asks for visible thinking; without that none is sent.
fn thinks(body: &Value) -> bool {
    matches!(
        body["thinking"]["type"].as_str(),
        Some("enabled" | "adaptive")
    )
}

fn blocks(
    answer: &Answer,
    mut words: Vec<String>,
    lang: Lang,
    seen: &Conversation,
    thinks: bool,
) -> Vec<Block> {
    let thinking = answer.thinking.as_ref().filter(|_| thinks);
    let mut out: Vec<Block> = thinking
        .map(|text| Block::Thinking(text.render(lang, seen)))
        .into_iter()
        .collect();
    words.extend(answer.text.as_ref().map(|text| text.render(lang, seen)));
    words.retain(|text| !text.trim().is_empty());
    if !words.is_empty() {
        out.push(Block::Text(words.join("\n\n")));
    }
    out.extend(answer.tools.iter().map(|tool| Block::Tool {
        id: new_id("toolu"),
        name: tool.name.clone(),
        input: render_input(&tool.input, lang, seen),
    }));
    out
}

/// The tool calls of an answer with the seal of its thinking.
fn sealed(blocks: &[Block]) -> impl Iterator<Item = (String, String)> {
    let mut seals = blocks.iter().filter_map(|block| match block {
        Block::Thinking(text) => Some(seal(text)),
        Block::Text(_) | Block::Tool { .. } => None,
    });
    let first = seals.next();
    blocks.iter().filter_map(move |block| match block {
        Block::Tool { id, .. } => Some((id.clone(), first.clone()?)),
        Block::Text(_) | Block::Thinking(_) => None,
    })
}

fn stop_reason(answer: &Answer, blocks: &[Block]) -> String {
    match (&answer.stop_reason, blocks.last()) {
        (Some(reason), _) => reason.clone(),
        (None, Some(Block::Tool { .. })) => "tool_use".to_owned(),
        (None, Some(Block::Text(_) | Block::Thinking(_)) | None) => "end_turn".to_owned(),
    }
}
