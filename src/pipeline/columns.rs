//! What the columns of the fitted data were, and other data in their form.

use crate::array::{ColumnInfo, ColumnKind, Matrix, SparseMatrix};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimator::{AlignedRows, AnyModel, InputColumns, OwnedRows, Rows, align, ignored};
use crate::model_file::{FittedColumns, Unseen};

/// A column that a model was fitted on.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name; empty if the data had none.
    pub name: String,
    /// The names of its categories, by code, if it is categorical; none if they are not known.
    pub categories: Option<Vec<String>>,
}

/// Rows in the form that a model was fitted on.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// The columns of the model, in its order.
    pub x: Matrix,
    /// The same of sparse rows; `x` is then n×0.
    pub sparse: Option<SparseMatrix>,
    /// Columns of the data that the model does not know.
    pub ignored: Vec<String>,
}

impl Aligned {
    /// The rows, dense or sparse.
    pub fn rows(&self) -> Rows<'_> {
        self.sparse.as_ref().map_or(Rows::Host(&self.x), Rows::Sparse)
    }
}

/// The columns of rows.
pub(super) fn columns_of(x: Rows<'_>) -> FittedColumns {
    let (info, count) = x.column_info();
    FittedColumns::new(count, info)
}

/// Columns as one value.
pub(super) fn from_columns(columns: Vec<Column>, unseen: Unseen) -> FittedColumns {
    let named = columns.iter().all(|column| !column.name.is_empty());
    let names = (named && !columns.is_empty()).then(|| columns.iter().map(|column| column.name.clone()).collect());
    let count = columns.len();
    let kind = |column: Column| match column.categories {
        None => ColumnKind::Number,
        Some(names) => ColumnKind::Category((!names.is_empty()).then(|| names.into())),
    };
    let info = ColumnInfo::of_kinds(names, columns.into_iter().map(kind).collect());
    FittedColumns { count, info, unseen }
}

/// The columns one by one.
pub(super) fn to_columns(fitted: &FittedColumns) -> Vec<Column> {
    let name = |column: usize| fitted.names().map_or_else(String::new, |names| names[column].clone());
    let categories = |column: usize| {
        let names = fitted.categories(column).unwrap_or_default();
        fitted.is_categorical(column).then(|| names.to_vec())
    };
    (0..fitted.count).map(|column| Column { name: name(column), categories: categories(column) }).collect()
}

/// The columns that come out of some steps: `x0`, `x1`, … where names are not known.
pub(super) fn input_columns(fitted: &FittedColumns, steps: &[AnyModel]) -> InputColumns {
    let columns = to_columns(fitted);
    let name = |(at, column): (usize, &Column)| match column.name.as_str() {
        "" => format!("x{at}"),
        name => name.to_string(),
    };
    let names = columns.iter().enumerate().map(name).collect();
    let first = InputColumns { names, categories: columns.into_iter().map(|column| column.categories).collect() };
    steps.iter().fold(first, |columns, step| step.transformed_columns(&columns).unwrap_or(columns))
}

/// The rows of `data` with the columns that were fitted.
pub(super) fn align_table(fitted: &FittedColumns, data: &Dataset) -> Result<Aligned> {
    let (x, sparse) = match align(Some(fitted), data.into())? {
        AlignedRows::Unchanged(_) => (data.x.clone(), data.sparse.clone()),
        AlignedRows::Made(OwnedRows::Sparse(sparse)) => (data.x.clone(), Some(sparse)),
        AlignedRows::Made(rows) => (rows.into_host()?, None),
    };
    let columns = sparse.as_ref().map_or(x.columns(), SparseMatrix::columns);
    if fitted.count > 0 && columns != fitted.count {
        let expected = format!("{} columns, as in the data that was fitted", fitted.count);
        return Err(Error::shape("predict", expected, format!("{columns} columns")));
    }
    Ok(Aligned { x, sparse, ignored: ignored(fitted, data.names()) })
}
