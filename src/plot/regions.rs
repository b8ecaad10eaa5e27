//! What classifiers predict at each place of the plane.

use super::figure::Figure;
use super::grid::Grid;
use super::plane::Plane;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;

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

/// The same after each of some stages of a model that grows, such as rounds of boosting or bags: one figure a stage, in
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
        // The colours follow the names: a model may count its classes otherwise.
        let code = |name: &String| self.labels.names().iter().position(|known| known == name);
        let beyond = self.labels.classes();
        let codes: Vec<u32> = predicted.names().iter().map(|name| code(name).unwrap_or(beyond) as u32).collect();
        let codes: Vec<u32> = predicted.codes().iter().map(|own| codes[*own as usize]).collect();
        let [across, upward] = self.plane.labels();
        let figure = Figure::new().title("Decision regions").x_label(across).y_label(upward);
        figure.regions(&self.grid, &codes)?.scatter_classes(&self.places, [0, 1], self.labels)
    }
}
