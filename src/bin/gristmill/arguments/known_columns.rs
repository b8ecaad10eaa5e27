//! Reading data for a model that knows its columns: by name, in any order, whatever else the file has.

use std::path::Path;

use gristmill::data::{Chunks, DATE_PARTS, Format, Missing, ReadOptions, matching_files, nearest_name};
use gristmill::pipeline::Column;
use gristmill::{Dataset, Error, Result};

use super::data::{header, is_numbered, named as named_column, readable_twice, unnamed_width};
use super::{GlobalArgs, ReadArgs};
use crate::report::note;

/// Columns that a note names.
const MOST_NAMED: usize = 8;

/// What a model wants of a file.
pub struct KnownColumns {
    /// The columns that it was fitted on; none if they are not known.
    pub columns: Vec<Column>,
    /// Whether rows may have missing values.
    pub takes_missing: bool,
    /// How the file is read.
    pub read: ReadOptions,
}

/// What was read for a model.
pub struct Read {
    pub data: Dataset,
    /// Columns of the file that are neither the model's nor a target.
    pub ignored: Vec<String>,
    /// The names that columns of a file without names were taken for, if the model has names.
    pub taken_for: Vec<String>,
    /// What is to be known about how the file was read.
    pub notes: Vec<String>,
}

impl Read {
    /// Notes how the file was read, which columns were ignored, and what columns without names were taken for.
    pub fn note_columns(&self, global: &GlobalArgs) {
        self.notes.iter().for_each(|text| note(global, text));
        let list = |names: &[String]| {
            let more = if names.len() > MOST_NAMED { ", …" } else { "" };
            names[..names.len().min(MOST_NAMED)].join(", ") + more
        };
        if !self.ignored.is_empty() {
            note(global, &format!("ignored, as the model does not know them: {}", list(&self.ignored)));
        }
        if !self.taken_for.is_empty() {
            let taken_for = list(&self.taken_for);
            note(global, &format!("warning: the file does not name its columns; taken in this order for {taken_for}"));
        }
    }
}

impl KnownColumns {
    /// The columns of data that a model will be fitted on.
    pub fn of(data: &Dataset, takes_missing: bool, read: &ReadArgs) -> KnownColumns {
        let name = |column: usize| data.names().map_or_else(String::new, |names| names[column].clone());
        let categories = data.categories();
        let category = |column: usize| categories.get(column).cloned().flatten();
        let column = |column: usize| Column { name: name(column), categories: category(column) };
        let columns = (0..data.columns()).map(column).collect();
        KnownColumns { columns, takes_missing, read: read.options().sparse(data.sparse.is_some()) }
    }

    /// How a file is read: only the columns of the model and the targets are looked at; a missing one is an error, unless
    /// the file does not name its columns: then they are taken as they come. Also the columns that are ignored, and what
    /// columns without names are taken for.
    fn options(&self, path: &Path, targets: &[String]) -> Result<(ReadOptions, Vec<String>, Vec<String>)> {
        let missing = if self.takes_missing { Missing::Keep } else { Missing::Refuse };
        let mut options = self.read.clone().missing(missing).targets(targets.iter().cloned());
        if !self.columns.is_empty() {
            options.width = Some(self.columns.len());
        }
        let named =
            !self.columns.is_empty() && !self.numbered() && self.columns.iter().all(|column| !column.name.is_empty());
        let (mut ignored, mut taken_for) = (vec![], vec![]);
        match header(path, &self.read)?.filter(|_| named) {
            Some(names) => {
                let mut dates: Vec<String> =
                    self.read.dates.iter().map(|date| named_column(date, Some(&names))).collect();
                // A file that says which columns are dates has them taken apart by itself.
                let is_known = |column: &Column| names.contains(&column.name);
                if !self.columns.iter().all(is_known) && has_own_dates(path, &self.read) {
                    dates = names.clone();
                }
                let mut wanted: Vec<String> =
                    self.columns.iter().map(|column| column_of(&column.name, &dates).to_string()).collect();
                wanted.dedup();
                self.check(path, &names, &wanted)?;
                options.categorical = self.categorical(|_, column| column.name.clone());
                let known = |name: &String| targets.contains(name) || wanted.contains(name);
                ignored = names.into_iter().filter(|name| !known(name)).collect();
                options.features = Some(wanted);
            }
            None => {
                if named && self.read.dates.is_empty() {
                    self.check_width(path, targets)?;
                }
                let numbers = feature_numbers(self.columns.len(), targets);
                options.categorical = self.categorical(|at, _| numbers[at].to_string());
                taken_for.extend(self.columns.iter().map(|column| column.name.clone()).filter(|_| named));
            }
        }
        Ok((options, ignored, taken_for))
    }

    /// Whether the model's columns are numbers that stand for names.
    fn numbered(&self) -> bool {
        !self.columns.is_empty() && self.columns.iter().all(|column| is_numbered(&column.name))
    }

    /// Reads a file, with [`KnownColumns::options`].
    pub fn read(&self, path: &Path, targets: &[String]) -> Result<Read> {
        let (options, ignored, taken_for) = self.options(path, targets)?;
        let read = Dataset::read_with_notes(path, &options);
        let (data, notes) = read.map_err(|error| self.explained(path, options, error))?;
        Ok(Read { data: self.with_names(data)?, ignored, taken_for, notes })
    }

    /// Columns of numbers get their numbers as names.
    fn with_names(&self, mut data: Dataset) -> Result<Dataset> {
        if self.numbered() && data.sparse.is_none() && data.x.columns() == self.columns.len() {
            data.x = data.x.with_names(self.columns.iter().map(|column| column.name.clone()))?;
        }
        Ok(data)
    }

    /// The same in chunks of at most so many rows.
    pub fn chunks<'a>(
        &'a self,
        path: &Path,
        targets: &[String],
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<Dataset>> + 'a> {
        let (options, ..) = self.options(path, targets)?;
        Ok(Chunks::open(path, &options, rows)?.map(|chunk| self.with_names(chunk?)))
    }

    /// What to do when missing values are all that is wrong with a file: the model was fitted on rows without any.
    fn explained(&self, path: &Path, options: ReadOptions, error: Error) -> Error {
        let Error::Data { path: file, line, column, .. } = &error else { return error };
        if self.takes_missing
            || !readable_twice(path)
            || Dataset::read_with(path, &options.missing(Missing::Keep)).is_err()
        {
            return error;
        }
        let why = "the value is missing, and the model has no way to fill it in: leave such rows out of the file, or fit \
                   the model with --missing mean or median, which fill them in as part of it";
        Error::Data { path: file.clone(), line: *line, column: column.clone(), why: why.to_string() }
    }

    /// Reads a file for its rows alone. Where columns have no names, one more for each target of the model is taken for
    /// that target, and ignored.
    pub fn read_rows(&self, path: &Path, targets: &[String]) -> Result<Read> {
        if !self.has_targets(path, targets)? {
            return self.read(path, &[]);
        }
        let mut read = self.read(path, targets)?;
        read.ignored = targets.iter().map(|target| format!("column {target}, the target")).collect();
        Ok(read)
    }

    /// Refuses a file without names that has more or fewer columns than the model and the targets.
    fn check_width(&self, path: &Path, targets: &[String]) -> Result<()> {
        let expected = self.columns.len() + targets.len();
        let Some(width) = unnamed_width(path, &self.read)?.filter(|width| *width != expected) else { return Ok(()) };
        let why = format!(
            "the file has {width} columns, which it does not name, and the model was fitted on {} columns: give it a \
             first line with their names",
            self.columns.len()
        );
        Err(Error::Data { path: path.display().to_string(), line: None, column: None, why })
    }

    /// Whether a file without names has a column more for each target of the model.
    pub fn has_targets(&self, path: &Path, targets: &[String]) -> Result<bool> {
        let wider = |width: usize| !self.columns.is_empty() && width == self.columns.len() + targets.len();
        let numbered = !targets.is_empty() && targets.iter().all(|target| target.parse::<i64>().is_ok());
        Ok(numbered && unnamed_width(path, &self.read)?.is_some_and(wider))
    }

    /// What the model's text columns are called.
    fn categorical(&self, name: impl Fn(usize, &Column) -> String) -> Vec<String> {
        let columns = self.columns.iter().enumerate().filter(|(_, column)| column.categories.is_some());
        columns.map(|(at, column)| name(at, column)).collect()
    }

    /// Refuses a file without one of the columns.
    fn check(&self, path: &Path, names: &[String], wanted: &[String]) -> Result<()> {
        let Some(absent) = wanted.iter().find(|column| !names.contains(column)) else { return Ok(()) };
        let near = match nearest_name(absent, names.iter().map(String::as_str)) {
            _ if column_of(absent, names) != absent => {
                format!("; if {0:?} has dates, read it with --dates {0}", column_of(absent, names))
            }
            Some(near) => format!("; the nearest is {near:?}"),
            None => String::new(),
        };
        let why = format!("the model was fitted on a column of this name, which the file does not have{near}");
        Err(Error::Data { path: path.display().to_string(), line: None, column: Some(absent.clone()), why })
    }
}

/// Whether a file says itself which of its columns are dates.
fn has_own_dates(path: &Path, read: &ReadOptions) -> bool {
    let first = || matching_files(path).ok()?.into_iter().next();
    let format = || read.format.or_else(|| Format::of(first()?).ok());
    matches!(format(), Some(Format::Parquet | Format::Arrow))
}

/// The column of dates that a column is a part of, or the column itself.
fn column_of<'a>(name: &'a str, dates: &'a [String]) -> &'a str {
    let part = name.rsplit_once('_').filter(|(_, part)| DATE_PARTS.contains(part));
    let date = part.and_then(|(date, _)| dates.iter().find(|known| *known == date));
    date.map_or(name, String::as_str)
}

/// The numbers, from 1, of the columns of a file without names that are no targets.
fn feature_numbers(features: usize, targets: &[String]) -> Vec<usize> {
    let width = features + targets.len();
    let from_front = |number: i64| if number > 0 { number } else { width as i64 + 1 + number };
    let taken: Vec<i64> = targets.iter().filter_map(|target| target.parse().ok().map(from_front)).collect();
    (1..=width).filter(|number| !taken.contains(&(*number as i64))).collect()
}

/// Whether the file brings its own target, as LIBSVM files do.
pub fn brings_target(path: &Path, read: &ReadArgs) -> bool {
    let format = || read.options().format.map_or_else(|| Format::of(path), Ok);
    readable_twice(path) && format().is_ok_and(|format| format == Format::Libsvm)
}
