//! What both searches share in their tests: the metrics, and each distance in f64 with the error that is allowed.

mod k_nearest;
mod radius_neighbors;

use gristmill::Metric;

use crate::support::EPS;

pub const METRICS: [Metric; 6] = [
    Metric::Euclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski(3.0),
    Metric::Minkowski(1.5),
    Metric::Cosine,
];

pub fn oracle(metric: Metric, a: &[f32], b: &[f32]) -> f64 {
    let differences = || a.iter().zip(b).map(|(a, b)| (*a as f64 - *b as f64).abs());
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| *a as f64 * *b as f64).sum::<f64>();
    match metric {
        Metric::Euclidean => differences().map(|x| x * x).sum::<f64>().sqrt(),
        Metric::Manhattan => differences().sum(),
        Metric::Chebyshev => differences().fold(0.0, f64::max),
        Metric::Minkowski(p) => differences().map(|x| x.powf(p as f64)).sum::<f64>().powf(1.0 / p as f64),
        Metric::Cosine => {
            let norms = (dot(a, a) * dot(b, b)).sqrt();
            if norms == 0.0 { 1.0 } else { (1.0 - dot(a, b) / norms).clamp(0.0, 2.0) }
        }
    }
}

/// The error allowed for a distance over a depth of `d`.
pub fn tolerance(metric: Metric, d: usize, exact: f64) -> f64 {
    let roots = (d as f64).sqrt();
    match metric {
        Metric::Cosine => (24.0 + roots) * EPS,
        Metric::Minkowski(_) => (40.0 + 2.0 * roots) * EPS * exact + 1e-30,
        _ => (6.0 + 2.0 * roots) * EPS * exact,
    }
}
