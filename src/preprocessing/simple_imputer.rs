//! Numbers for missing values.

use serde::{Deserialize, Serialize};

use super::statistics::{by_column, moments, quantile};
use super::table::map_rows;
use super::transformer::{Transformer, to_fit};
use crate::array::Matrix;
use crate::cpu::sort::numbers::sort_numbers;
use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;

/// What a missing value of a column becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImputeStrategy {
    /// The mean of the column.
    #[default]
    Mean,
    /// The median of the column.
    Median,
    /// The most frequent value of the column; the smallest of several.
    MostFrequent,
    /// `fill_value`.
    Constant,
}

parameters! {
    /// Puts a number of its column in the place of each missing value. Names and defaults are scikit-learn's.
    ///
    /// A column without any value has no such number: it is left out of the result, and a warning says so, or is filled
    /// with zeros (with `fill_value` for a constant) when `keep_empty_features` is set. In a categorical column, where
    /// a mean means nothing, it is always the most frequent category. O(n·d).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::{ImputeStrategy, SimpleImputer};
    /// let x = Matrix::from_rows(&[[1.0], [f32::NAN], [2.0], [6.0]])?;
    /// let model = SimpleImputer::default().strategy(ImputeStrategy::Median).fit(&x)?;
    /// assert_eq!(model.transform(&x)?.as_slice(), [1.0, 2.0, 2.0, 6.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct SimpleImputer: transformer("simple-imputer") -> SimpleImputerModel;
    about "fills missing values";
    {
        /// What fills the missing values of a column: mean, median, most_frequent or constant.
        strategy: ImputeStrategy = ImputeStrategy::Mean;
        /// The number to fill in, for the strategy constant.
        fill_value: f32 = 0.0, holds(|value: &f32| value.is_finite(), "a finite number");
        /// Whether to keep columns without any value, filled with zeros.
        keep_empty_features: bool = false;
    }
}

impl Estimator for SimpleImputer {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, fills_missing: true, categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<SimpleImputerModel> {
        let x = to_fit(self, x, &options)?;
        let empty = match (self.keep_empty_features, self.strategy) {
            (false, _) => f32::NAN,
            (true, ImputeStrategy::Constant) => self.fill_value,
            (true, _) => 0.0,
        };
        let found: Vec<Option<f32>> = match self.strategy {
            ImputeStrategy::Mean => {
                let moments = moments(&x)?;
                moments
                    .mean
                    .iter()
                    .zip(&moments.count)
                    .map(|(mean, count)| (*count > 0).then_some(*mean as f32))
                    .collect()
            }
            ImputeStrategy::Median => by_column(&x, |_, mut values| match values.is_empty() {
                true => None,
                false => Some(quantile(&mut values, 0.5) as f32),
            }),
            ImputeStrategy::MostFrequent => by_column(&x, |_, values| most_frequent(values)),
            ImputeStrategy::Constant => by_column(&x, |_, values| (!values.is_empty()).then_some(self.fill_value)),
        };
        let mut statistics: Vec<f32> = found.into_iter().map(|number| number.unwrap_or(empty)).collect();
        for column in x.categorical_columns() {
            let codes = x.as_slice().iter().skip(column).step_by(x.columns()).copied();
            let frequent = most_frequent(codes.filter(|code| !code.is_nan()).collect());
            statistics[column] = frequent.unwrap_or(statistics[column]);
        }
        for (column, _) in statistics.iter().enumerate().filter(|(_, number)| number.is_nan()) {
            log::warn!(
                "{}: column {column} has no value at all and is left out; keep_empty_features keeps it",
                Self::TYPE
            );
        }
        Ok(SimpleImputerModel { params: self.clone().into(), statistics })
    }
}

/// The value that occurs most often, the smallest of several.
fn most_frequent(mut values: Vec<f32>) -> Option<f32> {
    sort_numbers(&mut values);
    let mut best: Option<(usize, f32)> = None;
    for run in values.chunk_by(|left, right| left == right) {
        if best.is_none_or(|(count, _)| run.len() > count) {
            best = Some((run.len(), run[0]));
        }
    }
    best.map(|(_, value)| value)
}

/// The numbers that [`SimpleImputer`] found.
#[derive(Debug, Clone)]
pub struct SimpleImputerModel {
    params: FittedWith<SimpleImputer>,
    /// NaN for a column that is left out.
    statistics: Vec<f32>,
}

impl SimpleImputerModel {
    /// What a missing value of each column becomes, d numbers; NaN for a column that is left out.
    pub fn statistics(&self) -> &[f32] {
        &self.statistics
    }

    /// The columns that are not left out.
    fn kept(&self) -> impl Iterator<Item = usize> {
        (0..self.statistics.len()).filter(|column| !self.statistics[*column].is_nan())
    }
}

/// Equal parameters and numbers; a column that is left out equals one that is left out.
impl PartialEq for SimpleImputerModel {
    fn eq(&self, other: &SimpleImputerModel) -> bool {
        let same = |(left, right): (&f32, &f32)| left == right || (left.is_nan() && right.is_nan());
        self.params == other.params
            && self.statistics.len() == other.statistics.len()
            && self.statistics.iter().zip(&other.statistics).all(same)
    }
}

impl Transformer for SimpleImputerModel {
    fn columns(&self) -> usize {
        self.statistics.len()
    }

    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        self.kept().map(|column| (names[column].clone(), Some(column))).collect()
    }

    /// The rows without missing values, n×d less the columns that are left out.
    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let kept: Vec<usize> = self.kept().collect();
        if kept.len() == x.columns() && x.check_finite()?.is_none() {
            return Ok(x.clone());
        }
        map_rows(x, kept.len(), |row, out| {
            for (out, column) in out.iter_mut().zip(&kept) {
                *out = if row[*column].is_nan() { self.statistics[*column] } else { row[*column] };
            }
        })
    }
}

impl Save for SimpleImputerModel {
    type Estimator = SimpleImputer;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_with_missing("statistics", &[self.statistics.len()], self.statistics.clone())
    }

    fn load_fitted(params: FittedWith<SimpleImputer>, container: &mut Container) -> Result<SimpleImputerModel> {
        let [columns] = container.shape("statistics")?;
        let statistics = container.take_with_missing("statistics", &[columns])?;
        match columns {
            0 => Err(container.refuse("there is no column")),
            _ => Ok(SimpleImputerModel { params, statistics }),
        }
    }
}
