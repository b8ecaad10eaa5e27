//! What the columns of the fitted data were, and how other data is brought into their form.

use std::collections::HashMap;

use crate::array::{ColumnInfo, Matrix, SparseMatrix};
use crate::data::{Dataset, nearest_name};
use crate::error::{Error, Result};
use crate::estimator::Rows;

/// A column that a model was fitted on.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name; empty if the data had none.
    pub name: String,
    /// The names of its categories, by code, if it is categorical.
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
    /// The features of a dataset as they are.
    pub(super) fn unchanged(data: &Dataset, ignored: Vec<String>) -> Aligned {
        Aligned { x: data.x.clone(), sparse: data.sparse.clone(), ignored }
    }

    /// The rows, dense or sparse.
    pub fn rows(&self) -> Rows<'_> {
        self.sparse.as_ref().map_or(Rows::Host(&self.x), Rows::Sparse)
    }
}

impl Column {
    /// The columns of rows.
    pub(super) fn of(x: Rows<'_>) -> Vec<Column> {
        let (info, columns) = x.column_info();
        let name = |column: usize| info.names().map_or_else(String::new, |names| names[column].clone());
        let categories = |column: usize| match info.categories(column) {
            Some(names) => Some(names.to_vec()),
            None => info.is_categorical(column).then(Vec::new),
        };
        (0..columns).map(|column| Column { name: name(column), categories: categories(column) }).collect()
    }
}

/// Brings the columns of `data` into the order of `columns` by name, and its codes into their codes.
///
/// Without names on either side the columns are taken as they come. A category that was not fitted is missing (NaN) where
/// `unseen_is_missing`, else an error.
pub(super) fn align(columns: &[Column], data: &Dataset, unseen_is_missing: bool) -> Result<Aligned> {
    let named = columns.iter().all(|column| !column.name.is_empty());
    let (places, ignored) = match data.names().filter(|_| named) {
        Some(names) => by_name(columns, names)?,
        None if data.columns() == columns.len() => ((0..columns.len()).collect(), vec![]),
        None => {
            let expected = format!("{} columns, as in the data that was fitted", columns.len());
            return Err(Error::shape("predict", expected, format!("{} columns", data.columns())));
        }
    };
    let unchanged = places.iter().enumerate().all(|(at, place)| at == *place) && data.columns() == columns.len();
    let same_categories =
        columns.iter().zip(&places).all(|(column, place)| column.categories.as_deref() == data.x.categories(*place));
    if unchanged && same_categories {
        return Ok(Aligned::unchanged(data, ignored));
    }
    let maps = columns.iter().zip(&places).map(|(column, place)| recoding(column, data.x.categories(*place)));
    let maps: Vec<Option<Vec<Option<f32>>>> = maps.collect::<Result<_>>()?;
    if let Some(sparse) = &data.sparse {
        return Ok(Aligned { x: data.x.clone(), sparse: Some(sparse.select_columns(&places)?), ignored });
    }
    let mut values = Vec::with_capacity(data.x.rows() * columns.len());
    for row in 0..data.x.rows() {
        let source = data.x.row(row);
        for (at, place) in places.iter().enumerate() {
            let value = source[*place];
            values.push(match &maps[at] {
                Some(codes) if !value.is_nan() => match codes.get(value as usize).copied().flatten() {
                    Some(code) => code,
                    None if unseen_is_missing => f32::NAN,
                    None => return Err(unseen(&columns[at], data.x.categories(*place), value as usize, row)),
                },
                _ => value,
            });
        }
    }
    let names = named.then(|| columns.iter().map(|column| column.name.clone()).collect());
    let info = ColumnInfo::new(names, columns.iter().map(|column| column.categories.clone()).collect());
    let x = Matrix::from_vec(data.x.rows(), columns.len(), values)?.with_column_info(info);
    Ok(Aligned { x, sparse: None, ignored })
}

/// The place of each fitted column in the data, and the names that none of them has.
fn by_name(columns: &[Column], names: &[String]) -> Result<(Vec<usize>, Vec<String>)> {
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let find = |column: &Column| {
        places.get(column.name.as_str()).copied().ok_or_else(|| {
            let near = match nearest_name(&column.name, names.iter().map(String::as_str)) {
                Some(near) => format!("; the nearest is {near:?}"),
                None => String::new(),
            };
            let expected = format!("a column {:?}, which the model was fitted on", column.name);
            Error::shape("predict", expected, format!("data without it{near}"))
        })
    };
    let found: Vec<usize> = columns.iter().map(find).collect::<Result<_>>()?;
    let known: std::collections::HashSet<usize> = found.iter().copied().collect();
    let ignored = names.iter().enumerate().filter(|(at, _)| !known.contains(at)).map(|(_, name)| name.clone());
    Ok((found, ignored.collect()))
}

/// For each code of the data the code of the model, if it has that category; nothing for a column of numbers.
fn recoding(column: &Column, categories: Option<&[String]>) -> Result<Option<Vec<Option<f32>>>> {
    match (&column.categories, categories) {
        (None, None) => Ok(None),
        (Some(known), Some(found)) => {
            let codes: HashMap<&str, usize> =
                known.iter().enumerate().map(|(code, category)| (category.as_str(), code)).collect();
            Ok(Some(found.iter().map(|category| codes.get(category.as_str()).map(|code| *code as f32)).collect()))
        }
        (known, _) => {
            let kind = |text: bool| if text { "text" } else { "numbers" }.to_string();
            let expected = format!("{} in column {:?}", kind(known.is_some()), column.name);
            Err(Error::shape("predict", expected, kind(known.is_none())))
        }
    }
}

fn unseen(column: &Column, categories: Option<&[String]>, code: usize, row: usize) -> Error {
    let category = categories.and_then(|categories| categories.get(code)).cloned().unwrap_or_else(|| code.to_string());
    let known = column
        .categories
        .iter()
        .flatten()
        .take(8)
        .map(|category| format!("{category:?}"))
        .collect::<Vec<_>>()
        .join(", ");
    let expected = format!("a category of {:?} that was fitted ({known})", column.name);
    Error::shape("predict", expected, format!("{category:?} in row {}", row + 1))
}
