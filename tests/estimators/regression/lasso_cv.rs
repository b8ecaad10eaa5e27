//! The penalty chosen over folds.

use gristmill::prelude::*;

use super::sparse;
use crate::estimators::linear::targets;
use crate::support::matrix;

#[test]
fn diabetes_has_the_penalty_and_errors_of_scikit_learn() {
    let data = gristmill::datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    let cv = LassoCv::default().tol(1e-9).max_iter(100_000);
    for model in [cv.fit(&data.x, y).unwrap(), cv.fit(&sparse(&data.x), y).unwrap()] {
        assert!((model.alpha() / 0.564404352900226 - 1.0).abs() < 1e-6, "{}", model.alpha());
        let found = model.cv_errors();
        for (at, wanted) in [(0, 5966.407591653269), (20, 4291.590041122852), (50, 3229.348321947263)] {
            assert!((found[at] / wanted - 1.0).abs() < 1e-5, "{at}: {}", found[at]);
        }
        let least = found.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((least / 3010.5765046458396 - 1.0).abs() < 1e-5, "{least}");
        let again = LassoCvModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again, model);
    }
    let net = ElasticNetCv::default().tol(1e-9).max_iter(100_000).fit(&data.x, y).unwrap();
    assert!((net.alpha() / 1.128808705800453 - 1.0).abs() < 1e-6, "{}", net.alpha());
    let least = net.cv_errors().iter().copied().fold(f64::INFINITY, f64::min);
    assert!((least / 3171.360595078316 - 1.0).abs() < 1e-5, "{least}");
}

#[test]
fn products_of_folds_that_are_merged_give_what_the_rows_give() {
    let x = matrix(6000, 200, 61);
    let y = targets(&x, 1, 3.0, 62);
    let weights: Vec<f32> = (0..6000).map(|row| 0.5 + (row % 2) as f32).collect();
    let cv = LassoCv::default().n_alphas(12).eps(0.01).tol(1e-10).max_iter(10_000);
    let merged = cv.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let rows = cv.fit_with(&sparse(&x), &y, Fit::default().sample_weight(&weights)).unwrap();
    assert!((merged.alpha() / rows.alpha() - 1.0).abs() < 1e-5);
    for (a, b) in merged.cv_errors().iter().zip(rows.cv_errors()) {
        assert!((a / b - 1.0).abs() < 1e-5);
    }
    assert!((merged.coef() - rows.coef()).amax() < 1e-4 * rows.coef().amax());
}

#[test]
fn what_folds_cannot_take_is_refused() {
    let x = matrix(4, 2, 1);
    let y = targets(&x, 1, 0.1, 2);
    assert!(LassoCv::default().fit(&x, &y).is_err());
    assert!(LassoCv::default().cv(2).alphas(Some(vec![])).fit(&x, &y).is_err());
    assert!(ElasticNetCv::default().cv(2).l1_ratio(vec![0.0]).fit(&x, &y).is_err());
    assert!(LassoCv::default().cv(2).n_alphas(3).fit(&x, &y).is_ok());
}
