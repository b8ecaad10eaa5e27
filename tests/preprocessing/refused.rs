use gristmill::prelude::*;

use super::fixtures::X;
use super::matrix;

/// The result of fitting and transforming, for every transformer of numbers.
fn results(train: &Matrix, test: &Matrix) -> Vec<(&'static str, Result<Matrix>)> {
    vec![
        ("StandardScaler", StandardScaler::default().fit(train).and_then(|model| model.transform(test))),
        ("MinMaxScaler", MinMaxScaler::default().fit(train).and_then(|model| model.transform(test))),
        ("RobustScaler", RobustScaler::default().fit(train).and_then(|model| model.transform(test))),
        ("SimpleImputer", SimpleImputer::default().fit(train).and_then(|model| model.transform(test))),
        ("Normalizer", Normalizer::default().fit(train).and_then(|model| model.transform(test))),
        ("OneHotEncoder", OneHotEncoder::default().fit(train).and_then(|model| model.transform(test))),
        ("PolynomialFeatures", PolynomialFeatures::default().fit(train).and_then(|model| model.transform(test))),
        ("SineBasis", SineBasis::default().fit(train).and_then(|model| model.transform(test))),
        ("GaussianBasis", GaussianBasis::default().fit(train).and_then(|model| model.transform(test))),
        ("KBinsDiscretizer", KBinsDiscretizer::default().fit(train).and_then(|model| model.transform(test))),
    ]
}

#[test]
fn another_width_is_refused_by_all() {
    for (name, result) in results(&matrix(3, &X), &matrix(2, &[1.0, 2.0])) {
        let error = result.unwrap_err().to_string();
        assert_eq!(error, format!("{name}: expected 3 columns, as in the data that was fitted, got 2 columns"));
    }
}

#[test]
fn an_empty_table_is_refused_by_all() {
    for empty in [Matrix::zeros(0, 3).unwrap(), Matrix::zeros(3, 0).unwrap()] {
        for (name, result) in results(&empty, &empty) {
            assert!(matches!(result, Err(Error::Shape { op, .. }) if op == name), "{name}");
        }
    }
}

#[test]
fn no_rows_are_transformed_to_no_rows_by_all() {
    for (name, result) in results(&matrix(3, &X), &Matrix::zeros(0, 3).unwrap()) {
        assert_eq!(result.unwrap().rows(), 0, "{name}");
    }
}

#[test]
fn missing_values_are_refused_with_their_place_where_they_are_not_accepted() {
    let whole = matrix(3, &X);
    let mut gap = whole.clone();
    gap.as_mut_slice()[2 * 3 + 1] = f32::NAN;
    let accepted = ["StandardScaler", "MinMaxScaler", "RobustScaler", "SimpleImputer"];
    let refusal = |name: &str, result: Result<Matrix>| match result {
        Ok(_) => assert!(accepted.contains(&name), "{name}"),
        Err(error) => {
            assert!(
                matches!(error, Error::NotFinite { row: 2, column: 1, value } if value.is_nan()),
                "{name}: {error}"
            );
            assert!(!accepted.contains(&name), "{name}");
        }
    };
    results(&gap, &whole).into_iter().for_each(|(name, result)| refusal(name, result));
    results(&whole, &gap).into_iter().for_each(|(name, result)| refusal(name, result));
}

#[test]
fn infinities_are_refused_by_all() {
    let whole = matrix(3, &X);
    let mut infinite = whole.clone();
    infinite.as_mut_slice()[4] = f32::INFINITY;
    for (name, result) in results(&infinite, &whole).into_iter().chain(results(&whole, &infinite)) {
        assert!(matches!(result, Err(Error::NotFinite { row: 1, column: 1, .. })), "{name}");
    }
}

#[test]
fn parameters_outside_their_range_are_named() {
    let x = matrix(3, &X);
    let name = |error: Error| match error {
        Error::Param { name, .. } => name,
        other => panic!("{other}"),
    };
    assert_eq!(name(MinMaxScaler::default().feature_range((1.0, 1.0)).fit(&x).unwrap_err()), "feature_range");
    assert_eq!(name(MinMaxScaler::default().feature_range((0.0, f64::NAN)).fit(&x).unwrap_err()), "feature_range");
    assert_eq!(name(RobustScaler::default().quantile_range((75.0, 25.0)).fit(&x).unwrap_err()), "quantile_range");
    assert_eq!(name(RobustScaler::default().quantile_range((-1.0, 25.0)).fit(&x).unwrap_err()), "quantile_range");
    assert_eq!(name(KBinsDiscretizer::new(1).fit(&x).unwrap_err()), "n_bins");
    assert_eq!(name(SimpleImputer::default().fill_value(f32::NAN).fit(&x).unwrap_err()), "fill_value");
    assert_eq!(name(SineBasis::new(0).fit(&x).unwrap_err()), "n_terms");
    assert_eq!(name(SineBasis::default().period(0.0).fit(&x).unwrap_err()), "period");
    assert_eq!(name(GaussianBasis::new(0).fit(&x).unwrap_err()), "n_centers");
    assert_eq!(name(GaussianBasis::default().width(-1.0).fit(&x).unwrap_err()), "width");
}

#[test]
fn a_result_beyond_f32_is_an_error() {
    let x = matrix(1, &[-3e38, 3e38]);
    let model = StandardScaler::default().fit(&x).unwrap();
    let far = matrix(1, &[0.0, 2.0]);
    assert!(matches!(model.inverse_transform(&far), Err(Error::NotFinite { row: 1, column: 0, .. })));
    assert!(model.inverse_transform(&matrix(2, &[0.0, 0.0])).is_err());
}
