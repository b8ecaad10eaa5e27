//! Tokens as rows of a table that is learnt.

use super::check_dropout;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Block, Forward, Layer};
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{EmbeddingShape, embedding_forward, embedding_weight_slope};

/// A row of a table for each number of a row: tokens 0, 1, … become a sequence of `width` numbers a step. It is the first layer;
/// its gradient costs (tokens of the table)×(tokens of the batch) comparisons on a GPU.
///
/// ```
/// use gristmill::neural::{Embedding, Layer, Shape};
/// let layer = Embedding::new(27, 16);
/// assert_eq!(layer.output(Shape::Flat(8))?, Shape::Sequence { steps: 8, features: 16 });
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedding {
    /// Rows of the table; a number beyond it is its last.
    pub tokens: usize,
    /// Numbers of a row, a multiple of 4.
    pub width: usize,
    /// The share of outputs left out while the network learns.
    pub dropout: f64,
    /// What the table begins with.
    pub start: Start,
}

impl Embedding {
    /// A table that begins as normal numbers of deviation 0.1, without dropout.
    pub fn new(tokens: usize, width: usize) -> Embedding {
        Embedding { tokens, width, dropout: 0.0, start: Start::Normal(0.1) }
    }

    /// The same with so much dropout.
    pub fn dropout(mut self, dropout: f64) -> Embedding {
        self.dropout = dropout;
        self
    }

    fn shape(&self, first: usize, input: Shape) -> EmbeddingShape {
        EmbeddingShape { first, tokens: self.tokens, width: self.width, steps: input.size() }
    }
}

impl Layer for Embedding {
    fn name(&self) -> &'static str {
        "embedding"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        check_dropout(self.dropout)?;
        if self.tokens == 0 || self.tokens > 1 << 24 {
            return Err(Error::param("tokens", "1 to 16777216, which f32 counts exactly", self.tokens));
        }
        if self.width == 0 || !self.width.is_multiple_of(4) {
            return Err(Error::param("width", "a multiple of 4, above 0", self.width));
        }
        match input {
            Shape::Flat(steps) if steps > 0 => Ok(Shape::Sequence { steps, features: self.width }),
            other => Err(Error::shape("embedding", "rows of tokens", other)),
        }
    }

    fn blocks(&self, _: Shape) -> Vec<Block> {
        let (rows, columns) = (self.tokens, self.width);
        vec![Block { name: "table", rows, columns, penalised: true, start: self.start, fan: [rows, columns] }]
    }

    fn dropout(&self) -> f64 {
        self.dropout
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        embedding_forward(pass.stream, pass.input, (pass.parameters, shape), pass.rows, pass.output, pass.tail)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        if pass.input_slope.is_some() {
            return Err(Error::shape("embedding", "to be the first layer", "layers before it that learn"));
        }
        let shape = self.shape(pass.first, pass.shape);
        embedding_weight_slope(pass.stream, (pass.input, pass.slope), shape, pass.rows, pass.gradient)
    }

    fn reference(&self, input: &[f64], rows: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        let tokens = input.iter().take(rows * shape.size()).map(|token| (*token as usize).min(self.tokens - 1));
        tokens.flat_map(|token| parameters[token * self.width..][..self.width].iter().copied()).collect()
    }
}
