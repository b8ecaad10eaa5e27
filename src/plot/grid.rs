//! The points that decision regions are drawn from.

use super::scale::Range;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// The most cells of a grid: more than a picture has pixels.
const MOST_CELLS: usize = 1 << 24;

/// A grid of cells over a rectangle of the plane. A model predicts the cells' middles, [`Grid::points`], and
/// [`Figure::regions`](super::Figure::regions) colours the cells.
///
/// ```
/// use gristmill::{datasets, plot::Grid};
/// let iris = datasets::iris()?;
/// let grid = Grid::around(&iris.x, [2, 3], 200, 150)?; // petal length and width
/// assert_eq!((grid.points()?.rows(), grid.points()?.columns()), (200 * 150, 2));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub(super) x: Range,
    pub(super) y: Range,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Grid {
    /// `columns`×`rows` cells from `x.0` to `x.1` and from `y.0` to `y.1`.
    pub fn new(x: (f64, f64), y: (f64, f64), columns: usize, rows: usize) -> Result<Grid> {
        let cells = columns.saturating_mul(rows);
        if cells == 0 || cells > MOST_CELLS {
            return Err(Error::param("grid", format!("from 1 to {MOST_CELLS} cells"), format!("{columns}×{rows}")));
        }
        Ok(Grid { x: checked_range("x", x)?, y: checked_range("y", y)?, columns, rows })
    }

    /// Cells over the finite values of two columns of a matrix, and a little beyond.
    pub fn around(x: &Matrix, pair: [usize; 2], columns: usize, rows: usize) -> Result<Grid> {
        let points = points(x, pair)?;
        let across = Range::of(points.iter().map(|point| point.0)).padded(0.06);
        let upward = Range::of(points.iter().map(|point| point.1)).padded(0.06);
        Grid::new((across.low, across.high), (upward.low, upward.high), columns, rows)
    }

    /// The middles of the cells, (columns·rows)×2: row by row, the lowest row first.
    pub fn points(&self) -> Result<Matrix> {
        let middle = |range: Range, at: usize, count: usize| {
            (range.low + range.width() * (at as f64 + 0.5) / count as f64) as f32
        };
        let cells = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (column, row)));
        let values =
            cells.flat_map(|(column, row)| [middle(self.x, column, self.columns), middle(self.y, row, self.rows)]);
        Matrix::from_vec(self.rows * self.columns, 2, values.collect())
    }
}

/// Two columns of a matrix as points.
///
/// ```
/// use gristmill::{Matrix, plot};
/// let x = Matrix::from_rows(&[[1.0, 2.0, 3.0]])?;
/// assert_eq!(plot::points(&x, [0, 2])?, [(1.0, 3.0)]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn points(x: &Matrix, [first, second]: [usize; 2]) -> Result<Vec<(f64, f64)>> {
    if first.max(second) >= x.columns() {
        return Err(Error::shape("plot::points", format!("columns below {}", x.columns()), first.max(second)));
    }
    Ok((0..x.rows()).map(|row| (x.get(row, first) as f64, x.get(row, second) as f64)).collect())
}

/// A range that can be drawn, the lower end first.
pub(super) fn checked_range(name: &'static str, (low, high): (f64, f64)) -> Result<Range> {
    let range = Range { low, high };
    if !super::scale::drawable(low) || !super::scale::drawable(high) || low >= high || range.opened() != range {
        let rule = "finite, the lower end first, and wide enough to be divided".to_string();
        return Err(Error::param(name, rule, format!("({low}, {high})")));
    }
    Ok(range)
}
