//! Ready pictures of scores.

use super::figure::Figure;
use super::scale::short;
use crate::error::Result;
use crate::metrics::{ConfusionMatrix, RocCurve};
use crate::selection::Curve;

/// A confusion matrix: counts as text, and as colour the share of each true class's rows.
///
/// ```
/// use gristmill::{Labels, metrics::ConfusionMatrix, plot};
/// let truth = Labels::from_names(&["lily", "rose", "rose"]);
/// let confusion = ConfusionMatrix::new(&truth, &Labels::from_names(&["lily", "rose", "lily"]))?;
/// assert!(plot::confusion_matrix(&confusion)?.to_svg().contains(">predicted<"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn confusion_matrix(confusion: &ConfusionMatrix) -> Result<Figure> {
    let classes = confusion.classes();
    let shares = (0..classes.len()).flat_map(|truth| {
        let row = confusion.row(truth);
        let total: f64 = row.iter().sum();
        row.iter().map(move |count| if total > 0.0 { count / total } else { 0.0 })
    });
    let texts = confusion.counts().iter().map(|count| if *count == 0.0 { String::new() } else { short(*count) });
    let figure = Figure::new().title("Confusion matrix").x_label("predicted").y_label("truth");
    figure.cells(classes, classes, shares.collect(), texts.collect())
}

/// A ROC curve over the diagonal of guessing, with its area in the legend.
///
/// ```
/// use gristmill::{Labels, metrics, plot};
/// let truth = Labels::from_names(&["no", "no", "yes", "yes"]);
/// let figure = plot::roc_curve(&metrics::roc_curve(&truth, &[0.1, 0.4, 0.35, 0.8])?);
/// assert!(figure.to_svg().contains("AUC 0.750"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn roc_curve(curve: &RocCurve) -> Figure {
    let points = curve.false_positive_rate.iter().copied().zip(curve.true_positive_rate.iter().copied());
    let figure = Figure::new().title("ROC curve").x_label("false positive rate").y_label("true positive rate");
    figure.dashed("", [(0.0, 0.0), (1.0, 1.0)]).line(&format!("AUC {:.3}", curve.auc()), points)
}

/// A learning or validation curve: the scores on fitted and on new rows with their 95 % confidence intervals.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::{plot, selection};
/// let iris = datasets::iris()?;
/// let pipeline = Pipeline::new(KNeighborsClassifier::new(3));
/// let curve = selection::learning_curve(&pipeline, &iris, &selection::Folds::stratified(5), &[0.2, 0.5, 1.0])?;
/// assert!(plot::curve(&curve)?.to_svg().contains(">new rows<"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn curve(curve: &Curve) -> Result<Figure> {
    let mut figure = Figure::new().x_label(curve.along.clone()).y_label(curve.scoring.name());
    figure = figure.title(if curve.along == "rows" { "Learning curve" } else { "Validation curve" });
    for (name, samples) in [("fitted rows", &curve.train), ("new rows", &curve.test)] {
        let points = || curve.values.iter().copied().zip(samples);
        let half_widths = samples.iter().map(|sample| sample.half_width(0.95)).collect::<Result<Vec<f64>>>()?;
        let band = points().zip(half_widths).map(|((at, sample), half)| (at, sample.mean - half, sample.mean + half));
        figure = figure.band(band).steps(name, points().map(|(at, sample)| (at, sample.mean)));
    }
    Ok(figure)
}
