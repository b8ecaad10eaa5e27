//! Scores of predicted probabilities.

use super::check::{Weighted, Weights, same_rows};
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};

/// How far the probabilities of a row may sum from one; rounding in f32 stays far below.
const SUM_TOLERANCE: f64 = 1e-3;

/// The mean of `−ln p(true class)`, with probabilities kept `2⁻²³` away from 0 and 1.
///
/// `proba` is n×k. If its columns are named they are matched with the class names, and every class of `y` must have
/// one; if not, they are the classes of `y` in their order. Probabilities outside [0, 1] and rows that do not sum to
/// one within 1e-3 are errors.
///
/// ```
/// use gristmill::{Labels, Matrix, metrics};
/// let y = Labels::from_names(&["ham", "spam", "spam", "ham"]);
/// let proba = Matrix::from_rows(&[[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.65, 0.35]])?;
/// assert!((metrics::log_loss(&y, &proba)? - 0.216161).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn log_loss<'a>(y: impl Into<Weighted<'a, Labels>>, proba: &Matrix) -> Result<f64> {
    let (columns, weights) = checked("log_loss", y.into(), proba)?;
    let loss = |row: usize| {
        let probability = proba.get(row, columns[row]).clamp(f32::EPSILON, 1.0 - f32::EPSILON);
        -(probability as f64).ln()
    };
    Ok(weights.mean(loss))
}

/// The mean squared distance between the probabilities and the targets as zeros and a one; halved for two classes, so
/// that it is the familiar `(p − y)²` there.
///
/// `proba` is n×k, with columns as for [`log_loss`].
///
/// ```
/// use gristmill::{Labels, Matrix, metrics};
/// let y = Labels::from(&[0_u32, 1, 1, 0][..]);
/// let proba = Matrix::from_rows(&[[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.7, 0.3]])?;
/// assert!((metrics::brier_score(&y, &proba)? - 0.0375).abs() < 1e-7);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "brier_score_loss")]
pub fn brier_score<'a>(y: impl Into<Weighted<'a, Labels>>, proba: &Matrix) -> Result<f64> {
    let (columns, weights) = checked("brier_score", y.into(), proba)?;
    let distance = |row: usize| {
        let term = |(column, probability): (usize, &f32)| {
            let truth = if column == columns[row] { 1.0 } else { 0.0 };
            (*probability as f64 - truth).powi(2)
        };
        proba.row(row).iter().enumerate().map(term).sum::<f64>()
    };
    let scale = if proba.columns() == 2 { 0.5 } else { 1.0 };
    Ok(scale * weights.mean(distance))
}

/// The column of each row's true class, once the probabilities have been checked, and the weights.
fn checked<'a>(op: &'static str, y: Weighted<'a, Labels>, proba: &Matrix) -> Result<(Vec<usize>, Weights<'a>)> {
    let Weighted { y, weights } = y;
    same_rows(op, y.len(), proba.rows())?;
    if proba.columns() < 2 {
        return Err(Error::shape(op, "a column for each of two or more classes", proba.columns()));
    }
    proba.refuse_missing()?;
    let refused = |rule: &str, got: String| Error::param("proba", rule.to_string(), got);
    if let Some(probability) = proba.as_slice().iter().find(|probability| !(0.0..=1.0).contains(*probability)) {
        return Err(refused("between 0 and 1", probability.to_string()));
    }
    for row in 0..proba.rows() {
        let sum: f64 = proba.row(row).iter().map(|probability| *probability as f64).sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(refused("probabilities that sum to one in each row", format!("{sum} in row {row}")));
        }
    }
    let of_class = match proba.names() {
        None if proba.columns() == y.classes() => (0..y.classes()).map(Some).collect::<Vec<_>>(),
        None => {
            let expected = format!("{} columns, one for each class of the targets, or named columns", y.classes());
            return Err(Error::shape(op, expected, proba.columns()));
        }
        Some(names) => y.names().iter().map(|class| names.iter().position(|name| name == class)).collect(),
    };
    let column = |&code: &u32| {
        let missing = || refused("named after the classes", format!("no column for {}", y.names()[code as usize]));
        of_class[code as usize].ok_or_else(missing)
    };
    Ok((y.codes().iter().map(column).collect::<Result<_>>()?, Weights::new(op, y.len(), weights)?))
}
