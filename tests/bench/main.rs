//! Figures of the real program: how fast the screen answers, what it costs when nothing happens, what
//! flower adds to a model's time. Prints `name value unit`, a line each, and asserts nothing about time.
//!
//! `cargo test --release --test bench -- --ignored --nocapture`
#![allow(clippy::unwrap_used, reason = "a broken measurement may fail this way")]
#![allow(clippy::print_stdout, reason = "the figures are the output")]

mod library;
mod screen;
mod turns;

#[path = "../support/pty.rs"]
mod pty;

/// One test, so that no two measurements share the machine.
#[test]
#[ignore = "takes about a minute and wants the machine for itself"]
fn figures() {
    // First, while the memory of this process is still small.
    library::log_memory();
    library::events();
    turns::overhead();
    screen::first_frame();
    screen::under_load();
    screen::idle();
}

/// Prints one figure.
fn figure(name: &str, value: f64, unit: &str) {
    println!("{name} {value:.3} {unit}");
}

/// Prints the median and the 99th percentile of some figures, and how many there are.
fn distribution(name: &str, mut values: Vec<f64>, unit: &str) {
    assert!(!values.is_empty(), "{name} was not measured");
    values.sort_by(f64::total_cmp);
    for percent in [50, 99] {
        figure(
            &format!("{name}_p{percent}"),
            values[rank(values.len(), percent)],
            unit,
        );
    }
    figure(&format!("{name}_count"), values.len() as f64, "1");
}

/// Place of the nearest rank: the least value that so many percent of all do not exceed.
fn rank(count: usize, percent: usize) -> usize {
    (count * percent).div_ceil(100).max(1) - 1
}
