//! Logistic regression: classes by the probabilities that planes over the columns give.

pub(super) mod objective;
mod on_device;
pub(super) mod units;
mod whitening;

use nalgebra::DMatrix;

use super::classifier::{FitOutcome, LinearClassifier, LinearClassifierModel, Link, Shown, planes_of};
use crate::array::DeviceMatrix;
use crate::cost::Cost;
use crate::cpu::random::HostRng;
use crate::data::{ClassWeight, Labels};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, FitShape, PredictProba, Queries, Reporter, Rows, parameters,
};
use crate::linalg::Cholesky;
use crate::ops::linear::margin_gradient::{ClassRows, MarginLoss};
use crate::solvers::newton::{self, Curved, Stage};
use crate::solvers::{lbfgs, orthant_wise};
use objective::{ClassObjective, Sample, Source};
use on_device::DevicePlanes;
use units::Units;
use whitening::Whitening;

/// Newton's method takes up to so many numbers for two classes, and for several; above, L-BFGS.
const NEWTON: usize = 1001;
const NEWTON_SEVERAL: usize = 500;
/// Rows of the sample that Newton's method begins with, for each number that is fitted, and at least.
const SAMPLE_EACH: usize = 256;
const LEAST_SAMPLE: usize = 8192;
/// Rows that each class must have in it.
const LEAST_OF_CLASS: usize = 100;
/// From so many numbers in the rows on, and for no smaller `tol`, sums are f32 in blocks.
const MANY: usize = 1 << 17;
const LEAST_SINGLE_TOL: f64 = 1e-5;
/// Random numbers of predictions that are drawn.
const STREAM: u32 = 0x4c52_0001;

parameters! {
    /// Logistic regression: the log-odds of two classes, or a score for each of more, as a weighted sum of the columns.
    /// Minimised is the log-loss of all rows plus `(l1_ratio·‖coef‖₁ + (1 − l1_ratio)/2·‖coef‖²) / c`. Names and defaults
    /// are scikit-learn's (`c` is its `C`).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::iris()?.split(0.7, 1)?;
    /// let model = LogisticRegression::default().fit(&train.x, train.labels()?)?;
    /// assert!(model.score(&test.x, test.labels()?)? > 0.9);
    /// let probabilities = model.predict_proba(&test.x)?;
    /// assert!((probabilities.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    /// let sparse = LogisticRegression::default().c(0.05).l1_ratio(1.0).fit(&train.x, train.labels()?)?;
    /// assert!(sparse.coef().iter().any(|value| *value == 0.0));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Newton's method up to 1000 columns of two classes (500 numbers of several classes), above L-BFGS with the covariance
    ///   of the columns divided out (dense rows of up to 2048 columns); with an L1
    ///   penalty coordinate descent on Newton's model, or L-BFGS within orthants. Columns are centred and scaled inside,
    ///   so their units do not matter to the speed; the penalty is on the coefficients of the columns as they are, and
    ///   not on the intercept.
    /// - Many rows: a sample of them is fitted first, and its curvature serves for the steps on all rows, each of which
    ///   reads the rows once, on all cores or on the GPU, and waits for a GPU once.
    /// - Sums are f32 in blocks that are added in f64; in f64 throughout for a `tol` below 1e-5, for small tables, for columns far
    ///   from 0, for sparse rows (which stay on the CPU).
    /// - Classes that a plane separates have coefficients that grow with `c`; at the end of `max_iter` a fit is taken as
    ///   it is, and `converged` is false.
    /// - A single class is always predicted. Missing values and a `c` that is not positive are errors.
    pub struct LogisticRegression: classifier("logistic-regression") -> LogisticRegressionModel;
    about "classes by probabilities that are linear in the columns, on the scale of log-odds";
    {
        /// Inverse strength of the penalty on the coefficients; large for none.
        c: f64 = 1.0, above(0.0);
        /// Share of the L1 penalty: 0 is L2 alone, 1 is L1 alone, which leaves coefficients at 0.
        l1_ratio: f64 = 0.0, from_to(0.0, 1.0);
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// Weights of classes: none, balanced, or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
        /// A fit ends when no derivative of the mean loss, by columns scaled to deviation 1, is larger.
        tol: f64 = 1e-4, above(0.0);
        /// Maximum number of steps.
        max_iter: usize = 100, at_least(1.0);
        /// Whether to compute the standard errors of the coefficients, of two classes: one more pass.
        standard_errors: bool = false;
    }
}

/// A model fitted by [`LogisticRegression`].
pub type LogisticRegressionModel = LinearClassifierModel<LogisticRegression>;

impl LinearClassifier for LogisticRegression {
    const EXTRAS: &'static [(&'static str, Shown)] = &[("train_loss", Shown::Curve), ("standard_errors", Shown::Row)];

    fn link(&self) -> Link {
        Link::Softmax
    }
}

impl PredictProba for LogisticRegressionModel {}

impl LogisticRegressionModel {
    /// The standard errors of the d coefficients and, last, of the intercept, where they were asked for: roots of the
    /// diagonal of the inverse of the Hessian of the loss with its L2 penalty.
    pub fn standard_errors(&self) -> Option<&[f64]> {
        self.fit.extra("standard_errors")
    }

    /// A class for each row, drawn with the row's probabilities.
    pub fn predict_random<'a>(&self, x: impl Into<Queries<'a>>, seed: u64) -> Result<Labels> {
        let shares = self.predict_proba(x)?;
        let mut rng = HostRng::new(seed, STREAM);
        let draw = |row: usize| {
            let mut left = rng.uniform();
            let passed = shares.row(row).iter().take_while(|share| {
                left -= f64::from(**share);
                left >= 0.0
            });
            passed.count().min(shares.columns() - 1) as u32
        };
        self.classes.with_codes((0..shares.rows()).map(draw).collect())
    }
}

impl Estimator for LogisticRegression {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let planes = planes_of(shape.outputs);
        let few = planes * (shape.columns + 1) <= if planes == 1 { NEWTON } else { NEWTON_SEVERAL };
        // Newton's steps on all rows are few; L-BFGS takes most of what it may.
        let passes = if few { 10.0 } else { self.max_iter as f64 };
        let values = (shape.rows * shape.columns) as f64;
        Some(Cost {
            operations: passes * 4.0 * values * planes as f64,
            streamed_bytes: passes * 4.0 * values,
            syncs: passes,
            kernels: 2.0,
            ..Cost::uploading(shape.rows, shape.columns)
        })
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<LogisticRegressionModel> {
        if self.standard_errors && y.classes() > 2 {
            return Err(Error::param("standard_errors", "false for more than two classes", "true"));
        }
        let weights = self.class_weight.row_weights(y, options.weights(Self::TYPE, x.rows())?)?;
        let weights: Option<Vec<f32>> = weights.map(|weights| weights.iter().map(|weight| *weight as f32).collect());
        let rows = ClassRows { classes: y.codes(), weights: weights.as_deref() };
        if let Rows::Sparse(sparse) = x {
            super::refuse_empty(Self::TYPE, x)?;
            let units = Units::of_sparse(sparse, self.fit_intercept);
            let source = Source::Sparse(sparse);
            return options
                .watched("logistic regression", |reporter| self.solve(source, None, rows, y, &units, reporter));
        }
        let x = x.complete(Self::TYPE)?;
        let units = Units::of_dense(&x, self.fit_intercept)?;
        let single = self.tol >= LEAST_SINGLE_TOL && x.rows() * x.columns() >= MANY && units.fit_single_precision();
        options.watched("logistic regression", |reporter| {
            let source = Source::dense(&x, rows, planes_of(y.classes()), single)?;
            self.solve(source, Some((&x, single)), rows, y, &units, reporter)
        })
    }
}

impl LogisticRegression {
    fn solve(
        &self,
        source: Source<'_>,
        dense: Option<(&DeviceMatrix, bool)>,
        rows: ClassRows<'_>,
        y: &Labels,
        units: &Units,
        reporter: &mut Reporter<'_>,
    ) -> Result<LogisticRegressionModel> {
        let (planes, d) = (planes_of(y.classes()), units.mean.len());
        let size = planes * (d + 1);
        let total = rows.weights.map_or(rows.classes.len() as f64, |all| all.iter().copied().map(f64::from).sum());
        let strength = |share: f64, power: i32| -> Vec<f64> {
            let own = |at: usize| match at < planes * d {
                true => share / (self.c * total * units.scale[at % d].powi(power)),
                false => 0.0,
            };
            (0..size).map(own).collect()
        };
        let l2 = strength(1.0 - self.l1_ratio, 2);
        let l1 = if self.l1_ratio > 0.0 { strength(self.l1_ratio, 1) } else { vec![] };
        let mut all = ClassObjective { source, rows, loss: MarginLoss::Softmax, planes, units, l2: &l2 };
        let mut losses = vec![];
        let mut steps = 0;
        let mut done = |step: usize, value: f64, steepness: f64| -> Result<bool> {
            steps = step;
            losses.push(value);
            let stop = reporter.report(step, Some(value), step as f64 / self.max_iter as f64)?;
            // One class needs no plane.
            Ok(stop || steepness <= self.tol || step >= self.max_iter || y.classes() == 1)
        };
        let start = vec![0.0; size];
        let (point, steepness) = if size <= if planes == 1 { NEWTON } else { NEWTON_SEVERAL } {
            let (start, kept) = match dense {
                Some((x, single)) => self.of_sample(&mut all, (x, single), y.classes(), &l1)?.unwrap_or((start, None)),
                None => (start, None),
            };
            let tell = |step: usize, stage: &Stage| done(step, stage.at.value, stage.steepness);
            let (stage, _) = newton::minimize(&mut all, start, &l1, kept, tell)?;
            (stage.at.point, stage.steepness)
        } else if l1.is_empty() {
            let white = match dense {
                Some((x, _)) => Whitening::of(x, units, &l2[..d], planes)?,
                None => Whitening::none(planes),
            };
            match DevicePlanes::new(&all, &white, total)? {
                Some(planes) => planes.minimize(self.tol, done)?,
                None => {
                    let tell = |step: usize, at: &lbfgs::Slope| done(step, at.value, white.steepness(at));
                    let evaluate = |point: &[f64]| {
                        let (value, gradient) = all.value_gradient(&white.point(point))?;
                        Ok((value, white.slope(&gradient)))
                    };
                    let (at, _) = lbfgs::minimize(start, evaluate, tell)?;
                    (white.point(&at.point), white.steepness(&at))
                }
            }
        } else {
            let tell = |step: usize, at: &lbfgs::Slope| done(step, at.value, at.steepness());
            let (at, _) = orthant_wise::minimize(start, &l1, |point| all.value_gradient(point), tell)?;
            (at.point.clone(), at.steepness())
        };
        let errors = match self.standard_errors && planes == 1 {
            true => standard_errors(all.hessian(&point)? * total, units)?,
            false => vec![],
        };
        let converged = steepness <= self.tol || y.classes() == 1;
        let fit = FitOutcome { iterations: steps, converged, extras: vec![] };
        let (coef, intercept) = units.planes(&point, planes);
        let fit = fit.with("train_loss", losses).with("standard_errors", errors);
        LinearClassifierModel::new(self, &coef, intercept, y, fit)
    }

    /// The minimum for a sample of the rows and its Hessian there: near those of all rows, at a small part of the price.
    #[allow(clippy::type_complexity)]
    fn of_sample(
        &self,
        all: &mut ClassObjective<'_>,
        (x, single): (&DeviceMatrix, bool),
        classes: usize,
        l1: &[f64],
    ) -> Result<Option<(Vec<f64>, Option<DMatrix<f64>>)>> {
        let size = all.l2.len();
        let wanted = (SAMPLE_EACH * size).max(LEAST_SAMPLE);
        if x.rows() < 4 * wanted || classes < 2 {
            return Ok(None);
        }
        let Some(sample) = Sample::of(x, all.rows, classes, wanted, LEAST_OF_CLASS)? else { return Ok(None) };
        let mut objective = sample.objective(all, single)?;
        // The sample's own minimum is off by more than this.
        let near = self.tol.max(1e-3 / (wanted as f64).sqrt());
        let enough = |step: usize, stage: &Stage| Ok(stage.steepness <= near || step >= 20);
        let (stage, descends) = newton::minimize(&mut objective, vec![0.0; size], l1, None, enough)?;
        if !descends || stage.steepness > near {
            return Ok(None);
        }
        let hessian = objective.hessian(&stage.at.point)?;
        Ok(Some((stage.at.point, Some(hessian))))
    }
}

/// Roots of the diagonal of the inverse of a Hessian in units, in the units of the rows: d coefficients, the intercept.
fn standard_errors(hessian: DMatrix<f64>, units: &Units) -> Result<Vec<f64>> {
    let covariance = Cholesky::factor(&hessian)?.inverse()?;
    let d = units.mean.len();
    // Of the intercept: offset − Σ mean/scale·coef.
    let mut turn: Vec<f64> = units.mean.iter().zip(&units.scale).map(|(mean, scale)| -mean / scale).collect();
    turn.push(f64::from(u8::from(units.has_intercept())));
    let mut variance = 0.0;
    for i in 0..=d {
        for j in 0..=d {
            variance += turn[i] * covariance[(i, j)] * turn[j];
        }
    }
    let coef = (0..d).map(|j| covariance[(j, j)].sqrt() / units.scale[j]);
    Ok(coef.chain([variance.max(0.0).sqrt()]).collect())
}
