//! What a search would take.

use super::search::{Candidates, Search};
use crate::clock::Instant;
use crate::data::Dataset;
use crate::error::Result;
use crate::estimator::Task;
use crate::splits::Folds;

/// What a search is expected to take, from a few fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchCost {
    /// Fits in all: candidates times folds, and the last one on all rows.
    pub fits: usize,
    /// The mean of the fits that were measured, on the training rows of the first fold.
    pub seconds_per_fit: f64,
    /// Fits that run side by side.
    pub threads: usize,
}

impl SearchCost {
    /// The seconds of the whole search, scoring apart.
    pub fn seconds(&self) -> f64 {
        (self.fits - 1) as f64 * self.seconds_per_fit / self.threads as f64 + self.seconds_per_fit
    }
}

impl<C: Candidates> Search<C> {
    /// Fits the first, the middle and the last candidate on the training rows of the first fold and counts the rest:
    /// 100,000 fits of a second each are 28 hours, which is good to know before. A candidate that cannot be fitted
    /// counts as nothing.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::selection::{Folds, GridSearch};
    /// let search = GridSearch::new(Pipeline::new(Ridge::new(1.0))).parameter("alpha", [0.1, 1.0, 10.0]);
    /// let cost = search.estimate(&datasets::diabetes()?, &Folds::k_fold(5))?;
    /// assert!(cost.fits == 16 && cost.seconds() < 10.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn estimate(&self, data: &Dataset, folds: &Folds) -> Result<SearchCost> {
        let combinations = self.combinations()?;
        let classes = self.pipeline.estimator().task() == Task::Classification;
        let splits = folds.split(data.rows(), if classes { Some(data.labels()?) } else { None })?;
        let train = data.select(&splits.get(0).unwrap_or_default().0)?;
        let mut places = vec![0, combinations.len() / 2, combinations.len() - 1];
        places.dedup();
        let mut seconds = 0.0;
        for place in &places {
            let pipeline = self.pipeline.clone().with_estimator(combinations[*place].0.clone());
            let begun = Instant::now();
            if pipeline.fit(&train).is_ok() {
                seconds += begun.elapsed().as_secs_f64();
            }
        }
        let fits = combinations.len() * splits.len() + 1;
        let threads = rayon::current_num_threads().min(combinations.len() * splits.len()).max(1);
        Ok(SearchCost { fits, seconds_per_fit: seconds / places.len() as f64, threads })
    }
}
