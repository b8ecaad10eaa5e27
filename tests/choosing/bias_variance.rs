//! Bias and variance add up, and move as they should.

use gristmill::datasets::{self, notes};
use gristmill::prelude::*;
use gristmill::selection::{BiasVariance, Truth, bias_variance, bias_variance_by_generator};

fn ridge(alpha: f64) -> BiasVariance {
    let test = notes::wide(1 << 40).unwrap();
    let values: Vec<f64> = (0..test.rows()).map(|row| notes::wide_at(test.x.row(row))).collect();
    let truth = Truth::Numbers { values: &values, noise_variance: 1.0 };
    bias_variance_by_generator(&Pipeline::new(Ridge::new(alpha)), &notes::wide, &test.x, &truth, 60).unwrap()
}

#[test]
fn ridge_on_45_columns_has_its_least_error_inside() {
    let found: Vec<BiasVariance> = [0.01, 0.3, 3.0, 10.0, 30.0, 100.0, 1000.0].map(ridge).to_vec();
    for parts in &found {
        assert!((parts.error - parts.bias - parts.variance - parts.noise).abs() < 1e-9 * parts.error);
        assert_eq!(parts.noise, 1.0);
    }
    assert!(found.windows(2).all(|pair| pair[0].variance > pair[1].variance), "variance falls");
    // Of little penalty the mean of 60 fits still varies, which counts as bias; from the middle on it clearly rises.
    assert!(found[3..].windows(2).all(|pair| pair[0].bias < pair[1].bias), "bias rises");
    let least = (0..found.len()).min_by(|a, b| found[*a].error.total_cmp(&found[*b].error)).unwrap();
    assert!(least > 0 && least < found.len() - 1, "{least}");
    assert!(found[0].error > 2.0 * found[least].error, "least squares pays for its variance");
}

#[test]
fn the_zero_one_loss_splits_too() {
    let (train, test) = datasets::moons(600, 0.35, 3).unwrap().split(0.3, 1).unwrap();
    let depth = |depth: usize| {
        let tree = Pipeline::new(DecisionTreeClassifier::default().max_depth(depth));
        bias_variance(&tree, &train, &test, 40, 0).unwrap()
    };
    let (shallow, deep) = (depth(1), depth(12));
    for parts in [shallow, deep] {
        assert!((parts.error - (parts.bias + parts.unbiased_variance - parts.biased_variance)).abs() < 1e-12);
        assert!(parts.variance <= parts.unbiased_variance && parts.noise == 0.0);
    }
    assert!(shallow.bias > deep.bias && shallow.unbiased_variance < deep.unbiased_variance);
    // The mean error over the fits, measured directly.
    let stump = Pipeline::new(DecisionTreeClassifier::default().max_depth(1));
    let again = bias_variance(&stump, &train, &test, 40, 0).unwrap();
    assert_eq!(again, shallow);
}

#[test]
fn averaging_lowers_the_variance_and_boosting_the_bias() {
    let (train, test) = datasets::diabetes().unwrap().split(0.5, 1).unwrap();
    let of = |pipeline: Pipeline| bias_variance(&pipeline, &train, &test, 20, 0).unwrap();
    let deep = of(Pipeline::new(DecisionTreeRegressor::default()));
    let bagged = of(Pipeline::new(BaggingRegressor::default().n_estimators(20)));
    assert!(bagged.variance < 0.5 * deep.variance && bagged.bias < 1.2 * deep.bias);
    let stump = of(Pipeline::new(DecisionTreeRegressor::default().max_depth(1)));
    let boosted = of(Pipeline::new(GradientBoostingRegressor::default().n_estimators(30).max_depth(1)));
    assert!(boosted.bias < stump.bias);
}

#[test]
fn wrong_targets_and_too_few_fits_are_refused() {
    let (train, test) = datasets::diabetes().unwrap().split(0.5, 1).unwrap();
    let ridge = Pipeline::new(Ridge::new(1.0));
    assert!(bias_variance(&ridge, &train, &test, 1, 0).unwrap_err().to_string().contains("repeats"));
    let truth = Truth::Numbers { values: &[1.0], noise_variance: 0.0 };
    assert!(bias_variance_by_generator(&ridge, &notes::wide, &test.x, &truth, 5).is_err());
    let iris = datasets::iris().unwrap();
    assert!(bias_variance(&ridge, &iris, &iris, 5, 0).is_err());
}
