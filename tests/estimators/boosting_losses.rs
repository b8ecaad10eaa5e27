//! Boosting with other losses than the squared one, also of one's own, and fits that go on.

use gristmill::ensemble::{BoostingLoss, ClassificationLoss, GradientBoostingRegressor, Growth, RegressionLoss};
use gristmill::prelude::*;

use crate::support::{baseline, gpu, numbers};

const LOSSES: [RegressionLoss; 5] = [
    RegressionLoss::SquaredError,
    RegressionLoss::AbsoluteError,
    RegressionLoss::Huber,
    RegressionLoss::Quantile,
    RegressionLoss::Poisson,
];

/// Counts that depend on two of four columns, one of them with missing values.
fn counts(rows: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let numbers = numbers(rows * 5, seed);
    let (mut x, mut y) = (vec![], vec![]);
    for row in numbers.chunks_exact(5) {
        y.push((3.0 * (row[0] + 1.0) * (1.2 + row[1]) + 2.0 * row[4].abs()).floor());
        x.extend([row[0], row[1], if row[2] > 0.6 { f32::NAN } else { row[2] }, row[3]]);
    }
    (Matrix::from_vec(rows, 4, x).unwrap(), y)
}

/// Every fourth row of a data set is for testing, the others are for learning.
fn parts(data: &Dataset) -> ([usize; 2], [Vec<usize>; 2]) {
    let (test, train): (Vec<usize>, Vec<usize>) = (0..data.x.rows()).partition(|row| row % 4 == 0);
    ([train.len(), test.len()], [train, test])
}

fn rows_of(x: &Matrix, rows: &[usize]) -> Matrix {
    let values: Vec<f32> = rows.iter().flat_map(|row| x.row(*row).to_vec()).collect();
    Matrix::from_vec(rows.len(), x.columns(), values).unwrap()
}

fn pinball(y: &[f32], predicted: &[f32], alpha: f64) -> f64 {
    let one = |(y, p): (&f32, &f32)| {
        let error = f64::from(*y) - f64::from(*p);
        (alpha * error).max((alpha - 1.0) * error)
    };
    y.iter().zip(predicted).map(one).sum::<f64>() / y.len() as f64
}

fn deviance(y: &[f32], predicted: &[f32]) -> f64 {
    let one = |(y, p): (&f32, &f32)| {
        let (y, p) = (f64::from(*y), f64::from(*p));
        2.0 * (if y > 0.0 { y * (y / p).ln() } else { 0.0 } - y + p)
    };
    y.iter().zip(predicted).map(one).sum::<f64>() / y.len() as f64
}

/// scikit-learn 1.9.1 on the same rows, with 100 trees of depth 3 and leaves of five rows: GradientBoostingRegressor, and
/// HistGradientBoostingRegressor for the Poisson loss.
#[test]
fn diabetes_is_predicted_as_well_as_by_scikit_learn() {
    let data = datasets::diabetes().unwrap();
    let (_, [train, test]) = parts(&data);
    let y = data.values().unwrap().as_slice();
    let of = |rows: &[usize]| rows.iter().map(|row| y[*row]).collect::<Vec<f32>>();
    let (x, x_test, y, y_test) = (rows_of(&data.x, &train), rows_of(&data.x, &test), of(&train), of(&test));
    let boosting = GradientBoostingRegressor::default()
        .growth(Growth::DepthWise)
        .max_depth(3)
        .max_leaf_nodes(None)
        .min_samples_leaf(5);
    let predicted = |loss: RegressionLoss, alpha: f64| {
        let model = boosting.clone().loss(loss).alpha(alpha).fit(&x, &y).unwrap();
        model.predict(&x_test).unwrap().as_slice().to_vec()
    };
    let near = |found: f64, known: f64, share: f64| assert!(found < known * (1.0 + share), "{found} {known}");
    let squared = predicted(RegressionLoss::SquaredError, 0.9);
    near(metrics::mean_squared_error(&y_test, &squared).unwrap(), 4188.07, 0.05);
    let absolute = predicted(RegressionLoss::AbsoluteError, 0.9);
    near(metrics::mean_absolute_error(&y_test, &absolute).unwrap(), 53.762, 0.05);
    let huber = predicted(RegressionLoss::Huber, 0.9);
    near(metrics::mean_squared_error(&y_test, &huber).unwrap(), 4046.95, 0.05);
    near(pinball(&y_test, &predicted(RegressionLoss::Quantile, 0.9), 0.9), 11.3207, 0.1);
    near(pinball(&y_test, &predicted(RegressionLoss::Quantile, 0.2), 0.2), 16.8701, 0.1);
    near(deviance(&y_test, &predicted(RegressionLoss::Poisson, 0.9)), 28.0115, 0.05);
}

/// scikit-learn 1.9.1's GradientBoostingClassifier on the same rows, parameters as above.
#[test]
fn breast_cancer_is_told_as_well_as_by_scikit_learn() {
    let data = datasets::breast_cancer().unwrap();
    let (_, [train, test]) = parts(&data);
    let labels = data.labels().unwrap();
    let of = |rows: &[usize]| labels.with_codes(rows.iter().map(|row| labels.codes()[*row]).collect()).unwrap();
    let boosting = GradientBoostingClassifier::default().growth(Growth::DepthWise).max_depth(3).min_samples_leaf(5);
    for (loss, known) in [(ClassificationLoss::LogLoss, 0.09709), (ClassificationLoss::Exponential, 0.15629)] {
        let model = boosting.clone().loss(loss).fit(&rows_of(&data.x, &train), &of(&train)).unwrap();
        let chances = model.predict_proba(&rows_of(&data.x, &test)).unwrap();
        let found = metrics::log_loss(&of(&test), &chances).unwrap();
        assert!(found < 1.25 * known, "{loss:?}: {found} {known}");
        assert!(model.score(&rows_of(&data.x, &test), &of(&test)).unwrap() > 0.95);
    }
}

#[test]
fn leaves_have_the_median_the_quantile_and_the_mean_of_their_rows() {
    let (x, y) = counts(1500, 1);
    let boosting = GradientBoostingRegressor::default().n_estimators(1).learning_rate(1.0);
    for (loss, alpha) in [(RegressionLoss::AbsoluteError, 0.5), (RegressionLoss::Quantile, 0.8)] {
        let model = boosting.clone().loss(loss).alpha(alpha).fit(&x, &y).unwrap();
        let predicted = model.predict(&x).unwrap();
        let tree = &model.trees()[0];
        assert!(tree.leaves() > 10);
        for leaf in (0..tree.nodes().len() as u32).filter(|node| tree.nodes()[*node as usize].feature.is_none()) {
            let rows: Vec<usize> = (0..x.rows()).filter(|row| tree.leaf_of(x.row(*row)) == leaf).collect();
            let share = |keeps: &dyn Fn(f32) -> bool| {
                let count = rows.iter().filter(|row| keeps(y[**row] - predicted.get(**row, 0))).count();
                count as f64 / rows.len() as f64
            };
            // Not more than a share α below, not more than 1 − α above.
            assert!(share(&|r| r < -1e-4) <= alpha + 1e-12 && share(&|r| r > 1e-4) <= 1.0 - alpha + 1e-12, "{loss:?}");
        }
    }
    // With a logarithmic link, a step up is exact: the mean of a leaf that lies above the whole.
    let model = boosting.clone().loss(RegressionLoss::Poisson).fit(&x, &y).unwrap();
    let (tree, predicted) = (&model.trees()[0], model.predict(&x).unwrap());
    let mean = y.iter().sum::<f32>() / y.len() as f32;
    let highest = (0..x.rows()).max_by(|a, b| predicted.get(*a, 0).total_cmp(&predicted.get(*b, 0))).unwrap();
    let rows: Vec<usize> =
        (0..x.rows()).filter(|row| tree.leaf_of(x.row(*row)) == tree.leaf_of(x.row(highest))).collect();
    let own = rows.iter().map(|row| y[*row]).sum::<f32>() / rows.len() as f32;
    assert!(own > mean && (predicted.get(highest, 0) / own - 1.0).abs() < 1e-5);
}

#[test]
fn quantiles_cover_their_share_of_the_rows_and_losses_fall() {
    let (x, y) = counts(3000, 2);
    for alpha in [0.1, 0.5, 0.9] {
        let boosting = GradientBoostingRegressor::default().loss(RegressionLoss::Quantile).alpha(alpha);
        let model = boosting.n_estimators(60).fit(&x, &y).unwrap();
        let stages: Vec<f64> =
            model.staged_predict(&x).unwrap().map(|stage| pinball(&y, stage.unwrap().as_slice(), alpha)).collect();
        assert!(stages.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{stages:?}");
        let predicted = model.predict(&x).unwrap();
        let covered = (0..3000).filter(|row| y[*row] <= predicted.get(*row, 0)).count() as f64 / 3000.0;
        assert!((covered - alpha).abs() < 0.05, "{alpha}: {covered}");
    }
    let poisson = GradientBoostingRegressor::default().loss(RegressionLoss::Poisson).fit(&x, &y).unwrap();
    let predicted = poisson.predict(&x).unwrap();
    assert!(predicted.as_slice().iter().all(|mean| *mean > 0.0));
    let logarithms = poisson.decision_function(&x).unwrap();
    assert!((0..3000).all(|row| (logarithms.get(row, 0).exp() / predicted.get(row, 0) - 1.0).abs() < 1e-5));
    let totals = [predicted.as_slice(), &y].map(|values| values.iter().map(|v| f64::from(*v)).sum::<f64>());
    assert!((totals[0] / totals[1] - 1.0).abs() < 0.01, "{totals:?}");
}

#[test]
fn constants_have_the_best_constant_of_the_loss() {
    let x = Matrix::zeros(6, 1).unwrap();
    let y = [0.0, 1.0, 2.0, 3.0, 4.0, 50.0];
    let of = |loss: RegressionLoss, alpha: f64| {
        let model = GradientBoostingRegressor::default().loss(loss).alpha(alpha).fit(&x, &y).unwrap();
        f64::from(model.predict(&x).unwrap().get(0, 0))
    };
    assert_eq!(of(RegressionLoss::SquaredError, 0.9), 10.0);
    assert_eq!(of(RegressionLoss::AbsoluteError, 0.9), 2.5);
    assert_eq!(of(RegressionLoss::Quantile, 0.9), 50.0);
    assert!((of(RegressionLoss::Poisson, 0.9) - 10.0).abs() < 1e-5);
    // δ is the median of |y − 2.5|, 1.5, and the errors within ±1.5 add up to 0 at 2.5.
    assert!((of(RegressionLoss::Huber, 0.5) - 2.5).abs() < 1e-6);
    // All zeros: next to nothing is expected.
    let model = GradientBoostingRegressor::default().loss(RegressionLoss::Poisson).fit(&x, &[0.0; 6]).unwrap();
    assert!(model.predict(&x).unwrap().get(0, 0) < 1e-6);
}

#[test]
fn every_loss_gives_the_same_bytes_on_every_device_and_number_of_threads() {
    let (x, y) = counts(1200, 3);
    let weights: Vec<f32> = numbers(1200, 4).iter().map(|w| (w + 0.8).max(0.0)).collect();
    for loss in LOSSES {
        let boosting = GradientBoostingRegressor::default().loss(loss).alpha(0.7).n_estimators(6).subsample(0.8);
        for weights in [None, Some(&weights[..])] {
            let options = || weights.map_or(Fit::default(), |weights| Fit::default().sample_weight(weights));
            let wanted = boosting.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let bytes = pool.install(|| boosting.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap());
                assert!(bytes == wanted, "{loss:?}: {threads} threads");
            }
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let model = boosting.fit_with(&x.to(device).unwrap(), &y, options()).unwrap();
                assert!(model.to_bytes().unwrap() == wanted, "{loss:?}: {name}");
            }
        }
    }
}

#[test]
fn weights_are_repeated_rows_for_medians_too() {
    let (x, y) = counts(400, 5);
    let coarse = Matrix::from_vec(400, 4, x.as_slice().iter().map(|v| (v * 8.0).round()).collect()).unwrap();
    let weights: Vec<f32> = (0..400).map(|row| [0.0, 1.0, 2.0, 3.0][row % 4]).collect();
    let repeated: Vec<usize> = (0..400).flat_map(|row| vec![row; row % 4]).collect();
    let (many, targets) = (rows_of(&coarse, &repeated), repeated.iter().map(|row| y[*row]).collect::<Vec<f32>>());
    for loss in LOSSES {
        let boosting = GradientBoostingRegressor::default().loss(loss).alpha(0.6).n_estimators(8);
        let boosting = boosting.min_samples_leaf(1).min_child_weight(20.0).max_leaf_nodes(6);
        let weighted = boosting.fit_with(&coarse, &y, Fit::default().sample_weight(&weights)).unwrap();
        let plain = boosting.fit(&many, &targets).unwrap();
        let (a, b) = (weighted.predict(&coarse).unwrap(), plain.predict(&coarse).unwrap());
        let worst = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-4, "{loss:?}: {worst}");
    }
}

#[test]
fn validation_curves_are_those_of_the_loss() {
    let ((x, y), (xv, yv)) = (counts(900, 6), counts(500, 7));
    for loss in [RegressionLoss::AbsoluteError, RegressionLoss::Quantile, RegressionLoss::Poisson] {
        let boosting = GradientBoostingRegressor::default().loss(loss).alpha(0.8).n_estimators(12);
        let model = boosting.fit_with(&x, &y, Fit::default().validation(&xv, &yv)).unwrap();
        for (stage, found) in model.staged_predict(&xv).unwrap().zip(model.validation_losses()) {
            let stage = stage.unwrap();
            let wanted = match loss {
                RegressionLoss::AbsoluteError => 2.0 * pinball(&yv, stage.as_slice(), 0.5),
                RegressionLoss::Quantile => pinball(&yv, stage.as_slice(), 0.8),
                _ => deviance(&yv, stage.as_slice()),
            };
            assert!((found / wanted - 1.0).abs() < 1e-5, "{loss:?}: {found} {wanted}");
        }
    }
    let stopped =
        GradientBoostingRegressor::default().loss(RegressionLoss::Huber).n_iter_no_change(4).n_estimators(400);
    let model = stopped.fit(&x, &y).unwrap();
    assert!(model.converged() && model.validation_losses().len() == model.iterations() + 4);
}

#[test]
fn the_exponential_loss_is_for_two_classes_with_its_own_chances() {
    let (x, y) = counts(800, 8);
    let labels = |cuts: &[f32]| {
        let codes: Vec<u32> = y.iter().map(|y| cuts.iter().filter(|cut| y > cut).count() as u32).collect();
        Labels::from(&codes[..])
    };
    let boosting = GradientBoostingClassifier::default().loss(ClassificationLoss::Exponential).n_estimators(30);
    let refused = boosting.fit(&x, &labels(&[2.0, 4.0])).unwrap_err();
    assert!(matches!(refused, Error::Param { name: "loss", .. }), "{refused}");
    let two = labels(&[3.0]);
    let model = boosting.fit_with(&x, &two, Fit::default().validation(&x, &two)).unwrap();
    let (scores, chances) = (model.decision_function(&x).unwrap(), model.predict_proba(&x).unwrap());
    let mut loss = 0.0;
    for row in 0..800 {
        let score = f64::from(scores.get(row, 0));
        assert!((f64::from(chances.get(row, 1)) - 1.0 / (1.0 + (-2.0 * score).exp())).abs() < 1e-6);
        loss += if two.codes()[row] == 1 { (-score).exp() } else { score.exp() };
    }
    let curve = model.validation_losses();
    assert!((loss / 800.0 / curve[29] - 1.0).abs() < 1e-4 && curve.windows(2).all(|pair| pair[1] < pair[0]));
    assert!(model.score(&x, &two).unwrap() > 0.9);
    let again = GradientBoostingClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict_proba(&x).unwrap(), chances);
}

#[test]
fn what_a_loss_cannot_do_is_refused_by_name() {
    let (x, y) = counts(60, 9);
    let boosting = GradientBoostingRegressor::default();
    let negative: Vec<f32> = y.iter().map(|y| y - 5.0).collect();
    let refused = boosting.clone().loss(RegressionLoss::Poisson).fit(&x, &negative).unwrap_err().to_string();
    assert!(refused.starts_with("loss must be another than poisson"), "{refused}");
    for alpha in [0.0, 1.0, f64::NAN] {
        let refused = boosting.clone().alpha(alpha).fit(&x, &y).unwrap_err();
        assert!(matches!(refused, Error::Param { name: "alpha", .. }), "{refused}");
    }
}

/// ln cosh of the error; optionally broken.
struct LogCosh {
    broken: Option<(f32, f32)>,
    known: bool,
}

impl BoostingLoss for LogCosh {
    fn base_score(&self, targets: &[f32], _: Option<&[f32]>) -> f64 {
        targets.iter().map(|y| f64::from(*y)).sum::<f64>() / targets.len() as f64
    }

    fn gradients(&self, scores: &[f32], targets: &[f32], gradients: &mut [f32], hessians: &mut [f32]) {
        for row in 0..scores.len() {
            let slope = (scores[row] - targets[row]).tanh();
            // The second derivative dies away where the first does not; its bound keeps steps short.
            (gradients[row], hessians[row]) = (slope, 1.0);
        }
        if let Some(broken) = self.broken {
            (gradients[7], hessians[7]) = broken;
        }
    }

    fn loss(&self, score: f32, target: f32) -> Option<f64> {
        self.known.then(|| f64::from(score - target).cosh().ln())
    }
}

#[test]
fn a_loss_of_ones_own_is_lessened_and_survives_a_file() {
    let (x, y) = counts(1000, 10);
    let boosting = GradientBoostingRegressor::default().n_estimators(40);
    let loss = LogCosh { broken: None, known: true };
    let options = || Fit::default().validation(&x, &y);
    let model = boosting.fit_with_loss(&x, &y, &loss, options()).unwrap();
    let curve = model.validation_losses();
    assert!(curve.len() == 40 && curve[39] < 0.5 * curve[0], "{curve:?}");
    let again = GradientBoostingRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&x).unwrap(), model.predict(&x).unwrap());
    // Raw scores, whatever loss the parameters name.
    let named = boosting.clone().loss(RegressionLoss::Poisson);
    let raw = named.fit_with_loss(&x, &y, &loss, Fit::default()).unwrap();
    assert_eq!(raw.predict(&x).unwrap(), model.predict(&x).unwrap());
    assert_eq!(raw.decision_function(&x).unwrap(), raw.predict(&x).unwrap());
    // On a device it is the same.
    let on_gpu = boosting.fit_with_loss(&x.to(gpu()).unwrap(), &y, &loss, options()).unwrap();
    assert!(on_gpu.to_bytes().unwrap() == model.to_bytes().unwrap());
    for broken in [(f32::NAN, 1.0), (1.0, -0.5), (1.0, f32::NAN), (f32::INFINITY, 1.0)] {
        let loss = LogCosh { broken: Some(broken), known: true };
        let refused = boosting.fit_with_loss(&x, &y, &loss, Fit::default()).unwrap_err().to_string();
        assert!(refused.starts_with("loss must be") && refused.contains("row 7"), "{refused}");
    }
    let unknown = LogCosh { broken: None, known: false };
    assert!(boosting.fit_with_loss(&x, &y, &unknown, Fit::default()).is_ok());
    let refused = boosting.fit_with_loss(&x, &y, &unknown, options()).unwrap_err().to_string();
    assert!(refused.contains("BoostingLoss::loss"), "{refused}");
}
