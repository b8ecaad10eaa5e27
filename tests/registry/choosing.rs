//! Cross-validation, grid search and curves.

use gristmill::estimator::{Flow, Report};
use gristmill::prelude::*;
use gristmill::preprocessing::StandardScaler;
use gristmill::selection::{
    CrossValidateOptions, Folds, GridSearch, Scoring, cross_validate, cross_validate_with, learning_curve,
    learning_curve_with, validation_curve, validation_curve_with,
};
use serde_json::json;

fn knn(k: usize) -> Pipeline {
    Pipeline::new(KNeighborsClassifier::new(k))
}

/// scikit-learn 1.x: cross_val_score(KNeighborsClassifier(5), iris, cv=StratifiedKFold(5)).
#[test]
fn the_scores_of_iris_are_those_of_scikit_learn() {
    let iris = datasets::iris().unwrap();
    let found = cross_validate(&knn(5), &iris, &Folds::stratified(5)).unwrap();
    let expected = [29.0 / 30.0, 1.0, 28.0 / 30.0, 29.0 / 30.0, 1.0];
    for (found, expected) in found.test[0].iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn several_scores_are_made_of_one_prediction() {
    let cancer = datasets::breast_cancer().unwrap();
    let wanted = [Scoring::Accuracy, Scoring::BalancedAccuracy, Scoring::F1Macro, Scoring::LogLoss, Scoring::RocAuc];
    let trial = CrossValidateOptions::default().scoring(wanted).train_scores(true);
    let found =
        cross_validate_with(&knn(15).step(StandardScaler::default()), &cancer, &Folds::stratified(3), trial).unwrap();
    assert_eq!((found.test.len(), found.test[0].len(), found.train.len()), (5, 3, 5));
    assert!(found.test[0].iter().all(|accuracy| *accuracy > 0.93));
    assert!(found.test[4].iter().all(|auc| *auc > 0.97));
    assert!(found.test[3].iter().all(|loss| *loss > 0.0 && *loss < 0.5));
}

#[test]
fn a_score_that_does_not_suit_the_model_is_refused() {
    let iris = datasets::iris().unwrap();
    let refused = |scoring| {
        cross_validate_with(&knn(5), &iris, &Folds::stratified(3), CrossValidateOptions::default().scoring([scoring]))
            .unwrap_err()
            .to_string()
    };
    assert!(refused(Scoring::R2).contains("r2 for a classifier"));
    assert!(refused(Scoring::RocAuc).contains("for two"));
    assert!(refused(Scoring::Inertia).contains("without centres"));
    assert!("acuracy".parse::<Scoring>().unwrap_err().to_string().contains("accuracy"));
    let lof = Pipeline::new(LocalOutlierFactor::default());
    assert!(cross_validate(&lof, &iris, &Folds::k_fold(3)).unwrap_err().to_string().contains("outliers"));
}

#[test]
fn clusters_are_scored_by_the_inertia_of_new_rows() {
    let iris = datasets::iris().unwrap();
    let found = cross_validate(&Pipeline::new(KMeans::new(3)), &iris, &Folds::k_fold(5).seed(0)).unwrap();
    let total: f64 = found.test[0].iter().sum();
    assert!(total > 78.85 && total < 100.0, "{total}");
}

#[test]
fn a_grid_is_searched_in_order_and_the_first_of_the_best_is_fitted() {
    let wine = datasets::wine().unwrap();
    let search = GridSearch::new(knn(5).step(StandardScaler::default()))
        .parameter("n_neighbors", [1, 5, 15, 1000])
        .parameter("weights", ["uniform", "distance"]);
    let found = search.fit(&wine, &Folds::stratified(5)).unwrap();
    assert_eq!(found.candidates.len(), 8);
    assert_eq!(
        found.candidates[3].parameters,
        [("n_neighbors".into(), json!(5)), ("weights".into(), json!("distance"))]
    );
    assert!(found.candidates[6].result.is_err(), "more neighbours than rows");
    let means: Vec<f64> = found.candidates.iter().map(|candidate| candidate.score().mean).collect();
    let best = means.iter().copied().filter(|mean| !mean.is_nan()).fold(0.0, f64::max);
    assert_eq!(found.best_index, means.iter().position(|mean| *mean == best).unwrap());
    assert_eq!(found.model.columns().len(), 13);
    let nothing = GridSearch::new(knn(5)).parameter("n_neighbors", [1000, 2000]).fit(&wine, &Folds::stratified(5));
    assert!(nothing.unwrap_err().to_string().contains("n_neighbors"));
}

#[test]
fn the_same_search_has_the_same_scores_on_one_thread_and_on_many() {
    let wine = datasets::wine().unwrap();
    let scores = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let search = GridSearch::new(knn(5)).parameter("n_neighbors", [1, 3, 5, 7]);
        let found = pool.install(|| search.fit(&wine, &Folds::stratified(5).seed(7))).unwrap();
        found.candidates.iter().map(|candidate| candidate.score().mean.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(scores(1), scores(4));
}

#[test]
fn an_observer_is_told_after_each_fit_and_can_stop() {
    let iris = datasets::iris().unwrap();
    let mut reports = 0;
    let mut observer = |report: &Report| {
        reports += 1;
        assert_eq!(report.what, "cross-validation");
        Flow::Continue
    };
    cross_validate_with(&knn(5), &iris, &Folds::stratified(5), CrossValidateOptions::default().observer(&mut observer))
        .unwrap();
    assert_eq!(reports, 5);
    let mut stopping = |_: &Report| Flow::Stop;
    let stopped = cross_validate_with(
        &knn(5),
        &iris,
        &Folds::stratified(5),
        CrossValidateOptions::default().observer(&mut stopping),
    );
    assert_eq!(stopped.unwrap_err(), Error::Stopped { what: "cross-validation" });
}

#[test]
fn curves_have_a_sample_for_each_value() {
    let digits = datasets::digits().unwrap();
    let curve = learning_curve(&knn(3), &digits, &Folds::stratified(3), &[0.05, 0.2, 1.0]).unwrap();
    assert!(curve.test[0].mean < curve.test[2].mean && curve.test[2].mean > 0.95, "{curve:?}");
    assert_eq!((curve.values[2], curve.test[2].count), (1198.0, 3));
    assert!(learning_curve(&knn(3), &digits, &Folds::stratified(3), &[0.0]).is_err());
    let values = [json!(1), json!(9)];
    let curve = validation_curve(&knn(3), &digits, &Folds::stratified(3), "n_neighbors", &values).unwrap();
    assert_eq!((curve.along.as_str(), &curve.labels[1][..], curve.train[0].mean), ("n_neighbors", "9", 1.0));
    let svg = curve.figure().unwrap().to_svg();
    assert!(svg.contains("n_neighbors") && svg.contains("new rows"));
}

#[test]
fn a_class_missing_from_a_fold_is_no_error() {
    let x = Matrix::from_rows(&[[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0]]).unwrap();
    let labels = Labels::from_names(&["a", "a", "a", "b", "b", "b", "c"]);
    let data = Dataset::new(x, gristmill::Target::Classes(labels)).unwrap();
    let trial = CrossValidateOptions::default().scoring([Scoring::Accuracy, Scoring::F1Macro]);
    let found = cross_validate_with(&knn(1), &data, &Folds::k_fold(7), trial).unwrap();
    assert_eq!(found.test[0].iter().sum::<f64>(), 6.0);
}

#[test]
fn cross_validation_on_the_gpu_scores_as_on_the_cpu() {
    let device = Device::open("gpu").unwrap();
    let iris = datasets::iris().unwrap();
    let on_gpu =
        cross_validate_with(&knn(5), &iris, &Folds::stratified(5), CrossValidateOptions::default().device(&device))
            .unwrap();
    assert_eq!(on_gpu.test, cross_validate(&knn(5), &iris, &Folds::stratified(5)).unwrap().test);
}

#[test]
fn a_candidate_that_fails_leaves_the_scores_of_the_others_alone() {
    let wine = datasets::wine().unwrap();
    let tree = || Pipeline::new(DecisionTreeClassifier::default());
    let folds = Folds::stratified(3);
    let alone = |leaves: usize| {
        let tree = Pipeline::new(DecisionTreeClassifier::default().max_leaf_nodes(leaves));
        cross_validate(&tree, &wine, &folds).unwrap().test
    };
    // One leaf is refused: first, in the middle, twice, last.
    for grid in [[1, 2, 3, 8], [2, 1, 3, 8], [2, 1, 1, 8], [8, 3, 2, 1]] {
        let found = GridSearch::new(tree()).parameter("max_leaf_nodes", grid).fit(&wine, &folds).unwrap();
        for (leaves, candidate) in grid.into_iter().zip(&found.candidates) {
            match leaves {
                1 => assert!(candidate.result.is_err(), "{grid:?}"),
                _ => assert_eq!(candidate.result.as_ref().unwrap().test, alone(leaves), "{leaves} of {grid:?}"),
            }
        }
        assert_eq!(found.best().parameters[0].1, 8, "{grid:?}");
    }
}

#[test]
fn scores_beside_the_deciding_one_are_absent_where_a_fold_cannot_have_them() {
    let diabetes = datasets::diabetes().unwrap().select(&(0..30).collect::<Vec<usize>>()).unwrap();
    let linear = Pipeline::new(Ridge::default());
    let trial = || CrossValidateOptions::default().scoring([Scoring::Mae]);
    let found =
        cross_validate_with(&linear, &diabetes, &Folds::LeaveOneOut, trial().extra_scoring([Scoring::R2])).unwrap();
    assert_eq!(found.scoring, [Scoring::Mae, Scoring::R2]);
    assert!(found.test[0].iter().all(|error| error.is_finite()) && found.test[1].iter().all(|r2| r2.is_nan()));
    // The same score twice is told once; one that is asked for must be there.
    let again =
        cross_validate_with(&linear, &diabetes, &Folds::k_fold(3), trial().extra_scoring([Scoring::Mae])).unwrap();
    assert_eq!(again.scoring, [Scoring::Mae]);
    let refused = cross_validate(&linear, &diabetes, &Folds::LeaveOneOut).unwrap_err().to_string();
    assert!(refused.starts_with("scoring must be") && refused.contains("rmse or mae"), "{refused}");
    assert!(Scoring::RocAuc.check_folds(&Folds::LeaveOneOut).is_err());
    assert!(Scoring::Accuracy.check_folds(&Folds::LeaveOneOut).is_ok());
}

#[test]
fn curves_go_by_any_score_and_leave_out_what_cannot_be_fitted() {
    let (iris, folds) = (datasets::iris().unwrap(), Folds::stratified(5));
    let trial = || CrossValidateOptions::default().scoring([Scoring::LogLoss]);
    // A tenth is 12 rows, too few for 15 neighbours.
    let curve = learning_curve_with(&knn(15), &iris, &folds, &[0.1, 0.5, 1.0], trial()).unwrap();
    assert_eq!((curve.scoring, &curve.values[..], curve.test[0].count), (Scoring::LogLoss, &[60.0, 120.0][..], 5));
    let refused = learning_curve(&knn(15), &iris, &folds, &[0.1]).unwrap_err().to_string();
    assert!(refused.contains("n_neighbors"), "{refused}");
    let values = [json!(3), json!(1000), json!(9)];
    let curve = validation_curve_with(&knn(3), &iris, &folds, "n_neighbors", &values, trial()).unwrap();
    assert_eq!((curve.scoring, &curve.labels[..]), (Scoring::LogLoss, &["3".to_string(), "9".to_string()][..]));
    // A search has the same curve without another fit.
    let search = GridSearch::new(knn(3)).parameter("n_neighbors", values);
    let found = search.fit_with(&iris, &folds, trial().train_scores(true)).unwrap();
    assert_eq!(found.curve().unwrap(), curve);
    let bare = search.fit(&iris, &folds).unwrap();
    assert!(bare.curve().unwrap_err().to_string().contains("train_scores"));
    let two = search.parameter("weights", ["uniform"]).fit(&iris, &folds).unwrap();
    assert!(two.curve().unwrap_err().to_string().contains("one parameter"));
}

#[test]
fn every_score_has_one_name_and_the_new_ones_are_those_of_their_metrics() {
    let names: std::collections::BTreeSet<&str> = Scoring::ALL.iter().map(|scoring| scoring.name()).collect();
    assert_eq!(names.len(), Scoring::ALL.len());
    assert!(Scoring::ALL.iter().all(|scoring| scoring.name().parse::<Scoring>().unwrap() == *scoring));
    let cancer = datasets::breast_cancer().unwrap();
    let (train, test) = cancer.split(0.6, 1).unwrap();
    let model = GradientBoostingClassifier::default().n_estimators(10).fit(&train.x, train.labels().unwrap()).unwrap();
    let predictions = gristmill::selection::Predictions::of_model(&model, (&test.x).into(), false).unwrap();
    let score = |scoring| predictions.score(scoring, &test.target).unwrap();
    let (y, predicted) = (test.labels().unwrap(), model.predict(&test.x).unwrap());
    let probabilities = model.predict_proba(&test.x).unwrap();
    let second = probabilities.column(1);
    assert_eq!(score(Scoring::F1), metrics::class_scores(y, &predicted).unwrap()[1].f1);
    assert_eq!(score(Scoring::Matthews), metrics::matthews_corrcoef(y, &predicted).unwrap());
    assert_eq!(score(Scoring::AveragePrecision), metrics::average_precision(y, &second).unwrap());
    assert!((score(Scoring::RocAucOvr) - score(Scoring::RocAuc)).abs() < 1e-9);
}
