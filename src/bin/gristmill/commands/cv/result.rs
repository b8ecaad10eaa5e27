//! What `cv` found, as one JSON object or a page to read.

use std::collections::BTreeMap;

use gristmill::selection::stats::Sample;
use gristmill::selection::{Candidate, CrossValidation, Scoring};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::report::{FitNotes, Seconds, label, number, profile, table};

/// What `cv` reports.
#[derive(Serialize)]
pub struct CvReport {
    pub model: String,
    pub device: String,
    /// Why there.
    pub why: String,
    /// The version of the command.
    pub version: &'static str,
    /// What was fitted; the best parameters are in `best`.
    pub parameters: Map<String, Value>,
    pub seed: u64,
    /// The files that were read.
    pub files: Vec<String>,
    /// The columns of the target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_classes: Vec<String>,
    /// The column of weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    pub rows: usize,
    pub columns: usize,
    pub seconds: Seconds,
    /// What decides.
    pub scoring: Scoring,
    /// The means over the folds, of the best parameters if there were several.
    pub scores: BTreeMap<&'static str, f64>,
    /// The standard deviations over the folds.
    pub deviations: BTreeMap<&'static str, f64>,
    /// The score of each fold; null where it cannot be computed.
    pub folds: BTreeMap<&'static str, Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BTreeMap<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Tried>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<gristmill::Profile>,
}

/// One combination of parameters.
#[derive(Serialize)]
pub struct Tried {
    parameters: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl CvReport {
    /// Takes over the scores of the best parameters. Folds that cannot have a score are left out of its mean, and a
    /// score that no fold has is left out.
    pub fn take_scores(&mut self, best: &CrossValidation) {
        let there = |test: &[f64]| test.iter().copied().filter(|score| !score.is_nan()).collect::<Vec<f64>>();
        let scores = || best.scoring.iter().map(|scoring| scoring.name()).zip(&best.test);
        let scores = || scores().filter(|(_, test)| !there(test).is_empty());
        let samples = || scores().map(|(name, test)| (name, Sample::of(&there(test))));
        self.scores = samples().map(|(name, sample)| (name, sample.mean)).collect();
        self.deviations = samples().map(|(name, sample)| (name, sample.deviation)).collect();
        self.folds = scores().map(|(name, test)| (name, test.clone())).collect();
    }

    /// What the model file remembers of the search.
    pub fn notes(&self) -> FitNotes {
        FitNotes {
            files: self.files.clone(),
            rows: self.rows,
            seed: self.seed,
            version: self.version.to_string(),
            scored: format!("{} folds, mean", self.folds.get(self.scoring.name()).map_or(0, Vec::len)),
            scores: self.scores.iter().map(|(name, score)| (name.to_string(), (*score).into())).collect(),
        }
    }
}

/// A combination and how it did.
pub fn tried(candidate: &Candidate) -> Tried {
    let parameters = candidate.parameters.iter().cloned().collect();
    match &candidate.result {
        Ok(result) => {
            let score = result.score();
            Tried { parameters, mean: Some(score.mean), deviation: Some(score.deviation), error: None }
        }
        Err(error) => Tried { parameters, mean: None, deviation: None, error: Some(error.to_string()) },
    }
}

/// The search as a page.
pub fn describe(report: &CvReport) -> String {
    let folds = |name: &str| report.folds.get(name).map_or(&[][..], Vec::as_slice);
    let count = folds(report.scoring.name()).len();
    let head = format!("{} on {}: {} rows × {} columns", report.model, report.device, report.rows, report.columns);
    let mut parts = vec![head];
    if !report.candidates.is_empty() {
        let mut shown = table(&["parameters", &format!("{}, mean ± deviation", report.scoring)]);
        for tried in &report.candidates {
            let result = match (tried.mean, tried.deviation, &tried.error) {
                (Some(mean), Some(deviation), _) => format!("{} ± {}", number(mean), number(deviation)),
                (_, _, error) => error.clone().unwrap_or_default(),
            };
            shown.add_row([written(&tried.parameters), result]);
        }
        parts.push(shown.to_string());
    }
    if let Some(best) = &report.best {
        parts.push(format!("best: {}", written(best)));
    }
    let mut shown = table(&["score", &format!("mean ± deviation of {count} folds")]);
    for (name, mean) in &report.scores {
        let deviation = report.deviations.get(name).copied().unwrap_or(0.0);
        let there = folds(name).iter().filter(|score| !score.is_nan()).count();
        let of = if there < count { format!(" (of {there} folds)") } else { String::new() };
        shown.add_row([label(name), format!("{} ± {}{of}", number(*mean), number(deviation))]);
    }
    parts.push(shown.to_string());
    parts.extend(report.saved.as_ref().map(|path| format!("saved: {path}, fitted on all {} rows", report.rows)));
    parts.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    parts.extend(report.profile.as_ref().map(profile::describe));
    parts.join("\n")
}

/// Parameters in one line.
fn written(parameters: &BTreeMap<String, Value>) -> String {
    let one = |(name, value): (&String, &Value)| format!("{name}={}", word(value));
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A value as it is written at the shell.
pub fn word(value: &Value) -> String {
    match value {
        // As it is written at the shell.
        Value::Null => "none".to_string(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}
