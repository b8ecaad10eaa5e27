//! Lines of equal value on a grid.

use super::grid::Grid;
use crate::error::{Error, Result};

impl Grid {
    /// The lines on which values at the middles of the cells, in the order of [`Grid::points`], are at `level`: for
    /// [`Figure::line`](super::Figure::line), with a gap (NaN) after each piece. O(cells).
    ///
    /// ```
    /// use gristmill::plot::Grid;
    /// let grid = Grid::new((0.0, 4.0), (0.0, 4.0), 4, 4)?;
    /// let heights: Vec<f64> = grid.points()?.as_slice().chunks_exact(2).map(|point| f64::from(point[1])).collect();
    /// let line = grid.contour(&heights, 2.0)?; // half way up
    /// assert!(line.iter().filter(|point| !point.0.is_nan()).all(|point| point.1 == 2.0));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn contour(&self, values: &[f64], level: f64) -> Result<Vec<(f64, f64)>> {
        let (columns, rows) = (self.columns, self.rows);
        if values.len() != columns * rows {
            return Err(Error::shape("Grid::contour", format!("{columns}×{rows} values"), values.len()));
        }
        let place = |column: usize, row: usize| {
            let x = self.x.low + self.x.width() * (column as f64 + 0.5) / columns as f64;
            let y = self.y.low + self.y.width() * (row as f64 + 0.5) / rows as f64;
            (x, y, values[row * columns + column] - level)
        };
        let mut line = vec![];
        for row in 0..rows.saturating_sub(1) {
            for column in 0..columns.saturating_sub(1) {
                // The corners of a square in a turn: each side with a change of sign has a point of the line.
                let corners =
                    [place(column, row), place(column + 1, row), place(column + 1, row + 1), place(column, row + 1)];
                let crossing = |side: usize| {
                    let (from, to) = (corners[side], corners[(side + 1) % 4]);
                    let share = from.2 / (from.2 - to.2);
                    let changes = (from.2 > 0.0) != (to.2 > 0.0);
                    changes.then_some((from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)))
                };
                let found: Vec<(f64, f64)> = (0..4).filter_map(crossing).collect();
                for pair in found.chunks_exact(2) {
                    line.extend([pair[0], pair[1], (f64::NAN, f64::NAN)]);
                }
            }
        }
        Ok(line)
    }
}
