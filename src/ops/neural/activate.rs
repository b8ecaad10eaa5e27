//! Activation and dropout where a layer has no product.

use super::{DropNumbers, holds};
use crate::array::DeviceVec;
use crate::cpu::neural::activate as twin;
use crate::cpu::neural::tail::Tail;
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Values or slopes, saved values, the result.
    pub KERNEL = "neural/activate", [Read, Read, Write], Params;
}

params! {
    struct Params {
        vec4s: u32, row_vec4s: u32, columns: u32, drop_scale: f32, drop_kept: f32, drop_threshold: u32, drop_step: u32,
        key_low: u32, key_high: u32,
    }
}

/// `out = tail(x)`, rows×columns.
pub fn activate_forward(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    (rows, columns): (usize, usize),
    out: &mut DeviceVec<f32>,
    tail: Tail,
) -> Result<()> {
    const OP: &str = "activate_forward";
    holds(OP, "values", x, rows * columns.next_multiple_of(4))?;
    holds(OP, "outputs", out, rows * columns.next_multiple_of(4))?;
    if stream.gpu().is_none() {
        twin::forward(x.values()?, rows, columns, out.values_mut()?, tail);
        return Ok(());
    }
    run(stream, (x, x), (rows, columns), out, (tail, 0))
}

/// `out = tail'(slope)`: slopes by sums, from slopes by the values `saved` that the tail gave.
pub fn activate_backward(
    stream: &mut Stream,
    slope: &DeviceVec<f32>,
    (rows, columns): (usize, usize),
    out: &mut DeviceVec<f32>,
    (tail, saved): (Tail, &DeviceVec<f32>),
) -> Result<()> {
    const OP: &str = "activate_backward";
    holds(OP, "slopes", slope, rows * columns.next_multiple_of(4))?;
    holds(OP, "values", saved, rows * columns.next_multiple_of(4))?;
    holds(OP, "slopes by sums", out, rows * columns.next_multiple_of(4))?;
    if stream.gpu().is_none() {
        twin::backward(slope.values()?, rows, columns, out.values_mut()?, (tail, saved.values()?));
        return Ok(());
    }
    run(stream, (slope, saved), (rows, columns), out, (tail, 1))
}

fn run(
    stream: &mut Stream,
    (x, saved): (&DeviceVec<f32>, &DeviceVec<f32>),
    (rows, columns): (usize, usize),
    out: &mut DeviceVec<f32>,
    (tail, back): (Tail, u32),
) -> Result<()> {
    let views = [x.view(stream)?, saved.view(stream)?, out.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let row_vec4s = columns.div_ceil(4);
    let drop = DropNumbers::new(tail);
    let params = Params {
        vec4s: (rows * row_vec4s) as u32,
        row_vec4s: row_vec4s as u32,
        columns: columns as u32,
        drop_scale: drop.scale,
        drop_kept: drop.kept,
        drop_threshold: drop.threshold,
        drop_step: drop.step,
        key_low: drop.key[0],
        key_high: drop.key[1],
    };
    let vec4s = (rows * row_vec4s) as u64;
    let work = Work { operations: 8 * vec4s, bytes: 48 * vec4s };
    let overrides = [("BACK", back), ("TAIL", tail.activation as u32), ("DROPOUT", drop.on)];
    let buffers = [0, 1, 2].map(|at| views[at].buffer());
    let dispatch = Dispatch::new(&params, &buffers, Grid::covering(vec4s, 64)?, work).overrides(&overrides);
    recording.dispatch(&KERNEL, dispatch)
}
