//! The gauge alone, in every state and at three sizes.

use flower::app::gauge::{Activity, Gauge};
use flower::config::Lang;
use flower::generation::policy::HandoffPolicy;
use flower::model::window::WindowSource;
use flower::texts::Texts;
use flower::view::chrome::Chrome;
use flower::view::gauge::draw;
use flower::view::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::snap;

/// A gauge in generation 1 that began at 34K.
fn at(context: u64) -> Gauge {
    let policy = HandoffPolicy {
        window: 200_000,
        ..HandoffPolicy::default()
    };
    let mut gauge = Gauge::new(policy, WindowSource::Flag, "干活");
    gauge.floor = Some(34_000);
    gauge.level.context = Some(context);
    gauge.peaks = [context].into();
    gauge
}

fn unknown() -> Gauge {
    let mut gauge = at(152_000);
    gauge.start_generation(2, 1);
    gauge
}

fn ok() -> Gauge {
    let mut gauge = at(61_000);
    gauge.generation = 2;
    gauge.swaps = 1;
    gauge.growth = [2_100, 3_000, 1_900, 4_800, 3_100, 6_200, 4_700].into();
    gauge.peaks = [152_000, 61_000].into();
    gauge.spent_usd = Some(1.87);
    gauge.spent_tokens = 4_000_000;
    gauge.subagents = 1;
    gauge
}

fn near() -> Gauge {
    let mut gauge = at(133_400);
    gauge.growth = [3_000, 4_600, 7_000].into();
    gauge
}

fn writing() -> Gauge {
    let mut gauge = at(152_000);
    gauge.activity = Activity::Writing;
    gauge
}

fn review() -> Gauge {
    let mut gauge = at(152_000);
    gauge.activity = Activity::Reviewing;
    gauge.growth = [2_100, 3_000, 1_900, 4_800, 3_100, 6_200, 4_600].into();
    gauge.spent_usd = Some(1.42);
    gauge.spent_tokens = 3_100_000;
    gauge
}

fn over() -> Gauge {
    let mut gauge = at(240_000);
    gauge.generation = 3;
    gauge.swaps = 2;
    gauge
}

fn off() -> Gauge {
    let mut gauge = at(127_000);
    gauge.level.policy.enabled = false;
    gauge
}

fn estimate() -> Gauge {
    let mut gauge = at(612_400);
    gauge.level.policy.window = 1_000_000;
    gauge.level.estimated = true;
    gauge.window_source = WindowSource::Name {
        model: "large".to_owned(),
    };
    gauge.growth = [8_000, 8_400, 9_000].into();
    gauge
}

fn limit_first() -> Gauge {
    let mut gauge = at(3_000);
    gauge.level.policy.window = 8_192;
    gauge.floor = Some(900);
    gauge.window_source = WindowSource::Server;
    gauge
}

fn check(name: &str, gauge: &Gauge, texts: &Texts, theme: Theme) {
    for (columns, rows) in [(120, 4), (80, 3), (40, 2)] {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        draw(gauge, texts, &theme, Chrome::Box, area, &mut buffer);
        snap::check(&format!("gauge_{name}_{columns}x{rows}"), &buffer);
    }
}

#[test]
fn the_gauge_in_its_states() {
    for (name, gauge, lang) in [
        ("unknown", unknown(), Lang::Zh),
        ("ok", ok(), Lang::En),
        ("near", near(), Lang::Zh),
        ("writing", writing(), Lang::En),
        ("review", review(), Lang::Zh),
        ("over", over(), Lang::Zh),
        ("off", off(), Lang::En),
        ("estimate", estimate(), Lang::Zh),
        ("limit-first", limit_first(), Lang::En),
    ] {
        check(name, &gauge, &Texts::load(lang).unwrap(), Theme::Terminal);
    }
}

#[test]
fn the_gauge_without_colours() {
    let texts = Texts::load(Lang::En).unwrap();
    check("over_plain", &over(), &texts, Theme::Plain);
}
