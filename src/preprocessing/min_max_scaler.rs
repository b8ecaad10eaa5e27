//! Columns between two numbers.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::affine::Affine;
use super::statistics::extremes;
use super::table::{column_names, named, to_fit, to_transform, to_turn_back};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Rows, Transform};
use crate::model_file::{Container, Persist};

const OP: &str = "MinMaxScaler";

/// Maps the smallest and the largest value of each column to two given numbers. Names and defaults are scikit-learn's.
///
/// A constant column becomes the lower number. Missing values do not count and stay missing. O(n·d).
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::MinMaxScaler;
/// let x = Matrix::from_rows(&[[10.0], [15.0], [30.0]])?;
/// let model = MinMaxScaler::default().feature_range(-1.0, 1.0).fit(&x)?;
/// assert_eq!(model.transform(&x)?.as_slice(), [-1.0, -0.5, 1.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MinMaxScaler {
    /// Where the smallest and the largest value go; the first is below the second. Default (0, 1).
    pub feature_range: (f64, f64),
    /// Whether rows beyond what was fitted are held in the range. Default false.
    pub clip: bool,
}

impl Default for MinMaxScaler {
    fn default() -> MinMaxScaler {
        MinMaxScaler { feature_range: (0.0, 1.0), clip: false }
    }
}

impl MinMaxScaler {
    /// Sets where the smallest and the largest value go.
    pub fn feature_range(mut self, low: f64, high: f64) -> MinMaxScaler {
        self.feature_range = (low, high);
        self
    }

    /// Sets whether new rows are held in the range.
    pub fn clip(mut self, clip: bool) -> MinMaxScaler {
        self.clip = clip;
        self
    }

    /// Finds the smallest and the largest value of each column of `x`, n×d.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<MinMaxScalerModel> {
        self.check()?;
        let x = to_fit(OP, x.into())?;
        let (data_min, data_max) = extremes(&x);
        Ok(MinMaxScalerModel { params: self.clone(), data_min, data_max })
    }

    fn check(&self) -> Result<()> {
        let (low, high) = self.feature_range;
        // Beyond this the numbers would not fit into f32.
        let fits = |value: f64| value.abs() <= f64::from(f32::MAX);
        if !(low < high && fits(low) && fits(high)) {
            let rule = "two finite numbers, the first below the second".to_string();
            return Err(Error::Param { name: "feature_range", rule, got: format!("({low}, {high})") });
        }
        Ok(())
    }
}

/// The ranges that [`MinMaxScaler`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct MinMaxScalerModel {
    params: MinMaxScaler,
    data_min: Vec<f32>,
    data_max: Vec<f32>,
}

impl MinMaxScalerModel {
    /// The smallest value of each column, d numbers; 0 for a column without a value.
    pub fn data_min(&self) -> &[f32] {
        &self.data_min
    }

    /// The largest value of each column, d numbers.
    pub fn data_max(&self) -> &[f32] {
        &self.data_max
    }

    /// The factor of each column, d numbers; that of a range of 1 for a constant column.
    pub fn scale(&self) -> Vec<f64> {
        let (low, high) = self.params.feature_range;
        let ranges = self.data_min.iter().zip(&self.data_max).map(|(min, max)| f64::from(*max) - f64::from(*min));
        ranges.map(|range| (high - low) / if range > 0.0 { range } else { 1.0 }).collect()
    }

    /// The names of the new columns: those of the input, or `x0`, `x1`, ….
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        column_names(input, self.data_min.len())
    }

    /// The rows before they were scaled, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(OP, x.into(), self.data_min.len())?;
        let low = self.params.feature_range.0;
        let lines = self.data_min.iter().zip(self.scale()).map(|(min, scale)| (low, 1.0 / scale, f64::from(*min)));
        named(Affine::new(lines).apply(&x)?, &x, |names| self.names(names))
    }
}

impl MinMaxScalerModel {
    /// The scaled rows, n×d.
    fn transform_host(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = to_transform(OP, x, self.data_min.len())?;
        let (low, high) = self.params.feature_range;
        let lines = self.data_min.iter().zip(self.scale()).map(|(min, scale)| (f64::from(*min), scale, low));
        let mut scaled = Affine::new(lines).apply(&x)?;
        if self.params.clip {
            // `clamp` leaves NaN as it is.
            scaled.as_mut_slice().par_iter_mut().for_each(|value| *value = value.clamp(low as f32, high as f32));
        }
        named(scaled, &x, |names| self.names(names))
    }
}

impl Transform for MinMaxScalerModel {}

impl crate::estimator::Model for MinMaxScalerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<crate::estimator::OwnedRows> {
        crate::estimator::OwnedRows::beside(x, self.transform_host(x)?)
    }

    fn transformed_columns(&self, input: &crate::estimator::InputColumns) -> Option<crate::estimator::InputColumns> {
        Some(crate::estimator::InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl crate::estimator::Parameters for MinMaxScaler {
    type Model = MinMaxScalerModel;
    type Target<'a> = ();
    const NAME: &'static str = "min-max-scaler";
    const ABOUT: &'static str = "each column in a range, 0 to 1";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "feature_range",
            help: "Where the smallest and the largest value go; the first is below the second. Default (0, 1).",
        },
        crate::estimator::Parameter {
            name: "clip",
            help: "Whether rows beyond what was fitted are held in the range. Default false.",
        },
    ];
    const TASK: crate::estimator::Task = crate::estimator::Task::Transformation;
}

impl crate::estimator::Estimator for MinMaxScaler {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: crate::estimator::Fit<'_>) -> Result<MinMaxScalerModel> {
        options.refuse_weights(OP)?;
        self.fit(x)
    }
}

impl Persist for MinMaxScalerModel {
    const KIND: &'static str = "min-max-scaler";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        container.insert("data_min", &[self.data_min.len()], self.data_min.clone())?;
        container.insert("data_max", &[self.data_max.len()], self.data_max.clone())
    }

    fn restore(container: &mut Container) -> Result<MinMaxScalerModel> {
        let params: MinMaxScaler = container.parameters()?;
        params.check().map_err(|error| container.refuse(error.to_string()))?;
        let [columns] = container.shape("data_min")?;
        let data_min: Vec<f32> = container.take("data_min", &[columns])?;
        let data_max: Vec<f32> = container.take("data_max", &[columns])?;
        if columns == 0 || data_min.iter().zip(&data_max).any(|(min, max)| min > max) {
            return Err(container.refuse("there is no column, or one whose largest value is below its smallest"));
        }
        Ok(MinMaxScalerModel { params, data_min, data_max })
    }
}
