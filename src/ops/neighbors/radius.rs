//! A radius as the kernels compare it: before the root.

use crate::distance::Metric;
use crate::error::{Error, Result};

/// The root of what the kernels compare.
pub fn root(metric: Metric, value: f32) -> f32 {
    match metric {
        Metric::Euclidean => value.sqrt(),
        Metric::Minkowski(order) => f64::from(value).powf(1.0 / f64::from(order)) as f32,
        _ => value,
    }
}

/// The largest number whose root is within the radius: what the kernels compare with.
pub fn limit(metric: Metric, radius: f32) -> Result<f32> {
    let power = match metric {
        Metric::Euclidean => f64::from(radius).powi(2),
        Metric::Minkowski(order) => f64::from(radius).powf(f64::from(order)),
        _ => f64::from(radius),
    };
    // Powers are held at 2¹²⁷ on a GPU.
    if !(radius >= 0.0 && power < 1.7e38) {
        return Err(Error::param("radius", "at least 0, with a power of the metric's order below 1.7e38", radius));
    }
    let (mut low, mut high) = (0, f32::MAX.to_bits());
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if root(metric, f32::from_bits(middle)) <= radius { low = middle } else { high = middle - 1 }
    }
    Ok(f32::from_bits(low))
}
