//! What classifiers predict at each place of the plane.

use rayon::prelude::*;

use super::figure::Figure;
use super::grid::{Grid, points};
use super::plane::Plane;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};

/// What a classifier predicts at each place of the plane of `x`, n×d, and the rows on it in the colours of their
/// classes.
///
/// `predict` is given rows of d columns, `cells` squared of them, and returns classes of `labels`, whatever
/// their codes. With more than two columns the plane is that of the two leading principal directions through the mean.
///
/// ```
/// use gristmill::{plot, prelude::*};
/// let iris = datasets::iris()?;
/// let model = KNeighborsClassifier::new(5).fit(&iris.x, iris.labels()?)?;
/// let figure = plot::decision_regions(&iris.x, iris.labels()?, 100, |cells| model.predict(cells))?;
/// assert!(figure.to_svg().contains("setosa"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn decision_regions(
    x: &Matrix,
    labels: &Labels,
    cells: usize,
    predict: impl FnOnce(&Matrix) -> Result<Labels>,
) -> Result<Figure> {
    Canvas::of(x, labels, cells)?.figure(predict)
}

/// The rows of `x`, n×d, on the plane of their two leading principal directions, over the prediction of the nearest row
/// there; rows that are predicted wrongly are crossed.
///
/// Unlike [`decision_regions`] it shows predictions of rows that there are: with more than two columns a plane through
/// the mean misses nearly all rows, and what a model predicts on it says little about them. Of many rows some thousand
/// colour the plane. O(cells²·n), n at most 4,000.
///
/// ```
/// use gristmill::{plot, prelude::*};
/// let iris = datasets::iris()?;
/// let model = KNeighborsClassifier::new(5).fit(&iris.x, iris.labels()?)?;
/// let figure = plot::predicted_rows(&iris.x, iris.labels()?, &model.predict(&iris.x)?, 60)?;
/// assert!(figure.to_svg().contains("wrong"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn predicted_rows(x: &Matrix, labels: &Labels, predicted: &Labels, cells: usize) -> Result<Figure> {
    const MOST: usize = 4000;
    if labels.len() != x.rows() || predicted.len() != x.rows() {
        let got = format!("{} and {}", labels.len(), predicted.len());
        return Err(Error::shape("plot::predicted_rows", format!("{} labels and predictions", x.rows()), got));
    }
    let plane = Plane::of(x)?;
    let places = points(&plane.project(x)?, [0, 1])?;
    let grid = Grid::around(&plane.project(x)?, [0, 1], cells, cells)?;
    let step = places.len().div_ceil(MOST).max(1);
    let sample: Vec<usize> = (0..places.len()).step_by(step).collect();
    let spots = points(&grid.points()?, [0, 1])?;
    // Both directions count alike, whatever their spread.
    let spread = |part: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            spots.iter().map(part).fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        (high - low).max(f64::MIN_POSITIVE)
    };
    let (width, height) = (spread(|spot| spot.0), spread(|spot| spot.1));
    let distance =
        |one: (f64, f64), other: (f64, f64)| ((one.0 - other.0) / width).powi(2) + ((one.1 - other.1) / height).powi(2);
    let codes = own_codes(labels, predicted);
    let nearest = |spot: &(f64, f64)| {
        let by_distance =
            |one: &&usize, other: &&usize| distance(*spot, places[**one]).total_cmp(&distance(*spot, places[**other]));
        sample.iter().min_by(by_distance).map_or(0, |row| codes[*row])
    };
    let colours: Vec<u32> = spots.par_iter().map(nearest).collect();
    let wrong = (0..places.len()).filter(|row| labels.name(*row) != predicted.name(*row)).map(|row| places[row]);
    let wrong: Vec<(f64, f64)> = wrong.collect();
    let [across, upward] = plane.labels();
    let figure = Figure::new().title("Predictions of the nearest rows").x_label(across).y_label(upward);
    let figure = figure.regions(&grid, &colours)?.scatter_classes(&plane.project(x)?, [0, 1], labels)?;
    Ok(if wrong.is_empty() { figure } else { figure.crosses(&format!("wrong ({})", wrong.len()), wrong) })
}

/// Predictions in the codes of the labels, so that colours follow the names; those of other classes have one code more.
fn own_codes(labels: &Labels, predicted: &Labels) -> Vec<u32> {
    let code = |name: &String| labels.names().iter().position(|known| known == name).unwrap_or(labels.classes()) as u32;
    let codes: Vec<u32> = predicted.names().iter().map(code).collect();
    predicted.codes().iter().map(|own| codes[*own as usize]).collect()
}

/// [`decision_regions`] after each of some stages of a model that grows, such as rounds of boosting or bags: one figure a stage, in
/// their order. `predict` is also given the stage.
///
/// ```
/// use gristmill::ensemble::AdaBoostClassifier;
/// use gristmill::{plot, prelude::*};
/// let data = datasets::rectangle(100, 1)?;
/// let (x, y) = (&data.x, data.labels()?);
/// let model = AdaBoostClassifier::default().n_estimators(10).fit(x, y)?;
/// let figures = plot::staged_regions(x, y, 50, &[2, 10], |cells, rounds| model.staged_predict(cells, rounds))?;
/// assert!(figures.len() == 2 && figures[0].to_svg() != figures[1].to_svg());
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn staged_regions(
    x: &Matrix,
    labels: &Labels,
    cells: usize,
    stages: &[usize],
    mut predict: impl FnMut(&Matrix, usize) -> Result<Labels>,
) -> Result<Vec<Figure>> {
    let canvas = Canvas::of(x, labels, cells)?;
    stages.iter().map(|stage| canvas.figure(|cells| predict(cells, *stage))).collect()
}

/// What is the same for every model.
struct Canvas<'a> {
    plane: Plane,
    /// Where the rows lie on it, n×2.
    places: Matrix,
    labels: &'a Labels,
    grid: Grid,
    /// What a model is asked about, a row a cell.
    cells: Matrix,
}

impl<'a> Canvas<'a> {
    fn of(x: &Matrix, labels: &'a Labels, cells: usize) -> Result<Canvas<'a>> {
        let plane = Plane::of(x)?;
        let places = plane.project(x)?;
        let grid = Grid::around(&places, [0, 1], cells, cells)?;
        let cells = plane.lift(&grid.points()?)?;
        Ok(Canvas { plane, places, labels, grid, cells })
    }

    fn figure(&self, predict: impl FnOnce(&Matrix) -> Result<Labels>) -> Result<Figure> {
        let predicted = predict(&self.cells)?;
        let codes = own_codes(self.labels, &predicted);
        let [across, upward] = self.plane.labels();
        let figure = Figure::new().title("Decision regions").x_label(across).y_label(upward);
        figure.regions(&self.grid, &codes)?.scatter_classes(&self.places, [0, 1], self.labels)
    }
}
