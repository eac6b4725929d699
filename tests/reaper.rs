//! The promise that no command outlives the program, kept even when the program is killed with
//! a signal nobody can catch. The test runs itself again as the program that is killed.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test may panic like the test itself"
)]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use flower::config::Permission;
use flower::tool::{ToolCall, ToolContext, Toolbox};

const WORKSPACE: &str = "REAPER_TEST_WORKSPACE";

/// The program that is killed: it runs a command that never ends and is deaf to TERM. Without
/// its variable, in a usual test run, it does nothing.
#[test]
fn victim() {
    let Some(workspace) = std::env::var_os(WORKSPACE).map(PathBuf::from) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let tools = Toolbox::new(ToolContext {
            workspace,
            permission: Permission::Full,
            allow: Vec::new(),
            bash_timeout: Duration::from_secs(600),
            spill_dir: None,
            protected: Vec::new(),
        });
        let call = |command: &str| ToolCall {
            id: "t".to_owned(),
            name: "bash".to_owned(),
            input: serde_json::json!({ "command": command }),
        };
        // One process left in the background by a call that is over, and one call that runs.
        let left = tools
            .run(&call(
                "env > env.txt; exec 9>fifo; echo left >&9; sleep 600 >/dev/null 2>&1 &",
            ))
            .await;
        assert!(!left.is_error, "{}", left.text);
        tools
            .run(&call(
                "exec 9>fifo; trap '' TERM HUP; (sleep 600; sleep 600) & echo ready >&9; \
                 sleep 600; sleep 600",
            ))
            .await;
    });
}

#[test]
fn a_program_killed_with_sigkill_leaves_no_command() {
    let dir = tempfile::tempdir().unwrap();
    let lines = fifo(&dir.path().join("fifo"));
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim", "--nocapture"])
        .env(WORKSPACE, dir.path())
        .envs([
            ("ANTHROPIC_API_KEY", "key-1"),
            ("ANTHROPIC_AUTH_TOKEN", "key-2"),
            ("OPENAI_API_KEY", "key-3"),
            ("OTHER", "kept"),
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let wait = Duration::from_secs(30);
    assert_eq!(lines.recv_timeout(wait).unwrap(), "left\n");
    let env = std::fs::read_to_string(dir.path().join("env.txt")).unwrap();
    assert!(env.contains("OTHER=kept"), "{env}");
    assert!(!env.contains("key-"), "{env}");
    assert_eq!(lines.recv_timeout(wait).unwrap(), "ready\n");
    // All its processes hold the FIFO open, so its end means that none is left.
    assert_eq!(
        lines.try_recv(),
        Err(mpsc::TryRecvError::Empty),
        "ended too early"
    );
    victim.kill().unwrap();
    assert_eq!(victim.wait().unwrap().signal(), Some(9));
    assert_eq!(
        lines.recv_timeout(wait),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
}

/// Reads a new FIFO line by line; the channel closes when its last writer is gone.
fn fifo(path: &Path) -> mpsc::Receiver<String> {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
    let path = path.to_owned();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(std::fs::File::open(path).unwrap());
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 0 {
            if tell.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
        let _ = reader.read_to_string(&mut line);
    });
    told
}
