use std::num::NonZero;

use ratatui::style::Style;

use super::*;

/// The bytes of a frame, and what a terminal shows after all frames so far.
struct Run {
    screen: Screen,
    terminal: vt100::Parser,
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

impl Run {
    fn new(columns: u16, rows: u16) -> Self {
        Self {
            screen: Screen::with_size(columns, rows),
            terminal: vt100::Parser::new(cells(rows), cells(columns), 0),
        }
    }

    fn frame(&mut self, epoch: u32, lines: &[&str], cursor: Option<(u16, u16)>) -> String {
        let bytes = self
            .screen
            .compose(epoch, |area, buffer| {
                for (row, line) in (0..area.height).zip(lines) {
                    buffer.set_stringn(0, row, line, usize::from(area.width), Style::new());
                }
                cursor.map(Position::from)
            })
            .unwrap();
        self.terminal.process(&bytes);
        String::from_utf8(bytes).unwrap()
    }

    fn shown(&self) -> Vec<String> {
        let (_, columns) = self.terminal.screen().size();
        self.terminal.screen().rows(0, columns.get()).collect()
    }
}

#[test]
fn a_frame_is_one_synchronized_update_that_ends_with_the_cursor() {
    let mut run = Run::new(12, 2);
    let frame = run.frame(1, &["你好，世界", "abc"], Some((4, 0)));
    assert!(frame.starts_with("\x1b[?2026h\x1b[?25l"), "{frame:?}");
    assert!(
        frame.ends_with("\x1b[1;5H\x1b[?25h\x1b[?2026l"),
        "{frame:?}"
    );
    assert_eq!(run.shown(), ["你好，世界", "abc"]);
    assert_eq!(run.terminal.screen().cursor_position(), (0, 4));
    assert!(!run.terminal.screen().hide_cursor());
}

#[test]
fn only_changes_are_written() {
    let mut run = Run::new(10, 2);
    let first = run.frame(1, &["one", "two"], None);
    assert!(first.contains("\x1b[2J"));
    assert_eq!(run.frame(1, &["one", "two"], None), "");
    let second = run.frame(1, &["one", "tw2"], None);
    assert!(
        second.contains('2') && !second.contains("one") && !second.contains("\x1b[2J"),
        "{second:?}"
    );
    assert!(run.terminal.screen().hide_cursor());
    let third = run.frame(1, &["one", "tw2"], Some((3, 1)));
    assert_eq!(third, "\x1b[?2026h\x1b[?25l\x1b[2;4H\x1b[?25h\x1b[?2026l");
    assert_eq!(run.frame(1, &["one", "tw2"], Some((3, 1))), "");
    assert_eq!(run.shown(), ["one", "tw2"]);
}

#[test]
fn everything_is_painted_when_the_contents_are_lost() {
    type Loss = fn(&mut Run) -> u32;
    let losses: &[(&str, Loss)] = &[
        ("the terminal was lent", |_| 2),
        ("a person asked", |run| {
            run.screen.repaint();
            1
        }),
        ("the size changed", |run| {
            run.screen.resize(11, 3);
            run.terminal.screen_mut().set_size(cells(3), cells(11));
            1
        }),
    ];
    for (name, lose) in losses {
        let mut run = Run::new(10, 2);
        run.frame(1, &["one", "two"], None);
        run.terminal
            .process(b"\x1b[2J\x1b[Hgarbage\x1b[2;5Hgarbage");
        let epoch = lose(&mut run);
        run.frame(epoch, &["one", "two"], None);
        assert_eq!(run.shown()[..2], ["one", "two"], "{name}");
    }
    let mut same = Run::new(10, 2);
    same.frame(1, &["one"], None);
    same.screen.resize(10, 2);
    assert_eq!(same.frame(1, &["one"], None), "");
}

#[test]
fn any_size_and_any_cursor_is_drawn() {
    for (columns, rows) in [(0, 0), (1, 1), (0, 5), (5, 0), (1000, 300)] {
        let mut run = Run::new(columns.max(1), rows.max(1));
        run.screen.resize(columns, rows);
        let line = "世".repeat(600);
        let lines = vec![line.as_str(); 400];
        run.frame(1, &lines, Some((u16::MAX, u16::MAX)));
        assert!(run.terminal.screen().hide_cursor(), "{columns}x{rows}");
    }
    let mut large = Run::new(1000, 300);
    let line = "世".repeat(600);
    large.frame(1, &vec![line.as_str(); 300], None);
    assert!(large.shown().iter().all(|row| *row == "世".repeat(500)));
}

#[test]
fn nothing_is_written_without_a_guard() {
    let mut screen = Screen::with_size(10, 2);
    let error = screen
        .draw(|_, buffer| {
            buffer.set_string(0, 0, "lost", Style::new());
            None
        })
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotConnected);
    assert_eq!(screen.stats(), DrawStats::default());
    assert_eq!(
        screen.set_title("x").unwrap_err().kind(),
        io::ErrorKind::NotConnected
    );
}
