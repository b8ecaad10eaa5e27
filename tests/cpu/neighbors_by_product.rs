//! Many queries are searched by products, a few by the direct form: the bits are the same, whatever the rows.

use gristmill::Metric;

use super::neighbors::{Found, plain};
use super::{bits, in_pools, numbers};

/// Twenty queries at a time are too few for products.
fn directly(queries: &[f32], rows: &[f32], d: usize, k: usize) -> Found {
    let parts = queries.chunks(20 * d).map(|queries| plain(Metric::Euclidean, queries, rows, d, k));
    parts.fold((vec![], vec![]), |(mut indices, mut distances), part| {
        indices.extend(part.0);
        distances.extend(part.1);
        (indices, distances)
    })
}

#[track_caller]
fn same(queries: &[f32], rows: &[f32], d: usize, k: usize) {
    let found = in_pools(|| plain(Metric::Euclidean, queries, rows, d, k));
    let wanted = directly(queries, rows, d, k);
    assert_eq!(found.0, wanted.0);
    assert_eq!(bits(&found.1), bits(&wanted.1));
}

#[test]
fn products_find_the_neighbours_of_the_direct_form() {
    for (d, k, m) in [(12, 1, 513), (31, 5, 5000), (64, 20, 1100), (255, 3, 700), (256, 3, 700), (513, 64, 1024)] {
        let rows = numbers(m * d, 1);
        same(&numbers(130 * d, 2), &rows, d, k);
        same(&rows[..130 * d], &rows, d, k);
    }
}

#[test]
fn far_from_the_origin_the_neighbours_are_still_exact() {
    let (d, k, m) = (24, 7, 2000);
    for offset in [100.0, 1e4, 1e6] {
        let moved = |values: Vec<f32>| values.into_iter().map(|value| value + offset).collect::<Vec<_>>();
        same(&moved(numbers(100 * d, 3)), &moved(numbers(m * d, 4)), d, k);
    }
    // Two groups, so that no centre is near both.
    let mut rows = numbers(m * d, 5);
    rows[m / 2 * d..].iter_mut().for_each(|value| *value += 1e5);
    same(&rows[m / 2 * d - 60 * d..m / 2 * d + 60 * d], &rows, d, k);
}

#[test]
fn of_equal_rows_the_lowest_indices_are_taken() {
    let (d, m) = (16, 1600);
    let some = numbers(7 * d, 6);
    let repeated: Vec<f32> = (0..m).flat_map(|row| some[row % 7 * d..(row % 7 + 1) * d].to_vec()).collect();
    same(&repeated[..100 * d], &repeated, d, 5);
    same(&numbers(100 * d, 7), &repeated, d, 50);
    same(&vec![0.5; 100 * d], &vec![0.5; m * d], d, 3);
    // Steps of one unit in the last place: ties and near-ties everywhere.
    let close: Vec<f32> = numbers(m * d, 8).iter().map(|value| 1.0 + (value * 4.0).round() * f32::EPSILON).collect();
    same(&close[..100 * d], &close, d, 9);
}

#[test]
fn rows_and_queries_at_the_ends_of_the_range_are_found() {
    let (d, m) = (12, 900);
    for scale in [1e-30, 1e-20, 1e15, 1e18] {
        let scaled = |seed: u64, count: usize| numbers(count * d, seed).iter().map(|value| value * scale).collect();
        let (queries, rows): (Vec<f32>, Vec<f32>) = (scaled(9, 80), scaled(10, m));
        same(&queries, &rows, d, 4);
    }
    let mut rows = numbers(m * d, 11);
    rows[..d].fill(1e17);
    same(&rows[..80 * d], &rows, d, 4);
}
