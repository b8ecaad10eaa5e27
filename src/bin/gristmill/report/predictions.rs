//! Predictions of a pipeline, timed phase by phase.

use gristmill::estimator::Prediction;
use gristmill::pipeline::PipelineModel;
use gristmill::{Device, Matrix, Result, Target};

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

/// Predicts the rows of `x`, which has the columns of the model in its order.
pub fn predict(
    model: &PipelineModel,
    x: &Matrix,
    device: &Device,
    global: &GlobalArgs,
    seconds: &mut Seconds,
) -> Result<Predicted> {
    let inputs = match model.steps().is_empty() {
        true => x.clone(),
        false => timed(&mut seconds.prepare, || model.transformed_input(x))?,
    };
    let rows = match device {
        Device::Cpu => inputs.to(device)?,
        Device::Gpu(_) => timed(&mut seconds.upload, || inputs.to(device))?,
    };
    let mut progress = Progress::new(global);
    let predict = || model.model().predict_with(&rows, &mut progress);
    let prediction = timed(&mut seconds.predict, predict)?;
    Ok(Predicted { inputs, prediction, probabilities: None })
}

impl Predicted {
    /// The scores of the predictions; for clusters also how far the rows are from their centres.
    pub fn scores(&self, model: &PipelineModel, target: &Target) -> Result<Scores> {
        let mut scores = Scores::of_predictions(&self.prediction, self.probabilities.as_ref(), target)?;
        if let Prediction::Clusters(_) = &self.prediction {
            scores.inertia = model.model().inertia(&self.inputs)?;
        }
        Ok(scores)
    }

    /// The same with class probabilities, where the model gives them.
    pub fn with_probabilities(mut self, model: &PipelineModel, device: &Device) -> Result<Predicted> {
        if let Prediction::Classes(_) = self.prediction {
            let probabilities = model.model().predict_proba(&self.inputs.to(device)?)?;
            let classes = model.model().classes().iter().cloned();
            self.probabilities = probabilities.map(|probabilities| probabilities.with_names(classes)).transpose()?;
        }
        Ok(self)
    }
}
