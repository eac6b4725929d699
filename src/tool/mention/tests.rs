use std::os::unix::fs::symlink;

use super::*;

fn sample() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let ws = dir.path().join("ws");
    std::fs::create_dir_all(ws.join("src")).unwrap();
    let files: &[(&str, &[u8])] = &[
        ("ws/a.md", b"A\n"),
        ("ws/b", b"B"),
        ("ws/src/main.rs", b"fn main() {}\n"),
        ("ws/src/[id](x).ts", b"ts\n"),
        ("ws/my file.md", b"spaced\n"),
        ("ws/计划.md", "计划\n".as_bytes()),
        ("ws/fence.md", b"````\nx\n````\n"),
        ("ws/bin", b"\0\x01\xFF"),
        ("ws/empty", b""),
        ("secret", b"secret"),
    ];
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    symlink("../secret", ws.join("leak")).unwrap();
    symlink("a.md", ws.join("same")).unwrap();
    dir
}

#[test]
fn mentions_are_found_in_real_sentences() {
    let dir = sample();
    let ws = dir.path().join("ws");
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("read @a.md", &["a.md"], &[]),
        ("@a.md", &["a.md"], &[]),
        ("see @a.md.", &["a.md"], &[]),
        ("(@a.md), \"@src/main.rs\"!", &["a.md", "src/main.rs"], &[]),
        ("`@a.md` and **@b**", &["a.md", "b"], &[]),
        ("@./src/../a.md?", &["a.md"], &[]),
        ("看@a.md，再看@src/main.rs。", &["a.md", "src/main.rs"], &[]),
        ("看看@src/main.rs里的函数", &["src/main.rs"], &[]),
        ("按@计划.md做", &["计划.md"], &[]),
        ("《@计划.md》和“@a.md”", &["计划.md", "a.md"], &[]),
        ("@\"my file.md\" @“my file.md”", &["my file.md"], &[]),
        ("@src/[id](x).ts:", &["src/[id](x).ts"], &[]),
        ("@a.md @a.md @same", &["a.md"], &[]),
        ("@a.md@b", &["a.md"], &[]),
        ("me@b and x.y@a.md, node_modules/@b", &[], &[]),
        ("@dataclass @Override @nosuch.md @", &[], &[]),
        ("@bb @b1 @a.mdx @b.txt", &[], &[]),
        ("@\"my file.md", &[], &[]),
        ("@\"\" @~ @~/x @\0", &[], &[]),
        ("@src", &[], &["@src is not included: it is a directory"]),
        ("@bin", &[], &["@bin is not included: it is not UTF-8 text"]),
        ("@empty", &["empty"], &[]),
    ];
    for (task, files, notes) in rows {
        let got = expand_mentions(task, &ws);
        let want: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        assert_eq!(
            (got.files, got.notes),
            (want, notes.iter().map(|n| (*n).to_owned()).collect()),
            "{task}"
        );
        assert!(got.text.starts_with(task));
        assert_eq!(got.text == *task, files.is_empty(), "{task}");
    }
    for task in [
        "@leak",
        "@../secret",
        &format!("@{}", dir.path().join("secret").display()),
    ] {
        let got = expand_mentions(task, &ws);
        assert_eq!(
            (got.text.as_str(), got.files.len(), got.notes.len()),
            (task, 0, 1)
        );
        assert!(
            got.notes[0].ends_with("secret is not included: it is outside the workspace"),
            "{:?}",
            got.notes
        );
    }
}

#[test]
fn the_text_of_a_file_cannot_leave_its_fence() {
    let dir = sample();
    let got = expand_mentions("do @fence.md and @b", &dir.path().join("ws"));
    assert_eq!(
        got.text,
        "do @fence.md and @b\n\nfence.md:\n`````\n````\nx\n````\n`````\n\n\nb:\n```\nB\n```\n"
    );
}

#[test]
fn sizes_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let ws = dir.path();
    let line = format!("{}\n", "字".repeat(33));
    let lines = MOST_OF_FILE / line.len();
    for name in ["a", "b", "c", "d", "e"] {
        std::fs::write(ws.join(name), line.repeat(lines + 1)).unwrap();
    }
    let got = expand_mentions("@a", ws);
    let (shown, whole) = (lines * line.len(), (lines + 1) * line.len());
    assert_eq!(
        got,
        Mentions {
            text: format!(
                "@a\n\na:\n```\n{}```\n[cut: {shown} of {whole} bytes are shown]\n",
                line.repeat(lines)
            ),
            files: vec![PathBuf::from("a")],
            notes: vec![format!("@a is included up to byte {shown} of {whole}")],
        }
    );
    let got = expand_mentions("@a @b @c @d @e", ws);
    assert_eq!(
        got.files.len()
            + got
                .notes
                .iter()
                .filter(|n| n.contains("not included"))
                .count(),
        5
    );
    assert!(got.text.len() < MOST_OF_ALL + 1000, "{}", got.text.len());
}

#[test]
fn hostile_tasks_take_linear_time() {
    let dir = sample();
    for task in [
        "@".repeat(1 << 20),
        format!("@{}", "字".repeat(1 << 20)),
        format!("@{}", ".".repeat(1 << 20)),
        "@a字字字字 ".repeat(1 << 17),
        format!("@\"{}", "x".repeat(1 << 20)),
    ] {
        let got = expand_mentions(&task, &dir.path().join("ws"));
        assert_eq!(got.files, Vec::<PathBuf>::new());
    }
}

#[test]
fn rules_come_under_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let ws = dir.path().join("ws");
    std::fs::create_dir(&ws).unwrap();
    assert_eq!(rules(&ws), None);
    std::fs::write(ws.join("AGENTS.md"), "\u{FEFF}用中文\n").unwrap();
    assert_eq!(rules(&ws).as_deref(), Some("AGENTS.md:\n用中文"));
    std::fs::write(ws.join("CLAUDE.md"), "run tests\n\n").unwrap();
    assert_eq!(
        rules(&ws).as_deref(),
        Some("AGENTS.md:\n用中文\n\nCLAUDE.md:\nrun tests")
    );
    std::fs::remove_file(ws.join("CLAUDE.md")).unwrap();
    symlink("AGENTS.md", ws.join("CLAUDE.md")).unwrap();
    assert_eq!(rules(&ws).as_deref(), Some("AGENTS.md, CLAUDE.md:\n用中文"));
    std::fs::remove_file(ws.join("CLAUDE.md")).unwrap();
    std::fs::write(dir.path().join("private"), "key").unwrap();
    symlink("../private", ws.join("CLAUDE.md")).unwrap();
    assert_eq!(rules(&ws).as_deref(), Some("AGENTS.md:\n用中文"));
    std::fs::write(ws.join("AGENTS.md"), "x".repeat(MOST_OF_RULES + 5)).unwrap();
    let text = rules(&ws).unwrap();
    assert!(text.ends_with("x\n[cut: 32768 of 32773 bytes are shown]"));
    std::fs::write(ws.join("AGENTS.md"), " \n").unwrap();
    assert_eq!(rules(&ws), None);
}
