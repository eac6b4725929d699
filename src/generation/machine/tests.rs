//! One row for each (state, input) that does something; every other pair must change nothing.

use super::*;

const SECONDS: Duration = Duration::from_secs(5);
const HOLD: Duration = Duration::from_secs(600);

fn policy() -> HandoffPolicy {
    HandoffPolicy {
        enabled: true,
        window: 200_000,
        headroom: 50_000,
        max_generations: 2,
    }
}

fn state(phase: Phase, review: ReviewMode) -> State {
    State {
        phase,
        ..State::new(policy(), review, HOLD)
    }
}

fn at(context: u64) -> State {
    let mut state = state(Phase::Working { warned: true }, ReviewMode::Off);
    state.level.context = Some(context);
    state
}

fn overflow(used: u64, limit: u64) -> Overflow {
    Overflow {
        limit: Some(limit),
        used: Some(used),
    }
}

fn reading(context: u64) -> Input {
    Input::Reading {
        context,
        estimated: false,
    }
}

/// One of every input, so that pairs nobody thought of are tried too.
fn every_input() -> Vec<Input> {
    vec![
        Input::Started,
        reading(0),
        reading(1_000),
        reading(130_000),
        reading(250_000),
        Input::TurnEnded { finished: false },
        Input::TurnEnded { finished: true },
        Input::Overflowed(overflow(9, 8)),
        Input::Broken(Failure::TurnLimit(3)),
        Input::WindowChanged(200_000),
        Input::Interrupt,
        Input::Written,
        Input::NotWritten(DegradedWhy::CutOff),
        Input::Frozen,
        Input::Elapsed(TimerId(7)),
        Input::Elapsed(TimerId(6)),
        Input::Hold,
        Input::Recount,
        Input::Go,
        Input::ReadBack { complete: true },
        Input::ReadBack { complete: false },
        Input::SuccessorReady,
    ]
}

fn check(start: &State, rows: Vec<(Input, Phase, Vec<Effect>)>) {
    for input in every_input() {
        let mut state = start.clone();
        let effects = step(&mut state, input.clone());
        let row = rows.iter().find(|(listed, ..)| *listed == input);
        let (phase, expected) = match row {
            Some((_, phase, effects)) => (phase.clone(), effects.clone()),
            None => (start.phase.clone(), Vec::new()),
        };
        assert_eq!(
            (&state.phase, &effects),
            (&phase, &expected),
            "{:?} + {input:?}",
            start.phase
        );
    }
}

fn broken() -> (Input, Phase, Vec<Effect>) {
    (
        Input::Broken(Failure::TurnLimit(3)),
        Phase::Failed,
        vec![Effect::Fail(Failure::TurnLimit(3))],
    )
}

#[test]
fn working_below_the_marks() {
    let unwarned = Phase::Working { warned: false };
    let mut start = state(unwarned.clone(), ReviewMode::Off);
    start.level.context = Some(61_000);
    let degraded = Effect::UseDegraded(DegradedWhy::Overflow(overflow(9, 8)));
    check(
        &start,
        vec![
            (Input::Started, unwarned.clone(), vec![Effect::RunTurn]),
            (
                reading(130_000),
                Phase::Working { warned: true },
                vec![Effect::Near],
            ),
            (
                reading(250_000),
                Phase::Working { warned: true },
                vec![Effect::Near],
            ),
            (
                Input::TurnEnded { finished: false },
                unwarned,
                vec![Effect::RunTurn],
            ),
            (
                Input::TurnEnded { finished: true },
                Phase::Finished,
                vec![Effect::Finish],
            ),
            (
                Input::Overflowed(overflow(9, 8)),
                Phase::Writing,
                vec![Effect::AnnounceWriting, degraded],
            ),
            broken(),
            (
                Input::Interrupt,
                Phase::Failed,
                vec![Effect::Fail(Failure::Interrupted)],
            ),
        ],
    );
}

#[test]
fn working_past_the_hand_over_mark() {
    let degraded = Effect::UseDegraded(DegradedWhy::Overflow(overflow(9, 8)));
    check(
        &at(152_000),
        vec![
            (
                Input::Started,
                Phase::Working { warned: true },
                vec![Effect::RunTurn],
            ),
            (
                Input::TurnEnded { finished: false },
                Phase::Writing,
                vec![Effect::AnnounceWriting, Effect::AskForHandoff],
            ),
            (
                Input::TurnEnded { finished: true },
                Phase::Finished,
                vec![Effect::Finish],
            ),
            (
                Input::Overflowed(overflow(9, 8)),
                Phase::Writing,
                vec![Effect::AnnounceWriting, degraded],
            ),
            broken(),
            (
                Input::Interrupt,
                Phase::Failed,
                vec![Effect::Fail(Failure::Interrupted)],
            ),
        ],
    );
}

#[test]
fn writing_is_exempt_from_the_threshold_and_from_interrupts() {
    check(
        &state(Phase::Writing, ReviewMode::Off),
        vec![
            (Input::Written, Phase::Writing, vec![Effect::Freeze]),
            (
                Input::NotWritten(DegradedWhy::CutOff),
                Phase::Writing,
                vec![Effect::UseDegraded(DegradedWhy::CutOff)],
            ),
            (Input::Frozen, Phase::Switching, vec![Effect::ReadBack]),
            broken(),
        ],
    );
}

#[test]
fn a_frozen_document_is_reviewed_as_asked() {
    for (mode, length, held) in [
        (ReviewMode::After(SECONDS), SECONDS, false),
        (ReviewMode::Wait, HOLD, true),
    ] {
        let mut state = state(Phase::Writing, mode);
        let timer = TimerId(1);
        assert_eq!(
            step(&mut state, Input::Frozen),
            vec![
                Effect::AnnounceReview(length),
                Effect::StartTimer(timer, length)
            ]
        );
        assert_eq!(state.phase, Phase::Reviewing { timer, held });
    }
}

#[test]
fn reviewing_counts_down_unless_held() {
    for held in [false, true] {
        let timer = TimerId(7);
        let mut start = state(Phase::Reviewing { timer, held }, ReviewMode::After(SECONDS));
        start.last_timer = 7;
        let again = TimerId(8);
        check(
            &start,
            vec![
                (
                    Input::Elapsed(timer),
                    Phase::Switching,
                    vec![Effect::ReadBack],
                ),
                (Input::Go, Phase::Switching, vec![Effect::ReadBack]),
                (Input::Interrupt, Phase::Switching, vec![Effect::ReadBack]),
                (
                    Input::Hold,
                    Phase::Reviewing {
                        timer: again,
                        held: true,
                    },
                    vec![Effect::StartTimer(again, HOLD)],
                ),
                (
                    Input::Recount,
                    Phase::Reviewing {
                        timer: again,
                        held: false,
                    },
                    vec![Effect::StartTimer(again, SECONDS)],
                ),
                broken(),
            ],
        );
    }
}

#[test]
fn switching_takes_what_is_complete() {
    check(
        &state(Phase::Switching, ReviewMode::Off),
        vec![
            (
                Input::ReadBack { complete: true },
                Phase::Switching,
                vec![Effect::StartSuccessor],
            ),
            (
                Input::ReadBack { complete: false },
                Phase::Switching,
                vec![Effect::KeepLastComplete, Effect::StartSuccessor],
            ),
            (
                Input::SuccessorReady,
                Phase::Working { warned: false },
                vec![Effect::RunTurn],
            ),
            broken(),
        ],
    );
}

#[test]
fn what_is_over_stays_over() {
    for phase in [Phase::Finished, Phase::Failed] {
        check(&state(phase, ReviewMode::Off), Vec::new());
    }
}

#[test]
fn handoff_off_means_no_warning_and_no_swap() {
    let mut state = state(Phase::Working { warned: false }, ReviewMode::Off);
    state.level.policy.enabled = false;
    assert_eq!(step(&mut state, reading(199_000)), vec![]);
    assert_eq!(
        step(&mut state, Input::TurnEnded { finished: false }),
        vec![Effect::RunTurn]
    );
    assert_eq!(
        step(&mut state, Input::Overflowed(overflow(201_000, 200_000))),
        vec![Effect::Fail(Failure::OverflowWithoutHandoff(overflow(
            201_000, 200_000
        )))]
    );
}

#[test]
fn the_warning_comes_once_in_each_generation() {
    let mut state = state(Phase::Working { warned: false }, ReviewMode::Off);
    assert_eq!(step(&mut state, reading(135_000)), vec![Effect::Near]);
    assert_eq!(step(&mut state, reading(120_000)), vec![]);
    assert_eq!(step(&mut state, reading(140_000)), vec![]);
    state.phase = Phase::Switching;
    step(&mut state, Input::SuccessorReady);
    assert_eq!(state.level.context, None);
    assert_eq!(step(&mut state, reading(9_000)), vec![]);
    assert_eq!(step(&mut state, reading(135_000)), vec![Effect::Near]);
}

#[test]
fn a_reading_while_writing_is_nobodys_level() {
    let mut state = state(Phase::Writing, ReviewMode::Off);
    state.level.context = Some(151_000);
    step(&mut state, reading(158_000));
    assert_eq!(state.level.context, Some(151_000));
}

/// Plays a whole swap from the crossing turn on.
fn swap(state: &mut State) -> Vec<Effect> {
    let mut effects = step(state, reading(160_000));
    for input in [
        Input::TurnEnded { finished: false },
        Input::Written,
        Input::Frozen,
        Input::ReadBack { complete: true },
        Input::SuccessorReady,
    ] {
        effects.extend(step(state, input));
    }
    effects
}

#[test]
fn exactly_the_allowed_swaps_happen_and_the_next_one_names_the_cause() {
    let mut state = state(Phase::Working { warned: false }, ReviewMode::Off);
    let whole = vec![
        Effect::Near,
        Effect::AnnounceWriting,
        Effect::AskForHandoff,
        Effect::Freeze,
        Effect::ReadBack,
        Effect::StartSuccessor,
        Effect::RunTurn,
    ];
    assert_eq!(swap(&mut state), whole);
    assert_eq!(swap(&mut state), whole);
    assert_eq!((state.swaps, state.generation), (2, 3));
    step(&mut state, reading(160_000));
    let effects = step(&mut state, Input::TurnEnded { finished: false });
    let failure = Failure::TooManyGenerations {
        policy: policy(),
        context: 160_000,
    };
    assert_eq!(effects, vec![Effect::Fail(failure.clone())]);
    let message = failure.to_string();
    assert!(message.contains(
        "probably below this role's start-up floor; raise the window or use --no-handoff"
    ));
    assert!(message.contains("150000") && message.contains("160000"));
}

#[test]
fn a_zero_cap_fails_the_first_swap() {
    let mut state = at(152_000);
    state.level.policy.max_generations = 0;
    let effects = step(&mut state, Input::TurnEnded { finished: false });
    assert!(matches!(
        effects.as_slice(),
        [Effect::Fail(Failure::TooManyGenerations { .. })]
    ));
}

#[test]
fn the_second_overflow_in_a_row_stops_with_both_numbers() {
    let rows = [
        (
            overflow(3_000, 2_048),
            overflow(900, 512),
            overflow(900, 512),
        ),
        (
            overflow(3_000, 2_048),
            Overflow::default(),
            overflow(3_000, 2_048),
        ),
    ];
    for (first, second, told) in rows {
        let mut state = at(100_000);
        step(&mut state, Input::Overflowed(first));
        step(&mut state, Input::Frozen);
        step(&mut state, Input::ReadBack { complete: true });
        step(&mut state, Input::SuccessorReady);
        assert_eq!(
            step(&mut state, Input::Overflowed(second)),
            vec![Effect::Fail(Failure::OverflowTwice {
                second: told,
                window: 200_000
            })]
        );
        assert_eq!(state.swaps, 1, "the second overflow changes nothing");
    }
}

#[test]
fn a_whole_answer_between_two_overflows_breaks_the_row() {
    let mut state = at(100_000);
    step(&mut state, Input::Overflowed(overflow(2, 1)));
    step(&mut state, Input::Frozen);
    step(&mut state, Input::ReadBack { complete: true });
    step(&mut state, Input::SuccessorReady);
    step(&mut state, Input::TurnEnded { finished: false });
    let effects = step(&mut state, Input::Overflowed(overflow(4, 3)));
    assert_eq!(effects[0], Effect::AnnounceWriting);
}

#[test]
fn an_overflow_of_the_writing_turn_counts_in_the_row() {
    let mut state = at(152_000);
    step(&mut state, Input::TurnEnded { finished: false });
    let why = DegradedWhy::WritingOverflow(overflow(201_000, 200_000));
    step(&mut state, Input::NotWritten(why));
    step(&mut state, Input::Frozen);
    step(&mut state, Input::ReadBack { complete: true });
    step(&mut state, Input::SuccessorReady);
    let effects = step(&mut state, Input::Overflowed(overflow(5_000, 4_000)));
    assert!(matches!(
        effects.as_slice(),
        [Effect::Fail(Failure::OverflowTwice { .. })]
    ));
}

#[test]
fn an_interrupt_during_a_swap_reaches_the_successor() {
    for interrupt_in in [Phase::Writing, Phase::Switching] {
        let mut state = state(Phase::Writing, ReviewMode::Off);
        if interrupt_in == Phase::Writing {
            assert_eq!(step(&mut state, Input::Interrupt), vec![]);
        }
        step(&mut state, Input::Written);
        assert_eq!(step(&mut state, Input::Frozen), vec![Effect::ReadBack]);
        if interrupt_in == Phase::Switching {
            assert_eq!(step(&mut state, Input::Interrupt), vec![]);
        }
        step(&mut state, Input::ReadBack { complete: true });
        assert_eq!(
            step(&mut state, Input::SuccessorReady),
            vec![Effect::Fail(Failure::Interrupted)]
        );
        assert_eq!((state.swaps, state.generation), (1, 2));
    }
}

#[test]
fn a_smaller_window_is_measured_at_once() {
    let mut state = state(Phase::Working { warned: false }, ReviewMode::Off);
    state.level.policy.window = 1_000_000;
    step(&mut state, reading(300_000));
    assert_eq!(
        step(&mut state, Input::WindowChanged(200_000)),
        vec![Effect::Near]
    );
    assert_eq!(state.level.percent_text(), "150.0%");
    assert_eq!(
        step(&mut state, Input::TurnEnded { finished: false }),
        vec![Effect::AnnounceWriting, Effect::AskForHandoff]
    );
}
