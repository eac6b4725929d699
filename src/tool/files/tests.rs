use std::os::unix::fs::symlink;

use super::super::place::Places;
use super::*;

fn target(dir: &Path, path: &str) -> Target {
    Places::new(dir, &[]).target(path).unwrap()
}

/// File, offset, limit, cap, result.
type Row = (
    &'static str,
    u64,
    Option<u64>,
    usize,
    Result<&'static str, &'static str>,
);

#[test]
fn reads_lines_within_the_cap() {
    let dir = tempfile::tempdir().unwrap();
    let long = format!("{}\nnext\n", "长".repeat(40));
    let files: &[(&str, &[u8])] = &[
        ("five", b"1\n2\n3\n4\n5\n"),
        ("noend", b"a\nb"),
        ("crlf", b"\xEF\xBB\xBFa\r\nb\rc\r\n"),
        ("empty", b""),
        ("blank", b"\n\n"),
        ("long", long.as_bytes()),
        ("latin", b"caf\xE9\n"),
        ("nul", b"a\0b\n"),
        ("cutend", b"ab\xE4\xB8"),
    ];
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let binary = " is not UTF-8 text; look at it with bash (file, iconv, od)";
    let rows: &[Row] = &[
        ("five", 1, None, 100, Ok("1\n2\n3\n4\n5\n")),
        ("five", 0, None, 100, Ok("1\n2\n3\n4\n5\n")),
        (
            "five",
            2,
            Some(2),
            100,
            Ok("2\n3\n[more lines follow; continue with offset 4]"),
        ),
        ("five", 4, Some(2), 100, Ok("4\n5\n")),
        (
            "five",
            1,
            None,
            5,
            Ok("1\n2\n[cut at 5 bytes; continue with offset 3]"),
        ),
        ("five", 6, None, 100, Ok("[five has no line 6]")),
        (
            "five",
            7,
            None,
            100,
            Err("five has only 5 lines; line 7 was asked for"),
        ),
        (
            "five",
            u64::MAX,
            None,
            100,
            Err("five has only 5 lines; line 18446744073709551615 was asked for"),
        ),
        ("noend", 1, None, 100, Ok("a\nb")),
        ("crlf", 1, None, 100, Ok("a\nb\rc\n")),
        ("empty", 1, None, 100, Ok("[empty is empty]")),
        ("blank", 1, None, 100, Ok("\n\n")),
        (
            "long",
            1,
            None,
            10,
            Ok("长长长\n[line 1 is cut: 112 bytes left out]"),
        ),
        ("long", 2, None, 10, Ok("next\n")),
        ("latin", 1, None, 100, Err(binary)),
        ("nul", 1, None, 100, Err(binary)),
    ];
    for (name, offset, limit, cap, want) in rows {
        let got = read(&target(dir.path(), name), *offset, *limit, *cap).map_err(|e| e.to_string());
        let want = match want {
            Ok(text) => Ok((*text).to_owned()),
            Err(text) if *text == binary => Err(format!("{name}{binary}")),
            Err(text) => Err((*text).to_owned()),
        };
        assert_eq!(got, want, "{name} {offset} {limit:?} {cap}");
    }
    let error = read(&target(dir.path(), "none"), 1, None, 9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "none cannot be read: No such file or directory (os error 2)"
    );
}

#[test]
fn one_huge_line_does_not_grow_the_memory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("big"), vec![b'x'; 50 << 20]).unwrap();
    let text = read(&target(dir.path(), "big"), 1, None, 1000).unwrap();
    assert_eq!(
        text,
        format!(
            "{}\n[line 1 is cut: {} bytes left out]",
            "x".repeat(1000),
            (50 << 20) - 1000
        )
    );
}

#[test]
fn directories_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(
        read(&target(dir.path(), "."), 1, None, 99).unwrap(),
        "[. is an empty directory]"
    );
    std::fs::create_dir(dir.path().join("src")).unwrap();
    for name in ["b.rs", "a 文.md", ".env"] {
        std::fs::write(dir.path().join(name), "").unwrap();
    }
    assert_eq!(
        read(&target(dir.path(), "."), 1, None, 99).unwrap(),
        ".env\na 文.md\nb.rs\nsrc/\n"
    );
    assert_eq!(
        read(&target(dir.path(), "."), 1, None, 7).unwrap(),
        ".env\n[3 more of 4 entries]"
    );
}

#[test]
fn fifos_and_devices_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(dir.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    assert_eq!(
        read(&target(dir.path(), "pipe"), 1, None, 9)
            .unwrap_err()
            .to_string(),
        "pipe cannot be read: it is no regular file"
    );
    assert_eq!(
        write(&target(dir.path(), "pipe"), "x")
            .unwrap_err()
            .to_string(),
        "pipe is no regular file and is not written to"
    );
    assert_eq!(
        read(&target(dir.path(), "/dev/zero"), 1, None, 9)
            .unwrap_err()
            .to_string(),
        "/dev/zero cannot be read: it is no regular file"
    );
}

#[test]
fn writes_whole_files_and_keeps_modes() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    assert_eq!(
        write(&target(root, "新/a/b.txt"), "一\n二").unwrap(),
        "Wrote 新/a/b.txt (new): 7 bytes, 2 lines."
    );
    assert_eq!(
        std::fs::read_to_string(root.join("新/a/b.txt")).unwrap(),
        "一\n二"
    );
    let script = root.join("run.sh");
    std::fs::write(&script, "old").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("run.sh", root.join("link")).unwrap();
    assert_eq!(
        write(&target(root, "link"), "").unwrap(),
        "Wrote run.sh (replaced, was 3 bytes): 0 bytes, 0 lines."
    );
    assert_eq!(
        script.metadata().unwrap().permissions().mode() & 0o777,
        0o750
    );
    assert!(root.join("link").is_symlink());
    // The mode of a new file is that of the umask, not the 0600 of a temporary file.
    std::fs::write(root.join("plain"), "").unwrap();
    let mode = |name: &str| root.join(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("新/a/b.txt"), mode("plain"));
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(
        write(&target(root, "run.sh"), "x").unwrap_err().to_string(),
        "run.sh is read-only; it can be made writable with chmod u+w"
    );
    assert_eq!(
        write(&target(root, "新"), "x").unwrap_err().to_string(),
        "新 is a directory"
    );
    let left: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".flower-"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
