//! CSV and TSV: blocks of whole records are parsed by all cores while the next block is read.

mod chunks;
mod dialect;
mod gather;
mod piece;
mod records;
mod schema;

use std::collections::BTreeMap;

use rayon::prelude::*;

pub use chunks::CsvChunks;
use gather::Gathered;
use piece::{Fault, Kind, Piece, Plan, Wrong, parse};
use records::{cells, cut, record_end, skip_empty_lines};
use schema::{Schema, UTF8_ADVICE};

use super::lines::{LONGEST, PIECE, count, too_long};
use super::notation::Notation;
use super::number::Cell;
use super::source::Source;
use super::text_codes::TextCodes;
use crate::array::LARGE;
use crate::data::missing::ADVICE;
use crate::data::options::{Missing, ReadOptions};
use crate::data::read::{Raw, check_budget, exact_columns};
use crate::error::{Error, Result};

/// Reads a whole file.
pub(in crate::data) fn read(source: Source, options: &ReadOptions) -> Result<Raw> {
    let mut gathered = Gathered::new(source.length());
    let mut stream = Stream::open(source, options)?;
    stream.large = if options.exact { 0.0 } else { LARGE };
    let mut large = vec![];
    while let Some(pieces) = stream.next_pieces()? {
        let mut count = gathered.count();
        for piece in &pieces {
            large.extend(piece.large.iter().map(|(place, number)| (count + *place as usize, *number)));
            count += piece.values.len();
        }
        check_budget(&stream.source.name, (count + 4 * large.len()) as u64, options.budget)?;
        gathered.add(pieces, stream.parsed, (options.budget / 4) as usize);
    }
    (stream.block, stream.ahead) = (vec![], vec![]);
    let mut raw = stream.finish(gathered.finish())?;
    raw.exact = exact_columns(&raw.values, raw.columns, large, options.exact);
    Ok(raw)
}

/// A CSV file, block by block.
struct Stream<'a> {
    source: Source<'a>,
    schema: Schema,
    block: Vec<u8>,
    /// The next block, while it is being read.
    ahead: Vec<u8>,
    ended: bool,
    /// Lines and bytes before the block.
    lines: u64,
    parsed: u64,
    /// The texts of each categorical column so far.
    texts: BTreeMap<usize, TextCodes>,
    refuse_missing: bool,
    /// Numbers from here on are kept in f64 where f32 rounds them.
    large: f64,
}

impl<'a> Stream<'a> {
    /// Reads as far as the first rows, and finds out what the columns are called.
    fn open(source: Source<'a>, options: &ReadOptions) -> Result<Stream<'a>> {
        let notation = Notation::new(options)?;
        let mut source = source.cleaned(options, false)?;
        let found = options.delimiter.is_none() && dialect::parted_by_blanks(source.head(), &notation);
        if found || options.delimiter == Some(b' ') {
            source = source.cleaned(&ReadOptions::default(), true)?;
        }
        let mut block = vec![];
        let mut ended = source.take_block(&mut block)? == 0;
        if block.starts_with(&[0xff, 0xfe]) || block.starts_with(&[0xfe, 0xff]) {
            return Err(source.error(Some(1), None, "the text is UTF-16; save it as UTF-8"));
        }
        if block.starts_with(&[0xef, 0xbb, 0xbf]) {
            block.drain(..3);
        }
        let delimiter = if found { b' ' } else { schema::delimiter(&source, &block, options)? };
        while !ended && !holds_two_records(&block, delimiter) {
            if block.len() > LONGEST {
                return Err(too_long(&source, &block, 0));
            }
            schema::refuse_bomb(&source, &block, delimiter)?;
            ended = source.take_block(&mut block)? == 0;
        }
        let (schema, header) = Schema::find(&source, &block, delimiter, notation, options)?;
        let lines = count(&block[..header], b'\n') as u64;
        block.drain(..header);
        let refuse_missing = options.missing == Missing::Refuse && !options.drop_unlabelled;
        let (ahead, texts) = (vec![], BTreeMap::new());
        let parsed = header as u64;
        let large = f64::INFINITY;
        Ok(Stream { source, schema, block, ahead, ended, lines, parsed, texts, refuse_missing, large })
    }

    /// The rows of the next block, codes being the stream's; nothing at the end.
    fn next_pieces(&mut self) -> Result<Option<Vec<Piece>>> {
        let ends = loop {
            let ends = cut(&self.block, self.schema.delimiter, PIECE, self.ended);
            if !ends.is_empty() {
                break ends;
            }
            if self.ended {
                return Ok(None);
            }
            if self.block.len() > LONGEST {
                return Err(too_long(&self.source, &self.block, self.lines));
            }
            self.ended = self.source.take_block(&mut self.block)? == 0;
        };
        let whole = ends[ends.len() - 1];
        self.ahead.clear();
        self.ahead.extend_from_slice(&self.block[whole..]);
        let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).collect();
        let (pieces, taken) = rayon::join(
            || parse_all(&self.block, &starts, self.schema.plan(self.refuse_missing, self.large)),
            || if self.ended { Ok(0) } else { self.source.take_block(&mut self.ahead) },
        );
        let mut pieces = match pieces {
            Err(fault) if fault.wrong == Wrong::Unknown => {
                self.learn_kinds(whole);
                parse_all(&self.block, &starts, self.schema.plan(self.refuse_missing, self.large))
            }
            other => other,
        }
        .map_err(|fault| self.error(fault))?;
        // A fault of the reader counts only after what was read before it.
        self.ended |= taken? == 0;
        self.unite_codes(&mut pieces)?;
        self.lines += pieces.iter().map(|piece| piece.lines as u64).sum::<u64>();
        self.parsed += whole as u64;
        std::mem::swap(&mut self.block, &mut self.ahead);
        Ok(Some(pieces))
    }

    /// The first cell that is not missing decides what a column holds. `whole` is where the last whole record ends.
    fn learn_kinds(&mut self, whole: usize) {
        let block = &self.block[..whole];
        let Schema { kinds, notation, delimiter, .. } = &mut self.schema;
        let mut unknown = kinds.iter().filter(|kind| **kind == Kind::Unknown).count();
        let mut at = skip_empty_lines(block, 0);
        while unknown > 0 && at < block.len() {
            for (cell, kind) in cells(block, at, *delimiter).zip(kinds.iter_mut()) {
                if *kind != Kind::Unknown {
                    continue;
                }
                *kind = match notation.classify(super::number::trim(&block[cell.text])) {
                    Cell::Missing => continue,
                    Cell::Text => Kind::Text,
                    Cell::Number(..) | Cell::Beyond => Kind::Number,
                };
                unknown -= 1;
            }
            let Some(end) = record_end(block, at, *delimiter) else { return };
            at = skip_empty_lines(block, end);
        }
    }

    /// Turns the codes of each piece into those of the whole stream.
    fn unite_codes(&mut self, pieces: &mut [Piece]) -> Result<()> {
        let kept: Vec<usize> = self.schema.kept().collect();
        let width = kept.len();
        let categorical = |at: &usize| self.schema.kinds[kept[*at]].is_categorical();
        let columns: Vec<usize> = (0..width).filter(categorical).collect();
        for (number, &column) in columns.iter().enumerate() {
            let texts = self.texts.entry(kept[column]).or_default();
            for piece in pieces.iter_mut() {
                let codes: Option<Vec<u32>> = piece.texts[number].iter().map(|text| texts.code(text)).collect();
                let Some(codes) = codes else {
                    let what =
                        format!("categories of column {} of {}", self.schema.label(kept[column]), self.source.name);
                    let most = TextCodes::MOST as u64;
                    return Err(Error::Limit { what, need: most + 1, have: most });
                };
                let of_column = piece.values.iter_mut().skip(column).step_by(width);
                of_column.filter(|code| !code.is_nan()).for_each(|code| *code = codes[*code as usize] as f32);
            }
        }
        // Names of ever new categories would take many times the bytes of the file.
        let need = self.texts.values().map(TextCodes::cost).sum::<u64>();
        let have = 6 * self.source.taken() + (768 << 10);
        if need > have {
            let what = format!("bytes for the names of categories of {}, most of which occur once", self.source.name);
            return Err(Error::Limit { what, need, have });
        }
        Ok(())
    }

    /// The table, once all its values are there: categories in order, codes to match.
    fn finish(self, mut values: Vec<f32>) -> Result<Raw> {
        let Stream { source, schema, texts, lines, refuse_missing, .. } = self;
        let kept: Vec<usize> = schema.kept().collect();
        let width = kept.len();
        if values.is_empty() {
            return Err(source.error(Some(lines.max(1)), None, "there are no rows of data; expected one at least"));
        }
        let mut categories = vec![None; width];
        let mut places = vec![vec![]; if texts.is_empty() { 0 } else { width }];
        for (column, texts) in texts {
            let at = kept.partition_point(|kept| *kept < column);
            let (names, place) = texts.in_order();
            categories[at] = Some(names);
            places[at] = place;
        }
        // A named column without a single category is still categorical.
        for (at, column) in kept.iter().enumerate() {
            if schema.kinds[*column].is_categorical() && categories[at].is_none() {
                categories[at] = Some(vec![]);
            }
        }
        if !places.is_empty() {
            values.par_chunks_mut(width).for_each(|row| {
                let coded = row.iter_mut().zip(&places).filter(|(code, place)| !place.is_empty() && !code.is_nan());
                coded.for_each(|(code, place)| *code = place[*code as usize] as f32);
            });
        }
        let (names, choice, notes) = schema.into_kept(&kept);
        let rows = values.len() / width;
        let (choice, complete) = (Some(choice), refuse_missing);
        let raw = Raw { rows, complete, names, categories, choice, notes, ..Raw::new(source.name, width, values) };
        Ok(raw)
    }

    /// What a fault in the block means to the reader of the file.
    fn error(&self, fault: Fault) -> Error {
        let line = self.lines + count(&self.block[..fault.at], b'\n') as u64 + 1;
        let cell = format!("{:?}", fault.text);
        let why = match fault.wrong {
            Wrong::Count(found) => {
                let expected = self.schema.kinds.len();
                let why = format!("the line has {found} cells, expected {expected} as in the first line");
                return self.source.error(Some(line), None, why);
            }
            Wrong::Missing => format!("the cell is missing; {ADVICE}"),
            Wrong::Beyond => format!("{cell} is beyond the range of f32, ±3.4e38; rescale the column"),
            Wrong::Text | Wrong::Unknown => {
                format!(
                    "expected a number, as before in this column, found {cell}; --na if it means missing, --categorical if the column is one of categories (ReadOptions::na, categorical)"
                )
            }
            Wrong::Number => {
                format!(
                    "expected text, as before in this column, found the number {cell}; name the column as categorical if it is"
                )
            }
            Wrong::LoneReturn => "a carriage return within the cell; expected lines to end in LF or CR LF".to_string(),
            Wrong::NotUtf8 => format!("{cell} is not valid UTF-8; {UTF8_ADVICE}"),
            Wrong::MisplacedQuote => {
                format!("expected the cell to end after its closing quote, found {cell}; double the quotes within it")
            }
            Wrong::OpenQuote => format!("the quote that opens here is never closed: {cell}"),
            Wrong::TooManyCategories => format!("more than {} different texts in one column; drop it", TextCodes::MOST),
        };
        self.source.error(Some(line), Some(self.schema.label(fault.column)), why)
    }
}

/// All pieces in their order, or the first fault with its place in the block.
fn parse_all(block: &[u8], starts: &[usize], plan: Plan) -> std::result::Result<Vec<Piece>, Fault> {
    let parsed: Vec<_> = starts.par_windows(2).map(|ends| parse(&block[ends[0]..ends[1]], plan)).collect();
    let placed = parsed.into_iter().zip(starts);
    placed.map(|(piece, start)| piece.map_err(|fault| Fault { at: fault.at + start, ..fault })).collect()
}

fn holds_two_records(block: &[u8], delimiter: u8) -> bool {
    let record = |at: usize| {
        let end = record_end(block, skip_empty_lines(block, at), delimiter)?;
        (end < block.len()).then_some(end)
    };
    record(0).and_then(record).is_some()
}
