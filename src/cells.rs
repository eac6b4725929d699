//! Text measured in display cells, cut on grapheme boundaries. Everything drawn goes through here.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Display width of a text in cells.
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(cluster_width).sum()
}

/// Display width of one grapheme cluster: never above 2, so that terminals and this program agree
/// on emoji made of several.
pub fn cluster_width(cluster: &str) -> usize {
    cluster.width().min(2)
}

/// The longest beginning of a text that fits into `cells`; never half a cluster.
pub fn cut(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += cluster_width(cluster);
        if used > cells {
            return &text[..at];
        }
    }
    text
}

/// A text in at most `cells`: cut with a trailing `…` when too long.
pub fn shorten(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        text.to_owned()
    } else if cells == 0 {
        String::new()
    } else {
        format!("{}…", cut(text, cells - 1))
    }
}

/// A text in exactly `cells`: cut with a trailing `…` when too long, padded with blanks otherwise.
pub fn fit(text: &str, cells: usize) -> String {
    let mut fitted = shorten(text, cells);
    let missing = cells.saturating_sub(width(&fitted));
    fitted.extend(std::iter::repeat_n(' ', missing));
    fitted
}

/// Breaks one line into rows of at most `cells`, at blanks where there are some, between clusters
/// otherwise (always beside a wide character). Blanks at a break are dropped. At least one row
/// comes out.
pub fn wrap(line: &str, cells: usize) -> Vec<&str> {
    let cells = cells.max(2);
    let mut rows = Vec::new();
    let mut rest = line;
    loop {
        let head = cut(rest, cells);
        if head.len() == rest.len() {
            rows.push(rest);
            return rows;
        }
        let end = break_in(head, &rest[head.len()..]);
        rows.push(rest[..end].trim_end_matches(' '));
        rest = rest[end..].trim_start_matches(' ');
        if rest.is_empty() {
            return rows;
        }
    }
}

/// The rows of [`wrap`] as ranges of bytes in the line.
pub fn wrap_ranges(line: &str, cells: usize) -> impl Iterator<Item = (usize, usize)> {
    let base = line.as_ptr() as usize;
    wrap(line, cells).into_iter().map(move |row| {
        let start = row.as_ptr() as usize - base;
        (start, start + row.len())
    })
}

/// Where a row that is full with `head` ends when `tail` follows.
fn break_in(head: &str, tail: &str) -> usize {
    let next = tail.graphemes(true).next().unwrap_or_default();
    if next == " " || cluster_width(next) == 2 {
        return head.len();
    }
    head.grapheme_indices(true)
        .filter(|(_, cluster)| *cluster == " " || cluster_width(cluster) == 2)
        .map(|(at, cluster)| at + cluster.len())
        .rfind(|end| !head[..*end].trim_start_matches(' ').is_empty())
        .unwrap_or(head.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn widths_are_cells() {
        for (text, cells) in [
            ("abc", 3),
            ("中文，", 6),
            ("👩\u{200d}🔬", 2),
            ("é", 1),
            ("e\u{301}", 1),
            ("🇩🇪", 2),
            ("", 0),
        ] {
            assert_eq!(width(text), cells, "{text:?}");
        }
    }

    #[test]
    fn cuts_never_split_a_wide_character() {
        assert_eq!(cut("中文字", 5), "中文");
        assert_eq!(cut("a👩\u{200d}🔬b", 2), "a");
        assert_eq!(fit("中文字", 5), "中文…");
        assert_eq!(fit("中文字", 4), "中… ");
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(fit("ab", 0), "");
        assert_eq!(shorten("中文字", 4), "中…");
        assert_eq!(shorten("ab", 4), "ab");
    }

    #[test]
    fn lines_break_at_blanks_or_between_wide_characters() {
        for (line, cells, rows) in [
            ("one two three", 8, vec!["one two", "three"]),
            ("上下文快满了", 5, vec!["上下", "文快", "满了"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("", 5, vec![""]),
            ("ab cd", 5, vec!["ab cd"]),
            ("用 make 编译", 8, vec!["用 make", "编译"]),
        ] {
            assert_eq!(wrap(line, cells), rows, "{line:?} in {cells}");
        }
    }

    proptest! {
        #[test]
        fn rows_fit_and_nothing_but_blanks_is_lost(line in "[a-d 中文，👩é]{0,60}", cells in 2usize..20) {
            let rows = wrap(&line, cells);
            for row in &rows {
                prop_assert!(width(row) <= cells, "{row:?} in {cells}");
            }
            let kept: String = rows.concat().replace(' ', "");
            prop_assert_eq!(kept, line.replace(' ', ""));
            let ranges: Vec<&str> = wrap_ranges(&line, cells).map(|(start, end)| &line[start..end]).collect();
            prop_assert_eq!(ranges, rows);
        }
    }
}
