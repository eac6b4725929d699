//! Figures of the workbench in a terminal of 120 columns and 40 rows.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use flower::agent::scripted::{Scenario, ScriptedServer};
use portable_pty::CommandBuilder;

use super::pty::{self, PATIENCE, Pty};
use super::{distribution, figure};

const SIZE: (u16, u16) = (120, 40);

/// What a terminal says when it is asked at the start: no keyboard flags, both characters one cell
/// wide, a VT220.
const ANSWERS: &[u8] = b"\x1b[?0u\x1b[2;3R\x1b[?62c";

/// The end of every frame.
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// How often the program is started.
const STARTS: usize = 20;
/// Keys typed.
const KEYS: usize = 300;
/// How long frames under load are counted.
const LOAD: Duration = Duration::from_secs(10);
/// How long nothing happens.
const IDLE: Duration = Duration::from_secs(20);

/// A model that never stops asking: a text and twelve calls an answer, always the same tokens.
const FLOOD: &str = r"
model: claude-test
window: 1000000
usage: { floor_tokens: 0, chars_per_token: 4 }
task: { zh: 干, en: work }
rules:
  - name: flood
    usage: { input_tokens: 5000 }
    answer: 看看 src/lib.rs 里的这一段，再看测试说什么。 I read the next part and then the tests again.
    tools:
";
const FLOOD_CALL: &str = "      - { name: read, input: { path: notes.txt } }\n";
const FLOOD_CALLS: usize = 12;

fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

fn demo(home: &Path) -> CommandBuilder {
    let mut command = pty::command(env!("CARGO_BIN_EXE_flower"), home);
    command.env("FLOWER_LANG", "en");
    command.args(["demo", "--review", "off", "-w"]);
    command.arg(home.join("work"));
    command
}

/// From the start of the program to its first whole frame: in a terminal that answers questions at
/// once, and in one that never does.
pub(super) fn first_frame() {
    for (name, answers) in [("first_frame", ANSWERS), ("first_frame_mute_terminal", b"")] {
        let times = (0..STARTS).map(|_| {
            let home = tempfile::tempdir().unwrap();
            let began = Instant::now();
            let terminal = Pty::start_typed(demo(home.path()), SIZE.0, SIZE.1, answers);
            terminal.wait_for_bytes("a frame", deadline(), |raw| frames(raw) > 0);
            milliseconds(began.elapsed())
        });
        distribution(name, times.collect(), "ms");
    }
}

/// After the end of a run: what it costs to wait for a key, and how long a key takes.
pub(super) fn idle() {
    let home = tempfile::tempdir().unwrap();
    let mut command = demo(home.path());
    command.args(["--speed", "0"]);
    let mut terminal = Pty::start_typed(command, SIZE.0, SIZE.1, ANSWERS);
    terminal.wait_for_text("DONE", deadline());
    // The figures are of the rest, not of the last frames.
    std::thread::sleep(Duration::from_secs(1));
    let (cpu, wakes, output) = (
        cpu_seconds(&terminal),
        wake_ups(&terminal),
        terminal.raw_output().len(),
    );
    std::thread::sleep(IDLE);
    let raw = terminal.raw_output();
    figure("idle_20s_cpu", cpu_seconds(&terminal) - cpu, "s");
    let woken = wakes_between(&wakes, &wake_ups(&terminal));
    figure("idle_20s_wake_ups", woken as f64, "1");
    figure("idle_20s_frames", frames(&raw[output..]) as f64, "1");
    figure("idle_20s_output", (raw.len() - output) as f64, "B");
    typed(&mut terminal, "idle");
}

/// While events come as fast as the scripted model can send them.
pub(super) fn under_load() {
    let story = format!("{FLOOD}{}", FLOOD_CALL.repeat(FLOOD_CALLS));
    let scenario = Scenario::load(&story, Path::new("flood.yaml")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime
        .block_on(ScriptedServer::start(scenario, 0.0))
        .unwrap();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("notes.txt"), "a line of notes\n".repeat(8)).unwrap();
    let mut command = pty::command(env!("CARGO_BIN_EXE_flower"), home.path());
    command.env("FLOWER_LANG", "en");
    command.env("ANTHROPIC_BASE_URL", server.base_url());
    command.env("ANTHROPIC_API_KEY", "sk-test-0123456789");
    command.args(["work", "--permission", "full", "--window", "1m"]);
    let mut terminal = Pty::start_typed(command, SIZE.0, SIZE.1, ANSWERS);
    terminal.wait_for_text("notes.txt", deadline());
    let (events, cpu) = (journaled(home.path()), cpu_seconds(&terminal));
    let (start, began) = (terminal.raw_output().len(), Instant::now());
    let mut seen = start;
    let mut ends = Vec::new();
    terminal.wait_for_bytes("frames for a while", deadline(), |raw| {
        let now = Instant::now();
        // An end that came in two pieces is found with its second one.
        let from = seen.saturating_sub(FRAME_END.len() - 1).max(start);
        ends.extend(std::iter::repeat_n(now, frames(&raw[from..])));
        seen = raw.len();
        now - began >= LOAD
    });
    let seconds = began.elapsed().as_secs_f64();
    let events = journaled(home.path()) - events;
    figure("load_events_per_second", events as f64 / seconds, "1/s");
    figure("load_frames_per_second", ends.len() as f64 / seconds, "1/s");
    figure(
        "load_most_frames_in_a_second",
        most_in_a_second(&ends) as f64,
        "1",
    );
    figure(
        "load_bytes_per_frame",
        (seen - start) as f64 / ends.len() as f64,
        "B",
    );
    figure(
        "load_cpu",
        (cpu_seconds(&terminal) - cpu) / seconds,
        "cores",
    );
    typed(&mut terminal, "load");
}

/// Types into the third section and waits each time until the cursor stands behind the character.
fn typed(terminal: &mut Pty, when: &str) {
    terminal.send("\x1b3\x1b[1;5F");
    terminal.wait_until("the cursor", deadline(), |screen| !screen.hide_cursor());
    let (mut times, mut bytes) = (Vec::new(), Vec::new());
    for number in 0..KEYS {
        // Every hundredth of a second and a bit, so that keys meet every moment of a frame.
        std::thread::sleep(Duration::from_micros(10_000 + 137 * (number as u64 % 200)));
        let (row, column, _) = terminal.cursor();
        let output = terminal.raw_output().len();
        // Lines stay shorter than the pane.
        let key = if number % 40 == 39 { "\r" } else { "x" };
        let began = Instant::now();
        terminal.send(key);
        terminal.wait_until("the character", deadline(), |screen| {
            !screen.hide_cursor() && screen.cursor_position() != (row, column)
        });
        times.push(milliseconds(began.elapsed()));
        bytes.push((terminal.raw_output().len() - output) as f64);
    }
    distribution(&format!("key_to_frame_{when}"), times, "ms");
    distribution(&format!("key_bytes_{when}"), bytes, "B");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn frames(output: &[u8]) -> usize {
    output
        .windows(FRAME_END.len())
        .filter(|window| *window == FRAME_END)
        .count()
}

/// The most of these moments that lie within one second.
fn most_in_a_second(moments: &[Instant]) -> usize {
    let second = Duration::from_secs(1);
    let within =
        |first: usize| moments[first..].partition_point(|moment| *moment - moments[first] < second);
    (0..moments.len()).map(within).max().unwrap_or(0)
}

/// Events in the journals of a folder.
fn journaled(work: &Path) -> usize {
    std::fs::read_dir(work.join(".flower/runs/events"))
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .map(|journal| journal.iter().filter(|byte| **byte == b'\n').count())
        .sum()
}

/// Processor time the program has taken so far.
fn cpu_seconds(terminal: &Pty) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", terminal.pid())).unwrap();
    // The second field is a name in brackets and may hold anything.
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    // User and system time are fields 14 and 15, in hundredths of a second wherever Linux runs (proc(5)).
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

/// How often each thread of the program has waited and was woken so far.
fn wake_ups(terminal: &Pty) -> HashMap<OsString, u64> {
    std::fs::read_dir(format!("/proc/{}/task", terminal.pid()))
        .unwrap()
        .map(|thread| {
            let thread = thread.unwrap();
            let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            (thread.file_name(), line.unwrap().trim().parse().unwrap())
        })
        .collect()
}

/// Wake-ups between two counts, by the threads that are there at the end.
fn wakes_between(before: &HashMap<OsString, u64>, after: &HashMap<OsString, u64>) -> u64 {
    after
        .iter()
        .map(|(thread, count)| count - before.get(thread).unwrap_or(&0))
        .sum()
}
