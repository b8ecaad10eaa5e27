//! The best parameters among given ones.

use serde_json::Value;

use super::cross_validate::{CrossValidateOptions, CrossValidation, try_all};
use super::curves::Curve;
use crate::data::Dataset;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, Fit};
use crate::pipeline::{Pipeline, PipelineModel};
use crate::splits::Folds;

/// Tries every combination of parameters on every fold, and fits the best one on all rows.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, GridSearch};
/// let iris = datasets::iris()?;
/// let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default()))
///     .parameter("n_neighbors", [1, 5, 15])
///     .parameter("weights", ["uniform", "distance"]);
/// let found = search.fit(&iris, &Folds::stratified(5))?;
/// assert_eq!(found.candidates.len(), 6);
/// assert!(found.best().to_string().starts_with("n_neighbors="), "{}", found.best()); // …, weights=uniform: 0.98 ± 0.01
/// let predicted = found.model.predict(&iris.x)?;
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "GridSearchCV")]
#[derive(Debug, Clone)]
pub struct GridSearch {
    pipeline: Pipeline,
    grid: Vec<(String, Vec<Value>)>,
}

/// Parameters that are set, by name.
type Parameters = Vec<(String, Value)>;

/// An estimator, and what was set to make it.
pub(super) type Combination = (AnyEstimator, Parameters);

/// One combination of parameters and how it did.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The parameters that were set.
    pub parameters: Vec<(String, Value)>,
    /// Its scores, or why it could not be fitted.
    pub result: Result<CrossValidation>,
}

impl Candidate {
    /// Mean and deviation of the first score on test rows; NaN for a candidate that could not be fitted.
    pub fn score(&self) -> super::stats::Sample {
        self.result.as_ref().map_or_else(|_| super::stats::Sample::of(&[]), CrossValidation::score)
    }
}

/// `n_neighbors=5, weights=uniform: 0.9733 ± 0.0149`, or why it could not be fitted.
impl std::fmt::Display for Candidate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |value: &Value| match (value.as_str(), value.as_f64()) {
            (Some(text), _) => text.to_string(),
            // A number that was drawn has more digits than anyone reads.
            (None, Some(number)) if value.is_f64() && number != 0.0 => short(number),
            _ => value.to_string(),
        };
        let set: Vec<String> = self.parameters.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
        write!(formatter, "{}: ", set.join(", "))?;
        match &self.result {
            Ok(found) => {
                let name = found.scoring.first().map_or("", |scoring| scoring.name());
                write!(formatter, "{name} {}", found.score())
            }
            Err(error) => error.fmt(formatter),
        }
    }
}

/// A number with four digits, in as few characters as it takes.
fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.3e}").parse().unwrap_or(number);
    if (1e-4..1e6).contains(&rounded.abs()) { rounded.to_string() } else { format!("{rounded:e}") }
}

/// What a search found.
#[derive(Debug)]
pub struct GridSearchResult {
    /// Every combination, the last parameter changing fastest.
    pub candidates: Vec<Candidate>,
    /// The place of the best one among them: the first of equally good ones.
    pub best_index: usize,
    /// The best one, fitted on all rows.
    pub model: PipelineModel,
}

impl GridSearchResult {
    /// The best combination.
    pub fn best(&self) -> &Candidate {
        &self.candidates[self.best_index]
    }

    /// The scores of a search over one parameter as a curve, without fitting anything again. The search needs
    /// [`CrossValidateOptions::train_scores`]; values that could not be fitted are left out.
    pub fn curve(&self) -> Result<Curve> {
        let mut found = vec![];
        for Candidate { parameters, result } in &self.candidates {
            let [(_, value)] = &parameters[..] else { return Err(no_curve("a search over one parameter")) };
            if result.as_ref().is_ok_and(|result| result.train.is_empty()) {
                return Err(no_curve("a search with CrossValidateOptions::train_scores"));
            }
            found.push((value, result));
        }
        let name = self.best().parameters.first().map_or("", |(name, _)| name);
        Curve::over(name, found)
    }
}

impl GridSearch {
    /// A search over no parameters yet: it tries the pipeline as it is.
    pub fn new(pipeline: Pipeline) -> GridSearch {
        GridSearch { pipeline, grid: vec![] }
    }

    /// Adds a parameter of the model with the values to try; `estimator.max_depth` is one of an estimator inside.
    pub fn parameter<V: Into<Value>>(mut self, name: &str, values: impl IntoIterator<Item = V>) -> GridSearch {
        self.grid.push((name.to_string(), values.into_iter().map(Into::into).collect()));
        self
    }

    /// Refuses parameters that the model does not have and values of the wrong type, before any work.
    pub fn check(&self) -> Result<()> {
        self.combinations().map(drop)
    }

    /// Searches on the CPU by the task's usual score.
    pub fn fit(&self, data: &Dataset, folds: &Folds) -> Result<GridSearchResult> {
        self.fit_with(data, folds, CrossValidateOptions::default())
    }

    /// Searches by other scores, on a device, with weights or an observer, and fits the best combination there. A
    /// combination that cannot be fitted is passed over; if none can, the first one's error is returned.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default())).parameter("n_neighbors", [1, 5]);
    /// let options = CrossValidateOptions::default().scoring([Scoring::LogLoss]); // or Scoring::custom, one of your own
    /// let found = search.fit_with(&datasets::iris()?, &Folds::stratified(5), options)?;
    /// assert_eq!(found.best().parameters[0].1, 5);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn fit_with(
        &self,
        data: &Dataset,
        folds: &Folds,
        options: CrossValidateOptions<'_>,
    ) -> Result<GridSearchResult> {
        search(&self.pipeline, self.combinations()?, data, folds, options)
    }

    pub(super) fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Every combination of the values, the last parameter changing fastest.
    pub(super) fn combinations(&self) -> Result<Vec<Combination>> {
        let mut found = vec![(self.pipeline.estimator().clone(), vec![])];
        for (name, values) in &self.grid {
            if values.is_empty() {
                return Err(Error::param("grid", "parameters with a value at least", format!("no value for {name}")));
            }
            let mut next = Vec::with_capacity(found.len() * values.len());
            for (estimator, parameters) in &found {
                for value in values {
                    let mut parameters: Parameters = Vec::clone(parameters);
                    parameters.push((name.clone(), value.clone()));
                    next.push((estimator.set(name, value.clone())?, parameters));
                }
            }
            found = next;
        }
        Ok(found)
    }
}

/// Tries every combination on every fold, and fits the best one on all rows. A combination that cannot be fitted is passed
/// over; if none can, the first one's error is returned.
pub(super) fn search(
    pipeline: &Pipeline,
    combinations: Vec<Combination>,
    data: &Dataset,
    folds: &Folds,
    options: CrossValidateOptions<'_>,
) -> Result<GridSearchResult> {
    let CrossValidateOptions { scoring, extra, train_scores, sample_weight, device, mut observer } = options;
    let device = device.unwrap_or(Device::Cpu);
    let estimators: Vec<AnyEstimator> = combinations.iter().map(|(estimator, _)| estimator.clone()).collect();
    let mut options =
        CrossValidateOptions { scoring, extra, train_scores, sample_weight, ..CrossValidateOptions::default() };
    if let Some(observer) = &mut observer {
        options = options.observer(&mut **observer);
    }
    let results = try_all(pipeline, &estimators, data, folds, options.device(&device))?;
    let parameters = combinations.into_iter().map(|(_, parameters)| parameters);
    let candidates: Vec<Candidate> =
        parameters.zip(results).map(|(parameters, result)| Candidate { parameters, result }).collect();
    let best_index = best(&candidates)?;
    let chosen = Pipeline::clone(pipeline).with_estimator(estimators[best_index].clone());
    let fit = sample_weight.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
    let fit = match observer {
        Some(observer) => fit.observer(observer),
        None => fit,
    };
    let model = chosen.fit_on(&device, data, fit)?;
    Ok(GridSearchResult { candidates, best_index, model })
}

fn no_curve(rule: &str) -> Error {
    Error::param("curve", format!("asked of {rule}"), "another search")
}

/// The first of the best candidates; those that failed do not count.
pub(super) fn best(candidates: &[Candidate]) -> Result<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, candidate) in candidates.iter().enumerate() {
        let Ok(result) = &candidate.result else { continue };
        let sign = if result.scoring[0].greater_is_better() { 1.0 } else { -1.0 };
        let score = sign * result.score().mean;
        if best.is_none_or(|(_, found)| score > found) {
            best = Some((at, score));
        }
    }
    match (best, candidates.first().map(|candidate| &candidate.result)) {
        (Some((at, _)), _) => Ok(at),
        (None, Some(Err(error))) => Err(error.clone()),
        (None, _) => Err(Error::param("grid", "not empty", "nothing")),
    }
}
