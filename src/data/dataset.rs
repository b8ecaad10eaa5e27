//! A table with a target.

use super::columns::{find, find_all};
use super::labels::Labels;
use super::target::Target;
use crate::array::{Matrix, SparseMatrix};
use crate::error::{Error, Result};

/// A table to learn from: features, and a target if there is one.
///
/// ```
/// use gristmill::data::{Dataset, ReadOptions};
/// let text = b"width,height,kind\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n9,1,a\n";
/// let data = Dataset::parse("kinds.csv", text, &ReadOptions::default())?.with_target("kind")?;
/// assert_eq!((data.x.rows(), data.x.columns()), (5, 2));
/// let (train, test) = data.split(0.8, 42)?;
/// assert_eq!((train.x.rows(), test.x.rows()), (4, 1));
/// assert_eq!(train.labels()?.names(), ["a", "b"]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The features, n×d, with the names of the columns if the file had any. NaN is missing. A column of text is
    /// categorical: it holds codes, and [`Matrix::categories`] their names.
    pub x: Matrix,
    /// The features if they are sparse, as a LIBSVM file may be read; `x` is then n×0.
    pub sparse: Option<SparseMatrix>,
    /// The target, n rows.
    pub target: Target,
}

impl Dataset {
    /// A dataset of numbers with a target of as many rows.
    pub fn new(x: Matrix, target: Target) -> Result<Dataset> {
        let rows = target.rows().unwrap_or(x.rows());
        if rows != x.rows() {
            return Err(Error::shape("Dataset::new", format!("a target of {} rows", x.rows()), format!("{rows} rows")));
        }
        Ok(Dataset { x, sparse: None, target })
    }

    /// A dataset of sparse rows with a target of as many rows.
    ///
    /// ```
    /// use gristmill::data::{Dataset, Target};
    /// use gristmill::SparseMatrix;
    /// let x = SparseMatrix::from_triplets(3, 1000, [(0, 7, 1.0), (2, 999, 2.0)])?;
    /// let data = Dataset::from_sparse(x, Target::None)?;
    /// assert_eq!((data.rows(), data.columns(), data.x.columns()), (3, 1000, 0));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn from_sparse(sparse: SparseMatrix, target: Target) -> Result<Dataset> {
        let data = Dataset::new(Matrix::zeros(sparse.rows(), 0)?, target)?;
        Ok(Dataset { sparse: Some(sparse), ..data })
    }

    /// The same with dense rows, if they take at most so many bytes.
    pub fn to_dense(self, budget: u64) -> Result<Dataset> {
        match &self.sparse {
            Some(sparse) => Ok(Dataset { x: sparse.to_dense_within(budget)?, sparse: None, ..self }),
            None => Ok(self),
        }
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    /// Number of columns of the features, d.
    pub fn columns(&self) -> usize {
        self.sparse.as_ref().map_or(self.x.columns(), SparseMatrix::columns)
    }

    /// The names of the features, if they have any.
    pub fn names(&self) -> Option<&[String]> {
        self.sparse.as_ref().map_or(self.x.names(), SparseMatrix::names)
    }

    /// Takes a column out of `x` as the target: by name, or by number from 1, or from the end if negative.
    ///
    /// Text becomes classes. Integers can serve as classes and as numbers, other numbers only as numbers. A missing
    /// value is an error.
    pub fn with_target(self, column: &str) -> Result<Dataset> {
        self.with_targets(&[column])
    }

    /// [`Dataset::with_target`] with several columns of numbers.
    pub fn with_targets<S: AsRef<str>>(mut self, columns: &[S]) -> Result<Dataset> {
        let targets = find_all("target", columns, self.names(), self.columns())?;
        if targets.is_empty() || targets.len() == self.columns() {
            return Err(Error::param("target", "a column at least, and not all of them", targets.len()));
        }
        self.target = Target::from_columns(&self, &targets)?;
        let rest = (0..self.columns()).filter(|column| !targets.contains(column)).collect();
        self.take_columns(rest)
    }

    /// Keeps these columns of `x`, in this order.
    pub fn features<S: AsRef<str>>(self, columns: &[S]) -> Result<Dataset> {
        let columns = find_all("features", columns, self.names(), self.columns())?;
        self.take_columns(columns)
    }

    /// Leaves out these columns of `x`.
    pub fn drop<S: AsRef<str>>(self, columns: &[S]) -> Result<Dataset> {
        let dropped = find_all("drop", columns, self.names(), self.columns())?;
        let rest = (0..self.columns()).filter(|column| !dropped.contains(column)).collect();
        self.take_columns(rest)
    }

    /// The number, from 0, of the column of `x` with this name or number.
    pub fn column(&self, column: &str) -> Result<usize> {
        find("column", column, self.names(), self.columns())
    }

    /// The classes of the target; an error if there is no target, or its numbers are not integers.
    pub fn labels(&self) -> Result<&Labels> {
        self.target.labels()
    }

    /// The numbers of the target, n×p; an error if there is no target, or it is text.
    pub fn values(&self) -> Result<&Matrix> {
        self.target.values()
    }

    /// The names of the categories of each feature, by code; nothing for a column of numbers, or if they are not
    /// known.
    pub fn categories(&self) -> Vec<Option<Vec<String>>> {
        (0..self.columns()).map(|column| self.x.categories(column).map(<[String]>::to_vec)).collect()
    }

    /// The rows at these indices, in this order, with the same classes and categories.
    pub fn select(&self, rows: &[usize]) -> Result<Dataset> {
        let sparse = self.sparse.as_ref().map(|sparse| sparse.select(rows)).transpose()?;
        Ok(Dataset { x: self.x.select(rows)?, sparse, target: self.target.select(rows)? })
    }

    /// The columns at these places, in this order. In ascending order no second matrix is made.
    pub(crate) fn take_columns(self, columns: Vec<usize>) -> Result<Dataset> {
        if columns.len() == self.columns() && columns.is_sorted() {
            return Ok(self);
        }
        if columns.is_empty() {
            return Err(Error::shape("features", "a column at least", "none"));
        }
        if let Some(sparse) = &self.sparse {
            return Ok(Dataset { sparse: Some(sparse.select_columns(&columns)?), ..self });
        }
        let Dataset { x, sparse, target } = self;
        let (rows, d) = (x.rows(), x.columns());
        let (info, exact) = (x.column_info().select(&columns), x.exact().select_columns(&columns));
        let values = if columns.is_sorted() {
            let mut values = x.into_vec();
            // A value moves forward only, so every one is read before its place is taken.
            for row in 0..rows {
                for (at, column) in columns.iter().enumerate() {
                    values[row * columns.len() + at] = values[row * d + column];
                }
            }
            values.truncate(rows * columns.len());
            values.shrink_to_fit();
            values
        } else {
            let of_row = |row| columns.iter().map(move |column| (row, *column));
            (0..rows).flat_map(of_row).map(|(row, column)| x.get(row, column)).collect()
        };
        let x = Matrix::from_vec(rows, columns.len(), values)?;
        Ok(Dataset { x: x.with_column_info(info).with_exact(exact)?, sparse, target })
    }

    /// Turns columns of numbers into codes of their distinct values, which become the names of the categories.
    pub(super) fn code_columns(mut self, columns: &[usize]) -> Result<Dataset> {
        let d = self.x.columns();
        for &column in columns {
            let (values, exact) = (self.x.column_f64(column), self.x.exact().without(column));
            let of_f32 = self.x.exact().column(column).is_none();
            let mut distinct: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let of_column = self.x.as_mut_slice().iter_mut().skip(column).step_by(d).zip(&values);
            let coded = of_column.filter(|(_, value)| !value.is_nan());
            coded.for_each(|(code, value)| *code = distinct.partition_point(|category| category < value) as f32);
            let name = |value: &f64| if of_f32 { (*value as f32).to_string() } else { value.to_string() };
            self.x = self.x.with_category_names(column, distinct.iter().map(name))?.with_exact(exact)?;
        }
        Ok(self)
    }
}
