//! Sparse rows: centred without being made dense, solved by the products of the columns or by LSQR.

use nalgebra::DMatrix;

use super::centred_sparse::Centred;
use super::fit::{Found, Penalty};
use crate::array::SparseMatrix;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Reporter, Targets};
use crate::linalg::{Cholesky, Eigen, SingleFactor, lsqr};

/// Columns up to which their products are made: 32 MiB of them.
pub(super) const WIDEST_GRAM: usize = 2048;
/// Above this condition the products no longer steer the corrections.
const LIMIT: f64 = 1e12;
/// Corrections at most; each must be half of the one before.
const CORRECTIONS: usize = 20;
/// Corrections below this share of the coefficients change nothing that matters.
const SETTLED: f64 = 1e-14;
/// LSQR goes on for so many times the smaller side of the rows, and for so many iterations at least.
const ROUNDS: usize = 4;
const LEAST_ITERATIONS: usize = 200;

/// Fits sparse rows on the CPU.
pub(super) fn fit(
    (op, what): (&'static str, &'static str),
    x: &SparseMatrix,
    y: Targets<'_>,
    penalty: Penalty,
    options: Fit<'_>,
) -> Result<Found> {
    let centred = centred(op, x, y, penalty.intercept, &options)?;
    options.watched(what, |watch| {
        watch.check_stopped(0, 0.0)?;
        if centred.columns() > WIDEST_GRAM {
            let coef = by_lsqr(&centred, penalty.alpha, watch)?;
            return Ok(centred.found(&coef, centred.columns().min(x.rows())));
        }
        let (coef, rank, factor) = by_products(&centred, penalty.alpha)?;
        let mut found = centred.found(&coef, rank);
        if penalty.statistics {
            let inverse = factor.solve(&DMatrix::identity(centred.columns(), centred.columns()))?;
            found.condition = (rank == x.columns()).then(|| factor.condition());
            found.inverse = Some(centred.over_all(&inverse));
            found.squares = Some(centred.residual_squares(&coef));
        }
        Ok(found)
    })
}

/// The rows and targets, checked and less their means.
pub(super) fn centred(
    op: &'static str,
    x: &SparseMatrix,
    y: Targets<'_>,
    intercept: bool,
    options: &Fit<'_>,
) -> Result<Centred> {
    if x.rows() == 0 || x.columns() == 0 {
        return Err(Error::shape(op, "at least one row and one column", format!("{}×{}", x.rows(), x.columns())));
    }
    let y = y.complete(op, x.rows())?;
    check_room(x.columns(), y.columns())?;
    Ok(Centred::new(x, &y, options.weights(op, x.rows())?, intercept))
}

/// Coefficients and what is known of each column take some numbers of f64 a column; very many columns are an error.
fn check_room(columns: usize, outputs: usize) -> Result<()> {
    let room = columns.saturating_mul(outputs.saturating_mul(3).saturating_add(4));
    let full = |_| Error::OutOfMemory { what: format!("{outputs}×{columns} coefficients on the host") };
    Vec::<f64>::new().try_reserve_exact(room).map_err(full)
}

/// How a right-hand side of the normal equations is solved.
enum Factor {
    /// Of the products, brought to like sizes by powers of two.
    Cholesky(Cholesky, Vec<f64>),
    /// No columns at all.
    Empty,
    /// Eigenvectors, and one over each eigenvalue plus the penalty; 0 where the eigenvalue is only rounding.
    Eigen(DMatrix<f64>, Vec<f64>),
}

impl Factor {
    fn solve(&self, right: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let scaled = |mut rows: DMatrix<f64>, by: &[f64]| {
            rows.row_iter_mut().zip(by).for_each(|(mut row, by)| row *= *by);
            rows
        };
        match self {
            Factor::Empty => Ok(right.clone()),
            Factor::Cholesky(factor, scale) => Ok(scaled(factor.solve(&scaled(right.clone(), scale))?, scale)),
            Factor::Eigen(vectors, inverse) => Ok(vectors * scaled(vectors.tr_mul(right), inverse)),
        }
    }

    /// The condition of the columns after they were brought to like lengths, estimated; infinite if they are dependent.
    fn condition(&self) -> f64 {
        match self {
            Factor::Cholesky(factor, _) => factor.condition().sqrt(),
            Factor::Eigen(..) | Factor::Empty => f64::INFINITY,
        }
    }
}

/// The coefficients and the rank, by Cholesky where the columns are independent, else by eigenvalues. Both are corrected
/// with the residuals of the rows until nothing changes.
fn by_products(centred: &Centred, alpha: f64) -> Result<(DMatrix<f64>, usize, Factor)> {
    let (columns, outputs) = (centred.columns(), centred.outputs());
    if columns == 0 {
        return Ok((DMatrix::zeros(0, outputs), 0, Factor::Empty));
    }
    let gram = centred.gram();
    if let Some(factor) = cholesky(&gram, alpha)
        && let Some(coef) = corrected(centred, alpha, &factor)?
    {
        return Ok((coef, columns, factor));
    }
    let (values, vectors) = Eigen::factor(&gram)?.into_parts();
    // As for dense rows, singular values below one part in 2²³ count as zero; so does what d·ε can be in their squares.
    let share = f64::from(f32::EPSILON).powi(2).max(8.0 * columns as f64 * f64::EPSILON);
    let least = share * values[0];
    let rank = values.iter().filter(|value| **value > least).count();
    let inverse = |value: &f64| match (*value > least, alpha > 0.0) {
        (false, false) => 0.0,
        _ => 1.0 / (value.max(0.0) + alpha),
    };
    let factor = Factor::Eigen(vectors, values.iter().map(inverse).collect());
    let coef = corrected(centred, alpha, &factor)?;
    let coef = coef.map_or_else(|| factor.solve(&centred.slope(&DMatrix::zeros(columns, outputs))), Ok)?;
    Ok((coef, rank, factor))
}

fn cholesky(gram: &DMatrix<f64>, alpha: f64) -> Option<Factor> {
    let mut gram = gram.clone();
    (0..gram.nrows()).for_each(|at| gram[(at, at)] += alpha);
    let scale = SingleFactor::scaling(&gram).ok()?;
    for (column, by) in scale.iter().enumerate() {
        gram.column_mut(column).iter_mut().zip(&scale).for_each(|(value, own)| *value *= by * own);
    }
    let factor = Cholesky::factor(&gram).ok()?;
    (factor.condition() <= LIMIT).then_some(Factor::Cholesky(factor, scale))
}

/// The coefficients, corrected until nothing changes; nothing if the corrections do not shrink.
fn corrected(centred: &Centred, alpha: f64, factor: &Factor) -> Result<Option<DMatrix<f64>>> {
    let mut coef = DMatrix::zeros(centred.columns(), centred.outputs());
    let (mut before, mut size) = (f64::INFINITY, 0.0);
    for _ in 0..CORRECTIONS {
        let correction = factor.solve(&(centred.slope(&coef) - &coef * alpha))?;
        size = centred.size(&correction);
        if size > 0.5 * before {
            break;
        }
        coef += correction;
        if size <= SETTLED * centred.size(&coef) {
            return Ok(Some(coef));
        }
        before = size;
    }
    Ok((size <= 1e-9 * centred.size(&coef)).then_some(coef))
}

/// The coefficients of very many columns.
fn by_lsqr(centred: &Centred, alpha: f64, watch: &mut Reporter<'_>) -> Result<DMatrix<f64>> {
    let (columns, outputs) = (centred.columns(), centred.outputs());
    let most = (ROUNDS * columns.min(centred.rows())).max(LEAST_ITERATIONS);
    let mut coef = DMatrix::zeros(columns, outputs);
    for output in 0..outputs {
        let found = lsqr(
            |v| centred.product(v),
            |u| centred.transposed_product(u),
            &centred.target(output),
            alpha.sqrt(),
            most,
            |step| {
                watch.check_stopped(output * most + step, (output as f64 + step as f64 / most as f64) / outputs as f64)
            },
        )?;
        if !found.converged {
            log::warn!("least squares of {columns} sparse columns: not converged after {most} iterations");
        }
        coef.column_mut(output).copy_from_slice(&found.x);
    }
    Ok(coef)
}
