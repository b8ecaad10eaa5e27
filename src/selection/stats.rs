//! Statistics of a few scores: mean, deviation, confidence interval, and the probability of a count.

use crate::error::{Error, Result};
pub use crate::theory::binomial::at_most as binomial_at_most;

/// Mean and spread of a sample, such as the scores of the folds of a cross-validation.
///
/// ```
/// use gristmill::selection::stats::Sample;
/// let scores = Sample::of(&[0.9, 0.8, 1.0]);
/// assert!((scores.mean - 0.9).abs() < 1e-12 && (scores.deviation - 0.1).abs() < 1e-12);
/// assert!((scores.half_width(0.95)? - 0.248414).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Number of values, n.
    pub count: usize,
    /// Their mean; NaN without values.
    pub mean: f64,
    /// Their standard deviation, (Σ (x − mean)² / (n − 1))^½; 0 for fewer than two values.
    pub deviation: f64,
}

impl std::fmt::Display for Sample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:.4} ± {:.4}", self.mean, self.deviation)
    }
}

impl Sample {
    /// Mean and deviation of `values`, in two passes.
    pub fn of(values: &[f64]) -> Sample {
        Sample { count: values.len(), mean: mean(values), deviation: standard_deviation(values) }
    }

    /// Half the width of the confidence interval of the mean, by Student's t: with probability `confidence` (such as
    /// 0.95) the mean of normally distributed values is within this of `mean`. Infinite for fewer than two values.
    pub fn half_width(&self, confidence: f64) -> Result<f64> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(Error::param("confidence", "between 0 and 1", confidence));
        }
        if self.count < 2 {
            return Ok(f64::INFINITY);
        }
        let quantile = student_t_quantile(0.5 + confidence / 2.0, self.count - 1)?;
        Ok(quantile * self.deviation / (self.count as f64).sqrt())
    }
}

/// The mean; NaN without values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a sample, with n − 1; 0 for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// The number below which a variable of Student's t distribution with `degrees` degrees of freedom is with the
/// probability `probability`, between 0 and 1. Within 1e-9 of itself for probabilities from 1e-4 to 0.9999; O(degrees).
pub fn student_t_quantile(probability: f64, degrees: usize) -> Result<f64> {
    if !(probability > 0.0 && probability < 1.0) {
        return Err(Error::param("probability", "between 0 and 1", probability));
    }
    if degrees == 0 {
        return Err(Error::param("degrees", "at least 1", 0.0));
    }
    if probability == 0.5 {
        return Ok(0.0);
    }
    let upper = probability.max(1.0 - probability);
    // The angle is bounded, so halving it always ends: t = √degrees · tan(angle).
    let (mut low, mut high) = (0.0_f64, std::f64::consts::FRAC_PI_2);
    while high - low > 1e-15 * high {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if 0.5 + student_t_central(middle, degrees) / 2.0 < upper { low = middle } else { high = middle }
    }
    let quantile = (degrees as f64).sqrt() * ((low + high) / 2.0).tan();
    Ok(if probability > 0.5 { quantile } else { -quantile })
}

/// The probability that |t| is below √degrees·tan(angle): a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn student_t_central(angle: f64, degrees: usize) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let square = cosine * cosine;
    let odd = degrees % 2 == 1;
    // cos θ + 2/3·cos³θ + 2·4/(3·5)·cos⁵θ + …, or 1 + 1/2·cos²θ + 1·3/(2·4)·cos⁴θ + …
    let (mut term, mut sum) = if odd { (cosine, cosine) } else { (1.0, 1.0) };
    let mut power = if odd { 3 } else { 2 };
    while power + 2 <= degrees {
        term *= square * (power - 1) as f64 / power as f64;
        sum += term;
        power += 2;
    }
    match (degrees, odd) {
        (1, _) => std::f64::consts::FRAC_2_PI * angle,
        (_, true) => std::f64::consts::FRAC_2_PI * (angle + sine * sum),
        (_, false) => sine * sum,
    }
}
