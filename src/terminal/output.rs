//! Bytes on their way out, straight to the file descriptor: the standard library's lock could be
//! held by the very thread that panics, and its line buffer would cut a frame in two.

use std::io;
use std::os::fd::AsFd;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// How long giving the terminal back waits for one that takes no bytes, in milliseconds.
const PATIENCE_MS: u16 = 200;

/// Writes all bytes, waiting as long as the terminal needs.
pub(super) fn write_all(bytes: &[u8]) -> io::Result<()> {
    write(bytes, false)
}

/// Writes all bytes unless the terminal takes none for a while: a stalled connection must not
/// keep a program from ending.
pub(super) fn write_soon(bytes: &[u8]) -> io::Result<()> {
    write(bytes, true)
}

fn write(mut bytes: &[u8], hurry: bool) -> io::Result<()> {
    let stdout = io::stdout();
    let mut must_wait = hurry;
    while !bytes.is_empty() {
        if must_wait {
            let limit = if hurry {
                PollTimeout::from(PATIENCE_MS)
            } else {
                PollTimeout::NONE
            };
            let mut ready = [PollFd::new(stdout.as_fd(), PollFlags::POLLOUT)];
            match poll(&mut ready, limit) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
            }
        }
        match nix::unistd::write(stdout.as_fd(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::EINTR) => {}
            // Another program may have made the terminal non-blocking for everyone.
            Err(Errno::EAGAIN) => must_wait = true,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
