use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix};

fn distances(device: &Device, x: &Matrix, y: &Matrix) -> Matrix {
    let mut stream = device.stream();
    let (x, y) = (x.to(device).unwrap(), y.to(device).unwrap());
    ops::sq_euclidean(&mut stream, &x, &y).unwrap().to_matrix(&mut stream).unwrap()
}

fn oracle(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (*a as f64 - *b as f64).powi(2)).sum()
}

#[test]
fn distances_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for (n, m, d) in [
            (0, 3, 2),
            (3, 0, 2),
            (3, 2, 0),
            (1, 1, 1),
            (2, 1, 3),
            (63, 64, 5),
            (65, 17, 64),
            (127, 129, 16),
            (255, 257, 7),
            (256, 256, 33),
            (1000, 3, 20),
            (3, 1000, 4100),
        ] {
            let (x, y) = (matrix(n, d, 21), matrix(m, d, 22));
            let found = distances(device, &x, &y);
            assert_eq!((found.rows(), found.columns()), (n, m));
            for i in 0..n {
                for j in 0..m {
                    let exact = oracle(x.row(i), y.row(j));
                    let error = (found.get(i, j) as f64 - exact).abs();
                    let bound = (4.0 + 2.0 * (d as f64).sqrt()) * EPS * exact;
                    assert!(error <= bound, "{name} {n}×{m}×{d} at {i}, {j}: {} for {exact}", found.get(i, j));
                }
            }
        }
    }
}

#[test]
fn nearest_neighbours_far_off_centre_equal_the_f64_answer() {
    let mut x = matrix(400, 16, 23);
    x.as_mut_slice().iter_mut().for_each(|value| *value = 1e4 + 1.7 * *value);
    for (name, device) in devices() {
        let found = distances(device, &x, &x);
        for i in 0..400 {
            let others = || (0..400).filter(|j| *j != i);
            let key = |j: &usize| oracle(x.row(i), x.row(*j));
            let wanted = others().min_by(|a, b| key(a).total_cmp(&key(b))).unwrap();
            let nearest = others().min_by(|a, b| found.get(i, *a).total_cmp(&found.get(i, *b))).unwrap();
            assert_eq!(nearest, wanted, "{name}: row {i}");
        }
    }
}

#[test]
fn a_row_is_at_distance_zero_from_itself_and_distances_are_symmetric() {
    let x = matrix(200, 30, 24);
    for (name, device) in devices() {
        let found = distances(device, &x, &x);
        for i in 0..200 {
            assert_eq!(found.get(i, i), 0.0, "{name}");
            assert!((0..200).all(|j| found.get(i, j) == found.get(j, i)), "{name}: row {i}");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (x, y) = (matrix(300, 20, 25), matrix(170, 20, 26));
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        let whole = distances(&gpu_with(options()), &x, &y);
        for rows in [1, 7, 64] {
            let found = distances(&gpu_with(options().chunk_rows(rows)), &x, &y);
            assert_eq!(bits(found.as_slice()), bits(whole.as_slice()), "{rows} rows");
        }
        for mebibytes in [1, 16] {
            let found = distances(&gpu_with(options().memory_budget(mebibytes << 20)), &x, &y);
            assert_eq!(bits(found.as_slice()), bits(whole.as_slice()), "{mebibytes} MiB");
        }
    }
}

#[test]
fn another_width_is_an_error() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (x, y) = (matrix(3, 4, 1).to(device).unwrap(), matrix(3, 5, 1).to(device).unwrap());
        let wrong = ops::sq_euclidean(&mut stream, &x, &y).unwrap_err();
        assert!(matches!(wrong, Error::Shape { op: "sq_euclidean", .. }), "{name}: {wrong}");
    }
}
