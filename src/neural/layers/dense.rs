//! The dense layer: every input goes to every output.

use super::check_dropout;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Block, Forward, Layer};
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, DenseShape, dense_forward, dense_input_slope, dense_weight_slope};

/// activation(x·W + bias), with dropout. Inputs of any shape are taken as flat, unless [`Dense::each_step`] takes the steps of a
/// sequence one by one.
///
/// ```
/// use gristmill::neural::{Activation, Dense, Start};
/// let hidden = Dense::new(64, Activation::Relu).dropout(0.2).start(Start::He);
/// assert_eq!(hidden.units, 64);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dense {
    /// Outputs.
    pub units: usize,
    /// What is done to each sum.
    pub activation: Activation,
    /// The share of outputs left out while the network learns.
    pub dropout: f64,
    /// What the weights begin with.
    pub start: Start,
    /// What the biases begin with.
    pub bias_start: Start,
    /// Whether each step of a sequence goes through it by itself, all with the same weights.
    pub each_step: bool,
}

impl Dense {
    /// So many outputs, without dropout; weights begin as [`Start::Glorot`], biases at 0.
    pub fn new(units: usize, activation: Activation) -> Dense {
        Dense { units, activation, dropout: 0.0, start: Start::Glorot, bias_start: Start::Zero, each_step: false }
    }

    /// The same with so much dropout.
    pub fn dropout(mut self, dropout: f64) -> Dense {
        self.dropout = dropout;
        self
    }

    /// The same with another start of its weights.
    pub fn start(mut self, start: Start) -> Dense {
        self.start = start;
        self
    }

    /// The same with another start of its biases.
    pub fn bias_start(mut self, start: Start) -> Dense {
        self.bias_start = start;
        self
    }

    /// The same for each step of a sequence by itself. If it is not the last layer, its outputs are a multiple of 4.
    pub fn each_step(mut self) -> Dense {
        self.each_step = true;
        self
    }

    /// Rows that a row of inputs is taken as, and the inputs of each.
    fn cut(&self, input: Shape) -> (usize, usize) {
        match input {
            Shape::Sequence { steps, features } if self.each_step => (steps, features),
            other => (1, other.size()),
        }
    }

    fn shape(&self, first: usize, input: Shape) -> DenseShape {
        DenseShape { first, inputs: self.cut(input).1, outputs: self.units }
    }
}

impl Layer for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        if self.units == 0 || input.size() == 0 {
            let got = format!("{input} inputs and {} outputs", self.units);
            return Err(Error::shape("dense", "a layer with at least one input and one output", got));
        }
        check_dropout(self.dropout)?;
        match input {
            Shape::Sequence { steps, features } if self.each_step && features.is_multiple_of(4) => {
                Ok(Shape::Sequence { steps, features: self.units })
            }
            other if self.each_step => {
                Err(Error::shape("dense", "a sequence whose steps have a multiple of 4 numbers", other))
            }
            _ => Ok(Shape::Flat(self.units)),
        }
    }

    fn blocks(&self, input: Shape) -> Vec<Block> {
        let fan = [self.cut(input).1, self.units];
        let bias = Block { name: "bias", rows: 1, columns: self.units, penalised: false, start: self.bias_start, fan };
        vec![Block { name: "weights", rows: fan[0], penalised: true, start: self.start, ..bias }, bias]
    }

    fn activation(&self) -> Activation {
        self.activation
    }

    fn dropout(&self) -> f64 {
        self.dropout
    }

    fn pads_steps(&self) -> bool {
        self.each_step && !self.units.is_multiple_of(4)
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let (shape, rows) = (self.shape(pass.first, pass.shape), pass.rows * self.cut(pass.shape).0);
        dense_forward(pass.stream, pass.input, (pass.parameters, shape), rows, pass.output, pass.tail)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let (shape, rows) = (self.shape(pass.first, pass.shape), pass.rows * self.cut(pass.shape).0);
        dense_weight_slope(pass.stream, (pass.input, pass.slope), shape, rows, pass.gradient, false)?;
        if let Some((out, tail)) = pass.input_slope {
            let of_layer = (pass.parameters, shape);
            dense_input_slope(pass.stream, pass.slope, of_layer, rows, out, (tail, pass.input))?;
        }
        Ok(())
    }

    fn reference(&self, input: &[f64], rows: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        let ((steps, inputs), stride) = (self.cut(shape), self.units.next_multiple_of(4));
        let sum = |row: usize, unit: usize| {
            let weighted = (0..inputs).map(|at| input[row * inputs + at] * parameters[at * stride + unit]);
            weighted.sum::<f64>() + parameters[inputs * stride + unit]
        };
        (0..rows * steps * self.units).map(|at| sum(at / self.units, at % self.units)).collect()
    }
}
