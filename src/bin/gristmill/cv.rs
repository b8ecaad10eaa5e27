//! `gristmill cv`: how good a model is on rows it has not seen, and which parameters are best.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gristmill::estimator::Task;
use gristmill::plot::{self, Figure};
use gristmill::prelude::*;
use gristmill::registry::parse_value;
use gristmill::selection::stats::Sample;
use gristmill::selection::{
    Candidate, CrossValidation, Folds, GridSearch, GridSearchResult, Scoring, Trial, learning_curve, validation_curve,
};
use serde::Serialize;
use serde_json::Value;

use super::data_arguments::{DataArguments, Loaded};
use super::failure::{Done, Failure, misuse};
use super::fit::check_folder;
use super::model_arguments::ModelArguments;
use super::output::{print, print_json, table};
use super::pictures::check_picture;
use super::progress::{Progress, guarded};
use super::report::{Seconds, number, timed};
use super::{Everywhere, profile};

const EXAMPLES: &str = "Examples:
  gristmill cv kneighbors-classifier data/digits.csv --target digit --folds 5
  gristmill cv kneighbors-classifier data/wine.csv --target class --scale --grid n_neighbors=1,5,15 --grid weights=uniform,distance
  gristmill cv ridge data/diabetes.csv --target progression --grid alpha=0.01,0.1,1,10 --scoring rmse --plot alpha.svg
  gristmill cv kmeans data/iris.csv --drop species --grid n_clusters=2,3,4,5";

/// Combinations of three or more parameters that a picture shows.
const MOST_SHOWN: usize = 30;

/// What `cv` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    data: DataArguments,
    /// Parts that the rows are dealt into, each tested once; each class keeps its share. `loo` tests every row alone
    #[arg(long, value_name = "K", default_value = "5")]
    folds: String,
    /// Values of a parameter to try, with every combination of those of other --grid: n_neighbors=1,5,15
    #[arg(long, value_name = "KEY=V1,V2,…")]
    grid: Vec<String>,
    /// The score that decides: accuracy, balanced_accuracy, f1_macro, log_loss, roc_auc, r2, rmse, mae, inertia
    #[arg(long, value_name = "S")]
    scoring: Option<String>,
    /// Fits the best parameters on all rows and writes the model to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draws the learning curve, or the scores over the grid, into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// What `cv` tells.
#[derive(Serialize)]
struct Report {
    model: String,
    device: String,
    rows: usize,
    columns: usize,
    seconds: Seconds,
    /// What decides.
    scoring: Scoring,
    /// The means over the folds, of the best parameters if there were several.
    scores: BTreeMap<&'static str, f64>,
    /// The standard deviations over the folds.
    deviations: BTreeMap<&'static str, f64>,
    /// The score of each fold.
    folds: BTreeMap<&'static str, Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<BTreeMap<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Tried>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<gristmill::Profile>,
}

/// One combination of parameters.
#[derive(Serialize)]
struct Tried {
    parameters: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub fn run(options: &Options, everywhere: &Everywhere) -> Done {
    let estimator = options.model.estimator(everywhere.seed)?;
    let task = estimator.task();
    let decides = match &options.scoring {
        Some(name) => name.parse::<Scoring>().map_err(misuse)?,
        None => Scoring::of_task(task).map_err(misuse)?,
    };
    let grid = options.grid.iter().map(|text| parse_grid(text)).collect::<Done<Vec<_>>>()?;
    options.save.as_deref().map_or(Ok(()), check_folder)?;
    options.plot.as_deref().map_or(Ok(()), check_picture)?;
    let pipeline = options.model.pipeline(estimator.clone(), &options.data);
    let mut search = GridSearch::new(pipeline.clone());
    for (name, values) in &grid {
        search = search.parameter(name, values.clone());
    }
    search.check().map_err(misuse)?;
    let folds = folds(&options.folds, task, everywhere.seed.unwrap_or(0))?;
    let device = everywhere.open_device()?;
    let mut seconds = Seconds::default();
    let Loaded { data, targets } = timed(&mut seconds.load, || options.data.read(&estimator))?;
    let scoring = scores_beside(decides, task, &data);
    let found = guarded(|| {
        let mut progress = Progress::new(everywhere);
        let trial = Trial::default().scoring(scoring).observer(&mut progress);
        timed(&mut seconds.fit, || search.fit_with(&data, &folds, trial, &device))
    })?;
    if let Some(path) = &options.plot {
        picture(&pipeline, &data, &folds, &grid, &found)?.save(path)?;
    }
    let best = found.best().result.clone()?;
    let mut report = report(options, &device, &data, seconds, decides, &best);
    if !grid.is_empty() {
        report.best = Some(found.best().parameters.iter().cloned().collect());
        report.candidates = found.candidates.iter().map(tried).collect();
    }
    if let Some(path) = &options.save {
        guarded(|| found.model.with_targets(targets).save(path))?;
        report.saved = Some(path.display().to_string());
    }
    report.profile = everywhere.profile.then(|| device.profile_report());
    if everywhere.json {
        print_json(&report);
    } else {
        print(&describe(&report));
    }
    Ok(())
}

/// `key=v1,v2,…`; commas inside brackets do not part values.
fn parse_grid(text: &str) -> Done<(String, Vec<Value>)> {
    let wrong = || Failure::Usage(format!("--grid takes KEY=V1,V2,…, such as n_neighbors=1,5,15; got {text:?}"));
    let (key, list) =
        text.split_once('=').filter(|(key, list)| !key.is_empty() && !list.is_empty()).ok_or_else(wrong)?;
    let (mut values, mut depth, mut start) = (vec![], 0, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                values.push(parse_value(&list[start..at]).map_err(misuse)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    values.push(parse_value(&list[start..]).map_err(misuse)?);
    Ok((key.to_string(), values))
}

/// The folds: dealt at random by the seed, with the share of every class where there are classes.
fn folds(text: &str, task: Task, seed: u64) -> Done<Folds> {
    if text == "loo" {
        return Ok(Folds::LeaveOneOut);
    }
    let wrong = || Failure::Usage(format!("--folds takes a number of at least 2, or loo; got {text:?}"));
    let count = text.parse::<usize>().ok().filter(|count| *count >= 2).ok_or_else(wrong)?;
    Ok(if task == Task::Classification { Folds::stratified(count) } else { Folds::k_fold(count) }.seed(seed))
}

/// The score that decides, and the others that people look at beside it.
fn scores_beside(decides: Scoring, task: Task, data: &Dataset) -> Vec<Scoring> {
    let two = data.labels().is_ok_and(|labels| labels.classes() == 2);
    let mut scoring = vec![decides];
    let others: &[Scoring] = match task {
        Task::Classification if two => {
            &[Scoring::Accuracy, Scoring::BalancedAccuracy, Scoring::F1Macro, Scoring::RocAuc]
        }
        Task::Classification => &[Scoring::Accuracy, Scoring::BalancedAccuracy, Scoring::F1Macro],
        Task::Regression => &[Scoring::R2, Scoring::Rmse, Scoring::Mae],
        Task::Clustering | Task::Outliers => &[Scoring::Inertia],
    };
    scoring.extend(others.iter().copied().filter(|other| *other != decides));
    scoring
}

fn report(
    options: &Options,
    device: &Device,
    data: &Dataset,
    seconds: Seconds,
    scoring: Scoring,
    best: &CrossValidation,
) -> Report {
    let samples =
        || best.scoring.iter().map(|scoring| scoring.name()).zip(best.test.iter().map(|test| Sample::of(test)));
    Report {
        model: options.model.model.clone(),
        device: device.info().name,
        rows: data.x.rows(),
        columns: data.x.columns(),
        seconds,
        scoring,
        scores: samples().map(|(name, sample)| (name, sample.mean)).collect(),
        deviations: samples().map(|(name, sample)| (name, sample.deviation)).collect(),
        folds: best.scoring.iter().map(|scoring| scoring.name()).zip(best.test.iter().cloned()).collect(),
        best: None,
        candidates: vec![],
        saved: None,
        plot: options.plot.as_ref().map(|path| path.display().to_string()),
        profile: None,
    }
}

fn tried(candidate: &Candidate) -> Tried {
    let parameters = candidate.parameters.iter().cloned().collect();
    match &candidate.result {
        Ok(result) => {
            let score = result.score();
            Tried { parameters, mean: Some(score.mean), deviation: Some(score.deviation), error: None }
        }
        Err(error) => Tried { parameters, mean: None, deviation: None, error: Some(error.to_string()) },
    }
}

fn describe(report: &Report) -> String {
    let count = report.folds.values().next().map_or(0, Vec::len);
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
        shown.add_row([name.to_string(), format!("{} ± {}", number(*mean), number(deviation))]);
    }
    parts.push(shown.to_string());
    parts.extend(report.saved.as_ref().map(|path| format!("saved: {path}")));
    parts.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    parts.extend(report.profile.as_ref().map(profile::describe));
    parts.join("\n")
}

/// Parameters in one line.
fn written(parameters: &BTreeMap<String, Value>) -> String {
    let one = |(name, value): (&String, &Value)| format!("{name}={}", word(value));
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn word(value: &Value) -> String {
    match value {
        // As it is written at the shell.
        Value::Null => "none".to_string(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

/// The learning curve without a grid; over one parameter the scores with their intervals; over two a map; else the best.
fn picture(
    pipeline: &Pipeline,
    data: &Dataset,
    folds: &Folds,
    grid: &[(String, Vec<Value>)],
    found: &GridSearchResult,
) -> Result<Figure> {
    let means = || found.candidates.iter().map(|candidate| candidate.score().mean).collect::<Vec<f64>>();
    let title = || found.best().result.as_ref().map_or("score", |result| result.scoring[0].name());
    match grid {
        [] => plot::curve(&learning_curve(pipeline, data, folds, &[0.1, 0.25, 0.5, 0.75, 1.0])?),
        [(name, values)] => plot::curve(&validation_curve(pipeline, data, folds, name, values)?),
        [(rows, down), (columns, across)] => {
            let words = |values: &[Value]| values.iter().map(word).collect::<Vec<String>>();
            let figure = Figure::new().title(title()).x_label(columns.clone()).y_label(rows.clone());
            figure.heatmap(&words(down), &words(across), &means())
        }
        _ => {
            let mut tried: Vec<&Candidate> = found.candidates.iter().filter(|tried| tried.result.is_ok()).collect();
            let worth = |tried: &Candidate| tried.score().mean;
            tried.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
            if found.best().result.as_ref().is_ok_and(|best| !best.scoring[0].greater_is_better()) {
                tried.reverse();
            }
            let best = &tried[..tried.len().min(MOST_SHOWN)];
            let values = |tried: &Candidate| tried.parameters.iter().map(|(_, value)| word(value)).collect::<Vec<_>>();
            let names: Vec<String> = best.iter().map(|tried| values(tried).join(", ")).collect();
            let scores: Vec<Sample> = best.iter().map(|tried| tried.score()).collect();
            let keys: Vec<&str> = grid.iter().map(|(name, _)| name.as_str()).collect();
            let figure = plot::ranking(&names, &scores)?.x_label(title());
            let of = format!("the best {} of {}", best.len(), found.candidates.len());
            Ok(figure.title(format!("{}: {of}", keys.join(", "))))
        }
    }
}
