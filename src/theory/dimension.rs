//! The curse of dimensionality: neighbourhoods that hold a fixed share of the rows stop being near (003 §3.2).

use super::check::{at_least_one, share as checked_share};
use crate::error::Result;
use crate::plot::Figure;

/// r^(1/p): the edge of a cube that holds the share r of rows spread evenly over the unit cube of p dimensions.
///
/// ```
/// use gristmill::theory::dimension;
/// assert!((dimension::edge(0.1, 2)? - 0.316).abs() < 5e-4 && (dimension::edge(0.1, 10)? - 0.794).abs() < 5e-4);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn edge(share: f64, dimensions: u64) -> Result<f64> {
    Ok(checked_share("share", share)?.powf(1.0 / at_least_one("dimensions", dimensions)?))
}

/// e^p, the inverse: the share of the rows within a cube of edge e.
pub fn share(edge: f64, dimensions: u64) -> Result<f64> {
    Ok(checked_share("edge", edge)?.powf(at_least_one("dimensions", dimensions)?))
}

/// √p: the diagonal of the unit cube.
pub fn diagonal(dimensions: u64) -> Result<f64> {
    Ok(at_least_one("dimensions", dimensions)?.sqrt())
}

/// The edge over the share of the rows, a line for each number of dimensions.
pub fn figure(dimensions: &[u64]) -> Result<Figure> {
    let mut figure = Figure::new()
        .title("The edge of a cube that holds a share of the rows")
        .x_label("share of the rows")
        .y_label("edge");
    for dimensions in dimensions {
        let point = |at: u32| Ok((f64::from(at) / 100.0, edge(f64::from(at) / 100.0, *dimensions)?));
        let points = (0..=100).map(point).collect::<Result<Vec<_>>>()?;
        figure = figure.line(&format!("p = {dimensions}"), points);
    }
    Ok(figure)
}
