//! Rows on the host as the solvers of general losses see them: columns less their means and in units of their deviation,
//! without a copy.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::host_rows::HostRows;
use crate::array::Matrix;
use crate::cpu::sparse::multiply;
use crate::cpu::vectorised;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Rows, Targets};

/// Rows of a task; the sums of the tasks are added in index order.
const BLOCK: usize = 1024;
/// Deviations below this share of the mean are rounding: the column is constant.
const CONSTANT: f64 = 1e-12;
/// Sparse columns up to which their weighted products are made.
const WIDEST_GRAM: usize = 2048;

/// The rows with their targets and weights, all checked.
pub(super) struct StandardRows<'a> {
    source: HostRows<'a>,
    /// Zeros without an intercept.
    mean: Vec<f64>,
    /// One over the deviation; 0 of constant columns, whose coefficient is then 0.
    unit: Vec<f64>,
    intercept: bool,
    /// n×p.
    pub(super) y: Matrix,
    /// One number a row, with a sum of 1.
    pub(super) weights: Vec<f64>,
    /// How much all rows weigh.
    pub(super) total: f64,
}

impl<'a> StandardRows<'a> {
    pub(super) fn new(
        op: &'static str,
        x: Rows<'a>,
        y: Targets<'_>,
        intercept: bool,
        options: &Fit<'_>,
    ) -> Result<StandardRows<'a>> {
        let source = HostRows::new(op, x)?;
        let rows = x.rows();
        let y = y.complete(op, rows)?;
        let given = options.weights(op, rows)?;
        let weights: Vec<f64> = (0..rows).map(|row| given.map_or(1.0, |given| f64::from(given[row]))).collect();
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.into_iter().map(|weight| weight / total).collect();
        let columns = x.column_info().1;
        let plain = vec![1.0; columns];
        let mut out = StandardRows { source, mean: vec![0.0; columns], unit: plain, intercept, y, weights, total };
        if intercept {
            // Twice: about the first mean the sums of the second pass are small, and so is their rounding.
            for _ in 0..2 {
                let (offset, _) = out.transposed(&out.weights);
                out.mean.iter_mut().zip(offset).for_each(|(mean, offset)| *mean += offset);
            }
        }
        let unit = |(square, mean): (f64, &f64)| match square > (CONSTANT * mean).powi(2) && square.is_finite() {
            true => 1.0 / square.sqrt(),
            false => 0.0,
        };
        out.unit = out.squares().into_iter().zip(&out.mean).map(unit).collect();
        Ok(out)
    }

    /// n, the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.weights.len()
    }

    /// d, the number of columns.
    pub(super) fn columns(&self) -> usize {
        self.mean.len()
    }

    /// Whether there is an intercept.
    pub(super) fn intercept(&self) -> bool {
        self.intercept
    }

    /// What a coefficient in units of the deviations is multiplied by to be one of the rows as they are.
    pub(super) fn unit(&self) -> &[f64] {
        &self.unit
    }

    /// The mean of weight·(x − mean)² of each column.
    fn squares(&self) -> Vec<f64> {
        let d = self.columns();
        match &self.source {
            HostRows::Dense(x) => self.block_sums(d, |row, sums| {
                let weight = self.weights[row];
                for ((sum, value), mean) in sums.iter_mut().zip(x.row(row)).zip(&self.mean) {
                    *sum += weight * (f64::from(*value) - mean).powi(2);
                }
            }),
            HostRows::Sparse(x) => {
                let (mut sums, mut stored) = (vec![0.0; d], vec![0.0; d]);
                for (row, weight) in self.weights.iter().enumerate() {
                    let (columns, values) = x.row(row);
                    for (column, value) in columns.iter().zip(values) {
                        let at = *column as usize;
                        sums[at] += weight * (f64::from(*value) - self.mean[at]).powi(2);
                        stored[at] += weight;
                    }
                }
                let zeros = stored.iter().zip(&self.mean).map(|(stored, mean)| (1.0 - stored).max(0.0) * mean * mean);
                sums.iter().zip(zeros).map(|(sum, zeros)| sum + zeros).collect()
            }
        }
    }

    /// X·v + constant of every row, for coefficients in units of the deviations.
    pub(super) fn margins(&self, v: &[f64], constant: f64) -> Vec<f64> {
        let coef: Vec<f64> = v.iter().zip(&self.unit).map(|(value, unit)| value * unit).collect();
        match &self.source {
            HostRows::Dense(x) => {
                let mut out = vec![0.0; self.rows()];
                out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
                    for (at, out) in out.iter_mut().enumerate() {
                        *out = constant + vectorised!(centred_dot(x.row(block * BLOCK + at), &coef, &self.mean));
                    }
                });
                out
            }
            HostRows::Sparse(x) => {
                let shift: f64 = constant - coef.iter().zip(&self.mean).map(|(a, b)| a * b).sum::<f64>();
                let mut out = multiply((*x).into(), &coef, 1);
                out.iter_mut().for_each(|value| *value += shift);
                out
            }
        }
    }

    /// Xᵀ·u in units of the deviations, and Σu.
    pub(super) fn transposed(&self, u: &[f64]) -> (Vec<f64>, f64) {
        let total: f64 = u.iter().sum();
        let d = self.columns();
        let mut sums = match &self.source {
            HostRows::Dense(x) => self.block_sums(d, |row, sums| {
                if u[row] != 0.0 {
                    vectorised!(add_centred(sums, u[row], x.row(row), &self.mean));
                }
            }),
            HostRows::Sparse(x) => {
                let mut sums: Vec<f64> = self.mean.iter().map(|mean| -mean * total).collect();
                for (row, factor) in u.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                    let (columns, values) = x.row(row);
                    let pairs = columns.iter().zip(values);
                    pairs.for_each(|(column, value)| sums[*column as usize] += factor * f64::from(*value));
                }
                sums
            }
        };
        sums.iter_mut().zip(&self.unit).for_each(|(sum, unit)| *sum *= unit);
        (sums, total)
    }

    /// [X 1]ᵀ·diag(w)·[X 1], (d + 1)×(d + 1), in units of the deviations; only rows with a weight are looked at. The last row
    /// and column are those of the intercept, and zero without one.
    pub(super) fn gram(&self, op: &'static str, w: &[f64]) -> Result<DMatrix<f64>> {
        let d = self.columns();
        let which: Vec<usize> = (0..w.len()).filter(|&row| w[row] > 0.0).collect();
        let mut gram = match &self.source {
            HostRows::Dense(x) => {
                let parts: Vec<DMatrix<f64>> = which
                    .par_chunks(BLOCK)
                    .map(|rows| {
                        let mut block = DMatrix::zeros(d + 1, rows.len());
                        for (to, &row) in block.as_mut_slice().chunks_exact_mut(d + 1).zip(rows) {
                            let root = w[row].sqrt();
                            for (at, value) in x.row(row).iter().enumerate() {
                                to[at] = root * (f64::from(*value) - self.mean[at]) * self.unit[at];
                            }
                            to[d] = if self.intercept { root } else { 0.0 };
                        }
                        &block * block.transpose()
                    })
                    .collect();
                parts.into_iter().fold(DMatrix::zeros(d + 1, d + 1), |sum, part| sum + part)
            }
            HostRows::Sparse(_) if d > WIDEST_GRAM => {
                let expected = format!("at most {WIDEST_GRAM} sparse columns; select columns first");
                return Err(Error::shape(op, expected, format!("{d} columns")));
            }
            HostRows::Sparse(x) => {
                let (mut plain, mut sums, mut total) = (DMatrix::zeros(d + 1, d + 1), vec![0.0; d], 0.0);
                for &row in &which {
                    let (columns, values) = x.row(row);
                    total += w[row];
                    for (column, value) in columns.iter().zip(values) {
                        let (j, value) = (*column as usize, w[row] * f64::from(*value));
                        sums[j] += value;
                        let pairs = columns.iter().zip(values);
                        pairs.for_each(|(other, own)| plain[(*other as usize, j)] += value * f64::from(*own));
                    }
                }
                // Σw(x − m)(x − m)ᵀ, written out.
                for j in 0..d {
                    for i in 0..d {
                        let (a, b) = (self.mean[i], self.mean[j]);
                        let about = plain[(i, j)] - a * sums[j] - sums[i] * b + total * a * b;
                        plain[(i, j)] = about * self.unit[i] * self.unit[j];
                    }
                    if self.intercept {
                        let about = (sums[j] - total * self.mean[j]) * self.unit[j];
                        (plain[(d, j)], plain[(j, d)]) = (about, about);
                    }
                }
                plain[(d, d)] = if self.intercept { total } else { 0.0 };
                plain
            }
        };
        gram.fill_lower_triangle_with_upper_triangle();
        Ok(gram)
    }

    /// Coefficients and intercept in the units of the rows.
    pub(super) fn plane(&self, v: &[f64], constant: f64) -> (Vec<f64>, f64) {
        let coef: Vec<f64> = v.iter().zip(&self.unit).map(|(value, unit)| value * unit).collect();
        let at_mean: f64 = coef.iter().zip(&self.mean).map(|(a, b)| a * b).sum();
        (coef, if self.intercept { constant - at_mean } else { 0.0 })
    }

    /// Sums over all rows in tasks of fixed size, added in index order.
    fn block_sums(&self, width: usize, add: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let blocks: Vec<Vec<f64>> = (0..self.rows().div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut sums = vec![0.0; width];
                (block * BLOCK..self.rows().min((block + 1) * BLOCK)).for_each(|row| add(row, &mut sums));
                sums
            })
            .collect();
        let mut sums = vec![0.0; width];
        for block in blocks {
            sums.iter_mut().zip(block).for_each(|(sum, part)| *sum += part);
        }
        sums
    }
}

#[inline(always)]
fn centred_dot(x: &[f32], coef: &[f64], mean: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (xs, x_tail) = x.as_chunks::<8>();
    let ((coefs, coef_tail), (means, mean_tail)) = (coef.as_chunks::<8>(), mean.as_chunks::<8>());
    for ((x, coef), mean) in xs.iter().zip(coefs).zip(means) {
        for lane in 0..8 {
            lanes[lane] += (f64::from(x[lane]) - mean[lane]) * coef[lane];
        }
    }
    let tail = x_tail.iter().zip(coef_tail).zip(mean_tail).map(|((x, coef), mean)| (f64::from(*x) - mean) * coef);
    lanes.into_iter().sum::<f64>() + tail.sum::<f64>()
}

#[inline(always)]
fn add_centred(sums: &mut [f64], factor: f64, x: &[f32], mean: &[f64]) {
    for ((sum, x), mean) in sums.iter_mut().zip(x).zip(mean) {
        *sum += factor * (f64::from(*x) - mean);
    }
}
