//! Weights of rows that change from round to round.

use crate::cpu::random::HostRng;

/// The random numbers of resampling; each round has the next stream.
const STREAM: u32 = 0x4144_0000;

/// The weights to begin with: those given or all alike, with the sum 1.
pub(super) fn start(rows: usize, given: Option<&[f32]>) -> Vec<f64> {
    let mut weights = match given {
        Some(given) => given.iter().map(|weight| f64::from(*weight)).collect(),
        None => vec![1.0; rows],
    };
    normalise(&mut weights);
    weights
}

/// Brings the sum to 1, added in the order of the rows.
pub(super) fn normalise(weights: &mut [f64]) {
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= total);
    }
}

/// As many rows as there are, drawn in proportion to the weights, in ascending order.
pub(super) fn resample(weights: &[f64], seed: u64, round: usize) -> Vec<usize> {
    let mut sums: Vec<f64> = weights.to_vec();
    for row in 1..sums.len() {
        sums[row] += sums[row - 1];
    }
    let total = sums.last().copied().unwrap_or(0.0);
    let mut rng = HostRng::new(seed, STREAM.wrapping_add(round as u32));
    let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
    let mut rows: Vec<usize> = (0..weights.len())
        .map(|_| {
            let drawn = rng.uniform() * total;
            sums.partition_point(|sum| *sum <= drawn).min(last)
        })
        .collect();
    rows.sort_unstable();
    rows
}

/// The weights as a model takes them, with the mean 1; a row that still counts is not rounded to 0.
pub(super) fn for_fit(weights: &[f64]) -> Vec<f32> {
    let scale = weights.len() as f64;
    let one = |weight: &f64| if *weight > 0.0 { ((weight * scale) as f32).max(f32::MIN_POSITIVE) } else { 0.0 };
    weights.iter().map(one).collect()
}
