//! Columns scaled by their middle, whatever their extremes.

use super::sparse::{by_sparse_column, scale_columns, sparse_to_fit, sparse_to_transform};
use super::statistics::{by_column, quantile};
use super::table::{affine, affine_rows, column_names, named, to_fit, to_turn_back};
use crate::array::{Matrix, SparseMatrix};
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "RobustScaler";
/// What it takes.
const KEEPS_ZEROS: &str = "dense rows unless with_centering is false";

parameters! {
    /// Subtracts the median of each column and divides by the distance between two quantiles, which outliers hardly
    /// move. Names and defaults are scikit-learn's.
    ///
    /// A column whose quantiles are equal is not divided. Missing values do not count and stay missing. O(n·d), with a
    /// copy of sixteen columns at a time. Sparse rows stay sparse, if no median is subtracted; their zeros count.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::RobustScaler;
    /// let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [4.0], [1000.0]])?;
    /// let model = RobustScaler::default().fit(&x)?;
    /// assert_eq!((model.center(), model.scale()), (&[3.0][..], &[2.0][..]));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct RobustScaler: transformer("robust-scaler") -> RobustScalerModel;
    about "scales each column by its median and quartiles";
    {
        /// Whether to subtract the median of each column.
        with_centering: bool = true;
        /// Whether to divide each column by the distance between two quantiles.
        with_scaling: bool = true;
        /// These quantiles, in percent.
        quantile_range: (f64, f64) = (25.0, 75.0), holds(is_range, "two numbers from 0 to 100, the first below the second");
    }
}

fn is_range((low, high): &(f64, f64)) -> bool {
    0.0 <= *low && low < high && *high <= 100.0
}

impl Estimator for RobustScaler {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, sparse: !self.with_centering, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<RobustScalerModel> {
        options.refuse_weights(OP)?;
        if let Rows::Sparse(x) = x {
            return self.fit_sparse(x);
        }
        let (low, high) = self.quantile_range;
        let x = to_fit(OP, x)?;
        let line = |_, mut values: Vec<f32>| {
            if values.is_empty() {
                return (0.0, 1.0);
            }
            let center = if self.with_centering { quantile(&mut values, 0.5) } else { 0.0 };
            let range = match self.with_scaling {
                true => quantile(&mut values, high / 100.0) - quantile(&mut values, low / 100.0),
                false => 1.0,
            };
            (center, if range > 0.0 { range } else { 1.0 })
        };
        let (center, scale) = by_column(&x, line).into_iter().unzip();
        Ok(RobustScalerModel { params: self.clone(), center, scale })
    }
}

impl RobustScaler {
    fn fit_sparse(&self, x: &SparseMatrix) -> Result<RobustScalerModel> {
        if self.with_centering {
            return Err(x.refusal(OP, KEEPS_ZEROS));
        }
        sparse_to_fit(OP, x)?;
        let (low, high) = self.quantile_range;
        let scale = match self.with_scaling {
            true => by_sparse_column(x, |column| {
                let range = column.quantile(high / 100.0) - column.quantile(low / 100.0);
                if range > 0.0 { range } else { 1.0 }
            }),
            false => vec![1.0; x.columns()],
        };
        Ok(RobustScalerModel { params: self.clone(), center: vec![0.0; x.columns()], scale })
    }
}

/// The quantiles that [`RobustScaler`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustScalerModel {
    params: RobustScaler,
    center: Vec<f64>,
    scale: Vec<f64>,
}

impl RobustScalerModel {
    /// What is taken from each column, d numbers: the median, or 0.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// What each column is divided by, d numbers: the distance between its quantiles, or 1.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The names of the new columns: those of the input, or `x0`, `x1`, ….
    pub fn names(&self, input: Option<&[String]>) -> Vec<String> {
        column_names(input, self.center.len())
    }

    /// The rows before they were scaled, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(OP, x.into(), self.center.len())?;
        let lines = self.center.iter().zip(&self.scale).map(|(center, scale)| (0.0, *scale, *center));
        named(affine(&x, lines)?, &x, |names| self.names(names))
    }
}

impl RobustScalerModel {
    /// What `transform` does to each column: its centre, factor and base.
    fn lines(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        self.center.iter().zip(&self.scale).map(|(center, scale)| (*center, 1.0 / scale, 0.0))
    }
}

impl Transform for RobustScalerModel {}

impl Model for RobustScalerModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        match x {
            Rows::Sparse(x) if self.params.with_centering => Err(x.refusal(OP, KEEPS_ZEROS)),
            Rows::Sparse(x) => {
                sparse_to_transform(OP, x, self.scale.len())?;
                scale_columns(x, &self.scale.iter().map(|scale| scale.recip()).collect::<Vec<f64>>())
            }
            _ => affine_rows(OP, x, self.center.len(), self.lines()),
        }
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        Some(InputColumns::named(&self.names(Some(&input.names))))
    }
}

impl Save for RobustScalerModel {
    type Estimator = RobustScaler;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("center", &[self.center.len()], self.center.clone())?;
        container.insert("scale", &[self.scale.len()], self.scale.clone())
    }

    fn load_fitted(params: RobustScaler, container: &mut Container) -> Result<RobustScalerModel> {
        let [columns] = container.shape("center")?;
        let center = container.take("center", &[columns])?;
        let scale: Vec<f64> = container.take("scale", &[columns])?;
        if columns == 0 || scale.iter().any(|scale| !(*scale > 0.0 && scale.recip().is_finite())) {
            return Err(container.refuse("there is no column, or a scale that is not above 0"));
        }
        Ok(RobustScalerModel { params, center, scale })
    }
}
