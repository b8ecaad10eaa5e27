//! One distance for each pair of rows of two matrices.

use crate::array::{DeviceMatrix, RowStore, blocks};
use crate::cpu::distance::{minkowski as powers, pairwise as twins};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::linalg::gemm::{Layout, gemm};
use crate::ops::pairs::{self, PairKernel};

kernels! {
    /// One distance for each pair of rows, by the metric of `lib/metric.wgsl` that the host chooses.
    pub KERNEL = "distance/pairwise", [Read, Read, Write], pairs::Params;
    /// Makes rows unit rows.
    pub KERNEL_UNIT = "distance/pairwise__unit", [Read, Write], UnitParams;
}

params! {
    struct UnitParams { rows: u32, groups: u32, x_first: u32, vec4s: u32, out_first: u32 }
}

// Manhattan, Chebyshev and cosine distances have no root to take.
pub(in crate::ops) const SQ_EUCLIDEAN: PairKernel<'static> = on_tile(&[("METRIC", 0), ("ROOT", 0)], 3, true);
pub(in crate::ops) const EUCLIDEAN: PairKernel<'static> = on_tile(&[("METRIC", 0), ("ROOT", 1)], 3, false);
pub(in crate::ops) const MANHATTAN: PairKernel<'static> = on_tile(&[("METRIC", 1), ("ROOT", 0)], 3, true);
pub(in crate::ops) const CHEBYSHEV: PairKernel<'static> = on_tile(&[("METRIC", 2), ("ROOT", 0)], 3, false);
pub(in crate::ops) const COSINE: PairKernel<'static> = on_tile(&[("METRIC", 3), ("ROOT", 0)], 2, false);
pub(in crate::ops) const POWERS: PairKernel<'static> = on_tile(&[("METRIC", 4), ("ROOT", 0)], 40, false);
pub(in crate::ops) const MINKOWSKI: PairKernel<'static> = on_tile(&[("METRIC", 4), ("ROOT", 1)], 40, false);

const fn on_tile(
    overrides: &'static [(&'static str, u32)],
    step_operations: u64,
    layered: bool,
) -> PairKernel<'static> {
    PairKernel::new(&KERNEL, overrides, step_operations, layered)
}

/// The kernel with the order of its powers.
pub(in crate::ops) fn of_order(kernel: &PairKernel<'static>, order: f32) -> PairKernel<'static> {
    PairKernel { scalars: [order, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..*kernel }
}

/// One value for each pair of rows: by `twin` (x, n, y, m, d, out) on the CPU, by a pair kernel with its order on a GPU.
fn pairwise(
    stream: &mut Stream,
    op: &'static str,
    (kernel, order): (&PairKernel<'static>, f32),
    (x, y): (&DeviceMatrix, &DeviceMatrix),
    twin: impl FnOnce(&[f32], usize, &[f32], usize, usize, &mut [f32]),
) -> Result<DeviceMatrix> {
    if x.columns() != y.columns() {
        return Err(Error::shape(
            op,
            format!("{} columns in both", x.columns()),
            format!("{} in the second", y.columns()),
        ));
    }
    for operand in [x, y] {
        operand.complete_on(stream, op)?;
    }
    let mut out = DeviceMatrix::output(stream.device(), x.rows(), y.rows())?;
    match stream.gpu() {
        None => twin(x.values()?, x.rows(), y.values()?, y.rows(), x.columns(), out.values_mut()?),
        Some(_) if x.rows() == 0 || y.rows() == 0 => {}
        Some(recording) => pairs::all_pairs(recording, &of_order(kernel, order), (x, y), &out, (1.0, 0.0))?,
    }
    Ok(out)
}

/// |xᵢ − yⱼ|² for each row of X (n×d) and each row of Y (m×d): n×m values, 3·n·m·d operations.
///
/// By the direct form, so data far off-centre and near-duplicates are right: the error of each value is at most
/// (d + 4)·ε of the value itself, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::sq_euclidean(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 25.0, 25.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sq_euclidean(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    pairwise(stream, "sq_euclidean", (&SQ_EUCLIDEAN, 1.0), (x, y), twins::sq_euclidean)
}

/// Σ|xᵢ − yⱼ| for each row of X (n×d) and each row of Y (m×d): n×m values, 3·n·m·d operations. The error of each value is
/// at most (d + 2)·ε of the value itself, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::manhattan(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 7.0, 7.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn manhattan(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    pairwise(stream, "manhattan", (&MANHATTAN, 1.0), (x, y), twins::manhattan)
}

/// max|xᵢ − yⱼ| for each row of X (n×d) and each row of Y (m×d): n×m values, 3·n·m·d operations. Only the one difference
/// is rounded.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::chebyshev(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 4.0, 4.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn chebyshev(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    pairwise(stream, "chebyshev", (&CHEBYSHEV, 1.0), (x, y), twins::chebyshev)
}

/// |W·xᵢ − W·yⱼ| for each row of X (n×d) and each row of Y (m×d), with W of d×d: n×m values.
///
/// With VI = Wᵀ·W this is √((x−y)ᵀ·VI·(x−y)); from a Cholesky factor VI = L·Lᵀ, W is Lᵀ. Each whitened coordinate
/// carries an error of (d + 2)·ε·Σ|W·x|, ε = 2⁻²⁴, so centre data that lie far from the origin first.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let whitening = Matrix::from_rows(&[[2.0, 0.0], [0.0, 1.0]])?.to(&Device::Cpu)?;
/// let distances = ops::mahalanobis(&mut stream, &x, &x, &whitening)?.to_matrix(&mut stream)?;
/// assert!((distances.get(0, 1) - 52.0_f32.sqrt()).abs() < 1e-5);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn mahalanobis(
    stream: &mut Stream,
    x: &DeviceMatrix,
    y: &DeviceMatrix,
    whitening: &DeviceMatrix,
) -> Result<DeviceMatrix> {
    let d = x.columns();
    if (whitening.rows(), whitening.columns()) != (d, d) || y.columns() != d {
        return Err(Error::shape(
            "mahalanobis",
            format!("{d} columns in both and a whitening matrix of {d}×{d}"),
            format!("{} columns and {}×{}", y.columns(), whitening.rows(), whitening.columns()),
        ));
    }
    let white_x = gemm(stream, Layout::NT, x, whitening)?;
    let white_y = gemm(stream, Layout::NT, y, whitening)?;
    pairwise(stream, "mahalanobis", (&EUCLIDEAN, 1.0), (&white_x, &white_y), |x, n, y, m, d, out| {
        powers::minkowski(x, n, y, m, d, 2.0, out);
    })
}

/// (Σ|xᵢ − yⱼ|ᵖ)^(1/p), p ≥ 1, for each row of X (n×d) and each row of Y (m×d): n×m values. The orders 1, 2 and infinity
/// are Manhattan, Euclidean and Chebyshev; others cost a logarithm and an exponential a step.
///
/// The error is at most (d + 3·p·|log₂ of the largest difference| + 30)·ε of the value, ε = 2⁻²⁴. On a GPU the powers must
/// stay within the range of `f32`: a sum beyond it is an error at the read-back, and differences below 2^(−126/p) count
/// as 0. Scale such data, or use the CPU, which divides by the largest difference first.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::minkowski(&mut stream, &x, &x, 2.0)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 5.0, 5.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn minkowski(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix, p: f32) -> Result<DeviceMatrix> {
    if p.is_nan() || p < 1.0 {
        return Err(Error::param("p", "at least 1", p));
    }
    let kernel = match p {
        1.0 => &MANHATTAN,
        2.0 => &EUCLIDEAN,
        f32::INFINITY => &CHEBYSHEV,
        _ => &MINKOWSKI,
    };
    pairwise(stream, "minkowski", (kernel, if p.is_finite() { p } else { 1.0 }), (x, y), |x, n, y, m, d, out| {
        powers::minkowski(x, n, y, m, d, p, out);
    })
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
    pairwise(stream, "cosine", (&COSINE, 1.0), operands, twins::cosine)
}

/// Each row divided by its norm; rows of zeros stay. For the GPU.
pub(in crate::ops) fn unit_rows(stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
    x.complete_on(stream, "cosine")?;
    let out = DeviceMatrix::output(stream.device(), x.rows(), x.columns())?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let (from, to) = (x.store()?, out.store()?);
    let vec4s = from.stride() / 4;
    let per_block = RowStore::block_rows(&recording.gpu, 2 * from.stride() as u64, 6 * x.columns() as u64, 64);
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
        let grid = Grid::linear(groups)?;
        let work = Work { operations: 6 * values, bytes: 8 * values };
        recording.dispatch(&KERNEL_UNIT, Dispatch::new(&params, &[view.buffer(), target.view.buffer()], grid, work))?;
        to.commit(recording, target)?;
    }
    Ok(out)
}
