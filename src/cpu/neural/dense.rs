//! The products of a dense layer: its values, the slopes by its inputs, the slopes by its weights.

use super::product::rows_product;
use super::tail::Tail;
use crate::cpu::tile::Operand;
use crate::cpu::vectorised;

/// The weights of a dense layer inside a flat vector: inputs×outputs, then a row of biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DenseShape {
    /// Where they begin, a multiple of 4.
    pub first: usize,
    /// Values that go in.
    pub inputs: usize,
    /// Values that come out.
    pub outputs: usize,
}

impl DenseShape {
    /// From a row of inputs to the next.
    pub fn input_stride(&self) -> usize {
        self.inputs.next_multiple_of(4)
    }

    /// From a row of outputs, or of weights, to the next.
    pub fn output_stride(&self) -> usize {
        self.outputs.next_multiple_of(4)
    }

    /// Numbers of weights and biases, with padding.
    pub fn parameters(&self) -> usize {
        (self.inputs + 1) * self.output_stride()
    }

    pub(super) fn weights<'a>(&self, parameters: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        let own = &parameters[self.first..self.first + self.parameters()];
        own.split_at(self.inputs * self.output_stride())
    }
}

/// `out = tail(x·W + bias)` for `rows` rows.
pub fn forward(x: &[f32], parameters: &[f32], shape: DenseShape, rows: usize, out: &mut [f32], tail: Tail) {
    let (stride, (weights, bias)) = (shape.output_stride(), shape.weights(parameters));
    let a = Operand { data: x, rows, depth: shape.inputs, row_stride: shape.input_stride(), depth_stride: 1 };
    let b = Operand { data: weights, rows: shape.outputs, depth: shape.inputs, row_stride: 1, depth_stride: stride };
    rows_product((a, b), false, out, stride, |first, rows| {
        tail.forward(rows, shape.outputs, stride, first, Some(bias));
    });
}

/// `out = tail'(slope·Wᵀ)`: the slopes by the sums of the layer before, whose tail and values are given.
pub fn input_slope(
    slope: &[f32],
    parameters: &[f32],
    shape: DenseShape,
    rows: usize,
    out: &mut [f32],
    (tail, saved): (Tail, &[f32]),
) {
    let (stride, from) = (shape.input_stride(), shape.output_stride());
    let (weights, _) = shape.weights(parameters);
    let a = Operand { data: slope, rows, depth: shape.outputs, row_stride: from, depth_stride: 1 };
    let b = Operand { data: weights, rows: shape.inputs, depth: shape.outputs, row_stride: from, depth_stride: 1 };
    rows_product((a, b), false, out, stride, |first, rows| {
        tail.backward(rows, &saved[first * stride..][..rows.len()], stride, first);
    });
}

/// The slopes by the weights, `xᵀ·slope`, and by the biases, Σ slope, written into `gradient` or added to it.
pub fn weight_slope(x: &[f32], slope: &[f32], shape: DenseShape, rows: usize, gradient: &mut [f32], add: bool) {
    let (stride, from) = (shape.output_stride(), shape.input_stride());
    let own = &mut gradient[shape.first..shape.first + shape.parameters()];
    let (weights, bias) = own.split_at_mut(shape.inputs * stride);
    let a = Operand { data: x, rows: shape.inputs, depth: rows, row_stride: 1, depth_stride: from };
    let b = Operand { data: slope, rows: shape.outputs, depth: rows, row_stride: 1, depth_stride: stride };
    rows_product((a, b), add, weights, stride, |_, _| {});
    if !add {
        bias.fill(0.0);
    }
    vectorised!(add_rows(&slope[..rows * stride], bias));
}

#[inline(always)]
fn add_rows(rows: &[f32], sums: &mut [f32]) {
    for row in rows.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}
