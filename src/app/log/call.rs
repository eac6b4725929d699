//! Calls of tools: a name and arguments go in, a line that says what is done comes out; later the
//! result goes in, and what it says is put below that line.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::bound;
use super::entry::{BodyLine, End, Entry, Fold, Kind, Mark, Outcome};
use crate::cells;
use crate::texts::{LogTexts, fill};

/// Lines of a result that are shown while folded.
const RESULT_LINES: usize = 2;
/// Lines of a change or a plan that are shown while folded.
const CHANGE_LINES: usize = 3;
/// Lines and bytes of an edit, both sides, that are compared one by one: the comparison is quadratic
/// in the worst case, and so stays below some milliseconds. Longer ones are shown as replaced whole.
const COMPARED: (usize, usize) = (1_000, 48 * 1024);
/// Cells of a tool's name that is none of our own.
const NAME_CELLS: usize = 16;

/// The tools the log knows how to show; other agents' names for them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Bash,
    Read,
    Write,
    Edit,
    Search,
    Plan,
    Other,
}

fn tool(name: &str) -> (Tool, &str) {
    let known: [(&str, Tool, &str); 11] = [
        ("bash", Tool::Bash, "bash"),
        ("read", Tool::Read, "read"),
        ("write", Tool::Write, "write"),
        ("edit", Tool::Edit, "edit"),
        ("multiedit", Tool::Other, "edit"),
        ("search", Tool::Search, "search"),
        ("grep", Tool::Search, "search"),
        ("glob", Tool::Search, "search"),
        ("plan", Tool::Plan, "plan"),
        ("todowrite", Tool::Plan, "plan"),
        ("shell", Tool::Bash, "bash"),
    ];
    known
        .into_iter()
        .find(|(alias, ..)| alias.eq_ignore_ascii_case(name))
        .map_or((Tool::Other, name), |(_, tool, word)| (tool, word))
}

/// Facts of a call that its result is shown with; the arguments themselves are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expected {
    tool: Tool,
    /// Lines a write or an edit adds.
    added: usize,
    /// Lines an edit removes.
    removed: usize,
}

/// The entry of a call that has just begun, and what its result will be shown with.
pub(super) fn begun(time: &str, name: &str, input: &Value, words: &LogTexts) -> (Entry, Expected) {
    let (tool, word) = tool(name);
    let kind = Kind::Tool(cells::shorten(&bound::line(word), NAME_CELLS));
    let mut entry = Entry::new(time, kind, String::new());
    let mut expected = Expected {
        tool,
        added: 0,
        removed: 0,
    };
    entry.fold = Fold::Lines(RESULT_LINES);
    let path = text_of(input, &["path", "file_path", "file", "filename"]);
    match tool {
        Tool::Bash => {
            let command = text_of(input, &["command", "cmd", "script"]);
            entry.text = command.map_or_else(|| json(input), |command| bound::line(command.trim()));
        }
        Tool::Read => entry.text = path.map_or_else(|| json(input), bound::line),
        Tool::Write => {
            entry.text = path.map_or_else(|| json(input), bound::line);
            let content = text_of(input, &["content", "contents", "text", "file_text"]);
            let content = content.unwrap_or_default();
            entry.body = marked(content, Mark::Added, words);
            entry.fold = Fold::Lines(0);
            expected.added = content.lines().count();
        }
        Tool::Edit => {
            entry.text = path.map_or_else(|| json(input), bound::line);
            let difference = difference(input, words);
            entry.body = difference.lines;
            entry.fold = Fold::Lines(CHANGE_LINES);
            expected.added = difference.added;
            expected.removed = difference.removed;
        }
        Tool::Search => entry.text = search(input, path, words),
        Tool::Plan => {
            (entry.text, entry.body) = plan(input, words);
            entry.fold = Fold::Lines(CHANGE_LINES);
        }
        Tool::Other => entry.text = json(input),
    }
    if path.is_some() && matches!(tool, Tool::Read | Tool::Write | Tool::Edit) {
        entry.short_from = entry.text.rfind('/').map_or(0, |at| at + 1);
    }
    (entry, expected)
}

/// Puts a result into the entry of its call. `took` is in milliseconds.
pub(super) fn ended(
    entry: &mut Entry,
    expected: Expected,
    text: &str,
    is_error: bool,
    took: Option<u64>,
    words: &LogTexts,
) {
    let result = || -> Vec<BodyLine> {
        let lines = bound::lines(text.trim_end(), &words.gap);
        lines.into_iter().map(BodyLine::plain).collect()
    };
    if is_error {
        let mut body = result();
        body.append(&mut entry.body);
        entry.body = body;
        entry.fold = Fold::Lines(RESULT_LINES);
        let end = if text.starts_with("Refused") {
            End::Refused
        } else if text.starts_with("not run") {
            End::NoResult
        } else {
            End::Failed
        };
        entry.outcome = Outcome::Ended(took, end);
        return;
    }
    let end = match expected.tool {
        Tool::Bash | Tool::Other => {
            entry.body = result();
            entry.body.retain(|line| !is_success_note(&line.text));
            End::Ok
        }
        Tool::Read => {
            entry.body = result();
            entry.fold = Fold::Lines(0);
            End::Lines(count_found(text))
        }
        Tool::Write => End::Lines(expected.added),
        Tool::Edit => {
            let places = number_after(text, " in ").filter(|_| text.contains(" places"));
            let places = places.unwrap_or(1).clamp(1, 1_000_000) as usize;
            if places == 1 {
                number_lines(&mut entry.body, number_after(text, " at line "));
            }
            End::Changed {
                added: expected.added.saturating_mul(places),
                removed: expected.removed.saturating_mul(places),
            }
        }
        Tool::Search => {
            entry.body = result();
            entry.fold = Fold::Lines(0);
            End::Found(count_found(text))
        }
        Tool::Plan => End::Ok,
    };
    // Keeping a plan takes no time worth a word.
    let took = took.filter(|_| expected.tool != Tool::Plan);
    entry.outcome = Outcome::Ended(took, end);
}

fn text_of<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(name)?.as_str())
}

/// The arguments as they are, where nothing better is known. The one string among them says it all.
fn json(input: &Value) -> String {
    let fields = input.as_object();
    let only = fields.filter(|fields| fields.len() == 1);
    match only.and_then(|fields| fields.values().next()?.as_str()) {
        Some(text) => bound::line(text),
        None if fields.is_some_and(serde_json::Map::is_empty) => String::new(),
        None => bound::line(&input.to_string()),
    }
}

fn search(input: &Value, path: Option<&str>, words: &LogTexts) -> String {
    let pattern = text_of(input, &["pattern", "query", "regex"]);
    let glob = text_of(input, &["glob", "include"]);
    let (what, place) = match (pattern, glob) {
        (Some(pattern), glob) => (pattern, path.filter(|path| *path != ".").or(glob)),
        (None, Some(glob)) => (glob, path),
        (None, None) => return json(input),
    };
    let what = bound::line(what);
    match place.filter(|place| !place.is_empty()) {
        Some(place) => fill(
            &words.found_in,
            &[("what", &what), ("place", &bound::line(place))],
        ),
        None => what,
    }
}

fn plan(input: &Value, words: &LogTexts) -> (String, Vec<BodyLine>) {
    let items = ["items", "todos", "plan", "steps"];
    let Some(items) = items.iter().find_map(|name| input.get(name)?.as_array()) else {
        return (json(input), Vec::new());
    };
    let mut counts = [0usize; 3];
    let mut text = String::new();
    for item in items {
        let status = text_of(item, &["status", "state"]).unwrap_or_default();
        let (at, sign) = match status {
            "done" | "completed" => (2, "[x]"),
            "doing" | "in_progress" => (1, "[>]"),
            _ => (0, "[ ]"),
        };
        counts[at] += 1;
        let words = text_of(item, &["text", "content", "step", "title"]).or(item.as_str());
        text.push_str(&format!(
            "{sign} {}\n",
            bound::line(words.unwrap_or_default())
        ));
    }
    let [todo, doing, done] = counts.map(|count| count.to_string());
    let summary = fill(
        &words.plan,
        &[("todo", &todo), ("doing", &doing), ("done", &done)],
    );
    let lines = bound::lines(&text, &words.gap);
    (summary, lines.into_iter().map(BodyLine::plain).collect())
}

fn marked(text: &str, mark: Mark, words: &LogTexts) -> Vec<BodyLine> {
    let lines = bound::lines(text, &words.gap);
    lines
        .into_iter()
        .map(|text| BodyLine {
            mark,
            number: None,
            text,
        })
        .collect()
}

struct Difference {
    added: usize,
    removed: usize,
    lines: Vec<BodyLine>,
}

/// What an edit changes. The numbers of its lines count from 1 within the edited piece.
fn difference(input: &Value, words: &LogTexts) -> Difference {
    let old = text_of(input, &["old", "old_string", "old_str"]).unwrap_or_default();
    let new = text_of(input, &["new", "new_string", "new_str"]).unwrap_or_default();
    let (removed, added) = (old.lines().count(), new.lines().count());
    if removed + added > COMPARED.0 || old.len() + new.len() > COMPARED.1 {
        let mut lines = marked(old, Mark::Removed, words);
        lines.append(&mut marked(new, Mark::Added, words));
        return Difference {
            added,
            removed,
            lines,
        };
    }
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let mut difference = Difference {
        added: 0,
        removed: 0,
        lines: Vec::new(),
    };
    for change in TextDiff::from_slices(&old, &new).iter_all_changes() {
        let (mark, index) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => (Mark::Removed, change.old_index()),
            ChangeTag::Insert => (Mark::Added, change.new_index()),
        };
        match mark {
            Mark::Removed => difference.removed += 1,
            Mark::Added | Mark::None => difference.added += 1,
        }
        difference.lines.push(BodyLine {
            mark,
            number: index.map(|index| index as u64 + 1),
            text: bound::line(change.value()),
        });
    }
    difference
}

/// Turns numbers within a piece into numbers of the file; without the piece's place there are none.
fn number_lines(body: &mut [BodyLine], first: Option<u64>) {
    for line in body {
        line.number = line
            .number
            .zip(first)
            .map(|(number, first)| first.saturating_add(number - 1));
    }
}

/// The number that follows the last `words` of a text.
fn number_after(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once(words)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Lines of a result without the notes in brackets that our tools add at its end.
fn count_found(text: &str) -> usize {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let notes = lines
        .iter()
        .rev()
        .take_while(|line| line.starts_with('[') && line.ends_with(']'))
        .count();
    lines.len() - notes
}

/// Whether a line only repeats that a command worked.
fn is_success_note(line: &str) -> bool {
    line == "[exit status 0]" || line == "[exit status 0, no output]"
}
