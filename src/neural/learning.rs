//! What learning takes, tells and goes on from.

use crate::array::DeviceMatrix;
use crate::ops::neural::TargetLayout;
use crate::solvers::{Rate, UpdateRule};

/// How a network learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingOptions {
    /// Rows of a batch; more than there are means all.
    pub batch_size: usize,
    /// What a step makes of a gradient.
    pub rule: UpdateRule,
    /// How long step 0, 1, … is.
    pub rate: Rate,
    /// L1 on weights: alpha·Σ|w| is added to the sum of the losses of a batch.
    pub l1: f64,
    /// L2 on weights: ½·alpha·Σw² is added to the sum of the losses of a batch.
    pub l2: f64,
    /// The longest gradient; longer ones are shortened.
    pub clip_norm: Option<f64>,
    /// Deviation of normal noise on the inputs of each batch.
    pub noise: f64,
    /// Whether each epoch has an order of its own.
    pub shuffle: bool,
    /// Decides orders, dropout and noise.
    pub seed: u64,
}

/// The rows that a network learns from or is scored on, on one device.
#[derive(Debug, Clone, Copy)]
pub struct TrainingRows<'a> {
    /// n×d.
    pub x: &'a DeviceMatrix,
    /// n×t: targets, and a column of weights if the layout says so.
    pub y: &'a DeviceMatrix,
    /// How targets are read.
    pub targets: TargetLayout,
}

/// What an epoch tells about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpochReport {
    /// Mean loss of a row, as it was when its batch was learnt, with the penalty as it is in the end.
    pub loss: f64,
    /// Mean of what a score needs: right rows, or squared errors.
    pub score: f64,
    /// The same of the validation rows, if there are any: loss and score.
    pub validation: Option<[f64; 2]>,
    /// Length of the last batch's gradient, by layer.
    pub gradient_norms: Vec<f64>,
}

/// What a learner needs to go on to the same bits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearnerState {
    /// The parameters.
    pub parameters: Vec<f32>,
    /// Both memories of the optimiser; empty where the rule has none.
    pub memory: [Vec<f32>; 2],
    /// Steps taken.
    pub steps: u64,
    /// Epochs taken.
    pub epochs: u64,
    /// What rates are multiplied by.
    pub rate_factor: f64,
}

impl LearnerState {
    /// Before the first step.
    pub fn new(parameters: Vec<f32>) -> LearnerState {
        LearnerState { parameters, rate_factor: 1.0, ..LearnerState::default() }
    }
}
