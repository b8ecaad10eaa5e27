//! Classes from models fitted on bags of rows.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PARAMETERS;
use super::bags::{Bag, Rules, check_width, known_rows, restore_bags, store_bags};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::ensemble::margins::{Strength, Votes};
use crate::ensemble::members::{restore_classes, store_classes, weighted_mean, winners, written};
use crate::ensemble::pictures;
use crate::error::Result;
use crate::estimator::{
    AnyEstimator, Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows,
    Task,
};
use crate::model_file::{Container, Persist};
use crate::plot::Figure;
use crate::tree::DecisionTreeClassifier;

/// Classes by the mean chances of one model fitted on many bags: random rows, and random columns too if asked for
/// (Breiman 1996). Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::ensemble::BaggingClassifier;
/// use gristmill::prelude::*;
/// let data = datasets::iris()?;
/// let knn = AnyEstimator::new(KNeighborsClassifier::new(3));
/// let model = BaggingClassifier::new(knn).n_estimators(20).oob_score(true).fit(&data.x, data.labels()?)?;
/// assert!(model.oob_score().unwrap() > 0.9);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BaggingClassifier {
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

impl Default for BaggingClassifier {
    fn default() -> BaggingClassifier {
        BaggingClassifier {
            estimator: AnyEstimator::new(DecisionTreeClassifier::default()),
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

impl BaggingClassifier {
    /// Bags of this model.
    pub fn new(estimator: AnyEstimator) -> BaggingClassifier {
        BaggingClassifier { estimator, ..BaggingClassifier::default() }
    }

    /// Sets the number of bags.
    pub fn n_estimators(mut self, n_estimators: usize) -> BaggingClassifier {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the share of the rows.
    pub fn max_samples(mut self, max_samples: f64) -> BaggingClassifier {
        self.max_samples = max_samples;
        self
    }

    /// Sets the share of the columns.
    pub fn max_features(mut self, max_features: f64) -> BaggingClassifier {
        self.max_features = max_features;
        self
    }

    /// Sets whether a row may be drawn more than once.
    pub fn bootstrap(mut self, bootstrap: bool) -> BaggingClassifier {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets whether a column may be drawn more than once.
    pub fn bootstrap_features(mut self, bootstrap_features: bool) -> BaggingClassifier {
        self.bootstrap_features = bootstrap_features;
        self
    }

    /// Sets whether the rows that a bag does not have are scored by it.
    pub fn oob_score(mut self, oob_score: bool) -> BaggingClassifier {
        self.oob_score = oob_score;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> BaggingClassifier {
        self.seed = seed;
        self
    }

    /// Fits a model on each bag of the rows of `x`, n×d.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<BaggingClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, which the model must take, or an observer, which may finish with fewer bags.
    pub fn fit_with<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels, options: Fit<'_>) -> Result<BaggingClassifierModel> {
        let (x, rules) = (x.into(), self.rules());
        rules.check(Task::Classification)?;
        let columns = x.complete_rows("BaggingClassifier", y.len())?;
        let weights = options.weights("BaggingClassifier", y.len())?;
        let target = Target::Classes(y.clone());
        let fitted = options.watched("bagging", |watch| rules.fit(x, &target, Some(y.classes()), weights, watch))?;
        let classes = y.with_codes(vec![])?;
        let oob_score = fitted.out_of_bag.map(|chances| {
            let rows = known_rows(&chances, weights);
            let score = || crate::metrics::accuracy(&y.select(&rows)?, &winners(&classes, &chances.select(&rows)?)?);
            (!rows.is_empty()).then(score).transpose()
        });
        let (bags, oob_score) = (fitted.bags, oob_score.transpose()?.flatten());
        Ok(BaggingClassifierModel { bags, classes, columns, oob_score, parameters: written(self) })
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
pub struct BaggingClassifierModel {
    bags: Vec<Bag>,
    classes: Labels,
    columns: usize,
    oob_score: Option<f64>,
    parameters: Option<Map<String, Value>>,
}

impl BaggingClassifierModel {
    /// Number of bags.
    pub fn len(&self) -> usize {
        self.bags.len()
    }

    /// Never true: there is a bag at least.
    pub fn is_empty(&self) -> bool {
        self.bags.is_empty()
    }

    /// The share of rows whose class is right when each row is predicted by the bags without it; none if it was not asked
    /// for, or every bag has every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// The margin of each row of `x` (Breiman 2001): the share of the bags that vote for its class `y` minus
    /// the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.votes(x.into())?.margins("BaggingClassifier", self.classes.names(), y)
    }

    /// How strong the bags are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Strength> {
        self.votes(x.into())?.strength("BaggingClassifier", self.classes.names(), y)
    }

    /// The class of each row by the first `bags` bags alone: what a fit of so many would say.
    pub fn staged_predict<'a>(&self, x: impl Into<Rows<'a>>, bags: usize) -> Result<Labels> {
        winners(&self.classes, &self.mean_chances(x.into(), bags.max(1))?)
    }

    /// The mean chances of the first `bags` bags, n×k.
    fn mean_chances(&self, x: Rows<'_>, bags: usize) -> Result<Matrix> {
        check_width(x, self.columns)?;
        let said = |bag: &Bag| bag.say(x, Some(self.classes.classes()));
        weighted_mean(&self.bags.iter().take(bags).map(said).collect::<Result<Vec<_>>>()?, None)
    }

    /// The class that each bag gives each row.
    fn votes(&self, x: Rows<'_>) -> Result<Votes> {
        check_width(x, self.columns)?;
        let classes = self.classes.classes();
        let said = |bag: &Bag| winners(&self.classes, &bag.say(x, Some(classes))?);
        let said: Vec<Labels> = self.bags.iter().map(said).collect::<Result<_>>()?;
        let rows = said.first().map_or(0, Labels::len);
        let codes = (0..rows).flat_map(|row| said.iter().map(move |labels| labels.codes()[row])).collect();
        Ok(Votes::new(codes, self.bags.len(), classes))
    }
}

impl Predict for BaggingClassifierModel {
    type Output = Labels;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        winners(&self.classes, &self.predict_proba(x)?)
    }
}

impl PredictProba for BaggingClassifierModel {
    /// The mean of the bags' chances, n×k.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.mean_chances(x.into(), usize::MAX)
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    oob_score: Option<f64>,
    /// What was fitted; files of the first versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Map<String, Value>>,
}

impl Persist for BaggingClassifierModel {
    const KIND: &'static str = "bagging-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { oob_score: self.oob_score, parameters: self.parameters.clone() })?;
        store_classes(container, &self.classes)?;
        store_bags(container, self.bags.iter().collect(), self.columns)
    }

    fn restore(container: &mut Container) -> Result<BaggingClassifierModel> {
        let Saved { oob_score, parameters } = container.parameters()?;
        let (bags, columns) = restore_bags(container)?;
        let classes = restore_classes(container, bags.iter().map(|bag| &bag.model))?;
        Ok(BaggingClassifierModel { bags, classes, columns, oob_score, parameters })
    }
}

impl crate::estimator::Parameters for BaggingClassifier {
    type Model = BaggingClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "bagging-classifier";
    const ABOUT: &'static str = "the mean chances of one model fitted on many random bags of rows";
    const PARAMETERS: &'static [crate::estimator::Parameter] = PARAMETERS;
    const TASK: Task = Task::Classification;
}

impl Estimator for BaggingClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { categories: self.estimator.abilities().categories, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<BaggingClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for BaggingClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("oob_score", self.oob_score)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        pictures::bagging_figures(self, input)
    }
}
