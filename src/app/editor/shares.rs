//! How many rows each section gets, and which of its rows are seen. Pure arithmetic for the caret's
//! moves and for the view.

use crate::handoff::Section;

/// Divides the rows of the pane among the bodies of the five sections. `needs` are the rows their
/// texts take (at least 1), `rows` what is there for titles and bodies; `None` when not every
/// section gets its title and one row.
///
/// When it does not fit, the one with the focus and the dead ends get half each of what the others'
/// least leaves; what they do not need goes to the others in order.
pub fn shares(needs: [usize; 5], focus: Section, rows: usize) -> Option<[usize; 5]> {
    let mut left = rows.checked_sub(2 * needs.len())?;
    let mut given = [1; 5];
    let mut give = |at: usize, most: usize, left: &mut usize| {
        let more = needs[at].saturating_sub(given[at]).min(most).min(*left);
        given[at] += more;
        *left -= more;
    };
    let first = focus as usize;
    let second = Section::Deadends as usize;
    let half = left.div_ceil(2);
    give(first, half, &mut left);
    give(second, half, &mut left);
    give(first, usize::MAX, &mut left);
    for at in [second].into_iter().chain(0..needs.len()) {
        give(at, usize::MAX, &mut left);
    }
    Some(given)
}

/// Which rows of a text are seen through `rows` rows: the first one and how many. Below them one
/// row is kept for the words that tell how many are missing.
pub fn window(top: usize, caret: Option<usize>, total: usize, rows: usize) -> (usize, usize) {
    if total <= rows {
        return (0, total);
    }
    if rows <= 1 {
        return (caret.unwrap_or(0), rows);
    }
    let mut first = top.min(total - rows);
    if let Some(caret) = caret {
        first = first.min(caret);
        if first + rows < total && caret + 2 > first + rows {
            first = (caret + 2 - rows).min(total - rows);
        }
    }
    let shown = if first + rows >= total {
        rows
    } else {
        rows - 1
    };
    (first, shown)
}
