//! Rows that make every hypothesis without a training error nearly right, for a class of VC dimension h:
//! N ≥ (4·log₂(2/δ) + 8h·log₂(13/ε))/ε (003 equation 53; Blumer, Ehrenfeucht, Haussler and Warmuth, 1989).
//!
//! Conditions: rows drawn independently from one distribution, a hypothesis of the class is always right, and the chosen
//! one has no training error. ε and δ are strictly between 0 and 1.

use super::SampleSize;
use crate::error::{Error, Result};
use crate::theory::check::{at_least_one, falls_to, inside};

/// (4·log₂(2/δ) + 8h·log₂(13/ε))/ε.
///
/// ```
/// use gristmill::theory::pac;
/// assert_eq!(pac::sample_size(3, 0.1, 0.05)?.whole(), 1899);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sample_size(dimension: u64, epsilon: f64, delta: f64) -> Result<SampleSize> {
    Ok(SampleSize { exact: needed(dimension, inside("epsilon", epsilon)?, inside("delta", delta)?) })
}

/// The ε for which so many rows are enough. Refused where they are not enough for any ε below 1.
pub fn gap(dimension: u64, rows: u64, delta: f64) -> Result<f64> {
    let (rows, delta) = (at_least_one("rows", rows)?, inside("delta", delta)?);
    let least = needed(dimension, 1.0, delta);
    if rows <= least {
        return Err(Error::param("rows", format!("above {least:.0}, below which the bound says nothing"), rows));
    }
    Ok(falls_to(rows, (f64::MIN_POSITIVE, 1.0), |epsilon| needed(dimension, epsilon, delta)))
}

/// 2·2^(−(εN − 8h·log₂(13/ε))/4), at most 1: the δ for which so many rows are enough.
pub fn delta(dimension: u64, rows: u64, epsilon: f64) -> Result<f64> {
    let epsilon = inside("epsilon", epsilon)?;
    let left = epsilon * at_least_one("rows", rows)? - 8.0 * dimension as f64 * (13.0 / epsilon).log2();
    Ok((1.0 - left / 4.0).exp2().min(1.0))
}

fn needed(dimension: u64, epsilon: f64, delta: f64) -> f64 {
    (4.0 * (2.0 / delta).log2() + 8.0 * dimension as f64 * (13.0 / epsilon).log2()) / epsilon
}
