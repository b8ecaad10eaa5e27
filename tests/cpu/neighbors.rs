//! Nearest neighbours and neighbourhoods against f64, and every path against the plain one, bit by bit.

use gristmill::Metric;
use gristmill::cpu::neighbors::{Neighborhoods, SearchRows, k_nearest, radius_neighbors};

use super::{U, in_pools, numbers, words};

pub(super) const METRICS: [Metric; 7] = [
    Metric::Euclidean,
    Metric::Manhattan,
    Metric::Chebyshev,
    Metric::Minkowski(1.0),
    Metric::Minkowski(3.0),
    Metric::Minkowski(2.5),
    Metric::Cosine,
];

/// The distance in f64.
fn oracle(metric: Metric, a: &[f32], b: &[f32]) -> f64 {
    let differences = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs());
    match metric {
        Metric::Euclidean => differences.map(|value| value * value).sum::<f64>().sqrt(),
        Metric::Manhattan => differences.sum(),
        Metric::Chebyshev => differences.fold(0.0, f64::max),
        Metric::Minkowski(p) => differences.map(|value| value.powf(f64::from(p))).sum::<f64>().powf(1.0 / f64::from(p)),
        Metric::Cosine => {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
            let lengths = (dot(a, a) * dot(b, b)).sqrt();
            if lengths > 0.0 { 1.0 - dot(a, b) / lengths } else { 1.0 }
        }
    }
}

/// How far a computed distance may be from the exact one.
fn tolerance(metric: Metric, d: usize, exact: f64) -> f64 {
    let steps = d.min(256) as f64 + 40.0;
    if metric == Metric::Cosine { steps * U } else { steps * U * exact + 1e-37 }
}

pub(super) type Found = (Vec<u32>, Vec<f32>);

pub(super) fn plain(metric: Metric, queries: &[f32], rows: &[f32], d: usize, k: usize) -> Found {
    let (n, m) = (queries.len() / d, rows.len() / d);
    let (mut indices, mut distances) = (vec![u32::MAX; n * k], vec![f32::NAN; n * k]);
    k_nearest(metric, SearchRows::new(queries, n, rows, m, d), k, &mut indices, &mut distances);
    (indices, distances)
}

/// Asserts that a result is what f64 says: right distances, none nearer left out, in order, no row twice.
fn check(metric: Metric, queries: &[f32], rows: &[f32], d: usize, k: usize, found: &Found) {
    for (query, (indices, distances)) in
        queries.chunks_exact(d).zip(found.0.chunks_exact(k).zip(found.1.chunks_exact(k)))
    {
        let exact: Vec<f64> = rows.chunks_exact(d).map(|row| oracle(metric, query, row)).collect();
        let mut sorted = exact.clone();
        sorted.sort_by(f64::total_cmp);
        for (place, (&index, &distance)) in indices.iter().zip(distances).enumerate() {
            let wanted = exact[index as usize];
            let slack = tolerance(metric, d, wanted);
            assert!((f64::from(distance) - wanted).abs() <= slack, "{metric:?} d={d}: {distance} is not {wanted}");
            assert!(
                (sorted[place] - wanted).abs() <= 2.0 * slack,
                "{metric:?} d={d} place {place}: a nearer row is left out"
            );
        }
        assert!(distances.is_sorted());
        let mut rows: Vec<u32> = indices.to_vec();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), k, "{metric:?}: a row twice");
    }
}

/// Rows that tie often: small whole numbers.
pub(super) fn lattice(count: usize, d: usize, seed: u64) -> Vec<f32> {
    words(count * d, seed).into_iter().map(|word| (word % 4) as f32).collect()
}

/// Rows around few centres, some of them repeated.
pub(super) fn clustered(count: usize, d: usize, seed: u64) -> Vec<f32> {
    let centres = numbers(5 * d, 77);
    let noise = numbers(count * d, seed);
    let mut rows = Vec::with_capacity(count * d);
    for (index, noise) in noise.chunks_exact(d).enumerate() {
        let centre = &centres[index % 5 * d..(index % 5 + 1) * d];
        let scale = if index % 7 == 0 { 0.0 } else { 0.05 };
        rows.extend(centre.iter().zip(noise).map(|(&centre, &noise)| 10.0 * centre + scale * noise));
    }
    rows
}

#[test]
fn every_metric_agrees_with_f64_at_edge_sizes() {
    for metric in METRICS {
        for (n, m, d) in
            [(1, 1, 1), (2, 63, 2), (63, 64, 3), (5, 65, 63), (7, 255, 64), (3, 256, 65), (49, 257, 5), (4, 1000, 257)]
        {
            let (queries, rows) = (numbers(n * d, 1), numbers(m * d, 2));
            for k in [1, 5, 65, m].into_iter().filter(|&k| k <= m) {
                check(metric, &queries, &rows, d, k, &plain(metric, &queries, &rows, d, k));
            }
        }
    }
}

#[test]
fn no_queries_give_no_neighbours() {
    for metric in METRICS {
        assert_eq!(plain(metric, &[], &[1.0, 2.0], 2, 1), (vec![], vec![]));
        let found = radius_neighbors(metric, SearchRows::new(&[], 0, &[1.0, 2.0], 1, 2), 1.0);
        assert_eq!(found, Neighborhoods { offsets: vec![0], indices: vec![], distances: vec![] });
    }
}

#[test]
fn rows_without_columns_are_all_alike() {
    let (mut indices, mut distances) = (vec![9; 4], vec![9.0; 4]);
    k_nearest(Metric::Euclidean, SearchRows::new(&[], 2, &[], 3, 0), 2, &mut indices, &mut distances);
    assert_eq!((indices, distances), (vec![0, 1, 0, 1], vec![0.0; 4]));
    assert_eq!(radius_neighbors(Metric::Cosine, SearchRows::new(&[], 1, &[], 2, 0), 0.5).indices, Vec::<u32>::new());
    assert_eq!(radius_neighbors(Metric::Manhattan, SearchRows::new(&[], 1, &[], 2, 0), 0.0).indices, vec![0, 1]);
}

#[test]
fn equal_distances_go_to_the_lowest_index() {
    for k in [1, 3, 64, 65, 300, 1000] {
        let rows = vec![1.5; 1000 * 3];
        let (indices, distances) = plain(Metric::Euclidean, &[1.5, 1.5, 2.5], &rows, 3, k);
        assert!(indices.iter().enumerate().all(|(place, &index)| index as usize == place));
        assert!(distances.iter().all(|&distance| distance == 1.0));
    }
}

#[test]
fn ties_are_in_index_order_everywhere() {
    for metric in METRICS {
        let (queries, rows) = (lattice(50, 3, 3), lattice(700, 3, 4));
        for k in [5, 100, 700] {
            let (indices, distances) = plain(metric, &queries, &rows, 3, k);
            for (indices, distances) in indices.chunks_exact(k).zip(distances.chunks_exact(k)) {
                for place in 1..k {
                    let tie = distances[place - 1].to_bits() == distances[place].to_bits();
                    // Different squared sums may share a root; on small whole numbers they do not.
                    assert!(!tie || indices[place - 1] < indices[place], "{metric:?}");
                }
            }
            check(metric, &queries, &rows, 3, k, &(indices, distances));
        }
    }
}

#[test]
fn far_off_centre_and_constant_columns_are_exact() {
    let d = 8;
    let shift = |values: Vec<f32>| -> Vec<f32> {
        let columns = |(place, value): (usize, f32)| if place % d == 3 { 12_345.0 } else { value + 1e4 };
        values.into_iter().enumerate().map(columns).collect()
    };
    let (queries, rows) = (shift(numbers(40 * d, 5)), shift(numbers(900 * d, 6)));
    for metric in METRICS {
        check(metric, &queries, &rows, d, 10, &plain(metric, &queries, &rows, d, 10));
    }
    let (indices, distances) = plain(Metric::Euclidean, &rows, &rows, d, 1);
    assert!(indices.iter().enumerate().all(|(place, &index)| index as usize == place));
    assert!(distances.iter().all(|&distance| distance == 0.0));
}

#[test]
fn rows_of_zeros_are_at_cosine_distance_one() {
    let rows = [0.0, 0.0, 1.0, 0.0, -2.0, 0.0, 0.0, 3.0];
    let (indices, distances) = plain(Metric::Cosine, &[5.0, 0.0, 0.0, 0.0], &rows, 2, 4);
    assert_eq!(indices, [1, 0, 3, 2, 0, 1, 2, 3]);
    assert_eq!(distances, [0.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn distances_beyond_f32_still_have_an_order() {
    let rows = [1e30, -1e30, 0.0, 2e30];
    let (indices, distances) = plain(Metric::Euclidean, &[0.0], &rows, 1, 4);
    assert_eq!(indices, [2, 0, 1, 3]);
    assert_eq!(distances, [0.0, f32::INFINITY, f32::INFINITY, f32::INFINITY]);
    assert_eq!(radius_neighbors(Metric::Euclidean, SearchRows::new(&[0.0], 1, &rows, 4, 1), f32::MAX).indices, [2]);
    assert_eq!(
        radius_neighbors(Metric::Euclidean, SearchRows::new(&[0.0], 1, &rows, 4, 1), f32::INFINITY).indices,
        [0, 1, 2, 3]
    );
}

#[test]
fn queries_in_chunks_of_any_size_and_any_threads_give_the_same_bits() {
    for (metric, d) in METRICS.into_iter().zip([8, 64, 300, 5, 3, 3, 20]) {
        let (queries, rows) = (numbers(1000 * d, 7), clustered(600, d, 8));
        let (k, radius) = (7, 1.5);
        let whole = in_pools(|| plain(metric, &queries, &rows, d, k));
        let near = in_pools(|| radius_neighbors(metric, SearchRows::new(&queries, 1000, &rows, 600, d), radius));
        for size in [1, 2, 7, 64] {
            let count = if size < 64 { 10 * size } else { 300 };
            let mut found: Found = Default::default();
            let mut rows_near = Vec::new();
            for chunk in queries[..count * d].chunks(size * d) {
                let (indices, distances) = plain(metric, chunk, &rows, d, k);
                found.0.extend(indices);
                found.1.extend(distances);
                rows_near.extend(
                    radius_neighbors(metric, SearchRows::new(chunk, chunk.len() / d, &rows, 600, d), radius).indices,
                );
            }
            assert_eq!(found.0, whole.0[..count * k], "{metric:?} in chunks of {size}");
            assert_eq!(found.1, whole.1[..count * k], "{metric:?} in chunks of {size}");
            assert_eq!(rows_near, near.indices[..near.offsets[count]], "{metric:?} in chunks of {size}");
        }
    }
}

#[test]
fn sums_longer_than_a_span_agree_with_f64() {
    let d = 5000;
    let (queries, rows) = (numbers(3 * d, 9), numbers(70 * d, 10));
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Cosine] {
        check(metric, &queries, &rows, d, 9, &in_pools(|| plain(metric, &queries, &rows, d, 9)));
    }
}

#[test]
fn a_radius_holds_exactly_the_rows_whose_rounded_distance_it_reaches() {
    for metric in METRICS {
        let (queries, rows, d) = (clustered(30, 3, 11), clustered(600, 3, 12), 3);
        let (indices, distances) = plain(metric, &queries, &rows, d, 600);
        // A radius that is itself a distance, the numbers next to it, nothing and everything.
        let one = distances[600 * 3 + 50];
        for radius in [0.0, one, one.next_down(), one.next_up(), 1.0, f32::MAX, f32::INFINITY] {
            let found = radius_neighbors(metric, SearchRows::new(&queries, 30, &rows, 600, d), radius);
            for query in 0..30 {
                let range = query * 600..(query + 1) * 600;
                let pairs = indices[range.clone()].iter().zip(&distances[range]);
                let mut wanted: Vec<(u32, f32)> =
                    pairs.filter(|pair| *pair.1 <= radius).map(|(&i, &v)| (i, v)).collect();
                wanted.sort_by_key(|pair| pair.0);
                let (indices, distances) = found.get(query);
                let got: Vec<(u32, f32)> = indices.iter().copied().zip(distances.iter().copied()).collect();
                assert_eq!(got, wanted, "{metric:?} radius {radius}");
            }
        }
    }
}
