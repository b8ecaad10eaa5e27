//! Poisson and gamma regression.

use nalgebra::DMatrix;

use super::newton::{RowLoss, Smooth};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FittedWith, InputColumns, Model, Observer, Parameters, Predict, Prediction,
    Rows, Save, Targets, parameters,
};
use crate::linear::predict::Linear;
use crate::linear::standard_rows::StandardRows;
use crate::model_file::Container;

/// Margins beyond this are taken as this: e^margin stays in the range of f32.
const LARGEST_MARGIN: f64 = 80.0;

/// Half the Poisson deviance, less what does not depend on the margin.
fn poisson(margin: f64, target: f64) -> (f64, f64, f64) {
    let mean = margin.min(600.0).exp();
    (mean - target * margin, mean - target, mean)
}

/// Half the gamma deviance, less what does not depend on the margin.
fn gamma(margin: f64, target: f64) -> (f64, f64, f64) {
    let share = target * (-margin).min(600.0).exp();
    (share + margin, 1.0 - share, share)
}

/// Half the deviance of a mean itself, over a weight of 1.
fn half_deviance(loss: RowLoss, target: f64, margin: f64) -> f64 {
    // At the best margin, ln target; of 0 counts the loss there is 0.
    let best = if target > 0.0 { loss(target.ln(), target).0 } else { 0.0 };
    loss(margin, target).0 - best
}

#[derive(Debug, Clone, PartialEq)]
struct Fitted {
    linear: Linear,
    iterations: usize,
    converged: bool,
    losses: Vec<f64>,
    /// The share of the deviance that is explained, 1 − deviance/deviance of the mean, over all outputs.
    explained: f64,
}

struct Wanted {
    loss: RowLoss,
    alpha: f64,
    fit_intercept: bool,
    tol: f64,
    max_iter: usize,
    /// Whether targets of 0 are allowed.
    zeros: bool,
}

fn fit(
    (op, what): (&'static str, &'static str),
    x: Rows<'_>,
    y: Targets<'_>,
    wanted: &Wanted,
    options: Fit<'_>,
) -> Result<Fitted> {
    let rows = StandardRows::new(op, x, y, wanted.fit_intercept, &options)?;
    let unfit = |value: f32| if wanted.zeros { value < 0.0 } else { value <= 0.0 };
    if let Some(at) = rows.y.as_slice().iter().position(|value| unfit(*value)) {
        let rule = if wanted.zeros { "of at least 0" } else { "above 0" };
        let (row, value) = (at / rows.y.columns(), rows.y.as_slice()[at]);
        return Err(Error::shape(op, format!("targets {rule}"), format!("{value} in row {row}")));
    }
    let Wanted { loss, alpha, tol, max_iter, .. } = *wanted;
    let smooth = Smooth { rows: &rows, loss, alpha, tol, max_iter };
    options.watched(what, |reporter| {
        let outputs = rows.y.columns();
        let (mut coef, mut intercept, mut losses) = (vec![], vec![], vec![]);
        let (mut iterations, mut converged) = (0, true);
        let (mut left, mut all) = (0.0, 0.0);
        for output in 0..outputs {
            let y: Vec<f64> = rows.y.column(output).into_iter().map(f64::from).collect();
            let mean: f64 = y.iter().zip(&rows.weights).map(|(y, weight)| y * weight).sum();
            if mean <= 0.0 {
                return Err(Error::shape(op, "targets above 0 in rows that count", "only zeros"));
            }
            let found = smooth.minimum(op, output, mean.ln(), reporter)?;
            let margins = rows.margins(&found.v, found.constant);
            for ((y, weight), margin) in y.iter().zip(&rows.weights).zip(margins) {
                left += weight * half_deviance(loss, *y, margin);
                all += weight * half_deviance(loss, *y, mean.ln());
            }
            let (own, constant) = rows.plane(&found.v, found.constant);
            coef.extend(own);
            intercept.push(constant);
            iterations = iterations.max(found.iterations);
            converged &= found.converged;
            losses = if output == 0 { found.losses } else { losses };
        }
        if !converged {
            log::warn!("{op}: not converged after {iterations} steps; raise max_iter or tol");
        }
        let linear = Linear::new(DMatrix::from_row_slice(outputs, rows.columns(), &coef), intercept)?;
        let explained = if all > 0.0 { 1.0 - left / all } else { 1.0 };
        Ok(Fitted { linear, iterations, converged, losses, explained })
    })
}

impl Fitted {
    fn predict(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let mut margins = self.linear.predict(op, x)?;
        margins.as_mut_slice().iter_mut().for_each(|value| *value = f64::from(*value).min(LARGEST_MARGIN).exp() as f32);
        Ok(margins)
    }

    fn report(&self) -> FitReport {
        FitReport::default()
            .iterations(self.iterations, self.converged)
            .with_number("deviance_explained", self.explained)
            .with_curve("train_loss", &self.losses)
    }

    fn store(&self, container: &mut Container) -> Result<()> {
        container.insert("iterations", &[2], vec![self.iterations as u64, u64::from(self.converged)])?;
        container.insert_list("losses", &self.losses)?;
        container.insert("explained", &[1], vec![self.explained])?;
        self.linear.store(container)
    }

    fn restore(container: &mut Container) -> Result<Fitted> {
        let progress: Vec<u64> = container.take("iterations", &[2])?;
        let losses = container.take_list("losses")?;
        let explained = container.take::<f64>("explained", &[1])?[0];
        let linear = Linear::restore(container)?;
        Ok(Fitted { linear, iterations: progress[0] as usize, converged: progress[1] == 1, losses, explained })
    }
}

/// A regressor whose mean is the exponential of a margin.
macro_rules! exponential_mean {
    (
        $(#[$attribute:meta])*
        $name:ident($label:literal), $model:ident, $about:literal, $module:ident, $what:literal, $loss:ident, zeros: $zeros:literal
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
                    /// Strength of the L2 penalty on the coefficients.
                    alpha: f64 = 1.0, at_least(0.0);
                    /// Whether there is an intercept.
                    fit_intercept: bool = true;
                    /// A fit ends when no derivative of the mean loss is larger, for columns of deviation 1.
                    tol: f64 = 1e-6, above(0.0);
                    /// Maximum number of steps.
                    max_iter: usize = 100, at_least(1.0);
                }
            }

            impl Estimator for $name {
                fn abilities(&self) -> Abilities {
                    Abilities { sparse: true, fixed_zero: true, ..Abilities::default() }
                }

                fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<$model> {
                    self.check()?;
                    let $name { alpha, fit_intercept, tol, max_iter } = *self;
                    let wanted = Wanted { loss: $loss, alpha, fit_intercept, tol, max_iter, zeros: $zeros };
                    Ok($model { params: self.clone().into(), fitted: fit((OP, $what), x, y, &wanted, options)? })
                }
            }

            #[doc = concat!("A model fitted by [`", stringify!($name), "`].")]
            #[derive(Debug, Clone, PartialEq)]
            pub struct $model {
                params: FittedWith<$name>,
                fitted: Fitted,
            }

            impl $model {
                /// The coefficients of the logarithm of the mean, p×d: one row for each output.
                pub fn coef(&self) -> &DMatrix<f64> {
                    self.fitted.linear.coef()
                }

                /// The intercept of each output, on the scale of the logarithm.
                pub fn intercept(&self) -> &[f64] {
                    self.fitted.linear.intercept()
                }

                /// The share of the deviance of the fitted rows that is explained: 1 − deviance/deviance of the mean.
                pub fn deviance_explained(&self) -> f64 {
                    self.fitted.explained
                }

                /// Steps of the fit.
                pub fn iterations(&self) -> usize {
                    self.fitted.iterations
                }

                /// Whether the slope came below `tol`.
                pub fn converged(&self) -> bool {
                    self.fitted.converged
                }
            }

            impl Predict for $model {
                type Output = Matrix;
            }

            impl Model for $model {
                fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
                    Ok(self.fitted.predict(OP, x)?.into())
                }

                fn report(&self) -> FitReport {
                    self.fitted.report()
                }

                fn text(&self, columns: &InputColumns) -> Option<String> {
                    let equation = self.fitted.linear.equation(&columns.names, self.intercept());
                    Some(format!("the logarithm of the mean:\n{equation}"))
                }
            }

            impl Save for $model {
                type Estimator = $name;

                fn save_fitted(&self, container: &mut Container) -> Result<()> {
                    self.fitted.store(container)
                }

                fn load_fitted(params: FittedWith<$name>, container: &mut Container) -> Result<$model> {
                    Ok($model { params, fitted: Fitted::restore(container)? })
                }
            }
        }
    };
}

exponential_mean! {
    /// Poisson regression: counts whose mean is the exponential of a weighted sum of the columns; half the mean deviance plus
    /// `½·alpha·‖coef‖²` is minimised. Names and defaults are scikit-learn's, but `tol` is smaller.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let model = PoissonRegressor::default().alpha(0.0).fit(&x, &[1.0, 2.0, 4.0, 8.0])?;
    /// assert!((model.coef()[(0, 0)] - 2_f64.ln()).abs() < 1e-4); // doubles with each step
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Newton's method up to 1000 columns, above it L-BFGS, on columns less their means and in units of their deviation, in
    ///   f64 on the host. Weights, sparse rows and several outputs.
    /// - Targets below 0 and targets that are all 0 are errors.
    PoissonRegressor("poisson-regressor"), PoissonRegressorModel,
    "counts whose mean is the exponential of a weighted sum of the columns", poisson_regressor, "Poisson regression",
    poisson, zeros: true
}

exponential_mean! {
    /// Gamma regression: positive amounts whose mean is the exponential of a weighted sum of the columns and whose deviation
    /// grows with it; half the mean deviance plus `½·alpha·‖coef‖²` is minimised. Names and defaults are scikit-learn's, but
    /// `tol` is smaller. The method is that of [`PoissonRegressor`].
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let model = GammaRegressor::default().alpha(0.0).fit(&x, &[1.0, 2.0, 4.0, 8.0])?;
    /// assert!((model.predict(&x)?.get(3, 0) - 8.0).abs() < 1e-3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Targets of 0 and below are errors.
    GammaRegressor("gamma-regressor"), GammaRegressorModel,
    "positive amounts whose mean is the exponential of a weighted sum of the columns", gamma_regressor, "gamma regression",
    gamma, zeros: false
}
