//! The sum of each column.

use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::Stream;
use crate::error::Result;
use crate::kernel::kernels;
use crate::ops::columns::{self, Terms};

kernels! {
    /// X, factors of rows, centres of columns, and the sums.
    pub KERNEL = "reduce/column_sums", [Read, Read, Read, Write], columns::Params;
}

/// Σ of each column of X (n×d), d values in f64. On a GPU blocks of 512 rows are added in f32: the error is at most
/// 132·ε·Σ|x|, ε = 2⁻²⁴; the CPU adds in f64.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// assert_eq!(ops::column_sums(&mut Device::Cpu.stream(), &x)?, [4.0, 6.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn column_sums(stream: &mut Stream, x: &DeviceMatrix) -> Result<Vec<f64>> {
    x.complete_on(stream, "column_sums")?;
    if stream.gpu().is_none() {
        let mut sums = vec![0.0; x.columns()];
        crate::cpu::reduce::column_sums::column_sums(x.values()?, x.rows(), x.columns(), &mut sums);
        return Ok(sums);
    }
    columns::column_sums(stream, x, Terms::default())
}

/// [`column_sums`] in f32 into `out`, d values that stay on the device, with nothing read back: blocks of 512 rows are
/// added until one is left, so the error is at most 132·ε·Σ|x| for each power of 512 in n.
pub fn column_sums_into(stream: &mut Stream, x: &DeviceMatrix, out: &mut DeviceVec<f32>) -> Result<()> {
    x.complete_on(stream, "column_sums_into")?;
    columns::check_out(stream, "column_sums_into", x.columns(), out)?;
    if stream.gpu().is_none() {
        let sums = column_sums(stream, x)?;
        out.values_mut()?.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum as f32);
        return Ok(());
    }
    columns::column_sums_into(stream, x, Terms::default(), out)
}
