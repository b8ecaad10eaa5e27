//! Learning a text.

use super::corpus::{Cut, windows};
use super::{NeuralLanguage, NeuralLanguageModel};
use crate::array::{DeviceVec, Matrix};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Observer, Reporter};
use crate::neural::{Learner, LearnerState, TargetLayout, TrainingOptions, TrainingRows};
use crate::sequence::ngram::MARKS;
use crate::sequence::symbols::Symbols;
use crate::solvers::{Rate, UpdateRule};

/// What the rate falls to.
const LAST_RATE: f64 = 0.1;

pub(super) fn fit(
    params: &NeuralLanguage,
    symbols: Symbols,
    codes: &[u32],
    device: &Device,
    observer: &mut dyn Observer,
) -> Result<NeuralLanguageModel> {
    let names = symbols.len() + MARKS.len();
    let cut = Cut::new(codes.len(), params.steps, params.batch_size);
    let recurrent = params.network.cell().is_some();
    let network = params.network(names, cut.steps)?;
    let (x, y, order) = match recurrent {
        true => {
            let (x, y) = cut.matrices(codes)?;
            (x, y, cut.order())
        }
        false => {
            let next = codes.iter().map(|code| *code as f32).collect();
            let x = windows(codes, 0..codes.len(), params.window)?;
            (x, Matrix::from_vec(codes.len(), 1, next)?, (0..codes.len() as u32).collect())
        }
    };
    let batch_size = if recurrent { cut.parts } else { params.batch_size.saturating_mul(params.steps).min(x.rows()) };
    let steps = (params.epochs * x.rows().div_ceil(batch_size)) as u64;
    let options = TrainingOptions {
        batch_size,
        rule: UpdateRule::Adam { first: 0.9, second: 0.999, epsilon: 1e-8 },
        rate: Rate::Cosine { first: params.learning_rate, last: LAST_RATE * params.learning_rate, steps },
        l1: 0.0,
        l2: 0.0,
        clip_norm: Some(params.clip_norm),
        noise: 0.0,
        // Parts of a text go on where they were.
        shuffle: !recurrent,
        seed: params.seed,
    };
    let state = LearnerState::new(network.start(params.seed));
    let mut learner = Learner::new(device, network, options, &state, (x.rows(), y.columns()))?;
    let targets = TargetLayout { classes: true, weight: None, columns: y.columns() };
    let (x, y, order) = (x.to(device)?, y.to(device)?, DeviceVec::from_slice(&order, device)?);
    let rows = TrainingRows { x: &x, y: &y, targets };
    let (mut stream, mut reporter) = (device.stream(), Reporter::new("language model", observer));
    let mut losses = vec![];
    for epoch in 1..=params.epochs {
        let told = match learner.epoch(&mut stream, (rows, &order), None) {
            Ok(told) => told,
            Err(Error::NotFinite { .. }) if epoch > 1 => {
                log::warn!("language model: epoch {epoch} diverges; its steps are undone. Lower learning_rate");
                break;
            }
            Err(other) => return Err(other),
        };
        losses.push(told.loss);
        if reporter.report(epoch, Some(told.loss), epoch as f64 / params.epochs as f64)? {
            break;
        }
    }
    let parameters = learner.parameters().to_vec(&mut stream)?;
    NeuralLanguageModel::new(params.clone(), symbols, parameters, (losses, codes.len() as u64))
}
