//! The indexes of neighbours give what the plain search gives.

use gristmill::Metric;
use gristmill::cpu::neighbors::{Index, KdTree, Principal, SearchRows, radius_neighbors};

use super::neighbors::{Found, METRICS, clustered, lattice, plain};
use super::{in_pools, numbers};

/// What the tree must give the bits of.
fn assert_tree_is_plain(metric: Metric, queries: &[f32], rows: &[f32], d: usize) {
    let (n, m) = (queries.len() / d, rows.len() / d);
    let tree = KdTree::build(metric, rows, m, d);
    for k in [1, 10, 70, m.min(300)].into_iter().filter(|&k| k <= m) {
        let (mut indices, mut distances) = (vec![u32::MAX; n * k], vec![f32::NAN; n * k]);
        tree.k_nearest(queries, k, &mut indices, &mut distances);
        assert!((indices, distances) == plain(metric, queries, rows, d, k), "{metric:?} m={m} d={d} k={k}");
    }
    for radius in [0.0, 0.5, 2.0, f32::INFINITY] {
        let found = tree.radius_neighbors(queries, radius);
        assert!(
            found == radius_neighbors(metric, SearchRows::new(queries, n, rows, m, d), radius),
            "{metric:?} m={m} d={d} radius {radius}"
        );
    }
}

#[test]
fn the_tree_has_the_bits_of_the_plain_path() {
    for metric in METRICS.into_iter().filter(|&metric| metric != Metric::Cosine) {
        for (m, d) in [(1, 1), (2, 3), (63, 2), (64, 1), (65, 4), (255, 3), (257, 8), (1000, 2), (3000, 5), (1100, 40)]
        {
            assert_tree_is_plain(metric, &numbers(20 * d, 20), &numbers(m * d, 21), d);
            assert_tree_is_plain(metric, &clustered(12, d, 22), &clustered(m, d, 23), d);
            assert_tree_is_plain(metric, &lattice(12, d, 24), &lattice(m, d, 25), d);
            assert_tree_is_plain(metric, &numbers(5 * d, 26), &vec![0.25; m * d], d);
        }
        let far: Vec<f32> = numbers(1500 * 4, 27).iter().map(|value| value + 1e4).collect();
        assert_tree_is_plain(metric, &far[..100 * 4], &far, 4);
    }
}

#[test]
fn the_tree_does_not_depend_on_threads_or_chunks() {
    let (queries, rows, d, k) = (numbers(1000 * 3, 28), clustered(5000, 3, 29), 3, 6);
    let wanted = plain(Metric::Euclidean, &queries, &rows, d, k);
    for size in [1, 7, 64, 1000] {
        let found = in_pools(|| {
            let tree = KdTree::build(Metric::Euclidean, &rows, 5000, d);
            let mut found: Found = (vec![0; 1000 * k], vec![0.0; 1000 * k]);
            let outputs = found.0.chunks_mut(size * k).zip(found.1.chunks_mut(size * k));
            for (queries, (indices, distances)) in queries.chunks(size * d).zip(outputs) {
                tree.k_nearest(queries, k, indices, distances);
            }
            found
        });
        assert!(found == wanted, "in chunks of {size}");
    }
}

/// Rows that vary along few directions, and a little along all.
fn flat(count: usize, d: usize, noise: f32, seed: u64) -> Vec<f32> {
    let directions = numbers(6 * d, 91);
    let (places, noises) = (numbers(count * 6, seed), numbers(count * d, seed + 1));
    let mut rows = vec![0.0; count * d];
    for ((row, place), noises) in rows.chunks_exact_mut(d).zip(places.chunks_exact(6)).zip(noises.chunks_exact(d)) {
        for (place, direction) in place.iter().zip(directions.chunks_exact(d)) {
            row.iter_mut().zip(direction).for_each(|(value, direction)| *value += place * direction);
        }
        row.iter_mut().zip(noises).for_each(|(value, other)| *value += noise * other);
    }
    rows
}

fn assert_principal_is_plain(queries: &[f32], rows: &[f32], d: usize, wanted: bool) {
    let (n, m) = (queries.len() / d, rows.len() / d);
    let principal = in_pools_some(|| Principal::build(rows, m, d));
    assert!(principal.is_some() || !wanted, "m={m} d={d}: principal coordinates were not worth it");
    let Some(principal) = principal else { return };
    for k in [1, 5, 30] {
        let (mut indices, mut distances) = (vec![u32::MAX; n * k], vec![f32::NAN; n * k]);
        principal.k_nearest(SearchRows::new(queries, n, rows, m, d), k, &mut indices, &mut distances);
        assert!((indices, distances) == plain(Metric::Euclidean, queries, rows, d, k), "m={m} d={d} k={k}");
    }
}

/// In a pool of three threads.
fn in_pools_some<T: Send>(work: impl Fn() -> T + Sync + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap().install(work)
}

#[test]
fn principal_coordinates_have_the_bits_of_the_plain_path() {
    for d in [64, 300] {
        for noise in [0.0, 0.001, 0.05] {
            let (queries, rows) = (flat(60, d, noise, 30), flat(4000, d, noise, 32));
            assert_principal_is_plain(&queries, &rows, d, noise < 0.01);
            // Every row twice: all ties.
            let twice: Vec<f32> = rows.iter().chain(&rows).copied().collect();
            assert_principal_is_plain(&queries, &twice, d, noise < 0.01);
            assert_principal_is_plain(&rows[..40 * d], &twice, d, noise < 0.01);
            let shift = |rows: &[f32]| rows.iter().map(|value| value + 1e4).collect::<Vec<f32>>();
            assert_principal_is_plain(&shift(&queries), &shift(&rows), d, false);
        }
        assert_principal_is_plain(&clustered(100, d, 34), &clustered(3000, d, 35), d, false);
        assert_principal_is_plain(&lattice(100, d, 36), &lattice(3000, d, 37), d, false);
        // Queries unlike the rows give up and are looked at plainly.
        let strange: Vec<f32> =
            numbers(200 * d, 38).iter().zip(0..).map(|(x, i)| if i % 7 < 3 { x * 3e38 } else { *x }).collect();
        assert_principal_is_plain(&numbers(200 * d, 38), &flat(6000, d, 0.001, 39), d, true);
        assert_principal_is_plain(&strange, &flat(6000, d, 0.001, 39), d, true);
    }
}

#[test]
fn principal_coordinates_do_not_depend_on_chunks() {
    let (d, k) = (200, 5);
    let (queries, rows) = (flat(300, d, 0.01, 40), flat(5000, d, 0.01, 42));
    let wanted = plain(Metric::Euclidean, &queries, &rows, d, k);
    let principal = Principal::build(&rows, 5000, d).unwrap();
    for size in [1, 2, 7, 64, 300] {
        let mut found: Found = (vec![0; 300 * k], vec![0.0; 300 * k]);
        let outputs = found.0.chunks_mut(size * k).zip(found.1.chunks_mut(size * k));
        for (queries, (indices, distances)) in queries.chunks(size * d).zip(outputs) {
            principal.k_nearest(SearchRows::new(queries, queries.len() / d, &rows, 5000, d), k, indices, distances);
        }
        assert!(found == wanted, "in chunks of {size}");
    }
}

#[test]
fn noise_is_looked_at_plainly_and_few_directions_are_not() {
    let chosen = |rows: &[f32], d: usize| match Index::choose(Metric::Euclidean, rows, rows.len() / d, d) {
        Index::Plain => "plain",
        Index::Tree(_) => "tree",
        Index::Principal(_) => "principal",
    };
    assert_eq!(chosen(&numbers(1000 * 3, 50), 3), "plain");
    assert_eq!(chosen(&numbers(20_000 * 3, 50), 3), "tree");
    assert_eq!(chosen(&numbers(4000 * 25, 51), 25), "plain");
    assert_eq!(chosen(&numbers(4000 * 100, 52), 100), "plain");
    assert_eq!(chosen(&flat(8000, 300, 0.01, 53), 300), "principal");
    assert_eq!(chosen(&vec![1.0; 4000 * 100], 100), "plain");
}

#[test]
fn every_index_gives_the_same_answer() {
    for (rows, d) in [(numbers(5000 * 3, 60), 3), (flat(5000, 64, 0.001, 61), 64), (numbers(3000 * 50, 62), 50)] {
        let m = rows.len() / d;
        let queries = &rows[..200 * d];
        for metric in METRICS {
            let index = Index::choose(metric, &rows, m, d);
            for k in [5, m] {
                let n = if k == m { 3 } else { 200 };
                let (mut indices, mut distances) = (vec![0; n * k], vec![0.0; n * k]);
                index.k_nearest(
                    metric,
                    SearchRows::new(&queries[..n * d], n, &rows, m, d),
                    k,
                    &mut indices,
                    &mut distances,
                );
                assert!(
                    (indices, distances) == plain(metric, &queries[..n * d], &rows, d, k),
                    "{metric:?} d={d} k={k}"
                );
            }
            let found = index.radius_neighbors(metric, SearchRows::new(queries, 200, &rows, m, d), 0.3);
            assert!(
                found == radius_neighbors(metric, SearchRows::new(queries, 200, &rows, m, d), 0.3),
                "{metric:?} d={d}"
            );
        }
    }
}
