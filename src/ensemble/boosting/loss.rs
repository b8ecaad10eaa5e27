//! The losses that boosting minimises.

use serde::{Deserialize, Serialize};

use crate::losses::Loss;

/// The loss of numbers; r is target − prediction. Names are scikit-learn's.
///
/// For the absolute, Huber and quantile losses the leaves' values are those that minimise the loss of the leaf's
/// rows (Friedman 2001), not Newton's steps; `l1_regularization` and `l2_regularization` then only count in splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegressionLoss {
    /// r²: predicts means.
    #[default]
    SquaredError,
    /// |r|: predicts medians, untouched by outliers.
    AbsoluteError,
    /// ½r² up to |r| = δ, then δ(|r| − ½δ): between the two. δ is the `alpha`-quantile of |r|, anew in every round, and
    /// where that is 0 the smallest |r| above 0; validation losses keep the δ of the first, so that rounds compare.
    Huber,
    /// α·r for r > 0, else (α − 1)·r: predicts the `alpha`-quantile.
    Quantile,
    /// The Poisson deviance with a logarithmic link: predicts means above 0. Targets are at least 0.
    Poisson,
}

impl RegressionLoss {
    /// The loss itself; Huber's δ is not known yet, and 0.
    pub(super) fn pointwise(self, alpha: f64) -> Loss {
        match self {
            RegressionLoss::SquaredError => Loss::Squared,
            RegressionLoss::AbsoluteError => Loss::Absolute,
            RegressionLoss::Huber => Loss::Huber { delta: 0.0 },
            RegressionLoss::Quantile => Loss::Quantile { alpha },
            RegressionLoss::Poisson => Loss::Poisson,
        }
    }
}

/// The loss of classes. Names are scikit-learn's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassificationLoss {
    /// Minus the logarithm of the true class's probability: the logistic loss of two classes, the softmax loss of more.
    #[default]
    LogLoss,
    /// AdaBoost's e^−score, or e^score for the first class; two classes only. A score stands for 1/(1 + e^−2·score).
    Exponential,
}

impl ClassificationLoss {
    /// The loss of two classes.
    pub(super) fn pointwise(self) -> Loss {
        match self {
            ClassificationLoss::LogLoss => Loss::Logistic,
            ClassificationLoss::Exponential => Loss::Exponential,
        }
    }
}

/// Your own loss, for
/// [`GradientBoostingRegressor::fit_with_loss`](super::GradientBoostingRegressor::fit_with_loss): its values are for
/// rows of weight 1; weights are multiplied in afterwards. It gets the rows whose weight is above 0 and that are not
/// held out, in their order, and no others.
///
/// ```
/// use gristmill::ensemble::BoostingLoss;
/// use gristmill::prelude::*;
/// struct Squared;
/// impl BoostingLoss for Squared {
///     fn base_score(&self, targets: &[f32], _: Option<&[f32]>) -> f64 {
///         targets.iter().map(|y| f64::from(*y)).sum::<f64>() / targets.len() as f64
///     }
///     fn gradients(&self, scores: &[f32], targets: &[f32], gradients: &mut [f32], hessians: &mut [f32]) {
///         for row in 0..scores.len() {
///             (gradients[row], hessians[row]) = (scores[row] - targets[row], 1.0);
///         }
///     }
/// }
/// let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])?;
/// let y = [1.0, 1.0, 1.0, 5.0, 5.0, 5.0];
/// let boosting = GradientBoostingRegressor::default().min_samples_leaf(1);
/// let model = boosting.fit_with_loss(&x, &y, &Squared, Fit::default())?;
/// assert!((model.predict(&x)?.get(4, 0) - 5.0).abs() < 1e-3);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub trait BoostingLoss: Sync {
    /// The score that every row begins with, best the one of least loss; a finite number.
    fn base_score(&self, targets: &[f32], weights: Option<&[f32]>) -> f64;

    /// Writes the first and second derivative of each row's loss by its score. Gradients are finite; Hessians are
    /// finite and at least 0.
    fn gradients(&self, scores: &[f32], targets: &[f32], gradients: &mut [f32], hessians: &mut [f32]);

    /// The loss of a row. Only validation curves and early stopping ask for it; `None` where it is not known.
    fn loss(&self, score: f32, target: f32) -> Option<f64> {
        let _ = (score, target);
        None
    }
}
