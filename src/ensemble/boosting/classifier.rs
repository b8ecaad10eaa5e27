//! Boosted classes.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::classifier_parameters::{GradientBoostingClassifier, PARAMETERS};
use super::model::{Boosted, Summary};
use super::rounds::{Problem, boost};
use super::stages::Stages;
use super::truths::Truths;
use crate::array::Matrix;
use crate::cpu::tree::gradients::{sigmoid, softmax_row};
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, Fitted, Observer, Outcome, Predict, PredictProba, Prediction, Rows, Score, Task, Truth,
};
use crate::model::{Container, Persist};
use crate::tree::Tree;

const OP: &str = "GradientBoostingClassifier";

impl GradientBoostingClassifier {
    /// Boosts trees on the rows of `x` (n×d; NaN is a missing value) and their classes.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<GradientBoostingClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, validation rows or an observer.
    /// [`Flow::Finish`](crate::estimator::Flow::Finish) ends the fit with the trees it has.
    pub fn fit_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<GradientBoostingClassifierModel> {
        let settings = self.settings()?;
        let rows: Rows<'_> = x.into();
        let device = rows.device();
        let x = rows.on_host()?;
        check_rows(&x, y)?;
        let weights = options.weights(OP, x.rows())?.map(<[f32]>::to_vec);
        let validation = options.validation_rows().map(|(x, truth)| validation(y, x, truth)).transpose()?;
        let (truths, groups) = (truths(y.codes().to_vec(), y.classes()), y.codes().to_vec());
        let problem = Problem { x, device, truths, weights, groups, validation };
        let boosted = options.watched("gradient boosting", |watch| boost(problem, &settings, watch))?;
        let classes = y.with_codes(vec![])?;
        Ok(GradientBoostingClassifierModel { params: self.clone(), boosted, classes })
    }
}

fn check_rows(x: &Matrix, y: &Labels) -> Result<()> {
    if x.rows() == 0 || x.columns() == 0 {
        let (expected, got) = ("at least one row and one column", format!("{}×{}", x.rows(), x.columns()));
        return Err(Error::Shape { op: OP, expected: expected.to_string(), got });
    }
    if y.len() != x.rows() {
        let (expected, got) = (format!("a class for each of {} rows", x.rows()), y.len().to_string());
        return Err(Error::Shape { op: OP, expected, got });
    }
    if y.classes() < 2 {
        let (expected, got) = ("at least two classes".to_string(), y.classes().to_string());
        return Err(Error::Shape { op: OP, expected, got });
    }
    Ok(())
}

/// Two classes have one score, that of the second; more have one each.
fn truths(classes: Vec<u32>, count: usize) -> Truths {
    match count {
        2 => Truths::Binary(classes.into_iter().map(|class| class as f32).collect()),
        _ => Truths::Classes { classes, count },
    }
}

/// Validation rows with their classes in the codes of the fitted ones.
fn validation(y: &Labels, x: Rows<'_>, truth: Truth<'_>) -> Result<(Matrix, Truths)> {
    let Truth::Classes(labels) = truth else {
        let (expected, got) = ("classes of the validation rows".to_string(), "numbers".to_string());
        return Err(Error::Shape { op: OP, expected, got });
    };
    let x = x.on_host()?;
    if labels.len() != x.rows() || x.rows() == 0 {
        let (expected, got) = ("a class for each validation row", format!("{} for {} rows", labels.len(), x.rows()));
        return Err(Error::Shape { op: OP, expected: expected.to_string(), got });
    }
    let code = |name: &String| y.names().iter().position(|known| known == name).map(|code| code as u32);
    let codes: Vec<Option<u32>> = labels.names().iter().map(code).collect();
    let unknown = |class: u32| {
        let (expected, name) = ("validation rows of the classes fitted".to_string(), &labels.names()[class as usize]);
        Error::Shape { op: OP, expected, got: format!("the class {name:?}") }
    };
    let classes = labels.codes().iter().map(|class| codes[*class as usize].ok_or_else(|| unknown(*class)));
    Ok((x, truths(classes.collect::<Result<_>>()?, y.classes())))
}

/// Trees that give the chances of classes.
#[derive(Debug, Clone)]
pub struct GradientBoostingClassifierModel {
    params: GradientBoostingClassifier,
    boosted: Boosted,
    /// The classes' names, without rows.
    classes: Labels,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Stored {
    params: GradientBoostingClassifier,
    fitted: Summary,
}

impl GradientBoostingClassifierModel {
    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.classes.names()
    }

    /// The trees, round after round; with more than two classes a round has one for each.
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

    /// The mean log-loss of the validation rows after each round, also of rounds that were not kept; empty without
    /// validation rows.
    pub fn validation_losses(&self) -> &[f64] {
        self.boosted.curve()
    }

    /// The share of each feature in the gains of all divisions; they sum to 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.boosted.importances()
    }

    /// How many divisions use each feature.
    pub fn feature_splits(&self) -> Vec<u64> {
        self.boosted.split_counts()
    }

    /// The scores of each row: n×1 log-odds of the second of two classes, or n×k.
    pub fn decision_scores<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let scores: Vec<f32> = self.boosted.scores(OP, x.into())?.into_iter().map(|score| score as f32).collect();
        Matrix::from_vec(scores.len() / self.boosted.outputs(), self.boosted.outputs(), scores)
    }

    /// The chances n×k after each round.
    pub fn staged_predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<impl Iterator<Item = Result<Matrix>>> {
        let x = self.boosted.rows(OP, x.into())?;
        Ok(Stages::new(&self.boosted, x).map(|scores| self.chances_of(scores)))
    }

    /// The classes after each round.
    pub fn staged_predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<impl Iterator<Item = Result<Labels>>> {
        let x = self.boosted.rows(OP, x.into())?;
        Ok(Stages::new(&self.boosted, x).map(|scores| self.winners(&scores)))
    }

    fn chances_of(&self, scores: Vec<f64>) -> Result<Matrix> {
        let (classes, outputs) = (self.classes.classes(), self.boosted.outputs());
        let rows = scores.len() / outputs;
        let mut chances = Matrix::zeros(rows, classes)?;
        let places = chances.as_mut_slice().par_chunks_exact_mut(classes).zip(scores.par_chunks_exact(outputs));
        places.with_min_len(1024).for_each(|(chances, scores)| match scores {
            [score] => {
                let score = *score as f32;
                (chances[0], chances[1]) = (sigmoid(-score), sigmoid(score));
            }
            scores => {
                chances.iter_mut().zip(scores).for_each(|(chance, score)| *chance = *score as f32);
                softmax_row(chances);
            }
        });
        Ok(chances)
    }

    /// The class with the largest score; equal ones go to the lowest.
    fn winners(&self, scores: &[f64]) -> Result<Labels> {
        let winner = |scores: &[f64]| match scores {
            [score] => u32::from(*score > 0.0),
            scores => {
                (1..scores.len()).fold(0, |best, class| if scores[class] > scores[best] { class } else { best }) as u32
            }
        };
        self.classes.with_codes(scores.chunks_exact(self.boosted.outputs()).map(winner).collect())
    }
}

impl Predict for GradientBoostingClassifierModel {
    type Output = Labels;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        self.winners(&self.boosted.scores(OP, x.into())?)
    }
}

impl PredictProba for GradientBoostingClassifierModel {
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.chances_of(self.boosted.scores(OP, x.into())?)
    }
}

impl Score for GradientBoostingClassifierModel {
    type Target = Labels;

    /// The share of rows whose class is right.
    fn score<'a>(&self, x: impl Into<Rows<'a>>, target: &Labels) -> Result<f64> {
        crate::metrics::accuracy(target, &self.predict(x)?)
    }
}

impl Persist for GradientBoostingClassifierModel {
    const KIND: &'static str = "gradient-boosting-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Stored { params: self.params.clone(), fitted: self.boosted.summary() })?;
        container.insert_strings("class_names", self.classes.names())?;
        self.boosted.store(container)
    }

    fn restore(container: &mut Container) -> Result<GradientBoostingClassifierModel> {
        let Stored { params, fitted } = container.parameters()?;
        let boosted = Boosted::restore(container, fitted)?;
        let names = container.take_strings("class_names")?;
        let outputs = if names.len() == 2 { 1 } else { names.len() };
        if names.len() < 2 || boosted.outputs() != outputs {
            return Err(container.refuse(format!("{} outputs for {} classes", boosted.outputs(), names.len())));
        }
        let classes = Labels::from_codes(vec![], names)?;
        Ok(GradientBoostingClassifierModel { params, boosted, classes })
    }
}

impl Estimator for GradientBoostingClassifier {
    type Model = GradientBoostingClassifierModel;
    const TASK: Task = Task::Classification;
    const ABOUT: &'static str = "boosted trees, each a step down the loss that the trees before it left";
    const PARAMETERS: &'static [(&'static str, &'static str)] = PARAMETERS;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<Self::Model> {
        self.fit_with(x, target.labels()?, options)
    }
}

impl Fitted for GradientBoostingClassifierModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn chances(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn class_names(&self) -> &[String] {
        self.classes()
    }

    fn outcome(&self) -> Outcome {
        self.boosted.outcome()
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
