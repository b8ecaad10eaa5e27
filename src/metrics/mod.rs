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
//! Everything but the clustering scores has a second function whose name ends in `_weighted` and whose last argument is
//! `weights: Option<&[f32]>`: one number for each row, none negative, not all zero. With `None` it is the same as the
//! function without weights.
//!
//! ```
//! use gristmill::{Labels, metrics};
//! let y = Labels::from_names(&["rose", "lily", "rose", "rose"]);
//! let predicted = Labels::from_names(&["rose", "rose", "rose", "lily"]);
//! assert_eq!(metrics::accuracy(&y, &predicted)?, 0.5);
//! assert_eq!(metrics::accuracy_weighted(&y, &predicted, Some(&[3.0, 1.0, 3.0, 1.0]))?, 0.75);
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
pub use classification::{
    Average, ClassScore, accuracy, accuracy_weighted, balanced_accuracy, balanced_accuracy_weighted, class_scores,
    class_scores_weighted, f1, f1_weighted, matthews_corrcoef, matthews_corrcoef_weighted, precision,
    precision_weighted, recall, recall_weighted,
};
pub use clustering::{calinski_harabasz_score, davies_bouldin_score};
pub use confusion::ConfusionMatrix;
pub use probability::{brier_score, brier_score_weighted, log_loss, log_loss_weighted};
pub use ranking::{
    PrecisionRecallCurve, RocCurve, average_precision, average_precision_weighted, precision_recall_curve,
    precision_recall_curve_weighted, roc_auc, roc_auc_weighted, roc_curve, roc_curve_weighted,
};
pub use regression::{
    mean_absolute_error, mean_absolute_error_weighted, mean_squared_error, mean_squared_error_weighted,
    median_absolute_error, median_absolute_error_weighted, r2_score, r2_score_columns, r2_score_columns_weighted,
    r2_score_weighted, root_mean_squared_error, root_mean_squared_error_weighted,
};
pub use report::{Report, classification_report, classification_report_weighted};
pub use silhouette::{silhouette_samples, silhouette_score};
