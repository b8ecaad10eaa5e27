//! The rows of a batch, gathered on the device.

use super::holds;
use crate::array::{DeviceMatrix, DeviceVec};
use crate::cpu::neural::gather_batch as twin;
pub use crate::cpu::neural::gather_batch::Noise;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Inputs, targets, the order, the batch's inputs, its targets.
    pub KERNEL = "neural/gather_batch", [Read, Read, Read, Write, Write], Params;
}

params! {
    struct Params {
        rows: u32, x_rows: u32, x_first: u32, x_vec4s: u32, y_first: u32, y_vec4s: u32, order_first: u32, step: u32,
        key_low: u32, key_high: u32, columns: u32, deviation: f32,
    }
}

/// Which rows a batch has: `order[first]` to `order[first + rows − 1]`.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Rows in the order of the epoch; each below n.
    pub order: &'a DeviceVec<u32>,
    /// The place of the batch's first row in it.
    pub first: usize,
    /// Rows of the batch.
    pub rows: usize,
    /// Noise on the inputs.
    pub noise: Option<Noise>,
}

/// Copies the rows of a batch of X (n×d) and Y (n×t) into flat vectors, one dispatch for both. Nothing waits.
pub fn gather_batch(
    stream: &mut Stream,
    (x, y): (&DeviceMatrix, &DeviceMatrix),
    batch: Batch<'_>,
    (x_out, y_out): (&mut DeviceVec<f32>, &mut DeviceVec<f32>),
) -> Result<()> {
    const OP: &str = "gather_batch";
    x.on(stream, OP)?;
    y.on(stream, OP)?;
    let [x_stride, y_stride] = [x, y].map(|rows| rows.columns().next_multiple_of(4));
    holds(OP, "an order", batch.order, batch.first + batch.rows)?;
    holds(OP, "inputs", x_out, batch.rows * x_stride)?;
    holds(OP, "targets", y_out, batch.rows * y_stride)?;
    if x.rows() != y.rows() || x.rows() == 0 || x.columns() == 0 || y.columns() == 0 {
        let got = format!("{}×{} and {}×{}", x.rows(), x.columns(), y.rows(), y.columns());
        return Err(Error::shape(OP, "as many rows of targets as of inputs, at least one", got));
    }
    if stream.gpu().is_none() {
        let order = &batch.order.values()?[batch.first..batch.first + batch.rows];
        if let Some(row) = order.iter().find(|row| **row as usize >= x.rows()) {
            return Err(Error::bad_index(*row));
        }
        twin::gather(x.values()?, x.columns(), order, x_out.values_mut()?, batch.noise);
        twin::gather(y.values()?, y.columns(), order, y_out.values_mut()?, None);
        return Ok(());
    }
    let order = batch.order.view(stream)?;
    let (x_target, y_target) = (x_out.view(stream)?, y_out.view(stream)?);
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let have = recording.gpu.binding_bytes();
    for stride in [x_stride, y_stride] {
        let need = 4 * (x.rows() * stride) as u64;
        if need > have {
            let what = "bytes of rows in one binding; learn from chunks of rows (partial_fit)".to_string();
            return Err(Error::Limit { what, need, have });
        }
    }
    let x_view = x.store()?.view(recording, 0..x.rows())?;
    let y_view = y.store()?.view(recording, 0..x.rows())?;
    let (key, step, deviation) = batch.noise.map_or((0, 0, 0.0), |noise| (noise.key, noise.step, noise.deviation));
    let params = Params {
        rows: batch.rows as u32,
        x_rows: x.rows() as u32,
        x_first: x_view.first_word() / 4,
        x_vec4s: (x_stride / 4) as u32,
        y_first: y_view.first_word() / 4,
        y_vec4s: (y_stride / 4) as u32,
        order_first: order.first_word() + batch.first as u32,
        step,
        key_low: key as u32,
        key_high: (key >> 32) as u32,
        columns: x.columns() as u32,
        deviation,
    };
    let items = (batch.rows * (x_stride + y_stride) / 4) as u64;
    let work = Work { operations: 0, bytes: 32 * items };
    let buffers = &[x_view.buffer(), y_view.buffer(), order.buffer(), x_target.buffer(), y_target.buffer()];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::covering(items, 64)?, work))
}
