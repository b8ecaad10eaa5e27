//! A quantile of the targets as a weighted sum of the columns.

use nalgebra::DMatrix;

use super::smoothed::{Cornered, Found};
use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FittedWith, Prediction, Reporter, Rows, Save, Targets, parameters,
};
use crate::linear::predict::{Linear, linear_model};
use crate::linear::standard_rows::StandardRows;
use crate::model_file::Container;

const OP: &str = "QuantileRegressor";

parameters! {
    /// Quantile regression: the mean of `quantile·r` for residuals above 0 and `(quantile − 1)·r` below, plus `alpha·‖coef‖₁`,
    /// is minimised. With `quantile` 0.5, which is the default, the mean absolute error is (half of it). Names and defaults are
    /// scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0], [4.0]])?;
    /// let model = QuantileRegressor::default().alpha(0.0).fit(&x, &[0.0, 1.0, 2.0, 3.0, 90.0])?;
    /// assert!((model.coef()[(0, 0)] - 1.0).abs() < 1e-4); // the outlier does not count
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Newton's method on a loss whose corner is rounded off less and less, in f64 on the host; the objective comes within
    ///   `tol` of the linear programme's. Rows on a GPU are read from the host's copy.
    /// - n·d² operations in the first steps, fewer later on.
    /// - Where several planes are equally good, one between them is found; a linear programme finds a corner.
    /// - Weights, several outputs, and sparse rows of up to 2048 columns.
    pub struct QuantileRegressor: regressor("quantile-regressor") -> QuantileRegressorModel;
    about "a quantile of the target, or its median, by a weighted sum of the columns";
    {
        /// The quantile, above 0 and below 1.
        quantile: f64 = 0.5, between(0.0, 1.0);
        /// Strength of the L1 penalty on the coefficients.
        alpha: f64 = 1.0, at_least(0.0);
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
        /// How near the objective comes to its minimum, as a share of it.
        tol: f64 = 1e-7, above(0.0);
        /// Maximum number of steps.
        max_iter: usize = 500, at_least(1.0);
    }
}

impl Estimator for QuantileRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<QuantileRegressorModel> {
        let rows = StandardRows::new(OP, x, y, self.fit_intercept, &options)?;
        let cornered = Cornered {
            squared: 0.0,
            absolute: 1.0,
            quantile: self.quantile,
            l1: self.alpha,
            l2: 0.0,
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let descent =
            options.watched("quantile regression", |reporter| Descent::new(OP, &rows, &cornered, reporter))?;
        Ok(QuantileRegressorModel { params: self.clone().into(), linear: descent.linear.clone(), descent })
    }
}

/// The planes of all outputs, and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Descent {
    pub(super) linear: Linear,
    pub(super) objectives: Vec<f64>,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

impl Descent {
    pub(super) fn new(
        op: &'static str,
        rows: &StandardRows<'_>,
        cornered: &Cornered,
        reporter: &mut Reporter<'_>,
    ) -> Result<Descent> {
        let outputs = rows.y.columns();
        let found =
            (0..outputs).map(|output| cornered.fit(op, rows, output, reporter)).collect::<Result<Vec<Found>>>()?;
        let converged = found.iter().all(|found| found.converged);
        if !converged {
            log::warn!("{op}: not within {} of the minimum for certain; raise max_iter or tol", cornered.tol);
        }
        let coef = found.iter().flat_map(|found| found.coef.iter().copied());
        Ok(Descent {
            linear: Linear::new(
                DMatrix::from_row_iterator(outputs, rows.columns(), coef),
                found.iter().map(|found| found.intercept).collect(),
            )?,
            objectives: found.iter().map(|found| found.objective).collect(),
            iterations: found.iter().map(|found| found.iterations).max().unwrap_or(0),
            converged,
        })
    }

    pub(super) fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.iterations, self.converged);
        match self.objectives[..] {
            [objective] => report.with_number("objective", objective),
            _ => report,
        }
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.insert("objectives", &[self.objectives.len()], self.objectives.clone())?;
        container.insert("iterations", &[2], vec![self.iterations as u64, u64::from(self.converged)])?;
        self.linear.store(container)
    }

    pub(super) fn restore(container: &mut Container) -> Result<Descent> {
        let progress: Vec<u64> = container.take("iterations", &[2])?;
        let [count] = container.shape("objectives")?;
        let objectives = container.take("objectives", &[count])?;
        let linear = Linear::restore(container)?;
        if count != linear.intercept().len() {
            return Err(container.refuse(format!("{count} objectives of {} outputs", linear.intercept().len())));
        }
        Ok(Descent { linear, objectives, iterations: progress[0] as usize, converged: progress[1] == 1 })
    }
}

/// Gives a model that holds a `descent` what every such model can do.
macro_rules! descent_model {
    ($model:ident, $estimator:ident) => {
        linear_model!($model, report);

        fn report(model: &$model) -> FitReport {
            model.descent.report()
        }

        impl $model {
            /// The least value found of what is minimised, for each output.
            pub fn objectives(&self) -> &[f64] {
                &self.descent.objectives
            }

            /// Steps of the fit.
            pub fn iterations(&self) -> usize {
                self.descent.iterations
            }

            /// Whether the objective is known to be within `tol` of its minimum.
            pub fn converged(&self) -> bool {
                self.descent.converged
            }
        }

        impl Save for $model {
            type Estimator = $estimator;

            fn save_fitted(&self, container: &mut Container) -> Result<()> {
                self.descent.store(container)
            }

            fn load_fitted(params: FittedWith<$estimator>, container: &mut Container) -> Result<$model> {
                let descent = Descent::restore(container)?;
                Ok($model { params, linear: descent.linear.clone(), descent })
            }
        }
    };
}

pub(super) use descent_model;

/// A model fitted by [`QuantileRegressor`].
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileRegressorModel {
    params: FittedWith<QuantileRegressor>,
    linear: Linear,
    descent: Descent,
}

descent_model!(QuantileRegressorModel, QuantileRegressor);
