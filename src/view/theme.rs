//! Roles in, styles out: views ask for a role and never for a colour.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of the screen means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Ordinary text.
    Text,
    /// Selected text.
    Selection,
    /// What may be overlooked.
    Muted,
    /// Lines between panes.
    Rule,
    /// Title of the pane that has the keys.
    Focus,
    /// Zone below the warn mark; success.
    Ok,
    /// Added lines.
    Added,
    /// Written by the person.
    You,
    /// Zone from the warn mark on, and the mark itself.
    Near,
    /// Zone from the hand-over mark on, and the mark itself.
    Due,
    /// Over the limit.
    Over,
    /// Errors.
    Error,
    /// Removed lines.
    Removed,
    /// The now line when nothing is asked of the person.
    NowCalm,
    /// The now line when something is.
    NowAsks,
}

/// The styles of all roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// The terminal's own sixteen colours.
    Terminal,
    /// No colour at all: words, bold and reverse only (`NO_COLOR`).
    Plain,
}

impl Theme {
    /// The style of a role.
    pub fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let reverse = plain.add_modifier(Modifier::REVERSED);
        match (self, role) {
            (_, Role::Text) => plain,
            (_, Role::Selection) => reverse,
            (Self::Terminal, Role::Muted | Role::Rule) => plain.fg(Color::DarkGray),
            (Self::Terminal, Role::Focus) => bold.fg(Color::Blue),
            (Self::Terminal, Role::Ok | Role::Added) => plain.fg(Color::Green),
            (Self::Terminal, Role::You) => plain.fg(Color::Magenta),
            (Self::Terminal, Role::Near) => plain.fg(Color::Yellow),
            (Self::Terminal, Role::Due) => bold.fg(Color::Yellow),
            (Self::Terminal, Role::Over | Role::Error | Role::Removed) => bold.fg(Color::Red),
            (Self::Plain, Role::Focus | Role::Due) => bold,
            (Self::Plain, Role::Over) => reverse,
            (Self::Plain, Role::Error | Role::Removed) => bold,
            (
                Self::Plain,
                Role::Muted | Role::Rule | Role::Ok | Role::Added | Role::You | Role::Near,
            ) => plain,
            (_, Role::NowCalm) => plain,
            (_, Role::NowAsks) => reverse,
        }
    }
}
