//! A matrix on a device.

use std::ops::Range;
use std::sync::Arc;

use super::{ColumnInfo, Matrix, RowStore, View, blocks};
use crate::device::{Device, Gpu, Stream};
use crate::error::{Error, Result};

/// A matrix on a device: what [`Matrix::to`] returns. A matrix that is too large for one GPU buffer is kept in several,
/// and one above its share of the memory budget stays on the host and is streamed; neither shows in a result.
///
/// A matrix that was uploaded goes on sharing the host's values, so [`DeviceMatrix::to_matrix`] copies nothing until an
/// op writes into it. Cloning shares the rows; an op that writes into a shared matrix copies it first.
///
/// On a GPU the stride of a row is a multiple of four values, and the padding is zero.
#[derive(Debug, Clone)]
pub struct DeviceMatrix {
    device: Device,
    rows: usize,
    columns: usize,
    missing: Option<(usize, usize)>,
    info: ColumnInfo,
    storage: MatrixStorage,
}

#[derive(Debug, Clone)]
enum MatrixStorage {
    Cpu(Box<Matrix>),
    Gpu(Arc<RowStore>),
}

impl MatrixStorage {
    fn on_gpu(gpu: &Gpu, rows: usize, columns: usize) -> Result<MatrixStorage> {
        Ok(MatrixStorage::Gpu(Arc::new(RowStore::allocate(gpu, rows, padded(columns), 1)?)))
    }
}

impl DeviceMatrix {
    pub(super) fn upload(matrix: &Matrix, device: &Device) -> Result<DeviceMatrix> {
        let missing = matrix.check_finite()?;
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let storage = match device {
            Device::Cpu => MatrixStorage::Cpu(Box::new(matrix.clone())),
            Device::Gpu(gpu) => MatrixStorage::on_gpu(gpu, rows, columns)?,
        };
        let uploaded = DeviceMatrix {
            device: device.clone(),
            rows,
            columns,
            missing,
            info: matrix.column_info().clone(),
            storage,
        };
        if let (MatrixStorage::Gpu(store), Device::Gpu(gpu)) = (&uploaded.storage, device) {
            gpu.profiler.count(|counts| counts.matrix_uploads += 1);
            let mut stream = device.stream();
            if let Some(recording) = stream.gpu() {
                store.upload(recording, &|first, part| pad(matrix.as_slice(), columns, first as usize, part))?;
            }
            stream.flush()?;
            store.remember(matrix);
        }
        Ok(uploaded)
    }

    /// Space for a result on the device of `stream`. On the CPU it is all zeros.
    pub(crate) fn output(device: &Device, rows: usize, columns: usize) -> Result<DeviceMatrix> {
        let storage = match device {
            Device::Cpu => MatrixStorage::Cpu(Box::new(Matrix::zeros(rows, columns)?)),
            Device::Gpu(gpu) => MatrixStorage::on_gpu(gpu, rows, columns)?,
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

    /// The device it is on.
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

    /// A range of rows as a matrix of its own on the same device; it ends at n at the latest.
    pub(crate) fn range(&self, stream: &mut Stream, range: Range<usize>) -> Result<DeviceMatrix> {
        self.on(stream, "range")?;
        let mut part = DeviceMatrix::output(&self.device, range.len(), self.columns)?;
        (part.missing, part.info) = (self.missing, self.info.clone());
        let Some(recording) = stream.gpu() else {
            let all = self.values()?;
            part.values_mut()?.copy_from_slice(&all[range.start * self.columns..range.end * self.columns]);
            return Ok(part);
        };
        let (from, to) = (self.store()?, part.store()?);
        let per_block = RowStore::block_rows(&recording.gpu.clone(), from.stride() as u64, 1, 64);
        for rows in blocks(range.len(), per_block) {
            let bytes = 4 * (rows.len() * from.stride()) as u64;
            let view = from.view(recording, range.start + rows.start..range.start + rows.end)?;
            let target = to.target(recording, rows, false)?;
            let place = |view: &View| 4 * u64::from(view.first_word());
            let (source, aim) = (place(&view), place(&target.view));
            recording.copy((view.buffer(), source), (target.view.buffer(), aim), bytes)?;
            to.commit(recording, target)?;
        }
        Ok(part)
    }

    /// Writes rows into the matrix, from row `first` on; what is recorded on `stream` before sees the old rows, what comes
    /// after the new ones. A matrix that shares its rows with a clone copies them first.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let mut stream = Device::Cpu.stream();
    /// let mut x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
    /// x.write_rows(&mut stream, 1, &Matrix::from_rows(&[[5.0, 6.0]])?)?;
    /// assert_eq!(x.to_matrix(&mut stream)?.row(1), [5.0, 6.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn write_rows(&mut self, stream: &mut Stream, first: usize, rows: &Matrix) -> Result<()> {
        self.on(stream, "write_rows")?;
        let missing = rows.check_finite()?.map(|(row, column)| (first + row, column));
        let fits = first.checked_add(rows.rows()).is_some_and(|end| end <= self.rows);
        if rows.columns() != self.columns || !fits {
            let expected = format!("rows of {} columns within 0..{}", self.columns, self.rows);
            let given = format!("{} of {} columns from {first} on", rows.rows(), rows.columns());
            return Err(Error::shape("write_rows", expected, given));
        }
        // Whether an older missing value is among those written is not known.
        self.missing = if rows.rows() == self.rows { missing } else { self.missing.or(missing) };
        self.make_own(stream)?;
        let (columns, range) = (self.columns, first..first + rows.rows());
        match stream.gpu() {
            None => self.values_mut()?[range.start * columns..range.end * columns].copy_from_slice(rows.as_slice()),
            Some(recording) => self.store()?.write(recording, range, &|at, part| {
                pad(rows.as_slice(), columns, at as usize, part);
            })?,
        }
        Ok(())
    }

    /// The same rows with other knowledge of their columns.
    pub(crate) fn with_column_info(mut self, info: ColumnInfo) -> DeviceMatrix {
        self.info = info;
        self
    }

    /// The same rows, which are those of a matrix on the host: asking for them copies nothing.
    pub(crate) fn known_as(self, host: &Matrix) -> DeviceMatrix {
        if let MatrixStorage::Gpu(store) = &self.storage {
            store.remember(host);
        }
        self
    }

    /// Rows of its own for a matrix that shares them with a clone, before an op writes into it.
    pub(crate) fn make_own(&mut self, stream: &mut Stream) -> Result<()> {
        if let MatrixStorage::Gpu(store) = &self.storage
            && Arc::strong_count(store) > 1
        {
            self.storage = self.range(stream, 0..self.rows)?.storage;
        }
        Ok(())
    }

    /// The host's values, where they are known without a copy.
    pub(crate) fn on_host(&self) -> Option<Matrix> {
        match &self.storage {
            MatrixStorage::Cpu(matrix) => Some((**matrix).clone()),
            MatrixStorage::Gpu(store) => store.source(),
        }
    }

    /// The rows of `range` in one buffer on the GPU, for a kernel of your own to read and not to write: rows that lie
    /// in several buffers are copied together, and the host may keep the values too. It is an error on the CPU.
    pub fn view(&self, stream: &mut Stream, range: Range<usize>) -> Result<View> {
        self.on(stream, "view")?;
        if range.start > range.end || range.end > self.rows {
            return Err(Error::shape("view", format!("rows within 0..{}", self.rows), format!("{range:?}")));
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

    /// Refuses another device than the stream's, and missing values.
    pub(crate) fn complete_on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        self.on(stream, op)?;
        self.refuse_missing()
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
            MatrixStorage::Cpu(matrix) => Ok(matrix.as_slice()),
            MatrixStorage::Gpu(_) => Err(wrong_device("values")),
        }
    }

    /// The values, for a CPU twin to write.
    pub(crate) fn values_mut(&mut self) -> Result<&mut [f32]> {
        match &mut self.storage {
            MatrixStorage::Cpu(matrix) => Ok(matrix.as_mut_slice()),
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

pub(super) fn wrong_device(op: &'static str) -> Error {
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
