//! Edge sizes, strange rows, parameters that cannot be.

use gristmill::estimator::{Flow, Model, Report};
use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::{NuSvc, OneClassSvm, Slack, Svc, Svr};

fn two_rows() -> (Matrix, Labels) {
    (Matrix::from_rows(&[[0.0], [1.0]]).unwrap(), Labels::from(&[0_u32, 1][..]))
}

#[test]
fn one_class_alone_is_an_error() {
    let (x, _) = two_rows();
    let error = Svc::default().fit(&x, &Labels::from(&[3_u32, 3][..])).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    assert!(error.to_string().contains("two classes"), "{error}");
}

#[test]
fn costs_that_are_not_positive_are_errors() {
    let (x, y) = two_rows();
    for c in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(matches!(Svc::default().c(c).fit(&x, &y), Err(Error::Param { .. })));
    }
    assert!(matches!(OneClassSvm::default().c(0.1).fit(&x), Err(Error::Param { .. })));
}

#[test]
fn a_nu_that_the_classes_do_not_allow_says_what_they_allow() {
    let x = Matrix::from_vec(10, 1, (0..10).map(|at| at as f32).collect()).unwrap();
    let y = Labels::from(&[0_u32, 0, 1, 1, 1, 1, 1, 1, 1, 1][..]);
    let error = NuSvc::default().nu(0.5).fit(&x, &y).unwrap_err();
    assert!(matches!(error, Error::Param { .. }) && error.to_string().contains("0.4"), "{error}");
    assert!(NuSvc::default().nu(0.39).fit(&x, &y).is_ok());
}

#[test]
fn identical_rows_with_opposite_labels_converge() {
    let x = Matrix::from_vec(6, 2, vec![1.0; 12]).unwrap();
    let y = Labels::from(&[0_u32, 1, 0, 1, 0, 1][..]);
    let model = Svc::default().kernel(Kernel::rbf(1.0)).fit(&x, &y).unwrap();
    assert!(model.converged());
    assert_eq!(model.support().len(), 6);
    assert!(model.decision_function(&x).unwrap().as_slice().iter().all(|value| value.abs() <= 1.0 + 1e-3));
}

#[test]
fn a_hard_margin_that_is_not_there_ends_at_its_steps() {
    let x = Matrix::from_vec(4, 1, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
    let y = Labels::from(&[0_u32, 1, 0, 1][..]);
    let model = Svc::default().slack(Slack::Hard).kernel(Kernel::Linear).max_iter(1000).fit(&x, &y).unwrap();
    assert!(!model.converged());
}

#[test]
fn columns_of_a_million_converge_or_say_that_they_did_not() {
    let moons = datasets::moons(100, 0.1, 2).unwrap();
    let wide: Vec<f32> = moons.x.as_slice().iter().map(|value| value * 1e6).collect();
    let x = Matrix::from_vec(100, 2, wide).unwrap();
    let y = moons.labels().unwrap();
    let model = Svc::default().fit(&x, y).unwrap();
    assert!(model.converged() && model.score(&x, y).unwrap() > 0.8);
    // Products of 1e12 are beyond what costs of 1 can settle: it ends, and says so.
    let linear = Svc::default().kernel(Kernel::Linear).max_iter(20_000).fit(&x, y).unwrap();
    assert!(!linear.converged() && linear.report().number("violation").unwrap() > 1e-3);
}

#[test]
fn the_smallest_data_are_fitted() {
    let (x, y) = two_rows();
    let model = Svc::default().kernel(Kernel::Linear).c(100.0).fit(&x, &y).unwrap();
    let values = model.decision_function(&x).unwrap();
    assert!((values.get(0, 0) + 1.0).abs() < 1e-3 && (values.get(1, 0) - 1.0).abs() < 1e-3);
    let one = Matrix::from_rows(&[[2.0]]).unwrap();
    assert_eq!(OneClassSvm::default().fit(&one).unwrap().predict(&one).unwrap().len(), 1);
    let flat = Svr::default().fit(&one, &[3.0]).unwrap();
    assert!((flat.predict(&one).unwrap().get(0, 0) - 3.0).abs() <= 0.1 + 1e-3);
}

#[test]
fn steps_that_run_out_are_reported() {
    let moons = datasets::moons(200, 0.3, 1).unwrap();
    let model = Svc::default().max_iter(5).fit(&moons.x, moons.labels().unwrap()).unwrap();
    assert!(!model.converged());
    assert_eq!(model.iterations(), 5);
    assert!(model.report().number("violation").unwrap() > 1e-3);
}

#[test]
fn two_columns_of_targets_are_refused() {
    let x = Matrix::from_rows(&[[0.0], [1.0]]).unwrap();
    let y = Matrix::from_rows(&[[0.0, 1.0], [1.0, 2.0]]).unwrap();
    assert!(matches!(Svr::default().fit(&x, &y), Err(Error::Shape { .. })));
}

#[test]
fn an_observer_can_end_a_fit() {
    let iris = datasets::iris().unwrap();
    let mut stop = |_: &Report| Flow::Stop;
    let options = Fit::default().observer(&mut stop);
    assert!(matches!(Svc::default().fit_with(&iris.x, iris.labels().unwrap(), options), Err(Error::Stopped { .. })));
}
