//! Models that do not look at the rows.

use gristmill::baseline::{DummyClasses, DummyClassifier, DummyNumber, DummyRegressor};
use gristmill::prelude::*;

fn rows(count: usize) -> Matrix {
    Matrix::zeros(count, 1).unwrap()
}

#[test]
fn the_most_frequent_class_counts_by_weights() {
    let y = Labels::from_names(&["a", "b", "b", "a", "b"]);
    let model = DummyClassifier::default().fit(&rows(5), &y).unwrap();
    assert_eq!(model.class_prior(), [0.4, 0.6]);
    assert_eq!(model.score(&rows(5), &y).unwrap(), 0.6);
    let weights = [3.0, 1.0, 1.0, 3.0, 1.0];
    let options = Fit::default().sample_weight(&weights);
    let model = DummyClassifier::default().fit_with(&rows(5), &y, options).unwrap();
    assert_eq!(model.predict(&rows(1)).unwrap(), Labels::from_codes(vec![0], vec!["a".into(), "b".into()]).unwrap());
}

#[test]
fn guesses_follow_the_shares_and_the_seed() {
    let y = Labels::from_codes(
        (0..1000_u32).map(|row| u32::from(row % 10 == 0)).collect(),
        vec!["no".into(), "yes".into()],
    )
    .unwrap();
    let share = |strategy: DummyClasses, seed: u64| {
        let model = DummyClassifier::default().strategy(strategy).seed(seed).fit(&rows(1000), &y).unwrap();
        let codes = model.predict(&rows(4000)).unwrap().codes().to_vec();
        assert_eq!(codes, model.predict(&rows(4000)).unwrap().codes());
        codes.iter().filter(|code| **code == 1).count() as f64 / 4000.0
    };
    assert!((share(DummyClasses::Stratified, 1) - 0.1).abs() < 0.02);
    assert!((share(DummyClasses::Uniform, 1) - 0.5).abs() < 0.03);
    assert_ne!(share(DummyClasses::Stratified, 1), share(DummyClasses::Stratified, 2));
    let constant = DummyClassifier::default().strategy(DummyClasses::Constant);
    let refused = constant.clone().constant("yess".to_string()).fit(&rows(1000), &y).unwrap_err().to_string();
    assert!(refused.contains("did you mean yes?"), "{refused}");
    assert!(constant.fit(&rows(1000), &y).is_err());
}

#[test]
fn numbers_are_scikit_learns() {
    let y = [1.0, 2.0, 4.0, 10.0, 12.0, 3.0, 5.0, 5.0, 7.0, 20.0];
    let constant = |regressor: DummyRegressor| regressor.fit(&rows(10), &y).unwrap().constant()[0];
    assert!((constant(DummyRegressor::default()) - 6.9).abs() < 1e-6);
    assert_eq!(constant(DummyRegressor::default().strategy(DummyNumber::Median)), 5.0);
    let quantile = DummyRegressor::default().strategy(DummyNumber::Quantile);
    assert!((constant(quantile.clone().quantile(0.3)) - 3.7).abs() < 1e-12);
    assert!(quantile.fit(&rows(10), &y).unwrap_err().to_string().contains("quantile must be"));
    let weights = [1.0, 1.0, 1.0, 0.0, 2.0, 3.0, 1.0, 1.0, 1.0, 1.0];
    let options = Fit::default().sample_weight(&weights);
    let median = DummyRegressor::default().strategy(DummyNumber::Median).fit_with(&rows(10), &y, options).unwrap();
    assert_eq!(median.constant(), [4.0]);
    let many = Matrix::from_rows(&[[1.0, 10.0], [3.0, 20.0]]).unwrap();
    let model = DummyRegressor::default().fit(&rows(2), &many).unwrap();
    assert_eq!(model.predict(&rows(1)).unwrap().as_slice(), [2.0, 15.0]);
}
