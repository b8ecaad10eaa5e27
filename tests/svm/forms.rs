//! What every solution must fulfil: conditions, gap, representer identity, agreement of ways to the same thing.

use gristmill::estimator::Model;
use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::{MultiClass, NuSvc, OneClassSvm, Slack, Svc, Svr};

use super::{assert_near, standardised};

#[test]
fn rows_computed_on_demand_give_what_the_whole_matrix_gives() {
    let data = datasets::moons(1500, 0.25, 5).unwrap();
    let y = data.labels().unwrap();
    let svc = Svc::default().kernel(Kernel::rbf(1.0)).c(5.0).tol(1e-4);
    let whole = svc.fit(&data.x, y).unwrap();
    let by_rows = svc.clone().cache_size(0.5).fit(&data.x, y).unwrap();
    let [first, second] = [&whole, &by_rows].map(|model| model.decision_function(&data.x).unwrap());
    assert_near(first.as_slice(), second.as_slice(), 2e-3);
    assert!((whole.objectives()[0] / by_rows.objectives()[0] - 1.0).abs() < 1e-5);
    let report = by_rows.report();
    assert!(report.number("cache_hits").unwrap() > 0.0 && report.number("cache_misses").unwrap() > 0.0);
    assert!(whole.converged() && by_rows.converged());
    assert_eq!(whole.report().number("kernel_evaluations"), Some(1500.0 * 1501.0 / 2.0));
}

#[test]
fn numbers_and_one_class_by_rows_give_what_the_whole_matrix_gives() {
    let data = datasets::moons(900, 0.2, 6).unwrap();
    let y: Vec<f32> = (0..900).map(|row| data.x.get(row, 0).sin() + 0.3 * data.x.get(row, 1)).collect();
    let svr = Svr::default().kernel(Kernel::rbf(1.0)).epsilon(0.02).tol(1e-4);
    let models = [svr.clone(), svr.cache_size(0.3)].map(|svr| svr.fit(&data.x, &y).unwrap());
    let [first, second] = [0, 1].map(|at| models[at].predict(&data.x).unwrap());
    assert_near(first.as_slice(), second.as_slice(), 2e-3);
    let one = OneClassSvm::default().nu(0.2).kernel(Kernel::rbf(2.0)).tol(1e-4);
    let models = [one.clone(), one.cache_size(0.3)].map(|one| one.fit(&data.x).unwrap());
    assert!((models[0].objective() / models[1].objective() - 1.0).abs() < 1e-5);
    let classes = NuSvc::default().nu(0.2).kernel(Kernel::rbf(1.0)).tol(1e-5);
    let models =
        [classes.clone(), classes.cache_size(0.3)].map(|one| one.fit(&data.x, data.labels().unwrap()).unwrap());
    let [first, second] = [0, 1].map(|at| models[at].decision_function(&data.x).unwrap());
    assert_near(first.as_slice(), second.as_slice(), 5e-3);
}

#[test]
fn a_precomputed_kernel_gives_what_the_kernel_gives() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    // Classes in turns, so that the order of the rows matters.
    let order: Vec<usize> = (0..150).map(|row| (row % 3) * 50 + row / 3).collect();
    let (x, y) = (iris.x.select(&order).unwrap(), y.select(&order).unwrap());
    let kernel = Kernel::rbf(0.5);
    let mut stream = Device::Cpu.stream();
    let gram = kernel.symmetric_matrix(&mut stream, &x.to(&Device::Cpu).unwrap()).unwrap();
    let gram = gram.to_matrix(&mut stream).unwrap();
    let by_kernel = Svc::default().kernel(kernel).fit(&x, &y).unwrap();
    let given = Svc::default().kernel(Kernel::Precomputed).fit(&gram, &y).unwrap();
    assert_eq!(given.support(), by_kernel.support());
    let [first, second] = [by_kernel.function_values(&x).unwrap(), given.function_values(&gram).unwrap()];
    assert_near(first.as_slice(), second.as_slice(), 1e-4);
    let function = Kernel::function("gaussian", |x, y| {
        (-0.5 * x.iter().zip(y).map(|(x, y)| f64::from(x - y).powi(2)).sum::<f64>()).exp()
    });
    let closure = Svc::default().kernel(function).fit(&x, &y).unwrap();
    assert_near(closure.function_values(&x).unwrap().as_slice(), first.as_slice(), 1e-3);
}

#[test]
fn sparse_rows_give_what_dense_ones_give() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let sparse = SparseMatrix::from_dense(&x).unwrap();
    let svc = Svc::default();
    let [dense, from_sparse] = [svc.fit(&x, y).unwrap(), svc.fit(&sparse, y).unwrap()];
    assert_eq!(dense.to_bytes().unwrap(), from_sparse.to_bytes().unwrap());
    let [first, second] = [dense.decision_function(&x).unwrap(), dense.decision_function(&sparse).unwrap()];
    assert_eq!(first, second);
}

#[test]
fn a_hard_margin_keeps_every_row_outside_and_its_width_is_that_of_the_weights() {
    let data = datasets::blobs(60, 2, 2, 4).unwrap();
    let y = data.labels().unwrap();
    let hard = Svc::default().slack(Slack::Hard).kernel(Kernel::Linear).tol(1e-6).fit(&data.x, y).unwrap();
    let values = hard.function_values(&data.x).unwrap();
    let margins = |row: usize| values.get(row, 0) * if y.codes()[row] == 0 { 1.0 } else { -1.0 };
    assert!((0..60).all(|row| margins(row) > 1.0 - 1e-3));
    // w = Σ coef·row for the linear kernel.
    let (vectors, coef) = (hard.support_vectors(), hard.dual_coef());
    let mut w = [0.0_f64; 2];
    for row in 0..vectors.rows() {
        (0..2).for_each(|column| w[column] += f64::from(coef.get(row, 0) * vectors.get(row, column)));
    }
    let margin = 2.0 / (w[0] * w[0] + w[1] * w[1]).sqrt();
    assert!((hard.report().number("margin").unwrap() / margin - 1.0).abs() < 1e-3);
    assert!(hard.report().number("gap").unwrap() <= 1e-3 * hard.objectives()[0].abs().max(1.0));
    assert_eq!(hard.report().number("support_on_margin"), Some(hard.support().len() as f64));
}

#[test]
fn one_versus_rest_has_a_function_for_each_class() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let model = Svc::default().multi_class(MultiClass::OneVersusRest).fit(&iris.x, y).unwrap();
    let decisions = model.decision_function(&iris.x).unwrap();
    assert_eq!((decisions.columns(), model.intercept().len()), (3, 3));
    assert!(model.score(&iris.x, y).unwrap() >= 0.95);
    // The function of a class is that of the class against all others.
    let codes: Vec<u32> = y.codes().iter().map(|code| u32::from(*code == 1)).collect();
    let two = Svc::default().fit(&iris.x, &Labels::from(&codes[..])).unwrap();
    assert_near(&decisions.column(1), &two.decision_function(&iris.x).unwrap().column(0), 2e-3);
}

#[test]
fn a_saved_model_predicts_the_same() {
    let wine = datasets::wine().unwrap();
    let (x, y) = (standardised(&wine), wine.labels().unwrap());
    let model = Svc::default().fit(&x, y).unwrap();
    let again = gristmill::svm::SvcModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.decision_function(&x).unwrap(), model.decision_function(&x).unwrap());
    assert_eq!(again.report(), model.report());
}

#[test]
fn weights_of_zero_are_rows_that_are_not_there() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let kept: Vec<usize> = (0..150).filter(|row| row % 5 != 0).collect();
    let weights: Vec<f32> = (0..150).map(|row| if row % 5 == 0 { 0.0 } else { 1.0 }).collect();
    let svc = Svc::default().kernel(Kernel::rbf(0.5)).tol(1e-5);
    let weighted = svc.fit_with(&iris.x, y, Fit::default().sample_weight(&weights)).unwrap();
    let fewer = svc.fit(&iris.x.select(&kept).unwrap(), &y.select(&kept).unwrap()).unwrap();
    let values = [&weighted, &fewer].map(|model| model.function_values(&iris.x).unwrap());
    assert_near(values[0].as_slice(), values[1].as_slice(), 1e-3);
}

#[test]
fn a_small_budget_is_kept_with_more_rows_than_it_has_room_for() {
    // The twin of 100,000 rows under 64 MiB: 1 MiB holds 43 of these rows, the matrix would take 137.
    let data = datasets::blobs(6000, 20, 8, 1).unwrap();
    let codes: Vec<u32> = data.labels().unwrap().codes().iter().map(|code| code % 2).collect();
    let y = Labels::from(&codes[..]);
    let svc = Svc::default().kernel(Kernel::rbf(0.02)).tol(1e-4);
    let [small, large] = [1.0, 64.0].map(|cache| svc.clone().cache_size(cache).fit(&data.x, &y).unwrap());
    assert!(small.converged() && large.converged());
    assert!((small.objectives()[0] / large.objectives()[0] - 1.0).abs() < 1e-5);
    let [first, second] = [&small, &large].map(|model| model.decision_function(&data.x).unwrap());
    assert_near(first.as_slice(), second.as_slice(), 2e-3);
    // Far fewer kernel values than the matrix has.
    let evaluations = small.report().number("kernel_evaluations").unwrap();
    assert!(evaluations < 6000.0 * 6000.0, "{evaluations}");
}

#[test]
fn variables_that_rest_are_left_out_and_come_back_right() {
    // A hard problem with many rounds: large costs and noise.
    let data = datasets::moons(5000, 0.3, 5).unwrap();
    let y = data.labels().unwrap();
    let svc = Svc::default().kernel(Kernel::rbf(2.0)).c(100.0).tol(1e-3);
    let by_rows = svc.fit(&data.x, y).unwrap();
    assert!(by_rows.converged());
    assert!(by_rows.report().number("violation").unwrap() <= 1e-3);
    let gram = Kernel::rbf(2.0);
    let mut stream = Device::Cpu.stream();
    let gram = gram.symmetric_matrix(&mut stream, &data.x.to(&Device::Cpu).unwrap()).unwrap();
    let whole = svc.clone().kernel(Kernel::Precomputed).fit(&gram.to_matrix(&mut stream).unwrap(), y).unwrap();
    assert!((by_rows.objectives()[0] / whole.objectives()[0] - 1.0).abs() < 1e-5);
    let course = by_rows.report().curve("objective").to_vec();
    assert!(course.is_sorted_by(|before, after| *after <= before + 1e-6 * before.abs()), "{course:?}");
}
