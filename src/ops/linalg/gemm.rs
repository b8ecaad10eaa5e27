//! The product of two matrices.

use super::transpose::{transpose, transpose_block};
use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
pub use crate::cpu::linalg::gemm::{Activation, Layout};
use crate::device::{Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{kernels, params};
use crate::ops::pairs::{self, DEPTH_BLOCK, Operand, Output, PairKernel, TILE};

kernels! {
    /// The product.
    pub KERNEL = "linalg/gemm", [Read, Read, Write, Read], pairs::Params;
    /// Adds the layers of a long depth.
    pub KERNEL_MERGE = "linalg/gemm__merge", [Read, Write, Read], MergeParams;
}

params! {
    pub(crate) struct MergeParams {
        columns: u32, vec4s: u32, row_vec4s: u32, out_first: u32, out_vec4s: u32, layers: u32, layer_vec4s: u32,
        column_first: u32, finish: u32, alpha: f32, beta: f32, pad: u32, low: [f32; 4], high: [f32; 4],
    }
}

/// `A·B`, `A·Bᵀ` or `Aᵀ·B` as a new matrix. 2·m·n·k operations.
///
/// The error of each value is at most (k + 2)·ε·Σ|a·b|, ε = 2⁻²⁴, up to a depth k of 512, and less than that beyond. The
/// bits of a row depend on nothing but the row and B.
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
    let [m, n, _] = shape(layout, a, b)?;
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
    product_into(stream, layout, (alpha, a), b, (beta, c), (None, Activation::Identity))
}

/// `activation(A·B + bias)` as a new matrix, or with `A·Bᵀ` or `Aᵀ·B`: a layer of a network. `bias` has a number for each
/// column. On a GPU both are applied before the product is stored.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::ops::{self, Activation, Layout};
/// let mut stream = Device::Cpu.stream();
/// let a = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let bias = DeviceVec::from_slice(&[-8.0_f32, 1.0], &Device::Cpu)?;
/// let c = ops::gemm_bias(&mut stream, Layout::NN, (&a, &a), Some(&bias), Activation::Relu)?;
/// assert_eq!(c.to_matrix(&mut stream)?.as_slice(), [0.0, 11.0, 7.0, 23.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn gemm_bias(
    stream: &mut Stream,
    layout: Layout,
    (a, b): (&DeviceMatrix, &DeviceMatrix),
    bias: Option<&DeviceVec<f32>>,
    activation: Activation,
) -> Result<DeviceMatrix> {
    let [m, n, _] = shape(layout, a, b)?;
    for operand in [a, b] {
        operand.complete_on(stream, "gemm")?;
    }
    if let Some(bias) = bias {
        bias.complete_on(stream, "gemm")?;
        if bias.len() != n {
            return Err(mismatch(format!("a bias of {n} numbers"), bias.len().to_string()));
        }
    }
    let mut c = DeviceMatrix::output(stream.device(), m, n)?;
    product_into(stream, layout, (1.0, a), b, (0.0, &mut c), (bias, activation))?;
    Ok(c)
}

/// The checked product on either device.
fn product_into(
    stream: &mut Stream,
    layout: Layout,
    (alpha, a): (f32, &DeviceMatrix),
    b: &DeviceMatrix,
    (beta, c): (f32, &mut DeviceMatrix),
    (bias, activation): (Option<&DeviceVec<f32>>, Activation),
) -> Result<()> {
    let Some(recording) = stream.gpu() else {
        let (a_shape, b_shape) = ((a.rows(), a.columns()), (b.rows(), b.columns()));
        let (a, b) = ((a.values()?, a_shape), (b.values()?, b_shape));
        let columns = c.columns();
        let (c, bias) = (c.values_mut()?, bias.map(DeviceVec::values).transpose()?);
        crate::cpu::linalg::gemm::gemm(layout, alpha, a.0, a.1, b.0, b.1, beta, c);
        crate::cpu::linalg::gemm::activate(c, columns, bias, activation);
        return Ok(());
    };
    if c.rows() == 0 || c.columns() == 0 {
        return Ok(());
    }
    if layout == Layout::NN && !fits(recording, layout, a, b)? {
        let turned = transpose(stream, b)?;
        return product_into(stream, Layout::NT, (alpha, a), &turned, (beta, c), (bias, activation));
    }
    let view = bias.map(|bias| bias.store()?.view(recording, 0..bias.len())).transpose()?;
    let product = Product { bias: view.as_ref(), activation, factors: (alpha, beta) };
    match layout {
        Layout::NT => product.on_tile([0, 0], |pair| pairs::all_pairs(recording, pair, (a, b), c, product.factors)),
        _ if fits(recording, layout, a, b)? => deep_product(recording, layout, (a, b), c, &product),
        _ => turned_product(recording, (a, b), c, &product),
    }
}

/// What is done to the sums of a product.
struct Product<'a> {
    bias: Option<&'a View>,
    activation: Activation,
    /// alpha and beta.
    factors: (f32, f32),
}

impl Product<'_> {
    /// Runs something with the kernel for operands of which these lie across the depth.
    fn on_tile<R>(&self, deep: [u32; 2], run: impl FnOnce(&PairKernel<'_>) -> R) -> R {
        let epilogue = [("BIAS", u32::from(self.bias.is_some())), ("ACTIVATION", self.activation as u32)];
        let overrides = [("A_DEEP", deep[0]), ("B_DEEP", deep[1]), epilogue[0], epilogue[1]];
        let pair = PairKernel::new(&KERNEL, &[], 2, true);
        run(&PairKernel { overrides: &overrides, merge: &epilogue, column_vector: self.bias, ..pair })
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
    product: &Product<'_>,
) -> Result<()> {
    let (a_rows, b_rows, c_rows) = (a.store()?, b.store()?, c.store()?);
    let a_deep = layout == Layout::TN;
    let (alpha, first_beta) = product.factors;
    let (m, n, depth) = (c.rows(), c.columns(), b.rows());
    // As many layers as there is room for rows of both operands; a layer's depth is fixed, so the sums are too.
    let row_words = b_rows.stride() as u64 + if a_deep { a_rows.stride() as u64 } else { 0 };
    let layers = (recording.gpu.scratch_bytes() / (4 * row_words * DEPTH_BLOCK as u64)).clamp(1, 512) as usize;
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
            let (first, stride) = (rows.start, a_rows.stride());
            let a = Operand { view: &a_view, rows: rows.len(), first, stride, deep: a_deep };
            let b_view = b_rows.view(recording, span.clone())?;
            for columns in blocks(n, n_block) {
                let view = &b_view.skip(columns.start);
                let (first, stride) = (columns.start, b_rows.stride());
                let b = Operand { view, rows: columns.len(), first, stride, deep: true };
                let (view, stride, finish) = (&target.view, c_rows.stride(), span.end == depth);
                let out = Output { view, stride, column: first, alpha, beta, finish };
                let run = |pair: &PairKernel<'_>| pairs::product_over(recording, pair, (a, b), 0..span.len(), out);
                product.on_tile([u32::from(a_deep), 1], run)?;
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
    product: &Product<'_>,
) -> Result<()> {
    let (a_rows, b_rows, c_rows) = (a.store()?, b.store()?, c.store()?);
    let (alpha, first_beta) = product.factors;
    let (m, n, depth) = (a.columns(), b.columns(), a.rows());
    // Room for some layers of both operands; the tallest block of a depth is fixed, so the sums are too.
    let step = depth.clamp(1, DEPTH_BLOCK) as u64;
    let room = RowStore::block_rows(&recording.gpu, step, 2 * step * n as u64, 16).next_multiple_of(16);
    let (m_block, n_block) = (room.min(m), room.min(n));
    let layers = (recording.gpu.scratch_bytes() / (4 * step * m_block.max(n_block) as u64)).clamp(1, 512) as usize;
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
                    Operand { view: &a_turned, rows: rows.len(), first: rows.start, stride, deep: false },
                    Operand { view: &b_turned, rows: columns.len(), first: columns.start, stride, deep: false },
                );
                let (view, stride, finish) = (&target.view, c_rows.stride(), span.end == depth);
                let out = Output { view, stride, column: columns.start, alpha, beta, finish };
                product.on_tile([0, 0], |pair| pairs::product_over(recording, pair, operands, 0..span.len(), out))?;
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
