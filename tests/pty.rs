//! The terminal is given back whatever happens, and what is typed arrives. The program under test is
//! this test program, started again in a real terminal as `child` with a role.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "the program under test is a test as well, but the lints know only the test functions themselves"
)]

#[path = "support/pty.rs"]
mod pty;

use std::error::Error;
use std::process::{Command, Stdio};
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use flower::terminal::{Input, InputStream, Screen, TerminalGuard};
use futures_util::StreamExt;
use nix::sys::signal::Signal;
use portable_pty::CommandBuilder;
use pty::{PATIENCE, Pty, modes_left};
use ratatui::layout::Position;
use ratatui::style::Style;
use tokio::signal::unix::{SignalKind, signal};

const ROLE: &str = "FLOWER_TEST_ROLE";

/// A terminal's answers to all questions: it has the kitty protocol, draws lines one cell wide.
const ANSWERS: &[u8] = b"\x1b[?0u\x1b[2;3R\x1b[?62;22c";

// ---- The program under test

/// Not a test: what the tests below run in a terminal.
#[test]
#[ignore = "needs a terminal and a role"]
fn child() -> Result<(), Box<dyn Error>> {
    let Ok(role) = std::env::var(ROLE) else {
        return Ok(());
    };
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?
        .block_on(play(&role))
}

async fn play(role: &str) -> Result<(), Box<dyn Error>> {
    let mut guard = TerminalGuard::enter()?;
    let mut screen = Screen::new(&guard);
    match role {
        "exit" => {
            show(&mut screen, &["ready".to_owned()])?;
            guard.restore()?;
            guard.restore()?;
            assert!(show(&mut screen, &["too late".to_owned()]).is_err());
            drop(guard);
            println!("left in peace");
        }
        "error" => {
            show(&mut screen, &["ready".to_owned()])?;
            Err("bad config, found late")?;
        }
        "panic" => {
            show(&mut screen, &["ready".to_owned()])?;
            panic!("boom in main");
        }
        "panic in a frame" => {
            screen.draw(|_, _| panic!("boom in a frame"))?;
        }
        "panic in a task" => {
            show(&mut screen, &["ready".to_owned()])?;
            let task = tokio::spawn(async { panic!("boom in a task") });
            assert!(task.await.unwrap_err().is_panic());
            let refused = show(&mut screen, &["half a screen".to_owned()]).is_err();
            println!("live {}, refused {refused}", guard.is_live());
        }
        "signals" => {
            let mut terminate = signal(SignalKind::terminate())?;
            let mut hangup = signal(SignalKind::hangup())?;
            show(&mut screen, &["ready".to_owned()])?;
            let code = tokio::select! {
                _ = terminate.recv() => 143,
                _ = hangup.recv() => 129,
            };
            drop(guard);
            std::process::exit(code);
        }
        "interactive" => interact(&mut guard, &mut screen).await?,
        other => panic!("unknown role {other}"),
    }
    Ok(())
}

fn show(screen: &mut Screen, lines: &[String]) -> std::io::Result<()> {
    screen.draw(|area, buffer| {
        let first = lines.len().saturating_sub(usize::from(area.height));
        for (row, line) in (0..area.height).zip(&lines[first..]) {
            buffer.set_stringn(0, row, line, usize::from(area.width), Style::new());
        }
        Some(Position::new(3, 1))
    })
}

fn describe(input: &Input) -> String {
    match input {
        Input::Key(KeyEvent {
            code, modifiers, ..
        }) => format!("key {code:?} {modifiers:?}"),
        Input::Paste(text) => format!("paste {text:?}"),
        Input::Mouse(mouse) => format!("mouse {:?} {},{}", mouse.kind, mouse.column, mouse.row),
        Input::Resize(columns, rows) => format!("size {columns}x{rows}"),
        Input::FocusGained => "focus gained".to_owned(),
        Input::FocusLost => "focus lost".to_owned(),
        Input::Closed => "closed".to_owned(),
    }
}

/// Shows all inputs as lines. Ctrl-Q ends, Ctrl-E lends the terminal to a program, Ctrl-Z stops,
/// Ctrl-X releases the mouse, Ctrl-T shows all characters typed.
async fn interact(guard: &mut TerminalGuard, screen: &mut Screen) -> Result<(), Box<dyn Error>> {
    // A closed window sends this as well; here the end of the input is what must be noticed.
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move { while hangup.recv().await.is_some() {} });
    let mut lines = vec![format!("chrome {:?}", guard.chrome_cells())];
    let mut typed = String::new();
    let mut inputs = InputStream::new(guard.take_decoder())?;
    while let Some(input) = inputs.next().await {
        let mut next = Some(input);
        while let Some(input) = next {
            lines.push(describe(&input));
            match input {
                Input::Key(KeyEvent {
                    code: KeyCode::Char(c),
                    modifiers: KeyModifiers::CONTROL,
                    ..
                }) => match c {
                    'q' => return Ok(()),
                    'e' => {
                        let untaken = inputs.close();
                        guard.with_terminal_lent(lend)??;
                        inputs = InputStream::new(untaken)?;
                        lines.push("back from lending".to_owned());
                    }
                    'z' => {
                        let untaken = inputs.close();
                        guard.stop().await?;
                        inputs = InputStream::new(untaken)?;
                        lines.push("back from a stop".to_owned());
                    }
                    'x' => guard.set_mouse(false)?,
                    't' => lines.push(format!("typed {typed}")),
                    _ => {}
                },
                Input::Key(KeyEvent {
                    code: KeyCode::Char(c),
                    ..
                }) => typed.push(c),
                Input::Resize(columns, rows) => screen.resize(columns, rows),
                Input::Closed => {
                    let ended = inputs.next().await.is_none();
                    std::process::exit(if ended { 66 } else { 67 });
                }
                Input::Key(_)
                | Input::Paste(_)
                | Input::Mouse(_)
                | Input::FocusGained
                | Input::FocusLost => {}
            }
            next = inputs.ready();
        }
        show(screen, &lines)?;
    }
    Err("the inputs ended without saying so".into())
}

/// A program that has the terminal for itself: reads one line in the normal mode.
fn lend() -> std::io::Result<()> {
    let script = "stty -a | tr ' ;' '\\n\\n' | grep icanon; echo lent; read line; echo got $line";
    Command::new("sh").args(["-c", script]).status().map(drop)
}

// ---- The tests

fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

fn child_command(role: &str, home: &std::path::Path) -> CommandBuilder {
    let mut command = pty::command(std::env::current_exe().unwrap(), home);
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    command.env(ROLE, role);
    command
}

/// Starts a role in a terminal that answers all questions.
fn start(role: &str) -> Pty {
    let home = std::env::temp_dir();
    Pty::start_typed(child_command(role, &home), 80, 24, ANSWERS)
}

fn position(haystack: &[u8], needle: &str) -> Option<usize> {
    haystack
        .windows(needle.len())
        .rposition(|window| window == needle.as_bytes())
}

#[test]
fn every_end_gives_the_terminal_back_before_anything_is_printed() {
    let rows: &[(&str, Option<u32>, &str)] = &[
        ("exit", Some(0), "left in peace"),
        ("error", None, "bad config, found late"),
        ("panic", None, "boom in main"),
        ("panic in a frame", None, "boom in a frame"),
        ("panic in a task", Some(0), "boom in a task"),
    ];
    for (role, code, text) in rows {
        let terminal = start(role);
        let exit = terminal.wait_for_exit(deadline());
        match code {
            Some(code) => assert_eq!(exit.exit_code(), *code, "{role}"),
            None => assert_ne!(exit.exit_code(), 0, "{role}"),
        }
        terminal.assert_restored();
        let raw = terminal.raw_output();
        let told = position(&raw, text).unwrap_or_else(|| panic!("{role}: no {text:?}"));
        assert_eq!(modes_left(&raw[..told]), Vec::<String>::new(), "{role}");
        // In the normal mode a line end goes back to the first column.
        let shown = terminal.screen_text();
        assert!(shown.contains(text), "{role}: {shown}");
        assert!(!shown.contains("too late"), "{role}: {shown}");
    }
}

#[test]
fn a_panic_in_a_task_stops_all_drawing() {
    let terminal = start("panic in a task");
    terminal.wait_for_exit(deadline());
    let shown = terminal.screen_text();
    assert!(shown.contains("live false, refused true"), "{shown}");
    assert!(position(&terminal.raw_output(), "half a screen").is_none());
}

#[test]
fn all_modes_are_really_on_meanwhile() {
    let terminal = start("interactive");
    terminal.wait_for_text("chrome Some(2)", deadline());
    assert_eq!(
        modes_left(&terminal.raw_output()),
        [
            "mode 1000",
            "mode 1002",
            "mode 1004",
            "mode 1006",
            "mode 1049",
            "mode 2004",
            "1 keyboard flags",
            "1 titles"
        ]
    );
    assert!(!terminal.line_is_as_before());
    // The cursor is where the frame put it.
    assert_eq!(terminal.cursor(), (1, 3, true));
}

#[test]
fn signals_give_the_terminal_back() {
    for (name, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let terminal = start("signals");
        terminal.wait_for_text("ready", deadline());
        terminal.signal(name);
        assert_eq!(terminal.wait_for_exit(deadline()).exit_code(), code);
        terminal.assert_restored();
    }
}

#[test]
fn inputs_arrive_one_by_one() {
    let mut terminal = start("interactive");
    terminal.wait_for_text("size 80x24", deadline());
    let rows: &[(&[u8], &str)] = &[
        ("中".as_bytes(), "key Char('中')"),
        (b"\x1b3", "key Char('3') KeyModifiers(ALT)"),
        (b"\x1b", "key Esc"),
        (b"\x03", "key Char('c') KeyModifiers(CONTROL)"),
        (b"\x1b[103;5u", "key Char('g') KeyModifiers(CONTROL)"),
        (b"\x1b[<0;5;3M", "mouse Down(Left) 4,2"),
        (b"\x1b[I", "focus gained"),
        (b"\x1b[O", "focus lost"),
        (b"\x1b[200~a\x1b[Ab\rc\x1b[201~", r#"paste "a\u{1b}[Ab\nc""#),
    ];
    for (bytes, line) in rows {
        terminal.send(bytes);
        terminal.wait_for_text(line, deadline());
    }
    for part in ["1\x1b[200~one ", "two ", "\x1b three\x1b[201~2"] {
        terminal.send(part);
    }
    terminal.wait_for_text(r#"paste "one two \u{1b} three""#, deadline());
    terminal.wait_for_text("key Char('2')", deadline());
    terminal.resize(60, 20);
    terminal.wait_for_text("size 60x20", deadline());
    terminal.send(b"\x18");
    terminal.wait_for_bytes("the mouse turned off", deadline(), |raw| {
        position(raw, "\x1b[?1000l").is_some()
    });
    terminal.send(b"\x11");
    assert_eq!(terminal.wait_for_exit(deadline()).exit_code(), 0);
    terminal.assert_restored();
}

#[test]
fn a_terminal_without_answers_is_used_without_extras_and_keeps_early_keys() {
    let home = std::env::temp_dir();
    let command = child_command("interactive", &home);
    let mut terminal = Pty::start_typed(command, 80, 24, b"ab");
    terminal.wait_for_text("key Char('b')", deadline());
    let shown = terminal.screen_text();
    assert!(shown.contains("chrome None"), "{shown}");
    assert!(shown.contains("key Char('a')"), "{shown}");
    assert!(!modes_left(&terminal.raw_output()).contains(&"1 keyboard flags".to_owned()));
    terminal.send(b"\x11");
    assert_eq!(terminal.wait_for_exit(deadline()).exit_code(), 0);
    terminal.assert_restored();
}

#[test]
fn a_lent_terminal_is_the_borrowers_alone() {
    let mut terminal = start("interactive");
    terminal.resize(200, 24);
    terminal.wait_for_text("size 200x24", deadline());
    // Keys after Ctrl-E that were read with it must not get lost, wherever they are by then.
    let ahead: String = ('a'..='z').cycle().take(150).collect();
    terminal.send(format!("\x05{ahead}"));
    terminal.wait_for_text("lent", deadline());
    assert_eq!(modes_left(&terminal.raw_output()), Vec::<String>::new());
    assert!(terminal.line_is_as_before());
    let shown = terminal.screen_text();
    assert!(
        shown.contains("icanon") && !shown.contains("-icanon"),
        "{shown}"
    );
    terminal.send(b"all of this line\r");
    terminal.wait_for_bytes("the second entering", deadline(), |raw| {
        modes_left(raw).len() == 8
    });
    assert!(position(&terminal.raw_output(), "got all of this line").is_some());
    terminal.send(b"Y\x14");
    terminal.wait_for_text(&format!("typed {ahead}Y"), deadline());
    terminal.send(b"\x11");
    assert_eq!(terminal.wait_for_exit(deadline()).exit_code(), 0);
    terminal.assert_restored();
}

#[test]
fn ctrl_z_stops_for_the_shell_and_fg_paints_everything() {
    let home = std::env::temp_dir();
    let mut command = pty::command("sh", &home);
    command.args([
        "-mc",
        r#""$0" "$@"; echo shell $?; read line; fg >/dev/null; echo end $?"#,
    ]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    command.env(ROLE, "interactive");
    let mut terminal = Pty::start_typed(command, 80, 24, ANSWERS);
    terminal.wait_for_text("size 80x24", deadline());
    terminal.send(b"\x1a");
    // 128 and the number of SIGTSTP.
    terminal.wait_for_text(
        &format!("shell {}", 128 + Signal::SIGTSTP as i32),
        deadline(),
    );
    assert_eq!(modes_left(&terminal.raw_output()), Vec::<String>::new());
    terminal.send(b"\r");
    terminal.wait_for_text("back from a stop", deadline());
    assert!(terminal.screen_text().contains("chrome Some(2)"));
    terminal.send(b"\x11");
    terminal.wait_for_text("end 0", deadline());
    terminal.wait_for_exit(deadline());
    terminal.assert_restored();
}

#[test]
fn ctrl_z_without_a_shell_does_not_hang() {
    let mut terminal = start("interactive");
    terminal.wait_for_text("size 80x24", deadline());
    terminal.send(b"\x1a");
    terminal.wait_for_text("back from a stop", deadline());
    terminal.send(b"\x11");
    assert_eq!(terminal.wait_for_exit(deadline()).exit_code(), 0);
    terminal.assert_restored();
}

#[test]
fn a_closed_window_is_told_once() {
    for typed in ["", "\x1b[200~a paste without an end", "\x1b[1;"] {
        let mut terminal = start("interactive");
        terminal.wait_for_text("size 80x24", deadline());
        terminal.send(typed);
        terminal.hang_up();
        assert_eq!(
            terminal.wait_for_exit(deadline()).exit_code(),
            66,
            "{typed:?}"
        );
    }
}

#[test]
fn without_a_terminal_nothing_is_turned_on() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(ROLE, "exit")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("flower needs a terminal"), "{told}");
    assert!(told.contains("`flower run"), "{told}");
    assert!(!told.contains('\x1b'), "{told}");
}

#[test]
fn left_modes_are_found() {
    let rows: &[(&str, &[&str])] = &[
        ("", &[]),
        ("\x1b[?1049h\x1b[?25l", &["mode 1049", "mode 25"]),
        ("\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", &[]),
        ("\x1b[?1000;1006h\x1b[?1000l", &["mode 1006"]),
        ("\x1b[>5u\x1b[22;0t", &["1 keyboard flags", "1 titles"]),
        ("\x1b[>5u\x1b[22;0t\x1b[23;0t\x1b[<1u", &[]),
        ("\x1b[<1u", &["-1 keyboard flags"]),
        (
            "\x1b[?1049h\x1b[>5u\x1b[?1049l\x1b[<1u",
            &["-1 keyboard flags", "1 keyboard flags"],
        ),
    ];
    for (output, left) in rows {
        assert_eq!(modes_left(output.as_bytes()), *left, "{output:?}");
    }
}
