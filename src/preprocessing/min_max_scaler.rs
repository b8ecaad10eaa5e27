//! Columns between two numbers.

use rayon::prelude::*;

use super::statistics::extremes;
use super::table::{affine, affine_rows, column_names, named, to_fit, to_transform, to_turn_back};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "MinMaxScaler";

parameters! {
    /// Maps the smallest and the largest value of each column to two given numbers. Names and defaults are
    /// scikit-learn's.
    ///
    /// A constant column becomes the lower number. Missing values do not count and stay missing. O(n·d).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::MinMaxScaler;
    /// let x = Matrix::from_rows(&[[10.0], [15.0], [30.0]])?;
    /// let model = MinMaxScaler::default().feature_range((-1.0, 1.0)).fit(&x)?;
    /// assert_eq!(model.transform(&x)?.as_slice(), [-1.0, -0.5, 1.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct MinMaxScaler: transformer("min-max-scaler") -> MinMaxScalerModel;
    about "scales each column to a range, by default 0 to 1";
    {
        /// The range: two numbers, such as 0,1.
        feature_range: (f64, f64) = (0.0, 1.0), holds(is_range, "two finite numbers, the first below the second");
        /// Whether values beyond the fitted ones are clipped to the range.
        clip: bool = false;
    }
}

fn is_range((low, high): &(f64, f64)) -> bool {
    // Beyond this the numbers would not fit into f32.
    let fits = |value: &f64| value.abs() <= f64::from(f32::MAX);
    low < high && fits(low) && fits(high)
}

impl Estimator for MinMaxScaler {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<MinMaxScalerModel> {
        options.refuse_weights(OP)?;
        let x = to_fit(OP, x)?;
        let (data_min, data_max) = extremes(&x);
        Ok(MinMaxScalerModel { params: self.clone(), data_min, data_max })
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
        named(affine(&x, lines)?, &x, |names| self.names(names))
    }
}

impl MinMaxScalerModel {
    /// What `transform` does to each column: its centre, factor and base.
    fn lines(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let low = self.params.feature_range.0;
        self.data_min.iter().zip(self.scale()).map(move |(min, scale)| (f64::from(*min), scale, low))
    }

    /// The scaled rows on the host, n×d, held in the range.
    fn clipped(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = to_transform(OP, x, self.data_min.len())?;
        let mut scaled = affine(&x, self.lines())?;
        let [low, high] = [self.params.feature_range.0 as f32, self.params.feature_range.1 as f32];
        // `clamp` leaves NaN as it is.
        scaled.as_mut_slice().par_iter_mut().for_each(|value| *value = value.clamp(low, high));
        named(scaled, &x, |names| self.names(names))
    }
}

impl Transform for MinMaxScalerModel {}

impl Model for MinMaxScalerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        match self.params.clip {
            true => OwnedRows::beside(x, self.clipped(x)?),
            false => affine_rows(OP, x, self.data_min.len(), self.lines()),
        }
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        Some(InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl Save for MinMaxScalerModel {
    type Estimator = MinMaxScaler;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("data_min", &[self.data_min.len()], self.data_min.clone())?;
        container.insert("data_max", &[self.data_max.len()], self.data_max.clone())
    }

    fn load_fitted(params: MinMaxScaler, container: &mut Container) -> Result<MinMaxScalerModel> {
        let [columns] = container.shape("data_min")?;
        let data_min: Vec<f32> = container.take("data_min", &[columns])?;
        let data_max: Vec<f32> = container.take("data_max", &[columns])?;
        if columns == 0 || data_min.iter().zip(&data_max).any(|(min, max)| min > max) {
            return Err(container.refuse("there is no column, or one whose largest value is below its smallest"));
        }
        Ok(MinMaxScalerModel { params, data_min, data_max })
    }
}
