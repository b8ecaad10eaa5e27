//! What the columns of a Parquet file are called and hold.

use super::thrift::Thrift;
use crate::data::formats::table::Meaning;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Physical {
    Bool,
    Int32,
    Int64,
    Int96,
    Float,
    Double,
    Bytes,
    Fixed(usize),
}

/// What a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logical {
    Plain,
    Unsigned,
    /// Digits behind the point.
    Decimal(i32),
    Days,
    /// Units in a second.
    Timestamp(i64),
    Half,
    Text,
}

/// A column of the file.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    /// Nothing for a nested column, which cannot be read.
    pub(super) flat: Option<Flat>,
}

/// How a column that is not nested is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flat {
    pub(super) physical: Physical,
    pub(super) logical: Logical,
    pub(super) optional: bool,
}

impl Flat {
    pub(super) fn meaning(&self) -> Meaning {
        match (self.physical, self.logical) {
            (_, Logical::Days | Logical::Timestamp(_)) => Meaning::Date,
            (_, Logical::Decimal(_) | Logical::Half) => Meaning::Number,
            (Physical::Bytes | Physical::Fixed(_), _) => Meaning::Text,
            _ => Meaning::Number,
        }
    }
}

/// The columns, from the list of a schema's elements; nothing if it does not fit together.
pub(super) fn fields(elements: &[Thrift<'_>]) -> Option<Vec<Field>> {
    let children = elements.first()?.size(5)?;
    let (mut fields, mut at) = (vec![], 1);
    for _ in 0..children {
        let element = elements.get(at)?;
        let end = skip(elements, at, 0)?;
        let repeated = element.integer(3) == Some(2);
        let nested = element.size(5).is_some_and(|children| children > 0) || repeated;
        let flat = if nested { None } else { Some(flat(element)?) };
        fields.push(Field { name: element.text(4)?.to_string(), flat });
        at = end;
    }
    Some(fields)
}

/// Where the elements below one end.
fn skip(elements: &[Thrift<'_>], at: usize, depth: usize) -> Option<usize> {
    let children = elements.get(at)?.size(5).unwrap_or(0);
    let mut at = at + 1;
    for _ in 0..children {
        at = skip(elements, at, depth + 1).filter(|_| depth < 64)?;
    }
    Some(at)
}

fn flat(element: &Thrift<'_>) -> Option<Flat> {
    let physical = match element.integer(1)? {
        0 => Physical::Bool,
        1 => Physical::Int32,
        2 => Physical::Int64,
        3 => Physical::Int96,
        4 => Physical::Float,
        5 => Physical::Double,
        6 => Physical::Bytes,
        7 => Physical::Fixed(element.size(2)?),
        _ => return None,
    };
    let optional = element.integer(3) == Some(1);
    Some(Flat { physical, logical: logical(element, physical), optional })
}

fn logical(element: &Thrift<'_>, physical: Physical) -> Logical {
    let scale = |scale: Option<i64>| Logical::Decimal(scale.and_then(|scale| i32::try_from(scale).ok()).unwrap_or(0));
    if let Some(Thrift::Struct(kinds)) = element.field(10)
        && let Some((kind, about)) = kinds.iter().next()
    {
        return match kind {
            5 => scale(about.integer(1)),
            6 => Logical::Days,
            8 => match about.field(2) {
                Some(unit) if unit.field(1).is_some() => Logical::Timestamp(1_000),
                Some(unit) if unit.field(2).is_some() => Logical::Timestamp(1_000_000),
                _ => Logical::Timestamp(1_000_000_000),
            },
            10 if about.field(2) == Some(&Thrift::Bool(false)) => Logical::Unsigned,
            15 => Logical::Half,
            1 | 4 | 12 => Logical::Text,
            _ => Logical::Plain,
        };
    }
    match (element.integer(6), physical) {
        (Some(5), _) => scale(element.integer(7)),
        (Some(6), _) => Logical::Days,
        (Some(9), _) => Logical::Timestamp(1_000),
        (Some(10), _) => Logical::Timestamp(1_000_000),
        (Some(11..=14), _) => Logical::Unsigned,
        (_, Physical::Int96) => Logical::Timestamp(1_000_000_000),
        (Some(0 | 4 | 19), _) => Logical::Text,
        _ => Logical::Plain,
    }
}
