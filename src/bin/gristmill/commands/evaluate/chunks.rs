//! Scores of a file that is read in chunks: predictions and targets are kept, the rows are not.

use gristmill::estimator::Prediction;
use gristmill::prelude::*;
use gristmill::{Labels, Target};

use super::{EvaluateArgs, targets};
use crate::arguments::{GlobalArgs, SavedModel, check_target};
use crate::report::{CliError, CommandResult, Predicted, Report, predict, timed};

/// Codes of classes whose names came chunk by chunk.
#[derive(Default)]
struct Classes {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Classes {
    fn add(&mut self, labels: &Labels) {
        let mut place = vec![];
        for name in labels.names() {
            let known = self.names.iter().position(|known| known == name);
            place.push(known.unwrap_or_else(|| {
                self.names.push(name.clone());
                self.names.len() - 1
            }) as u32);
        }
        self.codes.extend(labels.codes().iter().map(|code| place[*code as usize]));
    }

    /// The classes in the order of their names, as where all rows are read at once.
    fn labels(self) -> Result<Labels> {
        let names: Vec<&str> = self.codes.iter().map(|code| self.names[*code as usize].as_str()).collect();
        Ok(Labels::from_names(&names))
    }
}

/// What was predicted of all chunks, and what was to be.
#[derive(Default)]
struct Seen {
    classes: Classes,
    numbers: Vec<f32>,
    outputs: usize,
    predicted: Vec<Prediction>,
    probabilities: Vec<f32>,
    with_probabilities: bool,
    inertia: Option<f64>,
    decision: Vec<f64>,
}

impl Seen {
    fn add(&mut self, target: &Target, predicted: Predicted) -> Result<()> {
        match (&predicted.prediction, target) {
            (_, Target::None) => {}
            (Prediction::Numbers(_), _) => {
                let values = target.values()?;
                self.outputs = values.columns();
                self.numbers.extend_from_slice(values.as_slice());
            }
            _ => self.classes.add(target.labels()?),
        }
        if let Some(probabilities) = &predicted.probabilities {
            self.with_probabilities = true;
            self.probabilities.extend_from_slice(probabilities.as_slice());
        }
        self.inertia = predicted.inertia.map(|own| own + self.inertia.unwrap_or(0.0)).or(self.inertia);
        self.decision.extend(predicted.decision.unwrap_or_default());
        self.predicted.push(predicted.prediction);
        Ok(())
    }
}

/// The predictions of all chunks as one; they are of one kind.
fn joined(parts: &[Prediction]) -> Result<Option<Prediction>> {
    fn of<'a, T: ?Sized>(
        parts: &'a [Prediction],
        part: impl Fn(&'a Prediction) -> Result<&'a T>,
    ) -> Result<Vec<&'a T>> {
        parts.iter().map(part).collect()
    }
    let Some(last) = parts.last() else { return Ok(None) };
    Ok(Some(match last {
        Prediction::Classes(labels) => {
            let codes = of(parts, Prediction::classes)?.iter().flat_map(|part| part.codes()).copied().collect();
            labels.with_codes(codes)?.into()
        }
        Prediction::Numbers(numbers) => {
            let values: Vec<f32> =
                of(parts, Prediction::numbers)?.iter().flat_map(|part| part.as_slice()).copied().collect();
            Matrix::from_vec(values.len() / numbers.columns(), numbers.columns(), values)?.into()
        }
        Prediction::Clusters(_) => of(parts, Prediction::clusters)?.concat().into(),
        Prediction::Outliers(_) => of(parts, Prediction::outliers)?.concat().into(),
    }))
}

/// Predicts chunk by chunk; the rows of the dataset have no columns.
pub fn predict_chunks(
    args: &EvaluateArgs,
    global: &GlobalArgs,
    saved: &SavedModel,
    device: &Device,
    rows: usize,
    report: &mut Report,
) -> CommandResult<(Dataset, Predicted)> {
    if args.target.labels.is_some() {
        return Err(CliError::Usage(
            "--labels needs all rows at once, and --chunk-rows reads some at a time".to_string(),
        ));
    }
    let mut chunks = saved.columns.chunks(&args.data, targets(args, saved), rows)?;
    let mut seen = Seen::default();
    while let Some(chunk) = timed(&mut report.seconds, "load", || chunks.next()).transpose()? {
        let chunk = saved.align(chunk)?;
        if saved.task.needs_target() || !matches!(chunk.target, Target::None) {
            check_target(saved.name(), saved.task, &chunk.target)?;
        }
        report.rows += chunk.rows();
        report.columns = chunk.columns();
        let predicted = predict(&saved.model, &chunk, true, device, global, &mut report.seconds)?;
        seen.add(&chunk.target, predicted)?;
    }
    let Some(prediction) = joined(&seen.predicted)? else {
        let (path, why) =
            (args.data.display().to_string(), "there are no rows of data; expected one at least".to_string());
        return Err(CliError::Run(Error::Data { path, line: None, column: None, why }));
    };
    let count = prediction.len();
    let target = match (seen.classes.codes.is_empty(), seen.outputs) {
        (false, _) => Target::Classes(seen.classes.labels()?),
        (true, 0) => Target::None,
        (true, outputs) => Target::Numbers(Matrix::from_vec(count, outputs, seen.numbers)?),
    };
    let classes = saved.model.model().classes();
    let probabilities = match seen.with_probabilities {
        true => {
            let matrix = Matrix::from_vec(count, classes.len(), seen.probabilities)?;
            Some(matrix.with_names(classes.iter().cloned())?)
        }
        false => None,
    };
    let decision = (!seen.decision.is_empty()).then_some(seen.decision);
    let inputs = Matrix::zeros(count, 0)?;
    let data = Dataset::new(inputs.clone(), target)?;
    Ok((data, Predicted { inputs, prediction, probabilities, inertia: seen.inertia, decision }))
}
