//! The sum of each row.

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "reduce/row_sums", [Read, Write], Params;
}

params! {
    struct Params { rows: u32, x_first: u32, vec4s: u32, out_first: u32 }
}

/// Σ of each row of X (n×d), n values. The error of each is at most (d/4 + 4)·ε·Σ|x|, ε = 2⁻²⁴, and depends on its row alone.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// assert_eq!(ops::row_sums(&mut stream, &x)?.to_vec(&mut stream)?, [3.0, 7.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn row_sums(stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceVec<f32>> {
    x.complete_on(stream, "row_sums")?;
    if stream.gpu().is_none() {
        let mut sums = vec![0.0; x.rows()];
        crate::cpu::reduce::row_sums::row_sums(x.values()?, x.rows(), x.columns(), &mut sums);
        return Ok(DeviceVec::from_host(sums));
    }
    team_sums(stream, x, false)
}

/// The sum of each row, or of the squares of its values, on a GPU.
pub(crate) fn team_sums(stream: &mut Stream, x: &DeviceMatrix, squared: bool) -> Result<DeviceVec<f32>> {
    let out = DeviceVec::<f32>::output(stream, x.rows())?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let (from, to) = (x.store()?, out.store()?);
    let per_block = RowStore::block_rows(&recording.gpu, from.stride() as u64 + 1, x.columns() as u64, 64);
    let team: u32 = if x.columns() < 32 { 1 } else { 8 };
    for rows in blocks(x.rows(), per_block) {
        let view = from.view(recording, rows.clone())?;
        let target = to.target(recording, rows.clone(), false)?;
        let params = Params {
            rows: rows.len() as u32,
            x_first: view.first_word() / 4,
            vec4s: (from.stride() / 4) as u32,
            out_first: target.view.first_word(),
        };
        let values = (rows.len() * x.columns()) as u64;
        let grid = Grid::covering(rows.len() as u64, 64 / team as u64)?;
        let work = Work { operations: values, bytes: 4 * values + 4 * rows.len() as u64 };
        let buffers = &[view.buffer(), target.view.buffer()];
        let overrides = [("TEAM", team), ("SQUARED", u32::from(squared))];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))?;
        to.commit(recording, target)?;
    }
    Ok(out)
}
