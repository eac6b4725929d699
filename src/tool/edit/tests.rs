use super::*;

/// Text, `old`, `new`, `all`, the new text, the lines.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    bool,
    &'static str,
    &'static [u64],
);

#[test]
fn edits_keep_the_rest_and_the_line_ends() {
    let rows: &[Row] = &[
        ("a b c", "b", "x", false, "a x c", &[1]),
        (
            "a\r\nb\r\nc\r\n",
            "b\nc",
            "x\ny\nz",
            false,
            "a\r\nx\r\ny\r\nz\r\n",
            &[2],
        ),
        (
            "a\r\nb\r\nc\r\n",
            "b\r\n",
            "x\r\n",
            false,
            "a\r\nx\r\nc\r\n",
            &[2],
        ),
        (
            "a\r\nb\r\nc\r\n",
            "c",
            "c\nd",
            false,
            "a\r\nb\r\nc\r\nd\r\n",
            &[3],
        ),
        // Mixed ends: only the place itself changes; new lines go with the majority.
        (
            "a\nb\r\nc\nd\n",
            "b\nc",
            "x\ny",
            false,
            "a\nx\ny\nd\n",
            &[2],
        ),
        ("a\rb\n", "a\rb", "c", false, "c\n", &[1]),
        ("\u{FEFF}头\n尾", "头", "首", false, "\u{FEFF}首\n尾", &[1]),
        (
            "x1\nx2\n中x3",
            "x",
            "yy",
            true,
            "yy1\nyy2\n中yy3",
            &[1, 2, 3],
        ),
        ("x\r\nx\r\n", "x\n", "y\n", true, "y\r\ny\r\n", &[1, 2]),
        ("aaa", "aa", "b", true, "ba", &[1]),
        ("keep\nend", "end", "", false, "keep\n", &[2]),
        ("👩‍🔬 e\u{301}", "e\u{301}", "é", false, "👩‍🔬 é", &[1]),
    ];
    for (text, old, new, all, want, lines) in rows {
        assert_eq!(
            replaced(text, old, new, *all),
            Ok(Edited {
                text: (*want).to_owned(),
                lines: lines.to_vec()
            }),
            "{text:?} {old:?}"
        );
    }
}

#[test]
fn unclear_edits_say_why() {
    let rows: &[(&str, &str, &str, bool, &str)] = &[
        (
            "a",
            "",
            "x",
            false,
            "`old` is empty; use write for a whole file",
        ),
        ("a", "a", "a", false, "`old` and `new` are the same"),
        (
            "a\r\n",
            "a\r\n",
            "a\n",
            false,
            "`old` and `new` are the same",
        ),
        (
            "x\nx\nx",
            "x",
            "y",
            false,
            "`old` occurs 3 times (line 1, line 2, line 3); add lines around it until it is unique, or set `all`",
        ),
        (
            "aaa",
            "aa",
            "b",
            false,
            "`old` occurs 2 times (line 1); add lines around it until it is unique, or set `all`",
        ),
        (
            "abc",
            "z",
            "y",
            true,
            "`old` does not occur; read the file and copy the text exactly",
        ),
        (
            "fn a() {\n\t中文();\n}",
            "  中文();\n",
            "x",
            false,
            "`old` does not occur; its first line is like line 2, so spaces or later lines differ: read the file from there and copy exactly",
        ),
    ];
    for (text, old, new, all, want) in rows {
        assert_eq!(
            replaced(text, old, new, *all),
            Err((*want).to_owned()),
            "{text:?}"
        );
    }
}
