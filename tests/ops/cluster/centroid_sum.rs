use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix, numbers};

fn labels(rows: usize, k: usize, seed: u64) -> Vec<u32> {
    numbers(rows, seed).iter().map(|value| ((value + 1.0) / 2.0 * k as f32) as u32 % k as u32).collect()
}

fn sums(device: &Device, x: &Matrix, labels: &[u32], weights: Option<&[f32]>, centers: &Matrix) -> (Matrix, Vec<f32>) {
    let mut stream = device.stream();
    let labels = DeviceVec::from_slice(labels, device).unwrap();
    let weights = weights.map(|weights| DeviceVec::from_slice(weights, device).unwrap());
    let (x, centers) = (x.to(device).unwrap(), centers.to(device).unwrap());
    let (sums, counts) = ops::centroid_sum(&mut stream, &x, &labels, weights.as_ref(), &centers).unwrap();
    (sums.to_matrix(&mut stream).unwrap(), counts.to_vec(&mut stream).unwrap())
}

fn check(name: &str, device: &Device, (rows, d, k): (usize, usize, usize), weighted: bool) {
    let (x, centers, labels) = (matrix(rows, d, 41), matrix(k, d, 42), labels(rows, k, 43));
    let weights: Option<Vec<f32>> =
        weighted.then(|| numbers(rows, 44).iter().map(|value| (value + 0.8).max(0.0)).collect());
    let (sums, counts) = sums(device, &x, &labels, weights.as_deref(), &centers);
    for (cluster, &count) in counts.iter().enumerate() {
        let members: Vec<usize> = (0..rows).filter(|row| labels[*row] == cluster as u32).collect();
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| f64::from(weights[row]));
        let total: f64 = members.iter().map(|row| weight(*row)).sum();
        let bound = (members.len() as f64 + 3.0) * EPS;
        assert!((f64::from(count) - total).abs() <= bound * total, "{name}: count of {cluster}");
        for column in 0..d {
            let term =
                |row: &usize| weight(*row) * (f64::from(x.get(*row, column)) - f64::from(centers.get(cluster, column)));
            let (sum, size) =
                members.iter().map(term).fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
            let error = (f64::from(sums.get(cluster, column)) - sum).abs();
            assert!(error <= bound * size, "{name}: cluster {cluster}, column {column}: off by {error}");
        }
    }
}

#[test]
fn sums_are_right_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 5000] {
            for (d, k) in [(1, 1), (3, 2), (4, 64), (33, 7), (8, 300), (64, 3), (67, 5), (130, 2)] {
                for weighted in [false, true] {
                    check(&format!("{name}: {rows}×{d}, k = {k}"), device, (rows, d, k), weighted);
                }
            }
        }
    }
}

#[test]
fn one_cluster_may_have_all_rows() {
    for (name, device) in devices() {
        check(name, device, (70_000, 5, 1), false);
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (x, centers, labels) = (matrix(9000, 30, 45), matrix(20, 30, 46), labels(9000, 20, 47));
    let weights = vec![0.7; 9000];
    let result = |device: &Device| {
        let (sums, counts) = sums(device, &x, &labels, Some(&weights), &centers);
        (bits(sums.as_slice()), bits(&counts))
    };
    let wanted = result(crate::support::gpu());
    assert_eq!(result(crate::support::baseline()), wanted);
    for rows in [1, 2, 7, 64, 1000] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true));
        assert!(result(&device) == wanted, "{rows} rows");
    }
    for mebibytes in [1, 16, 128] {
        let device = gpu_with(DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true));
        assert!(result(&device) == wanted, "{mebibytes} MiB");
    }
}

#[test]
fn both_limits_give_the_same_bits() {
    for (rows, d, k) in [(3000, 7, 70), (2500, 64, 5), (1500, 150, 9)] {
        let (x, centers, labels) = (matrix(rows, d, 48), matrix(k, d, 49), labels(rows, k, 50));
        let weights: Vec<f32> = numbers(rows, 51).iter().map(|value| value + 1.5).collect();
        for weights in [None, Some(&weights[..])] {
            let result = |device: &Device| {
                let (sums, counts) = sums(device, &x, &labels, weights, &centers);
                (bits(sums.as_slice()), bits(&counts))
            };
            let wanted = result(crate::support::gpu());
            assert!(result(crate::support::baseline()) == wanted, "baseline, {rows}×{d}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (x, centers) = (matrix(4, 3, 1).to(device).unwrap(), matrix(2, 3, 2).to(device).unwrap());
        let three = DeviceVec::from_slice(&[0_u32, 1, 0], device).unwrap();
        let result = ops::centroid_sum(&mut stream, &x, &three, None, &centers);
        assert!(matches!(result, Err(Error::Shape { .. })), "{name}");
        let strange = DeviceVec::from_slice(&[0_u32, 1, 0, 2], device).unwrap();
        let read = ops::centroid_sum(&mut stream, &x, &strange, None, &centers)
            .and_then(|(sums, _)| sums.to_matrix(&mut stream));
        assert!(matches!(read, Err(Error::Param { .. })), "{name}: {read:?}");
    }
}
