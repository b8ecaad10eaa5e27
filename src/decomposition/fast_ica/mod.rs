//! Independent components: directions along which rows are as far from normal as can be.

mod model;
mod search;

pub use model::FastIcaModel;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::columns::upload;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Estimator, Fit, FitShape, Rows, parameters};
use crate::linalg::Eigen;
use crate::ops::decomposition::contrast::Contrast;
use crate::ops::{self, Layout};
use crate::solvers::scatter::Scatter;

/// Whether all components are sought at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IcaAlgorithm {
    /// All at once, made orthogonal together.
    #[default]
    Parallel,
    /// One after the other, each orthogonal to those before.
    Deflation,
}

/// What is done to the rows before components are sought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whitening {
    /// They are made white, and the components have variance 1.
    #[default]
    UnitVariance,
    /// They are made white, and the components have length 1 over all rows.
    ArbitraryVariance,
    /// Nothing: they are white already.
    None,
}

/// How far from normal a component is, by its slope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IcaContrast {
    /// log cosh(alpha·y): good for most.
    #[default]
    Logcosh,
    /// −exp(−y²/2): for heavy tails and outliers.
    Exp,
    /// y⁴/4, kurtosis: for light tails without outliers.
    Cube,
}

parameters! {
    /// Independent component analysis (Hyvärinen 1999): the sources of rows that are mixtures of independent, not normal
    /// sources. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::decomposition::FastIca;
    /// use gristmill::prelude::*;
    /// // A square wave and a saw-tooth, mixed.
    /// let source = |t: usize| [if t % 20 < 10 { 1.0_f32 } else { -1.0 }, (t % 7) as f32 / 3.0 - 1.0];
    /// let rows: Vec<_> = (0..700).map(|t| source(t)).map(|[a, b]| [a + b, 2.0 * a - b]).collect();
    /// let model = FastIca::default().fit(&Matrix::from_rows(&rows)?)?;
    /// let found = model.transform(&Matrix::from_rows(&rows[..20])?)?;
    /// // One of the two components is the square wave, up to its sign.
    /// let jump = |c: usize| (found.get(0, c) - found.get(10, c)).abs() / (found.get(0, c) - found.get(7, c)).abs().max(0.01);
    /// assert!(jump(0).max(jump(1)) > 50.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Rows are made white by their covariance, in f64 on the host; each step is two products where the rows live.
    /// - The order of components, and the sign of each, are not determined: the largest entry of each is positive.
    /// - At most as many components as the rows have dimensions. Two normal sources cannot be told apart.
    /// - Not converging within `max_iter` is a warning, not an error.
    pub struct FastIca: transformer("fast-ica") -> FastIcaModel;
    about "independent components: sources that rows are mixtures of";
    {
        /// Components to keep; none for as many as the rows have dimensions.
        n_components: Option<usize> = None, at_least(1.0);
        /// Whether all are sought at once: parallel, or deflation for one after the other.
        algorithm: IcaAlgorithm = IcaAlgorithm::Parallel;
        /// What is done to the rows first: unit-variance, arbitrary-variance or none.
        whiten: Whitening = Whitening::UnitVariance;
        /// How far from normal a component is: logcosh, exp or cube.
        fun: IcaContrast = IcaContrast::Logcosh;
        /// The steepness of logcosh, from 1 to 2.
        alpha: f64 = 1.0, above(0.0);
        /// Maximum number of iterations; for each component in deflation.
        max_iter: usize = 200, at_least(1.0);
        /// Ends the iterations when no direction turns by more, as 1 − |cosine|.
        tol: f64 = 1e-4, at_least(0.0);
        /// Seed of the first directions.
        seed: u64 = 0;
    }
}

/// Eigenvalues of the covariance, as shares of the largest, that count as none.
const RANK: f64 = 1e-7;

impl FastIca {
    fn contrast(&self) -> Contrast {
        match self.fun {
            IcaContrast::Logcosh => Contrast::Logcosh(self.alpha as f32),
            IcaContrast::Exp => Contrast::Exp,
            IcaContrast::Cube => Contrast::Cube,
        }
    }

    /// The whitening k×d and its inverse d×k, with the mean.
    fn whitening(&self, scatter: &Scatter) -> Result<(Vec<f64>, DMatrix<f64>, DMatrix<f64>)> {
        let d = scatter.mean.len();
        if self.whiten == Whitening::None {
            let most = self.n_components.unwrap_or(d);
            self.check_count(most, d)?;
            let identity = DMatrix::identity(most, d);
            return Ok((vec![0.0; d], identity.clone(), identity.transpose()));
        }
        let (values, vectors) = Eigen::factor(&(&scatter.matrix / scatter.weight))?.into_parts();
        let rank = values.iter().take_while(|value| **value > RANK * values[0] && **value > 0.0).count();
        if rank == 0 {
            let got = format!("{} equal rows", scatter.rows);
            return Err(Error::shape(Self::TYPE, "rows that differ in some column", got));
        }
        let count = self.n_components.unwrap_or(rank);
        self.check_count(count, rank)?;
        let there = DMatrix::from_fn(count, d, |row, column| vectors[(column, row)] / values[row].sqrt());
        let back = DMatrix::from_fn(d, count, |row, column| vectors[(row, column)] * values[column].sqrt());
        Ok((scatter.mean.clone(), there, back))
    }

    fn check_count(&self, count: usize, most: usize) -> Result<()> {
        match count <= most {
            true => Ok(()),
            false => {
                let rule = format!("at most {most}, the dimensions that the rows have");
                Err(Error::param("n_components", rule, count))
            }
        }
    }
}

impl Estimator for FastIca {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d) = (shape.rows as f64, shape.columns as f64);
        let k = self.n_components.unwrap_or(shape.columns) as f64;
        let iterations = self.max_iter.min(20) as f64;
        let operations = n * d * d + 2.0 * n * d * k + 4.0 * iterations * n * k * k;
        let uploading = Cost::uploading(shape.rows + shape.queries, shape.columns);
        Some(Cost { operations, syncs: 4.0 + 2.0 * iterations, kernels: 6.0, ..uploading })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<FastIcaModel> {
        options.refuse_weights(Self::TYPE)?;
        let x = x.complete(Self::TYPE)?;
        if x.rows() < 2 {
            return Err(Error::shape(Self::TYPE, "at least two rows", x.rows()));
        }
        let mut stream = x.device().stream();
        let scatter = match self.whiten {
            Whitening::None => {
                Scatter { rows: x.rows(), weight: 1.0, mean: vec![0.0; x.columns()], matrix: DMatrix::zeros(0, 0) }
            }
            _ => Scatter::of(&mut stream, &x, None)?,
        };
        let (mean, there, back) = self.whitening(&scatter)?;
        let (k, d) = there.shape();
        let directions = upload(k, d, there.transpose().as_slice(), stream.device())?;
        let lines = mean.iter().map(|mean| (*mean, 1.0, 0.0)).collect();
        let centred = ops::affine(&mut stream, &x, &lines)?;
        // A component a row: products with long rows are what steps are made of.
        let white = ops::gemm(&mut stream, Layout::NT, &directions, &centred)?;
        drop(centred);
        let course = options.watched("independent components", |reporter| match self.algorithm {
            IcaAlgorithm::Parallel => search::parallel(self, &mut stream, &white, reporter),
            IcaAlgorithm::Deflation => search::deflation(self, &mut stream, &white, reporter),
        })?;
        if !course.converged {
            log::warn!("FastIca did not converge in {} iterations; raise max_iter or tol", course.iterations);
        }
        let scale = match self.whiten {
            Whitening::ArbitraryVariance => 1.0 / (x.rows() as f64).sqrt(),
            _ => 1.0,
        };
        let components = &course.rotation * there * scale;
        let mixing = back * course.rotation.transpose() / scale;
        Ok(FastIcaModel::new(self, mean, components, mixing, (course.iterations, course.converged)))
    }
}
