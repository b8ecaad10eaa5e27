//! The report of a run: one JSON object, or a page to read.

use std::time::Instant;

use gristmill::estimator::{FitReport, Iterations};
use gristmill::{Device, Profile};
use serde::Serialize;

use super::format::{number, seconds};
use super::output::table;
use super::profile;
use super::scores::Scores;
use crate::arguments::GlobalArgs;

/// Seconds of each phase; what did not run is absent.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Seconds {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predict: Option<f64>,
}

/// The report of `fit` and `evaluate`; what a model does not have is absent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    pub model: String,
    pub device: String,
    /// Rows of the data.
    pub rows: usize,
    /// Columns that the model learns from, before its steps.
    pub columns: usize,
    /// Rows that the scores are of, if any were scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scored_rows: Option<usize>,
    pub seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
    /// What an iteration is called, and how the last one ended the fit.
    #[serde(skip)]
    pub unit: &'static str,
    #[serde(skip)]
    pub ending: Option<&'static str>,
    /// Whether Ctrl-C ended the fit early.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    pub scores: Scores,
    /// What the score loses when a column is permuted, if it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub importances: Vec<Importance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// What a score loses when a column is permuted: mean and deviation over the repeats.
#[derive(Debug, Clone, Serialize)]
pub struct Importance {
    pub column: String,
    pub mean: f64,
    pub deviation: f64,
}

impl Report {
    /// A report on a model and a device, nothing else yet.
    pub fn new(model: &str, device: &Device) -> Report {
        Report { model: model.to_string(), device: device.info().name, ..Report::default() }
    }

    /// Takes over what the fit reports.
    pub fn take_report(&mut self, report: &FitReport) {
        if let Some(Iterations { count, unit, converged, ending }) = &report.iterations {
            (self.iterations, self.converged) = (Some(*count), *converged);
            (self.unit, self.ending) = (unit, *ending);
        }
    }

    /// Adds the engine's counts if they are asked for.
    pub fn take_profile(&mut self, global: &GlobalArgs, device: &Device) {
        self.profile = global.profile.then(|| device.profile_report());
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} on {}: {} rows × {} columns", self.model, self.device, self.rows, self.columns)?;
        if let Some(scored) = self.scored_rows {
            write!(formatter, ", {scored} rows scored")?;
        }
        let Seconds { load, prepare, upload, fit, predict } = self.seconds;
        let phases = [("load", load), ("prepare", prepare), ("upload", upload), ("fit", fit), ("predict", predict)];
        let phases = phases.iter().filter_map(|(name, time)| time.map(|time| format!("{name} {}", seconds(time))));
        let phases: Vec<String> = phases.collect();
        if !phases.is_empty() {
            write!(formatter, "\n{}", phases.join(", "))?;
        }
        if let Some(iterations) = self.iterations {
            let how = match (self.stopped, self.converged, self.ending) {
                (true, ..) => "stopped early",
                (_, _, Some(ending)) => ending,
                (_, Some(true), None) => "converged",
                (_, Some(false), None) => "not converged",
                (_, None, None) => "",
            };
            let comma = if how.is_empty() { "" } else { ", " };
            write!(formatter, "\n{iterations} {}s{comma}{how}", self.unit)?;
        }
        let scores = self.scores.named();
        if !scores.is_empty() {
            let mut shown = table(&["score", "value"]);
            scores.iter().for_each(|(name, value)| {
                shown.add_row([name.to_string(), number(*value)]);
            });
            write!(formatter, "\n{shown}")?;
        }
        if !self.importances.is_empty() {
            let mut shown = table(&["permuted column", "loss", "deviation"]);
            self.importances.iter().for_each(|Importance { column, mean, deviation }| {
                shown.add_row([column.clone(), number(*mean), number(*deviation)]);
            });
            write!(formatter, "\n{shown}")?;
        }
        for (what, path) in [("saved", &self.saved), ("picture", &self.plot)] {
            if let Some(path) = path {
                write!(formatter, "\n{what}: {path}")?;
            }
        }
        match &self.profile {
            Some(counts) => write!(formatter, "\n{}", profile::describe(counts)),
            None => Ok(()),
        }
    }
}

/// Runs a job and adds the seconds it took.
pub fn timed<T>(seconds: &mut Option<f64>, job: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = job();
    *seconds = Some(seconds.unwrap_or(0.0) + begun.elapsed().as_secs_f64());
    result
}
