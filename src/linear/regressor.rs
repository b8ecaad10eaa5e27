//! A fitted linear regressor with one plane for each output, and what its fit tells about itself.

use nalgebra::DMatrix;

use super::classifier::{FitOutcome, Shown};
use super::predict::Linear;
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{
    Declared, Estimator, FitReport, FittedWith, InputColumns, Model, Observer, Predict, Prediction, Rows, Save,
};
use crate::model_file::Container;

/// What tells these regressors apart, beside how they are fitted.
#[doc(hidden)]
pub trait LinearRegressor: Estimator<Model = LinearRegressorModel<Self>> + Declared {
    /// What a fit may leave beside its planes, by name.
    const EXTRAS: &'static [(&'static str, Shown)] = &[("train_loss", Shown::Curve)];
}

/// A fitted linear regressor: the type of the models of `SgdRegressor` and `LinearSvr`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRegressorModel<E: LinearRegressor> {
    pub(crate) params: FittedWith<E>,
    linear: Linear,
    pub(super) fit: FitOutcome,
}

impl<E: LinearRegressor> LinearRegressorModel<E> {
    /// From p·d coefficients, output by output, and the intercepts.
    pub(super) fn new(params: &E, coef: &[f64], intercept: Vec<f64>, fit: FitOutcome) -> Result<Self> {
        let outputs = intercept.len();
        let linear = Linear::new(DMatrix::from_row_slice(outputs, coef.len() / outputs, coef), intercept)?;
        Ok(LinearRegressorModel { params: params.clone().into(), linear, fit })
    }

    /// The coefficients, p×d: one row for each output.
    pub fn coef(&self) -> &DMatrix<f64> {
        self.linear.coef()
    }

    /// The intercept of each of the p outputs; zeros without one.
    pub fn intercept(&self) -> &[f64] {
        self.params.in_unit_of_target(self.linear.intercept())
    }

    /// Steps, or passes over the rows, of the fit.
    pub fn iterations(&self) -> usize {
        self.fit.iterations
    }

    /// Whether the fit came to an end by itself.
    pub fn converged(&self) -> bool {
        self.fit.converged
    }
}

impl<E: LinearRegressor> Predict for LinearRegressorModel<E> {
    type Output = Matrix;
}

impl<E: LinearRegressor> Model for LinearRegressorModel<E> {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.linear.predict(E::TYPE, x)?.into())
    }

    fn report(&self) -> FitReport {
        self.fit.report(E::EXTRAS)
    }

    fn text(&self, columns: &InputColumns) -> Option<String> {
        Some(self.linear.equation(&columns.names, self.intercept()))
    }
}

impl<E: LinearRegressor> Save for LinearRegressorModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.fit.store(container)?;
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<E>, container: &mut Container) -> Result<Self> {
        let fit = FitOutcome::restore(container, E::EXTRAS)?;
        Ok(LinearRegressorModel { params, linear: Linear::restore(container)?, fit })
    }
}
