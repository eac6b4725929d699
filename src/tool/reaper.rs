//! The end of every command. In goes a command to start; out comes a child in a process group of
//! its own that is killed when its [`Group`] is dropped, when the registry is shut down, and
//! when this process dies in any way, `kill -9` included.
//!
//! Each command has a companion, the reaper: a POSIX shell in another process group that waits
//! on a pipe whose only other end is held here. The kernel closes that end when this process is
//! gone; the reaper then sends TERM to the group and KILL to what is left of it.
//!
//! A process that leaves the group (by `setsid`, or `set -m` in a shell) is out of reach: it is
//! not waited for, not killed at the time limit and not killed at the end. Nothing short of a
//! container or a control group could hold it, and neither may be assumed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

/// The reaper's script. Signals that the end of a terminal or a person may send it are ignored.
/// `sleep` takes whole seconds only in POSIX, so KILL follows TERM after two of them.
const REAPER: &str = r#"trap '' HUP INT QUIT TERM
read -r word
[ "$word" = end ] && exit 0
kill -s TERM -- "-$1"
for _ in 1 2; do
  sleep 1
  kill -s 0 -- "-$1" 2>/dev/null || exit 0
done
kill -s KILL -- "-$1""#;

/// Holds a command back until its reaper knows it; nothing runs when this process dies before.
const GATE: &str = r#"read -r go || exit 125; exec "$@" </dev/null"#;

/// How often a group left in the background is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What every command is started with; found once.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    /// Starts a session of its own, so that no program can reach the terminal through
    /// `/dev/tty`. No part of POSIX; without it a command still has its own process group.
    setsid: Option<PathBuf>,
    /// `bash` when there is one, because models write for it.
    shell: PathBuf,
}

impl Programs {
    pub(super) fn find() -> Self {
        Self {
            setsid: on_path("setsid"),
            shell: on_path("bash").unwrap_or_else(|| PathBuf::from("sh")),
        }
    }
}

#[cfg(test)]
impl Programs {
    /// What POSIX alone has.
    pub(super) fn plain() -> Self {
        Self {
            setsid: None,
            shell: PathBuf::from("sh"),
        }
    }

    pub(super) fn setsid_found(&self) -> bool {
        self.setsid.is_some()
    }
}

#[cfg(test)]
impl Groups {
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    std::env::split_paths(&std::env::var_os("PATH")?)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|file| {
            file.metadata()
                .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
        })
}

/// Every process group that is alive, with the pipe that keeps it so.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups(Arc<Mutex<HashMap<i32, PipeWriter>>>);

impl Groups {
    fn lock(&self) -> MutexGuard<'_, HashMap<i32, PipeWriter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a command; what it prints goes to the returned pipe, in order.
    pub(super) fn start(
        &self,
        programs: &Programs,
        command: &str,
        workspace: &Path,
    ) -> io::Result<(Group, Child, PipeReader)> {
        let (output, sink) = io::pipe()?;
        let (gate, mut go) = io::pipe()?;
        let mut child = {
            let mut run = match &programs.setsid {
                Some(setsid) => {
                    let mut run = Command::new(setsid);
                    run.arg("sh");
                    run
                }
                None => {
                    let mut run = Command::new("sh");
                    run.process_group(0);
                    run
                }
            };
            run.args(["-c", GATE, "sh"])
                .arg(&programs.shell)
                .args(["-c", command])
                .current_dir(workspace)
                .stdin(gate)
                .stdout(sink.try_clone()?)
                .stderr(sink);
            for name in std::env::vars_os().map(|(name, _)| name) {
                if is_secret(&name) {
                    run.env_remove(name);
                }
            }
            // Nobody can answer a pager or a password prompt.
            run.envs([
                ("TERM", "dumb"),
                ("PAGER", "cat"),
                ("GIT_PAGER", "cat"),
                ("GIT_TERMINAL_PROMPT", "0"),
            ]);
            run.spawn()?
        };
        let pgid = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .ok_or_else(|| io::Error::other("the shell ended before it began"))?;
        let lifeline = match reaper(pgid) {
            Ok(lifeline) => lifeline,
            Err(error) => {
                // Still at its gate: it has run nothing.
                let _ = child.start_kill();
                return Err(error);
            }
        };
        self.lock().insert(pgid, lifeline);
        let group = Group {
            pgid,
            groups: self.clone(),
            ended: false,
        };
        go.write_all(b"go\n")?;
        Ok((group, child, output))
    }

    /// Tells every group to end: TERM now, KILL after two seconds for what is left, even when
    /// this process is gone by then.
    pub(super) fn shutdown(&self) {
        let all: Vec<i32> = self.lock().keys().copied().collect();
        for pgid in all {
            self.stop(pgid);
        }
    }

    fn stop(&self, pgid: i32) {
        // The reaper alone would do, but a command may have killed it.
        if let Some(lifeline) = self.lock().remove(&pgid) {
            signal(pgid, Signal::SIGTERM);
            drop(lifeline);
        }
    }

    /// Sends the reaper home: there is nothing left to kill, and the number may be given to
    /// another group.
    fn release(&self, pgid: i32) {
        if let Some(mut lifeline) = self.lock().remove(&pgid) {
            // A reaper that is gone already needs no word.
            let _ = lifeline.write_all(b"end\n");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.groups.stop(self.pgid);
        }
    }
}

/// One command's process group; dropping it kills the group.
#[derive(Debug)]
pub(super) struct Group {
    pgid: i32,
    groups: Groups,
    ended: bool,
}

impl Group {
    pub(super) fn id(&self) -> i32 {
        self.pgid
    }

    /// Whether any process is left in the group.
    pub(super) fn alive(&self) -> bool {
        alive(self.pgid)
    }

    /// Sends TERM, and leaves KILL to the reaper.
    pub(super) fn stop(&self) {
        self.groups.stop(self.pgid);
    }

    /// Sends KILL.
    pub(super) fn kill(&self) {
        signal(self.pgid, Signal::SIGKILL);
    }

    /// The command's shell is gone: what it left in the background lives on until the registry
    /// is shut down. Returns whether anything was left.
    pub(super) fn leave(mut self) -> bool {
        self.ended = true;
        let (pgid, groups) = (self.pgid, self.groups.clone());
        if !alive(pgid) {
            groups.release(pgid);
            return false;
        }
        let weak = Arc::downgrade(&groups.0);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                let Some(groups) = weak.upgrade().map(Groups) else {
                    return;
                };
                if !alive(pgid) {
                    return groups.release(pgid);
                }
            }
        });
        true
    }
}

fn reaper(pgid: i32) -> io::Result<PipeWriter> {
    let (end, lifeline) = io::pipe()?;
    let mut run = Command::new("sh");
    run.args(["-c", REAPER, "flower-reaper"])
        .arg(pgid.to_string())
        .current_dir("/")
        .env_clear()
        .process_group(0)
        .stdin(end)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(path) = std::env::var_os("PATH") {
        run.env("PATH", path);
    }
    // Waiting for it is left to the runtime, which collects children nobody waits for.
    run.spawn()?;
    Ok(lifeline)
}

fn alive(pgid: i32) -> bool {
    // Any error but "no such group" (a member of another user, say) means somebody is there.
    if killpg(Pid::from_raw(pgid), None) == Err(Errno::ESRCH) {
        return false;
    }
    runs_in_proc(pgid).unwrap_or(true)
}

/// Whether a member of the group is more than a dead process nobody has collected: in a
/// container whose first process never collects, those stay for ever. `None` where there is no
/// `/proc` as Linux has it (proc_pid_stat(5)).
fn runs_in_proc(pgid: i32) -> Option<bool> {
    let mut looked = false;
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        // A process may end while it is looked at.
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else {
            continue;
        };
        let stat = String::from_utf8_lossy(&stat);
        // The name before it is in parentheses and may hold anything, parentheses too.
        let Some((_, rest)) = stat.rsplit_once(')') else {
            continue;
        };
        let mut fields = rest.split_ascii_whitespace();
        let (state, _parent, group) = (fields.next(), fields.next(), fields.next());
        looked = true;
        if group.and_then(|group| group.parse().ok()) == Some(pgid)
            && !matches!(state, Some("Z" | "X"))
        {
            return Some(true);
        }
    }
    looked.then_some(false)
}

fn signal(pgid: i32, signal: Signal) {
    // A group that is gone already is what was wanted.
    let _ = killpg(Pid::from_raw(pgid), signal);
}

/// Whether a variable may hold a key of ours. A command can still read what its user can read,
/// this process's own environment in `/proc` included; this only keeps keys out of plain sight.
fn is_secret(name: &OsString) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"ANTHROPIC_") || name.starts_with(b"OPENAI_")
}
