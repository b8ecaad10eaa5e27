//! The weighted, centred product of a tall matrix with itself.

use std::ops::Range;

use crate::array::{DeviceMatrix, DeviceVec, blocks, padded};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::kernel::kernels;
use crate::ops::pairs::{self, DEPTH_BLOCK, Operand, Output, PairKernel};
use crate::ops::reduce::column_moments::check_weights;

kernels! {
    /// The product, centred and weighted as it is read.
    pub KERNEL = "linalg/syrk", [Read, Read, Write, Read], pairs::Params;
}

/// Rows whose products the device adds in f32; the host adds the rest in f64.
const GROUP_ROWS: usize = 1 << 16;

/// Σ wᵢ·(xᵢ − c)(xᵢ − c)ᵀ over the rows of X (n×d): d×d values in f64, row by row. Without `weights` they are 1, without
/// `center` it is 0. 2·n·d² operations on a GPU, about half of that on the CPU.
///
/// On a GPU blocks of 512 rows are summed in f32 and 128 of them added in f32: the error is at most 650·ε·Σ|terms|,
/// ε = 2⁻²⁴, and in practice a hundredth of it; on the CPU 276·ε·Σ|terms|. A GPU is waited for once.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 6.0]])?.to(&Device::Cpu)?;
/// let scatter = ops::syrk(&mut Device::Cpu.stream(), &x, None, Some(&[2.0, 4.0]))?;
/// assert_eq!(scatter, [2.0, 4.0, 4.0, 8.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn syrk(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    center: Option<&[f32]>,
) -> Result<Vec<f64>> {
    x.complete_on(stream, "syrk")?;
    let d = x.columns();
    if let Some(weights) = weights {
        check_weights(stream, "syrk", x, weights)?;
    }
    if let Some(center) = center {
        if center.len() != d {
            return Err(Error::shape("syrk", format!("a centre of {d} numbers"), center.len()));
        }
        if let Some(at) = center.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { row: 0, column: at, value: center[at] as f64 });
        }
    }
    let out_of_memory = || Error::OutOfMemory { what: format!("{d}×{d} sums on the host") };
    let size = d.checked_mul(d).ok_or_else(out_of_memory)?;
    Vec::<f64>::new().try_reserve_exact(size).map_err(|_| out_of_memory())?;
    let mut total = vec![0.0_f64; size];
    if stream.gpu().is_none() {
        let weights = weights.map(DeviceVec::values).transpose()?;
        crate::cpu::linalg::syrk::syrk(x.values()?, x.rows(), d, weights, center, &mut total);
        return Ok(total);
    }
    if d > 0 {
        let device = stream.device().clone();
        let mut row = center.map_or_else(|| vec![0.0; d], <[f32]>::to_vec);
        row.resize(padded(d), 0.0);
        let center = DeviceVec::from_slice(&row, &device)?;
        // As many groups as there is room for come back together.
        let room = stream.gpu().map_or(1, |recording| recording.gpu.scratch_bytes() / (4 * (padded(d) * d) as u64));
        let groups: Vec<Range<usize>> = blocks(x.rows(), GROUP_ROWS).collect();
        for groups in groups.chunks(room.max(1) as usize) {
            let out = DeviceMatrix::output(stream.device(), groups.len() * d, d)?;
            for (at, group) in groups.iter().enumerate() {
                group_product(stream, x, weights, &center, group.clone(), (&out, at))?;
            }
            for sums in out.to_matrix(stream)?.as_slice().chunks_exact(size) {
                total.iter_mut().zip(sums).for_each(|(total, sum)| *total += *sum as f64);
            }
        }
    }
    Ok(total)
}

/// The sum over a group of rows, in f32, to its place among the groups.
fn group_product(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    center: &DeviceVec<f32>,
    group: Range<usize>,
    (out, at): (&DeviceMatrix, usize),
) -> Result<()> {
    let d = x.columns();
    let center = center.view(stream)?;
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let target = out.store()?.target(recording, at * d..(at + 1) * d, false)?;
    let stride = x.store()?.stride();
    let room = recording.gpu.scratch_bytes() / (4 * (stride * DEPTH_BLOCK) as u64);
    for part in blocks(group.len(), room.clamp(1, (GROUP_ROWS / DEPTH_BLOCK) as u64) as usize * DEPTH_BLOCK) {
        let rows = group.start + part.start..group.start + part.end;
        let view = x.store()?.view(recording, rows.clone())?;
        let weight = weights.map(|weights| weights.store()?.view(recording, rows.clone())).transpose()?;
        // Without weights the centre stands in for them and is not read.
        let overrides = [("WEIGHTED", u32::from(weight.is_some()))];
        let pair = PairKernel {
            overrides: &overrides,
            depth_vector: Some(weight.as_ref().unwrap_or(&center)),
            ..PairKernel::new(&KERNEL, &[], 2, true)
        };
        let operands = (
            Operand { view: &view, rows: d, first: 0, stride, deep: true },
            Operand { view: &center, rows: d, first: 0, stride: 0, deep: true },
        );
        let beta = if part.start == 0 { 0.0 } else { 1.0 };
        let into = Output { view: &target.view, stride: padded(d), column: 0, alpha: 1.0, beta, finish: false };
        pairs::product_over(recording, &pair, operands, 0..part.len(), into)?;
    }
    out.store()?.commit(recording, target)
}
