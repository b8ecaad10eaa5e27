//! Numbers by a weighted median of weak regressors.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::classifier::{Saved, check_rounds};
use super::learners::regressor_of_rows;
use super::weights::{normalise, resample, start};
use crate::array::Matrix;
use crate::ensemble::members::{check_members, numbers_of, restore_members, store_members, written};
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, Fit, Predict, Reporter, Rows, Targets, Task};
use crate::model_file::{Container, Persist};
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AdaBoostRegressor {
    /// The weak regressor. Default: a tree of depth 3.
    pub estimator: AnyEstimator,
    /// Rounds at most. Default 50.
    pub n_estimators: usize,
    /// Shrinks the weight of every round, above 0. Default 1.
    pub learning_rate: f64,
    /// How errors become losses. Default [`ErrorShape::Linear`].
    pub loss: ErrorShape,
    /// Decides what is drawn. Default 0.
    pub seed: u64,
}

impl Default for AdaBoostRegressor {
    fn default() -> AdaBoostRegressor {
        let tree = AnyEstimator::new(DecisionTreeRegressor::default().max_depth(3));
        AdaBoostRegressor { estimator: tree, n_estimators: 50, learning_rate: 1.0, loss: ErrorShape::Linear, seed: 0 }
    }
}

impl AdaBoostRegressor {
    /// Boosts this regressor.
    pub fn new(estimator: AnyEstimator) -> AdaBoostRegressor {
        AdaBoostRegressor { estimator, ..AdaBoostRegressor::default() }
    }

    /// Sets the number of rounds.
    pub fn n_estimators(mut self, n_estimators: usize) -> AdaBoostRegressor {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets how much every round is shrunk.
    pub fn learning_rate(mut self, learning_rate: f64) -> AdaBoostRegressor {
        self.learning_rate = learning_rate;
        self
    }

    /// Sets how errors become losses.
    pub fn loss(mut self, loss: ErrorShape) -> AdaBoostRegressor {
        self.loss = loss;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> AdaBoostRegressor {
        self.seed = seed;
        self
    }

    /// Boosts on the rows of `x`, n×d, with a number each.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<AdaBoostRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights to begin with, or an observer, which may finish with fewer rounds.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<AdaBoostRegressorModel> {
        let x = x.into();
        check_rounds(self.n_estimators, self.learning_rate)?;
        check_members("estimator", std::slice::from_ref(&self.estimator), Task::Regression)?;
        let y = y.into().complete(OP, x.on_device()?.rows())?;
        x.complete_rows(OP, y.rows())?;
        if y.columns() != 1 {
            let (expected, got) = ("one number a row".to_string(), format!("{} columns", y.columns()));
            return Err(Error::Shape { op: OP, expected, got });
        }
        let weights = start(y.rows(), options.weights(OP, y.rows())?);
        options.watched("AdaBoost", |watch| self.boost(x, &y, weights, watch))
    }

    fn boost(
        &self,
        x: Rows<'_>,
        y: &Matrix,
        mut weights: Vec<f64>,
        watch: &mut Reporter<'_>,
    ) -> Result<AdaBoostRegressorModel> {
        let device = x.on_device()?.device().clone();
        let rows = x.on_host()?;
        let mut found = AdaBoostRegressorModel { members: vec![], votes: vec![], parameters: written(self) };
        for round in 0..self.n_estimators {
            let drawn = resample(&weights, self.seed, round);
            let seed = self.seed.wrapping_add(round as u64);
            let (model, said) = regressor_of_rows(&self.estimator, &rows, &device, y, &drawn, seed)
                .map_err(|error| error.inside(format!("round {round}")))?;
            let error = |row: usize| (f64::from(said.get(row, 0)) - f64::from(y.get(row, 0))).abs();
            let counting = || (0..y.rows()).filter(|row| weights[*row] > 0.0);
            let largest = counting().map(error).fold(0.0, f64::max);
            if largest == 0.0 {
                // No error at all: it joins those before it with the weight of a mean loss of half a row, and is the last.
                let half_a_row = 0.5 / counting().count() as f64;
                let vote = self.learning_rate * ((1.0 - half_a_row) / half_a_row).ln();
                found.votes.push(if found.members.is_empty() { 1.0 } else { vote });
                found.members.push(model);
                break;
            }
            let losses: Vec<f64> = (0..y.rows()).map(|row| self.loss.loss((error(row) / largest).min(1.0))).collect();
            let mean: f64 = weights.iter().zip(&losses).map(|(weight, loss)| weight * loss).sum();
            if mean >= 0.5 {
                if found.members.is_empty() {
                    (found.members, found.votes) = (vec![model], vec![1.0]);
                }
                break;
            }
            let beta = mean / (1.0 - mean);
            let shrink = |loss: f64| beta.powf(self.learning_rate * (1.0 - loss));
            weights.iter_mut().zip(&losses).for_each(|(weight, loss)| *weight *= shrink(*loss));
            normalise(&mut weights);
            found.members.push(model);
            found.votes.push(self.learning_rate * (1.0 / beta).ln());
            let done = (round + 1) as f64 / self.n_estimators as f64;
            if watch.report(round + 1, Some(mean), done)? {
                break;
            }
        }
        Ok(found)
    }
}

/// Weak regressors with their weights.
#[derive(Debug)]
pub struct AdaBoostRegressorModel {
    pub(super) members: Vec<AnyModel>,
    votes: Vec<f64>,
    parameters: Option<Map<String, Value>>,
}

impl AdaBoostRegressorModel {
    /// The weak regressors, in the order of the rounds.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }

    /// The weight of each.
    pub fn estimator_weights(&self) -> &[f64] {
        &self.votes
    }
}

impl Predict for AdaBoostRegressorModel {
    type Output = Matrix;

    /// The weighted median of what the regressors say, n×1.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = x.into();
        let said: Vec<Matrix> = self.members.iter().map(|member| numbers_of(member, x)).collect::<Result<_>>()?;
        let half = self.votes.iter().sum::<f64>() / 2.0;
        let rows = x.on_device()?.rows();
        let mut order: Vec<usize> = (0..said.len()).collect();
        let median = |row: usize| {
            order.sort_by(|a, b| said[*a].get(row, 0).total_cmp(&said[*b].get(row, 0)).then(a.cmp(b)));
            let mut sum = 0.0;
            let middle = order.iter().find(|member| {
                sum += self.votes[**member];
                sum >= half
            });
            middle.map_or(f32::NAN, |member| said[*member].get(row, 0))
        };
        Matrix::from_vec(rows, 1, (0..rows).map(median).collect())
    }
}

impl Persist for AdaBoostRegressorModel {
    const KIND: &'static str = "ada-boost-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { parameters: self.parameters.clone() })?;
        container.insert("votes", &[self.votes.len()], self.votes.clone())?;
        store_members(container, &self.members)
    }

    fn restore(container: &mut Container) -> Result<AdaBoostRegressorModel> {
        let Saved { parameters } = container.parameters()?;
        let members = restore_members(container)?;
        let votes = container.take("votes", &[members.len()])?;
        Ok(AdaBoostRegressorModel { members, votes, parameters })
    }
}
