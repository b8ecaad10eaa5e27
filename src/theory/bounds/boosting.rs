//! AdaBoost's training error: after T rounds with weighted errors ε_t = ½ − γ_t it is at most Π 2√(ε_t(1 − ε_t)) ≤
//! exp(−2Σγ_t²), so it falls exponentially with the rounds (002, after algorithm 1).
//!
//! Conditions: two classes, votes ½·ln((1 − ε_t)/ε_t), every ε_t below ½. It bounds the training error only.

use super::SampleSize;
use crate::error::{Error, Result};
use crate::theory::check::inside;

/// Π 2√(ε_t(1 − ε_t)) over the weighted errors of the rounds. A round without error makes it 0.
///
/// ```
/// use gristmill::theory::boosting;
/// let bound = boosting::training_error(&[0.3, 0.2, 0.25])?;
/// assert!((bound - 0.9165151 * 0.8 * 0.8660254).abs() < 1e-7);
/// assert!(bound <= boosting::exponential(&[0.3, 0.2, 0.25])?);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn training_error(errors: &[f64]) -> Result<f64> {
    checked(errors)?;
    Ok(errors.iter().map(|error| 2.0 * (error * (1.0 - error)).sqrt()).product())
}

/// exp(−2Σ(½ − ε_t)²), which is never smaller.
pub fn exponential(errors: &[f64]) -> Result<f64> {
    checked(errors)?;
    Ok((-2.0 * errors.iter().map(|error| (0.5 - error).powi(2)).sum::<f64>()).exp())
}

/// ln(1/ε)/2γ²: the rounds after which a γ-weak learner has a training error of at most ε. With ε below 1/n it has none
/// on n rows.
pub fn rounds(gamma: f64, error: f64) -> Result<SampleSize> {
    if !(gamma > 0.0 && gamma <= 0.5) {
        return Err(Error::param("gamma", "above 0 and at most 0.5", gamma));
    }
    Ok(SampleSize { exact: -inside("error", error)?.ln() / (2.0 * gamma * gamma) })
}

/// The γ that a weak learner needs for a training error of at most ε after `rounds`; refused where it is above ½.
pub fn gamma(rounds: u64, error: f64) -> Result<f64> {
    let gamma = (-inside("error", error)?.ln() / (2.0 * rounds as f64)).sqrt();
    if gamma <= 0.5 { Ok(gamma) } else { Err(Error::param("rounds", "more for so small an error", rounds)) }
}

fn checked(errors: &[f64]) -> Result<()> {
    match errors.iter().find(|error| !(**error >= 0.0 && **error < 0.5)) {
        Some(error) => Err(Error::param("errors", "from 0 to below 0.5", error)),
        None => Ok(()),
    }
}
