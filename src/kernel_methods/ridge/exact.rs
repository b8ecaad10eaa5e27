//! The whole kernel matrix, factored.

use nalgebra::DVector;

use super::path::RidgePath;
use super::{OP, Solved, System, gradients};
use crate::array::Matrix;
use crate::cpu::linalg::cholesky::FactoredSymmetric;
use crate::cpu::linalg::corrected::Corrected;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, residual};

/// A penalty below this share of the mean diagonal is lost in the rounding of an f32 matrix.
const SINGLE_SHARE: f64 = 1e-5;
/// Rows from which on, and outputs up to which, iterations on the matrix cost less than its factor.
const MANY_ROWS: usize = 5000;
const FEW_SIDES: usize = 4;

/// In f32 with corrections in f64, by what is known for every penalty if there is that, and all in f64 where it is not enough.
pub(super) fn solve(system: &System<'_>, y: &Matrix, alpha: f64, path: Option<&RidgePath>) -> Result<Solved> {
    let sides = system.sides(y);
    if alpha >= SINGLE_SHARE * system.mean_diagonal()? {
        let solved = match path.and_then(|path| path.solve(alpha, &sides)) {
            Some(solved) => Some(solved),
            None => in_f32(system, alpha, &sides)?,
        };
        if let Some(Corrected { x, residual, corrections }) = solved {
            return finished(system, &x, residual, corrections);
        }
        log::info!("{OP}: the matrix is too close to singular for f32; solving in f64");
    }
    in_f64(system, &sides, alpha)
}

/// By conjugate gradients on the matrix where its factor would cost more, else by the factor; nothing where f32 is not enough.
fn in_f32(system: &System<'_>, alpha: f64, sides: &[Vec<f64>]) -> Result<Option<Corrected>> {
    let (n, matrix) = (system.x.rows(), system.weighted_gram()?);
    if n >= MANY_ROWS && sides.len() <= FEW_SIDES && !system.kernel.kernel().is_indefinite() {
        let solved = gradients::solve_stored(&matrix, n, alpha, sides)?;
        if solved.is_some() {
            return Ok(solved);
        }
    }
    Ok(FactoredSymmetric::factor(matrix, n, alpha).and_then(|factor| factor.solve(sides)))
}

fn in_f64(system: &System<'_>, sides: &[Vec<f64>], alpha: f64) -> Result<Solved> {
    let mut matrix = system.host_matrix()?;
    let (n, roots) = (matrix.nrows(), system.roots());
    for column in 0..n {
        for row in 0..n {
            matrix[(row, column)] *= roots[row] * roots[column];
        }
        matrix[(column, column)] += alpha;
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
    let mut solved = vec![];
    let mut worst = 0.0_f64;
    for b in sides {
        let x = factor.solve_vector(&DVector::from_column_slice(b))?.as_slice().to_vec();
        let mut rest = vec![0.0; n];
        residual(&matrix, &x, b, &mut rest);
        let length = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
        worst = worst.max(length(&rest) / length(b).max(f64::MIN_POSITIVE));
        solved.push(x);
    }
    finished(system, &solved, worst, 0)
}

fn finished(system: &System<'_>, solved: &[Vec<f64>], residual: f64, corrections: usize) -> Result<Solved> {
    let coef = system.coefficients(solved)?;
    Ok(Solved { coef, residual, iterations: corrections, converged: true, residuals: vec![] })
}
