//! What every score checks first: rows that go together, finite numbers, usable weights.

use crate::error::{Error, Result};

/// The number of rows, when targets and predictions have as many and there is at least one.
pub(super) fn same_rows(op: &'static str, truth: usize, predicted: usize) -> Result<usize> {
    if truth != predicted {
        return Err(Error::shape(op, format!("{truth} rows, as in the target"), predicted));
    }
    if truth == 0 {
        return Err(Error::shape(op, "at least one row", "0"));
    }
    Ok(truth)
}

/// Fails with the place of the first number that is missing or infinite.
pub(super) fn finite(values: &[f32]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(Error::NotFinite { row, column: 0, value: values[row] as f64 }),
        None => Ok(()),
    }
}

/// The targets that predictions are compared with, and how much each row counts: a score takes the targets alone, or
/// [`weighted`].
#[derive(Debug, Clone, Copy)]
pub struct Weighted<'a, T: ?Sized> {
    /// The classes or numbers.
    pub y: &'a T,
    /// The weight of each row; without them all count alike.
    pub weights: Option<&'a [f32]>,
}

/// Targets with a weight for each row: none negative, not all zero.
///
/// ```
/// use gristmill::metrics::{mean_absolute_error, weighted};
/// assert_eq!(mean_absolute_error(weighted(&[1.0, 5.0][..], &[3.0, 1.0]), &[1.0, 1.0])?, 1.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn weighted<'a, T: ?Sized>(y: &'a T, weights: &'a [f32]) -> Weighted<'a, T> {
    Weighted { y, weights: Some(weights) }
}

impl<'a, T: ?Sized> From<&'a T> for Weighted<'a, T> {
    fn from(y: &'a T) -> Self {
        Weighted { y, weights: None }
    }
}

impl<'a> From<&'a Vec<f32>> for Weighted<'a, [f32]> {
    fn from(y: &'a Vec<f32>) -> Self {
        Weighted { y, weights: None }
    }
}

impl<'a, const N: usize> From<&'a [f32; N]> for Weighted<'a, [f32]> {
    fn from(y: &'a [f32; N]) -> Self {
        Weighted { y, weights: None }
    }
}

/// The weight of each row, and their sum.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    values: Option<&'a [f32]>,
    rows: usize,
    pub(super) total: f64,
}

impl<'a> Weights<'a> {
    pub(super) fn new(op: &'static str, rows: usize, values: Option<&'a [f32]>) -> Result<Weights<'a>> {
        let Some(weights) = values else { return Ok(Weights { values, rows, total: rows as f64 }) };
        if weights.len() != rows {
            return Err(Error::shape(op, format!("{rows} weights"), weights.len()));
        }
        finite(weights)?;
        let refused = |rule: &str, got: String| Error::param("weights", rule.to_string(), got);
        if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
            return Err(refused("zero or more", negative.to_string()));
        }
        let total: f64 = weights.iter().map(|weight| *weight as f64).sum();
        if total == 0.0 {
            return Err(refused("above zero somewhere", "zeros only".to_string()));
        }
        Ok(Weights { values, rows, total })
    }

    pub(super) fn at(&self, row: usize) -> f64 {
        self.values.map_or(1.0, |weights| weights[row] as f64)
    }

    /// `Σ w·f(row) / Σ w`.
    pub(super) fn mean(&self, term: impl Fn(usize) -> f64) -> f64 {
        (0..self.rows).map(|row| self.at(row) * term(row)).sum::<f64>() / self.total
    }
}
