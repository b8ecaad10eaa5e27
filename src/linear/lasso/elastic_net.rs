//! Least squares with a penalty on absolute values, and squares, of the coefficients.

use super::path::{Grid, LassoPath, path};
use super::prepare::{Prepared, Settings};
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FitShape, FittedWith, Parameters, Prediction, Rows, Save, Targets, parameters,
};
use crate::linear::least_squares::fit::{self, Penalty, counted, products_cost};
use crate::linear::predict::{Linear, linear_model};
use crate::model_file::Container;
use crate::solvers::coordinate::Outcome;

/// The parameters that both share, and what they have in common.
macro_rules! penalised {
    (
        $(#[$attribute:meta])*
        $name:ident($label:literal), $model:ident, $about:literal, $module:ident, $what:literal, $ratio:expr,
        { $($new:tt)* } { $($own:tt)* }
    ) => {
        pub use $module::{$name, $model};

        mod $module {
            use super::*;

            const OP: &str = stringify!($name);

            parameters! {
                $(#[$attribute])*
                pub struct $name: regressor($label) -> $model;
                about $about;
                $($new)*
                {
                    /// Strength of the penalty.
                    alpha: f64 = 1.0, at_least(0.0);
                    $($own)*
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

            impl $name {
                /// The coefficients for several penalties, each found from the one before; given in any order, they come
                /// back descending. Without `alphas` there are a hundred, from where all coefficients are 0 down to a
                /// thousandth of that.
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
                    let $name { fit_intercept, positive, tol, max_iter, .. } = *self;
                    Settings { l1_ratio: $ratio(self), fit_intercept, positive, tol, max_iter }
                }
            }

            impl Estimator for $name {
                fn abilities(&self) -> Abilities {
                    Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
                }

                fn cost(&self, shape: &FitShape) -> Option<Cost> {
                    Some(products_cost(shape))
                }

                fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<$model> {
                    let (linear, outcome) = fit_one((OP, $what), x, y, (self.alpha, &self.settings()), options)?;
                    Ok($model { params: self.clone().into(), linear, outcome })
                }
            }

            #[doc = concat!("A model fitted by [`", stringify!($name), "`].")]
            #[derive(Debug, Clone, PartialEq)]
            pub struct $model {
                params: FittedWith<$name>,
                linear: Linear,
                outcome: Outcome,
            }

            linear_model!($model, report);

            fn report(model: &$model) -> FitReport {
                let count = model.linear.coef().iter().filter(|value| **value != 0.0).count();
                FitReport::default()
                    .iterations(model.outcome.iterations, model.outcome.converged)
                    .with_number("objective", model.outcome.objective)
                    .with_number("dual_gap", model.outcome.gap)
                    .with_number("nonzero", count as f64)
            }

            impl $model {
                /// The objective, summed over the outputs; 0 where nothing is on absolute values.
                pub fn objective(&self) -> f64 {
                    self.outcome.objective
                }

                /// The objective is above its minimum by no more than this.
                pub fn dual_gap(&self) -> f64 {
                    self.outcome.gap
                }

                /// Passes over the coordinates.
                pub fn iterations(&self) -> usize {
                    self.outcome.iterations
                }

                /// Whether the gap was reached.
                pub fn converged(&self) -> bool {
                    self.outcome.converged
                }
            }

            impl Save for $model {
                type Estimator = $name;

                fn save_fitted(&self, container: &mut Container) -> Result<()> {
                    store(&self.linear, self.outcome, container)
                }

                fn load_fitted(params: FittedWith<$name>, container: &mut Container) -> Result<$model> {
                    let (linear, outcome) = restore(container)?;
                    Ok($model { params, linear, outcome })
                }
            }
        }
    };
}

/// A fit for one penalty.
pub(super) fn fit_one(
    (op, what): (&'static str, &'static str),
    x: Rows<'_>,
    y: Targets<'_>,
    (alpha, settings): (f64, &Settings),
    options: Fit<'_>,
) -> Result<(Linear, Outcome)> {
    if settings.penalty(alpha).l1 == 0.0 {
        if settings.positive {
            return Err(Error::param("positive", "false where nothing is on absolute values", true));
        }
        // n·alpha, because squares are averaged here and summed there.
        let weight = counted(x.rows(), options.weights(op, x.rows())?).1;
        let penalty = Penalty { alpha: alpha * weight, intercept: settings.fit_intercept, statistics: false };
        let fitted = fit::fit_rows((op, what), x, y, penalty, options)?;
        return Ok((fitted.linear, Outcome { gap: 0.0, objective: 0.0, iterations: 1, converged: true }));
    }
    let prepared = Prepared::new(op, x, y, (settings.fit_intercept, false), &options)?;
    let mut path = options.watched(what, |reporter| prepared.path(settings, &[alpha], reporter))?;
    let outcome = path.outcomes[0];
    if !outcome.converged {
        log::warn!("{op}: a duality gap of {:.1e} after {} passes; raise max_iter", outcome.gap, outcome.iterations);
    }
    Ok((path.planes.remove(0), outcome))
}

pub(super) fn store(linear: &Linear, outcome: Outcome, container: &mut Container) -> Result<()> {
    container.insert("gap", &[2], vec![outcome.gap, outcome.objective])?;
    container.insert("iterations", &[2], vec![outcome.iterations as u64, u64::from(outcome.converged)])?;
    linear.store(container)
}

pub(super) fn restore(container: &mut Container) -> Result<(Linear, Outcome)> {
    let gap: Vec<f64> = container.take("gap", &[2])?;
    let progress: Vec<u64> = container.take("iterations", &[2])?;
    let outcome =
        Outcome { gap: gap[0], objective: gap[1], iterations: progress[0] as usize, converged: progress[1] == 1 };
    Ok((Linear::restore(container)?, outcome))
}

penalised! {
    /// The lasso: `1/(2n)·‖y − X·w‖² + alpha·‖w‖₁` is minimised, which makes many coefficients exactly 0; the intercept has no
    /// penalty. Names and defaults are scikit-learn's; see [`ElasticNet`](crate::linear::ElasticNet) for the method.
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
    Lasso("lasso"), LassoModel,
    "least squares with a penalty on the absolute values of the coefficients: many become 0", lasso, "lasso",
    |_: &Lasso| 1.0,
    { new(alpha: f64); }
    {}
}

penalised! {
    /// The elastic net: `1/(2n)·‖y − X·w‖² + alpha·(l1_ratio·‖w‖₁ + ½·(1 − l1_ratio)·‖w‖²)` is minimised; the intercept has no
    /// penalty. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 0.2], [2.0, -0.3], [3.0, 0.1], [4.0, 0.4], [5.0, -0.2]])?;
    /// let model = ElasticNet::default().alpha(0.1).fit(&x, &[2.1, 3.9, 6.0, 8.1, 9.9])?;
    /// assert_eq!(model.coef()[(0, 1)], 0.0); // the second column is of no use
    /// assert!((model.coef()[(0, 0)] - 1.9).abs() < 0.1);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Coordinate descent on working sets of columns until the duality gap is below `tol` times the mean square of the
    ///   centred targets; the report has the gap.
    /// - On a GPU, and on the path of a large table, all products of the columns are made first, where the rows live, if there
    ///   are more rows than columns and at most 4096 columns; they are right to f32, and the gap is that of the products. Else
    ///   the columns are visited on the host, in f64.
    /// - `alpha` 0 is least squares and `l1_ratio` 0 is ridge regression, solved exactly.
    /// - Sparse rows, weights and several outputs; each output is fitted for itself.
    /// - A fit that ends at `max_iter` is taken as it is: `converged` is false and there is a warning.
    ElasticNet("elastic-net"), ElasticNetModel,
    "least squares with a penalty on absolute values and squares of the coefficients", elastic_net, "elastic net",
    |params: &ElasticNet| params.l1_ratio,
    {}
    {
        /// Share of the penalty that is on absolute values; the rest is on squares.
        l1_ratio: f64 = 0.5, from_to(0.0, 1.0);
    }
}
