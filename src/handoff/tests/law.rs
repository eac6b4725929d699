//! What holds for every document: the round trip, no panic, no more time than its length.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Lines that mean something somewhere, and some that almost do.
fn nasty_line() -> impl Strategy<Value = String> {
    let lines = prop::sample::select(vec![
        "",
        " ",
        "a",
        "  a  ",
        "## 下一步",
        "# 现场",
        "### 决策",
        "##下一步：a",
        "**文件**",
        "**Next**：b",
        "1. 进度",
        "文件：x",
        "Next: y",
        "   ## Doing",
        "    ## Doing",
        "```",
        "```sh",
        "   ```",
        "     ```",
        "````",
        "~~~",
        "~~~~ x",
        "- ```",
        "1. - ~~~",
        "```a`",
        "\t```",
        "(空)",
        "（空）",
        "(none)",
        "<!-- flower: {\"step\":\"x\"} -->",
        "<!-- flower -->",
        "  <!-- flower: x -->  ",
        "# 交接书(x)",
        "# Handoff(y)",
        "\\",
        "\\a",
        "\u{feff}",
        "x\r",
        "\r",
        "a\rb",
        "🔧 下一步：",
        "＃＃ 现场",
        "\u{3000}## 现场",
        "\u{3000}```",
        "* * ```",
        "> ## 下一步",
        "> 这份文档可以改。接班的会话读的就是这个文件，换代那一刻从盘上重新读。",
    ]);
    (0usize..3, lines, any::<bool>()).prop_map(|(slashes, line, inside)| {
        if inside {
            format!("{}{line}", "\\".repeat(slashes))
        } else {
            let text = line.trim_start();
            let indent = &line[..line.len() - text.len()];
            format!("{indent}{}{text}", "\\".repeat(slashes))
        }
    })
}

fn nasty_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(nasty_line(), 0..9).prop_map(|lines| lines.join("\n")),
        any::<String>(),
    ]
}

fn any_handoff() -> impl Strategy<Value = Handoff> {
    (
        prop::array::uniform6(nasty_text()),
        any::<bool>(),
        (any::<String>(), any::<u32>(), any::<String>()),
        (any::<u64>(), any::<u64>(), any::<bool>()),
    )
        .prop_map(
            |(texts, english, (step, generation, session), (context, window, degraded))| {
                let [doing, decided, deadends, next, scene, preamble] = texts;
                Handoff {
                    doing,
                    decided,
                    deadends,
                    next,
                    scene,
                    preamble,
                    lang: if english {
                        DocumentLang::En
                    } else {
                        DocumentLang::Zh
                    },
                    stamp: Stamp {
                        step,
                        generation,
                        session,
                        context,
                        window,
                        written: stamp().written,
                        degraded,
                    },
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_what_was_printed_gives_the_document(handoff in any_handoff()) {
        let printed = handoff.to_markdown();
        let normal = handoff.normalized();
        prop_assert_eq!(Handoff::parse(&printed), normal.clone(), "{}", printed);
        prop_assert_eq!(normal.normalized(), normal.clone());
        prop_assert_eq!(normal.to_markdown(), printed);
    }

    #[test]
    fn printing_what_was_parsed_is_stable_and_loses_nothing(text in nasty_text()) {
        let parsed = Handoff::parse(&text);
        prop_assert_eq!(parsed.normalized(), parsed.clone());
        let printed = parsed.to_markdown();
        prop_assert_eq!(Handoff::parse(&printed), parsed);
        // Every line that is no markup of ours is still there.
        for line in text.lines().filter(|line| line.contains(['a', 'b', 'x', 'y'])) {
            let word = line.trim_matches(|letter: char| !letter.is_ascii_lowercase());
            if !line.contains("flower") && !line.contains("交接书") && !line.contains("Handoff") && word.len() == 1 {
                prop_assert!(printed.contains(word), "{:?} in {}", line, printed);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_parsed(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let parsed = Handoff::parse(&bytes);
        prop_assert_eq!(Handoff::parse(parsed.to_markdown()), parsed);
    }

    #[test]
    fn every_cut_of_a_document_can_be_parsed(handoff in any_handoff(), at in any::<prop::sample::Index>()) {
        let printed = handoff.to_markdown().into_bytes();
        let parsed = Handoff::parse(&printed[..at.index(printed.len())]);
        prop_assert_eq!(Handoff::parse(parsed.to_markdown()), parsed);
    }
}

#[test]
fn a_megabyte_of_anything_takes_no_longer_than_its_length() {
    const SIZE: usize = 1_000_000;
    let fences: String = (3..4_000)
        .rev()
        .map(|length| "`".repeat(length) + " x\n")
        .collect();
    let filled = |line: &str| line.repeat(SIZE / line.len());
    for (name, text) in [
        ("hashes", filled("#\n")),
        ("hash words", filled("# word\n")),
        ("one line", filled("x")),
        ("one line of hashes", filled("#")),
        ("one bold line", filled("**")),
        ("one emoji line", filled("🚀")),
        ("one line of backslashes", filled("\\")),
        ("one line of spaces", filled(" ")),
        ("one line of list markers", filled("- ")),
        ("blank lines", filled("\n")),
        ("returns", filled("\r")),
        ("headings", filled("## 下一步\na\n")),
        ("chinese", filled("文\n")),
        ("stamps", filled("<!-- flower: {} -->\n")),
        ("open fences", filled("```x\n")),
        ("fence pairs", filled("```\n")),
        ("shrinking fences", fences.clone() + &filled("~~~\n")),
        (
            "shrinking fences, short ends",
            fences + &filled("x ```\n```\n"),
        ),
    ] {
        let start = Instant::now();
        let parsed = Handoff::parse(&text);
        let printed = parsed.to_markdown();
        let all = start.elapsed();
        // An unoptimised build needs one to two seconds at worst, quadratic time hours.
        assert!(all < Duration::from_secs(20), "{name}: {all:?}");
        assert_eq!(Handoff::parse(printed), parsed, "{name}");
    }
}
