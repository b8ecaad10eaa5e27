//! Scores along something: the number of rows, or the values of a parameter.

use serde_json::Value;

use super::cross_validate::{Judge, Told, Trial, cross_validate_with};
use super::folds::Folds;
use super::scoring::Scoring;
use super::split::shuffled;
use super::stats::Sample;
use crate::data::Dataset;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::Task;
use crate::pipeline::Pipeline;

/// The random numbers of learning curves.
const STREAM: u32 = 0x4355_5256;

/// Scores on fitted and on new rows along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What changes: `rows`, or the name of a parameter.
    pub along: String,
    /// Its values as they are written.
    pub labels: Vec<String>,
    /// Its values as numbers; their places, from 0, where they are none.
    pub values: Vec<f64>,
    /// What is measured.
    pub scoring: Scoring,
    /// The scores on the fitted rows at each value, over the folds.
    pub train: Vec<Sample>,
    /// The scores on new rows at each value, over the folds.
    pub test: Vec<Sample>,
}

/// How the scores grow with the number of training rows (lecture notes 003 §3.2): each fold's training rows are
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
    let task = pipeline.estimator().task();
    task.check(&data.target)?;
    let scoring = Scoring::of_task(task)?;
    if let Some(share) = shares.iter().find(|share| !(**share > 0.0 && **share <= 1.0)) {
        let rule = "above 0 and at most 1".to_string();
        return Err(Error::Param { name: "shares", rule, got: share.to_string() });
    }
    let labels = if task == Task::Classification { Some(data.labels()?) } else { None };
    let splits = folds.split(data.x.rows(), labels)?;
    let told = Told::new(None, splits.len() * shares.len());
    let judge = Judge { scoring: &[scoring], train_scores: true, device: &Device::Cpu, told: &told };
    let estimators = [pipeline.estimator().clone()];
    let (mut train, mut test) = (vec![vec![]; shares.len()], vec![vec![]; shares.len()]);
    let mut sizes = vec![0; shares.len()];
    for (number, (rows, rest)) in splits.iter().enumerate() {
        let held_out = data.select(&rest)?;
        let order: Vec<usize> =
            shuffled(rows.len(), number as u64, STREAM).into_iter().map(|place| rows[place]).collect();
        for (at, share) in shares.iter().enumerate() {
            let size = ((share * rows.len() as f64).round() as usize).clamp(1, rows.len());
            sizes[at] = sizes[at].max(size);
            let part = data.select(&order[..size])?;
            let scores = judge.fold(pipeline, &estimators, &part, &held_out)?.remove(0)?;
            train[at].extend(scores.train);
            test[at].extend(scores.test);
        }
    }
    let samples = |scores: Vec<Vec<f64>>| scores.iter().map(|scores| Sample::of(scores)).collect();
    Ok(Curve {
        along: "rows".to_string(),
        labels: sizes.iter().map(usize::to_string).collect(),
        values: sizes.iter().map(|size| *size as f64).collect(),
        scoring,
        train: samples(train),
        test: samples(test),
    })
}

/// How the scores change with a parameter of the model.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, validation_curve};
/// let iris = datasets::iris()?;
/// let pipeline = Pipeline::new(KNeighborsClassifier::default());
/// let curve = validation_curve(&pipeline, &iris, &Folds::stratified(5), "n_neighbors", &[1.into(), 15.into()])?;
/// assert_eq!(curve.train[0].mean, 1.0); // one's own nearest neighbour is oneself
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn validation_curve(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    parameter: &str,
    values: &[Value],
) -> Result<Curve> {
    let scoring = Scoring::of_task(pipeline.estimator().task())?;
    let (mut train, mut test) = (vec![], vec![]);
    for value in values {
        let trial = Trial::default().train_scores(true);
        let found = cross_validate_with(&pipeline.set(parameter, value.clone())?, data, folds, trial)?;
        train.push(Sample::of(&found.train[0]));
        test.push(found.score());
    }
    let written = |value: &Value| match value {
        Value::Null => "none".to_string(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let numbers: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
    let values_or_places = numbers.unwrap_or_else(|| (0..values.len()).map(|place| place as f64).collect());
    let labels = values.iter().map(written).collect();
    Ok(Curve { along: parameter.to_string(), labels, values: values_or_places, scoring, train, test })
}
