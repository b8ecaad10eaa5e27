//! Structural risk minimisation: the family with the least bound on its error.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimator::Task;
use crate::metrics;
use crate::pipeline::{Pipeline, PipelineModel};
use crate::theory::vapnik;

/// A family of classifiers of one VC dimension. Families are nested: each holds those before it.
#[derive(Debug, Clone)]
pub struct RiskFamily {
    /// What it is called.
    pub name: String,
    /// Its VC dimension.
    pub dimension: u64,
    /// Its members; the one with the fewest training errors stands for it.
    pub members: Vec<Pipeline>,
}

/// A family's best member, and the bound on its error.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyRisk {
    /// The family's name.
    pub name: String,
    /// Its VC dimension, h.
    pub dimension: u64,
    /// The place of its best member.
    pub member: usize,
    /// The share of training errors of that member.
    pub training_error: f64,
    /// How much the error can be above it: [`vapnik::gap`] with δ over the number of families.
    pub gap: f64,
}

impl FamilyRisk {
    /// What the error does not pass: training error and gap.
    pub fn bound(&self) -> f64 {
        self.training_error + self.gap
    }
}

/// What structural risk minimisation found.
#[derive(Debug)]
pub struct StructuralRisk {
    /// Every family, in the order given.
    pub families: Vec<FamilyRisk>,
    /// The place of the one with the least bound, the first of equals.
    pub best_index: usize,
    /// Its best member, fitted.
    pub model: PipelineModel,
}

/// Fits every member of every family, takes the best of each by training error and of those the one with the least
/// bound (Vapnik; 000 §3.1.5, 004 §1). With probability 1 − δ all bounds hold at once, as δ is shared among the families.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{RiskFamily, structural_risk};
/// let data = datasets::blobs(400, 1, 2, 3)?;
/// let depth = |depth: usize| RiskFamily {
///     name: format!("depth {depth}"),
///     dimension: 1 << depth, // thresholds on one column: as many points as leaves
///     members: vec![Pipeline::new(DecisionTreeClassifier::default().max_depth(depth))],
/// };
/// let found = structural_risk(&[depth(1), depth(3), depth(6)], &data, 0.05)?;
/// assert_eq!(found.families[found.best_index].name, "depth 1"); // the others fit better, and promise less
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn structural_risk(families: &[RiskFamily], data: &Dataset, delta: f64) -> Result<StructuralRisk> {
    let labels = data.labels()?;
    let (mut risks, mut best): (Vec<FamilyRisk>, Option<(f64, usize, PipelineModel)>) = (vec![], None);
    for (place, family) in families.iter().enumerate() {
        let mut chosen: Option<(f64, usize, PipelineModel)> = None;
        for (member, pipeline) in family.members.iter().enumerate() {
            if pipeline.estimator().task() != Task::Classification {
                return Err(Error::param("families", "of classifiers", pipeline.estimator().name()));
            }
            let model = pipeline.fit(data)?;
            let error = 1.0 - metrics::accuracy(labels, model.predict(&data.x)?.classes()?)?;
            if chosen.as_ref().is_none_or(|(least, _, _)| error < *least) {
                chosen = Some((error, member, model));
            }
        }
        let Some((training_error, member, model)) = chosen else {
            return Err(Error::param("families", "with one member at least", format!("{} without", family.name)));
        };
        let gap = vapnik::gap(family.dimension, data.rows() as u64, delta / families.len() as f64)?;
        let risk = FamilyRisk { name: family.name.clone(), dimension: family.dimension, member, training_error, gap };
        if best.as_ref().is_none_or(|(least, _, _)| risk.bound() < *least) {
            best = Some((risk.bound(), place, model));
        }
        risks.push(risk);
    }
    let Some((_, best_index, model)) = best else {
        return Err(Error::param("families", "one at least", "none"));
    };
    Ok(StructuralRisk { families: risks, best_index, model })
}
