//! Columns that vary.

use super::statistics::moments;
use super::table::{to_fit, to_transform};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "VarianceThreshold";

parameters! {
    /// Keeps the columns whose variance is above a threshold; at 0 those that are not constant. Names and defaults are
    /// scikit-learn's. Missing values are skipped in `fit` and stay missing.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::VarianceThreshold;
    /// let x = Matrix::from_rows(&[[1.0, 7.0], [2.0, 7.0]])?;
    /// let model = VarianceThreshold::default().fit(&x)?;
    /// assert_eq!(model.transform(&x)?.as_slice(), [1.0, 2.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct VarianceThreshold: transformer("variance-threshold") -> VarianceThresholdModel;
    about "keeps the columns that vary";
    {
        /// Columns whose variance is at most this are left out.
        threshold: f64 = 0.0, at_least(0.0);
    }
}

impl Estimator for VarianceThreshold {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<VarianceThresholdModel> {
        options.refuse_weights(OP)?;
        let variance = moments(&to_fit(OP, x)?)?.variance;
        let model = VarianceThresholdModel { params: self.clone(), variance };
        if model.support().is_empty() {
            let rule = "below the variance of a column at least: no column would be left".to_string();
            return Err(Error::Param { name: "threshold", rule, got: self.threshold.to_string() });
        }
        Ok(model)
    }
}

/// The variances that [`VarianceThreshold`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceThresholdModel {
    params: VarianceThreshold,
    variance: Vec<f64>,
}

impl VarianceThresholdModel {
    /// The variance (of the population) of each column, d numbers.
    pub fn variances(&self) -> &[f64] {
        &self.variance
    }

    /// The numbers of the columns that are kept.
    pub fn support(&self) -> Vec<usize> {
        (0..self.variance.len()).filter(|column| self.variance[*column] > self.params.threshold).collect()
    }
}

impl Transform for VarianceThresholdModel {}

impl Model for VarianceThresholdModel {
    /// The columns that are kept.
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let kept: Matrix = to_transform(OP, x, self.variance.len())?.select_columns(&self.support())?;
        OwnedRows::beside(x, kept)
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        Some(input.select(&self.support()))
    }
}

impl Save for VarianceThresholdModel {
    type Estimator = VarianceThreshold;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("variance", &[self.variance.len()], self.variance.clone())
    }

    fn load_fitted(params: VarianceThreshold, container: &mut Container) -> Result<VarianceThresholdModel> {
        let [columns] = container.shape("variance")?;
        let model = VarianceThresholdModel { params, variance: container.take("variance", &[columns])? };
        match model.support().is_empty() {
            true => Err(container.refuse("no column is above the threshold")),
            false => Ok(model),
        }
    }
}
