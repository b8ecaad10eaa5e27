//! New columns as products of the old ones.

use crate::array::{DeviceMatrix, Matrix};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::estimator::{InputColumns, OwnedRows, Rows};

/// Columns named `component0`, `component1`, …
pub(super) fn numbered(count: usize) -> InputColumns {
    InputColumns::named(&(0..count).map(|number| format!("component{number}")).collect::<Vec<_>>())
}

/// What was made of rows, where those came from; a number beyond the range of f32 is refused on the CPU at once.
pub(super) fn beside(x: Rows<'_>, made: DeviceMatrix, stream: &mut Stream) -> Result<OwnedRows> {
    match (x, stream.device()) {
        (Rows::Device(_), Device::Gpu(_)) => Ok(OwnedRows::Device(made)),
        (Rows::Device(_), Device::Cpu) => made.to_matrix(stream).map(|_| OwnedRows::Device(made)),
        _ => made.to_matrix(stream).map(OwnedRows::Host),
    }
}

/// f64 numbers, row by row, as a matrix on a device.
pub(super) fn upload(rows: usize, columns: usize, values: &[f64], device: &Device) -> Result<DeviceMatrix> {
    Matrix::from_f64(rows, columns, values)?.to(device)
}
