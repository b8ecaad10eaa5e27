//! Scores of predicted numbers.

use super::check::{Weighted, Weights, finite, same_rows};
use crate::array::Matrix;
use crate::error::{Error, Result};

/// The mean of `(predicted − y)²`.
///
/// ```
/// use gristmill::metrics;
/// assert_eq!(metrics::mean_squared_error(&[3.0, -0.5, 2.0, 7.0], &[2.5, 0.0, 2.0, 8.0])?, 0.375);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn mean_squared_error<'a>(y: impl Into<Weighted<'a, [f32]>>, predicted: &[f32]) -> Result<f64> {
    let (y, weights) = checked("mean_squared_error", y.into(), predicted)?;
    Ok(weights.mean(|row| error(y, predicted, row).powi(2)))
}

/// The root of [`mean_squared_error`], in the unit of the target.
///
/// ```
/// use gristmill::metrics;
/// assert_eq!(metrics::root_mean_squared_error(&[1.0, 5.0], &[4.0, 2.0])?, 3.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn root_mean_squared_error<'a>(y: impl Into<Weighted<'a, [f32]>>, predicted: &[f32]) -> Result<f64> {
    let (y, weights) = checked("root_mean_squared_error", y.into(), predicted)?;
    Ok(weights.mean(|row| error(y, predicted, row).powi(2)).sqrt())
}

/// The mean of `|predicted − y|`.
///
/// ```
/// use gristmill::metrics;
/// assert_eq!(metrics::mean_absolute_error(&[3.0, -0.5, 2.0, 7.0], &[2.5, 0.0, 2.0, 8.0])?, 0.5);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn mean_absolute_error<'a>(y: impl Into<Weighted<'a, [f32]>>, predicted: &[f32]) -> Result<f64> {
    let (y, weights) = checked("mean_absolute_error", y.into(), predicted)?;
    Ok(weights.mean(|row| error(y, predicted, row).abs()))
}

/// The mean of `|predicted − y| / |y|`; an error where a target is 0, of which nothing is a share.
///
/// ```
/// use gristmill::metrics;
/// assert_eq!(metrics::mean_absolute_percentage_error(&[2.0, -4.0], &[1.0, -5.0])?, 0.375);
/// assert!(metrics::mean_absolute_percentage_error(&[0.0], &[1.0]).is_err());
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn mean_absolute_percentage_error<'a>(y: impl Into<Weighted<'a, [f32]>>, predicted: &[f32]) -> Result<f64> {
    let (y, weights) = checked("mean_absolute_percentage_error", y.into(), predicted)?;
    if y.contains(&0.0) {
        return Err(Error::shape("mean_absolute_percentage_error", "targets other than 0", "0"));
    }
    Ok(weights.mean(|row| error(y, predicted, row).abs() / f64::from(y[row]).abs()))
}

/// The median of `|predicted − y|`, which a few wild rows do not move: half of the weight lies on either side.
///
/// ```
/// use gristmill::metrics;
/// assert_eq!(metrics::median_absolute_error(&[1.0, 2.0, 3.0, 1000.0], &[1.5, 2.5, 3.0, 0.0])?, 0.5);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn median_absolute_error<'a>(y: impl Into<Weighted<'a, [f32]>>, predicted: &[f32]) -> Result<f64> {
    let (y, weights) = checked("median_absolute_error", y.into(), predicted)?;
    let mut errors: Vec<(f64, f64)> = (0..y.len())
        .map(|row| (error(y, predicted, row).abs(), weights.at(row)))
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (half, mut below) = (weights.total / 2.0, 0.0);
    for (at, (error, weight)) in errors.iter().enumerate() {
        below += weight;
        if below >= half {
            // Exactly half on this side: the median lies midway to the next.
            let next = if below == half { errors.get(at + 1).map_or(*error, |next| next.0) } else { *error };
            return Ok((error + next) / 2.0);
        }
    }
    // The sum fell short of its half by rounding only.
    Ok(errors.last().map_or(0.0, |last| last.0))
}

/// `1 − Σ(y − predicted)² / Σ(y − mean)²`: 1 is perfect, 0 no better than the mean. A constant target gives 1 when it
/// is met exactly, else 0. Needs two rows.
///
/// ```
/// use gristmill::metrics;
/// let score = metrics::r2_score(&[3.0, -0.5, 2.0, 7.0], &[2.5, 0.0, 2.0, 8.0])?;
/// assert!((score - 0.9486081).abs() < 1e-7);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn r2_score<'a>(y: impl Into<Weighted<'a, [f32]>>, predicted: &[f32]) -> Result<f64> {
    let (y, weights) = checked("r2_score", y.into(), predicted)?;
    two_rows("r2_score", y.len())?;
    Ok(determination(weights, |row| y[row] as f64, |row| predicted[row] as f64))
}

/// [`r2_score`] of several outputs, n×p each: the plain mean over the columns.
///
/// ```
/// use gristmill::{Matrix, metrics};
/// let y = Matrix::from_rows(&[[0.5, 1.0], [-1.0, 1.0], [7.0, -6.0]])?;
/// let predicted = Matrix::from_rows(&[[0.0, 2.0], [-1.0, 2.0], [8.0, -5.0]])?;
/// assert!((metrics::r2_score_columns(&y, &predicted)? - 0.9368005).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn r2_score_columns<'a>(y: impl Into<Weighted<'a, Matrix>>, predicted: &Matrix) -> Result<f64> {
    let op = "r2_score_columns";
    let Weighted { y, weights } = y.into();
    same_rows(op, y.rows(), predicted.rows())?;
    two_rows(op, y.rows())?;
    if y.columns() != predicted.columns() || y.columns() == 0 {
        let expected = format!("{} columns, as in the target, at least one", y.columns());
        return Err(Error::shape(op, expected, predicted.columns()));
    }
    y.refuse_missing()?;
    predicted.refuse_missing()?;
    let weights = Weights::new(op, y.rows(), weights)?;
    let of_column = |column| determination(weights, |row| y.get_f64(row, column), |row| predicted.get_f64(row, column));
    Ok((0..y.columns()).map(of_column).sum::<f64>() / y.columns() as f64)
}

fn determination(weights: Weights<'_>, y: impl Fn(usize) -> f64, predicted: impl Fn(usize) -> f64) -> f64 {
    // Counted from the first value, a constant target has a spread of exactly zero.
    let origin = y(0);
    let mean = weights.mean(|row| y(row) - origin);
    let spread = weights.mean(|row| (y(row) - origin - mean).powi(2));
    let left = weights.mean(|row| (y(row) - predicted(row)).powi(2));
    match (left == 0.0, spread == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => 1.0 - left / spread,
    }
}

fn checked<'a>(op: &'static str, y: Weighted<'a, [f32]>, predicted: &[f32]) -> Result<(&'a [f32], Weights<'a>)> {
    let Weighted { y, weights } = y;
    let rows = same_rows(op, y.len(), predicted.len())?;
    finite(y)?;
    finite(predicted)?;
    Ok((y, Weights::new(op, rows, weights)?))
}

fn two_rows(op: &'static str, rows: usize) -> Result<()> {
    if rows < 2 {
        return Err(Error::shape(op, "at least two rows", rows));
    }
    Ok(())
}

fn error(y: &[f32], predicted: &[f32], row: usize) -> f64 {
    predicted[row] as f64 - y[row] as f64
}
