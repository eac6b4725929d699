//! Questions to the terminal at the start. In comes what it answers within 100 ms; what a person
//! types meanwhile stays in the decoder.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::decode::{Answers, Decoder};
use super::output;

/// How long the terminal may take; one behind a slower line is used without its extras.
const PATIENCE: Duration = Duration::from_millis(100);

/// Asks for keyboard flags (kitty protocol), then draws two characters of unclear width in the
/// second row and asks where the cursor is, then for the device attributes, which every terminal
/// knows: their answer is the last one. Not in the first row, because the answer `CSI 1;5R` is
/// also what Ctrl-F3 sends.
const QUESTIONS: &str = "\x1b[?u\x1b[2;1H\u{2503}\u{2588}\x1b[6n\x1b[2;1H\x1b[2K\x1b[c";

/// Asks, and waits until all answers are there or the time is over.
pub(super) fn ask(decoder: &mut Decoder) -> io::Result<Answers> {
    let (columns, rows) = super::size();
    let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if dumb || columns < 6 || rows < 2 {
        return Ok(Answers::default());
    }
    output::write_all(QUESTIONS.as_bytes())?;
    let stdin = io::stdin();
    let deadline = Instant::now() + PATIENCE;
    let mut buffer = [0; 1024];
    while !decoder.answers().attributes {
        let left = deadline.saturating_duration_since(Instant::now());
        let limit = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let mut ready = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, limit) {
            Ok(0) => break,
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match nix::unistd::read(stdin.as_fd(), &mut buffer) {
            // The stream of inputs tells the end.
            Ok(0) => break,
            Ok(read) => decoder.push(&buffer[..read]),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => break,
        }
    }
    Ok(decoder.answers())
}
