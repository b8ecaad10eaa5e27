//! How good a model is: scores of classes, probabilities, rankings, numbers and clusters, as scikit-learn defines them.
//!
//! | what is scored | functions |
//! |---|---|
//! | classes, in one number | [`accuracy`], [`balanced_accuracy`], [`matthews_corrcoef`] |
//! | classes, averaged | [`precision`], [`recall`], [`f1`] |
//! | classes, one by one | [`class_scores`], [`ConfusionMatrix`], [`classification_report`] |
//! | probabilities | [`log_loss`], [`brier_score`] |
//! | scores of a positive class | [`roc_auc`], [`average_precision`], [`roc_curve`], [`precision_recall_curve`] |
//! | errors of numbers | [`mean_squared_error`], [`root_mean_squared_error`], [`mean_absolute_error`] |
//! | numbers, other scores | [`median_absolute_error`], [`r2_score`], [`r2_score_columns`] |
//! | clusters without a target, all pairs | [`silhouette_score`], [`silhouette_samples`] |
//! | clusters without a target, by centres | [`davies_bouldin_score`], [`calinski_harabasz_score`] |
//! | clusters against a target | [`adjusted_rand_score`], [`normalized_mutual_info_score`] |
//!
//! The targets `y` come first, then the predictions. Classes are matched by *name*, so targets and predictions may come
//! from different files. A predicted name that is not among the targets is a class of its own; a class without a row on
//! either side is ignored.
//!
//! # Sample weights
//!
//! Everything but the clustering scores takes sample weights: [`weighted`]`(&y, &weights)` in place of `&y`, with one
//! number for each row, none negative, not all zero.
//!
//! ```
//! use gristmill::{Labels, metrics};
//! let y = Labels::from_names(&["rose", "lily", "rose", "rose"]);
//! let predicted = Labels::from_names(&["rose", "rose", "rose", "lily"]);
//! assert_eq!(metrics::accuracy(&y, &predicted)?, 0.5);
//! assert_eq!(metrics::accuracy(metrics::weighted(&y, &[3.0, 1.0, 3.0, 1.0]), &predicted)?, 0.75);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod agreement;
mod check;
mod classification;
mod clustering;
mod confusion;
mod confusion_counts;
mod probability;
mod ranking;
mod regression;
mod report;
mod silhouette;

pub use agreement::{adjusted_rand_score, normalized_mutual_info_score};
pub use check::{Weighted, weighted};
pub use classification::{
    Average, ClassScore, accuracy, balanced_accuracy, class_scores, f1, matthews_corrcoef, precision, recall,
};
pub use clustering::{calinski_harabasz_score, davies_bouldin_score};
pub use confusion::ConfusionMatrix;
pub use probability::{brier_score, log_loss};
pub use ranking::{PrecisionRecallCurve, RocCurve, average_precision, precision_recall_curve, roc_auc, roc_curve};
pub use regression::{
    mean_absolute_error, mean_absolute_percentage_error, mean_squared_error, median_absolute_error, r2_score,
    r2_score_columns, root_mean_squared_error,
};
pub use report::{Report, classification_report};
pub use silhouette::{silhouette_samples, silhouette_score};
