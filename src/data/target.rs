//! The target of a dataset: what a model is to predict.

use rayon::prelude::*;

use super::dataset::Dataset;
use super::labels::Labels;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// Integers up to here are exact in `f64`.
const EXACT: f64 = (1_u64 << 53) as f64;
/// Integers up to here are exact in `f32`.
const EXACT_F32: f64 = 16_777_216.0;
/// More distinct integers than this are a quantity, not classes.
const MOST_CLASSES: usize = 1 << 16;

/// The target of a dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Target {
    /// There is none.
    #[default]
    None,
    /// Classes, one a row.
    Classes(Labels),
    /// Numbers, n×p.
    Numbers(Matrix),
    /// One column of integers: classes to a classifier, numbers to a regressor.
    Whole {
        /// The numbers as classes, in their order.
        classes: Labels,
        /// The numbers themselves, n×1.
        numbers: Matrix,
    },
}

impl Target {
    /// A target of numbers, n×p; one column of integers, at most 65,536 different ones, can serve as classes too.
    pub fn from_numbers(numbers: Matrix) -> Target {
        match whole_classes(&numbers) {
            Some(classes) => Target::Whole { classes, numbers },
            None => Target::Numbers(numbers),
        }
    }

    /// How many rows it is for; nothing if there is no target.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Target::None => None,
            Target::Classes(labels) => Some(labels.len()),
            Target::Numbers(numbers) | Target::Whole { numbers, .. } => Some(numbers.rows()),
        }
    }

    /// The classes, if the target is one.
    pub fn labels(&self) -> Result<&Labels> {
        match self {
            Target::Classes(labels) | Target::Whole { classes: labels, .. } => Ok(labels),
            Target::Numbers(numbers) => {
                let expected = "classes: one column of text or of integers".to_string();
                let got = match numbers.columns() {
                    1 => "a target of numbers that are not all integers, or too many different ones".to_string(),
                    columns => format!("{columns} columns of numbers"),
                };
                Err(Error::shape("labels", expected, got))
            }
            Target::None => Err(absent("labels")),
        }
    }

    /// The numbers, n×p, if the target is of numbers.
    pub fn values(&self) -> Result<&Matrix> {
        match self {
            Target::Numbers(numbers) | Target::Whole { numbers, .. } => Ok(numbers),
            Target::Classes(labels) => {
                let shown =
                    labels.names().iter().take(3).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
                let more = if labels.names().len() > 3 { ", …" } else { "" };
                Err(Error::shape("regression", "a target of numbers", format!("classes ({shown}{more})")))
            }
            Target::None => Err(absent("values")),
        }
    }

    /// The rows at these indices, in this order.
    pub fn select(&self, rows: &[usize]) -> Result<Target> {
        Ok(match self {
            Target::None => Target::None,
            Target::Classes(labels) => Target::Classes(labels.select(rows)?),
            Target::Numbers(numbers) => Target::Numbers(numbers.select(rows)?),
            Target::Whole { classes, numbers } => {
                Target::Whole { classes: classes.select(rows)?, numbers: numbers.select(rows)? }
            }
        })
    }

    /// Features as a target; several must be numbers, and none may lack a value.
    pub(super) fn from_columns(data: &Dataset, columns: &[usize]) -> Result<Target> {
        if let Some(sparse) = &data.sparse {
            return Ok(Target::from_numbers(sparse.dense_columns(columns)?));
        }
        let coded = columns.iter().find(|column| data.x.categories(**column).is_some());
        if let (Some(&column), 2..) = (coded, columns.len()) {
            let expected = "several targets of numbers, or one of classes".to_string();
            let label = data.x.names().map_or_else(|| (column + 1).to_string(), |names| format!("{:?}", names[column]));
            return Err(Error::shape("with_targets", expected, format!("column {label} of text")));
        }
        let mut values = Vec::with_capacity(data.x.rows() * columns.len());
        for row in 0..data.x.rows() {
            for &column in columns {
                let value = data.x.get(row, column);
                if value.is_nan() {
                    return Err(Error::NotFinite { row, column, value: f64::NAN });
                }
                values.push(value);
            }
        }
        if let Some(names) = coded.and_then(|column| data.x.categories(*column)) {
            let codes = values.iter().map(|code| *code as u32).collect();
            return Ok(Target::Classes(Labels::from_codes(codes, names.to_vec())?));
        }
        let numbers = Matrix::from_vec(data.x.rows(), columns.len(), values)?;
        let numbers = numbers.with_exact(data.x.exact().select_columns(columns))?;
        let names = data.x.names().map(|names| columns.iter().map(|column| names[*column].clone()).collect::<Vec<_>>());
        Ok(Target::from_numbers(match names {
            Some(names) => numbers.with_names(names)?,
            None => numbers,
        }))
    }
}

fn absent(op: &'static str) -> Error {
    let expected = "a dataset with a target; name one by with_target or with_labels_file".to_string();
    Error::shape(op, expected, "no target")
}

/// The classes of one column of integers.
fn whole_classes(numbers: &Matrix) -> Option<Labels> {
    if numbers.columns() != 1 {
        return None;
    }
    // Without the f64 behind them, larger numbers may have been rounded.
    let most = if numbers.exact().is_empty() { EXACT_F32 } else { EXACT };
    let is_whole = |row: usize| {
        let value = numbers.get_f64(row, 0);
        value.abs() <= most && value.fract() == 0.0
    };
    if !(0..numbers.rows()).all(is_whole) {
        return None;
    }
    let whole: Vec<i64> = (0..numbers.rows()).map(|row| numbers.get_f64(row, 0) as i64).collect();
    let mut distinct = whole.clone();
    distinct.par_sort_unstable();
    distinct.dedup();
    if distinct.len() > MOST_CLASSES {
        return None;
    }
    let codes = whole.par_iter().map(|value| distinct.partition_point(|class| class < value) as u32).collect();
    Labels::from_codes(codes, distinct.iter().map(i64::to_string).collect()).ok()
}
