//! Tells "the request does not fit into the context window" from everything that looks like it.
//!
//! In go the error texts of one attempt, never the model's own words; out comes a [`Finding`] with the numbers
//! the server stated. Three tables decide, in this order: what is certain wins over all else (gateways wrap an
//! overflow in words about rate limits), a look-alike comes next, what is likely comes last.

mod decode;
mod numbers;
mod patterns;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod tests;

use regex::Regex;

/// Smallest window an error may teach, in tokens: below it the number is an error code or a count of something else.
pub const LEARN_MIN: u64 = 1_000;
/// Largest window an error may teach, in tokens; no model is documented with more.
pub const LEARN_MAX: u64 = 10_000_000;

/// What the error texts of one attempt say about the size of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// Whether the request did not fit.
    pub overflow: bool,
    /// The window the server stated, in tokens, as stated; [`Finding::learnable`] says whether to believe it.
    pub limit: Option<u64>,
    /// What the request took, in tokens: its input side where the text tells it apart, else the stated total.
    pub used: Option<u64>,
}

impl Finding {
    /// Gives the stated window when it is plausible enough to be remembered
    /// ([`LEARN_MIN`]..=[`LEARN_MAX`] tokens).
    pub fn learnable(&self) -> Option<u64> {
        self.limit
            .filter(|limit| self.overflow && (LEARN_MIN..=LEARN_MAX).contains(limit))
    }

    /// Tells whether the input alone was below the window, so that the answer that was asked for made the sum
    /// too large and a smaller `max_output_tokens` would have fitted.
    pub fn sum_too_long(&self) -> bool {
        matches!((self.limit, self.used), (Some(limit), Some(used)) if self.overflow && used < limit)
    }
}

/// Tells whether any of the texts says that the request does not fit into the context window.
pub fn is_overflow<S: AsRef<str>>(texts: &[S]) -> bool {
    examine(texts, &[]).overflow
}

/// Reads the error texts of one attempt; `user_patterns` are asked first and may name their numbers with groups
/// called `limit` and `used`.
///
/// Numbers come from overflow texts only, the first that states one. Texts beyond 24 KiB are read at their ends.
pub fn examine<S: AsRef<str>>(texts: &[S], user_patterns: &[Regex]) -> Finding {
    let mut finding = Finding::default();
    for text in texts {
        let Some((limit, used)) = overflow_numbers(text.as_ref(), user_patterns) else {
            continue;
        };
        finding.overflow = true;
        finding.limit = finding.limit.or(limit);
        finding.used = finding.used.or(used);
    }
    finding
}

/// Makes one plain lower-case line of an error text, for the word tables of the error classes.
pub(super) fn plain(text: &str) -> String {
    decode::plain(&decode::unescaped(&decode::capped(text)))
}

/// `None` when the text is no overflow, else its limit and used tokens.
fn overflow_numbers(text: &str, user_patterns: &[Regex]) -> Option<(Option<u64>, Option<u64>)> {
    let raw = decode::capped(text);
    let unescaped = decode::unescaped(&raw);
    let plain = decode::plain(&unescaped);
    let user = user_patterns.iter().find_map(|pattern| {
        pattern
            .captures(&raw)
            .or_else(|| pattern.captures(&unescaped))
    });
    if let Some(found) = user {
        let (limit, used) = numbers::stated(&plain);
        let named = |name| {
            found
                .name(name)
                .and_then(|number| numbers::value(number.as_str()))
        };
        return Some((named("limit").or(limit), named("used").or(used)));
    }
    patterns::means_overflow(&plain).then(|| numbers::stated(&plain))
}

/// Compiles a pattern of this module.
#[allow(
    clippy::expect_used,
    reason = "the patterns are literals and a test compiles them all"
)]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern compiles")
}
