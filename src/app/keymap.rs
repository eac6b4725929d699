//! Keys in, commands out. The help pane is made from the same table, so it can never lie.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::state::Pane;
use crate::handoff::Section;

/// What a key asks for, wherever the keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// The next pane gets the keys.
    NextPane,
    /// The previous pane gets the keys.
    PreviousPane,
    /// The keys go to a section of the handoff.
    Section(Section),
    /// The document goes to disk.
    Save,
    /// The swap happens now.
    Swap,
    /// A held review counts down again, a counting one is held.
    HoldOrCount,
    /// What was written after the swap goes to the running session.
    SendCorrection,
    /// The turn stops; twice quits.
    Interrupt,
    /// The keys go to the message line.
    Message,
    /// The handoff opens in the person's own editor.
    ExternalEditor,
    /// What the now line speaks of opens.
    OpenTop,
    /// The archive opens.
    Archive,
    /// The help opens.
    Help,
    /// The program ends, asking during a run.
    Quit,
    /// Everything is drawn anew.
    Repaint,
    /// The top thing closes, or a text field is left.
    Leave,
    /// The log scrolls by rows.
    Scroll(Scroll),
    /// The entry under the eye opens or folds.
    Expand,
}

/// How far a list moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end, and follow.
    End,
}

/// Where a key has its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// Everywhere.
    Everywhere,
    /// Where letters are not text.
    OutsideText,
}

struct Row {
    key: KeyCode,
    modifiers: KeyModifiers,
    scope: Where,
    command: Command,
}

const fn row(key: KeyCode, modifiers: KeyModifiers, scope: Where, command: Command) -> Row {
    Row {
        key,
        modifiers,
        scope,
        command,
    }
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CONTROL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;

/// Every key of the workbench. A letter works alone where letters are not text, and with Alt everywhere.
const ROWS: &[Row] = &[
    row(KeyCode::Tab, NONE, Where::Everywhere, Command::NextPane),
    row(
        KeyCode::BackTab,
        KeyModifiers::SHIFT,
        Where::Everywhere,
        Command::PreviousPane,
    ),
    row(
        KeyCode::BackTab,
        NONE,
        Where::Everywhere,
        Command::PreviousPane,
    ),
    row(
        KeyCode::Char('1'),
        ALT,
        Where::Everywhere,
        Command::Section(Section::Doing),
    ),
    row(
        KeyCode::Char('2'),
        ALT,
        Where::Everywhere,
        Command::Section(Section::Decided),
    ),
    row(
        KeyCode::Char('3'),
        ALT,
        Where::Everywhere,
        Command::Section(Section::Deadends),
    ),
    row(
        KeyCode::Char('4'),
        ALT,
        Where::Everywhere,
        Command::Section(Section::Next),
    ),
    row(
        KeyCode::Char('5'),
        ALT,
        Where::Everywhere,
        Command::Section(Section::Scene),
    ),
    row(
        KeyCode::F(5),
        NONE,
        Where::Everywhere,
        Command::Section(Section::Doing),
    ),
    row(
        KeyCode::F(6),
        NONE,
        Where::Everywhere,
        Command::Section(Section::Decided),
    ),
    row(
        KeyCode::F(7),
        NONE,
        Where::Everywhere,
        Command::Section(Section::Deadends),
    ),
    row(
        KeyCode::F(8),
        NONE,
        Where::Everywhere,
        Command::Section(Section::Next),
    ),
    row(
        KeyCode::F(9),
        NONE,
        Where::Everywhere,
        Command::Section(Section::Scene),
    ),
    row(
        KeyCode::Char('s'),
        CONTROL,
        Where::Everywhere,
        Command::Save,
    ),
    row(
        KeyCode::Char('g'),
        CONTROL,
        Where::Everywhere,
        Command::Swap,
    ),
    row(
        KeyCode::Char('h'),
        ALT,
        Where::Everywhere,
        Command::HoldOrCount,
    ),
    row(
        KeyCode::Char('h'),
        NONE,
        Where::OutsideText,
        Command::HoldOrCount,
    ),
    row(
        KeyCode::Char('c'),
        ALT,
        Where::Everywhere,
        Command::SendCorrection,
    ),
    row(
        KeyCode::Char('c'),
        NONE,
        Where::OutsideText,
        Command::SendCorrection,
    ),
    row(
        KeyCode::Char('c'),
        CONTROL,
        Where::Everywhere,
        Command::Interrupt,
    ),
    row(KeyCode::Char('m'), ALT, Where::Everywhere, Command::Message),
    row(
        KeyCode::Char('m'),
        NONE,
        Where::OutsideText,
        Command::Message,
    ),
    row(
        KeyCode::F(4),
        NONE,
        Where::Everywhere,
        Command::ExternalEditor,
    ),
    row(
        KeyCode::Char('e'),
        ALT,
        Where::Everywhere,
        Command::ExternalEditor,
    ),
    row(
        KeyCode::Char('E'),
        KeyModifiers::SHIFT,
        Where::OutsideText,
        Command::ExternalEditor,
    ),
    row(
        KeyCode::Char('E'),
        NONE,
        Where::OutsideText,
        Command::ExternalEditor,
    ),
    row(KeyCode::Char('o'), ALT, Where::Everywhere, Command::OpenTop),
    row(
        KeyCode::Char('o'),
        NONE,
        Where::OutsideText,
        Command::OpenTop,
    ),
    row(KeyCode::Char('a'), ALT, Where::Everywhere, Command::Archive),
    row(
        KeyCode::Char('a'),
        NONE,
        Where::OutsideText,
        Command::Archive,
    ),
    row(KeyCode::F(1), NONE, Where::Everywhere, Command::Help),
    row(KeyCode::Char('?'), NONE, Where::OutsideText, Command::Help),
    row(
        KeyCode::Char('?'),
        KeyModifiers::SHIFT,
        Where::OutsideText,
        Command::Help,
    ),
    row(
        KeyCode::Char('q'),
        CONTROL,
        Where::Everywhere,
        Command::Quit,
    ),
    row(KeyCode::Char('q'), NONE, Where::OutsideText, Command::Quit),
    row(
        KeyCode::Char('l'),
        CONTROL,
        Where::Everywhere,
        Command::Repaint,
    ),
    row(KeyCode::Esc, NONE, Where::Everywhere, Command::Leave),
    row(
        KeyCode::Up,
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::Up),
    ),
    row(
        KeyCode::Down,
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::Down),
    ),
    row(
        KeyCode::PageUp,
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::PageUp),
    ),
    row(
        KeyCode::PageDown,
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::PageDown),
    ),
    row(
        KeyCode::Home,
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::Home),
    ),
    row(
        KeyCode::Char('g'),
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::Home),
    ),
    row(
        KeyCode::End,
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::End),
    ),
    row(
        KeyCode::Char('G'),
        NONE,
        Where::OutsideText,
        Command::Scroll(Scroll::End),
    ),
    row(
        KeyCode::Char('G'),
        KeyModifiers::SHIFT,
        Where::OutsideText,
        Command::Scroll(Scroll::End),
    ),
    row(KeyCode::Enter, NONE, Where::OutsideText, Command::Expand),
];

/// What a key asks for while `pane` has the keys; `None` leaves it to the pane.
pub fn command(key: KeyEvent, pane: Pane) -> Option<Command> {
    let text = match pane {
        Pane::Log => false,
        Pane::Editor | Pane::Message => true,
    };
    ROWS.iter()
        .filter(|row| row.scope == Where::Everywhere || !text)
        .find(|row| row.key == key.code && row.modifiers == key.modifiers)
        .map(|row| row.command)
}

/// Keys and the command they give, one row a command, in the order of the table; for the help.
pub fn keys_by_command() -> Vec<(String, Command)> {
    let mut rows: Vec<(String, Command)> = Vec::new();
    for row in ROWS {
        let name = name(row.key, row.modifiers);
        match rows.iter_mut().find(|(_, command)| *command == row.command) {
            Some((names, _)) if names.split("  ").any(|known| known == name) => {}
            Some((names, _)) => {
                names.push_str("  ");
                names.push_str(&name);
            }
            None => rows.push((name, row.command)),
        }
    }
    rows
}

fn name(key: KeyCode, modifiers: KeyModifiers) -> String {
    let key = match key {
        KeyCode::Char(c) => c.to_string(),
        KeyCode::F(n) => format!("F{n}"),
        KeyCode::BackTab => "Shift-Tab".to_owned(),
        KeyCode::PageUp => "PgUp".to_owned(),
        KeyCode::PageDown => "PgDn".to_owned(),
        other => format!("{other:?}"),
    };
    match modifiers {
        CONTROL => format!("Ctrl-{}", key.to_uppercase()),
        ALT => format!("Alt-{key}"),
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn letters_are_commands_only_outside_text() {
        let q = key(KeyCode::Char('q'), NONE);
        assert_eq!(command(q, Pane::Log), Some(Command::Quit));
        assert_eq!(command(q, Pane::Editor), None);
        assert_eq!(command(q, Pane::Message), None);
        for (code, modifiers, expected) in [
            (KeyCode::Char('3'), ALT, Command::Section(Section::Deadends)),
            (KeyCode::Char('s'), CONTROL, Command::Save),
            (KeyCode::Char('g'), CONTROL, Command::Swap),
            (KeyCode::Char('c'), CONTROL, Command::Interrupt),
            (KeyCode::Tab, NONE, Command::NextPane),
            (KeyCode::F(1), NONE, Command::Help),
            (KeyCode::F(4), NONE, Command::ExternalEditor),
            (KeyCode::Char('e'), ALT, Command::ExternalEditor),
            (KeyCode::Esc, NONE, Command::Leave),
        ] {
            for pane in [Pane::Log, Pane::Editor, Pane::Message] {
                assert_eq!(
                    command(key(code, modifiers), pane),
                    Some(expected),
                    "{code:?}"
                );
            }
        }
    }

    #[test]
    fn no_key_means_two_things() {
        for (at, one) in ROWS.iter().enumerate() {
            for other in &ROWS[at + 1..] {
                assert!(
                    one.key != other.key || one.modifiers != other.modifiers,
                    "{:?} {:?}",
                    one.modifiers,
                    one.key
                );
            }
        }
    }

    #[test]
    fn every_command_is_in_the_help_with_all_its_keys() {
        let help = keys_by_command();
        let find = |wanted| {
            let (keys, _) = help.iter().find(|(_, command)| *command == wanted).unwrap();
            keys.as_str()
        };
        assert_eq!(find(Command::Help), "F1  ?");
        assert_eq!(find(Command::Quit), "Ctrl-Q  q");
        assert_eq!(find(Command::Section(Section::Deadends)), "Alt-3  F7");
    }
}
