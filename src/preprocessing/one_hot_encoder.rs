//! A column for each category of a categorical column.

use serde::{Deserialize, Serialize};

use super::one_hot_categories::{ColumnCategories, restore_categories, store_categories};
use super::statistics::by_column;
use super::table::{codes_to_fit, column_names, map_blocks, map_rows, refuse_missing, to_transform, to_turn_back};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Rows, Transform};
use crate::model_file::{Container, Persist};

const OP: &str = "OneHotEncoder";

/// Which category gets no column of its own, because the others tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropCategory {
    /// The first of every column.
    First,
    /// The first of every column with two categories.
    IfBinary,
}

/// What a category that was not fitted becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownCategory {
    /// An error that names row, column and value; a missing value too.
    #[default]
    Error,
    /// Zeros in all columns of its categories; a missing value too.
    Ignore,
}

/// Turns each categorical column into a column for each of its categories, which is 1 in the rows of that category and else 0.
/// Names and defaults are scikit-learn's; columns that are not encoded stay, in their places.
///
/// A categorical column ([`Matrix::with_category_names`], and every column of text in a file) has a column for each of its
/// names, whether or not it occurs. Of a column without names each distinct value is a category.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::OneHotEncoder;
/// let x = Matrix::from_rows(&[[0.0, 1.5], [1.0, 2.5]])?.with_names(["colour", "weight"])?;
/// let x = x.with_category_names(0, ["red", "green"])?;
/// let z = OneHotEncoder::default().fit(&x)?.transform(&x)?;
/// assert_eq!(z.names().unwrap(), ["colour_red", "colour_green", "weight"]);
/// assert_eq!(z.as_slice(), [1.0, 0.0, 1.5, 0.0, 1.0, 2.5]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OneHotEncoder {
    /// The columns that `fit` encodes, by name or by number from 0. Default `None`: the categorical ones; all, if `x`
    /// has none.
    pub columns: Option<Vec<String>>,
    /// Which category gets no column. Default `None`: every category gets one.
    pub drop: Option<DropCategory>,
    /// What a category that was not fitted becomes. Default [`UnknownCategory::Error`].
    pub handle_unknown: UnknownCategory,
}

impl OneHotEncoder {
    /// Sets the columns that `fit` encodes.
    pub fn columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> OneHotEncoder {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets which category gets no column.
    pub fn drop(mut self, drop: DropCategory) -> OneHotEncoder {
        self.drop = Some(drop);
        self
    }

    /// Sets what a category that was not fitted becomes.
    pub fn handle_unknown(mut self, handle_unknown: UnknownCategory) -> OneHotEncoder {
        self.handle_unknown = handle_unknown;
        self
    }

    /// Takes the categories of the chosen columns of `x`, n×d: their names where they are known, else the distinct values
    /// in ascending order. A code without a name is an error.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<OneHotEncoderModel> {
        let x = codes_to_fit(OP, x.into())?;
        let mut chosen: Vec<bool> = (0..x.columns()).map(|column| x.is_categorical(column)).collect();
        if let Some(columns) = &self.columns {
            chosen.fill(false);
            for column in columns {
                chosen[find_column(&x, column)?] = true;
            }
        } else if !chosen.contains(&true) {
            chosen.fill(true);
        }
        self.fit_columns(&x, &chosen)
    }

    /// [`fit`](OneHotEncoder::fit) as a step of a pipeline, where a table without categorical columns stays as it is.
    pub(crate) fn fit_step(&self, x: &Matrix) -> Result<OneHotEncoderModel> {
        match self.columns.is_none() && x.categorical_columns().is_empty() {
            true => self.fit_columns(&codes_to_fit(OP, x.into())?, &vec![false; x.columns()]),
            false => self.fit(x),
        }
    }

    fn fit_columns(&self, x: &Matrix, chosen: &[bool]) -> Result<OneHotEncoderModel> {
        refuse_missing_in(x, chosen)?;
        let columns = by_column(x, |column, values| {
            let found = |names| match names {
                Some(names) => ColumnCategories::named(names),
                None => ColumnCategories::found(values),
            };
            chosen[column].then(|| found(x.categories(column)))
        });
        if let Some(column) = columns.iter().position(|own| own.as_ref().is_some_and(|own| own.values.is_empty())) {
            let expected = "at least one category in each column that is encoded".to_string();
            return Err(Error::Shape { op: OP, expected, got: format!("none in column {column}") });
        }
        let strict = OneHotEncoder { handle_unknown: UnknownCategory::Error, ..self.clone() };
        let model = OneHotEncoderModel { params: strict, columns };
        model.check_categories(x)?;
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

/// The categories that [`OneHotEncoder`] found or was given.
#[derive(Debug, Clone, PartialEq)]
pub struct OneHotEncoderModel {
    params: OneHotEncoder,
    columns: Vec<Option<ColumnCategories>>,
}

impl OneHotEncoderModel {
    /// The names of the categories of each input column; `None` for one that is not encoded.
    pub fn categories(&self) -> Vec<Option<&[String]>> {
        self.columns
            .iter()
            .map(|categories| categories.as_ref().map(|categories| categories.names.as_slice()))
            .collect()
    }

    /// The names of the new columns: `colour_red`, `colour_green`, …; a column that is not encoded keeps its name.
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        let of = |(name, categories): (&String, &Option<ColumnCategories>)| match categories {
            None => vec![name.clone()],
            Some(categories) => categories.names[self.dropped(categories)..]
                .iter()
                .map(|category| format!("{name}_{category}"))
                .collect(),
        };
        column_names(input, self.columns.len()).iter().zip(&self.columns).flat_map(of).collect()
    }

    /// The categories of each row again, n×d. The largest of a column's cells counts; where all are 0 it is the category
    /// without a column, or missing when there is none such.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(OP, x.into(), self.output_columns())?;
        if self.columns.iter().all(Option::is_some) {
            refuse_missing(&x)?;
        }
        map_rows(&x, self.columns.len(), |row, out| {
            let mut rest = row;
            for (out, categories) in out.iter_mut().zip(&self.columns) {
                let (cells, behind) = rest.split_at(self.width(categories));
                *out = categories.as_ref().map_or_else(|| cells[0], |categories| self.turn_back(categories, cells));
                rest = behind;
            }
        })
    }

    /// How many of the first categories get no column: 0 or 1.
    fn dropped(&self, categories: &ColumnCategories) -> usize {
        let drops = match self.params.drop {
            None => false,
            Some(DropCategory::First) => true,
            Some(DropCategory::IfBinary) => categories.values.len() == 2,
        };
        usize::from(drops)
    }

    /// New columns of an old one.
    fn width(&self, categories: &Option<ColumnCategories>) -> usize {
        categories.as_ref().map_or(1, |categories| categories.values.len() - self.dropped(categories))
    }

    fn output_columns(&self) -> usize {
        self.columns.iter().map(|categories| self.width(categories)).sum()
    }

    fn turn_back(&self, categories: &ColumnCategories, cells: &[f32]) -> f32 {
        let dropped = self.dropped(categories);
        let best = (0..cells.len()).fold(None, |best: Option<usize>, at| match best {
            Some(best) if cells[best] >= cells[at] => Some(best),
            _ => Some(at),
        });
        match best.filter(|best| cells[*best] > 0.0) {
            Some(best) => categories.values[best + dropped],
            None if dropped == 1 => categories.values[0],
            None => f32::NAN,
        }
    }

    /// Refuses a value of an encoded column that is no category.
    fn check_categories(&self, x: &Matrix) -> Result<()> {
        for (row, values) in x.as_slice().chunks_exact(self.columns.len()).enumerate() {
            for (column, (value, categories)) in values.iter().zip(&self.columns).enumerate() {
                if let Some(categories) = categories {
                    self.find(categories, *value, row, column)?;
                }
            }
        }
        Ok(())
    }

    /// The category of a value; `None` for one that is ignored.
    fn find(&self, categories: &ColumnCategories, value: f32, row: usize, column: usize) -> Result<Option<usize>> {
        match (categories.find(value), self.params.handle_unknown) {
            (Some(category), _) => Ok(Some(category)),
            (None, UnknownCategory::Ignore) => Ok(None),
            (None, UnknownCategory::Error) if value.is_nan() => {
                Err(Error::NotFinite { row, column, value: f64::from(value) })
            }
            (None, UnknownCategory::Error) => {
                let rule =
                    format!("one of the {} that were fitted ({})", categories.values.len(), categories.some_names());
                Err(Error::Param { name: "category", rule, got: format!("{value} in row {row}, column {column}") })
            }
        }
    }
}

impl OneHotEncoderModel {
    /// The encoded rows: a column for each level, and the columns that are not encoded.
    fn transform_host(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = to_transform(OP, x, self.columns.len())?;
        let width = self.output_columns();
        if width == 0 {
            self.check_categories(&x)?;
        }
        let result = map_blocks(&x, width, |first, source, target| {
            let rows = source.chunks_exact(self.columns.len()).zip(target.chunks_exact_mut(width));
            for (row, (values, mut out)) in rows.enumerate() {
                for (column, (value, categories)) in values.iter().zip(&self.columns).enumerate() {
                    let (cells, behind) = out.split_at_mut(self.width(categories));
                    match categories {
                        None => cells[0] = *value,
                        Some(categories) => {
                            let category = self.find(categories, *value, first + row, column)?;
                            if let Some(cell) =
                                category.and_then(|category| category.checked_sub(self.dropped(categories)))
                            {
                                cells[cell] = 1.0;
                            }
                        }
                    }
                    out = behind;
                }
            }
            Ok(())
        })?;
        // A column that is not encoded stays what it was.
        let sources = self.columns.iter().enumerate().flat_map(|(column, categories)| {
            std::iter::repeat_n(categories.is_none().then_some(column), self.width(categories))
        });
        let info = x.column_info().derive(x.names().map(|names| self.names(Some(names))), sources);
        Ok(result.with_column_info(info))
    }
}

impl Transform for OneHotEncoderModel {}

impl crate::estimator::Model for OneHotEncoderModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<crate::estimator::OwnedRows> {
        crate::estimator::OwnedRows::beside(x, self.transform_host(x)?)
    }

    fn transformed_columns(&self, input: &crate::estimator::InputColumns) -> Option<crate::estimator::InputColumns> {
        Some(crate::estimator::InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl crate::estimator::Parameters for OneHotEncoder {
    type Model = OneHotEncoderModel;
    type Target<'a> = ();
    const NAME: &'static str = "one-hot-encoder";
    const ABOUT: &'static str = "a column for each category of a categorical column";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "columns",
            help: "The columns that `fit` encodes, by name or by number from 0. Default `None`: all. `fit_levels` has its own.",
        },
        crate::estimator::Parameter {
            name: "drop",
            help: "Which level gets no column. Default `None`: every level gets one.",
        },
        crate::estimator::Parameter {
            name: "handle_unknown",
            help: "What a level that was not fitted becomes. Default [`UnknownLevel::Error`].",
        },
    ];
    const TASK: crate::estimator::Task = crate::estimator::Task::Transformation;
}

impl crate::estimator::Estimator for OneHotEncoder {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, encodes_categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: crate::estimator::Fit<'_>) -> Result<OneHotEncoderModel> {
        options.refuse_weights(OP)?;
        self.fit(x)
    }
}

impl Persist for OneHotEncoderModel {
    const KIND: &'static str = "one-hot-encoder";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        store_categories(container, &self.columns)
    }

    fn restore(container: &mut Container) -> Result<OneHotEncoderModel> {
        Ok(OneHotEncoderModel { params: container.parameters()?, columns: restore_categories(container)? })
    }
}
