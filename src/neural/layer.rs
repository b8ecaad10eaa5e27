//! What a layer is.

use std::fmt::Debug;

use super::shape::Shape;
use super::start::Start;
use crate::array::DeviceVec;
use crate::device::Stream;
use crate::error::Result;
use crate::ops::neural::{Activation, Tail};

/// A block of a layer's parameters: a matrix whose rows lie a multiple of four numbers apart. The blocks of a layer follow
/// each other in the flat vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Its name in files and reports: `weights`, `bias`.
    pub name: &'static str,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// Whether L1 and L2 count it.
    pub penalised: bool,
    /// What it begins with.
    pub start: Start,
    /// Inputs and outputs of a unit, for starts that go by them.
    pub fan: [usize; 2],
}

impl Block {
    /// Numbers in the flat vector, with padding.
    pub fn size(&self) -> usize {
        self.rows * self.stride()
    }

    /// From a row to the next.
    pub fn stride(&self) -> usize {
        self.columns.next_multiple_of(4)
    }
}

/// A layer: a value that knows its shape and parameters, and records its work on a stream. The documentation of
/// [`neural`](super) says how one is added.
pub trait Layer: Debug + Send + Sync {
    /// Its name, for messages and reports: `dense`.
    fn name(&self) -> &'static str;

    /// The shape of what comes out, or an error that says what may go in.
    fn output(&self, input: Shape) -> Result<Shape>;

    /// Its parameters for inputs of this shape.
    fn blocks(&self, _input: Shape) -> Vec<Block> {
        vec![]
    }

    /// What is done to each of its values in the end. The activation of the last layer is left to the loss.
    fn activation(&self) -> Activation {
        Activation::Identity
    }

    /// The share of its values that are left out while the network learns.
    fn dropout(&self) -> f64 {
        0.0
    }

    /// What `forward` leaves for `backward` beside input and output, and what `backward` works in: vectors of so many numbers a
    /// row.
    fn kept(&self, _input: Shape) -> Vec<usize> {
        vec![]
    }

    /// Writes `pass.output`, `pass.tail` applied.
    fn forward(&self, pass: Forward<'_>) -> Result<()>;

    /// Writes its part of `pass.gradient`, and the slopes by the sums of the layer before if they are asked for.
    fn backward(&self, pass: Backward<'_>) -> Result<()>;

    /// Called after each step of the optimiser, for parameters that follow the batches and have no gradient: the running means of
    /// a batch normalisation.
    fn follow(&self, _stream: &mut Stream, _shape: Shape, _kept: &[DeviceVec<f32>], _own: Own<'_>) -> Result<()> {
        Ok(())
    }

    /// Called before the first batch of an epoch, and before rows that do not go on from those before: forgets a state that is carried
    /// from batch to batch.
    fn forget(&self, _stream: &mut Stream, _kept: &mut [DeviceVec<f32>]) -> Result<()> {
        Ok(())
    }

    /// Whether each step of a sequence that it gives is padded to a multiple of four numbers by itself. Only the last layer may.
    fn pads_steps(&self) -> bool {
        false
    }

    /// Adds a loss of its own, of the rows' values, to the sums of the batch's losses. None by default.
    fn add_loss(&self, _pass: OwnLoss<'_>) -> Result<()> {
        Ok(())
    }

    /// The sums before the tail, in f64, slow and obvious: what [`check_gradient`](super::check_gradient) goes by. Rows
    /// without padding; `parameters` are those of the layer alone, as they lie in the flat vector.
    fn reference(&self, input: &[f64], rows: usize, parameters: &[f64], shape: Shape) -> Vec<f64>;
}

/// The parameters of all layers, and where those of one begin.
#[derive(Debug)]
pub struct Own<'a> {
    /// All of them.
    pub parameters: &'a mut DeviceVec<f32>,
    /// Where the layer's begin.
    pub first: usize,
}

/// What a layer gets to compute its values.
#[derive(Debug)]
pub struct Forward<'a> {
    /// Where work is recorded.
    pub stream: &'a mut Stream,
    /// Rows of the batch.
    pub rows: usize,
    /// Shape of a row of inputs.
    pub shape: Shape,
    /// rows×input.
    pub input: &'a DeviceVec<f32>,
    /// rows×output, to be written; padding stays 0.
    pub output: &'a mut DeviceVec<f32>,
    /// The parameters of all layers.
    pub parameters: &'a DeviceVec<f32>,
    /// Where those of this layer begin.
    pub first: usize,
    /// To be applied to each value: activation and dropout.
    pub tail: Tail,
    /// Room for what `backward` needs: the vectors that `kept` lists, rows×numbers each.
    pub kept: &'a mut [DeviceVec<f32>],
    /// Whether the network learns: batch statistics and random samples are for learning alone.
    pub learning: bool,
    /// Key and number of the step for random numbers by counter; (0, 0) where nothing shall be random.
    pub random: (u64, u32),
}

/// What a layer gets to add a loss of its own.
#[derive(Debug)]
pub struct OwnLoss<'a> {
    /// Where work is recorded.
    pub stream: &'a mut Stream,
    /// Rows of the batch.
    pub rows: usize,
    /// rows×input.
    pub input: &'a DeviceVec<f32>,
    /// Outputs of the whole network, which decide how many rows one sum is of.
    pub outputs: usize,
    /// Pairs of sums, the first of each pair of losses.
    pub sums: &'a mut DeviceVec<f32>,
    /// The pair of the batch's first rows.
    pub first: usize,
}

/// What a layer gets to compute slopes.
#[derive(Debug)]
pub struct Backward<'a> {
    /// Where work is recorded.
    pub stream: &'a mut Stream,
    /// Rows of the batch.
    pub rows: usize,
    /// Shape of a row of inputs.
    pub shape: Shape,
    /// rows×input, the values of the layer before.
    pub input: &'a DeviceVec<f32>,
    /// rows×output: the slopes of the loss by this layer's sums, before its activation and dropout.
    pub slope: &'a DeviceVec<f32>,
    /// rows×input, to be written: the slopes by the sums of the layer before, whose tail this is. Asked where layers
    /// before have parameters.
    pub input_slope: Option<(&'a mut DeviceVec<f32>, Tail)>,
    /// The parameters of all layers.
    pub parameters: &'a DeviceVec<f32>,
    /// The gradient of all layers, of which this layer writes its own part, all of it.
    pub gradient: &'a mut DeviceVec<f32>,
    /// Where the layer's parameters and gradient begin.
    pub first: usize,
    /// What `forward` left.
    pub kept: &'a mut [DeviceVec<f32>],
    /// Key and number of the step, as in `forward`.
    pub random: (u64, u32),
}
