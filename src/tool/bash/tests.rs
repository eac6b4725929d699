use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use super::*;

struct Bench {
    dir: tempfile::TempDir,
    places: Places,
    programs: Programs,
    groups: Groups,
    spill: bool,
    cap: usize,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            places: Places::new(dir.path(), &[]),
            dir,
            programs: Programs::find(),
            groups: Groups::default(),
            spill: false,
            cap: 30_000,
        }
    }

    async fn run(&self, command: &str, limit: Duration) -> (String, bool) {
        let spill = self.places.root().join("spill");
        let bash = Bash {
            programs: &self.programs,
            groups: &self.groups,
            places: &self.places,
            spill_dir: self.spill.then_some(&spill),
            cap: self.cap,
        };
        match bash.run(command, limit).await {
            Ok(reply) => (reply.text, reply.failed),
            Err(error) => (error.to_string(), true),
        }
    }

    /// Makes a FIFO and returns what tells when its last writer is gone: however a process ends
    /// and whoever collects it, the kernel closes what it held open.
    fn watch(&self, name: &str) -> mpsc::Receiver<Vec<u8>> {
        let path = self.dir.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            std::fs::File::open(path)
                .unwrap()
                .read_to_end(&mut bytes)
                .unwrap();
            let _ = tell.send(bytes);
        });
        told
    }
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn results_hold_output_and_ending() {
    let bench = Bench::new();
    std::fs::write(bench.dir.path().join("文件.txt"), "内容").unwrap();
    let rows: &[(&str, &str, bool)] = &[
        ("echo hi", "hi\n[exit status 0]", false),
        ("printf hi", "hi\n[exit status 0]", false),
        ("true", "[exit status 0, no output]", false),
        ("cat 文件.txt", "内容\n[exit status 0]", false),
        (
            "echo a; echo b >&2; echo c; echo d >&2",
            "a\nb\nc\nd\n[exit status 0]",
            false,
        ),
        ("echo out; exit 3", "out\n[exit status 3]", true),
        ("exit 200", "[exit status 200, no output]", true),
        (
            "kill -9 $$",
            "[killed by signal 9, SIGKILL, no output]",
            true,
        ),
        (
            "exit 143",
            "[exit status 143: signal 15, SIGTERM, no output]",
            true,
        ),
        ("cat", "[exit status 0, no output]", false),
        ("read x; echo \"[$x]\"", "[]\n[exit status 0]", false),
        ("cd / && pwd", "/\n[exit status 0]", false),
        ("printf '\\377\\376a'", "\u{FFFD}a\n[exit status 0]", false),
        ("echo $PAGER $TERM", "cat dumb\n[exit status 0]", false),
        (
            "for i in 1 2; do\n echo $i\ndone <<'E'\nx\nE",
            "1\n2\n[exit status 0]",
            false,
        ),
    ];
    for (command, text, failed) in rows {
        assert_eq!(
            bench.run(command, LONG).await,
            ((*text).to_owned(), *failed),
            "{command}"
        );
    }
    let (here, _) = bench.run("pwd -P", LONG).await;
    assert_eq!(
        here,
        format!("{}\n[exit status 0]", bench.places.root().display())
    );
    let (text, failed) = bench.run("no-such-program-here", LONG).await;
    assert!(
        failed && text.contains("not found") && text.ends_with("[exit status 127]"),
        "{text}"
    );
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let bench = Bench::new();
    let (text, failed) = bench
        .run(&format!("true {}", "x".repeat(4 << 20)), LONG)
        .await;
    assert!(
        failed && text.ends_with("write it to a script and run that"),
        "{text}"
    );
    let (text, failed) = bench.run("echo \0", LONG).await;
    assert!(failed && text.contains("could not be started"), "{text}");
    std::fs::remove_dir(bench.dir.path()).unwrap();
    let (text, failed) = bench.run("echo", LONG).await;
    assert!(failed && text.contains("could not be started"), "{text}");
}

#[tokio::test]
async fn no_program_reaches_the_terminal() {
    let bench = Bench::new();
    if bench.programs.setsid_found() {
        let (text, failed) = bench.run("exec 9</dev/tty", LONG).await;
        assert!(failed, "{text}");
    }
}

#[tokio::test]
async fn one_line_of_50_mb_is_cut_and_kept() {
    let mut bench = Bench::new();
    bench.spill = true;
    bench.cap = 1000;
    let (text, failed) = bench
        .run("head -c 50000000 /dev/zero | tr '\\0' x", LONG)
        .await;
    let half = "x".repeat(500);
    let file = std::fs::read_dir(bench.dir.path().join("spill"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(file.metadata().unwrap().len(), 50_000_000);
    assert_eq!(
        (text, failed),
        (
            format!(
                "{half}\n[… 49999000 bytes left out …]\n{half}\n[exit status 0]\n[the whole output is in spill/{}]",
                file.file_name().display()
            ),
            false
        )
    );
}

#[tokio::test]
async fn the_time_limit_ends_the_whole_group_and_keeps_the_output() {
    for programs in [Programs::find(), Programs::plain()] {
        let bench = Bench {
            programs,
            ..Bench::new()
        };
        let gone = bench.watch("fifo");
        // Deaf to TERM, the grandchild too.
        let command = "exec 9>fifo; echo x >&9; trap '' TERM; (sleep 1000; sleep 1000) & \
                       echo 开始; sleep 1000; sleep 1000";
        let (text, failed) = bench.run(command, Duration::from_millis(400)).await;
        assert_eq!(
            (text.as_str(), failed),
            (
                "开始\n[stopped at its time limit of 0.4 s; the output is what it printed until then]",
                true
            )
        );
        assert_eq!(gone.recv_timeout(Duration::from_secs(10)).unwrap(), b"x\n");
    }
}

#[tokio::test]
async fn a_command_that_listens_to_term_has_its_last_words() {
    let bench = Bench::new();
    let command = "trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.05; done";
    let (text, _) = bench.run(command, Duration::from_millis(500)).await;
    assert!(
        text.starts_with("hi\n") && text.contains("bye\n[stopped at"),
        "{text}"
    );
}

#[tokio::test]
async fn a_background_process_neither_hangs_the_call_nor_outlives_the_run() {
    let bench = Bench::new();
    let gone = bench.watch("fifo");
    let started = Instant::now();
    let (text, failed) = bench
        .run("exec 9>fifo; sleep 1000 & echo started", LONG)
        .await;
    assert!(started.elapsed() < Duration::from_secs(20));
    let (head, id) = text.split_once(" in process group ").unwrap();
    assert_eq!(
        (head, failed),
        (
            "started\n[exit status 0]\n[processes still run in the background,",
            false
        )
    );
    assert!(id.ends_with("; they end with the run]"), "{id}");
    assert!(gone.try_recv().is_err());
    bench.groups.shutdown();
    assert_eq!(gone.recv_timeout(Duration::from_secs(10)).unwrap(), b"");
}

#[tokio::test]
async fn a_background_process_that_prints_for_ever_does_not_hang_the_call() {
    let bench = Bench::new();
    let (text, failed) = bench.run("yes & echo", LONG).await;
    assert!(
        !failed && text.contains("[exit status 0]"),
        "{}",
        text.len()
    );
    bench.groups.shutdown();
}

#[tokio::test]
async fn dropping_the_call_ends_the_group() {
    let bench = Bench::new();
    let gone = bench.watch("fifo");
    let seen = bench.dir.path().join("seen");
    {
        let run = bench.run("exec 9>fifo; (sleep 1000) & touch seen; sleep 1000", LONG);
        tokio::pin!(run);
        while !seen.exists() {
            tokio::select! {
                ended = &mut run => panic!("ended: {ended:?}"),
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
    }
    gone.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!(bench.groups.count(), 0);
}

#[tokio::test]
async fn a_shutdown_ends_a_running_call() {
    let bench = Bench::new();
    let seen = bench.dir.path().join("seen");
    let run = bench.run("touch seen; sleep 1000", LONG);
    let stop = async {
        while !seen.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bench.groups.shutdown();
    };
    let (got, ()) = tokio::join!(run, stop);
    assert_eq!(
        got,
        ("[killed by signal 15, SIGTERM, no output]".to_owned(), true)
    );
}

#[tokio::test]
async fn a_command_that_kills_every_shell_it_sees_still_ends() {
    let bench = Bench::new();
    // The reaper is deaf to TERM; KILL of its group is what a reckless command would need.
    let (text, failed) = bench.run("kill -9 0", LONG).await;
    assert_eq!(
        (text.as_str(), failed),
        ("[killed by signal 9, SIGKILL, no output]", true)
    );
    assert_eq!(bench.groups.count(), 0);
}
