//! A column for each category of a categorical column.

use serde::{Deserialize, Serialize};

use super::column_categories::{ColumnCategories, category_names, restore_categories, store_categories};
use crate::array::{Matrix, SparseMatrix};
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, Model, OwnedRows, Rows, Save, parameters};
use crate::model_file::Container;
use crate::preprocessing::columns::Columns;
use crate::preprocessing::statistics::by_column;
use crate::preprocessing::table::{map_blocks, map_rows};
use crate::preprocessing::transformer::{Transformer, new_info, to_fit, to_transform, to_turn_back, transformed};

/// Which category gets no column of its own, because the others imply it.
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

parameters! {
    /// Turns each categorical column into a column for each of its categories, which is 1 in the rows of that category
    /// and else 0. Names and defaults are scikit-learn's; columns that are not encoded stay, in their places.
    ///
    /// A categorical column ([`Matrix::with_category_names`], and every column of text in a file) has a column for each
    /// of its names, whether or not it occurs. Of a column without names each distinct value is a category.
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
    pub struct OneHotEncoder: transformer("one-hot-encoder") -> OneHotEncoderModel;
    about "turns each categorical column into a column of 0 and 1 for each category";
    {
        /// The columns to encode, by name or by number from 0; none: the categorical ones, or all if there is none.
        #[into]
        columns: Columns = Columns::chosen();
        /// Which category gets no column: first, or if_binary; none: every category gets one.
        drop: Option<DropCategory> = None;
        /// What to do with a category that was not fitted: error, or ignore (zeros in all its columns).
        handle_unknown: UnknownCategory = UnknownCategory::Error;
        /// Whether the encoded rows are sparse, for a model that takes such rows; no value may then be missing.
        sparse_output: bool = false;
    }
}

impl OneHotEncoder {
    fn fit_columns(&self, x: &Matrix, chosen: &[bool]) -> Result<OneHotEncoderModel> {
        refuse_missing_in(x, chosen)?;
        let columns =
            by_column(x, |column, values| chosen[column].then(|| ColumnCategories::of(x.categories(column), values)));
        if let Some(column) = columns.iter().position(|own| own.as_ref().is_some_and(|own| own.values.is_empty())) {
            let expected = "at least one category in each column that is encoded".to_string();
            return Err(Error::shape(Self::TYPE, expected, format!("none in column {column}")));
        }
        let strict = OneHotEncoder { handle_unknown: UnknownCategory::Error, ..self.clone() };
        let model = OneHotEncoderModel { params: strict.into(), columns };
        model.check_categories(x)?;
        Ok(OneHotEncoderModel { params: self.clone().into(), ..model })
    }
}

impl Estimator for OneHotEncoder {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, encodes_categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<OneHotEncoderModel> {
        let x = to_fit(self, x, &options)?;
        let mut chosen: Vec<bool> = (0..x.columns()).map(|column| x.is_categorical(column)).collect();
        if let Some(columns) = self.columns.find(&x)? {
            chosen.fill(false);
            columns.into_iter().for_each(|column| chosen[column] = true);
        } else if !chosen.contains(&true) {
            chosen.fill(true);
        }
        self.fit_columns(&x, &chosen)
    }

    /// In a pipeline a table without categorical columns stays as it is.
    fn fit_transform_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<(OneHotEncoderModel, OwnedRows)> {
        let (info, columns) = x.column_info();
        let any = !self.columns.are_chosen() || (0..columns).any(|column| info.is_categorical(column));
        let model = match any {
            true => self.fit_rows(x, (), options)?,
            false => self.fit_columns(&to_fit(self, x, &options)?, &vec![false; columns])?,
        };
        let rows = model.transform_rows(x)?;
        Ok((model, rows))
    }
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
    params: FittedWith<OneHotEncoder>,
    columns: Vec<Option<ColumnCategories>>,
}

impl OneHotEncoderModel {
    /// The names of the categories of each input column; `None` for one that is not encoded.
    pub fn categories(&self) -> Vec<Option<&[String]>> {
        category_names(&self.columns)
    }

    /// The categories of each row again, n×d. The largest of a column's cells counts; where all are 0 it is the
    /// category without a column, or missing when there is none such.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(self, x.into(), self.output_columns())?;
        if self.columns.iter().all(Option::is_some) {
            x.refuse_missing()?;
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
            (None, UnknownCategory::Error) => Err(categories.unknown(value, row, column)),
        }
    }

    /// The cell of a value among those of its column; none for an ignored category, and for one without a column.
    fn cell(&self, categories: &ColumnCategories, value: f32, row: usize, column: usize) -> Result<Option<usize>> {
        let category = self.find(categories, value, row, column)?;
        Ok(category.and_then(|category| category.checked_sub(self.dropped(categories))))
    }

    /// The encoded rows, sparse: 12 bytes for a category however many there are. A column that is not encoded must be
    /// of numbers, none of them missing.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::OneHotEncoder;
    /// let x = Matrix::from_rows(&[[1.0, 0.5], [0.0, 2.5]])?.with_category_names(0, ["red", "green"])?;
    /// let model = OneHotEncoder::default().fit(&x)?;
    /// assert_eq!(model.transform_sparse(&x)?.row(0), (&[1, 2][..], &[1.0, 0.5][..]));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn transform_sparse<'a>(&self, x: impl Into<Rows<'a>>) -> Result<SparseMatrix> {
        let x = to_transform(self, x.into())?;
        let info = new_info(self, &x);
        info.refuse_categories(OneHotEncoder::TYPE)?;
        let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
        for row in 0..x.rows() {
            let mut first = 0;
            for (column, (value, categories)) in x.row(row).iter().zip(&self.columns).enumerate() {
                let stored = match categories {
                    None if value.is_nan() => return Err(Error::NotFinite { row, column, value: f64::NAN }),
                    None => Some((first, *value)),
                    Some(categories) => self.cell(categories, *value, row, column)?.map(|cell| (first + cell, 1.0)),
                };
                if let Some((cell, value)) = stored {
                    indices.push(cell as u32);
                    values.push(value);
                }
                first += self.width(categories);
            }
            offsets.push(values.len());
        }
        let encoded = SparseMatrix::from_parts(self.output_columns(), offsets, indices, values)?;
        Ok(encoded.with_column_info(info))
    }
}

impl Transformer for OneHotEncoderModel {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    /// `colour_red`, `colour_green`, …; a column that is not encoded stays what it was.
    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        let of = |(column, name): (usize, String)| match &self.columns[column] {
            None => vec![(name, Some(column))],
            Some(own) => {
                own.names[self.dropped(own)..].iter().map(|category| (format!("{name}_{category}"), None)).collect()
            }
        };
        names.into_iter().enumerate().flat_map(of).collect()
    }

    /// The encoded rows: a column for each category, and the columns that are not encoded.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let width = self.output_columns();
        if width == 0 {
            self.check_categories(x)?;
        }
        map_blocks(x, width, |first, source, target| {
            let rows = source.chunks_exact(self.columns.len()).zip(target.chunks_exact_mut(width));
            for (row, (values, mut out)) in rows.enumerate() {
                for (column, (value, categories)) in values.iter().zip(&self.columns).enumerate() {
                    let (cells, behind) = out.split_at_mut(self.width(categories));
                    match categories {
                        None => cells[0] = *value,
                        Some(categories) => {
                            if let Some(cell) = self.cell(categories, *value, first + row, column)? {
                                cells[cell] = 1.0;
                            }
                        }
                    }
                    out = behind;
                }
            }
            Ok(())
        })
    }

    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        match self.params.sparse_output {
            true => Ok(OwnedRows::Sparse(self.transform_sparse(x)?)),
            false => OwnedRows::beside(x, transformed(self, &to_transform(self, x)?)?),
        }
    }
}

impl Save for OneHotEncoderModel {
    type Estimator = OneHotEncoder;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_categories(container, &self.columns)
    }

    fn load_fitted(params: FittedWith<OneHotEncoder>, container: &mut Container) -> Result<OneHotEncoderModel> {
        Ok(OneHotEncoderModel { params, columns: restore_categories(container)? })
    }
}
