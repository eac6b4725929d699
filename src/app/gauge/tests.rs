use super::*;
use crate::config::Lang;
use crate::texts::Texts;

fn policy(window: u64, enabled: bool) -> HandoffPolicy {
    HandoffPolicy {
        enabled,
        window,
        ..HandoffPolicy::default()
    }
}

fn gauge(readings: &[u64]) -> Gauge {
    let mut gauge = Gauge::new(policy(200_000, true), WindowSource::Flag, "干活");
    for reading in readings {
        gauge.take_reading(*reading, false);
    }
    gauge
}

#[test]
fn readings_give_floor_growth_and_peak() {
    let gauge = gauge(&[34_000, 40_000, 0, 38_000, 61_000]);
    assert_eq!(gauge.level.context, Some(61_000));
    assert_eq!(gauge.floor, Some(34_000));
    assert_eq!(gauge.growth, [6_000, 0, 23_000]);
    assert_eq!(gauge.peaks, [61_000]);
}

#[test]
fn a_level_falls_as_well_as_it_climbs() {
    let gauge = gauge(&[150_000, 40_000]);
    assert_eq!(gauge.level.context, Some(40_000));
    assert_eq!(gauge.peaks, [150_000]);
}

#[test]
fn a_reported_figure_replaces_estimates() {
    let mut gauge = Gauge::new(policy(200_000, true), WindowSource::Flag, "a");
    gauge.take_reading(90_000, true);
    gauge.take_reading(95_000, true);
    assert_eq!((gauge.floor, gauge.level.estimated), (Some(90_000), true));
    gauge.take_reading(50_000, false);
    assert_eq!((gauge.floor, gauge.level.estimated), (Some(50_000), false));
    assert!(gauge.growth.is_empty());
    assert_eq!(gauge.peaks, [50_000]);
}

#[test]
fn only_the_last_turns_are_kept() {
    let readings: Vec<u64> = (1..=20).map(|turn| turn * turn * 100).collect();
    let gauge = gauge(&readings);
    assert_eq!(
        gauge.growth,
        [2_700, 2_900, 3_100, 3_300, 3_500, 3_700, 3_900]
    );
    assert_eq!(gauge.median_growth(), Some(3_500));
}

#[test]
fn a_successor_is_unknown_until_its_first_reading() {
    let mut gauge = gauge(&[34_000, 152_000]);
    gauge.activity = Activity::Reviewing;
    gauge.start_generation(2, 1);
    assert_eq!(gauge.level.context, None);
    assert_eq!(gauge.level.zone(), Zone::Unknown);
    assert_eq!((gauge.floor, gauge.activity), (None, Activity::Working));
    assert_eq!((gauge.generation, gauge.swaps), (2, 1));
    assert_eq!(gauge.peaks, [152_000, 0]);
    gauge.take_reading(9_000, false);
    assert_eq!(
        (gauge.level.context, gauge.floor),
        (Some(9_000), Some(9_000))
    );
    assert_eq!(gauge.peaks, [152_000, 9_000]);
    for generation in 3..200 {
        gauge.start_generation(generation, generation - 1);
    }
    assert_eq!(gauge.peaks.len(), PEAKS_KEPT);
}

#[test]
fn the_forecast_is_the_median_of_five_from_three_turns_on() {
    let rows: &[(&[u64], Option<u64>, Option<u64>)] = &[
        (&[], None, None),
        (&[50_000], None, None),
        (&[50_000, 54_000], Some(4_000), None),
        (&[50_000, 54_000, 60_000], Some(5_000), None),
        (&[50_000, 51_000, 60_000, 65_000], Some(5_000), Some(17)),
        // Even count: the mean of the two in the middle, half a token upwards.
        (
            &[50_000, 51_000, 53_000, 56_000, 60_001],
            Some(2_500),
            Some(36),
        ),
        // One huge result does not decide.
        (
            &[10_000, 12_000, 14_000, 100_000, 102_000, 104_000],
            Some(2_000),
            Some(23),
        ),
        // The oldest of six growths is out.
        (
            &[10, 90_010, 91_010, 92_010, 93_010, 94_010, 95_010],
            Some(1_000),
            Some(55),
        ),
        // Nothing grows.
        (&[50_000, 50_000, 50_000, 50_000], Some(0), None),
        // Half a turn rounds up.
        (
            &[125_000, 135_000, 135_010, 145_010, 145_000],
            Some(5_005),
            Some(1),
        ),
        // Past the mark.
        (&[140_000, 145_000, 148_000, 151_000], Some(3_000), None),
    ];
    for (readings, growth, turns) in rows {
        let gauge = gauge(readings);
        assert_eq!(gauge.median_growth(), *growth, "{readings:?}");
        assert_eq!(gauge.forecast_turns(), *turns, "{readings:?}");
    }
}

#[test]
fn the_distance_is_to_the_mark_that_comes_next() {
    use Activity::*;
    let rows = [
        (None, 200_000, true, Working, Distance::Unknown),
        (
            Some(61_000),
            200_000,
            true,
            Working,
            Distance::ToHandoff { left: 89_000 },
        ),
        (
            Some(149_999),
            200_000,
            true,
            Working,
            Distance::ToHandoff { left: 1 },
        ),
        (
            Some(152_000),
            200_000,
            true,
            Writing,
            Distance::PastLine {
                past: 2_000,
                left: 48_000,
            },
        ),
        (
            Some(200_000),
            200_000,
            true,
            Working,
            Distance::PastLine {
                past: 50_000,
                left: 0,
            },
        ),
        (
            Some(240_000),
            200_000,
            true,
            Working,
            Distance::Over {
                over: 40_000,
                swaps: true,
            },
        ),
        (
            Some(240_000),
            200_000,
            true,
            Held,
            Distance::Over {
                over: 40_000,
                swaps: false,
            },
        ),
        (
            Some(240_000),
            200_000,
            false,
            Working,
            Distance::Over {
                over: 40_000,
                swaps: false,
            },
        ),
        (
            Some(127_000),
            200_000,
            false,
            Working,
            Distance::Off { left: 73_000 },
        ),
        (
            Some(3_000),
            8_192,
            true,
            Working,
            Distance::LimitFirst { left: 5_192 },
        ),
        (
            Some(5),
            0,
            true,
            Working,
            Distance::Over {
                over: 5,
                swaps: true,
            },
        ),
    ];
    for (context, window, enabled, activity, expected) in rows {
        let mut gauge = Gauge::new(policy(window, enabled), WindowSource::Flag, "a");
        gauge.level.context = context;
        gauge.activity = activity;
        assert_eq!(gauge.distance(), expected, "{context:?} of {window}");
    }
}

#[test]
fn zone_words_name_zone_and_activity() {
    let texts = Texts::load(Lang::Zh).unwrap().gauge;
    use Activity::*;
    for (context, enabled, activity, word) in [
        (None, true, Working, "未知"),
        (Some(61_000), true, Working, "正常"),
        (Some(133_400), true, Working, "临近"),
        (Some(152_000), true, Working, "到线"),
        (Some(152_000), true, Writing, "写交接"),
        (Some(152_000), true, Reviewing, "到线，等你复核"),
        (Some(152_000), true, Held, "到线，等你复核"),
        (Some(61_000), true, Reviewing, "正常，等你复核"),
        (Some(240_000), true, Writing, "超出硬上限"),
        (Some(127_000), false, Working, "换代已关"),
    ] {
        let mut gauge = Gauge::new(policy(200_000, enabled), WindowSource::Flag, "a");
        gauge.level.context = context;
        gauge.activity = activity;
        assert_eq!(gauge.zone_word(&texts), word, "{context:?} {activity:?}");
    }
}

#[test]
fn another_window_changes_every_number_at_once() {
    let mut gauge = Gauge::new(policy(1_000_000, true), WindowSource::Default, "a\u{1b}[2J");
    assert_eq!(gauge.step, "a^[[2J");
    gauge.take_reading(300_000, false);
    assert_eq!(gauge.window_text(), "1M?");
    gauge.set_window(policy(200_000, true), WindowSource::Server);
    assert_eq!(gauge.window_text(), "200K");
    assert_eq!(gauge.level.percent_text(), "150.0%");
    assert_eq!(gauge.level.zone(), Zone::Over);
    assert!(gauge.level.is_due());
}
