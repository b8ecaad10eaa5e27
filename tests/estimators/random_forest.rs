//! Random forests: as good as scikit-learn's, and the same on any number of threads.

use gristmill::estimator::{Flow, Report};
use gristmill::prelude::*;
use gristmill::tree::{ClassWeight, MaxFeatures};

/// Every fourth row to test, the others to train.
fn quarters(data: &Dataset) -> (Dataset, Dataset) {
    let rows = |test: bool| (0..data.x.rows()).filter(|row| (row % 4 == 0) == test).collect::<Vec<usize>>();
    (data.select(&rows(false)).unwrap(), data.select(&rows(true)).unwrap())
}

#[test]
fn accuracies_and_out_of_bag_scores_are_those_of_scikit_learn() {
    // (data, test score, out-of-bag score): means of five of scikit-learn's forests.
    let cases = [
        (datasets::iris().unwrap(), 0.963, 0.939, 0.03),
        (datasets::digits().unwrap(), 0.981, 0.969, 0.015),
        (datasets::breast_cancer().unwrap(), 0.964, 0.958, 0.02),
        (datasets::wine().unwrap(), 1.0, 0.965, 0.025),
    ];
    for (data, want, want_oob, tolerance) in cases {
        let (train, test) = quarters(&data);
        let model = RandomForestClassifier::default().oob_score(true).fit(&train.x, train.labels().unwrap()).unwrap();
        let (score, oob) = (model.score(&test.x, test.labels().unwrap()).unwrap(), model.oob_score().unwrap());
        assert!((score - want).abs() <= tolerance, "{score} where scikit-learn has {want}");
        assert!((oob - want_oob).abs() <= tolerance, "{oob} where scikit-learn has {want_oob}");
        let chances = model.predict_proba(&test.x).unwrap();
        assert!((0..chances.rows()).all(|row| (chances.row(row).iter().sum::<f32>() - 1.0).abs() < 1e-5));
        assert!((model.feature_importances().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_forest_of_numbers_is_as_good_as_scikit_learns() {
    let (train, test) = quarters(&datasets::diabetes().unwrap());
    let model = RandomForestRegressor::default().oob_score(true).fit(&train.x, train.values().unwrap()).unwrap();
    let (score, oob) = (model.score(&test.x, test.values().unwrap()).unwrap(), model.oob_score().unwrap());
    assert!((score - 0.409).abs() < 0.04 && (oob - 0.427).abs() < 0.04, "{score} {oob}");
    assert_eq!(model.oob_prediction().unwrap().rows(), train.x.rows());
}

#[test]
fn petals_matter_most() {
    let iris = datasets::iris().unwrap();
    let model = RandomForestClassifier::default().fit(&iris.x, iris.labels().unwrap()).unwrap();
    let importances = model.feature_importances();
    // scikit-learn: 0.091, 0.025, 0.460, 0.424; where length and width are as good, ours takes the length.
    assert!((importances[2] + importances[3] - 0.884).abs() < 0.06, "{importances:?}");
    assert!(importances[1] < 0.05 && importances[1] < importances[0], "{importances:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let mut data = datasets::wine().unwrap();
    // Some values go missing.
    data.x.as_mut_slice().iter_mut().step_by(17).for_each(|value| *value = f32::NAN);
    let y = data.labels().unwrap();
    let forest = RandomForestClassifier::new(23).class_weight(ClassWeight::Balanced).oob_score(true);
    let numbers = RandomForestRegressor::new(11).max_features(MaxFeatures::Share(0.4)).max_samples(0.7);
    let targets: Vec<f32> = (0..data.x.rows())
        .map(|row| data.x.get(row, 1) + row as f32)
        .map(|value| if value.is_nan() { 0.0 } else { value })
        .collect();
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let classes = forest.fit(&data.x, y).unwrap().to_bytes().unwrap();
            (classes, numbers.fit(&data.x, &targets).unwrap().to_bytes().unwrap())
        })
    };
    let one = fit(1);
    assert!(fit(2) == one && fit(5) == one);
    let other = forest.clone().seed(1).fit(&data.x, y).unwrap().to_bytes().unwrap();
    assert_ne!(other, one.0);
    // A larger forest begins with the smaller one's trees.
    let larger = forest.clone().n_estimators(30).fit(&data.x, y).unwrap();
    assert_eq!(larger.trees()[..23], *forest.fit(&data.x, y).unwrap().trees());
}

#[test]
fn without_bootstrap_and_with_all_features_every_tree_is_the_tree() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let forest =
        RandomForestClassifier::new(3).bootstrap(false).max_features(MaxFeatures::All).fit(&iris.x, y).unwrap();
    let tree = DecisionTreeClassifier::default().fit(&iris.x, y).unwrap();
    assert!(forest.trees().iter().all(|one| one == tree.tree()));
    assert_eq!(forest.predict(&iris.x).unwrap(), tree.predict(&iris.x).unwrap());
}

#[test]
fn exact_forests_are_as_good_as_binned_ones() {
    let (train, test) = quarters(&datasets::breast_cancer().unwrap());
    let model = RandomForestClassifier::new(30).max_bins(None).fit(&train.x, train.labels().unwrap()).unwrap();
    let score = model.score(&test.x, test.labels().unwrap()).unwrap();
    assert!(score > 0.94, "{score}");
}

#[test]
fn rows_of_no_weight_are_as_good_as_absent() {
    let wine = datasets::wine().unwrap();
    let weights: Vec<f32> = (0..178).map(|row| f32::from(u8::from(row % 3 != 0))).collect();
    let present: Vec<usize> = (0..178).filter(|row| row % 3 != 0).collect();
    let some = wine.select(&present).unwrap();
    let forest = RandomForestClassifier::new(9);
    let options = Fit::default().sample_weight(&weights);
    let zeroed = forest.fit_with(&wine.x, wine.labels().unwrap(), options).unwrap();
    let absent = forest.fit(&some.x, some.labels().unwrap()).unwrap();
    assert_eq!(zeroed.to_bytes().unwrap(), absent.to_bytes().unwrap());
}

#[test]
fn an_observer_sees_the_trees_and_may_end_the_forest() {
    let iris = datasets::iris().unwrap();
    let mut reports = vec![];
    let mut observer = |report: &Report| {
        reports.push(report.iteration);
        if report.iteration >= 40 { Flow::StopEarly } else { Flow::Continue }
    };
    let options = Fit::default().observer(&mut observer);
    let model = RandomForestClassifier::new(500).fit_with(&iris.x, iris.labels().unwrap(), options).unwrap();
    assert!(model.trees().len() >= 40 && model.trees().len() < 500 && !reports.is_empty());
    let mut stop = |_: &Report| Flow::Stop;
    let options = Fit::default().observer(&mut stop);
    let stopped = RandomForestClassifier::new(500).fit_with(&iris.x, iris.labels().unwrap(), options);
    assert!(matches!(stopped, Err(Error::Stopped { .. })));
}

#[test]
fn saved_forests_predict_the_same_bits() {
    let wine = datasets::wine().unwrap();
    let model = RandomForestClassifier::new(12).oob_score(true).fit(&wine.x, wine.labels().unwrap()).unwrap();
    let again = RandomForestClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict_proba(&wine.x).unwrap(), model.predict_proba(&wine.x).unwrap());
    assert_eq!(again.oob_score(), model.oob_score());
    assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
    let diabetes = datasets::diabetes().unwrap();
    let model = RandomForestRegressor::new(5).fit(&diabetes.x, diabetes.values().unwrap()).unwrap();
    let again = RandomForestRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&diabetes.x).unwrap(), model.predict(&diabetes.x).unwrap());
}
