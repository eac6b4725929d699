//! The two texts of a generation's end: the one that asks a session for its handoff, and the one
//! that opens its successor. In go numbers and a document, out comes a user message.

use crate::handoff::{DocumentLang, Handoff, Section};
use crate::tokens;

/// Asks a session for its handoff in Chinese; `{used}` and `{window}` stand for token numbers.
pub const HANDOFF_PROMPT: &str = include_str!("../../assets/prompts/handoff.zh.txt");

/// Asks a session for its handoff in English; `{used}` and `{window}` stand for token numbers.
pub const HANDOFF_PROMPT_EN: &str = include_str!("../../assets/prompts/handoff.en.txt");

const SUCCESSOR_PROMPT: &str = include_str!("../../assets/prompts/successor.zh.txt");
const SUCCESSOR_PROMPT_EN: &str = include_str!("../../assets/prompts/successor.en.txt");

/// Prints the message that asks for a handoff whose headings are in `lang`.
pub fn handoff_request(lang: DocumentLang, used_tokens: u64, window_tokens: u64) -> String {
    let text = match lang {
        DocumentLang::Zh => HANDOFF_PROMPT,
        DocumentLang::En => HANDOFF_PROMPT_EN,
    };
    text.replace("{used}", &tokens::level(used_tokens))
        .replace("{window}", &tokens::size(window_tokens))
}

/// Prints the successor's first message: the non-empty sections of `handoff`, to the letter,
/// between words in `lang`. It never holds the task: the document says what is left of it.
pub fn successor_prompt(lang: DocumentLang, handoff: &Handoff) -> String {
    let text = match lang {
        DocumentLang::Zh => SUCCESSOR_PROMPT,
        DocumentLang::En => SUCCESSOR_PROMPT_EN,
    };
    // A sentence about dead ends makes no sense to a reader who sees none.
    let has_deadends = !handoff.normalized().deadends.is_empty();
    let text: String = text
        .split_inclusive('\n')
        .filter(|line| has_deadends || !line.contains("{deadends}"))
        .collect();
    // The words name the headings that the document has. Its text comes in last: it may hold braces.
    text.replace("{next}", Section::Next.heading(handoff.lang))
        .replace("{deadends}", Section::Deadends.heading(handoff.lang))
        .replace("{sections}", handoff.prompt_block().trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_says_how_full_and_asks_for_the_five_sections() {
        for (lang, template, word) in [
            (DocumentLang::Zh, HANDOFF_PROMPT, "交接"),
            (DocumentLang::En, HANDOFF_PROMPT_EN, "handoff document"),
        ] {
            assert!(template.contains("{used}") && template.contains("{window}"));
            let request = handoff_request(lang, 130_000, 200_000);
            for needed in ["130.0K", "200K", word] {
                assert!(request.contains(needed), "{lang:?}: {needed}");
            }
            assert!(!request.contains('{'));
            let headings: Vec<&str> = request
                .lines()
                .filter_map(|line| line.strip_prefix("## "))
                .collect();
            assert_eq!(headings, Section::ALL.map(|section| section.heading(lang)));
        }
    }

    #[test]
    fn the_successor_gets_the_sections_between_fixed_words() {
        let handoff = Handoff {
            doing: "修构建 {sections}".to_owned(),
            next: "  缩进也要在\n\n```\n## 现场\n".to_owned(),
            preamble: "不进提示词".to_owned(),
            ..Handoff::default()
        };
        assert_eq!(
            successor_prompt(DocumentLang::Zh, &handoff),
            "你在接手一件没干完的活。前一个会话的上下文满了，由你接着干。你没有任何关于它的记忆：只有下面这份交接书，和磁盘上的东西。\n\n\
             ## 现在在做什么\n\n修构建 {sections}\n\n## 下一步\n\n  缩进也要在\n\n```\n## 现场\n\n\
             现在从「下一步」接着干。不要从头再来，不要问背景：要知道什么，到磁盘上去看。\n"
        );
        let handoff = Handoff {
            deadends: "- 调大超时".to_owned(),
            ..handoff
        };
        assert!(
            successor_prompt(DocumentLang::Zh, &handoff)
                .ends_with("去看。\n「走不通的路」里写过的不要再试一遍。\n")
        );
        let handoff = Handoff {
            lang: DocumentLang::En,
            ..handoff
        };
        let english = successor_prompt(DocumentLang::En, &handoff);
        for needed in [
            "taking over unfinished work",
            "no memory",
            "continue from \"Next\"",
            "Do not start over",
            "do not ask for background",
        ] {
            assert!(english.contains(needed), "{needed}");
        }
    }
}
