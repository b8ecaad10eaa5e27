//! A class of VC dimension h: with probability 1 − δ no hypothesis has an error on new rows that is more than
//! √((h(ln(2N/h) + 1) + ln(4/δ))/N) above its training error (003 equation 54, 004 §1).
//!
//! Conditions: N rows drawn independently from one distribution, 2N ≥ h, and the class, so its dimension, fixed before
//! they are seen. A class of dimension 0 labels every row in one way; the term with h is then 0, its limit.

use super::SampleSize;
use crate::error::{Error, Result};
use crate::theory::check::{at_least_one, falls_to, inside, zero_or_more};

/// √((h(ln(2N/h) + 1) + ln(4/δ))/N). Above 1 it says nothing.
///
/// ```
/// use gristmill::theory::vapnik;
/// assert!((vapnik::gap(3, 1000, 0.05)? - 0.16398).abs() < 5e-6); // lines in the plane
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gap(dimension: u64, rows: u64, delta: f64) -> Result<f64> {
    let rows = enough(dimension, rows)?;
    Ok(square(dimension as f64, rows, inside("delta", delta)?).sqrt())
}

/// The rows after which the gap is at most ε.
pub fn sample_size(dimension: u64, epsilon: f64, delta: f64) -> Result<SampleSize> {
    let (dimension, delta) = (dimension as f64, inside("delta", delta)?);
    let level = inside("epsilon", epsilon)? * epsilon;
    // Falls from N = h/2 on: its derivative is −(h·ln(2N/h) + ln(4/δ))/N².
    let low = (dimension / 2.0).max(f64::MIN_POSITIVE);
    let mut high = low.max(1.0);
    while square(dimension, high, delta) > level {
        high *= 2.0;
    }
    Ok(SampleSize { exact: falls_to(level, (low, high), |rows| square(dimension, rows, delta)) })
}

/// 4·e^(h(ln(2N/h) + 1) − Nε²), at most 1: the probability that some hypothesis has a gap above ε.
pub fn delta(dimension: u64, rows: u64, epsilon: f64) -> Result<f64> {
    let rows = enough(dimension, rows)?;
    let epsilon = zero_or_more("epsilon", epsilon)?;
    Ok((4_f64.ln() + growth(dimension as f64, rows) - rows * epsilon * epsilon).exp().min(1.0))
}

/// h(ln(2N/h) + 1): the logarithm of what the number of labelings of 2N rows cannot pass.
fn growth(dimension: f64, rows: f64) -> f64 {
    if dimension > 0.0 { dimension * ((2.0 * rows / dimension).ln() + 1.0) } else { 0.0 }
}

fn square(dimension: f64, rows: f64, delta: f64) -> f64 {
    (growth(dimension, rows) + (4.0 / delta).ln()) / rows
}

fn enough(dimension: u64, rows: u64) -> Result<f64> {
    if 2.0 * rows as f64 >= dimension as f64 {
        return at_least_one("rows", rows);
    }
    Err(Error::param("rows", format!("at least half the VC dimension, {dimension}"), rows))
}
