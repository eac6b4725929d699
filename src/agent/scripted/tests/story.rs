//! The built-in story: its figures, its languages, and its end wherever the swap falls.

use serde_json::{Value, json};

use super::player::{Player, ZH_REQUEST, opening, play, request};
use super::raw::{Got, post};
use crate::agent::scripted::{Scenario, ScriptedServer};

fn headings(document: &str) -> Vec<&str> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect()
}

#[tokio::test]
async fn the_story_fills_a_generation_and_a_second_one_finishes() {
    for english in [false, true] {
        let played = play(Player {
            english,
            ..Player::default()
        })
        .await;
        let (first, second) = (&played.readings[0], &played.readings[1]);
        assert_eq!(played.readings.len(), 2);
        let near = |mark: u64| first.iter().any(|reading| reading.abs_diff(mark) < 5_000);
        assert!(!near(130_000) && !near(150_000), "{first:?}");
        assert!(
            first
                .iter()
                .any(|reading| (137_000..141_000).contains(reading)),
            "{first:?}"
        );
        assert!(
            (160_000..168_000).contains(first.last().unwrap()),
            "{first:?}"
        );
        assert!(first.is_sorted());
        assert!(second.iter().max().unwrap() < &60_000, "{second:?}");
        assert!(
            (60_000..90_000).contains(&played.wait_ms),
            "{} ms",
            played.wait_ms
        );
        let expected = match english {
            false => ["现在在做什么", "已经定下的", "走不通的路", "下一步", "现场"],
            true => ["Doing", "Decided", "Dead ends", "Next", "Scene"],
        };
        assert_eq!(headings(&played.documents[0]), expected);
        assert!(played.rules.contains(&"try sed".to_owned()));
        assert!(played.rules.contains(&"drop sed".to_owned()));
        let han = |text: &String| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        assert_eq!(played.texts.iter().any(han), !english);
        assert_eq!(played.texts.iter().all(han), !english);
    }
}

#[tokio::test]
async fn the_story_ends_well_wherever_the_swap_falls() {
    for (at, generations) in [
        (u64::MAX, 1),
        (100_000, 2),
        (70_000, 2),
        (50_000, 2),
        (40_000, 2),
        (37_500, 5),
    ] {
        let played = play(Player {
            at,
            ..Player::default()
        })
        .await;
        assert_eq!(
            played.readings.len(),
            generations,
            "{at}: {:?}",
            played.rules
        );
        for document in &played.documents {
            assert_eq!(headings(document).len(), 5, "{document}");
        }
    }
}

#[tokio::test]
async fn a_hand_made_edit_is_quoted_by_the_successor_and_inherited() {
    let edit = |document: String| match document.split_once("## 走不通的路\n") {
        Some((before, after)) if !document.contains("别碰发票") => {
            format!("{before}## 走不通的路\n- 别碰发票目录 <手写>\n{after}")
        }
        _ => document,
    };
    let played = play(Player {
        at: 37_500,
        edit,
        ..Player::default()
    })
    .await;
    let quoted = |text: &&String| text.contains("- 别碰发票目录 <手写>");
    assert_eq!(
        played.texts.iter().filter(quoted).count(),
        played.readings.len() - 1
    );
    assert!(
        played
            .documents
            .iter()
            .skip(1)
            .all(|document| document.contains("<手写>"))
    );
}

#[tokio::test]
async fn words_in_between_are_answered_and_the_story_goes_on() {
    for nth in [1, 3, 4, 6, 9, 12, 15, 19] {
        let aside = Some((nth, "顺便问一句,{{x}} 会不会很慢?"));
        let played = play(Player {
            aside,
            ..Player::default()
        })
        .await;
        let noted = |text: &&String| text.starts_with("收到：“顺便问一句,{{x}} 会不会很慢?”");
        assert_eq!(
            played.texts.iter().filter(noted).count(),
            1,
            "{nth} {:#?}",
            played.texts
        );
    }
}

/// One answer to a conversation that goes on from a first message.
async fn answer_to(server: &ScriptedServer, messages: &Value) -> Got {
    post(server, &request(messages.as_array().unwrap())).await
}

fn call_and_result(result: &str, words: &str) -> [Value; 2] {
    [
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "sh tests/run.sh"}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": result, "is_error": true},
            {"type": "text", "text": words},
        ]}),
    ]
}

#[tokio::test]
async fn an_unwritten_handoff_is_taken_over_by_looking_first() {
    let server = ScriptedServer::start(Scenario::default_story(), 0.0)
        .await
        .unwrap();
    let first = "接手。\n## 现在在做什么\n[降级:交接没写成] 干活\n## 下一步\n先看\n";
    let got = answer_to(&server, &json!([{"role": "user", "content": first}])).await;
    assert!(got.text().starts_with("上一棒没来得及写交接"));
    assert_eq!(got.blocks().len(), 3);
}

#[tokio::test]
async fn an_english_story_keeps_its_language_under_chinese_headings() {
    let server = ScriptedServer::start(Scenario::default_story(), 0.0)
        .await
        .unwrap();
    let mut messages =
        vec![json!({"role": "user", "content": Scenario::default_story().task_text(true)})];
    messages.extend(call_and_result(
        "ok quoted\ntests: 3 passed, 3 failed",
        ZH_REQUEST,
    ));
    let document = answer_to(&server, &json!(messages)).await.text();
    assert_eq!(
        headings(&document),
        ["现在在做什么", "已经定下的", "走不通的路", "下一步", "现场"]
    );
    assert!(
        document.contains("the last run said tests: 3 passed, 3 failed"),
        "{document}"
    );
    let taken = answer_to(
        &server,
        &json!([{"role": "user", "content": opening(&document)}]),
    )
    .await;
    assert!(taken.text().starts_with("I take over."), "{}", taken.text());
}

#[tokio::test]
async fn a_person_who_only_talks_gets_a_word_and_continue_goes_on() {
    let server = ScriptedServer::start(Scenario::default_story(), 0.0)
        .await
        .unwrap();
    let task = json!({"role": "user", "content": "修 tests/run.sh"});
    let said = json!({"role": "assistant", "content": "先看"});
    let talk = |words: &str| json!([task, said, {"role": "user", "content": words}]);
    let got = answer_to(&server, &talk("这是什么项目?")).await;
    assert_eq!(
        got.text(),
        "收到：“这是什么项目?”。说“继续”，我就接着修测试。"
    );
    for words in ["继续", "好,接着做", "continue"] {
        let got = answer_to(&server, &talk(words)).await;
        assert_eq!(
            got.blocks()[1]["input"],
            json!({"command": "sh tests/run.sh"}),
            "{words}"
        );
    }
}

#[tokio::test]
async fn a_call_that_was_not_run_is_repeated_when_asked_and_not_for_ever() {
    let server = ScriptedServer::start(Scenario::default_story(), 0.0)
        .await
        .unwrap();
    let mut messages = vec![json!({"role": "user", "content": "修 tests/run.sh"})];
    messages.extend(call_and_result("interrupted", "怎么停了?"));
    let got = answer_to(&server, &json!(messages)).await;
    assert!(got.text().starts_with("收到：“怎么停了?”"));
    assert_eq!(got.blocks().len(), 2);
    messages[2]["content"].as_array_mut().unwrap().pop();
    let stuck = answer_to(&server, &json!(messages)).await;
    assert!(stuck.text().starts_with("我停在这里"), "{}", stuck.text());
    assert_eq!(stuck.blocks().len(), 1);
}
