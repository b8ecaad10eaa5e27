use gristmill::prelude::*;
use gristmill::{Metric, ops};

use super::{METRICS, oracle, tolerance};
use crate::support::{baseline, bits, devices, gpu, gpu_with, matrix, numbers};

fn k_nearest(device: &Device, queries: &Matrix, rows: &Matrix, k: usize, metric: Metric) -> (Vec<u32>, Vec<f32>) {
    let mut stream = device.stream();
    let (queries, rows) = (queries.to(device).unwrap(), rows.to(device).unwrap());
    let (indices, distances) = ops::k_nearest(&mut stream, &queries, &rows, k, metric).unwrap();
    assert_eq!((distances.rows(), distances.columns()), (queries.rows(), k));
    (indices.to_vec(&mut stream).unwrap(), distances.to_matrix(&mut stream).unwrap().as_slice().to_vec())
}

/// All rows in f64, nearest first, the lowest index of equals.
fn sorted(metric: Metric, query: &[f32], rows: &Matrix) -> Vec<(f64, u32)> {
    let mut all: Vec<_> = (0..rows.rows()).map(|row| (oracle(metric, query, rows.row(row)), row as u32)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

/// Each place has the exact distance within the tolerance, and the exact index where no other is as near as that.
fn check(name: &str, device: &Device, queries: &Matrix, rows: &Matrix, k: usize, metric: Metric) {
    let (indices, distances) = k_nearest(device, queries, rows, k, metric);
    let d = rows.columns();
    for query in (0..queries.rows()).step_by(1 + queries.rows() / 50) {
        let exact = sorted(metric, queries.row(query), rows);
        let case = || format!("{name}, {metric:?}, {}×{}×{d}, k {k}, query {query}", queries.rows(), rows.rows());
        let found = &indices[query * k..(query + 1) * k];
        let mut seen = found.to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), k, "{}: a row twice in {found:?}", case());
        for place in 0..k {
            let (want, index) = exact[place];
            let got = distances[query * k + place] as f64;
            let slack = tolerance(metric, d, want);
            assert!((got - want).abs() <= slack, "{}: place {place} is {got} for {want}", case());
            let clear = |other: Option<&(f64, u32)>| other.is_none_or(|other| (other.0 - want).abs() > 2.0 * slack);
            if clear(exact.get(place + 1)) && clear(place.checked_sub(1).and_then(|before| exact.get(before))) {
                assert_eq!(found[place], index, "{}: place {place}", case());
            }
            let own = oracle(metric, queries.row(query), rows.row(found[place] as usize));
            assert!((got - own).abs() <= tolerance(metric, d, own), "{}: {got} is not the distance {own}", case());
        }
    }
}

#[test]
fn the_nearest_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for (n, m, d, k) in [
            (0, 3, 2, 1),
            (1, 1, 1, 1),
            (2, 1, 3, 1),
            (1, 1000, 5, 5),
            (63, 64, 5, 1),
            (64, 65, 3, 10),
            (65, 63, 64, 32),
            (255, 257, 7, 5),
            (256, 255, 33, 10),
            (257, 256, 16, 32),
            (1000, 1000, 8, 10),
            (3, 5000, 4, 32),
            (300, 77, 65, 4),
            (129, 90, 128, 7),
            (33, 70, 129, 2),
            (20, 40, 4100, 3),
            (10, 33, 4, 33),
            (65, 256, 6, 33),
            (7, 257, 3, 100),
            (70, 1000, 9, 100),
            (3, 1000, 2, 1000),
            (2, 3000, 2, 2049),
        ] {
            check(name, device, &matrix(n, d, 31), &matrix(m, d, 32), k, Metric::Euclidean);
        }
    }
}

#[test]
fn every_metric_finds_its_own_nearest() {
    for (name, device) in devices() {
        for metric in METRICS {
            for (n, m, d, k) in [(130, 300, 11, 5), (40, 257, 3, 32), (30, 300, 20, 64)] {
                check(name, device, &matrix(n, d, 33), &matrix(m, d, 34), k, metric);
            }
        }
    }
}

/// Points of a small integer lattice, whose distances are exact and full of ties.
fn lattice(rows: usize, columns: usize, seed: u64) -> Matrix {
    let values = numbers(rows * columns, seed).into_iter().map(|value| (value * 2.5).round()).collect();
    Matrix::from_vec(rows, columns, values).unwrap()
}

#[test]
fn ties_go_to_the_lowest_index() {
    let (queries, rows) = (lattice(150, 3, 35), lattice(700, 3, 36));
    for (name, device) in devices() {
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
            for k in [1, 5, 10, 32, 33, 100, 700] {
                let (indices, distances) = k_nearest(device, &queries, &rows, k, metric);
                for query in 0..150 {
                    let exact = sorted(metric, queries.row(query), &rows);
                    let wanted: Vec<u32> = exact[..k].iter().map(|(_, index)| *index).collect();
                    assert_eq!(indices[query * k..(query + 1) * k], wanted, "{name}, {metric:?}, k {k}, query {query}");
                    for (got, (want, _)) in distances[query * k..].iter().zip(&exact[..k]) {
                        assert!((*got as f64 - want).abs() <= 1e-6 * want, "{name}: {got} for {want}");
                    }
                }
            }
        }
    }
}

#[test]
fn equal_rows_come_in_the_order_of_their_indices() {
    let rows = Matrix::from_vec(300, 4, [1.5, -2.0, 0.25, 3.0].repeat(300)).unwrap();
    for (name, device) in devices() {
        for metric in METRICS {
            for k in [1, 32, 50, 300] {
                let (indices, distances) = k_nearest(device, &rows, &rows, k, metric);
                assert!(distances.iter().all(|distance| distance.abs() < 1e-6), "{name}, {metric:?}");
                let wanted: Vec<u32> = (0..k as u32).collect();
                assert!(indices.chunks(k).all(|found| found == wanted), "{name}, {metric:?}, k {k}");
            }
        }
    }
}

#[test]
fn rows_that_come_nearer_and_nearer_all_pass_through_the_list() {
    // Every row is nearer than all before it: the most that the queues must hold.
    let rows = Matrix::from_vec(1500, 1, (0..1500).map(|row| (1500 - row) as f32).collect()).unwrap();
    let queries = Matrix::from_vec(200, 1, (0..200).map(|row| -(row as f32)).collect()).unwrap();
    for (name, device) in devices() {
        for k in [1, 10, 32] {
            let (indices, _) = k_nearest(device, &queries, &rows, k, Metric::Manhattan);
            let wanted: Vec<u32> = (0..k as u32).map(|place| 1499 - place).collect();
            assert!(indices.chunks(k).all(|found| found == wanted), "{name}, k {k}");
        }
    }
}

#[test]
fn data_far_off_centre_has_the_nearest_of_f64() {
    let mut x = matrix(400, 16, 37);
    x.as_mut_slice().iter_mut().for_each(|value| *value = 1e4 + 1.7 * *value);
    for (name, device) in devices() {
        for k in [5, 40] {
            check(name, device, &x, &x, k, Metric::Euclidean);
        }
    }
}

#[test]
fn rows_without_columns_are_all_equally_near() {
    let x = Matrix::from_vec(5, 0, vec![]).unwrap();
    for (name, device) in devices() {
        for (metric, distance) in [(Metric::Euclidean, 0.0), (Metric::Cosine, 1.0)] {
            let (indices, distances) = k_nearest(device, &x, &x, 2, metric);
            assert_eq!(indices, [0, 1].repeat(5), "{name}");
            assert_eq!(distances, [distance; 10], "{name}");
        }
    }
}

#[test]
fn both_limits_give_the_same_bits() {
    use Metric::{Chebyshev, Cosine, Euclidean, Manhattan};
    for (d, metrics) in [(11, &[Euclidean, Manhattan, Chebyshev, Cosine][..]), (64, &[Euclidean]), (128, &[Euclidean])]
    {
        let (queries, rows) = (matrix(300, d, 42), matrix(1000, d, 43));
        for &metric in metrics {
            let whole = k_nearest(gpu(), &queries, &rows, 10, metric);
            let least = k_nearest(baseline(), &queries, &rows, 10, metric);
            assert_eq!((whole.0, bits(&whole.1)), (least.0, bits(&least.1)), "{metric:?}, {d} columns");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (queries, rows) = (matrix(130, 20, 38), matrix(1700, 20, 39));
    let cases = [(10, Metric::Euclidean), (32, Metric::Cosine), (70, Metric::Euclidean)];
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        let whole = gpu_with(options());
        let whole = cases.map(|(k, metric)| k_nearest(&whole, &queries, &rows, k, metric));
        let split = [1, 7, 64].map(|rows| options().chunk_rows(rows));
        for options in split.into_iter().chain([options().memory_budget(1 << 20)]) {
            let device = gpu_with(options.clone());
            for ((k, metric), whole) in cases.iter().zip(&whole) {
                let found = k_nearest(&device, &queries, &rows, *k, *metric);
                assert_eq!(found.0, whole.0, "k {k}, {options:?}");
                assert_eq!(bits(&found.1), bits(&whole.1), "k {k}, {options:?}");
            }
        }
    }
}

#[test]
fn rows_that_do_not_fit_the_budget_are_streamed_with_the_same_bits() {
    let (queries, rows) = (matrix(600, 20, 48), matrix(6000, 20, 49));
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits);
        let (roomy, tight) = (gpu_with(options()), gpu_with(options().memory_budget(1 << 20)));
        for k in [10, 32, 70] {
            let whole = k_nearest(&roomy, &queries, &rows, k, Metric::Euclidean);
            let found = k_nearest(&tight, &queries, &rows, k, Metric::Euclidean);
            assert!(found.0 == whole.0 && bits(&found.1) == bits(&whole.1), "{limits:?}, k {k}");
        }
    }
}

#[test]
fn a_query_is_answered_the_same_alone_and_among_others() {
    let (queries, rows) = (matrix(300, 12, 40), matrix(2000, 12, 41));
    for (name, device) in devices() {
        let together = k_nearest(device, &queries, &rows, 7, Metric::Euclidean);
        for query in [0, 130, 299] {
            let alone = Matrix::from_vec(1, 12, queries.row(query).to_vec()).unwrap();
            let (indices, distances) = k_nearest(device, &alone, &rows, 7, Metric::Euclidean);
            assert_eq!(indices, together.0[7 * query..7 * query + 7], "{name}");
            assert_eq!(bits(&distances), bits(&together.1[7 * query..7 * query + 7]), "{name}");
        }
    }
}

#[test]
fn the_list_and_the_selection_agree() {
    let (queries, rows) = (matrix(100, 10, 42), matrix(900, 10, 43));
    for (name, device) in devices() {
        for metric in METRICS {
            let (few, near) = k_nearest(device, &queries, &rows, 32, metric);
            let (many, far) = k_nearest(device, &queries, &rows, 40, metric);
            for query in 0..100 {
                let (few, many) = (&few[32 * query..][..32], &many[40 * query..][..32]);
                assert_eq!(few, many, "{name}, {metric:?}, query {query}");
                assert_eq!(bits(&near[32 * query..][..32]), bits(&far[40 * query..][..32]), "{name}, {metric:?}");
            }
        }
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = matrix(5, 3, 44).to(device).unwrap();
        for k in [0, 6] {
            let refused = ops::k_nearest(&mut stream, &x, &x, k, Metric::Euclidean).unwrap_err();
            assert!(matches!(refused, Error::Param { name: "k", .. }), "{name}: {refused}");
        }
        let other = matrix(5, 4, 45).to(device).unwrap();
        let refused = ops::k_nearest(&mut stream, &other, &x, 1, Metric::Euclidean).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "k_nearest", .. }), "{name}: {refused}");
        let refused = ops::k_nearest(&mut stream, &x, &x, 1, Metric::Minkowski(0.5)).unwrap_err();
        assert!(matches!(refused, Error::Param { name: "p", .. }), "{name}: {refused}");
        let missing = Matrix::from_rows(&[[1.0, 2.0, f32::NAN]]).unwrap().to(device).unwrap();
        let refused = ops::k_nearest(&mut stream, &missing, &x, 1, Metric::Euclidean).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 0, column: 2, .. }), "{name}: {refused}");
    }
}

#[test]
fn a_distance_beyond_f32_is_an_error_where_it_is_wanted_and_no_trouble_where_it_is_not() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [1e30]]).unwrap();
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = x.to(device).unwrap();
        let (indices, _) = ops::k_nearest(&mut stream, &x, &x, 1, Metric::Euclidean).unwrap();
        assert_eq!(indices.to_vec(&mut stream).unwrap(), [0, 1, 2], "{name}");
        let (_, distances) = ops::k_nearest(&mut stream, &x, &x, 3, Metric::Euclidean).unwrap();
        assert!(matches!(distances.to_matrix(&mut stream), Err(Error::NotFinite { .. })), "{name}");
    }
}

#[test]
fn products_find_what_the_direct_form_finds_to_the_bit() {
    let moved = |shift: f32, scale: f32| {
        let mut x = matrix(900, 24, 50);
        x.as_mut_slice().iter_mut().for_each(|value| *value = shift + scale * *value);
        x
    };
    let mut outlier = matrix(900, 24, 51);
    outlier.as_mut_slice()[24 * 7] = 3e4;
    let mut twice = matrix(900, 24, 52);
    twice.as_mut_slice().copy_within(0..24 * 450, 24 * 450);
    let cases = [
        ("ordinary", matrix(900, 24, 53)),
        ("far off-centre", moved(1e4, 1.7)),
        ("so far that rounding is all there is", moved(1e7, 3.0)),
        ("an outlier", outlier),
        ("every row twice", twice),
        ("a lattice", lattice(900, 24, 54)),
        ("all alike", Matrix::from_vec(900, 24, vec![0.3; 900 * 24]).unwrap()),
        ("near the end of f32", moved(0.0, 1e18)),
        ("beside the smallest numbers", moved(0.0, 1e-22)),
    ];
    // Candidates in two chunks are not for products, which look them up one by one.
    let directly = gpu_with(DeviceOptions::default().chunk_rows(451));
    for (what, rows) in cases {
        let queries = Matrix::from_vec(150, 24, rows.as_slice()[..150 * 24].to_vec()).unwrap();
        for k in [1, 32] {
            let wanted = k_nearest(&directly, &queries, &rows, k, Metric::Euclidean);
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let found = k_nearest(device, &queries, &rows, k, Metric::Euclidean);
                assert_eq!(found.0, wanted.0, "{what}, {name}, k {k}");
                assert_eq!(bits(&found.1), bits(&wanted.1), "{what}, {name}, k {k}");
            }
        }
    }
}
