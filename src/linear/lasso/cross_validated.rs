//! The penalty chosen by cross-validation over a path.

use super::elastic_net::{restore, store};
use super::folds::choose;
use super::path::Grid;
use super::prepare::Settings;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, FitReport, FittedWith, Prediction, Rows, Save, Targets, parameters};
use crate::linear::predict::{Linear, linear_model};
use crate::model_file::Container;
use crate::solvers::coordinate::Outcome;

/// The parameters that both share, and what they have in common.
macro_rules! cross_validated {
    (
        $(#[$attribute:meta])*
        $name:ident($label:literal), $model:ident, $about:literal, $module:ident, $what:literal, $ratios:expr,
        { $($own:tt)* }
    ) => {
        pub use $module::{$name, $model};

        mod $module {
            use super::*;

            const OP: &str = stringify!($name);

            parameters! {
                $(#[$attribute])*
                pub struct $name: regressor($label) -> $model;
                about $about;
                {
                    $($own)*
                    /// The penalties to choose from; without them, `n_alphas` are made.
                    alphas: Option<Vec<f64>> = None;
                    /// How many penalties are made.
                    n_alphas: usize = 100, at_least(1.0);
                    /// The smallest penalty that is made, as a share of the largest, above which all coefficients are 0.
                    eps: f64 = 1e-3, between(0.0, 1.0);
                    /// Number of folds, each of neighbouring rows.
                    cv: usize = 5, at_least(2.0);
                    /// Whether there is an intercept; without one, the plane goes through the origin.
                    fit_intercept: bool = true;
                    /// Maximum number of passes over the coordinates for a penalty.
                    max_iter: usize = 1000, at_least(1.0);
                    /// A fit ends when the duality gap is below this share of the mean square of the targets.
                    tol: f64 = 1e-4, above(0.0);
                    /// Whether coefficients below 0 are ruled out.
                    positive: bool = false;
                }
            }

            impl Estimator for $name {
                fn abilities(&self) -> Abilities {
                    Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
                }

                fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<$model> {
                    let ratios: Vec<f64> = $ratios(self);
                    let grid = match &self.alphas {
                        Some(alphas) => Grid::Given(alphas),
                        None => Grid::Made { count: self.n_alphas, eps: self.eps },
                    };
                    let shared = Settings {
                        l1_ratio: 1.0,
                        fit_intercept: self.fit_intercept,
                        positive: self.positive,
                        tol: self.tol,
                        max_iter: self.max_iter,
                    };
                    let found = best(OP, (x, y), (shared, &ratios), &grid, self.cv, ($what, options))?;
                    let params = self.clone().into();
                    let Best { linear, outcome, alpha, l1_ratio, alphas, errors } = found;
                    Ok($model { params, linear, outcome, alpha, l1_ratio, alphas, errors })
                }
            }

            #[doc = concat!("A model fitted by [`", stringify!($name), "`].")]
            #[derive(Debug, Clone, PartialEq)]
            pub struct $model {
                params: FittedWith<$name>,
                linear: Linear,
                outcome: Outcome,
                alpha: f64,
                l1_ratio: f64,
                alphas: Vec<f64>,
                errors: Vec<f64>,
            }

            linear_model!($model, report);

            fn report(model: &$model) -> FitReport {
                let count = model.linear.coef().iter().filter(|value| **value != 0.0).count();
                FitReport::default()
                    .iterations(model.outcome.iterations, model.outcome.converged)
                    .with_number("alpha", model.alpha)
                    .with_number("l1_ratio", model.l1_ratio)
                    .with_number("dual_gap", model.outcome.gap)
                    .with_number("nonzero", count as f64)
                    .with_curve("cv_error", &model.errors)
            }

            impl $model {
                /// The penalty of the least error.
                pub fn alpha(&self) -> f64 {
                    self.alpha
                }

                /// The share of the penalty on absolute values that has the least error.
                pub fn l1_ratio(&self) -> f64 {
                    self.l1_ratio
                }

                /// The penalties that were tried, descending; those of the chosen share.
                pub fn alphas(&self) -> &[f64] {
                    &self.alphas
                }

                /// The mean squared error of each penalty over the folds.
                pub fn cv_errors(&self) -> &[f64] {
                    &self.errors
                }

                /// The duality gap of the fit to all rows.
                pub fn dual_gap(&self) -> f64 {
                    self.outcome.gap
                }
            }

            impl Save for $model {
                type Estimator = $name;

                fn save_fitted(&self, container: &mut Container) -> Result<()> {
                    container.insert("alpha", &[2], vec![self.alpha, self.l1_ratio])?;
                    container.insert_list("alphas", &self.alphas)?;
                    container.insert_list("cv_errors", &self.errors)?;
                    store(&self.linear, self.outcome, container)
                }

                fn load_fitted(params: FittedWith<$name>, container: &mut Container) -> Result<$model> {
                    let alpha: Vec<f64> = container.take("alpha", &[2])?;
                    let alphas: Vec<f64> = container.take_list("alphas")?;
                    let errors: Vec<f64> = container.take_list("cv_errors")?;
                    if alphas.len() != errors.len() {
                        return Err(container.refuse(format!("{} errors of {} penalties", errors.len(), alphas.len())));
                    }
                    let (linear, outcome) = restore(container)?;
                    Ok($model { params, linear, outcome, alpha: alpha[0], l1_ratio: alpha[1], alphas, errors })
                }
            }
        }
    };
}

/// What was chosen, fitted to all rows.
struct Best {
    linear: Linear,
    outcome: Outcome,
    alpha: f64,
    l1_ratio: f64,
    alphas: Vec<f64>,
    errors: Vec<f64>,
}

/// The share and penalty of the least error, and their fit to all rows.
fn best(
    op: &'static str,
    (x, y): (Rows<'_>, Targets<'_>),
    (shared, ratios): (Settings, &[f64]),
    grid: &Grid<'_>,
    folds: usize,
    (what, options): (&'static str, Fit<'_>),
) -> Result<Best> {
    if ratios.is_empty() || ratios.iter().any(|ratio| !(*ratio > 0.0 && *ratio <= 1.0)) {
        let rule = "one or more numbers above 0 and at most 1; RidgeCv is for 0";
        return Err(Error::param("l1_ratio", rule, format!("{ratios:?}")));
    }
    let weights = options.weights(op, x.rows())?;
    options.watched(what, |reporter| {
        let mut found: Option<Best> = None;
        for &l1_ratio in ratios {
            let settings = Settings { l1_ratio, ..shared };
            let options = weights.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
            let chosen = choose(op, (x, y), &settings, grid, folds, &options, reporter)?;
            let alpha = chosen.alphas[chosen.best];
            let error = chosen.errors[chosen.best];
            if found.as_ref().is_none_or(|best| best.errors.iter().all(|other| error < *other)) {
                // From the largest penalty on, as in the folds: near solutions are quick steps.
                let path = chosen.prepared.path(&settings, &chosen.alphas[..=chosen.best], reporter)?;
                let linear = path.planes[chosen.best].clone();
                let outcome = path.outcomes[chosen.best];
                let (alphas, errors) = (chosen.alphas, chosen.errors);
                found = Some(Best { linear, outcome, alpha, l1_ratio, alphas, errors });
            }
        }
        found.ok_or_else(|| Error::param("l1_ratio", "a share with a finite error", format!("{ratios:?}")))
    })
}

cross_validated! {
    /// The [`Lasso`](crate::linear::Lasso) with the penalty of the least error over folds. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let model = LassoCv::default().fit(&data.x, data.values()?)?;
    /// assert!(model.alpha() < model.alphas()[0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Where there are more rows than columns, up to 4096, the products of the columns are made once for all folds.
    /// - The report has the error of every penalty as the curve `cv_error`.
    LassoCv("lasso-cv"), LassoCvModel, "the lasso with the penalty chosen by cross-validation", lasso_cv, "lasso",
    |_: &LassoCv| vec![1.0],
    {}
}

cross_validated! {
    /// The [`ElasticNet`](crate::linear::ElasticNet) with the penalty, and the share on absolute values, of the least error over
    /// folds. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let model = ElasticNetCv::default().l1_ratio(vec![0.5, 0.95]).n_alphas(20).fit(&data.x, data.values()?)?;
    /// assert_eq!(model.l1_ratio(), 0.95);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ElasticNetCv("elastic-net-cv"), ElasticNetCvModel, "the elastic net with the penalty chosen by cross-validation",
    elastic_net_cv, "elastic net",
    |params: &ElasticNetCv| params.l1_ratio.clone(),
    {
        /// Shares of the penalty on absolute values to choose from.
        l1_ratio: Vec<f64> = vec![0.5];
    }
}
