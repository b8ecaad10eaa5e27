//! Poisson and gamma regression.

use gristmill::prelude::*;

use super::{apart, sparse, standard_diabetes};

#[test]
fn diabetes_has_the_coefficients_of_scikit_learn() {
    let (x, y) = standard_diabetes();
    let poisson = [
        0.00179987717452,
        -0.07353666837524,
        0.144615850755154,
        0.098309041162566,
        -0.245270400925963,
        0.19641069586641,
        -0.018414344202499,
        -0.009245411336058,
        0.251339412953661,
        0.017767628774954,
    ];
    let model = PoissonRegressor::default().tol(1e-9).fit(&x, &y).unwrap();
    assert!(model.converged() && apart(model.coef().as_slice(), &poisson) < 1e-5, "{}", model.coef());
    assert!((model.intercept()[0] - 4.959257763871865).abs() < 1e-6);
    assert!((model.deviance_explained() - 0.510807197311455).abs() < 1e-6);
    let of_sparse = PoissonRegressor::default().tol(1e-9).fit(&sparse(&x), &y).unwrap();
    assert!(apart(of_sparse.coef().as_slice(), &poisson) < 1e-5);
    let weighted_wanted = [
        -0.001244714769816,
        -0.056427570771247,
        0.136514897500611,
        0.081356045078762,
        -0.441508694140318,
        0.353928370375038,
        0.070934183300766,
        0.022845036482335,
        0.329375431259924,
        0.016126202291404,
    ];
    let weights: Vec<f32> = (0..442).map(|row| (row % 3) as f32).collect();
    let options = Fit::default().sample_weight(&weights);
    let weighted = PoissonRegressor::default().alpha(0.0).tol(1e-9).fit_with(&x, &y, options).unwrap();
    assert!(apart(weighted.coef().as_slice(), &weighted_wanted) < 1e-4, "{}", weighted.coef());
    let gamma = [
        0.009115787051281,
        -0.029813344453942,
        0.091586302458034,
        0.063166971657654,
        0.002924787119749,
        -0.00265255976109,
        -0.055721141498174,
        0.035856869020714,
        0.086067753750071,
        0.030295112147446,
    ];
    let model = GammaRegressor::default().tol(1e-9).fit(&x, &y).unwrap();
    assert!(apart(model.coef().as_slice(), &gamma) < 1e-5, "{}", model.coef());
    assert!((model.deviance_explained() - 0.40884743887115).abs() < 1e-6);
    assert_eq!(GammaRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
}

#[test]
fn means_are_met_and_wrong_targets_refused() {
    let (x, _) = standard_diabetes();
    let counts: Vec<f32> = (0..442).map(|row| (row % 5) as f32).collect();
    let model = PoissonRegressor::default().alpha(0.0).tol(1e-9).fit(&x, &counts).unwrap();
    let total: f64 = model.predict(&x).unwrap().as_slice().iter().copied().map(f64::from).sum();
    assert!((total / counts.iter().sum::<f32>() as f64 - 1.0).abs() < 1e-5); // the slope of the intercept is 0
    assert!(GammaRegressor::default().fit(&x, &counts).is_err());
    assert!(PoissonRegressor::default().fit(&x, &vec![0.0_f32; 442]).is_err());
    let mut negative = counts;
    negative[3] = -1.0;
    assert!(PoissonRegressor::default().fit(&x, &negative).is_err());
}
