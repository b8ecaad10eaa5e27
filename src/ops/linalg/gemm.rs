//! The product of two matrices.

use super::transpose::{transpose, transpose_block};
use crate::array::{DeviceMatrix, RowStore, blocks};
pub use crate::cpu::linalg::gemm::Layout;
use crate::device::{Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{kernels, params};
use crate::ops::pairs::{self, DEPTH_BLOCK, Operand, Output, PairKernel, TILE};

kernels! {
    /// The product.
    pub KERNEL = "linalg/gemm", [Read, Read, Write], pairs::Params;
    /// Adds the layers of a long depth.
    pub KERNEL_MERGE = "linalg/gemm__merge", [Read, Write], MergeParams;
}

/// The product of rows with rows.
const BY_ROWS: PairKernel<'static> = on_tile(&[("A_DEEP", 0), ("B_DEEP", 0)]);
/// The product of rows with columns.
const B_DEEP: PairKernel<'static> = on_tile(&[("A_DEEP", 0), ("B_DEEP", 1)]);
/// The product of columns with columns.
const DEEP: PairKernel<'static> = on_tile(&[("A_DEEP", 1), ("B_DEEP", 1)]);

const fn on_tile(overrides: &'static [(&'static str, u32)]) -> PairKernel<'static> {
    PairKernel { kernel: &KERNEL, overrides, step_operations: 2, layered: true, extra: None }
}

params! {
    pub(crate) struct MergeParams {
        vec4s: u32, row_vec4s: u32, out_first: u32, out_vec4s: u32, layers: u32, layer_vec4s: u32, alpha: f32,
        beta: f32,
    }
}

/// `A·B`, `A·Bᵀ` or `Aᵀ·B` as a new matrix. 2·m·n·k operations.
///
/// The error of each value is at most (k + 2)·ε·Σ|a·b|, ε = 2⁻²⁴, up to a depth k of 4096, and less than that beyond.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::ops::{self, Layout};
/// let mut stream = Device::Cpu.stream();
/// let a = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let c = ops::gemm(&mut stream, Layout::NN, &a, &a)?;
/// assert_eq!(c.to_matrix(&mut stream)?.as_slice(), [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gemm(stream: &mut Stream, layout: Layout, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<DeviceMatrix> {
    let [m, n, _] = shape(layout, a, b)?;
    let mut c = DeviceMatrix::output(stream.device(), m, n)?;
    gemm_into(stream, layout, (1.0, a), b, (0.0, &mut c))?;
    Ok(c)
}

/// `C = alpha·A·B + beta·C`, or with `A·Bᵀ` or `Aᵀ·B`. With `beta` = 0 what C held does not matter.
pub fn gemm_into(
    stream: &mut Stream,
    layout: Layout,
    (alpha, a): (f32, &DeviceMatrix),
    b: &DeviceMatrix,
    (beta, c): (f32, &mut DeviceMatrix),
) -> Result<()> {
    let [m, n, k] = shape(layout, a, b)?;
    if (c.rows(), c.columns()) != (m, n) {
        return Err(mismatch(format!("C of {m}×{n}"), format!("{}×{}", c.rows(), c.columns())));
    }
    for (name, factor) in [("alpha", alpha), ("beta", beta)] {
        if !factor.is_finite() {
            return Err(Error::param(name, "a finite number", factor));
        }
    }
    for operand in [a, b, &*c] {
        operand.complete_on(stream, "gemm")?;
    }
    c.make_own(stream)?;
    match stream.gpu() {
        None => {
            let (a_shape, b_shape) = ((a.rows(), a.columns()), (b.rows(), b.columns()));
            crate::cpu::linalg::gemm::gemm(
                layout,
                alpha,
                a.values()?,
                a_shape,
                b.values()?,
                b_shape,
                beta,
                c.values_mut()?,
            );
            Ok(())
        }
        Some(_) if m == 0 || n == 0 => Ok(()),
        Some(recording) => match layout {
            Layout::NT => pairs::all_pairs(recording, &BY_ROWS, (a, b), c, (alpha, beta)),
            _ if fits(recording, layout, a, b)? => deep_product(recording, layout, (a, b), c, (alpha, beta)),
            Layout::TN => turned_product(recording, (a, b), c, (alpha, beta), k),
            Layout::NN => {
                let turned = transpose(stream, b)?;
                gemm_into(stream, Layout::NT, (alpha, a), &turned, (beta, c))
            }
        },
    }
}

/// Whether a layer's rows of the operands that lie across the depth are within the room of a block.
fn fits(recording: &Recording, layout: Layout, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<bool> {
    let a_words = if layout == Layout::TN { a.store()?.stride() } else { 0 };
    let words = (a_words.max(b.store()?.stride()) * b.rows().min(DEPTH_BLOCK)) as u64;
    Ok(4 * words <= recording.gpu.scratch_bytes())
}

/// `A·B` or `Aᵀ·B`: spans of the depth are rows of B, and of A too in the second case; their products are added to C in
/// the order of the depth.
fn deep_product(
    recording: &mut Recording,
    layout: Layout,
    (a, b): (&DeviceMatrix, &DeviceMatrix),
    c: &DeviceMatrix,
    (alpha, first_beta): (f32, f32),
) -> Result<()> {
    let (a_rows, b_rows, c_rows) = (a.store()?, b.store()?, c.store()?);
    let (pair, a_deep) = if layout == Layout::TN { (&DEEP, true) } else { (&B_DEEP, false) };
    let (m, n, depth) = (c.rows(), c.columns(), b.rows());
    // As many layers as there is room for rows of both operands; a layer's depth is fixed, so the sums are too.
    let row_words = b_rows.stride() as u64 + if a_deep { a_rows.stride() as u64 } else { 0 };
    let layers = (recording.gpu.scratch_bytes() / (4 * row_words * DEPTH_BLOCK as u64)).clamp(1, 64) as usize;
    let words = c_rows.stride() as u64 + if a_deep { 0 } else { a_rows.stride() as u64 };
    let step = 2 * depth.clamp(1, DEPTH_BLOCK) as u64;
    let n_block = ((recording.gpu.operations_per_dispatch() / (TILE as u64 * step)) as usize).next_multiple_of(16);
    let operations = step * n.min(n_block) as u64;
    for rows in blocks(m, RowStore::block_rows(&recording.gpu, words, operations, TILE).next_multiple_of(TILE)) {
        let target = c_rows.target(recording, rows.clone(), first_beta != 0.0)?;
        let mut beta = first_beta;
        for span in blocks(depth.max(1), layers * DEPTH_BLOCK) {
            let span = span.start.min(depth)..span.end.min(depth);
            let a_view = match a_deep {
                true => a_rows.view(recording, span.clone())?.skip(rows.start),
                false => a_rows.view(recording, rows.clone())?.skip(span.start),
            };
            let a = Operand { view: &a_view, rows: rows.len(), stride: a_rows.stride(), deep: a_deep };
            let b_view = b_rows.view(recording, span.clone())?;
            for columns in blocks(n, n_block) {
                let view = &b_view.skip(columns.start);
                let b = Operand { view, rows: columns.len(), stride: b_rows.stride(), deep: true };
                let out = Output { view: &target.view, stride: c_rows.stride(), column: columns.start, alpha, beta };
                pairs::product_over(recording, pair, (a, b), 0..span.len(), out, depth > DEPTH_BLOCK)?;
            }
            beta = 1.0;
        }
        c_rows.commit(recording, target)?;
    }
    Ok(())
}

/// `Aᵀ·B` of rows too long for [`deep_product`]: blocks of rows of A and B are turned into scratch, and their product is added to C in the order of the rows.
fn turned_product(
    recording: &mut Recording,
    (a, b): (&DeviceMatrix, &DeviceMatrix),
    c: &DeviceMatrix,
    (alpha, first_beta): (f32, f32),
    depth: usize,
) -> Result<()> {
    let (a_rows, b_rows, c_rows) = (a.store()?, b.store()?, c.store()?);
    let (m, n) = (a.columns(), b.columns());
    // Room for some layers of both operands; the tallest block of a depth is fixed, so the sums are too.
    let step = depth.clamp(1, DEPTH_BLOCK) as u64;
    let room = RowStore::block_rows(&recording.gpu, step, 2 * step * n as u64, 16).next_multiple_of(16);
    let (m_block, n_block) = (room.min(m), room.min(n));
    let layers = (recording.gpu.scratch_bytes() / (4 * step * m_block.max(n_block) as u64)).clamp(1, 64) as usize;
    for rows in blocks(m, m_block) {
        let target = c_rows.target(recording, rows.clone(), first_beta != 0.0)?;
        let mut beta = first_beta;
        for span in blocks(depth.max(1), layers * DEPTH_BLOCK) {
            let span = span.start.min(depth)..span.end.min(depth);
            let stride = span.len().next_multiple_of(4).max(4);
            let a_turned = transpose_block(recording, a_rows, span.clone(), rows.clone())?;
            for columns in blocks(n, n_block) {
                let b_turned = transpose_block(recording, b_rows, span.clone(), columns.clone())?;
                let operands = (
                    Operand { view: &a_turned, rows: rows.len(), stride, deep: false },
                    Operand { view: &b_turned, rows: columns.len(), stride, deep: false },
                );
                let out = Output { view: &target.view, stride: c_rows.stride(), column: columns.start, alpha, beta };
                pairs::product_over(recording, &BY_ROWS, operands, 0..span.len(), out, depth > DEPTH_BLOCK)?;
            }
            beta = 1.0;
        }
        c_rows.commit(recording, target)?;
    }
    Ok(())
}

/// m, n and the depth k.
fn shape(layout: Layout, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<[usize; 3]> {
    let (m, k) = match layout {
        Layout::NN | Layout::NT => (a.rows(), a.columns()),
        Layout::TN => (a.columns(), a.rows()),
    };
    let (b_depth, n) = match layout {
        Layout::NN | Layout::TN => (b.rows(), b.columns()),
        Layout::NT => (b.columns(), b.rows()),
    };
    if k != b_depth {
        let got = format!("{layout:?} of {}×{} and {}×{}", a.rows(), a.columns(), b.rows(), b.columns());
        return Err(mismatch(format!("equal depths, not {k} and {b_depth}"), got));
    }
    Ok([m, n, k])
}

fn mismatch(expected: String, got: String) -> Error {
    Error::shape("gemm", expected, got)
}
