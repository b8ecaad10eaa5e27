//! The smallest value of each row.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Access, Field, Grid, Kernel, Needs, Work};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "reduce/argmin_rows",
    source: include_str!("../../../shaders/reduce/argmin_rows.wgsl"),
    buffers: &[Access::Read, Access::Write, Access::Write],
    params: &[
        Field { name: "rows", offset: offset_of!(Params, rows) },
        Field { name: "columns", offset: offset_of!(Params, columns) },
        Field { name: "groups", offset: offset_of!(Params, groups) },
        Field { name: "x_first", offset: offset_of!(Params, x_first) },
        Field { name: "x_stride", offset: offset_of!(Params, x_stride) },
        Field { name: "out_first", offset: offset_of!(Params, out_first) },
    ],
    params_size: size_of::<Params>(),
    needs: Needs::Floor,
};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    rows: u32,
    columns: u32,
    groups: u32,
    x_first: u32,
    x_stride: u32,
    out_first: u32,
    pad: [u32; 2],
}

/// For each row of X (n×d, d ≥ 1) the column of its smallest value and that value; ties go to the lowest column.
/// Exact: the same on every device.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[3.0, 1.0, 1.0], [0.0, 5.0, 2.0]])?.to(&Device::Cpu)?;
/// let (index, value) = ops::argmin_rows(&mut stream, &x)?;
/// assert_eq!(index.to_vec(&mut stream)?, [1, 0]);
/// assert_eq!(value.to_vec(&mut stream)?, [1.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn argmin_rows(stream: &mut Stream, x: &DeviceMatrix) -> Result<(DeviceVec<u32>, DeviceVec<f32>)> {
    x.on(stream, "argmin_rows")?;
    x.refuse_missing()?;
    if x.columns() == 0 && x.rows() > 0 {
        let got = format!("{}×0", x.rows());
        return Err(Error::Shape { op: "argmin_rows", expected: "at least one column".to_string(), got });
    }
    if stream.gpu().is_none() {
        let (mut index, mut value) = (vec![0; x.rows()], vec![0.0; x.rows()]);
        if x.rows() > 0 {
            crate::cpu::reduce::argmin_rows::argmin_rows(x.values()?, x.rows(), x.columns(), &mut index, &mut value);
        }
        return Ok((DeviceVec::from_host(index), DeviceVec::from_host(value)));
    }
    let index = DeviceVec::<u32>::output(stream, x.rows())?;
    let value = DeviceVec::<f32>::output(stream, x.rows())?;
    if let Some(recording) = stream.gpu() {
        let gpu = recording.gpu.clone();
        let per_block = RowStore::block_rows(&gpu, x.store()?.stride() as u64, x.columns() as u64, 256);
        for rows in blocks(x.rows(), per_block) {
            block(recording, x, (&index, &value), rows)?;
        }
    }
    Ok((index, value))
}

fn block(
    recording: &mut crate::device::Recording,
    x: &DeviceMatrix,
    (index, value): (&DeviceVec<u32>, &DeviceVec<f32>),
    rows: std::ops::Range<usize>,
) -> Result<()> {
    // Narrow rows: one lane each. Wide rows: a team reads 32 neighbours at a time.
    let team: u32 = if x.columns() <= 64 { 1 } else { 32 };
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
        out_first: index_target.view.first_word(),
        pad: [0; 2],
    };
    let values = (rows.len() * x.columns()) as u64;
    recording.dispatch(
        &KERNEL,
        Dispatch {
            params: bytemuck::bytes_of(&params),
            buffers: &[view.buffer(), index_target.view.buffer(), value_target.view.buffer()],
            grid: Grid::linear(groups)?,
            overrides: &[("TEAM", team)],
            work: Work { operations: values, bytes: 4 * values + 8 * rows.len() as u64 },
        },
    )?;
    index.store()?.commit(recording, index_target)?;
    value.store()?.commit(recording, value_target)
}
