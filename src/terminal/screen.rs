//! Frames. In comes a function that fills cells, out goes one write with the cells that changed.

use std::io;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, SetTitle,
};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::guard::{self, TerminalGuard};
use crate::sanitize::sanitize_line;

/// What drawing has cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawStats {
    /// Frames that were written; one without a change is not.
    pub frames: u64,
    /// Bytes of all frames.
    pub bytes: u64,
}

/// The cells of the terminal. Each frame is compared with the one before it and written at once,
/// inside synchronized-update sequences (DECSET 2026).
#[derive(Debug)]
pub struct Screen {
    /// What the terminal shows.
    shown: Buffer,
    /// What the next frame is drawn into.
    next: Buffer,
    cursor: Option<Position>,
    /// The guard's epoch the terminal's contents belong to; none when they are unknown.
    epoch: Option<u32>,
    stats: DrawStats,
}

impl Screen {
    /// Makes an empty screen of the terminal's present size.
    #[must_use]
    pub fn new(_entered: &TerminalGuard) -> Self {
        let (columns, rows) = super::size();
        Self::with_size(columns, rows)
    }

    fn with_size(columns: u16, rows: u16) -> Self {
        let area = Rect::new(0, 0, columns, rows);
        Self {
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            cursor: None,
            epoch: None,
            stats: DrawStats::default(),
        }
    }

    /// The rectangle the next frame is drawn into.
    #[must_use]
    pub fn area(&self) -> Rect {
        self.next.area
    }

    /// Takes a new size, in columns and rows.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let area = Rect::new(0, 0, columns, rows);
        if area != self.next.area {
            self.next.resize(area);
            self.shown.resize(area);
            // Terminals move or cut what they show when their size changes.
            self.repaint();
        }
    }

    /// Makes the next frame paint every cell, whatever the terminal may show.
    pub fn repaint(&mut self) {
        self.epoch = None;
    }

    /// Draws one frame. The function fills the cells and returns where the cursor stands, or none to hide
    /// it; a cursor outside the area is hidden.
    ///
    /// # Errors
    /// `NotConnected` when the terminal was given back, else what the terminal answered. The next
    /// frame then paints every cell.
    pub fn draw(
        &mut self,
        render: impl FnOnce(Rect, &mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        let epoch = guard::epoch();
        let frame = self.compose(epoch, render)?;
        if frame.is_empty() {
            return if guard::is_live() {
                Ok(())
            } else {
                Err(io::ErrorKind::NotConnected.into())
            };
        }
        if let Err(error) = guard::write_frame(&frame) {
            self.repaint();
            return Err(error);
        }
        self.stats.frames += 1;
        self.stats.bytes += frame.len() as u64;
        Ok(())
    }

    /// The bytes that bring the terminal to the new frame; empty when it shows it already.
    fn compose(
        &mut self,
        epoch: u32,
        render: impl FnOnce(Rect, &mut Buffer) -> Option<Position>,
    ) -> io::Result<Vec<u8>> {
        self.next.reset();
        let area = self.next.area;
        let cursor = render(area, &mut self.next).filter(|at| area.contains(*at));
        let whole = self.epoch != Some(epoch);
        if whole {
            self.shown.reset();
        }
        let changes = self.shown.diff(&self.next);
        if changes.is_empty() && !whole && cursor == self.cursor {
            return Ok(Vec::new());
        }
        let mut frame = Vec::new();
        queue!(frame, BeginSynchronizedUpdate, Hide)?;
        if whole {
            queue!(frame, Clear(ClearType::All))?;
        }
        if !changes.is_empty() {
            CrosstermBackend::new(&mut frame).draw(changes.into_iter())?;
        }
        // The cursor is shown last and in its place: input methods open their window there.
        if let Some(at) = cursor {
            queue!(frame, MoveTo(at.x, at.y), Show)?;
        }
        queue!(frame, EndSynchronizedUpdate)?;
        std::mem::swap(&mut self.shown, &mut self.next);
        self.cursor = cursor;
        self.epoch = Some(epoch);
        Ok(frame)
    }

    /// Sets the title of the terminal's window; control characters are made harmless.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn set_title(&mut self, title: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, SetTitle(sanitize_line(title)))?;
        guard::write_frame(&bytes)
    }

    /// Rings the terminal's bell.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn bell(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, Print('\x07'))?;
        guard::write_frame(&bytes)
    }

    /// Puts a text into the clipboard of the person's terminal (OSC 52), where the terminal allows it.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, CopyToClipboard::to_clipboard_from(text))?;
        guard::write_frame(&bytes)
    }

    /// What drawing has cost so far.
    #[must_use]
    pub fn stats(&self) -> DrawStats {
        self.stats
    }
}

#[cfg(test)]
mod tests;
