//! The host side of `shaders/lib/columns.wgsl`: sums down the columns, in blocks of rows, added here in f64.

use std::sync::Arc;

use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
use crate::device::{Buffer, Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Kernel, Work, params};

/// Rows of a block, as in the shader.
const BLOCK_ROWS: usize = 512;

params! {
    pub(crate) struct Params {
        rows: u32, items: u32, vec4s: u32, x_first: u32, factor_first: u32, factor_step: u32, out_first: u32,
    }
}

/// What a column kernel takes beside X.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Factor<'a> {
    /// Nothing.
    None,
    /// One number for all rows, which a kernel that wants one for each row reads again and again.
    Same(&'a DeviceVec<f32>),
    /// One number for each row.
    Each(&'a DeviceVec<f32>),
}

/// Runs a column kernel and adds its blocks in f64, in their order. `extra` is bound after the factors.
pub(crate) fn column_sums(
    stream: &mut Stream,
    kernel: (&Kernel, &[(&'static str, u32)]),
    x: &DeviceMatrix,
    factor: Factor,
    extra: Option<&Arc<Buffer>>,
) -> Result<Vec<f64>> {
    let mut sums = vec![0.0_f64; x.columns()];
    if x.columns() == 0 || x.rows() == 0 {
        return Ok(sums);
    }
    let partial = block_sums(stream, kernel, x, factor, extra)?.to_matrix(stream)?;
    for block in 0..partial.rows() {
        sums.iter_mut().zip(partial.row(block)).for_each(|(sum, value)| *sum += *value as f64);
    }
    Ok(sums)
}

/// Runs a column kernel, then adds its blocks as `reduce/column_sums` does until one is left, which goes into `out`.
pub(crate) fn column_sums_into(
    stream: &mut Stream,
    kernel: &Kernel,
    x: &DeviceMatrix,
    factor: Factor,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    if x.rows() == 0 {
        return out.write(stream, 0, &vec![0.0; x.columns()]);
    }
    let mut sums = block_sums(stream, (kernel, &[]), x, factor, None)?;
    while sums.rows() > 1 {
        sums = block_sums(stream, (&super::reduce::column_sums::KERNEL, &[]), &sums, Factor::None, None)?;
    }
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let view = sums.store()?.view(recording, 0..1)?;
    let target = out.store()?.target(recording, 0..x.columns(), false)?;
    let place = |view: &View| 4 * u64::from(view.first_word());
    let (from, to) = (place(&view), place(&target.view));
    recording.copy((view.buffer(), from), (target.view.buffer(), to), 4 * x.columns() as u64)?;
    out.store()?.commit(recording, target)
}

/// Refuses an `out` that has not one value for each column.
pub(crate) fn check_out(stream: &Stream, op: &'static str, columns: usize, out: &DeviceVec<f32>) -> Result<()> {
    out.on(stream, op)?;
    if out.len() != columns {
        return Err(Error::shape(op, format!("a vector of {columns} for the result"), out.len()));
    }
    Ok(())
}

/// A row of sums for each block of rows.
fn block_sums(
    stream: &mut Stream,
    (kernel, overrides): (&Kernel, &[(&'static str, u32)]),
    x: &DeviceMatrix,
    factor: Factor,
    extra: Option<&Arc<Buffer>>,
) -> Result<DeviceMatrix> {
    let total_blocks = x.rows().div_ceil(BLOCK_ROWS);
    let partial = DeviceMatrix::output(stream.device(), total_blocks, x.columns())?;
    let Some(recording) = stream.gpu() else {
        return Err(Error::WrongDevice { op: kernel.name, why: "a shader cannot run on the CPU device".to_string() });
    };
    let (from, to) = (x.store()?, partial.store()?);
    let operations = 4 * x.columns() as u64;
    let per_dispatch = RowStore::block_rows(&recording.gpu, from.stride() as u64 + 1, operations, BLOCK_ROWS);
    for rows in blocks(x.rows(), per_dispatch.next_multiple_of(BLOCK_ROWS)) {
        let view = from.view(recording, rows.clone())?;
        let results = rows.start / BLOCK_ROWS..rows.end.div_ceil(BLOCK_ROWS);
        let target = to.target(recording, results.clone(), false)?;
        let factor_view = match factor {
            Factor::None => None,
            Factor::Same(vector) => Some((vector.store()?.view(recording, 0..1)?, 0)),
            Factor::Each(vector) => Some((vector.store()?.view(recording, rows.clone())?, 1)),
        };
        let vec4s = from.stride() / 4;
        let items = results.len() * vec4s;
        let params = Params {
            rows: rows.len() as u32,
            items: items as u32,
            vec4s: vec4s as u32,
            x_first: view.first_word() / 4,
            factor_first: factor_view.as_ref().map_or(0, |(view, _)| view.first_word()),
            factor_step: factor_view.as_ref().map_or(0, |(_, step)| *step),
            out_first: target.view.first_word() / 4,
        };
        let mut buffers = vec![view.buffer()];
        buffers.extend(factor_view.as_ref().map(|(view, _)| view.buffer()));
        buffers.extend(extra);
        buffers.push(target.view.buffer());
        let values = (rows.len() * x.columns()) as u64;
        let grid = Grid::covering(items as u64, 64)?;
        let work = Work { operations: 2 * values, bytes: 4 * values };
        recording.dispatch(kernel, Dispatch::new(&params, &buffers, grid, work).overrides(overrides))?;
        to.commit(recording, target)?;
    }
    Ok(partial)
}
