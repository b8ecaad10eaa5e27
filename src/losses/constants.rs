//! The constant score of least loss, and what it is made of: medians, quantiles and Huber's mean of weighted numbers,
//! exact and in one order of sums.

use rayon::prelude::*;

use super::{Loss, sum_rows};

/// Probabilities, and means of counts, are kept this far from 0.
const MIN_PROBABILITY: f64 = 1e-7;

/// From so many numbers on a sort takes all cores.
const MANY: usize = 1 << 14;

impl Loss {
    /// Whether only score − target counts.
    pub fn is_of_difference(self) -> bool {
        matches!(self, Loss::Squared | Loss::Absolute | Loss::Quantile { .. } | Loss::Huber { .. })
    }

    /// The score of least loss for all rows together: the mean, a quantile, Huber's mean, the logarithm of the mean, the
    /// log-odds, or half of them.
    pub fn best_constant(self, targets: &[f32], weights: Option<&[f32]>) -> f64 {
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let sum = |value: &(dyn Fn(usize) -> f64 + Sync)| sum_rows(targets.len(), value);
        let mean = || sum(&|row| f64::from(weight(row)) * f64::from(targets[row])) / sum(&|row| f64::from(weight(row)));
        let numbers = || (0..targets.len()).map(|row| (f64::from(targets[row]), weight(row)));
        let log_odds = || {
            let probability = mean().clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
            (probability / (1.0 - probability)).ln()
        };
        match self {
            Loss::Squared => mean(),
            Loss::Absolute => quantile(numbers(), 0.5),
            Loss::Quantile { alpha } => quantile(numbers(), alpha),
            Loss::Huber { delta } => huber_mean(numbers(), delta),
            Loss::Poisson => mean().max(MIN_PROBABILITY).ln(),
            Loss::Logistic => log_odds(),
            Loss::Exponential => 0.5 * log_odds(),
        }
    }
}

/// The logarithm of each class's share of the weights: the scores of least softmax loss for all rows together.
pub fn log_shares(classes: &[u32], count: usize, weights: Option<&[f32]>) -> Vec<f64> {
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let total = sum_rows(classes.len(), weight);
    let of = |class: usize| {
        let own = |row: usize| weight(row) * f64::from(u8::from(classes[row] as usize == class));
        sum_rows(classes.len(), own) / total
    };
    (0..count).map(|class| of(class).max(MIN_PROBABILITY).ln()).collect()
}

/// The smallest number up to which a share of the weights lies; midway to the next where it is met exactly, so that
/// half of the weights is the median. Numbers without weight do not count; 0 where there are none.
///
/// Sums run in the order of the numbers, equal ones in the order given: the same bits however it is sorted.
pub fn quantile(numbers: impl Iterator<Item = (f64, f32)>, share: f64) -> f64 {
    let mut numbers: Vec<(f64, f32)> = numbers.filter(|(_, weight)| *weight > 0.0).collect();
    let Some(&(_, first)) = numbers.first() else { return 0.0 };
    if numbers.iter().all(|(_, weight)| *weight == first) {
        return unweighted(&mut numbers, share);
    }
    sort(&mut numbers);
    let total: f64 = numbers.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let mut sum = 0.0;
    for pair in numbers.windows(2) {
        sum += f64::from(pair[0].1);
        if sum > share * total {
            return pair[0].0;
        }
        if sum == share * total {
            return f64::midpoint(pair[0].0, pair[1].0);
        }
    }
    numbers[numbers.len() - 1].0
}

/// The same where all weigh alike, without a sort.
fn unweighted(numbers: &mut [(f64, f32)], share: f64) -> f64 {
    let wanted = share * numbers.len() as f64;
    let at = (wanted.ceil() as usize).clamp(1, numbers.len()) - 1;
    let (_, &mut (low, _), above) = numbers.select_nth_unstable_by(at, |a, b| a.0.total_cmp(&b.0));
    match above.iter().map(|number| number.0).min_by(f64::total_cmp) {
        Some(high) if wanted == (at + 1) as f64 => f64::midpoint(low, high),
        _ => low,
    }
}

fn sort(numbers: &mut [(f64, f32)]) {
    match numbers.len() {
        0..MANY => numbers.sort_by(|a, b| a.0.total_cmp(&b.0)),
        _ => numbers.par_sort_by(|a, b| a.0.total_cmp(&b.0)),
    }
}

/// Huber's δ: the `share`-quantile of |r|. Where more than that share of the |r| is 0, the smallest above 0, as with a
/// δ of 0 no error would count: the loss is then nearly the absolute one. 0 where all are.
pub fn huber_delta(sizes: impl Iterator<Item = (f64, f32)> + Clone, share: f64) -> f64 {
    let delta = quantile(sizes.clone(), share);
    if delta > 0.0 {
        return delta;
    }
    let above = sizes.filter(|(size, weight)| *size > 0.0 && *weight > 0.0).map(|(size, _)| size);
    above.min_by(f64::total_cmp).unwrap_or(0.0)
}

/// The c of least Σ w·Huber(r − c): where the r − c, held within ±δ, add up to 0.
pub fn huber_mean(numbers: impl Iterator<Item = (f64, f32)>, delta: f64) -> f64 {
    let mut numbers: Vec<(f64, f32)> = numbers.filter(|(_, weight)| *weight > 0.0).collect();
    if numbers.is_empty() || delta <= 0.0 {
        return quantile(numbers.into_iter(), 0.5);
    }
    sort(&mut numbers);
    // Σ of the weights and of weight·number up to each place.
    let mut sums = vec![[0.0; 2]];
    for (at, (number, weight)) in numbers.iter().enumerate() {
        let weight = f64::from(*weight);
        sums.push([sums[at][0] + weight, sums[at][1] + weight * number]);
    }
    let last = sums[numbers.len()];
    let pull = |centre: f64| {
        let low = numbers.partition_point(|(number, _)| *number < centre - delta);
        let high = numbers.partition_point(|(number, _)| *number <= centre + delta);
        let middle = [sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]];
        middle[1] - middle[0] * centre + delta * (last[0] - sums[high][0] - sums[low][0])
    };
    let (mut low, mut high) = (numbers[0].0, numbers[numbers.len() - 1].0);
    // Halves until no number lies between.
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if pull(middle) > 0.0 { low = middle } else { high = middle }
    }
}
