//! Boosted trees: what they learn, and that nothing else decides what they are.

use gristmill::cpu::random::philox::Philox;
use gristmill::ensemble::Growth;
use gristmill::estimator::{Flow, Report};
use gristmill::prelude::*;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// n×6: products and steps of normal features, sparse columns that exclude each other, some values missing.
fn data(rows: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let normals = Philox::new(seed, 1);
    let (mut x, mut y) = (vec![], vec![]);
    for row in 0..rows as u64 {
        let [a, b, c] = [0, 1, 2].map(|column| normals.normal(row * 4 + column));
        let group = Philox::new(seed, 2).below(row, 5);
        let hot = |wanted: u32| if group == wanted { 1.0 } else { 0.0 };
        let missing = Philox::new(seed, 3).below(row, 10) == 0;
        x.extend([a, b, if missing { f32::NAN } else { c }, hot(0), hot(1), 2.0 * hot(2)]);
        let noise = 0.3 * normals.normal(row * 4 + 3);
        y.push(a * b + if missing { 1.5 } else { (c > 0.3) as u8 as f32 } + 2.0 * hot(1) - hot(2) + noise);
    }
    (Matrix::from_vec(rows, 6, x).unwrap(), y)
}

fn classes(y: &[f32]) -> Labels {
    Labels::from(
        &y.iter()
            .map(|y| {
                if *y < 0.0 {
                    0
                } else if *y < 1.0 {
                    1
                } else {
                    2
                }
            })
            .collect::<Vec<u32>>()[..],
    )
}

fn binary(y: &[f32]) -> Labels {
    Labels::from(&y.iter().map(|y| u32::from(*y > 0.5)).collect::<Vec<u32>>()[..])
}

fn mean_squared_error(y: &[f32], predicted: &Matrix) -> f64 {
    metrics::mean_squared_error(y, predicted.as_slice()).unwrap()
}

#[test]
fn the_model_bytes_are_the_same_on_one_two_and_five_threads() {
    let (x, y) = data(30_000, 1);
    let labels = classes(&y);
    for growth in [Growth::LeafWise, Growth::DepthWise] {
        let parameters =
            GradientBoostingClassifier::default().n_estimators(5).growth(growth).subsample(0.7).max_features(0.6);
        let fit = |threads| pool(threads).install(|| parameters.fit(&x, &labels).unwrap().to_bytes().unwrap());
        let one = fit(1);
        assert!(fit(2) == one && fit(5) == one);
    }
}

#[test]
fn the_order_of_the_features_does_not_matter() {
    let (x, y) = data(5000, 2);
    let order = [3, 5, 0, 4, 2, 1];
    let turned: Vec<f32> = (0..x.rows()).flat_map(|row| order.map(|column| x.get(row, column))).collect();
    let turned = Matrix::from_vec(x.rows(), 6, turned).unwrap();
    let parameters = GradientBoostingRegressor::default().n_estimators(20);
    let (one, other) = (parameters.fit(&x, &y).unwrap(), parameters.fit(&turned, &y).unwrap());
    assert_eq!(one.predict(&x).unwrap(), other.predict(&turned).unwrap());
    let (a, b) = (one.feature_importances(), other.feature_importances());
    assert!(order.iter().enumerate().all(|(at, column)| (a[*column] - b[at]).abs() < 1e-12));
    assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn the_training_loss_falls_with_every_round() {
    let (x, y) = data(4000, 3);
    let model = GradientBoostingRegressor::default().fit(&x, &y).unwrap();
    let errors: Vec<f64> =
        model.staged_predict(&x).unwrap().map(|stage| mean_squared_error(&y, &stage.unwrap())).collect();
    assert_eq!(errors.len(), 100);
    assert!(errors.windows(2).all(|pair| pair[1] <= pair[0]), "{errors:?}");
    assert!(errors[99] < 0.1 * errors[0], "{errors:?}");
    let labels = classes(&y);
    let model = GradientBoostingClassifier::default().n_estimators(30).fit(&x, &labels).unwrap();
    let losses: Vec<f64> = model
        .staged_predict_proba(&x)
        .unwrap()
        .map(|stage| metrics::log_loss(&labels, &stage.unwrap()).unwrap())
        .collect();
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
}

#[test]
fn the_last_stage_is_the_prediction() {
    let (x, y) = data(700, 4);
    let model = GradientBoostingClassifier::default().n_estimators(12).fit(&x, &classes(&y)).unwrap();
    let last = model.staged_predict_proba(&x).unwrap().last().unwrap().unwrap();
    assert_eq!(last, model.predict_proba(&x).unwrap());
    let last = model.staged_predict(&x).unwrap().last().unwrap().unwrap();
    assert_eq!(last, model.predict(&x).unwrap());
}

#[test]
fn the_trees_end_in_the_leaf_that_a_walk_finds() {
    let (x, y) = data(900, 5);
    let model = GradientBoostingRegressor::default().n_estimators(9).fit(&x, &y).unwrap();
    let predicted = model.predict(&x).unwrap();
    let mean = y.iter().map(|y| f64::from(*y)).sum::<f64>() / y.len() as f64;
    for row in 0..x.rows() {
        let sum: f64 = model.trees().iter().map(|tree| tree.value(tree.leaf_of(x.row(row)))[0]).sum();
        assert!((mean + sum - f64::from(predicted.get(row, 0))).abs() < 1e-5);
    }
}

#[test]
fn weights_are_repeated_rows() {
    let (x, y) = data(600, 6);
    let weights: Vec<f32> = (0..600).map(|row| [0.0, 1.0, 2.0, 3.0][row % 4]).collect();
    let times = |row: usize| weights[row] as usize;
    let rows: Vec<Vec<f32>> = (0..600).flat_map(|row| vec![x.row(row).to_vec(); times(row)]).collect();
    let repeated = Matrix::from_rows(&rows).unwrap();
    let targets: Vec<f32> = (0..600).flat_map(|row| vec![y[row]; times(row)]).collect();
    let parameters = GradientBoostingRegressor::default()
        .n_estimators(10)
        .min_samples_leaf(1)
        .min_child_weight(25.0)
        .max_leaf_nodes(6)
        .max_bins(255);
    // Few values, so that the bins are those of the values in either case.
    let coarse =
        |x: &Matrix| Matrix::from_vec(x.rows(), 6, x.as_slice().iter().map(|v| (v * 8.0).round()).collect()).unwrap();
    let (x, repeated) = (coarse(&x), coarse(&repeated));
    let weighted = parameters.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let plain = parameters.fit(&repeated, &targets).unwrap();
    let (a, b) = (weighted.predict(&x).unwrap(), plain.predict(&x).unwrap());
    let worst = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn missing_values_go_where_they_help() {
    let values: Vec<f32> = (0..200).map(|row| if row % 4 == 0 { f32::NAN } else { row as f32 }).collect();
    let y: Vec<f32> = values.iter().map(|v| if v.is_nan() || *v > 120.0 { 1.0 } else { 0.0 }).collect();
    let x = Matrix::from_vec(200, 1, values).unwrap();
    let model =
        GradientBoostingRegressor::default().n_estimators(1).learning_rate(1.0).max_leaf_nodes(2).fit(&x, &y).unwrap();
    assert!(mean_squared_error(&y, &model.predict(&x).unwrap()) < 1e-10);
    assert!(!model.trees()[0].nodes()[0].missing_left);
    // Only whether a value is there tells.
    let y: Vec<f32> = x.as_slice().iter().map(|v| if v.is_nan() { 3.0 } else { -1.0 }).collect();
    let model = GradientBoostingRegressor::default().n_estimators(1).learning_rate(1.0).fit(&x, &y).unwrap();
    assert!(mean_squared_error(&y, &model.predict(&x).unwrap()) < 1e-10);
    assert_eq!(model.trees()[0].leaves(), 2);
}

#[test]
fn nothing_to_divide_is_one_leaf() {
    let parameters = GradientBoostingRegressor::default();
    let constant = Matrix::from_vec(50, 2, vec![1.5; 100]).unwrap();
    let y: Vec<f32> = (0..50).map(|row| row as f32).collect();
    for x in [&constant, &Matrix::from_vec(50, 2, vec![f32::NAN; 100]).unwrap()] {
        let model = parameters.fit(x, &y).unwrap();
        assert!(model.converged());
        assert_eq!(model.predict(x).unwrap().get(7, 0), 24.5);
    }
    let one = Matrix::from_rows(&[[3.0, f32::NAN]]).unwrap();
    assert_eq!(parameters.fit(&one, &[2.25]).unwrap().predict(&one).unwrap().get(0, 0), 2.25);
    let (x, y) = data(300, 7);
    let model = parameters.clone().max_depth(0).fit(&x, &y).unwrap();
    assert!(model.trees().iter().all(|tree| tree.leaves() == 1));
    assert!(parameters.fit_with(&x, &y, Fit::default().sample_weight(&[0.0; 300])).is_err());
}

#[test]
fn a_class_without_rows_gets_next_to_no_chance() {
    let (x, y) = data(500, 8);
    let codes: Vec<u32> = y.iter().map(|y| if *y > 0.5 { 3 } else { 1 }).collect();
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let labels = Labels::from_codes(codes, names).unwrap();
    let model = GradientBoostingClassifier::default().n_estimators(20).fit(&x, &labels).unwrap();
    let chances = model.predict_proba(&x).unwrap();
    assert!((0..500).all(|row| chances.get(row, 0) < 1e-5 && chances.get(row, 2) < 1e-5));
    assert!(model.score(&x, &labels).unwrap() > 0.95);
    // All rows of one of two classes.
    let labels = Labels::from_codes(vec![1; 500], vec!["no".into(), "yes".into()]).unwrap();
    let model = GradientBoostingClassifier::default().n_estimators(5).fit(&x, &labels).unwrap();
    assert!(model.predict(&x).unwrap().codes().iter().all(|code| *code == 1));
}

#[test]
fn tiny_weights_make_a_model_too() {
    let (x, y) = data(800, 9);
    let weights = vec![1e-30; 800];
    let parameters = GradientBoostingRegressor::default().min_child_weight(0.0).n_estimators(30);
    let tiny = parameters.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let plain = parameters.fit(&x, &y).unwrap();
    let (a, b) =
        (mean_squared_error(&y, &tiny.predict(&x).unwrap()), mean_squared_error(&y, &plain.predict(&x).unwrap()));
    assert!((a / b - 1.0).abs() < 0.05, "{a} {b}");
    // Below the least sum of Hessians nothing can be divided.
    let parameters = GradientBoostingRegressor::default();
    let model = parameters.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    assert_eq!(model.iterations(), 0);
}

#[test]
fn limits_on_trees_hold() {
    let (x, y) = data(3000, 10);
    for growth in [Growth::LeafWise, Growth::DepthWise] {
        let parameters = GradientBoostingRegressor::default().growth(growth).n_estimators(5);
        let model = parameters.clone().max_leaf_nodes(11).min_samples_leaf(37).fit(&x, &y).unwrap();
        let leaves = |tree: &gristmill::tree::Tree| {
            tree.nodes().iter().filter(|node| node.feature.is_none()).map(|node| node.count).collect::<Vec<u64>>()
        };
        assert!(
            model.trees().iter().all(|tree| leaves(tree).len() == 11 && leaves(tree).iter().all(|count| *count >= 37))
        );
        assert!(model.trees().iter().all(|tree| leaves(tree).iter().sum::<u64>() == 3000));
        let model = parameters.clone().max_leaf_nodes(None).max_depth(3).fit(&x, &y).unwrap();
        assert!(model.trees().iter().all(|tree| tree.depth() == 3 && tree.leaves() == 8));
        let strong = parameters.clone().l1_regularization(1e9).fit(&x, &y).unwrap();
        assert_eq!(strong.iterations(), 0);
    }
    // Without a limit that binds, the two orders grow the same leaves.
    let free = GradientBoostingRegressor::default().max_leaf_nodes(None).max_depth(6).n_estimators(3);
    let a = free.clone().fit(&x, &y).unwrap().predict(&x).unwrap();
    assert_eq!(a, free.growth(Growth::DepthWise).fit(&x, &y).unwrap().predict(&x).unwrap());
}

#[test]
fn early_stopping_keeps_the_best_round() {
    let (x, y) = data(2000, 11);
    let (xv, yv) = data(1000, 12);
    let parameters = GradientBoostingRegressor::default().n_estimators(500).learning_rate(0.3).n_iter_no_change(5);
    let model = parameters.fit_with(&x, &y, Fit::default().validation(&xv, &yv)).unwrap();
    let losses = model.validation_losses();
    assert!(model.converged() && losses.len() == model.iterations() + 5 && losses.len() < 500);
    let error = mean_squared_error(&yv, &model.predict(&xv).unwrap());
    assert!((error - losses[model.iterations() - 1]).abs() < 1e-5 * error);
    // Without rows of their own, some are held out.
    let labels = binary(&y);
    let held = GradientBoostingClassifier::default().n_estimators(500).learning_rate(0.3).n_iter_no_change(4);
    let model = held.fit(&x, &labels).unwrap();
    assert!(model.converged() && model.validation_losses().len() == model.iterations() + 4);
    // Validation alone only watches.
    let watched = GradientBoostingClassifier::default().n_estimators(7);
    let model = watched.fit_with(&x, &labels, Fit::default().validation(&xv, &binary(&yv))).unwrap();
    assert_eq!((model.iterations(), model.validation_losses().len(), model.converged()), (7, 7, false));
    assert_eq!(model.trees(), watched.fit(&x, &labels).unwrap().trees());
}

#[test]
fn an_observer_can_end_the_fit() {
    let (x, y) = data(400, 13);
    let mut finish = |report: &Report| if report.iteration == 3 { Flow::StopEarly } else { Flow::Continue };
    let parameters = GradientBoostingRegressor::default();
    let model = parameters.fit_with(&x, &y, Fit::default().observer(&mut finish)).unwrap();
    assert_eq!(model.iterations(), 3);
    let mut stop = |_: &Report| Flow::Stop;
    let error = parameters.fit_with(&x, &y, Fit::default().observer(&mut stop)).unwrap_err();
    assert!(matches!(error, Error::Stopped { .. }));
}

#[test]
fn a_saved_model_predicts_the_same_bits_and_broken_trees_are_refused() {
    let (x, y) = data(600, 14);
    let model = GradientBoostingClassifier::default().n_estimators(4).fit(&x, &classes(&y)).unwrap();
    let bytes = model.to_bytes().unwrap();
    let again = GradientBoostingClassifierModel::from_bytes(&bytes).unwrap();
    assert_eq!(again.predict_proba(&x).unwrap(), model.predict_proba(&x).unwrap());
    assert_eq!(again.to_bytes().unwrap(), bytes);
    for (name, at, value) in [("tree.feature", 0, 6), ("tree.children", 0, 0), ("tree.children", 1, 1_000_000)] {
        let mut container = model.to_container().unwrap();
        let shape: Vec<usize> = container.tensors().find(|(key, _)| *key == name).unwrap().1.shape().to_vec();
        let mut values: Vec<u32> = container.take(name, &shape).unwrap();
        values[at] = value;
        container.insert(name, &shape, values).unwrap();
        assert!(GradientBoostingClassifierModel::from_container(container).is_err(), "{name}");
    }
}

#[test]
fn several_targets_have_a_tree_each() {
    let (x, y) = data(1000, 15);
    let both = Matrix::from_vec(1000, 2, y.iter().flat_map(|y| [*y, 1e6 - y]).collect()).unwrap();
    let model = GradientBoostingRegressor::default().n_estimators(10).fit(&x, &both).unwrap();
    assert_eq!(model.trees().len(), 20);
    let one = GradientBoostingRegressor::default().n_estimators(10).fit(&x, &y).unwrap().predict(&x).unwrap();
    let predicted = model.predict(&x).unwrap();
    assert!((0..1000).all(|row| predicted.get(row, 0) == one.get(row, 0)));
    assert!(model.score(&x, &both).unwrap() > 0.5);
}

#[test]
fn bad_parameters_are_refused_by_name() {
    let (x, y) = data(50, 16);
    let parameters = GradientBoostingRegressor::default;
    for (bad, name) in [
        (parameters().n_estimators(0), "n_estimators"),
        (parameters().learning_rate(0.0), "learning_rate"),
        (parameters().max_leaf_nodes(1), "max_leaf_nodes"),
        (parameters().max_bins(256), "max_bins"),
        (parameters().max_bins(1), "max_bins"),
        (parameters().min_samples_leaf(0), "min_samples_leaf"),
        (parameters().subsample(1.5), "subsample"),
        (parameters().max_features(0.0), "max_features"),
        (parameters().l2_regularization(-1.0), "l2_regularization"),
        (parameters().tol(f64::NAN), "tol"),
    ] {
        assert!(matches!(bad.fit(&x, &y), Err(Error::Param { name: found, .. }) if found == name), "{name}");
    }
    assert!(parameters().fit(&x, &y[..20]).is_err());
    assert!(parameters().fit(&Matrix::from_vec(1, 1, vec![f32::INFINITY]).unwrap(), &[1.0]).is_err());
    assert!(parameters().fit(&x, &y).unwrap().predict(&Matrix::zeros(2, 5).unwrap()).is_err());
}
