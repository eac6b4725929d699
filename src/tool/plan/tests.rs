use serde_json::json;

use super::*;

fn item(text: &str, status: PlanStatus) -> PlanItem {
    PlanItem {
        text: text.to_owned(),
        status,
    }
}

#[test]
fn plans_come_in_several_forms() {
    let input = json!({"todos": [
        {"text": "看代码", "status": "done"},
        {"content": "fix", "status": "in_progress"},
        {"text": "a", "status": "pending"},
        {"text": "b", "status": "completed"},
        {"text": "c"},
        "d",
    ]});
    let plan = parse(&Args::new("plan", &input).unwrap()).unwrap();
    assert_eq!(
        plan,
        [
            item("看代码", PlanStatus::Done),
            item("fix", PlanStatus::Doing),
            item("a", PlanStatus::Todo),
            item("b", PlanStatus::Done),
            item("c", PlanStatus::Todo),
            item("d", PlanStatus::Todo),
        ]
    );
    assert_eq!(summary(&plan), "Plan kept: 3 todo, 1 doing, 2 done.");
    assert_eq!(
        serde_json::to_value(&plan[1]).unwrap(),
        json!({"text": "fix", "status": "doing"})
    );
}

#[test]
fn bad_plans_say_which_item() {
    let rows = [
        (json!({}), "plan: `items` is missing (got no arguments)"),
        (
            json!({"items": "x"}),
            "plan: `items` must be a list, got the string \"x\"",
        ),
        (
            json!({"items": ["a", {"text": "b", "status": "later"}]}),
            "plan, item 2: `status` must be todo, doing or done, got \"later\"",
        ),
        (
            json!({"items": [{"text": " "}]}),
            "plan, item 1: `text` is empty",
        ),
        (
            json!({"items": [7]}),
            "plan, item 1: item: the arguments must be a JSON object, got the number 7",
        ),
        (
            json!({"items": ["字".repeat(400)]}),
            "plan, item 1: `text` has 1200 bytes, 1000 is the most",
        ),
        (
            json!({"items": vec!["x"; 101]}),
            "plan: 101 items are too many, 100 is the most; put several into one",
        ),
    ];
    for (input, want) in rows {
        let got = parse(&Args::new("plan", &input).unwrap()).unwrap_err();
        assert_eq!(got.to_string(), want);
    }
}
