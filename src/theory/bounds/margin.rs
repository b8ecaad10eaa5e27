//! Hyperplanes with a margin: of rows within a ball of radius R, those that keep a distance of Δ from every row have a VC
//! dimension of at most min(R²/Δ², d) + 1 (000 §3.2, Vapnik).
//!
//! Conditions: the rows lie in a ball of radius R of a space of d dimensions (infinitely many for a Gaussian kernel), and
//! the margin is asked of all rows. With it a bound of [`vapnik`](super::vapnik) depends on the margin, not on d.

use crate::error::{Error, Result};
use crate::theory::check::positive;

/// min(R²/Δ², d) + 1; `dimensions` is `None` where the space has infinitely many.
///
/// ```
/// use gristmill::theory::margin;
/// assert_eq!(margin::dimension(1.0, 0.25, None)?, 17.0);
/// assert_eq!(margin::dimension(1.0, 0.25, Some(2))?, 3.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn dimension(radius: f64, margin: f64, dimensions: Option<u64>) -> Result<f64> {
    let ratio = positive("radius", radius)? / positive("margin", margin)?;
    Ok((ratio * ratio).min(dimensions.map_or(f64::INFINITY, |dimensions| dimensions as f64)) + 1.0)
}

/// R/√(h − 1): the margin from which on the dimension is at most h, above 1.
pub fn margin(radius: f64, dimension: f64) -> Result<f64> {
    if dimension > 1.0 && dimension.is_finite() {
        return Ok(positive("radius", radius)? / (dimension - 1.0).sqrt());
    }
    Err(Error::param("dimension", "above 1 and finite", dimension))
}
