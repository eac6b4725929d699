//! What can be wrong with a configuration file.

use std::path::PathBuf;

/// A configuration file that cannot be used; ends the start with exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {reason}; fix it, or name another file with --config", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The text is no valid configuration.
    #[error("{}:{line}:{column}: {message}{}", path.display(), suggestion.as_ref().map_or_else(String::new, |words| format!("; {words}")))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Key and what is wrong with its value.
        message: String,
        /// What was probably meant.
        suggestion: Option<String>,
    },
    /// The workspace's file sets something that only the person may decide.
    #[error("{}:{line}: `{key}` is not read from a workspace, because {reason}; put it into your own configuration, give it as a flag, or trust this file with --config", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// What a stranger's repository could do with it.
        reason: &'static str,
    },
}
