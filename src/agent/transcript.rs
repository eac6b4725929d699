//! The messages of one session, in memory and as JSON lines on disk. Whole messages come in; the
//! conversation to send goes out, always one that a server accepts: every tool call has its result.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::model::{Block, Message, Role};

/// The first line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHead {
    /// The session's id.
    pub session: String,
    /// The run that began it.
    pub run: String,
    /// The step it works on.
    pub step: String,
    /// Its number within the step, from 1.
    pub generation: u32,
    /// The model asked for.
    pub model: String,
    /// When it began (RFC 3339).
    pub started_at: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Session(SessionHead),
    Message(Message),
}

/// Why a transcript could not be taken up again.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The file cannot be read.
    #[error("cannot read the transcript {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds no session.
    #[error("{0} is not a transcript: its first line names no session")]
    NoHead(PathBuf),
}

/// One session's messages.
#[derive(Debug)]
pub struct Transcript {
    head: SessionHead,
    messages: Vec<Message>,
    disk: Option<Disk>,
}

/// The file behind a transcript and how much of it is known to be good.
#[derive(Debug)]
struct Disk {
    path: PathBuf,
    good_bytes: u64,
    lines_written: usize,
}

impl Transcript {
    /// Begins a session. Nothing is written before its first message, so an unused session leaves
    /// no file; without a folder it lives in memory only.
    pub fn new(head: SessionHead, folder: Option<&Path>) -> Self {
        let disk = folder.map(|folder| Disk {
            path: path_of(folder, &head.session),
            good_bytes: 0,
            lines_written: 0,
        });
        Self {
            head,
            messages: Vec::new(),
            disk,
        }
    }

    /// Takes a session up again. A torn last line is dropped, damaged lines are left out, and tool
    /// calls that were never answered are answered as lost. Returns the number of lines left out.
    ///
    /// # Errors
    /// [`TranscriptError::Io`] when the file cannot be read, [`TranscriptError::NoHead`] when its
    /// first line names no session.
    pub fn load(folder: &Path, session: &str) -> Result<(Self, usize), TranscriptError> {
        let path = path_of(folder, session);
        let bytes = disk::read_ordinary(&path).map_err(|source| TranscriptError::Io {
            path: path.clone(),
            source,
        })?;
        let good_bytes = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let mut lines = bytes[..good_bytes].split_inclusive(|b| *b == b'\n');
        let head = match lines.next().map(serde_json::from_slice::<Line>) {
            Some(Ok(Line::Session(head))) if head.session == session => head,
            Some(_) | None => return Err(TranscriptError::NoHead(path)),
        };
        let mut messages = Vec::new();
        let mut damaged = usize::from(good_bytes < bytes.len());
        for line in lines {
            match serde_json::from_slice::<Line>(line) {
                Ok(Line::Message(message)) => messages.push(message),
                Ok(Line::Session(_)) | Err(_) => damaged += 1,
            }
        }
        drop_orphan_results(&mut messages);
        let lines_written = messages.len() + 1;
        let mut transcript = Self {
            head,
            messages,
            disk: Some(Disk {
                path,
                good_bytes: good_bytes as u64,
                lines_written,
            }),
        };
        // A failure to write is reported by the next message; the answers are in memory.
        let _ = transcript.close_open_calls(
            Vec::new(),
            "the run ended before this tool's result was kept; it may have had effects",
        );
        Ok((transcript, damaged))
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.head.session
    }

    /// The session's number within its step, from 1.
    pub fn generation(&self) -> u32 {
        self.head.generation
    }

    /// The conversation so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a message and writes everything not yet on disk.
    ///
    /// # Errors
    /// What the system said. The message is kept in memory all the same and written with the next
    /// one, so a disk that was full for a while leaves no gap.
    pub fn push(&mut self, message: Message) -> io::Result<()> {
        self.messages.push(message);
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        if disk.lines_written == 0 {
            write_line(&mut bytes, &Line::Session(self.head.clone()))?;
        }
        let first = disk.lines_written.saturating_sub(1);
        for message in &self.messages[first..] {
            write_line(&mut bytes, &Line::Message(message.clone()))?;
        }
        disk.append(&bytes)?;
        disk.lines_written = self.messages.len() + 1;
        Ok(())
    }

    /// Ids and names of the last answer's tool calls that have no result yet.
    pub fn open_calls(&self) -> Vec<String> {
        let Some(last) = self.messages.last() else {
            return Vec::new();
        };
        match last.role {
            Role::Assistant => tool_use_ids(last).into_iter().collect(),
            Role::User => Vec::new(),
        }
    }

    /// Answers every open tool call: with its result where one is there, with `reason` otherwise.
    ///
    /// # Errors
    /// As [`Transcript::push`].
    pub fn close_open_calls(&mut self, results: Vec<Block>, reason: &str) -> io::Result<()> {
        let open = self.open_calls();
        if open.is_empty() {
            return Ok(());
        }
        let mut content = results;
        for id in open {
            let answered = content
                .iter()
                .any(|b| matches!(b, Block::ToolResult { id: done, .. } if *done == id));
            if !answered {
                content.push(Block::ToolResult {
                    id,
                    text: reason.to_owned(),
                    is_error: true,
                });
            }
        }
        self.push(Message {
            role: Role::User,
            content,
        })
    }
}

impl Disk {
    /// Appends behind the last good byte, so what a failed write left is overwritten.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file: File = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&self.path)?;
        file.set_len(self.good_bytes)?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        file.write_all(bytes)?;
        self.good_bytes += bytes.len() as u64;
        Ok(())
    }
}

fn write_line(bytes: &mut Vec<u8>, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *bytes, line)?;
    bytes.push(b'\n');
    Ok(())
}

/// The file of a session; ids that are no plain name lead nowhere.
fn path_of(folder: &Path, session: &str) -> PathBuf {
    let name: String = session
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    folder.join(format!("{name}.jsonl"))
}

fn tool_use_ids(message: &Message) -> Vec<String> {
    message
        .content
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse { id, .. } => Some(id.clone()),
            Block::Text { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::ToolResult { .. } => None,
        })
        .collect()
}

/// Makes what damage left acceptable again: results whose call is gone are dropped, and calls whose
/// results are gone are answered.
fn drop_orphan_results(messages: &mut Vec<Message>) {
    let mut kept: Vec<Message> = Vec::with_capacity(messages.len());
    for mut message in messages.drain(..) {
        let asked: Vec<String> = match kept.last() {
            Some(last) if last.role == Role::Assistant => tool_use_ids(last),
            Some(_) | None => Vec::new(),
        };
        let mut answered = HashSet::new();
        message.content.retain(|block| match block {
            Block::ToolResult { id, .. } => asked.contains(id) && answered.insert(id.clone()),
            Block::Text { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::ToolUse { .. } => true,
        });
        let missing = asked.into_iter().filter(|id| !answered.contains(id));
        let mut content: Vec<Block> = missing
            .map(|id| Block::ToolResult {
                id,
                text: "this result was lost".to_owned(),
                is_error: true,
            })
            .collect();
        if message.role == Role::User {
            content.append(&mut message.content);
            message.content = content;
        } else if !content.is_empty() {
            kept.push(Message {
                role: Role::User,
                content,
            });
        }
        if !message.content.is_empty() {
            kept.push(message);
        }
    }
    *messages = kept;
}

#[cfg(test)]
mod tests;
