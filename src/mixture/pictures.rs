//! Densities, drawn.

use std::f64::consts::TAU;

use nalgebra::DMatrix;

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::PictureInput;
use crate::linalg::Eigen;
use crate::plot::{Figure, Grid, Plane, points};

/// Points of a picture at most, cells along each side, and points of an ellipse.
const MOST_POINTS: usize = 2000;
const CELLS: usize = 120;
const ELLIPSE: usize = 72;
/// Lines of equal density go through rows of these ranks: so much of the rows lies outside.
const RANKS: [f64; 5] = [0.02, 0.1, 0.3, 0.6, 0.9];

/// A Gaussian of a mixture: its mean and covariance.
pub(super) type Component = (Vec<f64>, DMatrix<f64>);

/// Lines of equal density over the rows on the plane of two columns, or of the two widest directions; of one column the density itself. In two
/// columns each component is the ellipse of two deviations around its mean.
pub(super) fn density_picture(
    input: &PictureInput<'_>,
    components: &[Component],
    log_density: impl Fn(&Matrix) -> Result<Vec<f64>>,
) -> Result<Vec<Figure>> {
    let Some(rows) = input.rows else { return Ok(vec![]) };
    let (x, _) = rows.sample(MOST_POINTS)?;
    if x.rows() < 2 {
        return Ok(vec![]);
    }
    if x.columns() == 1 {
        return one_column(&x, components, log_density).map(|figure| vec![figure]);
    }
    let plane = Plane::of(&x)?;
    let places = plane.project(&x)?;
    let grid = Grid::around(&places, [0, 1], CELLS, CELLS)?;
    let values = log_density(&plane.lift(&grid.points()?)?)?;
    // In two columns by the density of rows; in more the plane misses the rows, so by that of its cells.
    let mut ranked = if x.columns() == 2 { log_density(&x)? } else { values.clone() };
    ranked.sort_unstable_by(f64::total_cmp);
    let [across, upward] = plane.labels();
    let mut figure = Figure::new().title("Lines of equal density").x_label(across).y_label(upward);
    figure = figure.scatter(rows.name(), points(&places, [0, 1])?);
    let mut lines = vec![];
    for rank in RANKS {
        lines.extend(grid.contour(&values, ranked[(rank * (ranked.len() - 1) as f64) as usize])?);
    }
    figure = figure.line("equal density", lines);
    if x.columns() == 2 && !components.is_empty() {
        let mut outlines = vec![];
        for (mean, covariance) in components {
            outlines.extend(ellipse(mean, covariance)?);
            outlines.push((f64::NAN, f64::NAN));
        }
        let means = components.iter().map(|(mean, _)| (mean[0], mean[1]));
        figure = figure.dashed("two deviations", outlines).centers("means", means.collect::<Vec<_>>());
    }
    Ok(vec![figure])
}

/// The density of each place between the rows, and the rows below it.
fn one_column(
    x: &Matrix,
    components: &[Component],
    log_density: impl Fn(&Matrix) -> Result<Vec<f64>>,
) -> Result<Figure> {
    let values = x.as_slice();
    let (low, high) =
        values.iter().fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let pad = 0.1 * (high - low).max(f32::EPSILON);
    let step = (high - low + 2.0 * pad) / 400.0;
    let places: Vec<f32> = (0..=400).map(|at| low - pad + step * at as f32).collect();
    let logs = log_density(&Matrix::from_vec(places.len(), 1, places.clone())?)?;
    let line = places.iter().zip(&logs).map(|(place, log)| (f64::from(*place), log.exp()));
    let figure = Figure::new().title("Density").x_label("x0").y_label("density").line("", line.collect::<Vec<_>>());
    let means = components.iter().map(|(mean, _)| (mean[0], 0.0)).collect::<Vec<_>>();
    let figure = figure.scatter("rows", values.iter().map(|value| (f64::from(*value), 0.0)));
    Ok(if means.is_empty() { figure } else { figure.centers("means", means) })
}

/// The points two deviations from the mean.
fn ellipse(mean: &[f64], covariance: &DMatrix<f64>) -> Result<Vec<(f64, f64)>> {
    let (values, vectors) = Eigen::factor(covariance)?.into_parts();
    let radius = |at: usize| 2.0 * values[at].max(0.0).sqrt();
    let point = |step: usize| {
        let angle = TAU * step as f64 / ELLIPSE as f64;
        let along = [radius(0) * angle.cos(), radius(1) * angle.sin()];
        let place = |i: usize| mean[i] + vectors[(i, 0)] * along[0] + vectors[(i, 1)] * along[1];
        (place(0), place(1))
    };
    Ok((0..=ELLIPSE).map(point).collect())
}
