//! Text of any length in, text of a bounded length out: the beginning, the end, and how many
//! bytes are missing between them. Memory stays at the cap however much goes in.

use std::collections::VecDeque;

use unicode_segmentation::UnicodeSegmentation;

/// Keeps the first and the last half of a cap.
pub(super) struct Clip {
    cap: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Clip {
    pub(super) fn new(cap: usize) -> Self {
        Self {
            cap,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = (self.cap / 2).saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let most = self.cap - self.cap / 2;
        let rest = &rest[rest.len().saturating_sub(most)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(most);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Bytes that went in.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Whether one more push of this many bytes keeps everything.
    pub(super) fn fits(&self, more: usize) -> bool {
        self.total.saturating_add(more as u64) <= self.cap as u64
    }

    /// What went in so far; all of it as long as it fits.
    pub(super) fn kept(&mut self) -> [&[u8]; 2] {
        [&self.head, self.tail.make_contiguous()]
    }

    /// The text, bytes that are no UTF-8 replaced, and the number of bytes left out.
    pub(super) fn finish(mut self) -> (String, u64) {
        let tail = self.tail.make_contiguous();
        if self.total <= self.cap as u64 {
            self.head.extend_from_slice(tail);
            return (lossy(&self.head), 0);
        }
        let head = whole_end(&self.head);
        let tail = whole_start(tail);
        let out = self.total - (head.len() + tail.len()) as u64;
        (
            format!(
                "{}\n[… {out} bytes left out …]\n{}",
                lossy(head),
                lossy(tail)
            ),
            out,
        )
    }
}

/// Cuts the middle out of a text longer than `cap` bytes and says so.
pub(super) fn middle(text: String, cap: usize) -> String {
    if text.len() <= cap {
        return text;
    }
    let mut clip = Clip::new(cap);
    clip.push(text.as_bytes());
    clip.finish().0
}

/// The longest beginning of at most `most` bytes that ends between two characters as people see
/// them.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let cut = text.floor_char_boundary(most);
    // The cluster that crosses the cut starts close before it, or it is no real one.
    let from = text.floor_char_boundary(cut.saturating_sub(LONGEST_CLUSTER));
    let end = text[from..]
        .grapheme_indices(true)
        .map(|(at, _)| from + at)
        .take_while(|at| *at <= cut)
        .last()
        .filter(|at| *at > from);
    &text[..end.unwrap_or(cut)]
}

/// Bytes of the longest sequence treated as one character; a family emoji has 25.
const LONGEST_CLUSTER: usize = 64;

/// Bytes as text; each run of bytes that are no UTF-8 becomes one replacement character.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let goes_on = chunk.valid().is_empty() && text.ends_with('\u{FFFD}');
        if !chunk.invalid().is_empty() && !goes_on {
            text.push('\u{FFFD}');
        }
    }
    text
}

/// Takes a last character away when what follows it is unknown and might belong to it.
fn whole_end(bytes: &[u8]) -> &[u8] {
    let mut end = bytes.len();
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            _ => 1,
        };
        if byte >= 0xC0 {
            if length > back {
                end -= back;
            }
            break;
        }
    }
    let from = end.saturating_sub(LONGEST_CLUSTER);
    let window = &bytes[from..end];
    // Only sound text has clusters; its first bytes may be the rest of an earlier character.
    let skip = continuation(window);
    if let Ok(text) = std::str::from_utf8(&window[skip..])
        && let Some((at, last)) = text.grapheme_indices(true).next_back()
        && !last.is_ascii()
        && at > 0
    {
        end = from + skip + at;
    }
    &bytes[..end]
}

/// Takes a first character away when it might be the rest of one that was cut.
fn whole_start(bytes: &[u8]) -> &[u8] {
    let start = continuation(bytes);
    let bytes = &bytes[start..];
    let window = &bytes[..bytes.len().min(LONGEST_CLUSTER)];
    let text = match std::str::from_utf8(window) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default(),
    };
    match text.graphemes(true).next() {
        Some(first) if !first.is_ascii() && first.len() < text.len() => &bytes[first.len()..],
        _ => bytes,
    }
}

/// Bytes at the start that continue a character begun before.
fn continuation(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0xC0 == 0x80)
        .count()
}

#[cfg(test)]
mod tests;
