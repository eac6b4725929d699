//! Which knob to turn, in one or two sentences.

use super::kind::Kind;
use super::{ErrorClass, Finding};
use crate::model::overflow;

/// Tokens left free between an answer's cap and the window: servers count a little more than they report.
const MARGIN_TOKENS: u64 = 1_000;

/// Says what a person can do about an error; `text` is the error's own text, with its status if there was one.
pub fn advice(finding: &Finding, class: ErrorClass, text: &str) -> String {
    match class {
        ErrorClass::Overflow => overflow_advice(finding),
        ErrorClass::Fatal | ErrorClass::Transient => kind_advice(Kind::of(None, &overflow::plain(text)), text),
        ErrorClass::Unknown => "Not recognised, so it is retried a few times. If your gateway words an overflow this way, \
            add a regex for it to `overflow_patterns` in the user config file; if it comes when the context is nearly full, \
            state the real window with `--window`."
            .to_owned(),
    }
}

fn overflow_advice(finding: &Finding) -> String {
    match (finding.limit, finding.used) {
        (Some(limit), Some(used)) if finding.sum_too_long() => {
            let free = limit - used;
            match free.checked_sub(MARGIN_TOKENS).filter(|room| *room > 0) {
                Some(room) => format!(
                    "Sum too long: the input ({used} tokens) fits the window ({limit} tokens), but not together with the answer \
                     that was asked for. Lower `max_output_tokens` (the max_tokens of the request) to at most {room}, or hand \
                     over earlier with a larger `--headroom`."
                ),
                None => format!(
                    "The input ({used} tokens) leaves only {free} tokens of the window ({limit} tokens) for the answer. Start the \
                     handoff earlier: `--window {limit}` with a larger `--headroom`; lower `max_output_tokens` as well."
                ),
            }
        }
        (Some(limit), used) => {
            let size = used.map_or_else(String::new, |used| format!(" ({used} tokens)"));
            let window = match finding.learnable() {
                Some(limit) => format!(
                    "State it with `--window {limit}` (or `window:` in the config) so that the handoff starts in time"
                ),
                None => {
                    "That is too small for an agent's work: serve the model with a larger window"
                        .to_owned()
                }
            };
            format!(
                "Input too long: the request{size} is larger than the window of {limit} tokens. {window}; a fresh session fits \
                 again. If it happens at the very first turn, the system text and tools alone are too large for this model."
            )
        }
        (None, used) => {
            let size = used.map_or_else(String::new, |used| format!(" ({used} tokens)"));
            format!(
                "Input too long: the request{size} does not fit the window, and the server does not say how large that is. State it \
                 with `--window` (or `window:` in the config), or raise `--headroom`, so that the handoff starts in time; \
                 with `--no-handoff` the step stops here."
            )
        }
    }
}

fn kind_advice(kind: Kind, text: &str) -> String {
    let words = match kind {
        Kind::Credentials => {
            "The server refuses the credentials. Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN (OPENAI_API_KEY with `--backend \
             openai`) and that the key belongs to this `--base-url`; `flower doctor` shows the first four characters of what is sent."
        }
        Kind::Money if text.contains("afford") => {
            "The account cannot pay for the answer that was asked for. Add credit, or lower `max_output_tokens`; waiting does not help."
        }
        Kind::Money => {
            "The account has no credit or quota left. Add credit, raise the limit, or use another key or `--model`; waiting does not help."
        }
        Kind::LongContext => {
            "This account may not use the long window of this model. Drop `[1m]` from the model name and run with `--window 200k`, or enable extra usage."
        }
        Kind::OverRate => {
            "One request is larger than the tokens this account may send in a minute, so waiting cannot help. Keep the context \
             below that with a smaller `--window`, or raise the account's rate limit."
        }
        Kind::Rate => {
            "A rate limit: wait. flower waits as long as the server asks and goes on. If it keeps coming, run less in parallel, use \
             another key, or send less per request with a smaller `--window`."
        }
        Kind::Server => {
            "The server is overloaded or failed: wait. flower retries with growing pauses and goes on; if it lasts, try another `--model` or `--base-url`."
        }
        Kind::Network => {
            "The answer did not arrive whole. flower retries and goes on. If it lasts, check the network, `--base-url`, HTTPS_PROXY and \
             NO_PROXY, and `idle_timeout_s` in the config for a slow server."
        }
        Kind::OutputCap => {
            "The answer that was asked for is longer than this model may give; the window is not full. Lower `max_output_tokens` \
             (and `thinking_budget_tokens`, which must be smaller) in the config."
        }
        Kind::Bytes => {
            "The request has too many bytes, which is no limit in tokens: `--window` does not help. Repeating it cannot help either; a \
             fresh session (`--new`, or a handoff) or smaller tool results do."
        }
        Kind::Media => {
            "The images, pages or other media in the conversation are refused. Send fewer or smaller ones; a fresh session (`--new`) does not carry them."
        }
        Kind::Policy => {
            "The server's content filter refuses the conversation. Repeating it cannot help: rephrase, or go on in a fresh session (`--new`)."
        }
        Kind::Missing => {
            "The server knows no such model or address. Check `--model`, and `--base-url`: for Anthropic it ends before `/v1`, for OpenAI-compatible servers it includes `/v1`."
        }
        Kind::Certificate => {
            "The server's certificate is not trusted. Behind a company proxy, point SSL_CERT_FILE at its certificate authority."
        }
        Kind::Refused => {
            "The server refuses the request as it stands, and repeating it cannot help: read the server's own words. \
             `flower doctor` shows endpoint and model; `--new` starts a fresh session."
        }
        Kind::Unknown => {
            "The server gave no reason that is known. `flower doctor` shows endpoint, model and key."
        }
    };
    words.to_owned()
}
