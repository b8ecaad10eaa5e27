//! Files of rows and targets in chunks, for what does not fit in memory.

use std::path::Path;

use super::dataset::Dataset;
use super::formats::lines::{LONGEST, count, too_long};
use super::formats::npy_chunks::NpyChunks;
use super::formats::source::Source;
use super::formats::{CsvChunks, Format};
use super::labels::Labels;
use super::options::ReadOptions;
use super::target::Target;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// The rows of a CSV, LIBSVM or NPY file, gzip or not, with their targets, in datasets of at most so many rows.
///
/// Texts are coded in the order in which they first occur, and every chunk names those that were seen so far. The memory needed
/// is that of a chunk and some blocks of the file, however long that is. A LIBSVM file is read twice, unless the options give its
/// `width`.
///
/// ```
/// use gristmill::data::{Chunks, ReadOptions};
/// # let path = std::env::temp_dir().join(format!("gristmill-rows-{}.csv", std::process::id()));
/// # std::fs::write(&path, "a,y\n1,no\n3,yes\n5,no\n").unwrap();
/// let chunks = Chunks::open(&path, &ReadOptions::default().target("y"), 2)?;
/// let names: Vec<String> = chunks.map(|chunk| Ok(chunk?.labels()?.name(0).to_string())).collect::<gristmill::Result<_>>()?;
/// assert_eq!(names, ["no", "no"]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gristmill::Error>(())
/// ```
pub struct Chunks {
    kind: Kind,
    options: ReadOptions,
}

enum Kind {
    Csv(Box<CsvChunks>),
    Libsvm(LineChunks),
    Npy(Box<(NpyChunks, Option<NpyChunks>)>),
}

impl Chunks {
    /// Opens a file. Other formats are an error, and what the reader of the format refuses.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions, rows: usize) -> Result<Chunks> {
        let path = path.as_ref();
        if rows == 0 {
            return Err(Error::param("rows", "at least 1", "0"));
        }
        let mut options = options.clone();
        let format = options.format.map_or_else(|| Format::of(path), Ok)?;
        let kind = match format {
            Format::Csv => Kind::Csv(Box::new(CsvChunks::open(path, &options, rows)?)),
            Format::Libsvm => {
                if options.width.is_none() {
                    options.width = Some(largest_index(path)?);
                }
                Kind::Libsvm(LineChunks { source: Source::open(path)?, waiting: vec![], lines: 0, rows, ended: false })
            }
            Format::Npy => Kind::Npy(Box::new((NpyChunks::open(path, rows)?, None))),
            other => {
                let why = format!("{other:?} files are read whole; CSV, LIBSVM and NPY files can be read in chunks");
                return Err(Error::Data { path: path.display().to_string(), line: None, column: None, why });
            }
        };
        options.format = Some(format);
        Ok(Chunks { kind, options })
    }

    /// The same with the targets of an NPY file in one of their own: one row for each row.
    pub fn with_labels(mut self, path: impl AsRef<Path>, rows: usize) -> Result<Chunks> {
        let path = path.as_ref();
        match &mut self.kind {
            Kind::Npy(both) if Format::of(path)? == Format::Npy => both.1 = Some(NpyChunks::open(path, rows)?),
            _ => {
                let why = "a file of labels can be read in chunks only where it and the rows are NPY files".to_string();
                return Err(Error::Data { path: path.display().to_string(), line: None, column: None, why });
            }
        }
        Ok(self)
    }

    fn read_chunk(&mut self) -> Result<Option<Dataset>> {
        match &mut self.kind {
            Kind::Csv(chunks) => match chunks.next() {
                Some(chunk) => of_csv(chunks, chunk?).map(Some),
                None => Ok(None),
            },
            Kind::Libsvm(lines) => {
                let before = lines.lines;
                let Some(bytes) = lines.next_lines()? else { return Ok(None) };
                Dataset::parse(&lines.source.name, &bytes, &self.options).map(Some).map_err(|error| match error {
                    Error::Data { path, line, column, why } => {
                        Error::Data { path, line: line.map(|line| line + before), column, why }
                    }
                    other => other,
                })
            }
            Kind::Npy(both) => {
                let (rows, labels) = &mut **both;
                let Some(file) = rows.next_file()? else { return Ok(None) };
                let data = Dataset::parse(rows.name(), &file, &self.options)?;
                let Some(labels) = labels else { return Ok(Some(data)) };
                let plain = ReadOptions::default();
                let y = labels.next_file()?.map(|file| Dataset::parse(labels.name(), &file, &plain)).transpose()?;
                match y.filter(|y| y.rows() == data.rows()) {
                    Some(y) => Dataset::new(data.x, Target::from_numbers(y.x)).map(Some),
                    None => {
                        let why = "fewer labels than there are rows".to_string();
                        Err(Error::Data { path: labels.name().to_string(), line: None, column: None, why })
                    }
                }
            }
        }
    }
}

impl Iterator for Chunks {
    type Item = Result<Dataset>;

    fn next(&mut self) -> Option<Result<Dataset>> {
        self.read_chunk().transpose()
    }
}

/// Features and targets of a chunk, with the names of categories seen so far.
fn of_csv(chunks: &CsvChunks, mut chunk: Matrix) -> Result<Dataset> {
    let categories = chunks.categories();
    let (features, targets) = chunks.choice();
    let (features, targets) = (features.to_vec(), targets.to_vec());
    let target = match targets[..] {
        [] => Target::None,
        [column] => match &categories[column] {
            Some(names) => {
                let codes = numbers(&chunk, &targets)?.as_slice().iter().map(|code| *code as u32).collect();
                Target::Classes(Labels::from_codes(codes, names.clone())?)
            }
            None => Target::from_numbers(numbers(&chunk, &targets)?),
        },
        _ => match targets.iter().find(|column| categories[**column].is_some()) {
            Some(column) => {
                let got = format!("text in column {}", column + 1);
                return Err(Error::param("target", "one column of classes, or several of numbers", got));
            }
            None => Target::Numbers(numbers(&chunk, &targets)?),
        },
    };
    for (column, names) in categories.into_iter().enumerate() {
        if let Some(names) = names.filter(|_| features.contains(&column)) {
            chunk = chunk.with_category_names(column, names)?;
        }
    }
    let whole = features.len() == chunk.columns() && features.is_sorted();
    Dataset::new(if whole { chunk } else { chunk.select_columns(&features)? }, target)
}

/// Some columns as numbers, none of them missing.
fn numbers(chunk: &Matrix, columns: &[usize]) -> Result<Matrix> {
    let values = (0..chunk.rows()).flat_map(|row| columns.iter().map(move |column| chunk.get(row, *column)));
    let numbers = Matrix::from_vec(chunk.rows(), columns.len(), values.collect())?;
    numbers.refuse_missing()?;
    Ok(numbers)
}

/// Whole lines of a text file, so many at a time.
struct LineChunks {
    source: Source<'static>,
    waiting: Vec<u8>,
    /// Lines that were handed out.
    lines: u64,
    rows: usize,
    ended: bool,
}

impl LineChunks {
    fn next_lines(&mut self) -> Result<Option<Vec<u8>>> {
        while !self.ended && count(&self.waiting, b'\n') < self.rows {
            if self.waiting.len() > LONGEST && !self.waiting.contains(&b'\n') {
                return Err(too_long(&self.source, &self.waiting, self.lines));
            }
            self.ended = self.source.take_block(&mut self.waiting)? == 0;
        }
        let ends = self.waiting.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let end = ends.take(self.rows).last().filter(|_| !self.ended || count(&self.waiting, b'\n') > self.rows);
        let end = end.unwrap_or(self.waiting.len());
        if self.waiting[..end].iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let rest = self.waiting.split_off(end);
        let bytes = std::mem::replace(&mut self.waiting, rest);
        self.lines += count(&bytes, b'\n') as u64;
        Ok(Some(bytes))
    }
}

/// The largest index of a LIBSVM file: what stands before a colon.
fn largest_index(path: &Path) -> Result<usize> {
    let mut source = Source::open(path)?;
    let (mut block, mut largest, mut number, mut digits) = (vec![], 0_usize, 0_usize, false);
    let mut comment = false;
    while source.take_block(&mut block)? > 0 {
        for byte in block.drain(..) {
            match byte {
                b'\n' => (comment, digits, number) = (false, false, 0),
                b'#' => comment = true,
                b'0'..=b'9' if !comment => {
                    (number, digits) = (number.saturating_mul(10).saturating_add(usize::from(byte - b'0')), true);
                }
                b':' if !comment && digits => {
                    largest = largest.max(number);
                    (number, digits) = (0, false);
                }
                _ => (number, digits) = (0, false),
            }
        }
    }
    Ok(largest)
}
