//! The array file of the MNIST family: type, sizes, then big-endian numbers.

use super::array_file::{Element, Layout, read as read_numbers, rows_and_columns};
use super::source::Source;
use crate::data::options::ReadOptions;
use crate::data::read::Raw;
use crate::error::Result;

/// Reads an array of one dimension or more; what lies behind the first is a row.
pub(in crate::data) fn read(mut source: Source, options: &ReadOptions) -> Result<Raw> {
    let mut start = vec![];
    source.take(&mut start, 4)?;
    let (element, dimensions) = match start[..] {
        [0, 0, kind, dimensions] if dimensions > 0 => (element(kind), usize::from(dimensions)),
        _ => {
            let why = "not an IDX file: expected two zero bytes, a type and a number of dimensions";
            return Err(source.error(None, None, why));
        }
    };
    let Some(element) = element else {
        let why = format!("numbers of type {:#04x}; expected 0x08, 0x09 or 0x0b to 0x0e", start[2]);
        return Err(source.error(None, None, why));
    };
    let mut sizes = vec![];
    if source.take(&mut sizes, 4 * dimensions)? < 4 * dimensions {
        return Err(source.error(None, None, "the file is cut off within its header"));
    }
    let shape: Vec<u64> = sizes.as_chunks::<4>().0.iter().map(|size| u64::from(u32::from_be_bytes(*size))).collect();
    let Some((rows, columns)) = rows_and_columns(&shape) else {
        let why = format!("the shape {shape:?}; expected rows and columns that can be counted");
        return Err(source.error(None, None, why));
    };
    let offset = 4 + 4 * dimensions as u64;
    let layout = Layout { element, big_endian: true, rows, columns, column_major: false, offset };
    read_numbers(source, &layout, options)
}

fn element(kind: u8) -> Option<Element> {
    Some(match kind {
        0x08 => Element::U8,
        0x09 => Element::I8,
        0x0b => Element::I16,
        0x0c => Element::I32,
        0x0d => Element::F32,
        0x0e => Element::F64,
        _ => return None,
    })
}
