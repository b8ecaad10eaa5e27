//! Encoder and decoder, and both as one network.

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{OwnedRows, Rows};
use crate::neural::Dense;
use crate::neural::latent::Latent;
use crate::neural::network::Network;
use crate::neural::predict::predict;
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, OutputLoss};

/// What a pair of networks is built from.
pub(super) struct Plan<'a> {
    pub(super) columns: usize,
    pub(super) hidden: &'a [usize],
    pub(super) activation: Activation,
    /// Columns of the code, and whether they are drawn by means and variances.
    pub(super) code: usize,
    pub(super) drawn: bool,
    pub(super) outputs: (usize, Activation, OutputLoss),
    pub(super) tied: bool,
}

/// The parameters of the whole network are those of the encoder, then those of the decoder.
#[derive(Debug, Clone)]
pub(super) struct Halves {
    pub(super) whole: Network,
    pub(super) encoder: Network,
    pub(super) decoder: Network,
}

/// Halves are what their sizes say, which the parameters of the model fix.
impl PartialEq for Halves {
    fn eq(&self, other: &Halves) -> bool {
        self.whole.parameters() == other.whole.parameters()
    }
}

impl Halves {
    pub(super) fn new(plan: &Plan<'_>) -> Result<Halves> {
        let (outputs, last, loss) = plan.outputs;
        let layer = |units: usize, activation: Activation| {
            let start = match activation {
                Activation::Relu | Activation::LeakyRelu => Start::He,
                _ => Start::Glorot,
            };
            Dense::new(units, activation).start(start)
        };
        let sums = if plan.drawn { 2 * plan.code } else { plan.code };
        let mut encoder = Network::new(Shape::Flat(plan.columns), loss);
        for units in plan.hidden {
            encoder = encoder.layer(layer(*units, plan.activation))?;
        }
        encoder = encoder.layer(layer(sums, Activation::Identity))?;
        let mut whole = encoder.clone();
        if plan.drawn {
            whole = whole.layer(Latent { columns: plan.code })?;
        }
        let mut decoder = Network::new(Shape::Flat(plan.code), loss);
        let behind = plan.hidden.iter().rev().map(|units| layer(*units, plan.activation));
        for dense in behind.chain([layer(outputs, last)]) {
            decoder = decoder.layer(dense)?;
            whole = whole.layer(dense)?;
        }
        if plan.tied {
            // Weights and biases by turns: the first layer's weights turned are the last layer's.
            let blocks = whole.blocks().count();
            for at in (0..blocks / 2).step_by(2) {
                whole = whole.tied(at, blocks - 2 - at)?;
            }
        }
        Ok(Halves { whole, encoder, decoder })
    }

    /// What the encoder gives for rows, n×(code or twice as many).
    pub(super) fn encoded(&self, op: &'static str, parameters: &[f32], x: Rows<'_>) -> Result<Matrix> {
        let x = x.queries(op, self.encoder.input().size())?;
        predict(&self.encoder, &parameters[..self.encoder.parameters()], &x, true)
    }

    /// What the decoder gives for codes, its last activation applied or left out.
    pub(super) fn decoded(&self, op: &'static str, parameters: &[f32], z: Rows<'_>, activated: bool) -> Result<Matrix> {
        let z = z.queries(op, self.decoder.input().size())?;
        predict(&self.decoder, &parameters[self.encoder.parameters()..], &z, activated)
    }
}

/// New rows where the old ones live.
pub(super) fn beside(x: Rows<'_>, made: Matrix) -> Result<OwnedRows> {
    match x {
        Rows::Device(on_device) => made.to(on_device.device()).map(OwnedRows::Device),
        _ => Ok(OwnedRows::Host(made)),
    }
}
