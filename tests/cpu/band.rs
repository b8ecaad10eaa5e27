//! A symmetric matrix reduced to a band, against f64.

use super::*;
use gristmill::cpu::linalg::band::BandReduced;
use nalgebra::{DMatrix, DVector};

/// exp(−‖x − y‖²/3) of rows in three columns: eigenvalues from nearly n down to nothing.
fn gram(n: usize, seed: u64) -> Vec<f32> {
    let x = numbers(3 * n, seed);
    let value = |at: usize| {
        let (i, j) = (at / n, at % n);
        let square: f32 = (0..3).map(|k| (x[3 * i + k] - x[3 * j + k]).powi(2)).sum();
        (-square / 3.0).exp()
    };
    (0..n * n).map(value).collect()
}

#[test]
fn a_band_solves_for_every_shift_and_has_the_diagonal_of_the_inverse() {
    for n in [1, 2, 31, 32, 33, 63, 64, 65, 97, 257, 600] {
        let matrix = gram(n, n as u64);
        let b: Vec<f64> = numbers(n, 7).into_iter().map(f64::from).collect();
        let reduced = BandReduced::reduce(matrix.clone(), n);
        let shifts = [0.01, 0.3, 20.0];
        let diagonals = reduced.inverse_diagonals(&shifts).unwrap();
        let at_once = reduced.solve_shifts(&matrix, &shifts, &b).unwrap();
        for ((shift, diagonal), (x, residual)) in shifts.into_iter().zip(diagonals).zip(at_once) {
            let mut full = DMatrix::from_fn(n, n, |i, j| f64::from(matrix[i * n + j]));
            (0..n).for_each(|at| full[(at, at)] += shift);
            let inverse = full.cholesky().unwrap().inverse();
            let solved = reduced.solve(&matrix, shift, std::slice::from_ref(&b)).unwrap();
            let want = &inverse * DVector::from_column_slice(&b);
            let error = (DVector::from_column_slice(&solved.x[0]) - &want).amax();
            assert!(solved.residual <= 1e-9 && error <= 1e-8 * want.amax(), "{n} {shift}: {error:e}");
            let error = (DVector::from_column_slice(&x) - &want).amax();
            assert!(residual <= 1e-9 && error <= 1e-6 * want.amax(), "{n} {shift} at once: {error:e}");
            for (row, value) in diagonal.iter().enumerate() {
                let wanted = inverse[(row, row)];
                // A few ε·‖A‖/shift, with the trace for ‖A‖.
                assert!((value / wanted - 1.0).abs() < 2e-6 + 2e-7 * n as f64 / shift, "{n} {shift}: {value} {wanted}");
            }
        }
    }
}

#[test]
fn a_band_in_f64_serves_shifts_that_f32_does_not_see() {
    for n in [1, 2, 31, 33, 64, 65, 257, 600] {
        let matrix: Vec<f64> = gram(n, n as u64).into_iter().map(f64::from).collect();
        let b: Vec<f64> = numbers(n, 7).into_iter().map(f64::from).collect();
        let reduced = BandReduced::reduce_exactly(&matrix, n);
        let shifts = [1e-4 + 1e-6 * n as f64, 1.0];
        let diagonals = reduced.inverse_diagonals(&shifts).unwrap();
        let at_once = reduced.solve_shifts(&matrix, &shifts, &b).unwrap();
        for ((shift, diagonal), (x, _)) in shifts.into_iter().zip(diagonals).zip(at_once) {
            let mut full = DMatrix::from_column_slice(n, n, &matrix);
            (0..n).for_each(|at| full[(at, at)] += shift);
            let inverse = full.cholesky().unwrap().inverse();
            let want = &inverse * DVector::from_column_slice(&b);
            let error = (DVector::from_column_slice(&x) - &want).amax() / want.amax();
            assert!(error <= 1e-6, "{n} {shift}: {error:e}");
            let off = |row: usize| (diagonal[row] / inverse[(row, row)] - 1.0).abs();
            let error = (0..n).map(off).fold(0.0, f64::max);
            assert!(error <= 2e-5, "{n} {shift}: the diagonal is off by {error:e}");
        }
    }
}

#[test]
fn the_band_does_not_depend_on_the_number_of_threads() {
    let matrix = gram(700, 3);
    let exact: Vec<f64> = matrix.iter().copied().map(f64::from).collect();
    let diagonals = in_pools(|| BandReduced::reduce(matrix.clone(), 700).inverse_diagonals(&[0.1]).unwrap());
    assert_eq!(diagonals.len(), 1);
    in_pools(|| BandReduced::reduce_exactly(&exact, 700).inverse_diagonals(&[0.1]).unwrap());
}

#[test]
fn an_indefinite_matrix_has_no_factor() {
    let matrix = [0.0, 2.0, 2.0, 0.0].to_vec();
    let reduced = BandReduced::reduce(matrix.clone(), 2);
    assert!(reduced.inverse_diagonals(&[1.0]).is_none());
    assert!(reduced.solve(&matrix, 1.0, &[vec![1.0, 1.0]]).is_none());
    assert!(reduced.solve(&matrix, 3.0, &[vec![1.0, 1.0]]).is_some());
}
