//! Permutation importance: what a model leans on, and nothing else.

use gristmill::estimator::Model;
use gristmill::prelude::*;
use gristmill::preprocessing::StandardScaler;
use gristmill::selection::{CrossValidateOptions, Scoring, permutation_importance, permutation_importance_with};

/// Three columns, of which the target is twice the first plus the second.
fn table(rows: usize) -> (Matrix, gristmill::Target) {
    let value = |row: usize, column: usize| ((row * [7, 13, 29][column] + column) % 101) as f32 / 101.0;
    let x = (0..rows * 3).map(|at| value(at / 3, at % 3)).collect();
    let y = (0..rows).map(|row| 2.0 * value(row, 0) + value(row, 1)).collect();
    let x = Matrix::from_vec(rows, 3, x).unwrap();
    (x, gristmill::Target::Numbers(Matrix::from_vec(rows, 1, y).unwrap()))
}

#[test]
fn a_linear_model_loses_twice_the_squared_weight_times_the_variance() {
    let (x, target) = table(4000);
    let model = LinearRegression::default().fit(&x, target.values().unwrap()).unwrap();
    let found = permutation_importance(&model, &x, &target, Scoring::Rmse, 8, 1).unwrap();
    // A permuted column leaves an error of w·√(2·variance): the variance of whole steps from 0 to 1 is 1/12.
    let wanted = [2.0 * (2.0_f64 / 12.0).sqrt(), (2.0_f64 / 12.0).sqrt(), 0.0];
    for (mean, wanted) in found.means().iter().zip(wanted) {
        assert!((mean - wanted).abs() < 0.02, "{:?}", found.means());
    }
    assert!(found.score < 1e-4 && found.losses.iter().all(|losses| losses.len() == 8));
    let spread = found.importances();
    assert!(spread[0].deviation > 0.0 && spread[0].deviation < 0.02, "{spread:?}");
}

#[test]
fn scores_that_should_be_large_and_small_point_the_same_way() {
    let (x, target) = table(300);
    let model = RandomForestRegressor::new(10).fit(&x, target.values().unwrap()).unwrap();
    let of = |scoring: Scoring| permutation_importance(&model, &x, &target, scoring, 3, 0).unwrap().means();
    for means in [of(Scoring::R2), of(Scoring::Mae)] {
        assert!(means[0] > means[1] && means[1] > means[2].abs(), "{means:?}");
    }
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let iris = datasets::iris().unwrap();
    let model = DecisionTreeClassifier::default().fit(&iris.x, iris.labels().unwrap()).unwrap();
    let of = |seed: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fitted: &dyn Model = &model;
        pool.install(|| permutation_importance(fitted, &iris.x, &iris.target, Scoring::Accuracy, 4, seed)).unwrap()
    };
    assert_eq!(of(3, 1), of(3, 3));
    assert_ne!(of(3, 1).losses, of(4, 1).losses);
}

#[test]
fn what_cannot_be_is_refused() {
    let iris = datasets::iris().unwrap();
    let model = DecisionTreeClassifier::default().fit(&iris.x, iris.labels().unwrap()).unwrap();
    let refused = |scoring: Scoring, repeats: usize| {
        permutation_importance(&model, &iris.x, &iris.target, scoring, repeats, 0).unwrap_err().to_string()
    };
    assert!(refused(Scoring::Accuracy, 0).starts_with("repeats must be at least 1"));
    assert!(refused(Scoring::R2, 2).contains("suits the model"));
}

#[test]
fn clusters_lose_inertia_behind_the_steps_of_a_pipeline() {
    let iris = datasets::iris().unwrap();
    let model = Pipeline::new(KMeans::new(3)).step(StandardScaler::default()).fit(&iris).unwrap();
    let found = permutation_importance(&model, &iris.x, &gristmill::Target::None, Scoring::Inertia, 3, 0).unwrap();
    let inertia = model.model().report().number("inertia").unwrap();
    assert!((found.score - inertia).abs() < 1e-3 * inertia, "{} {inertia}", found.score);
    assert!(found.means().iter().all(|loss| *loss > 1.0), "{:?}", found.means());
}

#[test]
fn a_gpu_finds_the_same_importances() {
    let device = Device::open("gpu").unwrap();
    let iris = datasets::iris().unwrap();
    let model = RandomForestClassifier::new(5).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let here = permutation_importance(&model, &iris.x, &iris.target, Scoring::Accuracy, 2, 7).unwrap();
    let there = permutation_importance_with(
        &model,
        &iris.x,
        &iris.target,
        2,
        7,
        CrossValidateOptions::default().device(&device),
    )
    .unwrap();
    assert_eq!(here, there);
    let other = permutation_importance(&model, &iris.x, &iris.target, Scoring::Accuracy, 2, 8).unwrap();
    assert_ne!(here.losses, other.losses);
}

#[test]
fn an_observer_can_stop_it_and_sees_every_repeat() {
    use gristmill::estimator::{Flow, Report};
    let iris = datasets::iris().unwrap();
    let model = RandomForestClassifier::new(5).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let mut fractions = vec![];
    let mut observer = |report: &Report| {
        fractions.push(report.fraction);
        Flow::Continue
    };
    let options = CrossValidateOptions::default().observer(&mut observer);
    permutation_importance_with(&model, &iris.x, &iris.target, 3, 0, options).unwrap();
    assert_eq!((fractions.len(), fractions.last()), (12, Some(&1.0)));
    let mut stop = |_: &Report| Flow::Stop;
    let options = CrossValidateOptions::default().observer(&mut stop);
    let stopped = permutation_importance_with(&model, &iris.x, &iris.target, 3, 0, options);
    assert!(matches!(stopped, Err(gristmill::Error::Stopped { .. })), "{stopped:?}");
}

#[test]
fn cross_validation_reports_from_within_its_fits() {
    use gristmill::estimator::{Flow, Report};
    use gristmill::selection::{Folds, cross_validate_with};
    let iris = datasets::iris().unwrap();
    let pipeline = Pipeline::new(GradientBoostingClassifier::default().n_estimators(50));
    let mut reports = vec![];
    let mut observer = |report: &Report| {
        reports.push(report.fraction);
        Flow::Continue
    };
    let options = CrossValidateOptions::default().observer(&mut observer);
    cross_validate_with(&pipeline, &iris, &Folds::stratified(3), options).unwrap();
    assert!(reports.len() > 3 && reports.is_sorted() && reports.last().is_some_and(|last| (last - 1.0).abs() < 1e-9));
    // The first report within the first fit ends it all.
    let mut calls = 0;
    let mut stop = |_: &Report| {
        calls += 1;
        Flow::StopEarly
    };
    let options = CrossValidateOptions::default().observer(&mut stop);
    let stopped = cross_validate_with(&pipeline, &iris, &Folds::stratified(3), options);
    assert!(matches!(stopped, Err(gristmill::Error::Stopped { .. })), "{stopped:?}");
    assert!(calls <= rayon::current_num_threads().max(3), "{calls}");
}
