//! Numbers of tokens for people: how they are shown, typed and, where no server reports them,
//! estimated.

use unicode_segmentation::UnicodeSegmentation;

/// Shows how many tokens are in use: always one decimal from 1,000 up (`999`, `130.0K`, `4.0M`).
pub fn level(tokens: u64) -> String {
    let (tenths, unit) = match tokens {
        0..1_000 => return tokens.to_string(),
        // What rounds to 1000.0K is 1.0M.
        1_000..999_950 => (rounded(tokens, 100), 'K'),
        999_950.. => (rounded(tokens, 100_000), 'M'),
    };
    format!("{}.{}{unit}", tenths / 10, tenths % 10)
}

/// Shows the size of a window or a mark: no decimal from ten units up and none that would be zero
/// (`200K`, `8.2K`, `1M`, `1.5M`).
pub fn size(tokens: u64) -> String {
    let (one, unit) = match tokens {
        0..1_000 => return tokens.to_string(),
        1_000..999_500 => (1_000, 'K'),
        999_500.. => (1_000_000, 'M'),
    };
    let tenths = rounded(tokens, one / 10);
    if tenths >= 100 {
        format!("{}{unit}", rounded(tokens, one))
    } else if tenths.is_multiple_of(10) {
        format!("{}{unit}", tenths / 10)
    } else {
        format!("{}.{}{unit}", tenths / 10, tenths % 10)
    }
}

/// Counts the parts of a size in `tokens`, half a part upwards.
fn rounded(tokens: u64, part: u64) -> u64 {
    tokens / part + u64::from(tokens % part >= part / 2)
}

/// Why a text is no size in tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Nothing was typed.
    #[error("no size given; write tokens as 200000, 200_000, 200k or 1m")]
    Empty,
    /// The size is zero where tokens are needed.
    #[error("a size of 0 tokens leaves no room; write one above 0, such as 200000, 200k or 1m")]
    Zero,
    /// The size is below zero.
    #[error("`{0}` is negative; write tokens as 200000, 200_000, 200k or 1m")]
    Negative(String),
    /// The size does not fit in 64 bits.
    #[error("`{0}` is more tokens than can be counted; write them as 200000, 200_000, 200k or 1m")]
    TooLarge(String),
    /// The text is no whole number of tokens.
    #[error("`{0}` is not a number of tokens; write them as 200000, 200_000, 200k or 1m")]
    NotANumber(String),
}

/// Reads a size above zero, in tokens: `200000`, `200_000`, `200k`, `1m`, `1.5m`.
///
/// # Errors
/// [`SizeError`], which says what is accepted.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    match parse_size_or_zero(text)? {
        0 => Err(SizeError::Zero),
        tokens => Ok(tokens),
    }
}

/// Reads a size that may be zero, in tokens, written as for [`parse_size`].
///
/// # Errors
/// [`SizeError`], which says what is accepted; never [`SizeError::Zero`].
pub fn parse_size_or_zero(text: &str) -> Result<u64, SizeError> {
    let typed = text.trim();
    if typed.is_empty() {
        return Err(SizeError::Empty);
    }
    if let Some(positive) = typed.strip_prefix('-') {
        return Err(match parse_size_or_zero(positive) {
            Ok(_) | Err(SizeError::TooLarge(_)) => SizeError::Negative(quoted(typed)),
            Err(_) => SizeError::NotANumber(quoted(typed)),
        });
    }
    let (number, unit) = match typed.as_bytes() {
        [.., b'k' | b'K'] => (&typed[..typed.len() - 1], 1_000),
        [.., b'm' | b'M'] => (&typed[..typed.len() - 1], 1_000_000),
        _ => (typed, 1),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if unit == 1 && number.contains('.') {
        return Err(SizeError::NotANumber(quoted(typed)));
    }
    let whole = digits(whole).ok_or_else(|| SizeError::NotANumber(quoted(typed)))?;
    let fraction = digits(fraction).ok_or_else(|| SizeError::NotANumber(quoted(typed)))?;
    let tokens = parse_u64(&whole)
        .and_then(|whole| whole.checked_mul(unit))
        .ok_or_else(|| SizeError::TooLarge(quoted(typed)))?;
    let part = fraction_of(fraction.trim_end_matches('0'), unit)
        .ok_or_else(|| SizeError::NotANumber(quoted(typed)))?;
    tokens
        .checked_add(part)
        .ok_or_else(|| SizeError::TooLarge(quoted(typed)))
}

/// Removes the underscores between digits; `None` when anything else is there.
fn digits(text: &str) -> Option<String> {
    let grouped = text
        .split('_')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    grouped.then(|| text.replace('_', ""))
}

fn parse_u64(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

/// The tokens in the digits behind the point, when they are a whole number of tokens.
fn fraction_of(digits: &str, unit: u64) -> Option<u64> {
    let mut step = unit;
    let mut tokens = 0;
    for digit in digits.bytes() {
        step = if step.is_multiple_of(10) {
            step / 10
        } else {
            return None;
        };
        tokens += u64::from(digit - b'0') * step;
    }
    Some(tokens)
}

/// What was typed, fit for one line of a message.
fn quoted(typed: &str) -> String {
    let plain = |text: &str| text.chars().all(|letter| !letter.is_control());
    let mut shown: String = typed
        .graphemes(true)
        .filter(|cluster| plain(cluster))
        .take(40)
        .collect();
    if shown.len() < typed.len() {
        shown.push('…');
    }
    shown
}

/// Estimates the tokens of `text` where no server has counted them, on the high side.
///
/// Tenths of a token for a character: 10 for Chinese, Japanese and Korean (tokenizers in use need
/// 0.6 to 1.5 for one), 3 for ASCII (3 to 4 characters a token in prose, fewer in code), 5 for other
/// alphabets, 20 beyond the basic plane (emoji take two to four).
pub fn estimate(text: &str) -> u64 {
    let tenths: u64 = text
        .chars()
        .map(|letter| match u32::from(letter) {
            0..0x80 => 3,
            0x1100..0x1200 | 0x2E80..0xD800 | 0xF900..0xFB00 | 0xFE30..0xFE50 | 0xFF00..0xFFF0 => {
                10
            }
            0x20000..0x40000 => 10,
            0x10000.. => 20,
            _ => 5,
        })
        .sum();
    tenths.div_ceil(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_one_decimal_from_a_thousand_up() {
        for (tokens, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0K"),
            (1_049, "1.0K"),
            (1_050, "1.1K"),
            (8_192, "8.2K"),
            (10_000, "10.0K"),
            (130_000, "130.0K"),
            (152_000, "152.0K"),
            (240_000, "240.0K"),
            (999_949, "999.9K"),
            (999_950, "1.0M"),
            (1_000_000, "1.0M"),
            (1_234_567, "1.2M"),
            (4_000_000, "4.0M"),
            (u64::MAX, "18446744073709.6M"),
        ] {
            assert_eq!(level(tokens), shown, "{tokens}");
        }
    }

    #[test]
    fn sizes_drop_decimals_that_say_nothing() {
        for (tokens, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1K"),
            (8_192, "8.2K"),
            (9_999, "10K"),
            (10_000, "10K"),
            (34_217, "34K"),
            (131_072, "131K"),
            (200_000, "200K"),
            (337_600, "338K"),
            (999_499, "999K"),
            (999_500, "1M"),
            (999_960, "1M"),
            (1_000_000, "1M"),
            (1_048_576, "1M"),
            (1_500_000, "1.5M"),
            (10_000_000, "10M"),
        ] {
            assert_eq!(size(tokens), shown, "{tokens}");
        }
    }

    #[test]
    fn sizes_are_read_as_people_type_them() {
        for (typed, tokens) in [
            ("200000", 200_000),
            ("200_000", 200_000),
            ("1_000_000", 1_000_000),
            ("200k", 200_000),
            ("200K", 200_000),
            ("1m", 1_000_000),
            ("1M", 1_000_000),
            (" 32k\n", 32_000),
            ("1.5m", 1_500_000),
            ("0.5k", 500),
            ("1.50k", 1_500),
            ("1.048576m", 1_048_576),
            ("1", 1),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(typed), Ok(tokens), "{typed}");
        }
    }

    #[test]
    fn what_is_no_size_says_what_is_accepted() {
        let not = |typed: &str| SizeError::NotANumber(typed.to_owned());
        for (typed, error) in [
            ("", SizeError::Empty),
            ("  \t", SizeError::Empty),
            ("0", SizeError::Zero),
            ("0k", SizeError::Zero),
            ("0.0m", SizeError::Zero),
            ("-1", SizeError::Negative("-1".to_owned())),
            ("-200k", SizeError::Negative("-200k".to_owned())),
            ("--1", not("--1")),
            ("-", not("-")),
            ("k", not("k")),
            ("m", not("m")),
            (".", not(".")),
            (".5m", not(".5m")),
            ("5.m", not("5.m")),
            ("1.5", not("1.5")),
            ("1.0005k", not("1.0005k")),
            ("1.2.3m", not("1.2.3m")),
            ("200 k", not("200 k")),
            ("200,000", not("200,000")),
            ("_1", not("_1")),
            ("1_", not("1_")),
            ("1__0", not("1__0")),
            ("+5", not("+5")),
            ("1e6", not("1e6")),
            ("0x10", not("0x10")),
            ("lots", not("lots")),
            ("２００", not("２００")),
            ("1g", not("1g")),
            ("NaN", not("NaN")),
            ("a\u{1b}[2Jb", not("a[2Jb…")),
            (
                "18446744073709551616",
                SizeError::TooLarge("18446744073709551616".to_owned()),
            ),
            (
                "18446744073709551615k",
                SizeError::TooLarge("18446744073709551615k".to_owned()),
            ),
        ] {
            let given = parse_size(typed);
            assert_eq!(given, Err(error.clone()), "{typed:?}");
            assert!(error.to_string().contains("200k"), "{error}");
        }
        assert_eq!(parse_size_or_zero("0"), Ok(0));
        assert_eq!(parse_size_or_zero(" 0k"), Ok(0));
        assert!(parse_size_or_zero("-0").is_err());
        let long = "9".repeat(1_000_000);
        assert!(parse_size(&long).unwrap_err().to_string().len() < 200);
    }

    #[test]
    fn estimates_know_the_script() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate(&"字".repeat(100_000)), 100_000);
        assert_eq!(estimate(&"かな한글，。".repeat(1_000)), 6_000);
        assert_eq!(estimate(&"word ".repeat(1_000)), 1_500);
        assert_eq!(estimate(&"слово".repeat(100)), 250);
        assert_eq!(estimate("🌸"), 2);
        assert_eq!(estimate("a"), 1);
    }
}
