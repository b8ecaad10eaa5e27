//! Layers in a row, their parameters in one flat vector, and the two passes through them.

use std::ops::Range;
use std::sync::Arc;

use super::buffers::Buffers;
use super::layer::{Backward, Block, Forward, Layer, Own, OwnLoss};
use super::shape::Shape;
use crate::array::{DeviceVec, Matrix};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::neural::loss::sums_of;
use crate::ops::neural::{
    Activation, Dropout, LossShape, OutputLoss, STEPS, Tail, TargetLayout, TiedBlocks, activate_outputs, output_loss,
    tie_slopes,
};

/// Layers in a row and a loss, with all shapes checked. It holds no weights: they are one flat vector on a device.
///
/// ```
/// use gristmill::neural::{Activation, Dense, Network, OutputLoss, Shape};
/// let network = Network::new(Shape::Flat(4), OutputLoss::CategoricalCrossEntropy)
///     .layer(Dense::new(8, Activation::Relu))?
///     .layer(Dense::new(3, Activation::Softmax))?;
/// assert_eq!(network.outputs(), 3);
/// assert_eq!(network.blocks().count(), 4); // two matrices of weights, two biases
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Network {
    layers: Vec<Arc<dyn Layer>>,
    /// Of the inputs, then of what each layer gives.
    shapes: Vec<Shape>,
    blocks: Vec<PlacedBlock>,
    /// Where each layer's parameters begin, and the end.
    firsts: Vec<usize>,
    loss: OutputLoss,
    drops: bool,
    /// Blocks of which one is the other turned.
    ties: Vec<TiedBlocks>,
}

/// A block of parameters with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedBlock {
    /// The number of its layer.
    pub layer: usize,
    /// Where it begins in the flat vector.
    pub first: usize,
    /// The block.
    pub block: Block,
}

impl PlacedBlock {
    /// Its place in the flat vector, padding included.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.block.size()
    }
}

impl Network {
    /// No layer yet.
    pub fn new(input: Shape, loss: OutputLoss) -> Network {
        Network {
            layers: vec![],
            shapes: vec![input],
            blocks: vec![],
            firsts: vec![0],
            loss,
            drops: true,
            ties: vec![],
        }
    }

    /// The same with a layer behind the others; an error if its inputs do not fit.
    pub fn layer(mut self, layer: impl Layer + 'static) -> Result<Network> {
        if let Some(last) = self.layers.last()
            && last.activation() == Activation::Softmax
        {
            return Err(Error::param("activation", "softmax in the last layer alone", last.name()));
        }
        if self.layers.last().is_some_and(|last| last.pads_steps()) {
            return Err(Error::shape("network", "a multiple of 4 numbers a step before another layer", self.shape()));
        }
        let (input, number) = (self.shape(), self.layers.len());
        let output = layer.output(input)?;
        let mut first = self.parameters();
        for block in layer.blocks(input) {
            self.blocks.push(PlacedBlock { layer: number, first, block });
            first += block.size();
        }
        if u32::try_from(first).is_err() {
            let what = "parameters of a network".to_string();
            return Err(Error::Limit { what, need: first as u64, have: u64::from(u32::MAX) });
        }
        self.firsts.push(first);
        self.shapes.push(output);
        self.layers.push(Arc::new(layer));
        Ok(self)
    }

    /// The same without dropout, and with inputs as they are.
    pub fn without_dropout(mut self) -> Network {
        self.drops = false;
        self
    }

    /// The same with two blocks tied: the second has the weights of the first, turned, and both learn as one.
    pub fn tied(mut self, first: usize, second: usize) -> Result<Network> {
        let (one, other) = (*self.placed(first)?, *self.placed(second)?);
        let (rows, columns) = (one.block.rows, one.block.columns);
        if first == second || (other.block.columns, other.block.rows) != (rows, columns) {
            let got = format!("{}×{}", other.block.rows, other.block.columns);
            return Err(Error::shape("network", format!("another block of {columns}×{rows} to be tied"), got));
        }
        self.ties.push(TiedBlocks { rows, columns, firsts: [one.first, other.first] });
        Ok(self)
    }

    /// The layers.
    pub fn layers(&self) -> &[Arc<dyn Layer>] {
        &self.layers
    }

    /// The shape of the inputs.
    pub fn input(&self) -> Shape {
        self.shapes[0]
    }

    /// The shape of what the last layer gives.
    pub fn shape(&self) -> Shape {
        self.shapes[self.layers.len()]
    }

    /// The shape of what a layer gives.
    pub fn shape_behind(&self, layer: usize) -> Shape {
        self.shapes[layer + 1]
    }

    /// Numbers that come out.
    pub fn outputs(&self) -> usize {
        self.shape().size()
    }

    /// Rows that the loss takes a row of the network as, and the outputs of each: a categorical cross-entropy behind a sequence has a
    /// class for each step.
    pub fn loss_rows(&self) -> (usize, usize) {
        match self.shape() {
            Shape::Sequence { steps, features } if self.loss == OutputLoss::CategoricalCrossEntropy => {
                (steps, features)
            }
            other => (1, other.size()),
        }
    }

    /// From a row of values to the next: of the inputs, or behind layer `at` − 1.
    pub fn stride(&self, at: usize) -> usize {
        match self.shapes[at] {
            Shape::Sequence { steps, features } if at > 0 && self.layers[at - 1].pads_steps() => {
                steps * features.next_multiple_of(4)
            }
            other => other.stride(),
        }
    }

    /// The loss.
    pub fn loss(&self) -> OutputLoss {
        self.loss
    }

    /// The activation of the last layer.
    pub fn output_activation(&self) -> Activation {
        self.layers.last().map_or(Activation::Identity, |layer| layer.activation())
    }

    /// Numbers in the flat vector of parameters, padding included.
    pub fn parameters(&self) -> usize {
        self.firsts[self.layers.len()]
    }

    /// Every block of parameters, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &PlacedBlock> {
        self.blocks.iter()
    }

    /// Parameters to begin with.
    pub fn start(&self, seed: u64) -> Vec<f32> {
        let mut flat = vec![0.0; self.parameters()];
        for placed in &self.blocks {
            let Block { rows, columns, start, fan, .. } = placed.block;
            let stride = placed.block.stride();
            for row in 0..rows {
                let place = placed.first + row * stride;
                start.fill(seed, place, fan, &mut flat[place..place + columns]);
            }
        }
        for tied in &self.ties {
            for (row, column) in (0..tied.rows).flat_map(|row| (0..tied.columns).map(move |column| (row, column))) {
                let [from, to] = tied.places(row, column);
                flat[to] = flat[from];
            }
        }
        flat
    }

    /// A block of a flat vector as a matrix.
    pub fn block(&self, flat: &[f32], at: usize) -> Result<Matrix> {
        let placed = self.placed(at)?;
        let rows = flat[placed.range()].chunks_exact(placed.block.stride());
        let values = rows.flat_map(|row| &row[..placed.block.columns]).copied().collect();
        Matrix::from_vec(placed.block.rows, placed.block.columns, values)
    }

    /// Puts a matrix into a block of a flat vector.
    pub fn set_block(&self, flat: &mut [f32], at: usize, values: &Matrix) -> Result<()> {
        let placed = self.placed(at)?;
        let Block { rows, columns, name, .. } = placed.block;
        if (values.rows(), values.columns()) != (rows, columns) {
            let got = format!("{}×{}", values.rows(), values.columns());
            return Err(Error::shape("set_block", format!("{name} of {rows}×{columns}"), got));
        }
        values.refuse_missing()?;
        for (row, place) in flat[placed.range()].chunks_exact_mut(placed.block.stride()).enumerate() {
            place[..columns].copy_from_slice(values.row(row));
        }
        Ok(())
    }

    fn placed(&self, at: usize) -> Result<&PlacedBlock> {
        let expected = || format!("a block below {}", self.blocks.len());
        self.blocks.get(at).ok_or_else(|| Error::shape("network", expected(), at))
    }

    /// The tail of a layer at a step, or while the network predicts.
    fn tail(&self, layer: usize, learning: bool, random: (u64, u32)) -> Tail {
        let last = layer + 1 == self.layers.len();
        let activation = if last { Activation::Identity } else { self.layers[layer].activation() };
        let rate = self.layers[layer].dropout() as f32;
        let key = layer_key(random.0, layer);
        let dropout = (learning && self.drops && !last && rate > 0.0).then_some(Dropout { rate, key, step: random.1 });
        Tail { activation, dropout }
    }

    /// The sums of the last layer, from `buffers.values[0]` through all layers.
    pub fn forward(
        &self,
        stream: &mut Stream,
        parameters: &DeviceVec<f32>,
        buffers: &mut Buffers,
        rows: usize,
        (learning, random): (bool, (u64, u32)),
    ) -> Result<()> {
        for (at, layer) in self.layers.iter().enumerate() {
            let (before, behind) = buffers.values.split_at_mut(at + 1);
            layer.forward(Forward {
                stream,
                rows,
                shape: self.shapes[at],
                input: &before[at],
                output: &mut behind[0],
                parameters,
                first: self.firsts[at],
                tail: self.tail(at, learning, random),
                kept: &mut buffers.kept[at],
                learning,
                random: if self.drops { (layer_key(random.0, at), random.1) } else { (0, 0) },
            })?;
        }
        Ok(())
    }

    /// Applies the last activation to what [`Network::forward`] left.
    pub fn activate(&self, stream: &mut Stream, buffers: &mut Buffers, rows: usize) -> Result<()> {
        let last = self.layers.len();
        let unused = [&mut buffers.targets, &mut buffers.slopes[last], &mut buffers.unused];
        let (outputs, activation) = (&mut buffers.values[last], self.output_activation());
        let (steps, each) = self.loss_rows();
        activate_outputs(stream, outputs, rows * steps, each, activation, unused)
    }

    /// The loss of what [`Network::forward`] left beside `buffers.targets`, and its slopes; sums go to pair `first` of `sums`.
    pub fn output_loss(
        &self,
        stream: &mut Stream,
        buffers: &mut Buffers,
        (rows, targets): (usize, TargetLayout),
        sums: (&mut DeviceVec<f32>, usize),
    ) -> Result<()> {
        let last = self.layers.len();
        let (steps, each) = self.loss_rows();
        if steps != targets.steps() {
            return Err(Error::shape("network", format!("a class for each of {steps} steps"), targets.steps()));
        }
        let shape = LossShape {
            rows: rows * steps,
            outputs: each,
            activation: self.output_activation(),
            loss: self.loss,
            targets,
            scale: 1.0 / (rows * steps).max(1) as f32,
        };
        let Buffers { values, slopes, targets, .. } = buffers;
        let (sums, first) = sums;
        output_loss(stream, &mut values[last], targets, shape, &mut slopes[last], (&mut *sums, first))?;
        for (layer, input) in self.layers.iter().zip(&*values) {
            layer.add_loss(OwnLoss { stream, rows, input, outputs: each, sums, first })?;
        }
        Ok(())
    }

    /// The gradient by all parameters, from the slopes by the sums of the last layer, `buffers.slopes`' last. With
    /// `to_input` the slopes by the network's inputs go to `buffers.slopes[0]`, for what stands before it.
    pub fn backward(
        &self,
        stream: &mut Stream,
        (parameters, gradient): (&DeviceVec<f32>, &mut DeviceVec<f32>),
        buffers: &mut Buffers,
        rows: usize,
        (to_input, random): (bool, (u64, u32)),
    ) -> Result<()> {
        for (at, layer) in self.layers.iter().enumerate().rev() {
            // Below the first parameters nobody needs slopes.
            if !to_input && self.firsts[at + 1] == 0 {
                break;
            }
            let (before, behind) = buffers.slopes.split_at_mut(at + 1);
            let tail = if at == 0 { Tail::default() } else { self.tail(at - 1, true, random) };
            layer.backward(Backward {
                stream,
                rows,
                shape: self.shapes[at],
                input: &buffers.values[at],
                slope: &behind[0],
                input_slope: (self.firsts[at] > 0 || to_input).then_some((&mut before[at], tail)),
                parameters,
                gradient,
                first: self.firsts[at],
                kept: &mut buffers.kept[at],
                random: (layer_key(random.0, at), random.1),
            })?;
        }
        self.ties.iter().try_for_each(|tied| tie_slopes(stream, gradient, *tied))
    }

    /// Moves the parameters that follow the batches, after a step.
    pub fn follow(&self, stream: &mut Stream, parameters: &mut DeviceVec<f32>, buffers: &Buffers) -> Result<()> {
        for (at, layer) in self.layers.iter().enumerate() {
            layer.follow(stream, self.shapes[at], &buffers.kept[at], Own { parameters, first: self.firsts[at] })?;
        }
        Ok(())
    }

    /// Forgets states that are carried from batch to batch.
    pub fn forget(&self, stream: &mut Stream, buffers: &mut Buffers) -> Result<()> {
        self.layers.iter().zip(&mut buffers.kept).try_for_each(|(layer, kept)| layer.forget(stream, kept))
    }

    /// Pairs of sums that the loss of so many rows takes.
    pub(super) fn loss_sums(&self, rows: usize) -> usize {
        let (steps, each) = self.loss_rows();
        sums_of(rows * steps, each)
    }

    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(super) fn layer_range(&self, layer: usize) -> Range<usize> {
        self.firsts[layer]..self.firsts[layer + 1]
    }
}

/// The key of a layer's random numbers.
fn layer_key(seed: u64, layer: usize) -> u64 {
    seed ^ (layer as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The number of a step for random numbers.
pub(super) fn random_step(step: u64) -> u32 {
    (step % STEPS) as u32
}
