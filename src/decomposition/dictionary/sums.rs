//! What atoms are updated from: the products of codes with each other and with the rows.

use nalgebra::DMatrix;

use crate::array::{DeviceMatrix, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::linalg::transposed_product;
use crate::ops::{self, Layout};

/// A mean square of codes below which an atom counts as unused.
const UNUSED: f64 = 1e-10;

/// CᵀC (k×k) and CᵀX (k×d) over the number of rows, and how many batches are in them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodeSums {
    pub(super) batches: usize,
    pub(super) codes: DMatrix<f64>,
    pub(super) with_rows: DMatrix<f64>,
}

impl CodeSums {
    /// Of no rows.
    pub(super) fn none(k: usize, d: usize) -> CodeSums {
        CodeSums { batches: 0, codes: DMatrix::zeros(k, k), with_rows: DMatrix::zeros(k, d) }
    }

    /// Of rows with their codes, made where they are.
    pub(super) fn of(stream: &mut Stream, codes: &DeviceMatrix, x: &DeviceMatrix) -> Result<CodeSums> {
        let n = x.rows().max(1) as f64;
        let with_each = ops::gemm(stream, Layout::TN, codes, codes)?;
        let with_rows = ops::gemm(stream, Layout::TN, codes, x)?;
        let (codes, with_rows) = (with_each.to_matrix(stream)?, with_rows.to_matrix(stream)?);
        Ok(CodeSums { batches: 1, codes: codes.to_dmatrix() / n, with_rows: with_rows.to_dmatrix() / n })
    }

    /// Takes in a batch of so many rows; early batches, whose atoms were bad, are forgotten (Mairal and others, 2009).
    pub(super) fn follow(&mut self, batch: &CodeSums, rows: usize) {
        let (step, rows) = (self.batches as f64, rows as f64);
        let theta = if step < rows - 1.0 { (step + 1.0) * rows } else { rows * rows + step + 1.0 - rows };
        let beta = (theta + 1.0 - rows) / (theta + 1.0);
        self.codes = &self.codes * beta + &batch.codes;
        self.with_rows = &self.with_rows * beta + &batch.with_rows;
        self.batches += 1;
    }

    /// ½‖x − c·D‖² + alpha·‖c‖₁, the mean over the rows: where codes are best, alpha·‖c‖₁ = ⟨c, x·Dᵀ − c·D·Dᵀ⟩.
    pub(super) fn objective(&self, mean_square: f64, atoms: &Matrix) -> f64 {
        let atoms = atoms.to_dmatrix().transpose();
        0.5 * (mean_square - self.codes.dot(&transposed_product(&atoms, &atoms)))
    }

    /// Moves each atom (k×d) to its best place, the others as they are, within length 1; returns those that no row uses.
    pub(super) fn update(&self, atoms: &mut Matrix, positive: bool) -> Result<Vec<usize>> {
        let (k, d) = (atoms.rows(), atoms.columns());
        // A column an atom: contiguous.
        let mut columns = atoms.to_dmatrix().transpose();
        let targets = self.with_rows.transpose();
        let mut unused = vec![];
        for atom in 0..k {
            let own = self.codes[(atom, atom)];
            if own <= UNUSED {
                unused.push(atom);
                continue;
            }
            let mut step = targets.column(atom).into_owned();
            for (other, weight) in self.codes.column(atom).iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                step.axpy(-weight, &columns.column(other), 1.0);
            }
            let mut target = columns.column_mut(atom);
            target.axpy(1.0 / own, &step, 1.0);
            if positive {
                target.iter_mut().for_each(|value| *value = value.max(0.0));
            }
            let length = target.norm();
            target /= length.max(1.0);
        }
        let values = columns.as_slice();
        *atoms = Matrix::from_f64(k, d, values)?;
        Ok(unused)
    }
}
