//! What is known of the columns of a matrix besides their values.

use std::sync::Arc;

use super::matrix::Matrix;
use crate::error::{Error, Result};

/// Codes of levels are below this: every whole number up to it is an `f32`.
pub(crate) const MOST_LEVELS: usize = 1 << 24;

/// The names of the columns, and which of them hold codes of levels. Cloning shares both.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Marks {
    pub(super) names: Option<Arc<Vec<String>>>,
    /// None where no column is categorical.
    categorical: Option<Arc<Vec<bool>>>,
}

impl Marks {
    /// The marks of some columns, in this order; without names where a column comes more than once.
    pub(crate) fn select(&self, columns: &[usize]) -> Marks {
        let distinct = columns.iter().collect::<std::collections::HashSet<_>>().len() == columns.len();
        let names = self.names.as_ref().filter(|_| distinct);
        let names = names.map(|names| Arc::new(columns.iter().map(|column| names[*column].clone()).collect()));
        let categorical = columns.iter().map(|column| self.is_categorical(*column)).collect();
        Marks { names, categorical: some_are(categorical) }
    }

    pub(crate) fn is_categorical(&self, column: usize) -> bool {
        self.categorical.as_ref().is_some_and(|categorical| categorical.get(column).is_some_and(|own| *own))
    }

    /// Refuses columns of levels, for what takes codes for quantities.
    pub(crate) fn refuse_categories(&self, op: &'static str) -> Result<()> {
        let Some(categorical) = &self.categorical else { return Ok(()) };
        let name =
            |column: usize| self.names.as_ref().map_or_else(|| column.to_string(), |names| names[column].clone());
        let columns: Vec<String> = (0..categorical.len()).filter(|column| categorical[*column]).map(name).collect();
        let expected = "columns of numbers; encode categorical columns first (OneHotEncoder)".to_string();
        Err(Error::Shape { op, expected, got: format!("categories in {}", columns.join(", ")) })
    }
}

fn some_are(categorical: Vec<bool>) -> Option<Arc<Vec<bool>>> {
    categorical.contains(&true).then(|| Arc::new(categorical))
}

impl Matrix {
    /// Marks columns as categorical, in place of those marked before: they hold codes of levels, 0, 1, 2, … (whole
    /// numbers below 2²⁴), or NaN where the level is missing. Tree models divide their levels into two sets. Where
    /// there are more levels than bins (255 at most), rare ones of like targets stay together: what they add is learnt,
    /// what they change of other columns is not. Models that take numbers only refuse them.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// // Levels 0 and 2 against level 1: no threshold divides them so, a set of levels does.
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [1.0]])?.with_categories([0])?;
    /// let model = DecisionTreeRegressor::default().fit(&x, &[5.0, 1.0, 5.0, 1.0])?;
    /// assert_eq!(model.tree().leaves(), 2);
    /// assert!(x.is_categorical(0) && Matrix::from_rows(&[[0.5]])?.with_categories([0]).is_err());
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn with_categories(mut self, columns: impl IntoIterator<Item = usize>) -> Result<Matrix> {
        let mut categorical = vec![false; self.columns()];
        for column in columns {
            if column >= self.columns() {
                let (expected, got) = (format!("columns below {}", self.columns()), format!("column {column}"));
                return Err(Error::Shape { op: "with_categories", expected, got });
            }
            categorical[column] = true;
        }
        let columns: Vec<usize> = (0..categorical.len()).filter(|column| categorical[*column]).collect();
        for row in 0..self.rows() {
            let values = self.row(row);
            columns.iter().try_for_each(|column| level(values[*column], row, *column).map(drop))?;
        }
        self.marks.categorical = some_are(categorical);
        Ok(self)
    }

    /// Whether a column is marked as categorical.
    pub fn is_categorical(&self, column: usize) -> bool {
        self.marks.is_categorical(column)
    }

    /// The columns that are marked as categorical, ascending.
    pub fn categorical_columns(&self) -> Vec<usize> {
        (0..self.columns()).filter(|column| self.is_categorical(*column)).collect()
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The same values with the marks of a matrix whose columns these are.
    pub(crate) fn with_marks(mut self, marks: Marks) -> Matrix {
        self.marks = marks;
        self
    }
}

/// The level that a value is the code of; none if it is missing.
#[inline(always)]
pub(crate) fn level(value: f32, row: usize, column: usize) -> Result<Option<usize>> {
    let code = value as usize;
    if value.is_nan() {
        Ok(None)
    } else if code as f32 == value && code < MOST_LEVELS {
        Ok(Some(code))
    } else {
        let expected = "codes of levels in categorical columns: whole numbers from 0 to 2²⁴ − 1, NaN if missing";
        let got = format!("{value} in row {row}, column {column}");
        Err(Error::Shape { op: "categories", expected: expected.to_string(), got })
    }
}
