//! Numbers from models fitted on bags of rows.

use serde::{Deserialize, Serialize};

use super::bags::{Bag, BagRules, check_width, known_rows, restore_bags, store_bags};
use crate::array::Matrix;
use crate::data::Target;
use crate::ensemble::ensemble_variance::EnsembleVariance;
use crate::ensemble::members::weighted_mean;
use crate::error::Result;
use crate::estimator::{
    Abilities, AnyEstimator, Estimator, Fit, FitReport, Model, Observer, Predict, Prediction, Rows, Save, Targets,
    Task, parameters,
};
use crate::model_file::Container;
use crate::tree::DecisionTreeRegressor;

bagging_parameters! {
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
    BaggingRegressor: regressor("bagging-regressor") -> BaggingRegressorModel;
    about "the mean of one model fitted on many random bags of rows";
    estimator = AnyEstimator::new(DecisionTreeRegressor::default());
}

impl Estimator for BaggingRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { categories: self.estimator.abilities().categories, ..Abilities::default() }
    }

    /// With sample weights, which the model must take, or an observer, which may finish with fewer bags.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<BaggingRegressorModel> {
        let rules = BagRules::from(self);
        rules.check(Task::Regression)?;
        let y = y.complete("BaggingRegressor", x.on_device()?.rows())?;
        let columns = x.complete_rows("BaggingRegressor", y.rows())?;
        let weights = options.weights("BaggingRegressor", y.rows())?;
        let target = Target::Numbers(y.clone());
        let fitted = options.watched("bagging", |reporter| rules.fit(x, &target, None, weights, reporter))?;
        let oob_score = fitted.out_of_bag.map(|said| {
            let rows = known_rows(&said, weights);
            let score = || crate::metrics::r2_score_columns(&y.select(&rows)?, &said.select(&rows)?);
            (rows.len() > 1).then(score).transpose()
        });
        let (bags, oob_score) = (fitted.bags, oob_score.transpose()?.flatten());
        Ok(BaggingRegressorModel { bags, columns, oob_score, params: self.clone() })
    }
}

/// Models fitted on bags.
#[derive(Debug)]
pub struct BaggingRegressorModel {
    bags: Vec<Bag>,
    columns: usize,
    oob_score: Option<f64>,
    params: BaggingRegressor,
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

    /// R² when each row is predicted by the bags without it; none if it was not asked for, or fewer than two rows have
    /// such a bag.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// How much averaging the bags reduces the variance of what they predict for the rows of `x`.
    pub fn ensemble_variance<'a>(&self, x: impl Into<Rows<'a>>) -> Result<EnsembleVariance> {
        let x = x.into();
        check_width(x, self.columns)?;
        EnsembleVariance::of("BaggingRegressor", self.bags.iter().map(|bag| bag.predict(x, None)))
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    oob_score: Option<f64>,
}

impl Predict for BaggingRegressorModel {
    type Output = Matrix;
}

impl Model for BaggingRegressorModel {
    /// The mean of the bags' predictions, n×p.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        check_width(x, self.columns)?;
        let predicted: Vec<Matrix> = self.bags.iter().map(|bag| bag.predict(x, None)).collect::<Result<_>>()?;
        Ok(weighted_mean(&predicted, None)?.into())
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("oob_score", self.oob_score)
    }
}

impl Save for BaggingRegressorModel {
    type Estimator = BaggingRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&Fitted { oob_score: self.oob_score })?;
        store_bags(container, self.bags.iter().collect(), self.columns)
    }

    fn load_fitted(params: BaggingRegressor, container: &mut Container) -> Result<BaggingRegressorModel> {
        let Fitted { oob_score } = container.fitted()?;
        let (bags, columns) = restore_bags(container)?;
        Ok(BaggingRegressorModel { bags, columns, oob_score, params })
    }
}
