//! Keys and tokens: a type that cannot be printed by accident, and the removal of keys from foreign texts.
//!
//! In go values of the environment and error bodies of servers, which like to echo the key they refuse; out
//! come masks that show at most four characters.

use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Fewest bytes of a secret that [`scrub`] looks for. Services issue keys far longer; what is shorter is a
/// placeholder for a local server (`none`, `EMPTY`), and removing it would blank ordinary words.
pub const MIN_SCRUBBED_BYTES: usize = 8;

/// Fewest characters of a secret of which the first four may be shown.
const MIN_SHOWN_CHARS: usize = 12;

/// A key or token. Debug and Display show the mask only, and it cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key; spaces and line ends around it, as `$(cat file)` leaves them, are no part of it.
    /// `None` when nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key itself, for the request header and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The first four characters and an ellipsis (`sk-a…`), enough to tell two keys apart; a key of fewer than
    /// twelve characters is masked whole.
    pub fn first4(&self) -> String {
        if self.0.chars().count() < MIN_SHOWN_CHARS {
            return "…".to_owned();
        }
        self.0.chars().take(4).chain(['…']).collect()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.first4())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.first4())
    }
}

/// Replaces the given secrets in a text by their masks, also where they are percent-encoded or escaped as JSON
/// or HTML. Secrets below [`MIN_SCRUBBED_BYTES`] are left.
pub fn scrub(text: &str, secrets: &[Secret]) -> String {
    let mut forms: Vec<(String, String)> = secrets
        .iter()
        .filter(|secret| secret.0.len() >= MIN_SCRUBBED_BYTES)
        .flat_map(|secret| {
            escaped_forms(&secret.0)
                .into_iter()
                .map(|form| (form, secret.first4()))
        })
        .collect();
    // A secret may be the start of another: the longer one goes first, or its rest would stay.
    forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
    let mut out = text.to_owned();
    for (form, mask) in forms {
        if out.contains(&form) {
            out = out.replace(&form, &mask);
        }
    }
    out
}

fn escaped_forms(secret: &str) -> Vec<String> {
    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_matches('"').to_owned();
    let slashes = json.replace('/', "\\/");
    let html = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    let percent = percent_encoded(secret);
    let lower = percent_lower(&percent);
    // Once more for a text inside a JSON string inside a JSON string.
    let twice = serde_json::Value::from(json.as_str()).to_string();
    let twice = twice.trim_matches('"').to_owned();
    let mut forms = vec![
        secret.to_owned(),
        json,
        slashes,
        html,
        percent,
        lower,
        twice,
    ];
    forms.sort();
    forms.dedup();
    forms
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn percent_lower(encoded: &str) -> String {
    static CODE: LazyLock<Regex> = LazyLock::new(|| compile("%[0-9A-F]{2}"));
    CODE.replace_all(encoded, |code: &Captures<'_>| code[0].to_lowercase())
        .into_owned()
}

/// Masks what looks like somebody's key in a foreign text: well-known prefixes, `Bearer …`, key headers, key
/// parameters and passwords of an address, JSON web tokens. Keeps the words around it and the first four
/// characters of the key.
pub fn scrub_known(text: &str) -> String {
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        compile(concat!(
            r#"(?i)((?-u:\b)(?:bearer|basic)\s+|(?:x-api-key|x-goog-api-key|api[_-]?key|apikey|authorization|access[_-]?token|auth[_-]?token|client[_-]?secret|password)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?(?:(?:bearer|basic)\s+)?|[?&](?:key|token|sig|signature)=)"#,
            r#"([^\s"'\\,;&@<>(){}\[\]]{8,})"#,
        ))
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        compile(concat!(
            r"(?-u:\b)(?:(?:sk|pk|rk|ak)-[A-Za-z0-9_-]{8,}|(?:gsk|hf|xai|pplx|nvapi|fw|r8|gho|ghp|ghu|ghs|github_pat|csk|tgp|key)[_-][A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{12,}",
            r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)",
        ))
    });
    static PASSWORD: LazyLock<Regex> =
        LazyLock::new(|| compile(r"(://[^\s/:@]{0,256}:)[^\s/@]{1,512}@"));
    let text = LABELLED.replace_all(text, |found: &Captures<'_>| {
        let key = &found[2];
        // `Bearer authentication failed` names a scheme, no key: keys hold a digit or are long.
        let is_word = key.len() < 20 && !key.contains(|c: char| c.is_ascii_digit());
        let mask = if is_word {
            key.to_owned()
        } else {
            Secret(key.to_owned()).first4()
        };
        format!("{}{mask}", &found[1])
    });
    let text = PASSWORD.replace_all(&text, |found: &Captures<'_>| format!("{}…@", &found[1]));
    BARE.replace_all(&text, |found: &Captures<'_>| {
        Secret(found[0].to_owned()).first4()
    })
    .into_owned()
}

#[allow(
    clippy::expect_used,
    reason = "the patterns are literals and a test compiles them all"
)]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text).unwrap()
    }

    #[test]
    fn only_the_mask_is_printed() {
        let key = secret(" sk-ant-api03-abcdef\n");
        assert_eq!(key.expose(), "sk-ant-api03-abcdef");
        assert_eq!(format!("{key} {key:?}"), "sk-a… Secret(sk-a…)");
        assert_eq!(secret("short").first4(), "…");
        assert_eq!(secret("密钥密钥密钥密钥密钥密钥密钥").first4(), "密钥密钥…");
        assert_eq!(Secret::new(" \n"), None);
    }

    #[test]
    fn secrets_go_in_every_form() {
        let keys = [
            secret("sk-a/b+c\"d=e"),
            secret("sk-a/b+c\"d=e-longer"),
            secret("none"),
        ];
        for (text, expected) in [
            ("key sk-a/b+c\"d=e.", "key sk-a….".to_owned()),
            ("key sk-a/b+c\"d=e-longer.", "key sk-a….".to_owned()),
            (r#"{"k":"sk-a/b+c\"d=e"}"#, r#"{"k":"sk-a…"}"#.to_owned()),
            (r#"{"k":"sk-a\/b+c\"d=e"}"#, r#"{"k":"sk-a…"}"#.to_owned()),
            (
                r#""{\"k\":\"sk-a/b+c\\\"d=e\"}""#,
                r#""{\"k\":\"sk-a…\"}""#.to_owned(),
            ),
            ("?k=sk-a%2Fb%2Bc%22d%3De&x", "?k=sk-a…&x".to_owned()),
            ("?k=sk-a%2fb%2bc%22d%3de&x", "?k=sk-a…&x".to_owned()),
            ("<b>sk-a/b+c&quot;d=e</b>", "<b>sk-a…</b>".to_owned()),
            ("none of it", "none of it".to_owned()),
        ] {
            assert_eq!(scrub(text, &keys), expected, "{text}");
        }
    }

    #[test]
    fn key_like_words_are_masked() {
        for (text, expected) in [
            (
                "Incorrect API key provided: sk-proj-abcd1234efgh.",
                "Incorrect API key provided: sk-p….",
            ),
            ("x-api-key: sk-ant-api03-xyz123", "x-api-key: sk-a…"),
            (
                r#"{"x-api-key":"abcdefgh12345678"}"#,
                r#"{"x-api-key":"abcd…"}"#,
            ),
            (
                r#"{\"authorization\":\"Bearer abc.def.ghi123\"}"#,
                r#"{\"authorization\":\"Bearer abc.…\"}"#,
            ),
            (
                "authorization: Bearer 0123456789abcdef",
                "authorization: Bearer 0123…",
            ),
            (
                "Bearer authentication failed",
                "Bearer authentication failed",
            ),
            (
                "https://user:passw0rd123456@proxy:8080/",
                "https://user:…@proxy:8080/",
            ),
            (
                "GET /v1?key=AIzaSyA1234567890abcdefghijk",
                "GET /v1?key=AIza…",
            ),
            (
                "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
                "token eyJh…",
            ),
            (
                "the task-force and risk-averse sk-",
                "the task-force and risk-averse sk-",
            ),
            (
                "prompt is too long: 202128 tokens",
                "prompt is too long: 202128 tokens",
            ),
            (
                "https://api.example.com:8443/v1/messages",
                "https://api.example.com:8443/v1/messages",
            ),
            ("密钥 sk-1234567890abcdef 无效", "密钥 sk-1… 无效"),
        ] {
            assert_eq!(scrub_known(text), expected, "{text}");
        }
    }
}
