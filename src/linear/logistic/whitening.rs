//! Steps of L-BFGS in coordinates of about equal curvature: the covariance of the columns, from a sample of the rows, is
//! divided out. On images that takes a quarter of the steps.

use nalgebra::DMatrix;

use super::units::{Units, strided};
use crate::array::{DeviceMatrix, Matrix};
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Triangle, solve_triangular};
use crate::ops;
use crate::solvers::lbfgs::Slope;

/// Columns at most, and rows for each: beyond, the products of the columns cost as much as the steps they save.
const WIDEST: usize = 2048;
const ROWS_EACH: usize = 4;
/// Rows of the sample: for each column, at least and at most.
const SAMPLE_EACH: usize = 8;
const SAMPLE: std::ops::RangeInclusive<usize> = 4096..=16_384;
/// What is added to the variances, 1 in units: a sample knows its smallest directions badly.
const SMOOTHED: f64 = 0.1;

/// The coordinates `Lᵀ·w` of each plane w in units, L·Lᵀ being about the Hessian of a plane; or w itself.
pub(super) struct Whitening {
    factor: Option<Factor>,
    planes: usize,
}

struct Factor {
    lower: DMatrix<f64>,
    /// L⁻¹ and L⁻ᵀ.
    inverse: DMatrix<f64>,
    transposed: DMatrix<f64>,
    /// Root of the curvature along an intercept.
    offset: f64,
}

impl Whitening {
    /// The coordinates as they are.
    pub(super) fn none(planes: usize) -> Whitening {
        Whitening { factor: None, planes }
    }

    /// From rows and the L2 penalty of the d columns; the coordinates as they are where that would not pay.
    pub(super) fn of(x: &DeviceMatrix, units: &Units, l2: &[f64], planes: usize) -> Result<Whitening> {
        let d = x.columns();
        if d > WIDEST || x.rows() < ROWS_EACH * d {
            return Ok(Whitening::none(planes));
        }
        let sample = strided(x, (SAMPLE_EACH * d).clamp(*SAMPLE.start(), *SAMPLE.end()))?;
        let none = Matrix::zeros(sample.rows(), 0)?;
        let found = match ops::normal_equations(&mut sample.device().stream(), &sample, &none, None, true) {
            // Squares beyond f32.
            Err(Error::NotFinite { .. }) => return Ok(Whitening::none(planes)),
            found => found?,
        };
        // Where all classes are as probable, the curvature of a margin is this.
        let classes = planes.max(2) as f64;
        let curve = (classes - 1.0) / (classes * classes);
        let scale = &units.scale;
        let mut hessian =
            DMatrix::from_fn(d, d, |i, j| curve * found.xx[j * d + i] / (found.weight * scale[i] * scale[j]));
        (0..d).for_each(|at| hessian[(at, at)] += curve * SMOOTHED + l2[at]);
        let Ok(cholesky) = Cholesky::factor(&hessian) else { return Ok(Whitening::none(planes)) };
        let lower = cholesky.lower();
        let inverse = solve_triangular(&lower, Triangle::Lower, &DMatrix::identity(d, d))?;
        let transposed = inverse.transpose();
        Ok(Whitening { factor: Some(Factor { lower, inverse, transposed, offset: curve.sqrt() }), planes })
    }

    /// L⁻¹ and one over the factor of an intercept, where there is an L.
    pub(super) fn inverse(&self) -> Option<(&DMatrix<f64>, f64)> {
        self.factor.as_ref().map(|factor| (&factor.inverse, 1.0 / factor.offset))
    }

    /// The largest component in units that a slope of this length in these coordinates can have.
    pub(super) fn steepest(&self, norm: f64) -> f64 {
        let longest = |factor: &Factor| {
            let rows = factor.lower.row_iter().map(|row| row.norm());
            rows.fold(factor.offset, f64::max)
        };
        norm * self.factor.as_ref().map_or(1.0, longest)
    }

    /// The planes in units.
    pub(super) fn point(&self, white: &[f64]) -> Vec<f64> {
        self.turned(white, |factor| (&factor.transposed, 1.0 / factor.offset))
    }

    /// The slope in these coordinates from that in units.
    pub(super) fn slope(&self, gradient: &[f64]) -> Vec<f64> {
        self.turned(gradient, |factor| (&factor.inverse, 1.0 / factor.offset))
    }

    /// The largest component of the slope in units.
    pub(super) fn steepness(&self, at: &Slope) -> f64 {
        let slope = self.turned(&at.gradient, |factor| (&factor.lower, factor.offset));
        slope.iter().fold(0.0, |most, value| most.max(value.abs()))
    }

    /// Every plane times a matrix, every intercept times a number.
    fn turned<'a>(&'a self, values: &[f64], by: impl Fn(&'a Factor) -> (&'a DMatrix<f64>, f64)) -> Vec<f64> {
        let Some(factor) = &self.factor else { return values.to_vec() };
        let (matrix, number) = by(factor);
        let d = matrix.nrows();
        let planes = DMatrix::from_column_slice(d, self.planes, &values[..self.planes * d]);
        let offsets = values[self.planes * d..].iter().map(|value| value * number);
        (matrix * planes).iter().copied().chain(offsets).collect()
    }
}
