//! The configuration files that are there, the stronger over the weaker, and which of them said what.

use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

use super::{ConfigError, Env, FileConfig, Permission, yaml};
use crate::disk;

/// Name of the file in the workspace.
const WORKSPACE_FILE: &str = "flower.yaml";

/// The settings of all files together. The default has no file, as for the demo.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layers {
    /// The strongest first.
    files: Vec<Layer>,
    merged: FileConfig,
}

#[derive(Debug, Clone, PartialEq)]
struct Layer {
    path: PathBuf,
    config: FileConfig,
    keys: Vec<String>,
}

impl Layers {
    /// Reads `flower.yaml` in the workspace and the user's file below it: `explicit` (`--config`), else
    /// `FLOWER_CONFIG`, else `$XDG_CONFIG_HOME/flower/config.yaml` or `~/.config/flower/config.yaml`.
    ///
    /// A workspace may be a stranger's repository, so its file may not send the key elsewhere (`base_url`, but
    /// for this machine), nor name a program to run (`agent_command`), nor permit everything
    /// (`permission: full`), nor lead `run_dir` out of the workspace.
    /// Naming that same file as `explicit` is the person's word that it may.
    ///
    /// # Errors
    /// [`ConfigError::Read`] for a named file that is missing and for any file that is there and cannot be
    /// read, [`ConfigError::Invalid`] for a mistake in one, [`ConfigError::Refused`] for the keys above.
    pub fn load(workspace: &Path, explicit: Option<&Path>, env: &Env) -> Result<Self, ConfigError> {
        let named = explicit.or(env.flower_config.as_deref());
        let user = match named {
            // What a person names may be a pipe; what is found in passing may not make flower wait.
            Some(path) => {
                Some(
                    read(path, std::fs::read(path))?.ok_or_else(|| ConfigError::Read {
                        path: path.to_owned(),
                        reason: "there is no such file".to_owned(),
                    })?,
                )
            }
            None => match user_path(env) {
                Some(path) => read(&path, disk::read_ordinary(&path))?,
                None => None,
            },
        };
        let path = workspace.join(WORKSPACE_FILE);
        let trusted = user
            .as_ref()
            .is_some_and(|(user, _)| same_file(&user.path, &path));
        let mut files = Vec::new();
        if !trusted && let Some((layer, text)) = read(&path, disk::read_ordinary(&path))? {
            refuse(&layer, &text)?;
            files.push(layer);
        }
        files.extend(user.map(|(layer, _)| layer));
        let merged = files
            .iter()
            .rev()
            .fold(FileConfig::default(), |weaker, layer| {
                layer.config.clone().over(weaker)
            });
        Ok(Self { files, merged })
    }

    /// The settings, merged.
    pub fn config(&self) -> &FileConfig {
        &self.merged
    }

    /// The run folder of the workspace's own file, where that is what counts.
    pub fn run_dir_of_workspace(&self, workspace: &Path) -> Option<&Path> {
        let file = workspace.join(WORKSPACE_FILE);
        let strongest = self
            .files
            .iter()
            .find(|layer| layer.config.run_dir.is_some())?;
        (strongest.path == file)
            .then_some(strongest.config.run_dir.as_deref())
            .flatten()
    }

    /// The file that decides a single value; `key` is spelled as in the file.
    pub fn origin(&self, key: &str) -> Option<&Path> {
        self.files
            .iter()
            .find(|layer| layer.keys.iter().any(|known| known == key))
            .map(|layer| layer.path.as_path())
    }

    /// The window for a model in tokens, and the file that says so: `window`, else a row of `windows`, of the
    /// strongest file that has either.
    pub fn window(&self, model: Option<&str>) -> Option<(u64, &Path)> {
        self.files.iter().find_map(|layer| {
            let by_model = || Some(layer.config.windows.get(model?)?.0);
            let window = layer.config.window.or_else(by_model)?;
            Some((window, layer.path.as_path()))
        })
    }
}

fn user_path(env: &Env) -> Option<PathBuf> {
    let directory = env
        .xdg_config_home
        .clone()
        .or_else(|| Some(env.home.as_ref()?.join(".config")))?;
    Some(directory.join("flower").join("config.yaml"))
}

/// `None` when there is no such file.
fn read(
    path: &Path,
    bytes: std::io::Result<Vec<u8>>,
) -> Result<Option<(Layer, String)>, ConfigError> {
    let failed = |reason: String| ConfigError::Read {
        path: path.to_owned(),
        reason,
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        failed(format!(
            "it is no UTF-8 text (byte {})",
            error.utf8_error().valid_up_to()
        ))
    })?;
    let config = yaml::parse(&text, path)?;
    let layer = Layer {
        path: path.to_owned(),
        config,
        keys: yaml::keys(&text),
    };
    Ok(Some((layer, text)))
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Refuses what a workspace's file may not say.
fn refuse(layer: &Layer, text: &str) -> Result<(), ConfigError> {
    let config = &layer.config;
    let leaves = config.run_dir.as_ref().is_some_and(|directory| {
        directory.is_absolute()
            || directory
                .components()
                .any(|part| part == Component::ParentDir)
    });
    let elsewhere = config
        .base_url
        .as_deref()
        .is_some_and(|url| !is_this_machine(url));
    let rules = [
        (
            elsewhere,
            "base_url",
            "it could send your key to another host (only this machine's own addresses are accepted)",
        ),
        (
            config.agent_command.is_some(),
            "agent_command",
            "it could run any program",
        ),
        (
            config.permission == Some(Permission::Full),
            "permission",
            "it could permit everything (`ask` and `edit` are accepted)",
        ),
        (leaves, "run_dir", "it leads out of the workspace"),
    ];
    match rules.into_iter().find(|(broken, ..)| *broken) {
        Some((_, key, reason)) => Err(ConfigError::Refused {
            path: layer.path.clone(),
            line: yaml::place_of(text, key, 1, 0).map_or(1, |(line, _)| line),
            key,
            reason,
        }),
        None => Ok(()),
    }
}

/// Whether a URL leads to this machine and nowhere else.
fn is_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let named = host.eq_ignore_ascii_case("localhost");
    let loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    !authority.contains('@') && (named || loopback)
}
