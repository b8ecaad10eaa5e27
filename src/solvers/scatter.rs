//! Means of the columns and the scatter of rows about them: what components, covariances and discriminants begin with.

use nalgebra::DMatrix;

use crate::array::{DeviceMatrix, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::ops;

/// Operations up to which rows are worked on in f64 throughout.
const SMALL: usize = 20_000_000;

/// What is known of rows: how much they weigh, their mean, and Σ w·(x − mean)(x − mean)ᵀ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scatter {
    /// Rows that count.
    pub(crate) rows: usize,
    /// Σ of their weights; the number of rows without weights.
    pub(crate) weight: f64,
    pub(crate) mean: Vec<f64>,
    /// d×d.
    pub(crate) matrix: DMatrix<f64>,
}

impl Scatter {
    /// Of the rows of X (n×d) where they live: in f64 for small tables, else products in f32 whose blocks are added in
    /// f64. A GPU is waited for twice.
    pub(crate) fn of(stream: &mut Stream, x: &DeviceMatrix, weights: Option<&[f32]>) -> Result<Scatter> {
        let d = x.columns();
        let rows = weights.map_or(x.rows(), |weights| weights.iter().filter(|weight| **weight > 0.0).count());
        if x.rows().saturating_mul(d).saturating_mul(d) <= SMALL {
            return Ok(Scatter { rows, ..in_f64(&x.to_matrix(stream)?, weights) });
        }
        let found = ops::normal_equations(stream, x, &Matrix::zeros(x.rows(), 0)?, weights, true)?;
        let matrix = DMatrix::from_row_slice(d, d, &found.xx);
        Ok(Scatter { rows, weight: found.weight, mean: found.x_mean, matrix })
    }

    /// Of these rows and others together (Chan, Golub and LeVeque 1979).
    pub(crate) fn join(mut self, other: &Scatter) -> Scatter {
        let weight = self.weight + other.weight;
        if other.weight <= 0.0 {
            return self;
        }
        let apart: Vec<f64> = self.mean.iter().zip(&other.mean).map(|(own, other)| other - own).collect();
        let share = self.weight * other.weight / weight;
        let d = apart.len();
        self.matrix += DMatrix::from_fn(d, d, |i, j| other.matrix[(i, j)] + share * apart[i] * apart[j]);
        self.mean.iter_mut().zip(&apart).for_each(|(mean, apart)| *mean += apart * other.weight / weight);
        Scatter { rows: self.rows + other.rows, weight, ..self }
    }
}

fn in_f64(x: &Matrix, weights: Option<&[f32]>) -> Scatter {
    let d = x.columns();
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let total: f64 = (0..x.rows()).map(weight).sum();
    let mut mean = vec![0.0; d];
    for row in 0..x.rows() {
        mean.iter_mut().zip(x.row(row)).for_each(|(sum, value)| *sum += weight(row) * f64::from(*value) / total);
    }
    let centred = DMatrix::from_fn(x.rows(), d, |row, column| f64::from(x.get(row, column)) - mean[column]);
    let mut weighted = centred.clone();
    weighted.row_iter_mut().enumerate().for_each(|(row, mut values)| values *= weight(row));
    Scatter { rows: x.rows(), weight: total, mean, matrix: centred.tr_mul(&weighted) }
}
