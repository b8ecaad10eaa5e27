//! What a step of independent components needs.

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
pub use crate::cpu::decomposition::contrast::Contrast;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::{self, Layout};

kernels! {
    /// W·Z and then g of it, sums of g′.
    pub KERNEL = "decomposition/contrast", [Write, Write], Params;
}

params! {
    struct Params {
        groups: u32, row_groups: u32, columns: u32, vec4s: u32, y_first: u32, sum_first: u32, a: f32,
    }
}

/// Vectors of four values that a workgroup takes.
const GROUP: usize = 256;

/// `g(W·Z)·Zᵀ`, m×k row by row, and the sum of g′ along each row of W·Z, m numbers: for Z of k×n, a column an observation,
/// and W of m×k. 4·n·m·k operations; a GPU is waited for twice.
///
/// Products within (k + n/4)·ε of the sizes of their terms at worst, and far less as blocks are added; ε = 2⁻²⁴.
///
/// ```
/// use gristmill::ops::decomposition::contrast::{Contrast, contrast};
/// use gristmill::{Device, Matrix};
/// let z = Matrix::from_rows(&[[1.0, -2.0]])?.to(&Device::Cpu)?;
/// let w = Matrix::from_rows(&[[1.0]])?.to(&Device::Cpu)?;
/// let (products, slopes) = contrast(&mut Device::Cpu.stream(), Contrast::Cube, &z, &w)?;
/// assert_eq!((products, slopes), (vec![17.0], vec![15.0])); // 1 + 16, 3 + 12
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn contrast(
    stream: &mut Stream,
    function: Contrast,
    z: &DeviceMatrix,
    w: &DeviceMatrix,
) -> Result<(Vec<f64>, Vec<f64>)> {
    const OP: &str = "contrast";
    z.complete_on(stream, OP)?;
    w.complete_on(stream, OP)?;
    let (k, n, m) = (z.rows(), z.columns(), w.rows());
    if w.columns() != k {
        return Err(Error::shape(OP, format!("a W of {k} columns"), format!("{m}×{}", w.columns())));
    }
    let (code, a) = match function {
        Contrast::Logcosh(a) if a.is_finite() && a > 0.0 => (0, a),
        Contrast::Logcosh(a) => return Err(Error::param("alpha", "a finite number above 0", a)),
        Contrast::Exp => (1, 0.0),
        Contrast::Cube => (2, 0.0),
    };
    let (mut products, mut slopes) = (vec![0.0; m * k], vec![0.0; m]);
    if stream.gpu().is_none() {
        let (z, w) = (z.values()?, w.values()?);
        crate::cpu::decomposition::contrast::contrast(function, z, (k, n), w, m, &mut products, &mut slopes);
        return Ok((products, slopes));
    }
    if m == 0 || k == 0 || n == 0 {
        return Ok((products, slopes));
    }
    let y = ops::gemm(stream, Layout::NN, w, z)?;
    let row_groups = y.store()?.stride().div_ceil(4 * GROUP);
    let sums = DeviceVec::<f32>::output(stream, m * row_groups)?;
    if let Some(recording) = stream.gpu() {
        let (from, to) = (y.store()?, sums.store()?);
        let operations = 8 * from.stride() as u64;
        for rows in blocks(m, RowStore::block_rows(&recording.gpu, 2 * from.stride() as u64, operations, 1)) {
            let target = from.target(recording, rows.clone(), true)?;
            let sum = to.target(recording, rows.start * row_groups..rows.end * row_groups, false)?;
            let groups = rows.len() * row_groups;
            let params = Params {
                groups: groups as u32,
                row_groups: row_groups as u32,
                columns: n as u32,
                vec4s: (from.stride() / 4) as u32,
                y_first: target.view.first_word() / 4,
                sum_first: sum.view.first_word(),
                a,
            };
            let values = (rows.len() * from.stride()) as u64;
            let work = Work { operations: 8 * values, bytes: 8 * values };
            let buffers = &[target.view.buffer(), sum.view.buffer()];
            let dispatch = Dispatch::new(&params, buffers, Grid::linear(groups as u64)?, work);
            recording.dispatch(&KERNEL, dispatch.overrides(&[("FUNCTION", code)]))?;
            from.commit(recording, target)?;
            to.commit(recording, sum)?;
        }
    }
    let made = ops::gemm(stream, Layout::NT, &y, z)?.to_matrix(stream)?;
    products.iter_mut().zip(made.as_slice()).for_each(|(product, value)| *product = f64::from(*value));
    let sums = sums.to_vec(stream)?;
    for (slope, sums) in slopes.iter_mut().zip(sums.chunks_exact(row_groups)) {
        *slope = sums.iter().map(|sum| f64::from(*sum)).sum();
    }
    Ok((products, slopes))
}
