//! What a tool call may do. In go the mode, what was granted and what the call wants; out comes
//! a [`Decision`]. Nothing here touches a file or asks anybody.

use serde_json::Value;
use tokio::sync::oneshot;

use super::place::Place;
use crate::config::Permission;

/// What one call wants to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Reads a file, lists a directory or searches below it.
    Look {
        /// Where it lies.
        place: Place,
        /// The path as the model gave it.
        path: String,
    },
    /// Creates or changes a file.
    Change {
        /// Where it lies.
        place: Place,
        /// The path as the model gave it.
        path: String,
    },
    /// Runs a shell command.
    Run {
        /// The command.
        command: String,
    },
    /// Keeps the plan, which lives in memory.
    Note,
}

/// What is granted beside the mode: by the configuration, and by the person during this run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Command prefixes, compared word by word; see [`decide`].
    pub prefixes: Vec<String>,
    /// Whether files inside the workspace may be changed in [`Permission::Ask`].
    pub changes: bool,
}

impl Grants {
    /// Remembers what "always" means for this access: a command's prefix, or changes of files
    /// inside the workspace. A compound command leaves nothing to remember.
    pub fn remember(&mut self, access: &Access) {
        match access {
            Access::Run { command } => {
                if let Some(prefix) = prefix_of(command)
                    && !self.prefixes.contains(&prefix)
                {
                    self.prefixes.push(prefix);
                }
            }
            Access::Change {
                place: Place::Inside,
                ..
            } => self.changes = true,
            Access::Change { .. } | Access::Look { .. } | Access::Note => {}
        }
    }
}

/// What is done with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Allow,
    /// A person decides.
    Ask {
        /// What it would do and why that needs a person.
        why: String,
    },
    /// It does not run.
    Refuse {
        /// Why, and how it could be permitted.
        why: String,
    },
}

/// A question to the person; dropping `reply` means no.
#[derive(Debug)]
pub struct PermissionRequest {
    /// Id of the tool call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The call's arguments, as the model gave them.
    pub input: Value,
    /// What it would do and what "always" would permit.
    pub why: String,
    /// Takes the answer.
    pub reply: oneshot::Sender<PermissionAnswer>,
}

/// The person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// This call may run.
    Once,
    /// This call may run, and others like it for the rest of the run.
    AlwaysPrefix,
    /// This call may not run.
    No,
}

/// Decides about one access.
///
/// A prefix permits a command when its words are the command's first words and the command is a
/// simple one: anything that chains, substitutes, expands a variable, redirects or sets a
/// variable matches no prefix. Quoted or escaped characters do not count as such.
pub fn decide(mode: Permission, grants: &Grants, access: &Access) -> Decision {
    if let Access::Change {
        place: Place::Protected,
        path,
    } = access
    {
        return Decision::Refuse {
            why: format!(
                "{path} is a file this run depends on and is never changed by tools, in any mode"
            ),
        };
    }
    match (mode, access) {
        (Permission::Full, _) | (_, Access::Note) => Decision::Allow,
        (Permission::Ask | Permission::Edit, Access::Look { place, path }) => match place {
            Place::Inside | Place::Guarded | Place::Protected => Decision::Allow,
            Place::Outside => Decision::Refuse {
                why: format!(
                    "{path} is outside the workspace, which mode `{mode}` does not reach. {FULL}"
                ),
            },
        },
        (Permission::Edit, Access::Change { place, path }) => match place {
            Place::Inside => Decision::Allow,
            Place::Outside => Decision::Refuse {
                why: format!(
                    "{path} is outside the workspace, where mode `edit` changes nothing. {FULL}"
                ),
            },
            Place::Guarded | Place::Protected => Decision::Refuse {
                why: format!(
                    "{path} belongs to git or to flower itself and is not changed in mode `edit`. \
                     {FULL}"
                ),
            },
        },
        (Permission::Ask, Access::Change { place, path }) => match place {
            Place::Inside if grants.changes => Decision::Allow,
            Place::Inside => Decision::Ask {
                why: format!(
                    "{path} would be changed; \"always\" permits all files of the workspace"
                ),
            },
            Place::Outside => Decision::Ask {
                why: format!("{path} would be changed, outside the workspace"),
            },
            Place::Guarded | Place::Protected => Decision::Ask {
                why: format!("{path} would be changed, which belongs to git or to flower itself"),
            },
        },
        (_, Access::Run { command }) if permits(&grants.prefixes, command) => Decision::Allow,
        (Permission::Edit, Access::Run { .. }) => Decision::Refuse {
            why: format!(
                "mode `edit` runs only allowed commands: {}",
                allowed(grants)
            ),
        },
        (Permission::Ask, Access::Run { command }) => Decision::Ask {
            why: match prefix_of(command) {
                Some(prefix) => format!(
                    "the command would run; \"always\" permits every simple command that starts \
                     with `{prefix}`"
                ),
                None => "the command would run; it is a compound one, so \"always\" means once"
                    .to_owned(),
            },
        },
    }
}

const FULL: &str = "The person can permit it with `--permission full`";

fn allowed(grants: &Grants) -> String {
    let list = if grants.prefixes.is_empty() {
        "none".to_owned()
    } else {
        let quoted: Vec<String> = grants.prefixes.iter().map(|p| format!("`{p}`")).collect();
        format!(
            "{} (with any arguments, but alone: no ; | & < > $ ` ( ) and no VAR=x in front)",
            quoted.join(", ")
        )
    };
    format!(
        "{list}. The person can permit more with an `allow` prefix in the configuration or with \
         `--permission full`. Use the other tools, or say in your answer what could not be run"
    )
}

fn permits(prefixes: &[String], command: &str) -> bool {
    let Some(words) = simple_words(command) else {
        return false;
    };
    prefixes
        .iter()
        .any(|prefix| simple_words(prefix).is_some_and(|prefix| words.starts_with(&prefix)))
}

/// Programs that run whatever their arguments say: one word of these would permit everything.
const RUNNERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "fish", "ksh", "env", "sudo", "doas", "su", "xargs", "eval",
    "exec", "command", "builtin", "nohup", "time", "timeout", "nice", "setsid", "ssh", "python",
    "python3", "perl", "ruby", "node", "awk", "find", "docker", "podman",
];

/// Returns the prefix that "always" grants for a command: its first word, with the second when
/// that names a subcommand; all words for programs that run others. `None` for a compound one.
pub fn prefix_of(command: &str) -> Option<String> {
    let words = simple_words(command)?;
    let (first, rest) = words.split_first()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let taken = if RUNNERS.contains(&name) {
        words.len()
    } else if rest.first().is_some_and(|word| is_subcommand(word)) {
        2
    } else {
        1
    };
    Some(
        words[..taken]
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

fn is_subcommand(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == ':')
}

/// A remembered prefix is read again as shell words, so odd words are kept in quotes.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The words of a command that is one simple command, or `None` for anything more.
fn simple_words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.trim_matches([' ', '\t', '\n']).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        inner => text.push(inner),
                    }
                }
            }
            '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match chars.next()? {
                            '\n' => {}
                            kept @ ('$' | '`' | '"' | '\\') => text.push(kept),
                            other => text.extend(['\\', other]),
                        },
                        inner => text.push(inner),
                    }
                }
            }
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => word.get_or_insert_default().push(escaped),
            },
            ';' | '&' | '|' | '`' | '$' | '(' | ')' | '<' | '>' => return None,
            c if c.is_control() => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    // `VAR=x program` changes what the program does (PATH, LD_PRELOAD, GIT_PAGER).
    match words.first() {
        None => None,
        Some(first) if first.contains('=') => None,
        Some(_) => Some(words),
    }
}

#[cfg(test)]
mod tests;
