//! Parquet: columns in pages, which a description at the end of the file points to. Flat columns alone are read.

mod encodings;
mod pages;
mod schema;
mod thrift;

use rayon::prelude::*;

pub(super) use pages::half;
use pages::read_chunk;
use schema::{Field, fields};
use thrift::Thrift;

use super::source::Source;
use super::table::{Column, Meaning, choose, into_raw};
use crate::data::options::ReadOptions;
use crate::data::read::{Raw, check_budget};
use crate::error::Result;

/// How a file begins and ends.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The description of a file: the columns, the rows, and where each column of each group of rows is.
struct Description<'a> {
    fields: Vec<Field>,
    groups: Vec<Thrift<'a>>,
}

impl<'a> Description<'a> {
    fn find(bytes: &'a [u8]) -> std::result::Result<Description<'a>, &'static str> {
        let damaged = "the file is damaged: the description at its end cannot be read";
        let rest = bytes.strip_suffix(MAGIC).ok_or("the file is cut off: it does not end as a Parquet file does")?;
        let (rest, length) = rest.split_last_chunk::<4>().ok_or(damaged)?;
        let start = rest.len().checked_sub(u32::from_le_bytes(*length) as usize).ok_or(damaged)?;
        let (about, _) = Thrift::read(&rest[start..]).ok_or(damaged)?;
        let fields = fields(about.list(2)).filter(|fields| !fields.is_empty()).ok_or(damaged)?;
        Ok(Description { fields, groups: about.list(4).to_vec() })
    }
}

/// The names of the columns.
pub(in crate::data) fn names(mut source: Source) -> Result<Vec<String>> {
    let bytes = source.take_all()?;
    let about = Description::find(&bytes).map_err(|why| source.error(None, None, why))?;
    Ok(about.fields.into_iter().map(|field| field.name).collect())
}

/// Reads a whole file.
pub(in crate::data) fn read(mut source: Source, options: &ReadOptions) -> Result<Raw> {
    let bytes = source.take_all()?;
    let about = Description::find(&bytes).map_err(|why| source.error(None, None, why))?;
    let names: Vec<String> = about.fields.iter().map(|field| field.name.clone()).collect();
    let is_date = |at: usize| about.fields[at].flat.is_some_and(|flat| flat.meaning() == Meaning::Date);
    let choice = choose(options, &names, is_date)?;
    let needed = choice.needed(names.len());
    let wanted: Vec<&Field> =
        about.fields.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(own, _)| own).collect();
    if let Some(field) = wanted.iter().find(|field| field.flat.is_none()) {
        let why = "the column is nested; leave it out (--drop), or write its parts as columns";
        return Err(source.error(None, Some(field.name.clone()), why));
    }
    let rows = about.groups.iter().map(|group| group.size(3).unwrap_or(0) as u64).sum::<u64>();
    check_budget(&source.name, rows.saturating_mul(wanted.len() as u64), options.budget)?;
    // Columns are independent of each other.
    let read: Vec<std::result::Result<Column, String>> =
        wanted.par_iter().map(|field| read_column(&bytes, &about.groups, field)).collect();
    let mut columns = vec![];
    for (column, field) in read.into_iter().zip(&wanted) {
        columns.push(column.map_err(|why| source.error(None, Some(field.name.clone()), why))?);
    }
    into_raw(source.name, columns, choice.kept(&needed), options)
}

fn read_column(bytes: &[u8], groups: &[Thrift<'_>], field: &Field) -> std::result::Result<Column, String> {
    let flat = field.flat.ok_or("the column is nested")?;
    let mut column = Column::new(field.name.clone(), flat.meaning());
    for group in groups {
        let is_own = |chunk: &&Thrift<'_>| match chunk.field(3).map(|about| about.list(3)) {
            Some([name]) => name.as_text() == Some(&field.name),
            _ => false,
        };
        let about = group.list(1).iter().find(is_own).and_then(|chunk| chunk.field(3));
        let (about, rows) = about.zip(group.size(3)).ok_or("the column is not where the description says")?;
        read_chunk(bytes, about, flat, rows, &mut column)?;
    }
    Ok(column)
}
