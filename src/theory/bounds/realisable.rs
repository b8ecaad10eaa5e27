//! A finite class that holds a perfect hypothesis: with probability 1 − δ every hypothesis without a training error has
//! an error of at most ln(|H|/δ)/n on new rows.
//!
//! Conditions: rows are drawn independently from one distribution, the class is fixed before they are seen, some
//! hypothesis of it is always right, and the chosen one is right on all n rows (003 §4.1, 001 §2.4, 000 §6.4.4).

use super::SampleSize;
use crate::error::Result;
use crate::theory::HypothesisCount;
use crate::theory::check::{at_least_one, inside, share};

/// ln(|H|/δ)/n: what the error of a hypothesis without training errors does not pass. Above 1 it says nothing.
pub fn gap(hypotheses: HypothesisCount, rows: u64, delta: f64) -> Result<f64> {
    Ok((hypotheses.ln() - inside("delta", delta)?.ln()) / at_least_one("rows", rows)?)
}

/// ln(|H|/δ)/ε: rows after which the error is at most ε with probability 1 − δ.
///
/// ```
/// use gristmill::theory::{HypothesisCount, realisable};
/// let rows = realisable::sample_size(HypothesisCount::conjunctions(10), 0.1, 0.05)?;
/// assert!((rows.exact - 139.82).abs() < 5e-3);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sample_size(hypotheses: HypothesisCount, epsilon: f64, delta: f64) -> Result<SampleSize> {
    Ok(SampleSize { exact: (hypotheses.ln() - inside("delta", delta)?.ln()) / inside("epsilon", epsilon)? })
}

/// |H|·e^(−εn), at most 1: the probability that some hypothesis with an error above ε has no training error.
pub fn delta(hypotheses: HypothesisCount, rows: u64, epsilon: f64) -> Result<f64> {
    Ok((hypotheses.ln() - share("epsilon", epsilon)? * at_least_one("rows", rows)?).exp().min(1.0))
}
