//! Squared and absolute errors, absolute values and squares of the coefficients, all at once.

use super::quantile::{Descent, descent_model};
use super::smoothed::Cornered;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, FitReport, FittedWith, Prediction, Rows, Save, Targets, parameters};
use crate::linear::predict::{Linear, linear_model};
use crate::linear::standard_rows::StandardRows;
use crate::model_file::Container;

const OP: &str = "MixedErrorRegressor";

parameters! {
    /// A plane with penalties on large errors, small errors, noisy and needless coefficients:
    /// `mean(squared·r² + absolute·|r|) + l2·‖coef‖² + l1·‖coef‖₁` is minimised; the intercept has no penalty.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0], [4.0]])?;
    /// let y = [0.0, 1.0, 2.0, 3.0, 9.0];
    /// let both = MixedErrorRegressor::default().fit(&x, &y)?.coef()[(0, 0)];
    /// let squares = LinearRegression::default().fit(&x, &y)?.coef()[(0, 0)];
    /// assert!(1.0 < both && both < squares);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - With `absolute` 0 and `l1` 0 ridge regression with an alpha of n·`l2`; with `absolute` 0 an elastic net; with `squared`
    ///   0 regression by absolute errors.
    /// - The method is that of [`QuantileRegressor`](super::QuantileRegressor). Weights, several outputs, sparse rows.
    pub struct MixedErrorRegressor: regressor("mixed-error-regressor") -> MixedErrorRegressorModel;
    about "squared and absolute errors, L1 and L2 penalties, all at once";
    {
        /// Weight of the squared errors.
        squared: f64 = 1.0, at_least(0.0);
        /// Weight of the absolute errors.
        absolute: f64 = 1.0, at_least(0.0);
        /// Strength of the L1 penalty on the coefficients.
        l1: f64 = 0.0, at_least(0.0);
        /// Strength of the L2 penalty on the coefficients.
        l2: f64 = 0.0, at_least(0.0);
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
        /// How near the objective comes to its minimum, as a share of it.
        tol: f64 = 1e-7, above(0.0);
        /// Maximum number of steps.
        max_iter: usize = 500, at_least(1.0);
    }
}

impl Estimator for MixedErrorRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<MixedErrorRegressorModel> {
        if self.squared == 0.0 && self.absolute == 0.0 {
            return Err(Error::param("squared", "above 0 where absolute is 0", self.squared));
        }
        let rows = StandardRows::new(OP, x, y, self.fit_intercept, &options)?;
        let MixedErrorRegressor { squared, l1, l2, tol, max_iter, .. } = *self;
        // Half of |r| is what the median has.
        let cornered = Cornered { squared, absolute: 2.0 * self.absolute, quantile: 0.5, l1, l2, tol, max_iter };
        let descent = options.watched("mixed errors", |reporter| Descent::new(OP, &rows, &cornered, reporter))?;
        Ok(MixedErrorRegressorModel { params: self.clone().into(), linear: descent.linear.clone(), descent })
    }
}

/// A model fitted by [`MixedErrorRegressor`].
#[derive(Debug, Clone, PartialEq)]
pub struct MixedErrorRegressorModel {
    params: FittedWith<MixedErrorRegressor>,
    linear: Linear,
    descent: Descent,
}

descent_model!(MixedErrorRegressorModel, MixedErrorRegressor);
