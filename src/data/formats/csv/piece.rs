//! Whole records, parsed by one thread.

use super::records::{Cell, Quotes, next_cell, skip_empty_lines};
use crate::data::formats::lines::count;
use crate::data::formats::notation::Notation;
use crate::data::formats::number::{self, leading_number};
use crate::data::formats::text_codes::TextCodes;

/// What a column of the file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is not asked for.
    Skip,
    /// Every cell was missing so far.
    Unknown,
    /// Numbers.
    Number,
    /// Text, none of which is a number.
    Text,
    /// Categories by the user's word, numbers or not.
    Named,
}

impl Kind {
    pub(super) fn is_categorical(self) -> bool {
        matches!(self, Kind::Text | Kind::Named)
    }
}

/// How records are to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    pub(super) delimiter: u8,
    /// One for each column of the file.
    pub(super) kinds: &'a [Kind],
    /// How cells are written.
    pub(super) notation: &'a Notation,
    /// Whether a missing cell is an error.
    pub(super) refuse_missing: bool,
    /// Numbers from here on are kept in f64 where f32 rounds them.
    pub(super) large: f64,
}

/// The rows of a piece.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Row by row, the columns that are not skipped; text as codes.
    pub(super) values: Vec<f32>,
    /// Large numbers that f32 rounds, by their places among the values.
    pub(super) large: Vec<(u32, f64)>,
    /// The texts of each categorical column.
    pub(super) texts: Vec<TextCodes>,
    /// Ends of lines.
    pub(super) lines: usize,
}

/// The first cell that is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    /// The byte of the piece where it begins.
    pub(super) at: usize,
    pub(super) column: usize,
    pub(super) wrong: Wrong,
    /// The cell, shortened.
    pub(super) text: String,
}

/// What is wrong with a cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The record has so many cells.
    Count(usize),
    /// The first cell of its column that is not missing.
    Unknown,
    Missing,
    Beyond,
    /// Text among numbers.
    Text,
    /// A number among texts.
    Number,
    NotUtf8,
    /// A carriage return without a newline, outside quotes.
    LoneReturn,
    MisplacedQuote,
    OpenQuote,
    TooManyCategories,
}

/// Parses whole records.
pub(super) fn parse(bytes: &[u8], plan: Plan) -> Result<Piece, Fault> {
    let lines = count(bytes, b'\n');
    let kept = plan.kinds.iter().filter(|kind| **kind != Kind::Skip).count();
    let categorical = plan.kinds.iter().filter(|kind| kind.is_categorical()).count();
    // Every cell takes a byte at least, whatever the number of lines promises.
    let room = kept.saturating_mul(lines + 1).min(bytes.len() + 1);
    let mut rows = Rows {
        bytes,
        plan,
        piece: Piece {
            values: Vec::with_capacity(room),
            large: vec![],
            texts: vec![TextCodes::default(); categorical],
            lines,
        },
        scratch: String::new(),
    };
    let mut at = skip_empty_lines(bytes, 0);
    while at < bytes.len() {
        at = skip_empty_lines(bytes, rows.record(at)?);
    }
    Ok(rows.piece)
}

struct Rows<'a> {
    bytes: &'a [u8],
    plan: Plan<'a>,
    piece: Piece,
    /// A text whose doubled quotes have been undone.
    scratch: String,
}

impl Rows<'_> {
    /// Parses the record at `at`; where the next one begins.
    fn record(&mut self, start: usize) -> Result<usize, Fault> {
        let (mut at, mut text_column) = (start, 0);
        let Plan { kinds, notation, large, .. } = self.plan;
        // Below this nothing is infinite or kept.
        let (plain, usual) = (notation.plain, large.min(f64::from(f32::MAX)));
        for (column, &kind) in kinds.iter().enumerate() {
            let more = column + 1 < kinds.len();
            if kind == Kind::Number
                && plain
                && let Some((value, exact, next, last)) = self.plain_number(at)
                && last != more
                && (exact.abs() < usual || self.keep(value, exact))
            {
                self.piece.values.push(value);
                at = next;
                continue;
            }
            let cell = next_cell(self.bytes, at, self.plan.delimiter);
            self.check(&cell, at, column)?;
            if cell.last == more {
                return Err(self.miscounted(start, column));
            }
            if kind != Kind::Skip {
                let value = self.value(&cell, at, column, kind, text_column)?;
                self.piece.values.push(value);
            }
            text_column += usize::from(kind.is_categorical());
            at = cell.next;
        }
        Ok(at)
    }

    /// The usual case: a number that a delimiter or the end of the line follows at once.
    #[inline(always)]
    fn plain_number(&self, at: usize) -> Option<(f32, f64, usize, bool)> {
        let (value, exact, length) = leading_number(&self.bytes[at..])?;
        let end = at + length;
        match self.bytes.get(end) {
            Some(&byte) if byte == self.plan.delimiter => Some((value, exact, end + 1, false)),
            Some(b'\n') => Some((value, exact, end + 1, true)),
            Some(b'\r') if self.bytes.get(end + 1) == Some(&b'\n') => Some((value, exact, end + 2, true)),
            None => Some((value, exact, end, true)),
            _ => None,
        }
    }

    /// Keeps the next number in f64, if it is large and f32 rounds it; whether it is one that f32 can hold.
    #[cold]
    fn keep(&mut self, value: f32, exact: f64) -> bool {
        if value.is_finite() && exact.abs() >= self.plan.large && f64::from(value) != exact {
            self.piece.large.push((self.piece.values.len() as u32, exact));
        }
        value.is_finite()
    }

    fn check(&self, cell: &Cell, at: usize, column: usize) -> Result<(), Fault> {
        match cell.quotes {
            Quotes::Open => Err(self.fault(cell, at, column, Wrong::OpenQuote)),
            Quotes::Misplaced => Err(self.fault(cell, at, column, Wrong::MisplacedQuote)),
            _ => Ok(()),
        }
    }

    fn value(&mut self, cell: &Cell, at: usize, column: usize, kind: Kind, text_column: usize) -> Result<f32, Fault> {
        let found = self.plan.notation.classify(number::trim(&self.bytes[cell.text.clone()]));
        let wrong = match (found, kind) {
            (number::Cell::Missing, _) if self.plan.refuse_missing => Wrong::Missing,
            (number::Cell::Missing, _) => return Ok(f32::NAN),
            (_, Kind::Unknown) => Wrong::Unknown,
            (number::Cell::Number(value, exact), Kind::Number) => {
                self.keep(value, exact);
                return Ok(value);
            }
            (number::Cell::Beyond, Kind::Number) => Wrong::Beyond,
            (number::Cell::Text, Kind::Number) => Wrong::Text,
            (number::Cell::Number(..) | number::Cell::Beyond, Kind::Text) => Wrong::Number,
            _ => match self.code(cell, text_column) {
                Ok(code) => return Ok(code as f32),
                Err(wrong) => wrong,
            },
        };
        Err(self.fault(cell, at, column, wrong))
    }

    fn code(&mut self, cell: &Cell, text_column: usize) -> Result<u32, Wrong> {
        let text = std::str::from_utf8(&self.bytes[cell.text.clone()]).map_err(|_| Wrong::NotUtf8)?;
        if cell.quotes == Quotes::None && text.contains('\r') {
            return Err(Wrong::LoneReturn);
        }
        let texts = &mut self.piece.texts[text_column];
        let code = if cell.quotes == Quotes::Doubled {
            self.scratch.clear();
            text.split("\"\"").enumerate().for_each(|(number, part)| {
                self.scratch.push_str(if number > 0 { "\"" } else { "" });
                self.scratch.push_str(part);
            });
            texts.code(&self.scratch)
        } else {
            texts.code(text)
        };
        code.ok_or(Wrong::TooManyCategories)
    }

    /// The record's cells are counted to the end for the message; the fault lies at its beginning.
    fn miscounted(&self, start: usize, column: usize) -> Fault {
        let cells = super::records::cells(self.bytes, start, self.plan.delimiter).count();
        Fault { at: start, column, wrong: Wrong::Count(cells), text: String::new() }
    }

    fn fault(&self, cell: &Cell, at: usize, column: usize, wrong: Wrong) -> Fault {
        Fault { at, column, wrong, text: shortened(&self.bytes[cell.text.clone()]) }
    }
}

/// A cell's text for a message.
pub(super) fn shortened(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]);
    let short: String = text.chars().take(MOST).collect();
    if short.len() < bytes.len() && text.chars().count() > MOST { format!("{short}…") } else { short }
}
