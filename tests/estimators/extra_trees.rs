//! Extra trees: as good as scikit-learn's, thresholds within the node, and the same on any number of threads.

use gristmill::prelude::*;
use gristmill::tree::{ClassWeight, DecisionTreeRegressor, MaxFeatures, RegressionCriterion, Tree};

/// Every fourth row to test, the others to train.
fn quarters(data: &Dataset) -> (Dataset, Dataset) {
    let rows = |test: bool| (0..data.x.rows()).filter(|row| (row % 4 == 0) == test).collect::<Vec<usize>>();
    (data.select(&rows(false)).unwrap(), data.select(&rows(true)).unwrap())
}

#[test]
fn accuracies_are_those_of_scikit_learn() {
    // (data, test score, out-of-bag score): means of five of scikit-learn's.
    let cases = [
        (datasets::iris().unwrap(), 0.974, 0.941, 0.03),
        (datasets::digits().unwrap(), 0.988, 0.970, 0.012),
        (datasets::breast_cancer().unwrap(), 0.975, 0.962, 0.02),
        (datasets::wine().unwrap(), 1.0, 0.964, 0.025),
    ];
    for (data, want, want_oob, tolerance) in cases {
        let (train, test) = quarters(&data);
        for max_bins in [Some(255), None] {
            let trees = ExtraTreesClassifier::default().max_bins(max_bins);
            let model = trees.fit(&train.x, train.labels().unwrap()).unwrap();
            let score = model.score(&test.x, test.labels().unwrap()).unwrap();
            let drawn = trees.bootstrap(true).oob_score(true).fit(&train.x, train.labels().unwrap()).unwrap();
            let oob = drawn.oob_score().unwrap();
            assert!((score - want).abs() <= tolerance, "{max_bins:?}: {score} where scikit-learn has {want}");
            assert!((oob - want_oob).abs() <= tolerance, "{max_bins:?}: {oob} where scikit-learn has {want_oob}");
            assert!((model.feature_importances().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn numbers_are_as_good_as_scikit_learns() {
    let (train, test) = quarters(&datasets::diabetes().unwrap());
    let (y, truth) = (train.values().unwrap(), test.values().unwrap());
    for max_bins in [Some(255), None] {
        let trees = ExtraTreesRegressor::default().max_bins(max_bins);
        let score = trees.fit(&train.x, y).unwrap().score(&test.x, truth).unwrap();
        let oob = trees.bootstrap(true).oob_score(true).fit(&train.x, y).unwrap().oob_score().unwrap();
        // scikit-learn: 0.442 with a deviation of 0.010, and 0.480.
        assert!((score - 0.442).abs() < 0.04 && (oob - 0.480).abs() < 0.04, "{max_bins:?}: {score} {oob}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let mut data = datasets::wine().unwrap();
    data.x.as_mut_slice().iter_mut().step_by(17).for_each(|value| *value = f32::NAN);
    let y = data.labels().unwrap();
    let targets: Vec<f32> = (0..data.x.rows()).map(|row| (row % 13) as f32).collect();
    for max_bins in [Some(255), Some(9), None] {
        let classes = ExtraTreesClassifier::new(23).class_weight(ClassWeight::Balanced).max_bins(max_bins);
        let numbers = ExtraTreesRegressor::new(11).max_features(MaxFeatures::Share(0.4)).max_bins(max_bins);
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let classes = classes.fit(&data.x, y).unwrap().to_bytes().unwrap();
                (classes, numbers.fit(&data.x, &targets).unwrap().to_bytes().unwrap())
            })
        };
        let one = fit(1);
        assert!(fit(2) == one && fit(5) == one);
        assert_ne!(classes.clone().seed(1).fit(&data.x, y).unwrap().to_bytes().unwrap(), one.0);
        let larger = classes.clone().n_estimators(30).fit(&data.x, y).unwrap();
        assert_eq!(larger.trees()[..23], *classes.fit(&data.x, y).unwrap().trees());
    }
}

/// The first threshold of each tree.
fn first_thresholds(trees: &[Tree]) -> Vec<f32> {
    trees.iter().map(|tree| tree.nodes()[0].threshold).collect()
}

#[test]
fn thresholds_are_uniform_between_the_smallest_and_the_largest_value() {
    // Of one feature with nearly all values at 0, a random threshold is still uniform in [0, 1).
    let values: Vec<f32> = (0..200).map(|row| if row == 0 { 1.0 } else { row as f32 * 1e-6 }).collect();
    let y: Vec<f32> = (0..200).map(|row| row as f32).collect();
    let x = Matrix::from_vec(200, 1, values).unwrap();
    let trees = ExtraTreesRegressor::new(1000).max_depth(1).max_bins(None);
    let drawn = first_thresholds(trees.fit(&x, &y).unwrap().trees());
    assert!(drawn.iter().all(|threshold| (0.0..1.0).contains(threshold)));
    let mean = drawn.iter().map(|threshold| f64::from(*threshold)).sum::<f64>() / 1000.0;
    let below = drawn.iter().filter(|threshold| **threshold < 0.25).count();
    // Standard deviations 0.0091 and 13.7.
    assert!((mean - 0.5).abs() < 0.04 && (180..=320).contains(&below), "{mean} {below}");
    // In bins every value is one: cuts are uniform among them, not among the numbers.
    let binned = trees.max_bins(255).fit(&x, &y).unwrap();
    let low = first_thresholds(binned.trees()).iter().filter(|threshold| **threshold < 1e-4).count();
    assert!((440..=560).contains(&low), "{low}");
}

#[test]
fn missing_values_have_a_side_of_their_own_where_nothing_else_divides() {
    let x = Matrix::from_vec(6, 1, vec![2.0, f32::NAN, 2.0, f32::NAN, 2.0, 2.0]).unwrap();
    let y = Labels::from_names(&["a", "b", "a", "b", "a", "a"]);
    for max_bins in [Some(255), None] {
        let model = ExtraTreesClassifier::new(5).max_bins(max_bins).fit(&x, &y).unwrap();
        assert_eq!(model.predict(&x).unwrap(), y, "{max_bins:?}");
    }
}

#[test]
fn saved_trees_predict_the_same_bits_and_say_what_they_are() {
    let wine = datasets::wine().unwrap();
    let model = ExtraTreesClassifier::new(12).bootstrap(true).oob_score(true).fit(&wine.x, wine.labels().unwrap());
    let model = model.unwrap();
    let again = ExtraTreesClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict_proba(&wine.x).unwrap(), model.predict_proba(&wine.x).unwrap());
    assert_eq!((again.oob_score(), again.to_bytes().unwrap()), (model.oob_score(), model.to_bytes().unwrap()));
    let narrow = Matrix::zeros(1, 2).unwrap();
    assert!(again.predict(&narrow).unwrap_err().to_string().contains("ExtraTreesClassifier"));
    assert!(RandomForestClassifierModel::from_bytes(&model.to_bytes().unwrap()).is_err());
    let refused = ExtraTreesRegressor::new(0).fit(&wine.x, &vec![0.0; 178]);
    assert!(matches!(refused, Err(Error::Param { name: "n_estimators", .. })));
}

#[test]
fn levels_are_divided_into_sets_at_random_and_by_medians() {
    // Two far groups of levels, mixed in their codes, and a column that tells nothing.
    let numbers = crate::support::numbers(800, 5);
    let level = |row: usize| (row * 7 % 12) as f32;
    let values = (0..800).flat_map(|row| [if row % 29 == 0 { f32::NAN } else { level(row) }, numbers[row]]).collect();
    let x = Matrix::from_vec(800, 2, values).unwrap().with_categories([0]).unwrap();
    let y: Vec<f32> = (0..800).map(|row| if level(row) % 3.0 == 1.0 { 10.0 } else { 0.0 } + numbers[row]).collect();
    let known: Vec<usize> = (0..800).filter(|row| row % 29 != 0).collect();
    for max_bins in [Some(255), None] {
        let trees = ExtraTreesRegressor::new(20).max_bins(max_bins).fit(&x, &y).unwrap();
        let tree = DecisionTreeRegressor::default().criterion(RegressionCriterion::AbsoluteError).max_depth(1);
        let tree = tree.max_bins(max_bins).fit(&x, &y).unwrap();
        let root = tree.tree().left_categories(0).unwrap();
        let far: Vec<u32> = (0..12).filter(|level| level % 3 == 1).collect();
        assert!(root == far || tree.tree().right_categories(0).unwrap() == far, "{root:?}");
        for (name, predicted) in [("extra", trees.predict(&x).unwrap()), ("median", tree.predict(&x).unwrap())] {
            let error = known.iter().map(|row| f64::from((predicted.get(*row, 0) - y[*row]).abs())).sum::<f64>();
            assert!(error / (known.len() as f64) < 0.8, "{name}, {max_bins:?}: {error}");
        }
    }
}

#[test]
fn what_each_column_adds_sums_to_the_prediction() {
    let (iris, diabetes) = (datasets::iris().unwrap(), datasets::diabetes().unwrap());
    let model = ExtraTreesClassifier::new(4).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let (parts, chances) = (model.shapley_values(&iris.x).unwrap(), model.predict_proba(&iris.x).unwrap());
    let sum = |part: &Matrix, row: usize| part.row(row).iter().sum::<f32>();
    assert!((0..150).all(|row| (sum(&parts[2], row) - chances.get(row, 2)).abs() < 1e-5));
    let model = ExtraTreesRegressor::new(4).max_depth(4).fit(&diabetes.x, diabetes.values().unwrap()).unwrap();
    let (parts, said) = (model.shapley_values(&diabetes.x).unwrap(), model.predict(&diabetes.x).unwrap());
    assert!((0..diabetes.x.rows()).all(|row| (sum(&parts[0], row) - said.get(row, 0)).abs() < 1e-2));
}
