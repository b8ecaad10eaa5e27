//! Quantiles and mixed errors.

use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::{apart, sparse, standard_diabetes};

fn pinball(x: &Matrix, y: &[f32], (coef, intercept): (&DMatrix<f64>, f64), quantile: f64, alpha: f64) -> f64 {
    let predicted = (x.to_dmatrix() * coef.transpose()).add_scalar(intercept);
    let loss = predicted.iter().zip(y).map(|(predicted, y)| {
        let left = f64::from(*y) - predicted;
        if left > 0.0 { quantile * left } else { (quantile - 1.0) * left }
    });
    loss.sum::<f64>() / y.len() as f64 + alpha * coef.iter().map(|value| value.abs()).sum::<f64>()
}

#[test]
fn quantiles_reach_the_objective_of_the_linear_programme() {
    let (x, y) = standard_diabetes();
    // scikit-learn's objectives.
    for (quantile, alpha, wanted) in
        [(0.5, 0.0, 21.520750588517554), (0.9, 0.1, 13.875771973430762), (0.25, 1.0, 22.195135746606336)]
    {
        let params = QuantileRegressor::default().quantile(quantile).alpha(alpha);
        for (name, model) in [("dense", params.fit(&x, &y).unwrap()), ("sparse", params.fit(&sparse(&x), &y).unwrap())]
        {
            let found = pinball(&x, &y, (model.coef(), model.intercept()[0]), quantile, alpha);
            assert!(found >= wanted * (1.0 - 1e-9) && found <= wanted * (1.0 + 1e-6), "{name}: {found} for {wanted}");
            assert!((model.objectives()[0] / found - 1.0).abs() < 1e-6, "{name}");
        }
    }
    let sparse_plane = QuantileRegressor::default().quantile(0.9).alpha(0.1).fit(&x, &y).unwrap();
    assert_eq!(sparse_plane.coef().iter().filter(|value| **value != 0.0).count(), 1);
    assert!((sparse_plane.coef()[(0, 2)] - 7.674993792767936).abs() < 1e-3);
}

#[test]
fn one_column_through_the_origin_is_the_weighted_median_of_the_ratios() {
    // 000 §2.4.1: y = x + 0.1·noise, and one outlier; the minimiser of Σ|y − a·x| is the median of y/x with weights |x|.
    let x: Vec<f32> = (0..24).map(|i| (i * 37 % 24) as f32 * 0.67 - 7.7).collect();
    let mut y: Vec<f32> = x.iter().enumerate().map(|(i, x)| x + 0.1 * ((i * 7 % 24) as f32 / 24.0)).collect();
    y[0] += 20.0;
    let mut ratios: Vec<(f64, f64)> =
        x.iter().zip(&y).map(|(x, y)| (f64::from(*y) / f64::from(*x), f64::from(x.abs()))).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = ratios.iter().map(|pair| pair.1).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let median = ratios.iter().find(|pair| {
        sum += pair.1;
        sum >= half
    });
    let rows = Matrix::from_vec(24, 1, x.clone()).unwrap();
    let model = QuantileRegressor::default().alpha(0.0).fit_intercept(false).fit(&rows, &y).unwrap();
    assert!((model.coef()[(0, 0)] - median.unwrap().0).abs() < 1e-6, "{}", model.coef());
    let squares = LinearRegression::default().fit_intercept(false).fit(&rows, &y).unwrap();
    assert!((squares.coef()[(0, 0)] - 1.0).abs() > 10.0 * (model.coef()[(0, 0)] - 1.0).abs());
    // A weight is so many rows.
    let weights: Vec<f32> = (0..24).map(|row| 1.0 + (row % 2) as f32).collect();
    let twice: Vec<usize> = (0..24).flat_map(|row| vec![row; 1 + row % 2]).collect();
    let many: Vec<f32> = twice.iter().map(|&row| y[row]).collect();
    let params = QuantileRegressor::default().alpha(0.0).quantile(0.3);
    let weighted = params.fit_with(&rows, &y, Fit::default().sample_weight(&weights)).unwrap();
    let repeated = params.fit(&rows.select(&twice).unwrap(), &many).unwrap();
    assert!((weighted.objectives()[0] / repeated.objectives()[0] - 1.0).abs() < 1e-6);
}

#[test]
fn the_constant_is_the_quantile() {
    let x = Matrix::from_vec(9, 1, vec![1.0; 9]).unwrap();
    let y: Vec<f32> = (1..=9).map(|value| (value * value) as f32).collect();
    for (quantile, wanted) in [(0.5, 25.0), (0.25, 9.0), (0.85, 64.0)] {
        let model = QuantileRegressor::default().quantile(quantile).alpha(0.0).fit(&x, &y).unwrap();
        assert!((model.intercept()[0] - wanted).abs() < 1e-3, "{quantile}: {}", model.intercept()[0]);
        assert_eq!(model.coef()[(0, 0)], 0.0);
    }
}

#[test]
fn mixed_errors_have_their_ends_and_a_minimum_between() {
    let (x, y) = standard_diabetes();
    let squares = MixedErrorRegressor::default().absolute(0.0).l2(0.1).fit(&x, &y).unwrap();
    let ridge = Ridge::new(0.1 * 442.0).fit(&x, &y).unwrap();
    assert!(apart(squares.coef().as_slice(), ridge.coef().as_slice()) < 1e-6);
    let net = MixedErrorRegressor::default().absolute(0.0).l1(2.0).l2(0.5).fit(&x, &y).unwrap();
    // 2·(½·mean of squares + alpha·(ratio·‖w‖₁ + ½(1 − ratio)·‖w‖²)).
    let same = ElasticNet::default().alpha(1.5).l1_ratio(1.0 / 1.5).tol(1e-12).max_iter(10_000).fit(&x, &y).unwrap();
    assert!(apart(net.coef().as_slice(), same.coef().as_slice()) < 1e-4, "{} {}", net.coef(), same.coef());
    let absolute = MixedErrorRegressor::default().squared(0.0).fit(&x, &y).unwrap();
    assert!((absolute.objectives()[0] / (2.0 * 21.520750588517554) - 1.0).abs() < 1e-6);
    let full = MixedErrorRegressor::default().absolute(30.0).l1(1.0).l2(0.2).fit(&x, &y).unwrap();
    let objective = |coef: &DMatrix<f64>, intercept: f64| {
        let left = (x.to_dmatrix() * coef.transpose()).add_scalar(intercept);
        let rows = left.iter().zip(&y).map(|(p, y)| (f64::from(*y) - p).powi(2) + 30.0 * (f64::from(*y) - p).abs());
        rows.sum::<f64>() / 442.0 + coef.iter().map(|w| w.abs() + 0.2 * w * w).sum::<f64>()
    };
    let least = objective(full.coef(), full.intercept()[0]);
    assert!((least / full.objectives()[0] - 1.0).abs() < 1e-9);
    for column in 0..10 {
        for step in [-0.05, 0.05] {
            let mut coef = full.coef().clone();
            coef[(0, column)] += step;
            assert!(objective(&coef, full.intercept()[0]) > least * (1.0 - 1e-9));
        }
    }
    assert!(MixedErrorRegressor::default().squared(0.0).absolute(0.0).fit(&x, &y).is_err());
}
