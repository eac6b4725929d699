//! Error texts as servers send them go in; one plain lower-case line that patterns can read comes out.
//!
//! Gateways wrap errors in errors: JSON in a JSON string, a Python repr, HTML. Undoing that once, here, lets
//! every pattern be written against plain words, with error codes (`context_length_exceeded`,
//! `ContextWindowExceededError`) spelled like the sentences that mean the same.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Bytes kept from the start and from the end of a longer text: an error says what it is at one of its ends,
/// what lies between is an echo of the request.
const HEAD_BYTES: usize = 16 * 1024;
const TAIL_BYTES: usize = 8 * 1024;

/// How many layers of escaping are undone; public reports show three (a provider in a gateway in a client).
const LAYERS: usize = 5;

/// Cuts the middle out of a text that is too long to be worth reading whole.
pub(super) fn capped(text: &str) -> Cow<'_, str> {
    if text.len() <= HEAD_BYTES + TAIL_BYTES {
        return Cow::Borrowed(text);
    }
    let head = text.floor_char_boundary(HEAD_BYTES);
    let tail = text.ceil_char_boundary(text.len() - TAIL_BYTES);
    Cow::Owned(format!("{} … {}", &text[..head], &text[tail..]))
}

/// Undoes nested string escapes and HTML entities; keeps case and punctuation.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = text.to_owned();
    for _ in 0..LAYERS {
        if !out.contains('\\') {
            break;
        }
        let next = unescape_once(&out);
        if next == out {
            break;
        }
        out = next;
    }
    if out.contains('&') {
        for (entity, plain) in [
            ("&quot;", "\""),
            ("&#34;", "\""),
            ("&#39;", "'"),
            ("&#x27;", "'"),
            ("&gt;", ">"),
            ("&lt;", "<"),
            ("&nbsp;", " "),
            ("&amp;", "&"),
        ] {
            out = out.replace(entity, plain);
        }
    }
    out
}

fn unescape_once(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        match escape {
            'n' | 'r' | 't' => out.push(' '),
            '"' | '\'' | '/' | '\\' => out.push(escape),
            'u' => match utf16_units(rest) {
                (_, 0) => out.push_str("\\u"),
                (decoded, length) => {
                    out.push_str(&decoded);
                    rest = &rest[length..];
                    continue;
                }
            },
            'x' => match byte_run(rest) {
                (_, 0) => out.push_str("\\x"),
                (decoded, length) => {
                    out.push_str(&decoded);
                    rest = &rest[length..];
                    continue;
                }
            },
            other => {
                out.push('\\');
                out.push(other);
            }
        }
        rest = &rest[escape.len_utf8()..];
    }
    out.push_str(rest);
    out
}

/// Decodes `uXXXX\uXXXX…`, the first backslash already taken; gives the text and how many bytes it took.
fn utf16_units(text: &str) -> (String, usize) {
    let mut units = Vec::new();
    let mut length = 0;
    loop {
        let lead = if length == 0 { "u" } else { "\\u" };
        let unit = text[length..]
            .strip_prefix(lead)
            .and_then(|rest| rest.get(..4))
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let Some(unit) = unit else { break };
        units.push(unit);
        length += lead.len() + 4;
    }
    (String::from_utf16_lossy(&units), length)
}

/// Decodes `xNN\xNN…` of a Python bytes repr as UTF-8.
fn byte_run(text: &str) -> (String, usize) {
    let mut bytes = Vec::new();
    let mut length = 0;
    loop {
        let lead = if length == 0 { "x" } else { "\\x" };
        let byte = text[length..]
            .strip_prefix(lead)
            .and_then(|rest| rest.get(..2))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some(byte) = byte else { break };
        bytes.push(byte);
        length += lead.len() + 2;
    }
    (String::from_utf8_lossy(&bytes).into_owned(), length)
}

/// Makes an unescaped text one lower-case line: no quotes, one space between words, words of an error code
/// apart, full-width signs as ASCII, no separators inside numbers.
pub(super) fn plain(text: &str) -> String {
    // A comma after `[` separates the ends of a range, not thousands.
    static THOUSANDS: LazyLock<Regex> =
        LazyLock::new(|| super::compile(r"(^|[^\d\[,._])(\d{1,3}(?:[,_\u{a0}\u{202f}]\d{3})+)\b"));
    let text: String = text.chars().map(ascii_twin).collect();
    let text = THOUSANDS.replace_all(&text, |found: &Captures<'_>| {
        let digits: String = found[2].chars().filter(char::is_ascii_digit).collect();
        format!("{}{digits}", &found[1])
    });
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let joins = match c {
            '_' => before.is_alphanumeric() && after.is_alphanumeric(),
            // Beside a digit it belongs to a model's name (`grok-4`), which numbers.rs must see whole.
            '-' => before.is_alphabetic() && after.is_alphabetic(),
            _ => false,
        };
        match c {
            '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '*' => {}
            _ if joins || c.is_whitespace() || c.is_control() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => {
                if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
                    out.push(' ');
                }
                out.extend(c.to_lowercase());
            }
        }
        before = c;
    }
    out
}

/// The ASCII sign a full-width one stands for. The full-width comma stays: it never sits inside a number.
fn ascii_twin(c: char) -> char {
    match c {
        '，' => c,
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(c) - 0xff01 + u32::from('!')).unwrap_or(c)
        }
        '\u{3000}' => ' ',
        '≤' => '<',
        _ => c,
    }
}
