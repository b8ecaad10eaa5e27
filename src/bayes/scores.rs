//! From the logarithms of prior times density to classes and probabilities, and what fits share.

use crate::array::Matrix;
use crate::cpu::linear::margin_gradient::exact::softmax;
use crate::cpu::reduce::argmax;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::Rows;
use crate::model_file::Container;

/// The logarithm of a probability of 0: of a class without rows, which is never predicted.
pub(super) const NEVER: f64 = -1e30;

/// A model that gives each class of a row a score.
pub(super) trait JointScores {
    /// ln of prior times density, n×k, row by row.
    fn joint(&self, x: Rows<'_>) -> Result<Vec<f64>>;

    /// The classes, without rows.
    fn labels(&self) -> &Labels;
}

/// The classes of the largest scores; of equal ones the first.
pub(super) fn winners(labels: &Labels, scores: &[f64]) -> Result<Labels> {
    labels.with_codes(scores.chunks_exact(labels.classes()).map(|row| argmax(row) as u32).collect())
}

/// Scores as shares of 1.
pub(super) fn probabilities(labels: &Labels, mut scores: Vec<f64>) -> Result<Matrix> {
    let k = labels.classes();
    for row in scores.chunks_exact_mut(k) {
        match k {
            1 => row[0] = 1.0,
            _ => {
                softmax(row, 0);
            }
        }
    }
    Matrix::from_f64(scores.len() / k, k, &scores)
}

/// Scores as a decision function: of two classes their difference.
pub(super) fn decisions(labels: &Labels, scores: Vec<f64>) -> Result<Matrix> {
    match labels.classes() {
        2 => {
            let apart: Vec<f64> = scores.chunks_exact(2).map(|row| row[1] - row[0]).collect();
            Matrix::from_f64(apart.len(), 1, &apart)
        }
        k => Matrix::from_f64(scores.len() / k, k, &scores),
    }
}

/// Makes a model of joint scores predict, with probabilities and a decision function.
macro_rules! predicts_by_scores {
    ($model:ident) => {
        impl $crate::estimator::Predict for $model {
            type Output = $crate::data::Labels;
        }

        impl $crate::estimator::PredictProba for $model {}

        impl $crate::estimator::Decision for $model {}

        impl $crate::estimator::Model for $model {
            fn predict_rows(
                &self,
                x: $crate::estimator::Rows<'_>,
                _: &mut dyn $crate::estimator::Observer,
            ) -> Result<$crate::estimator::Prediction> {
                Ok(super::scores::winners(self.labels(), &self.joint(x)?)?.into())
            }

            fn predict_proba_rows(&self, x: $crate::estimator::Rows<'_>) -> Result<Option<$crate::array::Matrix>> {
                super::scores::probabilities(self.labels(), self.joint(x)?).map(Some)
            }

            fn predict_both_rows(
                &self,
                x: $crate::estimator::Rows<'_>,
                _: &mut dyn $crate::estimator::Observer,
            ) -> Result<($crate::estimator::Prediction, Option<$crate::array::Matrix>)> {
                let scores = self.joint(x)?;
                let classes = super::scores::winners(self.labels(), &scores)?;
                Ok((classes.into(), Some(super::scores::probabilities(self.labels(), scores)?)))
            }

            fn decision_rows(&self, x: $crate::estimator::Rows<'_>) -> Result<Option<$crate::array::Matrix>> {
                super::scores::decisions(self.labels(), self.joint(x)?).map(Some)
            }

            fn classes(&self) -> &[String] {
                self.labels().names()
            }
        }
    };
}

/// Adds `partial_fit` and `partial_fit_with` to a naive classifier.
macro_rules! learns_from_chunks {
    ($estimator:ident -> $model:ident) => {
        impl $estimator {
            /// Adds a chunk of rows to `model`, or begins with `None`. The first chunk names all classes.
            pub fn partial_fit<'a>(
                &self,
                model: Option<$model>,
                x: impl Into<$crate::estimator::Rows<'a>>,
                y: &$crate::data::Labels,
            ) -> Result<$model> {
                self.partial_fit_with(model, x, y, $crate::estimator::Fit::default())
            }

            /// The same with sample weights.
            pub fn partial_fit_with<'a>(
                &self,
                model: Option<$model>,
                x: impl Into<$crate::estimator::Rows<'a>>,
                y: &$crate::data::Labels,
                options: $crate::estimator::Fit<'_>,
            ) -> Result<$model> {
                $crate::estimator::checked_partial_fit(self, model, x.into(), y, options)
            }
        }
    };
}

pub(super) use {learns_from_chunks, predicts_by_scores};

/// The codes of the rows of a chunk among the classes of the first.
pub(super) fn known_codes(op: &'static str, known: &Labels, y: &Labels) -> Result<Vec<u32>> {
    let place = |name: &String| known.names().iter().position(|known| known == name).map(|place| place as u32);
    let places: Vec<Option<u32>> = y.names().iter().map(place).collect();
    let code = |row: usize| {
        places[y.codes()[row] as usize].ok_or_else(|| {
            let names = known.names().join(", ");
            let expected = format!("the classes of the first chunk ({names}); name all of them there");
            Error::shape(op, expected, format!("class {}", y.name(row)))
        })
    };
    (0..y.len()).map(code).collect()
}

/// Refuses another number of classes than of rows, and no rows.
pub(super) fn check_classes(op: &'static str, rows: usize, y: &Labels) -> Result<()> {
    if rows == 0 || y.len() != rows {
        return Err(Error::shape(op, format!("a class for each of {} rows", rows.max(1)), y.len()));
    }
    Ok(())
}

/// Logarithms of the prior probabilities: given ones, checked, equal ones, or the shares of the weights.
pub(super) fn log_priors(given: Option<&[f64]>, from_rows: bool, weights: &[f64]) -> Result<Vec<f64>> {
    let (k, total) = (weights.len(), weights.iter().sum::<f64>());
    let log = |share: f64| if share > 0.0 { share.ln() } else { NEVER };
    let Some(given) = given else {
        let share = |weight: &f64| if from_rows { weight / total } else { 1.0 / k as f64 };
        return Ok(weights.iter().map(|weight| if *weight > 0.0 { log(share(weight)) } else { NEVER }).collect());
    };
    let sum: f64 = given.iter().sum();
    if given.len() != k || !given.iter().all(|prior| *prior >= 0.0) || (sum - 1.0).abs() > 1e-5 {
        let rule = format!("{k} numbers of at least 0 that add up to 1, one a class");
        return Err(Error::param("class_prior", rule, format!("{given:?}")));
    }
    Ok(given.iter().zip(weights).map(|(prior, weight)| if *weight > 0.0 { log(*prior) } else { NEVER }).collect())
}

/// Takes class names and, for each class, a weight out of a file.
pub(super) fn take_classes(container: &mut Container) -> Result<(Labels, Vec<f64>)> {
    let names = container.take_strings("class_names")?;
    let weights: Vec<f64> = container.take("class_weights", &[names.len()])?;
    if names.is_empty() || !weights.iter().all(|weight| *weight >= 0.0) || !weights.iter().any(|weight| *weight > 0.0) {
        return Err(container.refuse("no classes, or none that weighs anything"));
    }
    let labels = Labels::from_codes(vec![], names).map_err(|error| container.refuse(error.to_string()))?;
    Ok((labels, weights))
}
