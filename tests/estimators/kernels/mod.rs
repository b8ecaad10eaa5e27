//! Models of kernels.

mod edges;
mod kernel;
mod kmeans;
mod maps;
mod pca;
mod perceptron;
mod ridge;
mod ridge_large;
mod search;

use gristmill::prelude::*;

use crate::support::numbers;

/// Rows in d columns and a smooth target with a little noise.
pub fn smooth(rows: usize, columns: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let x = Matrix::from_vec(rows, columns, numbers(rows * columns, seed)).unwrap();
    let noise = numbers(rows, seed + 1);
    let value = |row: usize| {
        let sum: f32 = x.row(row).iter().enumerate().map(|(at, x)| (x * (1.0 + at as f32 * 0.5)).sin()).sum();
        sum + 0.05 * noise[row]
    };
    let y = (0..rows).map(value).collect();
    (x, y)
}
