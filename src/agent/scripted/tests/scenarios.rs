//! Scenario files: what loads, what is refused and where, and the sample workspace.

use std::fs;
use std::path::Path;

use super::scenario;
use crate::agent::scripted::Scenario;

const HEAD: &str = "model: m\nwindow: 20000\nusage: {floor_tokens: 1, chars_per_token: 2}\ntask: {zh: 修, en: fix}\n";

fn error(text: &str) -> String {
    Scenario::load(text, Path::new("s.yaml"))
        .unwrap_err()
        .to_string()
}

#[test]
fn faults_are_named_with_file_and_line() {
    let cases = [
        (
            "rules:\n- name: a\n  anser: x\n",
            "s.yaml:7",
            "unknown key `anser`; did you mean `answer`?",
        ),
        (
            "rules:\n- name: a\n  answer: x\n- name: a\n  answer: y\n",
            "s.yaml:8",
            "two rules named `a`",
        ),
        (
            "rules:\n- name: one\n  answer: x\n  after: on\n",
            "s.yaml:6",
            "did you mean `one`?",
        ),
        (
            "rules:\n  - name: b\n    tools:\n      - name: t\n        input: {}\n  - name: a\n",
            "s.yaml:10",
            "rule `a`: nothing to answer",
        ),
        (
            "rules:\n- name: a\n  answer: x\n  last: {regex: '('}\n",
            "s.yaml:8",
            "regex parse error",
        ),
        (
            "rules:\n- name: a\n  answer: '{{nope}}'\n",
            "s.yaml:7",
            "unknown placeholder `{{nope}}`",
        ),
        (
            "rules:\n- name: a\n  answer: '{{said'\n",
            "s.yaml:7",
            "without `}}`",
        ),
        (
            "rules:\n- name: a\n  answer: {zh: x}\n",
            "s.yaml:7",
            "missing field `en`",
        ),
        (
            "rules:\n- name: a\n  tools: [{name: t, input: 3}]\n",
            "s.yaml:6",
            "the input of `t` must be a map",
        ),
        (
            "rules:\n- name: a\n  tools: [{name: t, input: {x: ['{{last_result:(}}']}}]\n",
            "s.yaml:6",
            "regex parse error",
        ),
        (
            "rules:\n- name: a\n  refuse: true\n  answer: x\n",
            "s.yaml:6",
            "`error` and `refuse` stand alone",
        ),
        (
            "rules:\n- name: a\n  error: {status: 200, message: m}\n",
            "s.yaml:6",
            "an error's status is 400 to 599",
        ),
        (
            "rules:\n- name: a\n  answer: x\n  cut_after_bytes: 1\n  cut_after_events: 1\n",
            "s.yaml:6",
            "exclude each other",
        ),
        (
            "rules:\n- name: a\n  answer: x\n  once: true\n  times: 2\n",
            "s.yaml:6",
            "`once` and `times` exclude each other",
        ),
        (
            "rules:\n- name: a\n  answer: x\n  at_turn: 0\n",
            "s.yaml:6",
            "`at_turn` counts from 1",
        ),
        (
            "rules:\n- name: a\n  answer: x\n  go_on: true\n  tools: [{name: t, input: {}}]\n",
            "s.yaml:6",
            "`go_on` takes an `answer`",
        ),
        (
            "rules:\n- name: a\n  answer: x\n  any: []\n",
            "s.yaml:8",
            "an empty list never matches",
        ),
        ("rules: []\n", "s.yaml:5", "at least one rule"),
        (
            "workspace: [{path: ../x, content: y}]\nrules: [{name: a, answer: x}]\n",
            "s.yaml:5",
            "must be a path inside the workspace",
        ),
        (
            "workspace:\n- {path: x, content: y, mode: '999'}\nrules: [{name: a, answer: x}]\n",
            "s.yaml:6",
            "must be octal",
        ),
        (
            "workspace:\n- {path: x, content: y}\n- {path: x, content: z}\nrules: [{name: a, answer: x}]\n",
            "s.yaml:7",
            "two files `x`",
        ),
        (
            "pace: {delay_ms: 4000000}\nrules: [{name: a, answer: x}]\n",
            "s.yaml:5",
            "a wait of 4000000 ms",
        ),
    ];
    for (rest, place, why) in cases {
        let message = error(&format!("{HEAD}{rest}"));
        assert!(
            message.starts_with(&format!("{place}:")) && message.contains(why),
            "{rest}\n{message}"
        );
    }
    assert!(error("model: [").starts_with("s.yaml:"));
    assert!(error(&HEAD.replace("20000", "3")).starts_with("s.yaml:"));
}

#[test]
fn the_written_example_loads() {
    let readme = include_str!("../../../../assets/scenarios/README.md");
    let example = readme
        .split("```yaml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let loaded = Scenario::load(example, Path::new("README.md")).unwrap();
    assert_eq!(loaded.window_tokens(), 200_000);
}

#[test]
fn the_story_speaks_for_itself() {
    let story = Scenario::default_story();
    assert_eq!(
        (story.model(), story.window_tokens()),
        ("claude-demo", 200_000)
    );
    assert!(story.task_text(true).starts_with("bin/report.sh adds up"));
    assert!(story.task_text(false).starts_with("分店收银机"));
}

#[test]
fn a_workspace_is_written_with_modes_and_never_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("new/deep");
    let story = Scenario::default_story();
    story.write_workspace(&root).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(root.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("tests/run.sh"), mode("README.md")), (0o755, 0o644));
    }
    let other = folder.path().join("other");
    fs::create_dir_all(other.join("tests")).unwrap();
    fs::write(other.join("tests/run.sh"), "mine").unwrap();
    let error = story.write_workspace(&other).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(
        fs::read_to_string(other.join("tests/run.sh")).unwrap(),
        "mine"
    );
    assert_eq!(
        fs::read_dir(&other).unwrap().count(),
        1,
        "nothing is half written"
    );
}

#[test]
fn a_scenario_without_files_makes_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    scenario("- {name: a, answer: x}")
        .write_workspace(&folder.path().join("w"))
        .unwrap();
    assert!(folder.path().join("w").is_dir());
}
