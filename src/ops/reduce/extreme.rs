//! The host side of `shaders/reduce/argmin_rows.wgsl`: the best value of each row and its column.

use std::ops::Range;

use super::argmin_rows::KERNEL;
use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, params};

params! {
    pub(super) struct Params {
        rows: u32, columns: u32, groups: u32, x_first: u32, x_stride: u32, index_first: u32, value_first: u32,
    }
}

/// Which value of a row is the best.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extreme {
    Smallest,
    Largest,
}

/// A CPU twin: X, rows, columns, the columns found, their values.
type Twin = fn(&[f32], usize, usize, &mut [u32], &mut [f32]);

/// The best of each row, by `twin` on the CPU.
pub(super) fn extreme_rows(
    stream: &mut Stream,
    op: &'static str,
    (best, twin): (Extreme, Twin),
    x: &DeviceMatrix,
) -> Result<(DeviceVec<u32>, DeviceVec<f32>)> {
    x.complete_on(stream, op)?;
    if x.columns() == 0 && x.rows() > 0 {
        return Err(Error::shape(op, "at least one column", format!("{}×0", x.rows())));
    }
    if stream.gpu().is_none() {
        let (mut index, mut value) = (vec![0; x.rows()], vec![0.0; x.rows()]);
        if x.rows() > 0 {
            twin(x.values()?, x.rows(), x.columns(), &mut index, &mut value);
        }
        return Ok((DeviceVec::from_host(index), DeviceVec::from_host(value)));
    }
    let index = DeviceVec::<u32>::output(stream, x.rows())?;
    let value = DeviceVec::<f32>::output(stream, x.rows())?;
    if let Some(recording) = stream.gpu() {
        let per_block = RowStore::block_rows(&recording.gpu, x.store()?.stride() as u64, x.columns() as u64, 256);
        for rows in blocks(x.rows(), per_block) {
            block(recording, best, x, (&index, &value), rows)?;
        }
    }
    Ok((index, value))
}

fn block(
    recording: &mut Recording,
    best: Extreme,
    x: &DeviceMatrix,
    (index, value): (&DeviceVec<u32>, &DeviceVec<f32>),
    rows: Range<usize>,
) -> Result<()> {
    // Very narrow rows: one lane each. Others: a team reads neighbours together.
    let team: u32 = if x.columns() < 16 { 1 } else { 8 };
    let view = x.store()?.view(recording, rows.clone())?;
    let index_target = index.store()?.target(recording, rows.clone(), false)?;
    let value_target = value.store()?.target(recording, rows.clone(), false)?;
    let groups = (rows.len() as u64).div_ceil(256 / team as u64);
    let params = Params {
        rows: rows.len() as u32,
        columns: x.columns() as u32,
        groups: groups as u32,
        x_first: view.first_word(),
        x_stride: x.store()?.stride() as u32,
        index_first: index_target.view.first_word(),
        value_first: value_target.view.first_word(),
    };
    let values = (rows.len() * x.columns()) as u64;
    let grid = Grid::linear(groups)?;
    let work = Work { operations: values, bytes: 4 * values + 8 * rows.len() as u64 };
    let buffers = &[view.buffer(), index_target.view.buffer(), value_target.view.buffer()];
    let overrides = [("TEAM", team), ("LARGEST", best as u32)];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))?;
    index.store()?.commit(recording, index_target)?;
    value.store()?.commit(recording, value_target)
}
