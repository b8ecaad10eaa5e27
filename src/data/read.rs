//! From a file to a dataset: the format's reader, then what the options ask for.

use std::collections::BTreeMap;
use std::path::Path;

use super::choice::Choice;
use super::dataset::Dataset;
use super::dates;
use super::formats::CsvChunks;
use super::formats::libsvm::Features;
use super::formats::sniff::{Format, format};
use super::formats::source::Source;
use super::formats::{arrow, csv, idx, json_lines, libsvm, npy, parquet};
use super::missing::{drop_unlabelled, settle};
use super::options::{Header, Missing, ReadOptions};
use super::several::matching_files;
use super::target::Target;
use crate::array::{ColumnInfo, Exact, Matrix, Rounding, SparseMatrix, is_kept};
use crate::error::{Error, Result};

/// What a format's reader returns.
pub(super) struct Raw {
    /// What stands for the file in errors.
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) values: Vec<f32>,
    /// Whether the reader has seen that no value is missing or infinite.
    pub(super) complete: bool,
    pub(super) names: Option<Vec<String>>,
    /// The names of the categories of each column; no entry at all if every column is of numbers.
    pub(super) categories: Vec<Option<Vec<String>>>,
    /// Features and targets, if the reader has left out all other columns and coded the categorical ones.
    pub(super) choice: Option<Choice>,
    /// What the reader of the file should know.
    pub(super) notes: Vec<String>,
    /// Columns of numbers that f32 would round too far.
    pub(super) exact: Exact,
}

impl Raw {
    /// Rows of so many columns of numbers, of which nothing else is known.
    pub(super) fn new(name: String, columns: usize, values: Vec<f32>) -> Raw {
        let (rows, complete, names, categories) = (values.len() / columns.max(1), false, None, vec![]);
        let (choice, notes, exact) = (None, vec![], Exact::default());
        Raw { name, rows, columns, values, complete, names, categories, choice, notes, exact }
    }
}

/// The columns that are kept in f64: `large` has numbers that were rounded, by their places among the values.
pub(super) fn exact_columns(values: &[f32], columns: usize, large: Vec<(usize, f64)>, all: bool) -> Exact {
    let mut kept: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (place, number) in large {
        let widened = || values.iter().skip(place % columns).step_by(columns).map(|value| f64::from(*value)).collect();
        kept.entry(place % columns).or_insert_with(widened)[place / columns] = number;
    }
    kept.retain(|_, values| all || is_kept(&Rounding::of(values)));
    Exact::new(kept)
}

impl Dataset {
    /// Reads a file: CSV or TSV, JSON lines, Parquet, Arrow (Feather), LIBSVM, NPY or IDX, compressed or not, by content
    /// and extension. `part-*.csv` reads several files as one table ([`Dataset::read_all`]).
    ///
    /// A column of text, of a CSV file one in which no cell is a number, is categorical: it is coded from 0 in the
    /// alphabetical order of its categories. A missing cell is an error; [`Dataset::read_with`] can treat it otherwise. A LIBSVM
    /// file brings its target, and a large one is read sparse ([`ReadOptions::sparse`]).
    ///
    /// One pass over the file on all cores; the memory is the matrix, twice for a compressed file, and some blocks of
    /// 4 MiB.
    ///
    /// ```
    /// use gristmill::Dataset;
    /// # let path = std::env::temp_dir().join(format!("gristmill-read-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "width,colour,kind\n1.5,red,a\n2.5,blue,b\n").unwrap();
    /// let data = Dataset::read(&path)?.with_target("kind")?;
    /// assert_eq!(data.x.as_slice(), [1.5, 1.0, 2.5, 0.0]);
    /// assert_eq!(data.x.categories(1).unwrap(), ["blue", "red"]);
    /// assert_eq!(data.labels()?.names(), ["a", "b"]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[doc(alias = "read_csv")]
    pub fn read(path: impl AsRef<Path>) -> Result<Dataset> {
        Dataset::read_with(path, &ReadOptions::default())
    }

    /// [`Dataset::read`] with options.
    pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Dataset> {
        let (data, notes) = Dataset::read_with_notes(path, options)?;
        notes.iter().for_each(|note| log::warn!("{note}"));
        Ok(data)
    }

    /// [`Dataset::read_with`], and what a person should know about how the file was read: a header that may be none,
    /// names that occur twice, columns that look like numbers with commas. The path `-` is standard input.
    ///
    /// ```
    /// use gristmill::data::{Dataset, ReadOptions};
    /// # let path = std::env::temp_dir().join(format!("gristmill-notes-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "a,a\n1,2\n").unwrap();
    /// let (data, notes) = Dataset::read_with_notes(&path, &ReadOptions::default())?;
    /// assert_eq!(data.x.names().unwrap(), ["a", "a_2"]);
    /// assert!(notes[0].contains("a_2"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn read_with_notes(path: impl AsRef<Path>, options: &ReadOptions) -> Result<(Dataset, Vec<String>)> {
        Dataset::read_all(&[path], options)
    }

    /// The same of one file.
    pub(super) fn read_file(path: &Path, options: &ReadOptions) -> Result<(Dataset, Vec<String>)> {
        read_source(Source::open(path)?, options)
    }

    /// [`Dataset::read_with`] of bytes in memory; `name` stands for the file, and its extension counts.
    pub fn parse(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset> {
        Ok(read_source(Source::memory(name, bytes)?, options)?.0)
    }

    /// Takes the target from a file of its own: one column of any format, a row for each row of `x`.
    ///
    /// Whole numbers are classes for a classifier and numbers for a regressor.
    pub fn with_labels_file(self, path: impl AsRef<Path>) -> Result<Dataset> {
        let path = path.as_ref();
        let mut labels = Dataset::read(path)?;
        if labels.x.rows() + 1 == self.rows() {
            // A first line of text can be a class as well as a name; the number of rows decides.
            labels = Dataset::read_with(path, &ReadOptions::default().header(Header::No))?;
        }
        let (rows, columns) = (labels.x.rows(), labels.x.columns());
        if (rows, columns) != (self.x.rows(), 1) {
            let why = format!("expected one column of {} rows, found {rows} rows × {columns} columns", self.x.rows());
            return Err(Error::Data { path: path.display().to_string(), line: None, column: None, why });
        }
        let target = Target::from_columns(&labels, &[0])?;
        Ok(Dataset { target, ..self })
    }
}

/// The names of the columns of a file that names them by itself, before any is left out or taken apart: a CSV file with a
/// header, JSON lines, Parquet, Arrow; nothing for others.
///
/// ```
/// use gristmill::data::{ReadOptions, column_names};
/// let names = column_names("data/iris.csv", &ReadOptions::default())?;
/// assert_eq!(names.unwrap()[4], "species");
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn column_names(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Option<Vec<String>>> {
    let files = matching_files(path)?;
    let Some(path) = files.first() else { return Ok(None) };
    let source = Source::open(path)?;
    let found = options.format.map_or_else(|| format(&source), Ok)?;
    match found {
        Format::Parquet => parquet::names(source).map(Some),
        Format::Arrow => arrow::names(source).map(Some),
        Format::JsonLines => json_lines::names(source, options).map(Some),
        Format::Csv => {
            let open = CsvChunks::open(path, &options.clone().missing(Missing::Keep), 1)?;
            Ok(open.names().map(<[String]>::to_vec))
        }
        Format::Npy | Format::Idx | Format::Libsvm => Ok(None),
    }
}

fn read_source(source: Source, options: &ReadOptions) -> Result<(Dataset, Vec<String>)> {
    let found = match options.format {
        Some(format) => format,
        None => format(&source)?,
    };
    match found {
        Format::Csv => finish(csv::read(source, options)?, Target::None, options),
        Format::Npy => finish(npy::read(source, options)?, Target::None, options),
        Format::Idx => finish(idx::read(source, options)?, Target::None, options),
        Format::JsonLines => finish(json_lines::read(source, options)?, Target::None, options),
        Format::Parquet => finish(parquet::read(source, options)?, Target::None, options),
        Format::Arrow => finish(arrow::read(source, options)?, Target::None, options),
        Format::Libsvm => {
            if !options.targets.is_empty() {
                let rule = "left out for a LIBSVM file, which has its own".to_string();
                return Err(Error::param("target", rule, format!("{:?}", options.targets)));
            }
            let (features, labels) = libsvm::read(source, options)?;
            let target = Target::from_numbers(Matrix::from_f64(labels.len(), 1, &labels)?);
            match features {
                Features::Dense(raw) => finish(raw, target, options),
                Features::Sparse(name, sparse) => Ok((finish_sparse(name, sparse, target, options)?, vec![])),
            }
        }
    }
}

/// Chooses columns of sparse rows, of which no value is missing.
fn finish_sparse(name: String, sparse: SparseMatrix, target: Target, options: &ReadOptions) -> Result<Dataset> {
    if !options.categorical.is_empty() {
        return Err(sparse.refusal("a categorical column", "dense rows"));
    }
    log::info!("{name}: {}×{} read sparse, {} nonzero", sparse.rows(), sparse.columns(), sparse.nnz());
    let data = Dataset::from_sparse(sparse, target)?;
    match options.features.is_some() || !options.drop.is_empty() {
        true => {
            let choice = Choice::new(options, None, data.columns())?;
            data.take_columns(choice.features)
        }
        false => Ok(data),
    }
}

/// Chooses columns, treats missing values, sets the target.
fn finish(raw: Raw, target: Target, options: &ReadOptions) -> Result<(Dataset, Vec<String>)> {
    let name = raw.name;
    let mut x = Matrix::from_vec(raw.rows, raw.columns, raw.values)?;
    if raw.complete {
        x = x.known_complete();
    }
    // The reader has made codes and names together.
    x = x.with_column_info(ColumnInfo::new(raw.names, raw.categories)).with_exact(raw.exact)?;
    let mut data = Dataset::new(x, target)?;
    if let Err(Error::NotFinite { row, column, value }) = data.x.check_finite() {
        let why = format!("row {} holds {value}; expected numbers or missing values", row + 1);
        return Err(Error::Data { path: name, line: None, column: Some((column + 1).to_string()), why });
    }
    let choice = match raw.choice {
        Some(choice) => choice,
        None => {
            let columns = data.x.columns();
            let choice = Choice::new(options, None, columns)?;
            let needed = choice.needed(columns);
            data = data.code_columns(&choice.categorical)?;
            data = data.take_columns((0..columns).filter(|column| needed[*column]).collect())?;
            choice.kept(&needed)
        }
    };
    let mut notes: Vec<String> = raw.notes.iter().map(|note| format!("{name}: {note}")).collect();
    notes.extend(
        choice
            .features
            .iter()
            .filter_map(|column| rounded_note(&data.x, *column))
            .map(|note| format!("{name}: {note}")),
    );
    if options.drop_unlabelled {
        let (rest, dropped) = drop_unlabelled(data, &choice.targets, &name)?;
        let rows = if dropped == 1 { "row without a target was" } else { "rows without a target were" };
        notes.push(format!("{name}: {dropped} {rows} left out"));
        data = rest;
    }
    let rows = data.x.rows();
    let mut data = settle(data, options.missing, &choice.targets, &name)?;
    if options.missing == Missing::Drop {
        let left = data.x.rows();
        notes.push(format!("{name}: {} of {rows} rows had a missing value and were left out", rows - left));
    }
    if !choice.targets.is_empty() {
        data.target = Target::from_columns(&data, &choice.targets)?;
    }
    let place = |date: &usize| choice.features.iter().position(|feature| feature == date);
    let dates: Vec<usize> = choice.dates.iter().filter_map(place).collect();
    let data = dates::expand(data.take_columns(choice.features)?, &dates, &name)?;
    Ok((data, notes))
}

/// What to do about a feature whose whole numbers are rounded.
fn rounded_note(x: &Matrix, column: usize) -> Option<String> {
    let values = x.exact().column(column).filter(|values| Rounding::of(values).moves_integers())?;
    let moved = |value: &&f64| f64::from(**value as f32) != **value;
    let example = values.iter().find(moved).copied().unwrap_or_default();
    let name = x.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
    Some(format!(
        "warning: column {name} has whole numbers above 2²⁴, which keep seven digits only ({example} becomes {}): read \
         it as categories (--categorical {name}), leave it out (--drop {name}), or subtract a number from it",
        example as f32
    ))
}

/// What describes a column takes more than a few rows of it; a handful of rows of very many columns is no table.
pub(super) fn check_width(name: &str, rows: u64, columns: u64, bytes: u64) -> Result<()> {
    let need = columns.saturating_mul(size_of::<Option<Vec<String>>>() as u64);
    let have = rows.saturating_mul(columns).saturating_mul(4).max(6 * bytes) + (768 << 10);
    if need > have {
        let what = format!("bytes to describe the {columns} columns of {name}, which has only {rows} rows");
        return Err(Error::Limit { what, need, have });
    }
    Ok(())
}

/// A matrix within the budget, or `Limit`.
pub(super) fn check_budget(name: &str, values: u64, budget: u64) -> Result<()> {
    let need = values.saturating_mul(4);
    if need > budget {
        return Err(Error::Limit { what: format!("bytes for the matrix of {name}"), need, have: budget });
    }
    Ok(())
}
