//! The linear support vector classifier.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::{ClassWeight, Labels};
use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, Reporter, Rows, parameters};
use crate::linear::classifier::{FitOutcome, LinearClassifier, LinearClassifierModel, Shown, planes_of};
use crate::linear::host_rows::{HostRows, each_row};
use crate::linear::logistic::objective::{ClassObjective, Sample, Source};
use crate::linear::logistic::units::Units;
use crate::ops::linear::margin_gradient::{ClassRows, MarginLoss};
use crate::solvers::dual_descent::{self, DualProblem, DualStop};
use crate::solvers::newton::{self, Curved, Stage};

/// Newton's method takes up to so many columns; above, the dual is descended.
const NEWTON: usize = 1000;
/// Rows of the sample that Newton's method begins with.
const SAMPLE: usize = 16_384;
/// From so many numbers in the rows on, sums are f32 in blocks.
const MANY: usize = 1 << 17;

/// What a margin below 1 costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SvcLoss {
    /// max(0, 1 − y·margin).
    Hinge,
    /// max(0, 1 − y·margin)².
    #[default]
    SquaredHinge,
}

parameters! {
    /// The linear support vector classifier: ½‖coef‖² + ½·intercept² + c·Σ loss is minimised, for two classes or each class
    /// against the others. Names and defaults are scikit-learn's and LIBLINEAR's (`c` is `C`; `tol` is another measure).
    ///
    /// ```
    /// use gristmill::linear::{LinearSvc, SvcLoss};
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = LinearSvc::default().fit(&iris.x, iris.labels()?)?;
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.94);
    /// let hinge = LinearSvc::default().loss(SvcLoss::Hinge).fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(hinge.coef().nrows(), 3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Squared hinge with up to 1000 columns: Newton's method, on many rows with the curvature of a sample; each step reads the
    ///   rows once, on all cores or on the GPU. Hinge, and more columns: dual coordinate descent with shrinking, on the CPU, the
    ///   planes of several classes side by side.
    /// - The intercept is penalised as in LIBLINEAR: centre columns that are far from 0.
    /// - Sparse rows cost what is not zero in them. Sample and class weights multiply `c`.
    pub struct LinearSvc: classifier("linear-svc") -> LinearSvcModel;
    about "the plane with the widest margin between classes";
    {
        /// The loss: hinge or squared_hinge.
        loss: SvcLoss = SvcLoss::SquaredHinge;
        /// What a unit of loss costs beside the penalty.
        c: f64 = 1.0, above(0.0);
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// Weights of classes: none, balanced, or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
        /// A fit ends when the objective is within this share of the minimum: by the duality gap, or by Newton's decrement.
        tol: f64 = 1e-4, above(0.0);
        /// Maximum number of passes over the rows, or of Newton's steps.
        max_iter: usize = 1000, at_least(1.0);
        /// Seed of the orders of the rows.
        seed: u64 = 0;
    }
}

/// A model fitted by [`LinearSvc`].
pub type LinearSvcModel = LinearClassifierModel<LinearSvc>;

impl LinearClassifier for LinearSvc {
    const EXTRAS: &'static [(&'static str, Shown)] = super::EXTRAS;
}

impl Estimator for LinearSvc {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<LinearSvcModel> {
        crate::linear::refuse_empty(Self::TYPE, x)?;
        let weights = self.class_weight.row_weights(y, options.weights(Self::TYPE, x.rows())?)?;
        options.watched("linear SVM", |reporter| match self.loss {
            SvcLoss::SquaredHinge if x.column_info().1 <= NEWTON => self.newton(x, y, weights, reporter),
            _ => self.dual(x, y, weights, reporter),
        })
    }
}

impl LinearSvc {
    fn newton(
        &self,
        x: Rows<'_>,
        y: &Labels,
        weights: Option<Vec<f64>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<LinearSvcModel> {
        let weights: Option<Vec<f32>> = weights.map(|weights| weights.iter().map(|weight| *weight as f32).collect());
        let rows = ClassRows { classes: y.codes(), weights: weights.as_deref() };
        let planes = planes_of(y.classes());
        if let Rows::Sparse(sparse) = x {
            let units = Units::of_sparse(sparse, self.fit_intercept).uncentred();
            return self.descend(Source::Sparse(sparse), None, rows, y, &units, reporter);
        }
        let x = x.complete(Self::TYPE)?;
        let units = Units::of_dense(&x, self.fit_intercept)?;
        let single = x.rows() * x.columns() >= MANY && self.tol >= 1e-6 && units.fit_single_precision();
        let units = units.uncentred();
        let source = Source::dense(&x, rows, planes, single)?;
        let sample = match x.rows() >= 4 * SAMPLE {
            true => Sample::of(&x, rows, y.classes().max(2), SAMPLE, 100)?,
            false => None,
        };
        self.descend(source, sample.as_ref().map(|sample| (sample, single)), rows, y, &units, reporter)
    }

    fn descend(
        &self,
        source: Source<'_>,
        sample: Option<(&Sample, bool)>,
        rows: ClassRows<'_>,
        y: &Labels,
        units: &Units,
        reporter: &mut Reporter<'_>,
    ) -> Result<LinearSvcModel> {
        let (planes, d) = (planes_of(y.classes()), units.mean.len());
        let size = planes * (d + 1);
        let total = rows.weights.map_or(rows.classes.len() as f64, |all| all.iter().copied().map(f64::from).sum());
        // The objective over c·Σw: the loss is a mean.
        let unit = 1.0 / (self.c * total);
        let l2: Vec<f64> =
            (0..size).map(|at| if at < planes * d { unit / units.scale[at % d].powi(2) } else { unit }).collect();
        let mut all = ClassObjective { source, rows, loss: MarginLoss::SquaredHinge, planes, units, l2: &l2 };
        let (mut start, mut kept) = (vec![0.0; size], None);
        if let Some((sample, single)) = sample {
            let mut objective = sample.objective(&all, single)?;
            let enough = |step: usize, stage: &Stage| Ok(stage.steepness <= 1e-5 || step >= 30);
            let (stage, _) = newton::minimize(&mut objective, start, &[], None, enough)?;
            kept = Some(objective.hessian(&stage.at.point)?);
            start = stage.at.point;
        }
        let (mut losses, mut steps, mut last) = (vec![], 0, f64::INFINITY);
        let mut converged = false;
        let done = |step: usize, stage: &Stage| -> Result<bool> {
            steps = step;
            losses.push(stage.at.value / unit);
            // With the strong convexity of the penalty, ‖slope‖²/(2·l2) bounds what is left; a stalled value says the same.
            let left: f64 = stage.at.gradient.iter().zip(&l2).map(|(slope, l2)| slope * slope / (2.0 * l2)).sum();
            let stalled = last - stage.at.value <= 1e-9 * stage.at.value.abs() && step > 0;
            converged = left <= self.tol * stage.at.value || (stalled && stage.steepness <= 1e-3 * self.tol.sqrt());
            last = stage.at.value;
            let stop = reporter.report(step, Some(stage.at.value / unit), step as f64 / self.max_iter as f64)?;
            Ok(stop || converged || step >= self.max_iter || y.classes() == 1)
        };
        let (stage, _) = newton::minimize(&mut all, start, &[], kept, done)?;
        let objective = stage.at.value / unit;
        let (coef, intercept) = units.planes(&stage.at.point, planes);
        let fit = FitOutcome { iterations: steps, converged: converged || y.classes() == 1, extras: vec![] };
        let fit = fit.with("train_loss", losses).with("objective", vec![objective]);
        LinearClassifierModel::new(self, &coef, intercept, y, fit)
    }

    fn dual(
        &self,
        x: Rows<'_>,
        y: &Labels,
        weights: Option<Vec<f64>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<LinearSvcModel> {
        let rows = HostRows::new(Self::TYPE, x)?;
        let planes = planes_of(y.classes());
        let costs: Vec<f64> =
            (0..rows.rows()).map(|row| self.c * weights.as_ref().map_or(1.0, |weights| weights[row])).collect();
        let of_plane = |plane: usize, report: &mut dyn FnMut(usize, f64) -> Result<bool>| {
            let own = |code: &u32| if planes == 1 { *code == 1 } else { *code as usize == plane };
            let targets: Vec<f64> = y.codes().iter().map(|code| if own(code) { 1.0 } else { -1.0 }).collect();
            let problem = DualProblem {
                targets: &targets,
                costs: &costs,
                squared: self.loss == SvcLoss::SquaredHinge,
                epsilon: None,
                intercept: self.fit_intercept,
                columns: rows.columns(),
                seed: self.seed,
            };
            let stop = DualStop { tol: self.tol, max_iter: self.max_iter };
            each_row!(&rows, x => dual_descent::minimize(x, problem, stop, report))
        };
        let mut found = vec![];
        if planes == 1 {
            let mut report =
                |pass: usize, value: f64| reporter.report(pass, Some(value), pass as f64 / self.max_iter as f64);
            found.push(of_plane(0, &mut report)?);
        }
        // Several planes side by side; the observer hears of them between the rounds.
        while found.len() < planes {
            let round = found.len()..planes.min(found.len() + rayon::current_num_threads());
            let one = |plane: usize| of_plane(plane, &mut |_, _| Ok(false));
            found.extend(round.into_par_iter().map(one).collect::<Result<Vec<_>>>()?);
            reporter.check_stopped(found.len(), found.len() as f64 / planes as f64)?;
        }
        let coef: Vec<f64> = found.iter().flat_map(|found| &found.coef).copied().collect();
        let intercept = found.iter().map(|found| found.intercept).collect();
        LinearClassifierModel::new(self, &coef, intercept, y, super::outcome(Self::TYPE, &found))
    }
}
