//! Categories as numbers.

use serde::{Deserialize, Serialize};

use super::columns::Columns;
use super::one_hot_categories::{ColumnCategories, restore_categories, store_categories};
use super::statistics::by_column;
use super::table::{codes_to_fit, map_blocks, to_transform};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "OrdinalEncoder";

/// What a category that was not fitted becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownOrdinal {
    /// An error that names row, column and value.
    #[default]
    Error,
    /// The number given as `unknown_value`.
    UseEncodedValue,
}

parameters! {
    /// Turns each categorical column into one of numbers: 0, 1, 2, … in the order of its categories. Names and defaults
    /// are scikit-learn's. Columns that are not encoded stay, in their places; a missing value stays missing.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::OrdinalEncoder;
    /// let x = Matrix::from_rows(&[[0.0], [1.0]])?.with_category_names(0, ["small", "large"])?;
    /// let z = OrdinalEncoder::default().fit(&x)?.transform(&x)?;
    /// assert!(!z.is_categorical(0));
    /// assert_eq!(z.as_slice(), [0.0, 1.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct OrdinalEncoder: transformer("ordinal-encoder") -> OrdinalEncoderModel;
    about "turns the categories of each categorical column into numbers";
    {
        /// The columns to encode, by name or by number from 0; none: the categorical ones.
        #[into]
        columns: Columns = Columns::chosen();
        /// What to do with a category that was not fitted: error, or use_encoded_value.
        handle_unknown: UnknownOrdinal = UnknownOrdinal::Error;
        /// With use_encoded_value, the number for such a category; none: missing.
        unknown_value: Option<f32> = None;
    }
}

impl Estimator for OrdinalEncoder {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, encodes_categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<OrdinalEncoderModel> {
        options.refuse_weights(OP)?;
        let x = codes_to_fit(OP, x)?;
        let chosen = self.columns.find(&x)?.unwrap_or_else(|| x.categorical_columns());
        let columns = by_column(&x, |column, values| {
            chosen.contains(&column).then(|| match x.categories(column) {
                Some(names) => ColumnCategories::named(names),
                None => ColumnCategories::found(values),
            })
        });
        Ok(OrdinalEncoderModel { params: self.clone(), columns })
    }
}

/// The categories that [`OrdinalEncoder`] found or was given.
#[derive(Debug, Clone, PartialEq)]
pub struct OrdinalEncoderModel {
    params: OrdinalEncoder,
    columns: Vec<Option<ColumnCategories>>,
}

impl OrdinalEncoderModel {
    /// The names of the categories of each column, by their number; `None` for one that is not encoded.
    pub fn categories(&self) -> Vec<Option<&[String]>> {
        self.columns.iter().map(|own| own.as_ref().map(|own| own.names.as_slice())).collect()
    }

    /// The number of a value of an encoded column.
    fn number(&self, own: &ColumnCategories, value: f32, row: usize, column: usize) -> Result<f32> {
        match (own.find(value), self.params.handle_unknown) {
            _ if value.is_nan() => Ok(f32::NAN),
            (Some(category), _) => Ok(category as f32),
            (None, UnknownOrdinal::UseEncodedValue) => Ok(self.params.unknown_value.unwrap_or(f32::NAN)),
            (None, UnknownOrdinal::Error) => {
                let rule = format!("one of the {} that were fitted ({})", own.values.len(), own.some_names());
                Err(Error::Param { name: "category", rule, got: format!("{value} in row {row}, column {column}") })
            }
        }
    }
}

impl Transform for OrdinalEncoderModel {}

impl Model for OrdinalEncoderModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let rows = to_transform(OP, x, self.columns.len())?;
        let width = self.columns.len();
        let made: Matrix = map_blocks(&rows, width, |first, source, target| {
            for (at, (value, out)) in source.iter().zip(target).enumerate() {
                let (row, column) = (first + at / width, at % width);
                *out = match &self.columns[column] {
                    Some(own) => self.number(own, *value, row, column)?,
                    None => *value,
                };
            }
            Ok(())
        })?;
        let kept = self.columns.iter().enumerate().map(|(column, own)| own.is_none().then_some(column));
        let info = rows.column_info().derive(rows.names().map(<[String]>::to_vec), kept);
        OwnedRows::beside(x, made.with_column_info(info))
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        let kept = input.categories.iter().zip(&self.columns);
        let categories = kept.map(|(names, own)| if own.is_some() { None } else { names.clone() }).collect();
        Some(InputColumns { names: input.names.clone(), categories })
    }
}

impl Save for OrdinalEncoderModel {
    type Estimator = OrdinalEncoder;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_categories(container, &self.columns)
    }

    fn load_fitted(params: OrdinalEncoder, container: &mut Container) -> Result<OrdinalEncoderModel> {
        Ok(OrdinalEncoderModel { params, columns: restore_categories(container)? })
    }
}
