//! Layers without parameters: an activation by itself, and images or sequences as flat rows.

use super::check_dropout;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Forward, Layer};
use crate::neural::shape::Shape;
use crate::ops::neural::{Activation, activate_backward, activate_forward};

/// activation(x), with dropout: behind a layer that has no activation of its own, such as a normalisation.
///
/// ```
/// use gristmill::neural::{Activate, Activation};
/// assert_eq!(Activate::new(Activation::Relu).dropout(0.5).dropout, 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activate {
    /// What is done to each value.
    pub activation: Activation,
    /// The share of values left out while the network learns.
    pub dropout: f64,
}

impl Activate {
    /// Without dropout.
    pub fn new(activation: Activation) -> Activate {
        Activate { activation, dropout: 0.0 }
    }

    /// The same with so much dropout.
    pub fn dropout(mut self, dropout: f64) -> Activate {
        self.dropout = dropout;
        self
    }
}

/// An image or a sequence as a flat row: the numbers stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flatten;

fn forward(pass: Forward<'_>) -> Result<()> {
    activate_forward(pass.stream, pass.input, (pass.rows, pass.shape.size()), pass.output, pass.tail)
}

fn backward(pass: Backward<'_>) -> Result<()> {
    let Some((out, tail)) = pass.input_slope else { return Ok(()) };
    activate_backward(pass.stream, pass.slope, (pass.rows, pass.shape.size()), out, (tail, pass.input))
}

/// Refuses rows without numbers.
fn some(name: &'static str, input: Shape) -> Result<Shape> {
    match input.size() {
        0 => Err(Error::shape(name, "at least one number", 0)),
        _ => Ok(input),
    }
}

impl Layer for Activate {
    fn name(&self) -> &'static str {
        "activate"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        check_dropout(self.dropout)?;
        some("activate", input)
    }

    fn activation(&self) -> Activation {
        self.activation
    }

    fn dropout(&self) -> f64 {
        self.dropout
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        forward(pass)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        backward(pass)
    }

    fn reference(&self, input: &[f64], _: usize, _: &[f64], _: Shape) -> Vec<f64> {
        input.to_vec()
    }
}

impl Layer for Flatten {
    fn name(&self) -> &'static str {
        "flatten"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        some("flatten", input).map(|input| Shape::Flat(input.size()))
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        forward(pass)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        backward(pass)
    }

    fn reference(&self, input: &[f64], _: usize, _: &[f64], _: Shape) -> Vec<f64> {
        input.to_vec()
    }
}
