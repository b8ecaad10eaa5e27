//! The latent layer of a variational autoencoder.

use super::holds;
use super::loss::group_rows;
use crate::array::DeviceVec;
use crate::cpu::neural::latent as twin;
pub use crate::cpu::neural::latent::{LatentShape, MOST_SPREAD};
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Means and logarithms of variances, slopes by the values, what is written.
    pub KERNEL = "neural/latent", [Read, Read, Write], Params;
}

params! {
    struct Params {
        rows: u32, columns: u32, stride: u32, input_stride: u32, step: u32, key_low: u32, key_high: u32, draws: u32,
        together: u32, groups: u32, sums_first: u32, scale: f32,
    }
}

/// What one dispatch does beside its shape.
#[derive(Default)]
struct Task {
    mode: u32,
    random: Option<(u64, u32)>,
    scale: f32,
    together: usize,
    first: usize,
}

/// Values (rows×k) for `inputs` (rows×2k, means and logarithms of variances): mean + e^(½·log variance)·normal, the normals by
/// counter of key and step; without `random` the means. Nothing waits.
pub fn latent_forward(
    stream: &mut Stream,
    inputs: &DeviceVec<f32>,
    shape: LatentShape,
    random: Option<(u64, u32)>,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "latent_forward";
    holds(OP, "inputs", inputs, shape.rows * shape.input_stride())?;
    holds(OP, "values", out, shape.rows * shape.stride())?;
    if stream.gpu().is_none() {
        twin::forward(inputs.values()?, shape, random, out.values_mut()?);
        return Ok(());
    }
    run(stream, [inputs, inputs], shape, Task { random, ..Task::default() }, out)
}

/// Slopes by the inputs (rows×2k) from those by the values (rows×k), with `scale` times the slopes of the divergence from the
/// standard normal. `random` as in [`latent_forward`]. Nothing waits.
pub fn latent_backward(
    stream: &mut Stream,
    (inputs, slopes): (&DeviceVec<f32>, &DeviceVec<f32>),
    shape: LatentShape,
    (scale, random): (f32, (u64, u32)),
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "latent_backward";
    holds(OP, "inputs", inputs, shape.rows * shape.input_stride())?;
    holds(OP, "slopes", slopes, shape.rows * shape.stride())?;
    holds(OP, "slopes by inputs", out, shape.rows * shape.input_stride())?;
    if stream.gpu().is_none() {
        twin::backward((inputs.values()?, slopes.values()?), shape, (scale, random), out.values_mut()?);
        return Ok(());
    }
    run(stream, [inputs, slopes], shape, Task { mode: 1, random: Some(random), scale, ..Task::default() }, out)
}

/// Adds the divergence of the rows to the sums that [`output_loss`](super::output_loss) wrote for a network of so many
/// `outputs`, from pair `first` on. Nothing waits.
pub fn latent_divergence(
    stream: &mut Stream,
    inputs: &DeviceVec<f32>,
    (shape, outputs): (LatentShape, usize),
    (sums, first): (&mut DeviceVec<f32>, usize),
) -> Result<()> {
    const OP: &str = "latent_divergence";
    let together = group_rows(outputs);
    let groups = shape.rows.div_ceil(together);
    holds(OP, "inputs", inputs, shape.rows * shape.input_stride())?;
    holds(OP, "sums", sums, 2 * (first + groups))?;
    if stream.gpu().is_none() {
        let sums = bytemuck::cast_slice_mut(&mut sums.values_mut()?[2 * first..2 * (first + groups)]);
        twin::divergence(inputs.values()?, shape, together, sums);
        return Ok(());
    }
    run(stream, [inputs, inputs], shape, Task { mode: 2, together, first, ..Task::default() }, sums)
}

fn run(
    stream: &mut Stream,
    read: [&DeviceVec<f32>; 2],
    shape: LatentShape,
    task: Task,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    let views = [read[0].view(stream)?, read[1].view(stream)?, out.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let (key, step) = task.random.unwrap_or_default();
    let groups = shape.rows.div_ceil(task.together.max(1)) as u64;
    let params = Params {
        rows: shape.rows as u32,
        columns: shape.columns as u32,
        stride: shape.stride() as u32,
        input_stride: shape.input_stride() as u32,
        step,
        key_low: key as u32,
        key_high: (key >> 32) as u32,
        draws: u32::from(task.random.is_some()),
        together: task.together as u32,
        groups: groups as u32,
        sums_first: task.first as u32,
        scale: task.scale,
    };
    let items = (shape.rows * shape.stride()) as u64;
    let grid = if task.mode == 2 { Grid::linear(groups)? } else { Grid::covering(items / 4, 256)? };
    let work = Work { operations: 60 * items, bytes: 16 * items };
    let buffers = [0, 1, 2].map(|at| views[at].buffer());
    let overrides = [("MODE", task.mode)];
    recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))
}
