//! Solutions from an approximate inverse, corrected by residuals in f64.

/// Corrections at most, and when they are small enough.
const MOST_CORRECTIONS: usize = 40;
const SETTLED: f64 = 1e-12;

/// A solution and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Corrected {
    /// The solutions, one after the other.
    pub x: Vec<Vec<f64>>,
    /// The largest ‖b − A·x‖/‖b‖.
    pub residual: f64,
    /// Corrections of the slowest.
    pub corrections: usize,
}

impl Corrected {
    /// Solves A·x = b for each right-hand side until nothing changes; nothing where the corrections do not shrink.
    pub(super) fn solve(
        sides: &[Vec<f64>],
        inverse: impl Fn(&[f64]) -> Vec<f64>,
        multiply: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Option<Corrected> {
        let mut found = Corrected { x: vec![], residual: 0.0, corrections: 0 };
        for b in sides {
            let size = norm(b);
            let mut x = inverse(b);
            let mut before = f64::INFINITY;
            for correction in 0..MOST_CORRECTIONS {
                let product = multiply(&x);
                let rest: Vec<f64> = b.iter().zip(&product).map(|(b, product)| b - product).collect();
                let residual = if size > 0.0 { norm(&rest) / size } else { 0.0 };
                if residual <= SETTLED || (residual <= 1e-9 && residual > 0.5 * before) {
                    found.residual = found.residual.max(residual);
                    found.corrections = found.corrections.max(correction);
                    break;
                }
                if residual.is_nan() || residual > 0.9 * before || correction + 1 == MOST_CORRECTIONS {
                    return None;
                }
                before = residual;
                let step = inverse(&rest);
                x.iter_mut().zip(step).for_each(|(x, step)| *x += step);
            }
            found.x.push(x);
        }
        Some(found)
    }
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
