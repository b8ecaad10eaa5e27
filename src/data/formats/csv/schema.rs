//! What the columns of a file are called and hold.

use std::collections::HashSet;

use super::dialect;
use super::piece::{Kind, Plan};
use super::records::{Quotes, cells, record_end, skip_empty_lines};
use crate::data::choice::Choice;
use crate::data::formats::lines::count;
use crate::data::formats::notation::Notation;
use crate::data::formats::source::Source;
use crate::data::options::{Header, ReadOptions};
use crate::error::{Error, Result};

/// What to do about bytes that are not the letters of UTF-8.
pub(super) const UTF8_ADVICE: &str = "save the file as UTF-8, or read it with --encoding latin1";

/// The columns of a file.
pub(super) struct Schema {
    pub(super) delimiter: u8,
    /// The names of all columns, if there is a header.
    names: Option<Vec<String>>,
    /// What each column holds.
    pub(super) kinds: Vec<Kind>,
    /// Features and targets among the columns that are asked for.
    pub(super) choice: Choice,
    /// How cells are written.
    pub(super) notation: Notation,
    /// What the reader of the file should know.
    pub(super) notes: Vec<String>,
}

/// The delimiter that is asked for, or found.
pub(super) fn delimiter(source: &Source, block: &[u8], options: &ReadOptions) -> Result<u8> {
    let Some(delimiter) = options.delimiter else {
        let name = source.name.to_ascii_lowercase();
        let tabs = name.ends_with(".tsv") || name.ends_with(".tsv.gz");
        return Ok(if tabs { b'\t' } else { dialect::delimiter(block) });
    };
    if delimiter == options.decimal || Some(delimiter) == options.thousands {
        let rule = "other than the decimal mark and the mark between thousands";
        return Err(Error::param("delimiter", rule, format!("{:?}", delimiter as char)));
    }
    if delimiter.is_ascii_alphanumeric() || !delimiter.is_ascii() || b"\"\r\n+-.?\0".contains(&delimiter) {
        let rule = "an ASCII character that no number, name or line end contains, such as , or ;".to_string();
        return Err(Error::param("delimiter", rule, format!("{:?}", delimiter as char)));
    }
    Ok(delimiter)
}

/// What is kept of a column: a name costs far more than the byte a column takes.
const COLUMN_BYTES: u64 = 80;

/// Refuses columns that the file does not have the bytes for.
fn check_columns(source: &Source, columns: usize, have: u64) -> Result<()> {
    let need = COLUMN_BYTES * columns as u64;
    if need <= have {
        return Ok(());
    }
    let what = format!("bytes for the {columns} columns that the first line of {} begins", source.name);
    Err(Error::Limit { what, need, have })
}

/// Refuses a first line of far more columns than its compressed bytes can mean, before all of it is unpacked.
pub(super) fn refuse_bomb(source: &Source, block: &[u8], delimiter: u8) -> Result<()> {
    let Some(packed) = source.packed() else { return Ok(()) };
    let columns = cells(block, skip_empty_lines(block, 0), delimiter).count();
    check_columns(source, columns, 64 * packed + (1536 << 10))
}

/// Refuses a first record that is not of the table: it has another number of cells than the second one, or holds the
/// numbers of rows and columns and the names of classes, as scikit-learn's files do.
fn refuse_preamble(source: &Source, block: &[u8], start: usize, delimiter: u8, header: Header) -> Result<()> {
    let Some(end) = record_end(block, start, delimiter) else { return Ok(()) };
    let second = skip_empty_lines(block, end);
    if second == block.len() || record_end(block, second, delimiter).is_none() {
        return Ok(());
    }
    let lines = |to: usize| count(&block[..to], b'\n') as u64;
    let skip = format!("--skip-lines {}", lines(end));
    let expected = cells(block, start, delimiter).count();
    let found = cells(block, second, delimiter).count();
    if found != expected {
        let why = format!("the line has {found} cells, expected {expected} as in the first line");
        let remedy = format!("{skip} if that is not of the table");
        return Err(source.error(Some(lines(second) + 1), None, format!("{why}; {remedy}")));
    }
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<usize>().ok();
    let first: Vec<Option<usize>> =
        cells(block, start, delimiter).take(3).map(|cell| number(&block[cell.text])).collect();
    if header == Header::Auto && matches!(first[..], [Some(_), Some(columns), None] if columns + 1 == expected) {
        let why = "the first line seems to count rows and columns";
        return Err(source.error(Some(lines(start) + 1), None, format!("{why}; {skip} leaves it out")));
    }
    Ok(())
}

impl Schema {
    /// Finds the columns from the first records; also where the rows begin.
    pub(super) fn find(
        source: &Source,
        block: &[u8],
        delimiter: u8,
        notation: Notation,
        options: &ReadOptions,
    ) -> Result<(Schema, usize)> {
        let start = skip_empty_lines(block, 0);
        if start == block.len() {
            return Err(source.error(Some(1), None, "the file is empty; expected rows of data"));
        }
        let columns = cells(block, start, delimiter).count();
        let length = source.length().unwrap_or(0).max(source.taken());
        check_columns(source, columns, 6 * length + (768 << 10))?;
        refuse_preamble(source, block, start, delimiter, options.header)?;
        let (mut names, mut rows) = (None, start);
        let guess = dialect::has_header(block, delimiter, &notation, options.header);
        let mut notes: Vec<String> = guess.doubt.map(str::to_string).into_iter().collect();
        if guess.found {
            let (found, renamed) = header_names(source, block, start, delimiter)?;
            (names, notes) = (Some(found), [notes, renamed].concat());
            rows = cells(block, start, delimiter).last().map_or(block.len(), |cell| cell.next);
        }
        let choice = Choice::new(options, names.as_deref(), columns)?;
        let mut kinds = vec![Kind::Unknown; columns];
        choice.categorical.iter().chain(&choice.dates).for_each(|column| kinds[*column] = Kind::Named);
        let needed = choice.needed(columns);
        let skipped = kinds.iter_mut().zip(&needed).filter(|(_, needed)| !**needed);
        skipped.for_each(|(kind, _)| *kind = Kind::Skip);
        Ok((Schema { delimiter, names, kinds, choice: choice.kept(&needed), notation, notes }, rows))
    }

    /// The columns that are asked for.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> {
        self.kinds.iter().enumerate().filter(|(_, kind)| **kind != Kind::Skip).map(|(column, _)| column)
    }

    /// Their names, what they are for, and the notes.
    pub(super) fn into_kept(self, kept: &[usize]) -> (Option<Vec<String>>, Choice, Vec<String>) {
        let Schema { mut names, choice, notes, .. } = self;
        if let Some(all) = names.as_mut().filter(|all| kept.len() < all.len()) {
            *all = kept.iter().map(|column| std::mem::take(&mut all[*column])).collect();
        }
        (names, choice, notes)
    }

    /// Whether there is a header.
    pub(super) fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// A column's name, or its number from 1.
    pub(super) fn label(&self, column: usize) -> String {
        self.names.as_ref().map_or_else(|| (column + 1).to_string(), |names| names[column].clone())
    }

    /// How records are to be read, as far as the kinds are known.
    pub(super) fn plan(&self, refuse_missing: bool, large: f64) -> Plan<'_> {
        Plan { delimiter: self.delimiter, kinds: &self.kinds, notation: &self.notation, refuse_missing, large }
    }
}

/// The names of the header; an empty one becomes the column's number. A name that is there already gets a number behind
/// it, and a note says so.
fn header_names(source: &Source, block: &[u8], start: usize, delimiter: u8) -> Result<(Vec<String>, Vec<String>)> {
    let line = count(&block[..start], b'\n') as u64 + 1;
    let mut names = vec![];
    names.reserve_exact(cells(block, start, delimiter).count());
    for (at, cell) in cells(block, start, delimiter).enumerate() {
        let wrong = |why: &str| source.error(Some(line), Some((at + 1).to_string()), why);
        let text = std::str::from_utf8(&block[cell.text])
            .map_err(|_| wrong(&format!("the name is not valid UTF-8; {UTF8_ADVICE}")))?;
        names.push(match cell.quotes {
            Quotes::Open => return Err(wrong("the quote that opens here is never closed")),
            Quotes::Misplaced => return Err(wrong("expected the name to end after its closing quote")),
            Quotes::None if text.contains('\r') => {
                return Err(wrong("a carriage return within the name; expected lines to end in LF or CR LF"));
            }
            Quotes::Doubled => text.replace("\"\"", "\""),
            _ if text.trim().is_empty() => (at + 1).to_string(),
            _ => text.to_string(),
        });
    }
    Ok(renamed(names))
}

/// The names with a number behind those that occur again, and a note for each of the first ones.
fn renamed(mut names: Vec<String>) -> (Vec<String>, Vec<String>) {
    const MOST: usize = 8;
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by_key(|at| names[*at as usize].as_str());
    let equal = |pair: &&[u32]| names[pair[0] as usize] == names[pair[1] as usize];
    let mut again: Vec<u32> = order.windows(2).filter(equal).map(|pair| pair[1]).collect();
    if again.is_empty() {
        return (names, vec![]);
    }
    again.sort_unstable();
    let mut known: HashSet<String> = names.iter().cloned().collect();
    let mut notes = vec![];
    for at in again {
        let name = &mut names[at as usize];
        let fresh = |number: &usize| !known.contains(&format!("{name}_{number}"));
        let new = format!("{name}_{}", (2..).find(fresh).unwrap_or(2));
        if notes.len() < MOST {
            notes.push(format!("column {} has the name {name:?} too; it is called {new:?} here", at + 1));
        }
        known.insert(new.clone());
        *name = new;
    }
    (names, notes)
}
