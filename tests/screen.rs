//! The workbench in a real terminal, against the scripted model: what a person sees and does.
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "support/pty.rs"]
mod pty;

use std::path::{Path, PathBuf};
use std::time::Instant;

use flower::agent::scripted::{Scenario, ScriptedServer};
use nix::sys::signal::Signal;
use portable_pty::CommandBuilder;
use pty::{PATIENCE, Pty};
use serde_json::Value;

/// A session that crosses the mark on its second answer and a successor that quotes its dead ends.
const STORY: &str = r"
model: claude-test
window: 200000
usage: { floor_tokens: 0, chars_per_token: 4 }
task: { zh: 干, en: work }
rules:
  - name: handoff
    said: 请现在就写交接书
    usage: { input_tokens: 158000 }
    answer: |
      ## 现在在做什么
      修测试，做到一半。
      ## 走不通的路
      - 调大超时：没用。
      ## 下一步
      把下标改对。
  - name: corrected
    first: 现在在做什么
    said: 更正
    answer: '收到更正。'
  - name: successor
    first: 现在在做什么
    usage: { input_tokens: 9000 }
    answer: |
      接着干。不走的路：
      {{section:走不通的路}}
  - name: look
    at_turn: 1
    usage: { input_tokens: 135000 }
    answer: 先看看。
    tools: [{ name: bash, input: { command: 'echo looked' } }]
  - name: cross
    usage: { input_tokens: 152000 }
    answer: 再看看。
    tools: [{ name: bash, input: { command: 'echo again' } }]
";

/// The program in a terminal, its server and its folder.
struct Bench {
    pty: Pty,
    runtime: tokio::runtime::Runtime,
    server: ScriptedServer,
    root: tempfile::TempDir,
}

impl Bench {
    fn start(story: &str, arguments: &[&str], size: (u16, u16)) -> Self {
        Self::start_with(story, arguments, size, |_, _| {})
    }

    fn start_with(
        story: &str,
        arguments: &[&str],
        (columns, rows): (u16, u16),
        change: impl FnOnce(&mut CommandBuilder, &Path),
    ) -> Self {
        let scenario = Scenario::load(story, Path::new("test.yaml")).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime
            .block_on(ScriptedServer::start(scenario, 0.0))
            .unwrap();
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let mut command = pty::command(env!("CARGO_BIN_EXE_flower"), root.path());
        command.args(arguments);
        command.cwd(&work);
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("ANTHROPIC_BASE_URL", server.base_url());
        command.env("ANTHROPIC_API_KEY", "sk-test-0123456789");
        command.env("FLOWER_LANG", "zh");
        change(&mut command, &work);
        Self {
            pty: Pty::start(command, columns, rows),
            runtime,
            server,
            root,
        }
    }

    fn document(&self) -> PathBuf {
        self.root.path().join("work/.flower/notes/交接-干活.md")
    }

    fn wait(&self, text: &str) {
        self.pty.wait_for_text(text, Instant::now() + PATIENCE);
    }

    /// The text of the last request's first message.
    fn successors_first_message(&self) -> String {
        let requests = self.server.requests();
        let blocks = requests.last().unwrap()["messages"][0]["content"].clone();
        let texts: Vec<&str> = blocks
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|block: &Value| block["text"].as_str())
            .collect();
        texts.join("\n")
    }

    /// Leaves after the end of the run and returns the exit code.
    fn quit(&mut self) -> u32 {
        self.wait("接着说一句");
        self.pty.send("\x11");
        let status = self.pty.wait_for_exit(Instant::now() + PATIENCE);
        self.pty.assert_restored();
        status.exit_code()
    }
}

const RUN: &[&str] = &["修好测试", "--permission", "full"];

fn run(review: &'static str) -> Vec<&'static str> {
    [RUN, &["--review", review]].concat()
}

#[test]
fn a_line_typed_into_the_dead_ends_reaches_the_file_the_successor_and_its_reply() {
    let mut bench = Bench::start(STORY, &run("20"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1b3");
    bench.wait("停住");
    bench.pty.send("\x1b[F\r- 手写：别碰接口");
    bench.wait("没存 1 处");
    bench.pty.send("\x07");
    bench.wait("第 2 代读的");
    bench.wait("做完了");
    let document = std::fs::read_to_string(bench.document()).unwrap();
    assert!(
        document.contains("- 调大超时：没用。\n- 手写：别碰接口\n"),
        "{document}"
    );
    assert!(
        bench
            .successors_first_message()
            .contains("- 手写：别碰接口")
    );
    let quoted = "the line is in the editor and in the reply";
    bench
        .pty
        .wait_until(quoted, Instant::now() + PATIENCE, |screen| {
            screen.contents().matches("手写：别碰接口").count() >= 2
        });
    assert_eq!(bench.quit(), 0);
}

#[test]
fn doing_nothing_ends_the_run_well_too() {
    let mut bench = Bench::start(STORY, &run("2"), (120, 40));
    bench.wait("复核");
    bench.wait("做完了");
    assert!(bench.successors_first_message().contains("调大超时"));
    assert_eq!(bench.quit(), 0);
}

#[test]
fn an_edit_by_another_program_is_seen_and_arrives() {
    let mut bench = Bench::start(STORY, &run("4"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    let text = std::fs::read_to_string(bench.document()).unwrap();
    let edited = text.replace("- 调大超时：没用。", "- 别的程序写的这一条");
    std::fs::write(bench.document(), edited).unwrap();
    bench.wait("别的程序写的这一条");
    bench.wait("做完了");
    assert!(
        bench
            .successors_first_message()
            .contains("别的程序写的这一条")
    );
    assert_eq!(bench.quit(), 0);
}

#[test]
fn a_section_changed_on_both_sides_is_asked_about_and_nothing_is_lost() {
    let mut bench = Bench::start(STORY, &run("20"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1b3\x1b[F\r- 我这边写的");
    bench.wait("没存 1 处");
    let text = std::fs::read_to_string(bench.document()).unwrap();
    let edited = text.replace("- 调大超时：没用。", "- 调大超时：没用。\n- 别处写的");
    std::fs::write(bench.document(), edited).unwrap();
    bench.wait("冲突");
    bench.pty.send("\x1bo");
    bench.wait("b 两边都留");
    bench.pty.send("b");
    bench
        .pty
        .wait_until("it is settled", Instant::now() + PATIENCE, |screen| {
            !screen.contents().contains("冲突")
        });
    bench.pty.send("\x07");
    bench.wait("做完了");
    let first = bench.successors_first_message();
    assert!(
        first.contains("我这边写的") && first.contains("别处写的"),
        "{first}"
    );
    assert_eq!(bench.quit(), 0);
}

#[test]
fn a_document_that_is_gone_is_written_anew_and_nobody_is_kept() {
    let mut bench = Bench::start(STORY, &run("20"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1b3\r- 留着这条");
    bench.wait("没存 1 处");
    std::fs::remove_file(bench.document()).unwrap();
    bench.pty.send("\x07");
    bench.wait("做完了");
    assert!(bench.successors_first_message().contains("留着这条"));
    assert_eq!(bench.quit(), 0);

    let mut bench = Bench::start(STORY, &run("20"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1b3\r- 留着这条");
    bench.wait("没存 1 处");
    std::fs::remove_dir_all(bench.root.path().join("work/.flower")).unwrap();
    bench.pty.signal(Signal::SIGTERM);
    let status = bench.pty.wait_for_exit(Instant::now() + PATIENCE);
    assert_eq!(status.exit_code(), 143);
    bench.pty.assert_restored();
}

#[test]
fn enter_without_words_goes_on_where_the_last_run_stopped() {
    let mut bench = Bench::start_with(SLOW, &["--permission", "full"], (120, 40), |_, work| {
        std::fs::write(work.join("keep"), "").unwrap();
    });
    bench.wait("空着回车");
    bench.pty.send("m第一件\r");
    bench.wait("sleep 300");
    bench.pty.send("\x03");
    bench.wait("interrupted");
    bench.pty.send("\r");
    bench.wait("做完了。");
    assert_eq!(bench.quit(), 0);
}

#[test]
fn notes_that_no_handoff_has_taken_are_there_the_next_time() {
    let mut bench = Bench::start(SLOW, RUN, (120, 40));
    bench.wait("sleep 300");
    bench.pty.send("\x1b3- 早记的一条");
    bench.wait("+ - 早记的一条");
    bench.pty.send("\x03\x03");
    bench.pty.wait_for_exit(Instant::now() + PATIENCE);
    let draft = bench.root.path().join("work/.flower/notes/草稿-干活.md");
    assert!(
        std::fs::read_to_string(&draft)
            .unwrap()
            .contains("早记的一条")
    );
    let mut command = pty::command(env!("CARGO_BIN_EXE_flower"), bench.root.path());
    command.cwd(bench.root.path().join("work"));
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("ANTHROPIC_BASE_URL", bench.server.base_url());
    command.env("ANTHROPIC_API_KEY", "sk-test-0123456789");
    command.env("FLOWER_LANG", "zh");
    let mut again = Pty::start(command, 120, 40);
    again.wait_for_text("早记的一条", Instant::now() + PATIENCE);
    again.send("q");
    again.wait_for_exit(Instant::now() + PATIENCE);
    assert!(draft.exists(), "nobody has got it yet");
}

#[test]
fn the_persons_own_editor_gets_the_file_and_the_terminal() {
    let mut bench = Bench::start_with(STORY, &run("20"), (120, 40), |command, work| {
        let editor = work.join("ed.sh");
        let script = "#!/bin/sh\nprintf 'EDITOR HAS IT\\n'\nsed -i 's/调大超时：没用。/从编辑器来的一条/' \"$1\"\n";
        std::fs::write(&editor, script).unwrap();
        command.env("EDITOR", format!("sh '{}'", editor.display()));
    });
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1bOS");
    bench.wait("从编辑器来的一条");
    bench.wait("停住");
    let seen = String::from_utf8_lossy(&bench.pty.raw_output()).into_owned();
    assert!(seen.contains("EDITOR HAS IT"));
    bench.pty.send("\x07");
    bench.wait("做完了");
    assert!(
        bench
            .successors_first_message()
            .contains("从编辑器来的一条")
    );
    assert_eq!(bench.quit(), 0);
}

#[test]
fn what_is_jotted_before_the_first_handoff_goes_into_it_as_the_persons_own() {
    let story = STORY.replace(
        "    answer: 先看看。",
        "    delay_ms: 1\n    answer: 先看看。",
    );
    let slow = story.replace("'echo looked'", "'while [ ! -e go ]; do sleep 0.05; done'");
    let mut bench = Bench::start(&slow, &run("20"), (120, 40));
    bench.wait("说话");
    bench.pty.send("\x1b3- 先记一条：brew 的不算");
    bench.wait("+ - 先记一条：brew 的不算");
    std::fs::write(bench.root.path().join("work/go"), "").unwrap();
    bench.wait("还剩");
    let document = std::fs::read_to_string(bench.document()).unwrap();
    assert!(
        document.contains("- 调大超时：没用。\n- 先记一条：brew 的不算\n"),
        "{document}"
    );
    let shown = bench.pty.screen_text();
    assert_eq!(shown.matches("先记一条").count(), 1, "{shown}");
    bench.pty.send("\x07");
    bench.wait("做完了");
    assert!(bench.successors_first_message().contains("先记一条"));
    assert_eq!(bench.quit(), 0);
}

#[test]
fn an_empty_required_section_is_told_before_the_last_complete_version_is_used() {
    let mut bench = Bench::start(STORY, &run("20"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1b4\x01\x7f");
    bench.wait("缺一段");
    bench.pty.send("\x07");
    bench.wait("再按 Ctrl-G");
    bench.pty.send("\x07");
    bench.wait("做完了");
    assert!(bench.successors_first_message().contains("把下标改对。"));
    assert_eq!(bench.quit(), 0);
}

/// A tool that runs until it is stopped.
const SLOW: &str = r"
model: claude-test
window: 200000
usage: { floor_tokens: 0, chars_per_token: 4 }
task: { zh: 干, en: work }
rules:
  - name: slow
    at_turn: 1
    usage: { input_tokens: 5000 }
    answer: 这要一会儿。
    tools: [{ name: bash, input: { command: 'sleep 300' } }]
  - name: heard
    said: 换个做法
    answer: 好，换个做法。
  - name: end
    answer: 做完了。
";

#[test]
fn quitting_during_a_run_is_asked_and_can_be_declined() {
    let mut bench = Bench::start(SLOW, RUN, (120, 40));
    bench.wait("sleep 300");
    bench.pty.send("q");
    bench.wait("活还没干完");
    bench.pty.send("n");
    bench.pty.wait_until(
        "the question is gone",
        Instant::now() + PATIENCE,
        |screen| !screen.contents().contains("活还没干完"),
    );
    bench.pty.send("q");
    bench.wait("活还没干完");
    bench.pty.send("y");
    let status = bench.pty.wait_for_exit(Instant::now() + PATIENCE);
    assert_eq!(status.exit_code(), 130);
    bench.pty.assert_restored();
}

#[test]
fn ctrl_c_interrupts_and_twice_leaves() {
    let mut bench = Bench::start(SLOW, RUN, (120, 40));
    bench.wait("sleep 300");
    bench.pty.send("\x03");
    bench.wait("interrupted");
    // The session waits for words and goes on with them.
    bench.pty.send("m换个做法\r");
    bench.wait("好，换个做法。");
    bench.pty.send("\x03\x03");
    let status = bench.pty.wait_for_exit(Instant::now() + PATIENCE);
    assert_eq!(status.exit_code(), 0);
    bench.pty.assert_restored();
}

#[test]
fn a_message_is_delivered_at_the_next_message_boundary() {
    let story = SLOW.replace("'sleep 300'", "'while [ ! -e go ]; do sleep 0.05; done'");
    let mut bench = Bench::start(&story, RUN, (120, 40));
    bench.wait("这要一会儿。");
    bench.pty.send("m换个做法\r");
    bench.wait("已记下");
    std::fs::write(bench.root.path().join("work/go"), "").unwrap();
    bench.wait("好，换个做法。");
    assert_eq!(bench.quit(), 0);
}

#[test]
fn permission_is_asked_on_screen_and_letters_in_a_text_answer_nothing() {
    let story = SLOW.replace("'sleep 300'", "'echo did-it > made.txt'");
    let mut bench = Bench::start(&story, &["干"], (120, 40));
    // Nobody types, so the box opens by itself; Esc closes it and answers nothing.
    bench.wait("y 这一次");
    bench.pty.send("\x1b");
    bench
        .pty
        .wait_until("the box is closed", Instant::now() + PATIENCE, |screen| {
            !screen.contents().contains("y 这一次")
        });
    bench.wait("它想执行 echo did-it");
    bench.pty.send("m");
    bench.pty.send("yyy");
    bench.wait("> yyy");
    assert!(!bench.root.path().join("work/made.txt").exists());
    bench.pty.send("\x1bo");
    bench.wait("y 这一次");
    // Keys of the first moment are nobody's answer, so the answer is given until it is taken.
    let deadline = Instant::now() + PATIENCE;
    while bench.pty.screen_text().contains("y 这一次") {
        assert!(Instant::now() < deadline, "the answer is not taken");
        bench.pty.send("y");
        std::thread::yield_now();
    }
    bench.wait("做完了");
    assert!(bench.root.path().join("work/made.txt").exists());
    assert_eq!(bench.quit(), 0);
}

#[test]
fn signals_give_the_terminal_back() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 143)] {
        let bench = Bench::start(SLOW, RUN, (120, 40));
        bench.wait("sleep 300");
        bench.pty.signal(signal);
        let status = bench.pty.wait_for_exit(Instant::now() + PATIENCE);
        assert_eq!(status.exit_code(), code, "{signal}");
        bench.pty.assert_restored();
    }
}

#[test]
fn a_closed_terminal_stops_the_run_and_it_can_go_on() {
    let mut bench = Bench::start(SLOW, RUN, (120, 40));
    bench.wait("sleep 300");
    bench.pty.hang_up();
    bench.pty.wait_for_exit(Instant::now() + PATIENCE);
    let manifest = bench.root.path().join("work/.flower/runs/manifest.json");
    let rows: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    assert_eq!(rows[0]["ok"], false);
}

#[test]
fn any_size_can_be_drawn_and_the_run_goes_on() {
    let mut bench = Bench::start(STORY, &run("3"), (120, 40));
    bench.wait("先看看");
    for (columns, rows) in [
        (1, 1),
        (40, 10),
        (3, 50),
        (200, 4),
        (80, 24),
        (2, 2),
        (400, 120),
        (120, 40),
    ] {
        bench.pty.resize(columns, rows);
    }
    bench.wait("做完了");
    bench.wait("走不通的路");
    assert_eq!(bench.quit(), 0);
}

#[test]
fn escape_sequences_of_others_never_reach_the_terminal() {
    let payload = r"\e]52;c;QQ==\a\e]0;owned\a\e[2J\e[?1049l\e[6n\e]";
    let story = STORY
        .replace(
            "    answer: 先看看。",
            &format!("    answer: \"看 {payload} 完\""),
        )
        .replace(
            "'echo looked'",
            "\"printf '\\\\033]0;owned2\\\\007\\\\033[2J\\\\033[?1049l\\\\n'\"",
        );
    let mut bench = Bench::start(&story, &run("2"), (120, 40));
    bench.wait("做完了");
    let raw = String::from_utf8_lossy(&bench.pty.raw_output()).into_owned();
    for bad in [
        "\u{1b}]52",
        "owned\u{7}",
        "owned2\u{7}",
        "\u{1b}[6n\u{1b}[6n",
    ] {
        assert!(!raw.contains(bad), "{bad:?} reached the terminal");
    }
    assert!(bench.pty.screen_text().contains("走不通的路"));
    assert_eq!(bench.quit(), 0);
}

#[test]
fn the_cursor_is_on_the_caret_also_behind_wide_characters() {
    let mut bench = Bench::start(STORY, &run("20"), (120, 40));
    bench.wait("还剩");
    bench.wait("调大超时");
    bench.pty.send("\x1b3\x1b[H中文，a");
    bench.wait("中文，a- 调大超时");
    let text = bench.pty.screen_text();
    let row = text
        .lines()
        .position(|line| line.contains("中文，a- 调大超时"))
        .unwrap();
    let line = text.lines().nth(row).unwrap();
    let before = &line[..line.find("中文，a").unwrap() + "中文，a".len()];
    let column = flower::cells::width(before);
    let (cursor_row, cursor_column, shown) = bench.pty.cursor();
    assert_eq!(
        (usize::from(cursor_row), usize::from(cursor_column), shown),
        (row, column, true)
    );
    bench.pty.send("\x07");
    bench.wait("做完了");
    assert_eq!(bench.quit(), 0);
}

#[test]
fn without_a_terminal_there_is_one_clear_sentence() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_flower"))
        .arg("x")
        .env_clear()
        .env("ANTHROPIC_API_KEY", "k")
        .env("FLOWER_WINDOW", "200k")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("needs a terminal") && message.contains("flower run"),
        "{message}"
    );
}

impl Drop for Bench {
    fn drop(&mut self) {
        // The server's tasks live in this runtime; it goes last.
        let _ = &self.runtime;
    }
}
