//! From scores to probabilities: a sigmoid, a rising step function, a temperature.

use serde::{Deserialize, Serialize};

/// Newton steps at most.
const STEPS: usize = 100;

/// What turns the scores of a classifier into probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Calibration {
    /// A curve for each class; one, for the second, where there are two.
    Curves(Vec<Curve>),
    /// The factor of all scores.
    Factor(f64),
}

/// What a score becomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Curve {
    /// 1/(1 + exp(slope·score + shift)).
    Sigmoid { slope: f64, shift: f64 },
    /// Straight lines between points, ascending in both; constant outside.
    Isotonic { scores: Vec<f64>, values: Vec<f64> },
}

impl Curve {
    pub(super) fn value(&self, score: f64) -> f64 {
        match self {
            Curve::Sigmoid { slope, shift } => logistic(-(slope * score + shift)),
            Curve::Isotonic { scores, values } => {
                let after = scores.partition_point(|known| *known <= score);
                match after {
                    0 => values.first().copied().unwrap_or(0.5),
                    at if at == scores.len() => values[at - 1],
                    at => {
                        let share = (score - scores[at - 1]) / (scores[at] - scores[at - 1]);
                        values[at - 1] + share * (values[at] - values[at - 1])
                    }
                }
            }
        }
    }

    /// Whether it can be evaluated: what a file holds is not believed.
    pub(super) fn is_sound(&self) -> bool {
        match self {
            Curve::Sigmoid { slope, shift } => slope.is_finite() && shift.is_finite(),
            Curve::Isotonic { scores, values } => {
                let rising = scores.is_sorted_by(|a, b| a < b) && values.is_sorted();
                rising && !scores.is_empty() && scores.len() == values.len()
            }
        }
    }
}

fn logistic(value: f64) -> f64 {
    match value >= 0.0 {
        true => 1.0 / (1.0 + (-value).exp()),
        false => value.exp() / (1.0 + value.exp()),
    }
}

/// ln(1 + exp(value)).
fn soft_plus(value: f64) -> f64 {
    value.max(0.0) + (-value.abs()).exp().ln_1p()
}

/// A sigmoid of scores for rows of the class (`true`) and of others, by maximum likelihood with Platt's targets, which keep
/// it finite where the classes are apart. Newton's method with halved steps (Lin, Lin and Weng 2007).
pub(super) fn sigmoid(scores: &[f64], of_class: &[bool], weights: &[f64]) -> Curve {
    // Scores of any size: the steps are made on scores of about 1.
    let scale = scores.iter().fold(0.0_f64, |most, score| most.max(score.abs())).max(f64::MIN_POSITIVE);
    let count =
        |wanted: bool| of_class.iter().zip(weights).filter(|(own, _)| **own == wanted).map(|(_, w)| w).sum::<f64>();
    let (positive, negative) = (count(true), count(false));
    let targets = [1.0 / (negative + 2.0), (positive + 1.0) / (positive + 2.0)];
    let rows: Vec<(f64, f64, f64)> = scores
        .iter()
        .zip(of_class)
        .zip(weights)
        .map(|((score, own), weight)| (score / scale, targets[usize::from(*own)], *weight))
        .collect();
    let loss = |a: f64, b: f64| {
        let of = |(score, target, weight): &(f64, f64, f64)| {
            let value = a * score + b;
            weight * (target * value + soft_plus(-value))
        };
        rows.iter().map(of).sum::<f64>()
    };
    let (mut a, mut b) = (0.0, ((negative + 1.0) / (positive + 1.0)).ln());
    let mut now = loss(a, b);
    for _ in 0..STEPS {
        let (mut h, mut g) = ([1e-12, 0.0, 1e-12], [0.0, 0.0]);
        for (score, target, weight) in &rows {
            let p = logistic(-(a * score + b));
            let (curvature, slope) = (weight * p * (1.0 - p), weight * (target - p));
            h = [h[0] + curvature * score * score, h[1] + curvature * score, h[2] + curvature];
            g = [g[0] + slope * score, g[1] + slope];
        }
        if g[0].abs().max(g[1].abs()) < 1e-10 * rows.len() as f64 {
            break;
        }
        let determinant = h[0] * h[2] - h[1] * h[1];
        let step = [-(h[2] * g[0] - h[1] * g[1]) / determinant, -(h[0] * g[1] - h[1] * g[0]) / determinant];
        let downhill = g[0] * step[0] + g[1] * step[1];
        let mut size = 1.0;
        while size > 1e-10 && loss(a + size * step[0], b + size * step[1]) > now + 1e-4 * size * downhill {
            size *= 0.5;
        }
        if size <= 1e-10 {
            break;
        }
        (a, b) = (a + size * step[0], b + size * step[1]);
        now = loss(a, b);
    }
    Curve::Sigmoid { slope: a / scale, shift: b }
}

/// The rising function closest to the classes in squares: neighbours that violate the order are pooled.
pub(super) fn isotonic(scores: &[f64], of_class: &[bool], weights: &[f64]) -> Curve {
    let mut order: Vec<usize> = (0..scores.len()).filter(|row| weights[*row] > 0.0).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    // Pools of rows: first and last score, weight, mean.
    let mut pools: Vec<(f64, f64, f64, f64)> = vec![];
    for row in order {
        let (score, value) = (scores[row], f64::from(u8::from(of_class[row])));
        match pools.last_mut() {
            // Equal scores are one point.
            Some(last) if last.1 == score => {
                last.3 = (last.2 * last.3 + weights[row] * value) / (last.2 + weights[row]);
                last.2 += weights[row];
            }
            _ => pools.push((score, score, weights[row], value)),
        }
    }
    let mut merged: Vec<(f64, f64, f64, f64)> = vec![];
    for pool in pools {
        merged.push(pool);
        while let [.., before, last] = &merged[..]
            && before.3 >= last.3
        {
            let weight = before.2 + last.2;
            let joined = (before.0, last.1, weight, (before.2 * before.3 + last.2 * last.3) / weight);
            merged.truncate(merged.len() - 2);
            merged.push(joined);
        }
    }
    let (mut at, mut values) = (vec![], vec![]);
    for (first, last, _, mean) in merged {
        at.push(first);
        values.push(mean);
        if last > first {
            at.push(last);
            values.push(mean);
        }
    }
    Curve::Isotonic { scores: at, values }
}

/// The factor of scores for which softmax(factor·scores) is the likeliest: 1/temperature. `scores` has k numbers a row.
pub(super) fn temperature(scores: &[f64], k: usize, codes: &[u32], weights: &[f64]) -> f64 {
    // The loss is convex in the factor: its slope, by halving intervals in the logarithm.
    let slope = |factor: f64| {
        let of = |((row, code), weight): ((&[f64], &u32), &f64)| {
            let shares = softmax(row, factor);
            let mean: f64 = shares.iter().zip(row).map(|(share, score)| share * score).sum();
            weight * (mean - row[*code as usize])
        };
        scores.chunks_exact(k).zip(codes).zip(weights).map(of).sum::<f64>()
    };
    let (mut low, mut high) = (-10.0_f64, 10.0_f64);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if slope(middle.exp()) > 0.0 { high = middle } else { low = middle }
    }
    (0.5 * (low + high)).exp()
}

pub(super) fn softmax(row: &[f64], factor: f64) -> Vec<f64> {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = row.iter().map(|score| (factor * (score - most)).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}
