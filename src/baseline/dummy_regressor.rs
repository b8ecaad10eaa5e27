//! Numbers without looking at the rows.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FittedWith, Model, Observer, Predict, Prediction, Rows, Save, Targets, parameters,
};
use crate::model_file::Container;

const OP: &str = "DummyRegressor";

/// Which number is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DummyNumber {
    /// The mean of the targets.
    #[default]
    Mean,
    /// Their median.
    Median,
    /// The quantile that is given as `quantile`.
    Quantile,
    /// The number that is given as `constant`.
    Constant,
}

parameters! {
    /// A regressor that does not look at the rows: what others have to beat. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::baseline::DummyRegressor;
    /// use gristmill::prelude::*;
    /// let model = DummyRegressor::default().fit(&Matrix::zeros(3, 1)?, &[1.0, 2.0, 6.0])?;
    /// assert_eq!(model.constant(), [3.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// Quantiles are linear between neighbouring targets; with sample weights, the lowest target at which the weights
    /// up to it reach the share.
    pub struct DummyRegressor: regressor("dummy-regressor") -> DummyRegressorModel;
    about "a baseline that ignores the features: the mean, the median or another number";
    {
        /// Which number is predicted: mean, median, quantile or constant.
        strategy: DummyNumber = DummyNumber::Mean;
        /// The number to predict for every output, for the strategy constant.
        constant: Option<f64> = None, holds(|number: &Option<f64>| number.is_none_or(f64::is_finite), "a finite number");
        /// The quantile of the targets to predict, for the strategy quantile.
        quantile: Option<f64> = None, from_to(0.0, 1.0);
    }
}

impl Estimator for DummyRegressor {
    fn abilities(&self) -> Abilities {
        let fixed_zero = self.strategy == DummyNumber::Constant;
        Abilities { missing: true, categories: true, sparse: true, fixed_zero, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<DummyRegressorModel> {
        let y = y.complete(OP, x.rows())?;
        if y.rows() == 0 {
            return Err(Error::shape(OP, "at least one row", "none"));
        }
        let weights = options.weights(OP, y.rows())?;
        let number = |output: usize| {
            let values: Vec<f64> = (0..y.rows()).map(|row| f64::from(y.get(row, output))).collect();
            self.number(&values, weights)
        };
        let constant = (0..y.columns()).map(number).collect::<Result<_>>()?;
        Ok(DummyRegressorModel { params: self.clone().into(), constant })
    }
}

impl DummyRegressor {
    /// The number for one output.
    fn number(&self, values: &[f64], weights: Option<&[f32]>) -> Result<f64> {
        let missing = |name: &'static str| Error::param(name, format!("a number, for the strategy {name}"), "none");
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        match self.strategy {
            DummyNumber::Mean => {
                let total: f64 = (0..values.len()).map(weight).sum();
                Ok(values.iter().enumerate().map(|(row, value)| weight(row) * value).sum::<f64>() / total)
            }
            DummyNumber::Median => Ok(quantile(values, weights, 0.5)),
            DummyNumber::Quantile => Ok(quantile(values, weights, self.quantile.ok_or_else(|| missing("quantile"))?)),
            DummyNumber::Constant => self.constant.ok_or_else(|| missing("constant")),
        }
    }
}

fn quantile(values: &[f64], weights: Option<&[f32]>, share: f64) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let Some(weights) = weights else {
        let place = share * (values.len() - 1) as f64;
        let (low, high) = (values[order[place.floor() as usize]], values[order[place.ceil() as usize]]);
        return low + (high - low) * place.fract();
    };
    let counting = || order.iter().filter(|row| weights[**row] > 0.0);
    let wanted = share * counting().map(|row| f64::from(weights[*row])).sum::<f64>();
    let mut sum = 0.0;
    let reached = counting().find(|row| {
        sum += f64::from(weights[**row]);
        sum >= wanted
    });
    reached.or(counting().next_back()).map_or(0.0, |row| values[*row])
}

/// The number of each output.
#[derive(Debug, Clone, PartialEq)]
pub struct DummyRegressorModel {
    params: FittedWith<DummyRegressor>,
    constant: Vec<f64>,
}

impl DummyRegressorModel {
    /// What is predicted for every row: a number for each of the p outputs.
    pub fn constant(&self) -> &[f64] {
        self.params.in_unit_of_target(&self.constant)
    }
}

impl Predict for DummyRegressorModel {
    type Output = Matrix;
}

impl Model for DummyRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let row: Vec<f32> = self.constant.iter().map(|number| *number as f32).collect();
        Ok(Matrix::from_vec(x.rows(), row.len(), row.repeat(x.rows()))?.into())
    }
}

impl Save for DummyRegressorModel {
    type Estimator = DummyRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("constant", &[self.constant.len()], self.constant.clone())
    }

    fn load_fitted(params: FittedWith<DummyRegressor>, container: &mut Container) -> Result<DummyRegressorModel> {
        let [outputs] = container.shape("constant")?;
        match outputs {
            0 => Err(container.refuse("there is no output")),
            _ => Ok(DummyRegressorModel { params, constant: container.take("constant", &[outputs])? }),
        }
    }
}
