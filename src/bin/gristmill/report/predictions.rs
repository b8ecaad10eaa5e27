//! Predictions of a pipeline, timed phase by phase.

use gristmill::estimator::{Prediction, Task};
use gristmill::pipeline::PipelineModel;
use gristmill::{Device, DeviceMatrix, Error, Matrix, Result, Target};

use super::error::{CliError, CommandResult};
use super::progress::Progress;
use super::run::{Seconds, timed};
use super::scores::Scores;
use crate::arguments::GlobalArgs;

/// The predictions for some rows.
pub struct Predicted {
    /// The rows behind the steps: what the model saw.
    pub inputs: Matrix,
    pub prediction: Prediction,
    /// The probability of each class, n×k, the classes as names of the columns; nothing if the model gives none.
    pub probabilities: Option<Matrix>,
}

/// Predicts the rows of `x`, which has the columns of the model in its order; with probabilities, if the model gives them
/// and they are asked for. A density predicts the logarithm of the density of each row.
pub fn predict(
    model: &PipelineModel,
    x: &Matrix,
    with_probabilities: bool,
    device: &Device,
    global: &GlobalArgs,
    seconds: &mut Seconds,
) -> CommandResult<Predicted> {
    let inner = model.model();
    let task = inner.task()?;
    if task == Task::Transformation {
        let why = format!("{} transforms rows and predicts nothing: gristmill transform writes them", inner.kind());
        return Err(CliError::Usage(why));
    }
    let inputs = match model.steps().is_empty() {
        true => x.clone(),
        false => timed(&mut seconds.prepare, || model.transformed_input(x))?,
    };
    let rows = upload(&inputs, device, seconds)?;
    let mut progress = Progress::new(global);
    let (prediction, probabilities) = timed(&mut seconds.predict, || match (task, with_probabilities) {
        (Task::Density, _) => Ok((Prediction::Numbers(log_densities(model, &rows)?), None)),
        (_, true) => inner.predict_both(&rows, &mut progress),
        (_, false) => Ok((inner.predict_with(&rows, &mut progress)?, None)),
    })?;
    let classes = inner.classes().iter().cloned();
    let probabilities = probabilities.map(|probabilities| probabilities.with_names(classes)).transpose()?;
    Ok(Predicted { inputs, prediction, probabilities })
}

/// The rows on the device; on the CPU that is no copy, and takes no time to tell of.
pub fn upload(x: &Matrix, device: &Device, seconds: &mut Seconds) -> Result<DeviceMatrix> {
    match device {
        Device::Cpu => x.to(device),
        Device::Gpu(_) => timed(&mut seconds.upload, || x.to(device)),
    }
}

fn log_densities(model: &PipelineModel, rows: &DeviceMatrix) -> Result<Matrix> {
    let scores = model.model().score_samples(rows)?.ok_or_else(|| Error::Shape {
        op: model.model().kind(),
        expected: "a density".to_string(),
        got: "a model that gives none".to_string(),
    })?;
    Matrix::from_f64(scores.len(), 1, &scores)?.with_names(["log_density"])
}

impl Predicted {
    /// The scores of the predictions; for clusters also how far the rows are from their centres, for densities their mean.
    pub fn scores(&self, model: &PipelineModel, target: &Target) -> Result<Scores> {
        if model.model().task()? == Task::Density {
            let Prediction::Numbers(densities) = &self.prediction else { return Ok(Scores::default()) };
            let sum: f64 = densities.as_slice().iter().map(|density| f64::from(*density)).sum();
            let mut scores = Scores::default();
            scores.add("mean_log_density", sum / densities.rows().max(1) as f64);
            return Ok(scores);
        }
        let mut scores = Scores::of_predictions(&self.prediction, self.probabilities.as_ref(), target)?;
        if let Prediction::Clusters(_) = &self.prediction {
            model.model().inertia(&self.inputs)?.into_iter().for_each(|inertia| scores.add("inertia", inertia));
        }
        Ok(scores)
    }
}
