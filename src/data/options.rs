//! How a data file is read.

use super::sniff::Format;

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
    pub format: Option<Format>,
    /// Whether a CSV file has a header.
    pub header: Header,
    /// What separates the cells of a CSV file; by default found among comma, semicolon, tab and bar.
    pub delimiter: Option<u8>,
    /// Columns whose numbers are categories; columns of text are categorical anyway.
    pub categorical: Vec<String>,
    /// The columns of `x`, in this order; by default all but the targets.
    pub features: Option<Vec<String>>,
    /// Columns to leave out. They are not looked at, so anything may be in them.
    pub drop: Vec<String>,
    /// The target: one column, or several of numbers.
    pub targets: Vec<String>,
    /// What to do with missing values. A missing target is never imputed: it is dropped with its row, or an error.
    pub missing: Missing,
    /// Maximum bytes of the matrix; more is an [`Error::Limit`](crate::Error::Limit). 4 GiB by default.
    pub budget: u64,
    /// Number of columns of a LIBSVM file; by default its largest index.
    pub width: Option<usize>,
    /// Whether a LIBSVM file is read as a [`SparseMatrix`](crate::SparseMatrix). By default it is where the dense
    /// matrix would take more than 256 MiB, unless it has more than 2²⁴ columns, which are likelier a wrong index than
    /// data.
    pub sparse: Option<bool>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            format: None,
            header: Header::Auto,
            delimiter: None,
            categorical: vec![],
            features: None,
            drop: vec![],
            targets: vec![],
            missing: Missing::Refuse,
            budget: 4 << 30,
            width: None,
            sparse: None,
        }
    }
}

impl ReadOptions {
    /// Sets the format.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets whether there is a header.
    pub fn header(mut self, header: Header) -> Self {
        self.header = header;
        self
    }

    /// Sets what separates cells.
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Names columns whose numbers are categories.
    pub fn categorical<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.categorical = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Names the columns of `x`.
    pub fn features<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.features = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Names columns to leave out.
    pub fn drop<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.drop = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Names the target.
    pub fn target(self, column: impl Into<String>) -> Self {
        self.targets([column])
    }

    /// Names several targets, all of numbers.
    pub fn targets<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.targets = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Sets what to do with missing values.
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// Sets the maximum bytes of the matrix.
    pub fn budget(mut self, bytes: u64) -> Self {
        self.budget = bytes;
        self
    }

    /// Sets the number of columns of a LIBSVM file.
    pub fn width(mut self, columns: usize) -> Self {
        self.width = Some(columns);
        self
    }

    /// Sets whether a LIBSVM file is read as a sparse matrix; with `None` the size decides.
    pub fn sparse(mut self, sparse: impl Into<Option<bool>>) -> Self {
        self.sparse = sparse.into();
        self
    }
}
