//! Bytes the terminal sends come in, cut anywhere; [`Input`]s and answers to questions go out.
//!
//! The cutting into sequences is done here, because no library lets its reader be stopped, notices
//! a closed terminal and bounds a paste; what a sequence means is `terminput`'s business.

use std::collections::VecDeque;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::input::Input;

/// How long a lone ESC may be the start of a sequence whose rest is on its way; afterwards it is
/// the key. Long enough for a busy connection, too short to be felt.
const ESCAPE_WAIT: Duration = Duration::from_millis(30);

/// How long a paste may be silent before Ctrl-C is no longer taken for a part of it.
const PASTE_SILENCE: Duration = Duration::from_secs(1);

/// Bytes of a paste that are handed on in one piece, at most.
const PASTE_PIECE: usize = 1 << 20;

/// Bytes of a key, mouse or cursor sequence, at most; the longest known has under 40.
const CSI_LIMIT: usize = 128;

/// Bytes of an answer that is a text (title, colour), at most.
const STRING_LIMIT: usize = 4096;

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Ctrl-C as a byte, and as the kitty keyboard protocol writes it.
const CTRL_C: [&[u8]; 2] = [b"\x03", b"\x1b[99;5u"];

/// What the terminal answered; the latest of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Answers {
    /// Keyboard flags of the kitty protocol are known.
    pub(super) keyboard: bool,
    /// Device attributes, which answer the last question.
    pub(super) attributes: bool,
    /// Row and column of the cursor, from 1.
    pub(super) cursor: Option<(u16, u16)>,
}

/// Turns bytes into inputs and keeps those nobody has taken yet, so that a stream of inputs can
/// end and another go on without losing a key.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The start of a sequence whose rest has not come yet.
    pending: Vec<u8>,
    /// The text of a paste under way.
    paste: Option<Vec<u8>>,
    /// Nothing came since [`settle`](Self::settle): there is nothing more to wait for.
    quiet: bool,
    inputs: VecDeque<Input>,
    answers: Answers,
}

impl Decoder {
    /// Takes the bytes of one read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.quiet
            && CTRL_C.contains(&bytes)
            && let Some(text) = self.paste.take()
        {
            // The end of the paste got lost; the person is not to be locked out.
            self.end_paste(&text);
        }
        self.quiet = false;
        self.pending.extend_from_slice(bytes);
        self.decode(false);
    }

    /// How long to wait for more bytes before [`settle`](Self::settle) is called.
    pub(super) fn wait(&self) -> Option<Duration> {
        if self.quiet {
            None
        } else if self.paste.is_some() {
            Some(PASTE_SILENCE)
        } else {
            (self.pending.first() == Some(&0x1b)).then_some(ESCAPE_WAIT)
        }
    }

    /// Takes what is there for complete, because nothing came for a while.
    pub(super) fn settle(&mut self) {
        self.quiet = true;
        if self.paste.is_none() {
            self.decode(true);
        }
    }

    /// The oldest input.
    pub(super) fn pop(&mut self) -> Option<Input> {
        self.inputs.pop_front()
    }

    /// Puts back inputs that nobody took, the oldest first, before all others.
    pub(super) fn put_back(&mut self, inputs: impl DoubleEndedIterator<Item = Input>) {
        for input in inputs.rev() {
            self.inputs.push_front(input);
        }
    }

    pub(super) fn answers(&self) -> Answers {
        self.answers
    }

    fn decode(&mut self, settled: bool) {
        let bytes = std::mem::take(&mut self.pending);
        let mut at = 0;
        while at < bytes.len() {
            if self.paste.is_some() {
                at += self.take_paste(&bytes[at..]);
                continue;
            }
            let Some(length) = sequence_length(&bytes[at..], settled) else {
                break;
            };
            self.take_sequence(&bytes[at..at + length]);
            at += length;
        }
        self.pending = bytes[at..].to_vec();
    }

    /// Reads on in a paste and returns how many bytes belong to it.
    fn take_paste(&mut self, bytes: &[u8]) -> usize {
        let mut text = self.paste.take().unwrap_or_default();
        for (index, byte) in bytes.iter().enumerate() {
            text.push(*byte);
            if *byte == b'~' && text.ends_with(PASTE_END) {
                text.truncate(text.len() - PASTE_END.len());
                self.end_paste(&text);
                return index + 1;
            }
            if text.len() >= PASTE_PIECE + PASTE_END.len() {
                let rest = text.split_off(piece_end(&text));
                self.end_paste(&text);
                text = rest;
            }
        }
        self.paste = Some(text);
        bytes.len()
    }

    fn end_paste(&mut self, text: &[u8]) {
        // Terminals send what Enter sends, a carriage return, for the end of a line.
        let text = String::from_utf8_lossy(text)
            .replace("\r\n", "\n")
            .replace('\r', "\n");
        self.inputs.push_back(Input::Paste(text));
    }

    fn take_sequence(&mut self, bytes: &[u8]) {
        if bytes == PASTE_START {
            self.paste = Some(Vec::new());
        } else if !self.take_answer(bytes) {
            self.inputs.extend(meaning(bytes));
        }
    }

    /// Notes an answer to a question; no key sends one of these.
    fn take_answer(&mut self, bytes: &[u8]) -> bool {
        let Some((body, last)) = bytes.strip_prefix(b"\x1b[").and_then(|rest| {
            let (last, body) = rest.split_last()?;
            Some((body, *last))
        }) else {
            return false;
        };
        match (body.first(), last) {
            (Some(b'?'), b'u') => self.answers.keyboard = true,
            (Some(b'?'), b'c') => self.answers.attributes = true,
            (Some(b'?' | b'>' | b'='), _) => {}
            (Some(_), b'R') => match cursor(body) {
                Some(cursor) if cursor.0 != 1 => self.answers.cursor = Some(cursor),
                Some(_) | None => return false,
            },
            (Some(_) | None, _) => return false,
        }
        true
    }
}

/// Row and column of a cursor report.
fn cursor(body: &[u8]) -> Option<(u16, u16)> {
    let (row, column) = std::str::from_utf8(body).ok()?.split_once(';')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

/// Where a piece of a long paste may end: not in a character, a line end or the paste's own end.
fn piece_end(text: &[u8]) -> usize {
    let mut end = text.len() - PASTE_END.len();
    let lowest = end - 4;
    while end > lowest && (text[end] & 0xc0 == 0x80 || text[end - 1] == b'\r') {
        end -= 1;
    }
    end
}

/// How many bytes the first sequence has; none when its rest is still to come.
fn sequence_length(bytes: &[u8], settled: bool) -> Option<usize> {
    match bytes {
        [] => None,
        [0x1b, rest @ ..] => escape_length(rest, settled).map(|length| 1 + length),
        _ => character_length(bytes, settled),
    }
}

/// One character in UTF-8, or the bytes that cannot be one.
fn character_length(bytes: &[u8], settled: bool) -> Option<usize> {
    let shown = &bytes[..bytes.len().min(4)];
    let error = match std::str::from_utf8(shown) {
        Ok(text) => return text.chars().next().map(char::len_utf8),
        Err(error) => error,
    };
    if error.valid_up_to() > 0 {
        return std::str::from_utf8(&shown[..error.valid_up_to()])
            .ok()
            .and_then(|text| text.chars().next())
            .map(char::len_utf8);
    }
    match error.error_len() {
        Some(length) => Some(length),
        None if settled => Some(shown.len()),
        None => None,
    }
}

/// The bytes after an ESC that belong to it.
fn escape_length(rest: &[u8], settled: bool) -> Option<usize> {
    match rest {
        [] => settled.then_some(0),
        // Alt and a key with a sequence of its own, or Esc twice.
        [0x1b, b'[' | b'O', ..] => escape_length(&rest[1..], settled)
            .map(|length| if length <= 1 { 0 } else { 1 + length }),
        [0x1b] => settled.then_some(0),
        [0x1b, ..] => Some(0),
        [b'['] | [b'O'] | [b']'] | [b'P'] => settled.then_some(1),
        [b'[', parameters @ ..] => csi_length(parameters).map(|length| 1 + length),
        [b'O', last, ..] => Some(if last.is_ascii_alphabetic() { 2 } else { 1 }),
        // Not every Alt-] and Alt-P opens a text: what follows must look like one.
        [b']', first, ..] if first.is_ascii_digit() => string_length(rest, settled),
        [b'P', first, ..] if first.is_ascii_digit() || b"$>!+=|".contains(first) => {
            string_length(rest, settled)
        }
        _ => character_length(rest, settled),
    }
}

/// The bytes after `ESC [` that belong to it. A broken sequence ends where it breaks.
fn csi_length(parameters: &[u8]) -> Option<usize> {
    match parameters {
        // Mouse reports of old: three bytes of any value.
        [b'M', ..] => (parameters.len() >= 4).then_some(4),
        // Function keys of the Linux console.
        [b'[', ..] => (parameters.len() >= 2).then_some(2),
        _ => {
            let end = parameters
                .iter()
                .take(CSI_LIMIT)
                .position(|byte| !(0x20..=0x3f).contains(byte));
            match end {
                Some(end) if (0x40..=0x7e).contains(&parameters[end]) => Some(end + 1),
                Some(end) => Some(end),
                None => (parameters.len() >= CSI_LIMIT).then_some(CSI_LIMIT),
            }
        }
    }
}

/// The bytes of a text up to its BEL or `ESC \`, or up to where it is cut or becomes too long.
fn string_length(rest: &[u8], settled: bool) -> Option<usize> {
    let shown = &rest[..rest.len().min(STRING_LIMIT)];
    for (index, byte) in shown.iter().enumerate() {
        match (byte, shown.get(index + 1)) {
            (0x07, _) => return Some(index + 1),
            (0x1b, Some(b'\\')) => return Some(index + 2),
            // Anything else after ESC is a new sequence: this one was cut.
            (0x1b, Some(_)) => return Some(index),
            _ => {}
        }
    }
    (settled || rest.len() >= STRING_LIMIT).then_some(shown.len())
}

/// What a sequence means to us; nothing when it is none of the known ones.
fn meaning(bytes: &[u8]) -> Option<Input> {
    match bytes {
        [0x1b] => Some(Input::Key(KeyCode::Esc.into())),
        [0x1b, 0x1b, ..] => meaning(&bytes[1..]).map(with_alt),
        [0x1b, b'[' | b'O', _, ..] => parsed(bytes),
        [0x1b, b']' | b'P', _, ..] => None,
        [0x1b, rest @ ..] => meaning(rest).map(with_alt),
        _ if std::str::from_utf8(bytes).is_err() => Some(Input::Key(KeyEvent::new(
            KeyCode::Char(char::REPLACEMENT_CHARACTER),
            KeyModifiers::NONE,
        ))),
        _ => parsed(bytes),
    }
}

fn with_alt(input: Input) -> Input {
    match input {
        Input::Key(mut key) => {
            key.modifiers |= KeyModifiers::ALT;
            Input::Key(key)
        }
        Input::Paste(_)
        | Input::Mouse(_)
        | Input::Resize(..)
        | Input::FocusGained
        | Input::FocusLost
        | Input::Closed => input,
    }
}

fn parsed(bytes: &[u8]) -> Option<Input> {
    let event = terminput::Event::parse_from(bytes).ok()??;
    match terminput_crossterm::to_crossterm(event).ok()? {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        // A modifier pressed alone is no input; only some terminals report it.
        Event::Key(KeyEvent {
            code: KeyCode::Modifier(_),
            ..
        }) => None,
        Event::Key(key) => Some(Input::Key(key)),
        Event::Mouse(mouse) => Some(Input::Mouse(mouse)),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        Event::FocusGained => Some(Input::FocusGained),
        Event::FocusLost => Some(Input::FocusLost),
    }
}

#[cfg(test)]
mod tests;
