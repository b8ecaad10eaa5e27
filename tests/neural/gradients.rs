use gristmill::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, matrix};

fn classes(rows: usize, count: usize) -> Matrix {
    Matrix::from_vec(rows, 1, (0..rows).map(|row| (row * 7 % count) as f32).collect()).unwrap()
}

/// The largest error of the gradient on each device.
fn assert_right(name: &str, network: &Network, y: (&Matrix, bool), penalties: [f64; 2]) {
    let x = matrix(y.0.rows(), network.input().size(), 3);
    for (device_name, device) in devices() {
        let on_device = x.to(device).unwrap();
        let check = check_gradient(network, &network.start(5), &on_device, y, penalties).unwrap();
        let error = check.largest_error();
        assert!(error < 1e-4, "{name} on {device_name}: {error}");
        assert!(check.differences.iter().any(|slope| slope.abs() > 1e-3), "{name} has a gradient");
    }
}

fn hidden(input: usize, activation: Activation, loss: OutputLoss) -> Network {
    let network = Network::new(Shape::Flat(input), loss);
    let first = Dense::new(7, activation).bias_start(Start::Normal(0.3));
    network.layer(first).unwrap().layer(Dense::new(5, activation).start(Start::He)).unwrap()
}

#[test]
fn the_gradient_of_every_activation_is_that_of_central_differences() {
    use Activation::{Identity, LeakyRelu, Logistic, Relu, Tanh};
    for activation in [Identity, Relu, LeakyRelu, Logistic, Tanh] {
        let network = hidden(6, activation, OutputLoss::CategoricalCrossEntropy);
        let network = network.layer(Dense::new(3, Activation::Softmax)).unwrap();
        assert_right(&format!("{activation:?}"), &network, (&classes(13, 3), true), [0.0; 2]);
    }
}

#[test]
fn the_gradient_of_every_loss_and_last_activation_is_that_of_central_differences() {
    use Activation::{Identity, LeakyRelu, Logistic, Softmax, Tanh};
    use OutputLoss::{Absolute, BinaryCrossEntropy, Huber, Squared};
    let cases = [
        (Squared, Identity),
        (Squared, Softmax),
        (Squared, Tanh),
        (Absolute, Identity),
        (Absolute, LeakyRelu),
        (Huber { delta: 0.4 }, Identity),
        (Huber { delta: 0.4 }, Softmax),
        (BinaryCrossEntropy, Logistic),
    ];
    for (loss, activation) in cases {
        for outputs in [1, 4, 70] {
            let network = hidden(5, Tanh, loss).layer(Dense::new(outputs, activation)).unwrap();
            let y = matrix(9, outputs, 8);
            let y = match loss {
                BinaryCrossEntropy => {
                    let halves = y.as_slice().iter().map(|value| f32::from(u8::from(*value > 0.0)));
                    Matrix::from_vec(9, outputs, halves.collect()).unwrap()
                }
                _ => y,
            };
            // The softmax of one output is 1, whatever the weights are.
            if outputs > 1 || activation != Softmax {
                assert_right(&format!("{loss:?} after {activation:?}, {outputs}"), &network, (&y, false), [0.0; 2]);
            }
        }
    }
}

#[test]
fn penalties_are_in_the_gradient_of_weights_and_not_of_biases() {
    let network = hidden(6, Activation::Tanh, OutputLoss::CategoricalCrossEntropy);
    let network = network.layer(Dense::new(3, Activation::Softmax)).unwrap();
    for penalties in [[0.0, 0.7], [0.3, 0.0], [0.2, 0.5]] {
        assert_right(&format!("{penalties:?}"), &network, (&classes(11, 3), true), penalties);
    }
}

#[test]
fn the_gradient_is_right_where_rows_and_widths_cross_tiles() {
    for (rows, inputs, units) in [(1, 1, 1), (2, 3, 33), (65, 4, 3), (3, 65, 2)] {
        let network = Network::new(Shape::Flat(inputs), OutputLoss::Squared);
        let network = network.layer(Dense::new(units, Activation::Tanh)).unwrap();
        let network = network.layer(Dense::new(2, Activation::Identity)).unwrap();
        assert_right(&format!("{rows}×{inputs}×{units}"), &network, (&matrix(rows, 2, 4), false), [0.0; 2]);
    }
}

#[test]
fn layers_that_do_not_fit_are_refused() {
    let network = || Network::new(Shape::Flat(4), OutputLoss::Squared);
    assert!(matches!(network().layer(Dense::new(0, Activation::Relu)), Err(Error::Shape { .. })));
    assert!(matches!(network().layer(Dense::new(3, Activation::Relu).dropout(1.0)), Err(Error::Param { .. })));
    let behind = network().layer(Dense::new(3, Activation::Softmax)).unwrap().layer(Dense::new(2, Activation::Relu));
    assert!(matches!(behind, Err(Error::Param { .. })));
    let without = Network::new(Shape::Flat(0), OutputLoss::Squared).layer(Dense::new(2, Activation::Relu));
    assert!(matches!(without, Err(Error::Shape { .. })));
}
