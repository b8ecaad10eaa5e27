//! Columns whose numbers `f32` would round too far, kept in `f64` beside the matrix.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::matrix::Matrix;
use crate::error::{Error, Result};

/// Numbers below this are never kept: `f32` has them to a sixteenth at least.
pub(crate) const LARGE: f64 = (1 << 20) as f64;
/// How far rounding may move a number, as a share of the deviation of its column, before it matters.
const SHARE: f64 = 1e-5;

/// The numbers of some columns, each of as many rows as the matrix has. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exact(Arc<BTreeMap<usize, Vec<f64>>>);

/// The same bits; missing equals missing.
impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        let bits = |exact: &Exact| -> Vec<(usize, Vec<u64>)> {
            exact.columns().map(|(at, values)| (at, values.iter().map(|value| value.to_bits()).collect())).collect()
        };
        Arc::ptr_eq(&self.0, &other.0) || bits(self) == bits(other)
    }
}

impl Exact {
    pub(crate) fn new(columns: BTreeMap<usize, Vec<f64>>) -> Exact {
        Exact(Arc::new(columns))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn column(&self, column: usize) -> Option<&[f64]> {
        self.0.get(&column).map(Vec::as_slice)
    }

    /// The columns by number.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.0.iter().map(|(column, values)| (*column, values.as_slice()))
    }

    pub(super) fn select_rows(&self, rows: &[usize]) -> Exact {
        self.map(|values| rows.iter().map(|row| values[*row]).collect())
    }

    /// Those of the columns at these places, in this order.
    pub(crate) fn select_columns(&self, columns: &[usize]) -> Exact {
        if self.is_empty() {
            return self.clone();
        }
        let own = |(at, column): (usize, &usize)| Some((at, self.0.get(column)?.clone()));
        Exact::new(columns.iter().enumerate().filter_map(own).collect())
    }

    /// All but those of one column.
    pub(crate) fn without(&self, column: usize) -> Exact {
        let rest = self.0.iter().filter(|(at, _)| **at != column);
        Exact::new(rest.map(|(at, values)| (*at, values.clone())).collect())
    }

    fn map(&self, job: impl Fn(&Vec<f64>) -> Vec<f64>) -> Exact {
        if self.is_empty() {
            return self.clone();
        }
        Exact::new(self.0.iter().map(|(column, values)| (*column, job(values))).collect())
    }
}

/// How far `f32` moves the numbers of a column; missing ones are left out.
pub(crate) struct Rounding {
    /// The most that one is moved.
    error: f64,
    deviation: f64,
    pub(crate) mean: f64,
    whole: bool,
}

impl Rounding {
    pub(crate) fn of(values: &[f64]) -> Rounding {
        let present = || values.iter().copied().filter(|value| !value.is_nan());
        let count = present().count().max(1) as f64;
        // Counted from one of the values, nothing is lost where they are close together.
        let origin = present().next().unwrap_or(0.0);
        let offset = present().map(|value| value - origin).sum::<f64>() / count;
        let variance = present().map(|value| (value - origin - offset).powi(2)).sum::<f64>() / count;
        let error = present().map(|value| (value - f64::from(value as f32)).abs()).fold(0.0, f64::max);
        let whole = present().all(|value| value.fract() == 0.0);
        Rounding { error, deviation: variance.sqrt(), mean: origin + offset, whole }
    }

    /// Whether the numbers are whole and some are moved.
    pub(crate) fn moves_integers(&self) -> bool {
        self.whole && self.error > 0.0
    }

    /// Whether a model would notice.
    pub(crate) fn matters(&self) -> bool {
        self.error > SHARE * self.deviation
    }
}

impl Matrix {
    /// One value in `f64`: as it was given where `f32` would round it too far, as with 1,000,000,001, else the `f32`
    /// itself. Panics when out of range, as indexing does.
    ///
    /// ```
    /// use gristmill::Matrix;
    /// let times = Matrix::from_f64(2, 1, &[1_000_000_001.0, 1_000_000_002.0])?;
    /// assert_eq!((times.get(1, 0), times.get_f64(1, 0)), (1_000_000_000.0, 1_000_000_002.0));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn get_f64(&self, row: usize, column: usize) -> f64 {
        self.exact.column(column).map_or_else(|| f64::from(self.get(row, column)), |values| values[row])
    }

    /// The values of one column in `f64`, as [`Matrix::get_f64`] gives them.
    pub fn column_f64(&self, column: usize) -> Vec<f64> {
        (0..self.rows()).map(|row| self.get_f64(row, column)).collect()
    }

    /// The columns that are kept in `f64`.
    pub(crate) fn exact(&self) -> &Exact {
        &self.exact
    }

    /// The same values with these columns in `f64`, which must be what was rounded.
    pub(crate) fn with_exact(mut self, exact: Exact) -> Result<Matrix> {
        let unfit = exact.columns().find(|(column, values)| *column >= self.columns() || values.len() != self.rows());
        if let Some((column, values)) = unfit {
            let expected = format!("{} rows for one of {} columns", self.rows(), self.columns());
            return Err(Error::shape("with_exact", expected, format!("{} for column {column}", values.len())));
        }
        self.exact = exact;
        Ok(self)
    }
}

/// The columns of n×d values, row by row, that `f32` would round too far.
pub(super) fn too_large(columns: usize, values: &[f64]) -> Exact {
    let large = |column: &usize| {
        let own = || values.iter().skip(*column).step_by(columns);
        own().any(|value| value.abs() >= LARGE && f64::from(*value as f32) != *value)
    };
    let own = |column: usize| values.iter().skip(column).step_by(columns).copied().collect::<Vec<f64>>();
    let kept = (0..columns).filter(large).map(|column| (column, own(column)));
    Exact::new(kept.filter(|(_, values)| is_kept(&Rounding::of(values))).collect())
}

/// Whether a column of numbers is kept.
pub(crate) fn is_kept(rounding: &Rounding) -> bool {
    rounding.moves_integers() || rounding.matters()
}
