//! The values of a batch of rows: buffers end to end, in the order of the columns.

use super::flatbuffer::Table;
use super::schema::{Field, Kind};
use crate::data::dates;
use crate::data::formats::codecs::{Codec, unpack};
use crate::data::formats::parquet::half;
use crate::data::formats::table::Column;

/// Why a column cannot be read.
pub(super) type Fault = String;

const DAMAGED: &str = "the column is damaged: its values do not fit together";

fn damaged<T>(found: Option<T>) -> Result<T, Fault> {
    found.ok_or_else(|| DAMAGED.to_string())
}

/// A batch that is being read, column by column.
pub(super) struct Batch<'a> {
    about: Table<'a>,
    body: &'a [u8],
    pub(super) rows: usize,
    node: usize,
    buffer: usize,
    variadic: usize,
    codec: Codec,
}

impl<'a> Batch<'a> {
    pub(super) fn new(about: Table<'a>, body: &'a [u8]) -> Result<Batch<'a>, Fault> {
        let rows = damaged(usize::try_from(about.long(0).unwrap_or(0)).ok())?;
        let codec = match about.table(3).map(|packed| packed.byte(0).unwrap_or(0)) {
            None => Codec::None,
            Some(0) => Codec::Lz4Frame,
            Some(_) => Codec::Zstd,
        };
        Ok(Batch { about, body, rows, node: 0, buffer: 0, variadic: 0, codec })
    }

    /// The next buffer, unpacked.
    fn next_buffer(&mut self) -> Result<Vec<u8>, Fault> {
        let (offset, length) = damaged(self.about.list(2).and_then(|list| list.pair(self.buffer)))?;
        self.buffer += 1;
        let bytes = damaged(offset.checked_add(length).and_then(|end| self.body.get(offset..end)))?;
        if self.codec == Codec::None || bytes.is_empty() {
            return Ok(bytes.to_vec());
        }
        let (size, packed) = damaged(bytes.split_first_chunk::<8>())?;
        match i64::from_le_bytes(*size) {
            -1 => Ok(packed.to_vec()),
            size => unpack(self.codec, packed, damaged(usize::try_from(size).ok())?),
        }
    }

    /// How many values the next column has.
    fn next_node(&mut self) -> Result<usize, Fault> {
        let (length, _) = damaged(self.about.list(1).and_then(|list| list.pair(self.node)))?;
        self.node += 1;
        Ok(length)
    }

    /// How many buffers of texts the next column of views has.
    fn next_variadic(&mut self) -> Result<usize, Fault> {
        let count = damaged(self.about.list(4).and_then(|list| list.long(self.variadic)))?;
        self.variadic += 1;
        damaged(usize::try_from(count).ok())
    }

    /// Goes past a column.
    pub(super) fn skip(&mut self, field: &Field) -> Result<(), Fault> {
        self.next_node()?;
        self.buffer += match field.dictionary.map_or(field.kind, |(_, places)| places) {
            Kind::Null => 0,
            Kind::Text(_) => 3,
            Kind::TextView => 2 + self.next_variadic()?,
            Kind::Nested(buffers) => buffers,
            _ => 2,
        };
        let inside = if field.dictionary.is_some() { &[][..] } else { &field.children };
        inside.iter().try_for_each(|child| self.skip(child))
    }

    /// Adds the values of a column as they are, not those of its dictionary.
    pub(super) fn read(&mut self, kind: Kind, out: &mut Column) -> Result<Vec<f64>, Fault> {
        let length = self.next_node()?;
        // Each value takes a bit at least, or is missing in a column of nothing else.
        if kind == Kind::Null {
            return Ok(vec![f64::NAN; damaged(Some(length).filter(|length| *length == self.rows))?]);
        }
        let valid = self.next_buffer()?;
        let present =
            |row: usize| valid.is_empty() || valid.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1);
        match kind {
            Kind::Text(wide) => {
                let (places, texts) = (self.next_buffer()?, self.next_buffer()?);
                if length == 0 {
                    return Ok(vec![]);
                }
                damaged(Some(()).filter(|_| places.len() / wide > length))?;
                let place = |row: usize| integer(&places[row * wide..(row + 1) * wide], true) as usize;
                let text = |row: usize| damaged(texts.get(place(row)..place(row + 1)));
                (0..length).map(|row| if present(row) { code(text(row)?, out) } else { Ok(f64::NAN) }).collect()
            }
            Kind::TextView => {
                let views = self.next_buffer()?;
                let mut buffers = vec![];
                for _ in 0..self.next_variadic()? {
                    buffers.push(self.next_buffer()?);
                }
                damaged(Some(()).filter(|_| views.len() / 16 >= length))?;
                let text = |row: usize| view(&views[16 * row..16 * (row + 1)], &buffers);
                (0..length)
                    .map(|row| if present(row) { code(damaged(text(row))?, out) } else { Ok(f64::NAN) })
                    .collect()
            }
            Kind::Bool => {
                let bits = self.next_buffer()?;
                damaged(Some(()).filter(|_| 8 * bits.len() >= length))?;
                let bit = |row: usize| f64::from(bits[row / 8] >> (row % 8) & 1);
                Ok((0..length).map(|row| if present(row) { bit(row) } else { f64::NAN }).collect())
            }
            _ => {
                let wide = match kind {
                    Kind::Int(wide, _) | Kind::Float(wide) | Kind::Decimal(wide, _) | Kind::Date(wide, _) => wide,
                    _ => 8,
                };
                let values = self.next_buffer()?;
                damaged(Some(()).filter(|_| (1..=32).contains(&wide) && values.len() / wide >= length))?;
                let own = |row: usize| &values[row * wide..(row + 1) * wide];
                (0..length).map(|row| if present(row) { number(own(row), kind, out) } else { Ok(f64::NAN) }).collect()
            }
        }
    }
}

/// A text of at most twelve bytes in its view, a longer one at a place in a buffer.
fn view<'b>(view: &'b [u8], buffers: &'b [Vec<u8>]) -> Option<&'b [u8]> {
    let word = |at: usize| Some(u32::from_le_bytes(*view.get(at..)?.first_chunk()?) as usize);
    let length = word(0)?;
    if length <= 12 {
        return view.get(4..4 + length);
    }
    let (buffer, at) = (word(8)?, word(12)?);
    buffers.get(buffer)?.get(at..at.checked_add(length)?)
}

fn code(text: &[u8], out: &mut Column) -> Result<f64, Fault> {
    let text = std::str::from_utf8(text).map_err(|_| "bytes that are no text; leave it out (--drop)")?;
    out.code(text).map_err(|why| why.to_string())
}

/// An integer of up to 16 bytes, the lowest first.
fn integer(bytes: &[u8], signed: bool) -> i128 {
    let sign = if signed && bytes.last().is_some_and(|last| *last >= 0x80) { -1_i128 } else { 0 };
    bytes.iter().rev().fold(sign, |number, byte| number << 8 | i128::from(*byte))
}

fn number(bytes: &[u8], kind: Kind, out: &mut Column) -> Result<f64, Fault> {
    let whole = || integer(bytes, true) as i64;
    let moment = match kind {
        Kind::Date(_, units) => Some((whole().div_euclid(units), 0)),
        Kind::Timestamp(units) => {
            let seconds = whole().div_euclid(units);
            Some((seconds.div_euclid(86_400), seconds.rem_euclid(86_400)))
        }
        _ => None,
    };
    if let Some((day, second)) = moment {
        return out.code(&dates::written(day, second)).map_err(|why| why.to_string());
    }
    Ok(match kind {
        Kind::Float(2) => half(u16::from_le_bytes(*damaged(bytes.first_chunk())?)),
        Kind::Float(4) => f64::from(f32::from_le_bytes(*damaged(bytes.first_chunk())?)),
        Kind::Float(_) => f64::from_le_bytes(*damaged(bytes.first_chunk())?),
        Kind::Decimal(_, scale) => integer(bytes, true) as f64 / 10_f64.powi(scale),
        Kind::Int(_, signed) => integer(bytes, signed) as f64,
        _ => return Err(DAMAGED.to_string()),
    })
}
