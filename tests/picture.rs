//! Makes the README's picture, `assets/screen.svg`: the real demo in a terminal, at its review, with a
//! dead end typed by hand. Cells of a terminal come in, an SVG without any outer file goes out.
//!
//! `cargo test --test picture -- --ignored`
//!
//! Times and the document's hash are replaced, so that the picture changes when the screen does and
//! not with every run.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "support/pty.rs"]
mod pty;

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use pty::{PATIENCE, Pty};
use regex::{Captures, Regex};
use vt100::Color;

const COLUMNS: u16 = 120;
const ROWS: u16 = 40;

/// What a terminal answers at the start: no keyboard flags, both characters one cell wide, a VT220.
const ANSWERS: &[u8] = b"\x1b[?0u\x1b[2;3R\x1b[?62;22c";

/// What the person types into the dead ends.
const TYPED: &str = "- Editing tests/cases: no, they come from real tills.";

/// Size of a cell, and the space around all of them, in pixels.
const CELL: (u32, u32) = (9, 19);
const MARGIN: u32 = 12;
/// From a cell's top to the line its letters stand on, in pixels.
const BASELINE: u32 = 14;

const PAGE: &str = "#0d1117";
const TEXT: &str = "#d1d7e0";
/// The terminal's sixteen colours on a dark page.
const PALETTE: [&str; 16] = [
    "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
    "#7d8590", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
];

#[test]
#[ignore = "writes assets/screen.svg"]
fn screen() {
    let home = tempfile::tempdir().unwrap();
    let mut command = pty::command(env!("CARGO_BIN_EXE_flower"), home.path());
    command.env("FLOWER_LANG", "en");
    command.args(["demo", "--speed", "3", "--review", "60", "-w"]);
    command.arg(home.path().join("takings"));
    let mut terminal = Pty::start_typed(command, COLUMNS, ROWS, ANSWERS);
    let wait = |terminal: &Pty, text| terminal.wait_for_text(text, Instant::now() + PATIENCE);
    wait(&terminal, "REVIEW");
    wait(&terminal, "lib/unquote.sed");
    terminal.send("\x1b3");
    wait(&terminal, "HELD");
    terminal.send(format!("\x1b[1;5F\r{TYPED}"));
    let mut shown = None;
    terminal.wait_until("the typed line", Instant::now() + PATIENCE, |screen| {
        // The cursor is shown at the end of a frame.
        let whole = screen.contents().contains(TYPED) && !screen.hide_cursor();
        shown = whole.then(|| screen.clone());
        whole
    });
    let svg = picture(&shown.unwrap());
    assert!(!svg.contains(home.path().to_str().unwrap()));
    assert!(svg.len() < 150 * 1024, "{} bytes", svg.len());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/screen.svg");
    std::fs::write(path, svg).unwrap();
}

/// What a piece of a row is drawn as.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Letters of one cell each.
    Narrow,
    /// A letter of two cells.
    Wide,
    /// A line or block, drawn by itself: fonts leave gaps between rows.
    Drawn,
}

#[derive(Clone, PartialEq)]
struct Look {
    ink: String,
    paper: Option<String>,
    bold: bool,
    italic: bool,
    underline: bool,
    dim: bool,
}

/// A character and the cells it takes.
struct Glyph {
    text: String,
    column: u32,
    form: Form,
    look: Look,
}

impl Glyph {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn cells(&self) -> u32 {
        match self.form {
            Form::Narrow | Form::Drawn => 1,
            Form::Wide => 2,
        }
    }
}

fn picture(screen: &vt100::Screen) -> String {
    let (width, height) = (
        u32::from(COLUMNS) * CELL.0 + 2 * MARGIN,
        u32::from(ROWS) * CELL.1 + 2 * MARGIN,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>flower at a review: the gauge, the event log, and the five sections of the handoff with a dead end typed by hand</title>\n\
         <style>text{{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC','PingFang SC','Microsoft YaHei',monospace;white-space:pre}}.b{{font-weight:bold}}.i{{font-style:italic}}.u{{text-decoration:underline}}.d{{opacity:.6}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PAGE}\"/>\n"
    );
    let mut times = 0;
    for row in 0..ROWS {
        let mut glyphs = glyphs(screen, row);
        settle(&mut glyphs, &mut times);
        let top = MARGIN + u32::from(row) * CELL.1;
        papers(&glyphs, top, &mut svg);
        inks(&glyphs, top, &mut svg);
    }
    let (row, column) = screen.cursor_position();
    let (x, y) = (left(u32::from(column)), MARGIN + u32::from(row) * CELL.1);
    write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"2\" height=\"{}\" fill=\"{TEXT}\"/>\n</svg>\n",
        CELL.1
    )
    .unwrap();
    svg
}

fn left(column: u32) -> u32 {
    MARGIN + column * CELL.0
}

fn glyphs(screen: &vt100::Screen, row: u16) -> Vec<Glyph> {
    let cells = (0..COLUMNS).map(|column| (column, screen.cell(row, column).unwrap()));
    cells
        .filter(|(_, cell)| !cell.is_wide_continuation())
        .map(|(column, cell)| {
            let text = match cell.contents() {
                "" => " ",
                contents => contents,
            };
            let form = if cell.is_wide() {
                Form::Wide
            } else if drawn(text).is_some() {
                Form::Drawn
            } else {
                Form::Narrow
            };
            Glyph {
                text: text.to_owned(),
                column: u32::from(column),
                form,
                look: look(cell),
            }
        })
        .collect()
}

fn look(cell: &vt100::Cell) -> Look {
    let (ink, paper) = (color(cell.fgcolor()), color(cell.bgcolor()));
    let (ink, paper) = if cell.inverse() {
        (
            paper.unwrap_or_else(|| PAGE.to_owned()),
            Some(ink.unwrap_or_else(|| TEXT.to_owned())),
        )
    } else {
        (ink.unwrap_or_else(|| TEXT.to_owned()), paper)
    };
    Look {
        ink,
        paper,
        bold: cell.bold(),
        italic: cell.italic(),
        underline: cell.underline(),
        dim: cell.dim(),
    }
}

fn color(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        // The theme has no others.
        Color::Idx(index) => Some(PALETTE[usize::from(index)].to_owned()),
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

/// Replaces what differs between two runs: times of day, three seconds apart now, the hash, how long
/// tools took and what is left of the countdown.
fn settle(glyphs: &mut [Glyph], times: &mut u32) {
    replace(glyphs, r"\b\d\d:\d\d:\d\d\b", |_| {
        let seconds = 3 * *times;
        *times += 1;
        format!("14:{:02}:{:02}", 2 + seconds / 60, seconds % 60)
    });
    replace(glyphs, r"\bsha [0-9a-f]{8}\b", |_| {
        "sha 4b7d20c9".to_owned()
    });
    replace(glyphs, r" +\d+\.\d+ s\b", |found| {
        format!("{:>1$}", "0.1 s", found[0].len())
    });
    replace(glyphs, r"[ \d]\d:\d\d left", |_| "10:00 left".to_owned());
}

/// Replaces places of a row by texts of the same length.
fn replace(glyphs: &mut [Glyph], pattern: &str, mut with: impl FnMut(&Captures<'_>) -> String) {
    let text: String = glyphs.iter().map(|glyph| glyph.text.as_str()).collect();
    let changed = Regex::new(pattern)
        .unwrap()
        .replace_all(&text, |found: &Captures<'_>| {
            let new = with(found);
            assert_eq!(new.len(), found[0].len());
            new
        });
    let mut at = 0;
    for glyph in glyphs {
        let end = at + glyph.text.len();
        glyph.text = changed[at..end].to_owned();
        at = end;
    }
}

/// Backgrounds: neighbours of one colour are one rectangle.
fn papers(glyphs: &[Glyph], top: u32, svg: &mut String) {
    for run in glyphs.chunk_by(|a, b| a.look.paper == b.look.paper) {
        if let Some(paper) = &run[0].look.paper {
            let cells: u32 = run.iter().map(Glyph::cells).sum();
            writeln!(
                svg,
                "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"{paper}\"/>",
                left(run[0].column),
                cells * CELL.0,
                CELL.1
            )
            .unwrap();
        }
    }
}

fn inks(glyphs: &[Glyph], top: u32, svg: &mut String) {
    let words = glyphs.chunk_by(|a, b| {
        // One blank joins words, more are a gap. Fonts disagree most about wide letters: each has its place.
        let gap = a.is_blank() && b.is_blank() || a.form == Form::Wide;
        a.look == b.look && a.form == b.form && !gap
    });
    for run in words {
        let first = run.iter().position(|glyph| !glyph.is_blank());
        let last = run.iter().rposition(|glyph| !glyph.is_blank());
        if let (Some(first), Some(last)) = (first, last) {
            let run = &run[first..=last];
            match run[0].form {
                Form::Narrow | Form::Wide => letters(run, top, svg),
                Form::Drawn => shapes(run, top, svg),
            }
        }
    }
}

fn letters(run: &[Glyph], top: u32, svg: &mut String) {
    let text: String = run.iter().map(|glyph| glyph.text.as_str()).collect();
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let cells: u32 = run.iter().map(Glyph::cells).sum();
    // The length keeps every run in its cells, whatever the font.
    let length = if run.len() > 1 {
        format!(" textLength=\"{}\"", cells * CELL.0)
    } else {
        String::new()
    };
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\"{length}{}>{escaped}</text>",
        left(run[0].column),
        top + BASELINE,
        attributes(&run[0].look)
    )
    .unwrap();
}

fn attributes(look: &Look) -> String {
    let class: Vec<&str> = [
        (look.bold, "b"),
        (look.italic, "i"),
        (look.underline, "u"),
        (look.dim, "d"),
    ]
    .into_iter()
    .filter_map(|(on, name)| on.then_some(name))
    .collect();
    let class = match class.join(" ") {
        none if none.is_empty() => none,
        some => format!(" class=\"{some}\""),
    };
    format!(" fill=\"{}\"{class}", look.ink)
}

fn shapes(run: &[Glyph], top: u32, svg: &mut String) {
    let mut path = String::new();
    for glyph in run {
        for (x, y, width, height) in drawn(&glyph.text).unwrap() {
            let (x, y) = (f64::from(left(glyph.column)) + x, f64::from(top) + y);
            write!(path, "M{x} {y}h{width}v{height}h-{width}z").unwrap();
        }
    }
    writeln!(svg, "<path d=\"{path}\"{}/>", attributes(&run[0].look)).unwrap();
}

/// Rectangles of a line or block within its cell: left, top, width, height; `None` for letters.
fn drawn(text: &str) -> Option<Vec<(f64, f64, f64, f64)>> {
    let mut characters = text.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        return None;
    };
    let (width, height) = (f64::from(CELL.0), f64::from(CELL.1));
    let across = (0.0, 9.0, width, 1.0);
    Some(match character {
        '─' => vec![across],
        '│' => vec![(4.0, 0.0, 1.0, height)],
        '┃' => vec![(3.0, 0.0, 3.0, height)],
        '┊' => [1.0, 6.0, 11.0, 16.0].map(|y| (4.0, y, 1.0, 3.0)).to_vec(),
        '╵' => vec![(4.0, 0.0, 1.0, 9.0)],
        '┬' => vec![across, (4.0, 10.0, 1.0, height - 10.0)],
        '┴' => vec![across, (4.0, 0.0, 1.0, 9.0)],
        // Lower eighths, then the whole block and left eighths from seven down.
        '▁'..='▇' => {
            let part = height * f64::from(u32::from(character) - u32::from('▁') + 1) / 8.0;
            vec![(0.0, height - part, width, part)]
        }
        '█'..='▏' => {
            let part = 8 - (u32::from(character) - u32::from('█'));
            vec![(0.0, 0.0, width * f64::from(part) / 8.0, height)]
        }
        _ => return None,
    })
}
