//! Ridge regression for every penalty at once, from one eigendecomposition of the products of the columns.

use nalgebra::DMatrix;

use super::centred_sparse::Centred as CentredSparse;
use super::dense::{self, Centred};
use super::fit::{Penalty, Problem, counted};
use super::{condense, normal, sparse};
use crate::array::{DeviceMatrix, Matrix};
use crate::error::{Error, Result};
use crate::estimator::{Fit, Rows, Targets};
use crate::linalg::{Eigen, Svd};
use crate::ops::NormalEquations;

/// Condition of the products plus the penalty up to which f32 sums give the path to 1e-3 of its least certain direction.
const LIMIT: f64 = 1e4;
/// Halvings of the logarithm of the penalty.
const HALVINGS: usize = 200;

/// The coefficients of ridge regression for several penalties.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgePath {
    alphas: Vec<f64>,
    /// p×d each.
    coefs: Vec<DMatrix<f64>>,
    intercepts: Vec<Vec<f64>>,
    degrees: Vec<f64>,
}

impl RidgePath {
    /// The penalties, as they were given.
    pub fn alphas(&self) -> &[f64] {
        &self.alphas
    }

    /// The coefficients for one of the penalties, p×d.
    pub fn coef(&self, at: usize) -> &DMatrix<f64> {
        &self.coefs[at]
    }

    /// The intercepts for one of the penalties, p numbers.
    pub fn intercept(&self, at: usize) -> &[f64] {
        &self.intercepts[at]
    }

    /// The effective number of coefficients for each penalty, the trace of the hat matrix: Σ σ²/(σ² + alpha) over the
    /// singular values of the centred rows.
    pub fn degrees_of_freedom(&self) -> &[f64] {
        &self.degrees
    }
}

pub(super) fn check_alphas(alphas: &[f64]) -> Result<()> {
    match alphas.is_empty() || alphas.iter().any(|alpha| !alpha.is_finite() || *alpha <= 0.0) {
        true => Err(Error::param("alphas", "one or more finite numbers above 0", format!("{alphas:?}"))),
        false => Ok(()),
    }
}

/// The centred rows in coordinates in which their products are diagonal: XᵀX = V·diag(values)·Vᵀ.
pub(super) struct Spectrum {
    /// V, d×k.
    pub(super) vectors: DMatrix<f64>,
    /// None negative.
    pub(super) values: Vec<f64>,
    /// Vᵀ·Xᵀ·y, k×p.
    pub(super) turned: DMatrix<f64>,
    pub(super) x_mean: Vec<f64>,
    pub(super) y_mean: Vec<f64>,
}

impl Spectrum {
    /// Of rows in f64; with U·Σ, the rows in these coordinates.
    fn of_rows(centred: &Centred) -> Result<(Spectrum, DMatrix<f64>)> {
        let svd = Svd::factor(&centred.x)?;
        let mut rows = svd.u().clone();
        rows.column_iter_mut().zip(svd.values().iter()).for_each(|(mut column, value)| column *= *value);
        let mut vectors = DMatrix::zeros(centred.x_mean.len(), svd.v().ncols());
        for (from, &to) in centred.active.iter().enumerate() {
            vectors.set_row(to, &svd.v().row(from));
        }
        let spectrum = Spectrum {
            vectors,
            values: svd.values().iter().map(|value| value * value).collect(),
            turned: rows.tr_mul(&centred.y),
            x_mean: centred.x_mean.clone(),
            y_mean: centred.y_mean.clone(),
        };
        Ok((spectrum, rows))
    }

    fn of_products(products: &NormalEquations) -> Result<Spectrum> {
        let (d, p) = (products.x_mean.len(), products.y_mean.len());
        let (values, vectors) = Eigen::factor(&DMatrix::from_column_slice(d, d, &products.xx))?.into_parts();
        let turned = vectors.tr_mul(&DMatrix::from_row_slice(d, p, &products.xy));
        let values = values.iter().map(|value| value.max(0.0)).collect();
        let (x_mean, y_mean) = (products.x_mean.clone(), products.y_mean.clone());
        Ok(Spectrum { vectors, values, turned, x_mean, y_mean })
    }

    fn of_sparse(centred: &CentredSparse) -> Result<Spectrum> {
        let (values, vectors) = Eigen::factor(&centred.gram())?.into_parts();
        let turned = vectors.tr_mul(&centred.slope(&DMatrix::zeros(centred.columns(), centred.outputs())));
        let values = values.iter().map(|value| value.max(0.0)).collect();
        let found = centred.found(&DMatrix::zeros(centred.columns(), centred.outputs()), 0);
        let vectors = centred.over_rows(&vectors);
        Ok(Spectrum { vectors, values, turned, x_mean: found.x_mean, y_mean: centred.y_mean().to_vec() })
    }

    /// 1/(value + alpha) for each direction; 0 without a penalty where the value is only rounding.
    pub(super) fn shares(&self, alpha: f64) -> Vec<f64> {
        let least = self.values.first().map_or(0.0, |first| first * 1e-14);
        let share = |value: &f64| if alpha == 0.0 && *value <= least { 0.0 } else { 1.0 / (value + alpha) };
        self.values.iter().map(share).collect()
    }

    /// The coefficients in the turned coordinates, k×p.
    pub(super) fn turned_coef(&self, alpha: f64) -> DMatrix<f64> {
        let mut coef = self.turned.clone();
        coef.row_iter_mut().zip(self.shares(alpha)).for_each(|(mut row, share)| row *= share);
        coef
    }

    pub(super) fn path(&self, alphas: &[f64]) -> RidgePath {
        let coefs: Vec<DMatrix<f64>> =
            alphas.iter().map(|alpha| (&self.vectors * self.turned_coef(*alpha)).transpose()).collect();
        let intercept = |coef: &DMatrix<f64>| {
            let at_mean = |row: usize| coef.row(row).iter().zip(&self.x_mean).map(|(a, b)| a * b).sum::<f64>();
            self.y_mean.iter().enumerate().map(|(output, mean)| mean - at_mean(output)).collect()
        };
        let degrees =
            |alpha: &f64| self.values.iter().zip(self.shares(*alpha)).map(|(value, share)| value * share).sum();
        RidgePath {
            alphas: alphas.to_vec(),
            intercepts: coefs.iter().map(intercept).collect(),
            coefs,
            degrees: alphas.iter().map(degrees).collect(),
        }
    }

    /// The penalty that makes the coefficients as long as `norm`; 0 where they are no longer without one. Their length falls
    /// with the penalty, so bisection finds it; at `‖Vᵀ·Xᵀ·y‖/norm` they are shorter, whatever the values.
    pub(super) fn alpha_of_norm(&self, norm: f64) -> f64 {
        let length = |alpha: f64| self.turned_coef(alpha).norm();
        if length(0.0) <= norm {
            return 0.0;
        }
        let mut high = self.turned.norm() / norm;
        let mut low = high * 1e-20;
        if length(low) <= norm {
            return low;
        }
        for _ in 0..HALVINGS {
            let middle = (low * high).sqrt();
            if middle <= low || middle >= high {
                break;
            }
            *(if length(middle) > norm { &mut low } else { &mut high }) = middle;
        }
        high
    }
}

/// Where the rows are, for what is asked of each of them later.
pub(super) enum Kept {
    /// In the turned coordinates, n×k, with the targets, n×p; each times the root of its weight.
    Turned(DMatrix<f64>, DMatrix<f64>),
    Dense {
        x: DeviceMatrix,
        y: Matrix,
        products: Option<NormalEquations>,
    },
    Sparse(CentredSparse),
}

/// The spectrum of rows, and the rows.
pub(super) struct Decomposed<'a> {
    pub(super) spectrum: Spectrum,
    pub(super) kept: Kept,
    pub(super) weights: Option<&'a [f32]>,
    /// Σw.
    pub(super) weight: f64,
}

impl<'a> Decomposed<'a> {
    /// `penalty` has the smallest alpha that is asked for.
    pub(super) fn new(
        op: &'static str,
        x: Rows<'_>,
        y: Targets<'_>,
        penalty: Penalty,
        options: &Fit<'a>,
    ) -> Result<Decomposed<'a>> {
        let weights = options.weights(op, x.rows())?;
        let weight = counted(x.rows(), weights).1;
        if let Rows::Sparse(x) = x {
            let centred = sparse::centred(op, x, y, penalty.intercept, options)?;
            if centred.columns() > sparse::WIDEST_GRAM {
                let expected = format!("at most {} sparse columns that vary; use Ridge", sparse::WIDEST_GRAM);
                return Err(Error::shape(op, expected, format!("{} columns", centred.columns())));
            }
            let spectrum = Spectrum::of_sparse(&centred)?;
            return Ok(Decomposed { spectrum, kept: Kept::Sparse(centred), weights, weight });
        }
        let x = DeviceMatrix::clone(&*x.complete(op)?);
        let y = y.complete(op, x.rows())?;
        let problem = Problem { x: &x, y: &y, weights, penalty };
        let mut stream = x.device().stream();
        if problem.is_for_the_host() {
            let values = x.to_matrix(&mut stream)?.to_dmatrix();
            let weights_f64 = problem.weights_f64();
            let centred = dense::centred(&values, &y.to_dmatrix(), weights_f64.as_deref(), penalty.intercept);
            let (spectrum, turned) = Spectrum::of_rows(&centred)?;
            return Ok(Decomposed { spectrum, kept: Kept::Turned(turned, centred.y), weights, weight });
        }
        if let Some(products) = normal::products(&mut stream, &problem)? {
            let spectrum = Spectrum::of_products(&products)?;
            let (most, least) = (spectrum.values[0], spectrum.values[spectrum.values.len() - 1]);
            if most + penalty.alpha <= LIMIT * (least + penalty.alpha) {
                let kept = Kept::Dense { x, y, products: Some(products) };
                return Ok(Decomposed { spectrum, kept, weights, weight });
            }
        }
        let (spectrum, _) = Spectrum::of_rows(&condense::condensed_rows(&mut stream, &problem)?)?;
        Ok(Decomposed { spectrum, kept: Kept::Dense { x, y, products: None }, weights, weight })
    }
}
