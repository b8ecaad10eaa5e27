use gristmill::ops;
use gristmill::prelude::*;

use super::pairwise::check;
use crate::support::{EPS, devices, matrix};

/// Upper triangular with a strong diagonal.
fn whitening(d: usize) -> Matrix {
    let mut w = matrix(d, d, 73);
    for row in 0..d {
        for column in 0..d {
            let value = &mut w.as_mut_slice()[row * d + column];
            *value = if row == column {
                2.0
            } else if column > row {
                *value / d as f32
            } else {
                0.0
            };
        }
    }
    w
}

fn distances(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    let w = whitening(x.columns()).to(&stream.device().clone())?;
    ops::mahalanobis(stream, x, y, &w)
}

fn oracle(x: &[f32], y: &[f32]) -> f64 {
    let w = whitening(x.len());
    let coordinate = |row: usize| -> f64 {
        x.iter().zip(y).enumerate().map(|(k, (a, b))| w.get(row, k) as f64 * (*a as f64 - *b as f64)).sum()
    };
    (0..x.len()).map(|row| coordinate(row).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn distances_at_edge_sizes_match_the_oracle_and_do_not_depend_on_chunks_or_budget() {
    // Whitening rounds each coordinate in proportion to its size, about √d of them.
    check(distances, oracle, |d, exact| (20.0 + 4.0 * (d as f64).sqrt()) * EPS * (exact + (d as f64).sqrt()));
}

#[test]
fn a_whitening_matrix_of_another_size_is_an_error() {
    for (name, device) in devices() {
        let x = matrix(3, 4, 74).to(device).unwrap();
        let w = matrix(3, 4, 75).to(device).unwrap();
        let refused = ops::mahalanobis(&mut device.stream(), &x, &x, &w).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "mahalanobis", .. }), "{name}: {refused}");
    }
}
