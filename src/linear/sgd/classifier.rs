//! Classes by stochastic gradient descent.

use super::learner::Plane;
use super::passes::Lesson;
use super::{LearningRate, SgdLoss, SgdPenalty, SgdSettings, sgd_parameters};
use crate::data::{ClassWeight, Labels};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Declared, Estimator, Fit, PredictProba, Rows, ValidationTarget, checked_partial_fit, parameters,
};
use crate::linear::classifier::{FitOutcome, LinearClassifier, LinearClassifierModel, Link, Shown, planes_of};
use crate::linear::host_rows::{HostRows, each_row};

sgd_parameters! {
    /// A linear classifier that learns row by row: a plane for two classes, else one for each class against the others.
    /// Names and defaults are scikit-learn's (`average` counts steps).
    ///
    /// ```
    /// use gristmill::linear::{SgdClassifier, SgdLoss};
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let scaled = StandardScaler::default().fit(&iris.x)?.transform(&iris.x)?;
    /// let sgd = SgdClassifier::default().loss(SgdLoss::LogLoss).seed(1);
    /// let model = sgd.fit(&scaled, iris.labels()?)?;
    /// assert!(model.score(&scaled, iris.labels()?)? > 0.9);
    ///
    /// // Rows in chunks, without end:
    /// let model = sgd.partial_fit(None, &scaled, iris.labels()?)?;
    /// let model = sgd.partial_fit(Some(model), &scaled, iris.labels()?)?;
    /// assert_eq!(model.iterations(), 2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Steps are taken one after the other, on the CPU; the planes of several classes side by side. Scale the columns first:
    ///   rates that suit one column do not suit another. Rates that diverge are an error that names the pass.
    /// - Sparse rows cost what is not zero in them. Sample weights multiply steps.
    /// - The losses log_loss and modified_huber give probabilities.
    /// - `partial_fit` makes one pass over a chunk and takes the classes of the first one, with those that have a name and no row.
    SgdClassifier: classifier("sgd-classifier") -> SgdClassifierModel;
    about "a linear classifier that learns row by row, also from chunks";
    loss = SgdLoss::Hinge; learning_rate = LearningRate::Optimal; power_t = 0.5;
    {
        /// Weights of classes: none, balanced (not in chunks), or an object of weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
}

/// A model fitted by [`SgdClassifier`].
pub type SgdClassifierModel = LinearClassifierModel<SgdClassifier>;

impl LinearClassifier for SgdClassifier {
    const EXTRAS: &'static [(&'static str, Shown)] =
        &[("train_loss", Shown::Curve), ("validation_score", Shown::Curve), ("state", Shown::Hidden)];

    fn link(&self) -> Link {
        match self.loss {
            SgdLoss::LogLoss | SgdLoss::ModifiedHuber => Link::OneVsRest,
            _ => Link::None,
        }
    }
}

impl PredictProba for SgdClassifierModel {}

/// −1 or 1: whether a row belongs to a plane's class; of two classes the second.
fn side(planes: usize, plane: usize, code: u32) -> f64 {
    let own = if planes == 1 { code == 1 } else { code as usize == plane };
    if own { 1.0 } else { -1.0 }
}

impl SgdClassifier {
    /// One pass over a chunk of rows; goes on from `model`, or begins with `None`.
    pub fn partial_fit<'a>(
        &self,
        model: Option<SgdClassifierModel>,
        x: impl Into<Rows<'a>>,
        y: &Labels,
    ) -> Result<SgdClassifierModel> {
        self.partial_fit_with(model, x, y, Fit::default())
    }

    /// The same with sample weights or an observer.
    pub fn partial_fit_with<'a>(
        &self,
        model: Option<SgdClassifierModel>,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<SgdClassifierModel> {
        checked_partial_fit(self, model, x.into(), y, options)
    }

    fn weights(&self, y: &Labels, options: &Fit<'_>) -> Result<Option<Vec<f64>>> {
        self.class_weight.row_weights(y, options.weights(Self::TYPE, y.len())?)
    }

    fn model(&self, planes: &[Plane], y: &Labels, fit: FitOutcome) -> Result<SgdClassifierModel> {
        let results: Vec<(Vec<f64>, f64)> = planes.iter().map(Plane::result).collect();
        let coef: Vec<f64> = results.iter().flat_map(|(coef, _)| coef).copied().collect();
        let intercept = results.iter().map(|(_, intercept)| *intercept).collect();
        let state = planes.iter().flat_map(Plane::to_numbers).collect();
        LinearClassifierModel::new(self, &coef, intercept, y, fit.with("state", state))
    }
}

impl Estimator for SgdClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, chunks: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<SgdClassifierModel> {
        let settings = SgdSettings::from(self);
        let rules = settings.rules()?;
        let rows = HostRows::new(Self::TYPE, x)?;
        let weights = self.weights(y, &options)?;
        let planes = planes_of(y.classes());
        let target = |plane: usize, row: usize| side(planes, plane, y.codes()[row]);
        let lesson = Lesson { rows: &rows, rules: &rules, target: &target, weights: weights.as_deref() };
        let (learnt, held_out) = settings.held_out(rows.rows())?;
        let given = match options.validation_rows() {
            Some((x, ValidationTarget::Classes(labels))) => Some((HostRows::new(Self::TYPE, x)?, labels)),
            _ => None,
        };
        let score = |states: &[Plane]| -> Result<f64> {
            let results: Vec<(Vec<f64>, f64)> = states.iter().map(Plane::result).collect();
            let right = |rows: &HostRows<'_>, row: usize, code: u32| {
                let margin = |(coef, intercept): &(Vec<f64>, f64)| {
                    each_row!(rows, x => crate::cpu::linear::margin_gradient::exact::EachRow::dot(x, row, coef))
                        + intercept
                };
                match &results[..] {
                    [plane] => (margin(plane) > 0.0) == (code == 1),
                    planes => {
                        let margins: Vec<f64> = planes.iter().map(margin).collect();
                        (0..margins.len()).all(|other| margins[other] <= margins[code as usize])
                    }
                }
            };
            let (right, count) = match &given {
                Some((rows, labels)) => {
                    let hit = |row: &usize| right(rows, *row, labels.codes()[*row]);
                    ((0..rows.rows()).filter(hit).count(), rows.rows())
                }
                None => {
                    let hit = |row: &&u32| right(&rows, **row as usize, y.codes()[**row as usize]);
                    (held_out.iter().filter(hit).count(), held_out.len())
                }
            };
            Ok(right as f64 / count.max(1) as f64)
        };
        let watched = given.is_some() || self.early_stopping;
        let mut states = vec![Plane::new(rows.columns(), self.eta0, &rules); planes];
        let passed = options.watched("stochastic gradient descent", |reporter| {
            settings.passes(&lesson, &mut states, &learnt, watched.then_some(&score), reporter)
        })?;
        let fit = FitOutcome { iterations: passed.passes, converged: passed.converged, extras: vec![] };
        let fit = fit.with("train_loss", passed.losses).with("validation_score", passed.scores);
        self.model(&states, y, fit)
    }

    fn partial_fit_rows(
        &self,
        model: Option<SgdClassifierModel>,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<SgdClassifierModel> {
        if self.class_weight == ClassWeight::Balanced {
            let rule = "none or an object of weights by class: the counts of all classes are not known in a chunk";
            return Err(Error::param("class_weight", rule, "balanced"));
        }
        let settings = SgdSettings::from(self);
        let rules = settings.rules()?;
        let rows = HostRows::new(Self::TYPE, x)?;
        let weights = self.weights(y, &options)?;
        let (mut states, known) = match &model {
            Some(model) => {
                let count = model.intercept().len();
                (settings.planes_before(Self::TYPE, &model.fit, count, rows.columns())?, model.classes.clone())
            }
            None => {
                let planes = planes_of(y.classes());
                (vec![Plane::new(rows.columns(), self.eta0, &rules); planes], y.with_codes(vec![])?)
            }
        };
        let code_of = |name: &String| known.names().iter().position(|known| known == name);
        let place: Vec<Option<usize>> = y.names().iter().map(code_of).collect();
        let code = |code: &u32| place[*code as usize].map(|place| place as u32);
        let codes: Option<Vec<u32>> = y.codes().iter().map(code).collect();
        let Some(codes) = codes else {
            let missing = (0..y.len()).find(|row| place[y.codes()[*row] as usize].is_none()).unwrap_or(0);
            let expected =
                format!("the classes of the first chunk ({}); name all of them there", known.names().join(", "));
            return Err(Error::shape(Self::TYPE, expected, format!("class {}", y.name(missing))));
        };
        let planes = states.len();
        let target = |plane: usize, row: usize| side(planes, plane, codes[row]);
        let lesson = Lesson { rows: &rows, rules: &rules, target: &target, weights: weights.as_deref() };
        let fit = settings.chunk(&lesson, &mut states, model.as_ref().map(|model| &model.fit))?;
        self.model(&states, &known, fit)
    }
}
