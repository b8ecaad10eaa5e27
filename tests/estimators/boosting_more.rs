//! Boosting that goes on from a model, keeps to directions, explains itself and leaves for LightGBM.

use gristmill::ensemble::{BoostingLoss, ClassificationLoss, Growth, RegressionLoss};
use gristmill::estimator::{Flow, Report};
use gristmill::prelude::*;
use gristmill::tree::ClassWeight;

use crate::support::{baseline, gpu, numbers};

/// Five columns, the first with missing values; the target rises with column 1, falls with column 2, waves with column 0.
fn data(rows: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let numbers = numbers(rows * 6, seed + 1000);
    let (mut x, mut y) = (vec![], vec![]);
    for row in numbers.chunks_exact(6) {
        y.push(4.0 + (5.0 * row[0]).sin() + 1.5 * row[1] - row[2] * (1.0 + row[3]) + 0.6 * row[5]);
        x.extend([if row[4] > 0.7 { f32::NAN } else { row[0] }, row[1], row[2], row[3], row[4]]);
    }
    (Matrix::from_vec(rows, 5, x).unwrap(), y)
}

fn classes(y: &[f32], cuts: &[f32]) -> Labels {
    let codes: Vec<u32> = y.iter().map(|y| cuts.iter().filter(|cut| y > cut).count() as u32).collect();
    Labels::from(&codes[..])
}

#[test]
fn going_on_gives_the_bytes_of_one_fit() {
    let ((x, y), (xv, yv)) = (data(700, 1), data(200, 2));
    let plain = GradientBoostingRegressor::default();
    let cases = [
        plain.clone(),
        plain.clone().loss(RegressionLoss::Huber).subsample(0.7).max_features(0.5),
        plain.clone().loss(RegressionLoss::Poisson).growth(Growth::DepthWise),
        plain.clone().loss(RegressionLoss::Quantile).n_iter_no_change(20),
        plain.clone().monotonic_cst(vec![0, 1, -1, 0, 0]),
    ];
    for (number, boosting) in cases.into_iter().enumerate() {
        let half = boosting.clone().n_estimators(7).fit(&x, &y).unwrap();
        let whole = boosting.clone().n_estimators(15).fit(&x, &y).unwrap();
        let more = boosting.clone().n_estimators(15).fit_more(&half, &x, &y, Fit::default()).unwrap();
        assert!(more.to_bytes().unwrap() == whole.to_bytes().unwrap(), "case {number}");
        let watched = || Fit::default().validation(&xv, &yv);
        let whole = boosting.clone().n_estimators(15).fit_with(&x, &y, watched()).unwrap();
        let more = boosting.clone().n_estimators(15).fit_more(&half, &x, &y, watched()).unwrap();
        // The curve is that of all rounds, also of those that nobody watched.
        if boosting.n_iter_no_change.is_none() {
            assert!(more.to_bytes().unwrap() == whole.to_bytes().unwrap(), "case {number}");
        }
    }
    let labels = classes(&y, &[3.5, 4.5]);
    let weights: Vec<f32> = (0..700).map(|row| (row % 3) as f32).collect();
    let options = || Fit::default().sample_weight(&weights);
    let boosting = |rounds: usize| GradientBoostingClassifier::default().n_estimators(rounds);
    let half = boosting(4).fit_with(&x, &labels, options()).unwrap();
    let wanted = boosting(9).fit_with(&x, &labels, options()).unwrap().to_bytes().unwrap();
    for device in [&Device::Cpu, gpu()] {
        let more = boosting(9).fit_more(&half, &x.to(device).unwrap(), &labels, options()).unwrap();
        assert!(more.to_bytes().unwrap() == wanted);
    }
    // Nothing more to do is fine too, and the observer hears of new rounds only.
    assert!(boosting(4).fit_more(&half, &x, &labels, options()).unwrap().to_bytes() == half.to_bytes());
    let mut heard = vec![];
    let mut observer = |report: &Report| {
        heard.push(report.iteration);
        Flow::Continue
    };
    boosting(6).fit_more(&half, &x, &labels, options().observer(&mut observer)).unwrap();
    assert_eq!(heard, [5, 6]);
}

struct Cubic;

impl BoostingLoss for Cubic {
    fn base_score(&self, _: &[f32], _: Option<&[f32]>) -> f64 {
        3.0
    }

    fn gradients(&self, scores: &[f32], targets: &[f32], gradients: &mut [f32], hessians: &mut [f32]) {
        for row in 0..scores.len() {
            let error = scores[row] - targets[row];
            (gradients[row], hessians[row]) = (error * error.abs(), 2.0 * error.abs());
        }
    }
}

#[test]
fn going_on_from_what_does_not_fit_is_refused() {
    let (x, y) = data(300, 3);
    let boosting = GradientBoostingRegressor::default().n_estimators(5);
    let model = boosting.fit(&x, &y).unwrap();
    let more = |boosting: GradientBoostingRegressor| boosting.fit_more(&model, &x, &y, Fit::default());
    let names = |result: Result<GradientBoostingRegressorModel>| match result {
        Err(Error::Param { name, .. }) => name,
        Err(Error::Shape { .. }) => "shape",
        other => panic!("{other:?}"),
    };
    assert_eq!(names(more(boosting.clone().n_estimators(4))), "n_estimators");
    assert_eq!(names(more(boosting.clone().n_estimators(9).learning_rate(0.2))), "model");
    assert_eq!(names(more(boosting.clone().n_estimators(9).seed(1))), "model");
    let narrow = Matrix::from_vec(300, 1, y.clone()).unwrap();
    let ten = boosting.clone().n_estimators(10);
    assert_eq!(names(ten.fit_more(&model, &narrow, &y, Fit::default())), "shape");
    let twice = Matrix::from_vec(300, 2, y.iter().flat_map(|y| [*y, *y]).collect()).unwrap();
    assert_eq!(names(ten.fit_more(&model, &x, &twice, Fit::default())), "shape");
    assert_eq!(names(ten.fit_more_with_loss(&model, &x, &y, &Cubic, Fit::default())), "model");
    let own = boosting.fit_with_loss(&x, &y, &Cubic, Fit::default()).unwrap();
    assert_eq!(names(ten.fit_more(&own, &x, &y, Fit::default())), "model");
    let whole = ten.fit_with_loss(&x, &y, &Cubic, Fit::default()).unwrap();
    let gone_on = ten.fit_more_with_loss(&own, &x, &y, &Cubic, Fit::default()).unwrap();
    assert!(gone_on.to_bytes().unwrap() == whole.to_bytes().unwrap());
    let labels = classes(&y, &[4.0]);
    let classifier = GradientBoostingClassifier::default().n_estimators(3);
    let model = classifier.fit(&x, &labels).unwrap();
    let other = Labels::from_codes(labels.codes().to_vec(), vec!["no".into(), "yes".into()]).unwrap();
    assert!(matches!(classifier.fit_more(&model, &x, &other, Fit::default()), Err(Error::Shape { .. })));
}

/// Whether scores go the given way when a column of random rows does, everything else held.
fn check_direction(scores: &dyn Fn(&Matrix) -> Matrix, column: usize, direction: f32, seed: u64) -> f32 {
    let steps = 25;
    let mut widest = 0.0_f32;
    for row in data(30, seed).0.as_slice().chunks_exact(5) {
        let mut rows = vec![];
        for step in 0..steps {
            let mut row = row.to_vec();
            row[column] = -1.1 + 2.2 * step as f32 / (steps - 1) as f32;
            rows.extend(row);
        }
        let found = scores(&Matrix::from_vec(steps, 5, rows).unwrap());
        for pair in found.as_slice().windows(2) {
            assert!((pair[1] - pair[0]) * direction >= 0.0, "column {column}: {} then {}", pair[0], pair[1]);
            widest = widest.max((pair[1] - pair[0]).abs());
        }
    }
    widest
}

#[test]
fn predictions_are_monotone_and_the_same_bytes_on_every_device_for_ten_seeds() {
    let losses = [
        RegressionLoss::SquaredError,
        RegressionLoss::AbsoluteError,
        RegressionLoss::Huber,
        RegressionLoss::Quantile,
        RegressionLoss::Poisson,
    ];
    for seed in 0..10 {
        let (x, y) = data(900 + 31 * seed as usize, 10 + seed);
        let y: Vec<f32> = y.iter().map(|y| y.max(0.0)).collect();
        let boosting = GradientBoostingRegressor::default()
            .loss(losses[seed as usize % 5])
            .monotonic_cst(vec![1, 1, -1, 0, 0])
            .growth(if seed % 2 == 0 { Growth::LeafWise } else { Growth::DepthWise })
            .min_samples_leaf(5)
            .n_estimators(12)
            .seed(seed);
        let boosting = if seed % 3 == 0 { boosting.l1_regularization(0.5).l2_regularization(1.0) } else { boosting };
        let boosting = if seed % 4 == 1 { boosting.subsample(0.7).max_features(0.7) } else { boosting };
        let model = boosting.fit(&x, &y).unwrap();
        let scores = |x: &Matrix| model.predict(x).unwrap();
        let moved = [(0, 1.0), (1, 1.0), (2, -1.0)]
            .map(|(column, direction)| check_direction(&scores, column, direction, 500 + seed));
        assert!(moved[1] > 0.01 && moved[2] > 0.01, "seed {seed}: {moved:?}");
        let wanted = model.to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let bytes = boosting.fit(&x.to(device).unwrap(), &y).unwrap().to_bytes().unwrap();
            assert!(bytes == wanted, "{name}: seed {seed}");
        }
    }
}

#[test]
fn directions_hold_for_two_classes_and_cost_little_where_they_are_true() {
    let (x, y) = data(2000, 40);
    let labels = classes(&y, &[4.0]);
    for loss in [ClassificationLoss::LogLoss, ClassificationLoss::Exponential] {
        let boosting = GradientBoostingClassifier::default().loss(loss).n_estimators(30);
        let boosting = boosting.monotonic_cst(vec![0, 1, -1, 0, 0]);
        let model = boosting.fit(&x, &labels).unwrap();
        let scores = |x: &Matrix| model.decision_function(x).unwrap();
        check_direction(&scores, 1, 1.0, 600);
        check_direction(&scores, 2, -1.0, 601);
    }
    // What the data do anyway costs little (LightGBM's basic method pays 2 to 7 % for such data), what they do not costs a
    // lot.
    let error = |directions: Option<Vec<i8>>| {
        let boosting = GradientBoostingRegressor::default().monotonic_cst(directions).n_estimators(60);
        let (test, y_test) = data(1000, 41);
        let predicted = boosting.fit(&x, &y).unwrap().predict(&test).unwrap();
        metrics::mean_squared_error(&y_test, predicted.as_slice()).unwrap()
    };
    let (free, right, wrong) = (error(None), error(Some(vec![0, 1, -1, 0, 0])), error(Some(vec![0, -1, 0, 0, 0])));
    assert!(right < 1.1 * free && wrong > 1.5 * free, "{free} {right} {wrong}");
    // Directions of zero are none.
    let fit = |directions: Option<Vec<i8>>| {
        let boosting = GradientBoostingRegressor::default().monotonic_cst(directions).n_estimators(5);
        boosting.fit(&x, &y).unwrap().predict(&x).unwrap()
    };
    assert_eq!(fit(None), fit(Some(vec![0; 5])));
}

#[test]
fn directions_that_cannot_be_are_refused() {
    let (x, y) = data(100, 42);
    for wrong in [vec![1, 0], vec![0, 0, 2, 0, 0], vec![]] {
        let refused = GradientBoostingRegressor::default().monotonic_cst(wrong).fit(&x, &y).unwrap_err();
        assert!(matches!(refused, Error::Param { name: "monotonic_cst", .. }), "{refused}");
    }
    let boosting = GradientBoostingClassifier::default().monotonic_cst(vec![0, 1, 0, 0, 0]);
    let refused = boosting.fit(&x, &classes(&y, &[3.5, 4.5])).unwrap_err();
    assert!(matches!(refused, Error::Param { name: "monotonic_cst", .. }), "{refused}");
    let by_name = gristmill::registry::find("gradient-boosting-regressor").unwrap().estimator();
    let set = by_name.set("monotonic_cst", serde_json::json!([0, 1, -1, 0, 0])).unwrap();
    assert!(set.set("loss", serde_json::json!("huber")).unwrap().set("alpha", serde_json::json!(0.8)).is_ok());
    assert!(by_name.set("loss", serde_json::json!("hinge")).is_err());
}

/// |Σ of each row of the Shapley values − prediction|, the largest.
fn off(shapley: &Matrix, wanted: impl Fn(usize) -> f32) -> f64 {
    let sum = |row: usize| shapley.row(row).iter().map(|value| f64::from(*value)).sum::<f64>();
    (0..shapley.rows()).map(|row| (sum(row) - f64::from(wanted(row))).abs()).fold(0.0, f64::max)
}

#[test]
fn shapley_values_add_up_to_what_is_predicted() {
    let (x, y) = data(400, 50);
    let labels = classes(&y, &[3.5, 4.5]);
    let boosted = GradientBoostingRegressor::default().n_estimators(40).fit(&x, &y).unwrap();
    let shapley = boosted.shapley_values(&x).unwrap();
    assert_eq!((shapley.len(), shapley[0].rows(), shapley[0].columns()), (1, 400, 6));
    let predicted = boosted.predict(&x).unwrap();
    assert!(off(&shapley[0], |row| predicted.get(row, 0)) < 1e-5);
    // By numbers of rows, the expected score of a squared loss is the mean of the predictions.
    let mean = predicted.as_slice().iter().map(|p| f64::from(*p)).sum::<f64>() / 400.0;
    assert!((f64::from(shapley[0].get(0, 5)) - mean).abs() < 1e-4);
    let boosted = GradientBoostingClassifier::default().n_estimators(15).fit(&x, &labels).unwrap();
    let scores = boosted.decision_function(&x).unwrap();
    for (class, shapley) in boosted.shapley_values(&x).unwrap().iter().enumerate() {
        assert!(off(shapley, |row| scores.get(row, class)) < 1e-5);
    }
    let forest = RandomForestClassifier::default().n_estimators(15).fit(&x, &labels).unwrap();
    let tree = DecisionTreeClassifier::default().fit(&x, &labels).unwrap();
    let pairs = [
        (forest.shapley_values(&x).unwrap(), forest.predict_proba(&x).unwrap()),
        (tree.shapley_values(&x).unwrap(), tree.predict_proba(&x).unwrap()),
    ];
    for (shapley, chances) in pairs {
        assert_eq!(shapley.len(), 3);
        shapley.iter().enumerate().for_each(|(class, one)| assert!(off(one, |row| chances.get(row, class)) < 1e-5));
    }
    let both = Matrix::from_vec(400, 2, y.iter().flat_map(|y| [*y, -2.0 * y]).collect()).unwrap();
    let forest = RandomForestRegressor::default().n_estimators(10).fit(&x, &both).unwrap();
    let tree = DecisionTreeRegressor::default().max_depth(6).fit(&x, &both).unwrap();
    let pairs = [
        (forest.shapley_values(&x).unwrap(), forest.predict(&x).unwrap()),
        (tree.shapley_values(&x).unwrap(), tree.predict(&x).unwrap()),
    ];
    for (shapley, predicted) in pairs {
        shapley.iter().enumerate().for_each(|(at, one)| assert!(off(one, |row| predicted.get(row, at)) < 1e-4));
    }
    assert!(forest.shapley_values(&Matrix::zeros(2, 4).unwrap()).is_err());
    assert_eq!(tree.shapley_values(&Matrix::zeros(0, 5).unwrap()).unwrap()[0].rows(), 0);
}

#[test]
fn a_feature_without_a_part_has_no_shapley_value() {
    let (x, y) = data(300, 51);
    let model = GradientBoostingRegressor::default().n_estimators(20).fit(&x, &y).unwrap();
    let unused = Matrix::from_vec(300, 6, (0..300).flat_map(|row| [x.row(row), &[1.0]].concat()).collect()).unwrap();
    let wide = GradientBoostingRegressor::default().n_estimators(20).fit(&unused, &y).unwrap();
    let (a, b) = (model.shapley_values(&x).unwrap(), wide.shapley_values(&unused).unwrap());
    for row in 0..300 {
        assert_eq!(b[0].get(row, 5), 0.0);
        assert!((0..5).all(|column| a[0].get(row, column) == b[0].get(row, column)));
    }
}

#[test]
fn class_weights_are_sample_weights_of_the_classes() {
    let cancer = datasets::breast_cancer().unwrap();
    let y = cancer.labels().unwrap();
    let boosting = GradientBoostingClassifier::default().n_estimators(12);
    let counts = y.counts();
    let balanced = |code: &u32| (y.len() as f64 / (2 * counts[*code as usize]) as f64) as f32;
    let weights: Vec<f32> = y.codes().iter().map(balanced).collect();
    let by_rows = boosting.fit_with(&cancer.x, y, Fit::default().sample_weight(&weights)).unwrap();
    let by_class = boosting.clone().class_weight(ClassWeight::Balanced).fit(&cancer.x, y).unwrap();
    assert_eq!(by_class.predict_proba(&cancer.x).unwrap(), by_rows.predict_proba(&cancer.x).unwrap());
    assert_ne!(
        by_class.predict_proba(&cancer.x).unwrap(),
        boosting.fit(&cancer.x, y).unwrap().predict_proba(&cancer.x).unwrap()
    );
    let absent = ClassWeight::Given([("absent".to_string(), 2.0)].into());
    let refused = boosting.class_weight(absent).fit(&cancer.x, y);
    assert!(matches!(refused, Err(Error::Param { name: "class_weight", .. })));
}
