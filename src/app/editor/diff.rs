//! Lines of two texts compared: what is new, what goes with what, and two sets of changes put
//! together. Two texts of any size go in; the work has a bound.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Changed lines of both sides together above which the whole stretch counts as one change. The
/// comparison takes time in proportion to them and runs at every key: 0.6 s here for the worst of
/// reversed, random and wholly different texts, measured without optimisation.
const MOST_LINES: usize = 30_000;

/// A range of old lines that became a range of new ones; one of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The changes that make `new` from `old`, in order.
pub(super) fn changes<T: AsRef<str>, U: AsRef<str>>(old: &[T], new: &[U]) -> Vec<Change> {
    let old: Vec<&str> = old.iter().map(AsRef::as_ref).collect();
    let new: Vec<&str> = new.iter().map(AsRef::as_ref).collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let backwards = old.iter().rev().zip(new.iter().rev());
    let tail = backwards.take(most).take_while(|(a, b)| a == b).count();
    let old = &old[head..old.len() - tail];
    let new = &new[head..new.len() - tail];
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.len() + new.len() > MOST_LINES {
        return vec![Change {
            old: head..head + old.len(),
            new: head..head + new.len(),
        }];
    }
    let mut changes: Vec<Change> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let shifted = |range: Range<usize>| range.start + head..range.end + head;
        let (old, new) = (shifted(op.old_range()), shifted(op.new_range()));
        match changes.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            Some(_) | None => changes.push(Change { old, new }),
        }
    }
    changes
}

/// Where an old line is in the new text; for one that is gone, the nearest line that is left.
pub(super) fn follow(changes: &[Change], line: usize, new_lines: usize) -> usize {
    let mut moved = line;
    for change in changes {
        if change.old.contains(&line) {
            let within = line - change.old.start;
            moved = change.new.start + within.min(change.new.len().saturating_sub(1));
            break;
        }
        if change.old.start > line {
            break;
        }
        moved = line - change.old.end + change.new.end;
    }
    moved.min(new_lines.saturating_sub(1))
}

/// Both sets of changes applied to `base`; `None` where they touch each other.
pub(super) fn merge(base: &[String], mine: &[String], theirs: &[String]) -> Option<Vec<String>> {
    let left = changes(base, mine);
    let right = changes(base, theirs);
    let mut all: Vec<(&Change, &[String])> = Vec::with_capacity(left.len() + right.len());
    all.extend(left.iter().map(|change| (change, mine)));
    all.extend(right.iter().map(|change| (change, theirs)));
    all.sort_by_key(|(change, _)| (change.old.start, change.old.end));
    let mut merged = Vec::with_capacity(mine.len().max(theirs.len()));
    let mut at = 0;
    let mut last: Option<(&Change, &[String])> = None;
    for (change, side) in all {
        if let Some((before, other)) = last
            && change.old.start <= before.old.end
        {
            let same =
                change.old == before.old && side[change.new.clone()] == other[before.new.clone()];
            if same {
                continue;
            }
            return None;
        }
        merged.extend_from_slice(&base[at..change.old.start]);
        merged.extend_from_slice(&side[change.new.clone()]);
        at = change.old.end;
        last = Some((change, side));
    }
    merged.extend_from_slice(&base[at..]);
    Some(merged)
}

/// The lines of `new` that `old` does not have, in order.
pub(super) fn added(old: &[String], new: &[String]) -> Vec<String> {
    changes(old, new)
        .into_iter()
        .flat_map(|change| new[change.new].iter().cloned())
        .collect()
}
