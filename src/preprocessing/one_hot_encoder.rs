//! A column for each level of a categorical column.

use serde::{Deserialize, Serialize};

use super::one_hot_levels::{Levels, restore_levels, store_levels};
use super::statistics::by_column;
use super::table::{
    codes_to_fit, column_names, map_blocks, map_rows, named, refuse_missing, to_transform, to_turn_back,
};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Rows, Transform};
use crate::model::{Container, Persist};

const OP: &str = "OneHotEncoder";

/// Which level gets no column of its own, because the others tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropLevel {
    /// The first of every column.
    First,
    /// The first of every column with two levels.
    IfBinary,
}

/// What a level that was not fitted becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownLevel {
    /// An error that names row, column and value; a missing value too.
    #[default]
    Error,
    /// Zeros in all columns of its levels; a missing value too.
    Ignore,
}

/// Turns each categorical column into a column for each of its levels, which is 1 in the rows of that level and else 0.
/// Names and defaults are scikit-learn's; columns that are not encoded stay, in their places.
///
/// A categorical column holds a number for each level, as data are read: 0, 1, 2, … with the names beside them, which
/// [`fit_levels`](OneHotEncoder::fit_levels) takes. [`fit`](OneHotEncoder::fit) takes the levels from the data.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::OneHotEncoder;
/// let x = Matrix::from_rows(&[[0.0, 1.5], [1.0, 2.5]])?.with_names(["colour", "weight"])?;
/// let levels = [Some(vec!["red".to_string(), "green".to_string()]), None];
/// let z = OneHotEncoder::default().fit_levels(&x, &levels)?.transform(&x)?;
/// assert_eq!(z.names().unwrap(), ["colour_red", "colour_green", "weight"]);
/// assert_eq!(z.as_slice(), [1.0, 0.0, 1.5, 0.0, 1.0, 2.5]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OneHotEncoder {
    /// The columns that `fit` encodes, by name or by number from 0. Default `None`: all. `fit_levels` has its own.
    pub columns: Option<Vec<String>>,
    /// Which level gets no column. Default `None`: every level gets one.
    pub drop: Option<DropLevel>,
    /// What a level that was not fitted becomes. Default [`UnknownLevel::Error`].
    pub handle_unknown: UnknownLevel,
}

impl OneHotEncoder {
    /// Sets the columns that `fit` encodes.
    pub fn columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> OneHotEncoder {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets which level gets no column.
    pub fn drop(mut self, drop: DropLevel) -> OneHotEncoder {
        self.drop = Some(drop);
        self
    }

    /// Sets what a level that was not fitted becomes.
    pub fn handle_unknown(mut self, handle_unknown: UnknownLevel) -> OneHotEncoder {
        self.handle_unknown = handle_unknown;
        self
    }

    /// Takes the levels of the chosen columns of `x`, n×d, from their values, in ascending order.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<OneHotEncoderModel> {
        let x = codes_to_fit(OP, x.into())?;
        let mut chosen = vec![self.columns.is_none(); x.columns()];
        for column in self.columns.iter().flatten() {
            chosen[find_column(&x, column)?] = true;
        }
        refuse_missing_in(&x, &chosen)?;
        let columns = by_column(&x, |column, values| chosen[column].then(|| Levels::found(values)));
        Ok(OneHotEncoderModel { params: self.clone(), columns })
    }

    /// Takes the columns that have levels, and their names by code; every level gets a column, whether or not it occurs
    /// in `x`, n×d. A code without a name is an error.
    pub fn fit_levels<'a>(&self, x: impl Into<Rows<'a>>, levels: &[Option<Vec<String>>]) -> Result<OneHotEncoderModel> {
        let x = codes_to_fit(OP, x.into())?;
        if levels.len() != x.columns() || levels.iter().flatten().any(Vec::is_empty) {
            let expected =
                format!("the levels, or none, of {} columns; an encoded column has at least one", x.columns());
            return Err(Error::Shape { op: OP, expected, got: format!("those of {} columns", levels.len()) });
        }
        let columns: Vec<Option<Levels>> = levels.iter().map(|names| names.as_deref().map(Levels::named)).collect();
        refuse_missing_in(&x, &columns.iter().map(Option::is_some).collect::<Vec<bool>>())?;
        let strict = OneHotEncoder { handle_unknown: UnknownLevel::Error, ..self.clone() };
        let model = OneHotEncoderModel { params: strict, columns };
        model.check_levels(&x)?;
        Ok(OneHotEncoderModel { params: self.clone(), ..model })
    }
}

/// A column by its name, or by its number.
fn find_column(x: &Matrix, column: &str) -> Result<usize> {
    let by_name = x.names().and_then(|names| names.iter().position(|name| name == column));
    let by_number = || column.parse().ok().filter(|number| *number < x.columns());
    by_name.or_else(by_number).ok_or_else(|| {
        let rule = format!("names of columns or numbers below {}", x.columns());
        Error::Param { name: "columns", rule, got: column.to_string() }
    })
}

fn refuse_missing_in(x: &Matrix, chosen: &[bool]) -> Result<()> {
    if x.check_finite()?.is_none() {
        return Ok(());
    }
    let missing = |row: usize| (0..x.columns()).find(|column| chosen[*column] && x.get(row, *column).is_nan());
    match (0..x.rows()).find_map(|row| missing(row).map(|column| (row, column))) {
        Some((row, column)) => Err(Error::NotFinite { row, column, value: f64::NAN }),
        None => Ok(()),
    }
}

/// The levels that [`OneHotEncoder`] found or was given.
#[derive(Debug, Clone, PartialEq)]
pub struct OneHotEncoderModel {
    params: OneHotEncoder,
    columns: Vec<Option<Levels>>,
}

impl OneHotEncoderModel {
    /// The names of the levels of each input column; `None` for one that is not encoded.
    pub fn levels(&self) -> Vec<Option<&[String]>> {
        self.columns.iter().map(|levels| levels.as_ref().map(|levels| levels.names.as_slice())).collect()
    }

    /// The names of the new columns: `colour_red`, `colour_green`, …; a column that is not encoded keeps its name.
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        let of = |(name, levels): (&String, &Option<Levels>)| match levels {
            None => vec![name.clone()],
            Some(levels) => {
                levels.names[self.dropped(levels)..].iter().map(|level| format!("{name}_{level}")).collect()
            }
        };
        column_names(input, self.columns.len()).iter().zip(&self.columns).flat_map(of).collect()
    }

    /// The levels of each row again, n×d. The largest of a column's cells counts; where all are 0 it is the level
    /// without a column, or missing when there is none such.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(OP, x.into(), self.output_columns())?;
        if self.columns.iter().all(Option::is_some) {
            refuse_missing(&x)?;
        }
        map_rows(&x, self.columns.len(), |row, out| {
            let mut rest = row;
            for (out, levels) in out.iter_mut().zip(&self.columns) {
                let (cells, behind) = rest.split_at(self.width(levels));
                *out = levels.as_ref().map_or_else(|| cells[0], |levels| self.turn_back(levels, cells));
                rest = behind;
            }
        })
    }

    /// How many of the first levels get no column: 0 or 1.
    fn dropped(&self, levels: &Levels) -> usize {
        let drops = match self.params.drop {
            None => false,
            Some(DropLevel::First) => true,
            Some(DropLevel::IfBinary) => levels.values.len() == 2,
        };
        usize::from(drops)
    }

    /// New columns of an old one.
    fn width(&self, levels: &Option<Levels>) -> usize {
        levels.as_ref().map_or(1, |levels| levels.values.len() - self.dropped(levels))
    }

    fn output_columns(&self) -> usize {
        self.columns.iter().map(|levels| self.width(levels)).sum()
    }

    fn turn_back(&self, levels: &Levels, cells: &[f32]) -> f32 {
        let dropped = self.dropped(levels);
        let best = (0..cells.len()).fold(None, |best: Option<usize>, at| match best {
            Some(best) if cells[best] >= cells[at] => Some(best),
            _ => Some(at),
        });
        match best.filter(|best| cells[*best] > 0.0) {
            Some(best) => levels.values[best + dropped],
            None if dropped == 1 => levels.values[0],
            None => f32::NAN,
        }
    }

    /// Refuses a value of an encoded column that is no level.
    fn check_levels(&self, x: &Matrix) -> Result<()> {
        for (row, values) in x.as_slice().chunks_exact(self.columns.len()).enumerate() {
            for (column, (value, levels)) in values.iter().zip(&self.columns).enumerate() {
                if let Some(levels) = levels {
                    self.find(levels, *value, row, column)?;
                }
            }
        }
        Ok(())
    }

    /// The level of a value; `None` for one that is ignored.
    fn find(&self, levels: &Levels, value: f32, row: usize, column: usize) -> Result<Option<usize>> {
        match (levels.find(value), self.params.handle_unknown) {
            (Some(level), _) => Ok(Some(level)),
            (None, UnknownLevel::Ignore) => Ok(None),
            (None, UnknownLevel::Error) if value.is_nan() => {
                Err(Error::NotFinite { row, column, value: f64::from(value) })
            }
            (None, UnknownLevel::Error) => {
                let rule = format!("one of the {} that were fitted ({})", levels.values.len(), levels.some_names());
                Err(Error::Param { name: "level", rule, got: format!("{value} in row {row}, column {column}") })
            }
        }
    }
}

impl Transform for OneHotEncoderModel {
    /// The encoded rows: a column for each level, and the columns that are not encoded.
    fn transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_transform(OP, x.into(), self.columns.len())?;
        let width = self.output_columns();
        if width == 0 {
            self.check_levels(&x)?;
        }
        let result = map_blocks(&x, width, |first, source, target| {
            let rows = source.chunks_exact(self.columns.len()).zip(target.chunks_exact_mut(width));
            for (row, (values, mut out)) in rows.enumerate() {
                for (column, (value, levels)) in values.iter().zip(&self.columns).enumerate() {
                    let (cells, behind) = out.split_at_mut(self.width(levels));
                    match levels {
                        None => cells[0] = *value,
                        Some(levels) => {
                            let level = self.find(levels, *value, first + row, column)?;
                            if let Some(cell) = level.and_then(|level| level.checked_sub(self.dropped(levels))) {
                                cells[cell] = 1.0;
                            }
                        }
                    }
                    out = behind;
                }
            }
            Ok(())
        })?;
        named(result, &x, |names| self.names(names))
    }
}

impl Persist for OneHotEncoderModel {
    const KIND: &'static str = "one-hot-encoder";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        store_levels(container, &self.columns)
    }

    fn restore(container: &mut Container) -> Result<OneHotEncoderModel> {
        Ok(OneHotEncoderModel { params: container.parameters()?, columns: restore_levels(container)? })
    }
}
