//! Columns of mean 0 and variance 1.

use crate::array::Matrix;
use crate::cpu::sparse;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, OwnedRows, Rows, Save, parameters};
use crate::model_file::Container;
use crate::ops::ColumnLines;
use crate::preprocessing::statistics::{Moments, moments};
use crate::preprocessing::transformer::{Transformer, affine, affine_rows, check_fit, to_fit, to_turn_back};

parameters! {
    /// Subtracts the mean of each column and divides by its standard deviation. Names and defaults are scikit-learn's.
    ///
    /// A constant column becomes 0. Missing values do not count and stay missing. Two passes over the rows, O(n·d).
    /// Sparse rows stay sparse, if no mean is taken off.
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
    pub struct StandardScaler: transformer("standard-scaler") -> StandardScalerModel;
    about "scales each column to mean 0 and standard deviation 1";
    {
        /// Whether to subtract the mean of each column.
        with_mean: bool = true;
        /// Whether to divide each column by its standard deviation.
        with_std: bool = true;
    }
}

impl Estimator for StandardScaler {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, sparse: !self.with_mean, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<StandardScalerModel> {
        let mut found = match x {
            Rows::Sparse(sparse) => {
                check_fit(self, x, &options)?;
                let sparse::Moments { mean, variance, .. } = sparse::moments(sparse.into());
                Moments { mean, variance, count: vec![sparse.rows(); sparse.columns()] }
            }
            _ => moments(&to_fit(self, x, &options)?)?,
        };
        for ((variance, mean), count) in found.variance.iter_mut().zip(&found.mean).zip(&found.count) {
            // scikit-learn's rule: what rounding of the mean alone can make is no variance.
            let rounding = *count as f64 * f64::EPSILON;
            if *variance <= rounding * *variance + (rounding * mean).powi(2) {
                *variance = 0.0;
            }
        }
        Ok(StandardScalerModel { params: self.clone().into(), mean: found.mean, variance: found.variance })
    }
}

/// Means and variances that [`StandardScaler`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct StandardScalerModel {
    params: FittedWith<StandardScaler>,
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

    /// The rows before they were scaled, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let lines = self.centers().zip(self.scale()).map(|(center, scale)| (0.0, scale, center));
        affine(&to_turn_back(self, x.into(), self.mean.len())?, lines.collect())
    }

    fn centers(&self) -> impl Iterator<Item = f64> {
        self.mean.iter().map(|mean| if self.params.with_mean { *mean } else { 0.0 })
    }

    /// What `transform` does to each column: its centre, factor and base.
    fn lines(&self) -> ColumnLines {
        self.centers().zip(self.scale()).map(|(center, scale)| (center, 1.0 / scale, 0.0)).collect()
    }
}

impl Transformer for StandardScalerModel {
    const TAKES: &'static str = "dense rows unless with_mean is false";

    fn columns(&self) -> usize {
        self.mean.len()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        affine(x, self.lines())
    }

    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        affine_rows(self, x, self.lines())
    }
}

impl Save for StandardScalerModel {
    type Estimator = StandardScaler;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("mean", &self.mean)?;
        container.insert_list("variance", &self.variance)
    }

    fn load_fitted(params: FittedWith<StandardScaler>, container: &mut Container) -> Result<StandardScalerModel> {
        let mean: Vec<f64> = container.take_list("mean")?;
        let variance: Vec<f64> = container.take("variance", &[mean.len()])?;
        if mean.is_empty() || variance.iter().any(|variance| *variance < 0.0) {
            return Err(container.refuse("there is no column, or a variance below 0"));
        }
        Ok(StandardScalerModel { params, mean, variance })
    }
}
