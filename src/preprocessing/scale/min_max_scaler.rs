//! Columns between two numbers.

use rayon::prelude::*;

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, OwnedRows, Rows, Save, parameters};
use crate::model_file::Container;
use crate::ops::ColumnLines;
use crate::preprocessing::statistics::extremes;
use crate::preprocessing::transformer::{Transformer, affine, affine_rows, to_fit, to_transform, to_turn_back};

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
        let (data_min, data_max) = extremes(&to_fit(self, x, &options)?);
        Ok(MinMaxScalerModel { params: self.clone().into(), data_min, data_max })
    }
}

/// The ranges that [`MinMaxScaler`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct MinMaxScalerModel {
    params: FittedWith<MinMaxScaler>,
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

    /// The rows before they were scaled, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let low = self.params.feature_range.0;
        let lines = self.data_min.iter().zip(self.scale()).map(|(min, scale)| (low, 1.0 / scale, f64::from(*min)));
        affine(&to_turn_back(self, x.into(), self.data_min.len())?, lines.collect())
    }

    /// What `transform` does to each column: its centre, factor and base.
    fn lines(&self) -> ColumnLines {
        let low = self.params.feature_range.0;
        self.data_min.iter().zip(self.scale()).map(|(min, scale)| (f64::from(*min), scale, low)).collect()
    }
}

impl Transformer for MinMaxScalerModel {
    fn columns(&self) -> usize {
        self.data_min.len()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        let mut scaled = affine(x, self.lines())?;
        if self.params.clip {
            let [low, high] = [self.params.feature_range.0 as f32, self.params.feature_range.1 as f32];
            // `clamp` leaves NaN as it is.
            scaled.as_mut_slice().par_iter_mut().for_each(|value| *value = value.clamp(low, high));
        }
        Ok(scaled)
    }

    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        match self.params.clip {
            true => OwnedRows::beside(x, self.transform_matrix(&to_transform(self, x)?)?),
            false => affine_rows(self, x, self.lines()),
        }
    }
}

impl Save for MinMaxScalerModel {
    type Estimator = MinMaxScaler;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("data_min", &self.data_min)?;
        container.insert_list("data_max", &self.data_max)
    }

    fn load_fitted(params: FittedWith<MinMaxScaler>, container: &mut Container) -> Result<MinMaxScalerModel> {
        let data_min: Vec<f32> = container.take_list("data_min")?;
        let data_max: Vec<f32> = container.take("data_max", &[data_min.len()])?;
        if data_min.is_empty() || data_min.iter().zip(&data_max).any(|(min, max)| min > max) {
            return Err(container.refuse("there is no column, or one whose largest value is below its smallest"));
        }
        Ok(MinMaxScalerModel { params, data_min, data_max })
    }
}
