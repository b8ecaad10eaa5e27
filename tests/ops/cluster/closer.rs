use gristmill::ops;
use gristmill::prelude::*;

use crate::common::{EPS, bits, devices, matrix, numbers, open_gpu};

type Found = (Matrix, Matrix);

fn closer(
    device: &Device,
    x: &Matrix,
    candidates: &Matrix,
    closest: Option<(&Matrix, usize)>,
    weights: Option<&[f32]>,
) -> Found {
    let mut stream = device.stream();
    let weights = weights.map(|weights| DeviceVec::from_slice(weights, device).unwrap());
    let closest = closest.map(|(matrix, column)| (matrix.to(device).unwrap(), column));
    let known = closest.as_ref().map(|(matrix, column)| (matrix, *column));
    let (x, candidates) = (x.to(device).unwrap(), candidates.to(device).unwrap());
    let found = ops::closer(&mut stream, &x, &candidates, known, weights.as_ref()).unwrap();
    (found.distances.to_matrix(&mut stream).unwrap(), found.sums.to_matrix(&mut stream).unwrap())
}

fn positive(rows: usize, columns: usize, seed: u64) -> Matrix {
    let values = numbers(rows * columns, seed).iter().map(|value| value.abs()).collect();
    Matrix::from_vec(rows, columns, values).unwrap()
}

#[test]
fn distances_and_their_sums_are_right_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 63, 65, 256, 1000, 4096, 4097, 9000] {
            for (d, t) in [(1, 1), (3, 2), (8, 4), (33, 5)] {
                let (x, candidates, closest) = (matrix(rows, d, 61), matrix(t, d, 62), positive(rows, 3, 63));
                let weights: Vec<f32> = numbers(rows, 64).iter().map(|value| value.abs()).collect();
                let (distances, sums) = closer(device, &x, &candidates, Some((&closest, 2)), Some(&weights));
                assert_eq!((sums.rows(), sums.columns()), (rows.div_ceil(4096), t), "{name}");
                let mut wanted_sums = vec![0.0_f64; sums.rows() * t];
                for row in 0..rows {
                    for candidate in 0..t {
                        let pairs = x.row(row).iter().zip(candidates.row(candidate));
                        let distance: f64 = pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
                        let wanted = distance.min(f64::from(closest.get(row, 2)));
                        let error = (f64::from(distances.get(row, candidate)) - wanted).abs();
                        assert!(error <= (d as f64 + 4.0) * EPS * distance, "{name}: {rows}×{d}, {row}, {candidate}");
                        wanted_sums[row / 4096 * t + candidate] += f64::from(weights[row]) * wanted;
                    }
                }
                for (sum, wanted) in sums.as_slice().iter().zip(wanted_sums) {
                    assert!((f64::from(*sum) - wanted).abs() <= 64.0 * EPS * wanted, "{name}: {sum} for {wanted}");
                }
            }
        }
    }
}

#[test]
fn without_earlier_centres_and_weights_only_the_candidates_count() {
    for (name, device) in devices() {
        let x = Matrix::from_rows(&[[0.0], [4.0], [9.0]]).unwrap();
        let (distances, sums) = closer(device, &x, &Matrix::from_rows(&[[1.0]]).unwrap(), None, None);
        assert_eq!((distances.as_slice(), sums.as_slice()), (&[1.0, 9.0, 64.0][..], &[74.0][..]), "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (x, candidates, closest) = (matrix(20_000, 12, 65), matrix(6, 12, 66), positive(20_000, 2, 67));
    let result = |device: &Device| {
        let (distances, sums) = closer(device, &x, &candidates, Some((&closest, 1)), None);
        (bits(distances.as_slice()), bits(sums.as_slice()))
    };
    let wanted = result(crate::common::gpu());
    for rows in [1000, 4096] {
        let device = open_gpu(DeviceOptions::default().chunk_rows(rows).mark_outputs(true));
        assert!(result(&device) == wanted, "{rows} rows");
    }
    for mebibytes in [2, 16, 128] {
        let device = open_gpu(DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true));
        assert!(result(&device) == wanted, "{mebibytes} MiB");
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (x, candidates) = (matrix(4, 3, 1).to(device).unwrap(), matrix(2, 3, 2).to(device).unwrap());
        let closest = positive(4, 1, 3).to(device).unwrap();
        let wrong = ops::closer(&mut stream, &x, &candidates, Some((&closest, 1)), None);
        assert!(matches!(wrong, Err(Error::Shape { .. })), "{name}");
        let weights = DeviceVec::from_slice(&[1.0_f32; 3], device).unwrap();
        let wrong = ops::closer(&mut stream, &x, &candidates, None, Some(&weights));
        assert!(matches!(wrong, Err(Error::Shape { .. })), "{name}");
    }
}
