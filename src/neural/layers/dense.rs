//! The dense layer: every input goes to every output.

use super::check_dropout;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Block, Forward, Layer};
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{Activation, DenseShape, dense_forward, dense_input_slope, dense_weight_slope};

/// activation(x·W + bias), with dropout. Inputs of any shape are taken as flat.
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
}

impl Dense {
    /// So many outputs, without dropout; weights begin as [`Start::Glorot`], biases at 0.
    pub fn new(units: usize, activation: Activation) -> Dense {
        Dense { units, activation, dropout: 0.0, start: Start::Glorot, bias_start: Start::Zero }
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

    fn shape(&self, first: usize, input: Shape) -> DenseShape {
        DenseShape { first, inputs: input.size(), outputs: self.units }
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
        Ok(Shape::Flat(self.units))
    }

    fn blocks(&self, input: Shape) -> Vec<Block> {
        let fan = [input.size(), self.units];
        let bias = Block { name: "bias", rows: 1, columns: self.units, penalised: false, start: self.bias_start, fan };
        vec![Block { name: "weights", rows: input.size(), penalised: true, start: self.start, ..bias }, bias]
    }

    fn activation(&self) -> Activation {
        self.activation
    }

    fn dropout(&self) -> f64 {
        self.dropout
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        dense_forward(pass.stream, pass.input, (pass.parameters, shape), pass.rows, pass.output, pass.tail)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        dense_weight_slope(pass.stream, (pass.input, pass.slope), shape, pass.rows, pass.gradient, false)?;
        if let Some((out, tail)) = pass.input_slope {
            let of_layer = (pass.parameters, shape);
            dense_input_slope(pass.stream, pass.slope, of_layer, pass.rows, out, (tail, pass.input))?;
        }
        Ok(())
    }

    fn reference(&self, input: &[f64], rows: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        let (inputs, stride) = (shape.size(), self.units.next_multiple_of(4));
        let sum = |row: usize, unit: usize| {
            let weighted = (0..inputs).map(|at| input[row * inputs + at] * parameters[at * stride + unit]);
            weighted.sum::<f64>() + parameters[inputs * stride + unit]
        };
        (0..rows * self.units).map(|at| sum(at / self.units, at % self.units)).collect()
    }
}
