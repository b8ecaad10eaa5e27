//! The least possible error: what is left to the best classifier because the target is random given the row.

use super::check::{inside, zero_or_more};
use crate::error::{Error, Result};

/// Points of a grid over which a density is integrated, at most.
const MOST_CELLS: usize = 1 << 24;

/// The joint probabilities of a row x and its class y, both from finite sets: one line an x, one column a y.
///
/// ```
/// use gristmill::theory::JointTable;
/// let dice = JointTable::two_dice(); // x is the first die, y the sum of both
/// assert!((dice.bayes_error() - 5.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointTable {
    probabilities: Vec<Vec<f64>>,
}

impl JointTable {
    /// Probabilities that are 0 or more and add up to 1 (within 1e-9), each line of the same length.
    pub fn new(probabilities: Vec<Vec<f64>>) -> Result<JointTable> {
        let columns = probabilities.first().map_or(0, Vec::len);
        if columns == 0 || probabilities.iter().any(|line| line.len() != columns) {
            return Err(Error::shape("JointTable", "lines of one length, one class at least", columns));
        }
        let all = || probabilities.iter().flatten();
        all().try_for_each(|probability| zero_or_more("probabilities", *probability).map(drop))?;
        let sum: f64 = all().sum();
        if (sum - 1.0).abs() > 1e-9 {
            return Err(Error::param("probabilities", "such that they add up to 1", sum));
        }
        Ok(JointTable { probabilities })
    }

    /// Two dice: x the first, y the sum. The best guess of the sum is right once in six times.
    pub fn two_dice() -> JointTable {
        let probability = |first: usize, sum: usize| if (1..=6).contains(&(sum - first)) { 1.0 / 36.0 } else { 0.0 };
        let line = |first: usize| (1..=12).map(|sum| if sum > first { probability(first, sum) } else { 0.0 }).collect();
        JointTable { probabilities: (1..=6).map(line).collect() }
    }

    /// The number of different x.
    pub fn rows(&self) -> usize {
        self.probabilities.len()
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.probabilities[0].len()
    }

    /// The most probable class of each x, the lowest of equals: no classifier errs less.
    pub fn bayes_classifier(&self) -> Vec<usize> {
        let best = |line: &Vec<f64>| (1..line.len()).fold(0, |best, at| if line[at] > line[best] { at } else { best });
        self.probabilities.iter().map(best).collect()
    }

    /// Σₓ (P(x) − max_y P(x, y)).
    pub fn bayes_error(&self) -> f64 {
        let excess = |line: &Vec<f64>| line.iter().sum::<f64>() - line.iter().copied().fold(0.0, f64::max);
        self.probabilities.iter().map(excess).sum()
    }

    /// The error of a classifier that gives each x a class.
    pub fn error(&self, classifier: &[usize]) -> Result<f64> {
        if classifier.len() != self.rows() {
            return Err(Error::shape(
                "JointTable::error",
                format!("{} classes, one an x", self.rows()),
                classifier.len(),
            ));
        }
        let right = |(line, class): (&Vec<f64>, &usize)| line.get(*class).copied().unwrap_or(0.0);
        let error = |pair: (&Vec<f64>, &usize)| pair.0.iter().sum::<f64>() - right(pair);
        Ok(self.probabilities.iter().zip(classifier).map(error).sum())
    }
}

/// A density of the rows of one class, times the probability of the class.
pub type Density<'a> = &'a dyn Fn(&[f64]) -> f64;

/// ∫ (p(x) − max_y P(y)p(x|y)) dx over a box, by the midpoint rule with `cells` cells a side: the Bayes error of classes
/// whose densities are known, each times its prior. Costs cells^d evaluations of each.
///
/// ```
/// use gristmill::theory::{bayes_error, normal_cdf};
/// let normal = |x: f64, mean: f64| (-(x - mean) * (x - mean) / 2.0).exp() / std::f64::consts::TAU.sqrt();
/// let left = |x: &[f64]| 0.5 * normal(x[0], -1.0);
/// let right = |x: &[f64]| 0.5 * normal(x[0], 1.0);
/// let error = bayes_error(&[&left, &right], &[(-9.0, 9.0)], 2000)?;
/// assert!((error - normal_cdf(-1.0)).abs() < 1e-6); // Φ(−Δ/2) at distance Δ = 2
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn bayes_error(weighted_densities: &[Density<'_>], sides: &[(f64, f64)], cells: usize) -> Result<f64> {
    let total = u32::try_from(sides.len()).ok().and_then(|power| cells.checked_pow(power));
    let Some(total) = total.filter(|total| (1..=MOST_CELLS).contains(total)) else {
        return Err(Error::param("cells", format!("such that there are from 1 to {MOST_CELLS}"), cells));
    };
    if let Some(side) = sides.iter().find(|(low, high)| !(low < high && low.is_finite() && high.is_finite())) {
        return Err(Error::param("sides", "finite, the lower end first", format!("({}, {})", side.0, side.1)));
    }
    let volume: f64 = sides.iter().map(|(low, high)| (high - low) / cells as f64).product();
    let mut sum = 0.0;
    for cell in 0..total {
        let mut rest = cell;
        let middle = |(low, high): &(f64, f64)| {
            let at = rest % cells;
            rest /= cells;
            low + (high - low) * (at as f64 + 0.5) / cells as f64
        };
        let point: Vec<f64> = sides.iter().map(middle).collect();
        let values = || weighted_densities.iter().map(|density| density(&point));
        sum += values().sum::<f64>() - values().fold(0.0, f64::max);
    }
    Ok(sum * volume)
}

/// The Bayes error of two normal classes with a shared covariance, at Mahalanobis distance Δ and with the first class's
/// prior; Φ(−Δ/2) for equal priors.
pub fn two_gaussians_error(distance: f64, first_prior: f64) -> Result<f64> {
    let (distance, first) = (zero_or_more("distance", distance)?, inside("first_prior", first_prior)?);
    let second = 1.0 - first;
    if distance == 0.0 {
        return Ok(first.min(second));
    }
    // Along the line between the means the classes are N(0, 1) and N(Δ, 1), and meet at this place.
    let meet = distance / 2.0 + (first / second).ln() / distance;
    Ok(first * normal_cdf(-meet) + second * normal_cdf(meet - distance))
}

/// Φ(x): the probability that a standard normal number is at most x, to about 15 digits.
pub fn normal_cdf(x: f64) -> f64 {
    let size = x.abs();
    let density = (-size * size / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let upper = if size < 3.0 {
        // Φ(x) − ½ = φ(x)·(x + x³/3 + x⁵/15 + …), all terms of one sign.
        let (mut term, mut sum, mut odd) = (size, size, 1.0);
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= size * size / odd;
            sum += term;
        }
        0.5 - density * sum
    } else {
        // 1 − Φ(x) = φ(x)/(x + 1/(x + 2/(x + 3/(x + …)))), from the inside out.
        density / (1..=100).rev().fold(size, |inner, at| size + f64::from(at) / inner)
    };
    if x > 0.0 { 1.0 - upper } else { upper }
}
