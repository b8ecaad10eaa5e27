//! Gradients beside central differences.

use super::learning::{LearnerState, TrainingOptions, TrainingRows};
use super::network::Network;
use super::training::Learner;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::error::{Error, Result};
use crate::ops::neural::{Activation, LEAK, OutputLoss, TargetLayout, VARIANCE_FLOOR};
use crate::solvers::{Rate, UpdateRule};

/// How far a parameter is moved for a central difference.
const STEP: f64 = 1e-5;

/// A gradient beside its central differences.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientCheck {
    /// The gradient that the device computed, penalties included: a number for each parameter, padding too.
    pub gradient: Vec<f32>,
    /// Central differences of the loss in f64.
    pub differences: Vec<f64>,
}

impl GradientCheck {
    /// The largest |gradient − difference| / max(1, |difference|).
    pub fn largest_error(&self) -> f64 {
        let pairs = self.gradient.iter().zip(&self.differences);
        let errors = pairs.map(|(found, wanted)| (f64::from(*found) - wanted).abs() / wanted.abs().max(1.0));
        errors.fold(0.0, f64::max)
    }
}

/// Holds the gradient of a network, as its device computes it for all rows as one batch, against central differences of the loss
/// in f64. Costs two passes a parameter: for small networks. Dropout is left out.
///
/// `y` has the class of each row as one column, or of each of its steps, (`classes`) or its targets, and `penalties` are L1 and L2.
///
/// ```
/// use gristmill::neural::*;
/// use gristmill::{Device, Matrix};
/// let network = Network::new(Shape::Flat(2), OutputLoss::Squared)
///     .layer(Dense::new(3, Activation::Tanh))?
///     .layer(Dense::new(1, Activation::Identity))?;
/// let x = Matrix::from_rows(&[[0.5, -1.0], [1.0, 2.0]])?.to(&Device::Cpu)?;
/// let y = Matrix::from_rows(&[[1.0], [-1.0]])?;
/// let check = check_gradient(&network, &network.start(1), &x, (&y, false), [0.0, 0.1])?;
/// assert!(check.largest_error() < 1e-4);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn check_gradient(
    network: &Network,
    parameters: &[f32],
    x: &DeviceMatrix,
    (y, classes): (&Matrix, bool),
    [l1, l2]: [f64; 2],
) -> Result<GradientCheck> {
    let (n, device) = (x.rows(), x.device());
    let columns = match network.loss() {
        _ if classes => network.loss_rows().0,
        OutputLoss::Gaussian => network.outputs() / 2,
        _ => network.outputs(),
    };
    if n == 0 || y.rows() != n || y.columns() != columns || x.columns() != network.input().size() {
        let expected = format!("rows of {} inputs and {columns} targets", network.input().size());
        return Err(Error::shape(
            "check_gradient",
            expected,
            format!("{}×{} and {}×{}", n, x.columns(), y.rows(), y.columns()),
        ));
    }
    // A step of rate 1 along the gradient, penalties and all.
    let options = TrainingOptions {
        batch_size: n,
        rule: UpdateRule::Gradient,
        rate: Rate::Constant(1.0),
        l1,
        l2,
        clip_norm: None,
        noise: 0.0,
        shuffle: false,
        seed: 0,
    };
    let mut stream = device.stream();
    let targets = TargetLayout { classes, weight: None, columns };
    let rows = TrainingRows { x, y: &y.to(device)?, targets };
    let order: Vec<u32> = (0..n as u32).collect();
    let order = DeviceVec::from_slice(&order, device)?;
    let state = LearnerState::new(parameters.to_vec());
    let mut learner = Learner::new(device, network.clone(), options, &state, (n, columns))?;
    learner.gradient_of(&mut stream, rows, &order)?;
    let loss_rows = n * network.loss_rows().0;
    learner.update(&mut stream, loss_rows)?;
    let moved = learner.parameters().to_vec(&mut stream)?;
    let gradient = parameters.iter().zip(moved).map(|(before, after)| before - after).collect();
    let host_x: Vec<f64> = x.to_matrix(&mut stream)?.as_slice().iter().copied().map(f64::from).collect();
    let host_y: Vec<f64> = y.as_slice().iter().copied().map(f64::from).collect();
    let mut at: Vec<f64> = parameters.iter().copied().map(f64::from).collect();
    let weights: Vec<usize> =
        network.blocks().filter(|placed| placed.block.penalised).flat_map(|placed| placed.range()).collect();
    let value = |at: &[f64]| {
        let size: f64 = weights.iter().map(|place| 0.5 * l2 * at[*place] * at[*place] + l1 * at[*place].abs()).sum();
        reference_loss(network, at, &host_x, (&host_y, classes), n) + size / loss_rows as f64
    };
    let mut differences = vec![0.0; at.len()];
    for placed in network.blocks() {
        for place in
            placed.range().filter(|place| (place - placed.first) % placed.block.stride() < placed.block.columns)
        {
            let before = at[place];
            at[place] = before + STEP;
            let above = value(&at);
            at[place] = before - STEP;
            differences[place] = (above - value(&at)) / (2.0 * STEP);
            at[place] = before;
        }
    }
    Ok(GradientCheck { gradient, differences })
}

/// The mean loss of the rows, in f64.
fn reference_loss(network: &Network, parameters: &[f64], x: &[f64], (y, classes): (&[f64], bool), n: usize) -> f64 {
    let mut values = x.to_vec();
    let last = network.layers().len() - 1;
    for (at, layer) in network.layers().iter().enumerate() {
        let own = &parameters[network.layer_range(at)];
        values = layer.reference(&values, n, own, network.shapes()[at]);
        if at < last {
            values.iter_mut().for_each(|value| *value = activated(layer.activation(), *value));
        }
    }
    let ((steps, outputs), activation) = (network.loss_rows(), network.output_activation());
    let rows = values.chunks_exact(outputs).enumerate();
    let row_loss = |(row, sums): (usize, &[f64])| {
        let wanted = |column: usize| match classes {
            true => f64::from(u8::from(y[row] as usize == column)),
            false => y[row * outputs + column],
        };
        let highest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total = sums.iter().map(|sum| (sum - highest).exp()).sum::<f64>();
        let value = |column: usize| match activation {
            Activation::Softmax => (sums[column] - highest).exp() / total,
            other => activated(other, sums[column]),
        };
        if network.loss() == OutputLoss::Gaussian {
            let half = outputs / 2;
            let one = |column: usize| {
                let variance = f64::from(VARIANCE_FLOOR) + sums[half + column].exp();
                let error = sums[column] - y[row * half + column];
                0.5 * ((std::f64::consts::TAU * variance).ln() + error * error / variance)
            };
            return (0..half).map(one).sum::<f64>();
        }
        let one = |column: usize| {
            let (sum, t, error) = (sums[column], wanted(column), (value(column) - wanted(column)).abs());
            match network.loss() {
                OutputLoss::Squared => 0.5 * error * error,
                OutputLoss::Absolute => error,
                OutputLoss::Huber { delta } => match f64::from(delta) {
                    delta if error <= delta => 0.5 * error * error,
                    delta => delta * (error - 0.5 * delta),
                },
                OutputLoss::BinaryCrossEntropy => sum.max(0.0) - sum * t + (-sum.abs()).exp().ln_1p(),
                OutputLoss::CategoricalCrossEntropy | OutputLoss::Gaussian => t * (total.ln() + highest - sum),
            }
        };
        (0..outputs).map(one).sum::<f64>()
    };
    rows.map(row_loss).sum::<f64>() / (n * steps) as f64
}

fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity | Activation::Softmax => x,
        Activation::Relu => x.max(0.0),
        Activation::LeakyRelu => x.max(f64::from(LEAK) * x),
        Activation::Logistic => 1.0 / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        Activation::Sign => {
            if x < 0.0 {
                -1.0
            } else {
                1.0
            }
        }
    }
}
