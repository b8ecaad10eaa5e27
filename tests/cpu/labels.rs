//! Labels by products are those of the direct form, also where products alone could not tell.

use gristmill::cpu::cluster::assign::{assign, assign_labels};

use super::{in_pools, numbers};

#[track_caller]
fn same(x: &[f32], centers: &[f32], d: usize) {
    let (n, k) = (x.len() / d, centers.len() / d);
    let labels = in_pools(|| {
        let mut labels = vec![u32::MAX; n];
        assign_labels(x, n, centers, k, d, &mut labels);
        labels
    });
    let (mut wanted, mut distances) = (vec![0; n], vec![0.0; n]);
    assign(x, n, centers, k, d, &mut wanted, &mut distances);
    assert!(labels == wanted);
}

#[test]
fn labels_by_products_are_those_of_the_direct_form() {
    for (n, d, k) in [(20_000, 2, 16), (5000, 32, 64), (5001, 33, 65), (3000, 7, 33), (900, 300, 10), (70, 4096, 3)] {
        same(&numbers(n * d, 1), &numbers(k * d, 2), d);
    }
}

#[test]
fn labels_far_from_the_origin_are_exact() {
    let (n, d, k) = (4000, 16, 40);
    for offset in [10.0, 1e3, 1e5, 1e7] {
        let moved = |values: Vec<f32>| values.into_iter().map(|value| value + offset).collect::<Vec<_>>();
        same(&moved(numbers(n * d, 3)), &moved(numbers(k * d, 4)), d);
    }
    // Half of the rows and centres far from the others.
    let (mut x, mut centers) = (numbers(n * d, 5), numbers(k * d, 6));
    x[n / 2 * d..].iter_mut().for_each(|value| *value -= 3e4);
    centers[..k / 2 * d].iter_mut().for_each(|value| *value -= 3e4);
    same(&x, &centers, d);
}

#[test]
fn of_equal_and_nearly_equal_centers_the_right_one_is_taken() {
    let (n, d, k) = (3000, 24, 50);
    let x = numbers(n * d, 7);
    let some = numbers(9 * d, 8);
    let repeated: Vec<f32> = (0..k).flat_map(|row| some[row % 9 * d..(row % 9 + 1) * d].to_vec()).collect();
    same(&x, &repeated, d);
    let nearly: Vec<f32> = repeated.iter().zip(numbers(k * d, 9)).map(|(value, step)| value + step * 1e-7).collect();
    same(&x, &nearly, d);
    same(&vec![0.25; n * d], &vec![0.25; k * d], d);
    // Rows on the middle between two centres.
    let middles: Vec<f32> = (0..n * d).map(|at| (some[at % d] + some[d + at % d]) / 2.0).collect();
    same(&middles, &some, d);
}

#[test]
fn labels_at_the_ends_of_the_range_are_those_of_the_direct_form() {
    let (n, d, k) = (3000, 12, 30);
    for scale in [1e-30, 1e-19, 1e12, 1e18, 1e25] {
        let scaled =
            |count: usize, seed: u64| numbers(count, seed).iter().map(|value| value * scale).collect::<Vec<_>>();
        same(&scaled(n * d, 10), &scaled(k * d, 11), d);
    }
}
