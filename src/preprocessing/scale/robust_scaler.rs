//! Columns scaled by their middle, whatever their extremes.

use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, OwnedRows, Rows, Save, parameters};
use crate::model_file::Container;
use crate::ops::ColumnLines;
use crate::preprocessing::sparse::by_sparse_column;
use crate::preprocessing::statistics::{by_column, quantile};
use crate::preprocessing::transformer::{Transformer, affine, affine_rows, check_fit, to_fit, to_turn_back};

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
        let divisor = |quantile: &mut dyn FnMut(f64) -> f64| {
            let (low, high) = self.quantile_range;
            let range = if self.with_scaling { quantile(high / 100.0) - quantile(low / 100.0) } else { 1.0 };
            if range > 0.0 { range } else { 1.0 }
        };
        let (center, scale) = if let Rows::Sparse(sparse) = x {
            check_fit(self, x, &options)?;
            let scale = by_sparse_column(sparse, |column| divisor(&mut |share| column.quantile(share)));
            (vec![0.0; scale.len()], scale)
        } else {
            let line = |_, mut values: Vec<f32>| match values.is_empty() {
                true => (0.0, 1.0),
                false => {
                    let center = if self.with_centering { quantile(&mut values, 0.5) } else { 0.0 };
                    (center, divisor(&mut |share| quantile(&mut values, share)))
                }
            };
            by_column(&to_fit(self, x, &options)?, line).into_iter().unzip()
        };
        Ok(RobustScalerModel { params: self.clone().into(), center, scale })
    }
}

/// The quantiles that [`RobustScaler`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustScalerModel {
    params: FittedWith<RobustScaler>,
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

    /// The rows before they were scaled, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let lines = self.center.iter().zip(&self.scale).map(|(center, scale)| (0.0, *scale, *center));
        affine(&to_turn_back(self, x.into(), self.center.len())?, lines.collect())
    }

    /// What `transform` does to each column: its centre, factor and base.
    fn lines(&self) -> ColumnLines {
        self.center.iter().zip(&self.scale).map(|(center, scale)| (*center, 1.0 / scale, 0.0)).collect()
    }
}

impl Transformer for RobustScalerModel {
    const TAKES: &'static str = "dense rows unless with_centering is false";

    fn columns(&self) -> usize {
        self.center.len()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        affine(x, self.lines())
    }

    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        affine_rows(self, x, self.lines())
    }
}

impl Save for RobustScalerModel {
    type Estimator = RobustScaler;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("center", &self.center)?;
        container.insert_list("scale", &self.scale)
    }

    fn load_fitted(params: FittedWith<RobustScaler>, container: &mut Container) -> Result<RobustScalerModel> {
        let center: Vec<f64> = container.take_list("center")?;
        let scale: Vec<f64> = container.take("scale", &[center.len()])?;
        if center.is_empty() || scale.iter().any(|scale| !(*scale > 0.0 && scale.recip().is_finite())) {
            return Err(container.refuse("there is no column, or a scale that is not above 0"));
        }
        Ok(RobustScalerModel { params, center, scale })
    }
}
