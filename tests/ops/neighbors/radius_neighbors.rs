use gristmill::ops::Neighborhoods;
use gristmill::ops::neighbors::radius::{limit, root};
use gristmill::prelude::*;
use gristmill::{Metric, ops};

use super::{METRICS, oracle, tolerance};
use crate::support::{bits, devices, gpu_with, matrix, numbers};

fn radius_neighbors(device: &Device, queries: &Matrix, rows: &Matrix, radius: f32, metric: Metric) -> Neighborhoods {
    let mut stream = device.stream();
    let (queries, rows) = (queries.to(device).unwrap(), rows.to(device).unwrap());
    ops::radius_neighbors(&mut stream, &queries, &rows, radius, metric).unwrap()
}

/// Every row that is clearly inside is found, none that is clearly outside, in order and with its distance.
fn check(name: &str, device: &Device, queries: &Matrix, rows: &Matrix, radius: f32, metric: Metric) {
    let found = radius_neighbors(device, queries, rows, radius, metric);
    let d = rows.columns();
    let case = format!("{name}, {metric:?}, {}×{}×{d}, radius {radius}", queries.rows(), rows.rows());
    assert_eq!(found.offsets.len(), queries.rows() + 1, "{case}");
    assert_eq!(*found.offsets.last().unwrap(), found.indices.len(), "{case}");
    assert_eq!(found.indices.len(), found.distances.len(), "{case}");
    for query in 0..queries.rows() {
        let (indices, distances) = found.get(query);
        assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "{case}: {indices:?}");
        let mut next = 0;
        for row in 0..rows.rows() {
            let exact = oracle(metric, queries.row(query), rows.row(row));
            let slack = tolerance(metric, d, exact) + 1e-7 * radius as f64;
            let is_found = indices.get(next) == Some(&(row as u32));
            if (exact - radius as f64).abs() > slack {
                assert_eq!(is_found, exact < radius as f64, "{case}: query {query}, row {row} at {exact}");
            }
            if is_found {
                let got = distances[next];
                assert!(got <= radius, "{case}: {got}");
                assert!((got as f64 - exact).abs() <= slack, "{case}: {got} for {exact}");
                next += 1;
            }
        }
        assert_eq!(next, indices.len(), "{case}");
    }
}

#[test]
fn what_lies_within_a_radius_at_edge_sizes_matches_the_oracle() {
    for (name, device) in devices() {
        for (n, m, d, radius) in [
            (0, 3, 2, 1.0),
            (3, 0, 2, 1.0),
            (1, 1, 1, 5.0),
            (2, 1, 3, 0.5),
            (63, 64, 5, 1.0),
            (64, 65, 3, 0.3),
            (65, 63, 64, 6.0),
            (255, 257, 7, 2.0),
            (256, 255, 33, 4.5),
            (257, 256, 16, 0.0),
            (300, 1000, 4, 100.0),
            (3, 5000, 2, 0.2),
        ] {
            check(name, device, &matrix(n, d, 51), &matrix(m, d, 52), radius, Metric::Euclidean);
        }
    }
}

#[test]
fn every_metric_finds_its_own_neighbourhoods() {
    for (name, device) in devices() {
        for metric in METRICS {
            let radius = if metric == Metric::Cosine { 0.4 } else { 1.5 };
            check(name, device, &matrix(140, 5, 53), &matrix(300, 5, 54), radius, metric);
        }
    }
}

#[test]
fn a_row_at_the_radius_is_within_it() {
    let lattice = numbers(3 * 400, 55).into_iter().map(|value| (value * 3.0).round()).collect();
    let x = Matrix::from_vec(400, 3, lattice).unwrap();
    for (name, device) in devices() {
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
            for radius in [0.0, 1.0, 3.0] {
                let found = radius_neighbors(device, &x, &x, radius, metric);
                for query in 0..400 {
                    let inside = |row: &u32| oracle(metric, x.row(query), x.row(*row as usize)) <= radius as f64;
                    let wanted: Vec<u32> = (0..400).filter(inside).collect();
                    assert_eq!(found.get(query).0, wanted, "{name}, {metric:?}, {radius}, query {query}");
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (queries, rows) = (matrix(130, 20, 56), matrix(1700, 20, 57));
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        // Few within the first radius, all within the second.
        let both = |device: &Device| {
            [2.6, 9.0].map(|radius| radius_neighbors(device, &queries, &rows, radius, Metric::Euclidean))
        };
        let whole = both(&gpu_with(options()));
        let split = [1, 7, 64].map(|rows| options().chunk_rows(rows));
        for options in split.into_iter().chain([options().memory_budget(1 << 20)]) {
            for (found, whole) in both(&gpu_with(options.clone())).iter().zip(&whole) {
                assert_eq!(found.offsets, whole.offsets, "{options:?}");
                assert_eq!(found.indices, whole.indices, "{options:?}");
                assert_eq!(bits(&found.distances), bits(&whole.distances), "{options:?}");
            }
        }
    }
}

#[test]
fn rows_that_do_not_fit_the_budget_are_streamed_with_the_same_bits() {
    let (queries, rows) = (matrix(600, 20, 60), matrix(6000, 20, 61));
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits);
        let whole = radius_neighbors(&gpu_with(options()), &queries, &rows, 2.6, Metric::Euclidean);
        let tight = gpu_with(options().memory_budget(1 << 20));
        assert!(radius_neighbors(&tight, &queries, &rows, 2.6, Metric::Euclidean) == whole, "{limits:?}");
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = matrix(5, 3, 58).to(device).unwrap();
        for radius in [-1.0, f32::NAN, f32::INFINITY, 1e20] {
            let refused = ops::radius_neighbors(&mut stream, &x, &x, radius, Metric::Euclidean).unwrap_err();
            assert!(matches!(refused, Error::Param { name: "radius", .. }), "{name}: {refused}");
        }
        let other = matrix(5, 4, 59).to(device).unwrap();
        let refused = ops::radius_neighbors(&mut stream, &other, &x, 1.0, Metric::Euclidean).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "radius_neighbors", .. }), "{name}: {refused}");
        let missing = Matrix::from_rows(&[[1.0, 2.0, f32::NAN]]).unwrap().to(device).unwrap();
        let refused = ops::radius_neighbors(&mut stream, &missing, &x, 1.0, Metric::Euclidean).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 0, column: 2, .. }), "{name}: {refused}");
    }
}

#[test]
fn a_distance_beyond_f32_is_within_no_radius() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [1e30]]).unwrap();
    for (name, device) in devices() {
        let found = radius_neighbors(device, &x, &x, 2.0, Metric::Euclidean);
        assert_eq!(found.indices, [0, 1, 0, 1, 2], "{name}");
    }
}

#[test]
fn the_limit_is_the_last_number_whose_root_is_within_the_radius() {
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Minkowski(3.0), Metric::Minkowski(1.5)] {
        for radius in [0.0, 1e-20, 0.1, 0.3, 1.0, 2.0, 5.0, 1e6, 1e9] {
            let limit = limit(metric, radius).unwrap();
            assert!(root(metric, limit) <= radius, "{metric:?}, {radius}");
            assert!(root(metric, limit.next_up()) > radius, "{metric:?}, {radius}");
        }
    }
}
