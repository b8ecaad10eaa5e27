//! Rows of probabilities.

use crate::error::{Error, Result};

/// How far a row may be from a sum of 1.
const SUM_TOLERANCE: f64 = 1e-6;

/// Refuses a row that is no distribution over so many outcomes, with its place.
pub(super) fn check_distribution<'a>(
    place: &str,
    outcomes: usize,
    row: impl ExactSizeIterator<Item = &'a f64>,
) -> Result<()> {
    let refused = |why: String| Err(Error::Process { place: place.to_string(), why });
    if row.len() != outcomes {
        return refused(format!("{} probabilities for {outcomes} outcomes; give one for each", row.len()));
    }
    let mut sum = 0.0;
    for value in row {
        if !(0.0..=1.0).contains(value) {
            return refused(format!("{value} is no probability; each is from 0 to 1"));
        }
        sum += value;
    }
    match (sum - 1.0_f64).abs() <= SUM_TOLERANCE {
        true => Ok(()),
        false => refused(format!("the probabilities sum to {sum:.9}, not to 1; divide them by their sum")),
    }
}

/// The index at a share of weights, whatever their sum; none where all are 0.
pub(super) fn drawn<'a>(weights: impl Iterator<Item = &'a f64> + Clone, uniform: f64) -> Option<usize> {
    let mut left = uniform * weights.clone().sum::<f64>();
    let mut last = None;
    for (at, weight) in weights.enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = Some(at);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}
