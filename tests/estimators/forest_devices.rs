//! Decision trees and forests are the same bytes wherever they grow.

use gristmill::ensemble::{
    AdaBoostClassifier, AdaBoostRegressor, ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor,
};
use gristmill::prelude::*;
use gristmill::tree::{Criterion, DecisionTreeClassifier, DecisionTreeRegressor, MaxFeatures};

use super::tree_devices::{classes, table};
use crate::support::{baseline, gpu, gpu_with, numbers};

#[test]
fn trees_of_ten_seeds_are_the_same_bytes_on_every_device() {
    for seed in 0..10 {
        let (x, y) = table(2500 + 37 * seed as usize, 6, 5, seed);
        let labels = classes(&y, if seed % 2 == 0 { &[0.0] } else { &[-1.0, 0.5, 1.0] });
        let criterion = [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification][seed as usize % 3];
        let classifier = DecisionTreeClassifier::default().criterion(criterion).seed(seed);
        let classifier = match seed % 4 {
            0 => classifier.max_depth(6),
            1 => classifier.max_leaf_nodes(40),
            2 => classifier.min_samples_leaf(5).max_features(MaxFeatures::Count(3)),
            _ => classifier,
        };
        let regressor = DecisionTreeRegressor::default().min_samples_leaf(1 + seed as usize).seed(seed);
        let regressor = if seed % 3 == 0 { regressor.max_leaf_nodes(50) } else { regressor };
        let weights: Vec<f32> = numbers(x.rows(), 100 + seed).iter().map(|weight| weight.max(0.0) + 0.1).collect();
        let options = || if seed % 2 == 1 { Fit::default().sample_weight(&weights) } else { Fit::default() };
        let wanted = classifier.fit_with(&x, &labels, options()).unwrap();
        let wanted_numbers = regressor.fit_with(&x, &y, options()).unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let rows = x.to(device).unwrap();
            let model = classifier.fit_with(&rows, &labels, options()).unwrap();
            assert!(model.to_bytes().unwrap() == wanted.to_bytes().unwrap(), "{name}: classes, seed {seed}");
            let numbers = regressor.fit_with(&rows, &y, options()).unwrap();
            assert!(numbers.to_bytes().unwrap() == wanted_numbers.to_bytes().unwrap(), "{name}: numbers, seed {seed}");
            assert_eq!(model.predict(&rows).unwrap(), wanted.predict(&x).unwrap(), "{name}: seed {seed}");
            assert_eq!(numbers.predict(&rows).unwrap(), wanted_numbers.predict(&x).unwrap(), "{name}: seed {seed}");
        }
    }
}

#[test]
fn forests_grow_together_into_the_same_bytes() {
    for seed in 0..3 {
        let (x, y) = table(3000, 6, 5, 40 + seed);
        let labels = classes(&y, &[-1.0, 1.0]);
        let classifier = RandomForestClassifier::new(7).oob_score(true).seed(seed);
        let classifier = if seed == 1 { classifier.max_depth(5) } else { classifier };
        let regressor = RandomForestRegressor::new(5).max_features(MaxFeatures::Count(4)).seed(seed);
        let regressor = if seed == 2 { regressor.max_leaf_nodes(60) } else { regressor };
        let wanted = classifier.fit(&x, &labels).unwrap().to_bytes().unwrap();
        let wanted_numbers = regressor.fit(&x, &y).unwrap().to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let rows = x.to(device).unwrap();
            assert!(classifier.fit(&rows, &labels).unwrap().to_bytes().unwrap() == wanted, "{name}: seed {seed}");
            assert!(regressor.fit(&rows, &y).unwrap().to_bytes().unwrap() == wanted_numbers, "{name}: seed {seed}");
        }
    }
}

#[test]
fn a_forest_whose_roots_fill_a_card_has_no_histograms() {
    let (x, y) = table(700, 9, 6, 44);
    let labels = classes(&y, &[-1.0, 1.0]);
    // Three of nine features a node, 100 trees.
    for criterion in [Criterion::Gini, Criterion::Entropy] {
        let forest = RandomForestClassifier::new(100).criterion(criterion).max_depth(6).min_samples_leaf(2).seed(9);
        let extra = ExtraTreesClassifier::new(100).criterion(criterion).max_depth(4).seed(9);
        let wanted = (forest.fit(&x, &labels).unwrap().to_bytes(), extra.fit(&x, &labels).unwrap().to_bytes());
        let wanted = (wanted.0.unwrap(), wanted.1.unwrap());
        let device = gpu_with(DeviceOptions::default());
        device.profile(true);
        for device in [&device, baseline()] {
            let rows = x.to(device).unwrap();
            assert!(forest.fit(&rows, &labels).unwrap().to_bytes().unwrap() == wanted.0, "{criterion:?}");
            assert!(extra.fit(&rows, &labels).unwrap().to_bytes().unwrap() == wanted.1, "{criterion:?}");
        }
        let kernels = device.profile_report().kernels;
        assert!(!kernels.contains_key("tree/forest/target_histogram"), "{:?}", kernels.keys());
    }
}

#[test]
fn a_fully_grown_tree_of_numbers_predicts_every_target_exactly() {
    // Targets of very different sizes, whose means would round the small ones away.
    let rows = 240;
    let x = Matrix::from_vec(rows, 2, numbers(2 * rows, 130)).unwrap();
    let y: Vec<f32> =
        numbers(rows, 131).iter().zip(0..).map(|(value, row)| value * 10_f32.powi(row % 12 - 6)).collect();
    let weights: Vec<f32> = (0..rows).map(|row| 1.0 + (row % 3) as f32).collect();
    for tree in [DecisionTreeRegressor::default(), DecisionTreeRegressor::default().max_bins(None)] {
        for weights in [None, Some(&weights)] {
            let options = || weights.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
            let model = tree.fit_with(&x, &y, options()).unwrap();
            assert_eq!(model.predict(&x).unwrap().as_slice(), y, "weights {}", weights.is_some());
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let there = tree.fit_with(&x.to(device).unwrap(), &y, options()).unwrap();
                assert!(there.to_bytes().unwrap() == model.to_bytes().unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn leaves_of_weighted_numbers_are_the_same_everywhere() {
    let (x, y) = table(3000, 4, 4, 140);
    // Many are equal, so that nodes are pure early.
    let y: Vec<f32> = y.iter().map(|value| value.round()).collect();
    let weights: Vec<f32> = (0..x.rows()).map(|row| (row % 5) as f32).collect();
    let forest = RandomForestRegressor::new(3).seed(4);
    for forest in [forest.clone().max_depth(5), forest.clone().max_leaf_nodes(25), forest] {
        let options = || Fit::default().sample_weight(&weights);
        let wanted = forest.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let model = forest.fit_with(&x.to(device).unwrap(), &y, options()).unwrap();
            assert!(model.to_bytes().unwrap() == wanted, "{name}");
        }
    }
}

#[test]
fn a_tight_budget_takes_the_trees_of_a_forest_in_batches() {
    let (x, y) = table(6000, 12, 4, 50);
    let labels = classes(&y, &[0.0]);
    let forest = RandomForestClassifier::new(9).min_samples_leaf(3);
    let tree = DecisionTreeRegressor::default();
    let (wanted, wanted_tree) =
        (forest.fit(&x, &labels).unwrap().to_bytes().unwrap(), tree.fit(&x, &y).unwrap().to_bytes().unwrap());
    let split = [1, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [4, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        let device = gpu_with(options.mark_outputs(true));
        let rows = x.to(&device).unwrap();
        assert!(forest.fit(&rows, &labels).unwrap().to_bytes().unwrap() == wanted, "options {number}: forest");
        assert!(tree.fit(&rows, &y).unwrap().to_bytes().unwrap() == wanted_tree, "options {number}: tree");
    }
}

#[test]
fn a_level_of_all_trees_takes_a_handful_of_read_backs() {
    let (x, y) = table(20_000, 12, 4, 51);
    let labels = classes(&y, &[0.0]);
    let device = gpu_with(DeviceOptions::default());
    let rows = x.to(&device).unwrap();
    device.profile(true);
    RandomForestClassifier::new(10).max_depth(4).fit(&rows, &labels).unwrap();
    // The rows themselves, and the splits of each level: of large nodes, then of small ones.
    let readbacks = device.profile_report().readbacks;
    assert!(readbacks <= 1 + 2 * 4, "{readbacks}");
}

#[test]
fn levels_and_missing_values_are_the_same_everywhere() {
    for seed in 0..4 {
        let (x, y) = table(2600, 5, 4, 60 + seed);
        let chance = numbers(x.rows(), 80 + seed);
        let (mut values, mut targets) = (vec![], vec![]);
        for (row, chance) in chance.iter().enumerate() {
            let level = ((chance + 1.0) * 20.0) as u32 % 40;
            values.extend_from_slice(x.row(row));
            values.push(if row % 13 == 0 { f32::NAN } else { level as f32 });
            targets.push(y[row] + if level.is_multiple_of(3) { 2.0 } else { 0.0 });
        }
        let x = Matrix::from_vec(x.rows(), x.columns() + 1, values).unwrap();
        let x = x.with_categories([9]).unwrap();
        let labels = classes(&targets, if seed % 2 == 0 { &[0.5] } else { &[-1.0, 1.0] });
        let tree = DecisionTreeClassifier::default().max_leaf_nodes(if seed % 3 == 0 { 30 } else { 1000 });
        let forest = RandomForestRegressor::new(3).min_samples_leaf(4).seed(seed);
        let wanted = tree.fit(&x, &labels).unwrap().to_bytes().unwrap();
        let wanted_forest = forest.fit(&x, &targets).unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let rows = x.to(device).unwrap();
            assert!(tree.fit(&rows, &labels).unwrap().to_bytes().unwrap() == wanted, "{name}: tree, seed {seed}");
            let model = forest.fit(&rows, &targets).unwrap();
            assert!(model.to_bytes().unwrap() == wanted_forest.to_bytes().unwrap(), "{name}: forest, seed {seed}");
            assert_eq!(model.predict(&rows).unwrap(), wanted_forest.predict(&x).unwrap(), "{name}: seed {seed}");
        }
    }
}

#[test]
fn extra_trees_of_ten_seeds_are_the_same_bytes_on_every_device() {
    for seed in 0..10 {
        let (x, y) = table(2300 + 41 * seed as usize, 6, 5, 90 + seed);
        let labels = classes(&y, if seed % 2 == 0 { &[0.0] } else { &[-1.0, 0.5, 1.0] });
        let criterion = [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification][seed as usize % 3];
        let classifier = ExtraTreesClassifier::new(3).criterion(criterion).bootstrap(seed % 4 == 1).seed(seed);
        let classifier = match seed % 4 {
            0 => classifier.max_depth(6),
            1 => classifier.oob_score(true),
            2 => classifier.min_samples_leaf(5).max_features(MaxFeatures::Count(3)),
            _ => classifier.max_leaf_nodes(40),
        };
        let regressor = ExtraTreesRegressor::new(2).min_samples_leaf(1 + seed as usize).seed(seed);
        let regressor = if seed % 3 == 0 { regressor.max_leaf_nodes(50) } else { regressor.bootstrap(seed % 3 == 1) };
        let weights: Vec<f32> = numbers(x.rows(), 100 + seed).iter().map(|weight| weight.max(0.0) + 0.1).collect();
        let options = || if seed % 2 == 1 { Fit::default().sample_weight(&weights) } else { Fit::default() };
        let wanted = classifier.fit_with(&x, &labels, options()).unwrap().to_bytes().unwrap();
        let wanted_numbers = regressor.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let rows = x.to(device).unwrap();
            let model = classifier.fit_with(&rows, &labels, options()).unwrap();
            assert!(model.to_bytes().unwrap() == wanted, "{name}: classes, seed {seed}");
            let numbers = regressor.fit_with(&rows, &y, options()).unwrap();
            assert!(numbers.to_bytes().unwrap() == wanted_numbers, "{name}: numbers, seed {seed}");
        }
    }
}

#[test]
fn extra_trees_of_categories_many_classes_and_a_tight_budget_are_the_same_bytes() {
    let (x, y) = table(2600, 5, 4, 110);
    let mut values = vec![];
    for row in 0..x.rows() {
        values.extend_from_slice(x.row(row));
        values.push(if row % 13 == 0 { f32::NAN } else { (row * 7 % 40) as f32 });
    }
    let with_categories = Matrix::from_vec(x.rows(), x.columns() + 1, values).unwrap().with_categories([9]).unwrap();
    let few = classes(&y, &[-1.0, 1.0]);
    let many = classes(&y, &[-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]);
    let trees = ExtraTreesClassifier::new(3).min_samples_leaf(2);
    let tight = gpu_with(DeviceOptions::default().chunk_rows(64).memory_budget(8 << 20).mark_outputs(true));
    for (what, x, y) in [("categories", &with_categories, &few), ("nine classes", &x, &many), ("three", &x, &few)] {
        let wanted = trees.fit(x, y).unwrap().to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline()), ("tight", &tight)] {
            let model = trees.fit(&x.to(device).unwrap(), y).unwrap();
            assert!(model.to_bytes().unwrap() == wanted, "{name}: {what}");
        }
    }
}

#[test]
fn boosted_stumps_and_redrawn_trees_are_the_same_bytes_on_every_device() {
    let (x, y) = table(2500, 6, 5, 120);
    let weights: Vec<f32> = numbers(x.rows(), 121).iter().map(|weight| weight.max(0.0)).collect();
    let deep = AnyEstimator::new(DecisionTreeClassifier::default().max_depth(4).max_features(MaxFeatures::Count(4)));
    let neighbors = AnyEstimator::new(KNeighborsRegressor::new(3));
    let plain = Matrix::from_vec(300, 2, numbers(600, 122)).unwrap();
    let targets: Vec<f32> = (0..300).map(|row| plain.get(row, 0) * plain.get(row, 1)).collect();
    for (weak, cuts) in [(None, &[0.0][..]), (Some(deep), &[-1.0, 1.0])] {
        let labels = classes(&y, cuts);
        let boost = weak.map_or_else(AdaBoostClassifier::default, AdaBoostClassifier::new).n_estimators(6);
        for boost in [boost.clone(), boost.resample(true)] {
            let wanted = boost.fit(&x, &labels).unwrap().to_bytes().unwrap();
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let model = boost.fit(&x.to(device).unwrap(), &labels).unwrap();
                assert!(model.to_bytes().unwrap() == wanted, "{name}: {cuts:?}");
            }
        }
    }
    let boost = AdaBoostRegressor::default().n_estimators(5).seed(3);
    let options = || Fit::default().sample_weight(&weights);
    let wanted = boost.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        let model = boost.fit_with(&x.to(device).unwrap(), &y, options()).unwrap();
        assert!(model.to_bytes().unwrap() == wanted, "{name}");
        // Of other regressors the rows are taken on the device.
        let others = AdaBoostRegressor::new(neighbors.clone()).n_estimators(3);
        let (here, there) =
            (others.fit(&plain, &targets).unwrap(), others.fit(&plain.to(device).unwrap(), &targets).unwrap());
        assert_eq!(here.members().len(), there.members().len());
    }
}
