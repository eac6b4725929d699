//! The words of the screen around its panes.

use serde::Deserialize;

/// The words of the screen around its panes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppTexts {
    /// Name of the message's pane.
    pub message_title: String,
    /// The empty message line during a run.
    pub message_hint: String,
    /// The empty message line when no run is on.
    pub task_hint: String,
    /// A message was taken.
    pub message_waits: String,
    /// Begins a correction that is sent to the agent.
    pub correction: String,
    /// An interrupt was taken.
    pub interrupting: String,
    /// An interrupt came while no run is on.
    pub again_to_quit: String,
    /// A review began while the person was busy elsewhere.
    pub review_elsewhere: String,
    /// There is no document to open.
    pub no_document: String,
    /// Keys that matter in the log.
    pub keys_log: String,
    /// Keys that matter in a text.
    pub keys_text: String,
    /// Keys that matter during a review.
    pub keys_review: String,
    /// Whether to end during a run.
    pub quit: String,
    /// Title of a permission question.
    pub permission: String,
    /// Its answers.
    pub permission_keys: String,
    /// Title of the box for a section that was changed on both sides.
    pub conflict: String,
    /// The person's version.
    pub conflict_mine: String,
    /// The version on disk.
    pub conflict_theirs: String,
    /// Both sets of changes together.
    pub conflict_result: String,
    /// The keys that choose.
    pub conflict_keys: String,
    /// The agent wants to run a command.
    pub wants_run: String,
    /// The agent wants to change a file.
    pub wants_change: String,
    /// The agent wants to use another tool.
    pub wants_other: String,
    /// What each command does, for the help.
    pub commands: CommandTexts,
}

/// What each command does, for the help.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    missing_docs,
    reason = "each field is named after the command it describes"
)]
pub struct CommandTexts {
    pub next_pane: String,
    pub previous_pane: String,
    pub section: String,
    pub save: String,
    pub swap: String,
    pub hold_or_count: String,
    pub send_correction: String,
    pub interrupt: String,
    pub message: String,
    pub external_editor: String,
    pub open_top: String,
    pub archive: String,
    pub help: String,
    pub quit: String,
    pub repaint: String,
    pub leave: String,
    pub scroll_up: String,
    pub scroll_down: String,
    pub scroll_page_up: String,
    pub scroll_page_down: String,
    pub scroll_home: String,
    pub scroll_end: String,
    pub expand: String,
}
