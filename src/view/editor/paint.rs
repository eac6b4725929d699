//! Text put into cells of one rectangle and never outside it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::app::editor::cluster_cells;
use crate::view::theme::{Role, Theme};

pub(super) struct Paint<'a> {
    theme: &'a Theme,
    pub(super) area: Rect,
    buffer: &'a mut Buffer,
}

impl<'a> Paint<'a> {
    pub(super) fn new(theme: &'a Theme, area: Rect, buffer: &'a mut Buffer) -> Self {
        Self {
            theme,
            area,
            buffer,
        }
    }

    /// Writes a text at a cell of the pane and returns the cell behind it. What does not fit is
    /// cut between clusters.
    pub(super) fn text(&mut self, x: u16, y: u16, text: &str, role: Role) -> u16 {
        text.graphemes(true)
            .fold(x, |x, cluster| self.cluster(x, y, cluster, role))
    }

    /// Writes one cluster and returns the cell behind it.
    pub(super) fn cluster(&mut self, x: u16, y: u16, cluster: &str, role: Role) -> u16 {
        let cells = cluster_cells(cluster) as u16;
        let left = self.area.width.saturating_sub(x);
        if y < self.area.top() || y >= self.area.bottom() || cells == 0 {
            return x;
        }
        let symbol = if cluster == "\t" { "    " } else { cluster };
        let style = self.theme.style(role);
        if cells > left {
            // Half a cluster is none: the rest of the row stays blank.
            self.put(x, y, &" ".repeat(usize::from(left)), left, style);
            return self.area.width;
        }
        self.put(x, y, symbol, cells, style);
        x.saturating_add(cells)
    }

    fn put(&mut self, x: u16, y: u16, symbol: &str, cells: u16, style: Style) {
        let at = self.area.x + x;
        if x < self.area.width {
            self.buffer
                .set_stringn(at, y, symbol, usize::from(cells), style);
        }
    }
}
