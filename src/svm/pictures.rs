//! Pictures of support vector machines: regions, the lines of the margin, support vectors.

use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{PictureInput, PicturePlane, PictureRows, Rows};
use crate::plot::{Figure, Grid, points};

/// The rows and their support vectors over the regions; for two classes with the lines where the function is −1, 0 and 1.
/// Nothing for rows that are not on a plane.
pub(super) fn class_figures(
    input: &PictureInput<'_>,
    support: &[u64],
    predict: impl Fn(Rows<'_>) -> Result<Labels>,
    decide: impl Fn(Rows<'_>) -> Result<Matrix>,
) -> Result<Vec<Figure>> {
    let Some((rows, plane)) = on_plane(input) else { return Ok(vec![]) };
    let labels = rows.target.labels()?;
    let grid = Grid::around(plane.x, [0, 1], plane.cells, plane.cells)?;
    let cells = (plane.inputs)(&grid.points()?)?.to(rows.device)?;
    let predicted = predict((&cells).into())?;
    let code = |name: &String| labels.names().iter().position(|known| known == name).unwrap_or(labels.classes());
    let codes: Vec<usize> = predicted.names().iter().map(code).collect();
    let codes: Vec<u32> = predicted.codes().iter().map(|own| codes[*own as usize] as u32).collect();
    let figure = Figure::new().title("Decision regions with support vectors");
    let mut figure = figure.regions(&grid, &codes)?.scatter_classes(plane.x, [0, 1], labels)?;
    if labels.classes() == 2 {
        let values: Vec<f64> = decide((&cells).into())?.as_slice().iter().copied().map(f64::from).collect();
        figure = figure.line("boundary", grid.contour(&values, 0.0)?);
        let mut margin = grid.contour(&values, -1.0)?;
        margin.extend(grid.contour(&values, 1.0)?);
        figure = figure.line("margin", margin);
    }
    Ok(vec![with_support(figure, &rows, plane, support)?])
}

/// The rows over the lines of equal value of a function for one class; the boundary is where it is 0.
pub(super) fn one_class_figures(
    input: &PictureInput<'_>,
    support: &[u64],
    decide: impl Fn(Rows<'_>) -> Result<Matrix>,
) -> Result<Vec<Figure>> {
    let Some((rows, plane)) = on_plane(input) else { return Ok(vec![]) };
    let grid = Grid::around(plane.x, [0, 1], plane.cells, plane.cells)?;
    let cells = (plane.inputs)(&grid.points()?)?.to(rows.device)?;
    let values: Vec<f64> = decide((&cells).into())?.as_slice().iter().copied().map(f64::from).collect();
    let inside: Vec<u32> = values.iter().map(|value| u32::from(*value >= 0.0)).collect();
    let (low, high) = values.iter().fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
    let figure = Figure::new().title("Decision function").regions(&grid, &inside)?;
    let mut others = vec![];
    for share in [0.33, 0.67] {
        others.extend(grid.contour(&values, share * low)?);
        others.extend(grid.contour(&values, share * high)?);
    }
    let figure = figure.line("boundary", grid.contour(&values, 0.0)?).line("equal values", others);
    let figure = figure.scatter(rows.name(), points(plane.x, [0, 1])?);
    Ok(vec![with_support(figure, &rows, plane, support)?])
}

/// The rows and their plane, if they are on one.
fn on_plane<'a>(input: &PictureInput<'a>) -> Option<(PictureRows<'a>, PicturePlane<'a>)> {
    let rows = input.rows?;
    Some((rows, rows.plane?))
}

/// Crosses on the support vectors, where the rows are those of the fit.
fn with_support(figure: Figure, rows: &PictureRows<'_>, plane: PicturePlane<'_>, support: &[u64]) -> Result<Figure> {
    let all = points(plane.x, [0, 1])?;
    let own: Vec<(f64, f64)> = support.iter().filter_map(|row| all.get(*row as usize).copied()).collect();
    Ok(match rows.fitted && own.len() == support.len() {
        true => figure.crosses(&format!("support vectors ({})", own.len()), own),
        false => figure,
    })
}
