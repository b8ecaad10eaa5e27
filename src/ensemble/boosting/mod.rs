//! Gradient boosting: each tree takes a step down the loss that the trees before it left (Friedman 2001; second-order
//! leaf values and histograms as in XGBoost and LightGBM).
//!
//! Gradients and Hessians become 16-bit integers for each tree, so histograms and splits are exact sums, and the same
//! seed gives the same model bytes for any number of threads and on any device. Leaf values are sums of the gradients
//! themselves in f64, or where the loss has no second derivative the median, quantile or Huber mean of the rows.
//! Missing values (NaN) are accepted and go where they help.

/// Declares the parameters of boosting, which classes and numbers share but for the loss.
macro_rules! boosting_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident; { $($own:tt)* }
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about "boosted trees: each corrects the errors of the trees before it";
            { $($own)* }
            shared Settings {
                /// Maximum number of rounds; a round has one tree for each output.
                n_estimators: usize = 100, at_least(1.0);
                /// What each tree's values are multiplied by.
                learning_rate: f64 = 0.1, above(0.0);
                /// The order in which a tree grows: leaf_wise or depth_wise.
                growth: Growth = Growth::LeafWise;
                /// Maximum number of leaves of a tree; none: no limit.
                max_leaf_nodes: Option<usize> = Some(31), at_least(2.0);
                /// Maximum depth: splits on the way to a leaf; none: no limit.
                max_depth: Option<usize> = None;
                /// Maximum number of bins of a feature; missing values have one more.
                max_bins: usize = 255;
                /// Minimum number of rows of a leaf.
                min_samples_leaf: usize = 20, at_least(1.0);
                /// Minimum sum of the Hessians of a leaf: keeps the leaves of a rare class from values beyond all measure.
                min_child_weight: f64 = 0.05, at_least(0.0);
                /// L1 penalty on leaf values: shrinks the sum of a leaf's gradients towards 0 by this much.
                l1_regularization: f64 = 0.0, at_least(0.0);
                /// L2 penalty on leaf values: is added to the sum of a leaf's Hessians.
                l2_regularization: f64 = 0.0, at_least(0.0);
                /// Probability that a row takes part in a round.
                subsample: f64 = 1.0, above_to(0.0, 1.0);
                /// Share of the features that each split considers.
                max_features: f64 = 1.0, above_to(0.0, 1.0);
                /// For each feature 1 (predictions must not fall with it), -1 (not rise) or 0; none: all 0. Missing
                /// values are free. A classifier must have two classes; the direction is that of the second one's
                /// score.
                monotonic_cst: Option<Vec<i8>> = None;
                /// Early stopping: ends when the validation loss has not fallen for so many rounds, and keeps the
                /// rounds up to the best. The loss is that of the validation rows if there are any, else of a part held
                /// out; none: never.
                n_iter_no_change: Option<usize> = None, at_least(1.0);
                /// Share of the rows held out for early stopping, stratified by class: at least one row, and one of
                /// each class is kept. Rows of weight 0 are not held out.
                validation_fraction: f64 = 0.1, between(0.0, 1.0);
                /// For early stopping, the loss has fallen if it did by more than this.
                tol: f64 = 1e-7, at_least(0.0);
                /// Seed of all random draws: rows held out, subsamples, features.
                seed: u64 = 0;
            }
        }
    };
}

mod boosted;
mod classifier;
mod custom_loss;
mod leaf_refit;
mod leaves;
mod lightgbm;
mod loss;
mod model;
mod regressor;
mod resident;
mod rounds;
mod settings;
mod staged;
mod targets;
mod validation;

pub use classifier::{GradientBoostingClassifier, GradientBoostingClassifierModel};
pub use loss::{BoostingLoss, ClassificationLoss, RegressionLoss};
pub use model::{BoostingEstimator, BoostingModel};
pub use regressor::{GradientBoostingRegressor, GradientBoostingRegressorModel};
pub use settings::Growth;
#[doc(hidden)]
pub use validation::{held_of_each, hold_out};
