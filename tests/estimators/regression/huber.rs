//! Huber's regression.

use gristmill::prelude::*;

use super::{apart, sparse, standard_diabetes};

#[test]
fn huber_has_the_plane_and_scale_of_scikit_learn() {
    let (x, y) = standard_diabetes();
    let wanted = [
        -1.428050495069807,
        -13.517289825404877,
        25.2196988574151,
        16.189177937883947,
        -36.16298158912462,
        20.07562419606189,
        3.44597348939659,
        8.241012291230073,
        37.08455866419615,
        2.035095470139255,
    ];
    for model in
        [HuberRegressor::default().fit(&x, &y).unwrap(), HuberRegressor::default().fit(&sparse(&x), &y).unwrap()]
    {
        assert!(model.converged(), "{} steps", model.iterations());
        assert!(apart(model.coef().as_slice(), &wanted) < 1e-4, "{}", model.coef());
        assert!((model.intercept()[0] - 151.30028986520702).abs() < 1e-2);
        assert!((model.scales()[0] - 37.32926172477572).abs() < 1e-2, "{}", model.scales()[0]);
        let restored = HuberRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(restored, model);
    }
}
