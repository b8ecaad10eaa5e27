//! Pictures that several decompositions draw of themselves.

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Model, PictureInput, Rows};
use crate::plot::Figure;

/// Points of a picture at most.
pub(super) const MOST_POINTS: usize = 2000;
/// Pixels of an image, and cells of a picture, at most.
const MOST_PIXELS: usize = 1600;
const MOST_CELLS: usize = 16_000;
/// Rows and columns of a table of atoms at most.
const MOST_ATOMS: usize = 64;
const MOST_COLUMNS: usize = 64;

/// Rows along the first two new columns of a model, coloured by class where there are classes.
pub(super) fn plane(model: &dyn Model, input: &PictureInput<'_>, title: &str) -> Result<Option<Figure>> {
    let Some(rows) = input.rows else { return Ok(None) };
    let (x, target) = rows.sample(MOST_POINTS)?;
    let z = model.transform_rows(Rows::Host(&x))?.into_host()?;
    if z.columns() < 2 {
        return Ok(None);
    }
    let figure = Figure::new().title(title).x_label("component0").y_label("component1").equal_axes();
    Ok(Some(match target.labels() {
        Ok(labels) => figure.scatter_classes(&z, [0, 1], labels)?,
        Err(_) => figure.scatter("", (0..z.rows()).map(|row| (z.get(row, 0).into(), z.get(row, 1).into()))),
    }))
}

/// The side of rows that are square images; d pixels make one from 4×4 on.
pub(super) fn image_side(d: usize) -> Option<usize> {
    let side = d.isqrt();
    (side * side == d && (16..=MOST_PIXELS).contains(&d)).then_some(side)
}

/// Atoms (k×d): as images where they are square, else as a table with a line an atom.
pub(super) fn atoms(title: &str, atoms: &Matrix, names: &[String]) -> Result<Figure> {
    let figure = Figure::new().title(title);
    if let Some(side) = image_side(atoms.columns()) {
        let count = atoms.rows().min((MOST_CELLS / (side + 1).pow(2)).max(1));
        let across = (count as f64).sqrt().ceil() as usize;
        let images: Vec<&[f32]> = (0..count).map(|row| atoms.row(row)).collect();
        return mosaic(figure.size(560, 560)?.without_legend(), &images, side, across);
    }
    let (rows, columns) = (atoms.rows().min(MOST_ATOMS), atoms.columns().min(MOST_COLUMNS));
    let lines: Vec<String> = (0..rows).map(|row| format!("{row}")).collect();
    let name = |column: usize| names.get(column).cloned().unwrap_or_else(|| format!("x{column}"));
    let across: Vec<String> = (0..columns).map(name).collect();
    let values: Vec<f64> = (0..rows * columns).map(|at| f64::from(atoms.get(at / columns, at % columns))).collect();
    figure.y_label("component").heatmap(&lines, &across, &values)
}

/// Square images side by side, each from its smallest value to its largest.
pub(super) fn mosaic(figure: Figure, images: &[&[f32]], side: usize, across: usize) -> Result<Figure> {
    let down = images.len().div_ceil(across.max(1)).max(1);
    let (width, height) = (across * (side + 1) - 1, down * (side + 1) - 1);
    let mut values = vec![f64::NAN; width * height];
    for (at, image) in images.iter().enumerate() {
        let low = image.iter().copied().fold(f32::INFINITY, f32::min);
        let high = image.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let (top, left) = (at / across * (side + 1), at % across * (side + 1));
        for (pixel, value) in image.iter().enumerate() {
            let share = if high > low { (value - low) / (high - low) } else { 0.0 };
            values[(top + pixel / side) * width + left + pixel % side] = f64::from(share);
        }
    }
    let blank = |count: usize| vec![String::new(); count];
    figure.heatmap(&blank(height), &blank(width), &values)
}
