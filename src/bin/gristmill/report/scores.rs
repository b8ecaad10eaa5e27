//! How good predictions are, by what the task measures.

use gristmill::AnyModel;
use gristmill::estimator::Prediction;
use gristmill::metrics;
use gristmill::selection::{Predictions, Scoring};
use gristmill::{Error, Labels, Matrix, Result, Target};
use serde::Serialize;

/// The scores of a run; those that do not apply are absent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Scores {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1_macro: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roc_auc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// Of each fitted row by the members that did not draw it: accuracy, or R².
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oob_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inertia: Option<f64>,
    /// Clusters that have a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// How well the clusters agree with classes that are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_rand: Option<f64>,
    /// Rows that are outliers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outliers: Option<usize>,
}

impl Scores {
    /// The scores that a fit knows of its own rows.
    pub fn of_fit(model: &AnyModel, target: &Target) -> Scores {
        let fitted = model.fitted_prediction();
        let mut scores = fitted.as_ref().map_or_else(Scores::default, |fitted| Scores::of_groups(fitted, target));
        // Rows that came in batches have no sum of distances.
        scores.inertia = model.report().number("inertia").filter(|_| scores.clusters.is_some());
        scores
    }

    /// The scores of predictions against the target. `probabilities` is n×k with the classes as names of its columns.
    pub fn of_predictions(predicted: &Prediction, probabilities: Option<&Matrix>, target: &Target) -> Result<Scores> {
        match predicted {
            Prediction::Classes(labels) => check_rows(target.labels()?.len(), labels.len())?,
            Prediction::Numbers(numbers) => check_rows(target.values()?.rows(), numbers.rows())?,
            Prediction::Clusters(_) | Prediction::Outliers(_) => return Ok(Scores::of_groups(predicted, target)),
        }
        let mut scores = Scores::default();
        let classes = probabilities.and_then(Matrix::names).unwrap_or_default().to_vec();
        for (scoring, score) in Predictions::of(predicted.clone(), probabilities.cloned(), classes).scores(target) {
            match scoring {
                Scoring::Accuracy => scores.accuracy = Some(score),
                Scoring::BalancedAccuracy => scores.balanced_accuracy = Some(score),
                Scoring::F1Macro => scores.f1_macro = Some(score),
                Scoring::LogLoss => scores.log_loss = Some(score),
                Scoring::RocAuc => scores.roc_auc = Some(score),
                Scoring::R2 => scores.r2 = Some(score),
                Scoring::Rmse => scores.rmse = Some(score),
                Scoring::Mae => scores.mae = Some(score),
                Scoring::Inertia => scores.inertia = Some(score),
            }
        }
        Ok(scores)
    }

    fn of_groups(predicted: &Prediction, target: &Target) -> Scores {
        match predicted {
            Prediction::Clusters(clusters) if !clusters.is_empty() => {
                let known = target.labels().ok().filter(|known| known.len() == clusters.len());
                let agreement = known.and_then(|known| metrics::adjusted_rand_score(known.codes(), clusters).ok());
                Scores { clusters: Some(occupied(clusters)), adjusted_rand: agreement, ..Scores::default() }
            }
            Prediction::Outliers(outliers) => {
                let count = outliers.iter().filter(|outlier| **outlier < 0).count();
                Scores { outliers: Some(count), ..Scores::default() }
            }
            _ => Scores::default(),
        }
    }

    /// Those that are there, by name.
    pub fn named(&self) -> Vec<(&'static str, f64)> {
        let count = |count: Option<usize>| count.map(|count| count as f64);
        let all = [
            ("accuracy", self.accuracy),
            ("balanced accuracy", self.balanced_accuracy),
            ("F1 (macro)", self.f1_macro),
            ("log loss", self.log_loss),
            ("ROC AUC", self.roc_auc),
            ("R²", self.r2),
            ("RMSE", self.rmse),
            ("MAE", self.mae),
            ("out-of-bag score", self.oob_score),
            ("inertia", self.inertia),
            ("clusters", count(self.clusters)),
            ("adjusted Rand", self.adjusted_rand),
            ("outliers", count(self.outliers)),
        ];
        all.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))).collect()
    }
}

/// How many clusters have a row.
fn occupied(clusters: &[u32]) -> usize {
    let codes = clusters.iter().max().map_or(0, |max| *max as usize + 1);
    let mut seen = vec![false; codes];
    clusters.iter().for_each(|cluster| seen[*cluster as usize] = true);
    seen.iter().filter(|seen| **seen).count()
}

fn check_rows(known: usize, predicted: usize) -> Result<()> {
    match known == predicted {
        true => Ok(()),
        false => {
            let expected = format!("a target for each of {predicted} rows");
            Err(Error::Shape { op: "scores", expected, got: known.to_string() })
        }
    }
}

/// Of two classes, the probabilities of the one that comes last in the target; nothing for more classes, or if one is absent.
pub fn positive_probabilities(target: &Labels, probabilities: &Matrix) -> Option<Vec<f32>> {
    let present = target.counts().into_iter().zip(target.names()).filter(|(count, _)| *count > 0);
    let present: Vec<&String> = present.map(|(_, class)| class).collect();
    let names = probabilities.names().filter(|names| names.len() == 2 && present.len() == 2)?;
    let column = names.iter().position(|name| name == present[1])?;
    Some((0..probabilities.rows()).map(|row| probabilities.get(row, column)).collect())
}
