//! A file in chunks of rows, for what does not fit in memory.

use std::path::Path;

use super::Stream;
use crate::array::Matrix;
use crate::data::formats::source::Source;
use crate::data::options::{Missing, ReadOptions};
use crate::error::{Error, Result};

/// The rows of a CSV file, gzip or not, in matrices of a fixed number of rows; the last one may be shorter.
///
/// Columns of text are coded in the order in which their categories first occur; [`CsvChunks::categories`] names them. The
/// memory needed is that of a chunk and some blocks of 4 MiB, however long the file. Missing values can be refused, kept
/// or dropped; their mean is only known at the end.
///
/// ```
/// use gristmill::data::{CsvChunks, ReadOptions};
/// # let path = std::env::temp_dir().join(format!("gristmill-chunks-{}.csv", std::process::id()));
/// # std::fs::write(&path, "a,b\n1,2\n3,4\n5,6\n").unwrap();
/// let mut sums = [0.0, 0.0];
/// for chunk in CsvChunks::open(&path, &ReadOptions::default(), 2)? {
///     let chunk = chunk?;
///     (0..chunk.rows()).for_each(|row| (0..2).for_each(|column| sums[column] += chunk.get(row, column)));
/// }
/// assert_eq!(sums, [9.0, 12.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gristmill::Error>(())
/// ```
pub struct CsvChunks {
    stream: Stream<'static>,
    rows: usize,
    columns: usize,
    names: Option<Vec<String>>,
    drop_missing: bool,
    /// Values read; those before `start` have been handed out.
    waiting: Vec<f32>,
    start: usize,
    done: bool,
}

impl CsvChunks {
    /// Opens a file and reads as far as its first rows. The options' targets are columns like any other.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions, rows: usize) -> Result<CsvChunks> {
        if rows == 0 {
            return Err(Error::param("rows", "at least 1", "0"));
        }
        if matches!(options.missing, Missing::Mean | Missing::Median) {
            let rule = "Refuse, Keep or Drop for a file read in chunks".to_string();
            return Err(Error::param("missing", rule, format!("{:?}", options.missing)));
        }
        let stream = Stream::open(Source::open(path.as_ref())?, options)?;
        let kept: Vec<usize> = stream.schema.kept().collect();
        let names = stream.schema.has_names().then(|| kept.iter().map(|at| stream.schema.label(*at)).collect());
        let drop_missing = options.missing == Missing::Drop;
        Ok(CsvChunks { stream, rows, columns: kept.len(), names, drop_missing, waiting: vec![], start: 0, done: false })
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The names of the columns, if the file has a header.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The names of the categories found so far in each column, by code; nothing for columns of numbers.
    pub fn categories(&self) -> Vec<Option<Vec<String>>> {
        let named = |column| self.stream.texts.get(&column).map(|texts| texts.iter().map(str::to_string).collect());
        self.stream.schema.kept().map(named).collect()
    }

    fn read_on(&mut self) -> Result<()> {
        let wanted = self.rows.saturating_mul(self.columns);
        if self.waiting.len() - self.start < wanted && !self.done {
            self.waiting.drain(..self.start);
            self.start = 0;
        }
        while self.waiting.len() - self.start < wanted && !self.done {
            let Some(pieces) = self.stream.next_pieces()? else {
                self.done = true;
                break;
            };
            for piece in &pieces {
                if self.drop_missing {
                    let rows = piece.values.chunks(self.columns);
                    let whole = rows.filter(|row| row.iter().all(|value| !value.is_nan()));
                    whole.for_each(|row| self.waiting.extend_from_slice(row));
                } else {
                    self.waiting.extend_from_slice(&piece.values);
                }
            }
        }
        Ok(())
    }

    fn chunk(&mut self) -> Result<Matrix> {
        let count = (self.waiting.len() - self.start).min(self.rows.saturating_mul(self.columns));
        let values = &self.waiting[self.start..self.start + count];
        let chunk = Matrix::from_slice(count / self.columns, self.columns, values)?;
        self.start += count;
        let categorical =
            self.stream.schema.kept().zip(0..).filter(|(column, _)| self.stream.texts.contains_key(column));
        let chunk = chunk.with_categories(categorical.map(|(_, at)| at))?;
        match &self.names {
            Some(names) => chunk.with_names(names.iter().cloned()),
            None => Ok(chunk),
        }
    }
}

impl Iterator for CsvChunks {
    type Item = Result<Matrix>;

    fn next(&mut self) -> Option<Result<Matrix>> {
        if let Err(error) = self.read_on() {
            (self.done, self.waiting, self.start) = (true, vec![], 0);
            return Some(Err(error));
        }
        if self.waiting.len() == self.start { None } else { Some(self.chunk()) }
    }
}

impl CsvChunks {
    /// The features and the targets among the columns of a chunk, from 0.
    pub(in crate::data) fn choice(&self) -> (&[usize], &[usize]) {
        (&self.stream.schema.choice.features, &self.stream.schema.choice.targets)
    }
}
