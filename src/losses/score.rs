//! Losses of one score beside its target and their slopes, in f64: what stochastic gradients need of a row.

use serde::{Deserialize, Serialize};

use super::Loss;

/// A loss of one score a row, for linear models that learn row by row. Targets of classes are −1 and 1.
///
/// ```
/// use gristmill::losses::ScoreLoss;
/// assert_eq!(ScoreLoss::Hinge.value(0.25, 1.0), 0.75);
/// assert_eq!(ScoreLoss::Hinge.slope(0.25, 1.0), -1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreLoss {
    /// max(0, 1 − y·score): the linear support vector machine.
    Hinge,
    /// max(0, 1 − y·score)².
    SquaredHinge,
    /// max(0, −y·score).
    Perceptron,
    /// ln(1 + e^(−y·score)): logistic regression.
    LogLoss,
    /// max(0, 1 − y·score)² above −1, then −4·y·score: squared hinge that outliers do not rule.
    ModifiedHuber,
    /// e^(−y·score).
    Exponential,
    /// ½(score − y)².
    SquaredError,
    /// |score − y|.
    AbsoluteError,
    /// |score − y|^power, with a power of at least 1.
    Minkowski {
        /// The power.
        power: f64,
    },
    /// ½r² up to |r| = epsilon, then epsilon·(|r| − ½epsilon).
    Huber {
        /// Where it becomes linear.
        epsilon: f64,
    },
    /// quantile·(y − score) above the score, (1 − quantile)·(score − y) below.
    Quantile {
        /// Above 0 and below 1.
        quantile: f64,
    },
    /// max(0, |score − y| − epsilon).
    EpsilonInsensitive {
        /// What costs nothing.
        epsilon: f64,
    },
    /// max(0, |score − y| − epsilon)².
    SquaredEpsilonInsensitive {
        /// What costs nothing.
        epsilon: f64,
    },
}

impl ScoreLoss {
    /// The loss of one row.
    #[inline(always)]
    pub fn value(self, score: f64, target: f64) -> f64 {
        let margin = score * target;
        let error = score - target;
        match self {
            ScoreLoss::Hinge => (1.0 - margin).max(0.0),
            ScoreLoss::SquaredHinge => (1.0 - margin).max(0.0).powi(2),
            ScoreLoss::Perceptron => (-margin).max(0.0),
            // ln(1 + e⁻ᵐ) without overflow.
            ScoreLoss::LogLoss => (-margin).max(0.0) + (-margin.abs()).exp().ln_1p(),
            ScoreLoss::ModifiedHuber => match margin < -1.0 {
                true => -4.0 * margin,
                false => (1.0 - margin).max(0.0).powi(2),
            },
            ScoreLoss::Exponential => (-margin).exp(),
            ScoreLoss::SquaredError => 0.5 * error * error,
            ScoreLoss::AbsoluteError => error.abs(),
            ScoreLoss::Minkowski { power } => error.abs().powf(power),
            ScoreLoss::Huber { epsilon } => Loss::Huber { delta: epsilon }.value(score, target),
            ScoreLoss::Quantile { quantile } => Loss::Quantile { alpha: quantile }.value(score, target),
            ScoreLoss::EpsilonInsensitive { epsilon } => (error.abs() - epsilon).max(0.0),
            ScoreLoss::SquaredEpsilonInsensitive { epsilon } => (error.abs() - epsilon).max(0.0).powi(2),
        }
    }

    /// Its derivative by the score; where there are two, one of them.
    #[inline(always)]
    pub fn slope(self, score: f64, target: f64) -> f64 {
        let margin = score * target;
        let error = score - target;
        let step = |inside: f64| if inside > 0.0 { error.signum() } else { 0.0 };
        match self {
            ScoreLoss::Hinge => {
                if margin < 1.0 {
                    -target
                } else {
                    0.0
                }
            }
            ScoreLoss::SquaredHinge => -2.0 * target * (1.0 - margin).max(0.0),
            ScoreLoss::Perceptron => {
                if margin <= 0.0 {
                    -target
                } else {
                    0.0
                }
            }
            ScoreLoss::LogLoss => -target / (1.0 + margin.exp()),
            ScoreLoss::ModifiedHuber => match margin < -1.0 {
                true => -4.0 * target,
                false => -2.0 * target * (1.0 - margin).max(0.0),
            },
            ScoreLoss::Exponential => -target * (-margin).exp(),
            ScoreLoss::SquaredError => error,
            ScoreLoss::AbsoluteError => step(error.abs()),
            ScoreLoss::Minkowski { power } => power * step(error.abs()) * error.abs().powf(power - 1.0),
            ScoreLoss::Huber { epsilon } => error.clamp(-epsilon, epsilon),
            ScoreLoss::Quantile { quantile } => {
                if error > 0.0 {
                    1.0 - quantile
                } else {
                    -quantile
                }
            }
            ScoreLoss::EpsilonInsensitive { epsilon } => step(error.abs() - epsilon),
            ScoreLoss::SquaredEpsilonInsensitive { epsilon } => 2.0 * error.signum() * (error.abs() - epsilon).max(0.0),
        }
    }
}
