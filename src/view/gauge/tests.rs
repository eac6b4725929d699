use proptest::prelude::*;

use super::*;
use crate::app::gauge::Activity;
use crate::cells;
use crate::config::Lang;
use crate::generation::policy::HandoffPolicy;
use crate::model::window::WindowSource;

fn rows(gauge: &Gauge, lang: Lang, chrome: Chrome, width: u16, height: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    draw(
        gauge,
        &Texts::load(lang).unwrap(),
        &Theme::Terminal,
        chrome,
        area,
        &mut buffer,
    );
    (0..height)
        .map(|y| {
            let mut text = String::new();
            let mut skip = 0;
            for x in 0..width {
                let symbol = buffer[(x, y)].symbol();
                if skip == 0 {
                    text.push_str(symbol);
                    skip = cells::width(symbol);
                }
                skip -= 1;
            }
            text
        })
        .collect()
}

fn gauge(window: u64, context: Option<u64>) -> Gauge {
    let policy = HandoffPolicy {
        window,
        ..HandoffPolicy::default()
    };
    let mut gauge = Gauge::new(policy, WindowSource::Flag, "干活");
    gauge.level.context = context;
    gauge.floor = context.map(|context| context.min(34_000));
    gauge
}

#[test]
fn ascii_stands_in_where_box_drawing_cannot_be_trusted() {
    let mut gauge = gauge(200_000, Some(152_000));
    assert_eq!(
        rows(&gauge, Lang::En, Chrome::Ascii, 40, 2)[1],
        "=======\'=================:===#---------|"
    );
    gauge.level.estimated = true;
    assert_eq!(
        rows(&gauge, Lang::En, Chrome::Ascii, 40, 2)[1],
        "~~~~~~~\'~~~~~~~~~~~~~~~~~:~~~#---------|"
    );
    gauge.level.estimated = false;
    gauge.level.context = Some(240_000);
    assert_eq!(
        rows(&gauge, Lang::En, Chrome::Ascii, 40, 2)[1],
        "======\'==============:==#========|!!!!!!"
    );
    let shown = rows(&gauge, Lang::En, Chrome::Ascii, 120, 4).concat();
    assert!(shown.replace("干活", "").is_ascii(), "{shown}");
}

#[test]
fn a_mark_past_the_window_is_said_and_not_drawn() {
    let gauge = gauge(8_192, Some(3_000));
    let shown = rows(&gauge, Lang::Zh, Chrome::Box, 120, 4);
    assert!(
        shown[0].contains("离硬上限 5.2K，会先撞上限"),
        "{}",
        shown[0]
    );
    assert!(!shown[1].contains('┃'), "{}", shown[1]);
    assert!(
        shown[2].ends_with("8.2K 硬上限 10.0K 换代 >"),
        "{}",
        shown[2]
    );
}

#[test]
fn the_first_row_gives_up_its_least_word_first() {
    let mut gauge = gauge(200_000, Some(61_000));
    gauge.growth = [4_700, 4_700, 4_700].into();
    let words = [
        "干活",
        "generation",
        "gen 1",
        "turns",
        "89.0K to",
        "0/8",
        "61.0K",
        "200K",
        "30.5%",
        "ok",
    ];
    for (width, shown) in [
        (
            120,
            "干活 generation turns 89.0K to 0/8 61.0K 200K 30.5% ok",
        ),
        (100, "generation turns 89.0K to 0/8 61.0K 200K 30.5% ok"),
        (88, "gen 1 turns 89.0K to 0/8 61.0K 200K 30.5% ok"),
        (80, "gen 1 89.0K to 0/8 61.0K 200K 30.5% ok"),
        (60, "gen 1 89.0K to 0/8 61.0K 200K 30.5% ok"),
        (40, "89.0K to 0/8 61.0K 200K 30.5% ok"),
        (36, "0/8 61.0K 200K 30.5% ok"),
        (22, "61.0K 200K 30.5% ok"),
        (19, "30.5%"),
    ] {
        let row = rows(&gauge, Lang::En, Chrome::Box, width, 2).remove(0);
        let there: Vec<&str> = words
            .into_iter()
            .filter(|word| row.contains(word))
            .collect();
        assert_eq!(there.join(" "), shown, "{width}: {row:?}");
    }
}

fn any_gauge() -> impl Strategy<Value = Gauge> {
    (
        (
            prop_oneof![0u64..2_000_000, Just(u64::MAX)],
            any::<bool>(),
            0u64..200_000,
        ),
        (
            prop::option::of(prop_oneof![1u64..3_000_000, Just(u64::MAX)]),
            any::<bool>(),
        ),
        (
            0u64..3_000_000,
            "[a-c 中文👩]{0,60}",
            1u32..200,
            any::<bool>(),
        ),
        (
            prop::collection::vec(0u64..100_000, 0..8),
            0u64..10_000_000_000,
        ),
        prop_oneof![
            Just(Activity::Working),
            Just(Activity::Writing),
            Just(Activity::Reviewing),
            Just(Activity::Held)
        ],
    )
        .prop_map(
            |(
                (window, enabled, headroom),
                reading,
                (floor, step, number, guess),
                trend,
                activity,
            )| {
                let policy = HandoffPolicy {
                    enabled,
                    window,
                    headroom,
                    max_generations: number,
                };
                let source = if guess {
                    WindowSource::Default
                } else {
                    WindowSource::Learned
                };
                let mut gauge = Gauge::new(policy, source, &step);
                (gauge.level.context, gauge.level.estimated) = reading;
                gauge.floor = reading.0.map(|_| floor);
                gauge.generation = number;
                gauge.swaps = number - 1;
                gauge.growth = trend.0.clone().into();
                gauge.peaks = trend.0.into();
                gauge.spent_tokens = trend.1;
                gauge.activity = activity;
                gauge
            },
        )
}

proptest! {
    #[test]
    fn it_stays_inside_and_keeps_the_numbers(
        gauge in any_gauge(), chinese in any::<bool>(), ascii in any::<bool>(),
        x in 0u16..5, y in 0u16..3, width in 0u16..250, height in 0u16..6,
    ) {
        let whole = Rect::new(0, 0, 240, 6);
        let area = Rect::new(x, y, width, height);
        let lang = if chinese { Lang::Zh } else { Lang::En };
        let chrome = if ascii { Chrome::Ascii } else { Chrome::Box };
        let texts = Texts::load(lang).unwrap();
        let mut buffer = Buffer::empty(whole);
        draw(&gauge, &texts, &Theme::Terminal, chrome, area, &mut buffer);
        for at in whole.positions().filter(|at| !area.contains(*at)) {
            prop_assert_eq!(&buffer[at], &ratatui::buffer::Cell::EMPTY);
        }
        let ordinary = gauge.level.policy.window < u64::MAX && gauge.level.context != Some(u64::MAX)
            && gauge.level.policy.window > 1_000;
        if ordinary && height > 0 && (40..230).contains(&width) {
            let shown = rows(&gauge, lang, chrome, width, height);
            prop_assert!(shown[0].contains(&gauge.level.context_text()), "{:?}", shown);
            prop_assert!(shown[0].contains(&gauge.window_text()), "{:?}", shown);
            prop_assert!(shown[0].contains(&gauge.level.percent_text()), "{:?}", shown);
            if height > 2 && width >= 60 {
                prop_assert!(shown.concat().contains(source_text(&gauge, &texts)), "{:?}", shown);
            }
        }
    }
}
