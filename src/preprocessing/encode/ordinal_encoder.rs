//! Categories as numbers.

use serde::{Deserialize, Serialize};

use super::column_categories::{ColumnCategories, category_names, restore_categories, store_categories};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;
use crate::preprocessing::columns::Columns;
use crate::preprocessing::statistics::by_column;
use crate::preprocessing::table::map_blocks;
use crate::preprocessing::transformer::{Transformer, to_fit};

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
        let x = to_fit(self, x, &options)?;
        let chosen = self.columns.find(&x)?.unwrap_or_else(|| x.categorical_columns());
        let columns = by_column(&x, |column, values| {
            chosen.contains(&column).then(|| ColumnCategories::of(x.categories(column), values))
        });
        Ok(OrdinalEncoderModel { params: self.clone().into(), columns })
    }
}

/// The categories that [`OrdinalEncoder`] found or was given.
#[derive(Debug, Clone, PartialEq)]
pub struct OrdinalEncoderModel {
    params: FittedWith<OrdinalEncoder>,
    columns: Vec<Option<ColumnCategories>>,
}

impl OrdinalEncoderModel {
    /// The names of the categories of each column, by their number; `None` for one that is not encoded.
    pub fn categories(&self) -> Vec<Option<&[String]>> {
        category_names(&self.columns)
    }

    /// The number of a value of an encoded column.
    fn number(&self, own: &ColumnCategories, value: f32, row: usize, column: usize) -> Result<f32> {
        match (own.find(value), self.params.handle_unknown) {
            _ if value.is_nan() => Ok(f32::NAN),
            (Some(category), _) => Ok(category as f32),
            (None, UnknownOrdinal::UseEncodedValue) => Ok(self.params.unknown_value.unwrap_or(f32::NAN)),
            (None, UnknownOrdinal::Error) => Err(own.unknown(value, row, column)),
        }
    }
}

impl Transformer for OrdinalEncoderModel {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let kept = self.columns.iter().enumerate().map(|(column, own)| own.is_none().then_some(column));
        names.into_iter().zip(kept).collect()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let width = self.columns.len();
        map_blocks(x, width, |first, source, target| {
            for (at, (value, out)) in source.iter().zip(target).enumerate() {
                let (row, column) = (first + at / width, at % width);
                *out = match &self.columns[column] {
                    Some(own) => self.number(own, *value, row, column)?,
                    None => *value,
                };
            }
            Ok(())
        })
    }
}

impl Save for OrdinalEncoderModel {
    type Estimator = OrdinalEncoder;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_categories(container, &self.columns)
    }

    fn load_fitted(params: FittedWith<OrdinalEncoder>, container: &mut Container) -> Result<OrdinalEncoderModel> {
        Ok(OrdinalEncoderModel { params, columns: restore_categories(container)? })
    }
}
