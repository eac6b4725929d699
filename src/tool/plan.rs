//! The `plan` tool. In goes the model's list of steps; out comes the same list, typed. It lives
//! in memory and replaces the former one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolError;
use super::args::Args;

/// One step of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far a step of the plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    #[serde(alias = "pending")]
    Todo,
    /// Being worked on.
    #[serde(alias = "in_progress")]
    Doing,
    /// Finished.
    #[serde(alias = "completed")]
    Done,
}

/// Steps a plan may have.
const MOST_ITEMS: usize = 100;

/// Bytes a step may have.
const LONGEST_TEXT: usize = 1000;

/// Reads a plan from a call's arguments.
pub(super) fn parse(args: &Args<'_>) -> Result<Vec<PlanItem>, ToolError> {
    let items = args.list(&["items", "todos", "plan", "steps"])?;
    if items.len() > MOST_ITEMS {
        return Err(ToolError::new(format!(
            "plan: {} items are too many, {MOST_ITEMS} is the most; put several into one",
            items.len()
        )));
    }
    items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            parse_item(item)
                .map_err(|error| ToolError::new(format!("plan, item {}: {error}", at + 1)))
        })
        .collect()
}

fn parse_item(item: &Value) -> Result<PlanItem, ToolError> {
    if let Value::String(text) = item {
        return checked(text, PlanStatus::Todo);
    }
    let args = Args::new("item", item)?;
    let text = args.text(&["text", "content", "step", "title"])?;
    let status = match args.value(&["status", "state"]) {
        None => PlanStatus::Todo,
        Some(value) => PlanStatus::deserialize(value).map_err(|_| {
            ToolError::new(format!("`status` must be todo, doing or done, got {value}"))
        })?,
    };
    checked(text, status)
}

fn checked(text: &str, status: PlanStatus) -> Result<PlanItem, ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::new("`text` is empty"));
    }
    if text.len() > LONGEST_TEXT {
        return Err(ToolError::new(format!(
            "`text` has {} bytes, {LONGEST_TEXT} is the most",
            text.len()
        )));
    }
    Ok(PlanItem {
        text: text.to_owned(),
        status,
    })
}

/// Says in one line what was kept.
pub(super) fn summary(plan: &[PlanItem]) -> String {
    let count = |status| plan.iter().filter(|item| item.status == status).count();
    format!(
        "Plan kept: {} todo, {} doing, {} done.",
        count(PlanStatus::Todo),
        count(PlanStatus::Doing),
        count(PlanStatus::Done)
    )
}

#[cfg(test)]
mod tests;
