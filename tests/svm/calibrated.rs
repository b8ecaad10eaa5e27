//! Probabilities from scores.

use gristmill::ensemble::{Calibrated, CalibratedModel, CalibrationMethod};
use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::Svc;

use super::standardised;

const METHODS: [CalibrationMethod; 3] =
    [CalibrationMethod::Sigmoid, CalibrationMethod::Isotonic, CalibrationMethod::Temperature];

/// The mean of −ln of the probability of each row's class.
fn log_loss(model: &CalibratedModel, x: &Matrix, y: &Labels) -> f64 {
    let probabilities = model.predict_proba(x).unwrap();
    let of = |row: usize| -f64::from(probabilities.get(row, y.codes()[row] as usize)).max(1e-6).ln();
    (0..x.rows()).map(of).sum::<f64>() / x.rows() as f64
}

#[test]
fn probabilities_sum_to_one_and_agree_with_how_often_the_class_is_right() {
    let (train, test) = datasets::moons(1200, 0.35, 2).unwrap().split(0.5, 1).unwrap();
    let (x, y) = (&train.x, train.labels().unwrap());
    for method in METHODS {
        let model = Calibrated::default().method(method).fit(x, y).unwrap();
        assert_eq!(model.members().len(), 5);
        let probabilities = model.predict_proba(&test.x).unwrap();
        let y = test.labels().unwrap();
        let mut bins = [(0.0_f64, 0.0_f64, 0); 5];
        for row in 0..test.x.rows() {
            assert!((probabilities.row(row).iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let second = f64::from(probabilities.get(row, 1));
            let bin = &mut bins[((second * 5.0) as usize).min(4)];
            *bin = (bin.0 + second, bin.1 + f64::from(y.codes()[row]), bin.2 + 1);
        }
        // The mean over rows: a bin of forty rows alone is off by 0.2 now and then, in scikit-learn too.
        let rows = test.x.rows() as f64;
        let apart: f64 = bins.iter().map(|(told, seen, _)| (told - seen).abs() / rows).sum();
        assert!(apart < 0.08, "{method:?}: probabilities and classes are {apart} apart: {bins:?}");
        assert!(log_loss(&model, &test.x, y) < 0.45, "{method:?}");
    }
}

#[test]
fn three_classes_are_calibrated_and_saved() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    for method in METHODS {
        let model = Calibrated::default().method(method).ensemble(false).fit(&iris.x, y).unwrap();
        assert_eq!(model.members().len(), 1);
        assert!(model.score(&iris.x, y).unwrap() > 0.93, "{method:?}");
        assert!(log_loss(&model, &iris.x, y) < 0.3, "{method:?}");
        let again = CalibratedModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict_proba(&iris.x).unwrap(), model.predict_proba(&iris.x).unwrap());
    }
}

#[test]
fn held_out_rows_calibrate_one_classifier() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let (even, odd): (Vec<usize>, Vec<usize>) = (0..x.rows()).partition(|row| row % 2 == 0);
    let [train, held] = [&even, &odd].map(|rows| (x.select(rows).unwrap(), y.select(rows).unwrap()));
    let svc = AnyEstimator::new(Svc::default().kernel(Kernel::rbf(0.03)).tol(1e-6));
    // scikit-learn 1.9: CalibratedClassifierCV around the frozen classifier, the second class of rows 0, 60, 101 and the last.
    let expected =
        [[0.98658, 0.03983, 0.01527, 0.02536], [1.0, 0.02941, 0.0, 0.02941], [0.97573, 0.01377, 0.00487, 0.00843]];
    for (method, expected) in METHODS.into_iter().zip(expected) {
        let options = Fit::default().validation(&held.0, &held.1);
        let model = Calibrated::new(svc.clone()).method(method).fit_with(&train.0, &train.1, options).unwrap();
        assert_eq!(model.members().len(), 1);
        assert!(log_loss(&model, &held.0, &held.1) < 0.12, "{method:?}");
        let probabilities = model.predict_proba(&x).unwrap();
        let found = [0, 60, 101, x.rows() - 1].map(|row| probabilities.get(row, 1));
        super::assert_near(&found, &expected, 2e-3);
    }
}

#[test]
fn a_classifier_without_scores_is_refused() {
    let iris = datasets::iris().unwrap();
    let wrong = Calibrated::new(AnyEstimator::new(Ridge::default()));
    assert!(matches!(wrong.fit(&iris.x, iris.labels().unwrap()), Err(Error::Param { .. })));
    // Probabilities are scores too.
    let trees = Calibrated::new(AnyEstimator::new(RandomForestClassifier::default().n_estimators(20)));
    let model = trees.fit(&iris.x, iris.labels().unwrap()).unwrap();
    assert!(log_loss(&model, &iris.x, iris.labels().unwrap()) < 0.4);
}
