//! Units of a map at the weighted means of what is near them.

use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Sums, counts, units.
    pub KERNEL = "decomposition/map_update", [Read, Read, Write], Params;
}

params! {
    struct Params { items: u32, vec4s: u32, sum_first: u32, count_first: u32, unit_first: u32 }
}

/// Puts each unit of a map (k×d) at its sum over its count; a unit whose count is not above 0 stays. Nothing is waited for.
///
/// ```
/// use gristmill::ops::decomposition::map_update::map_update;
/// use gristmill::{Device, DeviceVec, Matrix};
/// let mut stream = Device::Cpu.stream();
/// let mut units = Matrix::from_rows(&[[1.0], [8.0]])?.to(&Device::Cpu)?;
/// let sums = Matrix::from_rows(&[[6.0], [0.0]])?.to(&Device::Cpu)?;
/// map_update(&mut stream, &mut units, &sums, &DeviceVec::from_slice(&[2.0_f32, 0.0], &Device::Cpu)?)?;
/// assert_eq!(units.to_matrix(&mut stream)?.as_slice(), [3.0, 8.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn map_update(
    stream: &mut Stream,
    units: &mut DeviceMatrix,
    sums: &DeviceMatrix,
    counts: &DeviceVec<f32>,
) -> Result<()> {
    const OP: &str = "map_update";
    units.complete_on(stream, OP)?;
    sums.complete_on(stream, OP)?;
    counts.complete_on(stream, OP)?;
    let (k, d) = (units.rows(), units.columns());
    if (sums.rows(), sums.columns(), counts.len()) != (k, d, k) {
        let got = format!("{}×{} sums and {} counts", sums.rows(), sums.columns(), counts.len());
        return Err(Error::shape(OP, format!("{k}×{d} sums and {k} counts"), got));
    }
    if k == 0 || d == 0 {
        return Ok(());
    }
    units.make_own(stream)?;
    let Some(recording) = stream.gpu() else {
        crate::cpu::decomposition::map_update::map_update(units.values_mut()?, sums.values()?, counts.values()?, d);
        return Ok(());
    };
    let (from, to) = (sums.store()?, units.store()?);
    let target = to.target(recording, 0..k, true)?;
    let (sum, count) = (from.view(recording, 0..k)?, counts.store()?.view(recording, 0..k)?);
    let items = k * to.stride() / 4;
    let params = Params {
        items: items as u32,
        vec4s: (to.stride() / 4) as u32,
        sum_first: sum.first_word() / 4,
        count_first: count.first_word(),
        unit_first: target.view.first_word() / 4,
    };
    let work = Work { operations: 4 * items as u64, bytes: 48 * items as u64 };
    let buffers = &[sum.buffer(), count.buffer(), target.view.buffer()];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::covering(items as u64, 256)?, work))?;
    to.commit(recording, target)
}
