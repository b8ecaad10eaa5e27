//! Arrow's file and stream, and Feather: messages, each with a description and a body. Flat columns alone are read.

mod batch;
mod flatbuffer;
mod schema;

use std::collections::HashMap;

use batch::Batch;
use flatbuffer::Table;
use schema::Field;

use super::source::Source;
use super::table::{Column, Meaning, choose, into_raw};
use crate::data::options::ReadOptions;
use crate::data::read::{Raw, check_budget};
use crate::error::Result;

/// How a file begins; a stream begins with its first message.
pub(super) const MAGIC: &[u8] = b"ARROW1";
/// What a message begins with.
const MARK: [u8; 4] = [0xff; 4];

/// Whether the bytes begin with a message.
pub(super) fn is_stream(head: &[u8]) -> bool {
    head.starts_with(&MARK) && head.get(6..8) == Some(&[0, 0])
}

/// The kind of a message, its header and its body.
type Message<'a> = (u8, Table<'a>, &'a [u8]);

/// The messages in their order: what each is about, and its body. A file is a stream with a frame around it.
fn messages(bytes: &[u8]) -> std::result::Result<Vec<Message<'_>>, &'static str> {
    let damaged = "the file is damaged or cut off: a message does not fit into it";
    let (mut at, mut found) = (if bytes.starts_with(MAGIC) { 8 } else { 0 }, vec![]);
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.starts_with(&MARK)) {
        let length = rest.get(4..8).and_then(|size| size.first_chunk()).map(|size| u32::from_le_bytes(*size) as usize);
        let length = length.ok_or(damaged)?;
        if length == 0 {
            break;
        }
        let message = rest.get(8..8 + length).and_then(Table::root).ok_or(damaged)?;
        let size = usize::try_from(message.long(3).unwrap_or(0)).map_err(|_| damaged)?;
        let body = rest.get(8 + length..).and_then(|rest| rest.get(..size)).ok_or(damaged)?;
        found.push((message.byte(1).unwrap_or(0), message.table(2).ok_or(damaged)?, body));
        at += 8 + length + size;
    }
    Ok(found)
}

/// The columns of the first message, which is always about them.
fn fields(messages: &[(u8, Table<'_>, &[u8])]) -> std::result::Result<Vec<Field>, &'static str> {
    let damaged = "the file is damaged: its columns are not described";
    let Some((1, schema, _)) = messages.first() else { return Err(damaged) };
    if schema.short(0).unwrap_or(0) != 0 {
        return Err("the numbers are big-endian; write the file on a machine that is not");
    }
    let list = schema.list(1).ok_or(damaged)?;
    let fields = (0..list.length).map(|at| list.table(at).and_then(|table| Field::read(table, 0)).ok_or(damaged));
    fields.collect::<std::result::Result<Vec<Field>, _>>().and_then(|fields| match fields.is_empty() {
        true => Err(damaged),
        false => Ok(fields),
    })
}

/// The names of the columns.
pub(in crate::data) fn names(mut source: Source) -> Result<Vec<String>> {
    let bytes = source.take_all()?;
    let found = messages(&bytes).and_then(|messages| fields(&messages));
    Ok(found.map_err(|why| source.error(None, None, why))?.into_iter().map(|field| field.name).collect())
}

/// Reads a whole file.
pub(in crate::data) fn read(mut source: Source, options: &ReadOptions) -> Result<Raw> {
    let bytes = source.take_all()?;
    let messages = messages(&bytes).map_err(|why| source.error(None, None, why))?;
    let fields = fields(&messages).map_err(|why| source.error(None, None, why))?;
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let choice = choose(options, &names, |at| fields[at].meaning() == Meaning::Date)?;
    let needed = choice.needed(names.len());
    let is_wanted = |at: usize| needed[at];
    if let Some(at) = (0..fields.len()).find(|at| is_wanted(*at) && fields[*at].is_nested()) {
        let why = "the column is nested; leave it out (--drop), or write its parts as columns";
        return Err(source.error(None, Some(names[at].clone()), why));
    }
    let mut columns: Vec<Column> =
        fields.iter().map(|field| Column::new(field.name.clone(), field.meaning())).collect();
    // Of each dictionary the values, which are codes of the column that has it.
    let mut dictionaries: HashMap<i64, Vec<f64>> = HashMap::new();
    for (kind, about, body) in &messages {
        let wrong = |at: usize, why: String| source.error(None, Some(names[at].clone()), why);
        match kind {
            2 => {
                let number = about.long(0).unwrap_or(0);
                let own = |field: &Field| field.dictionary.is_some_and(|(own, _)| own == number);
                let Some(at) = fields.iter().position(own).filter(|at| is_wanted(*at)) else { continue };
                let data = about.table(1).ok_or_else(|| wrong(at, "its dictionary is damaged".to_string()))?;
                let mut batch = Batch::new(data, body).map_err(|why| wrong(at, why))?;
                let values = batch.read(fields[at].kind, &mut columns[at]).map_err(|why| wrong(at, why))?;
                let known = dictionaries.entry(number).or_default();
                if about.byte(2).unwrap_or(0) == 0 {
                    known.clear();
                }
                known.extend(values);
            }
            3 => {
                let mut batch = Batch::new(*about, body).map_err(|why| source.error(None, None, why))?;
                let so_far = columns.iter().map(|column| column.values.len()).sum::<usize>() as u64;
                check_budget(&source.name, so_far, options.budget)?;
                for (at, field) in fields.iter().enumerate() {
                    if !is_wanted(at) {
                        batch.skip(field).map_err(|why| wrong(at, why))?;
                        continue;
                    }
                    let kind = field.dictionary.map_or(field.kind, |(_, places)| places);
                    let mut values = batch.read(kind, &mut columns[at]).map_err(|why| wrong(at, why))?;
                    if values.len() != batch.rows {
                        return Err(wrong(at, "it has another number of rows than the others".to_string()));
                    }
                    if let Some((number, _)) = field.dictionary {
                        let known = dictionaries.get(&number).map_or(&[][..], Vec::as_slice);
                        for value in values.iter_mut().filter(|value| !value.is_nan()) {
                            let found = known.get(*value as usize).filter(|_| *value >= 0.0);
                            let absent = || wrong(at, "a place that its dictionary does not have".to_string());
                            *value = *found.ok_or_else(absent)?;
                        }
                    }
                    columns[at].values.extend(values);
                }
            }
            _ => {}
        }
    }
    let kept = columns.into_iter().zip(&needed).filter(|(_, needed)| **needed).map(|(column, _)| column).collect();
    into_raw(source.name, kept, choice.kept(&needed), options)
}
