//! Cosine distances.

use super::{COSINE, pairwise};
use crate::array::{DeviceMatrix, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Makes rows unit rows.
    pub KERNEL_UNIT = "distance/cosine__unit", [Read, Write], UnitParams;
}

params! {
    struct UnitParams { rows: u32, groups: u32, x_first: u32, vec4s: u32, out_first: u32 }
}

/// 1 − xᵢ·yⱼ/(|xᵢ|·|yⱼ|), within 0 and 2, for each row of X (n×d) and each row of Y (m×d): n×m values. A row of zeros is at
/// distance 1 from every row. The error is at most (2·d + 20)·ε, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::cosine(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.get(0, 1), 1.0);
/// assert!(distances.get(1, 1).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn cosine(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    let (unit_x, unit_y);
    let operands = if stream.gpu().is_some() {
        (unit_x, unit_y) = (unit_rows(stream, x)?, unit_rows(stream, y)?);
        (&unit_x, &unit_y)
    } else {
        (x, y)
    };
    pairwise(stream, "cosine", (&COSINE, 1.0), operands, |x, n, y, m, d, out| {
        crate::cpu::distance::cosine::cosine(x, n, y, m, d, out);
    })
}

/// Each row divided by its norm; rows of zeros stay. For the GPU.
pub(in crate::ops) fn unit_rows(stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
    x.on(stream, "cosine")?;
    x.refuse_missing()?;
    let out = DeviceMatrix::output(stream.device(), x.rows(), x.columns())?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let (from, to) = (x.store()?, out.store()?);
    let gpu = recording.gpu.clone();
    let vec4s = from.stride() / 4;
    let per_block = RowStore::block_rows(&gpu, 2 * from.stride() as u64, 6 * x.columns() as u64, 64);
    for rows in blocks(x.rows(), per_block) {
        let view = from.view(recording, rows.clone())?;
        let target = to.target(recording, rows.clone(), false)?;
        let groups = rows.len().div_ceil(64) as u64;
        let params = UnitParams {
            rows: rows.len() as u32,
            groups: groups as u32,
            x_first: view.first_word() / 4,
            vec4s: vec4s as u32,
            out_first: target.view.first_word() / 4,
        };
        let values = (rows.len() * x.columns()) as u64;
        recording.dispatch(
            &KERNEL_UNIT,
            Dispatch {
                params: bytemuck::bytes_of(&params),
                buffers: &[view.buffer(), target.view.buffer()],
                grid: Grid::linear(groups)?,
                overrides: &[],
                work: Work { operations: 6 * values, bytes: 8 * values },
            },
        )?;
        to.commit(recording, target)?;
    }
    Ok(out)
}
