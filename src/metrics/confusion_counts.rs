//! Targets and predictions under one list of classes, and what most scores need of them: three sums for each class.

use std::collections::{HashMap, HashSet};

use super::check::{Weighted, Weights, same_rows};
use crate::data::Labels;
use crate::error::Result;

/// Targets and predictions as codes into one list of classes, each of which has a row somewhere.
pub(super) struct Matched {
    pub(super) classes: Vec<String>,
    pub(super) truth: Vec<u32>,
    pub(super) predicted: Vec<u32>,
}

impl Matched {
    /// Classes keep the order of the longer list of names; those that only the other list has come last.
    pub(super) fn new(op: &'static str, y: &Labels, predicted: &Labels) -> Result<Matched> {
        same_rows(op, y.len(), predicted.len())?;
        let (long, short) = if predicted.classes() > y.classes() { (predicted, y) } else { (y, predicted) };
        let occurring: HashSet<&str> = occurring(y).chain(self::occurring(predicted)).collect();
        let mut codes: HashMap<&str, u32> = HashMap::new();
        let mut classes = vec![];
        for name in long.names().iter().chain(short.names()) {
            if occurring.contains(name.as_str()) && !codes.contains_key(name.as_str()) {
                codes.insert(name, classes.len() as u32);
                classes.push(name.clone());
            }
        }
        let recode = |labels: &Labels| -> Vec<u32> {
            // A name without rows has no code, and none is asked for.
            let table: Vec<u32> =
                labels.names().iter().map(|name| codes.get(name.as_str()).copied().unwrap_or(0)).collect();
            labels.codes().iter().map(|code| table[*code as usize]).collect()
        };
        let (truth, predicted) = (recode(y), recode(predicted));
        Ok(Matched { classes, truth, predicted })
    }

    /// (target, prediction) of each row.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.truth.iter().zip(&self.predicted).map(|(truth, predicted)| (*truth as usize, *predicted as usize))
    }
}

/// The names that a row has.
fn occurring(labels: &Labels) -> impl Iterator<Item = &str> {
    labels.names().iter().zip(labels.counts()).filter(|(_, count)| *count > 0).map(|(name, _)| name.as_str())
}

/// Sums of weights by class: never the k×k table, which a target with many distinct values would blow up.
pub(super) struct ConfusionCounts {
    pub(super) classes: Vec<String>,
    /// Rows that are of the class and were predicted so.
    pub(super) hits: Vec<f64>,
    /// Rows that are of the class.
    pub(super) truth: Vec<f64>,
    /// Rows predicted to be of the class.
    pub(super) predicted: Vec<f64>,
    pub(super) total: f64,
}

impl ConfusionCounts {
    pub(super) fn new(op: &'static str, y: Weighted<'_, Labels>, predicted: &Labels) -> Result<ConfusionCounts> {
        let Weighted { y, weights } = y;
        let matched = Matched::new(op, y, predicted)?;
        let weights = Weights::new(op, y.len(), weights)?;
        let zeros = vec![0.0; matched.classes.len()];
        let (mut hits, mut truth_sums, mut predicted_sums) = (zeros.clone(), zeros.clone(), zeros);
        for (row, (truth, predicted)) in matched.pairs().enumerate() {
            let weight = weights.at(row);
            truth_sums[truth] += weight;
            predicted_sums[predicted] += weight;
            if truth == predicted {
                hits[truth] += weight;
            }
        }
        let classes = matched.classes;
        Ok(ConfusionCounts { classes, hits, truth: truth_sums, predicted: predicted_sums, total: weights.total })
    }

    pub(super) fn accuracy(&self) -> f64 {
        self.hits.iter().sum::<f64>() / self.total
    }
}

/// `part / whole`, 0 where there is nothing to divide by.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}
