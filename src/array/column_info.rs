//! What is known of the columns of a matrix besides their values.

use std::sync::Arc;

use super::matrix::Matrix;
use crate::error::{Error, Result};

/// Codes of categories are below this: every integer up to it is an `f32`.
pub(crate) const MAX_CATEGORIES: usize = 1 << 24;

/// The names of the columns, which of them are categorical, and the names of their categories. Cloning shares all.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ColumnInfo {
    names: Option<Arc<Vec<String>>>,
    /// None where every column is of numbers.
    kinds: Option<Arc<Vec<ColumnKind>>>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum ColumnKind {
    #[default]
    Number,
    /// Codes of categories, with their names by code where they are known.
    Category(Option<Arc<Vec<String>>>),
}

impl ColumnKind {
    /// The names of the categories, by code, of a categorical column whose categories have names.
    pub(crate) fn categories(&self) -> Option<&[String]> {
        match self {
            ColumnKind::Category(Some(names)) => Some(names),
            _ => None,
        }
    }
}

impl ColumnInfo {
    /// Columns with these names, if they have any, and these kinds; without kinds, all are of numbers.
    pub(crate) fn of_kinds(names: Option<Vec<String>>, kinds: Vec<ColumnKind>) -> ColumnInfo {
        ColumnInfo { names: names.map(Arc::new), kinds: some_categorical(kinds) }
    }

    /// Columns with these names, if they have any, and the names of the categories of those that are categorical.
    pub(crate) fn new(names: Option<Vec<String>>, categories: Vec<Option<Vec<String>>>) -> ColumnInfo {
        let kind = |names: Option<Vec<String>>| match names {
            Some(names) => ColumnKind::Category(Some(Arc::new(names))),
            None => ColumnKind::Number,
        };
        let kinds = categories.into_iter().map(kind).collect();
        ColumnInfo { names: names.map(Arc::new), kinds: some_categorical(kinds) }
    }

    /// What is known of some columns, in this order; without names where a column comes more than once.
    pub(crate) fn select(&self, columns: &[usize]) -> ColumnInfo {
        let distinct = columns.iter().collect::<std::collections::HashSet<_>>().len() == columns.len();
        let names = self.names.as_ref().filter(|_| distinct);
        let names = names.map(|names| Arc::new(columns.iter().map(|column| names[*column].clone()).collect()));
        ColumnInfo { names, kinds: self.kinds_of(columns.iter().map(|column| Some(*column))) }
    }

    /// What is known of new columns with these names: each is one of these columns, or of numbers.
    pub(crate) fn derive(
        &self,
        names: Option<Vec<String>>,
        sources: impl Iterator<Item = Option<usize>>,
    ) -> ColumnInfo {
        ColumnInfo { names: names.map(Arc::new), kinds: self.kinds_of(sources) }
    }

    fn kinds_of(&self, sources: impl Iterator<Item = Option<usize>>) -> Option<Arc<Vec<ColumnKind>>> {
        self.kinds.as_ref()?;
        some_categorical(
            sources.map(|source| source.and_then(|at| self.kind(at)).cloned().unwrap_or_default()).collect(),
        )
    }

    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_ref().map(|names| names.as_slice())
    }

    pub(crate) fn is_categorical(&self, column: usize) -> bool {
        matches!(self.kind(column), Some(ColumnKind::Category(_)))
    }

    /// The names of a column's categories, by code, if it is categorical and they are known.
    pub(crate) fn categories(&self, column: usize) -> Option<&[String]> {
        self.kind(column).and_then(ColumnKind::categories)
    }

    /// The kind of each column; nothing where all are of numbers.
    pub(crate) fn kinds(&self) -> Option<&[ColumnKind]> {
        self.kinds.as_ref().map(|kinds| kinds.as_slice())
    }

    /// Whether nothing is known: neither names nor categorical columns.
    pub(crate) fn is_default(&self) -> bool {
        self.names.is_none() && self.kinds.is_none()
    }

    /// The name of a column in quotation marks, or its number from 1.
    pub(crate) fn name(&self, column: usize) -> String {
        let name = self.names().and_then(|names| names.get(column));
        name.map_or_else(|| (column + 1).to_string(), |name| format!("{name:?}"))
    }

    /// Refuses categorical columns, for what takes numbers only.
    pub(crate) fn refuse_categories(&self, op: &'static str) -> Result<()> {
        let Some(kinds) = &self.kinds else { return Ok(()) };
        let name = |column: usize| {
            self.names().map_or_else(|| format!("column {}", column + 1), |names| names[column].clone())
        };
        let columns: Vec<String> = (0..kinds.len()).filter(|column| self.is_categorical(*column)).map(name).collect();
        let expected = "columns of numbers; encode text columns (OneHotEncoder, --one-hot) or leave them out (--drop)";
        Err(Error::shape(op, expected.to_string(), format!("text in {}", columns.join(", "))))
    }

    pub(crate) fn kind(&self, column: usize) -> Option<&ColumnKind> {
        self.kinds.as_ref().and_then(|kinds| kinds.get(column))
    }

    fn set(&mut self, columns: usize, column: usize, kind: ColumnKind) {
        let mut kinds = self.kinds.take().map_or_else(|| vec![ColumnKind::Number; columns], Arc::unwrap_or_clone);
        kinds[column] = kind;
        self.kinds = some_categorical(kinds);
    }
}

fn some_categorical(kinds: Vec<ColumnKind>) -> Option<Arc<Vec<ColumnKind>>> {
    kinds.iter().any(|kind| *kind != ColumnKind::Number).then(|| Arc::new(kinds))
}

impl Matrix {
    /// Names the columns.
    pub fn with_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Result<Matrix> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() != self.columns() {
            return Err(Error::shape("Matrix::with_names", format!("{} names", self.columns()), names.len()));
        }
        self.info.names = Some(Arc::new(names));
        Ok(self)
    }

    /// The names of the columns, if they have any.
    pub fn names(&self) -> Option<&[String]> {
        self.info.names()
    }

    /// Marks these columns as categorical, and all others as numbers. A categorical column holds codes of categories,
    /// 0, 1, 2, … (integers below 2²⁴), or NaN where the category is missing. Categories that have names keep them;
    /// [`Matrix::with_category_names`] gives them names.
    ///
    /// Tree models split the categories into two sets. Where there are more categories than bins (at most 255), rare
    /// categories share a bin with those of similar targets, also on the sides of the three columns that they interact
    /// with most: what they have in common is learnt. Models that take numbers only refuse categorical columns.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// // Categories 0 and 2 against 1: no threshold separates them, a set of categories does.
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [1.0]])?.with_categories([0])?;
    /// let model = DecisionTreeRegressor::default().fit(&x, &[5.0, 1.0, 5.0, 1.0])?;
    /// assert_eq!(model.tree().leaves(), 2);
    /// assert!(x.is_categorical(0) && Matrix::from_rows(&[[0.5]])?.with_categories([0]).is_err());
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn with_categories(mut self, columns: impl IntoIterator<Item = usize>) -> Result<Matrix> {
        let mut kinds = vec![ColumnKind::Number; self.columns()];
        for column in columns {
            self.check_column("with_categories", column)?;
            kinds[column] = match self.info.kind(column) {
                Some(ColumnKind::Category(names)) => ColumnKind::Category(names.clone()),
                _ => ColumnKind::Category(None),
            };
        }
        let columns: Vec<usize> = (0..kinds.len()).filter(|column| kinds[*column] != ColumnKind::Number).collect();
        for row in 0..self.rows() {
            let values = self.row(row);
            columns.iter().try_for_each(|column| category(values[*column], row, *column).map(drop))?;
        }
        self.info.kinds = some_categorical(kinds);
        Ok(self)
    }

    /// Marks a column as categorical, beside those marked before, with the names of its categories by code. Every value
    /// is a code below the number of names, or NaN where the category is missing.
    ///
    /// ```
    /// use gristmill::Matrix;
    /// let x = Matrix::from_rows(&[[1.0, 0.5], [0.0, 2.5]])?.with_category_names(0, ["red", "green"])?;
    /// assert_eq!(x.categories(0).unwrap(), ["red", "green"]);
    /// assert!(x.categories(1).is_none() && x.with_category_names(1, ["few"]).is_err());
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn with_category_names<S: Into<String>>(
        mut self,
        column: usize,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Matrix> {
        const OP: &str = "with_category_names";
        self.check_column(OP, column)?;
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        for row in 0..self.rows() {
            let value = self.get(row, column);
            if category(value, row, column)?.is_some_and(|code| code >= names.len()) {
                let expected = format!("codes below {}, the number of names", names.len());
                return Err(Error::shape(OP, expected, format!("{value} in row {row}, column {column}")));
            }
        }
        self.info.set(self.columns(), column, ColumnKind::Category(Some(Arc::new(names))));
        Ok(self)
    }

    /// Whether a column is categorical.
    pub fn is_categorical(&self, column: usize) -> bool {
        self.info.is_categorical(column)
    }

    /// The columns that are categorical, ascending.
    pub fn categorical_columns(&self) -> Vec<usize> {
        (0..self.columns()).filter(|column| self.is_categorical(*column)).collect()
    }

    /// The names of a column's categories, by code; nothing for a column of numbers, or if they are not known.
    pub fn categories(&self, column: usize) -> Option<&[String]> {
        self.info.categories(column)
    }

    pub(crate) fn column_info(&self) -> &ColumnInfo {
        &self.info
    }

    /// The same values with what is known of the columns of a matrix whose columns these are.
    pub(crate) fn with_column_info(mut self, info: ColumnInfo) -> Matrix {
        self.info = info;
        self
    }

    fn check_column(&self, op: &'static str, column: usize) -> Result<()> {
        match column < self.columns() {
            true => Ok(()),
            false => Err(Error::shape(op, format!("columns below {}", self.columns()), format!("column {column}"))),
        }
    }
}

/// The category that a value is the code of; none if it is missing.
#[inline(always)]
pub(crate) fn category(value: f32, row: usize, column: usize) -> Result<Option<usize>> {
    let code = value as usize;
    if value.is_nan() {
        Ok(None)
    } else if code as f32 == value && code < MAX_CATEGORIES {
        Ok(Some(code))
    } else {
        let expected = "codes of categories in categorical columns: integers from 0 to 2²⁴ − 1, NaN if missing";
        Err(Error::shape("categories", expected.to_string(), format!("{value} in row {row}, column {column}")))
    }
}
