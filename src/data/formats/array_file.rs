//! Numbers end to end, as NPY and IDX files hold them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use rayon::prelude::*;

use super::source::Source;
use crate::array::LARGE;
use crate::data::options::ReadOptions;
use crate::data::read::{Raw, check_budget, check_width, exact_columns};
use crate::error::{Error, Result};

/// Values a task reads.
const VALUES_PER_TASK: usize = 1 << 20;
/// Bytes converted together.
const BYTES_PER_STEP: usize = 1 << 18;
/// Side of the squares in which a matrix is transposed.
const SIDE: usize = 32;

/// The types of numbers there can be: how many bytes each has, and the number behind them.
macro_rules! elements {
    ($($element:ident: $type:ty),*) => {
        /// What a number is in the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::data) enum Element {
            Bool,
            F64,
            $($element,)*
        }

        impl Element {
            pub(in crate::data) fn size(self) -> usize {
                match self {
                    Element::Bool => 1,
                    Element::F64 => 8,
                    $(Element::$element => size_of::<$type>(),)*
                }
            }
        }

        /// The number at a place.
        fn number(bytes: &[u8], layout: &Layout, at: usize) -> f64 {
            let (big, size) = (layout.big_endian, layout.element.size());
            let bytes = &bytes[at * size..(at + 1) * size];
            match layout.element {
                Element::Bool => f64::from(bytes[0]),
                Element::F64 => {
                    let bytes = bytes.first_chunk().copied().unwrap_or_default();
                    if big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
                }
                $(Element::$element => {
                    let bytes = bytes.first_chunk().copied().unwrap_or_default();
                    (if big { <$type>::from_be_bytes(bytes) } else { <$type>::from_le_bytes(bytes) }) as f64
                })*
            }
        }

        /// Turns the bytes of numbers into `f32`.
        fn convert(bytes: &[u8], layout: &Layout, out: &mut [f32]) {
            let big = layout.big_endian;
            match layout.element {
                Element::Bool => each(bytes, out, |[byte]: [u8; 1]| f32::from(u8::from(byte != 0))),
                Element::F64 => each(bytes, out, |bytes| {
                    (if big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }) as f32
                }),
                $(Element::$element => each(bytes, out, |bytes| {
                    (if big { <$type>::from_be_bytes(bytes) } else { <$type>::from_le_bytes(bytes) }) as f32
                }),)*
            }
        }
    };
}

elements!(I8: i8, U8: u8, I16: i16, U16: u16, I32: i32, U32: u32, I64: i64, U64: u64, F32: f32);

/// Where the numbers are and what they mean.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::data) struct Layout {
    pub(in crate::data) element: Element,
    pub(in crate::data) big_endian: bool,
    /// The first number of the shape, and the product of the others.
    pub(in crate::data) rows: u64,
    pub(in crate::data) columns: u64,
    /// Whether the numbers of a column lie together.
    pub(in crate::data) column_major: bool,
    /// Bytes before the first number; they have been taken from the source.
    pub(in crate::data) offset: u64,
}

/// Rows and columns of a shape: everything behind the first number is one row.
pub(in crate::data) fn rows_and_columns(shape: &[u64]) -> Option<(u64, u64)> {
    let (rows, rest) = shape.split_first()?;
    let columns = rest.iter().try_fold(1_u64, |product, size| product.checked_mul(*size))?;
    Some((*rows, columns))
}

/// Reads the numbers that the layout promises; fewer or more bytes than that are an error.
pub(in crate::data) fn read(mut source: Source, layout: &Layout, options: &ReadOptions) -> Result<Raw> {
    let (rows, columns, bytes) = (layout.rows, layout.columns, layout.element.size() as u64);
    let count = rows.checked_mul(columns).filter(|count| count.checked_mul(bytes).is_some());
    let Some(count) = count.filter(|_| rows > 0 && columns > 0) else {
        let why = format!("the header promises {rows}×{columns} numbers, expected a row and a column at least");
        return Err(source.error(None, None, why));
    };
    if let Some(length) = source.length() {
        let found = length.saturating_sub(layout.offset);
        if found != count * bytes {
            return Err(wrong_length(&source, layout, found));
        }
    }
    check_budget(&source.name, count, options.budget)?;
    check_width(&source.name, rows, columns, source.length().unwrap_or(0).max(source.taken()))?;
    let large = if options.exact { 0.0 } else { LARGE };
    let (mut values, mut seen) = match source.path() {
        Some(path) => read_file(path, layout, count as usize, large).map_err(|fault| told(&source, layout, fault))?,
        None => read_stream(&mut source, layout, count as usize, large)?,
    };
    let (rows, columns) = (rows as usize, columns as usize);
    if layout.column_major {
        values = transposed(&values, rows, columns);
        seen.large.iter_mut().for_each(|(place, _)| *place = *place % rows * columns + *place / rows);
    }
    let exact = exact_columns(&values, columns, seen.large, options.exact);
    Ok(Raw { complete: seen.finite, exact, ..Raw::new(source.name, columns, values) })
}

fn wrong_length(source: &Source, layout: &Layout, found: u64) -> Error {
    let needed = layout.rows * layout.columns * layout.element.size() as u64;
    let what = if found < needed { "cut off" } else { "too long" };
    let why = format!(
        "the file is {what}: the header promises {}×{} numbers in {needed} bytes, found {found} bytes",
        layout.rows, layout.columns
    );
    source.error(None, None, why)
}

/// Why numbers could not be had.
enum Fault {
    Io(std::io::Error),
    /// The number at this place does not fit.
    Beyond(usize, f64),
}

fn told(source: &Source, layout: &Layout, fault: Fault) -> Error {
    match fault {
        Fault::Io(why) => Error::Io { path: source.name.clone(), why: format!("cannot be read: {why}") },
        Fault::Beyond(at, value) => {
            let at = at as u64;
            let place = if layout.column_major {
                (at % layout.rows, at / layout.rows)
            } else {
                (at / layout.columns, at % layout.columns)
            };
            let why = format!("row {}: {value:e} is beyond the range of f32, ±3.4e38; rescale the column", place.0 + 1);
            source.error(None, Some((place.1 + 1).to_string()), why)
        }
    }
}

/// All cores read parts of the file, straight into the matrix where its bytes are the file's. Also whether all numbers
/// are finite, which is cheap to see while they are in the cache.
fn read_file(path: &Path, layout: &Layout, count: usize, large: f64) -> std::result::Result<(Vec<f32>, Seen), Fault> {
    let full = |_| Fault::Io(std::io::ErrorKind::OutOfMemory.into());
    // A zeroed vector that cannot be had ends the process; asking first gives an error instead.
    Vec::<f32>::new().try_reserve_exact(count).map_err(full)?;
    let mut values = vec![0.0_f32; count];
    let parts = values.par_chunks_mut(VALUES_PER_TASK).enumerate();
    let read = |(task, part)| {
        let first = task * VALUES_PER_TASK;
        let mut file = File::open(path).map_err(Fault::Io)?;
        let at = layout.offset + (first * layout.element.size()) as u64;
        file.seek(SeekFrom::Start(at)).map_err(Fault::Io)?;
        read_part(&mut file, layout, first, part, large)
    };
    let parts: Vec<std::result::Result<Seen, Fault>> = parts.map(read).collect();
    let mut seen = Seen { finite: true, large: vec![] };
    for part in parts {
        let part = part?;
        seen.finite &= part.finite;
        seen.large.extend(part.large);
    }
    Ok((values, seen))
}

/// What was seen of numbers while they were read.
struct Seen {
    /// Whether all are known to be finite.
    finite: bool,
    /// Large ones that f32 rounds, by their places.
    large: Vec<(usize, f64)>,
}

impl Seen {
    /// Looks at a step of numbers, the first of them at `first`: whether all are finite, and which `f32` rounds, from
    /// `large` on. One that `f32` cannot hold is an error.
    fn look(
        &mut self,
        bytes: &[u8],
        layout: &Layout,
        (first, step): (usize, &[f32]),
        large: f64,
    ) -> std::result::Result<(), Fault> {
        // Of most steps one pass over what is in the cache tells that there is nothing to look for.
        if !any_from(step, large as f32) {
            return Ok(());
        }
        let beyond = || step.iter().position(|value| value.is_infinite());
        if layout.element == Element::F64
            && let Some(at) = beyond()
        {
            return Err(Fault::Beyond(first + at, number(bytes, layout, at)));
        }
        self.finite &= !any_from(step, f32::INFINITY);
        let narrow = [Element::F32, Element::Bool, Element::I8, Element::U8, Element::I16, Element::U16];
        if narrow.contains(&layout.element) {
            return Ok(());
        }
        for (at, value) in step.iter().enumerate().filter(|(_, value)| f64::from(value.abs()) >= large) {
            let exact = number(bytes, layout, at);
            if exact != f64::from(*value) {
                self.large.push((first + at, exact));
            }
        }
        Ok(())
    }
}

fn read_part(
    file: &mut File,
    layout: &Layout,
    first: usize,
    part: &mut [f32],
    large: f64,
) -> std::result::Result<Seen, Fault> {
    let size = layout.element.size();
    let direct = layout.element == Element::F32;
    let mut buffer = vec![0; if direct { 0 } else { BYTES_PER_STEP.min(part.len() * size) }];
    let mut seen = Seen { finite: true, large: vec![] };
    for (step, part) in part.chunks_mut(BYTES_PER_STEP / size).enumerate() {
        if direct {
            file.read_exact(bytemuck::cast_slice_mut(part)).map_err(Fault::Io)?;
            if layout.big_endian != cfg!(target_endian = "big") {
                part.iter_mut().for_each(|value| *value = f32::from_bits(value.to_bits().swap_bytes()));
            }
            seen.finite &= !any_from(part, f32::INFINITY);
        } else {
            let bytes = &mut buffer[..part.len() * size];
            file.read_exact(bytes).map_err(Fault::Io)?;
            let first = first + step * (BYTES_PER_STEP / size);
            convert(bytes, layout, part);
            seen.look(bytes, layout, (first, part), large)?;
        }
    }
    Ok(seen)
}

/// Whether a number is missing or at least as far from zero as `limit`: in integers, which the compiler makes wide
/// vectors of.
fn any_from(values: &[f32], limit: f32) -> bool {
    let (size, limit) = (|value: &f32| (value.to_bits() & 0x7fff_ffff) as i32, limit.to_bits() as i32);
    values.iter().fold(false, |found, value| found | (size(value) >= limit))
}

/// What a stream brings, one step after the other; memory grows only with what has come.
fn read_stream(source: &mut Source, layout: &Layout, count: usize, large: f64) -> Result<(Vec<f32>, Seen)> {
    let size = layout.element.size();
    let mut steps: Vec<Vec<f32>> = vec![];
    let (mut buffer, mut done) = (vec![], 0);
    let mut seen = Seen { finite: true, large: vec![] };
    while done < count {
        let most = (count - done).min(BYTES_PER_STEP / size);
        buffer.clear();
        let taken = source.take(&mut buffer, most * size)?;
        if taken < most * size {
            return Err(wrong_length(source, layout, (done * size + taken) as u64));
        }
        let mut step = vec![0.0; most];
        convert(&buffer, layout, &mut step);
        seen.look(&buffer, layout, (done, &step), large).map_err(|fault| told(source, layout, fault))?;
        steps.push(step);
        done += most;
    }
    buffer.clear();
    let behind = source.take(&mut buffer, 1)?;
    if behind > 0 {
        return Err(wrong_length(source, layout, (count * size + behind) as u64));
    }
    let mut values = Vec::with_capacity(count);
    steps.into_iter().for_each(|step| values.extend_from_slice(&step));
    Ok((values, seen))
}

#[inline(always)]
fn each<const SIZE: usize>(bytes: &[u8], out: &mut [f32], value: impl Fn([u8; SIZE]) -> f32) {
    out.iter_mut().zip(bytes.as_chunks::<SIZE>().0).for_each(|(out, bytes)| *out = value(*bytes));
}

/// Row by row what was column by column, in squares that stay in the cache.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut out = vec![0.0; values.len()];
    out.par_chunks_mut(SIDE * columns).enumerate().for_each(|(band, out)| {
        let first = band * SIDE;
        let height = out.len() / columns;
        for left in (0..columns).step_by(SIDE) {
            for column in left..(left + SIDE).min(columns) {
                let from = &values[column * rows + first..column * rows + first + height];
                from.iter().enumerate().for_each(|(row, value)| out[row * columns + column] = *value);
            }
        }
    });
    out
}
