//! The leading eigenpairs from products alone, against all of them.

use gristmill::linalg::{Eigen, leading_eigen};
use nalgebra::DMatrix;

use crate::support::numbers;

fn random(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
    DMatrix::from_iterator(rows, columns, numbers(rows * columns, seed).into_iter().map(f64::from))
}

/// A symmetric matrix with these eigenvalues.
fn with_values(values: &[f64], seed: u64) -> DMatrix<f64> {
    let vectors = Eigen::factor(&{
        let square = random(values.len(), values.len(), seed);
        &square + square.transpose()
    });
    let vectors = vectors.unwrap().into_parts().1;
    &vectors * DMatrix::from_diagonal(&nalgebra::DVector::from_row_slice(values)) * vectors.transpose()
}

fn check(a: &DMatrix<f64>, count: usize, block: usize) {
    let n = a.nrows();
    let found = leading_eigen(n, count, (1e-10, 1000), |v| Ok(a * v), |number| random(n, block, 7 + number as u64));
    let found = found.unwrap();
    let exact = Eigen::factor(a).unwrap();
    let size = exact.values().amax().max(f64::MIN_POSITIVE);
    assert_eq!(found.values.len(), count.min(n));
    assert!(found.converged && found.residual <= 1e-10 * size, "{n}, {count}, {block}: {}", found.residual);
    for (at, value) in found.values.iter().enumerate() {
        assert!((value - exact.values()[at]).abs() < 1e-9 * size, "{n}, {count}, {block}: {at}");
        let vector = found.vectors.column(at);
        assert!((a * vector - vector * *value).norm() < 1e-9 * size);
    }
    let inner = found.vectors.transpose() * &found.vectors;
    assert!((inner - DMatrix::identity(count.min(n), count.min(n))).amax() < 1e-9);
}

#[test]
fn the_leading_pairs_are_those_of_the_whole_spectrum() {
    for n in [1, 2, 5, 17, 63, 64, 65, 200] {
        let square = random(n, n, 3);
        let a = &square * square.transpose();
        for (count, block) in [(1, 1), (1, 4), (3, 4), (10, 4), (n, 4)] {
            check(&a, count, block);
        }
    }
}

#[test]
fn restarts_keep_what_was_found() {
    // Eigenvalues close to one another, of which few are asked for: more vectors than are kept.
    let values: Vec<f64> = (0..600).map(|at| 1.0 - at as f64 * 1e-3).collect();
    check(&with_values(&values, 5), 3, 4);
}

#[test]
fn equal_eigenvalues_low_rank_zero_and_negative_ones_are_found() {
    check(&DMatrix::identity(80, 80), 9, 4);
    check(&DMatrix::zeros(30, 30), 3, 4);
    let mut values = vec![0.0; 90];
    values[..7].fill(2.0);
    values[7..9].fill(-5.0);
    check(&with_values(&values, 4), 12, 4);
    let thin = random(120, 3, 8);
    check(&(&thin * thin.transpose()), 10, 4);
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let square = random(150, 150, 6);
    let a = &square * square.transpose();
    let find = || leading_eigen(150, 4, (1e-10, 1000), |v| Ok(&a * v), |n| random(150, 4, n as u64)).unwrap();
    assert_eq!(find(), find());
}

#[test]
fn too_few_products_are_told() {
    let values: Vec<f64> = (0..300).map(|at| 1.0 - at as f64 * 1e-4).collect();
    let a = with_values(&values, 5);
    let found = leading_eigen(300, 2, (1e-12, 2), |v| Ok(&a * v), |n| random(300, 4, n as u64)).unwrap();
    assert!(!found.converged && found.values.len() == 2);
}
