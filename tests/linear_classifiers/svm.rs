use gristmill::linear::{LinearSvc, LinearSvr, SvcLoss, SvrLoss};
use gristmill::prelude::*;

use super::{assert_near, two_of_iris};

fn exact(loss: SvcLoss) -> LinearSvc {
    LinearSvc::default().loss(loss).tol(1e-10).max_iter(1_000_000)
}

#[test]
fn hinge_and_squared_hinge_have_the_planes_of_liblinear() {
    let (x, y) = two_of_iris();
    let squared = exact(SvcLoss::SquaredHinge).fit(&x, &y).unwrap();
    assert!(squared.converged());
    let wanted = [-0.850_591_23, -0.986_554_92, 1.381_037_38, 1.865_120_2];
    assert_near(squared.coef().iter().copied(), &wanted, 1e-4);
    assert_near(squared.intercept().iter().copied(), &[-1.710_792_61], 1e-4);
    let hinge = exact(SvcLoss::Hinge).fit(&x, &y).unwrap();
    assert!(hinge.converged());
    let wanted = [-1.118_012_77, -1.267_080_45, 1.714_285_36, 2.434_782_9];
    assert_near(hinge.coef().iter().copied(), &wanted, 2e-3);
    let report = AnyModel::new(hinge).report();
    assert!(report.number("gap").unwrap() <= 1e-10 * report.number("objective").unwrap());
    assert!(report.number("support_vectors").unwrap() > 3.0);
}

#[test]
fn several_classes_are_each_against_the_others() {
    let iris = datasets::iris().unwrap();
    let model = exact(SvcLoss::SquaredHinge).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let wanted = [
        [0.184_244_73, 0.451_222_47, -0.807_937_24, -0.450_728_1],
        [0.055_246_12, -0.900_894_47, 0.409_233_87, -0.960_627_02],
        [-0.850_591_22, -0.986_554_94, 1.381_037_38, 1.865_120_18],
    ];
    for (class, wanted) in wanted.iter().enumerate() {
        assert_near(model.coef().row(class).iter().copied(), wanted, 1e-4);
    }
}

#[test]
fn sparse_rows_and_weights_give_what_dense_rows_and_repetitions_give() {
    let (x, y) = two_of_iris();
    let sparse = SparseMatrix::from_dense(&x).unwrap();
    for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
        let (dense, of_sparse) = (exact(loss).fit(&x, &y).unwrap(), exact(loss).fit(&sparse, &y).unwrap());
        assert!((dense.coef() - of_sparse.coef()).amax() < 1e-3, "{loss:?}");
        let weights: Vec<f32> = (0..100).map(|row| (row % 3) as f32).collect();
        let weighted = exact(loss).fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
        let rows: Vec<usize> = (0..100).flat_map(|row| vec![row; row % 3]).collect();
        let repeated = exact(loss).fit(&x.select(&rows).unwrap(), &y.select(&rows).unwrap()).unwrap();
        assert!((weighted.coef() - repeated.coef()).amax() < 5e-3, "{loss:?}");
    }
}

#[test]
fn many_rows_by_a_sample_end_where_the_dual_ends() {
    let x = crate::support::matrix(70_000, 5, 11);
    let noise = crate::support::numbers(70_000, 12);
    let code = |row: usize| u32::from(x.get(row, 0) - 0.5 * x.get(row, 3) + 0.7 * noise[row] > 0.1);
    let y = Labels::from_codes((0..70_000).map(code).collect(), vec!["a".into(), "b".into()]).unwrap();
    let newton = LinearSvc::default().c(0.01).fit(&x, &y).unwrap();
    assert!(newton.converged() && newton.iterations() < 12, "{}", newton.iterations());
    let objective = |model: &gristmill::linear::LinearSvcModel| {
        let margins = model.decision_function(&x).unwrap();
        let short = |row: usize| {
            let sign = if y.codes()[row] == 1 { 1.0 } else { -1.0 };
            (1.0 - sign * f64::from(margins.get(row, 0))).max(0.0).powi(2)
        };
        let loss: f64 = (0..70_000).map(short).sum();
        0.5 * (model.coef().norm_squared() + model.intercept()[0].powi(2)) + 0.01 * loss
    };
    let exact = LinearSvc::default().c(0.01).tol(1e-9).fit(&x, &y).unwrap();
    let (found, wanted) = (objective(&newton), objective(&exact));
    assert!(found <= wanted * (1.0 + 1e-5), "{found} for {wanted}");
}

#[test]
fn regression_has_the_planes_of_liblinear() {
    let iris = datasets::iris().unwrap();
    let x = iris.x.select_columns(&[0, 1, 2]).unwrap();
    let y: Vec<f32> = (0..150).map(|row| iris.x.get(row, 3)).collect();
    let svr = LinearSvr::default().epsilon(0.1).tol(1e-9).max_iter(1_000_000);
    let plain = svr.clone().fit(&x, &y).unwrap();
    assert!(plain.converged());
    assert_near(plain.coef().iter().copied(), &[-0.176_470_63, 0.196_078_48, 0.503_267_98], 2e-3);
    let squared = svr.loss(SvrLoss::SquaredEpsilonInsensitive).fit(&x, &y).unwrap();
    assert_near(squared.coef().iter().copied(), &[-0.188_896_58, 0.177_589_83, 0.507_463_45], 1e-4);
    assert_near(squared.intercept().iter().copied(), &[-0.135_946_88], 1e-4);
}
