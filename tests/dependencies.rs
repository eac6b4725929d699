//! What the dependency tree may hold: free licences, no git sources, one crossterm.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::process::Command;

use serde_json::Value;

/// Licences that may be linked into an MIT program; an expression needs one branch made of these.
const FREE: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    "WTFPL",
    "CDLA-Permissive-2.0",
    "MPL-2.0",
];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether an SPDX expression can be met with free licences only.
fn is_free(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    any_of(&expression)
}

fn any_of(expression: &str) -> bool {
    split_top(expression, " OR ").iter().any(|part| {
        split_top(part, " AND ")
            .iter()
            .all(|term| is_free_term(term))
    })
}

fn is_free_term(term: &str) -> bool {
    let term = term.trim();
    if let Some(inner) = term.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return any_of(inner);
    }
    let licence = term.split(" WITH ").next().unwrap_or_default().trim();
    FREE.contains(&licence)
}

/// Splits at a word that is in no parentheses.
fn split_top<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut at) = (0usize, 0usize, 0usize);
    while at < text.len() {
        let rest = &text[at..];
        match rest.as_bytes()[0] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && rest.starts_with(word) {
            parts.push(&text[start..at]);
            at += word.len();
            start = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.push(&text[start..]);
    parts
}

#[test]
fn licences_are_free() {
    let bad: Vec<String> = packages()
        .iter()
        .filter(|p| !p["license"].as_str().is_some_and(is_free))
        .map(|p| format!("{} {}: {}", p["name"], p["version"], p["license"]))
        .collect();
    assert!(
        bad.is_empty(),
        "look at these licences:\n{}",
        bad.join("\n")
    );
}

#[test]
fn expressions_are_judged_as_a_whole() {
    for (expression, free) in [
        ("MIT", true),
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0-only", false),
        ("GPL-3.0-only OR MIT", true),
        ("MIT AND GPL-3.0-only", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-2.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
        ("", false),
    ] {
        assert_eq!(is_free(expression), free, "{expression}");
    }
}

#[test]
fn everything_comes_from_the_registry_and_crossterm_is_there_once() {
    let packages = packages();
    for package in &packages {
        let source = package["source"].as_str();
        assert!(
            package["name"] == "flower" || source.is_some_and(|s| s.starts_with("registry+")),
            "{} comes from {source:?}",
            package["name"]
        );
    }
    let crossterms = packages.iter().filter(|p| p["name"] == "crossterm").count();
    assert_eq!(crossterms, 1);
}
