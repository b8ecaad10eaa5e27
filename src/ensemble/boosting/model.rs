//! A fitted boosting of classes or numbers.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::boosted::Boosted;
use super::lightgbm::to_text;
use super::staged::StagedScores;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, FitReport, FittedWith, Model, Observer, PictureInput, Predict, Predicted, Prediction, Queries,
    Rows, Save, Task,
};
use crate::model_file::{Container, add_to_expected, write_atomically};
use crate::plot::Figure;
use crate::tree::{Tree, to_matrix};

/// What tells the boosting of classes from that of numbers.
#[doc(hidden)]
pub trait BoostingEstimator: Estimator<Model = BoostingModel<Self>> + Declared {
    /// What is predicted: `Labels`, or a `Matrix` of numbers.
    type Output: Predicted;

    /// What the scores of rows, n×outputs, say.
    fn predictions(model: &BoostingModel<Self>, scores: &[f64]) -> Result<Self::Output>;

    /// The probabilities of classes that the scores stand for, n×k.
    fn probabilities(_model: &BoostingModel<Self>, _scores: &[f64]) -> Result<Option<Matrix>> {
        Ok(None)
    }

    /// LightGBM's name of the loss; none for raw scores.
    fn objective(model: &BoostingModel<Self>) -> Option<String>;

    /// Refuses classes or outputs in a model file that do not go with the loss.
    fn check_outputs(&self, _classes: &[String], _outputs: usize) -> std::result::Result<(), String> {
        Ok(())
    }

    /// The pictures of the model.
    fn figures(model: &BoostingModel<Self>, input: &PictureInput<'_>) -> Result<Vec<Figure>>;
}

/// Trees that give the probabilities of classes, or numbers.
#[derive(Debug, Clone)]
pub struct BoostingModel<E> {
    pub(crate) params: FittedWith<E>,
    pub(super) boosted: Boosted,
    /// The classes' names, without rows; none of numbers.
    pub(super) classes: Labels,
    /// Whether the loss was the user's, and predictions are raw scores.
    pub(super) own_loss: bool,
}

impl<E: BoostingEstimator> BoostingModel<E> {
    /// The trees, round after round; with more than two classes a round has one for each, with p targets likewise.
    pub fn trees(&self) -> &[Tree] {
        self.boosted.trees()
    }

    /// Rounds that were kept.
    pub fn iterations(&self) -> usize {
        self.boosted.rounds()
    }

    /// Whether the fit ended before `n_estimators` rounds by itself.
    pub fn converged(&self) -> bool {
        self.boosted.converged()
    }

    /// The mean loss of the validation rows (log-loss, the squared error, the Poisson deviance, …) after each round,
    /// also of rounds that were not kept; empty without validation rows.
    pub fn validation_losses(&self) -> &[f64] {
        self.boosted.curve()
    }

    /// The share of each feature in the gains of all splits; they sum to 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.boosted.importances()
    }

    /// How many splits use each feature.
    pub fn feature_splits(&self) -> Vec<u64> {
        self.boosted.split_counts()
    }

    /// How much each feature moves the score of each row away from the expected one: a matrix n×(d + 1) for each score,
    /// with the expected score in the last column; a row of it adds up to that of
    /// [`decision_function`](crate::estimator::Decision::decision_function).
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the numbers of rows as in LightGBM, on the CPU.
    /// Costs leaves·depth² operations a row and tree.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let data = datasets::iris()?;
    /// let model = GradientBoostingClassifier::default().n_estimators(5).fit(&data.x, data.labels()?)?;
    /// let shapley = model.shapley_values(&data.x)?; // n×(d + 1) for each of three classes
    /// let sum: f32 = shapley[2].row(7).iter().sum();
    /// assert!((sum - model.decision_function(&data.x)?.get(7, 2)).abs() < 1e-5);
    ///
    /// let data = datasets::diabetes()?;
    /// let model = GradientBoostingRegressor::default().n_estimators(10).fit(&data.x, data.values()?)?;
    /// let shapley = &model.shapley_values(&data.x)?[0]; // n×(d + 1)
    /// let sum: f32 = shapley.row(7).iter().sum();
    /// assert!((sum - model.predict(&data.x)?.get(7, 0)).abs() < 1e-3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn shapley_values<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Vec<Matrix>> {
        let found = self.boosted.shapley_values(E::TYPE, self.params.align(x)?.rows())?;
        add_to_expected(self.params.shift(), found)
    }

    /// The model in LightGBM's text format (several targets, and the Poisson loss of them, as raw scores), with the
    /// baseline in the leaves of the first round. Columns are named `Column_0` and so on.
    pub fn to_lightgbm_text(&self) -> String {
        self.to_lightgbm_text_with(&[])
    }

    /// The same with the names of the columns; blanks and signs that LightGBM refuses in them become `_`.
    pub fn to_lightgbm_text_with(&self, columns: &[String]) -> String {
        let baseline = self.params.in_unit_of_target(self.boosted.baseline());
        to_text(&self.boosted, baseline, E::objective(self).as_deref(), columns)
    }

    /// Writes [`to_lightgbm_text`](Self::to_lightgbm_text) to a file, which LightGBM loads as a model. The file is
    /// replaced whole or not at all.
    pub fn save_lightgbm(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomically(path, self.to_lightgbm_text().as_bytes())
    }

    /// The classes, or the predictions n×p, after each round.
    pub fn staged_predict<'a>(&self, x: impl Into<Queries<'a>>) -> Result<impl Iterator<Item = Result<E::Output>>> {
        let predictions = |scores: Vec<f64>| {
            let prediction = E::predictions(self, &scores)?.into().moved_back(self.params.shift())?;
            let unfit = || Error::shape(E::NAME, "predictions of this kind", "others");
            E::Output::from_prediction(prediction).ok_or_else(unfit)
        };
        Ok(self.staged_scores(self.params.align(x)?.rows())?.map(predictions))
    }

    pub(super) fn staged_scores(&self, x: Rows<'_>) -> Result<StagedScores<'_>> {
        Ok(StagedScores::new(&self.boosted, self.boosted.rows(E::TYPE, x)?))
    }

    /// The scores n×outputs that predictions are made of.
    pub(super) fn scores_as_matrix(&self, x: Rows<'_>) -> Result<Matrix> {
        let (scores, outputs) = (self.boosted.scores(E::TYPE, x)?, self.boosted.outputs());
        to_matrix(&scores, scores.len() / outputs, outputs)
    }
}

impl<E: BoostingEstimator> Predict for BoostingModel<E> {
    /// Labels, or numbers n×p.
    type Output = E::Output;
}

impl<E: BoostingEstimator> Model for BoostingModel<E> {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(E::predictions(self, &self.boosted.scores(E::TYPE, x)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        match E::TASK {
            Task::Classification => E::probabilities(self, &self.boosted.scores(E::TYPE, x)?),
            _ => Ok(None),
        }
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let scores = self.boosted.scores(E::TYPE, x)?;
        Ok((E::predictions(self, &scores)?.into(), E::probabilities(self, &scores)?))
    }

    /// Of classes: n×1 log-odds of the second of two (half of them for the exponential loss), or n×k.
    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        (E::TASK == Task::Classification).then(|| self.scores_as_matrix(x)).transpose()
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.boosted.shapley_values(E::TYPE, x).map(Some)
    }

    fn report(&self) -> FitReport {
        self.boosted.report()
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        E::figures(self, input)
    }
}

/// The numbers that are no arrays.
#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    features: usize,
    converged: bool,
    /// Of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_loss: Option<bool>,
}

impl<E: BoostingEstimator> Save for BoostingModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (features, converged) = (self.boosted.features(), self.boosted.converged());
        let own_loss = (E::TASK == Task::Regression).then_some(self.own_loss);
        container.set_fitted(&Fitted { features, converged, own_loss })?;
        if E::TASK == Task::Classification {
            container.insert_strings("class_names", self.classes.names())?;
        }
        self.boosted.store(container)
    }

    fn load_fitted(params: FittedWith<E>, container: &mut Container) -> Result<BoostingModel<E>> {
        let Fitted { features, converged, own_loss } = container.fitted()?;
        let boosted = Boosted::restore(container, features, converged)?;
        let names = match E::TASK {
            Task::Classification => container.take_strings("class_names")?,
            _ => vec![],
        };
        params.check_outputs(&names, boosted.outputs()).map_err(|why| container.refuse(why))?;
        let classes = Labels::from_codes(vec![], names)?;
        Ok(BoostingModel { params, boosted, classes, own_loss: own_loss.unwrap_or(false) })
    }
}
