use gristmill::ops;
use gristmill::prelude::*;

use super::pairwise::check;
use crate::support::EPS;

fn distances(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    ops::minkowski(stream, x, y, 2.5)
}

fn oracle(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (*a as f64 - *b as f64).abs().powf(2.5)).sum::<f64>().powf(0.4)
}

#[test]
fn distances_at_edge_sizes_match_the_oracle_and_do_not_depend_on_chunks_or_budget() {
    check(distances, oracle, |d, exact| (40.0 + 2.0 * (d as f64).sqrt()) * EPS * exact);
}

#[test]
fn the_named_orders_are_manhattan_euclidean_and_chebyshev() {
    let x = crate::support::matrix(40, 9, 71);
    for (name, device) in crate::support::devices() {
        let mut stream = device.stream();
        let x = x.to(device).unwrap();
        let mut of_order = |p: f32| ops::minkowski(&mut stream, &x, &x, p).unwrap().to_matrix(&mut stream).unwrap();
        let (one, two, infinite) = (of_order(1.0), of_order(2.0), of_order(f32::INFINITY));
        let mut stream = device.stream();
        assert!(one == ops::manhattan(&mut stream, &x, &x).unwrap().to_matrix(&mut stream).unwrap(), "{name}");
        assert!(infinite == ops::chebyshev(&mut stream, &x, &x).unwrap().to_matrix(&mut stream).unwrap(), "{name}");
        let squares = ops::sq_euclidean(&mut stream, &x, &x).unwrap().to_matrix(&mut stream).unwrap();
        for (root, square) in two.as_slice().iter().zip(squares.as_slice()) {
            assert!((root - square.sqrt()).abs() <= 1e-6 * root, "{name}: {root} for √{square}");
        }
    }
}

#[test]
fn an_order_below_one_is_an_error() {
    for (name, device) in crate::support::devices() {
        let x = crate::support::matrix(2, 2, 72).to(device).unwrap();
        for p in [0.5, 0.0, -1.0, f32::NAN] {
            let refused = ops::minkowski(&mut device.stream(), &x, &x, p).unwrap_err();
            assert!(matches!(refused, Error::Param { name: "p", .. }), "{name}: {refused}");
        }
    }
}

#[test]
fn powers_beyond_f32_are_an_error_on_a_gpu_and_no_trouble_on_the_cpu() {
    let x = Matrix::from_rows(&[[0.0], [1e15]]).unwrap();
    for (name, device) in crate::support::devices() {
        let mut stream = device.stream();
        let x = x.to(device).unwrap();
        let found = ops::minkowski(&mut stream, &x, &x, 3.0).unwrap().to_matrix(&mut stream);
        match name {
            "cpu" => assert!((found.unwrap().get(0, 1) / 1e15 - 1.0).abs() < 1e-5),
            _ => assert!(matches!(found, Err(Error::NotFinite { .. })), "{name}"),
        }
    }
}
