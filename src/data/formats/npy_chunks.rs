//! An NPY file in chunks of rows.

use std::path::Path;

use super::npy::{description, layout, parse};
use super::source::Source;
use crate::error::Result;

/// The rows of an array, each chunk as the bytes of a file of its own.
pub(in crate::data) struct NpyChunks {
    source: Source<'static>,
    descr: String,
    columns: u64,
    row_bytes: usize,
    left: u64,
    rows: usize,
}

impl NpyChunks {
    /// Opens a file of rows that lie together.
    pub(in crate::data) fn open(path: &Path, rows: usize) -> Result<NpyChunks> {
        let mut source = Source::open(path)?;
        let (text, offset) = description(&mut source)?;
        let described = parse(&text).and_then(|array| layout(&array, offset).map(|layout| (array.descr, layout)));
        let (descr, layout) = described.map_err(|why| source.error(None, None, why))?;
        if layout.column_major {
            let why =
                "an array in Fortran order, whose rows do not lie together; save it in C order to read it in chunks";
            return Err(source.error(None, None, why));
        }
        let row_bytes = (layout.columns as usize).saturating_mul(layout.element.size());
        Ok(NpyChunks { source, descr, columns: layout.columns, row_bytes, left: layout.rows, rows })
    }

    /// The name of the file.
    pub(in crate::data) fn name(&self) -> &str {
        &self.source.name
    }

    /// The next rows as a file, if there are any.
    pub(in crate::data) fn next_file(&mut self) -> Result<Option<Vec<u8>>> {
        let rows = (self.rows as u64).min(self.left);
        if rows == 0 {
            return Ok(None);
        }
        let mut text =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({rows}, {}), }}", self.descr, self.columns);
        text.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(text.len() as u16).to_le_bytes());
        file.extend_from_slice(text.as_bytes());
        let wanted = rows as usize * self.row_bytes;
        if self.source.take(&mut file, wanted)? < wanted {
            return Err(self.source.error(None, None, "the file ends before the rows that its header promises"));
        }
        self.left -= rows;
        Ok(Some(file))
    }
}
