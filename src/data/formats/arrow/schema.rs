//! What the columns of an Arrow file are called and hold.

use super::flatbuffer::Table;
use crate::data::formats::table::Meaning;

/// How the values of a column lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    /// Bytes of an integer, and whether it has a sign.
    Int(usize, bool),
    /// Bytes of a number with a point.
    Float(usize),
    /// Bytes, and digits behind the point.
    Decimal(usize, i32),
    /// Bytes, and units in a day.
    Date(usize, i64),
    /// Units in a second.
    Timestamp(i64),
    /// Bytes of a place in the texts.
    Text(usize),
    /// Texts by their beginnings.
    TextView,
    /// Anything with columns inside: how many buffers come before those, and whether it has texts of its own.
    Nested(usize),
}

/// A column of the file.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    /// What its values are; of a dictionary, what its texts or numbers are.
    pub(super) kind: Kind,
    /// The number of its dictionary, and how places in it lie in memory.
    pub(super) dictionary: Option<(i64, Kind)>,
    pub(super) children: Vec<Field>,
}

/// How deep columns may lie in one another.
const DEEPEST: usize = 64;

impl Field {
    pub(super) fn is_nested(&self) -> bool {
        matches!(self.kind, Kind::Nested(_))
    }

    pub(super) fn meaning(&self) -> Meaning {
        match self.kind {
            Kind::Date(..) | Kind::Timestamp(_) => Meaning::Date,
            Kind::Text(_) | Kind::TextView => Meaning::Text,
            _ => Meaning::Number,
        }
    }

    pub(super) fn read(table: Table<'_>, depth: usize) -> Option<Field> {
        let about = table.table(3)?;
        let kind = match table.byte(2)? {
            1 => Kind::Null,
            2 => int(about),
            3 => Kind::Float(match about.short(0).unwrap_or(0) {
                0 => 2,
                1 => 4,
                _ => 8,
            }),
            4 | 5 => Kind::Text(4),
            19 | 20 => Kind::Text(8),
            6 => Kind::Bool,
            7 => Kind::Decimal(about.int(2).unwrap_or(128) as usize / 8, about.int(1).unwrap_or(0)),
            8 => match about.short(0).unwrap_or(1) {
                0 => Kind::Date(4, 1),
                _ => Kind::Date(8, 86_400_000),
            },
            9 => Kind::Int(about.int(1).unwrap_or(32) as usize / 8, true),
            10 => Kind::Timestamp(
                [1, 1_000, 1_000_000, 1_000_000_000][usize::from(about.short(0).unwrap_or(0) as u16 & 3)],
            ),
            18 => Kind::Int(8, true),
            23 | 24 => Kind::TextView,
            // Structs and lists of a fixed size have no buffer but that of what is missing, unions none of that.
            13 | 16 => Kind::Nested(1),
            14 => Kind::Nested(if about.short(0) == Some(1) { 2 } else { 1 }),
            22 => Kind::Nested(0),
            _ => Kind::Nested(2),
        };
        let dictionary = table.table(4).map(|about| {
            let places = about.table(1).map_or(Kind::Int(4, true), int);
            (about.long(0).unwrap_or(0), places)
        });
        let mut children = vec![];
        if let Some(list) = table.list(5).filter(|_| depth < DEEPEST) {
            for at in 0..list.length {
                children.push(Field::read(list.table(at)?, depth + 1)?);
            }
        }
        Some(Field { name: table.text(0).unwrap_or_default().to_string(), kind, dictionary, children })
    }
}

fn int(about: Table<'_>) -> Kind {
    Kind::Int(about.int(0).unwrap_or(0) as usize / 8, about.byte(1).unwrap_or(0) != 0)
}
