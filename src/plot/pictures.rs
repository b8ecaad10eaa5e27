//! Ready pictures of scores.

use super::colour::class_colour;
use super::figure::{Figure, Swatch};
use super::layer::Layer;
use super::scale::short;
use crate::error::{Error, Result};
use crate::metrics::{ConfusionMatrix, RocCurve};

/// Letters of a name, height of a line and of what surrounds the lines of a ranking.
const LONG_NAME: usize = 48;
const LINE: usize = 24;
const AROUND: usize = 90;

/// A confusion matrix: counts as text, and as colour the share of each true class's rows.
///
/// ```
/// use gristmill::{Labels, metrics::ConfusionMatrix, plot};
/// let target = Labels::from_names(&["lily", "rose", "rose"]);
/// let confusion = ConfusionMatrix::new(&target, &Labels::from_names(&["lily", "rose", "lily"]))?;
/// assert!(plot::confusion_matrix(&confusion)?.to_svg().contains(">predicted<"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn confusion_matrix(confusion: &ConfusionMatrix) -> Result<Figure> {
    let classes = confusion.classes();
    let shares = (0..classes.len()).flat_map(|class| {
        let row = confusion.row(class);
        let total: f64 = row.iter().sum();
        row.iter().map(move |count| if total > 0.0 { count / total } else { 0.0 })
    });
    let texts = confusion.counts().iter().map(|count| if *count == 0.0 { String::new() } else { short(*count) });
    let figure = Figure::new().title("Confusion matrix").x_label("predicted").y_label("target");
    figure.cells(classes, classes, shares.collect(), texts.collect())
}

/// A ROC curve over the diagonal of guessing, with its area in the legend.
///
/// ```
/// use gristmill::{Labels, metrics, plot};
/// let target = Labels::from_names(&["no", "no", "yes", "yes"]);
/// let figure = plot::roc_curve(&metrics::roc_curve(&target, &[0.1, 0.4, 0.35, 0.8])?);
/// assert!(figure.to_svg().contains("AUC 0.750"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn roc_curve(curve: &RocCurve) -> Figure {
    let points = curve.false_positive_rate.iter().copied().zip(curve.true_positive_rate.iter().copied());
    let figure = Figure::new().title("ROC curve").x_label("false positive rate").y_label("true positive rate");
    figure.dashed("", [(0.0, 0.0), (1.0, 1.0)]).line(&format!("AUC {:.3}", curve.auc()), points)
}

/// Scores one below the other, such as those of the best parameters, each a mean and a deviation: a point at each mean
/// with a line of one deviation to both sides. The order is that of the names, the first on top; at most 400 of them.
///
/// ```
/// use gristmill::plot;
/// let scores = [(0.96, 0.01), (0.915, 0.005)]; // mean and deviation
/// let svg = plot::ranking(&["gini, 5, sqrt", "entropy, 3, all"], &scores)?.to_svg();
/// assert!(svg.find("gini") < svg.find("entropy"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn ranking<S: AsRef<str>>(names: &[S], scores: &[(f64, f64)]) -> Result<Figure> {
    if names.len() != scores.len() || names.is_empty() || names.len() > 400 {
        return Err(Error::shape("plot::ranking", format!("{} scores, from 1 to 400", names.len()), scores.len()));
    }
    let mut figure = Figure::new().size(640, (AROUND + LINE * names.len()).max(200) as u32)?;
    figure.y_names = Some(names.iter().map(|name| name.as_ref().to_string()).collect());
    figure.letters = LONG_NAME;
    for (line, (mean, deviation)) in scores.iter().enumerate() {
        let points = [mean - deviation, mean + deviation].map(|end| (end, line as f64));
        figure.layers.push(Layer::Line { colour: class_colour(0), dashed: false, points: points.to_vec() });
    }
    let means = scores.iter().enumerate().map(|(line, (mean, _))| (*mean, line as f64));
    figure = figure.scatter("", means);
    figure.entries = vec![("mean ± deviation".to_string(), Swatch::Line { colour: class_colour(0), dashed: false })];
    figure.y_range(-0.5, names.len() as f64 - 0.5)
}
