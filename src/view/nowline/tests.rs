use proptest::prelude::*;

use super::clock::{short_time, time};
use super::*;
use crate::app::now::Now;
use crate::config::Lang;

fn row(now: impl Into<NowLine>, width: u16, lang: Lang) -> String {
    let area = Rect::new(0, 0, width, 1);
    let mut buffer = Buffer::empty(area);
    draw(
        &now.into(),
        &Texts::load(lang).unwrap(),
        &Theme::Terminal,
        area,
        &mut buffer,
    );
    let mut text = String::new();
    let mut skip = 0;
    for cell in &buffer.content {
        if skip == 0 {
            text.push_str(cell.symbol());
            skip = cells::width(cell.symbol());
        }
        skip -= 1;
    }
    text
}

#[test]
fn rows_are_those_of_the_mock_ups() {
    let working = || Now::Working {
        what: "make clean && make test".to_owned(),
        seconds: 14,
    };
    for (now, width, lang, expected) in [
        (
            working(),
            120,
            Lang::En,
            " WORKING   make clean && make test.  Nothing to do for you                                                         14 s ",
        ),
        (
            Now::Review { left_s: 24 },
            120,
            Lang::Zh,
            " 复核   交接已写好，到点自动换代。  按任意键停住慢慢改   Ctrl-G 现在换   Ctrl-S 存盘                          还剩 24 s ",
        ),
        (
            Now::Held { left_s: 581 },
            80,
            Lang::En,
            " HELD   Untouched = saved and swapped.  Ctrl-G swap   Alt-H count     9:41 left ",
        ),
        (
            Now::Review { left_s: 24 },
            40,
            Lang::En,
            " REVIEW  any key holds, Ctrl-G swap 24 s",
        ),
        (
            working(),
            40,
            Lang::Zh,
            " 干活中  make clean && make test    14 s",
        ),
    ] {
        assert_eq!(row(now, width, lang), expected);
    }
}

#[test]
fn outside_text_is_cut_and_what_to_do_stays() {
    let now = || Now::YourCall {
        what: format!("run {}", "中文 ".repeat(60)),
        waits_s: 3_723,
    };
    for (width, expected) in [
        (
            80,
            " YOUR CALL   It wants to run 中文 中文 中文 中文….  Alt-O answer  waits 1:02:03 ",
        ),
        (40, " YOUR CALL  run 中文 中…, Alt-O  1:02:03"),
    ] {
        assert_eq!(row(now(), width, Lang::En), expected);
    }
}

#[test]
fn a_clock_that_grows_or_shrinks_moves_nothing() {
    let said = |row: String| row.trim_end_matches([' ', ':', 's']).to_owned();
    let texts = [(Lang::Zh, "还剩"), (Lang::En, "left")];
    for width in 40..=120 {
        for (lang, word) in texts {
            let before = |left_s| {
                let row = row(Now::Held { left_s }, width, lang);
                said(
                    row.replace(word, "")
                        .replace(|c: char| c.is_ascii_digit(), ""),
                )
            };
            assert_eq!(before(600), before(5), "{width}");
        }
    }
}

#[test]
fn what_waits_is_counted_and_a_countdown_keeps_the_right_end() {
    let line = NowLine::pick(vec![
        Now::Held { left_s: 581 },
        Now::NotDelivered { lines: 1 },
        Now::YourCall {
            what: "edit a.c".to_owned(),
            waits_s: 8,
        },
    ])
    .unwrap();
    assert_eq!(
        row(line.clone(), 80, Lang::En),
        " YOUR CALL   It wants to edit a.c.  Alt-O look and answer        +2   9:41 left "
    );
    assert_eq!(
        row(line, 40, Lang::En),
        " YOUR CALL  edit a.c, Alt-O    +2   9:41"
    );
}

#[test]
fn rows_too_short_for_a_sentence_keep_the_word() {
    let held = || Now::Held { left_s: 581 };
    assert_eq!(row(held(), 20, Lang::En), " HELD           9:41");
    assert_eq!(row(held(), 11, Lang::En), " HELD  9:41");
    assert_eq!(row(held(), 9, Lang::En), " HELD    ");
    assert_eq!(row(held(), 3, Lang::En), " HE");
    assert_eq!(row(held(), 2, Lang::Zh), "  ");
}

#[test]
fn times_are_seconds_then_minutes_then_hours() {
    let texts = Texts::load(Lang::En).unwrap().now;
    for (seconds, short, long) in [
        (0, "0 s", "0:00"),
        (59, "59 s", "0:59"),
        (60, "1:00", "1:00"),
        (3_599, "59:59", "59:59"),
        (3_600, "1:00:00", "1:00:00"),
    ] {
        assert_eq!(
            (short_time(seconds, &texts), time(seconds)),
            (short.to_owned(), long.to_owned())
        );
    }
}

proptest! {
    #[test]
    fn nothing_is_drawn_outside_the_row(
        what in "[a-c 中文，👩é\u{301}]{0,80}", seconds in any::<u64>(), waiting in 0usize..100,
        x in 0u16..20, y in 0u16..4, width in 0u16..200, height in 0u16..4,
    ) {
        let whole = Rect::new(0, 0, 100, 4);
        let area = Rect::new(x, y, width, height);
        for now in [
            Now::YourCall { what: what.clone(), waits_s: seconds },
            Now::Failed { why: what.clone() },
            Now::Review { left_s: seconds },
        ] {
            let mut buffer = Buffer::empty(whole);
            let line = NowLine { waiting, ..NowLine::from(now) };
            draw(&line, &Texts::load(Lang::Zh).unwrap(), &Theme::Plain, area, &mut buffer);
            let row = Rect { height: height.min(1), ..area };
            for at in whole.positions().filter(|at| !row.contains(*at)) {
                prop_assert_eq!(&buffer[at], &ratatui::buffer::Cell::EMPTY);
            }
        }
    }
}
