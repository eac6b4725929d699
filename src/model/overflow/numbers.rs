//! The numbers of an overflow text: the window the server states and what the request took.
//!
//! In goes the text that `decode::plain` makes, out come two numbers of tokens, each only when its words are
//! there. A bare number is never taken: error codes (2013, 1261, 336103) stand in the same places.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::compile;

/// A number with its unit; the digits are capped so that no text makes a number that cannot be held.
const NUM: &str = r"(\d{1,15}(?:\.\d+)?(?: ?[km]\b| ?[万千])?)";

/// One row: a pattern in which `#` stands for a number.
fn row(pattern: &str) -> Regex {
    compile(&pattern.replace('#', NUM))
}

fn rows(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().map(|pattern| row(pattern)).collect()
}

/// Input and answer set against the window: `184915 + 20000 > 204648`.
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    row(r"# ?(?:tokens )?\+ ?\d+ ?(?:tokens )?(?:\+ ?\d+ ?(?:tokens )?)?(?:>=?|exceeds) ?#")
});

/// Request against window: `202128 tokens > 200000`. A difference on the right (`> 64001 - 24235`) is no window.
static PAIR: LazyLock<Regex> = LazyLock::new(|| row(r"#(?: tokens)? ?>=? ?#( ?- ?\d)?"));

/// The input side, told apart from the answer: `28556 in the messages, 120 in the functions, 8192 in the completion`.
static PARTS: LazyLock<Regex> = LazyLock::new(|| {
    row(
        r"# (?:tokens )?(?:in|from|of|for) (?:the |your )?(?:input messages?|messages?|text input|prompt|input)\b(?:,? (?:and )?# (?:tokens )?(?:in|from|of|for) (?:the |your )?(?:functions?|tools?|tool input|function definitions|tool definitions)\b)?",
    )
});

/// What the request took, in words that cannot mean the window.
static USED_SURELY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    rows(&[
        r"\(#(?: tokens)?\) exceed(?:s|ed)? (?:this|the|its|our|max)",
        r"given: # inputs?\b",
        r"(?:has|have|had|contains?|contained|passed|with|resulted in|sent|got|received|provided|includes?|including|used|uses|needs?|requires?)(?: only| about| at least| approximately| around| over| already| a total of)? # (?:input|prompt)(?: text)? tokens?",
        r"\bn (?:prompt tokens|keep)\W{1,3}#",
        r"keep the first # tokens",
    ])
});

/// What the request took, in words that mean it unless the window is spoken of; the surest wording first.
static USED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    rows(&[
        r"(?:input|prompt) tokens?\W{1,3}#",
        r"(?:input|prompt|request|requested|message|messages|conversation|total|current|given|actual)(?: \w+){0,2}? (?:token count|tokens?|length|len|size)(?: of| is| was| are|:| =)? ?\(?(?:currently |about |at least )?#",
        r"(?:input|prompt|request|inputs|messages|conversation|query|text)(?: of| has| have| is| contains?| with)? ?\(?(?:total |prompt |input )?(?:length:? |tokens:? )?#(?: tokens?| input| prompt|\))",
        r"too (?:long|large|big)\W{1,3}(?:got |has |with )?#",
        r"requested[: (]{1,3}#",
        r"(?:resulted in|requested(?: about| at least| a total of| approximately)?|contains?|used|has|have|sent|got|given|received|number of tokens|tokens passed|total of(?: at least)?|count of|passed|current(?:ly)?(?: is)?|actual(?:ly)?(?: is)?)[: (=]{1,3}(?:about )?#(?: tokens?)?",
        r"(?:当前|实际|本次|您的|您|你的|现有|传入|已用|已使用|请求|输入|提示词|prompt|对话|消息|共计?|总计|为|得到|收到)[^\d。;；]{0,16}#",
        r"# ?(?:个)?(?:input |prompt )?tokens?\)? ?[,，]?(?:which |that )?(?:is |are )?(?:exceed|over|above|longer|larger|more|greater|超出|超过|大于)",
    ])
});

/// The window, the surest wording first.
static LIMIT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    rows(&[
        r"\bn ctx\W{1,3}#",
        r"context (?:window|length|size|limit|budget|capacity)(?: limit| size| length| window| capacity)?(?: is| was| of|:| =| <=| to)*(?: only| just| at most| currently| set to| limited to)* ?\(?#",
        r"# maximum context",
        r"\b(?:max|maximum|maximal)\b[^\d.;。]{0,60}?#",
        r"# (?:tokens? )?(?:maximum|max\W*$)",
        r"(?:cannot|can not|must not|should not|may not|not) (?:exceed|be (?:larger|greater|longer|more) than)[^\d.]{0,20}#",
        r"(?:must|should|needs to|has to)(?: \w+){1,3} ?(?:<=?|less than|at most|no more than|up to|fewer than|within|under)(?: or equal to)?[^\d.]{0,12}#",
        r"\[ ?\d+ ?, ?# ?\]",
        r"(?:limit|threshold|capacity)(?: of| is| was|:| =)+ ?(?:only |just )?#",
        r"(?:supports?|supporting|allows?|accepts?|handles?)(?: only| up to| at most| a maximum of| no more than)+ #",
        r"only (?:supports?|allows?|accepts?|handles?|has|takes?) #",
        r"(?:up to|at most|no more than|only) # ?(?:input |prompt |context )?tokens",
        r"# ?(?:input |prompt )?(?:tokens? )?(?:context|token limit|limit\b)",
        r"(?:longer|larger|greater|more|bigger) than[^\d.]{0,40}#",
        r"exceed\w*(?: (?:the|its|your|our|a|model|models|token|allowed|available|context|input|prompt|length|limit|window|size)){0,6}:? #",
        r"(?:最大|最多|最长|上限|限制|限定|不能超过|不得超过|不可超过|不超过|仅支持|只支持|支持|允许)[^\d。;；]{0,16}#",
        r"# ?(?:个)?(?:tokens? ?)?的?(?:上限|限制|最大|限定|窗口|上下文)",
    ])
});

/// `exceeds the limit (32768)`: the number may be an error code, so it counts only below what was used.
static LIMIT_IN_PARENTHESES: LazyLock<Regex> =
    LazyLock::new(|| row(r"(?:limit|length|window|size|maximum|allowed) \(#"));

/// `超过 32768`: window or excess; counts only below what was used.
static LIMIT_AFTER_EXCEED: LazyLock<Regex> =
    LazyLock::new(|| row(r"(?:超出|超过|超过了|大于|高于)[^\d。;；]{0,12}#"));

/// A model's name with a number in it (`grok-4`, `llama-3.3-70b-versatile`, `claude-3-5-sonnet-20241022`).
static MODEL: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\b[a-z][a-z0-9.]*(?:-[a-z0-9.]+)*?-\d[a-z0-9.\-]*"));

/// Gives (window, used) as the text states them, in tokens.
pub(super) fn stated(plain: &str) -> (Option<u64>, Option<u64>) {
    let plain = MODEL.replace_all(plain, "model");
    let plain = plain.as_ref();
    if let Some(sum) = SUM.captures(plain) {
        return (group(&sum, 2), group(&sum, 1));
    }
    if let Some(pair) = PAIR.captures(plain).filter(|pair| pair.get(3).is_none()) {
        return (group(&pair, 2), group(&pair, 1));
    }
    let limit = LIMIT.iter().find_map(|pattern| {
        pattern
            .captures_iter(plain)
            .find(|found| !speaks_of_another(&found[0]) && !speaks_of_answer(plain, found))
            .and_then(located)
    });
    let parts = PARTS.captures(plain).and_then(|parts| {
        let messages = group(&parts, 1)?;
        Some(messages.saturating_add(group(&parts, 2).unwrap_or(0)))
    });
    let limit_at = limit.map(|(at, _)| at);
    let used = parts
        .or_else(|| {
            first(&USED_SURELY, plain, |found| {
                let start = found.get(0).map_or(0, |whole| whole.start());
                starts_at(found) != limit_at && !plain[..start].ends_with("max tokens ")
            })
        })
        .or_else(|| {
            first(&USED, plain, |found| {
                starts_at(found) != limit_at && !speaks_of_limit(plain, found)
            })
        });
    let limit = limit.map(|(_, value)| value).or_else(|| {
        // Without a count to compare, only a text about tokens states a window in parentheses.
        let Some(used) = used else {
            return first(std::slice::from_ref(&LIMIT_IN_PARENTHESES), plain, |_| {
                plain.contains("token")
            });
        };
        [&*LIMIT_IN_PARENTHESES, &*LIMIT_AFTER_EXCEED]
            .into_iter()
            .find_map(|pattern| {
                pattern
                    .captures_iter(plain)
                    .filter_map(|found| group(&found, 1))
                    .find(|value| *value < used)
            })
    });
    (limit, used)
}

/// An excess (`exceeded by 11326 tokens`) is no size, and what the request has (`max length: input has 5000`) is no window.
fn speaks_of_another(found: &str) -> bool {
    if found.starts_with("must") || found.starts_with("should") {
        return false;
    }
    [
        " by ",
        " has ",
        " have ",
        " but ",
        " got ",
        " received ",
        " requested ",
    ]
    .iter()
    .any(|word| found.contains(word))
}

/// A cap on the answer is no window.
fn speaks_of_answer(plain: &str, found: &Captures<'_>) -> bool {
    let number_end = found.get(1).map_or(0, |number| number.end());
    let after: String = plain[number_end..].chars().take(30).collect();
    [
        "max tokens",
        "max completion",
        "max new",
        "max output",
        "completion",
        "output",
    ]
    .iter()
    .any(|word| found[0].contains(word))
        || after.starts_with(" completion")
        || after.starts_with(" output")
}

/// A number that the words before it call the most that is allowed is not what was used.
fn speaks_of_limit(plain: &str, found: &Captures<'_>) -> bool {
    let Some(number) = found.get(1) else {
        return true;
    };
    let start = found.get(0).map_or(0, |whole| whole.start());
    let before = plain.floor_char_boundary(start.saturating_sub(24));
    let own = &plain[start..number.start()];
    let has_verb = [
        " has ",
        " have ",
        " contains ",
        " got ",
        "received",
        "passed",
    ]
    .iter()
    .any(|verb| own.contains(verb));
    let words = if has_verb {
        own
    } else {
        &plain[before..number.start()]
    };
    let after = &plain[number.end()..];
    [
        "max",
        "limit",
        "allowed",
        "at most",
        "up to",
        "support",
        " by ",
        "最大",
        "最多",
        "最长",
        "上限",
        "限制",
        "不能",
        "不得",
        "不超",
        "支持",
        "超过",
        "超出",
        "大于",
        "generation",
        "completion",
        "output",
    ]
    .iter()
    .any(|word| {
        words
            .rsplit([',', '，', '.', ';', '('])
            .next()
            .is_some_and(|near| near.contains(word))
    }) || after.starts_with(" output")
        || after.starts_with(" completion")
        || after.starts_with(" maximum")
}

/// The number of the first match, in the order of the rows, that passes the test.
fn first(rows: &[Regex], plain: &str, fits: impl Fn(&Captures<'_>) -> bool) -> Option<u64> {
    rows.iter().find_map(|pattern| {
        let found = pattern.captures_iter(plain).find(&fits)?;
        group(&found, 1)
    })
}

fn starts_at(found: &Captures<'_>) -> Option<usize> {
    found.get(1).map(|number| number.start())
}

fn located(found: Captures<'_>) -> Option<(usize, u64)> {
    let number = found.get(1)?;
    Some((number.start(), value(number.as_str())?))
}

fn group(found: &Captures<'_>, index: usize) -> Option<u64> {
    value(found.get(index)?.as_str())
}

/// Reads `131072`, `131,072`, `200k`, `1.5m` or `12.8万`; zero and nonsense are no number.
pub(super) fn value(text: &str) -> Option<u64> {
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, ',' | '_' | ' '))
        .collect::<String>()
        .to_lowercase();
    let (digits, unit) = match text.strip_suffix(['k', '千']) {
        Some(digits) => (digits, 1_000_u64),
        None => match text.strip_suffix('m') {
            Some(digits) => (digits, 1_000_000),
            None => match text.strip_suffix('万') {
                Some(digits) => (digits, 10_000),
                None => (text.as_str(), 1),
            },
        },
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole: u64 = whole.parse().ok()?;
    // Three places are all that a unit of a thousand can use.
    let places: String = fraction.chars().chain("000".chars()).take(3).collect();
    let thousandths: u64 = places.parse().ok()?;
    let value = whole
        .checked_mul(unit)?
        .checked_add(thousandths * unit / 1_000)?;
    (value > 0).then_some(value)
}
