//! The numbers of LIBSVM (in scikit-learn 1.9, tol 1e-5 and 1e-6) on the data sets of the crate.

use gristmill::estimator::Model;
use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::{NuSvc, NuSvr, OneClassSvm, Slack, Svc, Svr};

use super::{assert_near, standardised};

/// The first functions of the first, the middle and the last row.
fn three_rows(values: &Matrix, functions: usize) -> Vec<f32> {
    let rows = [0, values.rows() / 2, values.rows() - 1];
    rows.iter().flat_map(|row| values.row(*row)[..functions].to_vec()).collect()
}

fn rbf(gamma: f64) -> Svc {
    Svc::default().kernel(Kernel::rbf(gamma)).tol(1e-5)
}

#[test]
fn decisions_on_iris_are_those_of_libsvm() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let model = rbf(0.5).fit(&iris.x, y).unwrap();
    let expected = [1.19513, 1.18933, -0.07126, -1.11925, -0.7195, 1.56284, -0.94848, -1.0861, -0.81589];
    assert_near(&three_rows(&model.function_values(&iris.x).unwrap(), 3), &expected, 1e-3);
    assert_eq!(model.support().len(), 41);
    assert_eq!(model.score(&iris.x, y).unwrap(), 0.98);
    assert_eq!(model.pairs(), [(0, 1), (0, 2), (1, 2)]);
    let decisions = model.decision_function(&iris.x).unwrap();
    let expected = [2.23484, -0.18626, 0.82404, -0.21591, 2.24281, 0.8475, -0.22349, 1.03902, 2.21847];
    assert_near(&three_rows(&decisions, 3), &expected, 1e-3);
}

#[test]
fn decisions_on_wine_are_those_of_libsvm() {
    let wine = datasets::wine().unwrap();
    let (x, y) = (standardised(&wine), wine.labels().unwrap());
    let model = rbf(0.05).fit(&x, y).unwrap();
    let expected = [1.51223, 1.22197, 0.77737, -1.76734, 0.07703, 1.61961, -0.66701, -1.26827, -1.69161];
    assert_near(&three_rows(&model.function_values(&x).unwrap(), 3), &expected, 1e-3);
    assert_eq!(model.support().len(), 68);
    let model = NuSvc::default().nu(0.2).kernel(Kernel::rbf(0.05)).tol(1e-6).fit(&x, y).unwrap();
    let expected = [1.47155, 1.23268, 0.77549, -1.71699, 0.00469, 1.59392, -0.67276, -1.19192, -1.66113];
    assert_near(&three_rows(&model.function_values(&x).unwrap(), 3), &expected, 1e-3);
    assert!(model.support().len().abs_diff(74) <= 1);
}

#[test]
fn two_classes_have_libsvms_objective_support_vectors_and_sign() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let model = rbf(0.03).fit(&x, y).unwrap();
    assert!((model.objectives()[0] + 60.29857).abs() < 1e-3, "{}", model.objectives()[0]);
    assert_eq!(model.support().len(), 116);
    let decisions = model.decision_function(&x).unwrap();
    assert_near(&three_rows(&decisions, 1), &[1.0, -2.01617, -1.23916], 1e-3);
    let report = model.report();
    let number = |name: &str| report.number(name).unwrap();
    assert_eq!(number("support_inside") + number("support_misclassified"), 67.0);
    assert_eq!(number("support_on_margin"), 49.0);
    assert!(number("violation") <= 1e-5 && number("gap") <= 1e-5 * 60.3);
    let model = NuSvc::default().nu(0.2).kernel(Kernel::rbf(0.03)).tol(1e-6).fit(&x, y).unwrap();
    assert_near(&three_rows(&model.decision_function(&x).unwrap(), 1), &[1.0, -1.70605, -1.13551], 1e-3);
}

#[test]
fn class_weights_and_sample_weights_multiply_the_cost() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let weights: Vec<f32> = (0..x.rows()).map(|row| if row % 3 == 0 { 2.0 } else { 0.5 }).collect();
    let balanced = rbf(0.03).tol(1e-6).class_weight("balanced".parse_weight());
    let model = balanced.fit_with(&x, y, Fit::default().sample_weight(&weights)).unwrap();
    let decisions = model.decision_function(&x).unwrap();
    assert_near(&[0, 5, 100].map(|row| decisions.get(row, 0)), &[1.0, 0.86451, 0.85255], 1e-3);
    assert_eq!(model.support().len(), 128);
}

trait ParseWeight {
    fn parse_weight(&self) -> gristmill::data::ClassWeight;
}

impl ParseWeight for str {
    fn parse_weight(&self) -> gristmill::data::ClassWeight {
        serde_json::from_value(self.into()).unwrap()
    }
}

#[test]
fn other_kernels_decide_as_in_libsvm() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let cases = [
        ("linear", [11.63104, 1.85793, 1.74123]),
        ("poly(degree=3,gamma=0.05,coef0=1)", [6.98164, 1.0, 0.97162]),
        ("sigmoid(gamma=0.01,coef0=0)", [3.49777, 0.4591, 0.05344]),
    ];
    for (kernel, expected) in cases {
        let kernel: Kernel = kernel.parse().unwrap();
        let model = Svc::default().c(0.5).kernel(kernel).tol(1e-6).fit(&x, y).unwrap();
        let decisions = model.decision_function(&x).unwrap();
        assert_near(&[0, 5, 100].map(|row| decisions.get(row, 0)), &expected, 2e-3);
    }
}

#[test]
fn ten_classes_decide_as_in_libsvm() {
    let digits = datasets::digits().unwrap();
    let x: Vec<f32> = digits.x.as_slice().iter().map(|value| value / 16.0).collect();
    let x = Matrix::from_vec(digits.x.rows(), digits.x.columns(), x).unwrap();
    let y = digits.labels().unwrap();
    let model = rbf(0.03).fit(&x, y).unwrap();
    let expected = [
        1.48976, 1.46084, 1.31874, 1.4057, 1.44343, 1.58126, -0.82403, -0.71531, -1.02323, -0.14871, -0.95707,
        -0.21141, -0.28491, -0.46388, -0.65229, -0.02918, -0.47325, -0.80763,
    ];
    assert_near(&three_rows(&model.function_values(&x).unwrap(), 6), &expected, 1e-3);
    assert!((model.score(&x, y).unwrap() - 0.984_418).abs() < 1e-5);
    assert!(model.support().len().abs_diff(945) <= 2);
}

#[test]
fn numbers_are_those_of_libsvm() {
    let diabetes = datasets::diabetes().unwrap();
    let x = standardised(&diabetes);
    let values = diabetes.values().unwrap().as_slice();
    let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum::<f64>() / values.len() as f64;
    let y: Vec<f32> = values.iter().map(|value| ((f64::from(*value) - mean) / variance.sqrt()) as f32).collect();
    let chosen = |predicted: Matrix| [0, 200, 441].map(|row| predicted.get(row, 0));
    let model = Svr::default().kernel(Kernel::rbf(0.05)).tol(1e-5).fit(&x, &y).unwrap();
    assert_near(&chosen(model.predict(&x).unwrap()), &[0.86729, -0.71311, -0.99433], 1e-3);
    assert!(model.support().len().abs_diff(387) <= 1);
    assert!((model.intercept() - 0.172_664).abs() < 1e-3);
    let model = NuSvr::default().nu(0.3).kernel(Kernel::rbf(0.05)).tol(1e-5).fit(&x, &y).unwrap();
    assert_near(&chosen(model.predict(&x).unwrap()), &[0.84144, -0.627, -0.53222], 1e-3);
    assert!(model.support().len().abs_diff(152) <= 1);
}

#[test]
fn one_class_is_that_of_libsvm() {
    let iris = datasets::iris().unwrap();
    let model = OneClassSvm::default().nu(0.1).kernel(Kernel::rbf(0.5)).tol(1e-5).fit(&iris.x).unwrap();
    let decisions = model.decision_function(&iris.x).unwrap();
    assert_near(&[0, 75, 149].map(|row| decisions.get(row, 0)), &[0.349285, 0.120071, 0.475513], 1e-3);
    assert_eq!(model.support().len(), 21);
    let outliers = model.predict(&iris.x).unwrap().iter().filter(|side| **side < 0).count();
    // LIBSVM counts 16: rows on the boundary fall to either side by rounding. Here they are no outliers beyond the share of 15.
    assert!((12..=15).contains(&outliers), "{outliers} outliers");
}

#[test]
fn a_square_of_slack_is_a_ridge_on_the_kernel_matrix() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let (x, y) = (x.select(&(0..120).collect::<Vec<_>>()).unwrap(), y.select(&(0..120).collect::<Vec<_>>()).unwrap());
    let kernel = Kernel::rbf(0.03);
    let c = 2.0;
    let model = rbf(0.03).c(c).slack(Slack::L2).fit(&x, &y).unwrap();
    // The hard margin on K + I/(2c) is the same problem.
    let n = x.rows();
    let mut ridged = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..n {
            let value = kernel.value(x.row(row), x.row(column)).unwrap();
            ridged[row * n + column] = (value + if row == column { 0.5 / c } else { 0.0 }) as f32;
        }
    }
    let ridged = Matrix::from_vec(n, n, ridged).unwrap();
    let hard = Svc::default().kernel(Kernel::Precomputed).slack(Slack::Hard).tol(1e-5).fit(&ridged, &y).unwrap();
    assert!((model.objectives()[0] / hard.objectives()[0] - 1.0).abs() < 1e-4);
    assert!((model.intercept()[0] - hard.intercept()[0]).abs() < 1e-3);
}
