use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix, numbers};

/// Distances (one list a candidate) and sums, after an earlier centre was chosen among candidates of its own.
type Found = (Vec<Vec<f32>>, Vec<Vec<f64>>);

fn min_distance_update(
    device: &Device,
    x: &Matrix,
    earlier: &Matrix,
    candidates: &Matrix,
    weights: Option<&[f32]>,
) -> Found {
    let mut stream = device.stream();
    let weights = weights.map(|weights| DeviceVec::from_slice(weights, device).unwrap());
    let (x, earlier, candidates) = (x.to(device).unwrap(), earlier.to(device).unwrap(), candidates.to(device).unwrap());
    let first = ops::min_distance_update(&mut stream, &x, &earlier, None, weights.as_ref()).unwrap();
    let chosen = earlier.rows() - 1;
    let found =
        ops::min_distance_update(&mut stream, &x, &candidates, Some((&first, chosen)), weights.as_ref()).unwrap();
    assert_eq!((found.rows(), found.candidates()), (x.rows(), candidates.rows()));
    let mut distances = vec![];
    for candidate in 0..found.candidates() {
        let blocks = 0..found.rows().div_ceil(4096);
        distances.push(blocks.flat_map(|block| found.block(&mut stream, candidate, block).unwrap()).collect());
    }
    (distances, found.sums(&mut stream).unwrap())
}

fn squared(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
}

#[test]
fn distances_and_their_sums_are_right_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [1, 63, 65, 256, 1000, 4096, 4097, 9000] {
            for (d, t) in [(1, 1), (3, 2), (8, 4), (33, 5)] {
                let (x, earlier, candidates) = (matrix(rows, d, 61), matrix(3, d, 62), matrix(t, d, 63));
                let weights: Vec<f32> = numbers(rows, 64).iter().map(|value| value.abs()).collect();
                let (distances, sums) = min_distance_update(device, &x, &earlier, &candidates, Some(&weights));
                for candidate in 0..t {
                    let mut wanted_sums = vec![0.0_f64; rows.div_ceil(4096)];
                    for row in 0..rows {
                        let near =
                            squared(x.row(row), earlier.row(2)).min(squared(x.row(row), candidates.row(candidate)));
                        let error = (f64::from(distances[candidate][row]) - near).abs();
                        assert!(error <= (d as f64 + 4.0) * EPS * near, "{name}: {rows}×{d}, {row}, {candidate}");
                        wanted_sums[row / 4096] += f64::from(weights[row]) * near;
                    }
                    for (sum, wanted) in sums[candidate].iter().zip(wanted_sums) {
                        assert!((sum - wanted).abs() <= 100.0 * EPS * wanted, "{name}: {sum} for {wanted}");
                    }
                }
            }
        }
    }
}

#[test]
fn no_rows_have_no_distances() {
    for (name, device) in devices() {
        let (distances, sums) =
            min_distance_update(device, &Matrix::zeros(0, 3).unwrap(), &matrix(1, 3, 1), &matrix(2, 3, 2), None);
        assert!(distances.iter().all(Vec::is_empty) && sums.iter().all(Vec::is_empty), "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (x, earlier, candidates) = (matrix(20_000, 12, 65), matrix(2, 12, 66), matrix(6, 12, 67));
    let result = |device: &Device| {
        let (distances, sums) = min_distance_update(device, &x, &earlier, &candidates, None);
        (bits(&distances.concat()), sums)
    };
    let wanted = result(crate::support::gpu());
    for rows in [1000, 4096] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true));
        assert!(result(&device) == wanted, "{rows} rows");
    }
    for mebibytes in [2, 16, 128] {
        let device = gpu_with(DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true));
        assert!(result(&device) == wanted, "{mebibytes} MiB");
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (x, candidates) = (matrix(4, 3, 1).to(device).unwrap(), matrix(2, 3, 2).to(device).unwrap());
        let first = ops::min_distance_update(&mut stream, &x, &candidates, None, None).unwrap();
        let wrong = ops::min_distance_update(&mut stream, &x, &candidates, Some((&first, 2)), None);
        assert!(matches!(wrong, Err(Error::Shape { .. })), "{name}");
        assert!(matches!(first.block(&mut stream, 2, 0), Err(Error::Shape { .. })), "{name}");
        let weights = DeviceVec::from_slice(&[1.0_f32; 3], device).unwrap();
        let wrong = ops::min_distance_update(&mut stream, &x, &candidates, None, Some(&weights));
        assert!(matches!(wrong, Err(Error::Shape { .. })), "{name}");
    }
}
