//! Boosting at its limits: numbers without end, rows that do not count, few rows to hold out, and other levels.

use std::sync::Mutex;

use gristmill::ensemble::{BoostingLoss, ClassificationLoss, RegressionLoss};
use gristmill::prelude::*;

use crate::support::{gpu, numbers};

/// Two columns of numbers and a target that depends on both.
fn data(rows: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let drawn = numbers(rows * 3, seed);
    let y = drawn.chunks_exact(3).map(|row| (3.0 * row[0]).sin() + row[1] * row[1] + 0.2 * row[2]).collect();
    let x = drawn.chunks_exact(3).flat_map(|row| [row[0], row[1]]).collect();
    (Matrix::from_vec(rows, 2, x).unwrap(), y)
}

fn name<T>(result: Result<T>) -> (&'static str, String) {
    match result {
        Err(Error::Param { name, rule, got }) => (name, format!("{rule}; {got}")),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("not refused"),
    }
}

/// A column of these levels, drawn evenly, and one of numbers; the target depends on both.
fn levels(rows: usize, codes: &[f32], seed: u64) -> (Matrix, Vec<f32>) {
    let drawn = numbers(rows * 2, seed);
    let code = |row: usize| codes[(row * 7 + row / 5) % codes.len()];
    let x = (0..rows).flat_map(|row| [code(row), drawn[2 * row]]).collect();
    let effect = |code: f32| [2.0, -3.0, 0.5, 4.0][code as usize % 4];
    let y = (0..rows).map(|row| effect(code(row)) + 0.3 * drawn[2 * row] + 0.1 * drawn[2 * row + 1]).collect();
    (Matrix::from_vec(rows, 2, x).unwrap().with_categories([0]).unwrap(), y)
}

#[test]
fn going_on_with_other_levels_keeps_the_bins_of_the_model() {
    let (x, y) = levels(300, &[0.0, 1.0, 2.0], 1);
    let boosting = GradientBoostingRegressor::default().min_samples_leaf(3);
    let first = boosting.clone().n_estimators(5).fit(&x, &y).unwrap();
    let all: Vec<f32> = (0..12).flat_map(|at| [(at % 6) as f32, at as f32 / 12.0]).chain([f32::NAN, 0.0]).collect();
    let all = Matrix::from_vec(13, 2, all).unwrap().with_categories([0]).unwrap();
    // Fewer levels than before, and others that the model has no bin for.
    for codes in [&[1.0, 2.0][..], &[2.0, 3.0], &[5.0, 1.0, 0.0, 4.0]] {
        let (other, target) = levels(200, codes, 2);
        let more = boosting.clone().n_estimators(12).fit_more(&first, &other, &target, Fit::default()).unwrap();
        assert_eq!(more.iterations(), 12);
        for rows in [&x, &other, &all] {
            let predicted = more.predict(rows).unwrap();
            assert_eq!(more.staged_predict(rows).unwrap().last().unwrap().unwrap(), predicted, "{codes:?}");
            let again = GradientBoostingRegressorModel::from_bytes(&more.to_bytes().unwrap()).unwrap();
            assert_eq!(again.predict(rows).unwrap(), predicted, "{codes:?}");
            assert_eq!(again.staged_predict(rows).unwrap().last().unwrap().unwrap(), predicted, "{codes:?}");
            assert_eq!(more.predict(&rows.to(gpu()).unwrap()).unwrap(), predicted, "{codes:?}");
            // What the leaves add up to, but for the baseline, which all rows share.
            let sum = |row: usize| {
                let leaf = |tree: &gristmill::tree::Tree| tree.value(tree.leaf_of(rows.row(row)))[0];
                more.trees().iter().map(leaf).sum::<f64>()
            };
            let baseline = f64::from(predicted.get(0, 0)) - sum(0);
            for row in 0..rows.rows() {
                assert!((sum(row) + baseline - f64::from(predicted.get(row, 0))).abs() < 1e-5, "{codes:?} row {row}");
            }
        }
        let gpu_rows = other.to(gpu()).unwrap();
        let on_gpu = boosting.clone().n_estimators(12).fit_more(&first, &gpu_rows, &target, Fit::default()).unwrap();
        assert!(on_gpu.to_bytes().unwrap() == more.to_bytes().unwrap());
    }
    // On the same rows nothing changes.
    let whole = boosting.clone().n_estimators(12).fit(&x, &y).unwrap();
    let more = boosting.clone().n_estimators(12).fit_more(&first, &x, &y, Fit::default()).unwrap();
    assert!(more.to_bytes().unwrap() == whole.to_bytes().unwrap());
}

#[test]
fn going_on_with_other_marks_is_refused() {
    let (x, y) = levels(200, &[0.0, 1.0, 2.0], 3);
    let plain = x.clone().with_categories([]).unwrap();
    let boosting = GradientBoostingRegressor::default();
    for (first, second) in [(&x, &plain), (&plain, &x)] {
        let model = boosting.clone().n_estimators(3).fit(first, &y).unwrap();
        let refused = boosting.clone().n_estimators(6).fit_more(&model, second, &y, Fit::default()).unwrap_err();
        assert!(matches!(refused, Error::Shape { .. }), "{refused}");
        assert!(refused.to_string().contains("with_categories"), "{refused}");
    }
}

#[test]
fn numbers_that_leave_the_range_are_refused_with_their_cause() {
    let (x, y) = data(300, 4);
    let boosting = GradientBoostingRegressor::default().n_estimators(100);
    let (named, why) = name(boosting.clone().learning_rate(10.0).fit(&x, &y));
    assert_eq!(named, "learning_rate", "{why}");
    for loss in [RegressionLoss::AbsoluteError, RegressionLoss::Huber, RegressionLoss::Poisson] {
        let y: Vec<f32> = y.iter().map(|y| 1e30 * (y + 2.0).max(0.0)).collect();
        let (named, why) = name(boosting.clone().loss(loss).learning_rate(1e12).fit(&x, &y));
        assert_eq!(named, "learning_rate", "{loss:?}: {why}");
    }
    let far: Vec<f32> = (0..300).map(|row| if row % 3 == 0 { 3.3e38 } else { -3.3e38 }).collect();
    let (named, why) = name(boosting.fit(&x, &far));
    assert_eq!(named, "target", "{why}");
    let weights = vec![3e38; 300];
    let high: Vec<f32> = y.iter().map(|y| 100.0 * y).collect();
    let (named, why) = name(boosting.fit_with(&x, &high, Fit::default().sample_weight(&weights)));
    assert_eq!(named, "sample_weight", "{why}");
    // A row that does not count may hold what it likes.
    let mut weights = vec![1.0; 301];
    weights[300] = 0.0;
    let longer = Matrix::from_vec(301, 2, [x.as_slice(), &[0.0, 0.0]].concat()).unwrap();
    for loss in [RegressionLoss::SquaredError, RegressionLoss::Huber, RegressionLoss::Poisson] {
        let y: Vec<f32> = y.iter().map(|y| y + 2.0).collect();
        let boosting = GradientBoostingRegressor::default().n_estimators(20).loss(loss);
        let mut with_one: Vec<f32> = y.clone();
        with_one.push(-3.4e38);
        let one = boosting.fit_with(&longer, &with_one, Fit::default().sample_weight(&weights)).unwrap();
        assert_eq!(one.predict(&x).unwrap(), boosting.fit(&x, &y).unwrap().predict(&x).unwrap(), "{loss:?}");
    }
}

#[test]
fn a_loss_without_end_names_the_learning_rate() {
    let (x, y) = data(200, 5);
    let y: Vec<f32> = y.iter().map(|y| (5.0 * (y + 2.0)).floor()).collect();
    let boosting = GradientBoostingRegressor::default().loss(RegressionLoss::Poisson).learning_rate(1e4);
    let (named, why) = name(boosting.fit_with(&x, &y, Fit::default().validation(&x, &y)));
    assert_eq!(named, "learning_rate", "{why}");
    let labels = Labels::from(&y.iter().map(|y| u32::from(*y > 10.0)).collect::<Vec<u32>>()[..]);
    let boosting = GradientBoostingClassifier::default().loss(ClassificationLoss::Exponential).learning_rate(1e4);
    let (named, why) = name(boosting.fit_with(&x, &labels, Fit::default().validation(&x, &labels)));
    assert_eq!(named, "learning_rate", "{why}");
}

#[test]
fn rows_of_weight_zero_are_not_held_out() {
    let (x, y) = data(30, 6);
    let weights: Vec<f32> = (0..30).map(|row| if row % 10 == 0 { 1.0 } else { 0.0 }).collect();
    for seed in 0..40 {
        let boosting = GradientBoostingRegressor::default().n_iter_no_change(3).n_estimators(8).seed(seed);
        let boosting = boosting.min_samples_leaf(1).validation_fraction(0.4);
        let model = boosting.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
        assert!(model.predict(&x).unwrap().as_slice().iter().all(|value| value.is_finite()), "seed {seed}");
        assert!(!model.validation_losses().is_empty(), "seed {seed}");
    }
}

#[test]
fn small_classes_are_held_out_together() {
    let (x, _) = data(40, 7);
    let labels = Labels::from(&(0..40).map(|row| row % 10).collect::<Vec<u32>>()[..]);
    let boosting = GradientBoostingClassifier::default().n_iter_no_change(2).n_estimators(5).min_samples_leaf(1);
    let model = boosting.fit(&x, &labels).unwrap();
    assert!(!model.validation_losses().is_empty());
    let alone = Labels::from(&(0..40).collect::<Vec<u32>>()[..]);
    let (named, why) = name(boosting.fit(&x, &alone));
    assert_eq!(named, "n_iter_no_change", "{why}");
    let one = Matrix::from_rows(&[[1.0]]).unwrap();
    let (named, _) = name(GradientBoostingRegressor::default().n_iter_no_change(2).fit(&one, &[2.0]));
    assert_eq!(named, "n_iter_no_change");
}

/// The squared loss, which notes the targets that it is shown, and has no gradient for targets of a thousand.
struct Watching {
    seen: Mutex<Vec<f32>>,
}

impl BoostingLoss for Watching {
    fn base_score(&self, targets: &[f32], weights: Option<&[f32]>) -> f64 {
        assert!(weights.is_none_or(|weights| weights.len() == targets.len() && !weights.contains(&0.0)));
        self.seen.lock().unwrap().extend(targets);
        targets.iter().map(|y| f64::from(*y)).sum::<f64>() / targets.len() as f64
    }

    fn gradients(&self, scores: &[f32], targets: &[f32], gradients: &mut [f32], hessians: &mut [f32]) {
        self.seen.lock().unwrap().extend(targets);
        for row in 0..scores.len() {
            let error = if targets[row] == 1000.0 { f32::INFINITY } else { scores[row] - targets[row] };
            (gradients[row], hessians[row]) = (error, 1.0);
        }
    }

    fn loss(&self, score: f32, target: f32) -> Option<f64> {
        Some(f64::from(score - target).powi(2))
    }
}

#[test]
fn a_loss_of_ones_own_sees_the_rows_that_count_and_no_others() {
    let (x, mut y) = data(120, 8);
    let mut weights = vec![1.0; 120];
    for row in (0..120).step_by(6) {
        (y[row], weights[row]) = (1000.0, 0.0);
    }
    let boosting = GradientBoostingRegressor::default().n_estimators(10);
    let loss = Watching { seen: Mutex::new(vec![]) };
    let model = boosting.fit_with_loss(&x, &y, &loss, Fit::default().sample_weight(&weights)).unwrap();
    assert_eq!(loss.seen.lock().unwrap().len(), 11 * 100);
    let built_in = boosting.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    for (own, known) in model.predict(&x).unwrap().as_slice().iter().zip(built_in.predict(&x).unwrap().as_slice()) {
        assert!((own - known).abs() < 1e-5, "{own} {known}");
    }
    // Rows that are held out are not shown either.
    let (x, y) = data(100, 9);
    let loss = Watching { seen: Mutex::new(vec![]) };
    boosting.clone().n_iter_no_change(20).fit_with_loss(&x, &y, &loss, Fit::default()).unwrap();
    let mut seen = loss.seen.into_inner().unwrap();
    seen.sort_by(f32::total_cmp);
    seen.dedup();
    assert_eq!(seen.len(), 90);
    // A gradient that is none is refused with the number of its row.
    let mut y = y;
    y[41] = 1000.0;
    let mut weights = vec![1.0; 100];
    weights[3] = 0.0;
    let loss = Watching { seen: Mutex::new(vec![]) };
    let refused = boosting.fit_with_loss(&x, &y, &loss, Fit::default().sample_weight(&weights));
    let (named, why) = name(refused);
    assert!(named == "loss" && why.contains("row 41"), "{named} {why}");
}

#[test]
fn counts_below_zero_that_do_not_count_are_no_trouble() {
    let (x, y) = data(60, 10);
    let mut y: Vec<f32> = y.iter().map(|y| y + 2.0).collect();
    let boosting = GradientBoostingRegressor::default().loss(RegressionLoss::Poisson).n_estimators(5);
    y[7] = -1.0;
    let mut weights = vec![1.0; 60];
    let (named, why) = name(boosting.fit(&x, &y));
    assert!(named == "loss" && why.contains("row 7"), "{why}");
    weights[7] = 0.0;
    let model = boosting.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    assert!(model.predict(&x).unwrap().as_slice().iter().all(|value| *value > 0.0));
}

#[test]
fn huber_learns_where_most_targets_are_alike() {
    let x = Matrix::from_vec(200, 1, (0..200).map(|row| row as f32).collect()).unwrap();
    // 5 of 100 rows differ: the 0.9-quantile of |r| is 0.
    let y: Vec<f32> = (0..200).map(|row| if row < 10 { 4.0 + row as f32 } else { 1.0 }).collect();
    let boosting = GradientBoostingRegressor::default().loss(RegressionLoss::Huber).min_samples_leaf(5);
    let model = boosting.n_estimators(100).fit(&x, &y).unwrap();
    assert!(model.iterations() > 0);
    let predicted = model.predict(&x).unwrap();
    assert!((predicted.get(150, 0) - 1.0).abs() < 1e-3, "{}", predicted.get(150, 0));
    assert!(predicted.get(5, 0) > 4.0, "{}", predicted.get(5, 0));
    // Nothing to learn stays nothing.
    let same = GradientBoostingRegressor::default().loss(RegressionLoss::Huber).fit(&x, &vec![1.0; 200]).unwrap();
    assert_eq!((same.iterations(), same.predict(&x).unwrap().get(0, 0)), (0, 1.0));
}
