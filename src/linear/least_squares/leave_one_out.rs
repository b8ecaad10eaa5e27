//! The error of leaving each row out, exactly, for all penalties.

use nalgebra::DMatrix;

use super::spectrum::{Decomposed, Kept, Spectrum};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::error::Result;

/// Rows that are worked on together.
const BLOCK: usize = 4096;
/// What is left of a row that its own fit does not determine is at least this.
const LEAST_LEFT: f64 = 1e-12;

impl Decomposed<'_> {
    /// The mean squared error of leaving each row out, for each penalty above 0. With r the residual of a row and h its
    /// entry of the hat matrix, the fit without it misses it by r/(1 − h): no fit is made again. About 2·n·d·(d + 2·L)
    /// operations for L penalties.
    pub(super) fn leave_one_out(&self, alphas: &[f64], intercept: bool) -> Result<Vec<f64>> {
        let constant = if intercept { 1.0 / self.weight } else { 0.0 };
        let penalties = Penalties::new(&self.spectrum, alphas, constant);
        let weight = |row: usize| self.weights.map_or(1.0, |weights| f64::from(weights[row]));
        let mut errors = vec![0.0; alphas.len()];
        match &self.kept {
            Kept::Turned(rows, y) => {
                for first in (0..rows.nrows()).step_by(BLOCK) {
                    let count = BLOCK.min(rows.nrows() - first);
                    let (rows, y) = (rows.rows(first, count).into_owned(), y.rows(first, count).into_owned());
                    penalties.add(rows, &y, |row| weight(first + row), &mut errors);
                }
            }
            Kept::Sparse(centred) => {
                let (k, p) = (centred.columns(), centred.outputs());
                let vectors = centred.among_active(&self.spectrum.vectors).transpose();
                for first in (0..centred.rows()).step_by(BLOCK) {
                    let range = first..centred.rows().min(first + BLOCK);
                    let rows = centred.turned_rows(range.clone(), vectors.as_slice(), k);
                    let rows = DMatrix::from_row_slice(range.len(), k, &rows);
                    let y = &centred.targets()[range.start * p..range.end * p];
                    let roots = &centred.roots()[range.clone()];
                    let y = DMatrix::from_row_slice(range.len(), p, y);
                    penalties.add(rows, &y, |row| roots[row] * roots[row], &mut errors);
                }
            }
            Kept::Dense { x, y, .. } => penalties.add_dense(&self.spectrum, x, y, weight, &mut errors)?,
        }
        let outputs = self.spectrum.y_mean.len() as f64;
        Ok(errors.into_iter().map(|error| error / (self.weight * outputs)).collect())
    }
}

/// What each penalty does to a row in the turned coordinates.
struct Penalties {
    /// 1/(value + alpha), k×L.
    shares: DMatrix<f64>,
    /// The turned coefficients, k×(L·p), those of a penalty together.
    coef: DMatrix<f64>,
    outputs: usize,
    /// What the intercept adds to the leverage of a row of weight 1.
    constant: f64,
}

impl Penalties {
    fn new(spectrum: &Spectrum, alphas: &[f64], constant: f64) -> Penalties {
        let (k, outputs) = spectrum.turned.shape();
        let mut shares = DMatrix::zeros(k, alphas.len());
        let mut coef = DMatrix::zeros(k, alphas.len() * outputs);
        for (at, alpha) in alphas.iter().enumerate() {
            shares.column_mut(at).copy_from_slice(&spectrum.shares(*alpha));
            coef.columns_mut(at * outputs, outputs).copy_from(&spectrum.turned_coef(*alpha));
        }
        Penalties { shares, coef, outputs, constant }
    }

    /// Adds the squares of rows in the turned coordinates; rows and targets are times the root of the weight.
    fn add(&self, rows: DMatrix<f64>, y: &DMatrix<f64>, weight: impl Fn(usize) -> f64, errors: &mut [f64]) {
        let predicted = &rows * &self.coef;
        let leverage = rows.map(|value| value * value) * &self.shares;
        for (at, error) in errors.iter_mut().enumerate() {
            for row in 0..y.nrows() {
                let left = (1.0 - leverage[(row, at)] - weight(row) * self.constant).max(LEAST_LEFT);
                for output in 0..self.outputs {
                    *error += ((y[(row, output)] - predicted[(row, at * self.outputs + output)]) / left).powi(2);
                }
            }
        }
    }

    /// The same of rows as they came, by products in f32.
    fn add_dense(
        &self,
        spectrum: &Spectrum,
        x: &DeviceMatrix,
        y: &Matrix,
        weight: impl Fn(usize) -> f64 + Sync,
        errors: &mut [f64],
    ) -> Result<()> {
        let single =
            |matrix: &DMatrix<f64>| -> Vec<f32> { matrix.transpose().iter().map(|value| *value as f32).collect() };
        let (d, k) = spectrum.vectors.shape();
        let (vectors, shares, coef) = (single(&spectrum.vectors), single(&self.shares), single(&self.coef));
        let (outputs, penalties) = (self.outputs, errors.len());
        let mut turned = vec![0.0; BLOCK * k];
        let mut predicted = vec![0.0; BLOCK * penalties * outputs];
        let mut leverage = vec![0.0; BLOCK * penalties];
        x.for_host_rows(&mut x.device().stream(), BLOCK, |range, values| {
            for (block, x) in values.chunks(BLOCK * d).enumerate() {
                let (first, n) = (range.start + block * BLOCK, x.len() / d);
                let centred = |(at, value): (usize, &f32)| (f64::from(*value) - spectrum.x_mean[at % d]) as f32;
                let rows: Vec<f32> = x.iter().enumerate().map(centred).collect();
                let turned = &mut turned[..n * k];
                let predicted = &mut predicted[..n * penalties * outputs];
                let leverage = &mut leverage[..n * penalties];
                gemm(Layout::NN, 1.0, &rows, (n, d), &vectors, (d, k), 0.0, turned);
                gemm(Layout::NN, 1.0, turned, (n, k), &coef, (k, penalties * outputs), 0.0, predicted);
                turned.iter_mut().for_each(|value| *value *= *value);
                gemm(Layout::NN, 1.0, turned, (n, k), &shares, (k, penalties), 0.0, leverage);
                for row in 0..n {
                    let (weight, y) = (weight(first + row), y.row(first + row));
                    for (at, error) in errors.iter_mut().enumerate() {
                        let own = f64::from(leverage[row * penalties + at]) + self.constant;
                        let left = (1.0 - weight * own).max(LEAST_LEFT);
                        for (output, (y, mean)) in y.iter().zip(&spectrum.y_mean).enumerate() {
                            let predicted = f64::from(predicted[(row * penalties + at) * outputs + output]);
                            *error += weight * ((f64::from(*y) - mean - predicted) / left).powi(2);
                        }
                    }
                }
            }
            Ok(())
        })
    }
}
