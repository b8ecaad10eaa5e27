//! Numbers by a network.

use serde::{Deserialize, Serialize};

use super::fit::{Problem, with_weights};
use super::fitted::{Fitted, Progress};
use super::{LearningRate, MlpSettings, Solver, mlp_parameters, refuse_lbfgs};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Parameters, PictureInput,
    Predict, Prediction, Rows, Save, Stored, Targets, ValidationTarget, checked_partial_fit, parameters, remember,
};
use crate::model_file::{Container, Persist};
use crate::neural::network::Network;
use crate::neural::pictures::first_layer;
use crate::neural::predict::predict;
use crate::ops::neural::{Activation, OutputLoss, TargetLayout};
use crate::plot::Figure;

/// What a number costs beside its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegressionLoss {
    /// ½(output − target)².
    #[default]
    SquaredError,
    /// |output − target|.
    AbsoluteError,
    /// ½r² up to |r| = `delta`, then linear.
    Huber,
}

mlp_parameters! {
    /// A network of dense layers that predicts numbers, one or several a row. Names and defaults are scikit-learn's; `loss`,
    /// `delta`, `l1`, `dropout`, `clip_norm`, `noise` and three solvers are ours.
    ///
    /// ```
    /// use gristmill::neural::MlpRegressor;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_vec(200, 1, (0..200).map(|row| row as f32 / 100.0 - 1.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|x| x * x).collect();
    /// let mlp = MlpRegressor::default().hidden_layer_sizes(vec![16]).batch_size(20).learning_rate_init(0.02).max_iter(60);
    /// let model = mlp.fit(&x, &y)?;
    /// assert!((model.predict(&x)?.get(199, 0) - 0.98).abs() < 0.2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// As for `MlpClassifier`: it runs where the rows live, columns are to be scaled first, a rate that diverges ends the fit with
    /// the weights before the epoch. Targets far from the unit scale are learnt faster after they were scaled.
    MlpRegressor: regressor("mlp-regressor") -> MlpRegressorModel;
    about "a network of dense layers for numbers";
    {
        /// The loss: squared_error, absolute_error, huber.
        loss: RegressionLoss = RegressionLoss::SquaredError;
        /// Of the loss huber: errors beyond it count linearly.
        delta: f64 = 1.0, above(0.0);
    }
}

impl MlpRegressor {
    /// One epoch over a chunk of rows; goes on from `model`, or begins with `None`.
    pub fn partial_fit<'a, 'b>(
        &self,
        model: Option<MlpRegressorModel>,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
    ) -> Result<MlpRegressorModel> {
        checked_partial_fit(self, model, x.into(), y.into(), Fit::default())
    }

    /// Goes on from a model, which may come from a file, until `max_iter` epochs are done in all.
    pub fn resume<'a, 'b>(
        &self,
        model: MlpRegressorModel,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
    ) -> Result<MlpRegressorModel> {
        self.check()?;
        let (x, y) = (x.into(), y.into());
        let shift = Stored::target_shift(&model).cloned();
        let moved = match &shift {
            Some(shift) => Some(shift.subtract_from(&y.complete(Self::TYPE, x.rows())?)?),
            None => None,
        };
        let y = moved.as_ref().map_or(y, Targets::Many);
        let resumed = remember(x, self.learn(Some(model), x, y, Fit::default(), self.max_iter as u64)?);
        if let Some(shift) = shift {
            Persist::remember_shift(&resumed, shift);
        }
        Ok(resumed)
    }

    fn network(&self, columns: usize, outputs: usize) -> Result<Network> {
        let loss = match self.loss {
            RegressionLoss::SquaredError => OutputLoss::Squared,
            RegressionLoss::AbsoluteError => OutputLoss::Absolute,
            RegressionLoss::Huber => OutputLoss::Huber { delta: self.delta as f32 },
        };
        MlpSettings::from(self).network(columns, outputs, Activation::Identity, loss)
    }

    fn learn(
        &self,
        model: Option<MlpRegressorModel>,
        x: Rows<'_>,
        y: Targets<'_>,
        options: Fit<'_>,
        epochs: u64,
    ) -> Result<MlpRegressorModel> {
        let x = x.complete(Self::TYPE)?;
        let y = y.complete(Self::TYPE, x.rows())?;
        let outputs = y.columns();
        let weights = options.weights(Self::TYPE, y.rows())?;
        let weights: Option<Vec<f64>> = weights.map(|weights| weights.iter().copied().map(f64::from).collect());
        let targets = TargetLayout {
            classes: false,
            weight: weights.as_ref().map(|_| outputs),
            columns: outputs + usize::from(weights.is_some()),
        };
        let validation = match options.validation_rows() {
            Some((rows, ValidationTarget::Numbers(numbers))) => {
                let numbers = numbers.complete(Self::TYPE, rows.rows())?;
                let even = weights.as_ref().map(|_| vec![1.0; numbers.rows()]);
                Some((rows.on_host()?.to(x.device())?, with_weights(&numbers, even.as_deref())?))
            }
            _ => None,
        };
        let settings = MlpSettings::from(self);
        let fitted = match model {
            Some(model) if model.fitted.network.outputs() != outputs => {
                let expected = format!("{} targets a row, as before", model.fitted.network.outputs());
                return Err(Error::shape(Self::TYPE, expected, outputs));
            }
            Some(model) => model.fitted,
            None => Fitted::new(self.network(x.columns(), outputs)?, self.seed),
        };
        let problem = Problem { x: &x, y: with_weights(&y, weights.as_deref())?, targets, labels: None, validation };
        let fitted = options.watched("network", |reporter| settings.learn(fitted, problem, epochs, reporter))?;
        Ok(MlpRegressorModel { params: self.clone().into(), fitted })
    }
}

impl Estimator for MlpRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { chunks: true, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(super::cost(&MlpSettings::from(self), shape))
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<MlpRegressorModel> {
        self.learn(None, x, y, options, self.max_iter as u64)
    }

    fn partial_fit_rows(
        &self,
        model: Option<MlpRegressorModel>,
        x: Rows<'_>,
        y: Targets<'_>,
        options: Fit<'_>,
    ) -> Result<MlpRegressorModel> {
        refuse_lbfgs(self.solver, "another solver for chunks of rows: lbfgs takes all rows at once")?;
        let epochs = model.as_ref().map_or(0, |model| model.fitted.progress.epochs) + 1;
        let chunk = MlpRegressor { early_stopping: false, ..self.clone() };
        let mut made = chunk.learn(model, x, y, options, epochs)?;
        made.params = self.clone().into();
        Ok(made)
    }
}

/// A network for numbers, as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpRegressorModel {
    params: FittedWith<MlpRegressor>,
    fitted: Fitted,
}

super::mlp_model!(MlpRegressorModel, fitted);

impl Predict for MlpRegressorModel {
    type Output = Matrix;
}

impl Model for MlpRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let x = x.queries(MlpRegressor::TYPE, self.fitted.network.input().size())?;
        Ok(predict(&self.fitted.network, &self.fitted.state.parameters, &x, true)?.into())
    }

    fn report(&self) -> FitReport {
        self.fitted.report()
    }

    fn figures(&self, _: &PictureInput<'_>) -> Result<Vec<Figure>> {
        Ok(first_layer(&self.weights()?)?.into_iter().collect())
    }
}

impl Save for MlpRegressorModel {
    type Estimator = MlpRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.fitted.progress)?;
        self.fitted.store(container)
    }

    fn load_fitted(params: FittedWith<MlpRegressor>, container: &mut Container) -> Result<MlpRegressorModel> {
        let progress: Progress = container.fitted()?;
        let [columns, _] = container.shape("layer0.weights")?;
        let last = format!("layer{}.weights", params.hidden_layer_sizes.len());
        let [_, outputs] = container.shape(&last)?;
        super::check_sizes(&params.hidden_layer_sizes, container)?;
        let network = params.network(columns, outputs).map_err(|error| container.refuse(error.to_string()))?;
        let fitted = Fitted::restore(network, progress, container)?;
        Ok(MlpRegressorModel { params, fitted })
    }
}
