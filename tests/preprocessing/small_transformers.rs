//! Columns chosen, functions of values, shares and categories as numbers; numbers are scikit-learn's.

use gristmill::prelude::*;
use gristmill::preprocessing::{
    ColumnSelector, Function, FunctionTransformer, OrdinalEncoder, OutputDistribution, QuantileTransformer,
    StandardScaler, TargetEncoder, UnknownOrdinal, VarianceThreshold,
};

fn close(found: &[f32], wanted: &[f32], tolerance: f32) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= tolerance)
}

#[test]
fn constant_columns_are_left_out_with_their_names() {
    let x = Matrix::from_rows(&[[1.0, 7.0, f32::NAN], [2.0, 7.0, 3.0], [3.0, 7.0, 3.5]]).unwrap();
    let x = x.with_names(["a", "b", "c"]).unwrap();
    let model = VarianceThreshold::default().fit(&x).unwrap();
    let kept = model.transform(&x).unwrap();
    assert_eq!(kept.names().unwrap(), ["a", "c"]);
    assert!(kept.get(0, 1).is_nan() && (model.variances()[2] - 0.0625).abs() < 1e-12);
    let refused = VarianceThreshold::default().threshold(9.0).fit(&x).unwrap_err().to_string();
    assert!(refused.starts_with("threshold must be"), "{refused}");
}

#[test]
fn columns_are_kept_in_the_order_named_or_left_out() {
    let x = Matrix::from_rows(&[[1.0, 0.0, 3.0]]).unwrap().with_names(["a", "b", "c"]).unwrap();
    let x = x.with_category_names(1, ["no"]).unwrap();
    let kept = ColumnSelector::default().columns(["c", "1"]).fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!((kept.names().unwrap(), kept.as_slice()), (&["c".to_string(), "b".to_string()][..], &[3.0, 0.0][..]));
    assert_eq!(kept.categories(1).unwrap(), ["no"]);
    let rest = ColumnSelector::default().columns(["b"]).drop(true).fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(rest.as_slice(), [1.0, 3.0]);
    assert!(ColumnSelector::default().columns(["d"]).fit(&x).unwrap_err().to_string().contains("columns must be"));
    assert!(ColumnSelector::default().columns(["a", "b", "c"]).drop(true).fit(&x).is_err());
}

#[test]
fn functions_are_those_of_f64_and_lead_back() {
    let x = Matrix::from_rows(&[[0.25, 1.0, f32::NAN], [4.0, 1e-20, 2.5]]).unwrap();
    let all = ["identity", "log1p", "log", "exp", "sqrt", "square", "abs", "reciprocal", "asinh"];
    for name in all {
        let estimator = gristmill::registry::find("function-transformer").unwrap().estimator();
        let estimator = estimator.set("func", name.into()).unwrap();
        let model = estimator.fit(&x, &Target::None, Fit::default()).unwrap();
        let made = model.transform(&x).unwrap();
        assert!(made.get(0, 2).is_nan(), "{name}");
        let model = model.downcast_ref::<gristmill::preprocessing::FunctionTransformerModel>().unwrap();
        let back = model.inverse_transform(&made).unwrap();
        assert!(close(&back.as_slice()[..2], &x.as_slice()[..2], 1e-6), "{name}: {back:?}");
    }
    let log1p = FunctionTransformer::new(Function::Log1p).fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(log1p.get(1, 1), 1e-20, "log(1 + x) keeps what 1 + x would round away");
    let refused = FunctionTransformer::new(Function::Log).fit(&x).unwrap();
    let refused = refused.transform(&Matrix::from_rows(&[[1.0, 1.0, 0.0]]).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("above 0") && refused.contains("row 0, column 2"), "{refused}");
}

#[test]
fn shares_are_scikit_learns() {
    let rows = [[1.0, 10.0], [2.0, 20.0], [2.0, 5.0], [4.0, 40.0], [7.0, 5.0], [9.0, 80.0], [9.0, 90.0], [11.0, 7.0]];
    let x = Matrix::from_rows(&rows).unwrap();
    let queries = Matrix::from_rows(&[[2.0, 10.0], [8.0, 90.0], [0.0, 6.0], [3.0, 200.0], [f32::NAN, 5.0]]).unwrap();
    let cases = [
        (8, OutputDistribution::Uniform, [0.214286, 0.428571, 0.642857, 1.0, 0.0, 0.214286, 0.357143, 1.0]),
        (5, OutputDistribution::Uniform, [0.25, 0.352941, 0.678571, 1.0, 0.0, 0.166667, 0.321429, 1.0]),
        (
            8,
            OutputDistribution::Normal,
            [-0.791639, -0.180012, 0.366106, 5.199338, -5.199338, -0.791639, -0.366106, 5.199338],
        ),
        (
            5,
            OutputDistribution::Normal,
            [-0.67449, -0.377392, 0.463708, 5.199338, -5.199338, -0.967422, -0.463708, 5.199338],
        ),
    ];
    for (count, distribution, wanted) in cases {
        let model =
            QuantileTransformer::default().n_quantiles(count).output_distribution(distribution).fit(&x).unwrap();
        let found = model.transform(&queries).unwrap();
        assert!(close(&found.as_slice()[..8], &wanted, 2e-6), "{count} {distribution:?}: {found:?}");
        assert!(found.get(4, 0).is_nan() && !found.get(4, 1).is_nan());
        let back = model.inverse_transform(&found).unwrap();
        assert!(close(&back.as_slice()[..4], &queries.as_slice()[..4], 1e-4), "{count} {distribution:?}: {back:?}");
    }
}

#[test]
fn categories_become_numbers_in_their_order() {
    let x = Matrix::from_rows(&[[1.0, 5.0], [0.0, 6.0], [f32::NAN, 7.0]]).unwrap();
    let x = x.with_category_names(0, ["low", "high", "higher"]).unwrap();
    let model = OrdinalEncoder::default().fit(&x).unwrap();
    let made = model.transform(&x).unwrap();
    assert!(!made.is_categorical(0) && made.get(2, 0).is_nan());
    assert_eq!((made.get(0, 0), made.get(1, 0), made.get(2, 1)), (1.0, 0.0, 7.0));
    let strange = Matrix::from_rows(&[[9.0, 5.0]]).unwrap();
    assert!(model.transform(&strange).unwrap_err().to_string().contains("is no category that was fitted"));
    let lenient = OrdinalEncoder::default().handle_unknown(UnknownOrdinal::UseEncodedValue).unknown_value(-1.0);
    assert_eq!(lenient.fit(&x).unwrap().transform(&strange).unwrap().get(0, 0), -1.0);
    assert_eq!(OrdinalEncoder::default().columns(["1"]).fit(&x).unwrap().transform(&x).unwrap().get(2, 1), 2.0);
}

/// Ten rows of four categories.
fn categories() -> Matrix {
    let codes = [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0];
    Matrix::from_vec(10, 1, codes.to_vec()).unwrap().with_category_names(0, ["a", "b", "c", "d"]).unwrap()
}

#[test]
fn target_encodings_are_scikit_learns() {
    let x = categories();
    let each = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0], [7.0]]).unwrap();
    let numbers = Matrix::from_vec(10, 1, vec![1.0, 2.0, 4.0, 10.0, 12.0, 3.0, 5.0, 5.0, 7.0, 20.0]).unwrap();
    let two = Target::Classes(Labels::from(&[0_u32, 1, 0, 1, 1, 0, 0, 1, 0, 1][..]));
    let three = Target::Classes(Labels::from(&[0_u32, 1, 2, 1, 1, 0, 2, 1, 0, 2][..]));
    let encode = |smooth: Option<f64>, y: &Target| {
        let model = TargetEncoder::default().smooth(smooth).fit(&x, y).unwrap();
        model.transform(&each).unwrap().as_slice().to_vec()
    };
    let numbers = Target::Numbers(numbers);
    assert!(close(&encode(None, &numbers), &[2.4117186, 10.932097, 5.0314674, 20.0, 6.9], 1e-5));
    assert!(close(&encode(Some(3.0), &numbers), &[4.616667, 8.54, 5.814286, 10.175, 6.9], 1e-5));
    assert!(close(&encode(None, &two), &[0.371428, 1.0, 0.289473, 1.0, 0.5], 1e-6));
    assert!(close(&encode(Some(2.0), &two), &[0.4, 0.75, 0.333333, 0.666666, 0.5], 1e-6));
    let wanted = [0.324641, 0.349056, 0.324641, 0.0, 1.0, 0.0, 0.454128, 0.274509, 0.259124];
    assert!(close(&encode(None, &three)[..9], &wanted, 1e-6));
}

#[test]
fn a_row_does_not_see_its_own_target_in_a_pipeline() {
    // Every row is a category of its own: whatever is told of it comes from other rows, and that is their mean.
    let codes: Vec<f32> = (0..40_u8).map(f32::from).collect();
    let x = Matrix::from_vec(40, 1, codes).unwrap().with_categories([0]).unwrap();
    let y = Target::Numbers(Matrix::from_vec(40, 1, (0..40_u8).map(|row| f32::from(row % 7)).collect()).unwrap());
    let encoder = AnyEstimator::new(TargetEncoder::default().smooth(0.0));
    let (model, seen) = encoder.fit_transform(&x, &y, Fit::default()).unwrap();
    let seen = seen.into_host().unwrap();
    assert!(seen.as_slice().iter().all(|value| (2.0..4.0).contains(value)), "{seen:?}");
    let told: Matrix = model.transform(&x).unwrap();
    assert_eq!(told.as_slice()[..7], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn a_pipeline_of_small_transformers_is_the_same_after_a_round_trip() {
    let cancer = datasets::breast_cancer().unwrap();
    let pipeline = Pipeline::new(KNeighborsClassifier::new(5))
        .step(VarianceThreshold::default())
        .step(FunctionTransformer::new(Function::Log1p))
        .step(QuantileTransformer::default().n_quantiles(50))
        .step(ColumnSelector::default().columns(["0"]).drop(true))
        .step(StandardScaler::default());
    let model = pipeline.fit(&cancer).unwrap();
    let again = gristmill::pipeline::PipelineModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&cancer.x).unwrap(), model.predict(&cancer.x).unwrap());
    assert_eq!(again.input_columns().names.len(), cancer.x.columns() - 1);
}
