//! Rows in a new order.

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "sort/gather_rows", [Read, Read, Write], Params;
}

params! {
    struct Params { rows: u32, items: u32, x_first: u32, vec4s: u32, index_first: u32, out_first: u32 }
}

/// Row `index[i]` of X (n×d) as row i: `index.len()`×d values. Rows may be taken more than once or not at all.
///
/// An index of n or more is [`Error::Param`]. To know that, a GPU is waited for: gather once, not in a loop.
///
/// ```
/// use gristmill::{Device, DeviceVec, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[1.0], [2.0], [3.0]])?.to(&Device::Cpu)?;
/// let index = DeviceVec::from_slice(&[2_u32, 0, 2], &Device::Cpu)?;
/// assert_eq!(ops::gather_rows(&mut stream, &x, &index)?.to_matrix(&mut stream)?.as_slice(), [3.0, 1.0, 3.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gather_rows(stream: &mut Stream, x: &DeviceMatrix, index: &DeviceVec<u32>) -> Result<DeviceMatrix> {
    let out = gather_known_rows(stream, x, index)?;
    if let Some(recording) = stream.gpu() {
        recording.prove()?;
    }
    Ok(out)
}

/// As [`gather_rows`] without the wait that proves the indices, which the caller knows to be those of rows.
pub(crate) fn gather_known_rows(stream: &mut Stream, x: &DeviceMatrix, index: &DeviceVec<u32>) -> Result<DeviceMatrix> {
    x.on(stream, "gather_rows")?;
    index.on(stream, "gather_rows")?;
    let mut out = DeviceMatrix::output(stream.device(), index.len(), x.columns())?;
    out.missing_as_in_source(x);
    if x.rows() == 0 && !index.is_empty() {
        return Err(Error::shape("gather_rows", "at least one row to take", format!("0×{}", x.columns())));
    }
    let Some(recording) = stream.gpu() else {
        let taken = index.values()?;
        if let Some(row) = taken.iter().find(|row| **row as usize >= x.rows()) {
            return Err(Error::bad_index(*row));
        }
        crate::cpu::sort::gather_rows::gather_rows(x.values()?, x.columns(), taken, out.values_mut()?);
        return Ok(out);
    };
    if x.columns() == 0 || index.is_empty() {
        return Ok(out);
    }
    let (from, to) = (x.store()?, out.store()?);
    let (need, have) = (4 * (x.rows() * from.stride()) as u64, recording.gpu.binding_bytes());
    if need > have {
        return Err(Error::Limit { what: "bytes in one binding for a gather".to_string(), need, have });
    }
    let view = from.view(recording, 0..x.rows())?;
    let per_block = RowStore::block_rows(&recording.gpu, to.stride() as u64 + 1, 1, 64);
    for rows in blocks(index.len(), per_block) {
        let index_view = index.store()?.view(recording, rows.clone())?;
        let target = to.target(recording, rows.clone(), false)?;
        let items = rows.len() * to.stride() / 4;
        let params = Params {
            rows: x.rows() as u32,
            items: items as u32,
            x_first: view.first_word() / 4,
            vec4s: (to.stride() / 4) as u32,
            index_first: index_view.first_word(),
            out_first: target.view.first_word() / 4,
        };
        let grid = Grid::covering(items as u64, 64)?;
        let work = Work { operations: 0, bytes: 32 * items as u64 };
        let buffers = &[view.buffer(), index_view.buffer(), target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work))?;
        to.commit(recording, target)?;
    }
    Ok(out)
}
