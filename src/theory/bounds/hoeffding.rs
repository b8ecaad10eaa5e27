//! Hoeffding's inequality: the mean of n independent numbers from 0 to 1 is more than ε below its expectation with a
//! probability of at most e^(−2nε²).
//!
//! Conditions: the numbers are independent and from 0 to 1, such as the errors of one model on rows that had no part in
//! choosing it. It is [`agnostic`](super::agnostic) with a class of one.

use super::{SampleSize, agnostic};
use crate::error::Result;
use crate::theory::HypothesisCount;

/// √(ln(1/δ)/2n): with probability 1 − δ the expectation is at most this above the mean.
pub fn gap(rows: u64, delta: f64) -> Result<f64> {
    agnostic::gap(HypothesisCount::ONE, rows, delta)
}

/// ln(1/δ)/2ε²: rows after which the gap is at most ε.
pub fn sample_size(epsilon: f64, delta: f64) -> Result<SampleSize> {
    agnostic::sample_size(HypothesisCount::ONE, epsilon, delta)
}

/// e^(−2nε²): the probability of a gap above ε is not larger.
///
/// ```
/// use gristmill::theory::hoeffding;
/// assert!((hoeffding::delta(100, 0.1)? - (-2.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn delta(rows: u64, epsilon: f64) -> Result<f64> {
    agnostic::delta(HypothesisCount::ONE, rows, epsilon)
}
