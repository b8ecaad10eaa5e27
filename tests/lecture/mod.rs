//! The small learners of the first lecture.

use gristmill::datasets::{self, notes};
use gristmill::lecture::{
    CoinPosterior, Memoriser, QuantisedPrediction, QuantisedRegressor, RandomCircles, Shape, ShapeClassifier,
};
use gristmill::prelude::*;
use gristmill::selection::{Folds, Scoring, iteration_curve, validation_curve};

#[test]
fn a_memoriser_is_right_on_what_it_has_seen_and_nowhere_else() {
    let (seen, new) = (notes::rectangle(50, 0).unwrap(), notes::rectangle(500, 1).unwrap());
    let model = Memoriser::default().fit(&seen.x, seen.labels().unwrap()).unwrap();
    assert_eq!(model.score(&seen.x, seen.labels().unwrap()).unwrap(), 1.0);
    let share = new.labels().unwrap().counts()[0] as f64 / 500.0;
    assert_eq!(model.score(&new.x, new.labels().unwrap()).unwrap(), share); // always the first class
    // Equal rows: the first one decides.
    let x = Matrix::from_rows(&[[0.0], [-0.0], [1.0]]).unwrap();
    let model = Memoriser::default().fit(&x, &Labels::from(&[1_u32, 0, 0][..])).unwrap();
    assert_eq!(model.predict(&x).unwrap().codes(), [1, 1, 0]);
}

#[test]
fn the_best_of_many_circles_is_kept_and_its_error_is_partly_luck() {
    let (train, test) = (notes::rectangle(50, 0).unwrap(), notes::rectangle(50, 6).unwrap());
    let fit = Fit::default().validation(&test.x, test.labels().unwrap());
    let model = RandomCircles::default().fit_with(&train.x, train.labels().unwrap(), fit).unwrap();
    let (own, other) = (model.train_errors(), model.validation_errors());
    assert_eq!((own.len(), other.len()), (100, 100));
    let least = own.iter().copied().fold(1.0, f64::min);
    assert!((1.0 - model.score(&train.x, train.labels().unwrap()).unwrap() - least).abs() < 1e-9);
    assert!(least < 0.35, "{least}");
    // Both errors of a draw go together; of 50 rows each they are still too coarse to say how much.
    let (train, test) = (notes::rectangle(400, 0).unwrap(), notes::rectangle(400, 6).unwrap());
    let fit = Fit::default().validation(&test.x, test.labels().unwrap());
    let many = RandomCircles::default().fit_with(&train.x, train.labels().unwrap(), fit).unwrap();
    let (own, other) = (many.train_errors(), many.validation_errors());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / 100.0;
    let (a, b) = (mean(own), mean(other));
    let covariance = own.iter().zip(other).map(|(x, y)| (x - a) * (y - b)).sum::<f64>();
    let variances =
        own.iter().map(|x| (x - a).powi(2)).sum::<f64>() * other.iter().map(|y| (y - b).powi(2)).sum::<f64>();
    let correlation = covariance / variances.sqrt();
    assert!(correlation > 0.6, "{correlation}");
    let again = RandomCircles::default().seed(1).fit(&train.x, train.labels().unwrap()).unwrap();
    assert_ne!(again.centre(), model.centre());
    assert!(again.radius() > 0.0);
}

#[test]
fn gradient_steps_find_the_rectangle() {
    let (train, test) = (notes::rectangle(50, 0).unwrap(), notes::rectangle(500, 9).unwrap());
    for (shape, least) in [(Shape::Rectangle, 0.8), (Shape::Ellipse, 0.75)] {
        let one = ShapeClassifier::default().shape(shape).max_iter(2000);
        let model = one.clone().n_init(10).fit(&train.x, train.labels().unwrap()).unwrap();
        let losses = model.train_losses();
        assert!(losses.len() == 2000 && losses[1999] < losses[0]);
        let right = model.score(&test.x, test.labels().unwrap()).unwrap();
        assert!(right > least, "{shape:?}: {right}");
        // More starts are never worse to the fitted rows.
        let alone = one.fit(&train.x, train.labels().unwrap()).unwrap();
        assert!(losses[1999] <= alone.train_losses()[1999]);
    }
    let wild = ShapeClassifier::default().learning_rate(50.0).fit(&train.x, train.labels().unwrap());
    assert!(wild.unwrap_err().to_string().contains("learning_rate"));
}

#[test]
fn the_number_of_steps_can_be_cross_validated() {
    let data = notes::rectangle(100, 4).unwrap();
    let pipeline = Pipeline::new(ShapeClassifier::default().max_iter(600));
    let curve = iteration_curve(&pipeline, &data, &Folds::shuffle(10, 0.8)).unwrap();
    assert_eq!((curve.train.len(), curve.validation.len()), (600, 600));
    assert!(curve.train[599].mean < curve.train[0].mean);
    assert!(curve.validation.iter().all(|sample| sample.count == 10));
    assert!(curve.best() > 10);
}

#[test]
fn k_is_chosen_by_validation() {
    let data = notes::rectangle(100, 4).unwrap();
    let values: Vec<serde_json::Value> = (1..30).map(serde_json::Value::from).collect();
    let knn = Pipeline::new(KNeighborsClassifier::default());
    let curve = validation_curve(&knn, &data, &Folds::shuffle(10, 0.8), "n_neighbors", &values).unwrap();
    assert_eq!(curve.scoring, Scoring::Accuracy);
    assert_eq!(curve.train[0].mean, 1.0); // k = 1 alone has no training error
    let best = curve.test.iter().map(|sample| sample.mean).fold(0.0, f64::max);
    assert!(best >= curve.test[28].mean + 0.05);
}

#[test]
fn intervals_of_the_target_can_be_classified() {
    let (train, test) = datasets::diabetes().unwrap().split(0.7, 1).unwrap();
    let score = |regressor: QuantisedRegressor| {
        regressor.fit(&train.x, train.values().unwrap()).unwrap().score(&test.x, test.values().unwrap()).unwrap()
    };
    let expected = score(QuantisedRegressor::default());
    let likely = score(QuantisedRegressor::default().prediction(QuantisedPrediction::MostLikely));
    assert!(expected > 0.3 && expected > likely, "{expected} and {likely}");
    // Two values of the target are two intervals, which a tree finds.
    let x = Matrix::from_vec(20, 1, (0..20).map(|row| row as f32).collect()).unwrap();
    let y: Vec<f32> = (0..20).map(|row| if row < 10 { -5.0 } else { 7.0 }).collect();
    let tree = AnyEstimator::new(DecisionTreeClassifier::default());
    let model = QuantisedRegressor::default().classifier(tree).fit(&x, &y).unwrap();
    assert_eq!(model.centres(), [-5.0, 7.0]);
    assert_eq!(model.predict(&x).unwrap().column(0), y);
    let regressor = AnyEstimator::new(Ridge::new(1.0));
    assert!(QuantisedRegressor::default().classifier(regressor).fit(&x, &y).is_err());
}

#[test]
fn a_coin_is_learnt_flip_by_flip() {
    let prior = CoinPosterior::new(1.0, 1.0).unwrap();
    let mut one_by_one = prior;
    for flip in [true, true, false, true] {
        one_by_one = one_by_one.flipped(u32::from(flip), u32::from(!flip));
    }
    assert_eq!(one_by_one, prior.flipped(3, 1));
    assert_eq!(one_by_one.mode(), Some(0.75)); // the share of heads
    assert!((one_by_one.mean() - 4.0 / 6.0).abs() < 1e-15);
    assert!(prior.flipped(300, 100).variance() < one_by_one.variance());
    assert_eq!(prior.mode(), None);
    let fair = |heads, tails| CoinPosterior::probability_of_fair(0.5, 1.0, heads, tails).unwrap();
    assert_eq!(fair(0, 0), 0.5);
    assert!((fair(10, 0) - 1.0 / 1025.0).abs() < 1e-15);
    assert!(CoinPosterior::new(0.0, 1.0).is_err());
    assert!(CoinPosterior::probability_of_fair(0.0, 1.0, 0, 1).is_err());
    assert!(CoinPosterior::probability_of_fair(1.5, 1.0, 0, 1).is_err());
    assert!(CoinPosterior::figure(&[("before", prior), ("after", one_by_one)]).to_svg().contains(">after<"));
}
