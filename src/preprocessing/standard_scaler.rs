//! Columns of mean 0 and variance 1.

use super::sparse::{scale_columns, sparse_to_fit, sparse_to_transform};
use super::statistics::{Moments, moments};
use super::table::{affine, affine_rows, column_names, named, to_fit, to_turn_back};
use crate::array::{Matrix, SparseMatrix};
use crate::cpu::sparse;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "StandardScaler";
/// What it takes.
const KEEPS_ZEROS: &str = "dense rows unless with_mean is false";

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
        options.refuse_weights(OP)?;
        let mut found = match x {
            Rows::Sparse(x) => self.sparse_moments(x)?,
            x => moments(&to_fit(OP, x)?)?,
        };
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

impl StandardScaler {
    fn sparse_moments(&self, x: &SparseMatrix) -> Result<Moments> {
        if self.with_mean {
            return Err(x.refusal(OP, KEEPS_ZEROS));
        }
        sparse_to_fit(OP, x)?;
        let sparse::Moments { mean, variance, .. } = sparse::moments(x.into());
        Ok(Moments { mean, variance, count: vec![x.rows(); x.columns()] })
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
        named(affine(&x, lines)?, &x, |names| self.names(names))
    }

    fn centers(&self) -> impl Iterator<Item = f64> {
        self.mean.iter().map(|mean| if self.params.with_mean { *mean } else { 0.0 })
    }
}

impl StandardScalerModel {
    /// What `transform` does to each column: its centre, factor and base.
    fn lines(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        self.centers().zip(self.scale()).map(|(center, scale)| (center, 1.0 / scale, 0.0))
    }
}

impl Transform for StandardScalerModel {}

impl Model for StandardScalerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        match x {
            Rows::Sparse(x) if self.params.with_mean => Err(x.refusal(OP, KEEPS_ZEROS)),
            Rows::Sparse(x) => {
                sparse_to_transform(OP, x, self.mean.len())?;
                scale_columns(x, &self.scale().into_iter().map(f64::recip).collect::<Vec<f64>>())
            }
            _ => affine_rows(OP, x, self.mean.len(), self.lines()),
        }
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        Some(InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl Save for StandardScalerModel {
    type Estimator = StandardScaler;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("mean", &[self.mean.len()], self.mean.clone())?;
        container.insert("variance", &[self.variance.len()], self.variance.clone())
    }

    fn load_fitted(params: StandardScaler, container: &mut Container) -> Result<StandardScalerModel> {
        let [columns] = container.shape("mean")?;
        let mean = container.take("mean", &[columns])?;
        let variance: Vec<f64> = container.take("variance", &[columns])?;
        if columns == 0 || variance.iter().any(|variance| *variance < 0.0) {
            return Err(container.refuse("there is no column, or a variance below 0"));
        }
        Ok(StandardScalerModel { params, mean, variance })
    }
}
