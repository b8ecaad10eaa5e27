use gristmill::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, matrix};

fn classes(rows: usize, count: usize) -> Matrix {
    Matrix::from_vec(rows, 1, (0..rows).map(|row| (row * 7 % count) as f32).collect()).unwrap()
}

fn image(height: usize, width: usize, channels: usize) -> Network {
    Network::new(Shape::Image { height, width, channels }, OutputLoss::CategoricalCrossEntropy)
}

/// The gradient with three classes behind the layers is that of central differences, on each device.
fn assert_right(name: &str, network: Network, rows: usize, x: &Matrix) {
    let network = network.layer(Dense::new(3, Activation::Softmax)).unwrap();
    // Scales and shifts that are not 1 and 0.
    let parameters: Vec<f32> =
        network.start(5).iter().enumerate().map(|(at, value)| value + 0.01 * (at % 5) as f32).collect();
    let mut clean = vec![0.0; parameters.len()];
    for (at, _) in network.blocks().enumerate() {
        network.set_block(&mut clean, at, &network.block(&parameters, at).unwrap()).unwrap();
    }
    for (device_name, device) in devices() {
        let check = check_gradient(&network, &clean, &x.to(device).unwrap(), (&classes(rows, 3), true), [0.0; 2]);
        let check = check.unwrap();
        let error = check.largest_error();
        assert!(error < 1e-4, "{name} on {device_name}: {error}");
        assert!(check.differences.iter().any(|slope| slope.abs() > 1e-3), "{name} has a gradient");
    }
}

fn assert_right_on(name: &str, network: Network, rows: usize) {
    let x = matrix(rows, network.input().size(), 3);
    assert_right(name, network, rows, &x);
}

#[test]
fn the_gradient_of_convolutions_is_that_of_central_differences() {
    for (height, width, channels, size, step, padding) in [(5, 6, 1, [3, 3], 1, 1), (6, 7, 4, [2, 3], 2, 1)] {
        let first = Convolution::new(4, size, Activation::Tanh).step(step).padding(padding);
        let second = Convolution::new(8, [2, 2], Activation::LeakyRelu).padding(1).start(Start::Glorot);
        let augment = Augment { flip: true, shift: 1 };
        let network = image(height, width, channels).layer(augment).unwrap();
        let network = network.layer(first).unwrap().layer(second).unwrap();
        assert_right_on(&format!("{height}×{width}×{channels} by {size:?}/{step}+{padding}"), network, 3);
    }
}

#[test]
fn the_gradient_of_pooling_and_flatten_is_that_of_central_differences() {
    for (pool, size) in [(Pool::max(2), 5), (Pool::max(3).step(2), 5), (Pool::mean(3).step(1), 5)] {
        let network = image(size, size, 1).layer(Convolution::new(4, [2, 2], Activation::Tanh).padding(1)).unwrap();
        let network = network.layer(pool).unwrap().layer(Flatten).unwrap();
        let network = network.layer(Dense::new(4, Activation::Tanh)).unwrap();
        assert_right_on(&format!("{pool:?}"), network, 3);
    }
    // Channels that are no multiple of 4, padded.
    let padded = Pool { padding: 1, ..Pool::mean(3) };
    let network = image(5, 4, 3).layer(BatchNormalise { epsilon: 0.1, momentum: 0.1 }).unwrap();
    assert_right_on("padded", network.layer(padded).unwrap(), 2);
}

#[test]
fn the_gradient_of_normalisations_is_that_of_central_differences() {
    let flat = |size| Network::new(Shape::Flat(size), OutputLoss::CategoricalCrossEntropy);
    for size in [1, 18] {
        let before = || flat(3).layer(Dense::new(size, Activation::Tanh)).unwrap();
        let behind = |network: Network| network.layer(Activate::new(Activation::LeakyRelu)).unwrap();
        let layer = before().layer(LayerNormalise { epsilon: 0.01 }).unwrap();
        // One number alone is its own mean.
        if size > 1 {
            assert_right_on(&format!("layer {size}"), behind(layer), 9);
        }
        let batch = before().layer(BatchNormalise { epsilon: 0.01, momentum: 0.1 }).unwrap();
        assert_right_on(&format!("batch {size}"), behind(batch), 21);
    }
    let conv = || image(4, 5, 1).layer(Convolution::new(4, [2, 2], Activation::Identity)).unwrap();
    assert_right_on("layer of pixels", conv().layer(LayerNormalise { epsilon: 0.1 }).unwrap(), 3);
    assert_right_on("batch of pixels", conv().layer(BatchNormalise { epsilon: 0.1, momentum: 0.1 }).unwrap(), 3);
}

#[test]
fn the_gradient_of_an_embedding_is_that_of_central_differences() {
    let tokens = Matrix::from_vec(5, 3, (0..15).map(|at| (at * 5 % 7) as f32).collect()).unwrap();
    let network = Network::new(Shape::Flat(3), OutputLoss::CategoricalCrossEntropy);
    let network = network.layer(Embedding::new(7, 8)).unwrap().layer(Activate::new(Activation::Tanh)).unwrap();
    assert_right("embedding", network, 5, &tokens);
}

#[test]
fn the_gradient_of_recurrent_layers_is_that_of_central_differences() {
    let tokens = Matrix::from_vec(3, 4, (0..12).map(|at| (at * 5 % 7) as f32).collect()).unwrap();
    for cell in [Cell::Plain, Cell::Gru, Cell::Lstm] {
        let network = Network::new(Shape::Flat(4), OutputLoss::CategoricalCrossEntropy);
        let network = network.layer(Embedding { start: Start::Normal(0.7), ..Embedding::new(7, 4) }).unwrap();
        let network = network.layer(Recurrent::new(cell, 8)).unwrap().layer(Recurrent::new(cell, 4)).unwrap();
        assert_right(&format!("{cell:?}"), network, 3, &tokens);
    }
}

#[test]
fn the_gradient_with_a_class_for_each_step_is_that_of_central_differences() {
    let tokens = Matrix::from_vec(3, 6, (0..18).map(|at| (at * 5 % 7) as f32).collect()).unwrap();
    let next = Matrix::from_vec(3, 6, (0..18).map(|at| (at * 3 % 5) as f32).collect()).unwrap();
    let network = Network::new(Shape::Flat(6), OutputLoss::CategoricalCrossEntropy);
    let network = network.layer(Embedding { start: Start::Normal(0.7), ..Embedding::new(7, 4) }).unwrap();
    let network = network.layer(Recurrent::new(Cell::Gru, 8)).unwrap();
    let network = network.layer(Dense::new(4, Activation::Tanh).each_step()).unwrap();
    let network = network.layer(Dense::new(5, Activation::Softmax).each_step()).unwrap();
    assert_eq!(network.loss_rows(), (6, 5));
    for (name, device) in devices() {
        let there = tokens.to(device).unwrap();
        let check = check_gradient(&network, &network.start(5), &there, (&next, true), [0.0, 0.3]).unwrap();
        assert!(check.largest_error() < 1e-4, "{name}: {}", check.largest_error());
        assert!(check.differences.iter().any(|slope| slope.abs() > 1e-3), "there is a gradient");
        let chances = predict(&network, &network.start(5), &there, true).unwrap();
        for step in chances.as_slice().chunks_exact(5) {
            assert!((step.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{name}");
        }
        assert!(matches!(
            check_gradient(&network, &network.start(5), &there, (&classes(3, 5), true), [0.0; 2]),
            Err(Error::Shape { .. })
        ));
    }
    let behind = network.layer(Dense::new(2, Activation::Identity));
    assert!(behind.is_err());
}

/// The losses of three epochs over rows of `steps` tokens, cut from sequences that the batches go on in.
fn losses(device: &Device, steps: usize, carried: bool) -> Vec<f64> {
    let (streams, length) = (3, 24);
    let token = |stream: usize, at: usize| ((at * at + stream) % 5) as f32;
    let rows = length / steps;
    let cut = |shift: usize| {
        let places = (0..streams).flat_map(|stream| (0..length).map(move |at| token(stream, at + shift)));
        Matrix::from_vec(streams * rows, steps, places.collect()).unwrap()
    };
    let layer = Recurrent::new(Cell::Lstm, 8);
    let network = Network::new(Shape::Flat(steps), OutputLoss::CategoricalCrossEntropy);
    let network = network.layer(Embedding::new(5, 4)).unwrap();
    let network = network.layer(if carried { layer.carried() } else { layer }).unwrap();
    let network = network.layer(Dense::new(5, Activation::Softmax).each_step()).unwrap();
    let options = TrainingOptions {
        batch_size: streams,
        rule: gristmill::solvers::UpdateRule::Gradient,
        rate: gristmill::solvers::Rate::Constant(0.0),
        l1: 0.0,
        l2: 0.0,
        clip_norm: None,
        noise: 0.0,
        shuffle: false,
        seed: 1,
    };
    let state = LearnerState::new(network.start(3));
    let mut learner = Learner::new(device, network, options, &state, (streams * rows, steps)).unwrap();
    let (x, y) = (cut(0).to(device).unwrap(), cut(1).to(device).unwrap());
    let targets = TargetLayout { classes: true, weight: None, columns: steps };
    let order: Vec<u32> = (0..rows).flat_map(|row| (0..streams).map(move |at| (at * rows + row) as u32)).collect();
    let order = DeviceVec::from_slice(&order, device).unwrap();
    let mut stream = device.stream();
    let rows = TrainingRows { x: &x, y: &y, targets };
    (0..3).map(|_| learner.epoch(&mut stream, (rows, &order), None).unwrap().loss).collect()
}

#[test]
fn a_state_that_is_carried_makes_one_sequence_of_its_parts() {
    for (name, device) in devices() {
        let whole = losses(device, 24, false);
        let parts = losses(device, 8, true);
        let apart = losses(device, 8, false);
        assert!((whole[0] - parts[0]).abs() < 1e-6, "{name}: {whole:?} and {parts:?}");
        assert!(parts.iter().all(|loss| (loss - parts[0]).abs() < 1e-7), "{name}: an epoch begins anew");
        assert!((whole[0] - apart[0]).abs() > 1e-5, "{name}: {apart:?}");
    }
}

#[test]
fn a_batch_normalisation_predicts_by_means_that_follow_the_batches() {
    let x = Matrix::from_vec(64, 2, (0..128).map(|at| 5.0 + (at * 37 % 64) as f32 / 16.0).collect()).unwrap();
    let y = Matrix::from_vec(64, 1, vec![0.0; 64]).unwrap();
    let network = Network::new(Shape::Flat(2), OutputLoss::Squared);
    let network = network.layer(BatchNormalise::default()).unwrap().layer(Dense::new(1, Activation::Identity)).unwrap();
    let options = TrainingOptions {
        batch_size: 64,
        rule: gristmill::solvers::UpdateRule::Gradient,
        rate: gristmill::solvers::Rate::Constant(1e-6),
        l1: 0.0,
        l2: 0.0,
        clip_norm: None,
        noise: 0.0,
        shuffle: false,
        seed: 1,
    };
    for (name, device) in devices() {
        let state = LearnerState::new(network.start(1));
        let mut learner = Learner::new(device, network.clone(), options, &state, (64, 1)).unwrap();
        let (x_there, y_there) = (x.to(device).unwrap(), y.to(device).unwrap());
        let targets = TargetLayout { classes: false, weight: None, columns: 1 };
        let rows = TrainingRows { x: &x_there, y: &y_there, targets };
        let order = DeviceVec::from_slice(&(0..64).collect::<Vec<u32>>(), device).unwrap();
        let mut stream = device.stream();
        for _ in 0..100 {
            learner.epoch(&mut stream, (rows, &order), None).unwrap();
        }
        let parameters = learner.parameters().to_vec(&mut stream).unwrap();
        let mean = network.block(&parameters, 2).unwrap();
        let variance = network.block(&parameters, 3).unwrap();
        for column in 0..2 {
            let values: Vec<f64> = (0..64).map(|row| f64::from(x.get(row, column))).collect();
            let wanted = values.iter().sum::<f64>() / 64.0;
            let spread = values.iter().map(|value| (value - wanted).powi(2)).sum::<f64>() / 64.0;
            assert!((f64::from(mean.get(0, column)) - wanted).abs() < 1e-2, "{name}");
            assert!((f64::from(variance.get(0, column)) - spread).abs() < 1e-2, "{name}");
        }
    }
}

#[test]
fn layers_that_do_not_fit_an_image_are_refused() {
    let on = |layer: Convolution| image(4, 4, 1).layer(layer).err();
    let relu = Activation::Relu;
    assert!(matches!(on(Convolution::new(6, [3, 3], relu)), Some(Error::Param { .. })));
    assert!(matches!(on(Convolution::new(4, [5, 3], relu)), Some(Error::Shape { .. })));
    assert!(matches!(on(Convolution::new(4, [3, 3], relu).step(0)), Some(Error::Shape { .. })));
    assert!(matches!(on(Convolution::new(4, [3, 3], relu).padding(3)), Some(Error::Shape { .. })));
    let flat = || Network::new(Shape::Flat(4), OutputLoss::Squared);
    assert!(matches!(flat().layer(Pool::max(2)), Err(Error::Shape { .. })));
    assert!(matches!(flat().layer(Augment::default()), Err(Error::Shape { .. })));
    assert!(matches!(flat().layer(Embedding::new(3, 6)), Err(Error::Param { .. })));
    assert!(matches!(flat().layer(Recurrent::new(Cell::Gru, 4)), Err(Error::Shape { .. })));
    assert!(matches!(flat().layer(Recurrent::new(Cell::Gru, 6)), Err(Error::Param { .. })));
    assert!(matches!(flat().layer(Dense::new(3, relu).each_step()), Err(Error::Shape { .. })));
    assert!(matches!(image(4, 4, 1).layer(Augment { flip: true, shift: 4 }), Err(Error::Shape { .. })));
}
