//! Trees at the edge: nothing to split, nothing present, nothing that counts.

use gristmill::Error;
use gristmill::prelude::*;
use gristmill::tree::{ClassWeight, Criterion, MaxFeatures, RegressionCriterion};

fn labels(codes: &[u32]) -> Labels {
    Labels::from_codes(codes.to_vec(), vec!["a".into(), "b".into(), "c".into()]).unwrap()
}

/// Binned and exact.
fn both() -> [DecisionTreeClassifier; 2] {
    [DecisionTreeClassifier::default(), DecisionTreeClassifier::default().max_bins(None)]
}

#[test]
fn constant_features_give_a_single_leaf() {
    let x = Matrix::from_rows(&[[1.0, 2.0]; 5]).unwrap();
    for tree in both() {
        let model = tree.max_features(MaxFeatures::Count(1)).fit(&x, &labels(&[0, 1, 1, 2, 1])).unwrap();
        assert_eq!((model.tree().nodes().len(), model.tree().value(0)), (1, &[0.2, 0.6, 0.2][..]));
        assert_eq!(model.feature_importances(), [0.0, 0.0]);
        assert_eq!(model.predict(&x).unwrap().codes(), [1; 5]);
    }
}

#[test]
fn one_row_and_depth_zero_give_a_single_leaf() {
    let x = Matrix::from_rows(&[[1.0], [2.0], [3.0]]).unwrap();
    for tree in both() {
        let one = tree.fit(&Matrix::from_rows(&[[7.0]]).unwrap(), &labels(&[2])).unwrap();
        assert_eq!((one.tree().depth(), one.predict(&x).unwrap().codes()), (0, &[2, 2, 2][..]));
        let flat = tree.max_depth(0).fit(&x, &labels(&[0, 0, 1])).unwrap();
        assert_eq!((flat.tree().leaves(), flat.predict(&x).unwrap().codes()), (1, &[0, 0, 0][..]));
    }
    let one = DecisionTreeRegressor::default().fit(&Matrix::from_rows(&[[7.0]]).unwrap(), &[0.1]).unwrap();
    assert_eq!(one.predict(&x).unwrap().as_slice(), [0.1; 3]);
}

#[test]
fn equal_targets_are_not_split() {
    let x = Matrix::from_rows(&[[1.0], [2.0], [3.0]]).unwrap();
    let model = DecisionTreeRegressor::default().fit(&x, &[0.1, 0.1, 0.1]).unwrap();
    assert_eq!((model.tree().leaves(), model.predict(&x).unwrap().as_slice()), (1, &[0.1, 0.1, 0.1][..]));
}

#[test]
fn a_split_that_gains_nothing_is_taken_where_the_next_one_gains_all() {
    let x = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).unwrap();
    let y = labels(&[0, 1, 1, 0]);
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        for tree in both() {
            let model = tree.criterion(criterion).fit(&x, &y).unwrap();
            assert_eq!((model.score(&x, &y).unwrap(), model.tree().nodes()[0].gain), (1.0, 0.0));
        }
    }
}

#[test]
fn missing_values_go_where_they_belong() {
    let gap = f32::NAN;
    // Missing is a class of its own; then missing is like small; then like large.
    for (targets, small, missing, large) in
        [([0, 0, 1, 1, 2, 2], 0, 1, 2), ([0, 0, 0, 0, 2, 2], 0, 0, 2), ([0, 0, 2, 2, 2, 2], 0, 2, 2)]
    {
        let x = Matrix::from_rows(&[[1.0], [2.0], [gap], [gap], [8.0], [9.0]]).unwrap();
        for tree in both() {
            let model = tree.fit(&x, &labels(&targets)).unwrap();
            let queries = Matrix::from_rows(&[[-5.0], [gap], [50.0]]).unwrap();
            assert_eq!(model.predict(&queries).unwrap().codes(), [small, missing, large], "{targets:?}");
        }
    }
}

#[test]
fn values_missing_everywhere_tell_nothing() {
    let gap = f32::NAN;
    let x = Matrix::from_rows(&[[gap, gap], [gap, gap], [gap, gap]]).unwrap();
    for tree in both() {
        let model = tree.fit(&x, &labels(&[0, 1, 1])).unwrap();
        assert_eq!((model.tree().leaves(), model.predict(&x).unwrap().codes()), (1, &[1, 1, 1][..]));
    }
    let model = RandomForestClassifier::new(3).fit(&x, &labels(&[0, 1, 1])).unwrap();
    assert_eq!(model.predict_proba(&x).unwrap().columns(), 3);
}

#[test]
fn a_value_that_was_never_missing_goes_with_the_larger_child() {
    let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [9.0]]).unwrap();
    for tree in both() {
        let model = tree.fit(&x, &labels(&[0, 0, 0, 1])).unwrap();
        assert_eq!(model.predict(&Matrix::from_rows(&[[f32::NAN]]).unwrap()).unwrap().codes(), [0]);
    }
}

#[test]
fn a_class_without_rows_has_no_chance() {
    let x = Matrix::from_rows(&[[1.0], [2.0], [3.0]]).unwrap();
    let y = labels(&[0, 2, 2]);
    let model = DecisionTreeClassifier::default().class_weight(ClassWeight::Balanced).fit(&x, &y).unwrap();
    let chances = model.predict_proba(&x).unwrap();
    assert!((0..3).all(|row| chances.get(row, 1) == 0.0));
    assert_eq!(model.predict(&x).unwrap(), y);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let x = Matrix::from_rows(&[[1.0], [2.0]]).unwrap();
    let y = labels(&[0, 1]);
    let tree = DecisionTreeClassifier::default;
    let name = |result: Result<DecisionTreeClassifierModel>| match result {
        Err(Error::Param { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(tree().min_samples_leaf(0).fit(&x, &y)), "min_samples_leaf");
    assert_eq!(name(tree().min_samples_split(1).fit(&x, &y)), "min_samples_split");
    assert_eq!(name(tree().max_leaf_nodes(1).fit(&x, &y)), "max_leaf_nodes");
    assert_eq!(name(tree().max_bins(256).fit(&x, &y)), "max_bins");
    assert_eq!(name(tree().max_features(MaxFeatures::Count(2)).fit(&x, &y)), "max_features");
    assert_eq!(name(tree().min_impurity_decrease(f64::NAN).fit(&x, &y)), "min_impurity_decrease");
    assert_eq!(name(tree().fit_with(&x, &y, Fit::default().sample_weight(&[0.0, 0.0]))), "sample_weight");
    assert!(matches!(tree().fit(&x, &labels(&[0])), Err(Error::Shape { .. })));
    assert!(matches!(tree().fit(&Matrix::zeros(0, 3).unwrap(), &labels(&[])), Err(Error::Shape { .. })));
    let infinite = Matrix::from_rows(&[[1.0], [f32::INFINITY]]).unwrap();
    assert!(matches!(tree().fit(&infinite, &y), Err(Error::NotFinite { row: 1, .. })));
    let model = tree().fit(&x, &y).unwrap();
    assert!(matches!(model.predict(&Matrix::zeros(1, 2).unwrap()), Err(Error::Shape { .. })));
    let numbers = DecisionTreeRegressor::default().fit(&x, &[1.0, f32::NAN]);
    assert!(matches!(numbers, Err(Error::Target { row: 1, .. })));
    assert!(RandomForestClassifier::new(0).fit(&x, &y).is_err());
    assert!(RandomForestClassifier::new(2).bootstrap(false).oob_score(true).fit(&x, &y).is_err());
    assert!(RandomForestClassifier::new(2).max_samples(1.5).fit(&x, &y).is_err());
}

#[test]
fn targets_far_from_zero_and_of_any_size_are_fitted() {
    let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [4.0]]).unwrap();
    for y in [
        [1e30_f32, 1.0000001e30, 2e30, 3e30],
        [1e-38, 2e-38, 3e-38, 9e-38],
        [1e6, 1e6 + 0.5, 1e6 + 1.0, 1e6 + 8.0],
        [-3e38, 3e38, -3e38, 3e38],
    ] {
        for max_bins in [Some(255), None] {
            let model = DecisionTreeRegressor::default().max_bins(max_bins).fit(&x, &y).unwrap();
            assert_eq!(model.predict(&x).unwrap().as_slice(), y);
        }
    }
}

#[test]
fn targets_that_do_not_count_do_not_coarsen_the_others() {
    let drawn = crate::support::numbers(300, 61);
    let x = Matrix::from_vec(100, 2, drawn[..200].to_vec()).unwrap();
    let y: Vec<f32> = (0..100).map(|row| drawn[2 * row] * drawn[2 * row + 1] + 0.01 * drawn[200 + row]).collect();
    let longer = Matrix::from_vec(101, 2, [x.as_slice(), &[0.5, 0.5]].concat()).unwrap();
    let (mut far, mut weights) = (y.clone(), vec![1.0; 100]);
    far.push(1e38);
    weights.push(0.0);
    for max_bins in [Some(255), None] {
        for criterion in [RegressionCriterion::SquaredError, RegressionCriterion::AbsoluteError] {
            let tree = DecisionTreeRegressor::default().max_depth(4).max_bins(max_bins).criterion(criterion);
            let with = tree.fit_with(&longer, &far, Fit::default().sample_weight(&weights)).unwrap();
            let without = tree.fit(&x, &y).unwrap();
            assert_eq!(with.predict(&x).unwrap(), without.predict(&x).unwrap(), "{max_bins:?} {criterion:?}");
        }
    }
}
