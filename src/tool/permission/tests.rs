use super::*;

fn run(command: &str) -> Access {
    Access::Run {
        command: command.to_owned(),
    }
}

fn grants(prefixes: &[&str]) -> Grants {
    Grants {
        prefixes: prefixes.iter().map(|p| (*p).to_owned()).collect(),
        changes: false,
    }
}

#[test]
fn a_prefix_permits_simple_commands_that_start_with_its_words() {
    let prefixes = [
        "git log",
        "cargo test",
        "ls",
        "",
        "echo $HOME",
        "'a b' c",
        "测试",
    ];
    let rows: &[(&str, bool)] = &[
        ("git log", true),
        ("  git   log\t--oneline  ", true),
        ("git log\n", true),
        ("git log --format='%h; %s && $x `y` > z'", true),
        ("git log --author \"A & B\"", true),
        ("git log \"\\$(rm -rf .)\"", true),
        ("git log a\\;b \\$x", true),
        ("g'i't \"log\"", true),
        ("git \\\n log", true),
        ("git log -- '中文 文件.md'", true),
        ("测试 全部", true),
        ("ls *.rs [ab]? {a,b} ~", true),
        ("'a b' c d", true),
        ("git logx", false),
        ("git", false),
        ("gitlog", false),
        ("git 'log x'", false),
        ("/usr/bin/git log", false),
        ("测试全部", false),
        ("git log; rm -rf .", false),
        ("git log & rm -rf .", false),
        ("git log && rm -rf .", false),
        ("git log || rm -rf .", false),
        ("git log | sh", false),
        ("git log |& sh", false),
        ("git log\nrm -rf .", false),
        ("git log\r\nrm", false),
        ("git log `rm -rf .`", false),
        ("git log $(rm -rf .)", false),
        ("git log \"$(rm -rf .)\"", false),
        ("git log \"`rm -rf .`\"", false),
        ("git log '$(a)'$(rm)", false),
        ("git log $X", false),
        ("git log ${X:=$(rm)}", false),
        ("git log $'a\\nb'", false),
        ("git log <(rm -rf .)", false),
        ("git log > file", false),
        ("git log 2>&1", false),
        ("git log >> ~/.bashrc", false),
        ("git log < file", false),
        ("git log << EOF", false),
        ("(git log)", false),
        ("{ git log; }", false),
        ("! git log", false),
        ("PATH=. git log", false),
        ("GIT_PAGER='rm -rf .' git log", false),
        ("A+=1 git log", false),
        ("git log 'open", false),
        ("git log \"open", false),
        ("git log \\", false),
        ("git log \"\\", false),
        ("git log \0", false),
        ("git log \u{1b}[2J", false),
        ("", false),
        (" \t\n", false),
        ("echo $HOME", false),
        ("git\u{3000}log", false),
    ];
    for (command, want) in rows {
        assert_eq!(
            permits(&grants(&prefixes).prefixes, command),
            *want,
            "{command:?}"
        );
    }
}

#[test]
fn a_very_long_command_is_split_in_linear_time() {
    let command = format!("ls {}", "\"a'b\" \\; ".repeat(200_000));
    assert!(permits(&grants(&["ls"]).prefixes, &command));
}

#[test]
fn always_remembers_a_word_or_two() {
    let rows: &[(&str, Option<&str>)] = &[
        ("cargo test --lib x", Some("cargo test")),
        ("git log", Some("git log")),
        ("npm run build", Some("npm run")),
        ("ls -la", Some("ls")),
        ("make", Some("make")),
        ("cat src/main.rs", Some("cat")),
        ("./构建.sh 快", Some("./构建.sh")),
        ("'my tool' -x", Some("'my tool'")),
        ("\"it's\" -x", Some("'it'\\''s'")),
        ("bash -c 'rm -rf x'", Some("bash -c 'rm -rf x'")),
        ("/bin/sh run.sh", Some("/bin/sh run.sh")),
        ("sudo make install", Some("sudo make install")),
        ("cargo test; rm x", None),
        ("cargo test | tail", None),
        ("X=1 cargo test", None),
        ("", None),
    ];
    for (command, want) in rows {
        assert_eq!(prefix_of(command).as_deref(), *want, "{command:?}");
        if let Some(prefix) = want {
            assert!(permits(&[(*prefix).to_owned()], command), "{command:?}");
        }
    }
}

#[test]
fn remembering_a_compound_command_or_another_place_leaves_nothing() {
    let mut grants = Grants::default();
    grants.remember(&run("cargo test && rm -rf ."));
    grants.remember(&Access::Note);
    for place in [Place::Outside, Place::Guarded, Place::Protected] {
        grants.remember(&Access::Change {
            place,
            path: "x".to_owned(),
        });
    }
    assert_eq!(grants, Grants::default());
    grants.remember(&run("cargo test a"));
    grants.remember(&run("cargo test b"));
    grants.remember(&Access::Change {
        place: Place::Inside,
        path: "x".to_owned(),
    });
    assert_eq!(
        grants,
        Grants {
            prefixes: vec!["cargo test".to_owned()],
            changes: true
        }
    );
}

#[test]
fn every_mode_and_access_has_its_decision() {
    use Permission::{Ask, Edit, Full};
    use Place::{Guarded, Inside, Outside, Protected};
    let look = |place| Access::Look {
        place,
        path: "p".to_owned(),
    };
    let change = |place| Access::Change {
        place,
        path: "p".to_owned(),
    };
    let rows: Vec<(Access, [char; 3])> = vec![
        (look(Inside), ['a', 'a', 'a']),
        (look(Guarded), ['a', 'a', 'a']),
        (look(Protected), ['a', 'a', 'a']),
        (look(Outside), ['r', 'r', 'a']),
        (change(Inside), ['?', 'a', 'a']),
        (change(Guarded), ['?', 'r', 'a']),
        (change(Outside), ['?', 'r', 'a']),
        (change(Protected), ['r', 'r', 'r']),
        (run("git log"), ['a', 'a', 'a']),
        (run("git push"), ['?', 'r', 'a']),
        (run("git log | sh"), ['?', 'r', 'a']),
        (Access::Note, ['a', 'a', 'a']),
    ];
    for (access, want) in rows {
        let got =
            [Ask, Edit, Full].map(|mode| match decide(mode, &grants(&["git log"]), &access) {
                Decision::Allow => 'a',
                Decision::Ask { .. } => '?',
                Decision::Refuse { .. } => 'r',
            });
        assert_eq!(got, want, "{access:?}");
    }
    let remembered = Grants {
        prefixes: vec![],
        changes: true,
    };
    assert_eq!(decide(Ask, &remembered, &change(Inside)), Decision::Allow);
    assert_ne!(decide(Ask, &remembered, &change(Guarded)), Decision::Allow);
}

#[test]
fn a_refusal_says_how_to_permit_it() {
    let Decision::Refuse { why } =
        decide(Permission::Edit, &grants(&["git log", "ls"]), &run("make"))
    else {
        panic!("not refused");
    };
    assert_eq!(
        why,
        "mode `edit` runs only allowed commands: `git log`, `ls` (with any arguments, but alone: \
         no ; | & < > $ ` ( ) and no VAR=x in front). The person can permit more with an `allow` \
         prefix in the configuration or with `--permission full`. Use the other tools, or say in \
         your answer what could not be run"
    );
}
