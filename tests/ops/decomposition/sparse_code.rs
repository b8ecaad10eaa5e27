use gristmill::ops::decomposition::sparse_code::*;
use gristmill::prelude::*;
use nalgebra::{DMatrix, DVector};

use crate::support::{devices, gpu_with, matrix};

/// Atoms of length 1, k×d, and rows.
fn problem(n: usize, k: usize, d: usize) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut atoms = matrix(k, d, 1).to_dmatrix();
    atoms.row_iter_mut().for_each(|mut row| {
        let norm = row.norm();
        row /= norm;
    });
    (atoms, matrix(n, d, 2).to_dmatrix())
}

fn single(matrix: &DMatrix<f64>) -> Matrix {
    Matrix::from_dmatrix_f64(matrix).unwrap()
}

fn found(device: &Device, atoms: &DMatrix<f64>, rows: &DMatrix<f64>, pursuit: Pursuit) -> Matrix {
    let mut stream = device.stream();
    let products = single(&(rows * atoms.transpose())).to(device).unwrap();
    let gram = single(&(atoms * atoms.transpose())).to(device).unwrap();
    let squares: Vec<f32> = rows.row_iter().map(|row| row.norm_squared() as f32).collect();
    let squares = DeviceVec::from_slice(&squares, device).unwrap();
    sparse_code(&mut stream, &products, &gram, Some(&squares), pursuit).unwrap().to_matrix(&mut stream).unwrap()
}

/// The pursuit itself on one row, with the rest made anew in each step, in f64.
fn oracle(atoms: &DMatrix<f64>, row: &DVector<f64>, pursuit: Pursuit) -> DVector<f64> {
    let mut chosen: Vec<usize> = vec![];
    let mut code = DVector::zeros(atoms.nrows());
    let mut rest = row.clone();
    while chosen.len() < pursuit.nonzeros.min(atoms.nrows()) && rest.norm_squared() > f64::from(pursuit.tolerance) {
        let likeness = atoms * &rest;
        if likeness.amax() < 1e-5 * row.norm() {
            break;
        }
        chosen.push(likeness.icamax());
        let own = DMatrix::from_fn(row.len(), chosen.len(), |at, atom| atoms[(chosen[atom], at)]);
        let solved = own.clone().svd(true, true).solve(row, 1e-12).unwrap();
        code.fill(0.0);
        chosen.iter().zip(solved.iter()).for_each(|(atom, value)| code[*atom] = *value);
        rest = row - own * solved;
    }
    code
}

#[test]
fn codes_at_edge_sizes_match_the_oracle() {
    let sizes = [
        (1, 1, 1, 1),
        (3, 2, 2, 1),
        (5, 63, 16, 3),
        (65, 64, 16, 4),
        (9, 65, 30, 8),
        (4, 257, 64, 10),
        (2, 1000, 40, 5),
    ];
    for (name, device) in devices() {
        for (n, k, d, nonzeros) in sizes.into_iter().chain([(257, 40, 8, 2), (2, 50, 64, 32)]) {
            let (atoms, rows) = problem(n, k, d);
            let pursuit = Pursuit { nonzeros, tolerance: 0.0 };
            let codes = found(device, &atoms, &rows, pursuit);
            for row in 0..n {
                let exact = oracle(&atoms, &rows.row(row).transpose(), pursuit);
                for (got, exact) in codes.row(row).iter().zip(exact.iter()) {
                    assert!((f64::from(*got) - exact).abs() <= 1e-3, "{name} {n}×{k}, row {row}: {got} for {exact}");
                }
            }
        }
    }
}

#[test]
fn a_tolerance_ends_a_pursuit_as_soon_as_it_is_met() {
    let (atoms, rows) = problem(40, 60, 20);
    let pursuit = Pursuit { nonzeros: 20, tolerance: 1.5 };
    for (name, device) in devices() {
        let codes = found(device, &atoms, &rows, pursuit);
        for row in 0..40 {
            let exact = oracle(&atoms, &rows.row(row).transpose(), pursuit);
            let count = |values: &mut dyn Iterator<Item = f64>| values.filter(|value| *value != 0.0).count();
            let got = count(&mut codes.row(row).iter().map(|value| f64::from(*value)));
            assert_eq!(got, count(&mut exact.iter().copied()), "{name}, row {row}");
        }
    }
}

#[test]
fn equal_atoms_and_rows_of_zeros_end_a_pursuit() {
    let atoms = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 0.0, 0.6, 0.8]);
    let rows = DMatrix::from_row_slice(2, 2, &[3.0, 0.0, 0.0, 0.0]);
    for (name, device) in devices() {
        let codes = found(device, &atoms, &rows, Pursuit { nonzeros: 3, tolerance: 0.0 });
        assert_eq!(codes.as_slice(), [3.0, 0.0, 0.0, 0.0, 0.0, 0.0], "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (atoms, rows) = problem(130, 70, 12);
    let pursuit = Pursuit { nonzeros: 4, tolerance: 0.0 };
    let whole = found(crate::support::gpu(), &atoms, &rows, pursuit);
    for options in [1, 7, 64].map(|rows| DeviceOptions::default().chunk_rows(rows)) {
        assert_eq!(found(&gpu_with(options.mark_outputs(true)), &atoms, &rows, pursuit), whole);
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (products, gram) = (matrix(4, 3, 1).to(device).unwrap(), matrix(2, 2, 1).to(device).unwrap());
        let pursuit = Pursuit { nonzeros: 1, tolerance: 0.0 };
        assert!(sparse_code(&mut stream, &products, &gram, None, pursuit).is_err(), "{name}");
        let gram = matrix(3, 3, 1).to(device).unwrap();
        let pursuit = Pursuit { nonzeros: 1, tolerance: 0.5 };
        assert!(sparse_code(&mut stream, &products, &gram, None, pursuit).is_err(), "{name}: no squares");
    }
    let device = crate::support::gpu();
    let (products, gram) = (matrix(1, 40, 1).to(device).unwrap(), matrix(40, 40, 1).to(device).unwrap());
    let pursuit = Pursuit { nonzeros: 33, tolerance: 0.0 };
    let refused = sparse_code(&mut device.stream(), &products, &gram, None, pursuit).unwrap_err();
    assert!(matches!(refused, Error::Limit { need: 33, have: 32, .. }), "{refused}");
}
