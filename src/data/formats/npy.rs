//! NumPy's array file: a line that describes the array, then its bytes.

use super::array_file::{Element, Layout, read as read_numbers, rows_and_columns};
use super::sniff::NPY_MAGIC;
use super::source::Source;
use crate::array::Matrix;
use crate::data::options::ReadOptions;
use crate::data::read::Raw;
use crate::error::Result;

/// Longest description; NumPy itself distrusts more than 10,000 bytes.
const LONGEST: usize = 1 << 16;

/// Reads an array of one dimension or more; what lies behind the first is a row.
pub(in crate::data) fn read(mut source: Source, options: &ReadOptions) -> Result<Raw> {
    let (text, offset) = description(&mut source)?;
    let layout = parse(&text).and_then(|array| layout(&array, offset));
    let layout = layout.map_err(|why| source.error(None, None, why))?;
    read_numbers(source, &layout, options)
}

/// Writes a matrix as an array of two dimensions of 32-bit numbers.
///
/// ```
/// use gristmill::{Dataset, Matrix, data::write_npy};
/// let mut bytes = vec![];
/// write_npy(&mut bytes, &Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?).unwrap();
/// assert_eq!(Dataset::parse("x.npy", &bytes, &Default::default())?.x.get(1, 0), 3.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn write_npy(out: &mut dyn std::io::Write, x: &Matrix) -> std::io::Result<()> {
    let mut text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", x.rows(), x.columns());
    // The numbers begin at a multiple of 64 bytes, and the line ends before them.
    let used = NPY_MAGIC.len() + 4;
    let length = (used + text.len() + 1).next_multiple_of(64) - used;
    text = format!("{text:<width$}\n", width = length - 1);
    out.write_all(NPY_MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    x.as_slice().iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
}

/// The description, and the bytes up to its end.
pub(super) fn description(source: &mut Source) -> Result<(String, u64)> {
    let mut start = vec![];
    source.take(&mut start, 12)?;
    let short = |source: &Source| source.error(None, None, "the file is cut off within its header");
    if !start.starts_with(NPY_MAGIC) {
        return Err(source.error(None, None, "not an NPY file: expected it to begin with \\x93NUMPY"));
    }
    let (length, used) = match start[..] {
        [_, _, _, _, _, _, 1, _, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), 10),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d] => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
        [_, _, _, _, _, _, version, ..] if start.len() >= 10 => {
            let why = format!("version {version} of NPY; expected 1, 2 or 3");
            return Err(source.error(None, None, why));
        }
        _ => return Err(short(source)),
    };
    if length > LONGEST {
        let why = format!("a header of {length} bytes; expected at most {LONGEST}");
        return Err(source.error(None, None, why));
    }
    let mut text = start.split_off(used);
    let more = length.saturating_sub(text.len());
    if source.take(&mut text, more)? < more || text.len() > length {
        return Err(short(source));
    }
    let text = String::from_utf8(text).map_err(|_| source.error(None, None, "the header is not text"))?;
    Ok((text, (used + length) as u64))
}

/// The three entries of a description.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Described {
    pub(super) descr: String,
    column_major: bool,
    shape: Vec<u64>,
}

/// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, in any order of the entries.
pub(super) fn parse(text: &str) -> std::result::Result<Described, String> {
    let wrong = |what: &str| format!("the header {:?} {what}", text.trim_end().chars().take(120).collect::<String>());
    let (mut descr, mut order, mut shape) = (None, None, None);
    let inside = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let mut rest = inside.ok_or_else(|| wrong("is no dictionary"))?.trim_start();
    while !rest.is_empty() {
        let (key, after) = quoted(rest).ok_or_else(|| wrong("lacks a quoted key"))?;
        let value = after.trim_start().strip_prefix(':').ok_or_else(|| wrong("lacks a colon"))?.trim_start();
        rest = match key {
            "descr" => {
                let (value, after) =
                    quoted(value).ok_or_else(|| wrong("has fields or no type; expected one number type"))?;
                descr = Some(value.to_string());
                after
            }
            "fortran_order" => {
                let (value, after) = if let Some(after) = value.strip_prefix("True") {
                    (true, after)
                } else {
                    (false, value.strip_prefix("False").ok_or_else(|| wrong("has no fortran_order of True or False"))?)
                };
                order = Some(value);
                after
            }
            "shape" => {
                let (value, after) = tuple(value).ok_or_else(|| wrong("has no shape of integers"))?;
                shape = Some(value);
                after
            }
            _ => return Err(wrong("has an unknown entry")),
        };
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    match (descr, order, shape) {
        (Some(descr), Some(column_major), Some(shape)) => Ok(Described { descr, column_major, shape }),
        _ => Err(wrong("lacks descr, fortran_order or shape")),
    }
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    text[1..].split_once(quote)
}

fn tuple(text: &str) -> Option<(Vec<u64>, &str)> {
    let (inside, rest) = text.strip_prefix('(')?.split_once(')')?;
    let sizes = inside.split(',').map(str::trim).filter(|size| !size.is_empty());
    // Python 2 wrote long integers with an L.
    let sizes: Option<Vec<u64>> = sizes.map(|size| size.trim_end_matches('L').parse().ok()).collect();
    sizes.filter(|sizes| sizes.len() <= 32).map(|sizes| (sizes, rest))
}

pub(super) fn layout(array: &Described, offset: u64) -> std::result::Result<Layout, String> {
    let unknown = || {
        let descr: String = array.descr.chars().take(40).collect();
        format!("numbers of type {descr:?}; expected f4, f8, i1 to i8, u1 to u8 or b1, as NumPy's astype makes them")
    };
    let order = array.descr.chars().next().filter(|order| "<>|=".contains(*order));
    let big_endian = order == Some('>');
    let element = match &array.descr[usize::from(order.is_some())..] {
        "f4" => Element::F32,
        "f8" => Element::F64,
        "i1" => Element::I8,
        "i2" => Element::I16,
        "i4" => Element::I32,
        "i8" => Element::I64,
        "u1" => Element::U8,
        "u2" => Element::U16,
        "u4" => Element::U32,
        "u8" => Element::U64,
        "b1" | "?" => Element::Bool,
        _ => return Err(unknown()),
    };
    let shape = &array.shape;
    if array.column_major && shape.len() > 2 {
        return Err(format!("an array of {} dimensions in Fortran order; expected C order", shape.len()));
    }
    let Some((rows, columns)) = rows_and_columns(shape) else {
        return Err(format!("the shape {shape:?}; expected rows and columns that can be counted"));
    };
    let column_major = array.column_major && rows > 1 && columns > 1;
    Ok(Layout { element, big_endian, rows, columns, column_major, offset })
}
