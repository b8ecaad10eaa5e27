//! The whole kernel matrix, factored.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::{OP, Solved, System};
use crate::array::Matrix;
use crate::cpu::linalg::cholesky::FactoredSymmetric;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, residual};

/// A penalty below this share of the mean diagonal is lost in the rounding of an f32 matrix.
const SINGLE_SHARE: f64 = 1e-5;

/// In f32 with corrections in f64, and all in f64 where that is not enough.
pub(super) fn solve(system: &System<'_>) -> Result<Solved> {
    let n = system.x.rows();
    let roots: Option<Vec<f64>> =
        system.weights.map(|weights| weights.iter().map(|&weight| f64::from(weight).sqrt()).collect());
    let root = |row: usize| roots.as_ref().map_or(1.0, |roots| roots[row]);
    let y = DMatrix::from_fn(n, system.y.columns(), |row, column| f64::from(system.y.get(row, column)) * root(row));
    let mut stream = system.x.device().stream();
    let diagonal = system.kernel.diagonal(&mut stream, system.rows)?;
    let mean = diagonal.iter().copied().map(f64::from).sum::<f64>() / n as f64;
    if system.alpha >= SINGLE_SHARE * mean {
        let mut values = system.kernel.symmetric(&mut stream, system.rows)?.to_matrix(&mut stream)?.into_vec();
        if roots.is_some() {
            values.par_chunks_mut(n).enumerate().for_each(|(row, values)| {
                let left = root(row);
                values
                    .iter_mut()
                    .enumerate()
                    .for_each(|(at, value)| *value = (f64::from(*value) * left * root(at)) as f32);
            });
        }
        let sides: Vec<Vec<f64>> = y.column_iter().map(|column| column.iter().copied().collect()).collect();
        let solved = FactoredSymmetric::factor(values, n, system.alpha).and_then(|factor| factor.solve(&sides));
        if let Some(solved) = solved {
            let coef = DMatrix::from_fn(n, sides.len(), |row, column| solved.x[column][row] * root(row));
            return finished(&coef, solved.residual, solved.corrections);
        }
        log::info!("{OP}: the matrix is too close to singular for f32; solving in f64");
    }
    in_f64(system, &y, root)
}

fn in_f64(system: &System<'_>, y: &DMatrix<f64>, root: impl Fn(usize) -> f64 + Sync) -> Result<Solved> {
    let mut matrix = system.host_matrix()?;
    let n = matrix.nrows();
    for column in 0..n {
        for row in 0..n {
            matrix[(row, column)] *= root(row) * root(column);
        }
        matrix[(column, column)] += system.alpha;
    }
    let factor = match Cholesky::factor_with_jitter(&matrix) {
        Ok(factor) => factor,
        Err(Error::Singular { condition, .. }) => {
            let what = format!(
                "the kernel matrix of {} plus alpha·I has no trustworthy inverse; raise alpha, or use a positive \
                 semi-definite kernel",
                system.kernel.kernel()
            );
            return Err(Error::Singular { what, condition });
        }
        Err(other) => return Err(other),
    };
    if factor.jitter() > 0.0 {
        log::warn!("{OP}: alpha is too small for f64; {:.1e} was added to it", factor.jitter());
    }
    let coef = factor.solve(y)?;
    let mut worst = 0.0_f64;
    for (x, b) in coef.column_iter().zip(y.column_iter()) {
        let (x, b): (Vec<f64>, Vec<f64>) = (x.iter().copied().collect(), b.iter().copied().collect());
        let mut rest = vec![0.0; n];
        residual(&matrix, &x, &b, &mut rest);
        let length = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
        worst = worst.max(length(&rest) / length(&b).max(f64::MIN_POSITIVE));
    }
    finished(&DMatrix::from_fn(n, y.ncols(), |row, column| coef[(row, column)] * root(row)), worst, 0)
}

fn finished(coef: &DMatrix<f64>, residual: f64, corrections: usize) -> Result<Solved> {
    let (n, p) = coef.shape();
    let values: Vec<f64> = coef.transpose().as_slice().to_vec();
    Ok(Solved {
        coef: Matrix::from_f64(n, p, &values)?,
        residual,
        iterations: corrections,
        converged: true,
        residuals: vec![],
    })
}
