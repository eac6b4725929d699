//! Figures of the library without a screen: events of a run, and the memory of the event log.

use std::path::Path;
use std::time::{Duration, Instant};

use flower::agent::scripted::{Scenario, ScriptedServer};
use flower::app::log::Log;
use flower::config::{Lang, Permission};
use flower::model::Auth;
use flower::runtime::bus::Received;
use flower::runtime::event::{Event, EventKind};
use flower::runtime::spec::{Start, StepSpec};
use flower::texts::Texts;
use flower::{AgentSpec, CompactPolicy, HandoffPolicy, Runtime};

use super::figure;

/// Calls in the one answer of the run whose events are counted; each makes two events.
const CALLS: usize = 3_000;

const MANY: &str = r"
model: claude-test
window: 1000000
usage: { floor_tokens: 0, chars_per_token: 4 }
task: { zh: 干, en: work }
rules:
  - name: many
    at_turn: 1
    usage: { input_tokens: 5000 }
    tools:
";
const CALL: &str = r"
      - name: read
        input:
          path: notes.txt
";
const END: &str = r"
  - name: end
    usage: { input_tokens: 5000 }
    answer: done
";

/// Memory after many events, in the order in which a run tells them: some words, a call, its result.
pub(super) fn log_memory() {
    let texts = Texts::load(Lang::En).unwrap();
    let mut log = Log::new(&texts);
    log.set_size(60, 36);
    figure("log_memory_before", peak_memory_mib(), "MiB");
    let mut pushed = 0;
    for total in [100_000_u64, 1_000_000] {
        let (first, began) = (pushed, Instant::now());
        while pushed < total {
            log.push(&told(pushed), "12:00:00");
            pushed += 1;
        }
        let each = began.elapsed().as_secs_f64() * 1e6 / (total - first) as f64;
        figure(
            &format!("log_memory_after_{total}"),
            peak_memory_mib(),
            "MiB",
        );
        figure(&format!("log_push_up_to_{total}"), each, "us");
    }
    figure("log_entries", log.len() as f64, "1");
    figure("log_bytes", log.bytes() as f64, "B");
}

fn told(number: u64) -> Event {
    let call = (number / 3).to_string();
    let kind = match number % 3 {
        0 => EventKind::Text {
            text: format!("第 {number} 步：看看 src/lib.rs 里的这一段，再跑一次测试。"),
            partial: false,
            from_person: false,
        },
        1 => EventKind::ToolCall {
            id: call,
            name: "bash".to_owned(),
            input: serde_json::json!({ "command": format!("sh tests/run.sh --case {number}") }),
        },
        _ => EventKind::ToolResult {
            id: call,
            text: "ok plain\nok quoted\nnot ok crlf\n".repeat(10),
            is_error: false,
        },
    };
    Event {
        seq: number + 1,
        time: "2026-12-01T12:00:00.000Z".to_owned(),
        kind,
    }
}

/// The most memory this process ever had, in MiB.
fn peak_memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kib / 1024.0
}

/// Events a second from the session over the journal to a front end, in a run whose model asks for
/// thousands of cheap calls in one answer. Counted from the first call to the last result.
pub(super) fn events() {
    let story = format!("{MANY}{}{END}", CALL.repeat(CALLS));
    let scenario = Scenario::load(&story, Path::new("many.yaml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "a line of notes\n").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (count, taken) = runtime.block_on(async {
        let server = ScriptedServer::start(scenario, 0.0).await.unwrap();
        let bench = Runtime::builder()
            .workspace(folder.path())
            .handoff(HandoffPolicy {
                window: 1_000_000,
                ..HandoffPolicy::default()
            })
            .build()
            .unwrap();
        let (mut handle, mut events) = bench.start(agent(server.base_url()), step()).unwrap();
        let (mut first, mut last, mut count) = (None, None, 0_u32);
        let mut take = |received: &Received| {
            let counts = match received {
                Received::Event(sent) => matches!(
                    sent.event.kind,
                    EventKind::ToolCall { .. } | EventKind::ToolResult { .. }
                ),
                Received::Lost { .. } => false,
            };
            if counts {
                let now = Instant::now();
                first.get_or_insert(now);
                last = Some(now);
                count += 1;
            }
        };
        while let Some(received) = events.next().await {
            take(&received);
        }
        let result = handle.wait().await.unwrap();
        assert!(result.ok(), "{:?}", result.failure);
        for received in events.rest(result.last_seq) {
            take(&received);
        }
        (count, last.unwrap() - first.unwrap())
    });
    figure("run_events", f64::from(count), "1");
    figure(
        "run_events_per_second",
        f64::from(count) / taken.as_secs_f64(),
        "1/s",
    );
}

fn step() -> StepSpec {
    StepSpec {
        name: "bench".to_owned(),
        task: Some("work".to_owned()),
        start: Start::New,
        max_turns: None,
        max_budget_usd: None,
    }
}

fn agent(base_url: String) -> AgentSpec {
    AgentSpec {
        model: "claude-test".to_owned(),
        base_url,
        auth: Auth::None,
        max_output_tokens: None,
        thinking_budget_tokens: None,
        permission: Permission::Full,
        allow: Vec::new(),
        bash_timeout: Duration::from_secs(10),
        idle_timeout: Duration::from_secs(60),
        connect_timeout: Duration::from_secs(10),
        use_proxy: false,
        overflow_patterns: Vec::new(),
        prices: None,
        compact: CompactPolicy::Auto,
    }
}
