//! A matrix on a device.

use std::ops::Range;
use std::sync::Arc;

use super::{ColumnInfo, Matrix, RowStore, View};
use crate::device::{Device, Stream};
use crate::error::{Error, Result};

/// Numbers that are read back from a GPU at a time where rows are worked on by the host.
const READ_NUMBERS: usize = 1 << 23;

/// A matrix that lives on a device and knows which. The rows are never split; above the binding limit they are kept in
/// several buffers, and above the memory budget on the host, without the caller's doing.
///
/// On a GPU the stride of a row is a multiple of four, and the padding is zero.
#[derive(Debug)]
pub struct DeviceMatrix {
    device: Device,
    rows: usize,
    columns: usize,
    missing: Option<(usize, usize)>,
    info: ColumnInfo,
    storage: MatrixStorage,
}

#[derive(Debug)]
enum MatrixStorage {
    Cpu(Arc<Vec<f32>>),
    Gpu(RowStore),
}

impl DeviceMatrix {
    pub(super) fn upload(matrix: &Matrix, device: &Device) -> Result<DeviceMatrix> {
        let missing = matrix.check_finite()?;
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let storage = match device {
            Device::Cpu => MatrixStorage::Cpu(matrix.values.clone()),
            Device::Gpu(gpu) => MatrixStorage::Gpu(RowStore::allocate(gpu, rows, padded(columns), 1)?),
        };
        let uploaded = DeviceMatrix {
            device: device.clone(),
            rows,
            columns,
            missing,
            info: matrix.column_info().clone(),
            storage,
        };
        if let MatrixStorage::Gpu(store) = &uploaded.storage {
            let mut stream = device.stream();
            if let Some(recording) = stream.gpu() {
                store.upload(recording, &mut |first, part| pad(matrix.as_slice(), columns, first as usize, part))?;
            }
            stream.flush()?;
        }
        Ok(uploaded)
    }

    /// Space for a result on the device of `stream`. On the CPU it is all zeros.
    pub(crate) fn output(device: &Device, rows: usize, columns: usize) -> Result<DeviceMatrix> {
        let storage = match device {
            Device::Cpu => MatrixStorage::Cpu(Arc::new(Matrix::zeros(rows, columns)?.into_vec())),
            Device::Gpu(gpu) => MatrixStorage::Gpu(RowStore::allocate(gpu, rows, padded(columns), 1)?),
        };
        Ok(DeviceMatrix { device: device.clone(), rows, columns, missing: None, info: ColumnInfo::default(), storage })
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Where it lives.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Row and column of the first missing value, as found when it was uploaded.
    pub fn missing(&self) -> Option<(usize, usize)> {
        self.missing
    }

    /// What is known of the columns: what was known of those of the matrix that was uploaded.
    pub(crate) fn column_info(&self) -> &ColumnInfo {
        &self.info
    }

    /// Copies the matrix to the host, with the names and categories of its columns, after everything recorded on `stream`
    /// has run. A result beyond the range of `f32` is [`Error::NotFinite`], on both devices.
    pub fn to_matrix(&self, stream: &mut Stream) -> Result<Matrix> {
        self.on(stream, "to_matrix")?;
        let values = match (&self.storage, stream.gpu()) {
            (MatrixStorage::Gpu(store), Some(recording)) => {
                let mut values = Vec::with_capacity(self.rows * self.columns);
                let mut at = 0;
                store.read(recording, &mut |words| at = unpad(words, store.stride(), self.columns, at, &mut values))?;
                Arc::new(values)
            }
            (MatrixStorage::Cpu(values), _) => values.clone(),
            (MatrixStorage::Gpu(_), None) => return Err(wrong_device("to_matrix")),
        };
        let matrix = Matrix::shared(self.rows, self.columns, values).with_column_info(self.info.clone());
        // An overflow can end as infinity less infinity: without missing values in the input, NaN is no result.
        match matrix.check_finite()? {
            Some((row, column)) if self.missing.is_none() => Err(Error::NotFinite { row, column, value: f64::NAN }),
            _ => Ok(matrix),
        }
    }

    /// Copies single rows to the host, after everything recorded on `stream` has run; every number is below n.
    pub(crate) fn rows_at(&self, stream: &mut Stream, rows: &[usize]) -> Result<Matrix> {
        self.on(stream, "rows_at")?;
        let mut values = Vec::with_capacity(rows.len() * self.columns);
        match (&self.storage, stream.gpu()) {
            (MatrixStorage::Cpu(all), _) => {
                rows.iter()
                    .for_each(|row| values.extend_from_slice(&all[row * self.columns..(row + 1) * self.columns]));
            }
            (MatrixStorage::Gpu(store), Some(recording)) => {
                let mut at = 0;
                let sink = &mut |words: &[u32]| at = unpad(words, store.stride(), self.columns, at, &mut values);
                store.read_rows(recording, rows, sink)?;
            }
            (MatrixStorage::Gpu(_), None) => return Err(wrong_device("rows_at")),
        }
        Ok(Matrix::from_vec(rows.len(), self.columns, values)?.with_column_info(self.info.clone()))
    }

    /// A range of rows as a matrix of its own on the same device; it ends at n at the latest.
    pub(crate) fn range(&self, stream: &mut Stream, range: Range<usize>) -> Result<DeviceMatrix> {
        self.on(stream, "range")?;
        let mut part = DeviceMatrix::output(&self.device, range.len(), self.columns)?;
        (part.missing, part.info) = (self.missing, self.info.clone());
        match (&self.storage, stream.gpu()) {
            (MatrixStorage::Cpu(all), _) => {
                part.values_mut()?.copy_from_slice(&all[range.start * self.columns..range.end * self.columns]);
            }
            (MatrixStorage::Gpu(from), Some(recording)) => {
                let bytes = 4 * (range.len() * from.stride()) as u64;
                let view = from.view(recording, range.clone())?;
                let target = part.store()?.target(recording, 0..range.len(), false)?;
                let place = |view: &View| 4 * u64::from(view.first_word());
                let (source, aim) = (place(&view), place(&target.view));
                recording.copy((view.buffer(), source), (target.view.buffer(), aim), bytes)?;
                part.store()?.commit(recording, target)?;
            }
            (MatrixStorage::Gpu(_), None) => return Err(wrong_device("range")),
        }
        Ok(part)
    }

    /// Copies a range of rows to the host, after everything recorded on `stream` has run; it ends at n at the latest.
    pub(crate) fn rows_in(&self, stream: &mut Stream, range: Range<usize>) -> Result<Matrix> {
        self.on(stream, "rows_in")?;
        let mut values = Vec::with_capacity(range.len() * self.columns);
        match (&self.storage, stream.gpu()) {
            (MatrixStorage::Cpu(all), _) => {
                values.extend_from_slice(&all[range.start * self.columns..range.end * self.columns])
            }
            (MatrixStorage::Gpu(store), Some(recording)) => {
                let mut at = 0;
                let sink = &mut |words: &[u32]| at = unpad(words, store.stride(), self.columns, at, &mut values);
                store.read_range(recording, range.clone(), sink)?;
            }
            (MatrixStorage::Gpu(_), None) => return Err(wrong_device("rows_in")),
        }
        Ok(Matrix::from_vec(range.len(), self.columns, values)?.with_column_info(self.info.clone()))
    }

    /// Calls `work` with some rows and their values until it saw all: the whole matrix at once where the host has it, else
    /// parts that are read back, each but the last a multiple of `granule` rows.
    pub(crate) fn for_host_rows(
        &self,
        stream: &mut Stream,
        granule: usize,
        mut work: impl FnMut(Range<usize>, &[f32]) -> Result<()>,
    ) -> Result<()> {
        if let MatrixStorage::Cpu(values) = &self.storage {
            return work(0..self.rows, values);
        }
        let at_once = (READ_NUMBERS / self.columns.max(1)).max(1).next_multiple_of(granule);
        for first in (0..self.rows).step_by(at_once) {
            let rows = first..self.rows.min(first + at_once);
            let part = self.rows_in(stream, rows.clone())?;
            work(rows, part.as_slice())?;
        }
        Ok(())
    }

    /// The rows of `range` in one buffer on the GPU, for a kernel of your own to read. Rows that lie in several buffers
    /// are copied together, so what a kernel writes there does not reach the matrix. It is an error on the CPU.
    pub fn view(&self, stream: &mut Stream, range: Range<usize>) -> Result<View> {
        self.on(stream, "view")?;
        if range.start > range.end || range.end > self.rows {
            let got = format!("{range:?}");
            return Err(Error::Shape { op: "view", expected: format!("rows within 0..{}", self.rows), got });
        }
        match (&self.storage, stream.gpu()) {
            (MatrixStorage::Gpu(store), Some(recording)) => store.view(recording, range),
            _ => Err(Error::WrongDevice { op: "view", why: "the matrix lives on the CPU".to_string() }),
        }
    }

    /// Refuses arrays of another device than the stream's.
    pub(crate) fn on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        if self.device.same(stream.device()) { Ok(()) } else { Err(wrong_device(op)) }
    }

    /// Refuses missing values, with the place of the first.
    pub(crate) fn refuse_missing(&self) -> Result<()> {
        match self.missing {
            Some((row, column)) => Err(Error::NotFinite { row, column, value: f64::NAN }),
            None => Ok(()),
        }
    }

    /// Takes over a missing value of the matrix of which this is the transpose; it need not be the first here.
    pub(crate) fn missing_as_in_transposed(&mut self, other: &DeviceMatrix) {
        self.missing = other.missing.map(|(row, column)| (column, row));
    }

    /// Takes over that a matrix whose rows these are has missing values; where the first is here is not known.
    pub(crate) fn missing_as_in_source(&mut self, other: &DeviceMatrix) {
        self.missing = other.missing;
    }

    /// The values, for a CPU twin.
    pub(crate) fn values(&self) -> Result<&[f32]> {
        match &self.storage {
            MatrixStorage::Cpu(values) => Ok(values),
            MatrixStorage::Gpu(_) => Err(wrong_device("values")),
        }
    }

    /// The values, for a CPU twin to write.
    pub(crate) fn values_mut(&mut self) -> Result<&mut [f32]> {
        match &mut self.storage {
            MatrixStorage::Cpu(values) => Ok(Arc::make_mut(values).as_mut_slice()),
            MatrixStorage::Gpu(_) => Err(wrong_device("values")),
        }
    }

    /// The rows, for the GPU.
    pub(crate) fn store(&self) -> Result<&RowStore> {
        match &self.storage {
            MatrixStorage::Gpu(store) => Ok(store),
            MatrixStorage::Cpu(_) => Err(wrong_device("rows")),
        }
    }
}

fn wrong_device(op: &'static str) -> Error {
    Error::WrongDevice {
        op,
        why: "the array and the stream belong to different devices; move it with to()".to_string(),
    }
}

/// The stride of a row on a GPU.
pub fn padded(columns: usize) -> usize {
    columns.next_multiple_of(4)
}

/// Writes the padded words from `first` on into `part`.
pub fn pad(values: &[f32], columns: usize, first: usize, part: &mut [u32]) {
    let stride = padded(columns);
    if stride == columns {
        part.copy_from_slice(bytemuck::cast_slice(&values[first..first + part.len()]));
        return;
    }
    part.fill(0);
    let mut at = 0;
    while at < part.len() {
        let (row, column) = ((first + at) / stride, (first + at) % stride);
        let end = (part.len() - at).min(stride - column);
        let count = end.min(columns.saturating_sub(column));
        let from = row * columns + column;
        if count > 0 {
            part[at..at + count].copy_from_slice(bytemuck::cast_slice(&values[from..from + count]));
        }
        at += end;
    }
}

/// Appends the values of padded words, the first of which is number `at`, and returns the number after the last.
pub fn unpad(words: &[u32], stride: usize, columns: usize, at: usize, values: &mut Vec<f32>) -> usize {
    let words: &[f32] = bytemuck::cast_slice(words);
    if stride == columns {
        values.extend_from_slice(words);
        return at + words.len();
    }
    let mut done = 0;
    while done < words.len() {
        let column = (at + done) % stride;
        let end = (words.len() - done).min(stride - column);
        let count = end.min(columns.saturating_sub(column));
        values.extend_from_slice(&words[done..done + count]);
        done += end;
    }
    at + done
}
