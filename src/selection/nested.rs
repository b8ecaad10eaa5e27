//! Nested cross-validation: the score of a search, not of its best candidate.

use serde_json::Value;

use super::cross_validate::{CrossValidateOptions, part};
use super::scoring::{Predictions, Scoring};
use super::search::{Candidates, Search};
use super::stats::Sample;
use crate::data::Dataset;
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{OwnedRows, Task};
use crate::splits::Folds;

/// What a search scores on rows that had no part in it.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedCrossValidation {
    /// The score.
    pub scoring: Scoring,
    /// On each outer fold: the score of the model that the search chose there.
    pub outer: Vec<f64>,
    /// On each outer fold: the mean score of that candidate on the inner folds, which is too good on average.
    pub inner: Vec<f64>,
    /// On each outer fold: the parameters that were chosen.
    pub chosen: Vec<Vec<(String, Value)>>,
}

impl NestedCrossValidation {
    /// Mean and deviation over the outer folds.
    pub fn score(&self) -> Sample {
        Sample::of(&self.outer)
    }
}

/// Searches within the training rows of each outer fold, and scores what was chosen on the rest. The best mean of a
/// search is a biased score, as it was chosen for being high; this one is not (Cawley and Talbot 2010).
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, GridSearch, nested_cross_validate};
/// let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default())).parameter("n_neighbors", [1, 5, 15]);
/// let folds = (Folds::stratified(4), Folds::stratified(3));
/// let found = nested_cross_validate(&search, &datasets::iris()?, &folds.0, &folds.1, None)?;
/// assert!(found.outer.len() == 4 && found.score().mean > 0.9);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn nested_cross_validate<C: Candidates>(
    search: &Search<C>,
    data: &Dataset,
    outer: &Folds,
    inner: &Folds,
    scoring: Option<Scoring>,
) -> Result<NestedCrossValidation> {
    let task = search.pipeline.estimator().task();
    let scoring = scoring.map_or_else(|| Scoring::of_task(task), Ok)?;
    let labels = if task == Task::Classification { Some(data.labels()?) } else { None };
    let splits = outer.split(data.rows(), labels)?;
    let mut found = NestedCrossValidation { scoring, outer: vec![], inner: vec![], chosen: vec![] };
    for (train, test) in splits.iter() {
        let options = CrossValidateOptions::default().scoring([scoring]);
        let pairwise = search.pipeline.estimator().is_pairwise();
        let chosen = search.fit_with(&part(data, &train, &train, pairwise)?, inner, options)?;
        let test = part(data, &test, &train, pairwise)?;
        let rows = OwnedRows::on(&Device::Cpu, &test)?;
        let predictions = Predictions::of_model(&chosen.model, rows.rows(), scoring == Scoring::Inertia)?;
        found.outer.push(predictions.score(scoring, &test.target)?);
        found.inner.push(chosen.best().score().mean);
        found.chosen.push(chosen.best().parameters.clone());
    }
    Ok(found)
}
