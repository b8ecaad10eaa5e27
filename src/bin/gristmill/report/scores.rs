//! How good predictions are, by name.

use gristmill::estimator::Prediction;
use gristmill::metrics;
use gristmill::selection::{Predictions, Scoring};
use gristmill::{Error, Labels, Matrix, Result, Target};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Names beside those of scores that tables do not show as they are, with blanks for `_`.
const LABELS: &[(&str, &str)] = &[("oob_score", "out-of-bag score"), ("adjusted_rand", "adjusted Rand")];

/// The scores of a run, by name; those that do not apply are absent.
#[derive(Debug, Clone, Default)]
pub struct Scores(Vec<(&'static str, Value)>);

impl Scores {
    /// The scores of predictions against the target. `probabilities` is n×k with the classes as names of its columns.
    pub fn of_predictions(predicted: &Prediction, probabilities: Option<&Matrix>, target: &Target) -> Result<Scores> {
        match predicted {
            Prediction::Classes(labels) => check_rows(target.labels()?.len(), labels.len())?,
            Prediction::Numbers(numbers) => check_rows(target.values()?.rows(), numbers.rows())?,
            Prediction::Clusters(_) | Prediction::Outliers(_) => return Ok(Scores::of_groups(predicted, target)),
        }
        let classes = probabilities.and_then(Matrix::names).unwrap_or_default().to_vec();
        let found = Predictions::of(predicted.clone(), probabilities.cloned(), classes).scores(target);
        Ok(Scores(found.into_iter().map(|(scoring, score)| (scoring.name(), score.into())).collect()))
    }

    /// How many clusters have a row, and how well they agree with classes that are known; how many rows are outliers.
    pub fn of_groups(predicted: &Prediction, target: &Target) -> Scores {
        match predicted {
            Prediction::Clusters(clusters) if !clusters.is_empty() => {
                let known = target.labels().ok().filter(|known| known.len() == clusters.len());
                let agreement = known.and_then(|known| metrics::adjusted_rand_score(known.codes(), clusters).ok());
                let mut scores = Scores(vec![("clusters", occupied(clusters).into())]);
                agreement.into_iter().for_each(|agreement| scores.add("adjusted_rand", agreement));
                scores
            }
            Prediction::Outliers(outliers) => {
                let count = outliers.iter().filter(|outlier| **outlier < 0).count();
                Scores(vec![("outliers", count.into())])
            }
            _ => Scores::default(),
        }
    }

    /// Adds a score, unless there is one of its name.
    pub fn add(&mut self, name: &'static str, value: f64) {
        if !self.0.iter().any(|(known, _)| *known == name) {
            self.0.push((name, value.into()));
        }
    }

    /// Those there are, by name.
    pub fn to_map(&self) -> serde_json::Map<String, Value> {
        self.0.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
    }

    /// Those there are, as a table names them.
    pub fn labelled(&self) -> Vec<(String, f64)> {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        self.0.iter().map(|(name, value)| (label(name), number(value))).collect()
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// What people call a number, a curve or an array of a report.
pub fn label(name: &str) -> String {
    let scoring = Scoring::ALL.into_iter().map(|scoring| (scoring.name(), scoring.label()));
    let known = LABELS.iter().copied().chain(scoring).find(|(known, _)| *known == name);
    known.map_or_else(|| name.replace('_', " "), |(_, label)| label.to_string())
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
        false => Err(Error::shape("scores", format!("a target for each of {predicted} rows"), known)),
    }
}

/// Of two classes, the probabilities of the one that comes last in the target; nothing for more classes, or if one is
/// absent.
pub fn positive_probabilities(target: &Labels, probabilities: &Matrix) -> Option<Vec<f32>> {
    let present = target.counts().into_iter().zip(target.names()).filter(|(count, _)| *count > 0);
    let present: Vec<&String> = present.map(|(_, class)| class).collect();
    let names = probabilities.names().filter(|names| names.len() == 2 && present.len() == 2)?;
    let column = names.iter().position(|name| name == present[1])?;
    Some((0..probabilities.rows()).map(|row| probabilities.get(row, column)).collect())
}
