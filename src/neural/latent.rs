//! The latent layer of a variational autoencoder.

use super::layer::{Backward, Forward, Layer, OwnLoss};
use super::shape::Shape;
use crate::error::{Error, Result};
use crate::ops::neural::{LatentShape, Tail, latent_backward, latent_divergence, latent_forward};

/// Values drawn by their means and variances, so that slopes go through (Kingma and Welling 2014): of 2k inputs, k means and k
/// logarithms of variances, k values mean + e^(½·log variance)·normal. While the network predicts, the means.
///
/// It adds the divergence of these distributions from the standard normal to the loss. The layer before it has no activation
/// and no dropout. [`check_gradient`](super::check_gradient) knows neither draws nor divergence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latent {
    /// Values, k.
    pub columns: usize,
}

impl Latent {
    fn shape(&self, rows: usize) -> LatentShape {
        LatentShape { rows, columns: self.columns }
    }
}

impl Layer for Latent {
    fn name(&self) -> &'static str {
        "latent"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        if self.columns == 0 || input.size() != 2 * self.columns {
            let expected = format!("{} inputs, at least two: means and logarithms of variances", 2 * self.columns);
            return Err(Error::shape("latent", expected, input));
        }
        Ok(Shape::Flat(self.columns))
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let random = pass.learning.then_some(pass.random);
        latent_forward(pass.stream, pass.input, self.shape(pass.rows), random, pass.output)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let Some((out, tail)) = pass.input_slope else { return Ok(()) };
        if tail != Tail::default() {
            return Err(Error::param("activation", "none, and no dropout, before a latent layer", format!("{tail:?}")));
        }
        let by_rows = (1.0 / pass.rows.max(1) as f32, pass.random);
        latent_backward(pass.stream, (pass.input, pass.slope), self.shape(pass.rows), by_rows, out)
    }

    fn add_loss(&self, pass: OwnLoss<'_>) -> Result<()> {
        let shape = (self.shape(pass.rows), pass.outputs);
        latent_divergence(pass.stream, pass.input, shape, (pass.sums, pass.first))
    }

    fn reference(&self, input: &[f64], rows: usize, _: &[f64], _: Shape) -> Vec<f64> {
        input.chunks_exact(2 * self.columns).take(rows).flat_map(|row| &row[..self.columns]).copied().collect()
    }
}
