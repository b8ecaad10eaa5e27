//! A finite class that need not hold a perfect hypothesis: with probability 1 − δ no hypothesis has an error on new rows
//! that is more than √((ln|H| + ln 1/δ)/2n) above its training error.
//!
//! Conditions: rows are drawn independently from one distribution, the loss is from 0 to 1, and the class is fixed before
//! the rows are seen (003 §4.1, Hoeffding's inequality for each hypothesis and the union bound).

use super::SampleSize;
use crate::error::Result;
use crate::theory::HypothesisCount;
use crate::theory::check::{at_least_one, inside, share};

/// √((ln|H| + ln 1/δ)/2n).
pub fn gap(hypotheses: HypothesisCount, rows: u64, delta: f64) -> Result<f64> {
    Ok(((hypotheses.ln() - inside("delta", delta)?.ln()) / (2.0 * at_least_one("rows", rows)?)).sqrt())
}

/// (ln|H| + ln 1/δ)/2ε²: rows after which the gap is at most ε.
///
/// ```
/// use gristmill::theory::{HypothesisCount, agnostic};
/// assert_eq!(agnostic::sample_size(HypothesisCount::of(1000)?, 0.1, 0.05)?.whole(), 496);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sample_size(hypotheses: HypothesisCount, epsilon: f64, delta: f64) -> Result<SampleSize> {
    let epsilon = inside("epsilon", epsilon)?;
    Ok(SampleSize { exact: (hypotheses.ln() - inside("delta", delta)?.ln()) / (2.0 * epsilon * epsilon) })
}

/// |H|·e^(−2nε²), at most 1: the probability that some hypothesis has a gap above ε.
pub fn delta(hypotheses: HypothesisCount, rows: u64, epsilon: f64) -> Result<f64> {
    let epsilon = share("epsilon", epsilon)?;
    Ok((hypotheses.ln() - 2.0 * at_least_one("rows", rows)? * epsilon * epsilon).exp().min(1.0))
}
