//! A row of a table for each token.

use rayon::prelude::*;

use super::tail::Tail;

/// A table of tokens×width inside a flat vector, and rows of `steps` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingShape {
    /// Where the table begins, a multiple of 4.
    pub first: usize,
    /// Rows of the table.
    pub tokens: usize,
    /// Numbers of a row, a multiple of 4.
    pub width: usize,
    /// Tokens of a row of inputs.
    pub steps: usize,
}

impl EmbeddingShape {
    /// From a row of inputs to the next.
    pub fn input_stride(&self) -> usize {
        self.steps.next_multiple_of(4)
    }

    /// Numbers of a row of outputs.
    pub fn outputs(&self) -> usize {
        self.steps * self.width
    }

    /// The token at a step of a row; numbers beyond the table are its last.
    fn token(&self, x: &[f32], at: usize) -> usize {
        (x[at / self.steps * self.input_stride() + at % self.steps] as usize).min(self.tokens - 1)
    }
}

/// `out = tail(table[x])`, rows of steps×width.
pub fn forward(x: &[f32], parameters: &[f32], shape: EmbeddingShape, rows: usize, out: &mut [f32], tail: Tail) {
    let (width, length) = (shape.width, shape.outputs());
    let table = &parameters[shape.first..shape.first + shape.tokens * width];
    out[..rows * length].par_chunks_mut(length).enumerate().for_each(|(row, out)| {
        for (step, out) in out.chunks_exact_mut(width).enumerate() {
            out.copy_from_slice(&table[shape.token(x, row * shape.steps + step) * width..][..width]);
        }
        tail.forward(out, length, length, row, None);
    });
}

/// The slopes by the table, written into `gradient` where it is.
pub fn weight_slope(x: &[f32], slope: &[f32], shape: EmbeddingShape, rows: usize, gradient: &mut [f32]) {
    let width = shape.width;
    let table = &mut gradient[shape.first..shape.first + shape.tokens * width];
    table.fill(0.0);
    for (at, slope) in slope[..rows * shape.outputs()].chunks_exact(width).enumerate() {
        let own = &mut table[shape.token(x, at) * width..][..width];
        own.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope);
    }
}
