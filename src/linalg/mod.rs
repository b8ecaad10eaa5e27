//! Dense linear algebra on the host, in `f64`, for systems of up to some thousands of unknowns.
//!
//! Everything takes and gives nalgebra's `DMatrix<f64>`; faer does the work underneath.
//!
//! | you have | use |
//! |---|---|
//! | a symmetric positive definite system, once | [`solve_positive_definite`]: f32 factor, refined to f64 |
//! | the same, and you want its factor, determinant or inverse | [`Cholesky`] |
//! | the same, perhaps semi-definite (kernel matrices, covariances) | [`Cholesky::factor_with_jitter`] |
//! | a tall least squares problem | [`solve_least_squares`] (normal equations, refined) or [`Qr`] |
//! | a least squares problem that may be rank-deficient or wide | [`Svd`] |
//! | one whose matrix is known by its products alone: sparse, or too large | [`lsqr`] |
//! | a symmetric matrix and its spectrum | [`Eigen`] |
//! | the largest eigenvalues of one that is known by its products alone | [`leading_eigen`] |
//! | a triangular matrix | [`solve_triangular`] |
//!
//! **Same input, same bits.** Every call is sequential, and inputs are copied into faer's own aligned storage first,
//! because some of its vector loops begin at the alignment of the data.
//!
//! **Nothing panics on bad numbers.** A NaN or an infinity is [`Error::NotFinite`] with its place; a system without a
//! trustworthy solution is [`Error::Singular`] with its condition. Matrices near the ends of the range of `f64` are
//! scaled by a power of two, which rounds nothing.
//!
//! **Empty matrices** (0×0, n×0, 0×n) are accepted everywhere: no eigenvalues, rank 0, determinant 1, condition 1, and
//! the solution of an empty least squares problem is zero.

mod cholesky;
mod condition;
mod eigen;
mod lanczos;
mod lsqr;
mod normal;
mod products;
mod qr;
mod refine;
mod residual;
mod svd;
mod triangular;

pub use cholesky::Cholesky;
pub use condition::inverse_norm_1;
pub use eigen::Eigen;
pub use lanczos::{LeadingEigen, leading_eigen};
pub use lsqr::{LsqrSolution, lsqr};
pub use normal::{solve_least_squares, solve_least_squares_from_gram};
pub(crate) use products::{Multiplier, product, transposed_product};
pub use qr::Qr;
pub use refine::{Path, SingleFactor, Solution, solve_positive_definite};
pub(crate) use residual::residual;
pub use svd::Svd;
pub use triangular::{Triangle, solve_triangular};

use faer::{Mat, MatRef};
use nalgebra::DMatrix;

use crate::error::{Error, Result};

/// Entries of a vector within this share of the largest count as equal to it when the sign is chosen, so that rounding
/// does not choose between (1, −1)/√2 and its negative.
const SIGN_TIE: f64 = 1e-10;

/// The largest magnitude in `a`, or the place of its first value (by rows) that is not finite.
fn check_finite(a: &DMatrix<f64>) -> Result<f64> {
    // Without its sign bit an f64 orders like its bits do: zero, numbers, infinity, NaN. Four lanes break the chain.
    let (chunks, rest) = a.as_slice().as_chunks::<4>();
    let mut lanes = [0_u64; 4];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane = (*lane).max(value.abs().to_bits()));
    }
    let tail = rest.iter().map(|value| value.abs().to_bits());
    let largest = f64::from_bits(lanes.into_iter().chain(tail).max().unwrap_or(0));
    if largest.is_finite() {
        return Ok(largest);
    }
    for row in 0..a.nrows() {
        for column in 0..a.ncols() {
            let value = a[(row, column)];
            if !value.is_finite() {
                return Err(Error::NotFinite { row, column, value });
            }
        }
    }
    Ok(largest)
}

fn check_square(op: &'static str, a: &DMatrix<f64>) -> Result<usize> {
    if a.nrows() == a.ncols() {
        Ok(a.nrows())
    } else {
        Err(Error::shape(op, "a square matrix", format!("{}×{}", a.nrows(), a.ncols())))
    }
}

fn check_rows(op: &'static str, rows: usize, b: &DMatrix<f64>) -> Result<()> {
    if b.nrows() == rows {
        Ok(())
    } else {
        Err(Error::shape(op, format!("a right-hand side of {rows} rows"), format!("{}×{}", b.nrows(), b.ncols())))
    }
}

/// A result that overflowed is no result: `what` with an infinite condition.
fn check_solution(what: &str, x: DMatrix<f64>) -> Result<DMatrix<f64>> {
    match check_finite(&x) {
        Ok(_) => Ok(x),
        Err(_) => Err(Error::Singular { what: format!("{what}: the solution overflows"), condition: f64::INFINITY }),
    }
}

/// The power of four that brings `largest` near 1; exactly 1 where squares and products are safe anyway.
fn power_scale(largest: f64) -> f64 {
    if (1e-100..1e100).contains(&largest) { 1.0 } else { unit_scale(largest) }
}

/// The power of four that brings `largest` near 1. faer's divide and conquer compares with numbers of that size: 200 rows of
/// 10⁻¹² or 10¹⁵ lose half of the digits of their eigenvectors.
fn unit_scale(largest: f64) -> f64 {
    if largest == 0.0 {
        return 1.0;
    }
    // Two steps of at most 2^±510, because 2^1074 is out of range.
    let half = (-largest.log2() / 2.0).round().clamp(-510.0, 510.0) as i32;
    2.0_f64.powi(half) * 2.0_f64.powi(half)
}

/// A copy of `a` times `scale` in faer's aligned storage.
fn to_faer(a: &DMatrix<f64>, scale: f64) -> Mat<f64> {
    let mut copy = MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols()).to_owned();
    if scale != 1.0 {
        for column in 0..a.ncols() {
            copy.col_as_slice_mut(column).iter_mut().for_each(|value| *value *= scale);
        }
    }
    copy
}

/// A copy of the lower triangle of `a` times `scale`, zero above.
fn lower_to_faer(a: &DMatrix<f64>, scale: f64) -> Mat<f64> {
    let size = a.nrows();
    let mut copy = Mat::zeros(size, size);
    for column in 0..size {
        let from = &a.as_slice()[column * size + column..(column + 1) * size];
        for (to, value) in copy.col_as_slice_mut(column)[column..].iter_mut().zip(from) {
            *to = value * scale;
        }
    }
    copy
}

fn from_faer(a: &Mat<f64>) -> DMatrix<f64> {
    let mut values = Vec::with_capacity(a.nrows() * a.ncols());
    (0..a.ncols()).for_each(|column| values.extend_from_slice(a.col_as_slice(column)));
    DMatrix::from_vec(a.nrows(), a.ncols(), values)
}

/// Σ|value| in four lanes.
fn sum_abs(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value.abs());
    }
    lanes.into_iter().sum::<f64>() + rest.iter().map(|value| value.abs()).sum::<f64>()
}

/// Whether the largest-magnitude entry of `vector` is negative; the lowest index decides a tie.
fn leads_negative(vector: &[f64]) -> bool {
    let largest = vector.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    vector.iter().find(|value| value.abs() >= largest * (1.0 - SIGN_TIE)).is_some_and(|value| *value < 0.0)
}
