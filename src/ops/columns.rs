//! The host side of `shaders/reduce/column_sums.wgsl`: sums down the columns, in blocks of rows, added here in f64.

use std::sync::Arc;

use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
use crate::device::{Buffer, Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, params};
use crate::ops::reduce::column_sums::KERNEL;

/// Rows of a block, as in the shader.
const BLOCK_ROWS: usize = 512;

params! {
    pub(crate) struct Params {
        rows: u32, items: u32, vec4s: u32, x_first: u32, factor_first: u32, out_first: u32,
    }
}

/// What is summed: x, or `factor·(x − center)^power`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terms<'a> {
    /// One number for each row.
    pub(crate) factor: Option<&'a DeviceVec<f32>>,
    /// One number for each column, padded to whole vec4, and the power of the difference, 1 or 2.
    pub(crate) center: Option<(&'a Arc<Buffer>, u32)>,
}

impl<'a> Terms<'a> {
    /// `factor·x`.
    pub(crate) fn weighted(factor: &'a DeviceVec<f32>) -> Self {
        Self { factor: Some(factor), center: None }
    }

    fn overrides(self) -> [(&'static str, u32); 3] {
        let power = self.center.map_or(1, |(_, power)| power);
        [
            ("WEIGHTED", u32::from(self.factor.is_some())),
            ("CENTRED", u32::from(self.center.is_some())),
            ("POWER", power),
        ]
    }
}

/// The sums down the columns, the blocks added in f64, in their order.
pub(crate) fn column_sums(stream: &mut Stream, x: &DeviceMatrix, terms: Terms<'_>) -> Result<Vec<f64>> {
    let mut sums = vec![0.0_f64; x.columns()];
    if x.columns() == 0 || x.rows() == 0 {
        return Ok(sums);
    }
    let partial = block_sums(stream, x, terms)?.to_matrix(stream)?;
    for block in 0..partial.rows() {
        sums.iter_mut().zip(partial.row(block)).for_each(|(sum, value)| *sum += *value as f64);
    }
    Ok(sums)
}

/// The sums down the columns into `out`: the blocks are added by the same kernel until one is left.
pub(crate) fn column_sums_into(
    stream: &mut Stream,
    x: &DeviceMatrix,
    terms: Terms<'_>,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    if x.rows() == 0 {
        return out.write(stream, 0, &vec![0.0; x.columns()]);
    }
    let mut sums = block_sums(stream, x, terms)?;
    while sums.rows() > 1 {
        sums = block_sums(stream, &sums, Terms::default())?;
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
fn block_sums(stream: &mut Stream, x: &DeviceMatrix, terms: Terms<'_>) -> Result<DeviceMatrix> {
    let total_blocks = x.rows().div_ceil(BLOCK_ROWS);
    let partial = DeviceMatrix::output(stream.device(), total_blocks, x.columns())?;
    let Some(recording) = stream.gpu() else {
        return Err(Error::WrongDevice { op: KERNEL.name, why: "a shader cannot run on the CPU device".to_string() });
    };
    let (from, to) = (x.store()?, partial.store()?);
    let operations = 4 * x.columns() as u64;
    let per_dispatch = RowStore::block_rows(&recording.gpu, from.stride() as u64 + 1, operations, BLOCK_ROWS);
    for rows in blocks(x.rows(), per_dispatch.next_multiple_of(BLOCK_ROWS)) {
        let view = from.view(recording, rows.clone())?;
        let results = rows.start / BLOCK_ROWS..rows.end.div_ceil(BLOCK_ROWS);
        let target = to.target(recording, results.clone(), false)?;
        let factor = terms.factor.map(|vector| vector.store()?.view(recording, rows.clone())).transpose()?;
        let vec4s = from.stride() / 4;
        let items = results.len() * vec4s;
        let params = Params {
            rows: rows.len() as u32,
            items: items as u32,
            vec4s: vec4s as u32,
            x_first: view.first_word() / 4,
            factor_first: factor.as_ref().map_or(0, View::first_word),
            out_first: target.view.first_word() / 4,
        };
        // X stands in for what is not read.
        let factor = factor.as_ref().unwrap_or(&view).buffer();
        let center = terms.center.map_or(view.buffer(), |(center, _)| center);
        let buffers = [view.buffer(), factor, center, target.view.buffer()];
        let values = (rows.len() * x.columns()) as u64;
        let grid = Grid::covering(items as u64, 64)?;
        let work = Work { operations: 2 * values, bytes: 4 * values };
        recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, grid, work).overrides(&terms.overrides()))?;
        to.commit(recording, target)?;
    }
    Ok(partial)
}
