//! Targets that `f32` cannot tell apart, moved to where it can.

use super::container::Container;
use crate::array::{Exact, Matrix, Rounding};
use crate::error::{Error, Result};

/// What was subtracted from the targets before a model learnt them, one number for each output, and is added to its
/// predictions: 10⁹ + 1 and 10⁹ + 2 are the same `f32`, and 1 and 2 are not.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetShift(Vec<f64>);

/// The tensor that holds it.
const SHIFT: &str = "target.shift";

impl TargetShift {
    /// What to subtract from these targets, n×p; nothing where rounding does not matter. A whole number, so that whole
    /// targets stay whole.
    pub(crate) fn of(y: &Matrix) -> Option<TargetShift> {
        let shift = |column: usize| {
            let rounding = Rounding::of(y.exact().column(column)?);
            rounding.matters().then(|| rounding.mean.round())
        };
        let shifts: Vec<Option<f64>> = (0..y.columns()).map(shift).collect();
        let some = !y.exact().is_empty() && shifts.iter().any(Option::is_some);
        some.then(|| TargetShift(shifts.into_iter().map(Option::unwrap_or_default).collect()))
    }

    /// The number of each output.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The targets with the shift subtracted.
    pub(crate) fn subtract_from(&self, y: &Matrix) -> Result<Matrix> {
        self.check(y.columns())?;
        let value = |at: usize| {
            let (row, column) = (at / self.0.len(), at % self.0.len());
            (y.get_f64(row, column) - self.0[column]) as f32
        };
        let moved = Matrix::from_vec(y.rows(), y.columns(), (0..y.rows() * y.columns()).map(value).collect())?;
        Ok(moved.with_column_info(y.column_info().clone()))
    }

    /// Predictions with the shift added, in `f64` beside the `f32`.
    pub(crate) fn add_to(&self, predicted: Matrix) -> Result<Matrix> {
        self.check(predicted.columns())?;
        self.0.iter().enumerate().try_fold(predicted, |made, (column, shift)| add_to_column(made, column, *shift))
    }

    /// Numbers of which there is one for each output, with the shift added.
    pub(crate) fn add_to_each(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(&self.0).map(|(value, shift)| value + shift).collect()
    }

    fn check(&self, outputs: usize) -> Result<()> {
        match outputs == self.0.len() {
            true => Ok(()),
            false => {
                let expected = format!("{} outputs, as the targets that were fitted", self.0.len());
                Err(Error::shape("predict", expected, outputs))
            }
        }
    }
}

/// What each column adds to predictions: only what is expected of any row, in the last column, is in the unit of the
/// target, the others are differences.
pub(crate) fn add_to_expected(shift: Option<&TargetShift>, contributions: Vec<Matrix>) -> Result<Vec<Matrix>> {
    let Some(shift) = shift else { return Ok(contributions) };
    let moved = |(output, shift): (Matrix, &f64)| {
        let last = output.columns() - 1;
        add_to_column(output, last, *shift)
    };
    contributions.into_iter().zip(&shift.0).map(moved).collect()
}

/// One column with a number added; the others stay as they are.
fn add_to_column(mut matrix: Matrix, column: usize, shift: f64) -> Result<Matrix> {
    let width = matrix.columns();
    let moved: Vec<f64> = (0..matrix.rows()).map(|row| f64::from(matrix.get(row, column)) + shift).collect();
    let others = matrix.exact().without(column);
    let own = matrix.as_mut_slice().iter_mut().skip(column).step_by(width);
    own.zip(&moved).for_each(|(value, moved)| *value = *moved as f32);
    let kept = others.columns().map(|(at, values)| (at, values.to_vec())).chain([(column, moved)]);
    matrix.with_exact(Exact::new(kept.collect()))
}

impl Container {
    /// Puts in what is added to predictions.
    pub fn set_target_shift(&mut self, shift: &TargetShift) -> Result<()> {
        self.insert_list(SHIFT, &shift.0)
    }

    /// Takes it out again, if there is one.
    pub fn take_target_shift(&mut self) -> Result<Option<TargetShift>> {
        match self.contains(SHIFT) {
            true => Ok(Some(TargetShift(self.take_list(SHIFT)?))),
            false => Ok(None),
        }
    }
}
