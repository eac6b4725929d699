//! A scenario file: YAML text comes in, a checked scenario goes out, and its sample workspace
//! onto the disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::step::{self, Pace, Rule, check_pace};
use super::usage::Rate;
use crate::config::{self, ConfigError};

/// The built-in story.
const DEFAULT_STORY: &str = include_str!("../../../assets/scenarios/default.yaml");

/// Why a scenario was refused.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The text is no YAML, has an unknown key or a bad value.
    #[error(transparent)]
    Yaml(#[from] ConfigError),
    /// Its parts do not fit together.
    #[error("{}:{line}: {message}", file.display())]
    Invalid {
        /// The scenario file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// A checked scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    model: String,
    window: u64,
    /// Whether a request without a key is refused.
    pub(super) require_key: bool,
    pub(super) rate: Rate,
    pub(super) pace: Pace,
    pub(super) rules: Vec<Rule>,
    workspace: Vec<SampleFile>,
    task: Task,
}

/// A scenario as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    model: String,
    window: u64,
    #[serde(default)]
    require_key: bool,
    usage: Rate,
    #[serde(default)]
    pace: Pace,
    #[serde(default)]
    workspace: Vec<WrittenFile>,
    task: Task,
    rules: Vec<step::Written>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    zh: String,
    en: String,
}

#[derive(Debug, Clone)]
struct SampleFile {
    path: PathBuf,
    content: String,
    mode: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    path: String,
    content: String,
    mode: Option<String>,
}

impl TryFrom<WrittenFile> for SampleFile {
    type Error = String;

    fn try_from(file: WrittenFile) -> Result<Self, String> {
        let path = PathBuf::from(&file.path);
        let inside = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if file.path.is_empty() || !inside {
            return Err(format!(
                "`{}` must be a path inside the workspace",
                file.path
            ));
        }
        let mode = match file.mode.as_deref() {
            None => 0o644,
            Some(mode) => u32::from_str_radix(mode, 8)
                .ok()
                .filter(|mode| (0o400..=0o777).contains(mode))
                .ok_or_else(|| format!("mode `{mode}` must be octal in quotes, such as \"755\""))?,
        };
        Ok(Self {
            path,
            content: file.content,
            mode,
        })
    }
}

impl Scenario {
    /// Reads a scenario; `path` is only named in errors.
    ///
    /// # Errors
    ///
    /// [`ScenarioError::Yaml`] for bad YAML, unknown keys and bad values;
    /// [`ScenarioError::Invalid`] for names used twice or unknown, and empty essentials.
    pub fn load(text: &str, path: &Path) -> Result<Self, ScenarioError> {
        let written: Written = config::yaml::parse(text, path)?;
        check(written).map_err(|fault| ScenarioError::Invalid {
            file: path.to_owned(),
            line: line_of(text, fault.key, fault.item),
            message: fault.message,
        })
    }

    /// The built-in story: a small project whose tests fail until the end.
    #[allow(
        clippy::expect_used,
        reason = "the text is part of the program and a test loads it"
    )]
    pub fn default_story() -> Self {
        Self::load(DEFAULT_STORY, Path::new("default.yaml")).expect("the built-in story is valid")
    }

    /// The task a person would type.
    pub fn task_text(&self, english: bool) -> &str {
        if english {
            &self.task.en
        } else {
            &self.task.zh
        }
    }

    /// Context window of the model, in tokens.
    pub fn window_tokens(&self) -> u64 {
        self.window
    }

    /// Name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Writes the sample workspace below `root`, which is made when missing.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` before anything is written when one of its files is there already,
    /// `InvalidInput` when a link would lead it out of `root`, and
    /// whatever the disk says.
    pub fn write_workspace(&self, root: &Path) -> io::Result<()> {
        let files = &self.workspace;
        for file in files {
            let path = root.join(&file.path);
            if fs::symlink_metadata(&path).is_ok() {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    format!(
                        "cannot write the sample workspace: {} exists; choose a new folder",
                        path.display()
                    ),
                ));
            }
        }
        fs::create_dir_all(root)?;
        let real_root = root.canonicalize()?;
        for file in files {
            if crate::disk::leads_outside(&real_root, &real_root.join(&file.path)) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!(
                        "cannot write the sample workspace: {} leads out of it through a link; choose a new folder",
                        root.join(&file.path).display()
                    ),
                ));
            }
        }
        for file in files {
            let path = root.join(&file.path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut out = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path)?;
            out.write_all(file.content.as_bytes())?;
            set_mode(&out, file.mode)?;
        }
        Ok(())
    }
}

#[cfg(unix)]
fn set_mode(file: &fs::File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &fs::File, _: u32) -> io::Result<()> {
    Ok(())
}

/// What does not fit together, and where.
struct Fault {
    /// Key at the top of the file.
    key: &'static str,
    /// Item of its list, from 0.
    item: Option<usize>,
    message: String,
}

fn check(written: Written) -> Result<Scenario, Fault> {
    let fault = |key, item, message: String| Fault { key, item, message };
    if written.model.trim().is_empty() {
        return Err(fault("model", None, "`model` is empty".to_owned()));
    }
    if !(1_000..=100_000_000).contains(&written.window) {
        let message = "`window` is from 1000 to 100000000 tokens".to_owned();
        return Err(fault("window", None, message));
    }
    if let Err(message) = check_pace(written.pace) {
        return Err(fault("pace", None, message));
    }
    if written.task.zh.trim().is_empty() || written.task.en.trim().is_empty() {
        return Err(fault(
            "task",
            None,
            "the task is empty in one language".to_owned(),
        ));
    }
    if written.rules.is_empty() {
        return Err(fault(
            "rules",
            None,
            "a scenario needs at least one rule".to_owned(),
        ));
    }
    let mut workspace: Vec<SampleFile> = Vec::new();
    for (item, file) in written.workspace.into_iter().enumerate() {
        let file = SampleFile::try_from(file).map_err(|why| fault("workspace", Some(item), why))?;
        if workspace.iter().any(|other| other.path == file.path) {
            let message = format!("two files `{}`", file.path.display());
            return Err(fault("workspace", Some(item), message));
        }
        workspace.push(file);
    }
    let mut rules: Vec<Rule> = Vec::new();
    for (item, rule) in written.rules.into_iter().enumerate() {
        let rule = Rule::try_from(rule).map_err(|why| fault("rules", Some(item), why))?;
        if rules.iter().any(|other| other.name == rule.name) {
            let message = format!("two rules named `{}`", rule.name);
            return Err(fault("rules", Some(item), message));
        }
        rules.push(rule);
    }
    for (item, rule) in rules.iter().enumerate() {
        let Some(after) = &rule.when.after else {
            continue;
        };
        if rules.iter().all(|other| other.name != *after) {
            let likeness = |other: &&Rule| strsim::jaro_winkler(&other.name, after);
            let nearest = rules
                .iter()
                .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
                .map_or("", |other| other.name.as_str());
            let message = format!(
                "rule `{}`: `after: {after}` names no rule; did you mean `{nearest}`?",
                rule.name
            );
            return Err(fault("rules", Some(item), message));
        }
    }
    Ok(Scenario {
        model: written.model,
        window: written.window,
        require_key: written.require_key,
        rate: written.usage,
        pace: written.pace,
        rules,
        workspace,
        task: written.task,
    })
}

/// Line of a top-level key, or of an item of its list, from 1. A list in braces has the line of
/// its key.
fn line_of(text: &str, key: &str, item: Option<usize>) -> usize {
    let mut lines = text.lines().enumerate();
    let is_key = |line: &str| {
        line.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(':'))
    };
    let Some((at, _)) = lines.by_ref().find(|(_, line)| is_key(line)) else {
        return 1;
    };
    let mut indent = None;
    let found = lines
        .take_while(|(_, line)| !line.starts_with(|c: char| c.is_alphabetic()))
        .filter(|(_, line)| {
            let rest = line.trim_start();
            let depth = line.len() - rest.len();
            (rest == "-" || rest.starts_with("- ")) && *indent.get_or_insert(depth) == depth
        })
        .nth(item.unwrap_or(usize::MAX));
    found.map_or(at, |(index, _)| index) + 1
}
