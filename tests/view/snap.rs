//! Turns a drawn buffer into a snapshot in `snapshots/`: rows of text, then runs of style.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a helper for the other files of this test"
)]

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// Compares a buffer with `snapshots/NAME.snap`.
pub fn check(name: &str, buffer: &Buffer) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, dump(buffer)));
}

/// The text of one row; a wide character stands for both of its cells.
pub fn row_text(buffer: &Buffer, y: u16) -> String {
    let area: Rect = buffer.area;
    let mut text = String::new();
    let mut skip = 0;
    for x in area.left()..area.right() {
        let symbol = buffer[(x, y)].symbol();
        if skip > 0 {
            skip -= 1;
            continue;
        }
        text.push_str(symbol);
        skip = flower::cells::width(symbol).saturating_sub(1);
    }
    text
}

/// Rows between bars, then the styles that are not plain, as `y: x..x style`.
pub fn dump(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in area.top()..area.bottom() {
        out.push_str(&format!("|{}|\n", row_text(buffer, y)));
    }
    out.push('\n');
    for y in area.top()..area.bottom() {
        let mut runs = Vec::new();
        let mut start = area.left();
        for x in area.left()..=area.right() {
            let style = (x < area.right()).then(|| name(buffer[(x, y)].style()));
            let before = name(buffer[(start, y)].style());
            if style.as_ref() != Some(&before) {
                if !before.is_empty() {
                    runs.push(format!("{start}..{x} {before}"));
                }
                start = x;
            }
        }
        if !runs.is_empty() {
            out.push_str(&format!("{y}: {}\n", runs.join(", ")));
        }
    }
    out
}

fn name(style: Style) -> String {
    let mut parts = Vec::new();
    if let Some(color) = style.fg.filter(|c| *c != ratatui::style::Color::Reset) {
        parts.push(format!("{color}").to_lowercase());
    }
    if let Some(color) = style.bg.filter(|c| *c != ratatui::style::Color::Reset) {
        parts.push(format!("on {color}").to_lowercase());
    }
    if style.add_modifier != Modifier::empty() {
        parts.push(
            format!("{:?}", style.add_modifier)
                .to_lowercase()
                .replace("modifier", ""),
        );
    }
    parts.join(" ")
}
