//! Makes hostile text safe to print: control characters become visible marks, so no escape sequence
//! of a model, a tool, a file name or a server ever reaches the terminal.

use std::borrow::Cow;

/// Replaces everything a terminal would obey by a visible mark; keeps line feeds and tabs.
///
/// Works on decoded characters, so no letter is ever damaged. Carriage returns before a line feed
/// are dropped, alone they are shown. Linear in the text.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            c if !is_dangerous(c) => safe.push(c),
            '\u{7f}' => safe.push_str("^?"),
            c if u32::from(c) < 0x20 => {
                safe.push('^');
                safe.push(char::from_u32(u32::from(c) + 0x40).unwrap_or('?'));
            }
            c => safe.push_str(&format!("<{:02x}>", u32::from(c))),
        }
    }
    Cow::Owned(safe)
}

/// Like [`sanitize`], for text that must stay on one line.
pub fn sanitize_line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}

fn is_dangerous(c: char) -> bool {
    let control = c.is_control() && c != '\n' && c != '\t';
    // Marks that change the direction of what follows can make one command look like another.
    let direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Line separators move the cursor in some terminals.
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    control || direction || separator
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let rows = [
            ("plain 中文 é\n\tnext", "plain 中文 é\n\tnext"),
            ("\u{1b}]52;c;QQ==\u{7}", "^[]52;c;QQ==^G"),
            ("\u{1b}]0;x\u{7}", "^[]0;x^G"),
            ("\u{1b}[2J\u{1b}[10A\u{1b}[6n", "^[[2J^[[10A^[[6n"),
            ("\u{1b}[?1049l", "^[[?1049l"),
            ("end \u{1b}]", "end ^[]"),
            ("50%\r100%", "50%^M100%"),
            ("dos\r\nline", "dos\nline"),
            ("中\u{9b}31m", "中<9b>31m"),
            ("\u{7f}\u{0}", "^?^@"),
            ("a\u{202e}b\u{2028}", "a<202e>b<2028>"),
            ("👩\u{200d}🔬", "👩\u{200d}🔬"),
        ];
        for (text, expected) in rows {
            assert_eq!(sanitize(text), expected, "{text:?}");
        }
        assert_eq!(sanitize_line("a\nb\tc"), "a b c");
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_is_left(text in "\\PC*|[\\x00-\\x9f]{0,40}") {
            let safe = sanitize(&text).into_owned();
            prop_assert!(safe.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
            let again = sanitize(&safe).into_owned();
            prop_assert_eq!(again, safe);
        }
    }
}
