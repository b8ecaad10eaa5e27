//! Lasso and elastic net against scikit-learn, against their conditions, and over paths.

use gristmill::estimator::Rows;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::{apart, sparse};
use crate::estimators::linear::targets;
use crate::support::{devices, matrix, numbers};

// scikit-learn 1.9 on the f32 values of diabetes in f64, tol 1e-12.
const LASSO: [f64; 10] = [
    -1.902355814461883e-02,
    -1.747691602589816e+01,
    5.842460482876904e+00,
    1.091_537_583_746_53,
    1.565314792467846e-01,
    -3.155592589712197e-01,
    -1.188228770297017e+00,
    1.610556393899864e-01,
    3.421495698038758e+01,
    3.297336946250018e-01,
];
const ELASTIC: [f64; 10] = [
    -0.036039719882657,
    -7.960038160671135,
    6.11162710035009,
    1.063567457825656,
    1.108575950916128,
    -1.245576000726469,
    -1.998033127145872,
    0.925190593603529,
    4.702878866721573,
    0.347423129392454,
];
const POSITIVE: [f64; 10] = [
    0.0,
    0.0,
    6.401422917396825,
    0.925156924066433,
    0.0,
    0.0,
    0.0,
    2.825427668141475,
    39.73683829860671,
    0.195195578622119,
];
const WEIGHTED: [f64; 10] = [
    -0.117077596474186,
    -10.22067285309323,
    5.691337647435423,
    0.902601795496089,
    -0.105968424732459,
    0.0,
    -0.976937563044545,
    0.0,
    37.42588815562094,
    0.339670181809414,
];

#[test]
fn diabetes_has_the_coefficients_of_scikit_learn() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let weights: Vec<f32> = (0..442).map(|row| (row % 3) as f32).collect();
    let exact = Lasso::new(1.0).tol(1e-13).max_iter(100_000);
    for (name, device) in devices() {
        let x = data.x.to(device).unwrap();
        // On a GPU products in f32, of badly conditioned columns.
        let close = if matches!(device, Device::Cpu) { 1e-5 } else { 5e-3 };
        let lasso = exact.fit(&x, y).unwrap();
        assert!(apart(lasso.coef().as_slice(), &LASSO) < close, "{name}: {}", lasso.coef());
        assert!((lasso.intercept()[0] / -202.26321671348714 - 1.0).abs() < close, "{name}");
        assert!(lasso.converged(), "{name}");
        let net = ElasticNet::default().alpha(0.5).l1_ratio(0.3).tol(1e-13).max_iter(100_000).fit(&x, y).unwrap();
        assert!(apart(net.coef().as_slice(), &ELASTIC) < close, "{name}: {}", net.coef());
        let positive = exact.clone().positive(true).fit(&x, y).unwrap();
        assert!(apart(positive.coef().as_slice(), &POSITIVE) < close, "{name}: {}", positive.coef());
        let weighted = exact.fit_with(&x, y, Fit::default().sample_weight(&weights)).unwrap();
        assert!(apart(weighted.coef().as_slice(), &WEIGHTED) < close, "{name}: {}", weighted.coef());
        assert_eq!((weighted.coef()[(0, 5)], weighted.coef()[(0, 7)]), (0.0, 0.0), "{name}");
    }
    let of_sparse = exact.fit_with(&sparse(&data.x), y, Fit::default().sample_weight(&weights)).unwrap();
    assert!(apart(of_sparse.coef().as_slice(), &WEIGHTED) < 1e-7, "{}", of_sparse.coef());
    let net = ElasticNet::default().alpha(0.5).l1_ratio(0.3).tol(1e-13).max_iter(100_000);
    assert!(apart(net.fit(&sparse(&data.x), y).unwrap().coef().as_slice(), &ELASTIC) < 1e-7);
}

/// How far coefficients are from the conditions of a minimum, as a share of l1: the slope is ±l1 where they are not 0.
fn violation(x: &Matrix, y: &Matrix, coef: &DMatrix<f64>, intercept: f64, (l1, l2): (f64, f64)) -> f64 {
    let left = y.to_dmatrix() - (x.to_dmatrix() * coef.transpose()).add_scalar(intercept);
    let slopes = x.to_dmatrix().tr_mul(&left) / x.rows() as f64;
    let each = slopes.iter().zip(coef.iter()).map(|(slope, coef)| match *coef == 0.0 {
        true => (slope.abs() - l1).max(0.0),
        false => (slope - l2 * coef - l1 * coef.signum()).abs(),
    });
    each.fold(0.0, f64::max) / l1
}

#[test]
fn more_columns_than_rows_meet_the_conditions_of_a_minimum_along_the_path() {
    let x = matrix(60, 300, 21);
    let plane = numbers(5, 22);
    let value = |row: usize| (0..5).map(|at| 3.0 * plane[at] * x.get(row, 7 * at)).sum::<f32>() + 0.1 * x.get(row, 299);
    let y = Matrix::from_vec(60, 1, (0..60).map(value).collect()).unwrap();
    let tight = Lasso::default().tol(1e-12).max_iter(100_000);
    let path = tight.path(&x, &y, None, Fit::default()).unwrap();
    let sparse_path = tight.path(&sparse(&x), &y, Some(path.alphas()), Fit::default()).unwrap();
    assert!(path.converged() && sparse_path.converged());
    let square = y.as_slice().iter().map(|value| f64::from(*value).powi(2)).sum::<f64>() / 60.0;
    for at in (0..100).step_by(9) {
        let far = violation(&x, &y, path.coef(at), path.intercept(at)[0], (path.alphas()[at], 0.0));
        assert!(far < 1e-3, "{at}: {far}");
        assert!(path.dual_gap(at) <= 1e-12 * square);
        assert!((path.coef(at) - sparse_path.coef(at)).amax() < 1e-4 * (1.0 + path.coef(at).amax()), "{at}");
    }
    assert_eq!(path.coef(0).amax(), 0.0);
    let one = tight.clone().alpha(path.alphas()[50]).fit(&x, &y).unwrap();
    assert!((one.coef() - path.coef(50)).amax() < 1e-4);
    let net = ElasticNet::default().l1_ratio(0.4).tol(1e-12).max_iter(100_000);
    let path = net.path(&x, &y, None, Fit::default()).unwrap();
    for at in (0..100).step_by(11) {
        let penalty = (0.4 * path.alphas()[at], 0.6 * path.alphas()[at]);
        let far = violation(&x, &y, path.coef(at), path.intercept(at)[0], penalty);
        assert!(far < 1e-3, "{at}: {far}");
    }
}

#[test]
fn more_rows_than_columns_give_the_same_by_products_and_by_columns() {
    // A single fit goes by columns, the path of a large table by the products of all.
    let x = matrix(4000, 300, 31);
    let y = targets(&x, 2, 2.0, 32);
    let tight = Lasso::new(0.03).tol(1e-12).max_iter(100_000);
    let one = tight.fit(&x, &y).unwrap();
    let path = tight.path(&x, &y, Some(&[0.3, 0.03]), Fit::default()).unwrap();
    assert!((one.coef() - path.coef(1)).amax() < 1e-5 * one.coef().amax());
    assert!(one.coef().iter().filter(|value| **value == 0.0).count() > 20);
    for (output, intercept) in one.intercept().iter().enumerate() {
        let own = Matrix::from_vec(4000, 1, y.column(output)).unwrap();
        let coef = DMatrix::from_row_iterator(1, 300, one.coef().row(output).iter().copied());
        assert!(violation(&x, &own, &coef, *intercept, (0.03, 0.0)) < 1e-3);
    }
}

#[test]
fn passes_on_the_products_reach_the_gap_on_every_device() {
    let x = matrix(3000, 40, 61);
    let y = targets(&x, 1, 0.5, 62);
    let wanted = Lasso::new(0.02).tol(1e-10).fit(&x, &y).unwrap();
    for (name, device) in devices() {
        let model = Lasso::new(0.02).tol(1e-8).fit(&x.to(device).unwrap(), &y).unwrap();
        assert!(model.converged() && model.dual_gap() >= 0.0, "{name}");
        assert!((model.coef() - wanted.coef()).amax() < 1e-4, "{name}");
        let path = ElasticNet::default().l1_ratio(0.7).path(&x.to(device).unwrap(), &y, None, Fit::default()).unwrap();
        assert!(path.converged(), "{name}");
    }
}

#[test]
fn orthonormal_columns_are_thresholded() {
    // Columns of a Hadamard matrix: XᵀX = n·I, so the lasso is sign(c)(|c| − alpha)₊ and ridge c/(1 + alpha/n).
    let n = 16_usize;
    let sign = |row: usize, column: usize| if (row & column).count_ones().is_multiple_of(2) { 1.0_f32 } else { -1.0 };
    let x = Matrix::from_vec(n, 8, (0..n * 8).map(|at| sign(at / 8, at % 8 + 1)).collect()).unwrap();
    let y: Vec<f32> = numbers(n, 41).iter().map(|value| 3.0 * value).collect();
    let c: Vec<f64> = (0..8)
        .map(|column| (0..n).map(|row| f64::from(x.get(row, column)) * f64::from(y[row])).sum::<f64>() / n as f64)
        .collect();
    for alpha in [0.1, 0.4, 2.0] {
        let lasso = Lasso::new(alpha).tol(1e-14).fit(&x, &y).unwrap();
        let ridge = Ridge::new(alpha * n as f64).fit(&x, &y).unwrap();
        let bridge = BridgeRegressor::default().alpha(alpha).q(1.0).fit(&x, &y).unwrap();
        for (at, c) in c.iter().enumerate() {
            let wanted = c.signum() * (c.abs() - alpha).max(0.0);
            assert!((lasso.coef()[(0, at)] - wanted).abs() < 1e-6);
            assert!((bridge.coef()[(0, at)] - wanted).abs() < 1e-12);
            assert!((ridge.coef()[(0, at)] - c / (1.0 + alpha)).abs() < 1e-12);
        }
    }
}

#[test]
fn a_power_between_is_a_minimum_and_the_ends_are_ridge_and_lasso() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let two = BridgeRegressor::default().alpha(0.05).q(2.0).max_iter(200_000).tol(1e-13).fit(&data.x, y).unwrap();
    let ridge = Ridge::new(0.05 * 2.0 * 442.0).fit(&data.x, y).unwrap();
    assert!(apart(two.coef().as_slice(), ridge.coef().as_slice()) < 1e-5);
    let one = BridgeRegressor::default().alpha(1.0).q(1.0).max_iter(200_000).tol(1e-13).fit(&data.x, y).unwrap();
    assert!(apart(one.coef().as_slice(), &LASSO) < 1e-5);
    let objective = |coef: &DMatrix<f64>, intercept: f64, q: f64| {
        let left = y.to_dmatrix() - (data.x.to_dmatrix() * coef.transpose()).add_scalar(intercept);
        left.norm_squared() / 884.0 + coef.iter().map(|value| value.abs().powf(q)).sum::<f64>()
    };
    for q in [0.5, 1.5] {
        let model = BridgeRegressor::default().alpha(1.0).q(q).max_iter(200_000).tol(1e-12).fit(&data.x, y).unwrap();
        let least = objective(model.coef(), model.intercept()[0], q);
        for column in 0..10 {
            for step in [-1e-3, 1e-3] {
                let mut coef = model.coef().clone();
                coef[(0, column)] += step;
                let mean = f64::from(data.x.column(column).iter().sum::<f32>()) / 442.0;
                assert!(objective(&coef, model.intercept()[0] - step * mean, q) > least, "{q} {column}");
            }
        }
    }
}

#[test]
fn edges_have_documented_results() {
    let x = matrix(12, 3, 51);
    let y = targets(&x, 1, 0.1, 52);
    let constant =
        Matrix::from_vec(12, 3, (0..36).map(|at| if at % 3 == 1 { 1e8 } else { x.as_slice()[at] }).collect()).unwrap();
    let of_sparse = sparse(&constant);
    for rows in [Rows::from(&constant), Rows::from(&of_sparse)] {
        let model = Lasso::new(0.01).fit(rows, &y).unwrap();
        assert_eq!(model.coef()[(0, 1)], 0.0);
    }
    let same = Lasso::new(0.1).fit(&x, &[3.0; 12]).unwrap();
    assert_eq!((same.coef().amax(), same.intercept()[0], same.converged()), (0.0, 3.0, true));
    let none = ElasticNet::default().alpha(0.0).fit(&x, &y).unwrap();
    assert_eq!(none.coef(), LinearRegression::default().fit(&x, &y).unwrap().coef());
    let ridge = ElasticNet::default().alpha(0.5).l1_ratio(0.0).fit(&x, &y).unwrap();
    assert!((ridge.coef() - Ridge::new(6.0).fit(&x, &y).unwrap().coef()).amax() < 1e-12);
    assert!(Lasso::new(1.0).fit_with(&x, &y, Fit::default().sample_weight(&[0.0; 12])).is_err());
    assert!(Lasso::new(-1.0).fit(&x, &y).is_err());
    assert!(Lasso::default().path(&x, &y, Some(&[0.0]), Fit::default()).is_err());
    let few = Lasso::new(1e-4).max_iter(1).tol(1e-14).fit(&x, &y).unwrap();
    assert!(!few.converged() && few.iterations() == 1);
    let model = Lasso::new(0.1).fit(&x, &y).unwrap();
    assert_eq!(LassoModel::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
}
