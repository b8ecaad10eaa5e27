//! Which format a file is in.

use std::path::Path;

use super::number::{Cell, classify, trim};
use super::source::Source;
use super::{arrow, foreign, json_lines, parquet};
use crate::error::Result;

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines of cells between commas, semicolons, tabs, bars or blanks.
    Csv,
    /// Lines of a target and `index:value` pairs.
    Libsvm,
    /// NumPy's array file.
    Npy,
    /// The array file of the MNIST family.
    Idx,
    /// Lines of JSON objects, one for each row.
    JsonLines,
    /// Columns in pages, as data frames and databases write them.
    Parquet,
    /// Arrow's file or stream; Feather is the same.
    Arrow,
}

impl Format {
    /// The format of a file, by its first bytes and its extension.
    ///
    /// ```
    /// use gristmill::data::Format;
    /// # let path = std::env::temp_dir().join(format!("gristmill-format-{}.csv", std::process::id()));
    /// # std::fs::write(&path, "a,b\n1,2\n").unwrap();
    /// assert_eq!(Format::of(&path)?, Format::Csv);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn of(path: impl AsRef<Path>) -> Result<Format> {
        format(&Source::open(path.as_ref())?)
    }
}

pub(in crate::data) const NPY_MAGIC: &[u8] = b"\x93NUMPY";

/// The format by content where it leaves no doubt, then by extension, then by the look of the first line.
pub(in crate::data) fn format(source: &Source) -> Result<Format> {
    let head = source.head();
    let name = source.name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let idx_name = ends_in(&[".idx", "-ubyte", ".idx1", ".idx2", ".idx3"]);
    if head.is_empty() {
        return Err(source.error(None, None, "the file is empty; expected rows of data"));
    }
    if head.starts_with(NPY_MAGIC) || ends_in(&[".npy"]) {
        return Ok(Format::Npy);
    }
    // The signature alone is four small bytes, none of which begins a text.
    if idx_name || matches!(head, [0, 0, 0x08..=0x0e, 1..=8, ..]) {
        return Ok(Format::Idx);
    }
    if ends_in(&[".jsonl", ".ndjson"]) || json_lines::is_first_line(head) {
        return Ok(Format::JsonLines);
    }
    if head.starts_with(parquet::MAGIC) || head.starts_with(arrow::MAGIC) || arrow::is_stream(head) {
        return Ok(if head.starts_with(parquet::MAGIC) { Format::Parquet } else { Format::Arrow });
    }
    if let Some(why) = foreign::named(head, name) {
        return Err(source.error(None, None, why));
    }
    if ends_in(&[".svm", ".libsvm", ".svmlight"]) {
        return Ok(Format::Libsvm);
    }
    let csv = ends_in(&[".csv", ".tsv", ".tab"]) || !looks_like_libsvm(head);
    Ok(if csv { Format::Csv } else { Format::Libsvm })
}

/// Whether the first line that is not a comment is a number followed by `index:value`.
fn looks_like_libsvm(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').map(trim);
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) else { return false };
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let number = |word: &[u8]| matches!(classify(word), Cell::Number(..));
    let label = words.next().is_some_and(number);
    let pair = |word: &[u8]| {
        let colon = word.iter().position(|byte| *byte == b':');
        colon.is_some_and(|at| word.starts_with(b"qid:") || (at > 0 && word[..at].iter().all(u8::is_ascii_digit)))
    };
    label && words.next().is_some_and(pair)
}
