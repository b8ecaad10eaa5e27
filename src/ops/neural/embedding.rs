//! A row of a table for each token.

use super::{DropNumbers, holds};
use crate::array::DeviceVec;
use crate::cpu::neural::embedding as twin;
pub use crate::cpu::neural::embedding::EmbeddingShape;
use crate::cpu::neural::tail::Tail;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Tokens, the table or slopes, values or slopes by the table.
    pub KERNEL = "neural/embedding", [Read, Read, Write], Params;
}

params! {
    struct Params {
        rows: u32, steps: u32, row_stride: u32, tokens: u32, width_vec4s: u32, first_vec4: u32, drop_scale: f32,
        drop_kept: f32, drop_threshold: u32, drop_step: u32, key_low: u32, key_high: u32,
    }
}

/// `out = tail(table[x])`: rows of steps×width, from rows of `steps` numbers of tokens. A number beyond the table is its last.
pub fn embedding_forward(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    (parameters, shape): (&DeviceVec<f32>, EmbeddingShape),
    rows: usize,
    out: &mut DeviceVec<f32>,
    tail: Tail,
) -> Result<()> {
    const OP: &str = "embedding_forward";
    check(OP, shape)?;
    holds(OP, "tokens", x, rows * shape.input_stride())?;
    holds(OP, "parameters", parameters, shape.first + shape.tokens * shape.width)?;
    holds(OP, "outputs", out, rows * shape.outputs())?;
    if stream.gpu().is_none() {
        twin::forward(x.values()?, parameters.values()?, shape, rows, out.values_mut()?, tail);
        return Ok(());
    }
    run(stream, (x, parameters), shape, rows, out, (tail, 0))
}

/// The slopes by the table, written into `gradient` where it is. Σ over the steps of a token, in their order.
pub fn embedding_weight_slope(
    stream: &mut Stream,
    (x, slope): (&DeviceVec<f32>, &DeviceVec<f32>),
    shape: EmbeddingShape,
    rows: usize,
    gradient: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "embedding_weight_slope";
    check(OP, shape)?;
    holds(OP, "tokens", x, rows * shape.input_stride())?;
    holds(OP, "slopes", slope, rows * shape.outputs())?;
    holds(OP, "gradients", gradient, shape.first + shape.tokens * shape.width)?;
    if stream.gpu().is_none() {
        twin::weight_slope(x.values()?, slope.values()?, shape, rows, gradient.values_mut()?);
        return Ok(());
    }
    run(stream, (x, slope), shape, rows, gradient, (Tail::default(), 1))
}

fn check(op: &'static str, shape: EmbeddingShape) -> Result<()> {
    let EmbeddingShape { first, tokens, width, steps } = shape;
    if tokens == 0 || width == 0 || steps == 0 || !width.is_multiple_of(4) || !first.is_multiple_of(4) {
        let expected = "tokens, steps, and a width and a first number that are multiples of 4";
        return Err(Error::shape(op, expected, format!("{shape:?}")));
    }
    Ok(())
}

fn run(
    stream: &mut Stream,
    (x, from): (&DeviceVec<f32>, &DeviceVec<f32>),
    shape: EmbeddingShape,
    rows: usize,
    out: &mut DeviceVec<f32>,
    (tail, back): (Tail, u32),
) -> Result<()> {
    let views = [x.view(stream)?, from.view(stream)?, out.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let drop = DropNumbers::new(tail);
    let params = Params {
        rows: rows as u32,
        steps: shape.steps as u32,
        row_stride: shape.input_stride() as u32,
        tokens: shape.tokens as u32,
        width_vec4s: (shape.width / 4) as u32,
        first_vec4: (shape.first / 4) as u32,
        drop_scale: drop.scale,
        drop_kept: drop.kept,
        drop_threshold: drop.threshold,
        drop_step: drop.step,
        key_low: drop.key[0],
        key_high: drop.key[1],
    };
    let of_rows = (rows * shape.outputs() / 4) as u64;
    let of_table = (shape.tokens * shape.width / 4) as u64;
    let items = if back == 1 { of_table } else { of_rows };
    let each = if back == 1 { (rows * shape.steps) as u64 } else { 1 };
    let work = Work { operations: items * each, bytes: 16 * (items + of_rows) };
    let overrides = [("BACK", back), ("TAIL", tail.activation as u32), ("DROPOUT", drop.on)];
    let buffers = [0, 1, 2].map(|at| views[at].buffer());
    let dispatch = Dispatch::new(&params, &buffers, Grid::covering(items, 64)?, work).overrides(&overrides);
    recording.dispatch(&KERNEL, dispatch)
}
