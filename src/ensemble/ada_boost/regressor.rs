//! Numbers by a weighted median of weak regressors.

use serde::{Deserialize, Serialize};

use super::learners::{DrawnRows, WeakRegressor};
use super::weights::{normalise, resample, start};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::Target;
use crate::ensemble::members::{abilities_of, check_members, cost_of, numbers_of};
use crate::ensemble::model::{Ensemble, EnsembleModel};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, FitReport, FitShape, Reporter, Rows, Targets, Task, parameters,
};
use crate::model_file::Container;
use crate::tree::DecisionTreeRegressor;

const OP: &str = "AdaBoostRegressor";

/// How the error of a row, as a share e of the largest one, becomes its loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorShape {
    /// e.
    #[default]
    Linear,
    /// e².
    Square,
    /// 1 − exp(−e).
    Exponential,
}

impl ErrorShape {
    fn loss(self, share: f64) -> f64 {
        match self {
            ErrorShape::Linear => share,
            ErrorShape::Square => share * share,
            ErrorShape::Exponential => 1.0 - (-share).exp(),
        }
    }
}

parameters! {
    /// AdaBoost for numbers, AdaBoost.R2 (Drucker 1997): each round draws rows by their weights, which grow where the
    /// regressors before were wrong; the prediction is their weighted median. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::ensemble::AdaBoostRegressor;
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let model = AdaBoostRegressor::default().fit(&data.x, data.values()?)?;
    /// assert!(model.score(&data.x, data.values()?)? > 0.5);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct AdaBoostRegressor: regressor("ada-boost-regressor") -> AdaBoostRegressorModel;
    about "weak regressors in turn, each on what those before it got wrong (AdaBoost.R2)";
    new(estimator: AnyEstimator);
    {
        /// The weak regressor; set its parameters as estimator.NAME.
        estimator: AnyEstimator = AnyEstimator::new(DecisionTreeRegressor::default().max_depth(3));
        /// Maximum number of rounds.
        n_estimators: usize = 50, at_least(1.0);
        /// Shrinks the weight of every round.
        learning_rate: f64 = 1.0, above(0.0);
        /// How errors count: linear, square or exponential.
        loss: ErrorShape = ErrorShape::Linear;
        /// Seed of all random draws.
        seed: u64 = 0;
    }
}

impl AdaBoostRegressor {
    fn boost(
        &self,
        x: Rows<'_>,
        target: &Target,
        mut weights: Vec<f64>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<AnyModel>, Vec<f64>)> {
        let y = target.values()?;
        let (on_device, host) = (x.on_device()?, x.on_host()?);
        let learner = WeakRegressor::new(&self.estimator, (&host, on_device.device()), y, &weights)?;
        let (rows, mut there) = (DrawnRows::new(&host, &on_device), learner.on_gpu()?);
        let (mut members, mut votes) = (vec![], vec![]);
        for round in 0..self.n_estimators {
            let drawn = resample(&weights, self.seed, round);
            let seed = self.seed.wrapping_add(round as u64);
            let fitted = learner.drawn(&rows, (there.as_mut(), round > 0), target, &drawn, seed);
            let (model, said) = fitted.map_err(|error| error.inside(format!("round {round}")))?;
            let error = |row: usize| (f64::from(said.get(row, 0)) - f64::from(y.get(row, 0))).abs();
            let counting = || (0..y.rows()).filter(|row| weights[*row] > 0.0);
            let largest = counting().map(error).fold(0.0, f64::max);
            if largest == 0.0 {
                // No error at all: it joins those before it with the weight of a mean loss of half a row, and is the
                // last.
                let half_a_row = 0.5 / counting().count() as f64;
                let vote = self.learning_rate * ((1.0 - half_a_row) / half_a_row).ln();
                votes.push(if members.is_empty() { 1.0 } else { vote });
                members.push(model);
                break;
            }
            let losses: Vec<f64> = (0..y.rows()).map(|row| self.loss.loss((error(row) / largest).min(1.0))).collect();
            let mean: f64 = weights.iter().zip(&losses).map(|(weight, loss)| weight * loss).sum();
            if mean >= 0.5 {
                if members.is_empty() {
                    (members, votes) = (vec![model], vec![1.0]);
                }
                break;
            }
            let beta = mean / (1.0 - mean);
            let shrink = |loss: f64| beta.powf(self.learning_rate * (1.0 - loss));
            weights.iter_mut().zip(&losses).for_each(|(weight, loss)| *weight *= shrink(*loss));
            normalise(&mut weights);
            members.push(model);
            votes.push(self.learning_rate * (1.0 / beta).ln());
            let done = (round + 1) as f64 / self.n_estimators as f64;
            if reporter.report(round + 1, Some(mean), done)? {
                break;
            }
        }
        Ok((members, votes))
    }
}

impl Estimator for AdaBoostRegressor {
    fn abilities(&self) -> Abilities {
        abilities_of(std::slice::from_ref(&self.estimator))
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        cost_of(std::slice::from_ref(&self.estimator), shape, self.n_estimators as f64)
    }

    /// With sample weights to begin with, or an observer, which may finish with fewer rounds.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<AdaBoostRegressorModel> {
        check_members("estimator", std::slice::from_ref(&self.estimator), Task::Regression)?;
        let y = y.complete(OP, x.on_device()?.rows())?;
        x.complete_rows(OP, y.rows())?;
        if y.columns() != 1 {
            return Err(Error::shape(OP, "one number a row", format!("{} columns", y.columns())));
        }
        let weights = start(y.rows(), options.weights(OP, y.rows())?);
        let target = Target::Numbers(y);
        let (members, votes) = options.watched("AdaBoost", |reporter| self.boost(x, &target, weights, reporter))?;
        EnsembleModel::new(self, members, &target, votes)
    }
}

/// Weak regressors with their weights.
pub type AdaBoostRegressorModel = EnsembleModel<AdaBoostRegressor>;

impl EnsembleModel<AdaBoostRegressor> {
    /// The weight of each weak regressor.
    pub fn estimator_weights(&self) -> &[f64] {
        &self.fitted
    }
}

impl Ensemble for AdaBoostRegressor {
    type Output = Matrix;
    type Fitted = Vec<f64>;

    /// The weighted median of the regressors' predictions, n×1.
    fn values(model: &AdaBoostRegressorModel, x: Rows<'_>) -> Result<Matrix> {
        let (members, votes) = (&model.members, &model.fitted);
        let said: Vec<Matrix> = members.iter().map(|member| numbers_of(member, x)).collect::<Result<_>>()?;
        let half = votes.iter().sum::<f64>() / 2.0;
        let rows = x.on_device()?.rows();
        let mut order: Vec<usize> = (0..said.len()).collect();
        let median = |row: usize| {
            order.sort_by(|a, b| said[*a].get(row, 0).total_cmp(&said[*b].get(row, 0)).then(a.cmp(b)));
            let mut sum = 0.0;
            let middle = order.iter().find(|member| {
                sum += votes[**member];
                sum >= half
            });
            middle.map_or(f32::NAN, |member| said[*member].get(row, 0))
        };
        Matrix::from_vec(rows, 1, (0..rows).map(median).collect())
    }

    fn save(votes: &Vec<f64>, container: &mut Container) -> Result<()> {
        container.insert("votes", &[votes.len()], votes.clone())
    }

    fn load(&self, container: &mut Container, members: usize) -> Result<Vec<f64>> {
        container.take("votes", &[members])
    }

    fn report(model: &AdaBoostRegressorModel) -> FitReport {
        FitReport::default().rounds(model.members.len(), None)
    }
}
