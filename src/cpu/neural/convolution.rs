//! The products of a convolution, on the tile core: the windows of a block of pixels are laid out as rows in the cache of a
//! thread, so that no layout of the whole batch is ever made.

use rayon::prelude::*;

use super::product::update_rows;
use super::tail::Tail;
use super::windows::Windows;
use crate::cpu::tile::{Dot, Operand, PANEL_DEPTH, pack_panels, panel_width, product, with_buffer};
use crate::cpu::vectorised;

/// Windows that are laid out at a time: a multiple of the register tiles.
const BLOCK: usize = 144;
/// Groups of images whose slopes by weights are summed apart and then added in their order, so that the bits do not
/// depend on the number of threads.
const GROUPS: usize = 16;

/// A convolution inside a flat vector: weights of (window row, window column, channel)×filters, then a row of biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvolutionShape {
    /// Where the weights begin, a multiple of 4.
    pub first: usize,
    /// The windows.
    pub windows: Windows,
    /// Numbers of an output pixel, a multiple of 4.
    pub filters: usize,
}

impl ConvolutionShape {
    /// Numbers of weights and biases.
    pub fn parameters(&self) -> usize {
        (self.windows.depth() + 1) * self.filters
    }

    /// From an output image to the next.
    pub fn output_stride(&self) -> usize {
        self.windows.count() * self.filters
    }

    fn weights<'a>(&self, parameters: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        let own = &parameters[self.first..self.first + self.parameters()];
        own.split_at(self.windows.depth() * self.filters)
    }
}

/// Lays out windows `first`, `first + 1`, … of the batch as rows.
fn lay_out(windows: &Windows, x: &[f32], first: usize, out: &mut [f32]) {
    let (count, stride) = (windows.count(), windows.image_stride());
    for (at, row) in out.chunks_exact_mut(windows.depth()).enumerate() {
        let image = &x[(first + at) / count * stride..][..stride];
        if windows.padding > 0 {
            row.fill(0.0);
        }
        windows.visit((first + at) % count, |inside, from, numbers| {
            let (to, from) = (&mut row[inside..inside + numbers], &image[from..from + numbers]);
            // A call of memcpy costs more than it saves on a few numbers.
            match numbers < 16 {
                true => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
                false => to.copy_from_slice(from),
            }
        });
    }
}

/// `out = tail(windows·W + bias)`, images of rows×columns×filters.
pub fn forward(x: &[f32], parameters: &[f32], shape: ConvolutionShape, images: usize, out: &mut [f32], tail: Tail) {
    let (windows, filters, (weights, bias)) = (shape.windows, shape.filters, shape.weights(parameters));
    let depth = windows.depth();
    let b = Operand { data: weights, rows: filters, depth, row_stride: 1, depth_stride: filters };
    with_panels(b, |panels| {
        let out = &mut out[..images * shape.output_stride()];
        out.par_chunks_mut(BLOCK * filters).enumerate().for_each(|(task, rows)| {
            let (first, count) = (task * BLOCK, rows.len() / filters);
            with_buffer(count * depth, |patches| {
                lay_out(&windows, x, first, patches);
                multiply(Operand::from_rows(patches, count, depth), (b, panels), 0.0, (rows, filters));
            });
            tail.forward(rows, filters, filters, first, Some(bias));
        });
    });
}

/// `out = tail'(slopes by the inputs)`, for the tail and the values of the layer before.
pub fn input_slope(
    slope: &[f32],
    parameters: &[f32],
    shape: ConvolutionShape,
    images: usize,
    out: &mut [f32],
    (tail, saved): (Tail, &[f32]),
) {
    let (windows, filters, (weights, _)) = (shape.windows, shape.filters, shape.weights(parameters));
    let (depth, stride) = (windows.depth(), windows.image_stride());
    let b = Operand::from_rows(weights, depth, filters);
    with_panels(b, |panels| {
        out[..images * stride].par_chunks_mut(stride).enumerate().for_each(|(image, out)| {
            out.fill(0.0);
            for first in (0..windows.count()).step_by(BLOCK) {
                let count = BLOCK.min(windows.count() - first);
                let slope = &slope[(image * windows.count() + first) * filters..][..count * filters];
                with_buffer(count * depth, |patches| {
                    multiply(Operand::from_rows(slope, count, filters), (b, panels), 0.0, (patches, depth));
                    vectorised!(put_back(&windows, patches, first, &mut *out));
                });
            }
            tail.backward(out, &saved[image * stride..][..stride], stride, image);
        });
    });
}

/// Adds windows `first`, `first + 1`, … to the pixels of their image.
#[inline(always)]
fn put_back(windows: &Windows, patches: &[f32], first: usize, image: &mut [f32]) {
    for (at, row) in patches.chunks_exact(windows.depth()).enumerate() {
        windows.visit(first + at, |inside, to, numbers| {
            let pairs = image[to..to + numbers].iter_mut().zip(&row[inside..inside + numbers]);
            pairs.for_each(|(to, from)| *to += from);
        });
    }
}

/// The slopes by weights and biases, written into `gradient` where the layer's parameters are.
pub fn weight_slope(x: &[f32], slope: &[f32], shape: ConvolutionShape, images: usize, gradient: &mut [f32]) {
    let (count, filters, size) = (shape.windows.count(), shape.filters, shape.parameters());
    let own = &mut gradient[shape.first..shape.first + size];
    let per_group = images.div_ceil(GROUPS).max(1);
    let groups = images.div_ceil(per_group);
    with_buffer(groups * size, |sums| {
        sums.par_chunks_mut(size).enumerate().for_each(|(group, sums)| {
            sums.fill(0.0);
            let end = images.min((group + 1) * per_group) * count;
            for first in (group * per_group * count..end).step_by(BLOCK) {
                let slope = &slope[first * filters..end.min(first + BLOCK) * filters];
                add_weight_slope(x, slope, shape, first, sums);
            }
        });
        own.fill(0.0);
        sums.chunks_exact(size).for_each(|sums| own.iter_mut().zip(sums).for_each(|(own, sum)| *own += sum));
    });
}

/// Adds what a block of windows, from number `first` of the batch on, gives to the slopes by weights and biases.
fn add_weight_slope(x: &[f32], slope: &[f32], shape: ConvolutionShape, first: usize, sums: &mut [f32]) {
    let (filters, depth) = (shape.filters, shape.windows.depth());
    let (weights, bias) = sums.split_at_mut(depth * filters);
    let count = slope.len() / filters;
    with_buffer(count * depth, |patches| {
        lay_out(&shape.windows, x, first, patches);
        let b = Operand::from_columns(slope, count, filters);
        with_panels(b, |panels| {
            for (block, rows) in weights.chunks_mut(BLOCK * filters).enumerate() {
                let a = Operand {
                    data: &patches[block * BLOCK..],
                    rows: rows.len() / filters,
                    depth: count,
                    row_stride: 1,
                    depth_stride: depth,
                };
                multiply(a, (b, panels), 1.0, (rows, filters));
            }
        });
    });
    for row in slope.chunks_exact(filters) {
        bias.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}

/// Packs the rows of `b`, where they are short enough to be packed at once.
fn with_panels(b: Operand<'_>, run: impl FnOnce(&[f32])) {
    if b.depth > PANEL_DEPTH {
        return run(&[]);
    }
    with_buffer(b.rows.next_multiple_of(panel_width()) * b.depth, |panels| {
        pack_panels(b, panels);
        run(panels);
    });
}

/// `out = a·b + beta·out` on this thread, for at most [`BLOCK`] rows.
fn multiply(a: Operand<'_>, (b, panels): (Operand<'_>, &[f32]), beta: f32, (out, stride): (&mut [f32], usize)) {
    match panels.is_empty() {
        true => product(Dot, a, b, 1.0, beta, out, stride),
        false => update_rows(a, panels, b.rows, beta, (out, stride)),
    }
}
