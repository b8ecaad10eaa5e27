//! Covariances in four shapes, from sums over rows.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Triangle, solve_triangular};
use crate::ops::mixture::expectation::Shape;

/// What the covariances of Gaussians may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CovarianceType {
    /// Any, each Gaussian its own.
    #[default]
    Full,
    /// Any, one for all Gaussians.
    Tied,
    /// A variance for each column, each Gaussian its own: axes of their own along the columns.
    Diag,
    /// One variance for all columns, each Gaussian its own: balls.
    Spherical,
}

impl CovarianceType {
    /// How its whitenings are given.
    pub(super) fn shape(self) -> Shape {
        match self {
            CovarianceType::Full => Shape::Full,
            CovarianceType::Tied => Shape::Tied,
            CovarianceType::Diag | CovarianceType::Spherical => Shape::Diagonal,
        }
    }

    /// Free numbers of the covariances of k Gaussians over d columns.
    pub(super) fn free(self, k: usize, d: usize) -> usize {
        match self {
            CovarianceType::Full => k * d * (d + 1) / 2,
            CovarianceType::Tied => d * (d + 1) / 2,
            CovarianceType::Diag => k * d,
            CovarianceType::Spherical => k,
        }
    }

    /// How many numbers are stored.
    pub(super) fn stored(self, k: usize, d: usize) -> [usize; 2] {
        match self {
            CovarianceType::Full => [k, d * d],
            CovarianceType::Tied => [1, d * d],
            CovarianceType::Diag | CovarianceType::Spherical => [k, d],
        }
    }

    /// A covariance (d×d) held to this type: its diagonal, or the mean of that.
    pub(super) fn of(self, covariance: &DMatrix<f64>) -> Vec<f64> {
        match self {
            CovarianceType::Full | CovarianceType::Tied => covariance.as_slice().to_vec(),
            CovarianceType::Diag => covariance.diagonal().as_slice().to_vec(),
            CovarianceType::Spherical => vec![covariance.diagonal().mean(); covariance.nrows()],
        }
    }
}

/// A whitening of one covariance: W with W·covariance·Wᵀ = I, and ln |W|.
pub(super) struct Whitening {
    /// d×d row by row, or d factors of a diagonal.
    pub(super) factors: Vec<f64>,
    /// The inverse of the same: d×d, lower, or d factors.
    pub(super) unwhitening: DMatrix<f64>,
    pub(super) log_determinant: f64,
}

impl Whitening {
    /// Of a covariance as it is stored; `which` names it where it has no inverse.
    pub(super) fn of(shape: Shape, covariance: &[f64], d: usize, which: usize) -> Result<Whitening> {
        let singular = || {
            let what = format!("the covariance of component {which} is singular: increase reg_covar");
            Error::Singular { what, condition: f64::INFINITY }
        };
        if shape == Shape::Diagonal {
            if !covariance.iter().all(|variance| *variance > 0.0) {
                return Err(singular());
            }
            let deviations = DMatrix::from_iterator(d, 1, covariance.iter().map(|variance| variance.sqrt()));
            let factors: Vec<f64> = deviations.iter().map(|deviation| 1.0 / deviation).collect();
            let log_determinant = factors.iter().map(|factor| factor.ln()).sum();
            return Ok(Whitening { factors, unwhitening: deviations, log_determinant });
        }
        let cholesky = Cholesky::factor(&DMatrix::from_row_slice(d, d, covariance)).map_err(|_| singular())?;
        let lower = cholesky.lower();
        let inverse = solve_triangular(&lower, Triangle::Lower, &DMatrix::identity(d, d))?;
        let factors = inverse.transpose().as_slice().to_vec();
        Ok(Whitening { factors, unwhitening: lower, log_determinant: -0.5 * cholesky.log_determinant() })
    }

    /// W·v.
    pub(super) fn whiten(&self, v: &[f64]) -> Vec<f64> {
        let d = v.len();
        match self.factors.len() == d && self.unwhitening.ncols() == 1 {
            true => self.factors.iter().zip(v).map(|(factor, value)| factor * value).collect(),
            false => {
                let row = |at: usize| self.factors[at * d..(at + 1) * d].iter().zip(v).map(|(w, v)| w * v).sum();
                (0..d).map(row).collect()
            }
        }
    }
}
