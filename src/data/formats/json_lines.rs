//! JSON lines: an object for each row, whose keys name the columns.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::lines::{LONGEST, cut, too_long};
use super::number::trim;
use super::source::Source;
use super::table::{Column, Meaning, choose, into_raw};
use crate::data::options::ReadOptions;
use crate::data::read::{Raw, check_budget};
use crate::error::Result;

/// Bytes of a line up to which the first one is looked at.
const FIRST: usize = 4096;

/// Whether the first line is a whole object, unlike the first line of one that goes over several lines.
pub(super) fn is_first_line(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').map(trim).find(|line| !line.is_empty()).unwrap_or_default();
    first.starts_with(b"{") && (first.len() >= FIRST - 1 || serde_json::from_slice::<Pairs>(first).is_ok())
}

/// The keys of an object with their values, in their order.
struct Pairs(Vec<(String, Value)>);

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object, a value for each column")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Pairs, A::Error> {
        let mut pairs = vec![];
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Pairs, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

/// The columns so far.
#[derive(Default)]
struct Columns {
    all: Vec<JsonColumn>,
    places: HashMap<String, usize>,
    rows: usize,
}

struct JsonColumn {
    column: Column,
    /// Whether the first value that is there has said what the column holds.
    known: bool,
    /// The line of the first list or object in it.
    nested: Option<u64>,
    /// The line of the first value of another kind than before, and that value.
    mixed: Option<(u64, String)>,
}

impl Columns {
    /// Adds the values of an object; what it does not have is missing.
    fn add(&mut self, pairs: Vec<(String, Value)>, line: u64, options: &ReadOptions) -> Result<()> {
        for (name, value) in pairs {
            let at = *self.places.entry(name.clone()).or_insert_with(|| {
                self.all.push(JsonColumn::new(name, self.rows));
                self.all.len() - 1
            });
            let own = &mut self.all[at];
            if own.column.values.len() > self.rows {
                own.column.values.pop();
            }
            let as_text = options.categorical.contains(&own.column.name) || options.dates.contains(&own.column.name);
            let number = own.value(value, line, as_text)?;
            own.column.values.push(number);
        }
        self.rows += 1;
        self.all.iter_mut().for_each(|own| own.column.values.resize(self.rows, f64::NAN));
        Ok(())
    }
}

impl JsonColumn {
    fn new(name: String, rows: usize) -> JsonColumn {
        let mut column = Column::new(name, Meaning::Number);
        column.values = vec![f64::NAN; rows];
        JsonColumn { column, known: false, nested: None, mixed: None }
    }

    /// The value as a number or a code; what does not fit is noted, and an error if the column is wanted.
    fn value(&mut self, value: Value, line: u64, as_text: bool) -> Result<f64> {
        let text = match &value {
            Value::Null => return Ok(f64::NAN),
            Value::Array(_) | Value::Object(_) => {
                self.nested.get_or_insert(line);
                return Ok(f64::NAN);
            }
            Value::String(text) => Some(text.clone()),
            other if as_text => Some(other.to_string()),
            _ => None,
        };
        let meaning = if text.is_some() { Meaning::Text } else { Meaning::Number };
        if !std::mem::replace(&mut self.known, true) {
            self.column.meaning = meaning;
        }
        if self.column.meaning != meaning {
            self.mixed.get_or_insert((line, value.to_string().chars().take(40).collect()));
            return Ok(f64::NAN);
        }
        match (text, &value) {
            (Some(text), _) => self.column.code(&text),
            (None, Value::Bool(value)) => Ok(f64::from(u8::from(*value))),
            (None, value) => Ok(value.as_f64().unwrap_or(f64::NAN)),
        }
    }
}

/// The names of the columns.
pub(in crate::data) fn names(mut source: Source, options: &ReadOptions) -> Result<Vec<String>> {
    Ok(gather(&mut source, options)?.all.into_iter().map(|own| own.column.name).collect())
}

/// The values of all lines.
fn gather(source: &mut Source, options: &ReadOptions) -> Result<Columns> {
    let (mut columns, mut block, mut lines) = (Columns::default(), vec![], 0_u64);
    loop {
        let ended = source.take_block(&mut block)? == 0;
        let whole = cut(&block, block.len(), ended).last().copied().unwrap_or(0);
        if whole == 0 && !ended && block.len() > LONGEST {
            return Err(too_long(source, &block, lines));
        }
        for line in block[..whole].split_inclusive(|byte| *byte == b'\n') {
            lines += 1;
            let text = trim(line.strip_suffix(b"\n").unwrap_or(line));
            if text.is_empty() {
                continue;
            }
            let pairs: Pairs = serde_json::from_slice(text)
                .map_err(|why| source.error(Some(lines), None, format!("expected a JSON object on the line: {why}")))?;
            columns.add(pairs.0, lines, options)?;
        }
        block.drain(..whole);
        check_budget(&source.name, (columns.rows * columns.all.len()) as u64, options.budget)?;
        if ended {
            return Ok(columns);
        }
    }
}

/// Reads a whole file.
pub(in crate::data) fn read(mut source: Source, options: &ReadOptions) -> Result<Raw> {
    let columns = gather(&mut source, options)?;
    let names: Vec<String> = columns.all.iter().map(|own| own.column.name.clone()).collect();
    if names.is_empty() {
        return Err(source.error(None, None, "there are no rows of data; expected one at least"));
    }
    let choice = choose(options, &names, |_| false)?;
    let needed = choice.needed(names.len());
    let mut kept = vec![];
    for (own, _) in columns.all.into_iter().zip(&needed).filter(|(_, needed)| **needed) {
        check(&source, &own)?;
        kept.push(own.column);
    }
    into_raw(source.name, kept, choice.kept(&needed), options)
}

/// Refuses what a wanted column cannot hold.
fn check(source: &Source, own: &JsonColumn) -> Result<()> {
    let name = || Some(own.column.name.clone());
    if let Some(line) = own.nested {
        let why = "the value is a list or an object; leave the column out (--drop), or write its parts as columns";
        return Err(source.error(Some(line), name(), why));
    }
    if let Some((line, value)) = &own.mixed {
        let before = if own.column.meaning == Meaning::Text { "text" } else { "a number" };
        let why =
            format!("expected {before}, as before in this column, found {value}; name it as categorical if it is");
        return Err(source.error(Some(*line), name(), why));
    }
    Ok(())
}
