//! The line in which a person writes to the agent. Keys in, a text to send out. The text area is the
//! library's; what people take for one character is deleted and stepped over as one.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation;

use crate::sanitize::sanitize;

/// Longest message, in bytes: a page of text; more belongs into a file that the message names.
const MAX_BYTES: usize = 64 * 1024;

/// A message that is being written.
#[derive(Debug, Clone, Default)]
pub struct Message {
    area: TextArea<'static>,
}

impl Message {
    /// The text.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The text before the caret.
    pub fn before_caret(&self) -> String {
        let (row, column) = self.area.cursor();
        let lines = self.area.lines();
        let mut before: String = lines
            .iter()
            .take(row)
            .flat_map(|line| [line.as_str(), "\n"])
            .collect();
        let line = lines.get(row).map_or("", String::as_str);
        before.extend(line.chars().take(column));
        before
    }

    /// Takes a key; returns the whole text when it is to be sent.
    pub fn key(&mut self, key: KeyEvent) -> Option<String> {
        let plain = !key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Enter if key.modifiers == KeyModifiers::ALT => self.insert("\n"),
            KeyCode::Enter => return self.send(),
            KeyCode::Char('z') if key.modifiers == KeyModifiers::CONTROL => {
                self.area.undo();
            }
            KeyCode::Char('y') if key.modifiers == KeyModifiers::CONTROL => {
                self.area.redo();
            }
            KeyCode::Char('w') if key.modifiers == KeyModifiers::CONTROL => {
                self.area.delete_word();
            }
            KeyCode::Char(c) if plain => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace => {
                for _ in 0..self.chars_left() {
                    self.area.delete_char();
                }
            }
            KeyCode::Delete => {
                for _ in 0..self.chars_right() {
                    self.area.delete_next_char();
                }
            }
            KeyCode::Left => self.step(CursorMove::Back, self.chars_left()),
            KeyCode::Right => self.step(CursorMove::Forward, self.chars_right()),
            KeyCode::Up => self.area.move_cursor(CursorMove::Up),
            KeyCode::Down => self.area.move_cursor(CursorMove::Down),
            KeyCode::Home => self.area.move_cursor(CursorMove::Head),
            KeyCode::End => self.area.move_cursor(CursorMove::End),
            _ => {}
        }
        None
    }

    /// Puts a text in at the caret, made safe and cut to what fits.
    pub fn insert(&mut self, text: &str) {
        let held: usize = self.area.lines().iter().map(|line| line.len() + 1).sum();
        let room = MAX_BYTES.saturating_sub(held);
        let safe = sanitize(text);
        let mut end = safe.len().min(room);
        while !safe.is_char_boundary(end) {
            end -= 1;
        }
        self.area.insert_str(&safe[..end]);
    }

    fn send(&mut self) -> Option<String> {
        let text = self.text();
        if text.trim().is_empty() {
            return None;
        }
        self.area = TextArea::default();
        Some(text)
    }

    fn step(&mut self, step: CursorMove, chars: usize) {
        for _ in 0..chars {
            self.area.move_cursor(step);
        }
    }

    /// Characters of the cluster before the caret; 1 at a line's start, for the line break.
    fn chars_left(&self) -> usize {
        let before = self.before_caret();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let cluster = line.graphemes(true).next_back();
        cluster.map_or(1, |cluster| cluster.chars().count())
    }

    /// Characters of the cluster behind the caret; 1 at a line's end, for the line break.
    fn chars_right(&self) -> usize {
        let (row, column) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        let rest: String = line.chars().skip(column).collect();
        let cluster = rest.graphemes(true).next();
        cluster.map_or(1, |cluster| cluster.chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(message: &mut Message, codes: &[KeyCode]) -> Option<String> {
        let mut sent = None;
        for code in codes {
            sent = message
                .key(KeyEvent::new(*code, KeyModifiers::NONE))
                .or(sent);
        }
        sent
    }

    #[test]
    fn the_caret_moves_by_what_people_see() {
        let mut message = Message::default();
        message.insert("中👩\u{200d}🔬e\u{301}");
        press(&mut message, &[KeyCode::Backspace]);
        assert_eq!(message.text(), "中👩\u{200d}🔬");
        press(&mut message, &[KeyCode::Left, KeyCode::Left]);
        assert_eq!(message.before_caret(), "");
        press(&mut message, &[KeyCode::Delete, KeyCode::Char('好')]);
        assert_eq!(message.text(), "好👩\u{200d}🔬");
        press(&mut message, &[KeyCode::Up, KeyCode::Down]);
        assert_eq!(message.text(), "好👩\u{200d}🔬");
    }

    #[test]
    fn enter_sends_what_is_there_and_nothing_when_there_is_nothing() {
        let mut message = Message::default();
        let blank = [KeyCode::Char(' '), KeyCode::Enter];
        assert_eq!(press(&mut message, &blank), None);
        message.insert("别碰 src\u{1b}[2J");
        let sent = press(&mut message, &[KeyCode::Enter]);
        assert_eq!(sent.as_deref(), Some(" 别碰 src^[[2J"));
        assert_eq!(message.text(), "");
    }

    #[test]
    fn lines_are_joined_and_parted() {
        let mut message = Message::default();
        message.insert("一\n二");
        assert_eq!(message.before_caret(), "一\n二");
        press(&mut message, &[KeyCode::Home, KeyCode::Backspace]);
        assert_eq!(message.text(), "一二");
        let control_z = KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL);
        message.key(control_z);
        assert_eq!(message.text(), "一\n二");
    }

    #[test]
    fn a_huge_paste_is_cut_to_what_fits() {
        let mut message = Message::default();
        message.insert(&"字".repeat(MAX_BYTES));
        assert!(message.text().len() <= MAX_BYTES);
        message.insert("more");
        assert!(message.text().len() <= MAX_BYTES);
    }
}
