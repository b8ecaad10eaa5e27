//! Predictions of a pipeline, timed phase by phase.

use gristmill::data::nearest_name;
use gristmill::estimator::{Prediction, Rows, Task};
use gristmill::neighbors::LocalOutlierFactorModel;
use gristmill::pipeline::PipelineModel;
use gristmill::{Dataset, Device, DeviceMatrix, Error, Matrix, Result, SparseMatrix, Target};

use super::error::{CliError, CommandResult};
use super::output::note;
use super::progress::Progress;
use super::run::{Seconds, timed};
use super::scores::Scores;
use crate::arguments::GlobalArgs;

/// The predictions for some rows.
pub struct Predicted {
    /// The rows behind the steps, what the model saw; without columns if they are sparse.
    pub inputs: Matrix,
    pub prediction: Prediction,
    /// The probability of each class, n×k, the classes as names of the columns; nothing if the model gives none.
    pub probabilities: Option<Matrix>,
    /// Σ of the squared distances from the rows to the nearest centres, for a model that has centres.
    pub inertia: Option<f64>,
    /// The decision function of each row, below 0 for outliers, for a model that finds them.
    pub decision: Option<Vec<f64>>,
}

/// Predicts the rows of `data`, which has the columns of the model in its order; with probabilities and inertia, if the
/// model gives them and they are asked for. A density predicts the logarithm of the density of each row.
pub fn predict(
    model: &PipelineModel,
    data: &Dataset,
    in_full: bool,
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
        true => data.clone(),
        false => timed(seconds, "prepare", || model.prepare(data))?,
    };
    let uploaded = Uploaded::new(&inputs, device, seconds)?;
    let rows = uploaded.rows();
    let mut progress = Progress::new(global);
    // Of the rows that were fitted, the fit knows which are outliers.
    let fitted = inner.downcast_ref::<LocalOutlierFactorModel>().map(|model| model.fitted_decision(&inputs.x));
    if let Some(decision) = fitted.transpose()?.flatten() {
        let side = |decision: &f64| if *decision < 0.0 { -1 } else { 1 };
        let prediction = Prediction::Outliers(decision.iter().map(side).collect());
        return Ok(Predicted {
            inputs: inputs.x,
            prediction,
            probabilities: None,
            inertia: None,
            decision: Some(decision),
        });
    }
    let (prediction, probabilities) = timed(seconds, "predict", || match (task, in_full) {
        (Task::Density, _) => Ok((Prediction::Numbers(log_densities(model, rows)?), None)),
        (_, true) => inner.predict_both(rows, &mut progress),
        (_, false) => Ok((inner.predict_with(rows, &mut progress)?, None)),
    })?;
    let classes = inner.classes().iter().cloned();
    let probabilities = probabilities.map(|probabilities| probabilities.with_names(classes)).transpose()?;
    let inertia = if in_full { inner.inertia(rows)? } else { None };
    let decision = match (task, in_full) {
        (Task::Outliers, true) => inner
            .decision_function(rows)?
            .map(|decision| decision.as_slice().iter().map(|value| f64::from(*value)).collect()),
        _ => None,
    };
    Ok(Predicted { inputs: inputs.x, prediction, probabilities, inertia, decision })
}

/// Rows where they are worked on. On the CPU that is no copy, and takes no time to report; sparse rows stay on the host.
pub enum Uploaded<'a> {
    Dense(DeviceMatrix),
    Sparse(&'a SparseMatrix),
}

impl<'a> Uploaded<'a> {
    /// The features of a dataset on a device.
    pub fn new(data: &'a Dataset, device: &Device, seconds: &mut Seconds) -> Result<Uploaded<'a>> {
        Ok(match (&data.sparse, device) {
            (Some(sparse), _) => Uploaded::Sparse(sparse),
            (None, Device::Cpu) => Uploaded::Dense(data.x.to(device)?),
            (None, Device::Gpu(_)) => Uploaded::Dense(timed(seconds, "upload", || data.x.to(device))?),
        })
    }

    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        match self {
            Uploaded::Dense(matrix) => matrix.into(),
            Uploaded::Sparse(matrix) => (*matrix).into(),
        }
    }
}

/// Warns of classes of the target that the model was not fitted on: it can never predict them.
pub fn note_unknown_classes(model: &PipelineModel, target: &Target, global: &GlobalArgs) {
    let known = model.model().classes();
    let Ok(labels) = target.labels() else { return };
    let counts = labels.names().iter().zip(labels.counts());
    for (name, count) in counts.filter(|(name, count)| !known.is_empty() && *count > 0 && !known.contains(name)) {
        let near = nearest_name(name, known.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!("; the nearest that it knows is {near:?}"));
        let few = known.iter().take(8).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let known = if near.is_empty() { format!("; it knows {few}") } else { near };
        note(global, &format!("warning: the model does not know the class {name:?} of {count} rows{known}"));
    }
}

/// Refuses sparse rows for what looks at dense ones.
pub fn dense<'a>(data: &'a Dataset, flag: &str) -> CommandResult<&'a Dataset> {
    match data.sparse {
        Some(_) => Err(CliError::Usage(format!("{flag} looks at dense rows: leave it out, or read them with --dense"))),
        None => Ok(data),
    }
}

fn log_densities(model: &PipelineModel, rows: Rows<'_>) -> Result<Matrix> {
    let scores = model
        .model()
        .score_samples(rows)?
        .ok_or_else(|| Error::shape(model.model().kind(), "a density", "a model that gives none"))?;
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
            self.inertia.into_iter().for_each(|inertia| scores.add("inertia", inertia));
        }
        Ok(scores)
    }
}
