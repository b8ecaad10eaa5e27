//! Rows from their kernel components, by ridge regression with the same kernel.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::kernel_methods::{FittedKernel, Kernel};
use crate::linalg::Cholesky;
use crate::model_file::Container;

/// Σⱼ k(z, zⱼ)·cⱼ, on the host in f64: with a small penalty the terms are large and of both signs.
#[derive(Debug, Clone)]
pub(super) struct Preimages {
    kernel: Kernel,
    /// The components of the fitted rows, n×p.
    components: Matrix,
    /// n×d.
    coef: DMatrix<f64>,
}

impl Preimages {
    /// (K(z, z) + alpha·I)⁻¹·x for the components z of the rows x.
    pub(super) fn fit(kernel: &FittedKernel, components: Matrix, x: &Matrix, alpha: f64) -> Result<Preimages> {
        let mut gram = kernel.host_matrix(&components)?;
        (0..gram.nrows()).for_each(|at| gram[(at, at)] += alpha);
        let coef = Cholesky::factor(&gram)?.solve(&x.to_dmatrix())?;
        Ok(Preimages { kernel: kernel.kernel().clone(), components, coef })
    }

    /// The rows of new components, n×d.
    pub(super) fn of(&self, op: &'static str, z: &Matrix) -> Result<Matrix> {
        let (p, d) = (self.components.columns(), self.coef.ncols());
        if z.columns() != p {
            return Err(Error::shape(op, format!("{p} columns, as transform gives"), z.columns()));
        }
        z.refuse_missing()?;
        let row = |row: usize| -> Result<Vec<f64>> {
            let mut sums = vec![0.0; d];
            for at in 0..self.components.rows() {
                let value = self.kernel.value(z.row(row), self.components.row(at))?;
                sums.iter_mut().zip(self.coef.row(at).iter()).for_each(|(sum, coef)| *sum += value * coef);
            }
            Ok(sums)
        };
        let rows: Vec<Vec<f64>> = (0..z.rows()).into_par_iter().map(row).collect::<Result<_>>()?;
        Matrix::from_f64(z.rows(), d, &rows.concat())
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        let (n, p) = (self.components.rows(), self.components.columns());
        container.insert("components", &[n, p], self.components.as_slice().to_vec())?;
        container.insert("preimage_coef", &[n, self.coef.ncols()], self.coef.transpose().as_slice().to_vec())
    }

    /// Reads what [`Preimages::store`] wrote for n rows of d columns and p components.
    pub(super) fn restore(container: &mut Container, kernel: &Kernel, [n, d, p]: [usize; 3]) -> Result<Preimages> {
        let components = Matrix::from_vec(n, p, container.take("components", &[n, p])?)?;
        let coef: Vec<f64> = container.take("preimage_coef", &[n, d])?;
        Ok(Preimages { kernel: kernel.clone(), components, coef: DMatrix::from_row_slice(n, d, &coef) })
    }
}
