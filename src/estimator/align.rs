//! Rows to predict for, brought into the form that a model was fitted on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::rows::{OwnedRows, Rows};
use crate::array::{ColumnInfo, ColumnKind, DeviceMatrix, Matrix, SparseMatrix};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::model_file::{FittedColumns, Unseen};

/// Rows to predict for.
///
/// Where a model was fitted on columns with names, a matrix with names has the same in the same order, or it is refused;
/// the columns of a [`Dataset`] are found by name. Categories are found by their names either way. What has no names is
/// taken as it comes. [`PipelineModel::align`](crate::pipeline::PipelineModel::align) makes a table with the model's columns, which
/// can go to a device: `PipelineModel::from(model).align(&data)?.x.to(&device)?`.
#[derive(Debug, Clone, Copy)]
pub enum Queries<'a> {
    /// Rows with the columns of the model, in its order.
    Rows(Rows<'a>),
    /// A table: its columns are found by name, and others ignored.
    Table(&'a Dataset),
}

impl<'a> From<Rows<'a>> for Queries<'a> {
    fn from(rows: Rows<'a>) -> Self {
        Queries::Rows(rows)
    }
}

impl<'a> From<&'a Matrix> for Queries<'a> {
    fn from(matrix: &'a Matrix) -> Self {
        Queries::Rows(matrix.into())
    }
}

impl<'a> From<&'a DeviceMatrix> for Queries<'a> {
    fn from(matrix: &'a DeviceMatrix) -> Self {
        Queries::Rows(matrix.into())
    }
}

impl<'a> From<&'a SparseMatrix> for Queries<'a> {
    fn from(matrix: &'a SparseMatrix) -> Self {
        Queries::Rows(matrix.into())
    }
}

impl<'a> From<&'a Dataset> for Queries<'a> {
    fn from(data: &'a Dataset) -> Self {
        Queries::Table(data)
    }
}

/// Rows in the form that a model was fitted on: as they came, or made of them.
pub(crate) enum AlignedRows<'a> {
    Unchanged(Rows<'a>),
    Made(OwnedRows),
}

impl AlignedRows<'_> {
    pub(crate) fn rows(&self) -> Rows<'_> {
        match self {
            AlignedRows::Unchanged(rows) => *rows,
            AlignedRows::Made(rows) => rows.rows(),
        }
    }
}

/// The rows in the form that was fitted, if that is known.
pub(crate) fn align<'a>(fitted: Option<&FittedColumns>, queries: Queries<'a>) -> Result<AlignedRows<'a>> {
    let x: Rows<'a> = match queries {
        Queries::Rows(rows) => rows,
        Queries::Table(data) => data.into(),
    };
    let Some(FittedColumns { info: fitted, unseen, .. }) = fitted else { return Ok(AlignedRows::Unchanged(x)) };
    let (found, columns) = x.column_info();
    let places = match (fitted.names(), found.names()) {
        (Some(wanted), Some(names)) if wanted != names => match queries {
            Queries::Table(_) => places_by_name(wanted, names)?,
            Queries::Rows(_) => return Err(Error::columns(wanted, names)),
        },
        _ => (0..columns).collect(),
    };
    let moved = places.len() != columns || !places.is_sorted();
    if !moved && (fitted.kinds() == found.kinds() || fitted.is_default()) {
        return Ok(AlignedRows::Unchanged(x));
    }
    if let Rows::Sparse(sparse) = x {
        return match moved {
            true => Ok(AlignedRows::Made(OwnedRows::Sparse(sparse.select_columns(&places)?))),
            false => Ok(AlignedRows::Unchanged(x)),
        };
    }
    let empty = |place: usize| match x {
        Rows::Host(matrix) => Ok(matrix.column(place).iter().all(|value| value.is_nan())),
        Rows::Device(matrix) => {
            let host = matrix.to_matrix(&mut matrix.device().stream())?;
            Ok(host.column(place).iter().all(|value| value.is_nan()))
        }
        Rows::Sparse(_) => Ok(false),
    };
    let recodings =
        places.iter().enumerate().map(|(at, place)| Recoding::new(fitted, at, found, *place, *unseen, &empty));
    let recodings: Vec<Option<Recoding>> = recodings.collect::<Result<_>>()?;
    if !moved && recodings.iter().all(Option::is_none) {
        return Ok(AlignedRows::Unchanged(x));
    }
    let host = match x {
        Rows::Device(matrix) => &matrix.to_matrix(&mut matrix.device().stream())?,
        Rows::Host(matrix) => matrix,
        Rows::Sparse(_) => return Ok(AlignedRows::Unchanged(x)),
    };
    let made = recode(host, &places, &recodings)?;
    let kind = |(place, recoding): (&usize, &Option<Recoding>)| match recoding {
        Some(recoding) => ColumnKind::Category(Some(recoding.names.clone())),
        None => found.kind(*place).cloned().unwrap_or_default(),
    };
    let kinds = places.iter().zip(&recodings).map(kind).collect();
    let names = found.names().map(|names| places.iter().map(|place| names[*place].clone()).collect());
    let made = made.with_column_info(ColumnInfo::of_kinds(names, kinds));
    Ok(AlignedRows::Made(OwnedRows::beside(x, made)?))
}

/// The columns of a table that a model does not know.
pub(crate) fn ignored(fitted: &FittedColumns, names: Option<&[String]>) -> Vec<String> {
    let (Some(wanted), Some(names)) = (fitted.names(), names) else { return vec![] };
    let known: HashSet<&String> = wanted.iter().collect();
    names.iter().filter(|name| !known.contains(name)).cloned().collect()
}

/// The place of each fitted column in a table.
fn places_by_name(wanted: &[String], names: &[String]) -> Result<Vec<usize>> {
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let find = |name: &String| places.get(name.as_str()).copied().ok_or_else(|| Error::columns(wanted, names));
    wanted.iter().map(find).collect()
}

/// How the codes of a categorical column become those of the model.
struct Recoding {
    /// For each code of the data that of the model; none for a category that is an error where it occurs.
    codes: Vec<Option<f32>>,
    /// The names by code of the model, with those that are new to it.
    names: Arc<Vec<String>>,
    /// For the error of a category that is none of the model's: its column, and those that were fitted.
    column: String,
    known: Arc<Vec<String>>,
    found: Arc<Vec<String>>,
}

impl Recoding {
    /// Nothing for a column that stays as it is.
    fn new(
        fitted: &ColumnInfo,
        at: usize,
        found: &ColumnInfo,
        place: usize,
        unseen: Unseen,
        empty: &dyn Fn(usize) -> Result<bool>,
    ) -> Result<Option<Recoding>> {
        let name = || fitted.name(at);
        let bare = |at: usize| fitted.names().map_or_else(|| at.to_string(), |names| names[at].clone());
        let unfit = |expected: &str, got: &str| {
            let expected = format!("{expected} in column {}, as in the data that was fitted", name());
            Err(Error::shape("predict", expected, got))
        };
        let (known, own) = match (fitted.kind(at), found.kind(place)) {
            (Some(ColumnKind::Category(Some(known))), Some(ColumnKind::Category(Some(own)))) => (known, own),
            (None | Some(ColumnKind::Number), Some(ColumnKind::Category(_))) => return unfit("numbers", "text"),
            // A column that has a name was read as numbers; one without may hold the codes themselves.
            (Some(ColumnKind::Category(Some(known))), None | Some(ColumnKind::Number)) if found.names().is_some() => {
                // A column without any value has no kind of its own.
                if !empty(place)? {
                    return unfit("text", "numbers");
                }
                let (column, names, known) = (bare(at), known.clone(), known.clone());
                return Ok(Some(Recoding { codes: vec![], names, column, known, found: Arc::new(vec![]) }));
            }
            _ => return Ok(None),
        };
        if known == own {
            return Ok(None);
        }
        let by_name: HashMap<&str, usize> =
            known.iter().enumerate().map(|(code, name)| (name.as_str(), code)).collect();
        let mut names = known.as_ref().clone();
        let codes = own.iter().map(|category| match (by_name.get(category.as_str()), unseen) {
            (Some(code), _) => Some(*code as f32),
            (None, Unseen::Missing) => Some(f32::NAN),
            (None, Unseen::Refused) => None,
            (None, Unseen::NewCode) => {
                names.push(category.clone());
                Some((names.len() - 1) as f32)
            }
        });
        let codes = codes.collect();
        let (column, known, found) = (bare(at), known.clone(), own.clone());
        Ok(Some(Recoding { codes, names: Arc::new(names), column, known, found }))
    }

    fn code(&self, value: f32, row: usize) -> Result<f32> {
        if value.is_nan() {
            return Ok(value);
        }
        self.codes.get(value as usize).copied().flatten().ok_or_else(|| {
            let category = self.found.get(value as usize).cloned().unwrap_or_else(|| value.to_string());
            let (column, known) = (self.column.clone(), self.known.to_vec());
            Error::Category { row, column, value: category, known }
        })
    }
}

/// The columns at these places, with the codes of the model.
fn recode(x: &Matrix, places: &[usize], recodings: &[Option<Recoding>]) -> Result<Matrix> {
    let mut values = Vec::with_capacity(x.rows() * places.len());
    for row in 0..x.rows() {
        let source = x.row(row);
        for (place, recoding) in places.iter().zip(recodings) {
            values.push(match recoding {
                Some(recoding) => recoding.code(source[*place], row)?,
                None => source[*place],
            });
        }
    }
    Matrix::from_vec(x.rows(), places.len(), values)
}
