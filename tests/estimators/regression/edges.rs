//! What every linear regressor does with tables at the edge.

use gristmill::prelude::*;
use gristmill::registry;

use crate::support::{matrix, numbers};

const ALL: [&str; 16] = [
    "linear-regression",
    "ridge",
    "ridge-cv",
    "lasso",
    "elastic-net",
    "lasso-cv",
    "elastic-net-cv",
    "bridge-regressor",
    "huber-regressor",
    "quantile-regressor",
    "mixed-error-regressor",
    "poisson-regressor",
    "gamma-regressor",
    "bayesian-linear-regression",
    "linear-svr",
    "sgd-regressor",
];

fn fit(name: &str, x: &Matrix, y: &[f32], options: Fit<'_>) -> Result<AnyModel> {
    let y = Matrix::from_vec(y.len(), 1, y.to_vec())?;
    registry::find(name)?.estimator().fit(x, &Target::Numbers(y), options)
}

fn finite(model: &AnyModel, x: &Matrix) -> bool {
    model.predict(x).unwrap().numbers().unwrap().as_slice().iter().all(|value| value.is_finite())
}

/// Above 0, for the models that need it.
fn positive(rows: usize, seed: u64) -> Vec<f32> {
    numbers(rows, seed).iter().map(|value| 2.0 + value).collect()
}

#[test]
fn constant_columns_and_fewer_rows_than_columns_give_finite_planes() {
    let mut values = numbers(8 * 20, 1);
    (0..8).for_each(|row| values[row * 20 + 3] = 5.0);
    let x = Matrix::from_vec(8, 20, values).unwrap();
    for name in ALL {
        let model = fit(name, &x, &positive(8, 2), Fit::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(finite(&model, &x), "{name}");
    }
}

#[test]
fn targets_that_are_all_the_same_are_predicted() {
    let x = matrix(40, 3, 5);
    for name in ALL {
        let model = fit(name, &x, &[2.0; 40], Fit::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A prior pulls a little, and stochastic steps end when the loss hardly falls.
        let within = match name {
            "sgd-regressor" => 0.5,
            "bayesian-linear-regression" => 0.2,
            _ => 2e-2,
        };
        let predicted = model.predict(&x).unwrap();
        let off =
            predicted.numbers().unwrap().as_slice().iter().fold(0.0_f32, |most, value| most.max((value - 2.0).abs()));
        assert!(off < within, "{name}: {off}");
    }
}

#[test]
fn weights_that_are_all_zero_and_missing_values_are_typed_errors() {
    let x = matrix(12, 2, 6);
    let mut missing = x.as_slice().to_vec();
    missing[5] = f32::NAN;
    let missing = Matrix::from_vec(12, 2, missing).unwrap();
    let y = positive(12, 7);
    for name in ALL {
        let refused = fit(name, &x, &y, Fit::default().sample_weight(&[0.0; 12]));
        assert!(matches!(refused, Err(Error::Param { .. })), "{name}");
        assert!(
            matches!(fit(name, &missing, &y, Fit::default()), Err(Error::NotFinite { row: 2, column: 1, .. })),
            "{name}"
        );
        assert!(fit(name, &x, &y[..11], Fit::default()).is_err(), "{name}");
    }
}

#[test]
fn columns_of_1e8_are_fitted_or_refused_with_what_to_do() {
    let noise = matrix(200, 2, 3);
    let values = (0..200).flat_map(|row| [1e8 + 1e4 * noise.get(row, 0), noise.get(row, 1)]).collect();
    let x = Matrix::from_vec(200, 2, values).unwrap();
    let y: Vec<f32> = (0..200).map(|row| 5.0 + 2.0 * noise.get(row, 0)).collect();
    let target = Target::Numbers(Matrix::from_vec(200, 1, y.clone()).unwrap());
    for name in ALL {
        match (name, fit(name, &x, &y, Fit::default())) {
            // Steps of one rate cannot suit both columns, and a penalty on the intercept holds the plane near the origin.
            ("sgd-regressor", Err(error)) => assert!(error.to_string().contains("scaled"), "{error}"),
            ("linear-svr" | "bayesian-linear-regression", Ok(model)) => assert!(finite(&model, &x), "{name}"),
            (_, model) => {
                let model = model.unwrap_or_else(|error| panic!("{name}: {error}"));
                let score = model.score(&x, &target).unwrap();
                assert!(score > 0.9, "{name}: {score}");
            }
        }
    }
}

#[test]
fn a_rate_that_diverges_is_an_error_that_names_the_remedy() {
    let x = matrix(300, 4, 8);
    let target = Target::Numbers(Matrix::from_vec(300, 1, numbers(300, 9)).unwrap());
    let sgd = registry::find("sgd-regressor").unwrap().estimator();
    let wild = sgd.set("learning_rate", "constant".into()).unwrap().set("eta0", 50.0_f64.into()).unwrap();
    let refused = wild.fit(&x, &target, Fit::default()).unwrap_err().to_string();
    assert!(refused.contains("eta0") && refused.contains("StandardScaler"), "{refused}");
}
