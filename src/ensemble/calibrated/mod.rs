//! Probabilities for a classifier that has scores.

mod curves;

use curves::{Calibration, isotonic, sigmoid, softmax, temperature};
use serde::{Deserialize, Serialize};

use super::members::{abilities_of, check_members, cost_of, fit_all, seeded, weighted_mean};
use super::model::{Ensemble, EnsembleModel};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Declared, Estimator, Fit, FitReport, FitShape, Parameters, Reporter, Rows,
    ValidationTarget, parameters,
};
use crate::model_file::Container;
use crate::splits::Folds;
use crate::svm::Svc;

/// How scores become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationMethod {
    /// A sigmoid for each class (Platt 1999): two numbers, for few rows.
    #[default]
    Sigmoid,
    /// A rising step function for each class: any shape, for a thousand rows or more.
    Isotonic,
    /// One factor for all scores before a softmax: it never changes a prediction.
    Temperature,
}

parameters! {
    /// Probabilities from the scores of a classifier: a curve that makes them agree with how often the class is right.
    /// Names and defaults are those of scikit-learn's `CalibratedClassifierCV`.
    ///
    /// ```
    /// use gristmill::ensemble::Calibrated;
    /// use gristmill::prelude::*;
    /// use gristmill::svm::Svc;
    /// let (train, test) = datasets::moons(400, 0.3, 1)?.split(0.5, 1)?;
    /// let model = Calibrated::new(AnyEstimator::new(Svc::default())).fit(&train.x, train.labels()?)?;
    /// let probabilities = model.predict_proba(&test.x)?;
    /// assert!((probabilities.row(0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    /// // On rows that are held out from a classifier fitted to all others:
    /// let options = Fit::default().validation(&test.x, test.labels()?);
    /// let held_out = Calibrated::default().fit_with(&train.x, train.labels()?, options)?;
    /// assert_eq!(held_out.members().len(), 1);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Scores are the decision function, or the probabilities of a classifier that has none.
    /// - With validation rows, one classifier is fitted to the other rows and calibrated on those. Without, folds: each
    ///   classifier is calibrated on the rows it has not seen, and probabilities are the means over the folds; with
    ///   `ensemble=false` one curve is fitted to the scores of all folds and one classifier to all rows.
    /// - Several classes have a curve each, and the values are divided by their sum; `temperature` has one factor.
    /// - The class with the largest probability is predicted.
    pub struct Calibrated: classifier("calibrated") -> CalibratedModel;
    about "probabilities from the scores of a classifier, by folds or on held-out rows";
    new(estimator: AnyEstimator);
    {
        /// The classifier.
        estimator: AnyEstimator = AnyEstimator::new(Svc::default());
        /// How scores become probabilities: sigmoid, isotonic or temperature.
        method: CalibrationMethod = CalibrationMethod::Sigmoid;
        /// Number of folds, where no validation rows are given.
        cv: usize = 5, at_least(2.0);
        /// Whether each fold keeps its own classifier and curve.
        ensemble: bool = true;
        /// Seed of the folds; it is added to the seed of the classifier.
        seed: u64 = 0;
    }
}

/// Fitted classifiers with their calibration.
pub type CalibratedModel = EnsembleModel<Calibrated>;

impl Estimator for Calibrated {
    fn abilities(&self) -> Abilities {
        abilities_of(std::slice::from_ref(&self.estimator))
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        cost_of(std::slice::from_ref(&self.estimator), shape, self.cv as f64)
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<CalibratedModel> {
        check_members("estimator", std::slice::from_ref(&self.estimator), Self::TASK)?;
        x.complete_rows(Self::TYPE, y.len())?;
        let weights = options.weights(Self::TYPE, y.len())?;
        let estimator = seeded(std::slice::from_ref(&self.estimator), self.seed)?;
        let target = Target::Classes(y.clone());
        let (members, calibrations) = match options.validation_rows() {
            Some((rows, ValidationTarget::Classes(labels))) => {
                let members = fit_all(&estimator, x, &target, weights)?;
                let scores = Scores::of(&members[0], rows, labels, None)?;
                (members, vec![scores.calibration(self.method)])
            }
            Some(_) => return Err(Error::shape(Self::TYPE, "classes of validation rows", "numbers")),
            None => options.watched("calibration", |reporter| self.by_folds(&estimator, x, y, weights, reporter))?,
        };
        EnsembleModel::new(self, members, &target, calibrations)
    }
}

impl Calibrated {
    fn by_folds(
        &self,
        estimator: &[AnyEstimator],
        x: Rows<'_>,
        y: &Labels,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<AnyModel>, Vec<Calibration>)> {
        let device = x.device();
        let rows = x.on_host()?;
        let folds = Folds::stratified(self.cv).seed(self.seed).split(rows.rows(), Some(y));
        let splits = folds.map_err(|error| match error {
            Error::Param { rule, got, .. } => Error::param("cv", rule, got),
            other => other,
        })?;
        let part = |chosen: &[usize]| -> Option<Vec<f32>> {
            weights.map(|weights| chosen.iter().map(|row| weights[*row]).collect())
        };
        let (mut members, mut calibrations) = (vec![], vec![]);
        let mut all: Option<Scores> = None;
        for (number, (train, test)) in splits.iter().enumerate() {
            let fitted_rows = rows.select(&train)?.to(&device)?;
            let target = Target::Classes(y.select(&train)?);
            let member = fit_all(estimator, (&fitted_rows).into(), &target, part(&train).as_deref())
                .map_err(|error| error.inside(format!("fold {number}")))?;
            let unseen = rows.select(&test)?.to(&device)?;
            let scores = Scores::of(&member[0], (&unseen).into(), &y.select(&test)?, part(&test).as_deref())?;
            match self.ensemble {
                true => {
                    calibrations.push(scores.calibration(self.method));
                    members.extend(member);
                }
                false => match &mut all {
                    Some(all) => all.add(scores),
                    None => all = Some(scores),
                },
            }
            reporter.check_stopped(number + 1, (number + 1) as f64 / self.cv as f64)?;
        }
        if let Some(all) = all {
            members = fit_all(estimator, x, &Target::Classes(y.clone()), weights)?;
            calibrations = vec![all.calibration(self.method)];
        }
        Ok((members, calibrations))
    }
}

/// Scores of rows, one number for each class, and what the rows are.
struct Scores {
    values: Vec<f64>,
    classes: usize,
    codes: Vec<u32>,
    weights: Vec<f64>,
}

impl Scores {
    fn of(model: &AnyModel, x: Rows<'_>, labels: &Labels, weights: Option<&[f32]>) -> Result<Scores> {
        let classes = model.classes().len();
        // Classes of validation rows are those of the model, by name.
        let code = |name: &String| model.classes().iter().position(|known| known == name);
        let codes: Option<Vec<usize>> = labels.names().iter().map(code).collect();
        let codes = codes.ok_or_else(|| Error::shape(Calibrated::TYPE, "classes that were fitted", "another one"))?;
        let codes = labels.codes().iter().map(|own| codes[*own as usize] as u32).collect();
        let weights = match weights {
            Some(weights) => weights.iter().copied().map(f64::from).collect(),
            None => vec![1.0; labels.len()],
        };
        Ok(Scores { values: scores_of(model, x)?, classes, codes, weights })
    }

    fn add(&mut self, other: Scores) {
        self.values.extend(other.values);
        self.codes.extend(other.codes);
        self.weights.extend(other.weights);
    }

    fn calibration(&self, method: CalibrationMethod) -> Calibration {
        let k = self.classes;
        let fit = match method {
            CalibrationMethod::Sigmoid => sigmoid,
            CalibrationMethod::Isotonic => isotonic,
            CalibrationMethod::Temperature => {
                return Calibration::Factor(temperature(&self.values, k, &self.codes, &self.weights));
            }
        };
        let curve = |class: usize| {
            let scores: Vec<f64> = self.values.chunks_exact(k).map(|row| row[class]).collect();
            let of_class: Vec<bool> = self.codes.iter().map(|code| *code as usize == class).collect();
            fit(&scores, &of_class, &self.weights)
        };
        // Of two classes the second has the curve, and the first what is left.
        Calibration::Curves(if k == 2 { vec![curve(1)] } else { (0..k).map(curve).collect() })
    }
}

/// One score for each class of each row: the decision function (±half of a single column), or logarithms of probabilities.
fn scores_of(model: &AnyModel, x: Rows<'_>) -> Result<Vec<f64>> {
    let k = model.classes().len();
    if let Some(decisions) = model.decision_function(x)? {
        let values = decisions.as_slice().iter().copied().map(f64::from);
        return match decisions.columns() {
            1 => Ok(values.flat_map(|value| [-value, value]).collect()),
            columns if columns == k => Ok(values.collect()),
            columns => Err(Error::shape(Calibrated::TYPE, format!("{k} scores a row"), columns)),
        };
    }
    match model.predict_proba(x)? {
        Some(probabilities) if probabilities.columns() == k => {
            Ok(probabilities.as_slice().iter().map(|share| f64::from(*share).max(1e-12).ln()).collect())
        }
        _ => Err(Error::param("estimator", "a classifier with a decision function or probabilities", model.kind())),
    }
}

impl Calibration {
    /// Probabilities from scores, k for each row.
    fn probabilities(&self, scores: &[f64], k: usize) -> Vec<f32> {
        let row = |scores: &[f64]| -> Vec<f64> {
            match self {
                Calibration::Factor(factor) => softmax(scores, *factor),
                Calibration::Curves(curves) if k == 2 => {
                    let second = curves[0].value(scores[1]);
                    vec![1.0 - second, second]
                }
                Calibration::Curves(curves) => {
                    let values: Vec<f64> =
                        curves.iter().zip(scores).map(|(curve, score)| curve.value(*score)).collect();
                    let sum: f64 = values.iter().sum();
                    // Where every curve says 0, nothing is known.
                    values.iter().map(|value| if sum > 0.0 { value / sum } else { 1.0 / k as f64 }).collect()
                }
            }
        };
        scores.chunks_exact(k).flat_map(row).map(|share| share as f32).collect()
    }
}

impl Ensemble for Calibrated {
    type Output = Labels;
    type Fitted = Vec<Calibration>;

    fn values(model: &CalibratedModel, x: Rows<'_>) -> Result<Matrix> {
        let k = model.classes.classes();
        let part = |(member, calibration): (&AnyModel, &Calibration)| {
            let scores = scores_of(member, x)?;
            Matrix::from_vec(scores.len() / k, k, calibration.probabilities(&scores, k))
        };
        let parts: Vec<Matrix> = model.members.iter().zip(&model.fitted).map(part).collect::<Result<_>>()?;
        weighted_mean(&parts, None)
    }

    fn save(fitted: &Vec<Calibration>, container: &mut Container) -> Result<()> {
        container.set_fitted(fitted)
    }

    fn load(&self, container: &mut Container, members: usize) -> Result<Vec<Calibration>> {
        let fitted: Vec<Calibration> = container.fitted()?;
        let sound = |calibration: &Calibration| match calibration {
            Calibration::Factor(factor) => factor.is_finite(),
            Calibration::Curves(curves) => !curves.is_empty() && curves.iter().all(|curve| curve.is_sound()),
        };
        match fitted.len() == members && fitted.iter().all(sound) {
            true => Ok(fitted),
            false => Err(container.refuse(format!("{} calibrations for {members} members", fitted.len()))),
        }
    }

    fn report(model: &CalibratedModel) -> FitReport {
        let temperature = model.fitted.iter().filter_map(|calibration| match calibration {
            Calibration::Factor(factor) => Some(1.0 / factor),
            Calibration::Curves(_) => None,
        });
        let temperatures: Vec<f64> = temperature.collect();
        let mean = (!temperatures.is_empty()).then(|| temperatures.iter().sum::<f64>() / temperatures.len() as f64);
        FitReport::default().with_number("classifiers", model.members.len() as f64).with_number("temperature", mean)
    }
}
