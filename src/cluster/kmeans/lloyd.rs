//! One search: Lloyd's iterations from given centres, under an observer.

use std::time::Instant;

use super::model::KMeansModel;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::Reporter;
use crate::ops::cluster::center_shift::Outcome;
use crate::ops::cluster::lloyd::Lloyd;

/// Seconds between two looks at the device: a stop is heeded within one of them.
const LOOK: f64 = 0.2;
/// Iterations between two looks at the most.
const MOST_STEPS: usize = 16;

/// How long a search goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) max_iter: usize,
    /// The Σ of squared shifts that ends it.
    pub(super) tolerance: f64,
    /// Its number, and how many there are.
    pub(super) search: usize,
    pub(super) searches: usize,
}

/// The model that a search ends with, and whether the observer asked for no more.
pub(super) fn search(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    start: &Matrix,
    limits: Limits,
    watch: &mut Reporter<'_>,
) -> Result<(KMeansModel, bool)> {
    let mut lloyd = Lloyd::new(stream, x, weights, start)?;
    let (mut iterations, mut steps) = (0, 1);
    let (mut converged, mut settled, mut finished) = (false, false, false);
    while iterations < limits.max_iter && !converged && !finished {
        let begun = Instant::now();
        let made = lloyd.run(stream, steps.min(limits.max_iter - iterations), limits.tolerance)?;
        iterations += made.len();
        let each = begun.elapsed().as_secs_f64() / made.len().max(1) as f64;
        steps = ((LOOK / each.max(1e-9)) as usize).clamp(1, MOST_STEPS);
        match made.last().map(|step| step.outcome) {
            Some(Outcome::Empty) => converged = lloyd.refill(stream)? <= limits.tolerance,
            Some(Outcome::Unchanged) => (converged, settled) = (true, true),
            Some(Outcome::WithinTolerance) => converged = true,
            _ => {}
        }
        let within = iterations as f64 / limits.max_iter as f64;
        let fraction = (limits.search as f64 + within) / limits.searches as f64;
        finished = watch.report(iterations, None, fraction)?;
    }
    let found = lloyd.finish(stream, settled)?;
    let weights = weights.map(|weights| weights.to_vec(stream)).transpose()?;
    Ok((KMeansModel::new(found, weights.as_deref(), iterations, converged), finished))
}
