//! Rows around centres that lie far apart.

use gristmill::prelude::*;

use crate::support::numbers;

/// `rows` rows in `clusters` clusters of side `spread` around centres in [-10, 10); row i is of cluster i mod clusters.
pub fn blobs(rows: usize, columns: usize, clusters: usize, spread: f32, seed: u64) -> (Matrix, Vec<u32>) {
    let centers = numbers(clusters * columns, seed);
    let noise = numbers(rows * columns, seed + 1);
    let value = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        10.0 * centers[row % clusters * columns + column] + spread * noise[at]
    };
    let x = Matrix::from_vec(rows, columns, (0..rows * columns).map(value).collect()).unwrap();
    (x, (0..rows).map(|row| (row % clusters) as u32).collect())
}
