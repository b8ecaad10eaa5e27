//! Classes by a weighted vote of weak classifiers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::learners::{Learner, classifier_of_rows};
use super::weights::{normalise, resample, start};
use crate::array::Matrix;
use crate::data::Labels;
use crate::ensemble::members::{
    check_members, classes_of, restore_classes, restore_members, store_classes, store_members, winners, written,
};
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, Fit, Predict, PredictProba, Reporter, Rows, Task};
use crate::model_file::{Container, Persist};
use crate::tree::DecisionTreeClassifier;

const OP: &str = "AdaBoostClassifier";

/// AdaBoost (Freund and Schapire 1996), for several classes by SAMME (Zhu et al. 2009). Names and defaults are
/// scikit-learn's.
///
/// Round m fits a weak classifier to weighted rows and gives it the vote α = log((1 − ε)/ε) + log(K − 1), ε its weighted
/// error among K classes; the weights of the rows it got wrong grow by exp α. For two classes α is twice the
/// ½·log((1 − ε)/ε) that goes with labels of ±1.
///
/// ```
/// use gristmill::ensemble::AdaBoostClassifier;
/// use gristmill::prelude::*;
/// let (train, test) = datasets::breast_cancer()?.split(0.7, 1)?;
/// let model = AdaBoostClassifier::default().fit(&train.x, train.labels()?)?;
/// assert!(model.score(&test.x, test.labels()?)? > 0.93);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - A classifier without any error would get an infinite vote. In the first round it decides alone; later it joins
///   those before it, with the vote of an error of half a row (Schapire and Singer 1999, §4.2). The rounds end with it
///   either way.
/// - Of two classes, one worse than chance gets a negative vote: its opposite counts. One exactly at chance, or of more
///   classes one no better than chance, ends the rounds; in the first round that is an error.
/// - The training error of two classes is at most Π 2√(ε(1 − ε)) when every vote is whole, see
///   [`AdaBoostClassifierModel::error_bound`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AdaBoostClassifier {
    /// The weak classifier; it takes sample weights, unless rows are resampled. Default: a tree of depth 1.
    pub estimator: AnyEstimator,
    /// Rounds at most. Default 50.
    pub n_estimators: usize,
    /// Shrinks every vote, above 0. Default 1.
    pub learning_rate: f64,
    /// Whether rounds draw rows by their weights instead of weighting them. Default false.
    pub resample: bool,
    /// Decides what is drawn. Default 0.
    pub seed: u64,
}

impl Default for AdaBoostClassifier {
    fn default() -> AdaBoostClassifier {
        let stump = AnyEstimator::new(DecisionTreeClassifier::default().max_depth(1));
        AdaBoostClassifier { estimator: stump, n_estimators: 50, learning_rate: 1.0, resample: false, seed: 0 }
    }
}

impl AdaBoostClassifier {
    /// Boosts this classifier.
    pub fn new(estimator: AnyEstimator) -> AdaBoostClassifier {
        AdaBoostClassifier { estimator, ..AdaBoostClassifier::default() }
    }

    /// Sets the number of rounds.
    pub fn n_estimators(mut self, n_estimators: usize) -> AdaBoostClassifier {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets how much every vote is shrunk.
    pub fn learning_rate(mut self, learning_rate: f64) -> AdaBoostClassifier {
        self.learning_rate = learning_rate;
        self
    }

    /// Sets whether rows are drawn instead of weighted.
    pub fn resample(mut self, resample: bool) -> AdaBoostClassifier {
        self.resample = resample;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> AdaBoostClassifier {
        self.seed = seed;
        self
    }

    /// Boosts on the rows of `x`, n×d, with their classes.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<AdaBoostClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights to begin with, or an observer, which may finish with fewer rounds.
    pub fn fit_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<AdaBoostClassifierModel> {
        let x = x.into();
        check_rounds(self.n_estimators, self.learning_rate)?;
        check_members("estimator", std::slice::from_ref(&self.estimator), Task::Classification)?;
        x.complete_rows(OP, y.len())?;
        let weights = start(y.len(), options.weights(OP, y.len())?);
        options.watched("AdaBoost", |watch| self.boost(x, y, weights, watch))
    }

    fn boost(
        &self,
        x: Rows<'_>,
        y: &Labels,
        mut weights: Vec<f64>,
        watch: &mut Reporter<'_>,
    ) -> Result<AdaBoostClassifierModel> {
        let device = x.on_device()?.device().clone();
        let rows = x.on_host()?;
        let present = present_classes(y, &weights);
        let half_a_row = 0.5 / weights.iter().filter(|weight| **weight > 0.0).count() as f64;
        let mut ballot = Ballot::new(y, weights.clone());
        let learner = match self.resample {
            true => Learner::Any(self.estimator.clone()),
            false => Learner::new(&self.estimator, &rows, y, &weights)?,
        };
        let mut found = AdaBoostClassifierModel::start(y, written(self))?;
        for round in 0..self.n_estimators {
            let seed = self.seed.wrapping_add(round as u64);
            let fitted = match self.resample {
                true => {
                    let drawn = resample(&weights, self.seed, round);
                    classifier_of_rows(&self.estimator, &rows, &device, y, &drawn, seed)
                }
                false => learner.weighted(&rows, &device, y, &weights, seed),
            };
            let (model, said) = fitted.map_err(|error| error.inside(format!("round {round}")))?;
            let wrong = |row: usize| said.codes()[row] != y.codes()[row];
            let error: f64 = (0..y.len()).filter(|row| wrong(*row)).map(|row| weights[row]).sum();
            if error <= 0.0 && found.members.is_empty() {
                found.decide_alone(model);
                break;
            }
            // Half a row for no error: the vote stays finite, and those before it are still heard.
            let smoothed = if error > 0.0 { error } else { half_a_row };
            let vote = self.learning_rate * (((1.0 - smoothed) / smoothed).ln() + (present as f64 - 1.0).ln());
            let useless = if present == 2 { vote == 0.0 } else { vote <= 0.0 };
            if useless || !vote.is_finite() {
                if found.members.is_empty() {
                    let rule = "a classifier that is better than chance".to_string();
                    let got = format!("{} with the weighted error {error}", self.estimator.name());
                    return Err(Error::Param { name: "estimator", rule, got });
                }
                break;
            }
            (0..y.len()).filter(|row| wrong(*row)).for_each(|row| weights[row] *= vote.exp());
            normalise(&mut weights);
            found.members.push(model);
            found.votes.push(vote);
            found.errors.push(error);
            found.train_errors.push(ballot.error_after(&said, vote, y));
            let done = (round + 1) as f64 / self.n_estimators as f64;
            if watch.report(round + 1, Some(error), done)? || error <= 0.0 {
                break;
            }
        }
        Ok(found)
    }
}

/// How many classes have a row that counts, at least 2: of one class every classifier is perfect.
fn present_classes(y: &Labels, weights: &[f64]) -> usize {
    let mut present = vec![false; y.classes()];
    y.codes()
        .iter()
        .zip(weights)
        .filter(|(_, weight)| **weight > 0.0)
        .for_each(|(code, _)| present[*code as usize] = true);
    present.into_iter().filter(|present| *present).count().max(2)
}

pub(super) fn check_rounds(n_estimators: usize, learning_rate: f64) -> Result<()> {
    if n_estimators == 0 {
        return Err(Error::Param { name: "n_estimators", rule: "at least 1".to_string(), got: "0".to_string() });
    }
    if !(learning_rate > 0.0 && learning_rate.is_finite()) {
        let rule = "a finite number above 0".to_string();
        return Err(Error::Param { name: "learning_rate", rule, got: learning_rate.to_string() });
    }
    Ok(())
}

/// Weak classifiers with their votes.
#[derive(Debug)]
pub struct AdaBoostClassifierModel {
    pub(super) members: Vec<AnyModel>,
    votes: Vec<f64>,
    errors: Vec<f64>,
    train_errors: Vec<f64>,
    pub(super) classes: Labels,
    parameters: Option<Map<String, Value>>,
}

/// The votes for the fitted rows so far.
struct Ballot {
    /// n×k.
    sums: Vec<f64>,
    classes: usize,
    /// How much each row counted before the first round.
    weights: Vec<f64>,
}

impl Ballot {
    fn new(y: &Labels, weights: Vec<f64>) -> Ballot {
        Ballot { sums: vec![0.0; y.len() * y.classes()], classes: y.classes(), weights }
    }

    /// The share of the weight whose class is wrong when these votes are added.
    fn error_after(&mut self, said: &Labels, vote: f64, y: &Labels) -> f64 {
        let mut wrong = 0.0;
        for (row, sums) in self.sums.chunks_exact_mut(self.classes).enumerate() {
            sums[said.codes()[row] as usize] += vote;
            let best = (1..sums.len()).fold(0, |best, class| if sums[class] > sums[best] { class } else { best });
            wrong += if best as u32 == y.codes()[row] { 0.0 } else { self.weights[row] };
        }
        wrong / self.weights.iter().sum::<f64>()
    }
}

impl AdaBoostClassifierModel {
    fn start(y: &Labels, parameters: Option<Map<String, Value>>) -> Result<AdaBoostClassifierModel> {
        let (members, votes, errors, train_errors) = (vec![], vec![], vec![], vec![]);
        let classes = y.with_codes(vec![])?;
        Ok(AdaBoostClassifierModel { members, votes, errors, train_errors, classes, parameters })
    }

    /// A classifier without error in the first round.
    fn decide_alone(&mut self, model: AnyModel) {
        (self.members, self.votes, self.errors) = (vec![model], vec![1.0], vec![0.0]);
        self.train_errors = vec![0.0];
    }

    /// The weak classifiers, in the order of the rounds.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }

    /// The vote of each, α; for two classes twice ½·ln((1 − ε)/ε).
    pub fn estimator_weights(&self) -> &[f64] {
        &self.votes
    }

    /// The weighted error of each in its round.
    pub fn estimator_errors(&self) -> &[f64] {
        &self.errors
    }

    /// The share of the fitted rows, by their weights, that the first rounds together got wrong, after each round.
    pub fn train_errors(&self) -> &[f64] {
        &self.train_errors
    }

    /// What the training error of two classes cannot exceed: Π ((1 − ε)·exp(−α/2) + ε·exp(α/2)), which is Π 2√(ε(1 − ε))
    /// for a learning rate of 1. A classifier that decides alone has no error.
    pub fn error_bound(&self) -> f64 {
        if self.errors == [0.0] {
            return 0.0;
        }
        let factor = |(error, vote): (&f64, &f64)| (1.0 - error) * (-vote / 2.0).exp() + error * (vote / 2.0).exp();
        self.errors.iter().zip(&self.votes).map(factor).product()
    }

    /// The votes for each class after the first `rounds` rounds, n×k.
    pub fn staged_votes<'a>(&self, x: impl Into<Rows<'a>>, rounds: usize) -> Result<Matrix> {
        let (x, classes) = (x.into(), self.classes.classes());
        let mut sums: Vec<f64> = vec![];
        for (member, vote) in self.members.iter().zip(&self.votes).take(rounds) {
            let said = classes_of(member, x)?;
            sums.resize(said.len() * classes, 0.0);
            said.codes().iter().enumerate().for_each(|(row, code)| sums[row * classes + *code as usize] += vote);
        }
        let rows = x.on_device()?.rows();
        sums.resize(rows * classes, 0.0);
        Matrix::from_vec(rows, classes, sums.into_iter().map(|sum| sum as f32).collect())
    }

    /// The class of each row after the first `rounds` rounds.
    pub fn staged_predict<'a>(&self, x: impl Into<Rows<'a>>, rounds: usize) -> Result<Labels> {
        winners(&self.classes, &self.staged_votes(x, rounds)?)
    }
}

impl Predict for AdaBoostClassifierModel {
    type Output = Labels;

    /// The class with the most votes; the lowest of equal ones.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        self.staged_predict(x, usize::MAX)
    }
}

impl PredictProba for AdaBoostClassifierModel {
    /// Chances in proportion to the exponentials of the votes, n×k: what minimises the exponential loss
    /// (Friedman, Hastie and Tibshirani 2000).
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let mut votes = self.staged_votes(x, usize::MAX)?;
        let classes = self.classes.classes().max(1);
        for row in votes.as_mut_slice().chunks_exact_mut(classes) {
            let most = row.iter().copied().fold(f32::MIN, f32::max);
            row.iter_mut().for_each(|vote| *vote = (*vote - most).exp());
            let total: f32 = row.iter().sum();
            row.iter_mut().for_each(|chance| *chance /= total);
        }
        Ok(votes)
    }
}

/// What was fitted; files of the first versions do not tell.
#[derive(Serialize, Deserialize, PartialEq)]
pub(super) struct Saved {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parameters: Option<Map<String, Value>>,
}

impl Persist for AdaBoostClassifierModel {
    const KIND: &'static str = "ada-boost-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { parameters: self.parameters.clone() })?;
        container.insert("votes", &[self.votes.len()], self.votes.clone())?;
        container.insert("errors", &[self.errors.len()], self.errors.clone())?;
        container.insert("train_errors", &[self.train_errors.len()], self.train_errors.clone())?;
        store_classes(container, &self.classes)?;
        store_members(container, &self.members)
    }

    fn restore(container: &mut Container) -> Result<AdaBoostClassifierModel> {
        let Saved { parameters } = container.parameters()?;
        let members = restore_members(container)?;
        let votes = container.take("votes", &[members.len()])?;
        let errors = container.take("errors", &[members.len()])?;
        // Files of the first versions have none.
        let train_errors = match container.contains("train_errors") {
            true => container.take("train_errors", &[members.len()])?,
            false => vec![],
        };
        let classes = restore_classes(container, &members)?;
        Ok(AdaBoostClassifierModel { members, votes, errors, train_errors, classes, parameters })
    }
}
