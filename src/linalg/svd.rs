//! The thin singular value decomposition, and what it is good for: rank, pseudo-inverse, minimum-norm least squares.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, Par};
use nalgebra::{DMatrix, DVector};

use super::eigen::{beyond_range, descending};
use super::{check_finite, check_rows, check_solution, leads_negative, power_scale, to_faer};
use crate::error::{Error, Result};

/// A = U Σ Vᵀ of an m×n matrix, with k = min(m, n) singular values, the largest first.
///
/// Costs some 10·max(m, n)·k² operations. Signs are fixed by V: the entry of largest magnitude of each right singular
/// vector is positive (among entries equal to 1e-10 the first decides), and U follows.
///
/// A `tolerance` is a share of the largest singular value: what is not above it counts as zero.
/// [`Svd::default_tolerance`] is what rounding alone can leave; negative or NaN counts as 0.
///
/// ```
/// use gristmill::linalg::Svd;
/// use nalgebra::DMatrix;
/// let a = DMatrix::from_row_slice(3, 2, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
/// let svd = Svd::factor(&a)?;
/// assert_eq!(svd.rank(svd.default_tolerance()), 1);
/// let x = svd.least_squares(&DMatrix::from_row_slice(3, 1, &[2.0, 4.0, 6.0]), svd.default_tolerance())?;
/// assert!((x - DMatrix::from_row_slice(2, 1, &[2.0, 2.0])).amax() < 1e-14); // of all x₁ + x₂ = 4 the shortest
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Svd {
    u: DMatrix<f64>,
    values: DVector<f64>,
    v: DMatrix<f64>,
}

impl Svd {
    /// Decomposes `a`.
    pub fn factor(a: &DMatrix<f64>) -> Result<Svd> {
        let (m, n) = a.shape();
        let k = m.min(n);
        let largest = check_finite(a)?;
        if k == 0 {
            return Ok(Svd { u: DMatrix::zeros(m, 0), values: DVector::zeros(0), v: DMatrix::zeros(n, 0) });
        }
        let scale = power_scale(largest);
        let (mut u, mut v) = (Mat::zeros(m, k), Mat::zeros(n, k));
        let mut values = Diag::<f64>::zeros(k);
        let thin = ComputeSvdVectors::Thin;
        let mut memory = MemBuffer::new(svd_scratch::<f64>(m, n, thin, thin, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        let copy = to_faer(a, scale);
        let (u_out, v_out) = (Some(u.as_mut()), Some(v.as_mut()));
        svd(copy.as_ref(), values.as_mut(), u_out, v_out, Par::Seq, stack, Default::default()).map_err(|_| {
            let what = "the singular value iteration did not converge".to_string();
            Error::Singular { what, condition: f64::INFINITY }
        })?;
        // Rounding can leave a singular value of −0 or a hair below zero.
        let values: Vec<f64> = values.column_vector().iter().map(|value| (value / scale).max(0.0)).collect();
        if !values.iter().all(|value| value.is_finite()) {
            return Err(beyond_range(a, largest));
        }
        let order = descending(&values);
        let signs: Vec<f64> =
            order.iter().map(|&from| if leads_negative(v.col_as_slice(from)) { -1.0 } else { 1.0 }).collect();
        Ok(Svd {
            u: ordered(&u, &order, &signs),
            values: DVector::from_iterator(k, order.iter().map(|&from| values[from])),
            v: ordered(&v, &order, &signs),
        })
    }

    /// U, m×k: the left singular vectors as columns.
    pub fn u(&self) -> &DMatrix<f64> {
        &self.u
    }

    /// The k singular values, descending, none negative.
    pub fn values(&self) -> &DVector<f64> {
        &self.values
    }

    /// V, n×k: the right singular vectors as columns (not Vᵀ).
    pub fn v(&self) -> &DMatrix<f64> {
        &self.v
    }

    /// max(m, n)·ε, as in LAPACK's and numpy's rank.
    pub fn default_tolerance(&self) -> f64 {
        self.u.nrows().max(self.v.nrows()) as f64 * f64::EPSILON
    }

    /// How many singular values are above `tolerance` times the largest.
    pub fn rank(&self, tolerance: f64) -> usize {
        let Some(largest) = self.values.iter().next() else { return 0 };
        let threshold = tolerance.max(0.0) * largest;
        self.values.iter().take_while(|value| **value > threshold).count()
    }

    /// The condition number σ₁/σₖ; infinite when singular, 1 when empty.
    pub fn condition(&self) -> f64 {
        match (self.values.iter().next(), self.values.iter().next_back()) {
            (Some(first), Some(last)) if *last > 0.0 => first / last,
            (None, _) => 1.0,
            _ => f64::INFINITY,
        }
    }

    /// A⁺, n×m: the inverse on the rank that `tolerance` leaves, zero elsewhere.
    pub fn pseudo_inverse(&self, tolerance: f64) -> Result<DMatrix<f64>> {
        let rank = self.rank(tolerance);
        let result = self.divided(rank) * self.u.columns(0, rank).transpose();
        check_solution("the pseudo-inverse", result)
    }

    /// The X (n×p) that minimises ‖A X − B‖ for each of the p columns of the m×p `b`, and among those the shortest.
    pub fn least_squares(&self, b: &DMatrix<f64>, tolerance: f64) -> Result<DMatrix<f64>> {
        check_rows("Svd::least_squares", self.u.nrows(), b)?;
        check_finite(b)?;
        let rank = self.rank(tolerance);
        let result = self.divided(rank) * self.u.columns(0, rank).tr_mul(b);
        check_solution("the least squares problem", result)
    }

    /// V with each of its first `rank` columns divided by its singular value.
    fn divided(&self, rank: usize) -> DMatrix<f64> {
        let mut v = self.v.columns(0, rank).into_owned();
        v.column_iter_mut().zip(self.values.iter()).for_each(|(mut column, value)| column /= *value);
        v
    }
}

fn ordered(vectors: &Mat<f64>, order: &[usize], signs: &[f64]) -> DMatrix<f64> {
    let mut columns = Vec::with_capacity(vectors.nrows() * order.len());
    for (&from, sign) in order.iter().zip(signs) {
        columns.extend(vectors.col_as_slice(from).iter().map(|value| sign * value));
    }
    DMatrix::from_vec(vectors.nrows(), order.len(), columns)
}
