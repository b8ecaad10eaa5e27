//! The last activation, the loss, and its slopes by the sums of the last layer.

use super::holds;
use crate::array::DeviceVec;
use crate::cpu::neural::loss as twin;
pub use crate::cpu::neural::loss::{LossShape, OutputLoss, TargetLayout, VARIANCE_FLOOR, group_rows};
use crate::cpu::neural::tail::Activation;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Targets, values, slopes, sums.
    pub KERNEL = "neural/loss", [Read, Write, Write, Write], Params;
}

params! {
    struct Params {
        rows: u32, columns: u32, stride: u32, target_stride: u32, classes: u32, weight_column: u32, activation: u32,
        loss: u32, sums_first: u32, groups: u32, steps: u32, scale: f32, delta: f32,
    }
}

/// Sums that [`output_loss`] writes for so many rows.
pub fn sums_of(rows: usize, outputs: usize) -> usize {
    rows.div_ceil(group_rows(outputs))
}

/// Applies the last activation to `outputs` (rows×outputs, the sums of the last layer) and writes the slopes by those sums. For
/// each group of rows, [`sums_of`] of them, two numbers go to `sums` from pair `first` on: Σ weight·loss, and Σ weight of rows that
/// are right (classes) or Σ weight·(output − target)². Nothing waits.
pub fn output_loss(
    stream: &mut Stream,
    outputs: &mut DeviceVec<f32>,
    targets: &DeviceVec<f32>,
    shape: LossShape,
    slopes: &mut DeviceVec<f32>,
    (sums, first): (&mut DeviceVec<f32>, usize),
) -> Result<()> {
    const OP: &str = "output_loss";
    let fits = match shape.loss {
        OutputLoss::BinaryCrossEntropy => shape.activation == Activation::Logistic,
        OutputLoss::CategoricalCrossEntropy => shape.activation == Activation::Softmax,
        OutputLoss::Gaussian => shape.activation == Activation::Identity && shape.outputs.is_multiple_of(2),
        _ => true,
    };
    if !fits {
        let rule = "logistic with binary_cross_entropy, softmax with categorical_cross_entropy, none with gaussian";
        return Err(Error::param("activation", rule, format!("{:?}", shape.activation)));
    }
    let groups = sums_of(shape.rows, shape.outputs);
    holds(OP, "targets", targets, shape.rows.div_ceil(shape.targets.steps()) * shape.targets.stride())?;
    holds(OP, "slopes", slopes, shape.rows * shape.outputs.next_multiple_of(4))?;
    holds(OP, "sums", sums, 2 * (first + groups))?;
    holds(OP, "outputs", outputs, shape.rows * shape.outputs.next_multiple_of(4))?;
    if stream.gpu().is_none() {
        let sums: &mut [[f32; 2]] = bytemuck::cast_slice_mut(&mut sums.values_mut()?[2 * first..2 * (first + groups)]);
        twin::loss(outputs.values_mut()?, targets.values()?, shape, slopes.values_mut()?, sums);
        return Ok(());
    }
    run(stream, outputs, (targets, slopes, sums, first), shape, 0)
}

/// Applies the last activation to rows that are predicted.
pub fn activate_outputs(
    stream: &mut Stream,
    outputs: &mut DeviceVec<f32>,
    rows: usize,
    columns: usize,
    activation: Activation,
    unused: [&mut DeviceVec<f32>; 3],
) -> Result<()> {
    holds("activate_outputs", "outputs", outputs, rows * columns.next_multiple_of(4))?;
    if activation == Activation::Identity || rows == 0 {
        return Ok(());
    }
    if stream.gpu().is_none() {
        twin::activate_outputs(outputs.values_mut()?, rows, columns, activation);
        return Ok(());
    }
    let targets = TargetLayout { classes: false, weight: None, columns: 1 };
    let loss = OutputLoss::Squared;
    let shape = LossShape { rows, outputs: columns, activation, loss, targets, scale: 0.0 };
    let [targets, slopes, sums] = unused;
    run(stream, outputs, (targets, slopes, sums, 0), shape, 1)
}

fn run(
    stream: &mut Stream,
    outputs: &mut DeviceVec<f32>,
    (targets, slopes, sums, first): (&DeviceVec<f32>, &mut DeviceVec<f32>, &mut DeviceVec<f32>, usize),
    shape: LossShape,
    predict: u32,
) -> Result<()> {
    let views = [targets.view(stream)?, outputs.view(stream)?, slopes.view(stream)?, sums.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let groups = sums_of(shape.rows, shape.outputs) as u64;
    let stride = shape.outputs.next_multiple_of(4);
    let params = Params {
        rows: shape.rows as u32,
        columns: shape.outputs as u32,
        stride: stride as u32,
        target_stride: shape.targets.stride() as u32,
        classes: u32::from(shape.targets.classes),
        weight_column: shape.targets.weight.map_or(u32::MAX, |column| column as u32),
        activation: shape.activation as u32,
        loss: shape.loss.code(),
        sums_first: first as u32,
        groups: groups as u32,
        steps: shape.targets.steps() as u32,
        scale: shape.scale,
        delta: shape.loss.delta(),
    };
    let team = (256 / group_rows(shape.outputs)) as u32;
    let items = (shape.rows * stride) as u64;
    let work = Work { operations: 60 * items, bytes: 12 * items };
    let buffers = [0, 1, 2, 3].map(|at| views[at].buffer());
    let overrides = [("TEAM", team), ("PREDICT", predict)];
    let dispatch = Dispatch::new(&params, &buffers, Grid::linear(groups)?, work).overrides(&overrides);
    recording.dispatch(&KERNEL, dispatch)
}
