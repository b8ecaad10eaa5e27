//! Numbers that f32 cannot tell apart: kept in f64, learnt as targets, warned of as features.

use gristmill::data::{Dataset, ReadOptions};
use gristmill::estimator::Fit;
use gristmill::prelude::*;
use gristmill::registry;
use gristmill::selection::{CrossValidateOptions, Folds, cross_validate_with};

use super::{Temporary, gzip, parse};

const ROWS: usize = 400;
const BASE: f64 = 1e9;

/// y = 10⁹ + i, and a column that tells i.
fn table() -> String {
    let rows: String = (0..ROWS).map(|row| format!("{},{}\n", row as f64 / 8.0, BASE as u64 + row as u64)).collect();
    format!("a,y\n{rows}")
}

fn data() -> Dataset {
    parse("t.csv", table()).unwrap().with_target("y").unwrap()
}

/// Every registered regressor that learns one column of numbers well.
const LEARNERS: [&str; 8] = [
    "linear-regression",
    "ridge",
    "kneighbors-regressor",
    "decision-tree-regressor",
    "gradient-boosting-regressor",
    "random-forest-regressor",
    "bagging-regressor",
    "voting-regressor",
];

#[test]
fn targets_above_a_billion_are_learnt_by_every_kind_of_regressor() {
    let data = data();
    assert_eq!(data.values().unwrap().get_f64(7, 0), BASE + 7.0);
    let spread = (ROWS * ROWS) as f64 / 12.0;
    for name in LEARNERS {
        let estimator = registry::find(name).unwrap().estimator();
        let model = estimator.fit(&data.x, &data.target, Fit::default()).unwrap();
        assert!(model.score(&data.x, &data.target).unwrap() > 0.999, "{name}");
        let again = AnyModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        for model in [&model, &again] {
            let predicted = model.predict(&data).unwrap();
            let numbers = predicted.numbers().unwrap();
            let error = |row: usize| (numbers.get_f64(row, 0) - BASE - row as f64).powi(2);
            assert!((0..ROWS).map(error).sum::<f64>() / (ROWS as f64) < 1e-3 * spread, "{name}");
            // The f32 is the nearest to it, never a number in another unit.
            assert_eq!(numbers.get(9, 0), numbers.get_f64(9, 0) as f32, "{name}");
        }
    }
}

#[test]
fn categories_are_encoded_by_targets_that_f32_cannot_tell_apart() {
    use gristmill::preprocessing::{TargetEncoder, TargetEncoderModel};
    // Means of 10⁹ + 199 and 10⁹ + 200: one f32.
    let rows: String = (0..ROWS).map(|row| format!("{},{}\n", ["b", "a"][row % 2], BASE as u64 + row as u64)).collect();
    let data = parse("t.csv", format!("kind,y\n{rows}")).unwrap().with_target("y").unwrap();
    let encoder = TargetEncoder::default().smooth(0.0);
    let model = encoder.fit(&data.x, &data.target).unwrap();
    let (through_any, _) = AnyEstimator::new(encoder).fit_transform(&data, &data.target, Fit::default()).unwrap();
    for model in [&model, through_any.downcast_ref::<TargetEncoderModel>().unwrap()] {
        assert_eq!(model.target_mean(), [BASE + 199.5]);
        let encoded = model.transform(&data.x).unwrap();
        assert_eq!(encoded.get(1, 0) - encoded.get(0, 0), 1.0);
        let again = TargetEncoderModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.target_mean(), [BASE + 199.5]);
    }
}

#[test]
fn pipelines_and_cross_validation_score_in_the_unit_of_the_target() {
    let data = data();
    let pipeline = Pipeline::new(Ridge::new(1e-6)).step(StandardScaler::default());
    let model = pipeline.fit(&data).unwrap();
    assert!(model.score(&data, &data.target).unwrap() > 0.999_999);
    let options = CrossValidateOptions::default().scoring([Scoring::R2, Scoring::Rmse, Scoring::Mae]);
    let found = cross_validate_with(&pipeline, &data, &Folds::k_fold(4), options).unwrap();
    assert!(found.score().mean > 0.999_999, "{:?}", found.score());
    let means: Vec<f64> = found.test.iter().map(|scores| scores.iter().sum::<f64>() / 4.0).collect();
    assert!(means[1] < 0.01 && means[2] < 0.01, "{means:?}");
}

#[test]
fn what_a_model_tells_of_itself_is_in_the_unit_of_the_target() {
    let (data, first) = (data(), BASE + 0.5);
    let (x, y) = (&data.x, data.values().unwrap());
    let plane = LinearRegression::default().fit(x, y).unwrap();
    assert!((plane.intercept()[0] - BASE).abs() < 1e-3 && (plane.coef()[(0, 0)] - 8.0).abs() < 1e-4);
    let near = |found: f64| assert!((found - first).abs() < 2.0, "{found}");
    near(plane.predict_f64(&nalgebra::DMatrix::from_element(1, 1, 0.0)).unwrap()[(0, 0)]);
    let dummy = DummyRegressor::default().fit(x, y).unwrap();
    assert_eq!(dummy.constant(), [BASE + (ROWS - 1) as f64 / 2.0]);
    let tree = DecisionTreeRegressor::default().max_depth(2).fit(x, y).unwrap();
    assert!(tree.to_text().contains("1000000"), "{}", tree.to_text());
    let boosting = GradientBoostingRegressor::default().n_estimators(60).learning_rate(0.3);
    let half = boosting.clone().n_estimators(30).fit(x, y).unwrap();
    let model = boosting.fit_more(&half, x, y, Fit::default()).unwrap();
    assert!(model.score(x, y).unwrap() > half.score(x, y).unwrap());
    let last = model.staged_predict(x).unwrap().last().unwrap().unwrap();
    assert_eq!(last, model.predict(x).unwrap());
    assert_eq!(model.decision_function(x).unwrap(), last);
    let shapley = &model.shapley_values(x).unwrap()[0];
    let sum = (0..shapley.columns()).map(|column| shapley.get_f64(3, column)).sum::<f64>();
    assert!((sum - last.get_f64(3, 0)).abs() < 1e-2);
    assert!(model.to_lightgbm_text().contains("e9"));
}

#[test]
fn validation_rows_are_moved_with_the_targets() {
    let (train, test) = data().split(0.8, 1).unwrap();
    let options = Fit::default().validation(&test.x, test.values().unwrap());
    let model = GradientBoostingRegressor::default().fit_with(&train.x, train.values().unwrap(), options).unwrap();
    let losses = model.validation_losses();
    assert!(losses[losses.len() - 1] < 100.0, "{losses:?}");
}

#[test]
fn without_an_intercept_the_zero_stays_where_it_is() {
    let data = data();
    let model = Ridge::new(0.0).fit_intercept(false).fit(&data.x, data.values().unwrap()).unwrap();
    assert_eq!(model.intercept(), [0.0]);
    // The best line through the origin: Σxy / Σx².
    let x = data.x.column_f64(0);
    let y = data.values().unwrap().column_f64(0);
    let slope = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() / x.iter().map(|x| x * x).sum::<f64>();
    assert!((model.coef()[(0, 0)] / slope - 1.0).abs() < 1e-6);
}

#[test]
fn f64_targets_in_memory_are_learnt() {
    let x = Matrix::from_vec(ROWS, 1, (0..ROWS).map(|row| row as f32).collect()).unwrap();
    let y: Vec<f64> = (0..ROWS).map(|row| BASE + row as f64).collect();
    let model = Ridge::new(1e-3).fit(&x, &y).unwrap();
    assert!((model.predict(&x).unwrap().get_f64(5, 0) - BASE - 5.0).abs() < 0.01);
    assert!(model.score(&x, &Matrix::from_f64(ROWS, 1, &y).unwrap()).unwrap() > 0.999_999);
    // Ordinary numbers take the ordinary way, to the bit.
    let plain: Vec<f64> = (0..ROWS).map(|row| row as f64 / 3.0).collect();
    let rounded: Vec<f32> = plain.iter().map(|value| *value as f32).collect();
    let (one, other) = (Ridge::new(1.0).fit(&x, &plain).unwrap(), Ridge::new(1.0).fit(&x, &rounded).unwrap());
    assert_eq!(one.to_bytes().unwrap(), other.to_bytes().unwrap());
}

#[test]
fn large_integers_are_classes_by_all_their_digits() {
    let text: String = (0..40).map(|row| format!("{row},{}\n", 20_240_101 + row % 3)).collect();
    let data = parse("t.csv", format!("a,day\n{text}")).unwrap().with_target("day").unwrap();
    assert_eq!(data.labels().unwrap().names(), ["20240101", "20240102", "20240103"]);
}

#[test]
fn features_above_the_range_are_warned_of_by_name() {
    let rows: String =
        (0..30).map(|row| format!("{},{},{}\n", 9_007_199_254_700_001_u64 + row, row % 7, row)).collect();
    let file = Temporary::new("ids.csv", format!("customer,visits,y\n{rows}"));
    let (data, notes) = Dataset::read_with_notes(&file.0, &ReadOptions::default().target("y")).unwrap();
    let note = notes.iter().find(|note| note.contains("customer")).unwrap();
    assert!(note.contains("2²⁴") && note.contains("--categorical customer"), "{note}");
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(data.x.get_f64(3, 0), 9_007_199_254_700_004.0);
    // As categories they are exact, and nothing is to be said.
    let options = ReadOptions::default().target("y").categorical(["customer"]);
    assert_eq!(Dataset::read_with_notes(&file.0, &options).unwrap().1, Vec::<String>::new());
}

#[test]
fn arrays_and_libsvm_files_keep_large_targets_too() {
    let y = |row: usize| BASE + row as f64;
    let numbers: Vec<u8> =
        (0..ROWS).flat_map(|row| [row as f64, y(row)]).flat_map(|value: f64| value.to_le_bytes()).collect();
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({ROWS}, 2), }}");
    npy.extend(format!("{header:<117}\n").as_bytes());
    npy.extend(&numbers);
    let lines: String = (0..ROWS).map(|row| format!("{} 1:{row}\n", y(row) as u64)).collect();
    let file = Temporary::new("large.npy", &npy);
    let options = ReadOptions::default().target("2");
    let read = [
        Dataset::read_with(&file.0, &options).unwrap(),
        Dataset::parse("t.npy", &npy, &options).unwrap(),
        Dataset::parse("t.npy.gz", &gzip(&npy), &options).unwrap(),
        parse("t.svm", lines).unwrap(),
    ];
    for data in read {
        let found = data.values().unwrap();
        assert!((0..ROWS).all(|row| found.get_f64(row, 0) == y(row)), "{found}");
    }
}
