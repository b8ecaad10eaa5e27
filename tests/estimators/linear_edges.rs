//! Linear models where there is little to fit, too much, or nothing that can be.

use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::linear::{difference, targets};
use crate::support::{bits, devices, gpu, matrix};

#[test]
fn fewer_rows_than_columns_give_the_shortest_solution_as_in_scikit_learn() {
    let data = gristmill::datasets::diabetes().unwrap();
    let x = Matrix::from_rows(&(0..5).map(|row| data.x.row(row)).collect::<Vec<_>>()).unwrap();
    let y: Vec<f32> = data.values().unwrap().as_slice()[..5].to_vec();
    let wanted = [
        -0.5367346333599881,
        0.02962883069405442,
        0.40960181872829426,
        -0.7946473425527517,
        -0.13742429586422705,
        0.8529591618764911,
        -2.1499889061795767,
        0.12961586549225307,
        0.0701864780514072,
        1.3698919540813823,
    ];
    let singular = [62.35442672724008, 32.74920596897571, 18.158047901568168, 9.423133841987267];
    for (name, device) in devices() {
        let model = LinearRegression::default().fit(&x.to(device).unwrap(), &y).unwrap();
        assert_eq!(model.rank(), 4, "{name}");
        assert!(difference(model.coef(), &DMatrix::from_row_slice(1, 10, &wanted)) < 1e-9, "{name}");
        assert!((model.intercept()[0] - 153.4584954467557).abs() < 1e-7, "{name}");
        let values = model.singular_values().unwrap();
        assert!(values.iter().zip(singular).all(|(a, b)| (a - b).abs() < 1e-9 * b), "{name}: {values:?}");
        assert_eq!(values.len(), 5, "{name}");
    }
}

#[test]
fn a_column_twice_shares_its_coefficient_and_a_constant_one_has_none() {
    // Small and large: rows in f64, and products that turn out to be singular.
    for rows in [40, 30_000] {
        let plain = matrix(rows, 29, 320);
        let y = targets(&plain, 1, 0.2, 321);
        let wide = |row: usize| [plain.row(row), &[plain.get(row, 0), 7.0]].concat();
        let x = Matrix::from_rows(&(0..rows).map(wide).collect::<Vec<_>>()).unwrap();
        let wanted = LinearRegression::default().fit(&plain, &y).unwrap();
        for (name, device) in devices() {
            let model = LinearRegression::default().fit(&x.to(device).unwrap(), &y).unwrap();
            let coef = model.coef();
            assert_eq!(model.rank(), 29, "{name}, {rows}");
            assert!((coef[(0, 0)] - wanted.coef()[(0, 0)] / 2.0).abs() < 1e-6, "{name}, {rows}: {}", coef[(0, 0)]);
            assert!((coef[(0, 0)] - coef[(0, 29)]).abs() < 1e-8, "{name}, {rows}");
            assert!((coef[(0, 5)] - wanted.coef()[(0, 5)]).abs() < 1e-6, "{name}, {rows}");
            assert_eq!(coef[(0, 30)], 0.0, "{name}, {rows}");
            // With a penalty there is one solution, and it is as symmetric.
            let ridge = Ridge::default().fit(&x.to(device).unwrap(), &y).unwrap();
            assert!((ridge.coef()[(0, 0)] - ridge.coef()[(0, 29)]).abs() < 1e-8, "{name}, {rows}");
            assert!(ridge.coef()[(0, 30)].abs() < 1e-9, "{name}, {rows}");
        }
    }
}

#[test]
fn a_constant_column_stays_constant_under_weights() {
    let x = Matrix::from_rows(&[[0.1, 1.0], [0.1, 2.0], [0.1, 4.0], [0.1, 8.0]]).unwrap();
    let options = || Fit::default().sample_weight(&[0.1, 0.7, 0.3, 0.9]);
    for (name, device) in devices() {
        let model = LinearRegression::default();
        let model = model.fit_with(&x.to(device).unwrap(), &[3.0, 5.0, 9.0, 17.0], options()).unwrap();
        assert_eq!((model.coef()[(0, 0)], model.rank()), (0.0, 1), "{name}");
        assert!((model.coef()[(0, 1)] - 2.0).abs() < 1e-6, "{name}");
        assert!((model.intercept()[0] - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
fn one_row_is_its_own_intercept() {
    for (name, device) in devices() {
        let x = matrix(1, 3, 322).to(device).unwrap();
        let model = LinearRegression::default().fit(&x, &[5.0]).unwrap();
        assert_eq!((model.coef().amax(), model.intercept(), model.rank()), (0.0, &[5.0][..], 0), "{name}");
        let ridge = Ridge::default().fit(&x, &[5.0]).unwrap();
        assert_eq!((ridge.coef().amax(), ridge.intercept()), (0.0, &[5.0][..]), "{name}");
    }
}

#[test]
fn no_penalty_is_plain_least_squares_to_the_bit() {
    for rows in [100, 25_000] {
        let x = matrix(rows, 30, 323);
        let y = targets(&x, 2, 0.3, 324);
        for (name, device) in devices() {
            let x = x.to(device).unwrap();
            let plain = LinearRegression::default().fit(&x, &y).unwrap();
            let ridge = Ridge::new(0.0).fit(&x, &y).unwrap();
            assert_eq!((plain.coef(), plain.intercept()), (ridge.coef(), ridge.intercept()), "{name}");
        }
    }
}

#[test]
fn predictions_on_the_gpu_are_those_on_the_cpu() {
    let x = matrix(1000, 50, 325);
    let queries = matrix(300, 50, 326);
    for outputs in [1, 7] {
        let model = Ridge::default().fit(&x, &targets(&x, outputs, 0.3, 327)).unwrap();
        let wanted = model.predict(&queries).unwrap();
        let found = model.predict(&queries.to(gpu()).unwrap()).unwrap();
        let exact = model.predict_f64(&queries.to_dmatrix()).unwrap();
        for row in 0..300 {
            for output in 0..outputs {
                let terms = (0..50).map(|j| (f64::from(queries.get(row, j)) * model.coef()[(output, j)]).abs());
                let bound = 53.0 * terms.sum::<f64>() / (1_u64 << 24) as f64;
                let apart = f64::from(found.get(row, output)) - f64::from(wanted.get(row, output));
                assert!(apart.abs() <= bound, "{row}, {output}: {apart:e}");
                assert_eq!(wanted.get(row, output), exact[(row, output)] as f32, "{row}, {output}");
            }
        }
    }
}

#[test]
fn saved_models_predict_the_same_bits_and_a_part_of_a_file_is_refused() {
    let x = matrix(200, 6, 328);
    let y = targets(&x, 3, 0.3, 329);
    let plain = LinearRegression::default().fit(&x, &y).unwrap();
    let bytes = plain.to_bytes().unwrap();
    let again = LinearRegressionModel::from_bytes(&bytes).unwrap();
    assert_eq!(again, plain);
    assert_eq!(bits(again.predict(&x).unwrap().as_slice()), bits(plain.predict(&x).unwrap().as_slice()));
    let ridge = Ridge::new(3.0).fit_intercept(false).fit(&x, &y).unwrap();
    let again = RidgeModel::from_bytes(&ridge.to_bytes().unwrap()).unwrap();
    assert_eq!(again, ridge);
    assert_eq!(bits(again.predict(&x).unwrap().as_slice()), bits(ridge.predict(&x).unwrap().as_slice()));
    for length in [0, 7, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(LinearRegressionModel::from_bytes(&bytes[..length]), Err(Error::Model { .. })), "{length}");
    }
    assert!(matches!(RidgeModel::from_bytes(&bytes), Err(Error::Model { .. })));
}

#[test]
fn what_cannot_be_is_refused_alike() {
    for (name, device) in devices() {
        let x = matrix(10, 2, 330).to(device).unwrap();
        let y = [1.0; 10];
        for alpha in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = Ridge::new(alpha).fit(&x, &y);
            assert!(matches!(refused, Err(Error::Param { name: "alpha", .. })), "{name}: {alpha}");
        }
        let few = LinearRegression::default().fit(&x, &[1.0, 2.0]);
        assert!(matches!(few, Err(Error::Shape { .. })), "{name}");
        let missing = LinearRegression::default().fit(&x, &[f32::NAN; 10]);
        assert!(matches!(missing, Err(Error::Target { row: 0, .. })), "{name}");
        let nan = Matrix::from_rows(&[[1.0, f32::NAN]]).unwrap().to(device).unwrap();
        let missing = Ridge::default().fit(&nan, &[1.0]);
        assert!(matches!(missing, Err(Error::NotFinite { row: 0, column: 1, .. })), "{name}");
        let none = Ridge::default().fit(&Matrix::zeros(0, 2).unwrap().to(device).unwrap(), &[]);
        assert!(matches!(none, Err(Error::Shape { .. })), "{name}");
        let model = Ridge::default().fit(&x, &y).unwrap();
        let wide = model.predict(&matrix(3, 3, 1).to(device).unwrap());
        assert!(matches!(wide, Err(Error::Shape { .. })), "{name}");
        assert!(matches!(model.predict(&nan), Err(Error::NotFinite { .. })), "{name}");
        let none = model.predict(&Matrix::zeros(0, 2).unwrap().to(device).unwrap()).unwrap();
        assert_eq!((none.rows(), none.columns()), (0, 1), "{name}");
        let weights = [-1.0; 10];
        let negative = Ridge::default().fit_with(&x, &y, Fit::default().sample_weight(&weights));
        assert!(matches!(negative, Err(Error::Param { name: "sample_weight", .. })), "{name}");
    }
    let (x, y) = (DMatrix::from_element(3, 2, 1.0), DMatrix::from_element(2, 1, 1.0));
    assert!(matches!(Ridge::default().fit_f64(&x, &y), Err(Error::Shape { .. })));
    let infinite = DMatrix::from_element(3, 1, f64::INFINITY);
    assert!(matches!(Ridge::default().fit_f64(&x, &infinite), Err(Error::NotFinite { .. })));
}

#[test]
fn numbers_whose_squares_f32_cannot_hold_are_fitted_in_f64() {
    let (rows, d) = (25_000, 30);
    let mut x = matrix(rows, d, 331);
    x.as_mut_slice().iter_mut().for_each(|value| *value *= 1e25);
    let y: Vec<f32> = (0..rows).map(|row| x.get(row, 0) / 1e25 - x.get(row, 1) / 5e24 + 3.0).collect();
    for (name, device) in devices() {
        let model = LinearRegression::default().fit(&x.to(device).unwrap(), &y).unwrap();
        assert!((model.coef()[(0, 0)] * 1e25 - 1.0).abs() < 1e-6, "{name}");
        assert!((model.coef()[(0, 1)] * 5e24 + 1.0).abs() < 1e-6, "{name}");
        assert!((model.intercept()[0] - 3.0).abs() < 1e-6, "{name}");
    }
}
