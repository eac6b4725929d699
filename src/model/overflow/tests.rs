use super::*;

#[derive(serde::Deserialize)]
struct Line {
    text: String,
    overflow: bool,
    limit: Option<u64>,
    used: Option<u64>,
}

fn finding(text: &str) -> Finding {
    examine(&[text], &[])
}

#[test]
fn corpus() {
    let lines: Vec<Line> = include_str!("../../../tests/data/overflow-corpus.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 121);
    let mut wrong = Vec::new();
    for line in lines {
        let expected = Finding {
            overflow: line.overflow,
            limit: line.limit,
            used: line.used,
        };
        let got = finding(&line.text);
        if got != expected {
            wrong.push(format!(
                "{}\n  expected {expected:?}\n  got      {got:?}",
                line.text
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn wordings_beyond_the_corpus() {
    let mut wrong = Vec::new();
    for (text, overflow, limit, used) in rows::OVERFLOWS.iter().chain(rows::LOOKALIKES).copied() {
        let expected = Finding {
            overflow,
            limit,
            used,
        };
        let got = finding(text);
        if got != expected {
            wrong.push(format!(
                "{text}\n  expected {expected:?}\n  got      {got:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn several_texts_are_one_attempt() {
    let texts = [
        "429 Too Many Requests: 30000 tokens per minute",
        "context_length_exceeded",
        "prompt is too long: 202128 tokens > 200000 maximum",
    ];
    let expected = Finding {
        overflow: true,
        limit: Some(200_000),
        used: Some(202_128),
    };
    assert_eq!(examine(&texts, &[]), expected);
    assert!(is_overflow(&texts));
    assert_eq!(examine(&texts[..1], &[]), Finding::default());
    assert!(!is_overflow::<&str>(&[]));
}

#[test]
fn only_plausible_windows_are_learned() {
    for (limit, overflow, learned) in [
        (999, true, None),
        (1_000, true, Some(1_000)),
        (10_000_000, true, Some(10_000_000)),
        (10_000_001, true, None),
        (200_000, false, None),
    ] {
        let finding = Finding {
            overflow,
            limit: Some(limit),
            used: None,
        };
        assert_eq!(finding.learnable(), learned, "{limit}");
    }
}

#[test]
fn user_patterns_come_first_and_name_their_numbers() {
    let pattern = [Regex::new(r"E77 (?P<used>[\d,]+)/(?P<limit>\w+)").unwrap()];
    assert_eq!(
        examine(&["429 rate limit E77 9,000/8k"], &pattern),
        Finding {
            overflow: true,
            limit: Some(8_000),
            used: Some(9_000)
        }
    );
}

#[test]
fn long_texts_are_read_at_their_ends() {
    let noise = "输入 \\u8d85 exceed context 12345 > ".repeat(40_000);
    for text in [
        format!("prompt is too long: 202128 tokens > 200000 maximum {noise}"),
        format!("{noise} prompt is too long: 202128 tokens"),
        "\\".repeat(1 << 20),
        "[".repeat(1 << 20),
        "9".repeat(1 << 20),
        "max ".repeat(1 << 18),
    ] {
        // It ends, and the size of the noise does not matter.
        examine(&[text], &[]);
    }
    let padding = "x ".repeat(100_000);
    assert_eq!(
        finding(&format!(
            "{padding} prompt is too long: 202128 tokens > 200000 maximum"
        )),
        Finding {
            overflow: true,
            limit: Some(200_000),
            used: Some(202_128)
        }
    );
}

#[test]
fn numbers_are_read_as_written() {
    for (text, expected) in [
        ("131072", Some(131_072)),
        ("131,072", Some(131_072)),
        ("200k", Some(200_000)),
        ("1.5m", Some(1_500_000)),
        ("12.8万", Some(128_000)),
        ("0", None),
        ("", None),
        ("99999999999999999999", None),
        ("9999999999999999k", Some(9_999_999_999_999_999_000)),
        ("99999999999999999m", None),
    ] {
        assert_eq!(numbers::value(text), expected, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in r#"([\\uxn"'0-9a-f上下文过长 >+_,-]|context|exceed|tokens|max|\PC){0,60}"#) {
        let finding = finding(&text);
        proptest::prop_assert!(finding.overflow || finding == Finding::default());
    }
}
