//! Layer and batch normalisation.

use bytemuck::{cast_slice, cast_slice_mut};

use super::{DropNumbers, holds};
use crate::array::DeviceVec;
use crate::cpu::neural::normalise as twin;
pub use crate::cpu::neural::normalise::{NormaliseShape, Together};
use crate::cpu::neural::tail::Tail;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Values, slopes, parameters, statistics, sums, the result.
    pub KERNEL = "neural/normalise", [Read, Read, Read, Read, Read, Write], Params;
    /// Values, slopes, parameters, statistics, the sums.
    KERNEL_SUMS = "neural/normalise__sums", [Read, Read, Read, Read, Write], SumParams;
    /// Statistics, parameters.
    KERNEL_FOLLOW = "neural/normalise__follow", [Read, Write], FollowParams;
}

params! {
    struct Params {
        vec4s: u32, row_vec4s: u32, places: u32, channels: u32, scales: u32, shifts: u32, means: u32, variances: u32,
        epsilon: f32, drop_scale: f32, drop_kept: f32, drop_threshold: u32, drop_step: u32, key_low: u32, key_high: u32,
    }
}

params! {
    struct SumParams {
        sets: u32, members: u32, places: u32, channels: u32, stride: u32, scales: u32, out_first: u32, out_second: u32,
        epsilon: f32,
    }
}

params! {
    struct FollowParams { channels: u32, means: u32, variances: u32, epsilon: f32, share: f32 }
}

const STATISTICS: u32 = 0;
const PARAMETER_SLOPES: u32 = 1;
const SET_MEANS: u32 = 2;

/// Mean and 1/deviation of each set of numbers that shares them, [`NormaliseShape::sets`] pairs.
pub fn normalise_statistics(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    parameters: &DeviceVec<f32>,
    rows: usize,
    shape: NormaliseShape,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "normalise_statistics";
    check(OP, shape, rows, &[("values", x)], parameters)?;
    holds(OP, "statistics", out, 2 * shape.sets(rows))?;
    if stream.gpu().is_none() {
        twin::statistics(x.values()?, rows, shape, cast_slice_mut(&mut out.values_mut()?[..2 * shape.sets(rows)]));
        return Ok(());
    }
    let batch = shape.together == Together::Rows;
    sums(stream, [x, x, parameters, x], rows, shape, (STATISTICS, batch), out)
}

/// `out = tail(scale·(x − mean)/deviation + shift)`, by `statistics`, or by the running ones if there are none.
pub fn normalise_forward(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    (parameters, statistics): (&DeviceVec<f32>, Option<&DeviceVec<f32>>),
    rows: usize,
    shape: NormaliseShape,
    (out, tail): (&mut DeviceVec<f32>, Tail),
) -> Result<()> {
    const OP: &str = "normalise_forward";
    check(OP, shape, rows, &[("values", x), ("outputs", out)], parameters)?;
    if let Some(statistics) = statistics {
        holds(OP, "statistics", statistics, 2 * shape.sets(rows))?;
    }
    if stream.gpu().is_none() {
        let mut kept = vec![];
        let known: &[[f32; 2]] = match statistics {
            Some(statistics) => cast_slice(&statistics.values()?[..2 * shape.sets(rows)]),
            None => {
                kept.resize(shape.channels, [0.0; 2]);
                twin::running(parameters.values()?, shape, &mut kept);
                &kept
            }
        };
        twin::forward(x.values()?, (parameters.values()?, known), rows, shape, out.values_mut()?, tail);
        return Ok(());
    }
    let running = u32::from(statistics.is_none());
    let known = statistics.unwrap_or(x);
    run(stream, [x, x, parameters, known, known], rows, shape, (out, tail), [("BACK", 0), ("RUNNING", running)])
}

/// The slopes by scales and shifts, written into `gradient` where the parameters are, and with `to_input` `tail'(slopes by the
/// inputs)`, for the tail of the layer before, whose values are `x`. `sums` is room for as many pairs as there are statistics.
pub fn normalise_backward(
    stream: &mut Stream,
    (x, slope): (&DeviceVec<f32>, &DeviceVec<f32>),
    (parameters, statistics): (&DeviceVec<f32>, &DeviceVec<f32>),
    rows: usize,
    shape: NormaliseShape,
    (gradient, pairs): (&mut DeviceVec<f32>, &mut DeviceVec<f32>),
    to_input: Option<(&mut DeviceVec<f32>, Tail)>,
) -> Result<()> {
    const OP: &str = "normalise_backward";
    check(OP, shape, rows, &[("values", x), ("slopes", slope)], parameters)?;
    let count = 2 * shape.sets(rows);
    holds(OP, "statistics", statistics, count)?;
    holds(OP, "sums", pairs, count)?;
    holds(OP, "gradients", gradient, shape.first + shape.parameters())?;
    if let Some((out, _)) = &to_input {
        holds(OP, "slopes by inputs", out, rows * shape.stride())?;
    }
    if stream.gpu().is_none() {
        let known: &[[f32; 2]] = cast_slice(&statistics.values()?[..count]);
        let (both, parameters) = ((x.values()?, slope.values()?), parameters.values()?);
        twin::parameter_slope(both, known, rows, shape, gradient.values_mut()?);
        if let Some((out, tail)) = to_input {
            let pairs: &mut [[f32; 2]] = cast_slice_mut(&mut pairs.values_mut()?[..count]);
            twin::set_sums(both, (parameters, known), rows, shape, gradient.values()?, pairs);
            twin::input_slope(both, (parameters, known, pairs), rows, shape, out.values_mut()?, tail);
        }
        return Ok(());
    }
    let read = [x, slope, parameters, statistics];
    sums(stream, read, rows, shape, (PARAMETER_SLOPES, true), gradient)?;
    if let Some((out, tail)) = to_input {
        sums(stream, read, rows, shape, (SET_MEANS, shape.together == Together::Rows), pairs)?;
        let read = [x, slope, parameters, statistics, &*pairs];
        run(stream, read, rows, shape, (out, tail), [("BACK", 1), ("RUNNING", 0)])?;
    }
    Ok(())
}

/// Moves the running means and variances by `share` towards those of a batch.
pub fn follow_statistics(
    stream: &mut Stream,
    statistics: &DeviceVec<f32>,
    shape: NormaliseShape,
    share: f32,
    parameters: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "follow_statistics";
    if shape.together != Together::Rows {
        return Err(Error::shape(OP, "a batch normalisation", format!("{shape:?}")));
    }
    holds(OP, "statistics", statistics, 2 * shape.channels)?;
    holds(OP, "parameters", parameters, shape.first + shape.parameters())?;
    if stream.gpu().is_none() {
        let known = cast_slice(&statistics.values()?[..2 * shape.channels]);
        twin::follow(parameters.values_mut()?, known, shape, share);
        return Ok(());
    }
    let views = [statistics.view(stream)?, parameters.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let means = shape.first + 2 * shape.block();
    let params = FollowParams {
        channels: shape.channels as u32,
        means: means as u32,
        variances: (means + shape.block()) as u32,
        epsilon: shape.epsilon,
        share,
    };
    let items = shape.channels as u64;
    let work = Work { operations: 8 * items, bytes: 24 * items };
    let buffers = [views[0].buffer(), views[1].buffer()];
    recording.dispatch(&KERNEL_FOLLOW, Dispatch::new(&params, &buffers, Grid::covering(items, 64)?, work))
}

fn check(
    op: &'static str,
    shape: NormaliseShape,
    rows: usize,
    vectors: &[(&str, &DeviceVec<f32>)],
    parameters: &DeviceVec<f32>,
) -> Result<()> {
    if shape.places == 0 || shape.channels == 0 || rows == 0 || !shape.first.is_multiple_of(4) {
        let expected = "rows of numbers, and parameters that begin at a multiple of 4";
        return Err(Error::shape(op, expected, format!("{rows} rows, {shape:?}")));
    }
    for (what, vector) in vectors {
        holds(op, what, vector, rows * shape.stride())?;
    }
    holds(op, "parameters", parameters, shape.first + shape.parameters())
}

fn sums(
    stream: &mut Stream,
    read: [&DeviceVec<f32>; 4],
    rows: usize,
    shape: NormaliseShape,
    (purpose, batch): (u32, bool),
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    let [x, slope, parameters, statistics] = read;
    let views = [x.view(stream)?, slope.view(stream)?, parameters.view(stream)?, statistics.view(stream)?];
    let target = out.view(stream)?;
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let numbers = rows * shape.places;
    let (sets, members) = if batch { (shape.channels, numbers) } else { (numbers, shape.channels) };
    let params = SumParams {
        sets: sets as u32,
        members: members as u32,
        places: shape.places as u32,
        channels: shape.channels as u32,
        stride: shape.stride() as u32,
        scales: shape.first as u32,
        out_first: shape.first as u32,
        out_second: (shape.first + shape.block()) as u32,
        epsilon: shape.epsilon,
    };
    let means_batch = u32::from(shape.together == Together::Rows);
    let overrides = [("BATCH", u32::from(batch)), ("PURPOSE", purpose), ("MEANS_BATCH", means_batch)];
    let items = (numbers * shape.channels) as u64;
    let work = Work { operations: 8 * items, bytes: 8 * items };
    let buffers = [views[0].buffer(), views[1].buffer(), views[2].buffer(), views[3].buffer(), target.buffer()];
    let grid = Grid::covering(sets as u64, 16)?;
    recording.dispatch(&KERNEL_SUMS, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))
}

fn run(
    stream: &mut Stream,
    read: [&DeviceVec<f32>; 5],
    rows: usize,
    shape: NormaliseShape,
    (out, tail): (&mut DeviceVec<f32>, Tail),
    mode: [(&'static str, u32); 2],
) -> Result<()> {
    let mut views = vec![];
    for vector in read {
        views.push(vector.view(stream)?);
    }
    views.push(out.view(stream)?);
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let drop = DropNumbers::new(tail);
    let block = |at: usize| (shape.first + at * shape.block()) as u32;
    let vec4s = (rows * shape.stride() / 4) as u64;
    let params = Params {
        vec4s: vec4s as u32,
        row_vec4s: (shape.stride() / 4) as u32,
        places: shape.places as u32,
        channels: shape.channels as u32,
        scales: block(0),
        shifts: block(1),
        means: block(2),
        variances: block(3),
        epsilon: shape.epsilon,
        drop_scale: drop.scale,
        drop_kept: drop.kept,
        drop_threshold: drop.threshold,
        drop_step: drop.step,
        key_low: drop.key[0],
        key_high: drop.key[1],
    };
    let batch = ("BATCH", u32::from(shape.together == Together::Rows));
    let overrides = [mode[0], mode[1], batch, ("TAIL", tail.activation as u32), ("DROPOUT", drop.on)];
    let work = Work { operations: 40 * vec4s, bytes: 48 * vec4s };
    let buffers = [0, 1, 2, 3, 4, 5].map(|at| views[at].buffer());
    recording
        .dispatch(&KERNEL, Dispatch::new(&params, &buffers, Grid::covering(vec4s, 64)?, work).overrides(&overrides))
}
