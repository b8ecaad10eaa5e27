//! The report of a run: one JSON object, or a page to read.

use std::collections::BTreeMap;
use std::time::Instant;

use gristmill::estimator::{FitReport, Iterations, ReportArray};
use gristmill::metrics::{self, ClassScore, ConfusionMatrix};
use gristmill::pipeline::PipelineModel;
use gristmill::placement::Placed;
use gristmill::{Device, Labels, Profile};
use serde::Serialize;
use serde_json::{Map, Value};

use super::format::{number, seconds};
use super::notes::FitNotes;
use super::output::{paragraph, table_of};
use super::profile;
use super::scores::{Scores, label};
use crate::arguments::GlobalArgs;

/// Values of an array that a report holds; of a larger one it holds the shape.
const MOST_VALUES: usize = 10_000;
/// Columns that a line names.
const MOST_NAMED: usize = 6;

/// Seconds of each phase that ran, in their order.
#[derive(Debug, Clone, Default)]
pub struct Seconds(Vec<(&'static str, f64)>);

impl Seconds {
    /// Each phase with its seconds.
    pub fn phases(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().copied()
    }
}

impl Serialize for Seconds {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// The report of `fit` and `evaluate`; what a model does not have is absent.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    pub model: String,
    pub device: String,
    /// Why there.
    pub why: String,
    /// The version of the command.
    pub version: &'static str,
    /// What the model was fitted with.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// The seed of the split and of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The files that were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The columns of the target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<String>,
    /// The classes that the model knows, and of scored rows the counts of each (rows: target, columns: prediction).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_classes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confusion: Option<Confusion>,
    /// Rows of the data.
    pub rows: usize,
    /// Columns that the model learns from, before its steps.
    pub columns: usize,
    /// Rows that the scores are of, if any were scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scored_rows: Option<usize>,
    pub seconds: Seconds,
    /// How the iterations went, if there were any.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Iterations>,
    /// Rows whose loss decided when to stop; they are those that were scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early_stopping_rows: Option<usize>,
    /// Whether Ctrl-C ended the fit early.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Of the rows that were scored, and what the fit knows by itself.
    pub scores: Scores,
    /// Columns of the rows that a transformer makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformed_columns: Option<usize>,
    /// What the fit reports: numbers after each iteration, and arrays.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub curves: BTreeMap<&'static str, Vec<f64>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arrays: BTreeMap<&'static str, ReportArray>,
    /// The names of the columns that the model sees, for the arrays.
    #[serde(rename = "input_columns", skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// What the score loses when a column is permuted, if it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub importances: Vec<Importance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
    /// Rows that the saved model was fitted on, and whether that was done again after the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_rows: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refitted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<String>,
    /// The page of HTML.
    #[serde(rename = "report", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// Which classes of scored rows were taken for which.
#[derive(Debug, Clone, Serialize)]
pub struct Confusion {
    pub classes: Vec<String>,
    /// A row for each class of the target, a column for each that is predicted.
    pub counts: Vec<Vec<f64>>,
    pub per_class: Vec<ClassRow>,
}

/// How well one class was found.
#[derive(Debug, Clone, Serialize)]
pub struct ClassRow {
    pub class: String,
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    pub rows: f64,
}

impl Confusion {
    /// Of the classes of rows and what was predicted for them.
    pub fn of(target: &Labels, predicted: &Labels) -> gristmill::Result<Confusion> {
        let matrix = ConfusionMatrix::new(target, predicted)?;
        let row = |score: ClassScore| {
            let ClassScore { class, precision, recall, f1, support } = score;
            ClassRow { class, precision, recall, f1, rows: support }
        };
        Ok(Confusion {
            classes: matrix.classes().to_vec(),
            counts: (0..matrix.classes().len()).map(|class| matrix.row(class).to_vec()).collect(),
            per_class: metrics::class_scores(target, predicted)?.into_iter().map(row).collect(),
        })
    }
}

/// What a score loses when a column is permuted: mean and deviation over the repeats.
#[derive(Debug, Clone, Serialize)]
pub struct Importance {
    pub column: String,
    pub mean: f64,
    pub deviation: f64,
}

impl Report {
    /// A report on a model, nothing else yet.
    pub fn new(model: &str) -> Report {
        let version = env!("CARGO_PKG_VERSION");
        Report { model: model.to_string(), version, ..Report::default() }
    }

    /// Takes over where the work runs.
    pub fn take_place(&mut self, placed: &Placed) {
        (self.device, self.why) = (placed.device.info().name, placed.why.clone());
    }

    /// Takes over what a model predicts and knows.
    pub fn take_model(&mut self, model: &PipelineModel) {
        self.target = model.targets().to_vec();
        self.known_classes = model.model().classes().to_vec();
    }

    /// Takes over what a fit reports. Arrays that are too large to read keep their shape alone.
    pub fn take_fit(&mut self, report: FitReport, inputs: Vec<String>) {
        self.iterations = report.iterations;
        report.numbers.into_iter().for_each(|(name, value)| self.scores.add(name, value));
        self.curves = report.curves.into_iter().collect();
        let shown = |(name, mut array): (&'static str, ReportArray)| {
            array.values.truncate(if array.values.len() > MOST_VALUES { 0 } else { MOST_VALUES });
            (name, array)
        };
        self.arrays = report.arrays.into_iter().map(shown).collect();
        let by_column = self.arrays.values().any(|array| array.shape[1] == inputs.len());
        self.inputs = if by_column { inputs } else { vec![] };
    }

    /// What the model file remembers of the fit on so many rows.
    pub fn notes(&self, rows: usize) -> FitNotes {
        let scores = if self.scored_rows.is_some() { self.scores.to_map() } else { Map::new() };
        let scored = self.scored_rows.map_or_else(String::new, |scored| format!("{scored} other rows"));
        let (files, seed) = (self.files.clone(), self.seed.unwrap_or(0));
        FitNotes { files, rows, seed, version: self.version.to_string(), scored, scores }
    }

    /// Adds the engine's counts if they are asked for.
    pub fn take_profile(&mut self, global: &GlobalArgs, device: &Device) {
        self.profile = global.profile_of(device);
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} on {}: {} rows × {} columns", self.model, self.device, self.rows, self.columns)?;
        if let Some(scored) = self.scored_rows {
            write!(formatter, ", {scored} rows scored")?;
        }
        // A choice between two devices is worth a line; that there was none is not.
        if self.why.starts_with("expected") {
            write!(formatter, "\n{}", self.why)?;
        }
        let phases = self.seconds.0.iter().map(|(phase, time)| format!("{phase} {}", seconds(*time)));
        let phases: Vec<String> = phases.collect();
        if !phases.is_empty() {
            write!(formatter, "\n{}", phases.join(", "))?;
        }
        if let Some(Iterations { count, unit, converged, ending }) = &self.iterations {
            let how = match (self.stopped, converged, ending) {
                (true, ..) => "stopped early",
                (_, _, Some(ending)) => ending,
                (_, Some(true), None) => "converged",
                (_, Some(false), None) => "not converged",
                (_, None, None) => "",
            };
            let (many, comma) = (if *count == 1 { "" } else { "s" }, if how.is_empty() { "" } else { ", " });
            write!(formatter, "\n{count} {unit}{many}{comma}{how}")?;
        }
        if let Some(rows) = self.early_stopping_rows {
            write!(formatter, "\nearly stopping went by the {rows} rows that are scored, so their scores flatter")?;
        }
        if let Some(columns) = self.transformed_columns {
            write!(formatter, "\n{columns} columns after the transformation")?;
        }
        let scores = self.scores.labelled();
        if !scores.is_empty() {
            // What a fit knows by itself is of the rows that it was fitted on.
            let of = if self.scored_rows.is_some() { "score" } else { "score of fitted rows" };
            let rows = scores.into_iter().map(|(name, value)| [name, number(value)]);
            write!(formatter, "\n{}", table_of(&[of, "value"], rows))?;
        }
        for (name, values) in &self.curves {
            let (first, last) =
                (values.first().copied().unwrap_or(f64::NAN), values.last().copied().unwrap_or(f64::NAN));
            write!(formatter, "\n{}: {} to {} in {} steps", label(name), number(first), number(last), values.len())?;
        }
        for (name, array) in &self.arrays {
            write!(formatter, "\n{}", paragraph(&format!("{}: {}", label(name), self.describe_array(array))))?;
        }
        if !self.importances.is_empty() {
            let row = |of: &Importance| [of.column.clone(), number(of.mean), number(of.deviation)];
            let header = ["permuted column", "loss", "deviation"];
            write!(formatter, "\n{}", table_of(&header, self.importances.iter().map(row)))?;
        }
        if let Some(path) = &self.saved {
            write!(formatter, "\nsaved: {path}{}", self.describe_saved())?;
        }
        for (what, path) in [("picture", &self.plot), ("report", &self.page)] {
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

impl Report {
    /// What the saved model was fitted on, where that could be something else.
    pub fn describe_saved(&self) -> String {
        match self.saved_rows {
            Some(rows) if self.refitted => format!(", fitted again on all {rows} rows"),
            Some(rows) if rows < self.rows => {
                format!(", fitted on {rows} of {} rows (--refit fits all of them)", self.rows)
            }
            _ => String::new(),
        }
    }

    /// Of an array with a number for each column the largest ones by name; of others the shape.
    fn describe_array(&self, array: &ReportArray) -> String {
        let [rows, columns] = array.shape;
        if rows != 1 || array.values.len() != columns || columns != self.inputs.len() {
            return format!("{rows}×{columns}");
        }
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|one, other| array.values[*other].abs().total_cmp(&array.values[*one].abs()));
        let named =
            order.iter().take(MOST_NAMED).map(|at| format!("{} {}", self.inputs[*at], number(array.values[*at])));
        let more = if columns > MOST_NAMED { format!(" (top {MOST_NAMED} of {columns})") } else { String::new() };
        named.collect::<Vec<_>>().join(", ") + &more
    }
}

/// Runs a job and adds the seconds it took to those of its phase.
pub fn timed<T>(Seconds(phases): &mut Seconds, phase: &'static str, job: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = job();
    let took = begun.elapsed().as_secs_f64();
    match phases.iter_mut().find(|(known, _)| *known == phase) {
        Some((_, seconds)) => *seconds += took,
        None => phases.push((phase, took)),
    }
    result
}
