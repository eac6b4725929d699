//! What the model is told of the tools. The texts and schemas are short: a local model may have
//! a window of 2,048 tokens for everything.

use serde_json::{Value, json};

use crate::model::ToolSpec;

/// The tools, by their place in [`specs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Bash,
    Read,
    Write,
    Edit,
    Search,
    Plan,
}

impl Tool {
    pub(super) const ALL: [Self; 6] = [
        Self::Bash,
        Self::Read,
        Self::Write,
        Self::Edit,
        Self::Search,
        Self::Plan,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Search => "search",
            Self::Plan => "plan",
        }
    }

    /// Finds a tool whatever the letter case: models that know `Bash` and `Read` use them so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tool| tool.name().eq_ignore_ascii_case(name))
    }

    fn description(self) -> &'static str {
        match self {
            Self::Bash => include_str!("../../assets/prompts/tools/bash.md"),
            Self::Read => include_str!("../../assets/prompts/tools/read.md"),
            Self::Write => include_str!("../../assets/prompts/tools/write.md"),
            Self::Edit => include_str!("../../assets/prompts/tools/edit.md"),
            Self::Search => include_str!("../../assets/prompts/tools/search.md"),
            Self::Plan => include_str!("../../assets/prompts/tools/plan.md"),
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Bash => object(
                json!({"command": {"type": "string"}, "timeout_s": {"type": "number"}}),
                &["command"],
            ),
            Self::Read => object(
                json!({
                    "path": {"type": "string"},
                    "offset": {"type": "integer"},
                    "limit": {"type": "integer"},
                }),
                &["path"],
            ),
            Self::Write => object(
                json!({"path": {"type": "string"}, "content": {"type": "string"}}),
                &["path", "content"],
            ),
            Self::Edit => object(
                json!({
                    "path": {"type": "string"},
                    "old": {"type": "string"},
                    "new": {"type": "string"},
                    "all": {"type": "boolean"},
                }),
                &["path", "old", "new"],
            ),
            Self::Search => object(
                json!({
                    "pattern": {"type": "string"},
                    "glob": {"type": "string"},
                    "path": {"type": "string"},
                    "ignore_case": {"type": "boolean"},
                    "limit": {"type": "integer"},
                }),
                &[],
            ),
            Self::Plan => object(
                json!({"items": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "status": {"type": "string", "enum": ["todo", "doing", "done"]},
                    },
                    "required": ["text", "status"],
                }}}),
                &["items"],
            ),
        }
    }
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

/// Lists the tools in the order they are always sent in.
pub(super) fn specs() -> Vec<ToolSpec> {
    Tool::ALL
        .into_iter()
        .map(|tool| ToolSpec {
            name: tool.name(),
            description: tool.description().trim_end().to_owned(),
            input_schema: tool.schema(),
        })
        .collect()
}
