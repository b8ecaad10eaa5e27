//! What the solvers of kernel ridge work on.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::array::{DeviceMatrix, Matrix};
use crate::error::Result;
use crate::kernel_methods::{FittedKernel, KernelRows};

/// The rows of a fit with their kernel and weights. With D the roots of the weights, D·K·D + alpha·I is solved for D·y.
pub(super) struct System<'a> {
    pub(super) x: &'a DeviceMatrix,
    pub(super) kernel: &'a FittedKernel,
    pub(super) rows: &'a KernelRows,
    pub(super) weights: Option<&'a [f32]>,
    /// K, if it is known already.
    pub(super) gram: Option<&'a DeviceMatrix>,
}

impl System<'_> {
    /// The kernel matrix in f64.
    pub(super) fn host_matrix(&self) -> Result<DMatrix<f64>> {
        self.kernel.host_matrix(&self.x.to_matrix(&mut self.x.device().stream())?)
    }

    /// D·K·D in f32, by rows.
    pub(super) fn weighted_gram(&self) -> Result<Vec<f32>> {
        let n = self.x.rows();
        let mut stream = self.x.device().stream();
        let matrix = match self.gram {
            Some(gram) => gram.to_matrix(&mut stream)?,
            None => self.kernel.symmetric(&mut stream, self.rows)?.to_matrix(&mut stream)?,
        };
        // By now it belongs to the matrix alone, if it was made here: no copy.
        let mut values = matrix.into_vec();
        if self.weights.is_some() {
            let roots = self.roots();
            values.par_chunks_mut(n).enumerate().for_each(|(row, values)| {
                let weigh = |(value, root): (&mut f32, &f64)| *value = (f64::from(*value) * roots[row] * root) as f32;
                values.iter_mut().zip(&roots).for_each(weigh);
            });
        }
        Ok(values)
    }

    /// The roots of the weights, 1 without weights.
    pub(super) fn roots(&self) -> Vec<f64> {
        match self.weights {
            Some(weights) => weights.iter().map(|&weight| f64::from(weight).sqrt()).collect(),
            None => vec![1.0; self.x.rows()],
        }
    }

    /// D·y, one output after the other.
    pub(super) fn sides(&self, y: &Matrix) -> Vec<Vec<f64>> {
        let roots = self.roots();
        let side = |column| roots.iter().enumerate().map(|(row, root)| f64::from(y.get(row, column)) * root).collect();
        (0..y.columns()).map(side).collect()
    }

    /// The coefficients of the rows, n×p, from what was solved for each output.
    pub(super) fn coefficients(&self, solved: &[Vec<f64>]) -> Result<Matrix> {
        let (n, p) = (self.x.rows(), solved.len());
        let roots = self.roots();
        let values: Vec<f64> = (0..n * p).map(|at| solved[at % p][at / p] * roots[at / p]).collect();
        Matrix::from_f64(n, p, &values)
    }

    /// The mean of K's diagonal.
    pub(super) fn mean_diagonal(&self) -> Result<f64> {
        let diagonal = self.kernel.diagonal(&mut self.x.device().stream(), self.rows)?;
        Ok(diagonal.iter().copied().map(f64::from).sum::<f64>() / diagonal.len().max(1) as f64)
    }
}
