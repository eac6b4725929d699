//! Soft wrap: lines and a width in cells go in, rows of the screen come out. The caret moves by
//! these rows and the view draws them, so both agree on every cell.

use unicode_segmentation::UnicodeSegmentation;

use super::area::Pos;
use crate::cells;

/// Cells a tab takes: bodies of a handoff are prose, and a fixed width keeps a row measurable from
/// anywhere.
const TAB_CELLS: usize = 4;

/// One row of the screen: a part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The line, from 0.
    pub line: usize,
    /// First byte of the line in this row.
    pub start: usize,
    /// The byte after the last one; blanks at a break belong to the row they follow.
    pub end: usize,
    /// Cells left free before the text: 0 in the first row of a line.
    pub indent: usize,
    /// Whether the line ends in this row.
    pub last: bool,
}

/// Width of one cluster in cells as the editor shows it.
pub fn cluster_cells(cluster: &str) -> usize {
    match cluster {
        "\t" => TAB_CELLS,
        cluster => cells::cluster_width(cluster),
    }
}

fn cells_of(text: &str) -> usize {
    text.graphemes(true).map(cluster_cells).sum()
}

/// Breaks lines into rows of at most `width` cells (at least 1): at blanks, beside wide characters
/// but not before closing or after opening punctuation, and anywhere in what is too long for a row.
pub fn wrap_rows(lines: &[String], width: usize) -> Vec<Row> {
    let width = width.max(1);
    let mut rows = Vec::with_capacity(lines.len());
    for (number, line) in lines.iter().enumerate() {
        if line.len() <= width && line.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            rows.push(Row {
                line: number,
                start: 0,
                end: line.len(),
                indent: 0,
                last: true,
            });
        } else {
            wrap_line(number, line, width, &mut rows);
        }
    }
    rows
}

fn wrap_line(number: usize, line: &str, width: usize, rows: &mut Vec<Row>) {
    let mut start = 0;
    let mut used = 0;
    let mut indent = 0;
    let mut next_row = |rows: &mut Vec<Row>, end: usize, indent: usize, last: bool| {
        rows.push(Row {
            line: number,
            start: std::mem::replace(&mut start, end),
            end,
            indent,
            last,
        });
    };
    let hang = hanging(line, width);
    for unit in units(line) {
        if used > 0 && used + unit.cells > width - indent {
            next_row(rows, unit.start, indent, false);
            indent = hang;
            used = 0;
        }
        if unit.cells > width - indent {
            // Too long for any row: cut between clusters.
            for (at, cluster) in line[unit.start..unit.end].grapheme_indices(true) {
                let cells = cluster_cells(cluster);
                if used > 0 && used + cells > width - indent {
                    next_row(rows, unit.start + at, indent, false);
                    indent = hang;
                    used = 0;
                }
                used += cells;
            }
        } else {
            used += unit.cells;
        }
        used += unit.blanks;
    }
    next_row(rows, line.len(), indent, true);
}

/// Cells the rows after the first one are set in: the width of the line's own indent and list
/// marker, two without a marker, never more than a third of the row.
fn hanging(line: &str, width: usize) -> usize {
    let text = line.trim_start_matches([' ', '\t']);
    let leading = cells_of(&line[..line.len() - text.len()]);
    (leading + marker(text).max(2)).min(width / 3)
}

/// Bytes of a list marker and the blank behind it; 0 without one.
pub(super) fn marker(text: &str) -> usize {
    if text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") {
        return 2;
    }
    let digits = text.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    if (1..=3).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") ")) {
        return digits + 2;
    }
    0
}

/// A piece that stays on one row, and the blanks after it.
#[derive(Default)]
struct Unit {
    start: usize,
    /// Where the blanks begin.
    end: usize,
    cells: usize,
    blanks: usize,
}

fn units(line: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut unit = Unit::default();
    let mut previous: Option<(&str, usize)> = None;
    for (at, cluster) in line.grapheme_indices(true) {
        let cells = cluster_cells(cluster);
        if is_blank(cluster) {
            unit.blanks += cells;
        } else {
            let breaks = match previous {
                None => false,
                Some((before, _)) if is_blank(before) => true,
                Some((before, before_cells)) => {
                    (before_cells == 2 || cells == 2) && !opens(before) && !closes(cluster)
                }
            };
            if breaks {
                units.push(std::mem::take(&mut unit));
                unit.start = at;
            }
            unit.cells += cells;
            unit.end = at + cluster.len();
        }
        previous = Some((cluster, cells));
    }
    units.push(unit);
    units
}

fn is_blank(cluster: &str) -> bool {
    matches!(cluster, " " | "\t")
}

/// Punctuation that does not begin a row.
fn closes(cluster: &str) -> bool {
    matches!(
        cluster,
        "，" | "。"
            | "、"
            | "；"
            | "："
            | "！"
            | "？"
            | "）"
            | "］"
            | "｝"
            | "」"
            | "』"
            | "】"
            | "》"
            | "〉"
            | "”"
            | "’"
            | "…"
            | ","
            | "."
            | ";"
            | ":"
            | "!"
            | "?"
            | ")"
            | "]"
            | "}"
            | "ー"
    )
}

/// Punctuation that does not end a row.
fn opens(cluster: &str) -> bool {
    matches!(
        cluster,
        "（" | "［" | "｛" | "「" | "『" | "【" | "《" | "〈" | "“" | "‘" | "(" | "[" | "{"
    )
}

/// The row a place of the text stands in. A place between two rows belongs to the second.
pub fn row_of(rows: &[Row], at: Pos) -> usize {
    rows.partition_point(|row| (row.line, row.start) <= (at.line, at.byte))
        .saturating_sub(1)
}

/// The cell of a byte in its row, indent included; blanks that hang over the edge stay on it.
pub fn cell_of(row: &Row, line: &str, byte: usize, width: usize) -> usize {
    let text = &line[row.start..byte.clamp(row.start, row.end)];
    (row.indent + cells_of(text)).min(width)
}

/// The byte of a row that is nearest to a cell from the left; in a row that does not end its line,
/// never the end, which belongs to the next row.
pub fn byte_at(row: &Row, line: &str, cell: usize) -> usize {
    let mut used = row.indent;
    let mut byte = row.start;
    for (at, cluster) in line[row.start..row.end].grapheme_indices(true) {
        byte = row.start + at;
        used += cluster_cells(cluster);
        if used > cell {
            return byte;
        }
    }
    if row.last { row.end } else { byte }
}
