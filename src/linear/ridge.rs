//! Least squares with a penalty on the squares of the coefficients.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::fit::{Penalty, fit_f64, fit_rows};
use super::predict::Linear;
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Predict, Rows, Score, Targets};
use crate::model::{Container, Persist};

const OP: &str = "Ridge";

/// Ridge regression: least squares plus `alpha·‖coef‖²`; the intercept bears no penalty. Names and defaults are
/// scikit-learn's; see the [module](crate::linear) for the method.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let model = Ridge::new(2.0).fit(&x, &[1.0, 3.0, 5.0])?;
/// assert!((model.coef()[(0, 0)] - 1.0).abs() < 1e-15); // half of the slope: the squares of x add up to 2 as well
/// assert!((model.intercept()[0] - 2.0).abs() < 1e-15);
/// assert_eq!(model.predict(&x)?.as_slice(), [2.0, 3.0, 4.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - `alpha` 0 gives what [`LinearRegression`](super::LinearRegression) gives, to the bit.
/// - With any other `alpha` there is one solution, also where columns depend on each other or outnumber the rows.
/// - Missing values, too few targets, targets that are not finite and a negative `alpha` are errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ridge {
    /// How much the squares of the coefficients cost; finite, at least 0. Default 1.
    pub alpha: f64,
    /// Whether there is an intercept; without one, the plane goes through the origin. Default true.
    pub fit_intercept: bool,
}

impl Default for Ridge {
    fn default() -> Ridge {
        Ridge { alpha: 1.0, fit_intercept: true }
    }
}

impl Ridge {
    /// Ridge regression with this penalty.
    pub fn new(alpha: f64) -> Ridge {
        Ridge { alpha, ..Ridge::default() }
    }

    /// Sets the penalty.
    pub fn alpha(mut self, alpha: f64) -> Ridge {
        self.alpha = alpha;
        self
    }

    /// Sets whether there is an intercept.
    pub fn fit_intercept(mut self, fit_intercept: bool) -> Ridge {
        self.fit_intercept = fit_intercept;
        self
    }

    /// Fits the rows of `x` (n×d) to their targets (n numbers, or n×p), where `x` lives. About n·d²
    /// operations; some 10·d·n² where there are no more rows than columns.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<RidgeModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights or an observer.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<RidgeModel> {
        let found = fit_rows((OP, "ridge"), x.into(), y.into(), self.penalty()?, options)?;
        Ok(RidgeModel { params: self.clone(), linear: found.linear })
    }

    /// Fits f64 rows, n×d, to their targets, n×p, on the host: what f32 would round away is kept.
    pub fn fit_f64(&self, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<RidgeModel> {
        let found = fit_f64(OP, x, y, self.penalty()?)?;
        Ok(RidgeModel { params: self.clone(), linear: found.linear })
    }

    fn penalty(&self) -> Result<Penalty> {
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            let rule = "a finite number of at least 0".to_string();
            return Err(Error::Param { name: "alpha", rule, got: self.alpha.to_string() });
        }
        Ok(Penalty { alpha: self.alpha, intercept: self.fit_intercept })
    }
}

/// A plane fitted by [`Ridge`].
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeModel {
    params: Ridge,
    linear: Linear,
}

impl RidgeModel {
    /// The coefficients, p×d: one row an output.
    pub fn coef(&self) -> &DMatrix<f64> {
        self.linear.coef()
    }

    /// The intercept of each of the p outputs; zeros without one.
    pub fn intercept(&self) -> &[f64] {
        self.linear.intercept()
    }

    /// The prediction for f64 rows, n×d, in f64: n×p.
    pub fn predict_f64(&self, x: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        self.linear.predict_f64(OP, x)
    }
}

impl Predict for RidgeModel {
    type Output = Matrix;

    /// n×p. On the CPU each is summed in f64 and rounded once; on a GPU within (d + 3)·2⁻²⁴·Σ|x·coef| of that.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.linear.predict(OP, x.into())
    }
}

impl Score for RidgeModel {
    type Target = Matrix;

    /// R², the mean over the outputs.
    fn score<'a>(&self, x: impl Into<Rows<'a>>, target: &Matrix) -> Result<f64> {
        crate::metrics::r2_score_columns(target, &self.predict(x)?)
    }
}

impl Persist for RidgeModel {
    const KIND: &'static str = "ridge";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        self.linear.store(container)
    }

    fn restore(container: &mut Container) -> Result<RidgeModel> {
        let params: Ridge = container.parameters()?;
        params.penalty().map_err(|error| container.refuse(error.to_string()))?;
        Ok(RidgeModel { params, linear: Linear::restore(container)? })
    }
}
