//! Ridge regression over penalties: path, leave-one-out, the constrained form.

use gristmill::prelude::*;

use super::{apart, sparse};
use crate::estimators::linear::{difference, targets};
use crate::support::{devices, matrix};

const ALPHAS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

#[test]
fn diabetes_has_the_leave_one_out_errors_of_scikit_learn() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let wanted = [3001.7433676080977, 3001.6670207444076, 3001.698021472246, 3025.32950917605, 3118.9185946096295];
    for (name, device) in devices() {
        let model = RidgeCv::default().alphas(ALPHAS.to_vec()).fit(&data.x.to(device).unwrap(), y).unwrap();
        assert!(apart(model.leave_one_out_errors(), &wanted) < 1e-5, "{name}: {:?}", model.leave_one_out_errors());
        assert_eq!(model.alpha(), 0.1, "{name}");
        let plain = Ridge::new(0.1).fit(&data.x, y).unwrap();
        assert!(difference(model.coef(), plain.coef()) < 1e-6, "{name}");
    }
    let of_sparse = RidgeCv::default().alphas(ALPHAS.to_vec()).fit(&sparse(&data.x), y).unwrap();
    assert!(apart(of_sparse.leave_one_out_errors(), &wanted) < 1e-6);
}

#[test]
fn the_errors_are_those_of_leaving_each_row_out() {
    let x = matrix(25, 3, 3);
    let y = targets(&x, 2, 0.4, 4);
    let weights: Vec<f32> = (0..25).map(|row| (row % 4) as f32).collect();
    for intercept in [true, false] {
        let cv = RidgeCv::default().alphas(vec![0.3, 5.0]).fit_intercept(intercept);
        let found = cv.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
        for (at, alpha) in [0.3, 5.0].into_iter().enumerate() {
            let (mut sum, mut total) = (0.0, 0.0);
            for row in (0..25).filter(|&row| weights[row] > 0.0) {
                let mut others = weights.clone();
                others[row] = 0.0;
                let options = Fit::default().sample_weight(&others);
                let model = Ridge::new(alpha).fit_intercept(intercept).fit_with(&x, &y, options).unwrap();
                let own = model.predict_f64(&x.select(&[row]).unwrap().to_dmatrix()).unwrap();
                for output in 0..2 {
                    sum += f64::from(weights[row]) * (f64::from(y.get(row, output)) - own[(0, output)]).powi(2);
                    total += f64::from(weights[row]);
                }
            }
            let error = found.leave_one_out_errors()[at];
            assert!((error / (sum / total) - 1.0).abs() < 1e-8, "{intercept} {alpha}: {error} for {}", sum / total);
        }
    }
}

#[test]
fn a_large_table_has_the_errors_of_f64() {
    let x = matrix(20_000, 48, 7);
    let y = targets(&x, 1, 1.0, 8);
    let large = RidgeCv::default().alphas(ALPHAS.to_vec()).fit(&x, &y).unwrap();
    let path = Ridge::default().path(&x, &y, &ALPHAS, Fit::default()).unwrap();
    let wide = sparse(&x); // f64 throughout
    let exact = RidgeCv::default().alphas(ALPHAS.to_vec()).fit(&wide, &y).unwrap();
    assert!(apart(large.leave_one_out_errors(), exact.leave_one_out_errors()) < 1e-5);
    assert_eq!(large.alpha(), exact.alpha());
    for (at, alpha) in ALPHAS.into_iter().enumerate() {
        let one = Ridge::new(alpha).fit(&x, &y).unwrap();
        assert!(difference(path.coef(at), one.coef()) < 1e-5, "{alpha}");
        assert!((path.intercept(at)[0] - one.intercept()[0]).abs() < 1e-5, "{alpha}");
    }
    assert!(path.degrees_of_freedom().windows(2).all(|pair| pair[1] < pair[0]));
}

#[test]
fn the_length_of_the_coefficients_falls_with_the_penalty_and_can_be_asked_for() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let path = Ridge::default().path(&data.x, y, &ALPHAS, Fit::default()).unwrap();
    let norms: Vec<f64> = (0..5).map(|at| path.coef(at).norm()).collect();
    assert!(norms.windows(2).all(|pair| pair[1] < pair[0]));
    for norm in [1.0, 20.0, 60.0] {
        let model = Ridge::default().fit_constrained(&data.x, y, norm, Fit::default()).unwrap();
        assert!((model.coef().norm() / norm - 1.0).abs() < 1e-6, "{norm}: {}", model.coef().norm());
        let again = Ridge::new(model.alpha()).fit(&data.x, y).unwrap();
        assert_eq!(again.coef(), model.coef());
    }
    let free = Ridge::default().fit_constrained(&data.x, y, 1e6, Fit::default()).unwrap();
    assert_eq!(free.alpha(), 0.0);
    assert_eq!(free.coef(), LinearRegression::default().fit(&data.x, y).unwrap().coef());
    assert!(Ridge::default().fit_constrained(&data.x, y, 0.0, Fit::default()).is_err());
}

#[test]
fn what_a_path_cannot_take_is_refused() {
    let x = matrix(10, 2, 1);
    let y = targets(&x, 1, 0.1, 2);
    assert!(RidgeCv::default().alphas(vec![]).fit(&x, &y).is_err());
    assert!(RidgeCv::default().alphas(vec![0.0]).fit(&x, &y).is_err());
    assert!(RidgeCv::default().fit(&x.select(&[0]).unwrap(), &y.select(&[0]).unwrap()).is_err());
    assert!(RidgeCv::default().fit_with(&x, &y, Fit::default().sample_weight(&[0.0; 10])).is_err());
    let model = RidgeCv::default().fit(&x, &y).unwrap();
    assert_eq!(RidgeCvModel::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
}
