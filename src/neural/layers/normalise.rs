//! Layer and batch normalisation.

use crate::array::DeviceVec;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Block, Forward, Layer, Own};
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::{
    NormaliseShape, Together, follow_statistics, normalise_backward, normalise_forward, normalise_statistics,
};

/// Layer normalisation: the features of a row, of a step or of a pixel get mean 0 and variance 1, then a scale and a shift that
/// are learnt (Ba, Kiros and Hinton 2016). Put [`Activate`](super::Activate) behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerNormalise {
    /// Added to variances.
    pub epsilon: f64,
}

/// Batch normalisation: each feature, or channel, gets mean 0 and variance 1 over the batch, then a scale and a shift that are
/// learnt (Ioffe and Szegedy 2015). Predictions go by running means, which follow the batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNormalise {
    /// Added to variances.
    pub epsilon: f64,
    /// The share of a batch in the running means.
    pub momentum: f64,
}

impl Default for LayerNormalise {
    fn default() -> LayerNormalise {
        LayerNormalise { epsilon: 1e-5 }
    }
}

impl Default for BatchNormalise {
    fn default() -> BatchNormalise {
        BatchNormalise { epsilon: 1e-5, momentum: 0.1 }
    }
}

/// Places of a row and numbers of a place.
fn places(input: Shape) -> (usize, usize) {
    match input {
        Shape::Flat(size) => (1, size),
        Shape::Image { height, width, channels } => (height * width, channels),
        Shape::Sequence { steps, features } => (steps, features),
    }
}

fn shape(together: Together, first: usize, input: Shape, epsilon: f64) -> NormaliseShape {
    let (places, channels) = places(input);
    NormaliseShape { together, first, places, channels, epsilon: epsilon as f32 }
}

fn checked(name: &'static str, input: Shape, epsilon: f64) -> Result<Shape> {
    if !(epsilon > 0.0 && epsilon.is_finite()) {
        return Err(Error::param("epsilon", "above 0", epsilon));
    }
    match input.size() {
        0 => Err(Error::shape(name, "at least one number", 0)),
        _ => Ok(input),
    }
}

fn block(input: Shape, name: &'static str, start: f64) -> Block {
    let columns = places(input).1;
    Block { name, rows: 1, columns, penalised: false, start: Start::Constant(start), fan: [columns; 2] }
}

fn back(pass: Backward<'_>, shape: NormaliseShape) -> Result<()> {
    let (statistics, sums) = pass.kept.split_at_mut(1);
    let known = (pass.parameters, &statistics[0]);
    let made = (pass.gradient, &mut sums[0]);
    normalise_backward(pass.stream, (pass.input, pass.slope), known, pass.rows, shape, made, pass.input_slope)
}

/// The sums in f64; `set` says which mean a number goes by, of row, place and channel.
fn reference(
    input: &[f64],
    parameters: &[f64],
    (shape, epsilon): (Shape, f64),
    set: impl Fn(usize, usize, usize) -> usize,
) -> Vec<f64> {
    let (places, channels) = places(shape);
    let of = |at: usize| set(at / (places * channels), at / channels % places, at % channels);
    let mut sums = vec![[0.0; 3]; (0..input.len()).map(of).max().unwrap_or(0) + 1];
    for (at, value) in input.iter().enumerate() {
        let [count, sum, _] = &mut sums[of(at)];
        (*count, *sum) = (*count + 1.0, *sum + value);
    }
    for (at, value) in input.iter().enumerate() {
        let [count, sum, squares] = &mut sums[of(at)];
        *squares += (value - *sum / *count).powi(2);
    }
    let stride = channels.next_multiple_of(4);
    let one = |(at, value): (usize, &f64)| {
        let [count, sum, squares] = sums[of(at)];
        let normalised = (value - sum / count) / (squares / count + epsilon).sqrt();
        parameters[at % channels] * normalised + parameters[stride + at % channels]
    };
    input.iter().enumerate().map(one).collect()
}

impl Layer for LayerNormalise {
    fn name(&self) -> &'static str {
        "layer_normalise"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        checked("layer_normalise", input, self.epsilon)
    }

    fn blocks(&self, input: Shape) -> Vec<Block> {
        vec![block(input, "scale", 1.0), block(input, "shift", 0.0)]
    }

    fn kept(&self, input: Shape) -> Vec<usize> {
        vec![2 * places(input).0; 2]
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let shape = shape(Together::Channels, pass.first, pass.shape, self.epsilon);
        normalise_statistics(pass.stream, pass.input, pass.parameters, pass.rows, shape, &mut pass.kept[0])?;
        let known = (pass.parameters, Some(&pass.kept[0]));
        normalise_forward(pass.stream, pass.input, known, pass.rows, shape, (pass.output, pass.tail))
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let shape = shape(Together::Channels, pass.first, pass.shape, self.epsilon);
        back(pass, shape)
    }

    fn reference(&self, input: &[f64], _: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        let count = places(shape).0;
        reference(input, parameters, (shape, self.epsilon), |row, place, _| row * count + place)
    }
}

impl BatchNormalise {
    fn shape(&self, first: usize, input: Shape) -> NormaliseShape {
        shape(Together::Rows, first, input, self.epsilon)
    }
}

impl Layer for BatchNormalise {
    fn name(&self) -> &'static str {
        "batch_normalise"
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        if !(self.momentum > 0.0 && self.momentum <= 1.0) {
            return Err(Error::param("momentum", "above 0, up to 1", self.momentum));
        }
        checked("batch_normalise", input, self.epsilon)
    }

    fn blocks(&self, input: Shape) -> Vec<Block> {
        [("scale", 1.0), ("shift", 0.0), ("mean", 0.0), ("variance", 1.0)]
            .map(|(name, start)| block(input, name, start))
            .to_vec()
    }

    /// As many pairs a row as there are channels: a batch of one row has as many means as a large one.
    fn kept(&self, input: Shape) -> Vec<usize> {
        vec![2 * places(input).1; 2]
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        if pass.learning {
            normalise_statistics(pass.stream, pass.input, pass.parameters, pass.rows, shape, &mut pass.kept[0])?;
        }
        let known = (pass.parameters, pass.learning.then_some(&pass.kept[0]));
        normalise_forward(pass.stream, pass.input, known, pass.rows, shape, (pass.output, pass.tail))
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        back(pass, shape)
    }

    fn follow(&self, stream: &mut Stream, shape: Shape, kept: &[DeviceVec<f32>], own: Own<'_>) -> Result<()> {
        let shape = self.shape(own.first, shape);
        follow_statistics(stream, &kept[0], shape, self.momentum as f32, own.parameters)
    }

    fn reference(&self, input: &[f64], _: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        reference(input, parameters, (shape, self.epsilon), |_, _, channel| channel)
    }
}
