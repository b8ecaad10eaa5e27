//! Columns known by their products alone.

use rayon::prelude::*;

use super::{CONSTANT, Columns};
use crate::cpu::vectorised;
use crate::ops::NormalEquations;

/// Columns of a task.
const TASK: usize = 256;

/// All products of the columns, with each other and with the targets.
pub(crate) struct GramColumns {
    /// d×d.
    gram: Vec<f64>,
    squares: Vec<f64>,
    /// p outputs of d numbers.
    with_target: Vec<Vec<f64>>,
    target_squares: Vec<f64>,
}

impl GramColumns {
    /// From the products of centred columns; `target_squares` are ‖y‖² of each output over the weight.
    pub(crate) fn new(products: NormalEquations, target_squares: Vec<f64>) -> GramColumns {
        let NormalEquations { weight, x_mean, y_mean, mut xx, xy } = products;
        let (d, p) = (x_mean.len(), y_mean.len());
        xx.par_iter_mut().for_each(|value| *value /= weight);
        let square = |at: usize| Some(xx[at * d + at]).filter(|square| *square > (CONSTANT * x_mean[at]).powi(2));
        let squares = (0..d).map(|at| square(at).unwrap_or(0.0)).collect();
        let with_target = |output: usize| (0..d).map(|at| xy[at * p + output] / weight).collect();
        GramColumns { gram: xx, squares, with_target: (0..p).map(with_target).collect(), target_squares }
    }

    fn row(&self, at: usize) -> &[f64] {
        let d = self.squares.len();
        &self.gram[at * d..(at + 1) * d]
    }
}

impl Columns for GramColumns {
    fn count(&self) -> usize {
        self.squares.len()
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn target_square(&self, output: usize) -> f64 {
        self.target_squares[output]
    }

    fn slopes(&self, output: usize, support: &[(usize, f64)], which: &[usize]) -> (f64, Vec<f64>) {
        let with_target = &self.with_target[output];
        let mut all = with_target.clone();
        all.par_chunks_mut(TASK).enumerate().for_each(|(task, all)| {
            for (column, coef) in support {
                let row = &self.row(*column)[task * TASK..task * TASK + all.len()];
                vectorised!(subtract(all, *coef, row));
            }
        });
        // ‖y − Xw‖² = ‖y‖² − wᵀ(Xᵀy + Xᵀr).
        let gained: f64 = support.iter().map(|(at, coef)| coef * (with_target[*at] + all[*at])).sum();
        let residual = (self.target_squares[output] - gained).max(0.0);
        (residual, which.iter().map(|&at| all[at]).collect())
    }

    fn products(&self, left: &[usize], right: &[usize]) -> Vec<f64> {
        let rows = left.iter().map(|&at| self.row(at));
        rows.flat_map(|row| right.iter().map(move |&other| row[other])).collect()
    }
}

#[inline(always)]
fn subtract(sums: &mut [f64], coef: f64, row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum -= coef * value);
}
