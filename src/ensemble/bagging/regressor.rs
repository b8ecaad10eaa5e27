//! Numbers from models fitted on bags of rows.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PARAMETERS;
use super::bags::{Bag, Rules, check_width, known_rows, restore_bags, store_bags};
use crate::array::Matrix;
use crate::data::Target;
use crate::ensemble::averaging::Averaging;
use crate::ensemble::members::{weighted_mean, written};
use crate::error::Result;
use crate::estimator::{
    AnyEstimator, Estimator, Fit, FitReport, Model, Observer, Predict, Prediction, Rows, Targets, Task,
};
use crate::model_file::{Container, Persist};
use crate::tree::DecisionTreeRegressor;

/// Numbers as the mean of one model fitted on many bags: random rows, and random columns too if asked for
/// (Breiman 1996). Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::ensemble::BaggingRegressor;
/// use gristmill::prelude::*;
/// let data = datasets::diabetes()?;
/// let knn = AnyEstimator::new(KNeighborsRegressor::new(10));
/// let model = BaggingRegressor::new(knn).n_estimators(20).oob_score(true).fit(&data.x, data.values()?)?;
/// assert!(model.oob_score().unwrap() > 0.2);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BaggingRegressor {
    /// The model that is fitted on each bag. Default: a decision tree.
    pub estimator: AnyEstimator,
    /// Number of bags. Default 10.
    pub n_estimators: usize,
    /// Rows of a bag as a share of all, above 0 and at most 1. Default 1.
    pub max_samples: f64,
    /// Columns of a bag as a share of all, above 0 and at most 1. Default 1.
    pub max_features: f64,
    /// Whether a row may be drawn more than once. Default true.
    pub bootstrap: bool,
    /// Whether a column may be drawn more than once. Default false.
    pub bootstrap_features: bool,
    /// Whether the rows that a bag does not have are scored by it. Default false.
    pub oob_score: bool,
    /// Decides the bags and the seeds of their models. Default 0.
    pub seed: u64,
}

impl Default for BaggingRegressor {
    fn default() -> BaggingRegressor {
        BaggingRegressor {
            estimator: AnyEstimator::new(DecisionTreeRegressor::default()),
            n_estimators: 10,
            max_samples: 1.0,
            max_features: 1.0,
            bootstrap: true,
            bootstrap_features: false,
            oob_score: false,
            seed: 0,
        }
    }
}

impl BaggingRegressor {
    /// Bags of this model.
    pub fn new(estimator: AnyEstimator) -> BaggingRegressor {
        BaggingRegressor { estimator, ..BaggingRegressor::default() }
    }

    /// Sets the number of bags.
    pub fn n_estimators(mut self, n_estimators: usize) -> BaggingRegressor {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the share of the rows.
    pub fn max_samples(mut self, max_samples: f64) -> BaggingRegressor {
        self.max_samples = max_samples;
        self
    }

    /// Sets the share of the columns.
    pub fn max_features(mut self, max_features: f64) -> BaggingRegressor {
        self.max_features = max_features;
        self
    }

    /// Sets whether a row may be drawn more than once.
    pub fn bootstrap(mut self, bootstrap: bool) -> BaggingRegressor {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets whether a column may be drawn more than once.
    pub fn bootstrap_features(mut self, bootstrap_features: bool) -> BaggingRegressor {
        self.bootstrap_features = bootstrap_features;
        self
    }

    /// Sets whether the rows that a bag does not have are scored by it.
    pub fn oob_score(mut self, oob_score: bool) -> BaggingRegressor {
        self.oob_score = oob_score;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> BaggingRegressor {
        self.seed = seed;
        self
    }

    /// Fits a model on each bag of the rows of `x`, n×d, with n numbers or n×p.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<BaggingRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, which the model must take, or an observer, which may finish with fewer bags.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<BaggingRegressorModel> {
        let (x, rules) = (x.into(), self.rules());
        rules.check(Task::Regression)?;
        let y = y.into().complete("BaggingRegressor", x.on_device()?.rows())?;
        let columns = x.complete_rows("BaggingRegressor", y.rows())?;
        let weights = options.weights("BaggingRegressor", y.rows())?;
        let target = Target::Numbers(y.clone());
        let fitted = options.watched("bagging", |watch| rules.fit(x, &target, None, weights, watch))?;
        let oob_score = fitted.out_of_bag.map(|said| {
            let rows = known_rows(&said, weights);
            let score = || crate::metrics::r2_score_columns(&y.select(&rows)?, &said.select(&rows)?);
            (rows.len() > 1).then(score).transpose()
        });
        let (bags, oob_score) = (fitted.bags, oob_score.transpose()?.flatten());
        Ok(BaggingRegressorModel { bags, columns, oob_score, parameters: written(self) })
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            estimator: &self.estimator,
            n_estimators: self.n_estimators,
            max_samples: self.max_samples,
            max_features: self.max_features,
            bootstrap: self.bootstrap,
            bootstrap_features: self.bootstrap_features,
            oob_score: self.oob_score,
            seed: self.seed,
        }
    }
}

/// Models fitted on bags.
#[derive(Debug)]
pub struct BaggingRegressorModel {
    bags: Vec<Bag>,
    columns: usize,
    oob_score: Option<f64>,
    parameters: Option<Map<String, Value>>,
}

impl BaggingRegressorModel {
    /// Number of bags.
    pub fn len(&self) -> usize {
        self.bags.len()
    }

    /// Never true: there is a bag at least.
    pub fn is_empty(&self) -> bool {
        self.bags.is_empty()
    }

    /// R² when each row is predicted by the bags without it; none if it was not asked for, or fewer than two rows have such
    /// a bag.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// How much averaging the bags lessens the variance of what they predict for the rows of `x`.
    pub fn averaging<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Averaging> {
        let x = x.into();
        check_width(x, self.columns)?;
        Averaging::of("BaggingRegressor", self.bags.iter().map(|bag| bag.say(x, None)))
    }
}

impl Predict for BaggingRegressorModel {
    type Output = Matrix;

    /// The mean of what the bags say, n×p.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = x.into();
        check_width(x, self.columns)?;
        weighted_mean(&self.bags.iter().map(|bag| bag.say(x, None)).collect::<Result<Vec<_>>>()?, None)
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    oob_score: Option<f64>,
    /// What was fitted; files of the first versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Map<String, Value>>,
}

impl Persist for BaggingRegressorModel {
    const KIND: &'static str = "bagging-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { oob_score: self.oob_score, parameters: self.parameters.clone() })?;
        store_bags(container, self.bags.iter().collect(), self.columns)
    }

    fn restore(container: &mut Container) -> Result<BaggingRegressorModel> {
        let Saved { oob_score, parameters } = container.parameters()?;
        let (bags, columns) = restore_bags(container)?;
        Ok(BaggingRegressorModel { bags, columns, oob_score, parameters })
    }
}

impl crate::estimator::Parameters for BaggingRegressor {
    type Model = BaggingRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "bagging-regressor";
    const ABOUT: &'static str = "the mean of one model fitted on many random bags of rows";
    const PARAMETERS: &'static [crate::estimator::Parameter] = PARAMETERS;
    const TASK: Task = Task::Regression;
}

impl Estimator for BaggingRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { categories: self.estimator.abilities().categories, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<BaggingRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for BaggingRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("oob_score", self.oob_score)
    }
}
