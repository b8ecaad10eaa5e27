//! The same numbers in rows of another length, on the device where they are.

use std::ops::Range;

use super::device_matrix::{DeviceMatrix, padded, wrong_device};
use super::device_vec::DeviceVec;
use super::rows::{RowStore, View};
use crate::device::{Recording, Stream};
use crate::error::{Error, Result};

impl DeviceMatrix {
    /// A copy in rows of `columns` numbers. Both lengths are multiples of four, so that no row has padding.
    pub(crate) fn reshaped(&self, stream: &mut Stream, columns: usize) -> Result<DeviceMatrix> {
        let mut out = DeviceMatrix::output(self.device(), self.rows() * self.columns() / columns.max(1), columns)?;
        let rows = 0..out.rows();
        out.put(stream, rows, self, 0..self.rows())?;
        Ok(out)
    }

    /// Copies some rows of another matrix, one number after the other, into some rows of this one; as many numbers, and no
    /// padding in either.
    pub(crate) fn put(
        &mut self,
        stream: &mut Stream,
        rows: Range<usize>,
        other: &DeviceMatrix,
        from: Range<usize>,
    ) -> Result<()> {
        self.on(stream, "put")?;
        other.complete_on(stream, "put")?;
        let plain = [self.columns(), other.columns()].iter().all(|columns| padded(*columns) == *columns);
        let (size, taken) = (rows.len() * self.columns(), from.len() * other.columns());
        if !plain || size != taken || rows.end > self.rows() || from.end > other.rows() {
            return Err(Error::shape("put", format!("{size} numbers without padding"), taken));
        }
        self.make_own(stream)?;
        match stream.gpu() {
            None => {
                let values = &other.values()?[from.start * other.columns()..][..taken];
                let first = rows.start * self.columns();
                self.values_mut()?[first..first + size].copy_from_slice(values);
                Ok(())
            }
            Some(recording) => copy_rows(recording, (other.store()?, from), (self.store()?, rows)),
        }
    }
}

impl DeviceVec<f32> {
    /// A copy as a matrix of `columns` columns, a multiple of four.
    pub(crate) fn as_rows(&self, stream: &mut Stream, columns: usize) -> Result<DeviceMatrix> {
        self.complete_on(stream, "as_rows")?;
        let rows = self.len() / columns.max(1);
        if rows * columns != self.len() || padded(columns) != columns {
            return Err(Error::shape("as_rows", format!("rows of {columns} numbers"), self.len()));
        }
        let mut out = DeviceMatrix::output(self.device(), rows, columns)?;
        match stream.gpu() {
            None => out.values_mut()?.copy_from_slice(self.values()?),
            Some(recording) => copy_rows(recording, (self.store()?, 0..self.len()), (out.store()?, 0..rows))?,
        }
        Ok(out)
    }
}

fn copy_rows(
    recording: &mut Recording,
    (from, taken): (&RowStore, Range<usize>),
    (to, rows): (&RowStore, Range<usize>),
) -> Result<()> {
    let bytes = 4 * (rows.len() * to.stride()) as u64;
    if bytes == 0 {
        return Ok(());
    }
    if bytes != 4 * (taken.len() * from.stride()) as u64 {
        return Err(wrong_device("put"));
    }
    let view = from.view(recording, taken)?;
    let target = to.target(recording, rows, false)?;
    let place = |view: &View| 4 * u64::from(view.first_word());
    let (source, aim) = (place(&view), place(&target.view));
    recording.copy((view.buffer(), source), (target.view.buffer(), aim), bytes)?;
    to.commit(recording, target)
}
