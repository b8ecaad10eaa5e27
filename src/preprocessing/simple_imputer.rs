//! Numbers for missing values.

use serde::{Deserialize, Serialize};

use super::statistics::{by_column, moments, quantile};
use super::table::{codes_to_fit, column_names, map_rows, named, to_transform};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Rows, Transform};
use crate::model_file::{Container, Persist};

const OP: &str = "SimpleImputer";

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

/// Puts a number of its column in the place of each missing value. Names and defaults are scikit-learn's.
///
/// A column without any value has no such number: it is left out of the result, and a warning says so, or is filled
/// with zeros (with `fill_value` for a constant) when `keep_empty_features` is set. In a categorical column, where a mean
/// means nothing, it is always the most frequent category. O(n·d).
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::{ImputeStrategy, SimpleImputer};
/// let x = Matrix::from_rows(&[[1.0], [f32::NAN], [2.0], [6.0]])?;
/// let model = SimpleImputer::default().strategy(ImputeStrategy::Median).fit(&x)?;
/// assert_eq!(model.transform(&x)?.as_slice(), [1.0, 2.0, 2.0, 6.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SimpleImputer {
    /// What a missing value becomes. Default [`ImputeStrategy::Mean`].
    pub strategy: ImputeStrategy,
    /// The number for [`ImputeStrategy::Constant`]. Default 0.
    pub fill_value: f32,
    /// Whether a column without any value stays. Default false.
    pub keep_empty_features: bool,
}

impl SimpleImputer {
    /// Sets what a missing value becomes.
    pub fn strategy(mut self, strategy: ImputeStrategy) -> SimpleImputer {
        self.strategy = strategy;
        self
    }

    /// Sets the number for [`ImputeStrategy::Constant`].
    pub fn fill_value(mut self, fill_value: f32) -> SimpleImputer {
        self.fill_value = fill_value;
        self
    }

    /// Sets whether a column without any value stays.
    pub fn keep_empty_features(mut self, keep_empty_features: bool) -> SimpleImputer {
        self.keep_empty_features = keep_empty_features;
        self
    }

    /// Finds the number of each column of `x`, n×d.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<SimpleImputerModel> {
        if !self.fill_value.is_finite() {
            let rule = "a finite number".to_string();
            return Err(Error::Param { name: "fill_value", rule, got: self.fill_value.to_string() });
        }
        let x = codes_to_fit(OP, x.into())?;
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
            log::warn!("{OP}: column {column} has no value at all and is left out; keep_empty_features keeps it");
        }
        Ok(SimpleImputerModel { params: self.clone(), statistics })
    }
}

/// The value that occurs most often, the smallest of several.
fn most_frequent(mut values: Vec<f32>) -> Option<f32> {
    values.sort_unstable_by(f32::total_cmp);
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
    params: SimpleImputer,
    /// NaN for a column that is left out.
    statistics: Vec<f32>,
}

impl SimpleImputerModel {
    /// What a missing value of each column becomes, d numbers; NaN for a column that is left out.
    pub fn statistics(&self) -> &[f32] {
        &self.statistics
    }

    /// The names of the columns that are not left out: those of the input, or `x0`, `x1`, ….
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        let names = column_names(input, self.statistics.len());
        names.into_iter().zip(&self.statistics).filter(|(_, number)| !number.is_nan()).map(|(name, _)| name).collect()
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

impl SimpleImputerModel {
    /// The rows without missing values, n×d less the columns that are left out.
    fn transform_host(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = to_transform(OP, x, self.statistics.len())?;
        let kept: Vec<usize> = (0..x.columns()).filter(|column| !self.statistics[*column].is_nan()).collect();
        let result = match x.check_finite()? {
            None if kept.len() == x.columns() => x.clone(),
            _ => map_rows(&x, kept.len(), |row, out| {
                for (out, column) in out.iter_mut().zip(&kept) {
                    *out = if row[*column].is_nan() { self.statistics[*column] } else { row[*column] };
                }
            })?,
        };
        named(result.with_column_info(x.column_info().select(&kept)), &x, |names| self.names(names))
    }
}

impl Transform for SimpleImputerModel {}

impl crate::estimator::Model for SimpleImputerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<crate::estimator::OwnedRows> {
        crate::estimator::OwnedRows::beside(x, self.transform_host(x)?)
    }

    fn transformed_columns(&self, input: &crate::estimator::InputColumns) -> Option<crate::estimator::InputColumns> {
        Some(crate::estimator::InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl crate::estimator::Parameters for SimpleImputer {
    type Model = SimpleImputerModel;
    type Target<'a> = ();
    const NAME: &'static str = "simple-imputer";
    const ABOUT: &'static str = "numbers for missing values";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "strategy",
            help: "What a missing value becomes. Default [`ImputeStrategy::Mean`].",
        },
        crate::estimator::Parameter {
            name: "fill_value",
            help: "The number for [`ImputeStrategy::Constant`]. Default 0.",
        },
        crate::estimator::Parameter {
            name: "keep_empty_features",
            help: "Whether a column without any value stays. Default false.",
        },
    ];
    const TASK: crate::estimator::Task = crate::estimator::Task::Transformation;
}

impl crate::estimator::Estimator for SimpleImputer {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, fills_missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: crate::estimator::Fit<'_>) -> Result<SimpleImputerModel> {
        options.refuse_weights(OP)?;
        self.fit(x)
    }
}

impl Persist for SimpleImputerModel {
    const KIND: &'static str = "simple-imputer";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        container.insert_with_missing("statistics", &[self.statistics.len()], self.statistics.clone())
    }

    fn restore(container: &mut Container) -> Result<SimpleImputerModel> {
        let params = container.parameters()?;
        let [columns] = container.shape("statistics")?;
        let statistics = container.take_with_missing("statistics", &[columns])?;
        match columns {
            0 => Err(container.refuse("there is no column")),
            _ => Ok(SimpleImputerModel { params, statistics }),
        }
    }
}
