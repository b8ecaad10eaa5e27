//! Regression: statistics, paths, penalties, other losses, and what the notes say of them.

mod bayesian;
mod edges;
mod exponential_mean;
mod huber;
mod lasso;
mod lasso_cv;
mod notes;
mod ridge_path;
mod robust;
mod statistics;

use gristmill::prelude::*;

/// The columns of diabetes less their means and in units of their deviation, as f32, and the targets.
fn standard_diabetes() -> (Matrix, Vec<f32>) {
    let data = gristmill::datasets::diabetes().unwrap();
    let (n, d) = (data.x.rows(), data.x.columns());
    let mut values = vec![0.0_f64; n * d];
    for column in 0..d {
        let own: Vec<f64> = data.x.column(column).into_iter().map(f64::from).collect();
        let mean = own.iter().sum::<f64>() / n as f64;
        let deviation = (own.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        (0..n).for_each(|row| values[row * d + column] = (own[row] - mean) / deviation);
    }
    (Matrix::from_f64(n, d, &values).unwrap(), data.values().unwrap().column(0))
}

/// The largest difference, as a share of the largest number wanted.
fn apart(found: &[f64], wanted: &[f64]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let most = wanted.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    found.iter().zip(wanted).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / most
}

/// Sparse rows with the same numbers.
fn sparse(x: &Matrix) -> SparseMatrix {
    SparseMatrix::from_dense(x).unwrap()
}
