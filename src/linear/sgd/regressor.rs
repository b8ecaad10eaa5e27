//! Numbers by stochastic gradient descent.

use super::learner::Plane;
use super::passes::Lesson;
use super::{LearningRate, SgdLoss, SgdPenalty, SgdSettings, sgd_parameters};
use crate::array::Matrix;
use crate::cpu::linear::margin_gradient::exact::EachRow;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, Rows, Targets, ValidationTarget, checked_partial_fit, parameters,
};
use crate::linear::classifier::{FitOutcome, Shown};
use crate::linear::host_rows::{HostRows, each_row};
use crate::linear::regressor::{LinearRegressor, LinearRegressorModel};

sgd_parameters! {
    /// A linear regressor that learns row by row; each output by itself. Names and defaults are scikit-learn's (`average`
    /// counts steps).
    ///
    /// ```
    /// use gristmill::linear::SgdRegressor;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_vec(200, 1, (0..200).map(|row| (row as f32 - 100.0) / 60.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|value| 3.0 * value + 1.0).collect();
    /// let model = SgdRegressor::default().alpha(0.0).tol(1e-9).fit(&x, &y)?;
    /// assert!((model.coef()[(0, 0)] - 3.0).abs() < 0.02 && (model.intercept()[0] - 1.0).abs() < 0.02);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - As for `SgdClassifier`: steps one after the other on the CPU, columns to be scaled first, rates that diverge are an
    ///   error, sparse rows cost what is not zero, `partial_fit` makes one pass over a chunk.
    /// - Targets far from 0 are learnt faster after they were centred.
    SgdRegressor: regressor("sgd-regressor") -> SgdRegressorModel;
    about "a linear regressor that learns row by row, also from chunks";
    loss = SgdLoss::SquaredError; learning_rate = LearningRate::InvScaling; power_t = 0.25;
    {}
}

/// A model fitted by [`SgdRegressor`].
pub type SgdRegressorModel = LinearRegressorModel<SgdRegressor>;

impl LinearRegressor for SgdRegressor {
    const EXTRAS: &'static [(&'static str, Shown)] =
        &[("train_loss", Shown::Curve), ("validation_score", Shown::Curve), ("state", Shown::Hidden)];
}

impl SgdRegressor {
    /// One pass over a chunk of rows; goes on from `model`, or begins with `None`.
    pub fn partial_fit<'a, 'b>(
        &self,
        model: Option<SgdRegressorModel>,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
    ) -> Result<SgdRegressorModel> {
        self.partial_fit_with(model, x, y, Fit::default())
    }

    /// The same with sample weights or an observer.
    pub fn partial_fit_with<'a, 'b>(
        &self,
        model: Option<SgdRegressorModel>,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<SgdRegressorModel> {
        checked_partial_fit(self, model, x.into(), y.into(), options)
    }

    fn settings(&self) -> Result<SgdSettings> {
        match self.loss.of_margins() {
            true => {
                Err(Error::param("loss", "a loss of differences for numbers, such as squared_error", "one of classes"))
            }
            false => Ok(SgdSettings::from(self)),
        }
    }

    fn model(&self, planes: &[Plane], fit: FitOutcome) -> Result<SgdRegressorModel> {
        let results: Vec<(Vec<f64>, f64)> = planes.iter().map(Plane::result).collect();
        let coef: Vec<f64> = results.iter().flat_map(|(coef, _)| coef).copied().collect();
        let intercept = results.iter().map(|(_, intercept)| *intercept).collect();
        let state = planes.iter().flat_map(Plane::to_numbers).collect();
        LinearRegressorModel::new(self, &coef, intercept, fit.with("state", state))
    }
}

/// R² of planes on some rows, the mean over the outputs.
fn r2(planes: &[Plane], rows: &HostRows<'_>, y: &Matrix, some: &[u32]) -> f64 {
    let of = |(output, plane): (usize, &Plane)| {
        let (coef, intercept) = plane.result();
        let target = |row: &u32| f64::from(y.get(*row as usize, output));
        let mean = some.iter().map(target).sum::<f64>() / some.len().max(1) as f64;
        let left = |row: &u32| {
            let score = each_row!(rows, x => x.dot(*row as usize, &coef)) + intercept;
            (target(row) - score).powi(2)
        };
        let (left, all): (f64, f64) =
            (some.iter().map(left).sum(), some.iter().map(|row| (target(row) - mean).powi(2)).sum());
        if all > 0.0 { 1.0 - left / all } else { f64::from(u8::from(left == 0.0)) }
    };
    planes.iter().enumerate().map(of).sum::<f64>() / planes.len() as f64
}

impl Estimator for SgdRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, chunks: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<SgdRegressorModel> {
        let settings = self.settings()?;
        let rules = settings.rules()?;
        let rows = HostRows::new(Self::TYPE, x)?;
        let y = y.complete(Self::TYPE, rows.rows())?;
        let weights = options.weights(Self::TYPE, rows.rows())?;
        let weights: Option<Vec<f64>> = weights.map(|weights| weights.iter().copied().map(f64::from).collect());
        let target = |plane: usize, row: usize| f64::from(y.get(row, plane));
        let lesson = Lesson { rows: &rows, rules: &rules, target: &target, weights: weights.as_deref() };
        let (learnt, held_out) = settings.held_out(rows.rows())?;
        let given = match options.validation_rows() {
            Some((x, ValidationTarget::Numbers(targets))) => {
                let rows = HostRows::new(Self::TYPE, x)?;
                let y = targets.complete(Self::TYPE, rows.rows())?;
                Some((rows, y))
            }
            _ => None,
        };
        let score = |planes: &[Plane]| -> Result<f64> {
            Ok(match &given {
                Some((rows, y)) => r2(planes, rows, y, &(0..rows.rows() as u32).collect::<Vec<u32>>()),
                None => r2(planes, &rows, &y, &held_out),
            })
        };
        let watched = given.is_some() || self.early_stopping;
        let mut states = vec![Plane::new(rows.columns(), self.eta0, &rules); y.columns()];
        let passed = options.watched("stochastic gradient descent", |reporter| {
            settings.passes(&lesson, &mut states, &learnt, watched.then_some(&score), reporter)
        })?;
        let fit = FitOutcome { iterations: passed.passes, converged: passed.converged, extras: vec![] };
        self.model(&states, fit.with("train_loss", passed.losses).with("validation_score", passed.scores))
    }

    fn partial_fit_rows(
        &self,
        model: Option<SgdRegressorModel>,
        x: Rows<'_>,
        y: Targets<'_>,
        options: Fit<'_>,
    ) -> Result<SgdRegressorModel> {
        let settings = self.settings()?;
        let rules = settings.rules()?;
        let rows = HostRows::new(Self::TYPE, x)?;
        let y = y.complete(Self::TYPE, rows.rows())?;
        let weights = options.weights(Self::TYPE, rows.rows())?;
        let weights: Option<Vec<f64>> = weights.map(|weights| weights.iter().copied().map(f64::from).collect());
        let columns = rows.columns();
        let mut states = match &model {
            Some(model) => settings.planes_before(Self::TYPE, &model.fit, y.columns(), columns)?,
            None => vec![Plane::new(columns, self.eta0, &rules); y.columns()],
        };
        let target = |plane: usize, row: usize| f64::from(y.get(row, plane));
        let lesson = Lesson { rows: &rows, rules: &rules, target: &target, weights: weights.as_deref() };
        let fit = settings.chunk(&lesson, &mut states, model.as_ref().map(|model| &model.fit))?;
        self.model(&states, fit)
    }
}
