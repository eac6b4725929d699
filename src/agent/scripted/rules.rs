//! Which rule answers: a conversation and how often rules were used come in, the rule goes out.

use unicode_segmentation::UnicodeSegmentation;

use super::conversation::Conversation;
use super::reply::ApiError;
use super::step::{Outcome, Rule, When};
use super::template::Text;

/// The rule that answers, and the words that go before it.
pub(super) struct Choice<'a> {
    pub(super) rule: &'a Rule,
    pub(super) asides: Vec<&'a Text>,
}

/// Picks the first rule whose conditions all hold and counts its use; `uses` runs beside `rules`.
///
/// # Errors
///
/// A 400 that names what was last when no rule matches.
pub(super) fn choose<'a>(
    rules: &'a [Rule],
    uses: &mut [u64],
    seen: &Conversation,
) -> Result<Choice<'a>, ApiError> {
    let before = uses.to_vec();
    let used = |name: &str| {
        rules
            .iter()
            .zip(&before)
            .any(|(rule, count)| rule.name == name && *count > 0)
    };
    let last = seen.last();
    let mut asides = Vec::new();
    for (rule, count) in rules.iter().zip(uses.iter_mut()) {
        let spent = rule.when.times.is_some_and(|times| *count >= times);
        if spent || !holds(&rule.when, seen, &last, &used) {
            continue;
        }
        *count += 1;
        match &rule.then {
            Outcome::Aside(text) => asides.push(text),
            Outcome::Answer(_) | Outcome::Error(_) | Outcome::Refuse | Outcome::Hang => {
                return Ok(Choice { rule, asides });
            }
        }
    }
    uses.copy_from_slice(&before);
    let tools = match seen.last_tools.as_slice() {
        [] => "no tool".to_owned(),
        names => format!("results of {}", names.join(", ")),
    };
    let words: String = last.graphemes(true).take(200).collect();
    Err(ApiError::invalid(format!(
        "no rule of the scenario matches answer {} of this conversation: its last message has {tools} and says {words:?}; add a rule for it",
        seen.turn
    )))
}

fn holds(when: &When, seen: &Conversation, last: &str, used: &impl Fn(&str) -> bool) -> bool {
    let When {
        last: in_last,
        said,
        result,
        last_tool,
        last_call,
        is_error,
        any,
        not_any,
        system,
        first,
        not_first,
        at_turn,
        after,
        times: _,
    } = when;
    let answered = seen.result.is_some();
    at_turn.is_none_or(|turn| turn == seen.turn)
        && is_error.is_none_or(|wanted| answered && wanted == seen.is_error)
        && last_tool
            .as_ref()
            .is_none_or(|names| answered && seen.last_tools.iter().any(|tool| names.has(tool)))
        && after.as_ref().is_none_or(|name| used(name))
        && said
            .as_ref()
            .is_none_or(|wanted| wanted.matches(&seen.said))
        && result.as_ref().is_none_or(|wanted| {
            seen.result
                .as_deref()
                .is_some_and(|text| wanted.matches(text))
        })
        && last_call
            .as_ref()
            .is_none_or(|wanted| answered && wanted.matches(&seen.last_calls))
        && in_last.as_ref().is_none_or(|wanted| wanted.matches(last))
        && first
            .as_ref()
            .is_none_or(|wanted| wanted.matches(&seen.first))
        && not_first
            .as_ref()
            .is_none_or(|wanted| !wanted.matches(&seen.first))
        && system
            .as_ref()
            .is_none_or(|wanted| wanted.matches(&seen.system))
        && any.as_ref().is_none_or(|wanted| wanted.matches(&seen.all))
        && not_any
            .as_ref()
            .is_none_or(|wanted| !wanted.matches(&seen.all))
}
