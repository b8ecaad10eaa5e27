//! One batch: what it does to the centres, and when there have been enough.

use super::{MiniBatchKMeans, MiniBatchKMeansModel};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cluster::clusters::inertia;
use crate::cluster::kmeans::mean_variance;
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::Result;
use crate::ops;

/// A batch and how to treat it.
pub(super) struct Batch<'a> {
    pub(super) x: &'a DeviceMatrix,
    pub(super) weights: Option<&'a [f32]>,
    pub(super) ratio: f64,
}

/// What a batch did.
pub(super) struct Step {
    /// Σ of weighted squared distances over Σ of weights, before the centres moved.
    pub(super) inertia: f64,
    /// Σ of the squared shifts.
    pub(super) shift: f64,
}

/// Moves each centre towards the mean of its rows of the batch, by their share of all rows it has had. On the CPU.
pub(super) fn step(
    stream: &mut Stream,
    batch: &Batch<'_>,
    model: &mut MiniBatchKMeansModel,
    rng: &mut HostRng,
) -> Result<Step> {
    let device = stream.device().clone();
    let centers = model.clusters.centers.to(&device)?;
    let weights = batch.weights.map(|weights| DeviceVec::from_slice(weights, &device)).transpose()?;
    let (labels, distances) = ops::assign(stream, batch.x, &centers)?;
    let (sums, counts) = ops::centroid_sum(stream, batch.x, &labels, weights.as_ref(), &centers)?;
    let (sums, counts) = (sums.to_matrix(stream)?, counts.to_vec(stream)?);
    let inertia = inertia(&distances.to_vec(stream)?, batch.weights);
    let mut shift = 0.0;
    let columns = sums.columns();
    for (cluster, center) in model.clusters.centers.as_mut_slice().chunks_mut(columns).enumerate() {
        if counts[cluster] > 0.0 {
            model.weights[cluster] += f64::from(counts[cluster]);
            for (value, sum) in center.iter_mut().zip(sums.row(cluster)) {
                let moved = (f64::from(*value) + f64::from(*sum) / model.weights[cluster]) as f32;
                shift += f64::from(moved - *value).powi(2);
                *value = moved;
            }
        }
    }
    for (cluster, row) in reassign(stream, batch, model, rng)? {
        model.clusters.centers.as_mut_slice()[cluster * columns..][..columns].copy_from_slice(row.row(0));
    }
    let total = counts.iter().map(|count| f64::from(*count)).sum::<f64>();
    Ok(Step { inertia: inertia / total.max(f64::MIN_POSITIVE), shift })
}

/// Counts the batch, and now and then finds random rows of it for centres that have had hardly any rows, at most half as
/// many as it has: each cluster with its new centre. Their weights are set.
pub(super) fn reassign(
    stream: &mut Stream,
    batch: &Batch<'_>,
    model: &mut MiniBatchKMeansModel,
    rng: &mut HostRng,
) -> Result<Vec<(usize, Matrix)>> {
    model.clusters.iterations += 1;
    model.since_reassignment += batch.x.rows();
    if batch.ratio <= 0.0 || model.since_reassignment < 10 * model.weights.len() {
        return Ok(vec![]);
    }
    model.since_reassignment = 0;
    let heaviest = model.weights.iter().copied().fold(0.0, f64::max);
    let mut light: Vec<usize> = (0..model.weights.len()).collect();
    light.retain(|cluster| model.weights[*cluster] < batch.ratio * heaviest);
    light.sort_by(|a, b| model.weights[*a].total_cmp(&model.weights[*b]).then(a.cmp(b)));
    light.truncate(batch.x.rows() / 2);
    if light.is_empty() {
        return Ok(vec![]);
    }
    let rows = batch.x.rows_at(stream, &rng.distinct(light.len(), batch.x.rows()))?;
    let others = (0..model.weights.len()).filter(|cluster| !light.contains(cluster));
    // As heavy as the lightest of the others, so that it is not moved again at once.
    let weight = others.map(|cluster| model.weights[cluster]).fold(heaviest, f64::min);
    light.iter().for_each(|cluster| model.weights[*cluster] = weight);
    let row = |at: usize| Matrix::from_slice(1, rows.columns(), rows.row(at));
    light.into_iter().enumerate().map(|(at, cluster)| Ok((cluster, row(at)?))).collect()
}

/// Watches smoothed inertia and shift, as scikit-learn does.
pub(super) struct EarlyStopping {
    tolerance: f64,
    max_no_improvement: Option<usize>,
    rows: usize,
    inertia: Option<f64>,
    shift: Option<f64>,
    best: f64,
    waited: usize,
}

impl EarlyStopping {
    pub(super) fn new(stream: &mut Stream, x: &DeviceMatrix, params: &MiniBatchKMeans) -> Result<EarlyStopping> {
        let tolerance = match params.tol {
            0.0 => 0.0,
            tol => tol * mean_variance(stream, x)?,
        };
        let max_no_improvement = params.max_no_improvement;
        let (inertia, shift, best, waited) = (None, None, f64::INFINITY, 0);
        Ok(EarlyStopping { tolerance, max_no_improvement, rows: x.rows(), inertia, shift, best, waited })
    }

    /// Whether this step was the last that is worth it.
    pub(super) fn ends(&mut self, number: usize, step: &Step, batch_rows: usize) -> bool {
        // The first batch scores the start, not the search.
        if number == 0 {
            return false;
        }
        let share = (2.0 * batch_rows as f64 / (self.rows as f64 + 1.0)).min(1.0);
        let smooth = |old: Option<f64>, new: f64| old.map_or(new, |old| old * (1.0 - share) + new * share);
        let (inertia, shift) = (smooth(self.inertia, step.inertia), smooth(self.shift, step.shift));
        (self.inertia, self.shift) = (Some(inertia), Some(shift));
        if self.tolerance > 0.0 && shift <= self.tolerance {
            return true;
        }
        self.waited = if inertia < self.best { 0 } else { self.waited + 1 };
        self.best = self.best.min(inertia);
        self.max_no_improvement.is_some_and(|most| self.waited >= most)
    }
}
