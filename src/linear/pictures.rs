//! Weights as images.

use nalgebra::DMatrix;

use crate::error::Result;
use crate::plot::Figure;

/// The side of the smallest image, and of the largest that is drawn.
const SIDES: std::ops::RangeInclusive<usize> = 8..=64;
/// Planes at most that are drawn.
const MOST: usize = 16;

/// The coefficients of each plane as a square image, where the columns are the pixels of one: 64 columns at least, a square
/// number of them. `classes` names the planes; of two classes there is one.
pub(super) fn weight_images(coef: &DMatrix<f64>, classes: &[String]) -> Result<Vec<Figure>> {
    let side = coef.ncols().isqrt();
    if side * side != coef.ncols() || !SIDES.contains(&side) || coef.nrows() > MOST {
        return Ok(vec![]);
    }
    let names = vec![""; side];
    let image = |plane: usize| {
        let class = if coef.nrows() == 1 { classes.last() } else { classes.get(plane) };
        let title = format!("Weights of {}", class.map_or("the plane", String::as_str));
        let values: Vec<f64> = coef.row(plane).iter().copied().collect();
        Figure::new().title(title).heatmap(&names, &names, &values)
    };
    (0..coef.nrows()).map(image).collect()
}
