//! Least squares with a penalty on absolute values alone.

use super::elastic_net::{descended_model, fit_one, restore, store};
use super::path::{Grid, LassoPath, path};
use super::prepare::Settings;
use crate::cost::Cost;
use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FitShape, FittedWith, Parameters, Prediction, Rows, Save, Targets, parameters,
};
use crate::linear::least_squares::fit::products_cost;
use crate::linear::predict::{Linear, linear_model};
use crate::model_file::Container;
use crate::solvers::coordinate::Outcome;

const OP: &str = "Lasso";

parameters! {
    /// The lasso: `1/(2n)·‖y − X·w‖² + alpha·‖w‖₁` is minimised, which makes many coefficients exactly 0; the intercept has no
    /// penalty. Names and defaults are scikit-learn's; see [`ElasticNet`](super::ElasticNet) for the method.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 0.2], [2.0, -0.3], [3.0, 0.1], [4.0, 0.4], [5.0, -0.2]])?;
    /// let model = Lasso::new(0.1).fit(&x, &[2.1, 3.9, 6.0, 8.1, 9.9])?;
    /// assert_eq!(model.coef()[(0, 1)], 0.0);
    /// assert!(model.dual_gap() <= 1e-4 * 8.0); // `tol` times the variance of the targets
    /// let path = Lasso::default().path(&x, &[2.1, 3.9, 6.0, 8.1, 9.9], None, Fit::default())?;
    /// assert_eq!((path.alphas().len(), path.coef(0).amax()), (100, 0.0));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct Lasso: regressor("lasso") -> LassoModel;
    about "least squares with a penalty on the absolute values of the coefficients: many become 0";
    new(alpha: f64);
    {
        /// Strength of the penalty.
        alpha: f64 = 1.0, at_least(0.0);
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
        /// Maximum number of passes over the coordinates.
        max_iter: usize = 1000, at_least(1.0);
        /// A fit ends when the duality gap is below this share of the mean square of the targets.
        tol: f64 = 1e-4, above(0.0);
        /// Whether coefficients below 0 are ruled out.
        positive: bool = false;
    }
}

impl Lasso {
    /// The coefficients for several penalties, each found from the one before; given in any order, they come back
    /// descending. Without `alphas` there are a hundred, from where all coefficients are 0 down to a thousandth of that.
    pub fn path<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        alphas: Option<&[f64]>,
        options: Fit<'_>,
    ) -> Result<LassoPath> {
        self.check()?;
        let grid = alphas.map_or(Grid::Made { count: 100, eps: 1e-3 }, Grid::Given);
        path(OP, (x.into(), y.into()), &self.settings(), grid, options)
    }

    fn settings(&self) -> Settings {
        let Lasso { fit_intercept, positive, tol, max_iter, .. } = *self;
        Settings { l1_ratio: 1.0, fit_intercept, positive, tol, max_iter }
    }
}

impl Estimator for Lasso {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(products_cost(shape))
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<LassoModel> {
        let (linear, outcome) = fit_one((OP, "lasso"), x, y, (self.alpha, &self.settings()), options)?;
        Ok(LassoModel { params: self.clone().into(), linear, outcome })
    }
}

/// A model fitted by [`Lasso`].
#[derive(Debug, Clone, PartialEq)]
pub struct LassoModel {
    params: FittedWith<Lasso>,
    linear: Linear,
    outcome: Outcome,
}

descended_model!(LassoModel);

impl Save for LassoModel {
    type Estimator = Lasso;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store(&self.linear, self.outcome, container)
    }

    fn load_fitted(params: FittedWith<Lasso>, container: &mut Container) -> Result<LassoModel> {
        let (linear, outcome) = restore(container)?;
        Ok(LassoModel { params, linear, outcome })
    }
}
