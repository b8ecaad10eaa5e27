//! Least squares by products alone.

use gristmill::linalg::{Svd, lsqr};
use nalgebra::DMatrix;

use crate::cpu::numbers;

fn solve(a: &DMatrix<f64>, b: &[f64], damp: f64) -> Vec<f64> {
    let product = |v: &[f64]| (a * DMatrix::from_column_slice(a.ncols(), 1, v)).as_slice().to_vec();
    let transposed = |u: &[f64]| a.tr_mul(&DMatrix::from_column_slice(a.nrows(), 1, u)).as_slice().to_vec();
    let found = lsqr(product, transposed, b, damp, 4 * a.nrows().max(a.ncols()) + 20, |_| Ok(())).unwrap();
    assert!(found.converged, "{} iterations", found.iterations);
    found.x
}

fn matrix(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
    DMatrix::from_iterator(rows, columns, numbers(rows * columns, seed).into_iter().map(f64::from))
}

#[test]
fn tall_wide_and_dependent_systems_have_the_shortest_solution() {
    for (rows, columns) in [(1, 1), (30, 7), (7, 30), (65, 64), (12, 12)] {
        let mut a = matrix(rows, columns, 11);
        if columns > 3 {
            // The last column is the sum of the first two.
            let sum = a.column(0) + a.column(1);
            a.set_column(columns - 1, &sum);
        }
        let b = matrix(rows, 1, 12);
        let want = Svd::factor(&a).unwrap().least_squares(&b, 1e-10).unwrap();
        let got = solve(&a, b.as_slice(), 0.0);
        let worst = got.iter().zip(want.iter()).map(|(got, want)| (got - want).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-8 * want.amax().max(1.0), "{rows}×{columns}: {worst:e}");
    }
}

#[test]
fn damping_is_a_penalty() {
    let (a, b) = (matrix(40, 9, 13), matrix(40, 1, 14));
    for alpha in [1e-3, 1.0, 1e3] {
        let normal = a.tr_mul(&a) + DMatrix::identity(9, 9) * alpha;
        let want = normal.cholesky().unwrap().solve(&a.tr_mul(&b));
        let got = solve(&a, b.as_slice(), f64::sqrt(alpha));
        let limit = 1e-10 * want.amax();
        assert!(got.iter().zip(want.iter()).all(|(got, want)| (got - want).abs() < limit));
    }
}

#[test]
fn nothing_to_explain_and_nothing_to_explain_it_with_give_zeros() {
    let a = matrix(5, 3, 15);
    assert_eq!(solve(&a, &[0.0; 5], 0.0), [0.0; 3]);
    assert_eq!(solve(&DMatrix::zeros(5, 3), &[1.0; 5], 0.0), [0.0; 3]);
    let one = lsqr(|_| vec![], |_| vec![0.0; 3], &[], 0.0, 10, |_| Ok(())).unwrap();
    assert_eq!((one.x, one.iterations), (vec![0.0; 3], 0));
}

#[test]
fn too_few_iterations_are_told() {
    let (a, b) = (matrix(50, 40, 16), matrix(50, 1, 17));
    let product = |v: &[f64]| (&a * DMatrix::from_column_slice(40, 1, v)).as_slice().to_vec();
    let transposed = |u: &[f64]| a.tr_mul(&DMatrix::from_column_slice(50, 1, u)).as_slice().to_vec();
    let found = lsqr(product, transposed, b.as_slice(), 0.0, 3, |_| Ok(())).unwrap();
    assert!(!found.converged && found.iterations == 3);
}
