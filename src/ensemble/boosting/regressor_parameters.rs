//! Parameters of boosted numbers.

use serde::{Deserialize, Serialize};

use super::loss::RegressionLoss;
use super::settings::{Growth, Settings};
use crate::error::{Error, Result};

/// Numbers by gradient boosting, with any [`RegressionLoss`]. Names are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])?;
/// let y = [1.0, 1.0, 1.0, 5.0, 5.0, 5.0];
/// let model = GradientBoostingRegressor::default().min_samples_leaf(1).fit(&x, &y)?;
/// let predicted = model.predict(&Matrix::from_rows(&[[2.5], [20.0]])?)?; // n×1
/// assert!((predicted.get(0, 0) - 1.0).abs() < 1e-3 && (predicted.get(1, 0) - 5.0).abs() < 1e-3);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - Several targets (n×p) have a tree each in every round.
/// - A fit costs about n·d operations for each level of each tree; 8-bit bins of the rows are kept beside them.
/// - Columns that [`Matrix::with_categories`](crate::Matrix::with_categories) marked are divided
///   by sets of levels; a level that was not fitted is missing.
/// - Missing values (NaN) are accepted in `x`. Rows of weight 0 are ignored.
/// - If nothing can be divided (constant features, too few rows), every row gets the loss's best constant: the mean,
///   the median, the quantile.
/// - The same seed gives the same model bytes, for any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GradientBoostingRegressor {
    /// What is lessened. Default [`RegressionLoss::SquaredError`].
    pub loss: RegressionLoss,
    /// The quantile that the quantile loss predicts, and that of the errors beyond which Huber's loss is linear; above
    /// 0 and below 1. Default 0.9.
    pub alpha: f64,
    /// Rounds at most, each of one tree an output. Default 100.
    pub n_estimators: usize,
    /// What each tree's values are multiplied by. Default 0.1.
    pub learning_rate: f64,
    /// The order in which a tree grows. Default [`Growth::LeafWise`].
    pub growth: Growth,
    /// Leaves of a tree at most, at least 2. Default 31.
    pub max_leaf_nodes: Option<usize>,
    /// Divisions on the way to a leaf at most. Default none.
    pub max_depth: Option<usize>,
    /// Bins of a feature at most, from 2 to 255; missing values have one more. Default 255.
    pub max_bins: usize,
    /// Rows of a leaf at least. Default 20.
    pub min_samples_leaf: usize,
    /// Σ of the Hessians of a leaf at least. Default 1e-3.
    pub min_child_weight: f64,
    /// Takes this off the sum of a leaf's gradients. Default 0.
    pub l1_regularization: f64,
    /// Is added to the sum of a leaf's Hessians. Default 0.
    pub l2_regularization: f64,
    /// The chance of each row to take part in a round. Default 1.
    pub subsample: f64,
    /// The share of the features that each division chooses from. Default 1.
    pub max_features: f64,
    /// 1 for each feature with which predictions must not fall, −1 where they must not rise, 0 where they may do
    /// either; missing values keep to nothing. Default: all may do either.
    pub monotonic_cst: Option<Vec<i8>>,
    /// Ends when the validation loss has not fallen for so many rounds, and keeps the rounds up to the best. The rows
    /// are those given by [`Fit::validation`](crate::estimator::Fit::validation), else a part held out. Default never.
    pub n_iter_no_change: Option<usize>,
    /// The share of the rows held out if the loss may end the fit and no validation rows are given;
    /// at least one row is, and one is left. Rows of weight 0 are not. Default 0.1.
    pub validation_fraction: f64,
    /// The loss has fallen if it did so by more than this. Default 1e-7.
    pub tol: f64,
    /// Decides what is drawn: rows held out, subsamples, features. Default 0.
    pub seed: u64,
}

impl Default for GradientBoostingRegressor {
    fn default() -> GradientBoostingRegressor {
        GradientBoostingRegressor {
            loss: RegressionLoss::default(),
            alpha: 0.9,
            n_estimators: 100,
            learning_rate: 0.1,
            growth: Growth::LeafWise,
            max_leaf_nodes: Some(31),
            max_depth: None,
            max_bins: 255,
            min_samples_leaf: 20,
            min_child_weight: 1e-3,
            l1_regularization: 0.0,
            l2_regularization: 0.0,
            subsample: 1.0,
            max_features: 1.0,
            monotonic_cst: None,
            n_iter_no_change: None,
            validation_fraction: 0.1,
            tol: 1e-7,
            seed: 0,
        }
    }
}

impl GradientBoostingRegressor {
    /// Sets the loss.
    pub fn loss(mut self, loss: RegressionLoss) -> GradientBoostingRegressor {
        self.loss = loss;
        self
    }

    /// Sets the quantile of the quantile and Huber losses.
    pub fn alpha(mut self, alpha: f64) -> GradientBoostingRegressor {
        self.alpha = alpha;
        self
    }

    /// Sets the largest number of rounds.
    pub fn n_estimators(mut self, n_estimators: usize) -> GradientBoostingRegressor {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the learning rate.
    pub fn learning_rate(mut self, learning_rate: f64) -> GradientBoostingRegressor {
        self.learning_rate = learning_rate;
        self
    }

    /// Sets the order in which trees grow.
    pub fn growth(mut self, growth: Growth) -> GradientBoostingRegressor {
        self.growth = growth;
        self
    }

    /// Sets the largest number of leaves, or none.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: impl Into<Option<usize>>) -> GradientBoostingRegressor {
        self.max_leaf_nodes = max_leaf_nodes.into();
        self
    }

    /// Sets the largest depth, or none.
    pub fn max_depth(mut self, max_depth: impl Into<Option<usize>>) -> GradientBoostingRegressor {
        self.max_depth = max_depth.into();
        self
    }

    /// Sets the largest number of bins.
    pub fn max_bins(mut self, max_bins: usize) -> GradientBoostingRegressor {
        self.max_bins = max_bins;
        self
    }

    /// Sets the least number of rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> GradientBoostingRegressor {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least sum of Hessians of a leaf.
    pub fn min_child_weight(mut self, min_child_weight: f64) -> GradientBoostingRegressor {
        self.min_child_weight = min_child_weight;
        self
    }

    /// Sets the L1 term.
    pub fn l1_regularization(mut self, l1_regularization: f64) -> GradientBoostingRegressor {
        self.l1_regularization = l1_regularization;
        self
    }

    /// Sets the L2 term.
    pub fn l2_regularization(mut self, l2_regularization: f64) -> GradientBoostingRegressor {
        self.l2_regularization = l2_regularization;
        self
    }

    /// Sets the chance of each row to take part in a round.
    pub fn subsample(mut self, subsample: f64) -> GradientBoostingRegressor {
        self.subsample = subsample;
        self
    }

    /// Sets the share of the features that each division chooses from.
    pub fn max_features(mut self, max_features: f64) -> GradientBoostingRegressor {
        self.max_features = max_features;
        self
    }

    /// Sets the direction of each feature, or none.
    pub fn monotonic_cst(mut self, monotonic_cst: impl Into<Option<Vec<i8>>>) -> GradientBoostingRegressor {
        self.monotonic_cst = monotonic_cst.into();
        self
    }

    /// Sets after how many rounds without a lower loss it ends, or none.
    pub fn n_iter_no_change(mut self, n_iter_no_change: impl Into<Option<usize>>) -> GradientBoostingRegressor {
        self.n_iter_no_change = n_iter_no_change.into();
        self
    }

    /// Sets the share of the rows held out.
    pub fn validation_fraction(mut self, validation_fraction: f64) -> GradientBoostingRegressor {
        self.validation_fraction = validation_fraction;
        self
    }

    /// Sets by how much a loss must fall.
    pub fn tol(mut self, tol: f64) -> GradientBoostingRegressor {
        self.tol = tol;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> GradientBoostingRegressor {
        self.seed = seed;
        self
    }

    /// The parameters as the rounds take them, checked.
    pub(super) fn settings(&self) -> Result<Settings> {
        let settings = Settings {
            n_estimators: self.n_estimators,
            learning_rate: self.learning_rate,
            growth: self.growth,
            max_leaf_nodes: self.max_leaf_nodes,
            max_depth: self.max_depth,
            max_bins: self.max_bins,
            min_samples_leaf: self.min_samples_leaf,
            min_child_weight: self.min_child_weight,
            l1_regularization: self.l1_regularization,
            l2_regularization: self.l2_regularization,
            subsample: self.subsample,
            max_features: self.max_features,
            monotonic_cst: self.monotonic_cst.clone(),
            n_iter_no_change: self.n_iter_no_change,
            validation_fraction: self.validation_fraction,
            tol: self.tol,
            seed: self.seed,
        };
        settings.check()?;
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            let rule = "above 0 and below 1".to_string();
            return Err(Error::Param { name: "alpha", rule, got: self.alpha.to_string() });
        }
        Ok(settings)
    }
}

/// What the command line and grid search say of each parameter.
pub(super) const PARAMETERS: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter { name: "loss", help: "squared_error, absolute_error, huber, quantile or poisson" },
    crate::estimator::Parameter {
        name: "alpha",
        help: "quantile to predict (quantile), or of the errors beyond which the loss is linear (huber)",
    },
    crate::estimator::Parameter { name: "n_estimators", help: "rounds at most" },
    crate::estimator::Parameter { name: "learning_rate", help: "what each tree's values are multiplied by" },
    crate::estimator::Parameter { name: "growth", help: "leaf_wise or depth_wise" },
    crate::estimator::Parameter { name: "max_leaf_nodes", help: "leaves of a tree at most" },
    crate::estimator::Parameter { name: "max_depth", help: "divisions on the way to a leaf at most" },
    crate::estimator::Parameter { name: "max_bins", help: "bins of a feature at most, up to 255" },
    crate::estimator::Parameter { name: "min_samples_leaf", help: "rows of a leaf at least" },
    crate::estimator::Parameter { name: "min_child_weight", help: "sum of the Hessians of a leaf at least" },
    crate::estimator::Parameter { name: "l1_regularization", help: "taken off the sum of a leaf's gradients" },
    crate::estimator::Parameter { name: "l2_regularization", help: "added to the sum of a leaf's Hessians" },
    crate::estimator::Parameter { name: "subsample", help: "chance of each row to take part in a round" },
    crate::estimator::Parameter { name: "max_features", help: "share of the features that each division chooses from" },
    crate::estimator::Parameter {
        name: "monotonic_cst",
        help: "for each feature 1 (predictions must not fall with it), -1 (not rise) or 0; null: all 0",
    },
    crate::estimator::Parameter {
        name: "n_iter_no_change",
        help: "ends after so many rounds without a lower validation loss",
    },
    crate::estimator::Parameter { name: "validation_fraction", help: "share of the rows held out for that" },
    crate::estimator::Parameter { name: "tol", help: "by how much a loss must fall" },
    crate::estimator::Parameter { name: "seed", help: "decides what is drawn" },
];
