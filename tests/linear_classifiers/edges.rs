use gristmill::prelude::*;
use gristmill::registry;

/// Every linear classifier, by name.
const ALL: [&str; 8] = [
    "logistic-regression",
    "sgd-classifier",
    "perceptron",
    "linear-svc",
    "least-squares-classifier",
    "linear-discriminant-analysis",
    "one-vs-rest",
    "nested-dichotomies",
];

fn fit(name: &str, x: &Matrix, y: &Labels) -> Result<AnyModel> {
    let estimator = registry::find(name)?.estimator();
    estimator.fit(x, &Target::Classes(y.clone()), Fit::default())
}

#[test]
fn constant_columns_and_fewer_rows_than_columns_give_finite_planes() {
    let mut values = crate::support::numbers(6 * 20, 1);
    (0..6).for_each(|row| values[row * 20 + 3] = 5.0);
    let x = Matrix::from_vec(6, 20, values).unwrap();
    let y = Labels::from_names(&["a", "b", "a", "b", "a", "b"]);
    for name in ALL {
        let model = fit(name, &x, &y).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.predict(&x).unwrap().len(), 6, "{name}");
    }
}

#[test]
fn separable_classes_are_told_apart_and_the_fit_ends() {
    let x = Matrix::from_rows(&[[-2.0, 0.0], [-1.5, 1.0], [1.5, 0.5], [2.0, -1.0]]).unwrap();
    let y = Labels::from_names(&["a", "a", "b", "b"]);
    for name in ALL {
        let model = fit(name, &x, &y).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.predict(&x).unwrap(), gristmill::estimator::Prediction::Classes(y.clone()), "{name}");
    }
}

#[test]
fn one_class_is_always_predicted() {
    let x = Matrix::from_rows(&[[0.0, 1.0], [1.0, 2.0], [3.0, 1.0]]).unwrap();
    let y = Labels::from_names(&["only", "only", "only"]);
    for name in ALL {
        let model = fit(name, &x, &y).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.predict(&x).unwrap().classes().unwrap(), &y, "{name}");
    }
}

#[test]
fn labels_of_any_numbers_come_back_as_they_were() {
    let x = Matrix::from_rows(&[[-3.0], [-2.5], [0.0], [0.4], [3.0], [2.6]]).unwrap();
    let y = Labels::from(&[70_i64, 70, -5, -5, 1000, 1000][..]);
    for name in ALL {
        let model = fit(name, &x, &y).unwrap_or_else(|error| panic!("{name}: {error}"));
        let predicted = model.predict(&x).unwrap();
        let names = predicted.classes().unwrap().names();
        assert_eq!(names, ["-5", "70", "1000"], "{name}");
    }
}

#[test]
fn weights_that_are_all_zero_missing_values_and_a_missing_target_are_typed_errors() {
    let x = Matrix::from_rows(&[[0.0], [1.0]]).unwrap();
    let y = Labels::from_names(&["a", "b"]);
    let missing = Matrix::from_rows(&[[0.0], [f32::NAN]]).unwrap();
    for name in ALL {
        let estimator = registry::find(name).unwrap().estimator();
        let target = Target::Classes(y.clone());
        let refused = estimator.fit(&x, &target, Fit::default().sample_weight(&[0.0, 0.0]));
        assert!(matches!(refused, Err(Error::Param { .. })), "{name}");
        assert!(fit(name, &missing, &y).is_err(), "{name}");
        assert!(fit(name, &x, &Labels::from_names(&["a"])).is_err(), "{name}");
    }
}

#[test]
fn columns_of_1e8_are_fitted_or_refused_with_what_to_do() {
    let noise = crate::support::matrix(200, 2, 3);
    let values = (0..200).flat_map(|row| [1e8 + 1e4 * noise.get(row, 0), noise.get(row, 1)]).collect();
    let x = Matrix::from_vec(200, 2, values).unwrap();
    let codes = (0..200).map(|row| u32::from(noise.get(row, 0) > 0.0)).collect();
    let y = Labels::from_codes(codes, vec!["low".into(), "high".into()]).unwrap();
    for name in ["logistic-regression", "least-squares-classifier", "linear-discriminant-analysis"] {
        let model = fit(name, &x, &y).unwrap_or_else(|error| panic!("{name}: {error}"));
        let score = model.score(&x, &Target::Classes(y.clone())).unwrap();
        assert!(score > 0.9, "{name}: {score}");
    }
    // Steps of one rate cannot suit both columns: an error, or a plane, but no hang and no infinity.
    match fit("sgd-classifier", &x, &y) {
        Ok(model) => assert_eq!(model.predict(&x).unwrap().len(), 200),
        Err(error) => assert!(error.to_string().contains("scaled"), "{error}"),
    }
}
