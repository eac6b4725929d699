//! Markdown goes in, lines with simple looks come out; which colour a look has is the view's matter.
//! It takes its time and so runs as an effect; the result is kept in the state.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::sanitize::sanitize;

/// Bytes up to which a text is highlighted; longer ones stay plain, as the grammar reads some
/// hundred kilobytes a second.
pub const MAX_BYTES: usize = 256 * 1024;
/// Bytes of a line up to which it is highlighted: the grammar may look at a line many times.
const MAX_LINE_BYTES: usize = 4 * 1024;
/// Blanks for a tab.
const TAB: &str = "    ";

/// What a piece of text is in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Ordinary text.
    Plain,
    /// A heading.
    Heading,
    /// Strong words.
    Strong,
    /// Stressed words.
    Stressed,
    /// Code.
    Code,
    /// The mark of a list's item.
    Bullet,
    /// A quotation.
    Quote,
    /// A link's target.
    Link,
    /// A comment, such as a document's last line.
    Comment,
}

/// One line of text and its looks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The text, safe to draw.
    pub text: String,
    /// Where each look ends, in bytes, rising; the last one ends with the text.
    pub looks: Vec<(usize, Look)>,
}

impl Line {
    /// A line of one look.
    pub fn new(text: String, look: Look) -> Self {
        let looks = match text.len() {
            0 => Vec::new(),
            end => vec![(end, look)],
        };
        Self { text, looks }
    }

    /// The pieces of one look each within a range of bytes that lies on their borders or in them.
    pub fn pieces(&self, start: usize, end: usize) -> impl Iterator<Item = (&str, Look)> {
        let mut from = start;
        self.looks.iter().filter_map(move |(to, look)| {
            let to = (*to).min(end);
            let piece = self.text.get(from..to).filter(|piece| !piece.is_empty())?;
            from = to;
            Some((piece, *look))
        })
    }
}

/// Looks by what the grammar calls them; the first that fits the innermost scope counts.
const LOOKS: [(&str, Look); 11] = [
    ("comment", Look::Comment),
    ("markup.heading", Look::Heading),
    ("entity.name.section", Look::Heading),
    ("punctuation.definition.heading", Look::Heading),
    ("markup.bold", Look::Strong),
    ("markup.italic", Look::Stressed),
    ("markup.raw", Look::Code),
    ("punctuation.definition.list_item", Look::Bullet),
    ("markup.list.numbered.bullet", Look::Bullet),
    ("markup.underline.link", Look::Link),
    ("markup.quote", Look::Quote),
];

struct Grammar {
    set: SyntaxSet,
    looks: Vec<(Scope, Look)>,
}

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar {
    set: SyntaxSet::load_defaults_newlines(),
    looks: LOOKS
        .iter()
        .filter_map(|(name, look)| Some((Scope::new(name).ok()?, *look)))
        .collect(),
});

impl Grammar {
    fn markdown(&self) -> Option<&SyntaxReference> {
        self.set.find_syntax_by_extension("md")
    }

    fn look(&self, stack: &ScopeStack) -> Look {
        let innermost = stack.as_slice().iter().rev();
        let mut found = innermost.filter_map(|scope| {
            let known = self.looks.iter();
            known
                .filter(|(prefix, _)| prefix.is_prefix_of(*scope))
                .map(|(_, look)| *look)
                .next()
        });
        found.next().unwrap_or(Look::Plain)
    }
}

/// Turns Markdown into lines with looks. Never fails: what cannot be read as Markdown is plain.
pub fn markdown(text: &str) -> Vec<Line> {
    let safe = sanitize(text).replace('\t', TAB);
    let plain = |line: &str| Line::new(line.to_owned(), Look::Plain);
    if safe.len() > MAX_BYTES {
        return safe.lines().map(plain).collect();
    }
    let grammar = &*GRAMMAR;
    let Some(syntax) = grammar.markdown() else {
        return safe.lines().map(plain).collect();
    };
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    safe.lines()
        .map(|line| {
            if line.len() > MAX_LINE_BYTES {
                return plain(line);
            }
            parsed(grammar, &mut state, &mut stack, line).unwrap_or_else(|| plain(line))
        })
        .collect()
}

fn parsed(
    grammar: &Grammar,
    state: &mut ParseState,
    stack: &mut ScopeStack,
    line: &str,
) -> Option<Line> {
    let ops = state.parse_line(&format!("{line}\n"), &grammar.set).ok()?;
    let mut looks: Vec<(usize, Look)> = Vec::new();
    let mut until = |end: usize, look: Look| {
        let end = end.min(line.len());
        let from = looks.last().map_or(0, |(end, _)| *end);
        match looks.last_mut() {
            _ if end <= from => {}
            Some(last) if last.1 == look => last.0 = end,
            Some(_) | None => looks.push((end, look)),
        }
    };
    for (at, op) in ops {
        until(at, grammar.look(stack));
        stack.apply(&op).ok()?;
    }
    until(line.len(), grammar.look(stack));
    Some(Line {
        text: line.to_owned(),
        looks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<Vec<(String, Look)>> {
        let lines = markdown(text);
        lines
            .iter()
            .map(|line| {
                let pieces = line.pieces(0, line.text.len());
                pieces.map(|(text, look)| (text.to_owned(), look)).collect()
            })
            .collect()
    }

    #[test]
    fn a_document_has_its_looks() {
        let piece = |text: &str, look| (text.to_owned(), look);
        assert_eq!(
            shown("## 走不通的路\n\n- `-D_X`：**不行**，见 *日志*\n正文\n\n<!-- flower: {} -->\n"),
            vec![
                vec![piece("## 走不通的路", Look::Heading)],
                vec![],
                vec![
                    piece("-", Look::Bullet),
                    piece(" ", Look::Plain),
                    piece("`-D_X`", Look::Code),
                    piece("：", Look::Plain),
                    piece("**不行**", Look::Strong),
                    piece("，见 ", Look::Plain),
                    piece("*日志*", Look::Stressed),
                ],
                vec![piece("正文", Look::Plain)],
                vec![],
                vec![piece("<!-- flower: {} -->", Look::Comment)],
            ]
        );
    }

    #[test]
    fn a_huge_text_or_line_is_plain_and_whole() {
        let huge = "## x\n".repeat(MAX_BYTES / 5 + 1);
        let lines = markdown(&huge);
        assert_eq!(lines.len(), huge.lines().count());
        assert_eq!(lines[0], Line::new("## x".to_owned(), Look::Plain));
        let long = format!("# {}\n# a\n", "*".repeat(MAX_LINE_BYTES));
        let lines = markdown(&long);
        assert_eq!(lines[0].looks, vec![(MAX_LINE_BYTES + 2, Look::Plain)]);
        assert_eq!(lines[1], Line::new("# a".to_owned(), Look::Heading));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_is_lost(text in "[-#*_`>a 中é👩\n\t\u{1b}<!\\[\\]()]{0,80}") {
            let lines = markdown(&text);
            let safe = sanitize(&text).replace('\t', TAB);
            prop_assert_eq!(lines.len(), safe.lines().count());
            for (line, expected) in lines.iter().zip(safe.lines()) {
                prop_assert_eq!(&line.text, expected);
                let pieces: String = line.pieces(0, line.text.len()).map(|(text, _)| text).collect();
                prop_assert_eq!(&pieces, expected);
            }
        }
    }
}
