//! Permutation importance: how much the score of a fitted model drops when the values of a column are permuted.

use super::cross_validate::CrossValidateOptions;
use super::scoring::{Predictions, Scoring};
use super::shared_observer::SharedObserver;
use super::stats::Sample;
use crate::array::Matrix;
use crate::cpu::random::permutation::permutation;
use crate::data::Target;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::Model;

/// What [`permutation_importance`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct PermutationImportance {
    /// The score that was measured.
    pub scoring: Scoring,
    /// Its score on the rows as they are.
    pub score: f64,
    /// For each column, how much worse the score of each repeat was; positive is worse, whatever the score.
    pub losses: Vec<Vec<f64>>,
}

impl PermutationImportance {
    /// Mean and deviation of each column's losses.
    pub fn importances(&self) -> Vec<Sample> {
        self.losses.iter().map(|losses| Sample::of(losses)).collect()
    }

    /// The mean loss of each column.
    pub fn means(&self) -> Vec<f64> {
        self.importances().into_iter().map(|sample| sample.mean).collect()
    }
}

/// Permutes each column of `x` (n×d) `repeats` times and scores the fitted model anew (Breiman 2001).
///
/// Unlike the importances of trees, it suits any model, and on rows that were not fitted it does not favour columns of
/// many values. Correlated columns share their importance, so both may look useless. Columns are permuted in parallel
/// on all cores; the same seed gives the same permutations. Costs d·repeats predictions.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Scoring, permutation_importance};
/// let (train, test) = datasets::iris()?.split(0.7, 1)?;
/// let model = RandomForestClassifier::new(30).fit(&train.x, train.labels()?)?;
/// let found = permutation_importance(&model, &test.x, &test.target, Scoring::Accuracy, 10, 0)?;
/// let means = found.means();
/// assert!(means[2] + means[3] > 0.2 && means[1] < 0.1); // petals, and the width of the sepals
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn permutation_importance(
    model: &dyn Model,
    x: &Matrix,
    target: &Target,
    scoring: Scoring,
    repeats: usize,
    seed: u64,
) -> Result<PermutationImportance> {
    let options = CrossValidateOptions::default().scoring([scoring]);
    permutation_importance_with(model, x, target, repeats, seed, options)
}

/// The same with the options' first score, device and observer: predictions on a GPU run one after the other. Without a
/// score it is accuracy, R² or inertia, as the target suggests.
pub fn permutation_importance_with(
    model: &dyn Model,
    x: &Matrix,
    target: &Target,
    repeats: usize,
    seed: u64,
    options: CrossValidateOptions<'_>,
) -> Result<PermutationImportance> {
    if repeats == 0 {
        return Err(Error::param("repeats", "at least 1", "0"));
    }
    let usual = match target {
        Target::None => Scoring::Inertia,
        Target::Numbers(_) => Scoring::R2,
        Target::Classes(_) | Target::Whole { .. } => Scoring::Accuracy,
    };
    let scoring = options.scoring.first().copied().unwrap_or(usual);
    let device = &options.device.unwrap_or(Device::Cpu);
    let observer = SharedObserver::new("permutation importance", options.observer, x.columns() * repeats);
    let rows = u32::try_from(x.rows()).map_err(|_| Error::Limit {
        what: "permutation_importance: rows".to_string(),
        need: x.rows() as u64,
        have: u64::from(u32::MAX),
    })?;
    let score_of = |x: &Matrix| {
        let with_inertia = scoring == Scoring::Inertia;
        Predictions::of_model(model, (&x.to(device)?).into(), with_inertia)?.score(scoring, target)
    };
    let score = score_of(x)?;
    let of_column = |column: usize| -> Result<Vec<f64>> {
        let values: Vec<f32> = (0..x.rows()).map(|row| x.get(row, column)).collect();
        let mut mixed = x.clone();
        let one = |repeat: usize| {
            let places = permutation(seed, (column * repeats + repeat) as u32, rows);
            let cells = mixed.as_mut_slice().iter_mut().skip(column).step_by(x.columns());
            cells.zip(places).for_each(|(cell, place)| *cell = values[place as usize]);
            observer.stopped()?;
            let permuted = score_of(&mixed)?;
            observer.fit().finish();
            Ok(if scoring.greater_is_better() { score - permuted } else { permuted - score })
        };
        (0..repeats).map(one).collect()
    };
    let losses = device.map(0..x.columns(), of_column)?;
    observer.stopped()?;
    Ok(PermutationImportance { scoring, score, losses })
}
