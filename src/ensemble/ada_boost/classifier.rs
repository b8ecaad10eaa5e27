//! Classes by a weighted vote of weak classifiers.

use super::learners::{DrawnRows, WeakLearner};
use super::weights::{normalise, resample, start};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::reduce::argmax;
use crate::data::{Labels, Target};
use crate::ensemble::members::{abilities_of, check_members, classes_of, cost_of, winners};
use crate::ensemble::model::{Ensemble, EnsembleModel};
use crate::ensemble::pictures;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, FitReport, FitShape, PictureInput, Queries, Reporter, Rows,
    Task, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::tree::DecisionTreeClassifier;

const OP: &str = "AdaBoostClassifier";

parameters! {
    /// AdaBoost (Freund and Schapire 1996), for several classes by SAMME (Zhu et al. 2009). Names and defaults are
    /// scikit-learn's.
    ///
    /// Round m fits a weak classifier to weighted rows and gives it the vote α = log((1 − ε)/ε) + log(K − 1), ε its
    /// weighted error among K classes; the weights of the rows it got wrong grow by exp α. For two classes α is twice
    /// the ½·log((1 − ε)/ε) that goes with labels of ±1.
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
    ///   those before it, with the vote of an error of half a row (Schapire and Singer 1999, §4.2). The rounds end with
    ///   it either way.
    /// - Of two classes, one worse than chance gets a negative vote: its opposite counts. One exactly at chance, or of
    ///   more classes one no better than chance, ends the rounds; in the first round that is an error.
    /// - The training error of two classes is at most Π 2√(ε(1 − ε)) when every vote is whole, see
    ///   [`AdaBoostClassifierModel::error_bound`].
    pub struct AdaBoostClassifier: classifier("ada-boost-classifier") -> AdaBoostClassifierModel;
    about "weak classifiers in turn, each on what those before it got wrong";
    new(estimator: AnyEstimator);
    {
        /// The weak classifier; set its parameters as estimator.NAME.
        estimator: AnyEstimator = AnyEstimator::new(DecisionTreeClassifier::default().max_depth(1));
        /// Maximum number of rounds.
        n_estimators: usize = 50, at_least(1.0);
        /// Shrinks every vote.
        learning_rate: f64 = 1.0, above(0.0);
        /// Whether rows are drawn by their weights instead of weighted, for classifiers that take no weights.
        resample: bool = false;
        /// Seed of all random draws.
        seed: u64 = 0;
    }
}

impl AdaBoostClassifier {
    fn boost(
        &self,
        x: Rows<'_>,
        target: &Target,
        mut weights: Vec<f64>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<AnyModel>, ClassifierRounds)> {
        let y = target.labels()?;
        let on_device = x.on_device()?;
        let (device, rows) = (on_device.device(), x.on_host()?);
        let present = present_classes(y, &weights);
        let half_a_row = 0.5 / weights.iter().filter(|weight| **weight > 0.0).count() as f64;
        let mut votes = VoteCounts::new(y, weights.clone());
        let learner = match self.resample {
            true => WeakLearner::Any(self.estimator.clone()),
            false => WeakLearner::new(&self.estimator, (&rows, device), y, &weights)?,
        };
        let mut there = learner.on_gpu()?;
        let (mut members, mut found) = (vec![], ClassifierRounds::default());
        for round in 0..self.n_estimators {
            let seed = self.seed.wrapping_add(round as u64);
            let fitted = match self.resample {
                true => {
                    let drawn = resample(&weights, self.seed, round);
                    DrawnRows::new(&rows, &on_device).model(&self.estimator, target, &drawn, seed, classes_of)
                }
                false => learner.weighted((&rows, device), there.as_mut(), y, &weights, seed),
            };
            let (model, said) = fitted.map_err(|error| error.inside(format!("round {round}")))?;
            let wrong = |row: usize| said.codes()[row] != y.codes()[row];
            let error: f64 = (0..y.len()).filter(|row| wrong(*row)).map(|row| weights[row]).sum();
            if error <= 0.0 && members.is_empty() {
                // A classifier without error in the first round decides alone.
                members.push(model);
                found = ClassifierRounds { votes: vec![1.0], errors: vec![0.0], train_errors: vec![0.0] };
                break;
            }
            // Half a row for no error: the vote stays finite, and those before it are still heard.
            let smoothed = if error > 0.0 { error } else { half_a_row };
            let vote = self.learning_rate * (((1.0 - smoothed) / smoothed).ln() + (present as f64 - 1.0).ln());
            let useless = if present == 2 { vote == 0.0 } else { vote <= 0.0 };
            if useless || !vote.is_finite() {
                if members.is_empty() {
                    let rule = "a classifier that is better than chance".to_string();
                    let got = format!("{} with the weighted error {error}", self.estimator.name());
                    return Err(Error::param("estimator", rule, got));
                }
                break;
            }
            (0..y.len()).filter(|row| wrong(*row)).for_each(|row| weights[row] *= vote.exp());
            normalise(&mut weights);
            members.push(model);
            found.votes.push(vote);
            found.errors.push(error);
            found.train_errors.push(votes.error_after(&said, vote, y));
            let done = (round + 1) as f64 / self.n_estimators as f64;
            if reporter.report(round + 1, Some(error), done)? || error <= 0.0 {
                break;
            }
        }
        Ok((members, found))
    }
}

impl Estimator for AdaBoostClassifier {
    fn abilities(&self) -> Abilities {
        abilities_of(std::slice::from_ref(&self.estimator))
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        cost_of(std::slice::from_ref(&self.estimator), shape, self.n_estimators as f64)
    }

    /// With sample weights to begin with, or an observer, which may finish with fewer rounds.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<AdaBoostClassifierModel> {
        check_members("estimator", std::slice::from_ref(&self.estimator), Task::Classification)?;
        x.complete_rows(OP, y.len())?;
        let weights = start(y.len(), options.weights(OP, y.len())?);
        let target = Target::Classes(y.clone());
        let (members, rounds) = options.watched("AdaBoost", |reporter| self.boost(x, &target, weights, reporter))?;
        EnsembleModel::new(self, members, &target, rounds)
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

/// What the rounds of a fit leave: the vote of each classifier, its error, and that of all up to it.
#[derive(Debug, Default)]
pub struct ClassifierRounds {
    votes: Vec<f64>,
    errors: Vec<f64>,
    train_errors: Vec<f64>,
}

/// The votes for the fitted rows so far.
struct VoteCounts {
    /// n×k.
    sums: Vec<f64>,
    classes: usize,
    /// How much each row counted before the first round.
    weights: Vec<f64>,
}

impl VoteCounts {
    fn new(y: &Labels, weights: Vec<f64>) -> VoteCounts {
        VoteCounts { sums: vec![0.0; y.len() * y.classes()], classes: y.classes(), weights }
    }

    /// The share of the weight whose class is wrong when these votes are added.
    fn error_after(&mut self, said: &Labels, vote: f64, y: &Labels) -> f64 {
        let mut wrong = 0.0;
        for (row, sums) in self.sums.chunks_exact_mut(self.classes).enumerate() {
            sums[said.codes()[row] as usize] += vote;
            wrong += if argmax(sums) as u32 == y.codes()[row] { 0.0 } else { self.weights[row] };
        }
        wrong / self.weights.iter().sum::<f64>()
    }
}

/// Weak classifiers with their votes.
pub type AdaBoostClassifierModel = EnsembleModel<AdaBoostClassifier>;

impl EnsembleModel<AdaBoostClassifier> {
    /// The vote of each, α; for two classes twice ½·ln((1 − ε)/ε).
    pub fn estimator_weights(&self) -> &[f64] {
        &self.fitted.votes
    }

    /// The weighted error of each in its round.
    pub fn estimator_errors(&self) -> &[f64] {
        &self.fitted.errors
    }

    /// The share of the fitted rows, by their weights, that the first rounds together got wrong, after each round.
    pub fn train_errors(&self) -> &[f64] {
        &self.fitted.train_errors
    }

    /// What the training error of two classes cannot exceed: Π ((1 − ε)·exp(−α/2) + ε·exp(α/2)), which is Π 2√(ε(1 −
    /// ε)) for a learning rate of 1. A classifier that decides alone has no error.
    pub fn error_bound(&self) -> f64 {
        let ClassifierRounds { votes, errors, .. } = &self.fitted;
        if errors == &[0.0] {
            return 0.0;
        }
        let factor = |(error, vote): (&f64, &f64)| (1.0 - error) * (-vote / 2.0).exp() + error * (vote / 2.0).exp();
        errors.iter().zip(votes).map(factor).product()
    }

    /// The votes for each class after the first `rounds` rounds, n×k.
    pub fn staged_votes<'a>(&self, x: impl Into<Queries<'a>>, rounds: usize) -> Result<Matrix> {
        let x = self.params.align(x)?;
        let (x, classes) = (x.rows(), self.classes.classes());
        let mut sums: Vec<f64> = vec![];
        for (member, vote) in self.members.iter().zip(&self.fitted.votes).take(rounds) {
            let said = classes_of(member, x)?;
            sums.resize(said.len() * classes, 0.0);
            said.codes().iter().enumerate().for_each(|(row, code)| sums[row * classes + *code as usize] += vote);
        }
        let rows = x.on_device()?.rows();
        sums.resize(rows * classes, 0.0);
        Matrix::from_vec(rows, classes, sums.into_iter().map(|sum| sum as f32).collect())
    }

    /// The class of each row after the first `rounds` rounds.
    pub fn staged_predict<'a>(&self, x: impl Into<Queries<'a>>, rounds: usize) -> Result<Labels> {
        winners(&self.classes, &self.staged_votes(x, rounds)?)
    }
}

impl Ensemble for AdaBoostClassifier {
    type Output = Labels;
    type Fitted = ClassifierRounds;

    /// The votes for each class, n×k.
    fn values(model: &AdaBoostClassifierModel, x: Rows<'_>) -> Result<Matrix> {
        model.staged_votes(x, usize::MAX)
    }

    /// Probabilities in proportion to the exponentials of the votes, n×k: what minimises the exponential loss
    /// (Friedman, Hastie and Tibshirani 2000).
    fn probabilities(mut votes: Matrix) -> Matrix {
        let classes = votes.columns().max(1);
        for row in votes.as_mut_slice().chunks_exact_mut(classes) {
            let most = row.iter().copied().fold(f32::MIN, f32::max);
            row.iter_mut().for_each(|vote| *vote = (*vote - most).exp());
            let total: f32 = row.iter().sum();
            row.iter_mut().for_each(|share| *share /= total);
        }
        votes
    }

    fn save(rounds: &ClassifierRounds, container: &mut Container) -> Result<()> {
        container.insert("votes", &[rounds.votes.len()], rounds.votes.clone())?;
        container.insert("errors", &[rounds.errors.len()], rounds.errors.clone())?;
        container.insert("train_errors", &[rounds.train_errors.len()], rounds.train_errors.clone())
    }

    fn load(&self, container: &mut Container, members: usize) -> Result<ClassifierRounds> {
        let mut take = |name: &str| container.take(name, &[members]);
        Ok(ClassifierRounds { votes: take("votes")?, errors: take("errors")?, train_errors: take("train_errors")? })
    }

    fn report(model: &AdaBoostClassifierModel) -> FitReport {
        FitReport::default().rounds(model.members.len(), None).with_curve("train_error", model.train_errors())
    }

    fn figures(model: &AdaBoostClassifierModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        pictures::ada_boost_figures(model, input)
    }
}
