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
