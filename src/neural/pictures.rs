//! Pictures of networks: curves, and weights and rows as images.

use super::mlp::MlpClassifier;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::Predict;
use crate::plot::{Figure, rounds, staged_regions};

/// Images in a picture of weights at most.
const MOST_IMAGES: usize = 64;

/// A number by epoch.
pub(super) fn curve(title: &str, what: &str, values: &[f64]) -> Figure {
    rounds(&[("", values)]).title(title).x_label("epoch").y_label(what)
}

/// Height and width of rows that are square images of one channel, at least 4×4.
pub(super) fn square(columns: usize) -> Option<[usize; 2]> {
    let side = columns.isqrt();
    (side >= 4 && side * side == columns).then_some([side, side])
}

/// The rows of a matrix as images of this height and width side by side, `across` in a line, with a gap between them.
///
/// ```
/// use gristmill::neural::tiles;
/// use gristmill::prelude::*;
/// let digits = datasets::digits()?;
/// let figure = tiles("Digits", &digits.x.select(&[0, 1, 2, 3])?, [8, 8], 2)?;
/// assert!(figure.to_svg().contains("Digits"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn tiles(title: &str, rows: &Matrix, [height, width]: [usize; 2], across: usize) -> Result<Figure> {
    if height * width != rows.columns() || rows.rows() == 0 || rows.columns() == 0 || across == 0 {
        let expected = format!("images of {height}×{width} numbers, at least one");
        return Err(Error::shape("tiles", expected, format!("{}×{}", rows.rows(), rows.columns())));
    }
    let across = across.min(rows.rows());
    let (lines, columns) = (rows.rows().div_ceil(across) * (height + 1) - 1, across * (width + 1) - 1);
    let mut values = vec![f64::NAN; lines * columns];
    for image in 0..rows.rows() {
        let (top, left) = (image / across * (height + 1), image % across * (width + 1));
        for (pixel, value) in rows.row(image).iter().enumerate() {
            values[(top + pixel / width) * columns + left + pixel % width] = f64::from(*value);
        }
    }
    let size = |count: usize| (count as u32 * 4 + 80).clamp(240, 4000);
    let figure = Figure::new().title(title).size(size(columns), size(lines))?;
    let (down, right) = (vec![""; lines], vec![""; columns]);
    Ok(figure.heatmap(&down, &right, &values)?.without_legend())
}

/// The weights of the first layer's units as images, if the inputs are square ones.
pub(super) fn first_layer(weights: &[Matrix]) -> Result<Option<Figure>> {
    let Some(first) = weights.first() else { return Ok(None) };
    let units = first.columns().min(MOST_IMAGES);
    let of_unit = |unit: usize| (0..first.rows()).map(move |input| first.get(input, unit));
    let rows = Matrix::from_vec(units, first.rows(), (0..units).flat_map(of_unit).collect())?;
    square(first.rows()).map(|shape| tiles("Weights of the first layer, a unit each", &rows, shape, 8)).transpose()
}

/// The decision regions of a network after each of some numbers of epochs, ascending: one figure each, of one fit that goes on.
/// Early in a fit the border is nearly straight, later it bends.
///
/// ```
/// use gristmill::neural::{MlpClassifier, regions_over_epochs};
/// use gristmill::prelude::*;
/// let moons = datasets::moons(60, 0.1, 1)?;
/// let mlp = MlpClassifier::default().hidden_layer_sizes(vec![8]).learning_rate_init(0.02);
/// let figures = regions_over_epochs(&mlp, (&moons.x, moons.labels()?), &[1, 20], 30)?;
/// assert_eq!(figures.len(), 2);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn regions_over_epochs(
    mlp: &MlpClassifier,
    (x, y): (&Matrix, &Labels),
    epochs: &[usize],
    cells: usize,
) -> Result<Vec<Figure>> {
    if epochs.is_empty() || epochs.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Error::param("epochs", "ascending numbers, at least one", format!("{epochs:?}")));
    }
    let mut models = vec![mlp.clone().max_iter(epochs[0]).fit(x, y)?];
    for epoch in &epochs[1..] {
        let before = models[models.len() - 1].clone();
        models.push(mlp.clone().max_iter(*epoch).resume(before, x, y)?);
    }
    let stages: Vec<usize> = (0..epochs.len()).collect();
    let figures = staged_regions(x, y, cells, &stages, |cells, stage| models[stage].predict(cells))?;
    let titled = figures.into_iter().zip(epochs).map(|(figure, epoch)| figure.title(format!("After {epoch} epochs")));
    Ok(titled.collect())
}
