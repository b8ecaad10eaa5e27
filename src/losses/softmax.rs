//! The softmax loss of several classes: minus the logarithm of the probability of a row's class.

use std::f32::consts::LOG2_E;

use pulp::Scalar;

use crate::cpu::elementary::exp2;

/// The loss of one row of this class, of `classes`, whose scores `score` gives.
pub fn softmax_value(classes: usize, class: usize, score: impl Fn(usize) -> f64) -> f64 {
    let highest = (0..classes).map(&score).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = (0..classes).map(|class| (score(class) - highest).exp()).sum();
    sum.ln() + highest - score(class)
}

/// The probabilities that the scores of one row stand for, in their place.
pub fn softmax_row(scores: &mut [f32]) {
    let highest = scores.iter().fold(f32::NEG_INFINITY, |highest, score| highest.max(*score));
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp2(Scalar, (*score - highest) * LOG2_E);
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}
