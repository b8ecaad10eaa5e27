//! Dense columns, one after the other in memory.

use rayon::prelude::*;

use super::{CONSTANT, Columns};
use crate::array::Matrix;
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::cpu::vectorised;

/// Rows of a block while the table is turned, and rows whose products are made together.
const TURNED: usize = 64;
const DEPTH: usize = 1024;
/// Columns of a task.
const TASK: usize = 32;

/// The columns of a dense table, less their means and times the roots of the weights, in f32.
pub(crate) struct DenseColumns {
    rows: usize,
    /// d columns of n numbers.
    values: Vec<f32>,
    squares: Vec<f64>,
    /// p outputs of n numbers, less their means and times the roots.
    targets: Vec<Vec<f64>>,
    /// Of all rows.
    weight: f64,
}

impl DenseColumns {
    /// From n×d rows and n×p targets, with their means (zeros without an intercept) and the weights.
    pub(crate) fn new(
        x: &Matrix,
        y: &Matrix,
        weights: Option<&[f32]>,
        (x_mean, y_mean): (&[f64], &[f64]),
    ) -> DenseColumns {
        let (n, d) = (x.rows(), x.columns());
        let root = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]).sqrt());
        let roots: Vec<f64> = (0..n).map(root).collect();
        let weight = roots.iter().map(|root| root * root).sum();
        let mut values = vec![0.0_f32; n * d];
        let from = x.as_slice();
        // A few columns at a time: a line of the cache holds 16 numbers of a row.
        values.par_chunks_mut(TASK * n.max(1)).enumerate().for_each(|(task, out)| {
            let first = task * TASK;
            let count = out.len() / n.max(1);
            for block in (0..n).step_by(TURNED) {
                for column in 0..count {
                    let mean = x_mean[first + column];
                    let to = &mut out[column * n + block..column * n + n.min(block + TURNED)];
                    for (at, to) in to.iter_mut().enumerate() {
                        let row = block + at;
                        *to = ((f64::from(from[row * d + first + column]) - mean) * roots[row]) as f32;
                    }
                }
            }
        });
        let square = |column: &[f32]| column.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>() / weight;
        let varying = |(square, mean): (f64, &f64)| if square > (CONSTANT * mean).powi(2) { square } else { 0.0 };
        let squares: Vec<f64> = values.par_chunks(n.max(1)).map(square).zip(x_mean).map(varying).collect();
        let target =
            |output: usize| (0..n).map(|row| (f64::from(y.get(row, output)) - y_mean[output]) * roots[row]).collect();
        let targets = (0..y.columns()).map(target).collect();
        DenseColumns { rows: n, values, squares, targets, weight }
    }

    fn column(&self, at: usize) -> &[f32] {
        &self.values[at * self.rows..(at + 1) * self.rows]
    }
}

impl Columns for DenseColumns {
    fn count(&self) -> usize {
        self.squares.len()
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn target_square(&self, output: usize) -> f64 {
        self.targets[output].iter().map(|value| value * value).sum::<f64>() / self.weight
    }

    fn slopes(&self, output: usize, support: &[(usize, f64)], which: &[usize]) -> (f64, Vec<f64>) {
        let mut residual = self.targets[output].clone();
        residual.par_chunks_mut(DEPTH).enumerate().for_each(|(block, residual)| {
            for (column, coef) in support {
                let column = &self.column(*column)[block * DEPTH..block * DEPTH + residual.len()];
                vectorised!(subtract(residual, *coef, column));
            }
        });
        let mut slopes = vec![0.0; which.len()];
        slopes.par_chunks_mut(TASK).zip(which.par_chunks(TASK)).for_each(|(slopes, which)| {
            for (slope, column) in slopes.iter_mut().zip(which) {
                *slope = vectorised!(dot(self.column(*column), &residual)) / self.weight;
            }
        });
        let square = residual.iter().map(|value| value * value).sum::<f64>() / self.weight;
        (square, slopes)
    }

    fn products(&self, left: &[usize], right: &[usize]) -> Vec<f32> {
        let mut sums = vec![0.0; left.len() * right.len()];
        for first in (0..self.rows).step_by(DEPTH) {
            let depth = DEPTH.min(self.rows - first);
            let gather = |which: &[usize]| -> Vec<f32> {
                let mut out = vec![0.0; which.len() * depth];
                let columns = out.par_chunks_mut(depth).zip(which);
                columns.for_each(|(out, &at)| out.copy_from_slice(&self.column(at)[first..first + depth]));
                out
            };
            let (a, b) = (gather(left), gather(right));
            gemm(Layout::NT, 1.0, &a, (left.len(), depth), &b, (right.len(), depth), 1.0, &mut sums);
        }
        let scale = (1.0 / self.weight) as f32;
        sums.par_iter_mut().for_each(|sum| *sum *= scale);
        sums
    }
}

#[inline(always)]
fn subtract(residual: &mut [f64], coef: f64, column: &[f32]) {
    residual.iter_mut().zip(column).for_each(|(left, value)| *left -= coef * f64::from(*value));
}

/// Σ column·residual in sixteen lanes.
#[inline(always)]
fn dot(column: &[f32], residual: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; 16];
    let (columns, tail) = column.as_chunks::<16>();
    let (residuals, residual_tail) = residual.as_chunks::<16>();
    for (column, residual) in columns.iter().zip(residuals) {
        for lane in 0..16 {
            lanes[lane] += f64::from(column[lane]) * residual[lane];
        }
    }
    let rest: f64 = tail.iter().zip(residual_tail).map(|(value, left)| f64::from(*value) * left).sum();
    lanes.into_iter().sum::<f64>() + rest
}
