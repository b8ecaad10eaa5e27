//! Coefficients of the NIST reference data sets, by the estimators themselves.

use gristmill::prelude::*;
use nalgebra::DMatrix;

use crate::support::nist::*;

fn wants(name: &str, least: f64, x: &DMatrix<f64>, y: &[f64], certified: &[f64]) {
    let y = DMatrix::from_column_slice(y.len(), 1, y);
    let model = LinearRegression::default().fit_f64(x, &y).unwrap();
    let plane: Vec<f64> = model.intercept().iter().chain(model.coef().iter()).copied().collect();
    let reached = digits(&plane, certified);
    println!("{name}: {reached:.1} digits, rank {}", model.rank());
    assert!(reached >= least, "{name}: {reached} digits, {least} wanted");
    assert_eq!(model.rank(), x.ncols(), "{name}");
    let ridge = Ridge::new(0.0).fit_f64(x, &y).unwrap();
    assert_eq!((ridge.coef(), ridge.intercept()), (model.coef(), model.intercept()), "{name}");
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
fn filip_to_seven_digits() {
    wants("Filip", 7.0, &powers(&FILIP_X, 10), &FILIP_Y, &FILIP_CERTIFIED);
}
