//! The product of a matrix, or of its transpose, with a vector.

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::columns::{self, Terms};

kernels! {
    /// A·x: a team of lanes takes four rows.
    pub KERNEL = "linalg/gemv", [Read, Read, Write], Params;
}

params! {
    struct Params { rows: u32, a_first: u32, vec4s: u32, out_first: u32, x_first: u32, columns: u32 }
}

/// A·x for A of n×d and x of d: n values. The error of each is at most (d/4 + 6)·ε·Σ|a·x| on a GPU and 140·ε·Σ|a·x| on the
/// CPU, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::{Device, DeviceVec, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let a = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let x = DeviceVec::from_slice(&[1.0_f32, 1.0], &Device::Cpu)?;
/// assert_eq!(ops::gemv(&mut stream, &a, &x)?.to_vec(&mut stream)?, [3.0, 7.0]);
/// assert_eq!(ops::gemv_transposed(&mut stream, &a, &x)?, [4.0, 6.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gemv(stream: &mut Stream, a: &DeviceMatrix, x: &DeviceVec<f32>) -> Result<DeviceVec<f32>> {
    check(stream, a, x, a.columns())?;
    let mut y = DeviceVec::<f32>::output(stream, a.rows())?;
    gemv_into(stream, a, x, &mut y)?;
    Ok(y)
}

/// [`gemv`] into `y`, a vector of n.
pub fn gemv_into(stream: &mut Stream, a: &DeviceMatrix, x: &DeviceVec<f32>, y: &mut DeviceVec<f32>) -> Result<()> {
    check(stream, a, x, a.columns())?;
    columns::check_out(stream, "gemv_into", a.rows(), y)?;
    if stream.gpu().is_none() {
        let (values, y) = (a.values()?, y.values_mut()?);
        crate::cpu::linalg::gemv::gemv(1.0, values, a.rows(), a.columns(), x.values()?, 0.0, y);
        return Ok(());
    }
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let (from, to) = (a.store()?, y.store()?);
    let team: u32 = if a.columns() < 32 { 1 } else { 8 };
    let x_view = x.store()?.view(recording, 0..x.len())?;
    let per_block = RowStore::block_rows(&recording.gpu, from.stride() as u64 + 1, 2 * a.columns() as u64, 256);
    for rows in blocks(a.rows(), per_block) {
        let view = from.view(recording, rows.clone())?;
        let target = to.target(recording, rows.clone(), false)?;
        let params = Params {
            rows: rows.len() as u32,
            a_first: view.first_word() / 4,
            vec4s: (from.stride() / 4) as u32,
            out_first: target.view.first_word(),
            x_first: x_view.first_word() / 4,
            columns: a.columns() as u32,
        };
        let values = (rows.len() * a.columns()) as u64;
        let grid = Grid::covering(rows.len() as u64, 256 / team as u64)?;
        let work = Work { operations: 2 * values, bytes: 4 * values + 4 * rows.len() as u64 };
        let buffers = &[view.buffer(), x_view.buffer(), target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("TEAM", team)]))?;
        to.commit(recording, target)?;
    }
    Ok(())
}

/// Aᵀ·x for A of n×d and x of n: d values in f64. On a GPU blocks of 512 rows are added in f32: the error is at most
/// 132·ε·Σ|a·x|, and 258·ε·Σ|a·x| on the CPU, ε = 2⁻²⁴.
pub fn gemv_transposed(stream: &mut Stream, a: &DeviceMatrix, x: &DeviceVec<f32>) -> Result<Vec<f64>> {
    check(stream, a, x, a.rows())?;
    if stream.gpu().is_none() {
        let mut y = vec![0.0; a.columns()];
        crate::cpu::linalg::gemv::gemv_transposed(1.0, a.values()?, a.rows(), a.columns(), x.values()?, 0.0, &mut y);
        return Ok(y.into_iter().map(f64::from).collect());
    }
    columns::column_sums(stream, a, Terms::weighted(x))
}

/// [`gemv_transposed`] in f32 into `y`, d values that stay on the device, with nothing read back: blocks of 512 rows are
/// added until one is left, so the error is at most 132·ε·Σ|a·x| for each power of 512 in n.
pub fn gemv_transposed_into(
    stream: &mut Stream,
    a: &DeviceMatrix,
    x: &DeviceVec<f32>,
    y: &mut DeviceVec<f32>,
) -> Result<()> {
    check(stream, a, x, a.rows())?;
    columns::check_out(stream, "gemv_transposed_into", a.columns(), y)?;
    if stream.gpu().is_none() {
        let (values, y) = (a.values()?, y.values_mut()?);
        crate::cpu::linalg::gemv::gemv_transposed(1.0, values, a.rows(), a.columns(), x.values()?, 0.0, y);
        return Ok(());
    }
    columns::column_sums_into(stream, a, Terms::weighted(x), y)
}

fn check(stream: &Stream, a: &DeviceMatrix, x: &DeviceVec<f32>, len: usize) -> Result<()> {
    a.complete_on(stream, "gemv")?;
    x.complete_on(stream, "gemv")?;
    if x.len() != len {
        return Err(Error::shape("gemv", format!("a vector of {len}"), x.len()));
    }
    Ok(())
}
