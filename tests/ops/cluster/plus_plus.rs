use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{bits, devices, gpu, gpu_with, matrix, numbers};

fn start(device: &Device, x: &Matrix, weights: Option<&[f32]>, k: usize, seed: u64) -> Matrix {
    let weights = weights.map(|weights| DeviceVec::from_slice(weights, device).unwrap());
    ops::plus_plus(&mut device.stream(), &x.to(device).unwrap(), weights.as_ref(), k, (seed, 3)).unwrap()
}

/// Σ of squared distances to the nearest centre, in f64.
fn inertia(x: &Matrix, centers: &Matrix) -> f64 {
    let squared = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    let nearest =
        |row| (0..centers.rows()).map(|at| squared(x.row(row), centers.row(at))).fold(f64::INFINITY, f64::min);
    (0..x.rows()).map(nearest).sum()
}

#[test]
fn the_device_draws_what_the_host_draws_from_its_distances() {
    // In chunks the host draws, by the distances that the device made; in one buffer the device does.
    let x = matrix(9000, 6, 51);
    let weights: Vec<f32> = numbers(9000, 52).iter().map(|value| value.max(0.0)).collect();
    let chunks = gpu_with(DeviceOptions::default().chunk_rows(4096).mark_outputs(true));
    for (k, seed) in [(1, 1), (2, 2), (20, 3), (60, u64::MAX)] {
        for weights in [None, Some(&weights[..])] {
            let there = start(gpu(), &x, weights, k, seed);
            let here = start(&chunks, &x, weights, k, seed);
            assert_eq!(bits(there.as_slice()), bits(here.as_slice()), "{k} centres, seed {seed}");
        }
    }
}

#[test]
fn centres_are_different_rows_at_edge_sizes() {
    for (name, device) in devices() {
        for (rows, d) in [(1, 1), (2, 3), (65, 1), (257, 8), (4097, 5)] {
            let x = matrix(rows, d, 53);
            for k in [1, 2, rows.min(9)].into_iter().filter(|k| *k <= rows) {
                let centers = start(device, &x, None, k, 7);
                assert_eq!((centers.rows(), centers.columns()), (k, d), "{name}");
                let place = |at: usize| (0..rows).find(|row| x.row(*row) == centers.row(at)).unwrap();
                let mut places: Vec<usize> = (0..k).map(place).collect();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), k, "{name}: {rows}×{d}");
            }
        }
    }
}

#[test]
fn tight_clusters_far_apart_each_get_a_centre() {
    // A cluster is 10⁻³ wide, and 10³ from the next.
    let values = numbers(9000, 54).into_iter().enumerate();
    let x: Vec<f32> = values.map(|(at, value)| (at / 2 % 9) as f32 * 1000.0 + 1e-3 * value).collect();
    let x = Matrix::from_vec(4500, 2, x).unwrap();
    for (name, device) in devices() {
        let centers = start(device, &x, None, 9, 5);
        let mut found: Vec<u32> = (0..9).map(|at| (centers.get(at, 0) / 1000.0).round() as u32).collect();
        found.sort_unstable();
        assert_eq!(found, (0..9).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_start_is_far_better_than_random_rows_and_alike_on_every_device() {
    // 250 rows of each cluster after the other, so that the first twelve are of one.
    let (places, noise) = (numbers(48, 55), numbers(12_000, 56));
    let value = |at: usize| 10.0 * places[at / 1000 * 4 + at % 4] + noise[at];
    let x = Matrix::from_vec(3000, 4, (0..12_000).map(value).collect()).unwrap();
    let random = Matrix::from_slice(12, 4, &x.as_slice()[..48]).unwrap();
    for (name, device) in devices() {
        let mean = (0..5).map(|seed| inertia(&x, &start(device, &x, None, 12, seed))).sum::<f64>() / 5.0;
        assert!(mean < 0.5 * inertia(&x, &random), "{name}: {mean}");
    }
}

#[test]
fn rows_of_no_weight_and_rows_that_are_centres_are_not_drawn_while_there_are_others() {
    for (name, device) in devices() {
        let x = Matrix::from_rows(&[[0.0_f32], [1.0], [2.0], [50.0]]).unwrap();
        let centers = start(device, &x, Some(&[1.0, 1.0, 1.0, 0.0]), 3, 8);
        let mut found = centers.as_slice().to_vec();
        found.sort_by(f32::total_cmp);
        assert_eq!(found, [0.0, 1.0, 2.0], "{name}");
        // All rows alike: any will do.
        let x = Matrix::from_vec(5, 1, vec![2.0; 5]).unwrap();
        assert_eq!(start(device, &x, None, 4, 8).as_slice(), [2.0; 4], "{name}");
    }
}

#[test]
fn more_centres_than_rows_are_refused() {
    for (name, device) in devices() {
        let x = matrix(4, 2, 1).to(device).unwrap();
        for k in [0, 5] {
            let wrong = ops::plus_plus(&mut device.stream(), &x, None, k, (0, 0));
            assert!(matches!(wrong, Err(Error::Param { name: "k", .. })), "{name}");
        }
    }
}
