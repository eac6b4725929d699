//! The handoff that the program puts together when the model wrote none. In goes what is at hand,
//! out comes a complete document that says what it is.

use unicode_segmentation::UnicodeSegmentation;

use super::section::DocumentLang;
use super::{Handoff, Stamp};

/// Starts the first section of every degraded document, in any language.
pub const DEGRADED: &str = "[降级:交接没写成]";

/// Characters of the original task that a degraded document repeats.
const TASK_CHARS: usize = 1_200;

/// Puts a document together for `step` because of `why`.
///
/// The scene starts with the first 1,200 characters of `task`, then come `facts`, which the
/// program's own journal holds.
pub fn degraded(
    step: &str,
    why: &str,
    task: &str,
    lang: DocumentLang,
    facts: Option<&str>,
) -> Handoff {
    let shown = one_line(step);
    let why = one_line(why);
    let (doing, next) = match lang {
        DocumentLang::Zh => (
            format!(
                "{DEGRADED} 步骤「{shown}」的上一个会话没有写成交接，原因：{why}。\n\
                 这一份是程序按手头的东西拼的，不是写活的人写的：做到了哪里，要自己去看。"
            ),
            "先看，再动手：\n\
             - 笔记（.flower/notes/）、产出（.flower/artifacts/）、git status 和 git log，看上一个会话留下了什么。\n\
             - 不要以为什么都没做过：活很可能已经做了一部分，重做之前先核对。\n\
             - 看清楚之后，从没做完的地方接着做。"
                .to_owned(),
        ),
        DocumentLang::En => (
            format!(
                "{DEGRADED} The previous session of step \"{shown}\" wrote no handoff. Why: {why}.\n\
                 The program put this one together from what was at hand; how far the work got has to be looked up."
            ),
            "Look first, then act:\n\
             - Notes (.flower/notes/), outputs (.flower/artifacts/), git status and git log show what the previous session left.\n\
             - Do not assume that nothing was done: part of the work is probably there, check before doing it again.\n\
             - Then continue where it stopped."
                .to_owned(),
        ),
    };
    Handoff {
        doing,
        next,
        scene: scene(task, lang, facts),
        lang,
        stamp: Stamp {
            step: step.to_owned(),
            degraded: true,
            ..Stamp::default()
        },
        ..Handoff::default()
    }
    .normalized()
}

fn scene(task: &str, lang: DocumentLang, facts: Option<&str>) -> String {
    let start = first_chars(task);
    let mut scene = start.to_owned();
    if start.len() < task.len() {
        let all = task.chars().count();
        scene.push_str(&match lang {
            DocumentLang::Zh => format!("\n\n（以上是原任务的开头，全文 {all} 字。）"),
            DocumentLang::En => {
                format!("\n\n(The original task starts so; it has {all} characters.)")
            }
        });
    }
    if let Some(facts) = facts.filter(|facts| !facts.trim().is_empty()) {
        if !scene.trim().is_empty() {
            scene.push_str("\n\n");
        }
        scene.push_str(match lang {
            DocumentLang::Zh => "程序自己的记录：\n",
            DocumentLang::En => "From the program's own journal:\n",
        });
        scene.push_str(facts);
    }
    scene
}

/// Cuts after 1,200 characters, or after the visible sign that the last of them belongs to.
fn first_chars(task: &str) -> &str {
    let Some((at, _)) = task.char_indices().nth(TASK_CHARS) else {
        return task;
    };
    let mut end = 0;
    for (start, cluster) in task.grapheme_indices(true) {
        if start >= at {
            break;
        }
        end = start + cluster.len();
    }
    // A sign of a thousand accents is no sign: then the plain count decides.
    if end - at > 64 {
        &task[..at]
    } else {
        &task[..end]
    }
}

/// One line without control characters: an error's text may hold anything.
fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
