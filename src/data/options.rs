//! How a data file is read.

use super::formats::sniff::Format;
use crate::settings::settings;

/// What to do with missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// The first one is an error that says where it is.
    #[default]
    Refuse,
    /// They stay as NaN, for models that accept them.
    Keep,
    /// Rows with a missing value are left out.
    Drop,
    /// The mean of the column fills them; in a categorical column the most frequent category.
    Mean,
    /// The median of the column fills them; in a categorical column the most frequent category.
    Median,
}

/// Whether the first line of a CSV file names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It does if it has text above a column of numbers, or no number at all.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It is a row like the others.
    No,
}

/// How the bytes of a text file stand for letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    #[default]
    Utf8,
    /// ISO 8859-1: a byte is a letter.
    Latin1,
}

settings! {
    /// Options of [`Dataset::read_with`](super::Dataset::read_with). By default format, header, delimiter and types of
    /// columns are found from the file.
    ///
    /// A column is given by its name, or by its number from 1; negative numbers count from the end, -1 is the last.
    ///
    /// ```
    /// use gristmill::data::{Dataset, Missing, ReadOptions};
    /// let options = ReadOptions::default().drop(["name"]).target("survived").missing(Missing::Median);
    /// let text = b"name,age,sex,survived\nAnn,30,f,yes\nBob,,m,no\nCid,40,m,no\n";
    /// let data = Dataset::parse("people.csv", text, &options)?;
    /// assert_eq!(data.x.names().unwrap(), ["age", "sex"]);
    /// assert_eq!(data.x.as_slice(), [30.0, 0.0, 35.0, 1.0, 40.0, 1.0]);
    /// assert_eq!(data.labels()?.names(), ["no", "yes"]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadOptions {
        /// The format; by default found from the file's content and extension.
        format: Option<Format> = None;
        /// Whether a CSV file has a header.
        header: Header = Header::Auto;
        /// What separates the cells of a CSV file; by default found among comma, semicolon, tab, bar and blanks. A
        /// blank stands for any number of blanks and tabs.
        delimiter: Option<u8> = None;
        /// Lines of a CSV file to leave out before its header or first row.
        skip_lines: usize = 0;
        /// What lines of a CSV file begin with that are to be left out, such as `#`; nothing if empty.
        #[into]
        comment: String = String::new();
        /// What stands for a missing value in a CSV file, beside an empty cell; by default NA, N/A, nan, null, None, ?,
        /// a point, a hyphen and `\N`.
        #[names]
        na: Option<Vec<String>> = None;
        /// The decimal mark of a CSV file.
        decimal: u8 = b'.';
        /// What groups the digits of numbers in a CSV file, as in 1,234,567.
        thousands: Option<u8> = None;
        /// The encoding of a CSV file.
        encoding: Encoding = Encoding::Utf8;
        /// Columns of dates, each of which becomes columns of year, month, day, weekday (0 is Monday), days since
        /// 1970 and, if there are times, hour, minute and second.
        #[names]
        dates: Vec<String> = vec![];
        /// Columns whose numbers are categories; columns of text are categorical anyway.
        #[names]
        categorical: Vec<String> = vec![];
        /// The columns of `x`, in this order; by default all but the targets.
        #[names]
        features: Option<Vec<String>> = None;
        /// Columns to leave out. They are not looked at, so anything may be in them.
        #[names]
        drop: Vec<String> = vec![];
        /// The target: one column, or several of numbers.
        #[names]
        targets: Vec<String> = vec![];
        /// What to do with missing values. A missing target is never imputed: it is dropped with its row, or an error.
        missing: Missing = Missing::Refuse;
        /// Whether rows without a target are left out, whatever `missing` says of other columns.
        drop_unlabelled: bool = false;
        /// Maximum bytes of the matrix; more is an [`Error::Limit`](crate::Error::Limit).
        budget: u64 = 4 << 30;
        /// Whether every number is kept in `f64` beside the matrix ([`Matrix::get_f64`](crate::Matrix::get_f64)); by
        /// default those of columns that `f32` rounds too far, such as whole numbers above 2²⁴.
        exact: bool = false;
        /// Number of columns of a LIBSVM file; by default its largest index.
        width: Option<usize> = None;
        /// Whether a LIBSVM file is read as a [`SparseMatrix`](crate::SparseMatrix). By default it is where the
        /// dense matrix would take more than 256 MiB, unless it has more than 2²⁴ columns, which are likelier a wrong
        /// index than data.
        sparse: Option<bool> = None;
    }
}

impl ReadOptions {
    /// Names the target, one column.
    pub fn target(self, column: impl Into<String>) -> Self {
        self.targets([column])
    }
}
