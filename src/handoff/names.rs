//! File names of handoff documents. In goes a step's name, which a person or a stranger's script
//! chose, out comes a name that stays in its folder on any file system.

use jiff::ZonedDateTime;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes of UTF-8 a step's name may take in a file name: with the longest suffix it stays below
/// the 255 that common file systems allow.
const STEP_BYTES: usize = 180;

/// Starts the file name of every newest document.
const PREFIX: &str = "交接-";

/// Gives the part of a file name that stands for a step.
pub(super) fn step_part(step: &str) -> String {
    let allowed = |letter: &char| !letter.is_control() && !r#"/\:*?"<>|"#.contains(*letter);
    let plain: String = step.chars().filter(allowed).collect();
    let mut part = String::new();
    for cluster in plain.graphemes(true) {
        if part.len() + cluster.len() > STEP_BYTES {
            break;
        }
        part.push_str(cluster);
    }
    if part.trim().is_empty() {
        return "step".to_owned();
    }
    part
}

/// Gives the clock part of an archived document's name, in the zone of `now`.
pub(super) fn clock_part(now: &ZonedDateTime) -> String {
    now.strftime("%Y%m%d-%H%M%S").to_string()
}

/// An archived document's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArchivedName<'a> {
    pub(super) step: &'a str,
    pub(super) clock: &'a str,
    /// 1 for the first one of a second, then 2, 3 …
    pub(super) copy: u32,
}

impl<'a> ArchivedName<'a> {
    /// Takes `<step>-<YYYYmmdd-HHMMSS>[-<copy>].md` apart.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let stem = name.strip_suffix(".md")?;
        if let Some((step, clock)) = split_clock(stem) {
            return Some(Self {
                step,
                clock,
                copy: 1,
            });
        }
        let (stem, copy) = stem.rsplit_once('-')?;
        let (step, clock) = split_clock(stem)?;
        let copy = copy.parse().ok().filter(|copy| *copy >= 2)?;
        Some(Self { step, clock, copy })
    }
}

/// Splits `<step>-<YYYYmmdd-HHMMSS>` into step and clock.
fn split_clock(stem: &str) -> Option<(&str, &str)> {
    let (step, clock) = stem.split_at_checked(stem.len().checked_sub(15)?)?;
    let fits = clock.bytes().enumerate().all(|(at, byte)| match at {
        8 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if fits {
        Some((step.strip_suffix('-')?, clock))
    } else {
        None
    }
}

/// Gives `交接-<part>.md` for 1 and `交接-<part>-<number>.md` for more.
pub(super) fn document_name(part: &str, number: u32) -> String {
    match number {
        1 => format!("{PREFIX}{part}.md"),
        more => format!("{PREFIX}{part}-{more}.md"),
    }
}

/// Reads the number of `交接-<part>.md` (1) or `交接-<part>-<number>.md` (2 and up).
pub(super) fn number_of(name: &str, part: &str) -> Option<u32> {
    let rest = name
        .strip_prefix(PREFIX)?
        .strip_prefix(part)?
        .strip_suffix(".md")?;
    if rest.is_empty() {
        return Some(1);
    }
    let number = rest.strip_prefix('-')?.parse().ok()?;
    (number >= 2).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_become_names_that_stay_in_their_folder() {
        let family = "👩‍👩‍👧‍👦";
        assert_eq!(family.len(), 25);
        for (step, part) in [
            ("干活", "干活".to_owned()),
            ("测试", "测试".to_owned()),
            ("新聞", "新聞".to_owned()),
            ("a/b", "ab".to_owned()),
            ("a:b", "ab".to_owned()),
            ("a?b", "ab".to_owned()),
            (r#"/\:*?"<>|"#, "step".to_owned()),
            ("", "step".to_owned()),
            (" \u{3000}", "step".to_owned()),
            ("\0\u{1b}[2J\n\u{85}", "[2J".to_owned()),
            ("../../etc/passwd", "....etcpasswd".to_owned()),
            ("..", "..".to_owned()),
            ("a b.", "a b.".to_owned()),
            (&"字".repeat(100), "字".repeat(60)),
            (&"x".repeat(181), "x".repeat(180)),
            // 8 families are 200 bytes, the eighth would be cut in half
            (&family.repeat(8), family.repeat(7)),
            // one sign of 401 bytes cannot be cut
            (&format!("e{}", "\u{301}".repeat(200)), "step".to_owned()),
        ] {
            assert_eq!(step_part(step), part, "{step:?}");
        }
    }

    #[test]
    fn archived_names_come_apart() {
        let parse = |name| ArchivedName::parse(name).map(|n| (n.step, n.clock, n.copy));
        for (name, parts) in [
            (
                "干活-20261201-140912.md",
                Some(("干活", "20261201-140912", 1)),
            ),
            (
                "干活-20261201-140912-2.md",
                Some(("干活", "20261201-140912", 2)),
            ),
            (
                "a-2-20261201-140912.md",
                Some(("a-2", "20261201-140912", 1)),
            ),
            ("-20261201-140912.md", Some(("", "20261201-140912", 1))),
            ("a-20261201-140912-1.md", None),
            ("a-20261201-140912-x.md", None),
            ("a20261201-140912.md", None),
            ("a-20261201_140912.md", None),
            ("字字字字字.md", None),
            ("README.md", None),
            ("a-20261201-140912.txt", None),
        ] {
            assert_eq!(parse(name), parts, "{name}");
        }
    }

    #[test]
    fn numbers_of_documents_are_read() {
        for (name, number) in [
            ("交接-ab.md", Some(1)),
            ("交接-ab-2.md", Some(2)),
            ("交接-ab-13.md", Some(13)),
            ("交接-ab-1.md", None),
            ("交接-abc.md", None),
            ("交接-ab-2-2.md", None),
            ("ab.md", None),
        ] {
            assert_eq!(number_of(name, "ab"), number, "{name}");
        }
    }
}
