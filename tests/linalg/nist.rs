//! NIST Statistical Reference Datasets: correct digits.

use gristmill::Result;
use gristmill::linalg::{Qr, Svd, solve_least_squares};
use nalgebra::DMatrix;

use crate::support::nist::*;

/// The solver under test: coefficients of centred columns.
type Solver = fn(&DMatrix<f64>, &DMatrix<f64>) -> Result<DMatrix<f64>>;

const SOLVERS: [(&str, Solver); 3] = [
    ("qr", |x, y| Qr::factor(x)?.least_squares(y)),
    ("svd of equally long columns", by_svd),
    ("normal equations, refined", |x, y| Ok(solve_least_squares(x, y, 0.0)?.x)),
];

fn by_svd(x: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    // Powers of two, because another length would round the data.
    let lengths: Vec<f64> = x.column_iter().map(|column| column.norm().log2().round().exp2()).collect();
    let scaled = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] / lengths[j]);
    let svd = Svd::factor(&scaled)?;
    let w = svd.least_squares(y, svd.default_tolerance())?;
    Ok(DMatrix::from_fn(w.nrows(), 1, |i, _| w[(i, 0)] / lengths[i]))
}

/// Centres, solves, and gets the intercept from the means: what a linear regression does.
fn regress(x: &DMatrix<f64>, y: &[f64], solver: Solver) -> Result<Vec<f64>> {
    let n = y.len() as f64;
    let means: Vec<f64> = x.column_iter().map(|column| column.iter().sum::<f64>() / n).collect();
    let mean = y.iter().sum::<f64>() / n;
    let centred = DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] - means[j]);
    let w = solver(&centred, &DMatrix::from_iterator(y.len(), 1, y.iter().map(|y| y - mean)))?;
    let intercept = mean - w.iter().zip(&means).map(|(w, mean)| w * mean).sum::<f64>();
    Ok(std::iter::once(intercept).chain(w.iter().copied()).collect())
}

/// Prints what every solver reaches, and wants `least` of each of them.
fn wants(name: &str, least: f64, x: &DMatrix<f64>, y: &[f64], certified: &[f64]) {
    for (solver, solve) in SOLVERS {
        let reached = digits(&regress(x, y, solve).unwrap(), certified);
        println!("{name}: {reached:.1} digits by {solver}");
        assert!(reached >= least, "{name} by {solver}: {reached} digits, {least} wanted");
    }
}

#[test]
fn norris_to_twelve_digits() {
    let (x, y): (Vec<f64>, Vec<f64>) = NORRIS.into_iter().unzip();
    wants("Norris", 12.0, &powers(&x, 1), &y, &NORRIS_CERTIFIED);
}

#[test]
fn longley_to_ten_digits() {
    let x = DMatrix::from_fn(16, 6, |i, j| LONGLEY[i][j + 1]);
    wants("Longley", 10.0, &x, &LONGLEY.map(|row| row[0]), &LONGLEY_CERTIFIED);
}

#[test]
fn wampler_1_to_nine_digits() {
    let (x, y) = wampler_1();
    wants("Wampler1", 9.0, &powers(&x, 5), &y, &[1.0; 6]);
}

#[test]
fn wampler_2_to_twelve_digits() {
    let (x, y) = wampler_2();
    wants("Wampler2", 12.0, &powers(&x, 5), &y, &WAMPLER_2_CERTIFIED);
}

#[test]
fn filip_to_seven_digits_or_a_clear_refusal() {
    let x = powers(&FILIP_X, 10);
    let mut solved = 0;
    for (solver, solve) in SOLVERS {
        match regress(&x, &FILIP_Y, solve) {
            Ok(found) => {
                let reached = digits(&found, &FILIP_CERTIFIED);
                println!("Filip: {reached:.1} digits by {solver}");
                assert!(reached >= 7.0, "Filip by {solver}: {reached} digits");
                solved += 1;
            }
            Err(refusal) => {
                println!("Filip by {solver}: {refusal}");
                assert!(matches!(refusal, gristmill::Error::Singular { .. }));
            }
        }
    }
    assert!(solved >= 1);
}
