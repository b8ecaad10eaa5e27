//! What a model says of rows, timed phase by phase.

use std::path::Path;

use gristmill::estimator::Prediction;
use gristmill::model::{Container, Persist};
use gristmill::pipeline::PipelineModel;
use gristmill::{Device, Matrix, Model, Result, Target, registry};

use super::Everywhere;
use super::known_columns::KnownColumns;
use super::progress::Progress;
use super::report::{Seconds, timed};
use super::scores::Scores;

/// What a model said.
pub struct Predicted {
    /// The rows behind the steps: what the model saw.
    pub inputs: Matrix,
    pub prediction: Prediction,
    /// The chance of each class, n×k, the classes as names of the columns; nothing if the model gives none.
    pub chances: Option<Matrix>,
}

/// The kind of the model in a file, behind its steps, and the model itself as a pipeline.
pub struct LoadedModel {
    pub kind: String,
    pub model: PipelineModel,
    pub columns: KnownColumns,
}

/// Reads a model file; a model without a pipeline becomes one without steps.
pub fn load(path: &Path) -> Result<LoadedModel> {
    let container = Container::load(path)?;
    let inner = |container: &Container| {
        let model = container.models().find(|(name, _)| *name == "model");
        model.map(|(_, model)| model.kind().to_string())
    };
    if container.kind() == PipelineModel::KIND {
        let kind = inner(&container).unwrap_or_default();
        let model = PipelineModel::from_container(container)?;
        let columns = KnownColumns { columns: model.columns().to_vec(), takes_missing: model.takes_missing() };
        return Ok(LoadedModel { kind, model, columns });
    }
    let kind = container.kind().to_string();
    let model = PipelineModel::from(Model::from_container(container)?);
    let takes_missing = registry::find(&kind).is_ok_and(|entry| entry.estimator().takes_missing());
    Ok(LoadedModel { kind, model, columns: KnownColumns { columns: vec![], takes_missing } })
}

/// Predicts the rows of `x`, which has the columns of the model in its order.
pub fn predict(
    model: &PipelineModel,
    x: &Matrix,
    device: &Device,
    everywhere: &Everywhere,
    seconds: &mut Seconds,
) -> Result<Predicted> {
    let inputs = match model.steps().is_empty() {
        true => x.clone(),
        false => timed(&mut seconds.prepare, || model.transform(x))?,
    };
    let rows = match device {
        Device::Cpu => inputs.to(device)?,
        Device::Gpu(_) => timed(&mut seconds.upload, || inputs.to(device))?,
    };
    let mut progress = Progress::new(everywhere);
    let predict = || model.model().predict_with((&rows).into(), &mut progress);
    let prediction = timed(&mut seconds.predict, predict)?;
    Ok(Predicted { inputs, prediction, chances: None })
}

impl Predicted {
    /// What the predictions are worth beside the truth; for clusters also how far the rows are from their centres.
    pub fn scores(&self, model: &PipelineModel, target: &Target) -> Result<Scores> {
        let mut scores = Scores::of_predictions(&self.prediction, self.chances.as_ref(), target)?;
        if let (Prediction::Clusters(clusters), Some(centers)) = (&self.prediction, model.model().outcome().centers) {
            scores.inertia = Some(inertia(&self.inputs, clusters, &centers));
        }
        Ok(scores)
    }

    /// The same with the chances of the classes, where the model gives them.
    pub fn with_chances(mut self, model: &PipelineModel, device: &Device) -> Result<Predicted> {
        if let Prediction::Classes(_) = self.prediction {
            let chances = model.model().predict_proba((&self.inputs.to(device)?).into())?;
            let classes = model.model().classes().iter().cloned();
            self.chances = chances.map(|chances| chances.with_names(classes)).transpose()?;
        }
        Ok(self)
    }
}

/// Σ of the squared distances from the rows to the centres of their clusters.
fn inertia(x: &Matrix, clusters: &[u32], centers: &Matrix) -> f64 {
    let square = |(row, cluster): (usize, &u32)| -> f64 {
        let pairs = x.row(row).iter().zip(centers.row(*cluster as usize));
        pairs.map(|(value, center)| (f64::from(*value) - f64::from(*center)).powi(2)).sum()
    };
    clusters.iter().enumerate().map(square).sum()
}
