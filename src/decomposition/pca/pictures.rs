//! Pictures of components: the share of the variance, rows along them with arrows, and rows that they give back.

use super::PcaModel;
use crate::array::Matrix;
use crate::decomposition::pictures::{MOST_POINTS, atoms, image_side, mosaic, plane};
use crate::error::Result;
use crate::estimator::{Model, PictureInput, Rows};
use crate::plot::Figure;

/// Columns that have an arrow at most, and rows that are shown beside what components give back.
const MOST_ARROWS: usize = 10;
const SHOWN: usize = 6;

/// The pictures of a model.
pub(super) fn figures(model: &PcaModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
    let mut figures = vec![scree(model)];
    if let Some(plane) = plane(model, input, "Rows along the first two components")? {
        figures.push(with_columns(model, input, plane)?);
    }
    let Some(rows) = input.rows else { return Ok(figures) };
    let (x, _) = rows.sample(MOST_POINTS)?;
    if x.columns() == 2 {
        figures.push(with_components(model, &x, &input.columns.names));
    }
    if let Some(side) = image_side(x.columns()) {
        let components = Matrix::from_dmatrix_f64(&model.components())?;
        figures.push(atoms("Components", &components, &input.columns.names)?);
        figures.push(given_back(model, &x, side)?);
    }
    Ok(figures)
}

fn scree(model: &PcaModel) -> Figure {
    let ratios = model.explained_variance_ratio();
    let mut sum = 0.0;
    let sums = ratios.iter().enumerate().map(|(at, ratio)| {
        sum += ratio;
        ((at + 1) as f64, sum)
    });
    let sums: Vec<(f64, f64)> = sums.collect();
    let each = ratios.iter().enumerate().map(|(at, ratio)| ((at + 1) as f64, *ratio));
    let figure = Figure::new().title("Share of the variance").x_label("component").y_label("share");
    figure.line("up to it", sums).scatter("of it", each)
}

/// Arrows for the columns that the first two components have most of.
fn with_columns(model: &PcaModel, input: &PictureInput<'_>, mut figure: Figure) -> Result<Figure> {
    let components = model.components();
    let variances = model.explained_variance();
    let mut order: Vec<usize> = (0..components.ncols()).collect();
    let size = |column: usize| components[(0, column)].hypot(components[(1, column)]);
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)).then(a.cmp(b)));
    // The longest arrow is two deviations of the first component.
    let reach = 2.0 * variances[0].sqrt() / order.first().map_or(1.0, |column| size(*column)).max(1e-12);
    let reach = if model.params.whiten { reach / variances[0].sqrt().max(1e-12) } else { reach };
    for column in order.into_iter().take(MOST_ARROWS).filter(|column| size(*column) > 0.0) {
        let name = input.columns.names.get(column).cloned().unwrap_or_else(|| format!("x{column}"));
        let tip = (reach * components[(0, column)], reach * components[(1, column)]);
        figure = figure.line(&name, arrow((0.0, 0.0), tip));
    }
    Ok(figure)
}

/// Rows of two columns, with an arrow of two deviations along each component.
fn with_components(model: &PcaModel, x: &Matrix, names: &[String]) -> Figure {
    let name = |column: usize| names.get(column).cloned().unwrap_or_else(|| format!("x{column}"));
    let points = (0..x.rows()).map(|row| (f64::from(x.get(row, 0)), f64::from(x.get(row, 1))));
    let figure = Figure::new().title("Components among the rows").x_label(name(0)).y_label(name(1));
    let mut figure = figure.equal_axes().scatter("", points);
    let (components, mean, scale) = (model.components(), model.mean(), model.scale());
    for (at, variance) in model.explained_variance().iter().enumerate() {
        let length = 2.0 * variance.sqrt();
        let tip = [0, 1].map(|column| mean[column] + length * components[(at, column)] * scale[column]);
        figure = figure.line(&format!("component{at}"), arrow((mean[0], mean[1]), (tip[0], tip[1])));
    }
    figure
}

/// A line with a head.
fn arrow(from: (f64, f64), to: (f64, f64)) -> Vec<(f64, f64)> {
    let (across, up) = (0.08 * (to.0 - from.0), 0.08 * (to.1 - from.1));
    let barb = |side: f64| (to.0 - across - side * 0.6 * up, to.1 - up + side * 0.6 * across);
    vec![from, to, barb(1.0), to, barb(-1.0)]
}

/// Images above what the components make of them.
fn given_back(model: &PcaModel, x: &Matrix, side: usize) -> Result<Figure> {
    let count = SHOWN.min(x.rows());
    let every = (x.rows() / count.max(1)).max(1);
    let some = x.select(&(0..count).map(|at| at * every).collect::<Vec<_>>())?;
    let back = model.inverse_transform(model.transform_rows(Rows::Host(&some))?.rows())?;
    let images: Vec<&[f32]> = (0..count).map(|row| some.row(row)).chain((0..count).map(|row| back.row(row))).collect();
    let title = format!("Rows, and what {} components give back", model.n_components());
    mosaic(Figure::new().title(title).size(700, 300)?.without_legend(), &images, side, count)
}
