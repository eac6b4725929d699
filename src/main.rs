//! The `flower` program.

fn main() {}
