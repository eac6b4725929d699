//! The now line in every state, in both languages, at three widths.

use flower::app::now::{Cause, Now, NowLine, RetryCause};
use flower::config::Lang;
use flower::handoff::Section;
use flower::texts::Texts;
use flower::view::nowline::draw;
use flower::view::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::snap;

/// Every state once; `call` is what the agent wants, in the words of the language.
fn states(call: &str) -> Vec<Now> {
    vec![
        Now::Idle,
        Now::Starting,
        Now::Working {
            what: "make clean && make test".to_owned(),
            seconds: 14,
        },
        Now::Working {
            what: String::new(),
            seconds: 3,
        },
        Now::Near,
        Now::LimitFirst {
            at: 10_000,
            window: 8_192,
        },
        Now::Writing { seconds: 12 },
        Now::Review { left_s: 24 },
        Now::Review { left_s: 9 },
        Now::Held { left_s: 581 },
        Now::Incomplete {
            section: Section::Next,
            left_s: 581,
        },
        Now::Conflict {
            sections: vec![Section::Deadends],
            left_s: 581,
        },
        Now::Conflict {
            sections: vec![Section::Deadends, Section::Next],
            left_s: 581,
        },
        Now::Swapped {
            generation: 2,
            lines: 41,
            sha: "3f9a1c2e77".to_owned(),
            on_disk: true,
        },
        Now::Swapped {
            generation: 2,
            lines: 41,
            sha: "3f9a1c2e77".to_owned(),
            on_disk: false,
        },
        Now::NotDelivered { lines: 2 },
        Now::NotDelivered { lines: 1 },
        Now::YourCall {
            what: call.to_owned(),
            waits_s: 8,
        },
        Now::Retry {
            cause: RetryCause::Network,
            attempt: 2,
            max: 5,
            left_s: 8,
        },
        Now::Retry {
            cause: RetryCause::Server,
            attempt: 3,
            max: 5,
            left_s: 75,
        },
        Now::Degraded {
            why: Cause::Network,
        },
        Now::Degraded { why: Cause::CutOff },
        Now::Degraded {
            why: Cause::Missing(Section::Next),
        },
        Now::Degraded {
            why: Cause::TooFull,
        },
        Now::Degraded { why: Cause::Disk },
        Now::Degraded {
            why: Cause::Other("the writing turn took longer than 120 s".to_owned()),
        },
        Now::Told {
            words: "there is no handoff to open yet".to_owned(),
        },
        Now::Done,
        Now::Failed {
            why: "8/8 swaps used, stopped. The line is probably below the start-up floor: raise --window, or --no-handoff"
                .to_owned(),
        },
        Now::TimedOut {
            minutes: 10,
            missing: None,
        },
        Now::TimedOut {
            minutes: 10,
            missing: Some(Section::Next),
        },
    ]
}

#[test]
fn the_now_line_in_its_states() {
    for (name, lang, call) in [
        ("zh", Lang::Zh, "改 src/sig.c"),
        ("en", Lang::En, "edit src/sig.c"),
    ] {
        let texts = Texts::load(lang).unwrap();
        let states = states(call);
        let rows = u16::try_from(states.len()).unwrap();
        for columns in [120, 80, 40] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
            for (y, now) in (0..rows).zip(&states) {
                let line = NowLine::from(now.clone());
                draw(
                    &line,
                    &texts,
                    &Theme::Terminal,
                    Rect::new(0, y, columns, 1),
                    &mut buffer,
                );
            }
            for y in 0..rows {
                let row = snap::row_text(&buffer, y);
                let said = row.trim().split_once("  ").map_or("", |(_, said)| said);
                let letters = said.chars().filter(|c| c.is_alphabetic()).count();
                assert!(letters > 1, "nothing but a word is said in {row:?}");
            }
            snap::check(&format!("now_states_{name}_{columns}x{rows}"), &buffer);
        }
    }
}

#[test]
fn a_row_that_asks_is_told_apart_without_colours() {
    let texts = Texts::load(Lang::En).unwrap();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 2));
    for (y, now) in [(0, Now::Near), (1, Now::Review { left_s: 9 })] {
        draw(
            &NowLine::from(now),
            &texts,
            &Theme::Plain,
            Rect::new(0, y, 80, 1),
            &mut buffer,
        );
    }
    snap::check("now_plain_80x2", &buffer);
}
