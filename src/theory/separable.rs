//! Whether two classes of points can be told apart by a hyperplane or by a box.

use crate::array::Matrix;
use crate::error::{Error, Result};

/// What counts as 0 in the simplex method, for points scaled to at most 1.
const ZERO: f64 = 1e-9;

/// Whether some hyperplane has all points of each class strictly on its own side: n×d points, one label each.
///
/// Exact up to rounding, by linear programming: a hyperplane exists unless the hulls of the two classes meet, which is
/// whether 0 = Σ αᵢsᵢ(xᵢ, 1) has a solution with α ≥ 0 and Σα = 1 (Gordan). About n·d² steps for few points.
///
/// ```
/// use gristmill::{Matrix, theory};
/// let corners = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])?;
/// assert!(theory::linearly_separable(&corners, &[false, false, false, true])?); // and
/// assert!(!theory::linearly_separable(&corners, &[false, true, true, false])?); // exclusive or
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn linearly_separable(points: &Matrix, labels: &[bool]) -> Result<bool> {
    check(points, labels)?;
    let columns = points.columns();
    // Centred and scaled, so that one tolerance fits all; neither changes what is separable.
    let mean = |column: usize| points.column(column).iter().map(|v| f64::from(*v)).sum::<f64>() / points.rows() as f64;
    let means: Vec<f64> = (0..columns).map(mean).collect();
    let scale_of = |column: usize| {
        let largest =
            points.column(column).iter().map(|value| (f64::from(*value) - means[column]).abs()).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    };
    let scales: Vec<f64> = (0..columns).map(scale_of).collect();
    let signed = |row: usize| {
        let sign = if labels[row] { 1.0 } else { -1.0 };
        let scaled = (0..columns).map(|column| (f64::from(points.get(row, column)) - means[column]) / scales[column]);
        scaled.chain([1.0]).map(|value| sign * value).collect::<Vec<f64>>()
    };
    let vectors: Vec<Vec<f64>> = (0..points.rows()).map(signed).collect();
    Ok(!hull_holds_origin(&vectors))
}

/// Whether the smallest box with sides along the axes that holds all points labelled `true` holds no other.
pub fn rectangle_separable(points: &Matrix, labels: &[bool]) -> Result<bool> {
    check(points, labels)?;
    let inside = || (0..points.rows()).filter(|row| labels[*row]).map(|row| points.row(row));
    let bound =
        |column: usize, worse: fn(f32, f32) -> f32, start: f32| inside().map(|row| row[column]).fold(start, worse);
    let sides: Vec<(f32, f32)> = (0..points.columns())
        .map(|column| (bound(column, f32::min, f32::INFINITY), bound(column, f32::max, f32::NEG_INFINITY)))
        .collect();
    let holds =
        |row: usize| points.row(row).iter().zip(&sides).all(|(value, (low, high))| low <= value && value <= high);
    Ok((0..points.rows()).all(|row| labels[row] || !holds(row)))
}

fn check(points: &Matrix, labels: &[bool]) -> Result<()> {
    if points.rows() != labels.len() {
        return Err(Error::shape("separable", format!("{} labels, one a point", points.rows()), labels.len()));
    }
    Ok(())
}

/// Whether Σ αᵢvᵢ = 0 has a solution with α ≥ 0 and Σα = 1: the first phase of the simplex method, by Bland's rule,
/// which cannot cycle.
fn hull_holds_origin(vectors: &[Vec<f64>]) -> bool {
    let Some(width) = vectors.first().map(Vec::len) else { return false };
    // One equation a row: the coefficients of α, and the right side last. All start with an artificial variable each.
    let count = vectors.len();
    let coordinate = |at: usize| vectors.iter().map(|vector| vector[at]).chain([0.0]).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = (0..width).map(coordinate).collect();
    rows.push(vec![1.0; count + 1]);
    let mut basis: Vec<usize> = (count..count + rows.len()).collect();
    // What is left of the artificial variables, and how each α changes it.
    let mut cost: Vec<f64> = (0..=count).map(|at| -rows.iter().map(|row| row[at]).sum::<f64>()).collect();
    while let Some(enters) = (0..count).find(|at| cost[*at] < -ZERO) {
        let ratio = |row: usize| (rows[row][enters] > ZERO).then(|| rows[row][count] / rows[row][enters]);
        let candidates = (0..rows.len()).filter_map(|row| ratio(row).map(|ratio| (ratio, basis[row], row)));
        let Some((_, _, leaves)) = candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else { break };
        let pivot = rows[leaves][enters];
        rows[leaves].iter_mut().for_each(|value| *value /= pivot);
        let pivot_row = rows[leaves].clone();
        let others = rows.iter_mut().enumerate().filter(|(row, _)| *row != leaves).map(|(_, row)| row);
        for row in others.chain([&mut cost]) {
            let factor = row[enters];
            row.iter_mut().zip(&pivot_row).for_each(|(value, own)| *value -= factor * own);
        }
        basis[leaves] = enters;
    }
    -cost[count] < ZERO
}
