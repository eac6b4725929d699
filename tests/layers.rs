//! Fails when a module refers to one that lies to its right in the picture of `lib.rs`.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each top-level module may name, in the order of the flow.
const ALLOWED: &[(&str, &[&str])] = &[
    ("cells", &[]),
    ("disk", &[]),
    ("secret", &[]),
    ("sanitize", &[]),
    ("tokens", &[]),
    ("config", &["disk", "secret", "tokens"]),
    ("texts", &["config"]),
    ("model", &["secret", "sanitize", "tokens"]),
    ("tool", &["config", "disk", "model", "tokens"]),
    (
        "agent",
        &["config", "disk", "model", "secret", "tokens", "tool"],
    ),
    ("handoff", &["disk", "tokens"]),
    ("generation", &["handoff", "model", "tokens"]),
    (
        "runtime",
        &[
            "agent",
            "config",
            "disk",
            "generation",
            "handoff",
            "model",
            "tokens",
            "tool",
        ],
    ),
    (
        "app",
        &[
            "cells",
            "config",
            "generation",
            "handoff",
            "model",
            "runtime",
            "sanitize",
            "texts",
            "tokens",
            "tool",
        ],
    ),
    (
        "view",
        &[
            "app",
            "cells",
            "config",
            "generation",
            "handoff",
            "model",
            "runtime",
            "sanitize",
            "texts",
            "tokens",
        ],
    ),
    ("terminal", &["sanitize"]),
    (
        "workbench",
        &[
            "app",
            "disk",
            "generation",
            "handoff",
            "model",
            "runtime",
            "terminal",
            "texts",
            "tool",
            "view",
        ],
    ),
    (
        "cli",
        &[
            "agent",
            "config",
            "disk",
            "generation",
            "handoff",
            "model",
            "runtime",
            "sanitize",
            "secret",
            "texts",
            "tokens",
            "tool",
            "view",
            "workbench",
        ],
    ),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The top-level modules a source text names after `crate::`, comments and strings aside.
fn named(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in source.lines() {
        let code = line.split("//").next().unwrap_or_default();
        for (at, _) in code.match_indices("crate::") {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
                continue;
            }
            let rest = &code[at + "crate::".len()..];
            if let Some(group) = rest.strip_prefix('{') {
                let group = group.split('}').next().unwrap_or_default();
                names.extend(group.split(',').map(first_word));
            } else {
                names.insert(first_word(rest));
            }
        }
    }
    names.remove("");
    names
}

fn first_word(text: &str) -> String {
    text.trim()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

fn module_of(path: &Path, src: &Path) -> String {
    let inner = path.strip_prefix(src).unwrap();
    let first = inner.components().next().unwrap().as_os_str();
    first.to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// Imports of `module` that `allowed` does not list.
fn against_the_flow(module: &str, source: &str, allowed: &BTreeMap<&str, &[&str]>) -> Vec<String> {
    let may = allowed[module];
    named(source)
        .into_iter()
        .filter(|name| allowed.contains_key(name.as_str()))
        .filter(|name| name != module && !may.contains(&name.as_str()))
        .collect()
}

#[test]
fn imports_follow_the_flow() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 30, "only {} files were found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let module = module_of(&file, &src);
        if module == "lib" || module == "main" {
            continue;
        }
        assert!(
            allowed.contains_key(module.as_str()),
            "{module} has no place in the picture"
        );
        let source = std::fs::read_to_string(&file).unwrap();
        for name in against_the_flow(&module, &source, &allowed) {
            wrong.push(format!("{} names crate::{name}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "against the flow:\n{}", wrong.join("\n"));
}

#[test]
fn the_list_itself_has_no_cycle() {
    let mut before = BTreeSet::new();
    for (module, may) in ALLOWED {
        for name in *may {
            assert!(
                before.contains(name),
                "{module} names {name}, which comes later"
            );
        }
        before.insert(*module);
    }
}

#[test]
fn an_import_against_the_flow_is_seen() {
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let rows: &[(&str, &str, &[&str])] = &[
        ("model", "use crate::runtime::Event;", &["runtime"]),
        (
            "model",
            "use crate::{tokens, agent::Agent, runtime};",
            &["agent", "runtime"],
        ),
        ("handoff", "fn f() { crate::cli::print(b\"\") }", &["cli"]),
        ("model", "// use crate::runtime::Event;", &[]),
        ("runtime", "use crate::model::Usage;", &[]),
        (
            "generation",
            "pub(crate) use crate::runtime::spec;",
            &["runtime"],
        ),
    ];
    for (module, source, expected) in rows {
        assert_eq!(
            &against_the_flow(module, source, &allowed),
            expected,
            "{source}"
        );
    }
}

#[test]
fn only_config_names_serde_yaml() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        if module_of(&file, &src) != "config" {
            assert!(
                !source.contains("serde_yaml::"),
                "{} names serde_yaml",
                file.display()
            );
        }
    }
}
