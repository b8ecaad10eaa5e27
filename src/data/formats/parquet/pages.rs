//! The pages of a Parquet column, and the values in them.

use super::encodings::{Bits, delta_lengths, delta_texts, deltas, runs};
use super::schema::{Flat, Logical, Physical};
use super::thrift::Thrift;
use crate::data::dates;
use crate::data::formats::codecs::{Codec, unpack};
use crate::data::formats::table::Column;

/// Why a column cannot be read.
pub(super) type Fault = String;

const DAMAGED: &str = "the column is damaged: its values do not fit together";

fn damaged<T>(found: Option<T>) -> Result<T, Fault> {
    found.ok_or_else(|| DAMAGED.to_string())
}

/// Reads the pages of one column of a row group, `rows` values in all.
pub(super) fn read_chunk(
    file: &[u8],
    about: &Thrift<'_>,
    flat: Flat,
    rows: usize,
    out: &mut Column,
) -> Result<(), Fault> {
    let codec = match about.integer(4) {
        Some(0) => Codec::None,
        Some(1) => Codec::Snappy,
        Some(2) => Codec::Gzip,
        Some(6) => Codec::Zstd,
        Some(7) => Codec::Lz4Raw,
        other => {
            let name = match other {
                Some(4) => "Brotli",
                Some(5) => "Hadoop's LZ4",
                _ => "a codec",
            };
            return Err(format!("packed by {name}, which is not read; write it with snappy, gzip, zstd or lz4_raw"));
        }
    };
    let start = [about.size(9), about.size(11)].into_iter().flatten().min();
    let mut at = damaged(start)?;
    let (mut dictionary, end) = (vec![], out.values.len() + rows);
    while out.values.len() < end {
        let (header, length) = damaged(file.get(at..).and_then(Thrift::read))?;
        at += length;
        let (size, packed) = (damaged(header.size(2))?, damaged(header.size(3))?);
        let body = damaged(at.checked_add(packed).and_then(|end| file.get(at..end)))?;
        at += packed;
        match header.integer(1) {
            Some(2) => {
                let count = damaged(header.field(7).and_then(|about| about.size(1)))?;
                dictionary = values(&unpack(codec, body, size)?, 0, count, flat, &[], out)?;
            }
            Some(0) => {
                let about = damaged(header.field(5))?;
                let (count, encoding) = (damaged(about.size(1))?, damaged(about.integer(2))?);
                let page = unpack(codec, body, size)?;
                let (levels, rest) = if flat.optional {
                    let (length, rest) = damaged(page.split_first_chunk::<4>())?;
                    damaged(rest.split_at_checked(u32::from_le_bytes(*length) as usize))?
                } else {
                    (&[][..], &page[..])
                };
                let page = Page { levels, rest, count, encoding };
                page.add(flat, &dictionary, end, out)?;
            }
            Some(3) => {
                let about = damaged(header.field(8))?;
                let (count, encoding) = (damaged(about.size(1))?, damaged(about.integer(4))?);
                let (levels, repeats) = (damaged(about.size(5))?, damaged(about.size(6))?);
                let (front, values) = damaged(repeats.checked_add(levels).and_then(|at| body.split_at_checked(at)))?;
                let codec = if about.field(7) == Some(&Thrift::Bool(false)) { Codec::None } else { codec };
                let rest = unpack(codec, values, damaged(size.checked_sub(front.len()))?)?;
                let page = Page { levels: &front[repeats..], rest: &rest, count, encoding };
                page.add(flat, &dictionary, end, out)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A page of values, unpacked.
struct Page<'a> {
    /// Which values are there, if some may be missing.
    levels: &'a [u8],
    rest: &'a [u8],
    count: usize,
    encoding: i64,
}

impl Page<'_> {
    /// Adds the values of the page; a missing one is NaN. There are never more than up to `end`.
    fn add(&self, flat: Flat, dictionary: &[f64], end: usize, out: &mut Column) -> Result<(), Fault> {
        if self.count == 0 || self.count > end - out.values.len() {
            return Err(DAMAGED.to_string());
        }
        let present: Vec<bool> = match flat.optional {
            true => damaged(runs(self.levels, 1, self.count))?.into_iter().map(|level| level == 1).collect(),
            false => vec![true; self.count],
        };
        let count = present.iter().filter(|present| **present).count();
        let found = values(self.rest, self.encoding, count, flat, dictionary, out)?;
        if found.len() < count {
            return Err(DAMAGED.to_string());
        }
        let mut found = found.into_iter();
        out.values.extend(present.iter().map(|present| if *present { found.next() } else { None }.unwrap_or(f64::NAN)));
        Ok(())
    }
}

/// So many values of a page as numbers, or as the codes of texts.
fn values(
    bytes: &[u8],
    encoding: i64,
    count: usize,
    flat: Flat,
    dictionary: &[f64],
    out: &mut Column,
) -> Result<Vec<f64>, Fault> {
    if count == 0 {
        return Ok(vec![]);
    }
    let wide = match flat.physical {
        Physical::Int32 | Physical::Float => 4,
        Physical::Int64 | Physical::Double => 8,
        Physical::Int96 => 12,
        Physical::Fixed(size) => size,
        Physical::Bool | Physical::Bytes => 0,
    };
    match (encoding, flat.physical) {
        (0, Physical::Bool) => {
            let mut bits = Bits::new(bytes);
            damaged((0..count).map(|_| bits.next(1).map(|bit| bit as f64)).collect())
        }
        (0, Physical::Bytes) => {
            let mut rest = bytes;
            let mut next = || {
                let (length, behind) = rest.split_first_chunk::<4>()?;
                let (own, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                rest = behind;
                Some(own)
            };
            let texts: Option<Vec<&[u8]>> = (0..count).map(|_| next()).collect();
            damaged(texts)?.into_iter().map(|own| number(own, flat, out)).collect()
        }
        (0, _) => {
            let size = damaged(count.checked_mul(wide).filter(|size| wide > 0 && *size <= bytes.len()))?;
            bytes[..size].chunks_exact(wide).map(|own| number(own, flat, out)).collect()
        }
        (3, Physical::Bool) => {
            let body = damaged(bytes.get(4..))?;
            Ok(damaged(runs(body, 1, count))?.into_iter().map(f64::from).collect())
        }
        (2 | 8, _) => {
            let (width, body) = damaged(bytes.split_first())?;
            let places = damaged(runs(body, usize::from(*width), count))?;
            damaged(places.into_iter().map(|place| dictionary.get(place as usize).copied()).collect())
        }
        (5, Physical::Int32 | Physical::Int64) => {
            let (found, _) = damaged(deltas(bytes, count))?;
            // Of 32 bits only those count, whatever the sums have above them.
            let own = |value: i64| match flat.physical {
                Physical::Int32 => number(&(value as i32).to_le_bytes(), flat, out),
                _ => number(&value.to_le_bytes(), flat, out),
            };
            found.into_iter().map(own).collect()
        }
        (6, Physical::Bytes) => {
            damaged(delta_lengths(bytes, count))?.0.into_iter().map(|own| number(own, flat, out)).collect()
        }
        (7, Physical::Bytes | Physical::Fixed(_)) => {
            damaged(delta_texts(bytes, count))?.iter().map(|own| number(own, flat, out)).collect()
        }
        (9, _) if wide > 0 => {
            damaged(count.checked_mul(wide).filter(|size| *size <= bytes.len()))?;
            let mut own = vec![0; wide];
            let mut one = |at: usize| {
                own.iter_mut().enumerate().for_each(|(part, byte)| *byte = bytes[part * count + at]);
                number(&own, flat, out)
            };
            (0..count).map(&mut one).collect()
        }
        (encoding, _) => Err(format!("written in encoding {encoding}, which is not read")),
    }
}

/// A value as a number, or as the code of a text.
fn number(bytes: &[u8], flat: Flat, out: &mut Column) -> Result<f64, Fault> {
    let integer = |bytes: &[u8]| match (bytes.len(), flat.logical) {
        (4, Logical::Unsigned) => bytes.first_chunk().map(|own| i128::from(u32::from_le_bytes(*own))),
        (8, Logical::Unsigned) => bytes.first_chunk().map(|own| i128::from(u64::from_le_bytes(*own))),
        (4, _) => bytes.first_chunk().map(|own| i128::from(i32::from_le_bytes(*own))),
        _ => bytes.first_chunk().map(|own| i128::from(i64::from_le_bytes(*own))),
    };
    let moment = match (flat.physical, flat.logical) {
        (Physical::Int96, _) => {
            // Nanoseconds of the day, and the day by Julian count, whose 2,440,588th is 1970-01-01.
            let (nanoseconds, day) = damaged(bytes.split_first_chunk::<8>())?;
            let day = i64::from(u32::from_le_bytes(*damaged(day.first_chunk())?)) - 2_440_588;
            Some((day, u64::from_le_bytes(*nanoseconds) as i64 / 1_000_000_000))
        }
        (_, Logical::Days) => Some((damaged(integer(bytes))? as i64, 0)),
        (_, Logical::Timestamp(unit)) => {
            let seconds = (damaged(integer(bytes))? as i64).div_euclid(unit);
            Some((seconds.div_euclid(86_400), seconds.rem_euclid(86_400)))
        }
        _ => None,
    };
    if let Some((day, second)) = moment {
        return out.code(&dates::written(day, second)).map_err(|why| why.to_string());
    }
    match (flat.physical, flat.logical) {
        (Physical::Int32 | Physical::Int64, Logical::Decimal(scale)) => {
            Ok(damaged(integer(bytes))? as f64 / 10_f64.powi(scale))
        }
        (Physical::Int32 | Physical::Int64, _) => Ok(damaged(integer(bytes))? as f64),
        (Physical::Float, _) => Ok(f64::from(f32::from_le_bytes(*damaged(bytes.first_chunk())?))),
        (Physical::Double, _) => Ok(f64::from_le_bytes(*damaged(bytes.first_chunk())?)),
        (_, Logical::Half) => Ok(half(u16::from_le_bytes(*damaged(bytes.first_chunk())?))),
        (_, Logical::Decimal(scale)) => {
            // The highest byte comes first and carries the sign.
            let sign = if bytes.first().is_some_and(|first| *first >= 0x80) { -1_i128 } else { 0 };
            let whole = bytes.iter().fold(sign, |number, byte| number << 8 | i128::from(*byte));
            Ok(whole as f64 / 10_f64.powi(scale))
        }
        (Physical::Fixed(_), Logical::Plain) => {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            out.code(&text).map_err(|why| why.to_string())
        }
        _ => {
            let text = std::str::from_utf8(bytes).map_err(|_| "bytes that are no text; leave it out (--drop)")?;
            out.code(text).map_err(|why| why.to_string())
        }
    }
}

/// A number of 16 bits: a sign, five bits of exponent, ten of fraction.
pub(in crate::data::formats) fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-14),
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}
