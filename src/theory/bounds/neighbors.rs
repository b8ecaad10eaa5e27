//! Nearest neighbours: how far their error is from the least possible.

use crate::error::{Error, Result};
use crate::theory::check::{at_least_one, positive, share, zero_or_more};

/// Cover and Hart's bound: with infinitely many rows the nearest neighbour errs at most R*(2 − R*·c/(c − 1)), where R* is
/// the Bayes error and c the number of classes. For two classes that is 2R*(1 − R*).
///
/// Conditions: rows in a separable metric space, their number growing without bound; for finitely many it says nothing.
///
/// ```
/// use gristmill::theory::neighbors;
/// assert!((neighbors::cover_hart(0.1, 2)? - 0.18).abs() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn cover_hart(bayes_error: f64, classes: u64) -> Result<f64> {
    let factor = class_factor(classes)?;
    if share("bayes_error", bayes_error)? * factor > 1.0 + 1e-12 {
        let rule = format!("at most 1 − 1/{classes}, what guessing reaches");
        return Err(Error::param("bayes_error", rule, bayes_error));
    }
    Ok(bayes_error * (2.0 - factor * bayes_error))
}

/// The inverse: the Bayes error is at least (1 − √(1 − R·c/(c − 1)))·(c − 1)/c where the nearest neighbour errs R.
pub fn least_bayes_error(error: f64, classes: u64) -> Result<f64> {
    let factor = class_factor(classes)?;
    if share("error", error)? * factor > 1.0 + 1e-12 {
        return Err(Error::param("error", format!("at most 1 − 1/{classes}, what guessing reaches"), error));
    }
    Ok((1.0 - (1.0 - factor * error).max(0.0).sqrt()) / factor)
}

/// σ² + σ²/k + (f(x) − mean of f at the k neighbours)²: the expected squared error of k nearest neighbours at a point.
///
/// Conditions: targets f(x) plus independent noise of variance σ², neighbours chosen without looking at the targets. The
/// three terms are the noise, the variance and the squared bias (003 §3.3).
pub fn regression_error(noise_variance: f64, neighbors: u64, bias: f64) -> Result<f64> {
    let noise = zero_or_more("noise_variance", noise_variance)?;
    if !bias.is_finite() {
        return Err(Error::param("bias", "finite", bias));
    }
    Ok(noise + noise / at_least_one("neighbors", neighbors)? + bias * bias)
}

/// The k from which on the variance σ²/k is at most `variance`.
pub fn neighbors_for(noise_variance: f64, variance: f64) -> Result<u64> {
    Ok(((zero_or_more("noise_variance", noise_variance)? / positive("variance", variance)?).ceil() as u64).max(1))
}

fn class_factor(classes: u64) -> Result<f64> {
    if classes >= 2 {
        return Ok(classes as f64 / (classes - 1) as f64);
    }
    Err(Error::param("classes", "at least 2", classes))
}
