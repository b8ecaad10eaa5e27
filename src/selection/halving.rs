//! Successive halving: many candidates on few rows, the best of them on more.

use super::cross_validate::{CrossValidateOptions, part as rows_and_columns, try_all};
use super::search::{Candidate, Candidates, Combination, GridSearchResult, Search, best, search};
use crate::data::{Dataset, Labels};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, Task};
use crate::pipeline::Pipeline;
use crate::splits::{Folds, shuffled, stratified_train_test_split};

/// The random numbers of the rows of a round.
const STREAM: u32 = 0x4841_4c56;

/// Rows that are enough for a round, however many folds and classes there are.
const MOST_NEEDED: usize = 50;

/// Tries all candidates on a part of the rows, keeps the best third, tries these on three times as many rows, until the
/// last are tried on all (Jamieson and Talwalkar 2016). Costs about one full trial of each candidate per round.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, GridSearch, HalvingSearch};
/// let grid = GridSearch::new(Pipeline::new(KNeighborsClassifier::default()))
///     .parameter("n_neighbors", [1, 2, 3, 5, 8, 13, 21, 34, 55]);
/// let found = HalvingSearch::of(&grid)?.fit(&datasets::digits()?, &Folds::stratified(3))?;
/// let sizes: Vec<usize> = found.rounds.iter().map(|round| round.candidates.len()).collect();
/// assert_eq!((sizes, found.last.candidates.len()), (vec![9], 3)); // nine on a third of the rows, three on all
/// assert!(found.last.best().score().mean > 0.95);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// Folds that name rows, such as groups, cannot be dealt on a part of the rows and are refused.
#[doc(alias = "HalvingGridSearchCV")]
#[derive(Debug, Clone)]
pub struct HalvingSearch {
    pipeline: Pipeline,
    combinations: Vec<Combination>,
    factor: usize,
    min_rows: Option<usize>,
    seed: u64,
}

/// A round on a part of the rows.
#[derive(Debug, Clone)]
pub struct HalvingRound {
    /// How many rows there were, training and test together.
    pub rows: usize,
    /// Every candidate of the round with its scores.
    pub candidates: Vec<Candidate>,
}

/// What successive halving found.
#[derive(Debug)]
pub struct HalvingResult {
    /// The rounds before the last.
    pub rounds: Vec<HalvingRound>,
    /// The last round, on all rows, with the fitted model.
    pub last: GridSearchResult,
}

impl HalvingSearch {
    /// The candidates of a [`GridSearch`](super::GridSearch) or a [`RandomSearch`](super::RandomSearch).
    pub fn of<C: Candidates>(search: &Search<C>) -> Result<HalvingSearch> {
        let (pipeline, combinations) = (search.pipeline.clone(), search.combinations()?);
        Ok(HalvingSearch { pipeline, combinations, factor: 3, min_rows: None, seed: 0 })
    }

    /// Sets the part that is kept, one of so many (2 or more), and by how much the rows grow.
    pub fn factor(mut self, factor: usize) -> HalvingSearch {
        self.factor = factor;
        self
    }

    /// Sets the fewest rows of a round; otherwise two for each fold and class, as in scikit-learn, and 50 at most.
    pub fn min_rows(mut self, min_rows: usize) -> HalvingSearch {
        self.min_rows = Some(min_rows);
        self
    }

    /// Sets the seed by which the rows of a round are drawn.
    pub fn seed(mut self, seed: u64) -> HalvingSearch {
        self.seed = seed;
        self
    }

    /// Searches on the CPU by the task's usual score.
    pub fn fit(&self, data: &Dataset, folds: &Folds) -> Result<HalvingResult> {
        self.fit_with(data, folds, CrossValidateOptions::default())
    }

    /// Searches by other scores, on a device, with weights or an observer of the last round, and fits the best combination
    /// there on all rows.
    pub fn fit_with(&self, data: &Dataset, folds: &Folds, options: CrossValidateOptions<'_>) -> Result<HalvingResult> {
        if self.factor < 2 {
            return Err(Error::param("factor", "at least 2", self.factor));
        }
        let device = options.device.clone().unwrap_or(Device::Cpu);
        let (mut left, mut rounds) = (self.combinations.clone(), vec![]);
        for rows in self.sizes(data, folds)? {
            let part = self.part(data, rows)?;
            let weights =
                options.sample_weight.map(|own| part.iter().filter_map(|row| own.get(*row).copied()).collect());
            let weights: Option<Vec<f32>> = weights;
            let mut round = CrossValidateOptions::default().scoring(options.scoring.clone()).device(&device);
            if let Some(weights) = &weights {
                round = round.sample_weight(weights);
            }
            let estimators: Vec<_> = left.iter().map(|(estimator, _)| estimator.clone()).collect();
            let pairwise = estimators.iter().any(AnyEstimator::is_pairwise);
            let data = rows_and_columns(data, &part, &part, pairwise)?;
            let results = try_all(&self.pipeline, &estimators, &data, folds, round)?;
            let parameters = left.iter().map(|(_, parameters)| parameters.clone());
            let mut candidates: Vec<Candidate> =
                parameters.zip(results).map(|(parameters, result)| Candidate { parameters, result }).collect();
            rounds.push(HalvingRound { rows, candidates: candidates.clone() });
            left = self.kept(left, &mut candidates)?;
        }
        Ok(HalvingResult { rounds, last: search(&self.pipeline, left, data, folds, options)? })
    }

    /// The best part of a round; fewer where not so many could be fitted.
    fn kept(&self, mut left: Vec<Combination>, candidates: &mut Vec<Candidate>) -> Result<Vec<Combination>> {
        let (mut next, wanted) = (vec![], left.len().div_ceil(self.factor));
        while next.len() < wanted {
            match best(candidates) {
                Ok(at) => {
                    candidates.remove(at);
                    next.push(left.remove(at));
                }
                Err(_) if !next.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(next)
    }

    /// The rows of each round before the last.
    fn sizes(&self, data: &Dataset, folds: &Folds) -> Result<Vec<usize>> {
        let classes = self.pipeline.estimator().task() == Task::Classification;
        let labels = if classes { Some(data.labels()?) } else { None };
        let usual = 2 * folds.split(data.rows(), labels)?.len() * labels.map_or(1, Labels::classes);
        let least = self.min_rows.unwrap_or(usual.min(MOST_NEEDED));
        let (mut sizes, mut count, mut share) = (vec![], self.combinations.len(), data.rows() / self.factor);
        while count > self.factor && share >= least {
            sizes.push(share);
            (count, share) = (count.div_ceil(self.factor), share / self.factor);
        }
        sizes.reverse();
        Ok(sizes)
    }

    /// So many rows, with the shares of the classes.
    fn part(&self, data: &Dataset, rows: usize) -> Result<Vec<usize>> {
        if self.pipeline.estimator().task() == Task::Classification {
            let share = rows as f64 / data.rows() as f64;
            return Ok(stratified_train_test_split(data.labels()?, share, self.seed)?.0);
        }
        let mut order = shuffled(data.rows(), self.seed, STREAM);
        order.truncate(rows);
        Ok(order)
    }
}
