//! Columns that vary.

use super::statistics::moments;
use super::transformer::{Transformer, to_fit};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;

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
        let variance = moments(&to_fit(self, x, &options)?)?.variance;
        let model = VarianceThresholdModel { params: self.clone().into(), variance };
        if model.support().is_empty() {
            let rule = "below the variance of a column at least: no column would be left".to_string();
            return Err(Error::param("threshold", rule, self.threshold));
        }
        Ok(model)
    }
}

/// The variances that [`VarianceThreshold`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceThresholdModel {
    params: FittedWith<VarianceThreshold>,
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

impl Transformer for VarianceThresholdModel {
    fn columns(&self) -> usize {
        self.variance.len()
    }

    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        self.support().into_iter().map(|column| (names[column].clone(), Some(column))).collect()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        x.select_columns(&self.support())
    }
}

impl Save for VarianceThresholdModel {
    type Estimator = VarianceThreshold;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("variance", &self.variance)
    }

    fn load_fitted(params: FittedWith<VarianceThreshold>, container: &mut Container) -> Result<VarianceThresholdModel> {
        let model = VarianceThresholdModel { params, variance: container.take_list("variance")? };
        match model.support().is_empty() {
            true => Err(container.refuse("no column is above the threshold")),
            false => Ok(model),
        }
    }
}
