//! Standard errors, covariance, leverage, condition.

use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::{apart, sparse};
use crate::estimators::linear::targets;
use crate::support::nist::*;
use crate::support::{devices, matrix};

/// Of NIST's certified values: the intercept, then the coefficients.
const LONGLEY_ERRORS: [f64; 7] = [
    890420.383607373,
    84.9149257747669,
    0.334910077722432e-01,
    0.488399681651699,
    0.214274163161675,
    0.226073200069370,
    455.478499142212,
];

/// statsmodels' on diabetes: the intercept, then the coefficients.
const DIABETES_ERRORS: [f64; 11] = [
    67.45461839212592,
    0.217041437434601,
    5.835821322367866,
    0.717105520742436,
    0.225238172451107,
    0.573331845242915,
    0.530834367402378,
    0.78246383606296,
    5.958637923825668,
    15.669718725739175,
    0.273313951366299,
];

#[test]
fn longley_has_its_certified_standard_errors_to_eight_digits() {
    let x = DMatrix::from_fn(16, 6, |i, j| LONGLEY[i][j + 1]);
    let y = DMatrix::from_fn(16, 1, |i, _| LONGLEY[i][0]);
    let model = LinearRegression::default().fit_f64(&x, &y).unwrap();
    let found = model.statistics().unwrap();
    let mut errors = vec![found.intercept_standard_error(0).unwrap()];
    errors.extend(found.standard_errors(0).unwrap());
    let reached = digits(&errors, &LONGLEY_ERRORS);
    println!("standard errors of Longley: {reached:.1} digits");
    assert!(reached >= 8.0, "{reached} digits");
    assert_eq!(found.degrees_of_freedom(), 9);
    assert!((found.residual_variance(0).unwrap().sqrt() / 304.854073561965 - 1.0).abs() < 1e-9);
}

#[test]
fn diabetes_has_the_standard_errors_and_leverage_of_statsmodels() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    for (name, device) in devices() {
        let model = LinearRegression::default().fit(&data.x.to(device).unwrap(), y).unwrap();
        let found = model.statistics().unwrap();
        let mut errors = vec![found.intercept_standard_error(0).unwrap()];
        errors.extend(found.standard_errors(0).unwrap());
        for (found, wanted) in errors.iter().zip(DIABETES_ERRORS) {
            assert!((found / wanted - 1.0).abs() < 1e-4, "{name}: {found} for {wanted}");
        }
        assert!((found.residual_variance(0).unwrap() / 2932.6816817698623 - 1.0).abs() < 1e-6, "{name}");
        let leverage = found.leverage(&data.x).unwrap();
        assert!(apart(&leverage[..3], &[0.017643153239502, 0.022341797188215, 0.023546251755178]) < 1e-4, "{name}");
        let report =
            AnyEstimator::new(LinearRegression::default()).fit(&data.x, &data.target, Fit::default()).unwrap().report();
        assert!(report.number("residual_variance").is_some() && report.array("standard_errors").is_some());
    }
    let of_sparse = LinearRegression::default().fit(&sparse(&data.x), y).unwrap();
    let errors = of_sparse.statistics().unwrap().standard_errors(0).unwrap();
    assert!(apart(&errors, &DIABETES_ERRORS[1..]) < 1e-6);
}

#[test]
fn the_hat_matrix_is_a_projection_whose_trace_is_the_number_of_unknowns() {
    let x = matrix(30, 4, 5);
    let y = targets(&x, 1, 0.3, 6);
    for intercept in [true, false] {
        let model = LinearRegression::default().fit_intercept(intercept).fit(&x, &y).unwrap();
        let hat = model.statistics().unwrap().hat_matrix(&x).unwrap();
        assert!((&hat * &hat - &hat).amax() < 1e-12);
        assert!((hat.trace() - 4.0 - f64::from(u8::from(intercept))).abs() < 1e-11);
        let leverage = model.statistics().unwrap().leverage(&x).unwrap();
        assert!(apart(&leverage, hat.diagonal().as_slice()) < 1e-12);
        let predicted = &hat * y.to_dmatrix();
        let own = model.predict_f64(&x.to_dmatrix()).unwrap();
        assert!((predicted - own).amax() < 1e-10);
    }
}

#[test]
fn a_large_table_has_the_statistics_of_a_small_one_in_f64() {
    let x = matrix(30_000, 40, 11);
    let y = targets(&x, 2, 0.5, 12);
    let weights: Vec<f32> = (0..x.rows()).map(|row| 0.5 + (row % 3) as f32).collect();
    let options = || Fit::default().sample_weight(&weights);
    let large = LinearRegression::default().fit_with(&x, &y, options()).unwrap();
    let found = large.statistics().unwrap();
    // The same in f64: rows times the root of their weight, and a column of roots.
    let root = |row: usize| f64::from(weights[row]).sqrt();
    let rows = DMatrix::from_fn(x.rows(), 41, |i, j| root(i) * if j < 40 { f64::from(x.get(i, j)) } else { 1.0 });
    let right = DMatrix::from_fn(x.rows(), 2, |i, j| root(i) * f64::from(y.get(i, j)));
    let inverse = rows.tr_mul(&rows).try_inverse().unwrap();
    let plane = &inverse * rows.tr_mul(&right);
    let left = right - rows * plane;
    for output in 0..2 {
        let variance = left.column(output).norm_squared() / (30_000.0 - 41.0);
        assert!((found.residual_variance(output).unwrap() / variance - 1.0).abs() < 1e-6);
        let errors = found.standard_errors(output).unwrap();
        for (at, error) in errors.iter().enumerate() {
            assert!((error / (variance * inverse[(at, at)]).sqrt() - 1.0).abs() < 1e-5, "{at}");
        }
        let wanted = (variance * inverse[(40, 40)]).sqrt();
        assert!((found.intercept_standard_error(output).unwrap() / wanted - 1.0).abs() < 1e-5);
    }
}

#[test]
fn dependent_columns_share_the_shortest_solution_and_an_infinite_condition() {
    // 000 §2.1: X = [x, −5x], a = (2, 0): of all solutions the shortest is (1/13, −5/13).
    let values: Vec<f32> = (0..24).map(|i| i as f32 / 6.0 - 2.0).collect();
    let x = Matrix::from_vec(24, 2, values.iter().flat_map(|x| [*x, -5.0 * x]).collect()).unwrap();
    let y: Vec<f32> = values.iter().map(|x| 2.0 * x).collect();
    let model = LinearRegression::default().fit_intercept(false).fit(&x, &y).unwrap();
    assert!((model.coef()[(0, 0)] - 1.0 / 13.0).abs() < 1e-6 && (model.coef()[(0, 1)] + 5.0 / 13.0).abs() < 1e-6);
    assert_eq!((model.rank(), model.statistics().unwrap().condition()), (1, f64::INFINITY));
    let none = LinearRegression::default().fit(&x.select(&[0, 1]).unwrap(), &y[..2]).unwrap();
    assert_eq!(none.statistics().unwrap().residual_variance(0), None);
    let restored = LinearRegressionModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(restored, model);
}
