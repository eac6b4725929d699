//! The gauge's arithmetic: numbers of tokens and a width come in, cells go out. Integers only, half
//! a cell upwards, so every size of terminal agrees with the numbers beside the bar.

#[cfg(test)]
mod tests;

use crate::cells;

/// How far a label may stand from its mark, in cells, before words are dropped.
const FAR_CELLS: usize = 8;

/// A mark on the bar; a greater one keeps its cell when two want the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// First reading of the generation.
    Floor,
    /// Warn mark.
    Warn,
    /// Hand-over mark.
    At,
    /// The window.
    Limit,
}

/// Maps tokens to the cells of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruler {
    width: u16,
    scale: u64,
}

impl Ruler {
    /// Makes the ruler of a bar of `width` cells. Its end is the limit or, past that, the context.
    pub fn new(width: u16, limit: u64, context: Option<u64>) -> Self {
        Self {
            width,
            scale: limit.max(context.unwrap_or(0)),
        }
    }

    /// The cell of a number of tokens; `None` beyond the ruler's end or without any cell.
    pub fn cell(self, tokens: u64) -> Option<u16> {
        let last = self.width.checked_sub(1)?;
        if tokens > self.scale {
            return None;
        }
        if self.scale == 0 {
            return Some(last);
        }
        u16::try_from(rounded(u64::from(last), tokens, self.scale)).ok()
    }

    /// Eighths of cells that so many tokens fill.
    pub fn eighths(self, tokens: u64) -> usize {
        if self.scale == 0 || self.width == 0 {
            return 0;
        }
        let whole = 8 * u64::from(self.width - 1);
        usize::try_from(rounded(whole, tokens.min(self.scale), self.scale)).unwrap_or(usize::MAX)
    }
}

/// `whole * part / scale`, half up.
fn rounded(whole: u64, part: u64, scale: u64) -> u128 {
    let scale = u128::from(scale);
    (2 * u128::from(whole) * u128::from(part) + scale) / (2 * scale)
}

/// Where a mark ended up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Drawn in this cell.
    Drawn(u16),
    /// Not drawn because its cell, which is this, and the one before are taken.
    Taken(u16),
    /// Beyond the ruler's end.
    Beyond,
}

/// Gives each mark its cell. Of two in one cell the greater stays; the lesser moves one cell to the
/// left when no mark is there, else it is not drawn.
pub fn place(ruler: Ruler, marks: &[(Mark, u64)]) -> Vec<(Mark, Spot)> {
    let mut order = marks.to_vec();
    order.sort_by_key(|(mark, _)| std::cmp::Reverse(*mark));
    let mut placed: Vec<(Mark, Spot)> = Vec::with_capacity(order.len());
    for (mark, tokens) in order {
        let free = |cell: &u16| placed.iter().all(|(_, spot)| *spot != Spot::Drawn(*cell));
        let spot = match ruler.cell(tokens) {
            None => Spot::Beyond,
            Some(cell) => std::iter::once(cell)
                .chain(cell.checked_sub(1))
                .find(free)
                .map_or(Spot::Taken(cell), Spot::Drawn),
        };
        placed.push((mark, spot));
    }
    placed
}

/// A label that wants to stand under its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its mark; `None` for the `0` at the left end.
    pub mark: Option<Mark>,
    /// Its number.
    pub number: String,
    /// What the number is; may be dropped.
    pub word: String,
    /// The cell to be centred under; `None` for the right end, beyond the bar.
    pub cell: Option<u16>,
}

/// A label in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedLabel {
    /// Its mark; `None` for the `0` at the left end.
    pub mark: Option<Mark>,
    /// First cell.
    pub x: usize,
    /// What is written there.
    pub text: String,
    /// Whether its mark lies beyond the bar.
    pub beyond: bool,
}

impl PlacedLabel {
    /// The first cell behind it.
    pub fn end(&self) -> usize {
        self.x + cells::width(&self.text)
    }
}

/// What is given up when labels stand too close, first to last.
const DROPPED: [Dropped; 8] = [
    Dropped::Word(Mark::Floor),
    Dropped::Word(Mark::Limit),
    Dropped::Word(Mark::Warn),
    Dropped::Word(Mark::At),
    Dropped::Label(None),
    Dropped::Label(Some(Mark::Floor)),
    Dropped::Label(Some(Mark::Limit)),
    Dropped::Label(Some(Mark::Warn)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dropped {
    Word(Mark),
    Label(Option<Mark>),
}

/// Lays out labels, which come in the order of their marks, in a row of `width` cells: every way in
/// which all stand near enough to their marks, the fullest first.
pub fn layouts(width: usize, labels: &[Label]) -> impl Iterator<Item = Vec<PlacedLabel>> + '_ {
    (0..=DROPPED.len()).filter_map(move |count| lay_out(width, labels, &DROPPED[..count]))
}

fn lay_out(width: usize, labels: &[Label], dropped: &[Dropped]) -> Option<Vec<PlacedLabel>> {
    let kept: Vec<(&Label, String)> = labels
        .iter()
        .filter(|label| !dropped.contains(&Dropped::Label(label.mark)))
        .map(|label| (label, text_of(label, dropped)))
        .collect();
    let pushed = kept.iter().any(|(label, _)| label.cell.is_none());
    // What the labels further left need at least.
    let mut left: usize = kept.iter().map(|(_, text)| cells::width(text) + 1).sum();
    let mut right = width;
    let mut placed = Vec::with_capacity(kept.len());
    for (label, text) in kept.into_iter().rev() {
        let wide = cells::width(&text);
        left -= wide + 1;
        let last = right.checked_sub(wide).filter(|last| *last >= left)?;
        let x = match label.cell {
            None => last,
            Some(cell) => {
                let cell = usize::from(cell);
                let x = cell.saturating_sub(wide / 2).clamp(left, last);
                // A label at the right end, beyond the bar, pushes the others away for good.
                if !pushed && distance(cell, x, wide) > FAR_CELLS {
                    return None;
                }
                x
            }
        };
        right = x.saturating_sub(1);
        placed.push(PlacedLabel {
            mark: label.mark,
            x,
            text,
            beyond: label.cell.is_none(),
        });
    }
    placed.reverse();
    Some(placed)
}

fn text_of(label: &Label, dropped: &[Dropped]) -> String {
    let bare = label.word.is_empty()
        || label
            .mark
            .is_some_and(|mark| dropped.contains(&Dropped::Word(mark)));
    let behind = if label.cell.is_none() { " >" } else { "" };
    if bare {
        format!("{}{behind}", label.number)
    } else {
        format!("{} {}{behind}", label.number, label.word)
    }
}

/// Cells between a mark and the nearest cell of its label.
fn distance(cell: usize, x: usize, wide: usize) -> usize {
    let last = x + wide.saturating_sub(1);
    x.saturating_sub(cell).max(cell.saturating_sub(last))
}
