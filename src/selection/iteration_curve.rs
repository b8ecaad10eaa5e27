//! Losses over the iterations of a fit, on every fold.

use super::stats::Sample;
use crate::data::{Dataset, Target};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Task};
use crate::pipeline::Pipeline;
use crate::plot::Figure;
use crate::splits::Folds;

/// Losses after each iteration, over the folds: how long to train.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationCurve {
    /// The loss on fitted rows after each iteration; empty for models that do not report it.
    pub train: Vec<Sample>,
    /// The loss on the rows of the other fold.
    pub validation: Vec<Sample>,
}

impl IterationCurve {
    /// The number of iterations with the least mean validation loss, the fewest of equals.
    pub fn best(&self) -> usize {
        let mean = |at: usize| self.validation[at].mean;
        (1..self.validation.len()).fold(0, |best, at| if mean(at) < mean(best) { at } else { best }) + 1
    }

    /// The curves with bands of one standard deviation; of many iterations every so many are drawn.
    pub fn figure(&self) -> Figure {
        let every = self.validation.len().div_ceil(400).max(1);
        let mut figure = Figure::new().title("Loss over iterations").x_label("iteration").y_label("loss");
        for (name, samples) in [("fitted rows", &self.train), ("new rows", &self.validation)] {
            if samples.is_empty() {
                continue;
            }
            let points = || samples.iter().enumerate().step_by(every).map(|(at, sample)| ((at + 1) as f64, sample));
            let band =
                points().map(|(at, sample)| (at, sample.mean - sample.deviation, sample.mean + sample.deviation));
            figure = figure.band(band).line(name, points().map(|(at, sample)| (at, sample.mean)));
        }
        figure
    }
}

/// Fits each fold once, with its other rows for validation, and gathers what the model reports after each iteration: one
/// fit a fold for the whole curve, where [`validation_curve`](super::validation_curve) over the parameter needs one for
/// every value. Only for models that report a validation loss: boosting, and others that are trained step by step.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, iteration_curve};
/// let pipeline = Pipeline::new(GradientBoostingRegressor::default().n_estimators(60).learning_rate(0.3));
/// let curve = iteration_curve(&pipeline, &datasets::diabetes()?, &Folds::k_fold(4))?;
/// assert!(curve.validation.len() == 60 && curve.best() < 60); // it overfits before the end
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// Where folds stop early after different numbers of iterations, the curve is as long as the shortest.
pub fn iteration_curve(pipeline: &Pipeline, data: &Dataset, folds: &Folds) -> Result<IterationCurve> {
    let task = pipeline.estimator().task();
    task.check(&data.target)?;
    let labels = if task == Task::Classification { Some(data.labels()?) } else { None };
    let splits = folds.split(data.rows(), labels)?;
    let fold = |number: usize| -> Result<(Vec<f64>, Vec<f64>)> {
        let (train, test) = splits.get(number).unwrap_or_default();
        let prepared = pipeline.prepare(&data.select(&train)?)?;
        let test = prepared.prepare(&data.select(&test)?)?;
        let fit = match &test.target {
            Target::Classes(labels) => Fit::default().validation(&test.x, labels),
            _ => Fit::default().validation(&test.x, test.values()?),
        };
        let report = prepared.fit_on(&Device::Cpu, fit)?.model().report();
        let validation = report.curve("validation_loss").to_vec();
        if validation.is_empty() {
            let name = pipeline.estimator().name();
            let rule = "one that reports a validation loss after each iteration; a parameter has a validation curve";
            return Err(Error::param("model", rule, name));
        }
        Ok((report.curve("train_loss").to_vec(), validation))
    };
    let curves = Device::Cpu.map(0..splits.len(), fold)?;
    let gather = |parts: Vec<&Vec<f64>>| {
        let length = parts.iter().map(|part| part.len()).min().unwrap_or(0);
        (0..length).map(|at| Sample::of(&parts.iter().map(|part| part[at]).collect::<Vec<_>>())).collect()
    };
    let (train, validation) = curves.iter().map(|(train, validation)| (train, validation)).unzip();
    Ok(IterationCurve { train: gather(train), validation: gather(validation) })
}
