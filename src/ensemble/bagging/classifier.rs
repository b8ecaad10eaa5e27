//! Classes from models fitted on bags of rows.

use serde::{Deserialize, Serialize};

use super::bags::{Bag, BagRules, check_width, known_rows, restore_bags, store_bags};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::ensemble::margins::{ForestStrength, Votes};
use crate::ensemble::members::{restore_classes, store_classes, weighted_mean, winners};
use crate::ensemble::pictures;
use crate::error::Result;
use crate::estimator::{
    Abilities, AnyEstimator, Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, PredictProba,
    Prediction, Rows, Save, Task, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::tree::DecisionTreeClassifier;

bagging_parameters! {
    /// Classes by the mean probabilities of one model fitted on many bags: random rows, and random columns too if asked
    /// for (Breiman 1996). Names and defaults are scikit-learn's.
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
    BaggingClassifier: classifier("bagging-classifier") -> BaggingClassifierModel;
    about "the mean probabilities of one model fitted on many random bags of rows";
    estimator = AnyEstimator::new(DecisionTreeClassifier::default());
}

impl Estimator for BaggingClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { categories: self.estimator.abilities().categories, ..Abilities::default() }
    }

    /// With sample weights, which the model must take, or an observer, which may finish with fewer bags.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<BaggingClassifierModel> {
        let rules = BagRules::from(self);
        rules.check(Task::Classification)?;
        let columns = x.complete_rows("BaggingClassifier", y.len())?;
        let weights = options.weights("BaggingClassifier", y.len())?;
        let target = Target::Classes(y.clone());
        let fitted =
            options.watched("bagging", |reporter| rules.fit(x, &target, Some(y.classes()), weights, reporter))?;
        let classes = y.with_codes(vec![])?;
        let oob_score = fitted.out_of_bag.map(|probabilities| {
            let rows = known_rows(&probabilities, weights);
            let score =
                || crate::metrics::accuracy(&y.select(&rows)?, &winners(&classes, &probabilities.select(&rows)?)?);
            (!rows.is_empty()).then(score).transpose()
        });
        let (bags, oob_score) = (fitted.bags, oob_score.transpose()?.flatten());
        Ok(BaggingClassifierModel { bags, classes, columns, oob_score, params: self.clone() })
    }
}

/// Models fitted on bags.
#[derive(Debug)]
pub struct BaggingClassifierModel {
    bags: Vec<Bag>,
    classes: Labels,
    columns: usize,
    oob_score: Option<f64>,
    params: BaggingClassifier,
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

    /// The share of rows whose class is right when each row is predicted by the bags without it; none if it was not
    /// asked for, or every bag has every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// The margin of each row of `x` (Breiman 2001): the share of the bags that vote for its class `y` minus
    /// the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.votes(x.into())?.margins("BaggingClassifier", self.classes.names(), y)
    }

    /// How strong the bags are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<ForestStrength> {
        self.votes(x.into())?.strength("BaggingClassifier", self.classes.names(), y)
    }

    /// The class of each row by the first `bags` bags alone: what a fit of so many would predict.
    pub fn staged_predict<'a>(&self, x: impl Into<Rows<'a>>, bags: usize) -> Result<Labels> {
        winners(&self.classes, &self.mean_probabilities(x.into(), bags.max(1))?)
    }

    /// The mean probabilities of the first `bags` bags, n×k.
    fn mean_probabilities(&self, x: Rows<'_>, bags: usize) -> Result<Matrix> {
        check_width(x, self.columns)?;
        let said = |bag: &Bag| bag.predict(x, Some(self.classes.classes()));
        weighted_mean(&self.bags.iter().take(bags).map(said).collect::<Result<Vec<_>>>()?, None)
    }

    /// The class that each bag gives each row.
    fn votes(&self, x: Rows<'_>) -> Result<Votes> {
        check_width(x, self.columns)?;
        let classes = self.classes.classes();
        let said = |bag: &Bag| winners(&self.classes, &bag.predict(x, Some(classes))?);
        let said: Vec<Labels> = self.bags.iter().map(said).collect::<Result<_>>()?;
        let rows = said.first().map_or(0, Labels::len);
        let codes = (0..rows).flat_map(|row| said.iter().map(move |labels| labels.codes()[row])).collect();
        Ok(Votes::new(codes, self.bags.len(), classes))
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    oob_score: Option<f64>,
}

impl Predict for BaggingClassifierModel {
    type Output = Labels;
}

impl PredictProba for BaggingClassifierModel {}

impl Model for BaggingClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(winners(&self.classes, &self.mean_probabilities(x, usize::MAX)?)?.into())
    }

    /// The mean of the bags' probabilities, n×k.
    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.mean_probabilities(x, usize::MAX).map(Some)
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

impl Save for BaggingClassifierModel {
    type Estimator = BaggingClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&Fitted { oob_score: self.oob_score })?;
        store_classes(container, &self.classes)?;
        store_bags(container, self.bags.iter().collect(), self.columns)
    }

    fn load_fitted(params: BaggingClassifier, container: &mut Container) -> Result<BaggingClassifierModel> {
        let Fitted { oob_score } = container.fitted()?;
        let (bags, columns) = restore_bags(container)?;
        let classes = restore_classes(container, bags.iter().map(|bag| &bag.model))?;
        Ok(BaggingClassifierModel { bags, classes, columns, oob_score, params })
    }
}
