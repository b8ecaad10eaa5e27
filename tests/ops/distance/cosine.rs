use gristmill::ops;
use gristmill::prelude::*;

use super::pairwise::check;
use crate::support::EPS;

fn distances(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    ops::cosine(stream, x, y)
}

fn oracle(x: &[f32], y: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| *a as f64 * *b as f64).sum::<f64>();
    let norms = (dot(x, x) * dot(y, y)).sqrt();
    if norms == 0.0 { 1.0 } else { 1.0 - dot(x, y) / norms }
}

#[test]
fn distances_at_edge_sizes_match_the_oracle_and_do_not_depend_on_chunks_or_budget() {
    check(distances, oracle, |d, _| (20.0 + (d as f64).sqrt()) * EPS);
}

#[test]
fn a_row_of_zeros_is_at_distance_one_and_scale_does_not_matter() {
    for (name, device) in crate::support::devices() {
        let mut stream = device.stream();
        let x =
            Matrix::from_rows(&[[0.0, 0.0], [1e30, 1e30], [1e-30, 1e-30], [-5.0, -5.0]]).unwrap().to(device).unwrap();
        let found = ops::cosine(&mut stream, &x, &x).unwrap().to_matrix(&mut stream).unwrap();
        assert_eq!(found.row(0), [1.0; 4], "{name}");
        assert!(found.get(1, 2).abs() < 1e-6 && (found.get(1, 3) - 2.0).abs() < 1e-6, "{name}: {:?}", found.row(1));
    }
}

#[test]
fn rows_of_denormals_have_a_direction_on_every_device() {
    // What a driver flushes to zero would be a row of zeros, at distance 1 from everything.
    let rows = [[1e-40, 2e-40], [-1e-44, -2e-44], [1.5e-38, 3e-38], [2e-40, -1e-40], [f32::MAX, 0.0], [1e-45, 0.0]];
    for (name, device) in crate::support::devices() {
        let mut stream = device.stream();
        let x = Matrix::from_rows(&rows).unwrap().to(device).unwrap();
        let found = ops::cosine(&mut stream, &x, &x).unwrap().to_matrix(&mut stream).unwrap();
        for (row, one) in rows.iter().enumerate() {
            for (column, other) in rows.iter().enumerate() {
                let wanted = oracle(one, other);
                let error = (f64::from(found.get(row, column)) - wanted).abs();
                assert!(error <= 22.0 * EPS, "{name}: {row}, {column}: {} for {wanted}", found.get(row, column));
            }
        }
    }
}
