//! Columns of mean 0 and variance 1.

use serde::{Deserialize, Serialize};

use super::affine::Affine;
use super::statistics::moments;
use super::table::{column_names, named, to_fit, to_transform, to_turn_back};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Rows, Transform};
use crate::model_file::{Container, Persist};

const OP: &str = "StandardScaler";

/// Takes the mean from each column and divides it by its standard deviation. Names and defaults are scikit-learn's.
///
/// A constant column becomes 0. Missing values do not count and stay missing. Two passes over the rows, O(n·d).
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::StandardScaler;
/// let x = Matrix::from_rows(&[[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])?;
/// let model = StandardScaler::default().fit(&x)?;
/// assert_eq!(model.mean(), [2.0, 5.0]);
/// let z = model.transform(&x)?;
/// assert!((z.get(2, 0) - 1.2247449).abs() < 1e-6);
/// assert_eq!(model.inverse_transform(&z)?.row(2), [4.0, 5.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StandardScaler {
    /// Whether the mean is taken from each column. Default true.
    pub with_mean: bool,
    /// Whether each column is divided by its standard deviation. Default true.
    pub with_std: bool,
}

impl Default for StandardScaler {
    fn default() -> StandardScaler {
        StandardScaler { with_mean: true, with_std: true }
    }
}

impl StandardScaler {
    /// Sets whether the mean is taken.
    pub fn with_mean(mut self, with_mean: bool) -> StandardScaler {
        self.with_mean = with_mean;
        self
    }

    /// Sets whether the deviation is made 1.
    pub fn with_std(mut self, with_std: bool) -> StandardScaler {
        self.with_std = with_std;
        self
    }

    /// Finds mean and variance of each column of `x`, n×d.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<StandardScalerModel> {
        let x = to_fit(OP, x.into())?;
        let mut found = moments(&x)?;
        for ((variance, mean), count) in found.variance.iter_mut().zip(&found.mean).zip(&found.count) {
            // scikit-learn's rule: what rounding of the mean alone can make is no variance.
            let rounding = *count as f64 * f64::EPSILON;
            if *variance <= rounding * *variance + (rounding * mean).powi(2) {
                *variance = 0.0;
            }
        }
        Ok(StandardScalerModel { params: self.clone(), mean: found.mean, variance: found.variance })
    }
}

/// Means and variances that [`StandardScaler`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct StandardScalerModel {
    params: StandardScaler,
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl StandardScalerModel {
    /// The mean of each column, d numbers; 0 for a column without a value.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variance (of the population) of each column, d numbers; 0 for a constant column.
    pub fn var(&self) -> &[f64] {
        &self.variance
    }

    /// What each column is divided by, d numbers; 1 for a constant column.
    pub fn scale(&self) -> Vec<f64> {
        let scaled = |variance: &f64| if self.params.with_std && *variance > 0.0 { variance.sqrt() } else { 1.0 };
        self.variance.iter().map(scaled).collect()
    }

    /// The names of the new columns: those of the input, or `x0`, `x1`, ….
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        column_names(input, self.mean.len())
    }

    /// The rows before they were scaled, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(OP, x.into(), self.mean.len())?;
        let lines = self.centers().zip(self.scale()).map(|(center, scale)| (0.0, scale, center));
        named(Affine::new(lines).apply(&x)?, &x, |names| self.names(names))
    }

    fn centers(&self) -> impl Iterator<Item = f64> {
        self.mean.iter().map(|mean| if self.params.with_mean { *mean } else { 0.0 })
    }
}

impl StandardScalerModel {
    /// The scaled rows, n×d.
    fn transform_host(&self, x: Rows<'_>) -> Result<Matrix> {
        let x = to_transform(OP, x, self.mean.len())?;
        let lines = self.centers().zip(self.scale()).map(|(center, scale)| (center, 1.0 / scale, 0.0));
        named(Affine::new(lines).apply(&x)?, &x, |names| self.names(names))
    }
}

impl Transform for StandardScalerModel {}

impl crate::estimator::Model for StandardScalerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<crate::estimator::OwnedRows> {
        crate::estimator::OwnedRows::beside(x, self.transform_host(x)?)
    }

    fn transformed_columns(&self, input: &crate::estimator::InputColumns) -> Option<crate::estimator::InputColumns> {
        Some(crate::estimator::InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl crate::estimator::Parameters for StandardScaler {
    type Model = StandardScalerModel;
    type Target<'a> = ();
    const NAME: &'static str = "standard-scaler";
    const ABOUT: &'static str = "each column with mean 0 and standard deviation 1";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "with_mean",
            help: "Whether the mean is taken from each column. Default true.",
        },
        crate::estimator::Parameter {
            name: "with_std",
            help: "Whether each column is divided by its standard deviation. Default true.",
        },
    ];
    const TASK: crate::estimator::Task = crate::estimator::Task::Transformation;
}

impl crate::estimator::Estimator for StandardScaler {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: crate::estimator::Fit<'_>) -> Result<StandardScalerModel> {
        options.refuse_weights(OP)?;
        self.fit(x)
    }
}

impl Persist for StandardScalerModel {
    const KIND: &'static str = "standard-scaler";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        container.insert("mean", &[self.mean.len()], self.mean.clone())?;
        container.insert("variance", &[self.variance.len()], self.variance.clone())
    }

    fn restore(container: &mut Container) -> Result<StandardScalerModel> {
        let params = container.parameters()?;
        let [columns] = container.shape("mean")?;
        let mean = container.take("mean", &[columns])?;
        let variance: Vec<f64> = container.take("variance", &[columns])?;
        if columns == 0 || variance.iter().any(|variance| *variance < 0.0) {
            return Err(container.refuse("there is no column, or a variance below 0"));
        }
        Ok(StandardScalerModel { params, mean, variance })
    }
}
