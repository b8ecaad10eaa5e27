//! The values of a device matrix on the host: those it was uploaded from where they are known, else copied back.

use std::ops::Range;

use super::device_matrix::{DeviceMatrix, unpad, wrong_device};
use super::matrix::Matrix;
use crate::device::{Device, Stream};
use crate::error::{Error, Result};

/// Numbers that are read back from a GPU at a time where rows are worked on by the host.
const READ_NUMBERS: usize = 1 << 23;

impl DeviceMatrix {
    /// The matrix on the host, with the names and categories of its columns, after everything recorded on `stream` has run.
    /// Where the host's values are known, as on the CPU and after an upload, they are shared and nothing is copied.
    /// A result beyond the range of `f32` is [`Error::NotFinite`], on both devices.
    pub fn to_matrix(&self, stream: &mut Stream) -> Result<Matrix> {
        self.on(stream, "to_matrix")?;
        match self.on_host() {
            Some(matrix) => self.checked(matrix),
            None => self.read_back(stream),
        }
    }

    /// The same with a copy from a GPU in any case, also where the host's values are known: for measuring the way back and
    /// for finding a faulty driver.
    pub fn read_back(&self, stream: &mut Stream) -> Result<Matrix> {
        let matrix = self.rows_in(stream, 0..self.rows())?;
        if let Device::Gpu(gpu) = self.device() {
            gpu.profiler.count(|counts| counts.matrix_readbacks += 1);
        }
        self.checked(matrix)
    }

    /// An overflow can end as infinity less infinity: without missing values in the input, NaN is no result.
    fn checked(&self, matrix: Matrix) -> Result<Matrix> {
        match matrix.check_finite()? {
            Some((row, column)) if self.missing().is_none() => Err(Error::NotFinite { row, column, value: f64::NAN }),
            _ => Ok(matrix.with_column_info(self.column_info().clone())),
        }
    }

    /// Single rows on the host, after everything recorded on `stream` has run; every number is below n.
    pub(crate) fn rows_at(&self, stream: &mut Stream, rows: &[usize]) -> Result<Matrix> {
        self.on(stream, "rows_at")?;
        let matrix = match (self.on_host(), stream.gpu()) {
            (None, Some(recording)) => {
                let (store, mut values) = (self.store()?, Vec::with_capacity(rows.len() * self.columns()));
                let mut at = 0;
                let sink = &mut |words: &[u32]| at = unpad(words, store.stride(), self.columns(), at, &mut values);
                store.read_rows(recording, rows, sink)?;
                Matrix::from_vec(rows.len(), self.columns(), values)?
            }
            (known, _) => known.map_or_else(|| Err(wrong_device("rows_at")), |matrix| matrix.select(rows))?,
        };
        Ok(matrix.with_column_info(self.column_info().clone()))
    }

    /// Calls `work` with some rows and their values until it saw all: the whole matrix at once where the host has it, else
    /// parts that are read back, each but the last a multiple of `granule` rows.
    pub(crate) fn for_host_rows(
        &self,
        stream: &mut Stream,
        granule: usize,
        mut work: impl FnMut(Range<usize>, &[f32]) -> Result<()>,
    ) -> Result<()> {
        self.on(stream, "for_host_rows")?;
        if let Some(matrix) = self.on_host() {
            return work(0..self.rows(), matrix.as_slice());
        }
        let at_once = (READ_NUMBERS / self.columns().max(1)).max(1).next_multiple_of(granule);
        for first in (0..self.rows()).step_by(at_once) {
            let rows = first..self.rows().min(first + at_once);
            let part = self.rows_in(stream, rows.clone())?;
            work(rows, part.as_slice())?;
        }
        Ok(())
    }

    /// A range of rows copied from where they live, after everything recorded on `stream` has run; it ends at n at the latest.
    pub(crate) fn rows_in(&self, stream: &mut Stream, range: Range<usize>) -> Result<Matrix> {
        self.on(stream, "rows_in")?;
        let mut values = Vec::with_capacity(range.len() * self.columns());
        match stream.gpu() {
            None => values.extend_from_slice(&self.values()?[range.start * self.columns()..range.end * self.columns()]),
            Some(recording) => {
                let (store, mut at) = (self.store()?, 0);
                let sink = &mut |words: &[u32]| at = unpad(words, store.stride(), self.columns(), at, &mut values);
                store.read_range(recording, range.clone(), sink)?;
            }
        }
        Matrix::from_vec(range.len(), self.columns(), values)
    }
}
