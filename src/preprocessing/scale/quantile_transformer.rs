//! Every column with the same distribution.

use serde::{Deserialize, Serialize};

use super::normal::{normal_quantile, normal_share};
use crate::array::Matrix;
use crate::cpu::sort::numbers::sort_numbers;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, Rows, Save, parameters};
use crate::model_file::Container;
use crate::preprocessing::statistics::{by_column, sorted_quantile};
use crate::preprocessing::table::{map_rows, restore_lists, store_lists};
use crate::preprocessing::transformer::{Transformer, to_fit, to_turn_back};

/// Shares of the normal distribution are kept this far from 0 and 1, as scikit-learn does: ±5.2 deviations.
const BOUND: f64 = 1e-7;

/// What the columns are distributed like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputDistribution {
    /// Evenly from 0 to 1.
    #[default]
    Uniform,
    /// Normally, with mean 0 and deviation 1.
    Normal,
}

parameters! {
    /// Gives every column the same distribution, whatever it was: a value becomes the share of the fitted values below
    /// it. Names and defaults are scikit-learn's, but all rows are used. Missing values stay missing; values beyond the
    /// fitted ones get the lowest or the highest share.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::QuantileTransformer;
    /// let x = Matrix::from_rows(&[[1.0], [10.0], [1000.0]])?;
    /// let model = QuantileTransformer::default().fit(&x)?;
    /// assert_eq!(model.transform(&x)?.as_slice(), [0.0, 0.5, 1.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct QuantileTransformer: transformer("quantile-transformer") -> QuantileTransformerModel;
    about "gives every column a uniform or normal distribution";
    {
        /// Number of quantiles kept of each column; at most the number of rows.
        n_quantiles: usize = 1000, at_least(2.0);
        /// The distribution of the result: uniform or normal.
        output_distribution: OutputDistribution = OutputDistribution::Uniform;
    }
}

impl Estimator for QuantileTransformer {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<QuantileTransformerModel> {
        let x = to_fit(self, x, &options)?;
        let count = self.n_quantiles.min(x.rows()).max(2);
        let quantiles = by_column(&x, |_, mut values| {
            sort_numbers(&mut values);
            let share = |number: usize| number as f64 / (count - 1) as f64;
            let at = |number: usize| if values.is_empty() { 0.0 } else { sorted_quantile(&values, share(number)) };
            (0..count).map(at).collect::<Vec<f64>>()
        });
        Ok(QuantileTransformerModel { params: self.clone().into(), quantiles })
    }
}

/// The quantiles that [`QuantileTransformer`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileTransformerModel {
    params: FittedWith<QuantileTransformer>,
    quantiles: Vec<Vec<f64>>,
}

impl QuantileTransformerModel {
    /// The quantiles of each column, ascending, at equal distances of their shares.
    pub fn quantiles(&self) -> &[Vec<f64>] {
        &self.quantiles
    }

    /// The rows before they were transformed, n×d.
    pub fn inverse_transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = to_turn_back(self, x.into(), self.quantiles.len())?;
        let made = self.each(&x, |value, quantiles| {
            let share = match self.params.output_distribution {
                OutputDistribution::Uniform => value,
                OutputDistribution::Normal => normal_share(value),
            };
            let place = share.clamp(0.0, 1.0) * (quantiles.len() - 1) as f64;
            let (low, high) = (quantiles[place.floor() as usize], quantiles[place.ceil() as usize]);
            low + (high - low) * place.fract()
        })?;
        Ok(made.with_column_info(x.column_info().clone()))
    }

    /// The share of the fitted values below a value; of equal quantiles the middle one counts.
    fn share(value: f64, quantiles: &[f64]) -> f64 {
        let last = quantiles.len() - 1;
        let (first, behind) =
            (quantiles.partition_point(|known| *known < value), quantiles.partition_point(|known| *known <= value));
        let place = match (first, behind) {
            // Both ends are ends, however many values lie there.
            (0, _) => 0.0,
            (_, behind) if behind > last => last as f64,
            (first, behind) if first < behind => (first + behind - 1) as f64 / 2.0,
            (first, _) => {
                let (low, high) = (quantiles[first - 1], quantiles[first]);
                (first - 1) as f64 + (value - low) / (high - low)
            }
        };
        place / last as f64
    }

    fn each(&self, x: &Matrix, map: impl Fn(f64, &[f64]) -> f64 + Sync) -> Result<Matrix> {
        map_rows(x, self.quantiles.len(), |row, out| {
            for ((value, out), quantiles) in row.iter().zip(out).zip(&self.quantiles) {
                *out = if value.is_nan() { f32::NAN } else { map(f64::from(*value), quantiles) as f32 };
            }
        })
    }
}

impl Transformer for QuantileTransformerModel {
    fn columns(&self) -> usize {
        self.quantiles.len()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        self.each(x, |value, quantiles| {
            let share = Self::share(value, quantiles);
            match self.params.output_distribution {
                OutputDistribution::Uniform => share,
                OutputDistribution::Normal => normal_quantile(share.clamp(BOUND, 1.0 - BOUND)),
            }
        })
    }
}

impl Save for QuantileTransformerModel {
    type Estimator = QuantileTransformer;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_lists(container, "quantiles", &self.quantiles)
    }

    fn load_fitted(
        params: FittedWith<QuantileTransformer>,
        container: &mut Container,
    ) -> Result<QuantileTransformerModel> {
        let quantiles = restore_lists(container, "quantiles", 2)?;
        match quantiles.iter().all(|known| known.is_sorted()) {
            true => Ok(QuantileTransformerModel { params, quantiles }),
            false => Err(container.refuse("quantiles that do not ascend")),
        }
    }
}
