//! The table of documents: how models and people really write them, and the traps.

use super::*;

type Row<'a> = (&'a str, &'a [(&'a str, &'a str)]);

fn check(rows: &[Row<'_>]) {
    for (text, fields) in rows {
        assert_eq!(Handoff::parse(text), handoff(fields), "{text:?}");
    }
}

#[test]
fn every_form_of_heading() {
    check(&[
        ("## 下一步\na", &[("next", "a")]),
        ("# 下一步\na", &[("next", "a")]),
        ("###### 下一步\na", &[("next", "a")]),
        ("####### 下一步\na", &[("preamble", "####### 下一步\na")]),
        ("##下一步\na", &[("next", "a")]),
        ("##\t下一步\t\na", &[("next", "a")]),
        ("＃＃ 下一步\na", &[("next", "a")]),
        ("＃# 下一步\n### 现场\na", &[("next", "### 现场\na")]),
        ("## 下一步 ##\na", &[("next", "a")]),
        ("   ## 下一步\na", &[("next", "a")]),
        ("    ## 下一步\na", &[("preamble", "    ## 下一步\na")]),
        ("\t## 下一步\na", &[("preamble", "\t## 下一步\na")]),
        ("**下一步**\na", &[("next", "a")]),
        ("__下一步__\na", &[("next", "a")]),
        ("***下一步***\na", &[("next", "a")]),
        ("**下一步**：\na", &[("next", "a")]),
        ("**下一步：**\na", &[("next", "a")]),
        ("**下一步：** a", &[("next", "a")]),
        ("**下一步**: a", &[("next", "a")]),
        ("**下一步：a**", &[("next", "a")]),
        ("**下一步：a** b", &[("next", "**a** b")]),
        ("**下一步：a** b **c**", &[("next", "**a** b **c**")]),
        ("**下一步：a", &[("next", "a")]),
        ("下一步：**a** b", &[("next", "**a** b")]),
        ("1. 下一步\na", &[("next", "a")]),
        ("2、下一步\na", &[("next", "a")]),
        ("3) 下一步\na", &[("next", "a")]),
        ("3） 下一步\na", &[("next", "a")]),
        ("(4) 下一步\na", &[("next", "a")]),
        ("（四）下一步\na", &[("next", "a")]),
        ("一、下一步\na", &[("next", "a")]),
        ("十二、下一步\na", &[("next", "a")]),
        ("４．下一步\na", &[("next", "a")]),
        ("4.下一步：a", &[("next", "a")]),
        ("下一步：a", &[("next", "a")]),
        ("下一步:a", &[("next", "a")]),
        ("下一步 ：\na", &[("next", "a")]),
        ("下一步：   a  \n  b  ", &[("next", "a  \n  b  ")]),
        ("## 2. **下一步**：\na", &[("next", "a")]),
        ("## **2. 下一步**\na", &[("next", "a")]),
        ("**2.** 下一步\na", &[("next", "a")]),
        ("2. **下一步**\na", &[("next", "a")]),
        ("## 下一步：a\nb", &[("next", "a\nb")]),
        ("## 📌 下一步\na", &[("next", "a")]),
        ("## 下一步 🚀✅\na", &[("next", "a")]),
        ("## 4️⃣ 下一步\na", &[("next", "a")]),
        ("## ⚠️下一步⚠️：a", &[("next", "a")]),
        ("**👩‍🔬 下一步**\na", &[("next", "a")]),
        ("🔧 下一步：a", &[("next", "a")]),
        ("## ：下一步：\na", &[("next", "a")]),
    ]);
}

#[test]
fn every_name() {
    for (names, section) in [
        (
            "现在在做什么|现在在做|当前进度|进度|Doing|DOING",
            Section::Doing,
        ),
        (
            "已经定下的|已定的事|决策|Decided|Decisions|decisions",
            Section::Decided,
        ),
        (
            "走不通的路|试过不行的|排除的路|Dead ends|dead  Ends|Deadends|What didn't work|WHAT DIDN’T WORK",
            Section::Deadends,
        ),
        (
            "下一步|Next|next step|Next Steps|Next step(s)|Next step（s）",
            Section::Next,
        ),
        ("现场|文件|Scene|Files|FILES", Section::Scene),
    ] {
        for name in names.split('|') {
            let mut expected = handoff(&[]);
            *expected.section_mut(section) = "a".to_owned();
            if name.is_ascii() || name.starts_with(|letter: char| letter.is_ascii()) {
                expected.lang = DocumentLang::En;
            }
            assert_eq!(Handoff::parse(format!("## {name}\na")), expected, "{name}");
            assert_eq!(Handoff::parse(format!("{name}: a")), expected, "{name}");
        }
    }
    for (name, _, _) in section::NAMES {
        let first = name.chars().next().unwrap();
        let known = if first.is_ascii() {
            "dnsfw"
        } else {
            heading::FIRST_LETTERS
        };
        assert!(known.contains(first), "{name}");
    }
}

#[test]
fn what_only_looks_like_a_heading_is_body() {
    for line in [
        "文件都在 src 下",
        "进度看板更新",
        "下一步",
        "  下一步",
        "下一步要做的：a",
        "## 下一步计划",
        "## 下一步（必填）",
        "## 下一步，a",
        "## 我的下一步",
        "### 现场勘查",
        "### 现场",
        "### 1. **文件**：a",
        "#### 下一步",
        "**下一步** a",
        "**下一步",
        "下一步**",
        "**下一步__",
        "- 下一步：a",
        "* 下一步：a",
        "* **下一步**",
        "> ## 下一步",
        "| 下一步 | a |",
        "1234. 下一步",
        "1.2 下一步",
        "1. 2. 下一步",
        "A. 下一步",
        "🔧 下一步",
        "【下一步】",
        "Nextcloud: a",
        "## Next to nothing",
        "next, do a",
        "the next: a",
        "`## 下一步`",
        "#",
        "##",
        "## ##",
        "**",
        "****",
        ":",
        "1.",
        "<!-- flower is a plant",
        "<!-- note: a -->",
    ] {
        assert_eq!(
            Handoff::parse(format!("## 已经定下的\na\n{line}\nb")),
            handoff(&[("decided", &format!("a\n{line}\nb"))]),
            "{line}"
        );
    }
}

#[test]
fn levels_order_and_repetition() {
    check(&[
        ("", &[]),
        ("\n \n", &[]),
        ("只是闲话", &[("preamble", "只是闲话")]),
        (
            "## 下一步\na\n### 现场\nb\n## 现场\nc",
            &[("next", "a\n### 现场\nb"), ("scene", "c")],
        ),
        (
            "### 下一步\na\n### 现场\nc",
            &[("next", "a"), ("scene", "c")],
        ),
        (
            "### 下一步\na\n## 现场\nc\n### 决策\nd",
            &[("next", "a"), ("scene", "c"), ("decided", "d")],
        ),
        ("# 下一步\na\n## 现场\nc", &[("next", "a\n## 现场\nc")]),
        (
            "# 说明\n## 下一步\na\n## 现场\nc",
            &[("preamble", "# 说明"), ("next", "a"), ("scene", "c")],
        ),
        (
            "**下一步**\na\n### 现场\nb\n## 决策\nc",
            &[("next", "a"), ("scene", "b"), ("decided", "c")],
        ),
        (
            "## 下一步\na\n**现场**\nb\n3. 决策\nc\n进度：d",
            &[
                ("next", "a"),
                ("scene", "b"),
                ("decided", "c"),
                ("doing", "d"),
            ],
        ),
        (
            "## 现场\ns\n## 下一步\nn\n## 现在在做什么\nd",
            &[("doing", "d"), ("next", "n"), ("scene", "s")],
        ),
        (
            "## Next\na\n## 现场\nb",
            &[("en", ""), ("next", "a"), ("scene", "b")],
        ),
        ("## 现场\na\n## Next\nb", &[("scene", "a"), ("next", "b")]),
        ("## 下一步\n\n(空)\n## 下一步\na", &[("next", "a")]),
        (
            "## 下一步\na\n## 下一步\nb",
            &[("next", "a"), ("preamble", "## 下一步\n\nb")],
        ),
        (
            "闲话\n## 下一步\na\n## 现场\nc\n下一步：\n\nb\n",
            &[
                ("next", "a"),
                ("scene", "c"),
                ("preamble", "闲话\n\n## 下一步\n\nb"),
            ],
        ),
        ("## 下一步\na\n## 其他\nb", &[("next", "a\n## 其他\nb")]),
    ]);
}

#[test]
fn what_is_empty_and_what_is_kept() {
    check(&[
        ("## 下一步\n(空)\n", &[]),
        ("## 下一步\n\n  （空）  \n\n", &[]),
        ("## 下一步\n(empty)", &[]),
        ("## 下一步\n(Empty)", &[]),
        ("## 下一步\n(暂无)", &[]),
        ("## 下一步：（暂无）", &[]),
        ("## 下一步\n(none)\n## 现场\nNone", &[("scene", "None")]),
        ("## 下一步\n(空)\na", &[("next", "(空)\na")]),
        ("## 下一步\n- (空)", &[("next", "- (空)")]),
        ("## 下一步\n(没有)", &[("next", "(没有)")]),
        (
            "## 下一步\n \n\n    a\n\n\n  b  \n\t\n",
            &[("next", "    a\n\n\n  b  ")],
        ),
        ("\u{feff}## 下一步\r\na\r\n\r\nb\r\n", &[("next", "a\n\nb")]),
        ("## 下一步\r\r\na\rb\r", &[("next", "a\rb")]),
        ("## 下一步\n\u{feff}a\u{0}", &[("next", "\u{feff}a\u{0}")]),
        (
            "  闲话\n\n## 下一步\na",
            &[("preamble", "  闲话"), ("next", "a")],
        ),
        (
            "# 交接书(干活)\n\n## 下一步\na",
            &[("step", "干活"), ("next", "a")],
        ),
        (
            "# 交接书（a(b)）\n说明\n## 下一步\na",
            &[("step", "a(b)"), ("preamble", "说明"), ("next", "a")],
        ),
        ("# 交接书\n## 下一步\na", &[("next", "a")]),
        (
            "# Handoff(x)\n## Next\na",
            &[("en", ""), ("step", "x"), ("next", "a")],
        ),
        (
            "# 交接书的写法\n## 下一步\na",
            &[("preamble", "# 交接书的写法"), ("next", "a")],
        ),
        (
            "闲话\n# 交接书(x)\n## 下一步\na",
            &[("preamble", "闲话\n# 交接书(x)"), ("next", "a")],
        ),
        (
            "## 下一步\n\\## 现场\n\\\\## 现场\n\\**x**",
            &[("next", "## 现场\n\\## 现场\n\\**x**")],
        ),
        ("## 下一步：文件：a", &[("next", "文件：a")]),
    ]);
    let lossy = Handoff::parse(b"## \xe4\xb8\x8b\xe4\xb8\x80\xe6\xad\xa5\na\xffb\xe4\n");
    assert_eq!(lossy, handoff(&[("next", "a\u{fffd}b\u{fffd}")]));
}

#[test]
fn code_blocks_hide_no_heading_and_make_none() {
    check(&[
        (
            "## 下一步\n```\n## 现场\n```\nb",
            &[("next", "```\n## 现场\n```\nb")],
        ),
        (
            "## 下一步\n~~~ sh\n# 现场\n~~~\n## 现场\nb",
            &[("next", "~~~ sh\n# 现场\n~~~"), ("scene", "b")],
        ),
        (
            "## 下一步\n```\n~~~\n## 现场\n```\n## 现场\nb",
            &[("next", "```\n~~~\n## 现场\n```"), ("scene", "b")],
        ),
        (
            "## 下一步\n````\n```\n## 现场\n````\n## 现场\nb",
            &[("next", "````\n```\n## 现场\n````"), ("scene", "b")],
        ),
        (
            "## 下一步\n```\n``` no end\n## 现场\n```\n## 现场\nb",
            &[("next", "```\n``` no end\n## 现场\n```"), ("scene", "b")],
        ),
        (
            "## 下一步\n```a`b\n## 现场\nb",
            &[("next", "```a`b"), ("scene", "b")],
        ),
        (
            "## 下一步\n``\n## 现场\nb",
            &[("next", "``"), ("scene", "b")],
        ),
        (
            "## 下一步\n    ```\n## 现场\nb",
            &[("next", "    ```"), ("scene", "b")],
        ),
        (
            "## 下一步\n```py\n    ```\n## 现场\n```\n## 现场\nb",
            &[("next", "```py\n    ```\n## 现场\n```"), ("scene", "b")],
        ),
        (
            "## 下一步\n- ```sh\n  make\n  ```\n## 现场\nb",
            &[("next", "- ```sh\n  make\n  ```"), ("scene", "b")],
        ),
        (
            "## 下一步\n1. x\n   ```sh\n   make\n     ```\n## 现场\nb",
            &[
                ("next", "1. x\n   ```sh\n   make\n     ```"),
                ("scene", "b"),
            ],
        ),
        (
            "下一步：```sh\n# 现场\n```\n现场：b",
            &[("next", "```sh\n# 现场\n```"), ("scene", "b")],
        ),
        (
            "## 下一步\na\n```\n## 现场\nb",
            &[("next", "a\n```\n## 现场\nb")],
        ),
        (
            "## 下一步\n```\n<!-- flower: {} -->\n```\n<!-- flower: {} -->\nb",
            &[("next", "```\n<!-- flower: {} -->\n```\nb")],
        ),
        (
            "说明\n```\n## 下一步\n```\n## 下一步\na",
            &[("preamble", "说明\n```\n## 下一步\n```"), ("next", "a")],
        ),
        (
            "说明\n```\n## 下一步\na",
            &[("preamble", "说明\n```\n## 下一步\na")],
        ),
    ]);
}

#[test]
fn a_wrapped_reply_is_unwrapped() {
    check(&[
        ("```\n## 下一步\na\n```", &[("next", "a")]),
        ("\n```markdown\n## 下一步\na\n```\n\n", &[("next", "a")]),
        ("~~~md\n## 下一步\na\n~~~", &[("next", "a")]),
        (
            "```text\n# 交接书(x)\n## 下一步\na\n```",
            &[("step", "x"), ("next", "a")],
        ),
        (
            "```markdown\n## 进度\na\n```sh\n# 现场\n```\n## 下一步\nb\n```",
            &[("doing", "a\n```sh\n# 现场\n```"), ("next", "b")],
        ),
        (
            "````md\n## 下一步\n```\na\n```\n````",
            &[("next", "```\na\n```")],
        ),
        (
            "好的：\n```markdown\n## 进度\na\n## 下一步\nb\n```\n就这些。",
            &[
                ("doing", "a"),
                ("next", "b"),
                ("preamble", "好的：\n\n就这些。"),
            ],
        ),
        (
            "例子：\n```\n## 下一步\nb\n```",
            &[("preamble", "例子：\n```\n## 下一步\nb\n```")],
        ),
        (
            "例子：\n```sh\n## 进度\na\n## 下一步\nb\n```",
            &[("preamble", "例子：\n```sh\n## 进度\na\n## 下一步\nb\n```")],
        ),
        (
            "```\n## 下一步\nx\n```\n## 进度\na\n## 下一步\n```\nb\n```",
            &[
                ("preamble", "```\n## 下一步\nx\n```"),
                ("doing", "a"),
                ("next", "```\nb\n```"),
            ],
        ),
        (
            "```sh\na\n```\n## 下一步\nb\n```sh\nc\n```",
            &[("preamble", "```sh\na\n```"), ("next", "b\n```sh\nc\n```")],
        ),
        // cut before the end of the wrapper: everything in it is missing
        (
            "```markdown\n## 进度\na\n## 下一步\nb",
            &[("preamble", "```markdown\n## 进度\na\n## 下一步\nb")],
        ),
        ("```\n```", &[("preamble", "```\n```")]),
    ]);
}

#[test]
fn stamps_are_no_body() {
    let text = "## 下一步\na\n```\nb\n<!-- flower: {\"step\":\"s\",\"generation\":3} -->\n\n";
    let mut expected = handoff(&[("next", "a\n```\nb"), ("step", "s")]);
    expected.stamp.generation = 3;
    assert_eq!(Handoff::parse(text), expected);

    let text = "<!-- flower: {\"step\":\"s\"} -->\n## 下一步\na\n <!-- flower: {\"step\":\"t\"} -->\nb\n<!-- flower: no -->";
    assert_eq!(
        Handoff::parse(text),
        handoff(&[("next", "a\nb"), ("step", "t")])
    );

    let text = "# 交接书(title)\n## 下一步\na\n<!-- flower: {\"step\":\"s\"} -->";
    assert_eq!(
        Handoff::parse(text),
        handoff(&[("next", "a"), ("step", "s")])
    );
}
