//! What each state says: its texts and the values for them.

use crate::app::now::{Cause, Now, RetryCause};
use crate::handoff::Section;
use crate::texts::{NowState, NowTexts, fill};
use crate::tokens;

/// Letters of a SHA-256 that are shown.
const SHA_LETTERS: usize = 8;

/// What a state says: its texts and the values for them.
pub(super) struct Said<'a> {
    pub(super) state: &'a NowState,
    pub(super) values: Vec<(&'static str, String)>,
    /// A value of any length, which may be cut.
    pub(super) long: Option<(&'static str, &'a str)>,
}

impl<'a> Said<'a> {
    /// Finds the texts and values of a state.
    pub(super) fn of(now: &'a Now, texts: &'a NowTexts) -> Self {
        let plain = |state| Self {
            state,
            values: Vec::new(),
            long: None,
        };
        let with = |state, values| Self {
            state,
            values,
            long: None,
        };
        match now {
            Now::Idle => plain(&texts.idle),
            Now::Starting => plain(&texts.starting),
            Now::Working { what, .. } if what.is_empty() => plain(&texts.thinking),
            Now::Working { what, .. } => Self {
                long: Some(("what", what)),
                ..plain(&texts.working)
            },
            Now::Near => plain(&texts.near),
            Now::LimitFirst { at, window } => with(
                &texts.limit_first,
                vec![
                    ("at", tokens::level(*at)),
                    ("window", tokens::size(*window)),
                ],
            ),
            Now::Writing { .. } => plain(&texts.writing),
            Now::Review { .. } => plain(&texts.review),
            Now::Held { .. } => plain(&texts.held),
            Now::Incomplete { section, .. } => with(
                &texts.incomplete,
                vec![
                    ("section", name(*section, texts).to_owned()),
                    ("number", number(*section)),
                ],
            ),
            Now::Conflict { sections, .. } => {
                let numbers: Vec<String> = sections.iter().copied().map(number).collect();
                let state = if numbers.len() == 1 {
                    &texts.conflict
                } else {
                    &texts.conflicts
                };
                with(state, vec![("sections", numbers.join(&texts.and))])
            }
            Now::Swapped {
                generation,
                lines,
                sha,
                on_disk,
            } => with(
                if *on_disk {
                    &texts.swapped
                } else {
                    &texts.swapped_in_prompt
                },
                vec![
                    ("generation", generation.to_string()),
                    ("lines", counted(*lines, texts)),
                    ("sha", sha.chars().take(SHA_LETTERS).collect()),
                ],
            ),
            Now::NotDelivered { lines } => with(
                &texts.not_delivered,
                vec![("lines", counted(*lines, texts))],
            ),
            Now::YourCall { what, .. } => Self {
                long: Some(("what", what)),
                ..plain(&texts.your_call)
            },
            Now::Retry {
                cause,
                attempt,
                max,
                ..
            } => {
                let why = match cause {
                    RetryCause::Network => &texts.retry_causes.network,
                    RetryCause::Server => &texts.retry_causes.server,
                };
                with(
                    &texts.retry,
                    vec![
                        ("why", why.clone()),
                        ("attempt", attempt.to_string()),
                        ("max", max.to_string()),
                    ],
                )
            }
            Now::Degraded { why } => match why {
                Cause::Other(why) => Self {
                    long: Some(("why", why)),
                    ..plain(&texts.degraded)
                },
                Cause::Network => with(&texts.degraded, why_is(&texts.causes.network)),
                Cause::CutOff => with(&texts.degraded, why_is(&texts.causes.cut_off)),
                Cause::TooFull => with(&texts.degraded, why_is(&texts.causes.too_full)),
                Cause::Disk => with(&texts.degraded, why_is(&texts.causes.disk)),
                Cause::Missing(section) => {
                    let section = name(*section, texts);
                    let why = fill(&texts.causes.missing, &[("section", section)]);
                    with(&texts.degraded, why_is(&why))
                }
            },
            Now::Told { words } => Self {
                long: Some(("what", words)),
                ..plain(&texts.told)
            },
            Now::Done => plain(&texts.done),
            Now::Failed { why } => Self {
                long: Some(("why", why)),
                ..plain(&texts.failed)
            },
            Now::TimedOut { minutes, missing } => {
                let minutes = ("minutes", minutes.to_string());
                match missing {
                    None => with(&texts.timed_out, vec![minutes]),
                    Some(section) => with(
                        &texts.timed_out_incomplete,
                        vec![minutes, ("section", name(*section, texts).to_owned())],
                    ),
                }
            }
        }
    }
}

fn why_is(why: &str) -> Vec<(&'static str, String)> {
    vec![("why", why.to_owned())]
}

fn counted(lines: u64, texts: &NowTexts) -> String {
    match lines {
        1 => texts.line.clone(),
        lines => fill(&texts.lines, &[("lines", &lines.to_string())]),
    }
}

fn name(section: Section, texts: &NowTexts) -> &str {
    match section {
        Section::Doing => &texts.sections.doing,
        Section::Decided => &texts.sections.decided,
        Section::Deadends => &texts.sections.deadends,
        Section::Next => &texts.sections.next,
        Section::Scene => &texts.sections.scene,
    }
}

/// The number a section is reached by with Alt.
fn number(section: Section) -> String {
    let before = Section::ALL.iter().take_while(|other| **other != section);
    (before.count() + 1).to_string()
}
