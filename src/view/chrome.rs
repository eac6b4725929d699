//! The characters lines, bars and trends are drawn with: box drawing, or plain ASCII where the
//! terminal cannot be trusted with it.

/// Which characters the chrome is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chrome {
    /// Box drawing and block elements.
    Box,
    /// ASCII only.
    Ascii,
}

impl Chrome {
    /// A horizontal line; also the empty part of a bar.
    pub fn line(self) -> &'static str {
        self.pick("─", "-")
    }

    /// The limit's mark; also a vertical line.
    pub fn limit(self) -> &'static str {
        self.pick("│", "|")
    }

    /// Where a vertical line leaves a horizontal one downwards, and where it comes to one from above.
    pub fn joints(self) -> [&'static str; 2] {
        [self.pick("┬", "+"), self.pick("┴", "+")]
    }

    /// The hand-over mark.
    pub fn at(self) -> &'static str {
        self.pick("┃", "#")
    }

    /// The warn mark.
    pub fn warn(self) -> &'static str {
        self.pick("┊", ":")
    }

    /// The floor's mark.
    pub fn floor(self) -> &'static str {
        self.pick("╵", "'")
    }

    /// The filled part of a bar.
    pub fn fill(self) -> &'static str {
        self.pick("█", "=")
    }

    /// The filled part of a bar that rests on an estimate.
    pub fn estimate(self) -> &'static str {
        self.pick("▒", "~")
    }

    /// What lies beyond the limit.
    pub fn over(self) -> &'static str {
        self.pick("▓", "!")
    }

    /// A cell filled by some eighths, 1 to 7; `None` where only whole cells can be drawn.
    pub fn part(self, eighths: usize) -> Option<&'static str> {
        const PARTS: [&str; 7] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        match self {
            Self::Box => PARTS.get(eighths.checked_sub(1)?).copied(),
            Self::Ascii => None,
        }
    }

    /// The steps of a trend, from the lowest up.
    pub fn trend(self) -> &'static [char] {
        match self {
            Self::Box => &['▁', '▂', '▃', '▄', '▅', '▆', '▇'],
            Self::Ascii => &['_', '.', '-', '=', '#'],
        }
    }

    fn pick(self, drawn: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Box => drawn,
            Self::Ascii => ascii,
        }
    }
}
