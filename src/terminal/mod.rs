//! The only module that touches the real terminal. In come bytes typed by a person and frames drawn
//! by the front end; out go [`Input`]s and one write per frame.
//!
//! [`TerminalGuard`] turns the terminal's modes on and undoes all of them whatever happens,
//! [`InputStream`] reads keys, [`Screen`] draws, [`FrameLimiter`] says when.

mod decode;
mod frame;
mod guard;
mod input;
mod output;
mod probe;
mod screen;

pub use decode::Decoder;
pub use frame::{FRAME_INTERVAL, FrameLimiter};
pub use guard::TerminalGuard;
pub use input::{Input, InputStream};
pub use screen::{DrawStats, Screen};

/// Reports the terminal's columns and rows; 80 and 24 where it names none, as some serial lines do.
#[must_use]
pub fn size() -> (u16, u16) {
    match crossterm::terminal::window_size() {
        Ok(size) if size.columns > 0 && size.rows > 0 => (size.columns, size.rows),
        Ok(_) | Err(_) => (80, 24),
    }
}
