//! The host side of `shaders/lib/columns.wgsl`: sums down the columns, in blocks of rows, added here in f64.

use std::sync::Arc;

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
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
    (kernel, overrides): (&Kernel, &[(&'static str, u32)]),
    x: &DeviceMatrix,
    factor: Factor,
    extra: Option<&Arc<Buffer>>,
) -> Result<Vec<f64>> {
    let mut sums = vec![0.0_f64; x.columns()];
    let total_blocks = x.rows().div_ceil(BLOCK_ROWS);
    if x.columns() == 0 || total_blocks == 0 {
        return Ok(sums);
    }
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
    let partial = partial.to_matrix(stream)?;
    for block in 0..total_blocks {
        sums.iter_mut().zip(partial.row(block)).for_each(|(sum, value)| *sum += *value as f64);
    }
    Ok(sums)
}
