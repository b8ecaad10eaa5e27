use gristmill::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix};

fn xor() -> (Matrix, Labels) {
    let x = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).unwrap();
    (x, Labels::from_names(&["no", "yes", "yes", "no"]))
}

#[test]
fn xor_is_learnt_by_the_best_of_five_seeds_on_every_device() {
    let (x, y) = xor();
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let score = |seed: u64| {
            let mlp = MlpClassifier::default().hidden_layer_sizes(vec![8]).activation(Activation::Tanh);
            let mlp = mlp.learning_rate_init(0.1).max_iter(120).n_iter_no_change(200).seed(seed);
            mlp.fit(&x, &y).unwrap().score(&x, &y).unwrap()
        };
        assert!((0..5).map(score).fold(0.0, f64::max) >= 0.99, "{name}");
    }
}

#[test]
fn xor_can_be_set_by_hand() {
    let (x, y) = xor();
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![2]).max_iter(1);
    let model = mlp.fit(&x, &y).unwrap();
    let first = Matrix::from_rows(&[[1.0, 1.0], [1.0, 1.0]]).unwrap();
    let model = model.with_weights(0, &first).unwrap();
    let model = model.with_biases(0, &Matrix::from_rows(&[[0.0, -1.0]]).unwrap()).unwrap();
    let model = model.with_weights(1, &Matrix::from_rows(&[[1.0], [-2.0]]).unwrap()).unwrap();
    let model = model.with_biases(1, &Matrix::from_rows(&[[-0.5]]).unwrap()).unwrap();
    assert_eq!(model.score(&x, &y).unwrap(), 1.0);
    assert_eq!(model.weights().unwrap()[0].as_slice(), first.as_slice());
    assert!(model.with_weights(5, &first).is_err());
}

#[test]
fn resuming_from_a_file_goes_on_to_the_same_bits() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![12, 5]).batch_size(32).dropout(0.1).seed(4);
    for (name, device) in devices() {
        let x = iris.x.to(device).unwrap();
        for solver in [Solver::Adam, Solver::Sgd] {
            let mlp = mlp.clone().solver(solver);
            let whole = mlp.clone().max_iter(6).fit(&x, y).unwrap();
            let half = mlp.clone().max_iter(3).fit(&x, y).unwrap();
            let half = MlpClassifierModel::from_bytes(&half.to_bytes().unwrap()).unwrap();
            let resumed = mlp.clone().max_iter(6).resume(half, &x, y).unwrap();
            assert_eq!(whole.to_bytes().unwrap(), resumed.to_bytes().unwrap(), "{name}, {solver:?}");
        }
    }
}

#[test]
fn a_rate_that_diverges_ends_with_the_last_good_weights() {
    let (x, y) = (matrix(40, 3, 1), matrix(40, 1, 2));
    let mlp =
        MlpRegressor::default().hidden_layer_sizes(vec![8]).solver(Solver::Sgd).learning_rate_init(1e6).max_iter(50);
    for (name, device) in devices() {
        let model = mlp.fit(&x.to(device).unwrap(), &y).unwrap();
        assert!(model.diverged() && !model.converged(), "{name}");
        assert!(model.predict(&x).unwrap().as_slice().iter().all(|value| value.is_finite()), "{name}");
    }
}

#[test]
fn early_stopping_keeps_the_best_epoch() {
    let digits = datasets::digits().unwrap();
    let y = digits.labels().unwrap();
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![32]).early_stopping(true).max_iter(40).seed(2);
    let mlp = mlp.n_iter_no_change(3).learning_rate_init(0.005);
    let model = mlp.fit(&digits.x, y).unwrap();
    assert!(model.validation_scores().len() == model.iterations() && model.score(&digits.x, y).unwrap() > 0.9);
    assert_eq!(model.gradient_norms().len(), 2);
    assert!(model.losses()[model.iterations() - 1] < model.losses()[0]);
}

#[test]
fn weights_count_as_repeated_rows() {
    let x = matrix(30, 3, 5);
    let y: Vec<f32> = x.as_slice().chunks(3).map(|row| row[0] - 2.0 * row[1] * row[2]).collect();
    let weights: Vec<f32> = (0..30).map(|row| if row < 10 { 2.0 } else { 1.0 }).collect();
    let rows: Vec<usize> = (0..30).chain(0..10).collect();
    let repeated = x.select(&rows).unwrap();
    let again: Vec<f32> = rows.iter().map(|row| y[*row]).collect();
    let mlp = MlpRegressor::default().hidden_layer_sizes(vec![6]).solver(Solver::Sgd).alpha(0.0).shuffle(false);
    let mlp = mlp.batch_size(100).max_iter(20).learning_rate_init(0.05);
    let weighted = mlp.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap().predict(&x).unwrap();
    let found = mlp.fit(&repeated, &again).unwrap().predict(&x).unwrap();
    for (a, b) in weighted.as_slice().iter().zip(found.as_slice()) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn several_outputs_and_chunks_are_learnt() {
    let x = matrix(120, 2, 9);
    let y: Vec<f32> = x.as_slice().chunks(2).flat_map(|row| [row[0] + row[1], row[0] * row[1]]).collect();
    let y = Matrix::from_vec(120, 2, y).unwrap();
    let mlp = MlpRegressor::default().hidden_layer_sizes(vec![24]).batch_size(20).learning_rate_init(0.01).max_iter(80);
    let model = mlp.fit(&x, &y).unwrap();
    assert!(model.score(&x, &y).unwrap() > 0.9);
    let mut chunked = mlp.partial_fit(None, &x, &y).unwrap();
    for _ in 0..3 {
        chunked = mlp.partial_fit(Some(chunked), &x, &y).unwrap();
    }
    assert_eq!(chunked.iterations(), 4);
    assert!(mlp.partial_fit(Some(chunked), &x, &y.as_slice()[..120].to_vec()).is_err());
}

#[test]
fn what_cannot_be_learnt_is_refused() {
    let x = matrix(6, 2, 1);
    let y = Labels::from_names(&["a", "b", "a", "b", "a", "b"]);
    let one = Labels::from_names(&["a"; 6]);
    let mlp = MlpClassifier::default().max_iter(1);
    assert!(matches!(mlp.fit(&x, &one), Err(Error::Shape { .. })));
    assert!(mlp.clone().hidden_layer_sizes(vec![3, 0]).fit(&x, &y).is_err());
    assert!(mlp.clone().activation(Activation::Softmax).fit(&x, &y).is_err());
    assert!(mlp.clone().batch_size(1000).fit(&x, &y).is_ok());
    let missing = [1.0, f32::NAN, 2.0, 1.0, 0.0, 1.0];
    assert!(matches!(MlpRegressor::default().fit(&x, &missing), Err(Error::Target { .. })));
}

#[test]
fn memory_stays_flat_over_many_epochs() {
    let (x, y) = xor();
    let device = &gpu_with(DeviceOptions::default());
    let x = x.to(device).unwrap();
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![4]).n_iter_no_change(5000);
    mlp.clone().max_iter(100).fit(&x, &y).unwrap();
    // On a busy machine one more block of 16 MiB may be in flight.
    let most = device.memory().0 + (16 << 20);
    let model = mlp.max_iter(1000).fit(&x, &y).unwrap();
    assert_eq!(model.iterations(), 1000);
    assert!(device.memory().0 <= most, "{} and at most {most}", device.memory().0);
}

#[test]
fn lbfgs_without_hidden_layers_is_logistic_regression_on_every_device() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let known = LogisticRegression::default().c(0.5).tol(1e-8).fit(&iris.x, y).unwrap().predict_proba(&iris.x).unwrap();
    let mlp =
        MlpClassifier::default().hidden_layer_sizes(vec![]).solver(Solver::Lbfgs).alpha(2.0).tol(1e-5).max_iter(500);
    for (name, device) in devices() {
        let model = mlp.fit(&iris.x.to(device).unwrap(), y).unwrap();
        assert!(model.converged(), "{name}: {} iterations", model.iterations());
        let falls = model.losses().windows(2).all(|pair| pair[1] <= pair[0]);
        assert!(falls && model.gradient_norms()[0] < 1e-3, "{name}: {:?}", model.gradient_norms());
        let found = model.predict_proba(&iris.x).unwrap();
        let apart = found.as_slice().iter().zip(known.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 2e-3, "{name}: {apart}");
    }
}

#[test]
fn lbfgs_learns_hidden_layers_and_refuses_what_needs_batches() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let mlp = MlpClassifier::default().hidden_layer_sizes(vec![8]).solver(Solver::Lbfgs).seed(1);
    let model = mlp.fit(&iris.x, y).unwrap();
    assert!(model.score(&iris.x, y).unwrap() >= 0.97 && model.losses().last() < model.losses().first());
    let again = mlp.clone().max_iter(model.iterations() + 5).resume(model.clone(), &iris.x, y).unwrap();
    assert!(again.losses().last() <= model.losses().last());
    for refused in
        [mlp.clone().dropout(0.1), mlp.clone().noise(0.1), mlp.clone().l1(0.1), mlp.clone().early_stopping(true)]
    {
        assert!(matches!(refused.fit(&iris.x, y), Err(Error::Param { .. })));
    }
    assert!(matches!(mlp.partial_fit(None, &iris.x, y), Err(Error::Param { name: "solver", .. })));
    let latent = VariationalAutoencoder::default().solver(Solver::Lbfgs);
    assert!(matches!(latent.fit(&iris.x), Err(Error::Param { .. })));
    let linear = Autoencoder::default().n_components(2).solver(Solver::Lbfgs).fit(&iris.x).unwrap();
    assert_eq!(linear.transform(&iris.x).unwrap().columns(), 2);
}
