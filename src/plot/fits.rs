//! Ready pictures of fitted models: clusters, outliers, curves, residuals, losses, importances.

use super::figure::Figure;
use super::grid::points;
use super::plane::Plane;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};

/// Columns that a picture of importances has room for.
const MOST_BARS: usize = 20;

/// The rows of `x`, n×d, in the colours of their clusters, and the centres, k×d.
///
/// ```
/// use gristmill::{plot, prelude::*};
/// let iris = datasets::iris()?;
/// let model = KMeans::new(3).fit(&iris.x)?;
/// let figure = plot::clusters(&iris.x, model.labels(), Some(model.cluster_centers()))?;
/// assert!(figure.to_svg().contains("centres"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn clusters(x: &Matrix, clusters: &[u32], centers: Option<&Matrix>) -> Result<Figure> {
    let plane = Plane::of(x)?;
    let [across, upward] = plane.labels();
    let figure = Figure::new().title("Clusters").x_label(across).y_label(upward);
    let figure = figure.scatter_classes(&plane.project(x)?, [0, 1], &Labels::from(clusters))?;
    match centers {
        Some(centers) => Ok(figure.centers("centres", points(&plane.project(centers)?, [0, 1])?)),
        None => Ok(figure),
    }
}

/// The rows of `x`, n×d, outliers (−1) apart from the others (1).
///
/// ```
/// use gristmill::{plot, prelude::*};
/// let x = Matrix::from_rows(&[[0.0, 0.1], [0.1, 0.0], [0.1, 0.1], [9.0, 9.0]])?;
/// assert!(plot::outliers(&x, &[1, 1, 1, -1])?.to_svg().contains("outliers"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn outliers(x: &Matrix, labels: &[i32]) -> Result<Figure> {
    let plane = Plane::of(x)?;
    let codes = labels.iter().map(|label| u32::from(*label < 0)).collect();
    let labels = Labels::from_codes(codes, ["others", "outliers"].map(String::from).to_vec())?;
    let [across, upward] = plane.labels();
    let figure = Figure::new().title("Outliers").x_label(across).y_label(upward);
    figure.scatter_classes(&plane.project(x)?, [0, 1], &labels)
}

/// Predicted numbers against the targets, n each, over the line where both are equal.
///
/// ```
/// use gristmill::plot;
/// assert!(plot::predicted_against_target(&[1.0, 2.0], &[1.1, 1.9])?.to_svg().contains("target"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn predicted_against_target(targets: &[f32], predicted: &[f32]) -> Result<Figure> {
    same_length("plot::predicted_against_target", targets, predicted)?;
    let both = targets.iter().chain(predicted).copied().filter(|value| value.is_finite());
    let (low, high) = both.fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let ends = [low, high].map(|end| (f64::from(end), f64::from(end)));
    let figure = Figure::new().title("Predicted against target").x_label("target").y_label("predicted");
    Ok(figure.dashed("", ends).scatter("", pairs(targets, predicted)))
}

/// Residuals (target less prediction), n of them, against the predictions.
///
/// ```
/// use gristmill::plot;
/// assert!(plot::residuals(&[1.0, 2.0], &[1.1, 1.9])?.to_svg().contains("Residuals"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn residuals(targets: &[f32], predicted: &[f32]) -> Result<Figure> {
    same_length("plot::residuals", targets, predicted)?;
    let left: Vec<f32> = targets.iter().zip(predicted).map(|(target, predicted)| target - predicted).collect();
    let values = predicted.iter().copied().filter(|value| value.is_finite());
    let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let zero = [(f64::from(low), 0.0), (f64::from(high), 0.0)];
    let figure = Figure::new().title("Residuals").x_label("predicted").y_label("target − predicted");
    Ok(figure.dashed("", zero).scatter("", pairs(predicted, &left)))
}

/// A fitted curve, as points in the order of x, over the n points it was fitted to.
///
/// ```
/// use gristmill::plot;
/// let figure = plot::fitted_curve(&[0.0, 1.0], &[0.1, 0.9], [(0.0, 0.0), (1.0, 1.0)])?;
/// assert!(figure.to_svg().contains("fitted"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn fitted_curve(x: &[f32], y: &[f32], curve: impl IntoIterator<Item = (f64, f64)>) -> Result<Figure> {
    same_length("plot::fitted_curve", x, y)?;
    Ok(Figure::new().title("Fitted curve").scatter("data", pairs(x, y)).line("fitted", curve))
}

/// Numbers after each round, such as losses, a line for each series with its name; series without numbers are left out.
///
/// ```
/// use gristmill::plot;
/// let losses = [0.9, 0.5, 0.3];
/// assert!(plot::rounds(&[("training", &losses)]).title("Loss").to_svg().contains("training"));
/// ```
pub fn rounds(series: &[(&str, &[f64])]) -> Figure {
    let points = |values: &[f64]| (1..).zip(values.to_vec()).map(|(round, value)| (f64::from(round), value));
    let series = series.iter().filter(|(_, values)| !values.is_empty());
    series.fold(Figure::new().x_label("round"), |figure, (name, values)| figure.line(name, points(values)))
}

/// How much each column matters, the greatest first, at most twenty of them.
///
/// ```
/// use gristmill::plot;
/// let figure = plot::importances(&["age", "height"], &[0.3, 0.7])?;
/// assert!(figure.to_svg().contains("height"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn importances<S: AsRef<str>>(names: &[S], values: &[f64]) -> Result<Figure> {
    if names.len() != values.len() {
        return Err(Error::shape("plot::importances", format!("{} values, one a name", names.len()), values.len()));
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*right].total_cmp(&values[*left]));
    let all = order.len();
    order.truncate(MOST_BARS);
    let names: Vec<&str> = order.iter().map(|at| names[*at].as_ref()).collect();
    let values: Vec<f64> = order.iter().map(|at| values[*at]).collect();
    let title =
        if all > MOST_BARS { format!("Importances, top {MOST_BARS} of {all}") } else { "Importances".to_string() };
    Figure::new().title(title).bars(&names, &values)
}

fn pairs<'a>(x: &'a [f32], y: &'a [f32]) -> impl Iterator<Item = (f64, f64)> + 'a {
    x.iter().zip(y).map(|(x, y)| (f64::from(*x), f64::from(*y)))
}

fn same_length(op: &'static str, left: &[f32], right: &[f32]) -> Result<()> {
    if left.len() == right.len() && !left.is_empty() {
        return Ok(());
    }
    Err(Error::shape(op, format!("{} numbers, at least one", left.len()), right.len()))
}
