//! The normal distribution: shares and quantiles.

use std::f64::consts::{PI, SQRT_2};

/// Beyond so many deviations the share is 0 or 1 in f64.
const FAR: f64 = 8.3;

/// The density at `x`.
fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The share of the distribution below `x`, to 1e-15: ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …).
pub(super) fn normal_share(x: f64) -> f64 {
    if x.abs() > FAR {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut number) = (x, x, 1.0);
    while term.abs() > f64::EPSILON * sum.abs() {
        number += 2.0;
        term *= x * x / number;
        sum += term;
    }
    0.5 + density(x) * sum
}

/// The number below which a share lies, 0 < share < 1: Newton's steps from a start that is right to a few percent.
pub(super) fn normal_quantile(share: f64) -> f64 {
    let tail = share.min(1.0 - share);
    let far = (-2.0 * tail.ln()).sqrt();
    // Of small tails t the quantile is about √(−2·ln(t·√(2π)·far)); near ½ it is a straight line.
    let mut x = match tail {
        0.2.. => (tail - 0.5) * (2.0 * PI).sqrt(),
        _ => -(far - (far * (2.0 * PI).sqrt()).ln() / far),
    };
    for _ in 0..20 {
        let step = (normal_share(x) - tail) / density(x);
        // Half of Newton's correction to the second order keeps far starts from overshooting.
        let step = step / (1.0 + step * x / 2.0).max(0.5);
        x -= step;
        if step.abs() < 1e-14 * SQRT_2 {
            break;
        }
    }
    if share > 0.5 { -x } else { x }
}
