use gristmill::linear::{
    LearningRate, LogisticRegression, SgdClassifier, SgdClassifierModel, SgdLoss, SgdPenalty, SgdRegressor,
};
use gristmill::prelude::*;

use super::{scaled, two_of_iris};

const OF_CLASSES: [SgdLoss; 6] = [
    SgdLoss::Hinge,
    SgdLoss::LogLoss,
    SgdLoss::ModifiedHuber,
    SgdLoss::SquaredHinge,
    SgdLoss::Perceptron,
    SgdLoss::Exponential,
];

const OF_NUMBERS: [SgdLoss; 7] = [
    SgdLoss::SquaredError,
    SgdLoss::AbsoluteError,
    SgdLoss::Minkowski,
    SgdLoss::Huber,
    SgdLoss::Quantile,
    SgdLoss::EpsilonInsensitive,
    SgdLoss::SquaredEpsilonInsensitive,
];

#[test]
fn every_loss_learns_classes() {
    let (x, y) = two_of_iris();
    let x = scaled(&x);
    for loss in OF_CLASSES.into_iter().chain([SgdLoss::SquaredError]) {
        let sgd = SgdClassifier::default().loss(loss).alpha(0.01).seed(1);
        let rate = if loss == SgdLoss::Exponential { LearningRate::InvScaling } else { LearningRate::Optimal };
        let model = sgd.learning_rate(rate).fit(&x, &y).unwrap();
        let score = model.score(&x, &y).unwrap();
        assert!(score >= 0.9, "{loss:?}: {score}");
    }
}

#[test]
fn every_loss_learns_numbers() {
    let x = crate::support::matrix(500, 3, 21);
    let noise = crate::support::numbers(500, 22);
    let y: Vec<f32> = (0..500).map(|row| 2.0 * x.get(row, 0) - x.get(row, 1) + 0.5 + 0.05 * noise[row]).collect();
    for loss in OF_NUMBERS {
        let sgd = SgdRegressor::default().loss(loss).alpha(0.0).epsilon(0.01).eta0(0.05);
        let sgd = sgd.tol(1e-7).max_iter(300).seed(2);
        let model = sgd.fit(&x, &y).unwrap();
        let off = (model.coef()[(0, 0)] - 2.0).abs().max((model.coef()[(0, 1)] + 1.0).abs());
        assert!(off < 0.05, "{loss:?}: {}", model.coef());
        assert!((model.intercept()[0] - 0.5).abs() < 0.05, "{loss:?}");
    }
    let refused = SgdRegressor::default().loss(SgdLoss::Hinge).fit(&x, &y);
    assert!(matches!(refused, Err(Error::Param { .. })));
}

#[test]
fn the_logistic_loss_comes_near_the_optimum_of_logistic_regression() {
    let (x, y) = two_of_iris();
    let x = scaled(&x);
    // alpha·½‖w‖² + mean loss: C = 1/(n·alpha).
    let exact = LogisticRegression::default().c(1.0 / (100.0 * 0.01)).tol(1e-9).fit(&x, &y).unwrap();
    let sgd = SgdClassifier::default().loss(SgdLoss::LogLoss).alpha(0.01).average(1).tol(1e-6).max_iter(2000);
    let model = sgd.fit(&x, &y).unwrap();
    let objective = |coef: &nalgebra::DMatrix<f64>, intercept: f64| {
        let loss = |row: usize| {
            let score: f64 =
                x.row(row).iter().zip(coef.iter()).map(|(x, w)| f64::from(*x) * w).sum::<f64>() + intercept;
            (1.0 + (if y.codes()[row] == 1 { -score } else { score }).exp()).ln()
        };
        (0..100).map(loss).sum::<f64>() / 100.0 + 0.005 * coef.norm_squared()
    };
    let found = objective(model.coef(), model.intercept()[0]);
    let least = objective(exact.coef(), exact.intercept()[0]);
    assert!(found - least < 0.01 * least, "{found} for {least}");
}

#[test]
fn l1_leaves_zeros_and_l2_shrinks() {
    let x = crate::support::matrix(400, 10, 23);
    let y: Vec<f32> = (0..400).map(|row| 3.0 * x.get(row, 2)).collect();
    let sgd = SgdRegressor::default().alpha(0.05).eta0(0.02).tol(1e-6);
    let lasso = sgd.clone().penalty(SgdPenalty::L1).fit(&x, &y).unwrap();
    let zeros = lasso.coef().iter().filter(|value| **value == 0.0).count();
    assert!(zeros >= 6 && lasso.coef()[(0, 2)] > 2.0, "{}", lasso.coef());
    let net = sgd.clone().penalty(SgdPenalty::ElasticNet).l1_ratio(0.5).fit(&x, &y).unwrap();
    assert!(net.coef()[(0, 2)] < lasso.coef()[(0, 2)] + 0.2);
    let plain = sgd.penalty(SgdPenalty::None).fit(&x, &y).unwrap();
    assert!((plain.coef()[(0, 2)] - 3.0).abs() < 0.05);
}

#[test]
fn sparse_rows_give_what_dense_ones_give() {
    let (x, y) = two_of_iris();
    let sparse = SparseMatrix::from_dense(&x).unwrap();
    for penalty in [SgdPenalty::L2, SgdPenalty::L1, SgdPenalty::ElasticNet] {
        let sgd = SgdClassifier::default().penalty(penalty).average(10).max_iter(5).tol(None).eta0(0.001);
        let sgd = sgd.learning_rate(LearningRate::Constant);
        let (dense, of_sparse) = (sgd.fit(&x, &y).unwrap(), sgd.fit(&sparse, &y).unwrap());
        assert!((dense.coef() - of_sparse.coef()).amax() < 1e-9, "{penalty:?}");
    }
}

#[test]
fn averages_are_means_of_the_planes_after_each_step() {
    // One column, constant rate, no shuffle: followed by hand.
    let x = Matrix::from_rows(&[[1.0], [2.0], [-1.0]]).unwrap();
    let y = [1.0_f32, 3.0, 0.0];
    let sgd = SgdRegressor::default().learning_rate(LearningRate::Constant).eta0(0.1).alpha(0.1);
    let model = sgd.shuffle(false).average(1).max_iter(2).tol(None).fit(&x, &y).unwrap();
    let (mut w, mut b, mut sums) = (0.0_f64, 0.0_f64, [0.0_f64; 2]);
    for _ in 0..2 {
        for (x, y) in [(1.0, 1.0), (2.0, 3.0), (-1.0, 0.0)] {
            let error: f64 = w * x + b - y;
            w = w * (1.0 - 0.1 * 0.1) - 0.1 * error * x;
            b -= 0.1 * error;
            sums = [sums[0] + w, sums[1] + b];
        }
    }
    assert!((model.coef()[(0, 0)] - sums[0] / 6.0).abs() < 1e-12, "{} for {}", model.coef(), sums[0] / 6.0);
    assert!((model.intercept()[0] - sums[1] / 6.0).abs() < 1e-12);
}

#[test]
fn chunks_give_what_one_pass_in_their_order_gives_also_through_a_file() {
    let (x, y) = two_of_iris();
    let x = scaled(&x);
    let order: Vec<usize> = (0..100).map(|at| at * 37 % 100).collect();
    let (x, y) = (x.select(&order).unwrap(), y.select(&order).unwrap());
    let sgd = SgdClassifier::default().penalty(SgdPenalty::ElasticNet).average(5);
    let whole = sgd.clone().shuffle(false).max_iter(1).tol(None).fit(&x, &y).unwrap();
    let mut model: Option<SgdClassifierModel> = None;
    for rows in [0..30, 30..31, 31..100] {
        let rows: Vec<usize> = rows.collect();
        let before = model.map(|model| SgdClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap());
        model = Some(sgd.partial_fit(before, &x.select(&rows).unwrap(), &y.select(&rows).unwrap()).unwrap());
    }
    let model = model.unwrap();
    assert_eq!(model.iterations(), 3);
    // The L1 penalty is settled at the end of each chunk.
    assert!((model.coef() - whole.coef()).amax() < 1e-3, "{} for {}", model.coef(), whole.coef());
    let other = Labels::from_names(&["versicolor", "setosa"]);
    let refused = sgd.partial_fit(Some(model), &x.select(&[0, 1]).unwrap(), &other).unwrap_err();
    assert!(refused.to_string().contains("setosa"), "{refused}");
}

#[test]
fn numbers_in_chunks_go_on_where_they_were() {
    let x = crate::support::matrix(300, 2, 31);
    let y: Vec<f32> = (0..300).map(|row| x.get(row, 0) - 2.0 * x.get(row, 1)).collect();
    let sgd = SgdRegressor::default().alpha(0.0);
    let whole = sgd.clone().shuffle(false).max_iter(1).tol(None).fit(&x, &y).unwrap();
    let first: Vec<usize> = (0..120).collect();
    let rest: Vec<usize> = (120..300).collect();
    let model = sgd.partial_fit(None, &x.select(&first).unwrap(), &y[..120]).unwrap();
    let model = sgd.partial_fit(Some(model), &x.select(&rest).unwrap(), &y[120..]).unwrap();
    assert!((model.coef() - whole.coef()).amax() < 1e-12);
}

#[test]
fn early_stopping_holds_rows_out_and_ends_by_their_score() {
    let iris = datasets::iris().unwrap();
    let x = scaled(&iris.x);
    let sgd = SgdClassifier::default().early_stopping(true).validation_fraction(0.2).n_iter_no_change(3);
    let model = sgd.fit(&x, iris.labels().unwrap()).unwrap();
    assert!(model.converged() && model.iterations() < 50);
    let report = AnyModel::new(model).report();
    assert_eq!(report.curve("validation_score").len(), report.iterations.as_ref().unwrap().count);
    assert_eq!(report.curve("train_loss").len(), report.iterations.unwrap().count);
}

#[test]
fn a_rate_that_diverges_is_an_error_that_says_what_to_do() {
    let x = Matrix::from_rows(&[[1e4, 2e4], [3e4, -1e4], [2e4, 2e4]]).unwrap();
    let sgd = SgdRegressor::default().learning_rate(LearningRate::Constant).eta0(10.0).tol(None);
    let refused = sgd.fit(&x, &[1.0, 2.0, 3.0]).unwrap_err();
    assert!(refused.to_string().contains("eta0") && refused.to_string().contains("scaled"), "{refused}");
    let refused = SgdClassifier::default().alpha(0.0).fit(&x, &Labels::from_names(&["a", "b", "a"]));
    assert!(matches!(refused, Err(Error::Param { .. })));
}

#[test]
fn an_adaptive_rate_falls_until_the_loss_is_flat() {
    let x = crate::support::matrix(200, 2, 41);
    let noise = crate::support::numbers(200, 42);
    let y: Vec<f32> = (0..200).map(|row| x.get(row, 0) + noise[row]).collect();
    let sgd = SgdRegressor::default().learning_rate(LearningRate::Adaptive).eta0(0.1).alpha(0.0);
    let model = sgd.fit(&x, &y).unwrap();
    let exact = LinearRegression::default().fit(&x, &y).unwrap();
    assert!(model.converged());
    assert!((model.coef()[(0, 0)] - exact.coef()[(0, 0)]).abs() < 0.02, "{} for {}", model.coef(), exact.coef());
}
