//! The `search` tool. In go a pattern, a glob or both; out come `path:line: text` lines, or paths
//! when there is no pattern, in a stable order and of bounded length.

use std::path::Path;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, sinks::Bytes};
use ignore::WalkBuilder;

use super::place::{Places, Target};
use super::{ToolError, clip, files};

/// What is looked for.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) pattern: Option<String>,
    pub(super) glob: Option<String>,
    pub(super) ignore_case: bool,
    /// Lines or paths at most.
    pub(super) limit: u64,
}

/// Lines or paths listed when the model does not say.
pub(super) const DEFAULT_LIMIT: u64 = 200;

/// Bytes shown of one line, around the match.
const LONGEST_LINE: usize = 240;

/// Bytes shown before the match in a longer line.
const BEFORE_MATCH: usize = 60;

/// A line longer than this is not searched, in bytes; it would have to be held whole.
const HEAP_LIMIT: usize = 16 * 1024 * 1024;

/// A search that takes longer says so and shows what it has.
const LONGEST_SEARCH: Duration = Duration::from_secs(30);

struct Found {
    text: String,
    count: u64,
    /// Why it stopped early, if it did.
    stopped: Option<String>,
    unread: u64,
}

/// Searches below `target`. `given_up` is asked between files and matches.
pub(super) fn search(
    places: &Places,
    target: &Target,
    query: &Query,
    cap: usize,
    given_up: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    let glob = query.glob.as_deref().map(compile_glob).transpose()?;
    let mut note = None;
    let pattern = match query.pattern.as_deref() {
        None if glob.is_none() => {
            return Err(ToolError::new("search: give `pattern`, `glob` or both"));
        }
        None => None,
        Some("") => return Err(ToolError::new("search: `pattern` is empty")),
        Some(pattern) => {
            let (matcher, literal) = compile(pattern, query.ignore_case)?;
            note = literal;
            Some(matcher)
        }
    };
    if !target.real.exists() {
        return Err(ToolError::new(format!("{} does not exist", target.shown)));
    }
    let started = Instant::now();
    let mut found = Found {
        text: String::new(),
        count: 0,
        stopped: None,
        unread: 0,
    };
    let mut searcher = SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP_LIMIT))
        .build();
    for entry in walk(&target.real) {
        if given_up() {
            break;
        }
        if started.elapsed() > LONGEST_SEARCH {
            found.stopped = Some(format!(
                "stopped after {} s; narrow it with `path` or `glob`",
                LONGEST_SEARCH.as_secs()
            ));
        }
        if found.stopped.is_some() {
            break;
        }
        let Ok(entry) = entry else {
            found.unread += 1;
            continue;
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        if glob
            .as_ref()
            .is_some_and(|glob| !glob_matches(glob, path, &target.real, places.root()))
        {
            continue;
        }
        let shown = places.shown(path);
        match &pattern {
            None => found.add(&format!("{shown}\n"), query.limit, cap),
            Some(matcher) => {
                search_file(&mut searcher, matcher, path, |number, line, at| {
                    let line = excerpt(line, at);
                    found.add(&format!("{shown}:{number}: {line}\n"), query.limit, cap);
                    found.stopped.is_none() && !given_up() && started.elapsed() <= LONGEST_SEARCH
                })
                .unwrap_or_else(|_| found.unread += 1);
            }
        }
    }
    Ok(found.report(note))
}

impl Found {
    fn add(&mut self, line: &str, limit: u64, cap: usize) {
        if self.count >= limit {
            self.stopped = Some(format!("there are more than {limit}; narrow the search"));
        } else if self.text.len() + line.len() > cap {
            self.stopped = Some(format!(
                "cut at {cap} bytes, there are more; narrow the search"
            ));
        } else {
            self.text.push_str(line);
            self.count += 1;
        }
    }

    fn report(self, note: Option<String>) -> String {
        let mut text = self.text;
        if self.count == 0 && self.stopped.is_none() {
            text.push_str("[nothing found]\n");
        }
        if let Some(why) = self.stopped {
            text.push_str(&format!("[{why}]\n"));
        }
        if self.unread > 0 {
            text.push_str(&format!(
                "[{} files or folders could not be read]\n",
                self.unread
            ));
        }
        if let Some(note) = note {
            text.push_str(&format!("[{note}]\n"));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// Files git would ignore are left out, in a repository or not, and so are git's own and ours.
fn walk(root: &Path) -> ignore::Walk {
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(|entry| {
            entry.depth() == 0 || !matches!(entry.file_name().to_str(), Some(".git" | ".flower"))
        })
        .build()
}

/// A glob without a slash matches names, one with a slash matches paths from the searched folder
/// or from the workspace.
fn compile_glob(glob: &str) -> Result<GlobMatcher, ToolError> {
    let glob = glob.trim_start_matches("./");
    let whole = if glob.contains('/') {
        glob.trim_start_matches('/').to_owned()
    } else {
        format!("**/{glob}")
    };
    GlobBuilder::new(&whole)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::new(format!("search: `glob` is no glob: {error}")))
}

fn glob_matches(glob: &GlobMatcher, path: &Path, from: &Path, root: &Path) -> bool {
    [from, root]
        .iter()
        .filter_map(|base| path.strip_prefix(base).ok())
        .chain(path.file_name().map(Path::new))
        .any(|relative| !relative.as_os_str().is_empty() && glob.is_match(relative))
}

/// A pattern that is no regular expression is searched as plain text, as `foo(` mostly means
/// just that; the note says so.
fn compile(pattern: &str, ignore_case: bool) -> Result<(RegexMatcher, Option<String>), ToolError> {
    let build = |literal: bool| {
        RegexMatcherBuilder::new()
            .case_insensitive(ignore_case)
            .fixed_strings(literal)
            .line_terminator(Some(b'\n'))
            .build(pattern)
    };
    match build(false) {
        Ok(matcher) => Ok((matcher, None)),
        Err(error) => {
            let first = error.to_string();
            let why = first.lines().last().unwrap_or_default().trim().to_owned();
            build(true)
                .map(|matcher| {
                    let note =
                        format!("`pattern` is no regular expression, taken as plain text: {why}");
                    (matcher, Some(note))
                })
                .map_err(|_| {
                    ToolError::new(format!("search: `pattern` cannot be searched for: {why}"))
                })
        }
    }
}

/// Calls `each` with line number, line and the match's place in it until it returns false.
fn search_file(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    path: &Path,
    mut each: impl FnMut(u64, &[u8], usize) -> bool,
) -> std::io::Result<()> {
    use grep_matcher::Matcher;
    let file = files::open(path)?;
    searcher.search_file(
        matcher,
        &file,
        Bytes(|number, line| {
            let at = matcher
                .find(line)
                .ok()
                .flatten()
                .map_or(0, |found| found.start());
            Ok(each(number, line, at))
        }),
    )
}

/// The part of a line around a match, cut between characters.
fn excerpt(line: &[u8], at: usize) -> String {
    let from = if line.len() <= LONGEST_LINE {
        0
    } else {
        at.saturating_sub(BEFORE_MATCH)
    };
    // Four bytes more, so that the cut below falls on a whole character.
    let to = line.len().min(from + LONGEST_LINE + 4);
    let window = &line[from..to];
    let skip = window
        .iter()
        .take(if from > 0 { 3 } else { 0 })
        .take_while(|byte| **byte & 0xC0 == 0x80)
        .count();
    let text = String::from_utf8_lossy(&window[skip..]);
    let text = text.trim_end_matches(['\n', '\r']);
    let cut = clip::beginning(text, LONGEST_LINE);
    let before = if from > 0 { "…" } else { "" };
    let after = if cut.len() < text.len() || to < line.len() {
        "…"
    } else {
        ""
    };
    format!("{before}{cut}{after}")
}

#[cfg(test)]
mod tests;
