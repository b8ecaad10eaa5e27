//! Learning curves and validation curves: scores over the number of rows, or over the values of a parameter.

use serde_json::Value;

use super::cross_validate::{CrossValidateOptions, CrossValidation, FoldRunner, try_all};
use super::scoring::Scoring;
use super::stats::Sample;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, Task};
use crate::pipeline::Pipeline;
use crate::splits::{Folds, shuffled};

/// The random numbers of learning curves.
const STREAM: u32 = 0x4355_5256;

/// Scores on fitted and on new rows along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What changes: `rows`, or the name of a parameter.
    pub along: String,
    /// Its values as they are written.
    pub labels: Vec<String>,
    /// Its values as numbers; their positions, from 0, where they are not numbers.
    pub values: Vec<f64>,
    /// The score.
    pub scoring: Scoring,
    /// The scores on the fitted rows at each value, over the folds.
    pub train: Vec<Sample>,
    /// The scores on new rows at each value, over the folds.
    pub test: Vec<Sample>,
}

impl Curve {
    /// The curve over the values of a parameter. What could not be fitted is left out; if nothing is left, the first
    /// failure is returned.
    pub(super) fn over<'a>(
        parameter: &str,
        found: impl IntoIterator<Item = (&'a Value, &'a Result<CrossValidation>)>,
    ) -> Result<Curve> {
        let (mut values, mut fitted, mut failure) = (vec![], vec![], None);
        for (value, result) in found {
            match result {
                Ok(result) => {
                    values.push(value);
                    fitted.push(result);
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let Some(first) = fitted.first() else { return Err(nothing_fitted(parameter, failure.cloned())) };
        let written = |value: &&Value| match value {
            // As it is written at the shell.
            Value::Null => "none".to_string(),
            Value::String(word) => word.clone(),
            other => other.to_string(),
        };
        let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
        let train = |result: &&CrossValidation| Sample::of(result.train.first().map_or(&[][..], Vec::as_slice));
        Ok(Curve {
            along: parameter.to_string(),
            labels: values.iter().map(written).collect(),
            values: numbers.unwrap_or_else(|| (0..values.len()).map(|place| place as f64).collect()),
            scoring: first.scoring[0],
            train: fitted.iter().map(train).collect(),
            test: fitted.iter().map(|result| result.score()).collect(),
        })
    }
}

/// The error of a curve without a point.
fn nothing_fitted(along: &str, failure: Option<Error>) -> Error {
    failure.unwrap_or_else(|| Error::param("values", "one at least", format!("no value of {along}")))
}

/// How the scores grow with the number of training rows: each fold's training rows are
/// shuffled once, and the first `shares[i]` of them are fitted.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, learning_curve};
/// let iris = datasets::iris()?;
/// let curve = learning_curve(&Pipeline::new(KNeighborsClassifier::new(3)), &iris, &Folds::stratified(5), &[0.2, 1.0])?;
/// assert_eq!(curve.values, [24.0, 120.0]);
/// assert!(curve.test[1].mean > 0.9 && curve.test[1].half_width(0.95)? < 0.1);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn learning_curve(pipeline: &Pipeline, data: &Dataset, folds: &Folds, shares: &[f64]) -> Result<Curve> {
    learning_curve_with(pipeline, data, folds, shares, CrossValidateOptions::default())
}

/// The same by another score, on a device, or with an observer.
///
/// A share that has too few rows to be fitted in every fold is left out; if none is left, its error is returned.
pub fn learning_curve_with(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    shares: &[f64],
    options: CrossValidateOptions<'_>,
) -> Result<Curve> {
    let task = pipeline.estimator().task();
    task.check(&data.target)?;
    if let Some(share) = shares.iter().find(|share| !(**share > 0.0 && **share <= 1.0)) {
        return Err(Error::param("shares", "above 0 and at most 1", share));
    }
    let labels = if task == Task::Classification { Some(data.labels()?) } else { None };
    let splits = folds.split(data.rows(), labels)?;
    let runner = options.train_scores(true).runner(task, data, folds, splits.len() * shares.len())?;
    let mut points = vec![Point::default(); shares.len()];
    for (number, (rows, rest)) in splits.iter().enumerate() {
        let order: Vec<usize> =
            shuffled(rows.len(), number as u64, STREAM).into_iter().map(|place| rows[place]).collect();
        for (share, point) in shares.iter().zip(&mut points) {
            let size = ((share * rows.len() as f64).round() as usize).clamp(1, rows.len());
            point.rows = point.rows.max(size);
            point.add(&runner, pipeline, data, &order[..size], &rest);
            runner.observer.stopped()?;
        }
    }
    let failure = points.iter().find_map(|point| point.failure.clone());
    points.retain(|point| point.failure.is_none());
    if points.is_empty() {
        return Err(nothing_fitted("rows", failure));
    }
    Ok(Curve {
        along: "rows".to_string(),
        labels: points.iter().map(|point| point.rows.to_string()).collect(),
        values: points.iter().map(|point| point.rows as f64).collect(),
        scoring: runner.scoring[0],
        train: points.iter().map(|point| Sample::of(&point.train)).collect(),
        test: points.iter().map(|point| Sample::of(&point.test)).collect(),
    })
}

/// One share of the rows: its scores over the folds so far.
#[derive(Clone, Default)]
struct Point {
    rows: usize,
    train: Vec<f64>,
    test: Vec<f64>,
    failure: Option<Error>,
}

impl Point {
    /// Fits and scores one fold; not after a failure, which is kept.
    fn add(&mut self, runner: &FoldRunner<'_>, pipeline: &Pipeline, data: &Dataset, train: &[usize], test: &[usize]) {
        if self.failure.is_some() {
            return;
        }
        let estimators = [pipeline.estimator().clone()];
        match runner.fold(pipeline, &estimators, data, (train, None), test).and_then(|mut scores| scores.remove(0)) {
            Ok(scores) => {
                self.train.extend(scores.train.first());
                self.test.extend(scores.test.first());
            }
            Err(error) => self.failure = Some(error),
        }
    }
}

/// How the scores change with a parameter of the model.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, validation_curve};
/// let iris = datasets::iris()?;
/// let pipeline = Pipeline::new(KNeighborsClassifier::default());
/// let curve = validation_curve(&pipeline, &iris, &Folds::stratified(5), "n_neighbors", &[1.into(), 15.into()])?;
/// assert_eq!(curve.train[0].mean, 1.0); // each row is its own nearest neighbour
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn validation_curve(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    parameter: &str,
    values: &[Value],
) -> Result<Curve> {
    validation_curve_with(pipeline, data, folds, parameter, values, CrossValidateOptions::default())
}

/// The same by another score, on a device, or with an observer. Values that cannot be fitted are left out; if none is
/// left, the first one's error is returned.
pub fn validation_curve_with(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    parameter: &str,
    values: &[Value],
    options: CrossValidateOptions<'_>,
) -> Result<Curve> {
    let set = |value: &Value| pipeline.estimator().set(parameter, value.clone());
    let estimators: Vec<AnyEstimator> = values.iter().map(set).collect::<Result<_>>()?;
    let found = try_all(pipeline, &estimators, data, folds, options.train_scores(true))?;
    Curve::over(parameter, values.iter().zip(&found))
}
