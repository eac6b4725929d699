//! What our own agent may do. In go a model's tool calls; out come texts for the model, whatever
//! happens: a fault, a refusal and a missing argument are answers too.
//!
//! `permission` decides, `place` says where a path leads, `reaper` sees that no command outlives
//! the run, and one file holds each tool. Results are raw: whoever draws them on a terminal takes
//! escape sequences away.

mod args;
mod bash;
mod clip;
mod edit;
mod files;
mod mention;
mod permission;
mod place;
mod plan;
mod reaper;
mod search;
mod spec;
mod spill;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

pub use mention::{Mentions, expand_mentions, rules};
pub use permission::{
    Access, Decision, Grants, PermissionAnswer, PermissionRequest, decide, prefix_of,
};
pub use place::Place;
pub use plan::{PlanItem, PlanStatus};

use crate::config::Permission;
use crate::model::ToolSpec;
use args::Args;
use bash::Bash;
use place::{Places, Target};
use reaper::{Groups, Programs};
use search::Query;
use spec::Tool;

/// Bytes of one result that a model gets at most, unless told otherwise: about 7,500 tokens of
/// English text.
pub const DEFAULT_OUTPUT_CAP: usize = 30_000;

/// The smallest cap that is kept; below it not even an error message has room.
const SMALLEST_CAP: usize = 256;

/// Room above the cap for what a tool says beside its output: endings, names of files.
const NOTES: usize = 2_000;

/// Where and how far tools work.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Folder commands run in and relative paths start from.
    pub workspace: PathBuf,
    /// How far the agent may go without a person.
    pub permission: Permission,
    /// Command prefixes that may run without asking, such as `cargo test`.
    pub allow: Vec<String>,
    /// Time limit of a command that asks for none.
    pub bash_timeout: Duration,
    /// Folder that takes outputs too long for a result; without one their middle is lost.
    pub spill_dir: Option<PathBuf>,
    /// Files and folders no tool but bash changes in any mode, relative to the workspace or absolute.
    pub protected: Vec<PathBuf>,
}

/// A tool call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Id that ties the result to the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments, as the model gave them.
    pub input: Value,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// What the model reads.
    pub text: String,
    /// Whether the call failed or was refused, or its command ended with a status other than 0.
    pub is_error: bool,
}

/// A fault on the way to a result. All end the same way, as text for the model.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct ToolError(String);

impl ToolError {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A tool's answer.
struct Reply {
    text: String,
    failed: bool,
}

impl Reply {
    fn good(text: String) -> Self {
        Self {
            text,
            failed: false,
        }
    }
}

/// The tools of one run. Dropping it ends the commands that still run.
#[derive(Debug)]
pub struct Toolbox {
    places: Arc<Places>,
    permission: Permission,
    bash_timeout: Duration,
    spill_dir: Option<PathBuf>,
    cap: usize,
    asker: Option<mpsc::Sender<PermissionRequest>>,
    grants: Mutex<Grants>,
    plan: Mutex<Vec<PlanItem>>,
    /// Held while a file is changed: two edits of one answer may run side by side.
    changing: Arc<Mutex<()>>,
    programs: Programs,
    groups: Groups,
}

impl Toolbox {
    /// Makes the tools for a workspace.
    pub fn new(context: ToolContext) -> Self {
        let places = Places::new(&context.workspace, &context.protected);
        Self {
            spill_dir: context.spill_dir.map(|dir| places.root().join(dir)),
            places: Arc::new(places),
            permission: context.permission,
            bash_timeout: context.bash_timeout,
            cap: DEFAULT_OUTPUT_CAP,
            asker: None,
            grants: Mutex::new(Grants {
                prefixes: context.allow,
                changes: false,
            }),
            plan: Mutex::default(),
            changing: Arc::default(),
            programs: Programs::find(),
            groups: Groups::default(),
        }
    }

    /// Sends questions for permission to a person; without this they count as answered with no.
    #[must_use]
    pub fn with_asker(mut self, asker: mpsc::Sender<PermissionRequest>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Sets the largest result, in bytes; at least 256 are kept.
    #[must_use]
    pub fn with_output_cap(mut self, bytes: usize) -> Self {
        self.cap = bytes.max(SMALLEST_CAP);
        self
    }

    /// Lists the tools for the model, always in the same order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        spec::specs()
    }

    /// Returns the plan as the model last gave it.
    pub fn plan(&self) -> Vec<PlanItem> {
        lock(&self.plan).clone()
    }

    /// Tells every command that still runs to end: TERM at once, KILL after two seconds for what
    /// is left, even when this process is gone by then.
    pub fn shutdown(&self) {
        self.groups.shutdown();
    }

    /// Runs one call. Dropping the future ends a command that it runs.
    pub async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let (text, is_error) = match self.answer(call).await {
            Ok(reply) => (reply.text, reply.failed),
            Err(error) => (error.to_string(), true),
        };
        ToolOutcome {
            text: clip::middle(text, self.cap + NOTES),
            is_error,
        }
    }

    async fn answer(&self, call: &ToolCall) -> Result<Reply, ToolError> {
        let Some(tool) = Tool::named(&call.name) else {
            return Err(ToolError::new(format!(
                "there is no tool {:?}; there are {}",
                call.name,
                Tool::ALL.map(Tool::name).join(", ")
            )));
        };
        let args = Args::new(tool.name(), &call.input)?;
        match tool {
            Tool::Bash => self.bash(call, &args).await,
            Tool::Read => self.read(call, &args).await,
            Tool::Write => self.write(call, &args).await,
            Tool::Edit => self.edit(call, &args).await,
            Tool::Search => self.search(call, &args).await,
            Tool::Plan => {
                let plan = plan::parse(&args)?;
                let said = plan::summary(&plan);
                *lock(&self.plan) = plan;
                Ok(Reply::good(said))
            }
        }
    }

    async fn bash(&self, call: &ToolCall, args: &Args<'_>) -> Result<Reply, ToolError> {
        let command = args.text(&["command", "cmd", "script"])?;
        if command.trim().is_empty() {
            return Err(ToolError::new("bash: `command` is empty"));
        }
        let limit = args
            .seconds_if(&["timeout_s", "timeout", "timeout_seconds"])?
            .map_or(self.bash_timeout, |asked| asked.min(bash::LONGEST));
        self.permit(
            call,
            Access::Run {
                command: command.to_owned(),
            },
        )
        .await?;
        Bash {
            programs: &self.programs,
            groups: &self.groups,
            places: &self.places,
            spill_dir: self.spill_dir.as_deref(),
            cap: self.cap,
        }
        .run(command, limit)
        .await
    }

    async fn read(&self, call: &ToolCall, args: &Args<'_>) -> Result<Reply, ToolError> {
        let target = self.places.target(args.text(PATH)?)?;
        let offset = args.count_if(&["offset", "start", "line"])?.unwrap_or(1);
        let limit = args.count_if(&["limit", "lines"])?.filter(|n| *n > 0);
        self.permit(call, look(&target)).await?;
        let cap = self.cap;
        blocking(move || files::read(&target, offset, limit, cap)).await
    }

    async fn write(&self, call: &ToolCall, args: &Args<'_>) -> Result<Reply, ToolError> {
        let target = self.places.target(args.text(PATH)?)?;
        let content = args
            .text(&["content", "contents", "text", "file_text"])?
            .to_owned();
        self.permit(call, change(&target)).await?;
        let changing = self.changing.clone();
        blocking(move || {
            let _one_at_a_time = lock(&changing);
            files::write(&target, &content)
        })
        .await
    }

    async fn edit(&self, call: &ToolCall, args: &Args<'_>) -> Result<Reply, ToolError> {
        let target = self.places.target(args.text(PATH)?)?;
        let old = args.text(&["old", "old_string", "old_str"])?.to_owned();
        let new = args.text(&["new", "new_string", "new_str"])?.to_owned();
        let all = args.flag(&["all", "replace_all"])?;
        self.permit(call, change(&target)).await?;
        let changing = self.changing.clone();
        blocking(move || {
            let _one_at_a_time = lock(&changing);
            edit::edit(&target, &old, &new, all)
        })
        .await
    }

    async fn search(&self, call: &ToolCall, args: &Args<'_>) -> Result<Reply, ToolError> {
        let given = args.text_if(&["path", "dir", "directory"])?.unwrap_or("");
        let target = self
            .places
            .target(if given.is_empty() { "." } else { given })?;
        let text = |names: &[&str]| args.text_if(names).map(|text| text.map(str::to_owned));
        let query = Query {
            pattern: text(&["pattern", "query", "regex"])?,
            glob: text(&["glob", "include"])?.filter(|glob| !glob.is_empty()),
            ignore_case: args.flag(&["ignore_case", "case_insensitive", "-i"])?,
            limit: args
                .count_if(&["limit", "head_limit", "max_results"])?
                .filter(|n| *n > 0)
                .unwrap_or(search::DEFAULT_LIMIT),
        };
        self.permit(call, look(&target)).await?;
        let (places, cap) = (self.places.clone(), self.cap);
        // Nobody reads the answer once the caller has dropped its half: then the search ends too.
        let (alive, _held) = oneshot::channel::<()>();
        blocking(move || search::search(&places, &target, &query, cap, &|| alive.is_closed())).await
    }

    /// Goes on only with permission, which a person may have to give.
    async fn permit(&self, call: &ToolCall, access: Access) -> Result<(), ToolError> {
        let decision = decide(self.permission, &lock(&self.grants), &access);
        let why = match decision {
            Decision::Allow => return Ok(()),
            Decision::Refuse { why } => {
                return Err(ToolError::new(format!("Refused: {why}.")));
            }
            Decision::Ask { why } => why,
        };
        let Some(asker) = &self.asker else {
            return Err(ToolError::new(format!(
                "Refused: {why}, and mode `ask` has nobody to ask here. The person can permit it \
                 with `--permission edit` (files of the workspace), an `allow` prefix in the \
                 configuration (commands) or `--permission full`."
            )));
        };
        let (reply, answer) = oneshot::channel();
        let request = PermissionRequest {
            id: call.id.clone(),
            name: call.name.clone(),
            input: call.input.clone(),
            why,
            reply,
        };
        let answer = match asker.send(request).await {
            Ok(()) => answer.await.unwrap_or(PermissionAnswer::No),
            Err(_) => PermissionAnswer::No,
        };
        match answer {
            PermissionAnswer::Once => Ok(()),
            PermissionAnswer::AlwaysPrefix => {
                lock(&self.grants).remember(&access);
                Ok(())
            }
            PermissionAnswer::No => Err(ToolError::new(
                "Refused: the person said no. Do it another way, or ask them in your answer.",
            )),
        }
    }
}

const PATH: &[&str] = &["path", "file_path", "file", "filename"];

fn look(target: &Target) -> Access {
    Access::Look {
        place: target.place,
        path: target.shown.clone(),
    }
}

fn change(target: &Target) -> Access {
    Access::Change {
        place: target.place,
        path: target.shown.clone(),
    }
}

/// Runs file work where it may block.
async fn blocking(
    work: impl FnOnce() -> Result<String, ToolError> + Send + 'static,
) -> Result<Reply, ToolError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ToolError::new(format!("the tool broke off: {error}")))?
        .map(Reply::good)
}

/// A panic elsewhere leaves these values whole: each is replaced in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
