//! Thrift's compact protocol, in which a Parquet file describes itself, read into values by field number.

use std::collections::BTreeMap;

/// How deep structs and lists may lie in one another; Parquet's own are at most eight deep.
const DEEPEST: usize = 24;

/// A value of the description.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Thrift<'a> {
    Bool(bool),
    Integer(i64),
    Double,
    Bytes(&'a [u8]),
    List(Vec<Thrift<'a>>),
    Struct(BTreeMap<i16, Thrift<'a>>),
}

impl<'a> Thrift<'a> {
    /// A struct at the beginning of the bytes, and how many it takes.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Thrift<'a>, usize)> {
        let mut reader = Reader { bytes, at: 0 };
        let value = reader.value(12, 0)?;
        Some((value, reader.at))
    }

    /// A field of a struct.
    pub(super) fn field(&self, number: i16) -> Option<&Thrift<'a>> {
        match self {
            Thrift::Struct(fields) => fields.get(&number),
            _ => None,
        }
    }

    /// A field that is an integer.
    pub(super) fn integer(&self, number: i16) -> Option<i64> {
        match self.field(number)? {
            Thrift::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// A field that is a size.
    pub(super) fn size(&self, number: i16) -> Option<usize> {
        self.integer(number).and_then(|value| usize::try_from(value).ok())
    }

    /// A field that is a list; an empty one if it is not there.
    pub(super) fn list(&self, number: i16) -> &[Thrift<'a>] {
        match self.field(number) {
            Some(Thrift::List(values)) => values,
            _ => &[],
        }
    }

    /// A field that is text.
    pub(super) fn text(&self, number: i16) -> Option<&'a str> {
        self.field(number)?.as_text()
    }

    pub(super) fn as_text(&self) -> Option<&'a str> {
        match self {
            Thrift::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn zigzag(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Thrift<'a>> {
        if depth > DEEPEST {
            return None;
        }
        Some(match kind {
            1 | 2 => Thrift::Bool(kind == 1),
            3 => Thrift::Integer(i64::from(self.byte()? as i8)),
            4..=6 => Thrift::Integer(self.zigzag()?),
            7 => {
                self.at = self.at.checked_add(8).filter(|at| *at <= self.bytes.len())?;
                Thrift::Double
            }
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let own = self.bytes.get(self.at..self.at.checked_add(length)?)?;
                self.at += length;
                Thrift::Bytes(own)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count =
                    if head >> 4 == 15 { usize::try_from(self.varint()?).ok()? } else { usize::from(head >> 4) };
                let mut values = vec![];
                for _ in 0..count {
                    // In a list a boolean is a byte of its own.
                    values.push(match head & 15 {
                        1 | 2 => Thrift::Bool(self.byte()? == 1),
                        kind => self.value(kind, depth + 1)?,
                    });
                }
                Thrift::List(values)
            }
            12 => {
                let (mut fields, mut number) = (BTreeMap::new(), 0_i16);
                loop {
                    let head = self.byte()?;
                    if head & 15 == 0 {
                        break;
                    }
                    number = match head >> 4 {
                        0 => i16::try_from(self.zigzag()?).ok()?,
                        step => number.checked_add(i16::from(step))?,
                    };
                    let value = self.value(head & 15, depth + 1)?;
                    fields.insert(number, value);
                }
                Thrift::Struct(fields)
            }
            _ => return None,
        })
    }
}
