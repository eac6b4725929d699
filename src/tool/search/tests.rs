use super::*;

fn run(root: &Path, path: &str, pattern: Option<&str>, glob: Option<&str>) -> String {
    with(root, path, pattern, glob, DEFAULT_LIMIT, 30_000)
}

fn with(
    root: &Path,
    path: &str,
    pattern: Option<&str>,
    glob: Option<&str>,
    limit: u64,
    cap: usize,
) -> String {
    let places = Places::new(root, &[]);
    let query = Query {
        pattern: pattern.map(str::to_owned),
        glob: glob.map(str::to_owned),
        ignore_case: false,
        limit,
    };
    let target = places.target(path).unwrap();
    match search(&places, &target, &query, cap, &|| false) {
        Ok(text) => text,
        Err(error) => format!("ERROR {error}"),
    }
}

fn sample() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let files: &[(&str, &[u8])] = &[
        ("src/main.rs", "fn main() {\n    交接();\n}\n".as_bytes()),
        ("src/lib/a.rs", b"fn a(x: u8) {}\r\nlast"),
        ("README.md", "# 交接书\n".as_bytes()),
        (".github/ci.yml", b"fn: ci\n"),
        (".gitignore", b"target/\n*.log\n"),
        ("target/x.rs", b"fn ignored() {}\n"),
        ("run.log", b"fn logged()\n"),
        (".git/config", b"fn git\n"),
        (".flower/notes/x.md", b"fn note\n"),
        ("bin", b"fn \0 binary\n"),
    ];
    for (name, bytes) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let made = std::process::Command::new("mkfifo")
        .arg(dir.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("/etc", dir.path().join("etc")).unwrap();
    dir
}

#[test]
fn finds_what_git_would_show() {
    let dir = sample();
    let all =
        ".github/ci.yml:1: fn: ci\nsrc/lib/a.rs:1: fn a(x: u8) {}\nsrc/main.rs:1: fn main() {";
    let rows: &[(&str, Option<&str>, Option<&str>, &str)] = &[
        (".", Some("^fn"), None, all),
        (
            "src",
            Some("^fn"),
            Some("*.rs"),
            "src/lib/a.rs:1: fn a(x: u8) {}\nsrc/main.rs:1: fn main() {",
        ),
        (
            ".",
            Some("交接"),
            None,
            "README.md:1: # 交接书\nsrc/main.rs:2:     交接();",
        ),
        (".", None, Some("*.rs"), "src/lib/a.rs\nsrc/main.rs"),
        (".", None, Some("src/*.rs"), "src/main.rs"),
        (
            ".",
            None,
            Some("./src/**/*.rs"),
            "src/lib/a.rs\nsrc/main.rs",
        ),
        ("src", None, Some("lib/*.rs"), "src/lib/a.rs"),
        ("src", None, Some("src/lib/*.rs"), "src/lib/a.rs"),
        (
            "src/main.rs",
            Some("main"),
            None,
            "src/main.rs:1: fn main() {",
        ),
        (
            ".flower/notes",
            Some("note"),
            None,
            ".flower/notes/x.md:1: fn note",
        ),
        ("run.log", Some("logged"), None, "run.log:1: fn logged()"),
        (".", Some("nowhere at all"), None, "[nothing found]"),
        (".", None, Some("*.py"), "[nothing found]"),
        ("nosuch", Some("x"), None, "ERROR nosuch does not exist"),
        (
            ".",
            None,
            None,
            "ERROR search: give `pattern`, `glob` or both",
        ),
        (".", Some(""), None, "ERROR search: `pattern` is empty"),
    ];
    for (path, pattern, glob, want) in rows {
        assert_eq!(
            run(dir.path(), path, *pattern, *glob),
            *want,
            "{path} {pattern:?} {glob:?}"
        );
    }
    let broken = run(dir.path(), ".", Some("a(x"), None);
    assert!(
        broken.starts_with("src/lib/a.rs:1: fn a(x: u8) {}\n[`pattern` is no regular expression, taken as plain text: "),
        "{broken}"
    );
    assert!(run(dir.path(), ".", None, Some("[")).starts_with("ERROR search: `glob` is no glob"));
}

#[test]
fn results_are_bounded_and_say_so() {
    let dir = sample();
    assert_eq!(
        with(dir.path(), ".", None, Some("*.rs"), 1, 30_000),
        "src/lib/a.rs\n[there are more than 1; narrow the search]"
    );
    assert_eq!(
        with(dir.path(), ".", None, Some("*.rs"), 2, 30_000),
        "src/lib/a.rs\nsrc/main.rs"
    );
    assert_eq!(
        with(dir.path(), ".", None, Some("*.rs"), 9, 15),
        "src/lib/a.rs\n[cut at 15 bytes, there are more; narrow the search]"
    );
    // Given up at once: nothing is read.
    let places = Places::new(dir.path(), &[]);
    let query = Query {
        pattern: Some("fn".into()),
        glob: None,
        ignore_case: false,
        limit: 9,
    };
    let text = search(&places, &places.target(".").unwrap(), &query, 99, &|| true).unwrap();
    assert_eq!(text, "[nothing found]");
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("{}目标{}", "前".repeat(1000), "后".repeat(1000));
    std::fs::write(dir.path().join("a"), &line).unwrap();
    let before = "前".repeat(BEFORE_MATCH / 3);
    let after = "后".repeat((LONGEST_LINE - BEFORE_MATCH) / 3 - 2);
    assert_eq!(
        run(dir.path(), ".", Some("目标"), None),
        format!("a:1: …{before}目标{after}…")
    );
    // One line larger than may be held: said, and the rest is searched all the same.
    let mut huge = vec![b'x'; HEAP_LIMIT + (1 << 20)];
    huge.extend_from_slice(b"needle");
    std::fs::write(dir.path().join("b"), huge).unwrap();
    std::fs::write(dir.path().join("c"), "needle").unwrap();
    assert_eq!(
        run(dir.path(), ".", Some("needle"), None),
        "c:1: needle\n[1 files or folders could not be read]"
    );
}
