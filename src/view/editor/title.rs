//! The title rows: the pane's own and one for each section.

use super::{Block, EditorChrome, EditorTitle};
use crate::app::editor::{Editor, Facts};
use crate::cells;
use crate::handoff::Section;
use crate::texts::{EditorTexts, Texts, fill};
use crate::view::editor::paint::Paint;
use crate::view::theme::Role;

/// Below this many cells a section's title says less.
const ROOMY_CELLS: u16 = 50;

/// Characters of a hash that are shown.
const SHA_CHARS: usize = 8;

/// A text for one or for many.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    let text = if number == 1 { one } else { many };
    fill(text, &[("n", &number.to_string())])
}

/// The title row of the pane.
pub(super) fn pane(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    paint: &mut Paint<'_>,
) {
    let words = &texts.editor;
    let width = usize::from(paint.area.width);
    let (left, right) = if chrome.single {
        single_ends(editor, chrome, words, width)
    } else {
        pane_ends(editor, chrome, words, width)
    };
    let y = paint.area.y;
    let rule = "─".repeat(width);
    paint.text(0, y, &rule, Role::Rule);
    let title = if chrome.focused {
        Role::Focus
    } else {
        Role::Text
    };
    let most = width.saturating_sub(3);
    let left = cells::cut(&left, most);
    let mut x = paint.text(1, y, " ", Role::Text);
    x = paint.text(x, y, left, title);
    paint.text(x, y, " ", Role::Text);
    let room = width.saturating_sub(usize::from(x) + 1);
    let needs = cells::width(&right) + 4;
    if !right.is_empty() && needs <= room {
        let role = match editor.dirty() && !matches!(chrome.title, EditorTitle::Draft) {
            true if !chrome.single => Role::Near,
            true | false => Role::Muted,
        };
        let start = width - cells::width(&right) - 3;
        let mut x = paint.text(start as u16, y, " ", Role::Text);
        x = paint.text(x, y, &right, role);
        paint.text(x, y, " ", Role::Text);
    }
}

/// Both ends of the title where one section has the pane.
fn single_ends(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    words: &EditorTexts,
    width: usize,
) -> (String, String) {
    let section = editor.focus();
    let facts = editor.facts(section);
    let number = section as usize + 1;
    let name = format!("{number} {}", section.heading(editor.lang()));
    let state = state(section, facts, chrome, words, false).0;
    let corner = chrome.corner.to_owned();
    let full = (format!("{name} ─ {state}"), corner.clone());
    // The marks in the margin say the same as the state; the corner is said nowhere else.
    if fits(&full, width) {
        full
    } else {
        (name, corner)
    }
}

/// Whether both ends fit: the rule's own two ends, a blank on each side of both words, and a piece
/// of rule between.
fn fits((left, right): &(String, String), width: usize) -> bool {
    cells::width(left) + cells::width(right) + 7 <= width
}

/// Both ends of the title, in the longest form that fits.
fn pane_ends(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    words: &EditorTexts,
    width: usize,
) -> (String, String) {
    let generation = |text: &str, n: u32| fill(text, &[("n", &n.to_string())]);
    let short_sha =
        |sha: Option<&str>| -> String { sha.unwrap_or_default().chars().take(SHA_CHARS).collect() };
    let (reader, long, short) = match chrome.title {
        EditorTitle::Draft => (String::new(), words.draft.clone(), words.draft.clone()),
        EditorTitle::For(n) if editor.dirty() => (
            generation(&words.written_for, n),
            count(
                editor.unsaved_places(),
                &words.unsaved_one,
                &words.unsaved_many,
            ),
            words.unsaved.clone(),
        ),
        EditorTitle::For(n) => {
            let saved = fill(&words.saved, &[("sha", &short_sha(editor.base_sha()))]);
            (generation(&words.written_for, n), saved.clone(), saved)
        }
        EditorTitle::ReadBy(n) => {
            let sha = fill(&words.sha, &[("sha", &short_sha(editor.delivered_sha()))]);
            (generation(&words.read_by, n), sha.clone(), sha)
        }
    };
    let named = |gap: &str| match reader.as_str() {
        "" => words.title.clone(),
        reader => format!("{}{gap}{reader}", words.title),
    };
    let forms = [
        (named("  "), long),
        (named(" "), short.clone()),
        (words.title.clone(), short),
    ];
    let fitting = forms.iter().find(|form| fits(form, width)).cloned();
    fitting.unwrap_or_else(|| (words.title.clone(), String::new()))
}

/// The title row of a section.
pub(super) fn section(
    editor: &Editor,
    chrome: &EditorChrome<'_>,
    texts: &Texts,
    block: &Block<'_>,
    paint: &mut Paint<'_>,
) {
    let Some(y) = block.title else { return };
    let words = &texts.editor;
    let section = block.section;
    let focused = section == editor.focus();
    let heading = section.heading(editor.lang());
    let gloss = &words.headings[section as usize];
    let number = section as usize + 1;
    let width = usize::from(paint.area.width);
    let roomy = paint.area.width >= ROOMY_CELLS;
    let (state, role) = state(section, editor.facts(section), chrome, words, roomy);
    let title = match focused && chrome.focused {
        true => Role::Focus,
        false => Role::Text,
    };
    let marker = if focused { ">" } else { " " };
    let mut x = paint.text(0, y, marker, Role::Focus);
    x = paint.text(x, y, &format!("{number} {heading}"), title);
    // The right end says what to do; the gloss gives way to it.
    let end = cells::width(&state) + 2;
    let room = width.saturating_sub(usize::from(x) + end);
    if gloss != heading && cells::width(gloss) + 4 <= room {
        x = paint.text(x, y, "  ", Role::Text);
        x = paint.text(x, y, gloss, Role::Muted);
    }
    let right = width.saturating_sub(cells::width(&state) + 1);
    let rule = right.saturating_sub(usize::from(x) + 2);
    if right < usize::from(x) + 2 {
        return;
    }
    x = paint.text(x, y, " ", Role::Text);
    x = paint.text(x, y, &"─".repeat(rule), Role::Rule);
    x = paint.text(x, y, " ", Role::Text);
    paint.text(x, y, &state, role);
}

/// The words at the right end of a section's title and their role.
fn state(
    section: Section,
    facts: &Facts,
    chrome: &EditorChrome<'_>,
    words: &EditorTexts,
    roomy: bool,
) -> (String, Role) {
    match chrome.title {
        EditorTitle::Draft if facts.empty => (words.empty.clone(), Role::Muted),
        EditorTitle::Draft => {
            let yours = count(facts.items, &words.yours_one, &words.yours_many);
            (yours, Role::You)
        }
        EditorTitle::For(_) if facts.empty && section.required() => {
            (words.required_empty.clone(), Role::Over)
        }
        EditorTitle::For(_) if facts.empty => (words.empty.clone(), Role::Muted),
        EditorTitle::For(_) => {
            let size = fill(&words.tokens, &[("n", &facts.tokens.to_string())]);
            let kind = match section {
                Section::Doing | Section::Next => words.required.clone(),
                Section::Scene if !roomy => {
                    fill(&words.pointers_short, &[("n", &facts.items.to_string())])
                }
                Section::Decided | Section::Deadends if !roomy => {
                    fill(&words.items_short, &[("n", &facts.items.to_string())])
                }
                Section::Decided | Section::Deadends => {
                    count(facts.items, &words.items_one, &words.items_many)
                }
                Section::Scene => fill(&words.pointers, &[("n", &facts.items.to_string())]),
            };
            match chrome.single {
                true => (kind, Role::Muted),
                false => (format!("{kind}  {size}"), Role::Muted),
            }
        }
        EditorTitle::ReadBy(_) if facts.own_lines == 0 => (words.delivered.clone(), Role::Muted),
        EditorTitle::ReadBy(_) => {
            let one = &words.delivered_but_one;
            let new = count(facts.own_lines, one, &words.delivered_but_many);
            (new, Role::You)
        }
    }
}
