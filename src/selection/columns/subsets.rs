//! Subsets of columns for least squares, one of each size.

use super::branch_and_bound::best_of_each_size;
use super::criteria::{Criterion, SubsetFit};
use super::system::NormalSystem;
use crate::data::Dataset;
use crate::error::{Error, Result};

/// Columns up to which [`best_subset`] searches.
const MOST_COLUMNS: usize = 30;

/// Columns, and how well least squares with a constant fits with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Subset {
    /// Their places, ascending.
    pub columns: Vec<usize>,
    /// What the criteria are computed from.
    pub fit: SubsetFit,
}

impl Subset {
    /// The value of a criterion.
    pub fn criterion(&self, criterion: Criterion) -> f64 {
        criterion.of(&self.fit)
    }
}

/// A subset of each size, the empty one first.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetPath {
    /// `subsets[k]` has k columns.
    pub subsets: Vec<Subset>,
}

impl SubsetPath {
    /// The best size by a criterion, the smallest of equals.
    pub fn best(&self, criterion: Criterion) -> &Subset {
        let sign = if criterion.greater_is_better() { -1.0 } else { 1.0 };
        let value = |at: usize| sign * self.subsets[at].criterion(criterion);
        &self.subsets[(1..self.subsets.len()).fold(0, |best, at| if value(at) < value(best) { at } else { best })]
    }

    fn of(system: &NormalSystem, sets: Vec<Vec<usize>>) -> Result<SubsetPath> {
        let noise_variance = system.noise_variance()?;
        let subset = |mut columns: Vec<usize>| {
            columns.sort_unstable();
            let residual = system.residual(&columns)?;
            let (rows, total) = (system.rows, system.total);
            Ok(Subset { fit: SubsetFit { rows, columns: columns.len(), residual, total, noise_variance }, columns })
        };
        Ok(SubsetPath { subsets: sets.into_iter().map(subset).collect::<Result<_>>()? })
    }
}

/// For every number of columns those with the least residual sum of squares: the same as looking at all 2^M subsets, by
/// branch and bound in f64. Up to 30 columns, one target, more rows than columns.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Criterion, best_subset};
/// let path = best_subset(&datasets::diabetes()?)?;
/// let names = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"];
/// let chosen: Vec<&str> = path.best(Criterion::Bic).columns.iter().map(|column| names[*column]).collect();
/// assert_eq!(chosen, ["sex", "bmi", "bp", "s3", "s5"]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "leaps")]
pub fn best_subset(data: &Dataset) -> Result<SubsetPath> {
    if data.columns() > MOST_COLUMNS {
        let rule = format!("at most {MOST_COLUMNS} for an exact search; forward_subsets takes any number");
        return Err(Error::param("columns", rule, data.columns()));
    }
    let system = NormalSystem::of(data)?;
    SubsetPath::of(&system, best_of_each_size(&system)?)
}

/// Starts with no column and adds the one that lowers the residual sum of squares most, until all are in.
pub fn forward_subsets(data: &Dataset) -> Result<SubsetPath> {
    let system = NormalSystem::of(data)?;
    let (mut chosen, mut sets) = (vec![], vec![vec![]]);
    while chosen.len() < system.columns() {
        let others = (0..system.columns()).filter(|column| !chosen.contains(column));
        chosen = least(&system, others.map(|column| [&chosen[..], &[column]].concat()))?;
        sets.push(chosen.clone());
    }
    SubsetPath::of(&system, sets)
}

/// Starts with all columns and drops the one that raises the residual sum of squares least, until none is left.
pub fn backward_subsets(data: &Dataset) -> Result<SubsetPath> {
    let system = NormalSystem::of(data)?;
    let mut chosen: Vec<usize> = (0..system.columns()).collect();
    let mut sets = vec![chosen.clone()];
    while !chosen.is_empty() {
        let without = |dropped: &usize| chosen.iter().copied().filter(|column| column != dropped).collect();
        chosen = least(&system, chosen.iter().map(without))?;
        sets.push(chosen.clone());
    }
    sets.reverse();
    SubsetPath::of(&system, sets)
}

/// The set with the least residual, the first of equals.
fn least(system: &NormalSystem, sets: impl Iterator<Item = Vec<usize>>) -> Result<Vec<usize>> {
    let mut best: Option<(f64, Vec<usize>)> = None;
    for set in sets {
        let residual = system.residual(&set)?;
        if best.as_ref().is_none_or(|(least, _)| residual < *least) {
            best = Some((residual, set));
        }
    }
    Ok(best.map(|(_, set)| set).unwrap_or_default())
}
