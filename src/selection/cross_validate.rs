//! Cross-validation: scores of a model on rows that it was not fitted on.

use super::scoring::{Predictions, Scoring};
use super::shared_observer::SharedObserver;
use super::stats::Sample;
use crate::clock::Instant;
use crate::data::{Dataset, Target};
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{AnyEstimator, Fit, Observer, OwnedRows, Rows, Shared, SharedPart, Task};
use crate::pipeline::{Pipeline, PipelineModel, Prepared};
use crate::splits::Folds;

/// Options of cross-validation and search: scores, device, observer.
#[derive(Default)]
pub struct CrossValidateOptions<'a> {
    pub(super) scoring: Vec<Scoring>,
    pub(super) extra: Vec<Scoring>,
    pub(super) train_scores: bool,
    pub(super) sample_weight: Option<&'a [f32]>,
    pub(super) device: Option<Device>,
    pub(super) observer: Option<&'a mut (dyn Observer + Send)>,
}

impl<'a> CrossValidateOptions<'a> {
    /// The scores; the first one decides what is best. Accuracy, R² or inertia if none is named.
    pub fn scoring(mut self, scoring: impl IntoIterator<Item = Scoring>) -> CrossValidateOptions<'a> {
        self.scoring = scoring.into_iter().collect();
        self
    }

    /// Further scores that nothing depends on: where one cannot be computed, as R² of a single row, it is NaN.
    pub fn extra_scoring(mut self, scoring: impl IntoIterator<Item = Scoring>) -> CrossValidateOptions<'a> {
        self.extra = scoring.into_iter().collect();
        self
    }

    /// Whether the rows that were fitted are scored too.
    pub fn train_scores(mut self, train_scores: bool) -> CrossValidateOptions<'a> {
        self.train_scores = train_scores;
        self
    }

    /// How much each row counts in the fits, as [`Fit::sample_weight`]; the scores count all rows alike.
    pub fn sample_weight(mut self, weights: &'a [f32]) -> CrossValidateOptions<'a> {
        self.sample_weight = Some(weights);
        self
    }

    /// Where the models are fitted; by default the CPU. On the CPU fits run in parallel on all cores, on a GPU
    /// one after the other.
    pub fn device(mut self, device: &Device) -> CrossValidateOptions<'a> {
        self.device = Some(device.clone());
        self
    }

    /// An observer, which gets reports of how far all fits have come, and may stop them.
    pub fn observer(mut self, observer: &'a mut (dyn Observer + Send)) -> CrossValidateOptions<'a> {
        self.observer = Some(observer);
        self
    }

    /// The scores that must be there, for these folds.
    fn scores_for(&self, task: Task, folds: &Folds) -> Result<Vec<Scoring>> {
        let scoring = if self.scoring.is_empty() { vec![Scoring::of_task(task)?] } else { self.scoring.clone() };
        scoring.iter().try_for_each(|scoring| scoring.check_folds(folds))?;
        Ok(scoring)
    }

    /// What is the same for every fold, of so many fits in all.
    pub(super) fn runner(self, task: Task, data: &Dataset, folds: &Folds, fits: usize) -> Result<FoldRunner<'a>> {
        let scoring = self.scores_for(task, folds)?;
        let weights = self.sample_weight.map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        let sample_weight = weights.weights("cross_validate", data.rows())?;
        let extra = self.extra.into_iter().filter(|other| !scoring.contains(other)).collect();
        let device = self.device.unwrap_or(Device::Cpu);
        let observer = SharedObserver::new("cross-validation", self.observer, fits);
        Ok(FoldRunner { scoring, extra, train_scores: self.train_scores, sample_weight, device, observer })
    }
}

/// The scores of one model on all folds.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// The scores, in the order of `test` and `train`.
    pub scoring: Vec<Scoring>,
    /// For each score its value on the test rows of each fold; NaN for one of
    /// [`CrossValidateOptions::extra_scoring`] that a fold cannot have.
    pub test: Vec<Vec<f64>>,
    /// For each score its value on the fitted rows of each fold; empty unless asked for.
    pub train: Vec<Vec<f64>>,
    /// Seconds of each fit.
    pub fit_seconds: Vec<f64>,
}

impl CrossValidation {
    /// Mean and deviation of the first score on test rows.
    pub fn score(&self) -> Sample {
        self.test.first().map_or_else(|| Sample::of(&[]), |scores| Sample::of(scores))
    }

    /// Mean and deviation of every score on test rows.
    pub fn scores(&self) -> Vec<(Scoring, Sample)> {
        self.scoring.iter().zip(&self.test).map(|(scoring, scores)| (*scoring, Sample::of(scores))).collect()
    }

    fn gather(scoring: Vec<Scoring>, folds: Vec<FoldScores>) -> CrossValidation {
        let column = |at: usize, part: fn(&FoldScores) -> &Vec<f64>| folds.iter().map(|fold| part(fold)[at]).collect();
        let test = (0..scoring.len()).map(|at| column(at, |fold| &fold.test)).collect();
        let with_train = folds.first().is_some_and(|fold| !fold.train.is_empty());
        let train_of = |at| column(at, |fold: &FoldScores| &fold.train);
        let train = if with_train { (0..scoring.len()).map(train_of).collect() } else { vec![] };
        let fit_seconds = folds.iter().map(|fold| fold.fit_seconds).collect();
        CrossValidation { scoring, test, train, fit_seconds }
    }
}

/// Fits a pipeline on each fold's training rows and scores it on the rest.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, cross_validate};
/// let iris = datasets::iris()?;
/// let found = cross_validate(&Pipeline::new(KNeighborsClassifier::new(5)), &iris, &Folds::stratified(5))?;
/// let score = found.score();
/// assert!((score.mean - 0.9733).abs() < 1e-4, "{} ± {}", score.mean, score.deviation);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "cross_val_score")]
pub fn cross_validate(pipeline: &Pipeline, data: &Dataset, folds: &Folds) -> Result<CrossValidation> {
    cross_validate_with(pipeline, data, folds, CrossValidateOptions::default())
}

/// The same with other scores, on a device, or with an observer.
pub fn cross_validate_with(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    options: CrossValidateOptions<'_>,
) -> Result<CrossValidation> {
    let estimators = [pipeline.estimator().clone()];
    let mut found = try_all(pipeline, &estimators, data, folds, options)?;
    found.remove(0)
}

/// Every estimator behind the pipeline's steps on every fold. The steps of a fold are fitted once for all estimators, and
/// so is what the fits have in common.
pub(super) fn try_all(
    pipeline: &Pipeline,
    estimators: &[AnyEstimator],
    data: &Dataset,
    folds: &Folds,
    options: CrossValidateOptions<'_>,
) -> Result<Vec<Result<CrossValidation>>> {
    let task = pipeline.estimator().task();
    task.check(&data.target)?;
    let labels = if task == Task::Classification { Some(data.labels()?) } else { None };
    let splits = folds.split(data.rows(), labels)?;
    let runner = options.runner(task, data, folds, splits.len() * estimators.len())?;
    // Steps make other rows in each fold, of which nothing is known before.
    let whole = match pipeline.steps().is_empty() {
        true => AnyEstimator::share_rows(estimators, data, &runner.device)?,
        false => None,
    };
    let fold = |number: usize| -> Result<Vec<Result<FoldScores>>> {
        let (train, test) = splits.get(number).unwrap_or_default();
        runner.fold(pipeline, estimators, data, (&train, whole.as_ref()), &data.select(&test)?)
    };
    let by_fold = runner.device.map(0..splits.len(), fold)?;
    runner.observer.stopped()?;
    let mut by_fold: Vec<_> = by_fold.into_iter().map(Vec::into_iter).collect();
    let gather = |_: &AnyEstimator| {
        // The scores of this estimator leave every fold before a failure is looked for: the next one's come after them.
        let scores: Vec<Result<FoldScores>> = by_fold.iter_mut().filter_map(Iterator::next).collect();
        let scores = scores.into_iter().collect::<Result<Vec<FoldScores>>>();
        scores.map(|scores| CrossValidation::gather(runner.all(), scores))
    };
    Ok(estimators.iter().map(gather).collect())
}

/// The scores of one model on one fold.
pub(super) struct FoldScores {
    pub(super) test: Vec<f64>,
    pub(super) train: Vec<f64>,
    fit_seconds: f64,
}

/// What is the same for every fold.
pub(super) struct FoldRunner<'a> {
    /// Scores that every fold must have; the first decides.
    pub(super) scoring: Vec<Scoring>,
    /// Scores that are reported where they can be computed.
    extra: Vec<Scoring>,
    train_scores: bool,
    sample_weight: Option<&'a [f32]>,
    device: Device,
    pub(super) observer: SharedObserver<'a>,
}

impl FoldRunner<'_> {
    /// Every score, in the order of [`CrossValidation::test`].
    fn all(&self) -> Vec<Scoring> {
        [&self.scoring[..], &self.extra].concat()
    }

    /// Every estimator on one fold, fitted on these rows of `data`, with what was shared of all of them.
    pub(super) fn fold(
        &self,
        pipeline: &Pipeline,
        estimators: &[AnyEstimator],
        data: &Dataset,
        (rows, whole): (&[usize], Option<&Shared>),
        test: &Dataset,
    ) -> Result<Vec<Result<FoldScores>>> {
        let train = &data.select(rows)?;
        let weights = self.sample_weight.map(|weights| rows.iter().map(|row| weights[*row]).collect::<Vec<f32>>());
        let prepared = pipeline.prepare(train)?;
        let shared = {
            let fit = weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
            let part = whole.map(|shared| SharedPart { shared, rows });
            AnyEstimator::share_fits(estimators, prepared.rows_on(&self.device)?.rows(), &fit, part)?
        };
        let prepared = (prepared, weights, shared);
        // Rows go to the device once for all estimators.
        let test_rows = OwnedRows::on(&self.device, test)?;
        let train_rows = if self.train_scores { Some(OwnedRows::on(&self.device, train)?) } else { None };
        let train = train_rows.as_ref().map(|rows| (rows.rows(), &train.target));
        let one = |estimator: &AnyEstimator| self.one(&prepared, estimator, train, (test_rows.rows(), &test.target));
        self.device.map(estimators, |estimator| Ok(one(estimator)))
    }

    fn one(
        &self,
        (prepared, weights, shared): &(Prepared, Option<Vec<f32>>, Option<Shared>),
        estimator: &AnyEstimator,
        train: Option<(Rows<'_>, &Target)>,
        test: (Rows<'_>, &Target),
    ) -> Result<FoldScores> {
        self.observer.stopped()?;
        let begun = Instant::now();
        let mut observer = self.observer.fit();
        let fit = weights.as_ref().map_or_else(Fit::default, |weights| Fit::default().sample_weight(weights));
        let fit = fit.observer(&mut observer);
        let fit = match shared {
            Some(shared) => fit.shared(shared),
            None => fit,
        };
        let model = prepared.with_estimator(estimator).fit_on(&self.device, fit)?;
        let fit_seconds = begun.elapsed().as_secs_f64();
        let of = |(rows, target)| self.scores(&model, rows, target);
        let scores = FoldScores { test: of(test)?, train: train.map(of).transpose()?.unwrap_or_default(), fit_seconds };
        observer.finish();
        Ok(scores)
    }

    fn scores(&self, model: &PipelineModel, rows: Rows<'_>, target: &Target) -> Result<Vec<f64>> {
        let with_inertia = self.all().contains(&Scoring::Inertia);
        let predictions = Predictions::of_model(model, rows, with_inertia)?;
        let score = |scoring: &Scoring| predictions.score(*scoring, target);
        let needed = self.scoring.iter().map(score).collect::<Result<Vec<f64>>>()?;
        Ok(needed.into_iter().chain(self.extra.iter().map(|other| score(other).unwrap_or(f64::NAN))).collect())
    }
}
