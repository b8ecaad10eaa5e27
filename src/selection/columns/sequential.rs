//! Columns for any estimator, chosen one at a time by cross-validation.

use super::super::cross_validate::{CrossValidateOptions, CrossValidation, cross_validate_with};
use super::super::permutation::permutation_importance_with;
use super::super::scoring::Scoring;
use super::super::stats::Sample;
use crate::data::Dataset;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::Fit;
use crate::pipeline::Pipeline;
use crate::splits::Folds;

/// How often each column is permuted for a model that reports no importances.
const REPEATS: usize = 5;

/// Columns, and the score of a model with them.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnStep {
    /// Their places, in the order in which they were chosen, or ascending.
    pub columns: Vec<usize>,
    /// The scores on new rows, over the folds.
    pub score: Sample,
}

/// One step for each number of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPath {
    /// The steps, fewest columns first.
    pub steps: Vec<ColumnStep>,
    /// The score that decided.
    pub scoring: Scoring,
}

impl ColumnPath {
    /// The step with the best mean score, the fewest columns of equals.
    pub fn best(&self) -> &ColumnStep {
        let sign = if self.scoring.greater_is_better() { 1.0 } else { -1.0 };
        let value = |at: usize| sign * self.steps[at].score.mean;
        &self.steps[(1..self.steps.len()).fold(0, |best, at| if value(at) > value(best) { at } else { best })]
    }

    /// The fewest columns whose mean is within one standard error of the best: the one-standard-error rule.
    pub fn smallest_within_one_error(&self) -> &ColumnStep {
        let best = self.best();
        let error = best.score.deviation / (best.score.count.max(1) as f64).sqrt();
        let near = |step: &&ColumnStep| (step.score.mean - best.score.mean).abs() <= error;
        self.steps.iter().find(near).unwrap_or(best)
    }
}

/// What the three searches share: data, folds, and what is scored.
struct Scorer<'a> {
    pipeline: &'a Pipeline,
    data: &'a Dataset,
    folds: &'a Folds,
    scoring: Scoring,
    device: Device,
}

impl<'a> Scorer<'a> {
    fn new(
        pipeline: &'a Pipeline,
        data: &'a Dataset,
        folds: &'a Folds,
        options: &CrossValidateOptions<'_>,
    ) -> Result<Scorer<'a>> {
        if data.columns() == 0 || data.sparse.is_some() {
            return Err(Error::shape("column selection", "dense rows with one column at least", "others"));
        }
        let scoring = match options.scoring.first() {
            Some(scoring) => *scoring,
            None => Scoring::of_task(pipeline.estimator().task())?,
        };
        let device = options.device.clone().unwrap_or(Device::Cpu);
        Ok(Scorer { pipeline, data, folds, scoring, device })
    }

    fn with_columns(&self, columns: &[usize]) -> Result<Dataset> {
        let mut columns = columns.to_vec();
        columns.sort_unstable();
        Dataset::new(self.data.x.select_columns(&columns)?, self.data.target.clone())
    }

    fn score(&self, columns: &[usize]) -> Result<Sample> {
        let options = CrossValidateOptions::default().scoring([self.scoring]).device(&self.device);
        let found: CrossValidation =
            cross_validate_with(self.pipeline, &self.with_columns(columns)?, self.folds, options)?;
        Ok(found.score())
    }

    /// The best of several sets, the first of equals.
    fn best(&self, sets: impl Iterator<Item = Vec<usize>>) -> Result<Option<ColumnStep>> {
        let sign = if self.scoring.greater_is_better() { 1.0 } else { -1.0 };
        let mut best: Option<ColumnStep> = None;
        for columns in sets {
            let score = self.score(&columns)?;
            if best.as_ref().is_none_or(|step| sign * score.mean > sign * step.score.mean) {
                best = Some(ColumnStep { columns, score });
            }
        }
        Ok(best)
    }

    /// How much each column matters to the model fitted on all rows: what it reports, or else how much worse the score is
    /// when the column is permuted.
    fn importances(&self, columns: &[usize]) -> Result<Vec<f64>> {
        let data = self.with_columns(columns)?;
        let model = self.pipeline.fit_on(&self.device, &data, Fit::default())?;
        let reported = model.model().report();
        if let Some(array) = reported.array("importances").filter(|array| array.values.len() == columns.len()) {
            return Ok(array.values.clone());
        }
        let options = CrossValidateOptions::default().scoring([self.scoring]).device(&self.device);
        Ok(permutation_importance_with(&model, &data.x, &data.target, REPEATS, 0, options)?.means())
    }

    fn path(self, mut steps: Vec<ColumnStep>) -> ColumnPath {
        steps.sort_by_key(|step| step.columns.len());
        ColumnPath { steps, scoring: self.scoring }
    }
}

/// Starts with no column and adds the one with the best cross-validated score, up to `most` columns. Costs about d·most
/// cross-validations.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, forward_selection};
/// let iris = datasets::iris()?;
/// let pipeline = Pipeline::new(KNeighborsClassifier::new(5));
/// let path = forward_selection(&pipeline, &iris, &Folds::stratified(5), 2, Default::default())?;
/// assert!(path.steps[0].columns[0] >= 2); // the petals say most
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "SequentialFeatureSelector")]
pub fn forward_selection(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    most: usize,
    options: CrossValidateOptions<'_>,
) -> Result<ColumnPath> {
    let scorer = Scorer::new(pipeline, data, folds, &options)?;
    let (mut chosen, mut steps): (Vec<usize>, Vec<ColumnStep>) = (vec![], vec![]);
    for _ in 0..checked(most, data)? {
        let others = (0..data.columns()).filter(|column| !chosen.contains(column));
        let sets = others.map(|column| [&chosen[..], &[column]].concat());
        let Some(step) = scorer.best(sets)? else { break };
        chosen.clone_from(&step.columns);
        steps.push(step);
    }
    Ok(scorer.path(steps))
}

/// Starts with all columns and drops the one without which the cross-validated score is best, down to `fewest`. Costs
/// about d² − fewest² cross-validations, over two.
pub fn backward_elimination(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    fewest: usize,
    options: CrossValidateOptions<'_>,
) -> Result<ColumnPath> {
    eliminate(Scorer::new(pipeline, data, folds, &options)?, fewest, |scorer, chosen| {
        let without = |dropped: &usize| chosen.iter().copied().filter(|column| column != dropped).collect();
        scorer.best(chosen.iter().map(without))
    })
}

/// Fits all columns, drops the one that matters least to the model, and again, down to `fewest`; every step is
/// cross-validated. What matters is the model's own importances, or else what its score loses when a column is permuted.
/// Costs d − fewest fits and cross-validations.
#[doc(alias = "RFECV")]
pub fn recursive_elimination(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    fewest: usize,
    options: CrossValidateOptions<'_>,
) -> Result<ColumnPath> {
    eliminate(Scorer::new(pipeline, data, folds, &options)?, fewest, |scorer, chosen| {
        let importances = scorer.importances(chosen)?;
        // The last of equals goes, so that the first columns stay.
        let least =
            (1..chosen.len()).fold(0, |least, at| if importances[at] <= importances[least] { at } else { least });
        let mut columns = chosen.to_vec();
        columns.remove(least);
        Ok(Some(ColumnStep { score: scorer.score(&columns)?, columns }))
    })
}

/// From all columns down to `fewest`, by what drops one of those that are left.
fn eliminate(
    scorer: Scorer<'_>,
    fewest: usize,
    drop_one: impl Fn(&Scorer<'_>, &[usize]) -> Result<Option<ColumnStep>>,
) -> Result<ColumnPath> {
    let fewest = checked(fewest, scorer.data)?;
    let mut chosen: Vec<usize> = (0..scorer.data.columns()).collect();
    let mut steps = vec![ColumnStep { score: scorer.score(&chosen)?, columns: chosen.clone() }];
    while chosen.len() > fewest {
        let Some(step) = drop_one(&scorer, &chosen)? else { break };
        chosen.clone_from(&step.columns);
        steps.push(step);
    }
    Ok(scorer.path(steps))
}

fn checked(columns: usize, data: &Dataset) -> Result<usize> {
    if (1..=data.columns()).contains(&columns) {
        return Ok(columns);
    }
    Err(Error::param("columns", format!("from 1 to {}", data.columns()), columns))
}
