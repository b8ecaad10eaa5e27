//! Losses: what a score costs beside its target, its slope and its curvature. They know no estimator.
//!
//! | file | what is in it |
//! |---|---|
//! | `softmax` | the loss of several scores a row, one a class |
//! | `score` | losses of a score and their slopes, row by row, in f64 |
//! | `derivatives` | gradients and Hessians of many rows on all cores |
//! | `constants` | the score of least loss for all rows: means, quantiles, Huber's mean, log-odds |
//!
//! Derivatives are f32 and have the same bits on every device, vector width and number of threads; values are f64.

mod constants;
mod derivatives;
mod score;
mod softmax;

pub use constants::{huber_delta, huber_mean, log_shares, quantile};
pub use derivatives::{Derivatives, LossRows, softmax_derivatives, sum_rows};
pub use score::ScoreLoss;
pub use softmax::{softmax_row, softmax_value};

use std::f32::consts::LOG2_E;

use pulp::Scalar;

use crate::cpu::elementary::exp2;

/// A loss of one score a row.
///
/// ```
/// use gristmill::losses::{Derivatives, Loss, LossRows};
/// let rows = LossRows { scores: &[0.0, 2.0], targets: &[1.0, 1.0], weights: None };
/// let (mut gradients, mut hessians) = ([0.0; 2], [0.0; 2]);
/// Loss::Logistic.derivatives(rows, Derivatives { gradients: &mut gradients, hessians: &mut hessians });
/// assert_eq!((gradients[0], hessians[0]), (-0.5, 0.25)); // p − 1 and p(1 − p)
/// assert!((Loss::Logistic.value(0.0, 1.0) - 2_f64.ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// ½(score − target)².
    Squared,
    /// |score − target|. In place of the second derivative, which is 0, stands 1.
    Absolute,
    /// α(target − score) above the score, (1 − α)(score − target) below. In place of the second derivative stands 1.
    Quantile {
        /// α, above 0 and below 1.
        alpha: f64,
    },
    /// ½r² up to |r| = δ, then δ(|r| − ½δ). In place of the second derivative stands 1.
    Huber {
        /// δ, at least 0.
        delta: f64,
    },
    /// Half the Poisson deviance of the mean e^score.
    Poisson,
    /// ln(1 + e^−score) for target 1, ln(1 + e^score) for target 0.
    Logistic,
    /// e^−score for target 1, e^score for target 0.
    Exponential,
}

impl Loss {
    /// The loss of one row.
    pub fn value(self, score: f64, target: f64) -> f64 {
        let error = target - score;
        let against = || if target > 0.5 { -score } else { score };
        match self {
            Loss::Squared => 0.5 * error * error,
            Loss::Absolute => error.abs(),
            Loss::Quantile { alpha } => (alpha * error).max((alpha - 1.0) * error),
            Loss::Huber { delta } => match error.abs() {
                error if error <= delta => 0.5 * error * error,
                error => delta * (error - 0.5 * delta),
            },
            Loss::Poisson => {
                let known = if target > 0.0 { target * (target.ln() - score) } else { 0.0 };
                known - target + score.exp()
            }
            // ln(1 + eˣ) without overflow.
            Loss::Logistic => against().max(0.0) + (-against().abs()).exp().ln_1p(),
            Loss::Exponential => against().exp(),
        }
    }
}

/// The probability that a score stands for in the logistic loss, 1/(1 + e^−score).
pub fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + exp2(Scalar, score * -LOG2_E))
}
